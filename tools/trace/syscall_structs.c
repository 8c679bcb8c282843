// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_structs.c - structs that arguments of system calls point to, as strace
 * prints them.
 *
 * What was not read whole is printed as its address.
 *
 * Contexts: any thread; each has its own struct lw_strbuf.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "trace/syscall_print.h"

/* Two numbers, as struct timespec and struct timeval have. */
static void put_time(struct lw_strbuf *out, const s64 *time, const char *unit)
{
	lw_strbuf_str(out, "{tv_sec=");
	lw_strbuf_s64(out, time[0]);
	lw_strbuf_str(out, ", tv_");
	lw_strbuf_str(out, unit);
	lw_strbuf_char(out, '=');
	lw_strbuf_s64(out, time[1]);
	lw_strbuf_char(out, '}');
}

static bool print_time(struct lw_printing *p, u32 when, const char *unit)
{
	const s64 *time = lw_data_struct(p, when, 2 * sizeof(s64));

	if (!time)
		return lw_print_pointer(p);
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
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	for (u32 i = 0; i < 2; i++, times += 2) {
		if (i)
			lw_strbuf_str(p->out, ", ");
		if (times[1] == UTIME_NOW)
			lw_strbuf_str(p->out, "UTIME_NOW");
		else if (times[1] == UTIME_OMIT)
			lw_strbuf_str(p->out, "UTIME_OMIT");
		else
			put_time(p->out, times, "nsec");
	}
	lw_strbuf_char(p->out, ']');
	return true;
}

static bool print_open_how(struct lw_printing *p)
{
	const struct open_how *how = lw_data_struct(p, LW_SYSCALL_ENTRY, sizeof(*how));

	if (!how)
		return lw_print_pointer(p);
	lw_strbuf_str(p->out, "{flags=");
	lw_print_open_flags(p->out, how->flags);
	if (how->mode || lw_open_has_mode(how->flags)) {
		lw_strbuf_str(p->out, ", mode=");
		lw_strbuf_octal(p->out, how->mode);
	}
	lw_strbuf_str(p->out, ", resolve=");
	lw_print_flags(p->out, &lw_names_resolve, how->resolve);
	lw_strbuf_str(p->out, p->call->args[p->arg->by] > sizeof(*how) ? ", ...}" : "}");
	return true;
}

static bool is_device(u32 mode)
{
	return S_ISCHR(mode) || S_ISBLK(mode);
}

static bool print_stat(struct lw_printing *p)
{
	const struct stat *st = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(*st));

	if (!st)
		return lw_print_pointer(p);
	lw_strbuf_str(p->out, "{st_mode=");
	lw_print_file_mode(p->out, st->st_mode);
	lw_strbuf_str(p->out, ", st");
	if (is_device(st->st_mode)) {
		lw_strbuf_str(p->out, "_rdev=");
		lw_print_makedev(p->out, major(st->st_rdev), minor(st->st_rdev));
	} else {
		lw_strbuf_str(p->out, "_size=");
		lw_strbuf_s64(p->out, st->st_size);
	}
	lw_strbuf_str(p->out, ", ...}");
	return true;
}

static bool print_statx(struct lw_printing *p)
{
	const struct statx *st = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(*st));

	if (!st)
		return lw_print_pointer(p);
	lw_strbuf_str(p->out, "{stx_mask=");
	lw_print_flags(p->out, &lw_names_statx_mask, st->stx_mask);
	lw_strbuf_str(p->out, ", stx_attributes=");
	lw_strbuf_hex(p->out, st->stx_attributes);
	lw_strbuf_str(p->out, ", stx_mode=");
	lw_print_file_mode(p->out, st->stx_mode);
	lw_strbuf_str(p->out, ", stx");
	if (is_device(st->stx_mode)) {
		lw_strbuf_str(p->out, "_rdev=");
		lw_print_makedev(p->out, st->stx_rdev_major, st->stx_rdev_minor);
	} else {
		lw_strbuf_str(p->out, "_size=");
		lw_strbuf_u64(p->out, st->stx_size);
	}
	lw_strbuf_str(p->out, ", ...}");
	return true;
}

