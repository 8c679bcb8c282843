/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pool.h - slots for what is pending, found by task: a table that grows and
 * shrinks, and that NMIs look into.
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
 * struct lw_slot - what is pending for a task in this kernel entry
 * @key: where the pool has the task's address and LW_SLOT_CLOSED
 * @work: on the task's list while queued
 * @asked: bit per tracer that gets this stack
 * @counter: the cookie's; 0 while the slot is being filled
 * @cpu: the cookie's
 * @exec_id: task->self_exec_id at the request
 * @epoch: of tracers that may be in @asked: this one, or older; 0 until it is filled
 * @queued: @work was handed to the task's list
 * @has_regs: what follows are the user registers at the request (struct lw_regs,
 *	in this order for its size); else they are taken when the callback runs
 * @compat: see @has_regs
 * @syscall: see @has_regs
 * @ip: see @has_regs
 * @sp: see @has_regs
 * @fp: see @has_regs
 */
struct lw_slot {
	unsigned long	*key;
	struct callback_head work;
	atomic64_t	asked;
	u64		counter;
	u32		cpu;
	u32		exec_id;
	u64		epoch;
	u8		queued;
	u8		has_regs;
	u8		compat;
	s32		syscall;
	u64		ip;
	u64		sp;
	u64		fp;
};

/**
 * struct lw_pool_stats - how full it is
 * @pending: slots in use
 * @slots: slots
 * @bytes: their memory
 */
struct lw_pool_stats {
	u64	pending;
	u64	slots;
	u64	bytes;
};

int lw_pool_init(void);
void lw_pool_exit(void);
struct lw_slot *lw_pool_find(const struct task_struct *task);
struct lw_slot *lw_pool_take(const struct task_struct *task);
void lw_pool_close(struct lw_slot *slot);
void lw_pool_release(struct lw_slot *slot);
void lw_pool_each(void (*see)(struct lw_slot *slot, void *arg), void *arg);
struct lw_pool_stats lw_pool_stats(void);

#endif /* LW_POOL_H */
