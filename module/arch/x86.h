/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/x86.h - what the unwinder must know of x86-64.
 */
#ifndef LW_ARCH_X86_H
#define LW_ARCH_X86_H

#include <asm/ptrace.h>
#include <linux/elf.h>
#include <linux/types.h>

#define LW_ARCH_ELF_MACHINE	EM_X86_64
/* CFA and stack slots are aligned to this. */
#define LW_ARCH_WORD		8

/* Does this task run 64-bit code? */
static inline bool lw_arch_is_native(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

/*
 * What the kernel leaves at the stack pointer of a signal handler that has
 * returned to its restorer: struct ucontext of asm/ucontext.h, whose
 * uc_mcontext comes after uc_flags, uc_link and uc_stack (8 + 8 + 24 bytes).
 */
#define LW_ARCH_SIGFRAME_REGS	40

/* struct sigcontext_64 of uapi/asm/sigcontext.h up to rip */
struct lw_arch_sigcontext {
	__u64	r8_to_r15[8];
	__u64	di, si, bp, bx, dx, ax, cx, sp, ip;
};

/* mov $__NR_rt_sigreturn, %rax; syscall: all restorers that we know of */
#define LW_ARCH_SIGRETURN \
	{ 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 }

#endif /* LW_ARCH_X86_H */
