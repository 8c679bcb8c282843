// SPDX-License-Identifier: GPL-2.0
/*
 * unwind.c - the walk: ask for a rule, apply it, until the outermost frame.
 *
 * Context of all here: task context of the task whose stack it is, on its way
 * back to user space; faults and sleeps.  No lock is held while user memory is
 * read.  All user memory is hostile.  A step is a bounded number of reads, a walk looks at a
 * bounded number of rows, and has LW_MAX_DEPTH steps at most.
 *
 * A step is made in one of two ways, with the same result.  walk_kept() makes steps with
 * rules that this CPU keeps, without faults and without preemption.  walk_step_any() makes
 * the first step that walk_kept() can't make, and keeps its rule where it may.  Nearly all
 * steps are made by walk_kept(), where each instruction counts.
 *
 * Each step raises the stack pointer, with three exceptions.  A row with the return address in a
 * register, or in the caller's frame (s390x), may leave it, once, as such a row counts in the
 * topmost frame only.  From the restorer
 * of a signal handler the walk goes on where the signal frame says, on any stack; a row that is
 * marked as a signal frame's must raise it as any other.  And a row with LW_RULE_SWITCH, which only
 * tables of our converter have, leads from one stack of a language's runtime to another.  The last
 * two can be forged so that they lead to themselves; then the depth ends the walk.
 */
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "sigframe.h"
#include "compat/mm_seq.h"
#include "compat/uprobes.h"
#include "mappings.h"
#include "missing.h"
#include "nearby.h"
#include "registered.h"
#include "resident.h"
#include "rules.h"
#include "sframe/sframe.h"
#include "tables.h"
#include "unwind.h"

/* Step results that are not an LW_END_*. */
#define STEP_NEXT	0
/* Likewise; why walk_kept() makes no further step: */
#define STEP_SLOWLY	-1	/* walk_step_any() has to make the step */
#define STEP_LOOK	-2	/* the mapping has to be looked at first */
#define STEP_PAUSE	-3	/* preemption has to be on for a moment, or the window moves */
/* A rule goes by a general register, and the walk has not followed these. */
#define STEP_FOLLOW	-4

/*
 * Rows of tables that a walk looks at: some milliseconds of a machine of today.  The longest
 * function met so far has 6,942; a forged one may have 65,535 for each frame.  The walk ends
 * when fewer rows are left than the dearest look-up may take.
 */
#define MAX_ROWS	1048576U
#define MIN_ROWS	(4 * LW_SFRAME_MAX_ROWS)

/* Waits of one look-up, as pages may go again: a section's headers and its parts are on a few. */
#define MAX_WAITS	64U

/* Bytes of the stack that walk_window() reads, from the stack pointer on. */
#define WINDOW		SZ_64K
/* Steps without preemption. */
#define STEPS_AT_ONCE	32U

/**
 * struct lw_walk_memory - memory of a walk, kept for the next one
 * @garbage: in the list of memory to be freed
 * @depth: room in @frames and behind it
 * @era: of lw_unwind_forget(), when @mappings was made
 * @mappings: mappings that are known
 * @gprs: of struct lw_frame
 * @frames: @depth of them, then @depth of struct lw_frame_run and bytes of LW_HOW_*
 */
struct lw_walk_memory {
	struct llist_node garbage;
	u32		depth;
	int		era;
	struct lw_mappings *mappings;
	u64		gprs[LW_ARCH_GPRS];
	u64		frames[];
};

/*
 * Kept for the next walk on this CPU.  A walk takes the memory out by xchg() and so owns it;
 * lw_unwind_forget() does so from another CPU.
 */
static DEFINE_PER_CPU(struct lw_walk_memory *, spare);
/* More than that, to be freed at the next walk; it holds no mappings any more. */
static LLIST_HEAD(garbage);
/* Memory of an older era is not used again. */
static atomic_t era = ATOMIC_INIT(0);

static void walk_free_memory(struct lw_walk_memory *memory)
{
	if (memory)
		lw_mappings_free(memory->mappings);
	kvfree(memory);
}

static void walk_free_garbage(void)
{
	struct lw_walk_memory *memory, *next;

	if (llist_empty(&garbage))
		return;
	llist_for_each_entry_safe(memory, next, llist_del_all(&garbage),
				  garbage)
		walk_free_memory(memory);
}

static void walk_throw_away(struct lw_walk_memory *memory)
{
	if (!memory)
		return;
	lw_mappings_drop(memory->mappings);
	llist_add(&memory->garbage, &garbage);
}

/* Return: memory for a walk of @depth, with the mappings that this CPU knows, or NULL. */
static struct lw_walk_memory *walk_get_memory(u32 depth)
{
	/* First: lw_walk_put() compares it again, and sees each lw_unwind_forget() from here on. */
	int now = atomic_read_acquire(&era);
	struct lw_walk_memory *memory = xchg(raw_cpu_ptr(&spare), NULL);
	struct lw_mappings *mappings = NULL;

	walk_free_garbage();
	if (memory && memory->era == now) {
		if (memory->depth >= depth)
			return memory;
		mappings = memory->mappings;
		memory->mappings = NULL;
	}
	walk_free_memory(memory);
	memory = kvmalloc(struct_size(memory, frames, depth) +
			  depth * (sizeof(struct lw_frame_run) + 1), lw_walk_gfp());
	if (!mappings)
		mappings = lw_mappings_make();
	if (!memory || !mappings) {
		lw_mappings_free(mappings);
		kvfree(memory);
		return NULL;
	}
	memory->depth = depth;
	memory->era = now;
	memory->mappings = mappings;
	return memory;
}

/**
 * lw_walk_put - give back what lw_walk_prepare() took
 * @walk: may have taken nothing
 *
 * Frees nothing: freeing is an event that a tracer may ask for, and at the end of
 * a walk that would ask for the next walk.
 *
 * Context: as lw_unwind(), but does not sleep.
 */
