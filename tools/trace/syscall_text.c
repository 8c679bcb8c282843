// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_text.c - system calls as strace prints them.
 *
 * What could not be read, or was not, is printed as its address.
 *
 * Contexts: any thread; each has its own struct lw_strbuf.
 */
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/json.h"
#include "trace/syscall_print.h"

/* strace shows as many bytes of a path. */
#define PATH_LIMIT	(PATH_MAX - 1)

/**
 * lw_print_flags - names of the bits of a value
 * @out: where to
 * @names: of the bits, in the order of printing
 * @value: what is left without a name follows in hexadecimal
 */
void lw_print_flags(struct lw_strbuf *out, const struct lw_names *names, u64 value)
{
	bool some = false;

	for (u32 i = 0; i < names->nr; i++) {
		u64 bits = names->names[i].value;

		if (bits ? (value & bits) != bits : some || value)
			continue;
		if (some)
			lw_strbuf_char(out, '|');
		lw_strbuf_str(out, names->names[i].name);
		value &= ~bits;
		some = true;
	}
	if (!value && some)
		return;
	if (some)
		lw_strbuf_char(out, '|');
	lw_strbuf_hex(out, value);
	if (!some && value) {
		lw_strbuf_str(out, " /* ");
		lw_strbuf_str(out, names->unknown);
		lw_strbuf_str(out, " */");
	}
}

/**
 * lw_print_one_of - the name of a value
 * @out: where to
 * @names: of the values
 * @value: without a name it is printed in hexadecimal
 */
void lw_print_one_of(struct lw_strbuf *out, const struct lw_names *names, u64 value)
{
	const char *name = lw_name_of(names, value);

	if (name) {
		lw_strbuf_str(out, name);
		return;
	}
	lw_strbuf_hex(out, value);
	lw_strbuf_str(out, " /* ");
	lw_strbuf_str(out, names->unknown);
	lw_strbuf_str(out, " */");
}

/**
 * lw_print_makedev - the number of a device
 * @out: where to
 * @major_nr: of its driver
 * @minor_nr: of the device
 */
void lw_print_makedev(struct lw_strbuf *out, u32 major_nr, u32 minor_nr)
{
	lw_strbuf_str(out, "makedev(");
	lw_strbuf_hex(out, major_nr);
	lw_strbuf_str(out, ", ");
	lw_strbuf_hex(out, minor_nr);
	lw_strbuf_char(out, ')');
}

/**
 * lw_print_signal - the name of a signal
 * @out: where to
 * @signal: its number
 */
void lw_print_signal(struct lw_strbuf *out, u32 signal)
{
	const char *name = lw_name_of(&lw_names_signal, signal);

	if (name) {
		lw_strbuf_str(out, name);
	} else if (signal > 32 && signal <= 64) {
		lw_strbuf_str(out, "SIGRT_");
		lw_strbuf_u64(out, signal - 32);
	} else {
		lw_strbuf_s64(out, (s32)signal);
	}
}

/**
 * lw_print_open_flags - the way of access, and the flags
 * @out: where to
 * @value: as open() has it
 */
void lw_print_open_flags(struct lw_strbuf *out, u64 value)
{
	static const char * const ways[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };

	lw_strbuf_str(out, ways[value & O_ACCMODE]);
	value &= ~(u64)O_ACCMODE;
	if (!value)
		return;
	lw_strbuf_char(out, '|');
	if (value & ~(u64)0x7fffff && !(value & 0x7fffff))
		lw_strbuf_hex(out, value);
	else
		lw_print_flags(out, &lw_names_open, value);
}

/**
 * lw_print_cut - a string of which there may be more
 * @out: where to
 * @bytes: those that there are
 * @len: how many
 * @limit: that are printed; if there are more, dots follow
 */
void lw_print_cut(struct lw_strbuf *out, const void *bytes, u64 len, u32 limit)
{
	lw_strbuf_quoted(out, bytes, len < limit ? len : limit);
	if (len > limit)
		lw_strbuf_str(out, "...");
}

/**
 * lw_data_struct - a struct that an argument points to
 * @p: the argument
 * @when: LW_SYSCALL_ENTRY or LW_SYSCALL_EXIT
 * @size: its bytes
 *
 * Return: the struct, aligned, or NULL if it was not read whole.
 */
