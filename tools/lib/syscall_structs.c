// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_structs.c - structs that arguments of system calls point to, as strace
 * prints them.
 *
 * What was not read whole is printed as its address.
 *
 * Contexts: any thread; each has its own struct lw_out.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "syscall_print.h"

static bool print_pointer(struct lw_printing *p)
{
	lw_out_address(p->out, p->value);
	return true;
}

/* Two numbers, as struct timespec and struct timeval have. */
static void put_time(struct lw_out *out, const s64 *time, const char *unit)
{
	lw_out_str(out, "{tv_sec=");
	lw_out_s64(out, time[0]);
	lw_out_str(out, ", tv_");
	lw_out_str(out, unit);
	lw_out_char(out, '=');
	lw_out_s64(out, time[1]);
	lw_out_char(out, '}');
}

static bool print_time(struct lw_printing *p, u32 when, const char *unit)
{
	const s64 *time = lw_data_struct(p, when, 2 * sizeof(s64));

	if (!time)
		return print_pointer(p);
	put_time(p->out, time, unit);
	return true;
}

static bool print_timespec(struct lw_printing *p)
{
	return print_time(p, LW_SYSCALL_ENTRY, "nsec");
}

static bool print_timespec_out(struct lw_printing *p)
{
	return print_time(p, LW_SYSCALL_EXIT, "nsec");
}

static bool print_timeval(struct lw_printing *p)
{
	return print_time(p, LW_SYSCALL_ENTRY, "usec");
}

static bool print_timeval_out(struct lw_printing *p)
{
	return print_time(p, LW_SYSCALL_EXIT, "usec");
}

static bool print_utimes(struct lw_printing *p)
{
	const s64 *times = lw_data_struct(p, LW_SYSCALL_ENTRY, 4 * sizeof(s64));

	if (!times)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	for (u32 i = 0; i < 2; i++, times += 2) {
		if (i)
			lw_out_str(p->out, ", ");
		if (times[1] == UTIME_NOW)
			lw_out_str(p->out, "UTIME_NOW");
		else if (times[1] == UTIME_OMIT)
			lw_out_str(p->out, "UTIME_OMIT");
		else
			put_time(p->out, times, "nsec");
	}
	lw_out_char(p->out, ']');
	return true;
}

static void put_mode(struct lw_out *out, u32 mode)
{
	const char *type = lw_name_of(&lw_names_file_type, mode & S_IFMT);

	if (type) {
		lw_out_str(out, type);
		lw_out_char(out, '|');
		mode &= ~S_IFMT;
	}
	lw_out_octal(out, mode);
}

static void put_device(struct lw_out *out, u32 major_nr, u32 minor_nr)
{
	lw_out_str(out, "_rdev=makedev(");
	lw_out_hex(out, major_nr);
	lw_out_str(out, ", ");
	lw_out_hex(out, minor_nr);
	lw_out_char(out, ')');
}

static bool is_device(u32 mode)
{
	return S_ISCHR(mode) || S_ISBLK(mode);
}

static bool print_stat(struct lw_printing *p)
{
	const struct stat *st = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(*st));

	if (!st)
		return print_pointer(p);
	lw_out_str(p->out, "{st_mode=");
	put_mode(p->out, st->st_mode);
	lw_out_str(p->out, ", st");
	if (is_device(st->st_mode)) {
		put_device(p->out, major(st->st_rdev), minor(st->st_rdev));
	} else {
		lw_out_str(p->out, "_size=");
		lw_out_s64(p->out, st->st_size);
	}
	lw_out_str(p->out, ", ...}");
	return true;
}

