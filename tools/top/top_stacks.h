/* SPDX-License-Identifier: GPL-2.0 */
/*
 * top_stacks.h - from samples as they come to the rows of 'latewind top'.
 */
#ifndef LW_TOP_STACKS_H
#define LW_TOP_STACKS_H

#include "top/top_rows.h"
#include "latewind.h"

struct lw_top_stacks;

struct lw_top_stacks *lw_top_stacks_new(struct lw_top *top, const struct lw_process_maps *procs,
					struct lw_symbolizer *symbolizer);
void lw_top_stacks_free(struct lw_top_stacks *stacks);
int lw_top_stacks_record(struct lw_top_stacks *stacks, const struct perf_event_header *record);
int lw_top_stacks_add(struct lw_top_stacks *stacks, u32 event, const char *cgroup,
		      const struct lw_sample *sample,
		      const struct lw_user_stack *stack);
int lw_top_stacks_tidy(struct lw_top_stacks *stacks);

#endif /* LW_TOP_STACKS_H */