const void *lw_data_struct(const struct lw_printing *p, u32 when, size_t size)
{
	const struct lw_call_data *data = lw_call_find(p->call, p->arg->arg, LW_DATA_STRUCT, when);

	if (!data)
		data = lw_data_array(p, when);
	return data && data->len >= size ? p->call->bytes + data->at : NULL;
}

/**
 * lw_data_array - bytes that an argument points to
 * @p: the argument
 * @when: LW_SYSCALL_ENTRY or LW_SYSCALL_EXIT
 *
 * Return: what was read of them, or NULL if nothing was though there is some.
 */
const struct lw_call_data *lw_data_array(const struct lw_printing *p, u32 when)
{
	const struct lw_call_data *data = lw_call_find(p->call, p->arg->arg, LW_DATA_BUFFER, when);

	if (!data || !p->value)
		return NULL;
	return data->len || !(data->flags & (LW_DATA_F_FAULT | LW_DATA_F_MISSING)) ? data : NULL;
}

static bool print_int(struct lw_printing *p)
{
	lw_strbuf_s64(p->out, (s32)p->value);
	return true;
}

static bool print_uint(struct lw_printing *p)
{
	lw_strbuf_u64(p->out, (u32)p->value);
	return true;
}

static bool print_long(struct lw_printing *p)
{
	lw_strbuf_s64(p->out, p->value);
	return true;
}

static bool print_size(struct lw_printing *p)
{
	lw_strbuf_u64(p->out, p->value);
	return true;
}

static bool print_hex(struct lw_printing *p)
{
	lw_strbuf_hex(p->out, p->value);
	return true;
}

/* Within the bracket that ends the path; it is looked up where the tool is. */
static void put_device(struct lw_strbuf *out, const char *path)
{
	struct stat st;

	if (stat(path, &st) || (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)))
		return;
	out->len -= !out->failed;
	lw_strbuf_str(out, S_ISCHR(st.st_mode) ? "<char " : "<block ");
	lw_strbuf_u64(out, major(st.st_rdev));
	lw_strbuf_char(out, ':');
	lw_strbuf_u64(out, minor(st.st_rdev));
	lw_strbuf_str(out, ">>");
}

static void put_path_of(struct lw_strbuf *out, const struct lw_fd_paths *fds, u32 pid, s32 fd)
{
	const char *path = fds ? lw_fd_paths_find(fds, pid, fd) : NULL;

	if (!path)
		return;
	lw_strbuf_bracketed(out, path);
	if (lw_fd_paths_details(fds) && !strncmp(path, "/dev/", strlen("/dev/")))
		put_device(out, path);
}

static bool print_fd(struct lw_printing *p)
{
	lw_strbuf_s64(p->out, (s32)p->value);
	put_path_of(p->out, p->fds, p->call->pid, p->value);
	return true;
}

static bool print_dirfd(struct lw_printing *p)
{
	if ((s32)p->value != AT_FDCWD)
		return print_fd(p);
	lw_strbuf_str(p->out, "AT_FDCWD");
	put_path_of(p->out, p->fds, p->call->pid, p->value);
	return true;
}

/**
 * lw_print_file_mode - type and permissions of a file
 * @out: where to
 * @mode: as stat() has it
 */
void lw_print_file_mode(struct lw_strbuf *out, u32 mode)
{
	const char *type = mode & S_IFMT ? lw_name_of(&lw_names_file_type, mode & S_IFMT) : NULL;

	if (type) {
		lw_strbuf_str(out, type);
		lw_strbuf_char(out, '|');
		mode &= ~S_IFMT;
	}
	lw_strbuf_octal(out, mode);
}

static bool print_mode(struct lw_printing *p)
{
	lw_strbuf_octal(p->out, (u16)p->value);
	return true;
}

static bool print_node_mode(struct lw_printing *p)
{
	lw_print_file_mode(p->out, (u16)p->value);
	return true;
}

/* Only nodes of devices have one. */
static bool print_device(struct lw_printing *p)
{
	u16 mode = p->call->args[p->arg->by];

	if (!S_ISCHR(mode) && !S_ISBLK(mode))
		return false;
	lw_print_makedev(p->out, major((u32)p->value), minor((u32)p->value));
	return true;
}