static bool print_statx(struct lw_printing *p)
{
	const struct statx *st = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(*st));

	if (!st)
		return print_pointer(p);
	lw_out_str(p->out, "{stx_mask=");
	lw_print_flags(p->out, &lw_names_statx_mask, st->stx_mask);
	lw_out_str(p->out, ", stx_attributes=");
	lw_out_hex(p->out, st->stx_attributes);
	lw_out_str(p->out, ", stx_mode=");
	put_mode(p->out, st->stx_mode);
	lw_out_str(p->out, ", stx");
	if (is_device(st->stx_mode)) {
		put_device(p->out, st->stx_rdev_major, st->stx_rdev_minor);
	} else {
		lw_out_str(p->out, "_size=");
		lw_out_u64(p->out, st->stx_size);
	}
	lw_out_str(p->out, ", ...}");
	return true;
}

static u64 least(u64 left, u64 right)
{
	return left < right ? left : right;
}

static void put_unix(struct lw_out *out, const struct sockaddr_un *addr, size_t len)
{
	const char *path = addr->sun_path;
	size_t room = least(len - offsetof(struct sockaddr_un, sun_path), sizeof(addr->sun_path));

	if (!room)
		return;
	lw_out_str(out, ", sun_path=");
	if (*path) {
		lw_out_quoted(out, path, strnlen(path, room));
		return;
	}
	/* an abstract one: all bytes count */
	lw_out_char(out, '@');
	lw_out_quoted(out, path + 1, room - 1);
}

static void put_inet(struct lw_out *out, const struct sockaddr_in *addr)
{
	char text[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, &addr->sin_addr, text, sizeof(text));
	lw_out_str(out, ", sin_port=htons(");
	lw_out_u64(out, ntohs(addr->sin_port));
	lw_out_str(out, "), sin_addr=inet_addr(\"");
	lw_out_str(out, text);
	lw_out_str(out, "\")");
}

static void put_inet6(struct lw_out *out, const struct sockaddr_in6 *addr)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, &addr->sin6_addr, text, sizeof(text));
	lw_out_str(out, ", sin6_port=htons(");
	lw_out_u64(out, ntohs(addr->sin6_port));
	lw_out_str(out, "), sin6_flowinfo=htonl(");
	lw_out_u64(out, ntohl(addr->sin6_flowinfo));
	lw_out_str(out, "), inet_pton(AF_INET6, \"");
	lw_out_str(out, text);
	lw_out_str(out, "\", &sin6_addr), sin6_scope_id=");
	lw_out_u64(out, addr->sin6_scope_id);
}

static void put_netlink(struct lw_out *out, const struct sockaddr_nl *addr)
{
	lw_out_str(out, ", nl_pid=");
	lw_out_u64(out, addr->nl_pid);
	lw_out_str(out, ", nl_groups=");
	lw_out_hex_padded(out, addr->nl_groups, 8);
}

static void put_sockaddr(struct lw_out *out, const struct sockaddr *addr, size_t len)
{
	lw_out_str(out, "{sa_family=");
	lw_print_one_of(out, &lw_names_family, addr->sa_family);
	if (addr->sa_family == AF_UNIX) {
		put_unix(out, (const struct sockaddr_un *)addr, len);
	} else if (addr->sa_family == AF_INET && len >= sizeof(struct sockaddr_in)) {
		put_inet(out, (const struct sockaddr_in *)addr);
	} else if (addr->sa_family == AF_INET6 && len >= sizeof(struct sockaddr_in6)) {
		put_inet6(out, (const struct sockaddr_in6 *)addr);
	} else if (addr->sa_family == AF_NETLINK && len >= sizeof(struct sockaddr_nl)) {
		put_netlink(out, (const struct sockaddr_nl *)addr);
	} else {
		lw_out_str(out, ", sa_data=");
		lw_out_quoted(out, addr->sa_data, len - sizeof(addr->sa_family));
	}
	lw_out_char(out, '}');
}

static bool print_address_of(struct lw_printing *p, u32 when)
{
	const struct lw_call_data *data = lw_data_array(p, when);

	if (!data || data->len < sizeof(sa_family_t))
		return print_pointer(p);
	put_sockaddr(p->out, (const void *)(p->call->bytes + data->at), data->len);
	return true;
}

static bool print_sockaddr(struct lw_printing *p)
{
	return print_address_of(p, LW_SYSCALL_ENTRY);
}