void lw_walk_put(struct lw_walk *walk)
{
	struct lw_walk_memory *memory = walk->memory, *old = NULL, **here;
	unsigned int known;
	int of_era;

	if (!memory)
		return;
	walk->memory = NULL;
	of_era = memory->era;
	known = memory->mappings->let_go ? 0 : memory->mappings->nr;
	preempt_disable_notrace();
	here = this_cpu_ptr(&spare);
	memory = xchg(here, memory);
	/* Another walk was here while this one slept: the memory that knows more stays. */
	if (memory && memory->mappings->nr > known)
		memory = xchg(here, memory);
	/* Each xchg() is a barrier: lw_unwind_forget() finds our memory, or we see its era. */
	if (unlikely(atomic_read(&era) != of_era))
		old = xchg(here, NULL);
	preempt_enable_notrace();
	walk_throw_away(memory);
	walk_throw_away(old);
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
	walk->follow = false;
	walk->end_how = LW_HOW_REGS;
	walk->rows_left = MAX_ROWS;
	/* One more frame tells that the stack is cut, see walk_window(). */
	walk->memory = walk_get_memory(depth + 1);
	if (!walk->memory) {
		walk->end = LW_END_NOMEM;
		return;
	}
	walk->frames = walk->memory->frames;
	walk->runs = (struct lw_frame_run *)(walk->frames + walk->memory->depth);
	walk->how = (u8 *)(walk->runs + walk->memory->depth);
	walk->mappings = walk->memory->mappings;
	lw_mappings_begin(walk->mappings);
	lw_rules_make();
}

/**
 * lw_unwind_forget - free what is kept for the next walk
 *
 * Walks under way free theirs at their end.
 *
 * Context: process, may sleep.
 */
void lw_unwind_forget(void)
{
	int cpu;

	atomic_inc(&era);
	/* Pairs with lw_walk_put(): xchg() is a barrier. */
	for_each_possible_cpu(cpu) {
		walk_free_memory(xchg(per_cpu_ptr(&spare, cpu), NULL));
		cond_resched();
	}
	walk_free_garbage();
}

/*
 * Maps a page if that takes no wait, as for most pages that a process has not touched yet.
 *
 * Return: 0, -EFAULT (there is none), or -EAGAIN.
 */
static int walk_bring_page(u64 addr)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	vm_fault_t fault = VM_FAULT_RETRY;

	addr = lw_arch_address(addr);
	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	vma = find_vma(mm, addr);
	if (!vma || !(vma->vm_flags & (vma->vm_start <= addr ? VM_READ : VM_GROWSDOWN)))
		fault = VM_FAULT_SIGSEGV;
	/* Where nothing is read ahead a fault would read from the disk under mmap_lock. */
	else if (vma->vm_start <= addr && lw_vma_is_nearby(vma) && !(vma->vm_flags & VM_RAND_READ))
		fault = handle_mm_fault(vma, addr, FAULT_FLAG_ALLOW_RETRY |
					FAULT_FLAG_RETRY_NOWAIT, NULL);
	mmap_read_unlock(mm);
	if (fault & VM_FAULT_ERROR)
		return -EFAULT;
	return fault & VM_FAULT_RETRY ? -EAGAIN : 0;
}

/* Return: likewise, of @len bytes on two pages at most. */
static int walk_bring(u64 addr, u32 len)
{
	int ret = walk_bring_page(addr);

	if (!ret && offset_in_page(addr) + len > PAGE_SIZE)
		ret = walk_bring_page(addr + len - 1);
	return ret;
}

/*
 * Reads memory of which some was not there, and waits for it.  A page may never come (FUSE,
 * userfaultfd), and what a walk holds meanwhile is charged to nobody who can give it back.
 *
 * Return: bytes that could not be read.
 */
static noinline unsigned long walk_copy_missing(struct lw_mappings *mappings, void *dst, u64 addr,
						u32 len)
{
	int ret = walk_bring(addr, len);

	if (ret == -EFAULT)
		return len;
	if (!ret && !lw_copy_resident(dst, addr, len))
		return 0;
	lw_mappings_let_go(mappings);
	return copy_from_user(dst, u64_to_user_ptr(addr), len);
}

static unsigned long walk_copy_waiting(struct lw_mappings *mappings, void *dst, u64 addr, u32 len)
{
	unsigned long left = lw_copy_resident(dst, addr, len);

	if (likely(!left) || pagefault_disabled())
		return left;
	return walk_copy_missing(mappings, dst, addr, len);
}

/**
 * lw_unwind_read - read memory of current
 * @mappings: of the walk, which are let go before a wait
 * @dst: kernel buffer
 * @addr: user address
 * @len: bytes
 *
 * Context: as lw_unwind().
 * Return: 0 or -EFAULT.
 */
int lw_unwind_read(struct lw_mappings *mappings, void *dst, u64 addr, u32 len)
{
	return walk_copy_waiting(mappings, dst, addr, len) ? -EFAULT : 0;
}

/**
 * lw_unwind_read_code - read instructions of current
 * @frame: where the walk is
 * @code: kernel buffer
 * @addr: user address
 * @len: bytes
 * @wait: for a page that is not there; mappings are let go before
 *
 * The next page may not be mapped: then zeros follow the code.
 *
 * Context: as lw_unwind().
 * Return: 0, or -EFAULT if not all was seen.
 */
int lw_unwind_read_code(const struct lw_frame *frame, u8 *code, u64 addr, u32 len, bool wait)
{
	unsigned long left;

	memset(code, 0, len);
	left = wait ? walk_copy_waiting(frame->mappings, code, addr, len) :
		      lw_copy_resident(code, addr, len);
	return left ? -EFAULT : 0;
}

