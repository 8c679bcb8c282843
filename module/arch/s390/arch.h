/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/s390/arch.h - what the unwinder must know of s390x.
 */
#ifndef LW_ARCH_H
#define LW_ARCH_H

#include <asm/ptrace.h>
#include <linux/bits.h>
#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "compat/fpu.h"

#define LW_ARCH_ELF_MACHINE	EM_S390
#define LW_ARCH_SFRAME_ABI	LW_SFRAME_ABI_S390X
/* CFA and stack slots are aligned to this, those of 31-bit code to the second. */
#define LW_ARCH_WORD		8
#define LW_ARCH_COMPAT_WORD	4
/* Nothing loses the stack pointer. */
#define LW_ARCH_LOSES_SP	0
/* Code for 31 bits has no tables; it is followed by the back chain. */
#define LW_ARCH_COMPAT_FRAMES	1
#define LW_ARCH_REPEATS_BREAKPOINTS 0

/* Is this 31-bit code (or 24-bit)?  The addressing mode says so, not the task. */
static inline bool lw_arch_is_compat(struct pt_regs *regs)
{
	return !(regs->psw.mask & PSW_MASK_EA);
}

/* The number of the system call that the task is in, or -1. */
static inline s32 lw_arch_syscall(const struct pt_regs *regs)
{
	return regs->flags & _PIF_SYSCALL ? regs->int_code & 0xffff : -1;
}

/*
 * Registers, by their DWARF numbers (s390x ELF ABI supplement, 1.6): r0 to r15, then f0, f2, f4,
 * f6, f1, f3, f5, f7, f8, f10, f12, f14, f9, f11, f13, f15.  Compilers save general registers in
 * floating-point ones, in functions that call nobody.
 */
#define LW_ARCH_GPRS		32
#define LW_ARCH_ALL_GPRS	GENMASK((LW_COMPAT_FPRS ? LW_ARCH_GPRS : NUM_GPRS) - 1, 0)
/*
 * Those of lw_rule.saved: of r6 to r13 (ELF ABI supplement, 1.2.1) the last, without FP.  ld.so and
 * libffi have their CFA by r12 and r13.
 */
#define LW_ARCH_SAVED_GPRS	{ 8, 9, 10, 12, 13 }

/* Where a call leaves the return address. */
#define LW_ARCH_LINK_REG	14
#define LW_ARCH_LINK_GPRS	BIT(LW_ARCH_LINK_REG)

struct lw_arch_link {
	u64	address;
};

static inline struct lw_arch_link lw_arch_link(const struct pt_regs *regs)
{
	return (struct lw_arch_link) { .address = regs->gprs[LW_ARCH_LINK_REG] };
}

/* The number of a floating-point register, by its DWARF number - NUM_GPRS. */
static inline unsigned int lw_s390_fpr(unsigned int i)
{
	static const u8 fprs[LW_ARCH_GPRS - NUM_GPRS] = {
		0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15,
	};

	return fprs[i];
}

/* @link: of the request; the others are as they are now.  Context: task context of current. */
static inline void lw_arch_gprs(u64 *gprs, const struct pt_regs *regs, struct lw_arch_link link)
{
	unsigned int i;

	memcpy(gprs, regs->gprs, sizeof(regs->gprs));
	gprs[LW_ARCH_LINK_REG] = link.address;
	lw_compat_save_fprs();
	for (i = 0; i < LW_ARCH_GPRS - NUM_GPRS; i++)
		gprs[NUM_GPRS + i] = lw_compat_fpr(lw_s390_fpr(i));
}

/* The DWARF numbers of some. */
#define LW_ARCH_SP_REG		15
#define LW_ARCH_FP_REG		11
/* That of a system call's result. */
#define LW_ARCH_RESULT_REG	2

/* That of a system call's number, if the instruction does not have it. */
static inline unsigned int lw_arch_syscall_gpr(bool compat)
{
	return 1;
}

/**
 * struct lw_arch_mm_id - what no two mms have in common
 * @mm: its address, which another one may get once it is freed
 * @started: when the process was started, by the boot clock in ns
 * @execs: how often it and those that it was forked from have called execve()
 * @tgid: of the process
 */
struct lw_arch_mm_id {
	const void *mm;
	u64	started;
	u64	execs;
	u32	tgid;
};

/*
 * The id of current's mm.  Nothing in an mm of s390 is a number that no other mm gets.
 *
 * If two tasks have the same id they have the same mm:
 *   They are threads of one process.  A tgid is free again when the process and all its threads
 *   are gone.  The next process that gets it is started later by more than the clock's step of
 *   1 ns, and the boot clock never goes back.
 *   Threads of a process share their mm, as CLONE_THREAD wants CLONE_VM.  Only execve() gives a
 *   process another mm, when no other thread is left (de_thread()).  In the same system call it
 *   adds 1 to self_exec_id, which new threads take over; the count has 64 bits.  The new leader
 *   takes over the time of the start.
 *   If execve() fails between the two, the process dies, but a walk may come first: with the new
 *   mm and the old count.  The old mm was there when the new one was made, so that its address is
 *   another.
 *
 * The other direction does not hold, and needs not: after vfork() two processes have one mm and
 * two ids.  The leader is not freed as long as a thread of it runs.
 *
 * Context: task context of current, which is no kernel thread.
 */
static inline struct lw_arch_mm_id lw_arch_mm_id(const struct mm_struct *mm)
{
	return (struct lw_arch_mm_id) {
		.mm = mm,
		.started = current->group_leader->start_boottime,
		.execs = current->self_exec_id,
		.tgid = current->tgid,
	};
}

static inline bool lw_arch_is_same_mm(const struct lw_arch_mm_id *a, const struct lw_arch_mm_id *b)
{
	return a->mm == b->mm && a->started == b->started && a->execs == b->execs &&
	       a->tgid == b->tgid;
}

/* The register that a system call's number is in when the call is made by svc 0. */
static inline s32 lw_arch_syscall_reg(const struct pt_regs *regs)
{
	return (s32)regs->gprs[lw_arch_syscall_gpr(false)];
}

/* The register that tables call the frame pointer. */
static inline u64 lw_arch_fp(const struct pt_regs *regs)
{
	return regs->gprs[LW_ARCH_FP_REG];
}

/* An address of 31-bit code, without the bit that says so, and what is above. */
static inline u64 lw_s390_address_31(u64 address)
{
	return address & (BIT(31) - 1);
}

/* A return address as it is in memory or in a register, without what signs it. */
static inline u64 lw_arch_return_address(u64 address, bool compat)
{
	return compat ? lw_s390_address_31(address) : address;
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
	u64 start = READ_ONCE(mm->context.vdso_base);
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
