/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracer.h - who asks for stacks: a session, or another module.
 */
#ifndef LW_TRACER_H
#define LW_TRACER_H

#include <linux/percpu.h>
#include <linux/srcu.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "include/linux/latewind.h"

#define LW_MAX_TRACERS		64	/* bits of an u64 */

/* A counter of a tracer is at the index that it has in struct lw_stats. */
#define LW_STAT_AT(member)	(offsetof(struct lw_stats, member) / sizeof(u64))
#define LW_NR_STATS		(sizeof(struct lw_stats) / sizeof(u64))

enum lw_stat {
	LW_STAT_SAMPLES		= LW_STAT_AT(samples),
	LW_STAT_REQUESTS	= LW_STAT_AT(requests),
	LW_STAT_SHARED		= LW_STAT_AT(shared),
	LW_STAT_REFUSED_TASK	= LW_STAT_AT(refused_task),
	LW_STAT_REFUSED_SLOTS	= LW_STAT_AT(refused_slots),
	LW_STAT_USER_STACKS	= LW_STAT_AT(user_stacks),
	LW_STAT_OUTERMOST	= LW_STAT_AT(outermost),
	LW_STAT_TRUNCATED	= LW_STAT_AT(truncated),
	LW_STAT_LOST_WALKS	= LW_STAT_AT(lost_walks),
	LW_STAT_NO_WALKS	= LW_STAT_AT(no_walks),
	LW_STAT_FRAMES_SFRAME	= LW_STAT_AT(frames_sframe),
	LW_STAT_FRAMES_FP	= LW_STAT_AT(frames_fp),
	LW_STAT_FRAMES_SIGFRAME	= LW_STAT_AT(frames_sigframe),
	LW_STAT_LOST_FULL	= LW_STAT_AT(lost_full),
	LW_STAT_LOST_BIG	= LW_STAT_AT(lost_big),
	LW_STAT_LOST_NESTED	= LW_STAT_AT(lost_nested),
	LW_STAT_LOST_STACKS	= LW_STAT_AT(lost_stacks),
	LW_STAT_THROTTLED	= LW_STAT_AT(throttled),
	LW_STAT_FILTERED	= LW_STAT_AT(filtered),
	LW_STAT_WALKS		= LW_STAT_AT(walks),
	LW_STAT_SYSCALLS	= LW_STAT_AT(syscalls),
	LW_STAT_DATA_FAULTS	= LW_STAT_AT(data_faults),
	LW_STAT_FRAMES_TABLE	= LW_STAT_AT(frames_table),
	LW_STAT_TABLES_REFUSED	= LW_STAT_AT(tables_refused),
	LW_STAT_FRAMES_ANALYSIS	= LW_STAT_AT(frames_analysis),
};

struct lw_counters {
	u64	n[LW_NR_STATS];
};

/**
 * struct lw_after - something to be done for current when all tracers have their stacks
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
 * @id: bit of this tracer in slots; below LW_MAX_TRACERS, given again after this tracer
 * @serial: no other tracer ever has it
 * @depth: most frames; 0 while it may not ask yet
 * @mask: LW_MASK_*
 * @filter: NULL, or: is the tracer for current?  any context
 * @deliver: takes a stack; context: task, in tracers_srcu.  Return: false if it
 *	had no room
 * @collect: NULL, or: adds to a list what is to be done for a cookie, when all tracers have
 *	their stacks; context: as @deliver
 * @options: as registered; of another module's only
 * @counters: per CPU; any context
 */
struct lw_tracer {
	unsigned int	id;
	u64		serial;
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
static inline void lw_tracer_add(struct lw_tracer *tracer, enum lw_stat stat, u64 n)
{
	this_cpu_add(tracer->counters->n[stat], n);
}

static inline void lw_tracer_count(struct lw_tracer *tracer, enum lw_stat stat)
{
	lw_tracer_add(tracer, stat, 1);
}

int lw_tracer_publish(struct lw_tracer *tracer);
void lw_tracer_unpublish(struct lw_tracer *tracer);
bool lw_tracer_wants(struct lw_tracer *tracer);

/* For those who deliver. */
int lw_tracers_lock(void);
void lw_tracers_unlock(int lock);
struct lw_tracer *lw_tracer_by_id(unsigned int id);

#endif /* LW_TRACER_H */