/**
 * lw_unwind_read_word - read a word of current's memory, of the size that its code has
 * @frame: where the walk is
 * @addr: user address
 * @err: out: 0, -EFAULT, or -EINVAL if the address is not aligned
 *
 * Context: as lw_unwind().
 * Return: the word, if @err is 0.
 */
u64 lw_unwind_read_word(const struct lw_frame *frame, u64 addr, int *err)
{
	unsigned int size = lw_frame_word(frame);
	u64 word = 0;

	if (addr % size)
		*err = -EINVAL;
	else
		*err = lw_unwind_read(frame->mappings, &word, addr, size);
	/* A word of 32-bit code is at the lower address: the low half on little-endian machines. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) && size < sizeof(word))
		word >>= 8 * (sizeof(word) - size);
	return word;
}

static void walk_add_frame(struct lw_walk *walk, u64 ip, u8 how)
{
	walk->frames[walk->nr] = ip;
	walk->how[walk->nr] = how;
	walk->nr++;
}

/* @gprs: bits of the registers that may be used */
static bool walk_get_base(const struct lw_frame *frame, const struct lw_rule_value *value,
			  u32 gprs, u64 cfa, u64 *base)
{
	switch (value->base) {
	case LW_BASE_SP:
		*base = frame->sp;
		return !frame->sp_lost;
	case LW_BASE_FP:
		*base = frame->fp;
		return frame->fp_known;
	case LW_BASE_CFA:
		*base = cfa;
		return true;
	case LW_BASE_REG:
		if (value->reg >= LW_ARCH_GPRS || !(gprs & BIT(value->reg)))
			return false;
		*base = frame->gprs[array_index_nospec(value->reg,
						       LW_ARCH_GPRS)];
		return true;
	default:
		return false;
	}
}

/* OpenSSL's bn_mul_mont() keeps the old stack pointer behind an array on the stack. */
static bool walk_add_index(const struct lw_frame *frame, u8 index, u64 *cfa)
{
	if (!index)
		return true;
	if (index > LW_ARCH_GPRS || !(frame->gprs_known & BIT(index - 1)))
		return false;
	*cfa += frame->gprs[array_index_nospec(index - 1, LW_ARCH_GPRS)] * 8;
	return true;
}

/* Return: 0, or how the walk ends. */
static int walk_get_cfa(const struct lw_frame *frame, const struct lw_rule *rule, u64 *cfa)
{
	unsigned int i;
	int err;

	if (!walk_get_base(frame, &rule->cfa, frame->gprs_known, 0, cfa) ||
	    !walk_add_index(frame, rule->cfa.index, cfa))
		return LW_END_NO_RULE;
	*cfa += (s64)rule->cfa.off;
	for (i = 0; i < rule->cfa.deref && i < LW_RULE_DEREFS; i++) {
		*cfa = lw_unwind_read_word(frame, *cfa, &err) + (s64)rule->then[i];
		if (err)
			return LW_END_FAULT;
	}
	return 0;
}

/* Such a row holds in the topmost frame and under a signal frame, so it leads on once. */
static bool walk_has_ra_in_register(const struct lw_rule *rule)
{
	return rule->ra.base == LW_BASE_REG && !rule->ra.deref;
}

/*
 * May the caller have the same stack pointer?  On s390x a function saves registers in its caller's
 * frame, before it makes its own, and whoever calls has made one.
 */
static bool walk_may_stay(const struct lw_frame *frame, const struct lw_rule *rule)
{
	return walk_has_ra_in_register(rule) ||
	       (rule->sp_off && frame->exact && !(rule->flags & LW_RULE_SIGNAL));
}

/*
 * Callers are above, so that a walk comes to its end.  A function that has nothing on the stack
 * any more, such as vfork() when it enters the kernel, has its caller's stack pointer.  Where a
 * language has more than one stack its rows say so, and the depth alone bounds the walk, as with
 * signal frames.
 */
static bool walk_goes_up(const struct lw_frame *frame, const struct lw_rule *rule, u64 cfa, u64 sp)
{
	u64 from = lw_arch_address(frame->sp);

	if (rule->flags & LW_RULE_SWITCH)
		return true;
	cfa = lw_arch_address(cfa);
	sp = lw_arch_address(sp);
	if (cfa < from || sp < from)
		return false;
	if ((cfa == from || sp == from) && !walk_may_stay(frame, rule))
		return false;
	/* A frame pointer points into a frame, this one or one above. */
	return rule->cfa.base != LW_BASE_FP || lw_arch_address(frame->fp) >= from;
}

/* Return: 0, or how the walk ends if it needs the value. */
static int walk_get_value(const struct lw_frame *frame,
			  const struct lw_rule_value *value, u64 cfa, u64 *to)
{
	int err;

	if (!walk_get_base(frame, value, frame->gprs_sure, cfa, to))
		return LW_END_NO_RULE;
	*to += (s64)value->off;
	if (!value->deref)
		return 0;
	*to = lw_unwind_read_word(frame, *to, &err);
	return err ? LW_END_FAULT : 0;
}

static void walk_forget_gprs(struct lw_frame *frame)
{
	frame->gprs_known = 0;
	frame->gprs_sure = 0;
	frame->gprs_left = false;
}

/* @told: a row says whether, and where, the function has saved the register: @saved */
static void walk_follow_gpr(struct lw_frame *frame, u8 reg, bool told, s32 saved, u64 cfa)
{
	u32 bit = BIT(reg);
	u64 value;
	int err;

	if (told && !saved)
		return;
	frame->gprs_sure &= ~bit;
	if (!told)
		return;
	frame->gprs_known &= ~bit;
	if (saved == LW_RULE_GONE)
		return;
	value = lw_unwind_read_word(frame, cfa + (s64)saved, &err);
	if (err)
		return;
	frame->gprs[reg] = value;
	frame->gprs_known |= bit;
	frame->gprs_sure |= bit;
}

/*
 * Goes from the registers of a frame to those of its caller.  A register that no row tells of is
 * taken as unchanged, as by perf and gdb, but is not sure.
 */
static void walk_follow_gprs(struct lw_frame *frame, const struct lw_rule *rule, u64 cfa)
{
	static const u8 regs[LW_RULE_SAVED] = LW_ARCH_SAVED_GPRS;
	u32 sure = 0;
	unsigned int i;

	for (i = 0; i < LW_RULE_SAVED; i++) {
		walk_follow_gpr(frame, regs[i], rule->told & BIT(i), rule->saved[i], cfa);
		sure |= frame->gprs_sure & BIT(regs[i]);
	}
	frame->gprs_sure = sure;
}

/* Applies a rule.  Return: STEP_NEXT, @frame is the caller; or how the walk ends. */
static int walk_apply(struct lw_frame *frame, const struct lw_rule *rule, bool follow)
{
	u64 cfa, sp, ip, fp = frame->fp;
	bool fp_known = frame->fp_known;
	int err;

	err = walk_get_cfa(frame, rule, &cfa);
	if (err)
		return err;
	if (walk_has_ra_in_register(rule) && !frame->exact)
		return LW_END_NO_RULE;
	sp = cfa + (s64)rule->sp_off;
	if (cfa % lw_frame_word(frame) || !walk_goes_up(frame, rule, cfa, sp))
		return LW_END_BAD_CFA;
	err = walk_get_value(frame, &rule->ra, cfa, &ip);
	if (err)
		return err;
	ip = lw_arch_return_address(ip, frame->compat);
	/* The walk goes on without the frame pointer, until a frame needs it. */
	if (rule->fp.base != LW_BASE_NONE)
		fp_known = !walk_get_value(frame, &rule->fp, cfa, &fp);
	/* Only a row for a call tells what the caller has in its registers. */
	if (follow && !(rule->flags & LW_RULE_SIGNAL))
		walk_follow_gprs(frame, rule, cfa);
	else
		walk_forget_gprs(frame);
	frame->fp = fp;
	frame->fp_known = fp_known;
	frame->sp_lost = rule->flags & LW_RULE_SP_LOST;
	frame->syscall = -1;
	frame->ip = ip;
	frame->sp = sp;
	frame->exact = rule->flags & LW_RULE_SIGNAL;
	/* The first frame of a thread or program has no caller. */
	return ip ? STEP_NEXT : LW_END_OUTERMOST;
}

static u64 walk_lookup_key(const struct lw_frame *frame)
{
	/* A call at a function's end returns behind the function. */
	return frame->exact ? frame->ip : frame->ip - 1;
}

/* Rules of larger mappings are not kept: the key has twice the offset. */
#define MAX_KEPT	SZ_2G

static __always_inline u32 walk_at_of(u64 off, bool exact)
{
	return off << 1 | exact;
}

/* Without the stack pointer the same code may have another rule; see lw_rule_id(). */
static __always_inline u64 walk_id_of(u64 id, bool sp_lost)
{
	return LW_ARCH_LOSES_SP && sp_lost ? id + 1 : id;
}

/* Keeps a rule, unless the same code may have another one when it is met again. */
static void walk_keep_rule(const struct lw_mapping *mapping, const struct lw_frame *frame,
			   const struct lw_rule *rule, u8 how)
{
	struct lw_rule_key key = {
		.id = walk_id_of(mapping->id, frame->sp_lost),
		.at = walk_at_of(walk_lookup_key(frame) - mapping->start, frame->exact),
	};
	struct lw_rule_cache *cache;

	/*
	 * A page that could not be read now may be there next time, and in its exit a task
	 * waits for none.  The step may have read code behind the mapping, which can change
	 * without it.
	 */
	if (frame->unseen || current->flags & PF_EXITING || mapping->once ||
	    frame->ip > mapping->seen.end - LW_UNWIND_CODE_MAX ||
	    (how == LW_HOW_FP && !mapping->lasting) || mapping->end - mapping->start > MAX_KEPT ||
	    lw_compat_mm_changed(current->mm, mapping->seq))
		return;
	preempt_disable();
	cache = lw_rules_here();
	if (cache && !lw_rule_cache_find(cache, key))
		lw_rule_cache_put(cache, key, rule, how);
	preempt_enable();
}

static int walk_step_fp(const struct lw_mapping *mapping, struct lw_frame *frame, bool follow,
			u8 *how)
{
	struct lw_rule rule;
	int err;

	*how = LW_HOW_FP;
	err = lw_unwind_fp(frame, &rule);
	if (err)
		return frame->compat && !LW_ARCH_COMPAT_FRAMES ? LW_END_COMPAT : LW_END_NO_RULE;
	if (rule.flags & LW_RULE_OUTERMOST)
		return LW_END_OUTERMOST_FP;
	if (!frame->compat)
		walk_keep_rule(mapping, frame, &rule, LW_HOW_FP);
	err = walk_apply(frame, &rule, follow);
	/* The end that a guess leads to is a guess. */
	return err == LW_END_OUTERMOST ? LW_END_OUTERMOST_FP : err;
}

/* Of a rule of a table; from there on LW_HOW_* alone says where the rule is from. */
static u8 walk_how_by_table(struct lw_rule *rule)
{
	u8 how = rule->flags & LW_RULE_ANALYSED ? LW_HOW_ANALYSIS : LW_HOW_TABLE;

	rule->flags &= ~LW_RULE_ANALYSED;
	return how;
}

static u8 walk_how_by(const struct lw_rule *rule, u8 source)
{
	/* LW_HOW_SIGFRAME says also that the caller's ip is no return address. */
	return rule->flags & LW_RULE_SIGNAL ? LW_HOW_SIGFRAME : source;
}

/* A look-up that failed for want of memory, or of rows, says nothing of the table. */
static bool walk_has_rule(struct lw_walk *walk, struct lw_frame *frame,
			  const struct lw_sframe *sframe, u64 pc, struct lw_rule *rule)
{
	int ret = lw_sframe_find_within(sframe, pc, rule, &walk->rows_left);

	frame->unseen |= ret < 0 || ret == LW_SFRAME_TOO_MANY_ROWS;
	return !ret;
}

/*
 * Looks for a rule, in the best source first.  A process knows its own code best; the file's
 * section comes next; the table of a session is made for all of a file, and may cover code that
 * the section does not.
 *
 * Return: false if there is none.
 */
static bool walk_find_rule(struct lw_walk *walk, const struct lw_mapping *mapping,
			   struct lw_frame *frame, struct lw_rule *rule, u8 *how)
{
	u64 pc = walk_lookup_key(frame);

	if (mapping->registered &&
	    walk_has_rule(walk, frame, &mapping->registered->sframe, pc, rule)) {
		*how = LW_HOW_REGISTERED;
		return true;
	}
	if (mapping->has_sframe && walk_has_rule(walk, frame, &mapping->sframe, pc, rule)) {
		*how = LW_HOW_SFRAME;
		return true;
	}
	if (mapping->table &&
	    walk_has_rule(walk, frame, &mapping->table_sframe, pc - mapping->table_bias, rule)) {
		*how = walk_how_by_table(rule);
		return true;
	}
	return false;
}

/*
 * Is the return address the start of a function, which nobody calls?  makecontext() has a new
 * context's function return to such a one, and so do coroutines and threads of other libraries.
 * No rule covers what is in front of it, where no call is, either.
 *
 * What such a function has on its stack is no return address, whatever its rows say.
 */
static bool walk_begins_by_return(struct lw_walk *walk, const struct lw_mapping *mapping,
				  const struct lw_frame *frame, u8 *how)
{
	struct lw_frame start = *frame;
	struct lw_rule rule;

	start.exact = true;
	return !frame->exact && lw_mapping_covers(mapping, frame->ip) &&
	       walk_find_rule(walk, mapping, &start, &rule, how) &&
	       !lw_unwind_is_behind_call(frame, true);
}

/*
 * Likewise; where the file has no table, a session may make one now.  The wait may change
 * @mapping, or leave an ERR_PTR() in it.
 */
static bool walk_find_rule_or_ask(struct lw_walk *walk, struct lw_mapping **mapping,
				  struct lw_frame *frame, struct lw_rule *rule, u8 *how)
{
	u64 waited = walk->waited;

	if (walk_find_rule(walk, *mapping, frame, rule, how))
		return true;
	if ((*mapping)->table || (*mapping)->asked)
		return false;
	(*mapping)->asked = lw_missing_ask(&(*mapping)->seen, walk->may_wait, &walk->waited);
	if (walk->waited == waited)
		return false;
	*mapping = lw_mapping_renew(walk->mappings, walk_lookup_key(frame));
	return !IS_ERR(*mapping) && walk_find_rule(walk, *mapping, frame, rule, how);
}

/* Goes on behind a wait, with new looks at mappings.  Return: true if there was a wait. */
static bool walk_take_up(struct lw_walk *walk)
{
	if (likely(!walk->mappings->let_go))
		return false;
	lw_mappings_begin(walk->mappings);
	return true;
}

/*
 * Finds the mapping and a rule, again where the look-up had to wait: what it waited for is there.
 *
 * Return: true if there is a rule; *@mapping may be an ERR_PTR() if not.
 */
static bool walk_look_up(struct lw_walk *walk, struct lw_mapping **mapping, struct lw_frame *frame,
			 struct lw_rule *rule, u8 *how)
{
	unsigned int tries = MAX_WAITS;
	bool found;

	walk_take_up(walk);
	do {
		*mapping = lw_mapping_find(walk->mappings, walk_lookup_key(frame));
		found = !IS_ERR(*mapping) && !frame->compat &&
			walk_find_rule_or_ask(walk, mapping, frame, rule, how);
	} while (--tries && walk_take_up(walk));
	return found;
}

/* Return: bits of the registers that a CFA goes by. */
static u32 walk_gprs_of(const struct lw_rule_value *cfa)
{
	return (cfa->base == LW_BASE_REG ? BIT(cfa->reg) : 0) |
	       (cfa->index ? BIT(cfa->index - 1) : 0);
}

/*
 * Applies a rule of a section or table, which may go by a general register.  If a row on the way
 * was silent about the register its value is likely, but not sure; then walk_step() wants a call in
 * front of the return address.
 *
 * Return: STEP_NEXT, STEP_FOLLOW, or how the walk ends.
 */
static int walk_step_rule(struct lw_walk *walk, struct lw_frame *frame, const struct lw_rule *rule,
			  u8 *how)
{
	u32 gprs = walk_gprs_of(&rule->cfa);
	bool sure = !(gprs & ~frame->gprs_sure);
	int ret;

	if (gprs && !frame->exact && !walk->follow)
		return STEP_FOLLOW;
	ret = walk_apply(frame, rule, walk->follow);
	if (sure)
		return ret;
	*how = LW_HOW_ANALYSIS;
	frame->likely = true;
	return !ret && !frame->exact ? STEP_NEXT : LW_END_NO_RULE;
}

/*
 * Without the stack pointer, a CFA by it is had from where the function has saved the caller's
 * frame pointer: its own one points there, on machines where the stack pointer may be lost.
 *
 * Return: false if the rule can't be used.
 */
static bool walk_has_base(const struct lw_frame *frame, struct lw_rule *rule, u8 *how)
{
	if (!frame->sp_lost || rule->cfa.base != LW_BASE_SP)
		return true;
	if (rule->fp.base != LW_BASE_CFA || !rule->fp.deref || rule->cfa.deref)
		return false;
	rule->cfa = (struct lw_rule_value) { .off = -rule->fp.off, .base = LW_BASE_FP };
	*how = LW_HOW_FP;
	return true;
}

/* Return: STEP_NEXT, or how the walk ends. */
static int walk_by_sigframe(int err)
{
	if (err)
		return err == -ENXIO ? LW_END_NO_RULE : LW_END_FAULT;
	return STEP_NEXT;
}

/* Goes to the caller.  Return: STEP_NEXT, STEP_FOLLOW, or how the walk ends. */
static int walk_step_any(struct lw_walk *walk, struct lw_frame *frame, u8 *how)
{
	struct lw_mapping *mapping;
	struct lw_rule rule;
	bool has_row;
	int sig;

	if (frame->gprs_left)
		lw_arch_gprs(frame->gprs, task_pt_regs(current), frame->link);
	frame->gprs_left = false;
	frame->unseen = false;
	frame->likely = false;
	/*
	 * First, as nobody calls a restorer: at ip - 1 is other code, or none.  But code that
	 * is not in memory is only read if no rule is found, if the process says that this is
	 * a restorer, or if it was just running.
	 */
	*how = LW_HOW_SIGFRAME;
	sig = lw_unwind_sigframe(frame, frame->exact);
	if (sig == -EAGAIN && lw_unwind_is_told(frame))
		sig = lw_unwind_sigframe(frame, true);
	if (sig != -ENOENT && sig != -EAGAIN)
		return walk_by_sigframe(sig);
	*how = LW_HOW_REGS;
	if (walk->rows_left < MIN_ROWS)
		return LW_END_BUDGET;
	has_row = walk_look_up(walk, &mapping, frame, &rule, how);
	if (has_row) {
		walk_keep_rule(mapping, frame, &rule, *how);
		*how = walk_how_by(&rule, *how);
		if (rule.flags & LW_RULE_OUTERMOST)
			return LW_END_OUTERMOST;
		if (walk_has_base(frame, &rule, how))
			return walk_step_rule(walk, frame, &rule, how);
	}
	if (sig == -EAGAIN) {
		*how = LW_HOW_SIGFRAME;
		sig = lw_unwind_sigframe(frame, true);
		if (sig != -ENOENT)
			return walk_by_sigframe(sig);
		*how = LW_HOW_REGS;
		if (walk_take_up(walk))
			mapping = lw_mapping_find(walk->mappings, walk_lookup_key(frame));
	}
	if (IS_ERR(mapping))
		return PTR_ERR(mapping) == -EINTR ? LW_END_STOPPED : LW_END_BAD_IP;
	if (!has_row && !frame->compat && walk_begins_by_return(walk, mapping, frame, how))
		return LW_END_OUTERMOST;
	*how = LW_HOW_REGS;
	return walk_step_fp(mapping, frame, walk->follow, how);
}

static bool walk_is_code(struct lw_walk *walk, struct lw_frame *frame)
{
	if (!IS_ERR(lw_mapping_find(walk->mappings, walk_lookup_key(frame))))
		return true;
	/* A restorer may be the first thing in its mapping. */
	return !frame->exact && lw_unwind_is_restorer(frame) &&
	       !IS_ERR(lw_mapping_find(walk->mappings, frame->ip));
}

/* A restorer is recognised by its system call's number, too, which no kept rule has. */
static bool walk_may_be_sigreturn(const struct lw_frame *frame)
{
	s32 nr = frame->syscall;

	if (!frame->exact)
		return false;
	if (nr < 0 && frame->gprs_left)
		nr = lw_arch_syscall_reg(task_pt_regs(current));
	else if (nr < 0 && (frame->gprs_known & BIT(lw_arch_syscall_gpr(frame->compat))))
		nr = frame->gprs[lw_arch_syscall_gpr(frame->compat)];
	return lw_arch_is_sigreturn(nr);
}

/*
 * State of steps with kept rules.  Where the frame pointer is not known, or the next ip is
 * exact, walk_step_any() goes on.
 */
struct kept_step {
	u64	ip;
	u64	sp;		/* aligned, as all offsets of kept rules are */
	u64	fp;
	u32	at;		/* of the rule's key */
	u8	how;		/* of the last step */
	bool	sp_lost;	/* as in struct lw_frame */
	u64	start;		/* of the mapping */
	u64	size;		/* of the mapping */
	u64	id;		/* of the mapping */
	unsigned int *next;	/* lw_mapping.next of the mapping */
	u64	low;		/* first word of the window */
	u64	last;		/* last word of the window, from @low */
	u64	look;		/* STEP_LOOK: the address to be looked at */
};

/*
 * A word of the stack; user_read_access_begin() was called.
 *
 * Return: 0, STEP_SLOWLY, or STEP_PAUSE: it may be in another window.
 */
static __always_inline int walk_get_kept(const struct kept_step *s, u64 addr, u64 *word)
{
	u64 at = addr - s->low;

	if (unlikely(at > s->last))
		return STEP_PAUSE;
	/* Speculation may pass the check, but reaches no kernel address: those are further away. */
	at &= WINDOW - 1;
	unsafe_get_user(*word, (u64 __user *)u64_to_user_ptr(s->low + at), fault);
	return 0;
fault:
	return STEP_SLOWLY;
}

/* Rules that walk_step_kept() does not apply. */
#define NOT_QUICK	(LW_PACKED_BIASED |						\
			 LW_PACKED_FLAG(LW_RULE_OUTERMOST | LW_RULE_SIGNAL))

