// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_sigframe.c - from a signal handler to what it interrupted.
 *
 * The handler returns to a restorer, which makes a system call that takes the
 * registers from the stack.  The restorer is recognised by its instructions,
 * wherever it is (libc, vDSO, a program's own): at its start, at the system call, and in it.
 *
 * The stack pointer may go anywhere.  The handler may have run on a stack of its own
 * (sigaltstack()), above or below the interrupted one, and a forged signal frame may lead to
 * itself.  Each costs a bounded number of reads and is a frame of the walk, which has
 * LW_MAX_DEPTH at most.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "sigframe.h"
#include "unwind.h"

/* The call that the frame is about to make, or is in.  Only for an exact ip. */
static const struct lw_arch_sigreturn *sigframe_find_call(const struct lw_frame *frame)
{
	u8 insn[LW_ARCH_SYSCALL_LEN];
	u64 at = frame->ip;
	s32 nr;

	if (frame->syscall >= 0) {
		nr = frame->syscall;
		at -= LW_ARCH_SYSCALL_LEN;
	} else if (frame->gprs_known & BIT(lw_arch_syscall_gpr(frame->compat))) {
		nr = frame->gprs[lw_arch_syscall_gpr(frame->compat)];
	} else {
		return NULL;
	}
	/* Nearly all calls end here, before user memory is read. */
	if (!lw_arch_is_sigreturn(nr))
		return NULL;
	lw_unwind_read_code(frame, insn, at, sizeof(insn), true);
	return lw_arch_sigreturn_by(insn, nr);
}

/* Return: the call that ends the handler, or ERR_PTR(-errno) as lw_unwind_sigframe(). */
static const struct lw_arch_sigreturn *sigframe_find_sigreturn(struct lw_frame *frame,
							       bool wait, u32 *popped)
{
	const struct lw_arch_sigreturn *found;
	u8 code[LW_ARCH_RESTORER_MAX];

	if (lw_unwind_read_code(frame, code, frame->ip, sizeof(code), wait)) {
		frame->unseen = true;
		if (!wait)
			return ERR_PTR(-EAGAIN);
	}
	found = lw_arch_restorer(code, popped);
	if (!found && frame->exact) {
		*popped = 0;
		found = sigframe_find_call(frame);
	}
	/* 32-bit code returns from a 32-bit handler. */
	if (found)
		found = lw_arch_sigreturn_of(found, frame->compat);
	return found ?: ERR_PTR(-ENOENT);
}

/**
 * lw_unwind_is_restorer - does a signal handler return to this
 * @frame: where the walk is
 *
 * Context: as lw_unwind().
 * Return: true if it does.
 */
bool lw_unwind_is_restorer(struct lw_frame *frame)
{
	u32 popped;

	return !IS_ERR(sigframe_find_sigreturn(frame, true, &popped));
}

/**
 * lw_unwind_is_told - has the process set a signal handler that returns to this ip
 * @frame: where the walk is
 *
 * The process may have set another handler since.
 *
 * Context: as lw_unwind().
 * Return: true if so.
 */
bool lw_unwind_is_told(const struct lw_frame *frame)
{
	const struct sighand_struct *sighand = rcu_dereference_protected(current->sighand, true);
	unsigned int i;

	for (i = 0; i < _NSIG; i++)
		/* Other threads may set it meanwhile. */
		if ((uintptr_t)data_race(sighand->action[i].sa.sa_restorer) == frame->ip)
			return true;
	return false;
}

/* Without the stack pointer: where the frame may be that the kernel has left below a record. */
static bool sigframe_find_below(const struct lw_frame *frame, u64 *sp)
{
	u64 below;

	*sp = lw_arch_sigframe_below(frame->fp);
	below = lw_arch_address(*sp);
	return frame->fp_known && frame->fp % LW_ARCH_WORD == 0 &&
	       below >= lw_arch_address(frame->sp) && below < lw_arch_address(frame->fp);
}

/* Is it there? */
static bool sigframe_is_below(const struct lw_frame *frame,
			      const union lw_arch_sigcontext *context)
{
	u64 record[2];

	return !lw_unwind_read(frame->mappings, record, frame->fp, sizeof(record)) &&
	       lw_arch_is_interrupted(context, record);
}

/**
 * lw_unwind_sigframe - go from a restorer to the interrupted code
 * @frame: in: anything; out, on success: what the signal interrupted.  The stack
 *	pointer may go down.
 * @wait: for code that is not in memory
 *
 * Context: as lw_unwind().
 * Return: 0, -ENOENT if this is no restorer, -EFAULT, -ENXIO if the stack pointer is lost and no
 * frame pointer leads to the signal frame; -EAGAIN if its code could not be seen, without @wait.
 */
int lw_unwind_sigframe(struct lw_frame *frame, bool wait)
{
	const struct lw_arch_sigreturn *sigreturn;
	union lw_arch_sigcontext context;
	u64 sp = frame->sp;
	u32 popped;

	sigreturn = sigframe_find_sigreturn(frame, wait, &popped);
	if (IS_ERR(sigreturn))
		return PTR_ERR(sigreturn);
	if (frame->sp_lost && !sigframe_find_below(frame, &sp))
		return -ENXIO;
	if (lw_unwind_read(frame->mappings, &context, sp + popped + sigreturn->off,
			   lw_arch_sigcontext_len(sigreturn)))
		return frame->sp_lost ? -ENXIO : -EFAULT;
	if (frame->sp_lost && !sigframe_is_below(frame, &context))
		return -ENXIO;
	*frame = (struct lw_frame) {
		.mappings = frame->mappings,
		.gprs = frame->gprs,
		.gprs_known = LW_ARCH_ALL_GPRS,
		.gprs_sure = LW_ARCH_ALL_GPRS,
		.syscall = -1,
		.exact = true,
		.fp_known = true,
	};
	frame->ip = lw_arch_interrupted(sigreturn, &context, frame->gprs, &frame->compat);
	frame->sp = frame->gprs[LW_ARCH_SP_REG];
	frame->fp = frame->gprs[LW_ARCH_FP_REG];
	return 0;
}