static bool print_sockaddr_out(struct lw_printing *p)
{
	return print_address_of(p, LW_SYSCALL_EXIT);
}

/* As it was, and as it is after the call if that is not the same. */
static bool print_length(struct lw_printing *p)
{
	const u32 *before = lw_data_struct(p, LW_SYSCALL_ENTRY, sizeof(u32));
	const u32 *after = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(u32));

	if (!before)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	lw_out_u64(p->out, *before);
	if (after && *after != *before) {
		lw_out_str(p->out, " => ");
		lw_out_u64(p->out, *after);
	}
	lw_out_char(p->out, ']');
	return true;
}

static bool print_option(struct lw_printing *p, u32 when)
{
	const struct lw_call_data *data = lw_data_array(p, when);
	s32 value;

	if (!data)
		return print_pointer(p);
	if (data->len != sizeof(value)) {
		lw_print_cut(p->out, p->call->bytes + data->at, data->len, p->limit);
		return true;
	}
	memcpy(&value, p->call->bytes + data->at, sizeof(value));
	lw_out_char(p->out, '[');
	lw_out_s64(p->out, value);
	lw_out_char(p->out, ']');
	return true;
}

static bool print_sockopt(struct lw_printing *p)
{
	return print_option(p, LW_SYSCALL_ENTRY);
}

static bool print_sockopt_out(struct lw_printing *p)
{
	return print_option(p, LW_SYSCALL_EXIT);
}

struct poll_entry {
	s32 fd;
	u16 events, revents;
};

static bool print_pollfds(struct lw_printing *p)
{
	const struct lw_call_data *data = lw_data_array(p, LW_SYSCALL_ENTRY);

	if (!data)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	for (u32 at = 0; at + sizeof(struct poll_entry) <= data->len; at += 8) {
		struct poll_entry entry;

		memcpy(&entry, p->call->bytes + data->at + at, sizeof(entry));
		lw_out_str(p->out, at ? ", {fd=" : "{fd=");
		lw_out_s64(p->out, entry.fd);
		if (entry.fd >= 0) {
			lw_out_str(p->out, ", events=");
			lw_print_flags(p->out, &lw_names_poll, entry.events);
		}
		lw_out_char(p->out, '}');
	}
	if (data->flags & LW_DATA_F_CUT)
		lw_out_str(p->out, ", ...");
	lw_out_char(p->out, ']');
	return true;
}

static bool print_fdset(struct lw_printing *p)
{
	const u8 *set = lw_data_struct(p, LW_SYSCALL_ENTRY, 128);
	u64 nr = p->call->args[p->arg->by];
	bool some = false;

	if (!set)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	for (u32 fd = 0; fd < least(nr, 1024); fd++) {
		if (!(set[fd / 8] >> fd % 8 & 1))
			continue;
		if (some)
			lw_out_char(p->out, ' ');
		lw_out_u64(p->out, fd);
		some = true;
	}
	lw_out_char(p->out, ']');
	return true;
}

static bool print_fd_pair(struct lw_printing *p)
{
	const s32 *fds = lw_data_struct(p, LW_SYSCALL_EXIT, 2 * sizeof(s32));

	if (!fds)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	lw_out_s64(p->out, fds[0]);
	lw_out_str(p->out, ", ");
	lw_out_s64(p->out, fds[1]);
	lw_out_char(p->out, ']');
	return true;
}

#define NR_SIGNALS	64

/* Of a set with more than half of all, those that are not in it. */
static void put_sigset(struct lw_out *out, u64 set)
{
	bool not = __builtin_popcountll(set) > NR_SIGNALS * 2 / 3, some = false;

	lw_out_str(out, not ? "~[" : "[");
	for (u32 signal = 1; signal <= NR_SIGNALS; signal++) {
		struct lw_out name = {};

		if ((set >> (signal - 1) & 1) == not)
			continue;
		if (some)
			lw_out_char(out, ' ');
		lw_print_signal(&name, signal);
		/* without the SIG before it */
		if (name.len > 3)
			lw_out_bytes(out, name.text + 3, name.len - 3);
		lw_out_free(&name);
		some = true;
	}
	lw_out_char(out, ']');
}