static bool print_pollfds(struct lw_printing *p)
{
	const struct lw_call_data *data = lw_data_array(p, LW_SYSCALL_ENTRY);

	if (!data)
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	for (u32 at = 0; at + sizeof(struct lw_poll_entry) <= data->len; at += 8) {
		struct lw_poll_entry entry;

		memcpy(&entry, p->call->bytes + data->at + at, sizeof(entry));
		lw_strbuf_str(p->out, at ? ", {fd=" : "{fd=");
		lw_strbuf_s64(p->out, entry.fd);
		if (entry.fd >= 0) {
			lw_strbuf_str(p->out, ", events=");
			lw_print_flags(p->out, &lw_names_poll, entry.events);
		}
		lw_strbuf_char(p->out, '}');
	}
	if (data->flags & LW_DATA_F_CUT)
		lw_strbuf_str(p->out, ", ...");
	lw_strbuf_char(p->out, ']');
	return true;
}

#define MAX_SET		1024

/* The kernel reads as many longs as it needs. */
static bool print_fdset(struct lw_printing *p)
{
	s32 nr = p->call->args[p->arg->by];
	u64 read = nr > 0 ? lw_least(nr, MAX_SET) : 0;
	const u8 *set = lw_data_struct(p, LW_SYSCALL_ENTRY, ALIGN_UP(read, 64) / 8);
	bool some = false;

	if (!set || !read)
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	for (u32 fd = 0; fd < read; fd++) {
		if (!(set[fd / 8] >> fd % 8 & 1))
			continue;
		if (some)
			lw_strbuf_char(p->out, ' ');
		lw_strbuf_u64(p->out, fd);
		some = true;
	}
	if (nr > MAX_SET)
		lw_strbuf_str(p->out, some ? " ..." : "...");
	lw_strbuf_char(p->out, ']');
	return true;
}

static bool print_fd_pair(struct lw_printing *p)
{
	const s32 *fds = lw_data_struct(p, LW_SYSCALL_EXIT, 2 * sizeof(s32));

	if (!fds)
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	lw_strbuf_s64(p->out, fds[0]);
	lw_strbuf_str(p->out, ", ");
	lw_strbuf_s64(p->out, fds[1]);
	lw_strbuf_char(p->out, ']');
	return true;
}

#define NR_SIGNALS	64

/* Of a set with more than half of all, those that are not in it. */
static void put_sigset(struct lw_strbuf *out, u64 set)
{
	bool not = __builtin_popcountll(set) > NR_SIGNALS * 2 / 3, some = false;

	lw_strbuf_str(out, not ? "~[" : "[");
	for (u32 signal = 1; signal <= NR_SIGNALS; signal++) {
		struct lw_strbuf name = {};

		if ((set >> (signal - 1) & 1) == not)
			continue;
		if (some)
			lw_strbuf_char(out, ' ');
		lw_print_signal(&name, signal);
		/* without the SIG before it */
		if (name.len > 3)
			lw_strbuf_bytes(out, name.text + 3, name.len - 3);
		lw_strbuf_free(&name);
		some = true;
	}
	lw_strbuf_char(out, ']');
}

static bool print_set(struct lw_printing *p, u32 when)
{
	const u64 *set = lw_data_struct(p, when, sizeof(u64));

	if (!set)
		return lw_print_pointer(p);
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
		return lw_print_pointer(p);
	name = lw_name_of(&lw_names_handler, action->handler);
	lw_strbuf_str(p->out, "{sa_handler=");
	if (name)
		lw_strbuf_str(p->out, name);
	else
		lw_strbuf_hex(p->out, action->handler);
	lw_strbuf_str(p->out, ", sa_mask=");
	put_sigset(p->out, action->mask);
	lw_strbuf_str(p->out, ", sa_flags=");
	lw_print_flags(p->out, &lw_names_sa, action->flags);
	if (action->flags & RESTORER) {
		lw_strbuf_str(p->out, ", sa_restorer=");
		lw_strbuf_hex(p->out, action->restorer);
	}
	lw_strbuf_char(p->out, '}');
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

static void put_limit(struct lw_strbuf *out, u64 limit)
{
	if (limit == ~0ULL) {
		lw_strbuf_str(out, "RLIM64_INFINITY");
	} else if (limit > 1024 && !(limit % 1024)) {
		lw_strbuf_u64(out, limit / 1024);
		lw_strbuf_str(out, "*1024");
	} else {
		lw_strbuf_u64(out, limit);
	}
}

static bool print_limits(struct lw_printing *p, u32 when)
{
	const u64 *limits = lw_data_struct(p, when, 2 * sizeof(u64));

	if (!limits)
		return lw_print_pointer(p);
	lw_strbuf_str(p->out, "{rlim_cur=");
	put_limit(p->out, limits[0]);
	lw_strbuf_str(p->out, ", rlim_max=");
	put_limit(p->out, limits[1]);
	lw_strbuf_char(p->out, '}');
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
		return lw_print_pointer(p);
	lw_strbuf_str(p->out, "{ru_utime=");
	put_time(p->out, usage, "usec");
	lw_strbuf_str(p->out, ", ru_stime=");
	put_time(p->out, usage + 2, "usec");
	lw_strbuf_str(p->out, ", ...}");
	return true;
}

static bool print_utsname(struct lw_printing *p)
{
	const struct utsname *name = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(*name));

	if (!name)
		return lw_print_pointer(p);
	lw_strbuf_str(p->out, "{sysname=");
	lw_strbuf_quoted(p->out, name->sysname, strnlen(name->sysname, sizeof(name->sysname)));
	lw_strbuf_str(p->out, ", nodename=");
	lw_strbuf_quoted(p->out, name->nodename, strnlen(name->nodename, sizeof(name->nodename)));
	lw_strbuf_str(p->out, ", ...}");
	return true;
}

