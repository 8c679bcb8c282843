// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_text_test.c - calls, strings and flags are printed as strace does.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/call_status.h"
#include "trace/signal_text.h"
#include "trace/syscall_text.h"

static char text[8192];

/* What was added so far, as a string. */
static const char *take(struct lw_strbuf *out)
{
	size_t len = out->len < sizeof(text) ? out->len : sizeof(text) - 1;

	memcpy(text, out->text, len);
	text[len] = 0;
	out->len = 0;
	return text;
}

static const char *quoted(const void *bytes, size_t len)
{
	struct lw_strbuf out = {};
	const char *said;

	lw_strbuf_quoted(&out, bytes, len);
	said = take(&out);
	lw_strbuf_free(&out);
	return said;
}

static const char *json(const void *bytes, size_t len)
{
	struct lw_strbuf out = {};
	const char *said;

	lw_strbuf_json(&out, bytes, len);
	said = take(&out);
	lw_strbuf_free(&out);
	return said;
}

static const char *print_up_to(const struct lw_call *call, u32 limit)
{
	const struct lw_call_style style = { .limit = limit };
	struct lw_strbuf out = {};
	const char *said;

	lw_call_text(&out, call, &style);
	lw_strbuf_str(&out, " = ");
	lw_call_result(&out, call, &style);
	said = take(&out);
	lw_strbuf_free(&out);
	return said;
}

static const char *print(const struct lw_call *call)
{
	return print_up_to(call, 32);
}

static const char *json_args(const struct lw_call *call)
{
	static const struct lw_call_style style = { .limit = 32 };
	struct lw_strbuf out = {}, scratch = {};
	const char *said;

	lw_call_json_args(&out, call, &style, &scratch);
	said = take(&out);
	lw_strbuf_free(&out);
	lw_strbuf_free(&scratch);
	return said;
}

static u8 bytes[8192];

static struct lw_call make(u32 nr, s64 ret)
{
	return (struct lw_call) {
		.nr = nr,
		.state = LW_CALL_BEGAN | LW_CALL_ENDED,
		.ret = ret,
		.bytes = bytes,
	};
}

static void put(struct lw_call *call, u32 arg, u32 kind, u32 when, u32 flags, const void *from,
		u32 len)
{
	struct lw_call_data *data = &call->data[call->nr_data++];

	data->arg = arg;
	data->kind = kind;
	data->when = when;
	data->flags = flags;
	data->len = len;
	data->at = call->nr_bytes;
	memcpy(bytes + data->at, from, len);
	call->nr_bytes += ALIGN_UP(len, 8);
	if (!call->args[arg])
		call->args[arg] = 0x1000;
}

#define SAYS(call, said)	CHECK(!strcmp(print(call), said))
#define QUOTED(bytes, said)	CHECK(!strcmp(quoted(bytes, sizeof(bytes) - 1), said))
#define JSON(bytes, said)	CHECK(!strcmp(json(bytes, sizeof(bytes) - 1), said))

static bool strings_are_escaped_as_in_c(void)
{
	QUOTED("", "\"\"");
	QUOTED("plain text", "\"plain text\"");
	QUOTED("\"\\", "\"\\\"\\\\\"");
	QUOTED("\n\t\r\v\f", "\"\\n\\t\\r\\v\\f\"");
	QUOTED("\1x\177\377", "\"\\1x\\177\\377\"");
	QUOTED("\0018\0017", "\"\\18\\0017\"");
	QUOTED("a\0b\0", "\"a\\0b\\0\"");
	return true;
}

static bool brackets_are_escaped_in_brackets(void)
{
	struct lw_strbuf out = {};

	lw_strbuf_bracketed(&out, "we<i>rd\n\"\200<1");
	CHECK(!strcmp(take(&out), "<we\\74i\\76rd\\n\\\"\\200\\0741>"));
	lw_strbuf_free(&out);
	QUOTED("<>", "\"<>\"");
	return true;
}

