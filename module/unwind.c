// SPDX-License-Identifier: GPL-2.0
/*
 * unwind.c - the walk: ask for a rule, apply it, until the outermost frame.
 *
 * Context of all here: task context of the task whose stack it is, on its way
 * back to user space; faults and sleeps.  No lock is held while user memory is
 * read.  All that is read is hostile: each step is a bounded number of reads, and
 * the number of steps is bounded by the depth, which is LW_MAX_DEPTH at most.
 *
 * Each step raises the stack pointer, but for two kinds.  From the restorer of a
 * signal handler the walk goes on where the signal frame says, on whatever stack
 * that is; a row that is marked as a signal frame's must raise it as any other.
 * And a row with LW_RULE_SWITCH, which only tables of our converter have, leads from
 * one stack of a language's runtime to another.  Either can be made up so that it
 * leads to itself, and is then stopped by the depth.
 */
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "compat/uprobes.h"
#include "registered.h"
#include "sections.h"
#include "sframe.h"
#include "unwind.h"

/* Step results that are not an LW_END_*. */
#define STEP_NEXT	0

/**
 * struct lw_walk_memory - what a walk needs, for the next one to use again
 * @garbage: in the list of those to be freed
 * @depth: room in @frames and behind it
 * @mappings: of the walk
 * @frames: @depth of them, then @depth bytes of LW_HOW_*
 */
struct lw_walk_memory {
	struct llist_node garbage;
	u32		depth;
	struct lw_mappings mappings;
	u64		frames[];
};

/* One per CPU is kept. */
static DEFINE_PER_CPU(struct lw_walk_memory *, spare);
/* More than that, to be freed at the next walk. */
static LLIST_HEAD(garbage);

static void free_garbage(void)
{
	struct lw_walk_memory *memory, *next;

	llist_for_each_entry_safe(memory, next, llist_del_all(&garbage),
				  garbage)
		kvfree(memory);
}

static struct lw_walk_memory *get_memory(u32 depth)
{
	struct lw_walk_memory *memory = this_cpu_xchg(spare, NULL);

	free_garbage();
	if (memory && memory->depth >= depth)
		return memory;
	kvfree(memory);
	memory = kvmalloc(struct_size(memory, frames, depth) + depth,
			  GFP_KERNEL | __GFP_NOWARN);
	if (memory)
		memory->depth = depth;
	return memory;
}

/**
 * lw_walk_put - give back what lw_walk_prepare() took
 * @walk: may have taken nothing
 *
 * Frees nothing: freeing is an event that somebody may trace, and at the end of
 * a walk that would ask for the next one.
 *
 * Context: as lw_unwind(), but does not sleep.
 */
void lw_walk_put(struct lw_walk *walk)
{
	struct lw_walk_memory *memory = walk->memory;

	if (memory) {
		lw_mappings_release(&memory->mappings);
		memory = this_cpu_xchg(spare, memory);
	}
	if (memory)
		llist_add(&memory->garbage, &garbage);
	walk->memory = NULL;
}

/**
 * lw_walk_prepare - get ready for lw_unwind()
 * @walk: zeroed but for time and wanted, or used before
 * @depth: most frames, at least 1
 *
 * If there is no memory walk->end is LW_END_NOMEM and lw_unwind() does nothing.
 *
 * Context: as lw_unwind().
 */
void lw_walk_prepare(struct lw_walk *walk, u32 depth)
{
	lw_walk_put(walk);
	walk->nr = 0;
	walk->depth = depth;
	walk->end = 0;
	walk->end_how = LW_HOW_REGS;
	walk->memory = get_memory(depth);
	if (!walk->memory) {
		walk->end = LW_END_NOMEM;
		return;
	}
	walk->frames = walk->memory->frames;
	walk->how = (u8 *)(walk->frames + walk->memory->depth);
	walk->mappings = &walk->memory->mappings;
	lw_mappings_init(walk->mappings);
}

/**
 * lw_unwind_exit - free what is kept for the next walk
 *
 * Context: process, after the last walk.
 */
void lw_unwind_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu(spare, cpu));
	free_garbage();
}

/**
 * lw_unwind_read - read memory of current
 * @dst: kernel buffer
 * @addr: user address
 * @len: bytes
 *
 * Context: as lw_unwind().
 * Return: 0 or -EFAULT.
 */
int lw_unwind_read(void *dst, u64 addr, u32 len)
{
	return copy_from_user(dst, u64_to_user_ptr(addr), len) ? -EFAULT : 0;
}

