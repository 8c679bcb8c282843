/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/x86.h - what the unwinder must know of x86-64.
 */
#ifndef LW_ARCH_X86_H
#define LW_ARCH_X86_H

#include <asm/ptrace.h>
#include <linux/elf.h>
#include <linux/string.h>
#include <linux/types.h>

#define LW_ARCH_ELF_MACHINE	EM_X86_64
#define LW_ARCH_SFRAME_ABI	LW_SFRAME_ABI_AMD64
/* CFA and stack slots are aligned to this. */
#define LW_ARCH_WORD		8

/* Does this task run 64-bit code? */
static inline bool lw_arch_is_native(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

/* General registers, by their DWARF numbers (x86-64 psABI, figure 3.36). */
#define LW_ARCH_GPRS		16

static inline void lw_arch_gprs(u64 *gprs, const struct pt_regs *regs)
{
	const u64 values[LW_ARCH_GPRS] = {
		regs->ax, regs->dx, regs->cx, regs->bx,
		regs->si, regs->di, regs->bp, regs->sp,
		regs->r8, regs->r9, regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15,
	};

	memcpy(gprs, values, sizeof(values));
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

static inline void lw_arch_sigframe_gprs(u64 *gprs,
					 const struct lw_arch_sigcontext *regs)
{
	const u64 values[LW_ARCH_GPRS - 8] = {
		regs->ax, regs->dx, regs->cx, regs->bx,
		regs->si, regs->di, regs->bp, regs->sp,
	};

	memcpy(gprs, values, sizeof(values));
	memcpy(gprs + 8, regs->r8_to_r15, sizeof(regs->r8_to_r15));
}

/* mov $__NR_rt_sigreturn, %rax; syscall: all restorers that we know of */
#define LW_ARCH_SIGRETURN \
	{ 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 }

#endif /* LW_ARCH_X86_H */
