/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_join.h - joins SAMPLE and USER_STACK records by their cookies.
 */
#ifndef LW_STACK_JOIN_H
#define LW_STACK_JOIN_H

#include "base/util.h"
#include "latewind.h"

/* Complete passes over all rings, about 1 s, that a stack waits for samples. */
#define LW_MERGE_KEEP_PASSES	10

struct lw_merge;

struct lw_merge_stats {
	u64 evicted;		/* samples given up for the memory limit */
	u64 orphans;		/* stacks that no sample came for */
	u64 duplicates;		/* second stacks of one cookie, dropped */
};

/* @stack is NULL where there is none, or none came. */
typedef int (*lw_merged_fn)(void *ctx, const struct lw_sample *sample,
			    const struct lw_user_stack *stack);

struct lw_merge *lw_merge_new(size_t max_bytes);
void lw_merge_free(struct lw_merge *merge);
int lw_merge_sample(struct lw_merge *merge, const struct lw_sample *sample);
int lw_merge_sample_ageless(struct lw_merge *merge, const struct lw_sample *sample);
int lw_merge_stack(struct lw_merge *merge, const struct lw_user_stack *stack);
void lw_merge_pass(struct lw_merge *merge, bool complete);
int lw_merge_give_up(struct lw_merge *merge);
int lw_merge_emit(struct lw_merge *merge, lw_merged_fn fn, void *ctx);
u64 lw_merge_oldest(const struct lw_merge *merge);
u64 lw_merge_pending(const struct lw_merge *merge);
const struct lw_merge_stats *lw_merge_stats(const struct lw_merge *merge);

#endif /* LW_STACK_JOIN_H */