static bool print_set(struct lw_printing *p, u32 when)
{
	const u64 *set = lw_data_struct(p, when, sizeof(u64));

	if (!set)
		return print_pointer(p);
	put_sigset(p->out, *set);
	return true;
}

static bool print_sigset(struct lw_printing *p)
{
	return print_set(p, LW_SYSCALL_ENTRY);
}

static bool print_sigset_out(struct lw_printing *p)
{
	return print_set(p, LW_SYSCALL_EXIT);
}

/* The kernel's struct sigaction. */
struct action {
	u64 handler;
	u64 flags;
	u64 restorer;
	u64 mask;
};

#define RESTORER	0x04000000

static bool print_action(struct lw_printing *p, u32 when)
{
	const struct action *action = lw_data_struct(p, when, sizeof(*action));
	const char *name;

	if (!action)
		return print_pointer(p);
	name = lw_name_of(&lw_names_handler, action->handler);
	lw_out_str(p->out, "{sa_handler=");
	if (name)
		lw_out_str(p->out, name);
	else
		lw_out_hex(p->out, action->handler);
	lw_out_str(p->out, ", sa_mask=");
	put_sigset(p->out, action->mask);
	lw_out_str(p->out, ", sa_flags=");
	lw_print_flags(p->out, &lw_names_sa, action->flags);
	if (action->flags & RESTORER) {
		lw_out_str(p->out, ", sa_restorer=");
		lw_out_hex(p->out, action->restorer);
	}
	lw_out_char(p->out, '}');
	return true;
}

static bool print_sigaction(struct lw_printing *p)
{
	return print_action(p, LW_SYSCALL_ENTRY);
}

static bool print_sigaction_out(struct lw_printing *p)
{
	return print_action(p, LW_SYSCALL_EXIT);
}

static void put_limit(struct lw_out *out, u64 limit)
{
	if (limit == ~0ULL) {
		lw_out_str(out, "RLIM64_INFINITY");
	} else if (limit > 1024 && !(limit % 1024)) {
		lw_out_u64(out, limit / 1024);
		lw_out_str(out, "*1024");
	} else {
		lw_out_u64(out, limit);
	}
}

static bool print_limits(struct lw_printing *p, u32 when)
{
	const u64 *limits = lw_data_struct(p, when, 2 * sizeof(u64));

	if (!limits)
		return print_pointer(p);
	lw_out_str(p->out, "{rlim_cur=");
	put_limit(p->out, limits[0]);
	lw_out_str(p->out, ", rlim_max=");
	put_limit(p->out, limits[1]);
	lw_out_char(p->out, '}');
	return true;
}

static bool print_rlimit(struct lw_printing *p)
{
	return print_limits(p, LW_SYSCALL_ENTRY);
}

static bool print_rlimit_out(struct lw_printing *p)
{
	return print_limits(p, LW_SYSCALL_EXIT);
}

static bool print_rusage(struct lw_printing *p)
{
	const s64 *usage = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(struct rusage));

	/* of waiting for a child without one that has ended nothing is told */
	if (!usage || (p->arg->arg == 3 && !p->call->ret))
		return print_pointer(p);
	lw_out_str(p->out, "{ru_utime=");
	put_time(p->out, usage, "usec");
	lw_out_str(p->out, ", ru_stime=");
	put_time(p->out, usage + 2, "usec");
	lw_out_str(p->out, ", ...}");
	return true;
}

static bool print_utsname(struct lw_printing *p)
{
	const struct utsname *name = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(*name));

	if (!name)
		return print_pointer(p);
	lw_out_str(p->out, "{sysname=");
	lw_out_quoted(p->out, name->sysname, strnlen(name->sysname, sizeof(name->sysname)));
	lw_out_str(p->out, ", nodename=");
	lw_out_quoted(p->out, name->nodename, strnlen(name->nodename, sizeof(name->nodename)));
	lw_out_str(p->out, ", ...}");
	return true;
}