static bool json_is_utf8_whatever_the_bytes(void)
{
	JSON("/etc", "\"/etc\"");
	JSON("\"\\\n\177", "\"\\\"\\\\\\u000a\\u007f\"");
	JSON("\302\200\302\233\302\237\302\240", "\"\\u0080\\u009b\\u009f\302\240\"");
	JSON("\303\244\342\202\254\360\237\230\200", "\"\303\244\342\202\254\360\237\230\200\"");
	JSON("\377\303x", "\"\\ufffd\\ufffdx\"");
	JSON("\300\200", "\"\\ufffd\\ufffd\"");		/* overlong */
	JSON("\355\240\200", "\"\\ufffd\\ufffd\\ufffd\"");	/* a surrogate */
	JSON("\364\220\200\200", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	JSON("\342\202", "\"\\ufffd\\ufffd\"");		/* cut */
	return true;
}

static bool open_has_its_way_flags_and_mode(void)
{
	struct lw_call call = make(__NR_openat, 3);

	call.args[0] = (u32)AT_FDCWD;
	put(&call, 1, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, "/etc/passwd", 11);
	SAYS(&call, "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 3");
	call.args[2] = O_RDWR | O_CREAT | O_DIRECTORY;
	call.args[3] = 0644;
	SAYS(&call, "openat(AT_FDCWD, \"/etc/passwd\", O_RDWR|O_CREAT|O_DIRECTORY, 0644) = 3");
	call.args[2] = O_WRONLY | O_TMPFILE;
	call.args[3] = 0;
	SAYS(&call, "openat(AT_FDCWD, \"/etc/passwd\", O_WRONLY|O_TMPFILE, 000) = 3");
	call.args[2] = O_RDWR | O_DIRECT | (O_TMPFILE & ~O_DIRECTORY);
	SAYS(&call, "openat(AT_FDCWD, \"/etc/passwd\", O_RDWR|O_DIRECT|__O_TMPFILE, 000) = 3");
	call.args[2] = 0x80000000;
	SAYS(&call, "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|0x80000000) = 3");
	return true;
}

static bool openat2_has_its_struct(void)
{
	struct open_how how = { .flags = O_CLOEXEC, .resolve = RESOLVE_BENEATH };
	struct lw_call call = make(__NR_openat2, 3);

	call.args[0] = (u32)AT_FDCWD;
	call.args[3] = sizeof(how);
	put(&call, 1, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, "/etc", 4);
	put(&call, 2, LW_DATA_BUFFER, LW_SYSCALL_ENTRY, 0, &how, sizeof(how));
	CHECK(strstr(print(&call), ", {flags=O_RDONLY|O_CLOEXEC, resolve=RESOLVE_BENEATH}, 24)"));
	how = (struct open_how) { .flags = O_RDWR | O_CREAT, .mode = 0640 };
	memcpy(bytes + call.data[1].at, &how, sizeof(how));
	CHECK(strstr(print(&call), ", {flags=O_RDWR|O_CREAT, mode=0640, resolve=0}, 24) = 3"));
	call.nr_data = 1;
	SAYS(&call, "openat2(AT_FDCWD, \"/etc\", 0x1000, 24) = 3");
	return true;
}

static const char *signal_text(u32 signal, s32 error, s32 code)
{
	struct lw_strbuf out = {};
	const char *said;

	lw_signal_text(&out, signal, error, code);
	said = take(&out);
	lw_strbuf_free(&out);
	return said;
}

static bool signals_have_names_of_their_codes(void)
{
	CHECK(!strcmp(signal_text(SIGCHLD, 0, CLD_EXITED),
		      "SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, ...}"));
	CHECK(!strcmp(signal_text(SIGSEGV, 0, SEGV_MAPERR),
		      "SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, ...}"));
	CHECK(!strcmp(signal_text(SIGUSR1, 0, SI_TKILL),
		      "SIGUSR1 {si_signo=SIGUSR1, si_code=SI_TKILL, ...}"));
	CHECK(!strcmp(signal_text(SIGUSR1, 5, 77),
		      "SIGUSR1 {si_signo=SIGUSR1, si_code=77, si_errno=5, ...}"));
	return true;
}

static bool sets_of_signals(void)
{
	u64 set;

	CHECK(!lw_signal_set_parse(&set, "SIGCHLD,term"));
	CHECK(lw_signal_set_has(set, SIGCHLD) && lw_signal_set_has(set, SIGTERM));
	CHECK(!lw_signal_set_has(set, SIGKILL) && !lw_signal_set_has(set, 0));
	CHECK(!lw_signal_set_parse(&set, "none") && !set);
	CHECK(!lw_signal_set_parse(&set, "!SIGCHLD") && !lw_signal_set_has(set, SIGCHLD) &&
	      lw_signal_set_has(set, 64));
	CHECK(lw_signal_set_parse(&set, "SIGFOO") == -EINVAL && strstr(lw_fail_text(), "'SIGFOO'"));
	CHECK(lw_signal_set_parse(&set, "") == -EINVAL);
	return true;
}

static bool default_actions_of_signals(void)
{
	CHECK(lw_signal_kills(SIGTERM, 0) && lw_signal_kills(SIGKILL, 0));
	CHECK(!lw_signal_kills(SIGTERM, 1) && !lw_signal_kills(SIGTERM, 0x1000));
	CHECK(!lw_signal_kills(SIGCHLD, 0) && !lw_signal_kills(SIGSTOP, 0));
	CHECK(lw_signal_stops(SIGSTOP, 0) && lw_signal_stops(SIGTSTP, 0) &&
	      !lw_signal_stops(SIGTSTP, 0x1000) && !lw_signal_stops(SIGTERM, 0));
	return true;
}

static bool modes_are_numbers_but_for_nodes(void)
{
	struct lw_call call = make(__NR_open, 3);

	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, "a", 1);
	call.args[1] = O_RDWR | O_CREAT;
	call.args[2] = 0100644;
	SAYS(&call, "open(\"a\", O_RDWR|O_CREAT, 0100644) = 3");
	call.args[2] = 0777777;
	SAYS(&call, "open(\"a\", O_RDWR|O_CREAT, 0177777) = 3");
	call.nr = __NR_chmod;
	call.args[1] = 0;
	SAYS(&call, "chmod(\"a\", 000) = 3");
	call.nr = __NR_mknod;
	call.args[1] = 0100644;
	call.args[2] = 0x103;
	SAYS(&call, "mknod(\"a\", S_IFREG|0644) = 3");
	call.args[1] = 0170644;
	SAYS(&call, "mknod(\"a\", 0170644) = 3");
	call.args[1] = 020644;
	SAYS(&call, "mknod(\"a\", S_IFCHR|0644, makedev(0x1, 0x3)) = 3");
	return true;
}

