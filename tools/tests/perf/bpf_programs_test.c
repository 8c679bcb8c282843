// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_programs_test.c - a program that was loaded before has its records, and perf
 * names and describes it when it is gone.
 */
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "perf/bpf_programs.h"
#include "perf/perf_writer.h"
#include "tests/tap.h"

#define EVENT		0x1000000000000ULL

static char dir[32] = "/tmp/lw-bpf-XXXXXX";

#define STRINGS		"\0int\0lw_main\0lw_sub\0return lw_sub();\0return 7;\0lw_test.c"
#define NAME_INT	1
#define NAME_MAIN	5
#define NAME_SUB	13
#define LINE_MAIN	20
#define LINE_SUB	37
#define FILE_NAME	47

static const struct blob {
	struct btf_header header;
	struct {
		struct btf_type type;
		u32 encoding;
	} integer;
	struct btf_type proto, main, sub;
	char strings[sizeof(STRINGS)];
} blob = {
	.header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(struct btf_header),
		.type_len = offsetof(struct blob, strings) - sizeof(struct btf_header),
		.str_off = offsetof(struct blob, strings) - sizeof(struct btf_header),
		.str_len = sizeof(STRINGS),
	},
	.integer = {
		.type = { .name_off = NAME_INT, .info = BTF_KIND_INT << 24, .size = 4 },
		.encoding = BTF_INT_SIGNED << 24 | 32,
	},
	.proto = { .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 },
	.main = { .name_off = NAME_MAIN, .info = BTF_KIND_FUNC << 24, .type = 2 },
	.sub = { .name_off = NAME_SUB, .info = BTF_KIND_FUNC << 24, .type = 2 },
	.strings = STRINGS,
};

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int load_btf(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (unsigned long)&blob;
	attr.btf_size = offsetof(struct blob, strings) + sizeof(STRINGS);
	return bpf(BPF_BTF_LOAD, &attr);
}

/* int lw_main(void) { return lw_sub(); } int lw_sub(void) { return 7; } */
static int load_program(int btf_fd)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 7 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static const struct bpf_func_info functions[] = { { 0, 3 }, { 2, 4 } };
	static const struct bpf_line_info lines[] = {
		{ 0, FILE_NAME, LINE_MAIN, 1 << 10 | 1 },
		{ 2, FILE_NAME, LINE_SUB, 2 << 10 | 1 },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (unsigned long)code;
	attr.insn_cnt = ARRAY_SIZE(code);
	attr.license = (unsigned long)"GPL";
	attr.prog_btf_fd = btf_fd;
	attr.func_info = (unsigned long)functions;
	attr.func_info_cnt = ARRAY_SIZE(functions);
	attr.func_info_rec_size = sizeof(*functions);
	attr.line_info = (unsigned long)lines;
	attr.line_info_cnt = ARRAY_SIZE(lines);
	attr.line_info_rec_size = sizeof(*lines);
	strcpy(attr.prog_name, "lw_main");
	return bpf(BPF_PROG_LOAD, &attr);
}

static int load(void)
{
	int btf_fd = load_btf(), fd;

	if (btf_fd < 0)
		return btf_fd;
	fd = load_program(btf_fd);
	close(btf_fd);
	return fd;
}

static u32 id_of(int fd)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (unsigned long)&info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.id;
}

struct seen {
	struct lw_perf_writer *out;
	u32 id;
	u32 main, sub, loads;
	u64 main_addr;
};

struct symbol {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[];
};

