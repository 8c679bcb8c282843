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
	u64 chain, saved;
	int err;

	chain = lw_unwind_read_word(frame, frame->sp, &err);
	if (err || chain <= frame->sp)
		return -ENOENT;
	saved = lw_unwind_read_word(frame, chain + LW_ARCH_BACK_CHAIN_SAVED * lw_frame_word(frame),
				    &err);
	if (err || saved != chain)
		return -ENOENT;
	lw_arch_framed(rule, frame->compat, 0);
	return 0;
}

/* Does it lead to code behind a call, or from a signal handler to its restorer? */
static bool fp_leads_on(const struct lw_frame *frame, const struct lw_rule *rule)
{
	u64 cfa = frame->fp + (s64)rule->cfa.off;
	struct lw_frame caller = *frame;
	u32 ra = 0, fp = 0;

	if (rule->ra.base == LW_BASE_REG && frame->exact && frame->gprs_known & BIT(rule->ra.reg))
		ra = frame->gprs[rule->ra.reg];
	else if (rule->ra.base == LW_BASE_REG ||
		 lw_unwind_read(frame->mappings, &ra, cfa + (s64)rule->ra.off, sizeof(ra)))
		return false;
	caller.ip = lw_arch_return_address(ra, true);
	caller.exact = false;
	/* The handler may be on any stack. */
	if (lw_unwind_is_restorer(&caller))
		return true;
	return !lw_unwind_read(frame->mappings, &fp, cfa + (s64)rule->fp.off, sizeof(fp)) &&
	       (!fp || fp > frame->fp) && lw_unwind_is_behind_call(&caller, false);
}

/* Of 32-bit code.  Where there are frames of more than one kind, the code tells. */
static int fp_by_compat_frame(const struct lw_frame *frame, struct lw_rule *rule)
{
	unsigned int kind;

	for (kind = 0; kind < LW_ARCH_COMPAT_FRAMES; kind++) {
		lw_arch_framed(rule, true, kind);
		if (LW_ARCH_COMPAT_FRAMES == 1 || fp_leads_on(frame, rule))
			return 0;
	}
	return -ENOENT;
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
	if (frame->compat)
		return fp_by_compat_frame(frame, rule);
	lw_arch_framed(rule, false, 0);
	return 0;
}

/**
 * lw_unwind_is_behind_call - may a call end where a frame is?
 * @frame: at what may be a return address
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
	return lw_arch_is_call(code, frame->compat);
}