/* The kernel takes no more, nor does strace show more. */
static bool paths_have_less_than_4096_bytes(void)
{
	struct lw_call call = make(__NR_chdir, 0);
	u8 path[PATH_MAX];

	memset(path, 'a', sizeof(path));
	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, path, PATH_MAX - 1);
	CHECK(strstr(print(&call), "aa\") = 0") && strlen(text) == PATH_MAX - 1 + 13);
	call = make(__NR_chdir, 0);
	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, LW_DATA_F_CUT, path, PATH_MAX);
	CHECK(strstr(print(&call), "aa\"...) = 0") && strlen(text) == PATH_MAX - 1 + 16);
	return true;
}

static bool what_was_not_read_is_an_address(void)
{
	struct lw_call call = make(__NR_open, -14);

	SAYS(&call, "open(NULL, O_RDONLY) = -1 EFAULT (Bad address)");
	call.args[0] = 8;
	SAYS(&call, "open(0x8, O_RDONLY) = -1 EFAULT (Bad address)");
	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, LW_DATA_F_FAULT, "half", 4);
	SAYS(&call, "open(0x8, O_RDONLY) = -1 EFAULT (Bad address)");
	return true;
}

static bool long_strings_are_cut_and_paths_are_not(void)
{
	static const char digits[] = "0123456789012345678901234567890123456789";
	struct lw_call call = make(__NR_write, 40);

	call.args[0] = 1;
	call.args[2] = 40;
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_ENTRY, LW_DATA_F_CUT, digits, 32);
	SAYS(&call, "write(1, \"01234567890123456789012345678901\"..., 40) = 40");
	call.args[2] = 32;
	SAYS(&call, "write(1, \"01234567890123456789012345678901\", 32) = 40");
	call.args[2] = 0;
	SAYS(&call, "write(1, \"\", 0) = 40");
	call = make(__NR_chdir, 0);
	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, digits, 40);
	SAYS(&call, "chdir(\"0123456789012345678901234567890123456789\") = 0");
	call = make(__NR_memfd_create, 5);
	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, LW_DATA_F_CUT, digits, 33);
	call.args[1] = 1;
	SAYS(&call, "memfd_create(\"01234567890123456789012345678901\"..., MFD_CLOEXEC) = 5");
	return true;
}

