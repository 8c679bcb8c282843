// SPDX-License-Identifier: GPL-2.0
/*
 * unwind.c - the walk: ask for a rule, apply it, until the outermost frame.
 *
 * Context of all here: task context of the task whose stack it is, on its way
 * back to user space; faults and sleeps.  No lock is held while user memory is
 * read.  All that is read is hostile: each step either raises the stack
 * pointer or goes through a signal frame, and the number of steps is bounded
 * by the depth.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "compat/uprobes.h"
#include "sections.h"
#include "sframe.h"
#include "unwind.h"

/* Step results that are not an LW_END_*. */
#define STEP_NEXT	0

/**
 * lw_walk_prepare - get ready for lw_unwind()
 * @walk: zeroed but for time and wanted, or used before
 * @depth: most frames, at least 1
 *
 * If there is no memory walk->end is LW_END_NOMEM and lw_unwind() does nothing.
 */
void lw_walk_prepare(struct lw_walk *walk, u32 depth)
{
	lw_walk_free(walk);
	walk->nr = 0;
	walk->depth = depth;
	walk->end = 0;
	walk->frames = kvmalloc(depth * (sizeof(u64) + sizeof(u8)),
				GFP_KERNEL | __GFP_NOWARN);
	walk->mappings = lw_mappings_alloc();
	if (!walk->frames || !walk->mappings) {
		walk->end = LW_END_NOMEM;
		return;
	}
	walk->how = (u8 *)(walk->frames + depth);
}

/**
 * lw_walk_free - free what lw_walk_prepare() made
 * @walk: may be empty
 */
void lw_walk_free(struct lw_walk *walk)
{
	kvfree(walk->frames);
	lw_mappings_free(walk->mappings);
	walk->frames = NULL;
	walk->mappings = NULL;
}

/**
 * lw_unwind_read - read memory of current
 * @dst: kernel buffer
 * @addr: user address
 * @len: bytes
 *
 * Return: 0 or -EFAULT.
 */
int lw_unwind_read(void *dst, u64 addr, u32 len)
{
	return copy_from_user(dst, u64_to_user_ptr(addr), len) ? -EFAULT : 0;
}

static u64 read_word(u64 addr, int *err)
{
	u64 word = 0;

	if (addr % LW_ARCH_WORD)
		*err = -EINVAL;
	else
		*err = lw_unwind_read(&word, addr, sizeof(word));
	return word;
}

static void add_frame(struct lw_walk *walk, u64 ip, u8 how)
{
	walk->frames[walk->nr] = ip;
	walk->how[walk->nr] = how;
	walk->nr++;
}

/*
 * Applies a rule.  On success @frame is the caller.  Only what is above the
 * stack pointer can be a frame of a caller, so the CFA must be.
 */
static int apply(struct lw_frame *frame, const struct lw_rule *rule)
{
	u64 base = rule->cfa_base == LW_BASE_FP ? frame->fp : frame->sp;
	u64 cfa = base + (s64)rule->cfa_off;
	u64 ip;
	int err;

	if (rule->cfa_base == LW_BASE_FP && !frame->fp_known)
		return LW_END_NO_RULE;
	if (cfa % LW_ARCH_WORD || cfa <= frame->sp)
		return LW_END_BAD_CFA;
	ip = read_word(cfa + (s64)rule->ra_off, &err);
	if (err)
		return LW_END_FAULT;
	if (rule->flags & LW_RULE_FP_SAVED) {
		frame->fp = read_word(cfa + (s64)rule->fp_off, &err);
		/* Only matters if a frame further up needs it. */
		frame->fp_known = !err;
	}
	frame->ip = ip;
	frame->sp = cfa + (s64)rule->sp_off;
	frame->exact = rule->flags & LW_RULE_SIGNAL;
	/* The first frame of a thread or program has no caller. */
	return ip ? STEP_NEXT : LW_END_OUTERMOST;
}

static u64 lookup_key(const struct lw_frame *frame)
{
	/* A call at a function's end returns to what is behind it. */
	return frame->exact ? frame->ip : frame->ip - 1;
}

static int step_sigframe(struct lw_frame *frame, u8 *how)
{
	*how = LW_HOW_SIGFRAME;
	return lw_unwind_sigframe(frame) ? LW_END_FAULT : STEP_NEXT;
}

static int step_fp(struct lw_frame *frame, u8 *how)
{
	struct lw_rule rule;
	int err;

	*how = LW_HOW_FP;
	err = lw_unwind_fp(frame, &rule);
	if (err)
		return err == -EFAULT ? LW_END_FAULT : LW_END_NO_RULE;
	if (rule.flags & LW_RULE_OUTERMOST)
		return LW_END_OUTERMOST;
	return apply(frame, &rule);
}

/* Goes to the caller.  Return: STEP_NEXT or how the walk ends. */
static int step(struct lw_walk *walk, struct lw_frame *frame, u8 *how)
{
	const struct lw_mapping *mapping;
	struct lw_rule rule;

	mapping = lw_mapping_find(walk->mappings, lookup_key(frame));
	if (IS_ERR(mapping))
		return PTR_ERR(mapping) == -EINTR ? LW_END_STOPPED :
						    LW_END_BAD_IP;
	/* First, as ip - 1 may belong to the function before the restorer. */
	if (lw_unwind_is_sigreturn(frame))
		return step_sigframe(frame, how);
	if (mapping->has_sframe &&
	    !lw_sframe_find(&mapping->sframe, lookup_key(frame), &rule)) {
		*how = LW_HOW_SFRAME;
		if (rule.flags & LW_RULE_OUTERMOST)
			return LW_END_OUTERMOST;
		return apply(frame, &rule);
	}
	return step_fp(frame, how);
}

static bool is_code(struct lw_walk *walk, const struct lw_frame *frame)
{
	return !IS_ERR(lw_mapping_find(walk->mappings, lookup_key(frame)));
}

static bool must_stop(const struct lw_walk *walk)
{
	return fatal_signal_pending(current) || !atomic64_read(walk->wanted);
}

static u32 walk_frames(struct lw_walk *walk, struct lw_frame *frame)
{
	u8 how;
	int ret;

	for (;;) {
		if (must_stop(walk))
			return LW_END_STOPPED;
		ret = step(walk, frame, &how);
		if (ret != STEP_NEXT)
			return ret;
		if (!is_code(walk, frame))
			return LW_END_BAD_IP;
		if (walk->nr == walk->depth)
			return LW_END_TRUNCATED;
		add_frame(walk, frame->ip, how);
		cond_resched();
	}
}

/**
 * lw_unwind - walk the user stack of current
 * @walk: prepared; its end, if set, is left
 * @regs: where to start
 *
 * Context: task_work or other task context without locks; faults and sleeps.
 */
void lw_unwind(struct lw_walk *walk, const struct lw_regs *regs)
{
	struct lw_frame frame = {
		.ip = lw_compat_uprobe_ip(regs->ip),
		.sp = regs->sp,
		.fp = regs->fp,
		.exact = true,
		.fp_known = true,
	};

	if (walk->end)
		return;
	add_frame(walk, frame.ip, LW_HOW_REGS);
	if (!lw_arch_is_native(task_pt_regs(current)))
		walk->end = LW_END_COMPAT;
	else
		walk->end = walk_frames(walk, &frame);
}