/**
 * lw_unwind_read_code - read instructions of current
 * @code: kernel buffer
 * @addr: user address
 * @len: bytes
 *
 * The next page may not be mapped: as much as there is, then zeros.
 *
 * Context: as lw_unwind().
 */
void lw_unwind_read_code(u8 *code, u64 addr, u32 len)
{
	memset(code, 0, len);
	if (copy_from_user(code, u64_to_user_ptr(addr), len))
		return;
}

static u64 read_word(const struct lw_frame *frame, u64 addr, int *err)
{
	unsigned int size = lw_frame_word(frame);
	u64 word = 0;

	/* Byte order: a short one is the low half. */
	if (addr % size)
		*err = -EINVAL;
	else
		*err = lw_unwind_read(&word, addr, size);
	return word;
}

static void add_frame(struct lw_walk *walk, u64 ip, u8 how)
{
	walk->frames[walk->nr] = ip;
	walk->how[walk->nr] = how;
	walk->nr++;
}

static bool get_base(const struct lw_frame *frame,
		     const struct lw_rule_value *value, u64 cfa, u64 *base)
{
	switch (value->base) {
	case LW_BASE_SP:
		*base = frame->sp;
		return true;
	case LW_BASE_FP:
		*base = frame->fp;
		return frame->fp_known;
	case LW_BASE_CFA:
		*base = cfa;
		return true;
	case LW_BASE_REG:
		if (!frame->gprs_known || value->reg >= LW_ARCH_GPRS)
			return false;
		*base = frame->gprs[array_index_nospec(value->reg,
						       LW_ARCH_GPRS)];
		return true;
	default:
		return false;
	}
}

/* Return: 0, or how the walk ends. */
static int get_cfa(const struct lw_frame *frame, const struct lw_rule *rule, u64 *cfa)
{
	unsigned int i;
	int err;

	if (!get_base(frame, &rule->cfa, 0, cfa))
		return LW_END_NO_RULE;
	*cfa += (s64)rule->cfa.off;
	for (i = 0; i < rule->cfa.deref && i < LW_RULE_DEREFS; i++) {
		*cfa = read_word(frame, *cfa, &err) + (s64)rule->then[i];
		if (err)
			return LW_END_FAULT;
	}
	return 0;
}

/*
 * Callers are above: this is what makes a walk go on.  Where a language has more
 * than one stack its rows say so, and the depth alone bounds the walk, as with
 * signal frames.
 */
static bool goes_up(const struct lw_frame *frame, const struct lw_rule *rule, u64 cfa, u64 sp)
{
	if (rule->flags & LW_RULE_SWITCH)
		return true;
	if (cfa <= frame->sp || sp <= frame->sp)
		return false;
	/* A frame pointer points into a frame, this one or one above. */
	return rule->cfa.base != LW_BASE_FP || frame->fp >= frame->sp;
}

/* Return: 0, or how the walk ends if it can't do without. */
static int get_value(const struct lw_frame *frame,
		     const struct lw_rule_value *value, u64 cfa, u64 *to)
{
	int err;

	if (!get_base(frame, value, cfa, to))
		return LW_END_NO_RULE;
	*to += (s64)value->off;
	if (!value->deref)
		return 0;
	*to = read_word(frame, *to, &err);
	return err ? LW_END_FAULT : 0;
}

/*
 * Applies a rule.  On success @frame is the caller.
 */
static int apply(struct lw_frame *frame, const struct lw_rule *rule)
{
	u64 cfa, sp, ip, fp = frame->fp;
	bool fp_known = frame->fp_known;
	int err;

	err = get_cfa(frame, rule, &cfa);
	if (err)
		return err;
	sp = cfa + (s64)rule->sp_off;
	if (cfa % lw_frame_word(frame) || !goes_up(frame, rule, cfa, sp))
		return LW_END_BAD_CFA;
	err = get_value(frame, &rule->ra, cfa, &ip);
	if (err)
		return err;
	/* Only matters if a frame further up needs it. */
	if (rule->fp.base != LW_BASE_NONE)
		fp_known = !get_value(frame, &rule->fp, cfa, &fp);
	frame->fp = fp;
	frame->fp_known = fp_known;
	frame->gprs_known = false;
	frame->syscall = -1;
	frame->ip = ip;
	frame->sp = sp;
	frame->exact = rule->flags & LW_RULE_SIGNAL;
	/* The first frame of a thread or program has no caller. */
	return ip ? STEP_NEXT : LW_END_OUTERMOST;
}

