/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_data.h - user data that the arguments of a system call name.
 */
#ifndef LW_SYSCALL_DATA_H
#define LW_SYSCALL_DATA_H

#include <linux/types.h>

#include "latewind.h"

/**
 * struct lw_syscall_event - a call that a session wants
 * @id: in its records
 * @flags: LW_SYSCALL_*
 * @nr_args: length of @args
 * @args: user data to be taken
 */
struct lw_syscall_event {
	u64		id;
	u32		flags;
	u32		nr_args;
	struct lw_syscall_arg args[LW_MAX_SYSCALL_ARGS];
};

/**
 * struct lw_call - a system call that begins or ends
 * @nr: its number
 * @when: LW_SYSCALL_ENTRY or LW_SYSCALL_EXIT
 * @time: of it, or 0 if nobody wanted to know yet
 * @until: LW_READ_NEARBY: when pages are not waited for any more, CLOCK_MONOTONIC, ns
 * @ret: what it returned, on exit
 * @args: as they are now
 */
struct lw_call {
	u32		nr;
	u32		when;
	u64		time;
	u64		until;
	long		ret;
	unsigned long	args[6];
};

/**
 * struct lw_room - what the data of a call needs
 * @total: bytes in a record
 * @which: bit by argument of the event: it is due
 * @faults: likewise: it can't be read to its end, as it was measured
 * @bytes: of those
 */
struct lw_room {
	u32	total;
	u32	which;
	u32	faults;
	u32	bytes[LW_MAX_SYSCALL_ARGS];
};

/**
 * struct lw_taken - user data in a record
 * @end: behind it
 * @nr: struct lw_syscall_data that were written
 * @faults: bit by argument of the event: something of it could not be read
 * @flags: as written, of each
 * @pieces: where each is
 */
struct lw_taken {
	void	*end;
	u32	nr;
	u32	faults;
	u16	flags[LW_MAX_SYSCALL_ARGS];
	struct lw_syscall_data *pieces[LW_MAX_SYSCALL_ARGS];
};

/* How user memory is read. */
enum lw_reading {
	LW_READ_NOTHING,	/* it is not that of the call any more */
	LW_READ_BRIEFLY,	/* what is in memory, and not for long: preemption is off */
	LW_READ_RESIDENT,	/* what is in memory; task */
	LW_READ_NEARBY,		/* and what memory, swap or a local disk have; may sleep a moment */
	LW_READ_ALL,		/* waits for whoever brings the page; may sleep for ever */
};

int lw_data_check(const struct lw_syscall_arg *arg, u32 flags);
u32 lw_data_most(const struct lw_syscall_event *event, u32 when);
void lw_data_measure(const struct lw_syscall_event *event,
		     const struct lw_call *call, u32 which,
		     enum lw_reading reading, struct lw_room *room);
struct lw_taken lw_data_take(struct lw_syscall_data *at,
			     const struct lw_syscall_event *event,
			     const struct lw_call *call,
			     const struct lw_room *room,
			     enum lw_reading reading);
void *lw_data_read(const struct lw_syscall_event *event, const struct lw_call *call,
		   u32 which, enum lw_reading reading, struct lw_taken *taken);
void lw_data_mark(const struct lw_taken *taken, u16 had, u16 now);

#endif /* LW_SYSCALL_DATA_H */