static bool nothing_is_a_limit_too(void)
{
	struct lw_syscall_arg takes[LW_MAX_SYSCALL_ARGS];
	struct lw_call call = make(__NR_write, 3);

	CHECK(lw_syscall_takes(__NR_write, 0, takes) == 1 && takes[0].max == 1);
	call.args[2] = 3;
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_ENTRY, LW_DATA_F_CUT, "a", 1);
	CHECK(!strcmp(print_up_to(&call, 0), "write(0, \"\"..., 3) = 3"));
	call.data[0].len = 0;
	call.data[0].flags = LW_DATA_F_FAULT;
	CHECK(!strcmp(print_up_to(&call, 0), "write(0, 0x1000, 3) = 3"));
	call = make(__NR_getrandom, 8);
	put(&call, 0, LW_DATA_BUFFER, LW_SYSCALL_EXIT, LW_DATA_F_CUT, "a", 1);
	CHECK(!strcmp(print_up_to(&call, 0), "getrandom(\"\"..., 0, 0) = 8"));
	return true;
}

/* recvfrom() with MSG_TRUNC returns how long the message was. */
static bool buffers_end_where_their_room_does(void)
{
	struct lw_call call = make(__NR_recvfrom, 100);

	call.args[2] = 3;
	call.args[3] = 0x20;
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_EXIT, LW_DATA_F_CUT, "abcdefgh", 8);
	SAYS(&call, "recvfrom(0, \"abc\", 3, MSG_TRUNC, NULL, NULL) = 100");
	call = make(__NR_readlink, 3);
	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, "l", 1);
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_EXIT, 0, "abc", 3);
	call.args[2] = 99;
	SAYS(&call, "readlink(\"l\", \"abc\", 99) = 3");
	return true;
}

static bool buffers_of_calls_that_failed_are_addresses(void)
{
	struct lw_call call = make(__NR_read, -11);

	call.args[0] = 3;
	call.args[1] = 0x7fff0000;
	call.args[2] = 100;
	SAYS(&call, "read(3, 0x7fff0000, 100) = -1 EAGAIN (Resource temporarily unavailable)");
	return true;
}

static bool flags_without_a_name_are_hexadecimal(void)
{
	struct lw_call call = make(__NR_mmap, 0x70001000);

	call.args[1] = 4096;
	call.args[2] = PROT_READ | PROT_WRITE;
	call.args[3] = MAP_PRIVATE;
	call.args[4] = -1;
	SAYS(&call, "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE, -1, 0) = 0x70001000");
	call.args[2] = 0;
	call.args[3] = 0x7 | MAP_FIXED;
	SAYS(&call, "mmap(NULL, 4096, PROT_NONE, 0x7 /* MAP_??? */|MAP_FIXED, -1, 0) = 0x70001000");
	call = make(__NR_access, 0);
	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, "/", 1);
	SAYS(&call, "access(\"/\", F_OK) = 0");
	call.args[1] = 0x10;
	SAYS(&call, "access(\"/\", 0x10 /* ?_OK */) = 0");
	call = make(__NR_lseek, -22);
	call.args[2] = 77;
	SAYS(&call, "lseek(0, 0, 0x4d /* SEEK_??? */) = -1 EINVAL (Invalid argument)");
	return true;
}

