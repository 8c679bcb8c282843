/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pool.h - slots for pending requests, found by task: a table that grows, and that NMIs
 * look into.
 */
#ifndef LW_POOL_H
#define LW_POOL_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "unwind/unwind.h"

struct task_struct;

/* Bit 0 of a slot's key; a task_struct is aligned to more. */
#define LW_SLOT_CLOSED		1UL

/**
 * struct lw_slot - the pending request of a task in this kernel entry
 * @key: where the pool has the task's address and LW_SLOT_CLOSED
 * @work: on the task's list while queued
 * @asked: bit per tracer that gets this stack
 * @claimed: bits of @asked that the callback has taken up
 * @counter: the cookie's; 0 while the slot is being filled
 * @exec_id: task->self_exec_id at the request
 * @cpu: the cookie's; a kernel has 8,192 at most
 * @queued: @work was handed to the task's list
 * @has_regs: @regs are set; else the callback takes the task's registers when it runs
 * @regs: user registers at the request
 */
struct lw_slot {
	unsigned long	*key;
	struct callback_head work;
	atomic64_t	asked;
	atomic64_t	claimed;
	u64		counter;
	u32		exec_id;
	u16		cpu;
	u8		queued;
	u8		has_regs;
	struct lw_regs	regs;
};

int lw_pool_init(void);
void lw_pool_exit(void);
struct lw_slot *lw_pool_find(const struct task_struct *task);
struct lw_slot *lw_pool_take(const struct task_struct *task);
void lw_pool_close(struct lw_slot *slot);
void lw_pool_release(struct lw_slot *slot);
struct lw_slot *lw_pool_next(unsigned int *at);
void lw_pool_stats(struct lw_stats *stats);

#endif /* LW_POOL_H */
