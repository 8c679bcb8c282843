/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/x86/arch.h - what the unwinder must know of x86-64.
 */
#ifndef LW_ARCH_H
#define LW_ARCH_H

#include <asm/ptrace.h>
#include <asm/vdso.h>
#include <linux/bits.h>
#include <linux/elf.h>
#include <linux/mm_types.h>
#include <linux/string.h>
#include <linux/types.h>

#define LW_ARCH_ELF_MACHINE	EM_X86_64
#define LW_ARCH_SFRAME_ABI	LW_SFRAME_ABI_AMD64
/* CFA and stack slots are aligned to this, those of 32-bit code to the second. */
#define LW_ARCH_WORD		8
#define LW_ARCH_COMPAT_WORD	4
/* A frame pointer tells where the caller's stack pointer was, too. */
#define LW_ARCH_LOSES_SP	0
/* Kinds of frames that frame pointers of 32-bit code point to. */
#define LW_ARCH_COMPAT_FRAMES	1
#define LW_ARCH_REPEATS_BREAKPOINTS 0

/*
 * Is this 32-bit code?  The code segment says, not the task: one of 32 bits may
 * have jumped to 64-bit code, and one of 64 bits to 32-bit code, as Wine does.
 */
static inline bool lw_arch_is_compat(struct pt_regs *regs)
{
	return !user_64bit_mode(regs);
}

/*
 * The number of the system call that the task is in, as its own ABI has it, or
 * -1.  Interrupts and exceptions leave a negative number there.
 */
static inline s32 lw_arch_syscall(const struct pt_regs *regs)
{
	return (s32)regs->orig_ax;
}

/* General registers, by their DWARF numbers (x86-64 psABI, figure 3.36). */
#define LW_ARCH_GPRS		16
#define LW_ARCH_ALL_GPRS	(BIT(LW_ARCH_GPRS) - 1)
/* Those of lw_rule.saved: rbx, r12 to r15 (psABI, figure 3.4). */
#define LW_ARCH_SAVED_GPRS	{ 3, 12, 13, 14, 15 }

/* A call leaves the return address in memory. */
#define LW_ARCH_LINK_GPRS	0

struct lw_arch_link { };

static inline struct lw_arch_link lw_arch_link(const struct pt_regs *regs)
{
	return (struct lw_arch_link) { };
}

static inline void lw_arch_gprs(u64 *gprs, const struct pt_regs *regs, struct lw_arch_link link)
{
	const u64 values[LW_ARCH_GPRS] = {
		regs->ax, regs->dx, regs->cx, regs->bx,
		regs->si, regs->di, regs->bp, regs->sp,
		regs->r8, regs->r9, regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15,
	};

	memcpy(gprs, values, sizeof(values));
}

/* The DWARF numbers of some. */
#define LW_ARCH_SP_REG		7
#define LW_ARCH_FP_REG		6
/* That of a system call's result. */
#define LW_ARCH_RESULT_REG	0

/* That of a system call's number. */
static inline unsigned int lw_arch_syscall_gpr(bool compat)
{
	return 0;
}

/* A number that no other mm ever has. */
struct lw_arch_mm_id {
	u64	number;
};

static inline struct lw_arch_mm_id lw_arch_mm_id(const struct mm_struct *mm)
{
	return (struct lw_arch_mm_id) { .number = mm->context.ctx_id };
}

static inline bool lw_arch_is_same_mm(const struct lw_arch_mm_id *a, const struct lw_arch_mm_id *b)
{
	return a->number == b->number;
}

/* The register that a system call's number is in when the call is made. */
static inline s32 lw_arch_syscall_reg(const struct pt_regs *regs)
{
	return (s32)regs->ax;
}

/* The frame pointer of user code. */
static inline u64 lw_arch_fp(const struct pt_regs *regs)
{
	return regs->bp;
}

/* A return address as it is in memory or in a register, without what signs it. */
static inline u64 lw_arch_return_address(u64 address, bool compat)
{
	return address;
}

/* Where a pointer of current points to. */
static inline u64 lw_arch_address(u64 pointer)
{
	return pointer;
}

/* The vDSO of an mm.  All tasks with the same vDSO share @image. */
struct lw_arch_vdso {
	u64	start;
	u64	size;
	const void *image;
};

/* Return: false if there is none.  Context: mmap_lock. */
static inline bool lw_arch_vdso(struct mm_struct *mm, struct lw_arch_vdso *vdso)
{
	const struct vdso_image *image = mm->context.vdso_image;

	*vdso = (struct lw_arch_vdso) {
		.start = (uintptr_t)READ_ONCE(mm->context.vdso),
		.image = image,
	};
	if (!vdso->start || !image)
		return false;
	vdso->size = image->size;
	return true;
}

#endif /* LW_ARCH_H */