static bool calls_without_an_end_have_a_question_mark(void)
{
	struct lw_call call = make(__NR_exit_group, 0);

	call.state = LW_CALL_BEGAN;
	call.args[0] = 3;
	SAYS(&call, "exit_group(3) = ?");
	call = make(__NR_pause, -514);
	SAYS(&call, "pause() = ? ERESTARTNOHAND (To be restarted if no handler)");
	return true;
}

static bool arrays_of_strings(void)
{
	struct lw_call call = make(__NR_execve, 0);

	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, 0, "/bin/ls", 7);
	put(&call, 1, LW_DATA_STRINGS, LW_SYSCALL_ENTRY, 0, "ls\0a\nb\0", 7);
	SAYS(&call, "execve(\"/bin/ls\", [\"ls\", \"a\\nb\"], NULL) = 0");
	call.data[1].flags = LW_DATA_F_CUT;
	SAYS(&call, "execve(\"/bin/ls\", [\"ls\", \"a\\nb\", ...], NULL) = 0");
	return true;
}

/* Whole is whole, whenever it was read. */
static bool deferred_data_is_as_good_as_other(void)
{
	struct lw_call call = make(__NR_execve, 0);

	put(&call, 0, LW_DATA_STRING, LW_SYSCALL_ENTRY, LW_DATA_F_DEFERRED, "/bin/ls", 7);
	put(&call, 1, LW_DATA_STRINGS, LW_SYSCALL_ENTRY, LW_DATA_F_DEFERRED, "ls\0", 3);
	SAYS(&call, "execve(\"/bin/ls\", [\"ls\"], NULL) = 0");
	CHECK(strstr(json_args(&call), ",\"string\":\"/bin/ls\"},"));
	call.data[0].flags |= LW_DATA_F_CUT;
	CHECK(!strstr(json_args(&call), "string"));
	call.data[1].len = 0;
	SAYS(&call, "execve(\"/bin/ls\"..., [], NULL) = 0");
	return true;
}

static bool structs(void)
{
	static const u32 action_flags[8] = { 1, 0, 0x14000000, 0, 0x1234, 0, 0x10002, 0 };
	static const s64 second[2] = { 1, 500 };
	struct lw_call call = make(__NR_nanosleep, 0);

	put(&call, 0, LW_DATA_STRUCT, LW_SYSCALL_ENTRY, 0, second, 16);
	SAYS(&call, "nanosleep({tv_sec=1, tv_nsec=500}, NULL) = 0");
	call.data[0].len = 8;
	SAYS(&call, "nanosleep(0x1000, NULL) = 0");
	call = make(__NR_rt_sigaction, 0);
	call.args[0] = 10;
	call.args[3] = 8;
	put(&call, 1, LW_DATA_STRUCT, LW_SYSCALL_ENTRY, 0, action_flags, 32);
	CHECK(strstr(print(&call), "(SIGUSR1, {sa_handler=SIG_IGN, sa_mask=[INT CHLD], sa_flags="));
	CHECK(strstr(text, "sa_flags=SA_RESTORER|SA_RESTART, sa_restorer=0x1234}, NULL, 8) = 0"));
	return true;
}

static bool sets_of_descriptors(void)
{
	static const u8 set[128] = { 0x8, 0, 0, 0, 0, 1 };
	struct lw_call call = make(__NR_select, -9);

	put(&call, 1, LW_DATA_STRUCT, LW_SYSCALL_ENTRY, 0, set, 128);
	call.args[0] = 41;
	CHECK(strstr(print(&call), "select(41, [3 40], NULL, NULL, NULL) = -1 EBADF"));
	call.args[0] = 5000;
	CHECK(strstr(print(&call), "select(5000, [3 40 ...], NULL, NULL, NULL)"));
	call.args[0] = 0;
	CHECK(strstr(print(&call), "select(0, 0x1000, NULL, NULL, NULL)"));
	call.args[0] = ~0ULL;
	CHECK(strstr(print(&call), "select(-1, 0x1000, NULL, NULL, NULL)"));
	call.data[0].len = 8;
	call.data[0].flags = LW_DATA_F_FAULT;
	call.args[0] = 41;
	CHECK(strstr(print(&call), "select(41, [3 40], NULL, NULL, NULL)"));
	call.args[0] = 65;
	CHECK(strstr(print(&call), "select(65, 0x1000, NULL, NULL, NULL)"));
	return true;
}

