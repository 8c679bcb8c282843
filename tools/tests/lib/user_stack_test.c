// SPDX-License-Identifier: GPL-2.0
/*
 * user_stack_test.c - records of user stacks: which are taken, and what is read out of them.
 */
#include <string.h>

#include "private.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

#define LIB	0x7fff00000000ULL

static bool counts_that_do_not_fit_are_refused(void)
{
	static const u64 frames[3] = { 0x401000, 0x402000, LIB };
	union made_stack made = {};
	struct lw_user_stack *stack = &made.stack;

	set_frames(&made, frames, 3);
	CHECK(stack->nr_runs == 2 && stack->record.len == sizeof(*stack) + 2 * 8 + 16);
	CHECK(latewind_stack_valid(&stack->record));
	stack->record.len += 8;
	CHECK(latewind_stack_valid(&stack->record));
	stack->record.len -= 16;
	CHECK(!latewind_stack_valid(&stack->record));
	stack->record.len = 8;
	CHECK(!latewind_stack_valid(&stack->record));
	set_frames(&made, NULL, 0);
	CHECK(latewind_stack_valid(&stack->record));
	return true;
}

/* As many frames as all runs have: no more, no less, and none that is empty. */
static bool runs_add_up(void)
{
	static const u64 frames[4] = { 0x401000, 0x402000, LIB, LIB + 16 };
	union made_stack made = {};
	struct lw_user_stack *stack = &made.stack;

	set_frames(&made, frames, 4);
	stack->record.len = sizeof(made);
	CHECK(latewind_stack_valid(&stack->record));
	stack->nr = 3;
	CHECK(!latewind_stack_valid(&stack->record));
	stack->nr = 5;
	CHECK(!latewind_stack_valid(&stack->record));
	stack->nr = 4;
	stack->nr_runs = 1;
	CHECK(!latewind_stack_valid(&stack->record));
	stack->nr_runs = 2;
	stack->runs[0].nr = 0;
	stack->runs[1].nr = 4;
	CHECK(!latewind_stack_valid(&stack->record));
	stack->nr = 0xffff;
	stack->nr_runs = 0xffff;
	CHECK(!latewind_stack_valid(&stack->record));
	return true;
}

static bool is_frame(struct latewind_frame *frame, u64 ip, u8 how, u8 off, u32 index)
{
	return latewind_frame_next(frame) && frame->ip == ip && frame->how == how &&
	       frame->off == off && frame->index == index;
}

/* The topmost is where the task was, and so is what a signal has interrupted. */
static bool frames_are_read_in_turn(void)
{
	static const u64 frames[5] = { 0x401000, 0x402000, LIB, LIB + 0xffffffff, 0x403000 };
	struct latewind_frame frame;
	union made_stack made = {};

	set_frames(&made, frames, 5);
	made.stack.runs[1].how = LW_HOW_SIGFRAME;
	made.stack.runs[2].how = LW_HOW_FP;
	frame = latewind_frames(&made.stack);
	CHECK(is_frame(&frame, 0x401000, LW_HOW_REGS, 0, 0));
	CHECK(is_frame(&frame, 0x402000, LW_HOW_SFRAME, 1, 1));
	CHECK(is_frame(&frame, LIB, LW_HOW_SIGFRAME, 0, 2));
	CHECK(is_frame(&frame, LIB + 0xffffffff, LW_HOW_SIGFRAME, 0, 3));
	CHECK(is_frame(&frame, 0x403000, LW_HOW_FP, 1, 4));
	CHECK(!latewind_frame_next(&frame) && !latewind_frame_next(&frame));
	set_frames(&made, NULL, 0);
	frame = latewind_frames(&made.stack);
	CHECK(!latewind_frame_next(&frame));
	return true;
}

/* All of the deepest stack in runs of one frame. */
static bool the_largest_is_read(void)
{
	u64 frames[LW_MAX_DEPTH];
	struct latewind_frame frame;
	union made_stack made = {};
	u32 i;

	for (i = 0; i < LW_MAX_DEPTH; i++)
		frames[i] = (u64)i << 32 | i;
	set_frames(&made, frames, LW_MAX_DEPTH);
	CHECK(made.stack.record.len == sizeof(made) && latewind_stack_valid(&made.stack.record));
	frame = latewind_frames(&made.stack);
	for (i = 0; i < LW_MAX_DEPTH; i++)
		CHECK(latewind_frame_next(&frame) && frame.ip == frames[i]);
	CHECK(!latewind_frame_next(&frame));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(counts_that_do_not_fit_are_refused),
		TEST(runs_add_up),
		TEST(frames_are_read_in_turn),
		TEST(the_largest_is_read),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