/* Return: 0, STEP_SLOWLY, or how the walk ends. */
static __always_inline int walk_kept_cfa(const struct kept_step *s,
					 const struct lw_rule_cache_entry *entry, u64 *cfa)
{
	if (unlikely(entry->packed & NOT_QUICK))
		return entry->packed & LW_PACKED_FLAG(LW_RULE_OUTERMOST) ? LW_END_OUTERMOST :
									   STEP_SLOWLY;
	*cfa = s->sp;
	if (entry->packed & LW_PACKED_BASE_FP) {
		*cfa = s->fp;
		if (unlikely(s->fp < s->sp))
			return !s->fp && entry->tag == LW_HOW_FP ? LW_END_OUTERMOST_FP :
								   STEP_SLOWLY;
		if (unlikely(s->fp % LW_ARCH_WORD))
			return STEP_SLOWLY;
	} else if (LW_ARCH_LOSES_SP && unlikely(s->sp_lost)) {
		return STEP_SLOWLY;
	}
	*cfa += (s64)entry->cfa_off;
	return unlikely(*cfa <= s->sp) ? STEP_SLOWLY : 0;
}

/* Return: as walk_window(); 0: @s is in the mapping around @pc. */
static __always_inline int walk_kept_mapping(const struct lw_walk *walk, struct kept_step *s,
					     u64 pc)
{
	struct lw_mapping *mapping;

	if (likely(pc - s->start < s->size))
		return 0;
	mapping = lw_mapping_known(walk->mappings, pc, s->next);
	if (!mapping || !lw_mapping_is_there(walk->mappings, mapping)) {
		s->look = pc;
		return STEP_LOOK;
	}
	if (mapping->end - mapping->start > MAX_KEPT)
		return STEP_SLOWLY;
	s->next = &mapping->next;
	s->start = mapping->start;
	s->size = mapping->end - mapping->start;
	s->id = mapping->id;
	return 0;
}

