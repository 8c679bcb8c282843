/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracer.h - who asks for stacks: a session, or another module.
 */
#ifndef LW_TRACER_H
#define LW_TRACER_H

#include <linux/percpu.h>
#include <linux/srcu.h>
#include <linux/types.h>

#include "include/linux/latewind.h"

#define LW_MAX_TRACERS		64	/* bits of an u64 */

/* Per-CPU counters of a tracer, in the order of struct lw_stats. */
enum lw_stat {
	LW_STAT_SAMPLES,
	LW_STAT_REQUESTS,
	LW_STAT_SHARED,
	LW_STAT_REFUSED_TASK,
	LW_STAT_REFUSED_SLOTS,
	LW_STAT_USER_STACKS,
	LW_STAT_OUTERMOST,
	LW_STAT_TRUNCATED,
	LW_STAT_LOST_WALKS,
	LW_STAT_NO_WALKS,
	LW_STAT_FRAMES_SFRAME,
	LW_STAT_FRAMES_FP,
	LW_STAT_FRAMES_SIGFRAME,
	LW_STAT_LOST_FULL,
	LW_STAT_LOST_BIG,
	LW_STAT_LOST_NESTED,
	LW_STAT_LOST_STACKS,
	LW_STAT_THROTTLED,
	LW_STAT_FILTERED,
	LW_STAT_WALKS,
	LW_STAT_SYSCALLS,
	LW_STAT_DATA_FAULTS,
	LW_STAT_FRAMES_TABLE,
	LW_STAT_TABLES_REFUSED,
	LW_NR_STATS,
};

struct lw_counters {
	u64	n[LW_NR_STATS];
};

/**
 * struct lw_after - something to be done for current when all have their stacks
 * @next: behind it, or NULL
 * @run: does it; @alive: current has the memory that it had when it was asked; context:
 *	task, without locks, may sleep long
 */
struct lw_after {
	struct lw_after	*next;
	void (*run)(struct lw_after *after, bool alive);
};

/**
 * struct lw_tracer - who asks
 * @id: bit of this tracer in a slot's mask; below LW_MAX_TRACERS
 * @epoch: in which the bit means this tracer, and after that
 * @depth: most frames; 0 while it may not ask yet
 * @mask: LW_MASK_*
 * @filter: NULL, or: is the tracer for current?  any context
 * @deliver: takes a stack; context: task, in tracers_srcu.  Return: false if it
 *	had no room
 * @collect: NULL, or: adds to a list what is to be done for a cookie, when all have
 *	their stacks; context: as @deliver
 * @options: as registered; of another module's only
 * @counters: per CPU; any context
 */
struct lw_tracer {
	unsigned int	id;
	u64		epoch;
	u32		depth;
	u32		mask;
	bool (*filter)(struct lw_tracer *tracer);
	bool (*deliver)(struct lw_tracer *tracer, const struct lw_stack *stack,
			const struct lw_cookie *cookie);
	void (*collect)(struct lw_tracer *tracer, const struct lw_cookie *cookie,
			struct lw_after **list);
	struct lw_tracer_options options;
	struct lw_counters __percpu *counters;
};

/* Any context, any CPU. */
static inline void lw_tracer_count(struct lw_tracer *tracer, enum lw_stat stat)
{
	this_cpu_inc(tracer->counters->n[stat]);
}

static inline void lw_tracer_add(struct lw_tracer *tracer, enum lw_stat stat,
				 u64 n)
{
	this_cpu_add(tracer->counters->n[stat], n);
}

int lw_tracer_publish(struct lw_tracer *tracer);
void lw_tracer_unpublish(struct lw_tracer *tracer);
bool lw_tracer_wants(struct lw_tracer *tracer);
u64 lw_tracer_sum(struct lw_tracer *tracer, enum lw_stat stat);

/* For those who deliver. */
int lw_tracers_lock(void);
void lw_tracers_unlock(int lock);
struct lw_tracer *lw_tracer_by_id(unsigned int id, u64 epoch);
u64 lw_tracers_epoch(void);

#endif /* LW_TRACER_H */
