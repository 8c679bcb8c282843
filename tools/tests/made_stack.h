/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_stack.h - USER_STACK records for tests.
 */
#ifndef LW_MADE_STACK_H
#define LW_MADE_STACK_H

#include <latewind.h>
#include <liblatewind.h>

#include "base/util.h"

/**
 * union made_stack - a record, with room for all that it may have
 * @stack: the record
 */
union made_stack {
	struct lw_user_stack stack;
	u8 bytes[sizeof(struct lw_user_stack) + LW_MAX_DEPTH * (sizeof(struct lw_frame_run) + 4)];
};

/* Gives it @nr frames, found by SFrame but for the topmost, and a header that fits. */
static inline void set_frames(union made_stack *made, const u64 *ips, u32 nr)
{
	struct lw_user_stack *stack = &made->stack;
	__u32 *low;

	stack->nr = nr;
	stack->nr_runs = 0;
	for (u32 i = 0; i < nr; i++) {
		if (!i || ips[i] >> 32 != ips[i - 1] >> 32)
			stack->runs[stack->nr_runs++] = (struct lw_frame_run) {
				.high = ips[i] >> 32, .how = LW_HOW_SFRAME,
			};
		stack->runs[stack->nr_runs - 1].nr++;
	}
	low = (__u32 *)&stack->runs[stack->nr_runs];
	for (u32 i = 0; i < nr; i++)
		low[i] = ips[i];
	stack->record.type = LW_RECORD_USER_STACK;
	stack->record.len = latewind_stack_size(stack);
}

#endif /* LW_MADE_STACK_H */