/*
 * One step with a kept rule; the caller's mapping has to be known, too.
 *
 * Return: as walk_window(), or 0: @s is at the caller.
 */
static __always_inline int walk_step_kept(struct lw_walk *walk, const struct lw_rule_cache *cache,
					  struct kept_step *s)
{
	const struct lw_rule_key key = { .id = walk_id_of(s->id, s->sp_lost), .at = s->at };
	const struct lw_rule_cache_entry *entry;
	u64 ip, fp = s->fp, cfa;
	int ret;

	entry = lw_rule_cache_find(cache, key);
	if (unlikely(!entry))
		return STEP_SLOWLY;
	s->how = entry->tag;
	ret = walk_kept_cfa(s, entry, &cfa);
	if (unlikely(ret))
		return ret;
	ret = walk_get_kept(s, cfa + (s64)entry->ra_off, &ip);
	if (unlikely(ret))
		return ret;
	ip = lw_arch_return_address(ip, false);
	if (entry->packed & LW_PACKED_FP_SAVED) {
		ret = walk_get_kept(s, cfa + (s64)entry->fp_off, &fp);
		if (unlikely(ret))
			return ret;
	}
	if (unlikely(!ip))
		return entry->tag == LW_HOW_FP ? LW_END_OUTERMOST_FP : LW_END_OUTERMOST;
	ret = walk_kept_mapping(walk, s, ip - 1);
	if (unlikely(ret))
		return ret;
	s->at = walk_at_of(ip - 1 - s->start, false);
	s->ip = ip;
	s->sp = cfa;
	s->fp = fp;
	s->sp_lost = LW_ARCH_LOSES_SP && entry->packed & LW_PACKED_FLAG(LW_RULE_SP_LOST);
	return 0;
}

