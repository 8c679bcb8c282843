/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/arm64/arch.h - what the unwinder must know of arm64.
 */
#ifndef LW_ARCH_H
#define LW_ARCH_H

#include <asm/pointer_auth.h>
#include <asm/ptrace.h>
#include <linux/bits.h>
#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#define LW_ARCH_ELF_MACHINE	EM_AARCH64
#define LW_ARCH_SFRAME_ABI	LW_SFRAME_ABI_AARCH64_LE
/* CFA and stack slots are aligned to this, those of 32-bit code to the second. */
#define LW_ARCH_WORD		8
#define LW_ARCH_COMPAT_WORD	4
/* A frame pointer does not tell where the caller's stack pointer was: code.h. */
#define LW_ARCH_LOSES_SP	1
/* Kinds of frames that frame pointers of 32-bit code point to: code.h. */
#define LW_ARCH_COMPAT_FRAMES	4
/*
 * The kernel steps over breakpoints for tracers that have its own overflow handler
 * (watchpoint_report(), breakpoint_handler()): with ours the access would be made for ever.
 */
#define LW_ARCH_REPEATS_BREAKPOINTS 1

/* Is this 32-bit code? */
static inline bool lw_arch_is_compat(struct pt_regs *regs)
{
	return compat_user_mode(regs);
}

/* The number of the system call that the task is in, or -1. */
static inline s32 lw_arch_syscall(const struct pt_regs *regs)
{
	return regs->syscallno;
}

/* General registers, by their DWARF numbers (aadwarf64, table 1): x0 to x30, sp. */
#define LW_ARCH_GPRS		32
#define LW_ARCH_ALL_GPRS	GENMASK(LW_ARCH_GPRS - 1, 0)
/* Those of lw_rule.saved: of x19 to x28 (aapcs64, 6.1.1) what compilers take first. */
#define LW_ARCH_SAVED_GPRS	{ 19, 20, 21, 22, 23 }

/* Where a call leaves the return address. */
#define LW_ARCH_LINK_REG	30
#define LW_ARCH_LINK_GPRS	BIT(LW_ARCH_LINK_REG)

struct lw_arch_link {
	u64	address;
};

static inline struct lw_arch_link lw_arch_link(const struct pt_regs *regs)
{
	return (struct lw_arch_link) { .address = regs->regs[LW_ARCH_LINK_REG] };
}

/* @link: of the request; the others are as they are now */
static inline void lw_arch_gprs(u64 *gprs, const struct pt_regs *regs, struct lw_arch_link link)
{
	memcpy(gprs, regs->regs, sizeof(regs->regs));
	gprs[LW_ARCH_LINK_REG] = link.address;
	gprs[LW_ARCH_GPRS - 1] = regs->sp;
}

/* The DWARF numbers of some. */
#define LW_ARCH_SP_REG		31
#define LW_ARCH_FP_REG		29
/* That of a system call's result. */
#define LW_ARCH_RESULT_REG	0

/* That of a system call's number. */
static inline unsigned int lw_arch_syscall_gpr(bool compat)
{
	return compat ? 7 : 8;
}

/*
 * A number that no other mm ever has: an ASID with its generation.  Within a generation each
 * ASID is given once; an mm has another one in a later generation.
 */
struct lw_arch_mm_id {
	u64	number;
};

static inline struct lw_arch_mm_id lw_arch_mm_id(const struct mm_struct *mm)
{
	return (struct lw_arch_mm_id) { .number = atomic64_read(&mm->context.id) };
}

static inline bool lw_arch_is_same_mm(const struct lw_arch_mm_id *a, const struct lw_arch_mm_id *b)
{
	return a->number == b->number;
}

/* The register that a system call's number is in when the call is made. */
static inline s32 lw_arch_syscall_reg(const struct pt_regs *regs)
{
	return (s32)regs->regs[lw_arch_syscall_gpr(compat_user_mode(regs))];
}

/* The frame pointer of user code: of 32-bit code r11, as perf has it. */
static inline u64 lw_arch_fp(const struct pt_regs *regs)
{
	return compat_user_mode(regs) ? regs->compat_fp : regs->regs[LW_ARCH_FP_REG];
}

/*
 * A return address as it is in memory or in a register, without what signs it: user addresses
 * have zeros there.  The tag above the signature is no part of an address, either, nor is the bit
 * that says of 32-bit code whether it is Thumb code.
 */
static inline u64 lw_arch_return_address(u64 address, bool compat)
{
	if (compat)
		return address & (U32_MAX ^ BIT(0));
	return address & (ptrauth_user_pac_mask() ^ GENMASK_ULL(54, 0));
}

/*
 * Where a pointer of current points to: access_ok() takes it with a tag if the task has asked for
 * that (PR_SET_TAGGED_ADDR_ENABLE).  Reads need the tag, as memory may have one, too (MTE).
 */
static inline u64 lw_arch_address(u64 pointer)
{
	return test_thread_flag(TIF_TAGGED_ADDR) ? untagged_addr(pointer) : pointer;
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
	u64 start = (uintptr_t)READ_ONCE(mm->context.vdso);
	struct vm_area_struct *vma = start ? find_vma(mm, start) : NULL;

	/* The kernel's special mappings have no file, and what they map as private data. */
	if (!vma || vma->vm_start != start || vma->vm_file || !vma->vm_ops)
		return false;
	*vdso = (struct lw_arch_vdso) {
		.start = start,
		.size = vma->vm_end - start,
		.image = vma->vm_private_data,
	};
	return true;
}

#endif /* LW_ARCH_H */