/* struct epoll_event has its data at byte 4. */
static void put_event(struct lw_out *out, const u8 *event)
{
	u32 events;
	u64 data;

	memcpy(&events, event, sizeof(events));
	memcpy(&data, event + sizeof(events), sizeof(data));
	lw_out_str(out, "{events=");
	lw_print_flags(out, &lw_names_epoll, events);
	lw_out_str(out, ", data={u32=");
	lw_out_u64(out, (u32)data);
	lw_out_str(out, ", u64=");
	lw_out_u64(out, data);
	lw_out_str(out, "}}");
}

#define EVENT_SIZE	12
#define CTL_DEL		2

static bool print_event(struct lw_printing *p)
{
	const u8 *event = lw_data_struct(p, LW_SYSCALL_ENTRY, EVENT_SIZE);

	if (!event || p->call->args[1] == CTL_DEL)
		return print_pointer(p);
	put_event(p->out, event);
	return true;
}

static bool print_events(struct lw_printing *p)
{
	const struct lw_call_data *data = lw_data_array(p, LW_SYSCALL_EXIT);

	if (!data)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	for (u32 at = 0; at + EVENT_SIZE <= data->len; at += EVENT_SIZE) {
		if (at)
			lw_out_str(p->out, ", ");
		put_event(p->out, p->call->bytes + data->at + at);
	}
	if (data->flags & LW_DATA_F_CUT)
		lw_out_str(p->out, ", ...");
	lw_out_char(p->out, ']');
	return true;
}

