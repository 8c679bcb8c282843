// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * record.c - what is in the records of samples, stacks and modules.
 */
#include <string.h>

#include "private.h"

/* Behind the fixed part: addresses, and a cgroup's id. */
static size_t words_of(const struct lw_sample *sample)
{
	return sample->nr_kernel + !!(sample->record.flags & LW_SAMPLE_CGROUP);
}

bool latewind_sample_valid(const struct lw_record *record)
{
	const struct lw_sample *sample = (const struct lw_sample *)record;
	size_t left = record->len, words;
	u32 raw_size;

	if (left < sizeof(*sample))
		return false;
	left -= sizeof(*sample);
	words = words_of(sample);
	if (words > left / sizeof(u64))
		return false;
	left -= words * sizeof(u64);
	if (!(record->flags & LW_SAMPLE_RAW))
		return true;
	if (left < sizeof(raw_size))
		return false;
	latewind_sample_raw(sample, &raw_size);
	return raw_size <= left - sizeof(u32) && !((sizeof(u32) + raw_size) % sizeof(u64));
}

bool latewind_module_valid(const struct lw_record *record)
{
	const struct lw_module *module = (const struct lw_module *)record;

	return record->len >= sizeof(*module) && module->build_id_size <= LW_BUILD_ID_MAX &&
	       memchr(module->name, 0, sizeof(module->name)) &&
	       module->addr + module->text_size >= module->addr;
}

size_t latewind_sample_size(const struct lw_sample *sample)
{
	size_t size = sizeof(*sample) + words_of(sample) * sizeof(u64);
	u32 raw_size;

	if (latewind_sample_raw(sample, &raw_size))
		size += sizeof(u32) + raw_size;
	return size;
}

u64 latewind_sample_cgroup(const struct lw_sample *sample)
{
	return sample->record.flags & LW_SAMPLE_CGROUP ? sample->kernel[sample->nr_kernel] : 0;
}

const void *latewind_sample_raw(const struct lw_sample *sample, u32 *size)
{
	const u8 *at = (const u8 *)&sample->kernel[words_of(sample)];

	if (!(sample->record.flags & LW_SAMPLE_RAW))
		return NULL;
	memcpy(size, at, sizeof(*size));
	return at + sizeof(*size);
}

/* Bytes of a record with as many runs and frames. */
static size_t size_of(u32 nr_runs, u32 nr)
{
	return sizeof(struct lw_user_stack) + nr_runs * sizeof(struct lw_frame_run) +
	       ((nr + 1) & ~1U) * sizeof(__u32);
}

size_t latewind_stack_size(const struct lw_user_stack *stack)
{
	return size_of(stack->nr_runs, stack->nr);
}

bool latewind_stack_valid(const struct lw_record *record)
{
	const struct lw_user_stack *stack = (const struct lw_user_stack *)record;
	u32 nr = 0;

	if (record->len < sizeof(*stack) || record->len < latewind_stack_size(stack))
		return false;
	for (u32 i = 0; i < stack->nr_runs; i++) {
		if (!stack->runs[i].nr)
			return false;
		nr += stack->runs[i].nr;
	}
	return nr == stack->nr;
}

struct latewind_frame latewind_frames(const struct lw_user_stack *stack)
{
	return (struct latewind_frame) {
		.index = -1U,
		.run = stack->runs,
		.low = (const __u32 *)&stack->runs[stack->nr_runs],
		.left = stack->nr,
	};
}

bool latewind_frame_next(struct latewind_frame *frame)
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

size_t latewind_stack_addresses(const struct lw_user_stack *stack, u64 *addresses, size_t room)
{
	struct latewind_frame frame = latewind_frames(stack);
	size_t nr = 0;

	while (nr < room && latewind_frame_next(&frame))
		addresses[nr++] = frame.ip;
	return nr;
}