static bool print_open_flags(struct lw_printing *p)
{
	lw_print_open_flags(p->out, (u32)p->value);
	return true;
}

/**
 * lw_open_has_mode - does open() look at the permissions that it is given?
 * @flags: as open() has them
 *
 * Return: true if it may make a file.
 */
bool lw_open_has_mode(u64 flags)
{
	/* O_TMPFILE has the bit of O_DIRECTORY in it */
	return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
}

static bool print_open_mode(struct lw_printing *p)
{
	return lw_open_has_mode(p->call->args[p->arg->by]) && print_mode(p);
}

static bool print_flags(struct lw_printing *p)
{
	if (p->arg->names == &lw_names_access && !(u32)p->value)
		lw_strbuf_str(p->out, "F_OK");
	else
		lw_print_flags(p->out, p->arg->names, (u32)p->value);
	return true;
}

static bool print_statx_flags(struct lw_printing *p)
{
	u32 sync = p->value & AT_STATX_SYNC_TYPE;

	if (!sync)
		lw_strbuf_str(p->out, "AT_STATX_SYNC_AS_STAT");
	if (!sync && (u32)p->value)
		lw_strbuf_char(p->out, '|');
	if ((u32)p->value)
		lw_print_flags(p->out, &lw_names_statx_at, (u32)p->value);
	return true;
}

static bool print_enum(struct lw_printing *p)
{
	lw_print_one_of(p->out, p->arg->names, (u32)p->value);
	return true;
}

static bool print_id(struct lw_printing *p)
{
	if ((u32)p->value == ~0U)
		lw_strbuf_str(p->out, "-1");
	else
		print_uint(p);
	return true;
}

static bool print_signal(struct lw_printing *p)
{
	lw_print_signal(p->out, p->value);
	return true;
}

static bool print_mmap_flags(struct lw_printing *p)
{
	u32 value = p->value, type = value & MAP_TYPE;

	lw_print_one_of(p->out, &lw_names_mmap_type, type);
	value &= ~MAP_TYPE;
	if (!value)
		return true;
	lw_strbuf_char(p->out, '|');
	lw_print_flags(p->out, &lw_names_mmap, value);
	return true;
}

static bool print_socket_type(struct lw_printing *p)
{
	u32 flags = p->value & (SOCK_CLOEXEC | SOCK_NONBLOCK);

	lw_print_one_of(p->out, &lw_names_sock_type, (u32)p->value & ~flags);
	if (!flags)
		return true;
	lw_strbuf_char(p->out, '|');
	lw_print_flags(p->out, &lw_names_sock_flags, flags);
	return true;
}

static bool print_protocol(struct lw_printing *p)
{
	switch ((u32)p->call->args[p->arg->by]) {
	case AF_INET:
	case AF_INET6:
		lw_print_one_of(p->out, &lw_names_protocol, (u32)p->value);
		return true;
	case AF_NETLINK:
		lw_print_one_of(p->out, &lw_names_netlink, (u32)p->value);
		return true;
	}
	return print_int(p);
}

static bool print_sockopt_name(struct lw_printing *p)
{
	switch ((u32)p->call->args[p->arg->by]) {
	case SOL_SOCKET:
		lw_print_one_of(p->out, &lw_names_so, (u32)p->value);
		return true;
	case IPPROTO_TCP:
		lw_print_one_of(p->out, &lw_names_tcp, (u32)p->value);
		return true;
	}
	return print_int(p);
}

/* A string up to its NUL: what was read, or the address. */
static bool print_string(struct lw_printing *p, u32 when, u32 limit)
{
	const struct lw_call_data *data = lw_call_find(p->call, p->arg->arg, LW_DATA_STRING, when);

	if (!data || !p->value || data->flags & (LW_DATA_F_FAULT | LW_DATA_F_MISSING)) {
		lw_strbuf_address(p->out, p->value);
		return true;
	}
	lw_strbuf_quoted(p->out, p->call->bytes + data->at, data->len < limit ? data->len : limit);
	if (data->len > limit || data->flags & LW_DATA_F_CUT)
		lw_strbuf_str(p->out, "...");
	return true;
}

static bool print_path(struct lw_printing *p)
{
	return print_string(p, LW_SYSCALL_ENTRY, PATH_LIMIT);
}