static void put_status(struct lw_out *out, u32 status)
{
	if (WIFEXITED(status)) {
		lw_out_str(out, "{WIFEXITED(s) && WEXITSTATUS(s) == ");
		lw_out_u64(out, WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		lw_out_str(out, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		lw_print_signal(out, WTERMSIG(status));
		if (WCOREDUMP(status))
			lw_out_str(out, " && WCOREDUMP(s)");
	} else if (WIFSTOPPED(status)) {
		lw_out_str(out, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		lw_print_signal(out, WSTOPSIG(status));
	} else {
		lw_out_str(out, "{WIFCONTINUED(s)");
	}
	lw_out_char(out, '}');
}

static bool print_status(struct lw_printing *p)
{
	const u32 *status = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(u32));

	if (!status || !p->call->ret)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	put_status(p->out, *status);
	lw_out_char(p->out, ']');
	return true;
}

/* The bytes of all vectors are in one piece, as far as they were taken. */
static bool print_vectors(struct lw_printing *p, u32 when)
{
	const struct lw_call_data *data = lw_data_array(p, when);
	const struct lw_call_data *all = lw_call_find(p->call, p->arg->arg, LW_DATA_IOVEC, when);
	u64 left = when == LW_SYSCALL_EXIT ? (u64)p->call->ret : ~0ULL;
	u32 taken = 0;

	if (!data)
		return print_pointer(p);
	lw_out_char(p->out, '[');
	for (u32 at = 0; at + 16 <= data->len; at += 16) {
		u64 vector[2], len;

		memcpy(vector, p->call->bytes + data->at + at, sizeof(vector));
		len = least(vector[1], left);
		left -= len;
		lw_out_str(p->out, at ? ", {iov_base=" : "{iov_base=");
		if (all && least(len, p->limit) <= all->len - taken)
			lw_print_cut(p->out, p->call->bytes + all->at + taken, len, p->limit);
		else
			lw_out_address(p->out, vector[0]);
		if (all)
			taken += least(len, all->len - taken);
		lw_out_str(p->out, ", iov_len=");
		lw_out_u64(p->out, vector[1]);
		lw_out_char(p->out, '}');
	}
	if (data->flags & LW_DATA_F_CUT)
		lw_out_str(p->out, ", ...");
	lw_out_char(p->out, ']');
	return true;
}

static bool print_iovec(struct lw_printing *p)
{
	return print_vectors(p, LW_SYSCALL_ENTRY);
}

static bool print_iovec_out(struct lw_printing *p)
{
	return print_vectors(p, LW_SYSCALL_EXIT);
}

static void put_number(struct lw_out *out, const char *name, u64 value)
{
	lw_out_str(out, name);
	lw_out_u64(out, value);
}

static void put_pointer(struct lw_out *out, const char *name, u64 value)
{
	lw_out_str(out, name);
	lw_out_address(out, value);
}

static bool print_msghdr(struct lw_printing *p)
{
	const struct msghdr *msg = lw_data_struct(p, LW_SYSCALL_ENTRY, sizeof(*msg));

	if (!msg)
		return print_pointer(p);
	put_pointer(p->out, "{msg_name=", (u64)msg->msg_name);
	put_number(p->out, ", msg_namelen=", msg->msg_namelen);
	put_pointer(p->out, ", msg_iov=", (u64)msg->msg_iov);
	put_number(p->out, ", msg_iovlen=", msg->msg_iovlen);
	if (msg->msg_controllen)
		put_pointer(p->out, ", msg_control=", (u64)msg->msg_control);
	put_number(p->out, ", msg_controllen=", msg->msg_controllen);
	lw_out_str(p->out, ", msg_flags=");
	lw_print_flags(p->out, &lw_names_msg, (u32)msg->msg_flags);
	lw_out_char(p->out, '}');
	return true;
}

static void put_clone_flags(struct lw_out *out, u64 flags)
{
	u32 signal = flags & CSIGNAL;

	flags &= ~(u64)CSIGNAL;
	lw_out_str(out, "flags=");
	if (flags || !signal)
		lw_print_flags(out, &lw_names_clone, flags);
	if (flags && signal)
		lw_out_char(out, '|');
	if (signal)
		lw_print_signal(out, signal);
}

static bool print_clone(struct lw_printing *p)
{
	const u64 *args = p->call->args;
	u64 flags = args[0];

	put_pointer(p->out, "child_stack=", args[1]);
	lw_out_str(p->out, ", ");
	put_clone_flags(p->out, flags);
	if (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD))
		put_pointer(p->out, ", parent_tid=", args[2]);
	if (flags & CLONE_SETTLS)
		put_pointer(p->out, ", tls=", args[4]);
	if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		put_pointer(p->out, ", child_tidptr=", args[3]);
	return true;
}

static bool print_clone3(struct lw_printing *p)
{
	const struct clone_args *args = lw_data_struct(p, LW_SYSCALL_ENTRY, 64);

	if (!args)
		return print_pointer(p);
	lw_out_str(p->out, "{flags=");
	lw_print_flags(p->out, &lw_names_clone, args->flags);
	if (args->flags & CLONE_PIDFD)
		put_pointer(p->out, ", pidfd=", args->pidfd);
	if (args->flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		put_pointer(p->out, ", child_tid=", args->child_tid);
	if (args->flags & CLONE_PARENT_SETTID)
		put_pointer(p->out, ", parent_tid=", args->parent_tid);
	lw_out_str(p->out, ", exit_signal=");
	lw_print_signal(p->out, args->exit_signal);
	put_pointer(p->out, ", stack=", args->stack);
	lw_out_str(p->out, ", stack_size=");
	lw_out_hex(p->out, args->stack_size);
	if (args->flags & CLONE_SETTLS)
		put_pointer(p->out, ", tls=", args->tls);
	lw_out_char(p->out, '}');
	return true;
}

static bool print_fcntl(struct lw_printing *p)
{
	switch (p->call->args[p->arg->by]) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		return false;
	case F_SETFD:
		lw_print_flags(p->out, &lw_names_fd_flags, p->value);
		return true;
	case F_SETFL:
		lw_print_open_flags(p->out, (u32)p->value);
		return true;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETOWN:
	case F_SETPIPE_SZ:
		lw_out_s64(p->out, (s32)p->value);
		return true;
	case F_SETSIG:
		lw_print_signal(p->out, p->value);
		return true;
	}
	lw_out_hex(p->out, p->value);
	return true;
}

static bool print_ioctl(struct lw_printing *p)
{
	static const char * const ways[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
					     "_IOC_READ|_IOC_WRITE" };
	u32 command = p->value;
	const char *name = lw_name_of(&lw_names_ioctl, command);

	if (name) {
		lw_out_str(p->out, name);
		return true;
	}
	lw_out_str(p->out, "_IOC(");
	lw_out_str(p->out, ways[_IOC_DIR(command)]);
	lw_out_str(p->out, ", ");
	lw_out_hex(p->out, _IOC_TYPE(command));
	lw_out_str(p->out, ", ");
	lw_out_hex(p->out, _IOC_NR(command));
	lw_out_str(p->out, ", ");
	lw_out_hex(p->out, _IOC_SIZE(command));
	lw_out_char(p->out, ')');
	return true;
}

static bool print_futex_op(struct lw_printing *p)
{
	u32 flags = p->value & ~(u64)FUTEX_CMD_MASK;
	const char *name = lw_name_of(&lw_names_futex, p->value & FUTEX_CMD_MASK);

	if (!name) {
		lw_out_hex(p->out, p->value);
		lw_out_str(p->out, " /* FUTEX_??? */");
		return true;
	}
	lw_out_str(p->out, name);
	if (flags & FUTEX_PRIVATE_FLAG)
		lw_out_str(p->out, "_PRIVATE");
	if (flags & FUTEX_CLOCK_REALTIME)
		lw_out_str(p->out, "|FUTEX_CLOCK_REALTIME");
	return true;
}

/* What the operation has of the other arguments. */
static u32 futex_op(const struct lw_printing *p)
{
	return p->call->args[1] & FUTEX_CMD_MASK;
}

static bool requeues(u32 op)
{
	return op == FUTEX_REQUEUE || op == FUTEX_CMP_REQUEUE || op == FUTEX_WAKE_OP ||
	       op == FUTEX_CMP_REQUEUE_PI;
}

static bool print_futex_value(struct lw_printing *p)
{
	switch (futex_op(p)) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI:
		return false;
	}
	lw_out_u64(p->out, (u32)p->value);
	return true;
}

