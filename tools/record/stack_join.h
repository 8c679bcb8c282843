/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_join.h - joins SAMPLE and USER_STACK records by their cookies.
 */
#ifndef LW_STACK_JOIN_H
#define LW_STACK_JOIN_H

#include "base/util.h"
#include "latewind.h"

/* Complete passes over all rings, about 1 s, that a stack waits for samples. */
#define LW_STACK_JOIN_KEEP_PASSES	10

struct lw_stack_join;

struct lw_stack_join_stats {
	u64 evicted;		/* samples given up for the memory limit */
	u64 orphans;		/* stacks that no sample came for */
	u64 duplicates;		/* second stacks of one cookie, dropped */
};

/* @stack is NULL where there is none, or none came. */
typedef int (*lw_joined_fn)(void *ctx, const struct lw_sample *sample,
			    const struct lw_user_stack *stack);

struct lw_stack_join *lw_stack_join_new(size_t max_bytes);
void lw_stack_join_free(struct lw_stack_join *join);
int lw_stack_join_sample(struct lw_stack_join *join, const struct lw_sample *sample);
int lw_stack_join_sample_ageless(struct lw_stack_join *join, const struct lw_sample *sample);
int lw_stack_join_stack(struct lw_stack_join *join, const struct lw_user_stack *stack);
void lw_stack_join_pass(struct lw_stack_join *join, bool complete);
int lw_stack_join_give_up(struct lw_stack_join *join);
int lw_stack_join_emit(struct lw_stack_join *join, lw_joined_fn fn, void *ctx);
u64 lw_stack_join_oldest(const struct lw_stack_join *join);
u64 lw_stack_join_pending(const struct lw_stack_join *join);
const struct lw_stack_join_stats *lw_stack_join_stats(const struct lw_stack_join *join);

#endif /* LW_STACK_JOIN_H */