static bool print_in_string(struct lw_printing *p)
{
	return print_string(p, LW_SYSCALL_ENTRY, p->limit);
}

static bool print_path_out(struct lw_printing *p)
{
	return print_string(p, LW_SYSCALL_EXIT, PATH_LIMIT);
}

/* @len: what there is in all. */
static bool print_bytes(struct lw_printing *p, u32 when, u64 len)
{
	const struct lw_call_data *data = lw_data_array(p, when);

	if (data && data->len < p->limit && data->len < len)
		data = NULL;
	if (data)
		lw_print_cut(p->out, p->call->bytes + data->at, len, p->limit);
	else
		lw_strbuf_address(p->out, p->value);
	return true;
}

static bool print_buffer(struct lw_printing *p)
{
	return print_bytes(p, LW_SYSCALL_ENTRY, p->call->args[p->arg->by]);
}

/* With MSG_TRUNC more may be returned than there was room for. */
static bool print_buffer_out(struct lw_printing *p)
{
	return print_bytes(p, LW_SYSCALL_EXIT, lw_least(p->call->ret, p->call->args[p->arg->by]));
}

static bool print_random_out(struct lw_printing *p)
{
	const struct lw_call_data *data = lw_data_array(p, LW_SYSCALL_EXIT);
	u32 shown;

	if (!data)
		return lw_print_pointer(p);
	shown = lw_least(data->len, p->limit);
	lw_strbuf_quoted_hex(p->out, p->call->bytes + data->at, shown);
	if (p->call->ret > shown)
		lw_strbuf_str(p->out, "...");
	return true;
}

/* Each ends with a NUL, but for one that was cut. */
static bool print_strings(struct lw_printing *p)
{
	const struct lw_call_data *data = lw_call_find(p->call, p->arg->arg, LW_DATA_STRINGS,
						       LW_SYSCALL_ENTRY);
	const char *at, *end;
	u32 nr = 0;

	if (!data || !p->value || (!data->len && lw_call_data_flaws(data))) {
		lw_strbuf_address(p->out, p->value);
		return true;
	}
	at = (const char *)p->call->bytes + data->at;
	end = at + data->len;
	lw_strbuf_char(p->out, '[');
	for (; at < end && nr < 32; nr++) {
		size_t len = strnlen(at, end - at);

		if (nr)
			lw_strbuf_str(p->out, ", ");
		lw_print_cut(p->out, at, len, p->limit);
		at += len + 1;
	}
	if (at < end || lw_call_data_flaws(data))
		lw_strbuf_str(p->out, nr ? ", ..." : "...");
	lw_strbuf_char(p->out, ']');
	return true;
}

static const lw_printer printers[LW_ARG_KINDS] = {
	[LW_ARG_INT] = print_int,
	[LW_ARG_UINT] = print_uint,
	[LW_ARG_LONG] = print_long,
	[LW_ARG_SIZE] = print_size,
	[LW_ARG_HEX] = print_hex,
	[LW_ARG_ADDRESS] = lw_print_pointer,
	[LW_ARG_FD] = print_fd,
	[LW_ARG_DIRFD] = print_dirfd,
	[LW_ARG_MODE] = print_mode,
	[LW_ARG_OPEN_FLAGS] = print_open_flags,
	[LW_ARG_OPEN_MODE] = print_open_mode,
	[LW_ARG_FLAGS] = print_flags,
	[LW_ARG_STATX_FLAGS] = print_statx_flags,
	[LW_ARG_ENUM] = print_enum,
	[LW_ARG_ID] = print_id,
	[LW_ARG_SIGNAL] = print_signal,
	[LW_ARG_NODE_MODE] = print_node_mode,
	[LW_ARG_DEVICE] = print_device,
	[LW_ARG_MMAP_FLAGS] = print_mmap_flags,
	[LW_ARG_SOCKET_TYPE] = print_socket_type,
	[LW_ARG_PROTOCOL] = print_protocol,
	[LW_ARG_SOCKOPT_NAME] = print_sockopt_name,
	[LW_ARG_PATH] = print_path,
	[LW_ARG_STRING] = print_in_string,
	[LW_ARG_PATH_OUT] = print_path_out,
	[LW_ARG_STRING_OUT] = print_buffer_out,
	[LW_ARG_BUFFER] = print_buffer,
	[LW_ARG_BUFFER_OUT] = print_buffer_out,
	[LW_ARG_RANDOM_OUT] = print_random_out,
	[LW_ARG_STRINGS] = print_strings,
};

