// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_sigframe.c - from a signal handler to what it interrupted.
 *
 * The handler returns to a restorer that calls rt_sigreturn.  It is recognised
 * by its bytes, wherever it is (libc, vDSO, a program's own).
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "unwind.h"

/**
 * lw_unwind_is_sigreturn - is this the restorer of a signal handler
 * @frame: where the walk is
 *
 * Context: as lw_unwind().
 * Return: true if its bytes are those of one.
 */
bool lw_unwind_is_sigreturn(const struct lw_frame *frame)
{
	static const u8 restorer[] = LW_ARCH_SIGRETURN;
	u8 code[sizeof(restorer)];

	return !lw_unwind_read(code, frame->ip, sizeof(code)) &&
	       !memcmp(code, restorer, sizeof(code));
}

/**
 * lw_unwind_sigframe - registers of the interrupted code
 * @frame: in: at the restorer; out: what the signal interrupted.  The stack
 *	pointer may go down: the handler may be on a stack of its own.
 *
 * Context: as lw_unwind().
 * Return: 0 or -EFAULT.
 */
int lw_unwind_sigframe(struct lw_frame *frame)
{
	struct lw_arch_sigcontext regs;

	if (lw_unwind_read(&regs, frame->sp + LW_ARCH_SIGFRAME_REGS,
			   sizeof(regs)))
		return -EFAULT;
	*frame = (struct lw_frame) {
		.ip = regs.ip,
		.sp = regs.sp,
		.fp = regs.bp,
		.exact = true,
		.fp_known = true,
		.gprs_known = true,
	};
	lw_arch_sigframe_gprs(frame->gprs, &regs);
	return 0;
}