static bool each_vector_has_its_bytes(void)
{
	static const u64 vectors[6] = { 0x10, 3, 0x20, 40, 0x30, 5 };
	struct lw_call call = make(__NR_writev, 48);

	call.args[2] = 3;
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_ENTRY, 0, vectors, sizeof(vectors));
	put(&call, 1, LW_DATA_IOVEC, LW_SYSCALL_ENTRY, 0,
	    "abc0123456789012345678901234567890123456789vwxyz", 48);
	CHECK(strstr(print(&call), "writev(0, [{iov_base=\"abc\", iov_len=3}, {iov_base=\"0123"));
	CHECK(strstr(text, "678901\"..., iov_len=40}, {iov_base=\"vwxyz\", iov_len=5}], 3) = 48"));
	call.data[1].len = 45;
	call.data[1].flags = LW_DATA_F_CUT;
	CHECK(strstr(print(&call), "{iov_base=\"vw\"..., iov_len=5}], 3) = 48"));
	call.data[1].len = 43;
	CHECK(strstr(print(&call), "{iov_base=0x30, iov_len=5}], 3) = 48"));
	call.data[1].len = 45;
	call.data[1].flags = LW_DATA_F_FAULT;
	CHECK(strstr(print(&call), "{iov_base=0x30, iov_len=5}], 3) = 48"));
	return true;
}

static bool addresses_of_sockets(void)
{
	static const u8 inet[16] = { 2, 0, 0, 53, 127, 0, 0, 1 };
	static const u8 local[] = { 1, 0, '/', 'a', 0, 'b' };
	static const u32 room = 3, length = 6;
	struct lw_call call = make(__NR_connect, 0);

	call.args[0] = 4;
	call.args[2] = 16;
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_ENTRY, 0, inet, 16);
	CHECK(strstr(print(&call), "connect(4, {sa_family=AF_INET, sin_port=htons(53), sin_addr="));
	CHECK(strstr(text, ", sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0"));
	call.nr_data = 0;
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_ENTRY, 0, local, sizeof(local));
	SAYS(&call, "connect(4, {sa_family=AF_UNIX, sun_path=\"/a\"}, 16) = 0");
	bytes[call.data[0].at + 2] = 0;
	SAYS(&call, "connect(4, {sa_family=AF_UNIX, sun_path=@\"a\\0b\"}, 16) = 0");
	call.data[0].len = 2;
	SAYS(&call, "connect(4, {sa_family=AF_UNIX}, 16) = 0");
	call = make(__NR_getsockname, 0);
	put(&call, 1, LW_DATA_BUFFER, LW_SYSCALL_EXIT, 0, local, sizeof(local));
	put(&call, 2, LW_DATA_STRUCT, LW_SYSCALL_ENTRY, 0, &room, 4);
	put(&call, 2, LW_DATA_STRUCT, LW_SYSCALL_EXIT, 0, &length, 4);
	SAYS(&call, "getsockname(0, {sa_family=AF_UNIX, sun_path=\"/\"}, [3 => 6]) = 0");
	return true;
}

static bool arguments_depend_on_others(void)
{
	struct lw_call call = make(__NR_fcntl, 0x8002);
	struct lw_syscall_arg takes[LW_MAX_SYSCALL_ARGS];

	call.args[0] = 3;
	call.args[1] = F_GETFL;
	call.args[2] = 99;
	SAYS(&call, "fcntl(3, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)");
	call.args[1] |= 5ULL << 32;
	SAYS(&call, "fcntl(3, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)");
	call = make(__NR_futex, 1);
	call.args[0] = 0x1000;
	call.args[1] = 129;
	call.args[2] = 1;
	call.args[3] = 5;
	SAYS(&call, "futex(0x1000, FUTEX_WAKE_PRIVATE, 1) = 1");
	call.args[1] |= 5ULL << 32;
	SAYS(&call, "futex(0x1000, FUTEX_WAKE_PRIVATE, 1) = 1");
	call.args[1] = 4;
	SAYS(&call, "futex(0x1000, FUTEX_CMP_REQUEUE, 1, 5, NULL, 0) = 1");
	call.args[1] = 5ULL << 32;
	SAYS(&call, "futex(0x1000, FUTEX_WAIT, 1, 0x5) = 1");
	call = make(__NR_prctl, 0);
	call.args[0] = 4 | 5ULL << 32;
	call.args[1] = 1;
	SAYS(&call, "prctl(PR_SET_DUMPABLE, 1) = 0");
	CHECK(!lw_syscall_takes(__NR_futex, 32, takes) && !lw_syscall_takes(__NR_prctl, 32, takes));
	return true;
}