static u64 lookup_key(const struct lw_frame *frame)
{
	/* A call at a function's end returns to what is behind it. */
	return frame->exact ? frame->ip : frame->ip - 1;
}

static int step_fp(struct lw_frame *frame, u8 *how)
{
	struct lw_rule rule;
	int err;

	*how = LW_HOW_FP;
	err = lw_unwind_fp(frame, &rule);
	if (err)
		return LW_END_NO_RULE;
	if (rule.flags & LW_RULE_OUTERMOST)
		return LW_END_OUTERMOST_FP;
	err = apply(frame, &rule);
	/* What a guess says is a guess. */
	return err == LW_END_OUTERMOST ? LW_END_OUTERMOST_FP : err;
}

static u8 how_by(const struct lw_rule *rule, u8 source)
{
	/* Says also that the caller's ip is no return address. */
	return rule->flags & LW_RULE_SIGNAL ? LW_HOW_SIGFRAME : source;
}

/*
 * What tables say, the best first.  A process knows its own code best; what came with a
 * file comes next; the table of a session is made for all of a file, and may be of
 * what the file itself has nothing to say of.
 *
 * Return: false if there is none.
 */
static bool find_rule(const struct lw_mapping *mapping, u64 pc, struct lw_rule *rule, u8 *how)
{
	if (mapping->registered && !lw_sframe_find(&mapping->registered->sframe, pc, rule)) {
		*how = how_by(rule, LW_HOW_REGISTERED);
		return true;
	}
	if (mapping->has_sframe && !lw_sframe_find(&mapping->sframe, pc, rule)) {
		*how = how_by(rule, LW_HOW_SFRAME);
		return true;
	}
	if (mapping->table && !lw_sframe_find(&mapping->table_sframe,
					      pc - mapping->table_bias, rule)) {
		*how = how_by(rule, LW_HOW_TABLE);
		return true;
	}
	return false;
}

/* Goes to the caller.  Return: STEP_NEXT or how the walk ends. */
static int step(struct lw_walk *walk, struct lw_frame *frame, u8 *how)
{
	const struct lw_mapping *mapping;
	struct lw_rule rule;
	int err;

	/* First, as nobody calls a restorer: ip - 1 is somebody else's code, or none. */
	*how = LW_HOW_SIGFRAME;
	err = lw_unwind_sigframe(frame);
	if (err != -ENOENT)
		return err ? LW_END_FAULT : STEP_NEXT;
	*how = LW_HOW_REGS;
	mapping = lw_mapping_find(walk->mappings, lookup_key(frame));
	if (IS_ERR(mapping))
		return PTR_ERR(mapping) == -EINTR ? LW_END_STOPPED :
						    LW_END_BAD_IP;
	if (frame->compat)
		return step_fp(frame, how);
	if (!walk->only_fp && find_rule(mapping, lookup_key(frame), &rule, how)) {
		if (rule.flags & LW_RULE_OUTERMOST)
			return LW_END_OUTERMOST;
		return apply(frame, &rule);
	}
	return step_fp(frame, how);
}

static bool is_code(struct lw_walk *walk, const struct lw_frame *frame)
{
	if (!IS_ERR(lw_mapping_find(walk->mappings, lookup_key(frame))))
		return true;
	/* A restorer may be the first thing in its mapping. */
	return !frame->exact && lw_unwind_is_restorer(frame) &&
	       !IS_ERR(lw_mapping_find(walk->mappings, frame->ip));
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
		walk->end_how = how;
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

/*
 * All other registers are those of the topmost frame too, unless what the task
 * entered the kernel with was changed since the request.
 */
static void add_gprs(struct lw_frame *frame, const struct lw_regs *regs)
{
	struct pt_regs *now = task_pt_regs(current);
	struct lw_regs same = lw_regs_of(now);

	frame->gprs_known = same.ip == regs->ip && same.sp == regs->sp &&
			    same.fp == regs->fp && same.compat == regs->compat;
	lw_arch_gprs(frame->gprs, now);
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
		.syscall = regs->syscall,
		.exact = true,
		.fp_known = true,
		.compat = regs->compat,
	};

	if (walk->end)
		return;
	add_frame(walk, frame.ip, LW_HOW_REGS);
	add_gprs(&frame, regs);
	walk->end = walk_frames(walk, &frame);
}
