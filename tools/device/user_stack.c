// SPDX-License-Identifier: GPL-2.0
/*
 * user_stack.c - the frames of a USER_STACK record.
 */
#include "device/user_stack.h"

/* Bytes of a record with as many runs and frames. */
static size_t size_of(u32 nr_runs, u32 nr)
{
	return sizeof(struct lw_user_stack) + nr_runs * sizeof(struct lw_frame_run) +
	       ((nr + 1) & ~1U) * sizeof(__u32);
}

/**
 * lw_user_stack_size - bytes of a stack
 * @stack: valid
 *
 * Return: what the record takes, which may be longer.
 */
size_t lw_user_stack_size(const struct lw_user_stack *stack)
{
	return size_of(stack->nr_runs, stack->nr);
}

/**
 * lw_user_stack_valid - does a record hold a whole struct lw_user_stack?
 * @record: of type LW_RECORD_USER_STACK
 *
 * Return: true if its counts fit its length, and each other.
 */
bool lw_user_stack_valid(const struct lw_record *record)
{
	const struct lw_user_stack *stack = (const struct lw_user_stack *)record;
	u32 nr = 0;

	if (record->len < sizeof(*stack) || record->len < lw_user_stack_size(stack))
		return false;
	for (u32 i = 0; i < stack->nr_runs; i++) {
		if (!stack->runs[i].nr)
			return false;
		nr += stack->runs[i].nr;
	}
	return nr == stack->nr;
}

/**
 * lw_stack_frames - to go through the frames of a stack
 * @stack: valid; is to stay
 *
 * Return: what lw_stack_frame_next() makes the topmost frame.
 */
struct lw_stack_frame lw_stack_frames(const struct lw_user_stack *stack)
{
	return (struct lw_stack_frame) {
		.index = -1U,
		.run = stack->runs,
		.low = (const __u32 *)&stack->runs[stack->nr_runs],
		.left = stack->nr,
	};
}

/**
 * lw_stack_frame_next - go to the next frame, which is the caller
 * @frame: of lw_stack_frames()
 *
 * Return: false if there is none.
 */
bool lw_stack_frame_next(struct lw_stack_frame *frame)
{
	if (!frame->left)
		return false;
	frame->left--;
	frame->index++;
	if (frame->in_run == frame->run->nr) {
		frame->run++;
		frame->in_run = 0;
	}
	frame->in_run++;
	frame->ip = (u64)frame->run->high << 32 | *frame->low++;
	frame->how = frame->index ? frame->run->how : LW_HOW_REGS;
	frame->off = frame->index && frame->how != LW_HOW_SIGFRAME;
	return true;
}