/* Numbers from hostile programs end up nowhere else than in the text. */
static bool odd_numbers_are_survived(void)
{
	for (u32 nr = 0; nr < LW_SYSCALL_NUMBERS; nr++) {
		struct lw_syscall_arg takes[LW_MAX_SYSCALL_ARGS];
		struct lw_call call = make(nr, 7);

		for (u32 i = 0; i < lw_syscall_takes(nr, 32, takes); i++) {
			static const u8 junk[256] = { 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 0xfe };

			call.nr_bytes = 0;
			put(&call, takes[i].arg, takes[i].kind, takes[i].when, LW_DATA_F_CUT,
			    junk, sizeof(junk));
		}
		memset(call.args, 0xff, sizeof(call.args));
		CHECK(strchr(print(&call), '('));
	}
	return true;
}

static void *read_slowly(void *ctx)
{
	int fd = *(int *)ctx;
	char buffer[4096];
	size_t sum = 0;
	ssize_t got;

	usleep(20000);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		sum += got;
	return (void *)sum;
}

static bool output_waits_for_a_slow_reader(void)
{
	struct lw_strbuf out = {};
	pthread_t thread;
	void *sum = NULL;
	int fds[2];

	CHECK(!pipe2(fds, O_NONBLOCK));
	CHECK(!fcntl(fds[0], F_SETFL, 0));
	for (u32 i = 0; i < 100000; i++)
		lw_strbuf_str(&out, "0123456789");
	CHECK(!pthread_create(&thread, NULL, read_slowly, &fds[0]));
	CHECK(!lw_strbuf_flush(&out, fds[1]) && !out.len);
	close(fds[1]);
	CHECK(!pthread_join(thread, &sum) && (size_t)sum == 1000000);
	close(fds[0]);
	lw_strbuf_free(&out);
	return true;
}

static bool output_tells_that_its_reader_is_gone(void)
{
	struct lw_strbuf out = {};
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	CHECK(!pipe(fds));
	close(fds[0]);
	lw_strbuf_str(&out, "text");
	CHECK(lw_strbuf_flush(&out, fds[1]) == -EPIPE);
	close(fds[1]);
	lw_strbuf_free(&out);
	return true;
}

static bool statuses_choose_calls(void)
{
	struct lw_call ok = { .state = LW_CALL_ENDED, .ret = 3 };
	struct lw_call failed = { .state = LW_CALL_ENDED, .ret = -ENOENT };
	struct lw_call unfinished = { .ret = -ENOENT };
	u32 set = 0;

	CHECK(lw_call_status_has(set, &ok) && lw_call_status_has(set, &unfinished));
	CHECK(!lw_call_status_parse(&set, "failed"));
	CHECK(!lw_call_status_has(set, &ok) && lw_call_status_has(set, &failed));
	CHECK(!lw_call_status_has(set, &unfinished));
	CHECK(!lw_call_status_parse(&set, "!failed"));
	CHECK(lw_call_status_has(set, &ok) && !lw_call_status_has(set, &failed));
	CHECK(lw_call_status_has(set, &unfinished));
	CHECK(!lw_call_status_parse(&set, "successful,unfinished"));
	CHECK(lw_call_status_has(set, &ok) && !lw_call_status_has(set, &failed));
	CHECK(!lw_call_status_parse(&set, "all") && lw_call_status_has(set, &failed));
	CHECK(lw_call_status_parse(&set, "fail") && strstr(lw_fail_text(), "'fail'"));
	CHECK(lw_call_status_parse(&set, "failed,") && lw_call_status_parse(&set, ""));
	CHECK(lw_call_status_parse(&set, "!all") && strstr(lw_fail_text(), "leaves no call"));
	return true;
}

