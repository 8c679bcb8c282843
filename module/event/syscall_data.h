/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_data.h - user data that the arguments of a system call name.
 */
#ifndef LW_SYSCALL_DATA_H
#define LW_SYSCALL_DATA_H

#include <linux/types.h>

#include "latewind.h"

/**
 * struct lw_syscall_event - a system call that a session records
 * @id: in its records
 * @flags: LW_SYSCALL_*
 * @nr_args: length of @args
 * @args: user data to record
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
 * @time: when the probe ran, CLOCK_MONOTONIC, ns; 0: not taken yet
 * @until: LW_READ_NEARBY waits for no page after this time, CLOCK_MONOTONIC, ns
 * @ret: its result, on exit
 * @args: its arguments
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
 * struct lw_call_data - user data as a record holds it
 * @len: bytes, a multiple of 8
 * @nr: struct lw_syscall_data in it
 * @faults: bit by argument of the event: it could not be read to its end
 */
struct lw_call_data {
	u32	len;
	u32	nr;
	u32	faults;
};

/* For which pages a reader waits. */
enum lw_reading {
	LW_READ_NOTHING,	/* reads nothing: the call's memory is gone */
	LW_READ_ATOMIC,		/* for none, and not many reads: preemption is off */
	LW_READ_RESIDENT,	/* for none */
	LW_READ_NEARBY,		/* of memory, swap or a local disk, until lw_call.until */
	LW_READ_ALL,		/* for all, for ever if need be */
};

int lw_data_check(const struct lw_syscall_arg *arg, u32 flags);
u32 lw_data_most(const struct lw_syscall_event *event, u32 when);
void lw_data_read_atomic(const struct lw_syscall_event *event, const struct lw_call *call,
			 void *to, struct lw_call_data *data);
void *lw_data_read(const struct lw_syscall_event *event, const struct lw_call *call, u32 which,
		   enum lw_reading reading, u16 flags, struct lw_call_data *data);

#endif /* LW_SYSCALL_DATA_H */