static lw_printer printer_of(u32 kind)
{
	static const lw_printer * const tables[] = {
		printers, lw_struct_printers, lw_socket_printers, lw_operation_printers,
	};

	for (u32 i = 0; i < ARRAY_SIZE(tables); i++) {
		if (tables[i][kind])
			return tables[i][kind];
	}
	return print_hex;
}

static bool print_arg(struct lw_strbuf *out, const struct lw_call *call, const struct lw_arg *arg,
		      const struct lw_call_style *style)
{
	lw_printer print = printer_of(arg->kind);
	struct lw_printing p = {
		.out = out,
		.call = call,
		.arg = arg,
		.value = call->args[arg->arg],
		.limit = style->limit,
		.fds = style->fds,
	};

	return print(&p);
}

/* Of a call without a row: six of them, in hexadecimal. */
static const struct lw_arg raw_args[6] = {
	{ .arg = 0, .kind = LW_ARG_HEX }, { .arg = 1, .kind = LW_ARG_HEX },
	{ .arg = 2, .kind = LW_ARG_HEX }, { .arg = 3, .kind = LW_ARG_HEX },
	{ .arg = 4, .kind = LW_ARG_HEX }, { .arg = 5, .kind = LW_ARG_HEX },
};

static const struct lw_arg *args_of(const struct lw_call *call)
{
	const struct lw_syscall_row *row = lw_syscall_row(call->nr);

	return row->known ? row->args : raw_args;
}

static void print_name(struct lw_strbuf *out, const struct lw_call *call)
{
	const char *name = lw_syscall_name(call->nr);

	if (name) {
		lw_strbuf_str(out, name);
	} else {
		lw_strbuf_str(out, "syscall_");
		lw_strbuf_hex(out, call->nr);
	}
}

/**
 * lw_call_text - a call with its arguments
 * @out: where to
 * @call: the call
 * @style: how
 */
void lw_call_text(struct lw_strbuf *out, const struct lw_call *call,
		  const struct lw_call_style *style)
{
	const struct lw_arg *args = args_of(call);

	print_name(out, call);
	lw_strbuf_char(out, '(');
	for (u32 i = 0; i < 6 && args[i].kind; i++) {
		size_t before = out->len;

		if (i)
			lw_strbuf_str(out, ", ");
		if (!print_arg(out, call, &args[i], style))
			out->len = before;
	}
	lw_strbuf_char(out, ')');
}

/**
 * lw_call_json_args - the arguments of a call as a JSON array
 * @out: where to
 * @call: the call
 * @style: how
 * @scratch: for one argument
 *
 * Each is an object: "raw", its value in hexadecimal, "text", as lw_call_text() has
 * it, and for a string that was read whole, "string".
 */
void lw_call_json_args(struct lw_strbuf *out, const struct lw_call *call,
		       const struct lw_call_style *style, struct lw_strbuf *scratch)
{
	const struct lw_arg *args = args_of(call);
	struct lw_json json = { .out = out };

	lw_json_open(&json, NULL, '[');
	for (u32 i = 0; i < 6 && args[i].kind; i++) {
		const struct lw_call_data *data = lw_call_find(call, args[i].arg, LW_DATA_STRING,
							       LW_SYSCALL_ENTRY);

		scratch->len = 0;
		if (!print_arg(scratch, call, &args[i], style))
			continue;
		lw_json_open(&json, NULL, '{');
		lw_json_hex(&json, "raw", call->args[args[i].arg]);
		lw_json_bytes(&json, "text", scratch->text, scratch->len);
		if (data && !lw_call_data_flaws(data))
			lw_json_bytes(&json, "string", call->bytes + data->at, data->len);
		lw_json_close(&json, '}');
	}
	lw_json_close(&json, ']');
}

/* A failed call returns -MAX_ERRNO to -1. */
#define MAX_ERRNO	4095

static bool failed(const struct lw_call *call)
{
	return call->ret < 0 && call->ret >= -MAX_ERRNO;
}

/**
 * lw_call_error - how a call failed
 * @call: the call
 *
 * Return: the name of its errno, NULL if it did not fail or did not end.
 */