static bool lists_of_calls(void)
{
	struct lw_syscall_set set = {};

	CHECK(!lw_syscall_set_parse(&set, "openat,execve"));
	CHECK(lw_syscall_set_has(&set, __NR_openat) && lw_syscall_set_has(&set, __NR_execve));
	CHECK(!lw_syscall_set_has(&set, __NR_read) && !set.any);
	memset(&set, 0, sizeof(set));
	CHECK(!lw_syscall_set_parse(&set, "trace=!read"));
	CHECK(!lw_syscall_set_has(&set, __NR_read) && lw_syscall_set_has(&set, __NR_write));
	CHECK(set.any && !lw_syscall_set_is_all(&set));
	CHECK(!lw_syscall_set_parse(&set, "!write"));
	CHECK(!lw_syscall_set_has(&set, __NR_read) && !lw_syscall_set_has(&set, __NR_write));
	CHECK(lw_syscall_set_has(&set, __NR_open) && set.any);
	CHECK(!lw_syscall_set_parse(&set, "read") && lw_syscall_set_has(&set, __NR_read));
	memset(&set, 0, sizeof(set));
	CHECK(!lw_syscall_set_parse(&set, "read,open") && !lw_syscall_set_parse(&set, "!open"));
	CHECK(lw_syscall_set_has(&set, __NR_read) && !lw_syscall_set_has(&set, __NR_open));
	CHECK(!lw_syscall_set_has(&set, __NR_write) && !set.any);
	memset(&set, 0, sizeof(set));
	CHECK(!lw_syscall_set_parse(&set, "%network,?no_such_call"));
	CHECK(lw_syscall_set_has(&set, __NR_connect) && !lw_syscall_set_has(&set, __NR_open));
	CHECK(!lw_syscall_set_parse(&set, "all") && lw_syscall_set_is_all(&set));
	CHECK(lw_syscall_set_parse(&set, "opnat") == -22);
	CHECK(strstr(lw_fail_text(), "'opnat'") && strstr(lw_fail_text(), "'openat'"));
	CHECK(lw_syscall_set_parse(&set, "raed") == -22 && strstr(lw_fail_text(), "'read'"));
	CHECK(lw_syscall_set_parse(&set, "readx") == -22);
	CHECK(lw_syscall_set_parse(&set, "read,") == -22);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(strings_are_escaped_as_in_c),
		TEST(brackets_are_escaped_in_brackets),
		TEST(json_is_utf8_whatever_the_bytes),
		TEST(open_has_its_way_flags_and_mode),
		TEST(openat2_has_its_struct),
		TEST(signals_have_names_of_their_codes),
		TEST(sets_of_signals),
		TEST(default_actions_of_signals),
		TEST(modes_are_numbers_but_for_nodes),
		TEST(paths_have_less_than_4096_bytes),
		TEST(what_was_not_read_is_an_address),
		TEST(long_strings_are_cut_and_paths_are_not),
		TEST(nothing_is_a_limit_too),
		TEST(buffers_end_where_their_room_does),
		TEST(buffers_of_calls_that_failed_are_addresses),
		TEST(flags_without_a_name_are_hexadecimal),
		TEST(calls_without_an_end_have_a_question_mark),
		TEST(arrays_of_strings),
		TEST(deferred_data_is_as_good_as_other),
		TEST(structs),
		TEST(sets_of_descriptors),
		TEST(each_vector_has_its_bytes),
		TEST(addresses_of_sockets),
		TEST(arguments_depend_on_others),
		TEST(odd_numbers_are_survived),
		TEST(output_waits_for_a_slow_reader),
		TEST(output_tells_that_its_reader_is_gone),
		TEST(statuses_choose_calls),
		TEST(lists_of_calls),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