static bool print_futex_timeout(struct lw_printing *p)
{
	switch (futex_op(p)) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return print_timespec(p);
	}
	if (!requeues(futex_op(p)))
		return false;
	lw_out_u64(p->out, (u32)p->value);
	return true;
}

static bool print_futex_address(struct lw_printing *p)
{
	if (!requeues(futex_op(p)) && futex_op(p) != FUTEX_WAIT_REQUEUE_PI)
		return false;
	return print_pointer(p);
}

static bool print_futex_last(struct lw_printing *p)
{
	switch (futex_op(p)) {
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAKE_BITSET:
		if ((u32)p->value == FUTEX_BITSET_MATCH_ANY)
			lw_out_str(p->out, "FUTEX_BITSET_MATCH_ANY");
		else
			lw_out_hex(p->out, (u32)p->value);
		return true;
	case FUTEX_WAKE_OP:
		lw_out_hex(p->out, (u32)p->value);
		return true;
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		lw_out_u64(p->out, (u32)p->value);
		return true;
	}
	return false;
}

/* The name of a thread has 15 bytes at most. */
static bool print_thread_name(struct lw_printing *p)
{
	const struct lw_call_data *data = lw_call_find(p->call, 1, LW_DATA_STRING,
						       LW_SYSCALL_ENTRY);

	if (!data || data->flags & (LW_DATA_F_FAULT | LW_DATA_F_MISSING))
		return print_pointer(p);
	lw_print_cut(p->out, p->call->bytes + data->at, data->len, p->limit);
	if (data->flags & LW_DATA_F_CUT)
		lw_out_str(p->out, "...");
	return true;
}