/*
 * Steps with kept rules, as far as the window of the stack goes.
 *
 * Context: preemption and page faults are off.
 * Return: STEP_*, or how the walk ends; *look: STEP_LOOK: the address to be looked at.
 */
static noinline int walk_window(struct lw_walk *walk, struct lw_frame *frame, u64 *look)
{
	const struct lw_rule_cache *here = lw_rules_here();
	struct lw_rule_cache cache;
	struct kept_step s = {
		.ip = frame->ip,
		.sp = frame->sp,
		.fp = frame->fp,
		.sp_lost = frame->sp_lost,
		.next = &walk->mappings->first,
		.low = frame->sp,
	};
	/* One more frame than the depth tells that the stack is cut. */
	u32 end = min(walk->nr + STEPS_AT_ONCE, walk->depth + 1);
	u64 low = lw_arch_address(s.low);
	u32 nr = walk->nr;
	int ret;

	ret = walk_kept_mapping(walk, &s, walk_lookup_key(frame));
	*look = s.look;
	if (ret)
		return ret;
	if (!here || s.low % LW_ARCH_WORD || low >= TASK_SIZE_MAX - LW_ARCH_WORD)
		return STEP_SLOWLY;
	s.at = walk_at_of(walk_lookup_key(frame) - s.start, frame->exact);
	s.last = min_t(u64, WINDOW, TASK_SIZE_MAX - low) - LW_ARCH_WORD;
	cache = (struct lw_rule_cache) { .entries = here->entries, .bits = LW_RULES_BITS };
	if (!user_read_access_begin(u64_to_user_ptr(s.low), s.last + LW_ARCH_WORD))
		return STEP_SLOWLY;
	while (nr < end) {
		ret = walk_step_kept(walk, &cache, &s);
		if (ret)
			break;
		walk->frames[nr] = s.ip;
		walk->how[nr] = s.how;
		nr++;
	}
	user_read_access_end();
	*look = s.look;
	walk->end_how = s.how;
	if (nr > walk->depth) {
		walk->nr = walk->depth;
		return LW_END_TRUNCATED;
	}
	/* Another window would begin at the same place. */
	if (nr == walk->nr)
		return ret == STEP_PAUSE ? STEP_SLOWLY : ret;
	walk->nr = nr;
	/* The steps wrote each ip to @frames only. */
	frame->ip = walk->frames[nr - 1];
	frame->sp = s.sp;
	frame->fp = s.fp;
	frame->sp_lost = s.sp_lost;
	frame->syscall = -1;
	frame->exact = false;
	walk_forget_gprs(frame);
	return ret ?: STEP_PAUSE;
}