/* struct epoll_event has its data at byte 4. */
static void put_event(struct lw_strbuf *out, const u8 *event)
{
	u32 events;
	u64 data;

	memcpy(&events, event, sizeof(events));
	memcpy(&data, event + sizeof(events), sizeof(data));
	lw_strbuf_str(out, "{events=");
	lw_print_flags(out, &lw_names_epoll, events);
	lw_strbuf_str(out, ", data={u32=");
	lw_strbuf_u64(out, (u32)data);
	lw_strbuf_str(out, ", u64=");
	lw_strbuf_u64(out, data);
	lw_strbuf_str(out, "}}");
}

#define EVENT_SIZE	12
#define CTL_DEL		2

static bool print_event(struct lw_printing *p)
{
	const u8 *event = lw_data_struct(p, LW_SYSCALL_ENTRY, EVENT_SIZE);

	if (!event || p->call->args[1] == CTL_DEL)
		return lw_print_pointer(p);
	put_event(p->out, event);
	return true;
}

static bool print_events(struct lw_printing *p)
{
	const struct lw_call_data *data = lw_data_array(p, LW_SYSCALL_EXIT);

	if (!data)
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	for (u32 at = 0; at + EVENT_SIZE <= data->len; at += EVENT_SIZE) {
		if (at)
			lw_strbuf_str(p->out, ", ");
		put_event(p->out, p->call->bytes + data->at + at);
	}
	if (data->flags & LW_DATA_F_CUT)
		lw_strbuf_str(p->out, ", ...");
	lw_strbuf_char(p->out, ']');
	return true;
}

static void put_status(struct lw_strbuf *out, u32 status)
{
	if (WIFEXITED(status)) {
		lw_strbuf_str(out, "{WIFEXITED(s) && WEXITSTATUS(s) == ");
		lw_strbuf_u64(out, WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		lw_strbuf_str(out, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		lw_print_signal(out, WTERMSIG(status));
		if (WCOREDUMP(status))
			lw_strbuf_str(out, " && WCOREDUMP(s)");
	} else if (WIFSTOPPED(status)) {
		lw_strbuf_str(out, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		lw_print_signal(out, WSTOPSIG(status));
	} else {
		lw_strbuf_str(out, "{WIFCONTINUED(s)");
	}
	lw_strbuf_char(out, '}');
}

static bool print_status(struct lw_printing *p)
{
	const u32 *status = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(u32));

	if (!status || !p->call->ret)
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	put_status(p->out, *status);
	lw_strbuf_char(p->out, ']');
	return true;
}

const lw_printer lw_struct_printers[LW_ARG_KINDS] = {
	[LW_ARG_OPEN_HOW] = print_open_how,
	[LW_ARG_STAT] = print_stat,
	[LW_ARG_STATX] = print_statx,
	[LW_ARG_TIMESPEC] = print_timespec,
	[LW_ARG_TIMESPEC_OUT] = print_timespec_out,
	[LW_ARG_TIMEVAL] = print_timeval,
	[LW_ARG_TIMEVAL_OUT] = print_timeval_out,
	[LW_ARG_UTIMES] = print_utimes,
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
};