static bool print_prctl(struct lw_printing *p)
{
	const u64 *args = p->call->args;

	switch (args[p->arg->by]) {
	case PR_GET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_GET_SECCOMP:
	case PR_GET_TIMERSLACK:
	case PR_GET_SECUREBITS:
		return false;
	case PR_SET_PDEATHSIG:
		lw_print_signal(p->out, args[1]);
		return true;
	case PR_SET_DUMPABLE:
	case PR_SET_KEEPCAPS:
	case PR_SET_TIMERSLACK:
	case PR_SET_CHILD_SUBREAPER:
		lw_out_u64(p->out, args[1]);
		return true;
	case PR_SET_NAME:
		return print_thread_name(p);
	case PR_SET_NO_NEW_PRIVS:
		lw_out_u64(p->out, args[1]);
		put_number(p->out, ", ", args[2]);
		put_number(p->out, ", ", args[3]);
		put_number(p->out, ", ", args[4]);
		return true;
	case PR_GET_NAME:
	case PR_GET_PDEATHSIG:
	case PR_GET_CHILD_SUBREAPER:
	case PR_GET_TID_ADDRESS:
		return print_pointer(p);
	}
	for (u32 i = 1; i < 5; i++) {
		if (i > 1)
			lw_out_str(p->out, ", ");
		lw_out_hex(p->out, args[i]);
	}
	return true;
}

const lw_printer lw_struct_printers[LW_ARG_KINDS] = {
	[LW_ARG_IOVEC] = print_iovec,
	[LW_ARG_IOVEC_OUT] = print_iovec_out,
	[LW_ARG_MSGHDR] = print_msghdr,
	[LW_ARG_STAT] = print_stat,
	[LW_ARG_STATX] = print_statx,
	[LW_ARG_TIMESPEC] = print_timespec,
	[LW_ARG_TIMESPEC_OUT] = print_timespec_out,
	[LW_ARG_TIMEVAL] = print_timeval,
	[LW_ARG_TIMEVAL_OUT] = print_timeval_out,
	[LW_ARG_UTIMES] = print_utimes,
	[LW_ARG_SOCKADDR] = print_sockaddr,
	[LW_ARG_SOCKADDR_OUT] = print_sockaddr_out,
	[LW_ARG_LENGTH_INOUT] = print_length,
	[LW_ARG_SOCKOPT] = print_sockopt,
	[LW_ARG_SOCKOPT_OUT] = print_sockopt_out,
	[LW_ARG_POLLFDS] = print_pollfds,
	[LW_ARG_FDSET] = print_fdset,
	[LW_ARG_FD_PAIR] = print_fd_pair,
	[LW_ARG_SIGSET] = print_sigset,
	[LW_ARG_SIGSET_OUT] = print_sigset_out,
	[LW_ARG_SIGACTION] = print_sigaction,
	[LW_ARG_SIGACTION_OUT] = print_sigaction_out,
	[LW_ARG_RLIMIT] = print_rlimit,
	[LW_ARG_RLIMIT_OUT] = print_rlimit_out,
	[LW_ARG_RUSAGE] = print_rusage,
	[LW_ARG_UTSNAME] = print_utsname,
	[LW_ARG_EPOLL_EVENT] = print_event,
	[LW_ARG_EPOLL_EVENTS] = print_events,
	[LW_ARG_WAIT_STATUS] = print_status,
	[LW_ARG_CLONE] = print_clone,
	[LW_ARG_CLONE3] = print_clone3,
	[LW_ARG_FCNTL] = print_fcntl,
	[LW_ARG_IOCTL] = print_ioctl,
	[LW_ARG_FUTEX_OP] = print_futex_op,
	[LW_ARG_FUTEX_VALUE] = print_futex_value,
	[LW_ARG_FUTEX_TIMEOUT] = print_futex_timeout,
	[LW_ARG_FUTEX_ADDRESS] = print_futex_address,
	[LW_ARG_FUTEX_LAST] = print_futex_last,
	[LW_ARG_PRCTL] = print_prctl,
};