/* Return: as walk_window(), but no STEP_LOOK. */
static int walk_kept(struct lw_walk *walk, struct lw_frame *frame)
{
	u64 look;
	int ret;

	if (frame->compat || !frame->fp_known || walk->follow || walk_may_be_sigreturn(frame))
		return STEP_SLOWLY;
	do {
		preempt_disable();
		pagefault_disable();
		ret = walk_window(walk, frame, &look);
		pagefault_enable();
		preempt_enable();
	} while (ret == STEP_LOOK && lw_mapping_check(walk->mappings, look));
	return ret == STEP_LOOK ? STEP_SLOWLY : ret;
}

static bool walk_must_stop(const struct lw_walk *walk)
{
	return fatal_signal_pending(current) || !atomic64_read(walk->wanted);
}

/* Return: STEP_NEXT, STEP_FOLLOW, or how the walk ends. */
static int walk_step(struct lw_walk *walk, struct lw_frame *frame)
{
	u8 how;
	int ret = walk_step_any(walk, frame, &how);

	walk->end_how = how;
	if (ret != STEP_NEXT)
		return ret;
	if (!walk_is_code(walk, frame))
		return LW_END_BAD_IP;
	if (frame->likely && !lw_unwind_is_behind_call(frame, false))
		return LW_END_NO_RULE;
	if (walk->nr == walk->depth)
		return LW_END_TRUNCATED;
	walk_add_frame(walk, frame->ip, how);
	return STEP_NEXT;
}