const char *lw_call_error(const struct lw_call *call)
{
	const char *name;

	if (!(call->state & LW_CALL_ENDED) || !failed(call))
		return NULL;
	name = lw_name_of(&lw_names_errno, -call->ret);
	if (!name)
		name = strerrorname_np(-call->ret);
	return name ? name : "unknown";
}

static void print_error(struct lw_strbuf *out, const struct lw_call *call)
{
	const char *restarted = lw_name_of(&lw_names_errno, -call->ret);

	if (restarted) {
		lw_strbuf_str(out, "? ");
		lw_strbuf_str(out, restarted);
		lw_strbuf_str(out, call->ret == -514 ? " (To be restarted if no handler)" :
				call->ret == -516 ? " (Interrupted by signal)" :
				call->ret == -513 ? " (To be restarted)" :
				" (To be restarted if SA_RESTART is set)");
		return;
	}
	lw_strbuf_str(out, "-1 ");
	lw_strbuf_str(out, lw_call_error(call));
	lw_strbuf_str(out, " (");
	lw_strbuf_str(out, strerror(-call->ret));
	lw_strbuf_char(out, ')');
}

static void print_fcntl_result(struct lw_strbuf *out, const struct lw_call *call)
{
	u32 command = call->args[1];
	bool fd_flags = command == F_GETFD;

	if (!fd_flags && command != F_GETFL) {
		lw_strbuf_s64(out, call->ret);
		return;
	}
	lw_strbuf_hex(out, call->ret);
	if (fd_flags && !call->ret)
		return;
	lw_strbuf_str(out, " (flags ");
	if (fd_flags)
		lw_print_flags(out, &lw_names_fd_flags, call->ret);
	else
		lw_print_open_flags(out, call->ret);
	lw_strbuf_char(out, ')');
}

/* Print the descriptors that poll() reports as ready. */
static void print_ready(struct lw_strbuf *out, const struct lw_call *call)
{
	static const struct lw_arg arg = { .arg = 0, .kind = LW_ARG_POLLFDS };
	struct lw_printing p = { .call = call, .arg = &arg, .value = call->args[0] };
	const struct lw_call_data *data = lw_data_array(&p, LW_SYSCALL_EXIT);
	bool some = false;

	if (!data)
		return;
	lw_strbuf_str(out, " ([");
	for (u32 at = 0; at + sizeof(struct lw_poll_entry) <= data->len; at += 8) {
		struct lw_poll_entry entry;

		memcpy(&entry, call->bytes + data->at + at, sizeof(entry));
		if (!entry.revents)
			continue;
		lw_strbuf_str(out, some ? ", {fd=" : "{fd=");
		lw_strbuf_s64(out, entry.fd);
		lw_strbuf_str(out, ", revents=");
		lw_print_flags(out, &lw_names_poll, entry.revents);
		lw_strbuf_char(out, '}');
		some = true;
	}
	lw_strbuf_str(out, "])");
}

/**
 * lw_call_result - what a call returned
 * @out: where to
 * @call: the call; "?" if it has not ended
 * @style: how
 */
void lw_call_result(struct lw_strbuf *out, const struct lw_call *call,
		    const struct lw_call_style *style)
{
	u32 kind = lw_syscall_row(call->nr)->result;

	if (!(call->state & LW_CALL_ENDED))
		lw_strbuf_char(out, '?');
	else if (failed(call))
		print_error(out, call);
	else if (kind == LW_RESULT_HEX)
		lw_strbuf_hex(out, call->ret);
	else if (kind == LW_RESULT_OCTAL)
		lw_strbuf_octal(out, call->ret);
	else if (kind == LW_RESULT_FCNTL)
		print_fcntl_result(out, call);
	else
		lw_strbuf_s64(out, call->ret);
	if (kind == LW_RESULT_FD && call->state & LW_CALL_ENDED && call->ret >= 0)
		put_path_of(out, style->fds, call->pid, call->ret);
	if (kind != LW_RESULT_POLL && kind != LW_RESULT_SELECT)
		return;
	if (call->state & LW_CALL_ENDED && !call->ret)
		lw_strbuf_str(out, " (Timeout)");
	else if (kind == LW_RESULT_POLL && call->ret > 0)
		print_ready(out, call);
}
