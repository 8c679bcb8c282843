/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/fpu.h - the floating-point registers of current, where compilers save others in them:
 * s390.
 *
 * Since 6.9 the kernel saves the user's ones by save_user_fpu_regs(), of which all that is no
 * inline function is exported.  Before, nothing here knows them.
 */
#ifndef LW_COMPAT_FPU_H
#define LW_COMPAT_FPU_H

#include <linux/sched.h>
#include <linux/types.h>

#ifdef LW_HAVE_USER_FPU_REGS
#include <asm/fpu.h>

#define LW_COMPAT_FPRS		1
#else
#define LW_COMPAT_FPRS		0
#endif

/**
 * lw_compat_save_fprs - get ready for lw_compat_fpr()
 *
 * The registers are loaded again on the way to user space.
 *
 * Context: task context of current, on its way to user space or in a system call.
 */
static inline void lw_compat_save_fprs(void)
{
#if LW_COMPAT_FPRS
	save_user_fpu_regs();
#endif
}

/**
 * lw_compat_fpr - a floating-point register as user space has it
 * @i: its number
 *
 * Context: as lw_compat_save_fprs(), which was called since the last return to user space.
 * Return: its value; 0 if !LW_COMPAT_FPRS.
 */
static inline u64 lw_compat_fpr(unsigned int i)
{
#if LW_COMPAT_FPRS
	return current->thread.ufpu.vxrs[i].high;
#else
	return 0;
#endif
}

#endif /* LW_COMPAT_FPU_H */
