/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_join.h - from records of system calls to whole calls.
 */
#ifndef LW_SYSCALL_JOIN_H
#define LW_SYSCALL_JOIN_H

#include "base/hashtable.h"
#include "latewind.h"
#include "trace/signal_source.h"

/* A call has waited as long for its stack, or its data, when it is given up. */
#define LW_JOIN_WAIT_NS		(NSEC_PER_SEC / 2)

/* lw_call.state */
#define LW_CALL_BEGAN		0x1U	/* its begin was seen */
#define LW_CALL_ENDED		0x2U	/* its end was seen: @ret is valid */
#define LW_CALL_BORN		0x4U	/* no call: a child begins, with its parent's */

/*
 * No call: a signal is delivered.  @nr is its number; @args are si_errno, si_code, the handler,
 * whether the thread ends as another one of its process executes a program, and of a SIGKILL the
 * signal that was sent, 0 if that is not known.
 */
#define LW_CALL_SIGNAL		0x8U

#define LW_CALL_DATA_MAX	(2 * LW_MAX_SYSCALL_ARGS)

/* User data of one argument. */
struct lw_call_data {
	u8 arg;
	u8 kind;			/* LW_DATA_* */
	u8 when;			/* LW_SYSCALL_ENTRY or LW_SYSCALL_EXIT */
	u8 flags;			/* LW_DATA_F_* */
	u32 len;
	size_t at;			/* in lw_call.bytes */
};

/* LW_DATA_F_*: why it is not whole; 0 if it is. */
static inline u32 lw_call_data_flaws(const struct lw_call_data *data)
{
	return data->flags & ~LW_DATA_F_DEFERRED;
}

struct lw_call {
	struct lw_call *next;		/* private: queue, or those that are free */
	struct lw_hash_node waiting;	/* private: of those that wait, by cookie */
	u64 done;			/* private: when it was queued */
	u32 waits;			/* private: for what */
	struct lw_cookie cookie;
	u32 state;			/* LW_CALL_* */
	u32 nr;
	u32 pid, tid;
	u32 threads;			/* that were known when it ended */
	u64 lost;			/* records that were, up to then */
	u32 user;			/* LW_USER_*, of the stack */
	u64 begin, end;			/* CLOCK_MONOTONIC; 0: not known */
	s64 ret;
	u64 args[6];
	struct lw_call_data data[LW_CALL_DATA_MAX];
	u32 nr_data;
	u8 *bytes;
	size_t nr_bytes, byte_room;
	struct lw_user_stack *stack;	/* valid with @has_stack */
	size_t stack_room;
	bool has_stack;
};

struct lw_join_stats {
	u64 lost;			/* records that the rings had no room for */
	u64 late;			/* begins that came after their ends, dropped */
	u64 given_up;			/* calls whose stack or data did not come */
	u64 foreign;			/* of tasks that our PID namespace does not have */
	u64 bad_records;
};

struct lw_join;

/* The call is good until the return; a nonzero one ends the handing out. */
typedef int (*lw_call_fn)(void *ctx, const struct lw_call *call);

struct lw_join *lw_join_new(void);
void lw_join_free(struct lw_join *join);
int lw_join_record(struct lw_join *join, const struct lw_record *record);
int lw_join_signal(struct lw_join *join, const struct lw_signal *signal);
int lw_join_emit(struct lw_join *join, u64 now, lw_call_fn fn, void *ctx);
void lw_join_sweep(struct lw_join *join, u64 before, bool (*lives)(u32 tid));
void lw_join_give_up(struct lw_join *join);
bool lw_join_waits(const struct lw_join *join);
u64 lw_join_threads(const struct lw_join *join);
const struct lw_join_stats *lw_join_stats(const struct lw_join *join);
const struct lw_call_data *lw_call_find(const struct lw_call *call, u32 arg, u32 kind, u32 when);

#endif /* LW_SYSCALL_JOIN_H */
