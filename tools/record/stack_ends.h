/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_ends.h - where the user stacks of a recording end, by program.
 */
#ifndef LW_STACK_ENDS_H
#define LW_STACK_ENDS_H

#include <latewind.h>

#include "base/json.h"
#include "symbols/process_maps.h"

#define LW_NR_ENDS	(LW_END_BUDGET + 1)

/**
 * struct lw_stack_ends_sum - the stacks of a program, or of all
 * @by_tables: that end with LW_END_OUTERMOST, and have no guess
 * @with_guesses: that end with it, and have callers that the frame pointer named
 * @cut: that end otherwise, by LW_END_*; 0: an end that this tool does not know
 */
struct lw_stack_ends_sum {
	u64 by_tables;
	u64 with_guesses;
	u64 cut[LW_NR_ENDS];
};

struct lw_stack_ends;

struct lw_stack_ends *lw_stack_ends_new(const char *proc);
void lw_stack_ends_free(struct lw_stack_ends *ends);
int lw_stack_ends_add(struct lw_stack_ends *ends, const struct lw_user_stack *stack);
int lw_stack_ends_settle(struct lw_stack_ends *ends, const struct lw_process_maps *procs);
const struct lw_stack_ends_sum *lw_stack_ends_all(const struct lw_stack_ends *ends);
void lw_stack_ends_say(const struct lw_stack_ends *ends, FILE *out);
void lw_stack_ends_json(const struct lw_stack_ends *ends, struct lw_json *json);

#endif /* LW_STACK_ENDS_H */
