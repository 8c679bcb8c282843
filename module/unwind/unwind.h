/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind.h - the walk over the user stack of current.
 */
#ifndef LW_UNWIND_H
#define LW_UNWIND_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/limits.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "arch.h"
#include "latewind.h"
#include "sframe/rule.h"

/* A task in its exit does not wait for memory, as others would wait with it. */
static inline gfp_t lw_walk_gfp(void)
{
	return (current->flags & PF_EXITING ? GFP_NOWAIT | __GFP_ACCOUNT : GFP_KERNEL_ACCOUNT) |
	       __GFP_NOWARN;
}

struct lw_mapping;
struct lw_mappings;
struct lw_walk_memory;

/* No step reads more code than this at its ip. */
#define LW_UNWIND_CODE_MAX	32

/**
 * struct lw_regs - user registers that a walk starts from
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @link: register with the return address of a function that has not saved it; empty where
 *	there is none
 * @syscall: number of the system call that the task is in, negative if in none
 * @compat: 32-bit code: the addresses have no upper half
 */
struct lw_regs {
	u64	ip;
	u64	sp;
	u64	fp;
	struct lw_arch_link link;
	s32	syscall;
	bool	compat;
};

static inline struct lw_regs lw_regs_of(struct pt_regs *regs)
{
	bool compat = lw_arch_is_compat(regs);
	u64 mask = compat ? U32_MAX : U64_MAX;

	return (struct lw_regs) {
		.ip = instruction_pointer(regs) & mask,
		.sp = user_stack_pointer(regs) & mask,
		.fp = lw_arch_fp(regs) & mask,
		.link = lw_arch_link(regs),
		.syscall = lw_arch_syscall(regs),
		.compat = compat,
	};
}

/**
 * struct lw_frame - where a walk is
 * @mappings: of the walk
 * @ip: next address; a return address unless @exact
 * @sp: stack pointer, when control was at @ip
 * @fp: frame pointer, if @fp_known
 * @link: as in struct lw_regs
 * @gprs: LW_ARCH_GPRS general registers by DWARF number, those of @gprs_known
 * @syscall: as in struct lw_regs
 * @exact: @ip is an instruction that was about to run
 * @fp_known: no step lost it
 * @sp_lost: @sp is only below what it should be
 * @gprs_known: bits of registers in @gprs: all in the topmost frame, or LW_ARCH_LINK_GPRS if they
 *	were changed since the request, and all in a frame that a signal interrupted; further up
 *	those that the walk has followed
 * @gprs_sure: those of @gprs_known that no row was silent about on the way
 * @gprs_left: @gprs is not filled yet from the registers with which the task entered the
 *	kernel
 * @unseen: this step could not read all memory that it asked for
 * @likely: this step went by a register that is not in @gprs_sure
 * @compat: 32-bit code
 */
struct lw_frame {
	struct lw_mappings *mappings;
	u64	ip;
	u64	sp;
	u64	fp;
	struct lw_arch_link link;
	u64	*gprs;
	u32	gprs_known;
	u32	gprs_sure;
	s32	syscall;
	bool	exact;
	bool	fp_known;
	bool	sp_lost;
	bool	gprs_left;
	bool	unseen;
	bool	likely;
	bool	compat;
};

/* Bytes of a word on its stack. */
static inline unsigned int lw_frame_word(const struct lw_frame *frame)
{
	return frame->compat ? LW_ARCH_COMPAT_WORD : LW_ARCH_WORD;
}

/**
 * struct lw_walk - a walk and its result
 * @time: when it began, CLOCK_MONOTONIC
 * @depth: most frames
 * @nr: frames found
 * @end: LW_END_*; 0 before the walk
 * @end_how: LW_HOW_* of the step that ended it
 * @may_wait: for tables: only current is held up
 * @follow: registers are followed from frame to frame
 * @waited: nanoseconds that it waited for tables
 * @is_new: not counted for a tracer yet
 * @rows_left: rows of tables that it may still look at
 * @frames: addresses, topmost first; in @memory
 * @how: LW_HOW_* of each; in @memory
 * @runs: @frames and @how as runs, once the walk has ended; in @memory
 * @mappings: mappings that are known; in @memory
 * @memory: of this walk, or NULL
 * @wanted: the walk is given up when this is zero
 */
struct lw_walk {
	u64	time;
	u32	depth;
	u32	nr;
	u32	end;
	u8	end_how;
	bool	may_wait;
	bool	follow;
	bool	is_new;
	u32	rows_left;
	u64	waited;
	u64	*frames;
	u8	*how;
	struct lw_frame_run *runs;
	struct lw_mappings *mappings;
	struct lw_walk_memory *memory;
	const atomic64_t *wanted;
};

void lw_walk_prepare(struct lw_walk *walk, u32 depth);
void lw_walk_put(struct lw_walk *walk);
void lw_unwind(struct lw_walk *walk, const struct lw_regs *regs);
void lw_unwind_forget(void);

int lw_unwind_read(struct lw_mappings *mappings, void *dst, u64 addr, u32 len);
u64 lw_unwind_read_word(const struct lw_frame *frame, u64 addr, int *err);
int lw_unwind_read_code(const struct lw_frame *frame, u8 *code, u64 addr, u32 len, bool wait);
int lw_unwind_fp(struct lw_frame *frame, struct lw_rule *rule);
bool lw_unwind_is_behind_call(const struct lw_frame *frame, bool unread);
bool lw_unwind_is_told(const struct lw_frame *frame);
bool lw_unwind_is_restorer(struct lw_frame *frame);
int lw_unwind_sigframe(struct lw_frame *frame, bool wait);

#endif /* LW_UNWIND_H */
