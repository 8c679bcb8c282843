/* SPDX-License-Identifier: GPL-2.0 */
/*
 * user_stack.h - the frames of a USER_STACK record.
 */
#ifndef LW_USER_STACK_H
#define LW_USER_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/util.h"
#include "latewind.h"

/**
 * struct lw_stack_frame - a frame of a stack, and where the next one is
 * @ip: its address
 * @how: LW_HOW_*
 * @off: what @ip is behind the instruction that it stands for: 1 for a return address, which
 *	belongs to the call before it, else 0
 * @index: 0 for the topmost
 * @run: the one that it is in
 * @in_run: frames of @run up to this one
 * @low: lower half of the next one's address
 * @left: frames behind this one
 */
struct lw_stack_frame {
	u64 ip;
	u8 how;
	u8 off;
	u32 index;
	const struct lw_frame_run *run;
	u32 in_run;
	const __u32 *low;
	u32 left;
};

bool lw_user_stack_valid(const struct lw_record *record);
size_t lw_user_stack_size(const struct lw_user_stack *stack);

struct lw_stack_frame lw_stack_frames(const struct lw_user_stack *stack);
bool lw_stack_frame_next(struct lw_stack_frame *frame);

#endif /* LW_USER_STACK_H */