/* Return: STEP_FOLLOW, or how the walk ends. */
static int walk_frames(struct lw_walk *walk, struct lw_frame *frame)
{
	int ret;

	for (;;) {
		if (walk_must_stop(walk))
			return LW_END_STOPPED;
		ret = walk_kept(walk, frame);
		if (ret == STEP_SLOWLY)
			ret = walk_step(walk, frame);
		if (ret > 0 || ret == STEP_FOLLOW)
			return ret;
		cond_resched();
	}
}

/* Return: the first frame after @i that was not found by @how, or @end. */
static u32 walk_end_of_how(const u8 *hows, u8 how, u32 i, u32 end)
{
	const u64 all = how * (~0ULL / U8_MAX);
	u64 word;

	for (i++; i + sizeof(word) <= end; i += sizeof(word)) {
		memcpy(&word, hows + i, sizeof(word));
		if (word != all)
			break;
	}
	while (i < end && hows[i] == how)
		i++;
	return i;
}

/*
 * Return: the first frame after @i whose upper half differs from that of @i, or @end.
 * Four at a time, as this is done for each frame of each walk.
 */
static u32 walk_end_of_high(const u64 *frames, u32 i, u32 end)
{
	const u32 *at = (const u32 *)(frames + i) + !IS_ENABLED(CONFIG_CPU_BIG_ENDIAN);
	const u32 *last = at + 2 * (end - i - 1);
	const u32 high = *at;

	for (at += 2; at + 6 <= last; at += 8)
		if (at[0] != high || at[2] != high || at[4] != high || at[6] != high)
			break;
	while (at <= last && *at == high)
		at += 2;
	return end - (last + 2 - at) / 2;
}

/* The topmost frame, always LW_HOW_REGS, joins the run of its caller. */
static void walk_find_runs(struct lw_walk *walk)
{
	struct lw_frame_run *run = walk->runs;
	u32 i, end, nr = walk->nr;
	u8 how;

	for (i = 0; i < nr; i = end, run++) {
		how = walk->how[!i && nr > 1 ? 1 : i];
		end = walk_end_of_high(walk->frames, i, walk_end_of_how(walk->how, how, i, nr));
		*run = (struct lw_frame_run) {
			.high = upper_32_bits(walk->frames[i]),
			.nr = end - i,
			.how = how,
		};
	}
}

/*
 * The general registers are still the topmost frame's, unless the task's registers were changed
 * since the request, as by a uprobe.
 */
static void walk_know_gprs(struct lw_frame *frame, const struct lw_regs *regs)
{
	struct lw_regs same = lw_regs_of(task_pt_regs(current));

	frame->gprs_left = true;
	frame->gprs_known = LW_ARCH_LINK_GPRS;
	if (same.ip == regs->ip && same.sp == regs->sp && same.fp == regs->fp &&
	    same.compat == regs->compat)
		frame->gprs_known = LW_ARCH_ALL_GPRS;
	frame->gprs_sure = frame->gprs_known;
}

/* Walks from the topmost frame on.  Return: as walk_frames(). */
static int walk_from(struct lw_walk *walk, const struct lw_regs *regs)
{
	struct lw_frame frame = {
		.mappings = walk->mappings,
		.ip = lw_compat_uprobe_ip(regs->ip),
		.sp = regs->sp,
		.fp = regs->fp,
		.link = regs->link,
		.gprs = walk->memory->gprs,
		.syscall = regs->syscall,
		.exact = true,
		.fp_known = true,
		.compat = regs->compat,
	};

	walk->nr = 0;
	walk->end_how = LW_HOW_REGS;
	walk_add_frame(walk, frame.ip, LW_HOW_REGS);
	walk_know_gprs(&frame, regs);
	return walk_frames(walk, &frame);
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
	int end;

	if (walk->end)
		return;
	end = walk_from(walk, regs);
	/*
	 * To follow registers takes a look-up for each frame, and hardly any walk comes to a frame
	 * that needs one.  Both walks together look at MAX_ROWS rows.
	 */
	if (end == STEP_FOLLOW) {
		walk->follow = true;
		end = walk_from(walk, regs);
	}
	walk->end = end;
	walk_find_runs(walk);
}