struct event {
	struct perf_event_header header;
	u16 type, flags;
	u32 id;
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static int see(void *ctx, const struct perf_event_header *record)
{
	const struct symbol *symbol = (const void *)record;
	const struct event *event = (const void *)record;
	struct seen *seen = ctx;

	if (record->type == PERF_RECORD_KSYMBOL && ends_with(symbol->name, "_lw_main")) {
		seen->main++;
		seen->main_addr = symbol->addr;
	} else if (record->type == PERF_RECORD_KSYMBOL && ends_with(symbol->name, "_lw_sub")) {
		seen->sub++;
	} else if (record->type == PERF_RECORD_BPF_EVENT) {
		seen->loads += event->type == PERF_BPF_EVENT_PROG_LOAD && event->id == seen->id;
	}
	return seen->out ? lw_perf_writer_record(seen->out, record) : 0;
}

static bool loaded_program_has_its_records(void)
{
	int fd = load();
	struct seen seen = { .id = id_of(fd) };

	CHECK(fd >= 0 && seen.id);
	CHECK(!lw_bpf_synthesise(see, &seen));
	CHECK(seen.main == 1 && seen.sub == 1 && seen.loads == 1);
	close(fd);
	return true;
}

static bool program_is_read_with_its_arrays(void)
{
	int fd = load();
	struct lw_bpf_program prog;
	struct lw_bpf_btf btf;

	CHECK(!lw_bpf_program_read(&prog, id_of(fd)));
	CHECK(prog.info.nr_jited_ksyms == 2 && prog.info.nr_func_info == 2);
	CHECK(prog.info.nr_line_info == 2 && prog.info.jited_prog_len > 8);
	/* code, symbols, lengths, functions, lines, lines of code, tags */
	CHECK(prog.arrays == 0x1f9);
	CHECK(prog.info.prog_tags + 2 * BPF_TAG_SIZE <= prog.data_len);
	CHECK(!(prog.info.jited_ksyms % 8) && !(prog.info.prog_tags % 8));
	CHECK(!prog.info.xlated_prog_insns && !prog.info.map_ids);
	CHECK(!lw_bpf_btf_read(&btf, prog.info.btf_id));
	CHECK(btf.size == sizeof(blob.header) + blob.header.type_len + blob.header.str_len);
	CHECK(!strcmp(lw_bpf_btf_name(&btf, 4), "lw_sub"));
	CHECK(!lw_bpf_btf_name(&btf, 2) && !lw_bpf_btf_name(&btf, 5) && !lw_bpf_btf_name(&btf, 0));
	lw_bpf_btf_free(&btf);
	lw_bpf_program_free(&prog);
	close(fd);
	return true;
}

static bool program_that_is_gone_is_none(void)
{
	struct lw_bpf_program prog;
	int fd = load();
	u32 id = id_of(fd);

	close(fd);
	/* it is freed some time after */
	for (int i = 0; i < 60000 && !lw_bpf_program_read(&prog, id); i++) {
		lw_bpf_program_free(&prog);
		usleep(1000);
	}
	CHECK(lw_bpf_program_read(&prog, id) == -ENOENT);
	return true;
}

static bool write_recording(const char *path)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN,
	};
	struct lw_perf_writer out;
	struct lw_sample sample = { .pid = getpid(), .tid = getpid(), .time = lw_now() };
	int fd = load();
	struct seen seen = { .out = &out, .id = id_of(fd) };
	const u64 id = EVENT;

	CHECK(fd >= 0 && !lw_perf_writer_open(&out, path));
	CHECK(!lw_perf_writer_add_event(&out, "cpu-clock", &attr, &id, 1));
	CHECK(!lw_perf_writer_begin(&out, 0, NULL));
	CHECK(!lw_bpf_synthesise(see, &seen) && seen.main_addr);
	close(fd);
	sample.ip = seen.main_addr + 4;
	CHECK(!lw_perf_writer_sample(&out, EVENT, &sample, NULL));
	CHECK(!lw_perf_writer_finish(&out));
	lw_perf_writer_close(&out);
	return true;
}

static int lines_of(const char *format)
{
	char command[512], text[32] = "";
	FILE *pipe;

	snprintf(command, sizeof(command), format, dir);
	pipe = popen(command, "r");
	if (!pipe || !fgets(text, sizeof(text), pipe))
		text[0] = 0;
	if (pipe)
		pclose(pipe);
	return atoi(text);
}

#define HEADER	"perf report --header-only -i %s/data 2>&1 "

static bool perf_names_what_is_gone(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/data", dir);
	CHECK(write_recording(path));
	if (system("perf --version >/dev/null 2>&1"))
		return true;
	CHECK(lines_of("perf script -i %s/data 2>&1 | grep -c 'bpf_prog_[0-9a-f]*_lw_main+0x4'") ==
	      1);
	CHECK(lines_of("perf script -i %s/data 2>&1 >/dev/null | wc -l") == 0);
	return true;
}

/* Where perf can: it names functions by what it read of program and types. */
static bool perf_reads_the_saved_program(void)
{
	if (system("perf --version >/dev/null 2>&1") ||
	    lines_of("perf version --build-options | grep -c ' on .*LIBBPF_SUPPORT' # %s") != 1)
		return true;
	CHECK(lines_of(HEADER "| grep -c 'prog.*_lw_main addr'") ==
	      1);
	CHECK(lines_of(HEADER "| grep -c 'prog.*_lw_sub addr'") ==
	      1);
	CHECK(lines_of(HEADER "| grep -c '# btf info of id'") >=
	      1);
	return true;
}

static bool types_of_any_bytes_are_no_harm(void)
{
	size_t size = sizeof(blob.header) + blob.header.type_len + blob.header.str_len;
	struct lw_bpf_btf btf = { 0 };
	u64 seed = 42, named = 0;

	for (u32 round = 0; round < 200000; round++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		btf.size = round % 3 ? size : (seed >> 20) % size;
		btf.data = malloc(btf.size);
		memcpy(btf.data, &blob, btf.size);
		if (btf.size)
			btf.data[(seed >> 33) % btf.size] ^= seed >> 12;
		if (btf.size > 24)
			btf.data[(seed >> 43) % 24] ^= round % 2 ? seed >> 5 : 0;
		for (u32 id = 0; id < 6; id++)
			named += !!lw_bpf_btf_name(&btf, id);
		free(btf.data);
	}
	CHECK(named > 1000);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(loaded_program_has_its_records),
		TEST(program_is_read_with_its_arrays),
		TEST(program_that_is_gone_is_none),
		TEST(perf_names_what_is_gone),
		TEST(perf_reads_the_saved_program),
		TEST(types_of_any_bytes_are_no_harm),
	};
	char command[64];
	struct lw_bpf_program prog;
	int fd = load(), ret;

	ret = fd < 0 ? -errno : lw_bpf_program_read(&prog, id_of(fd));
	if (ret || !prog.info.nr_jited_ksyms) {
		printf("TAP version 13\n1..0 # SKIP no right to load BPF programs, or no JIT\n");
		return 0;
	}
	lw_bpf_program_free(&prog);
	close(fd);
	if (!mkdtemp(dir))
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (!ret)
		ret = !!system(command);
	return ret;
}
