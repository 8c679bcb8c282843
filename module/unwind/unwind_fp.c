// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_fp.c - the fallback: the frame pointer, where no table has a rule.
 *
 * On s390x no register points to a frame.  There it is the back chain, in code that has one.
 *
 * A guess.  It is right in code built with frame pointers, once the prologue
 * has run; so the code at the topmost frame's ip is looked at.  Code that takes the frame
 * down and returns is followed in any frame, and clone() behind its system call: that is no
 * guess, but is not told apart.
 * 32-bit code has nothing else.
 */
#include <linux/errno.h>

#include "code.h"
#include "sigframe.h"
#include "unwind.h"

/*
 * Behind the system call of clone() or clone3() in glibc there is no CFI, as the stack may be the
 * caller's or a new one.  A new thread's has no caller.  Which of them this is only the result
 * tells, so that no rule is kept, also where the result is not known.
 */
static bool fp_is_clone(struct lw_frame *frame, struct lw_rule *rule)
{
	u8 code[LW_ARCH_CLONE_LEN];

	if (!frame->exact || frame->compat ||
	    lw_unwind_read_code(frame, code, frame->ip - LW_ARCH_SYSCALL_LEN, sizeof(code), true) ||
	    !lw_arch_is_clone(code))
		return false;
	frame->unseen = true;
	if (!(frame->gprs_known & BIT(LW_ARCH_RESULT_REG)))
		return false;
	if (frame->gprs[LW_ARCH_RESULT_REG])
		lw_arch_clone(rule);
	else
		*rule = (struct lw_rule) { .flags = LW_RULE_OUTERMOST };
	return true;
}

/*
 * Is the back chain one?  The word is there in any code, but only code built with -mbackchain
 * writes the caller's stack pointer to it, which the function has also saved among the registers.
 * A leaf has no frame, so that the frame of its caller may be missing.
 */
static int fp_by_back_chain(struct lw_frame *frame, struct lw_rule *rule)
{
	u64 chain, saved[2];

	if (frame->compat || frame->sp % LW_ARCH_WORD ||
	    lw_unwind_read(frame->mappings, &chain, frame->sp, sizeof(chain)) ||
	    chain <= frame->sp || chain % LW_ARCH_WORD ||
	    lw_unwind_read(frame->mappings, saved, chain + LW_ARCH_BACK_CHAIN_SAVED,
			   sizeof(saved)) ||
	    saved[1] != chain)
		return -ENOENT;
	lw_arch_framed(rule, false);
	return 0;
}

/**
 * lw_unwind_fp - a rule from the frame pointer
 * @frame: where the walk is
 * @rule: out
 *
 * All psABIs with a frame pointer have 0 in that of the outermost frame.
 *
 * Context: as lw_unwind().
 * Return: 0, or -ENOENT when the frame pointer can't be one.
 */
int lw_unwind_fp(struct lw_frame *frame, struct lw_rule *rule)
{
	u8 code[LW_ARCH_CODE_LEN];

	if (fp_is_clone(frame, rule))
		return 0;
	if (lw_unwind_read_code(frame, code, frame->ip, sizeof(code), true))
		frame->unseen = true;
	if (lw_arch_frameless(rule, code, frame->exact, frame->compat) &&
	    !(frame->sp_lost && rule->cfa.base == LW_BASE_SP))
		return 0;
	if (LW_ARCH_BACK_CHAIN_SAVED)
		return fp_by_back_chain(frame, rule);
	if (!frame->fp_known)
		return -ENOENT;
	if (!frame->fp) {
		*rule = (struct lw_rule) { .flags = LW_RULE_OUTERMOST };
		return 0;
	}
	if (frame->fp % lw_frame_word(frame) ||
	    lw_arch_address(frame->fp) < lw_arch_address(frame->sp))
		return -ENOENT;
	lw_arch_framed(rule, frame->compat);
	return 0;
}

/**
 * lw_unwind_is_behind_call - may a call end where a frame is?
 * @frame: at what may be a return address, of 64-bit code
 * @unread: what to return if the code in front can't be read
 *
 * Context: as lw_unwind().
 * Return: false if none does, or @unread.
 */
bool lw_unwind_is_behind_call(const struct lw_frame *frame, bool unread)
{
	u8 code[LW_ARCH_CALL_LEN];

	if (lw_unwind_read_code(frame, code, frame->ip - sizeof(code), sizeof(code), true))
		return unread;
	return lw_arch_is_call(code);
}
