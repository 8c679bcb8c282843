/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/arm64/sigframe.h - restorers of signal handlers, and the signal frames that the kernel
 * leaves on the stack for them.
 *
 * A restorer makes the system call that goes back to the interrupted code.  It is the vDSO's,
 * or the program's own.  Nobody calls it, so it has no caller that a table could tell; it is
 * recognised by its instructions.
 */
#ifndef LW_ARCH_SIGFRAME_H
#define LW_ARCH_SIGFRAME_H

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include "arch.h"

/* Bytes of the restorer: mov x8, #nr; svc #0.  The vDSO asks not to change it (sigreturn.S). */
#define LW_ARCH_RESTORER_MAX	8
/* Bytes of the instruction that makes a system call. */
#define LW_ARCH_SYSCALL_LEN	4

#define LW_ARM64_SVC		0xd4000001	/* svc #0 */
#define LW_ARM64_MOV_NR		0xd2801168	/* mov x8, #139 */
/* Of A32 code: svc, with a number that the kernel ignores; mov r7, #nr. */
#define LW_ARM64_A32_SVC	0xef000000
#define LW_ARM64_A32_SVC_MASK	0xff000000
#define LW_ARM64_A32_MOV_NR	0xe3a07000

/**
 * struct lw_arch_sigreturn - a system call that ends a signal handler
 * @nr: its number
 * @off: of struct sigcontext, from the stack pointer when the call is made
 * @load: the instruction that loads the number
 * @compat: 32-bit code makes it
 */
struct lw_arch_sigreturn {
	s32	nr;
	u32	off;
	u32	load;
	bool	compat;
};

/*
 * @off, of struct rt_sigframe: siginfo (128 bytes), uc_flags, uc_link, uc_stack (8 + 8 + 24
 * bytes), uc_sigmask with room for 1,024 signals (128), and 8 bytes as struct sigcontext is
 * aligned to 16.  The records of SVE and SME are behind the general registers.
 * Of 32-bit code, of struct compat_sigframe: uc_flags, uc_link, uc_stack (4 + 4 + 12 bytes);
 * siginfo is before these in compat_rt_sigframe.
 */
static const struct lw_arch_sigreturn lw_arm64_sigreturns[] = {
	{ .nr = 139, .off = 128 + 176, .load = LW_ARM64_MOV_NR },
	/* sigreturn and rt_sigreturn */
	{ .nr = 119, .off = 20, .load = LW_ARM64_A32_MOV_NR | 119, .compat = true },
	{ .nr = 173, .off = 128 + 20, .load = LW_ARM64_A32_MOV_NR | 173, .compat = true },
};

/* Return: @sigreturn if 32-bit code makes that call, or 64-bit code, as @compat says; or NULL. */
static inline const struct lw_arch_sigreturn *
lw_arch_sigreturn_of(const struct lw_arch_sigreturn *sigreturn, bool compat)
{
	return sigreturn->compat == compat ? sigreturn : NULL;
}

/* Has a call that ends a handler this number? */
static inline bool lw_arch_is_sigreturn(s32 nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lw_arm64_sigreturns); i++)
		if (lw_arm64_sigreturns[i].nr == nr)
			return true;
	return false;
}

static inline u32 lw_arm64_insn(const u8 *code, unsigned int i)
{
	__le32 insn;

	memcpy(&insn, code + i * sizeof(insn), sizeof(insn));
	return le32_to_cpu(insn);
}

/* Does this instruction make the call? */
static inline bool lw_arm64_makes(const struct lw_arch_sigreturn *sigreturn, u32 insn)
{
	return sigreturn->compat ? (insn & LW_ARM64_A32_SVC_MASK) == LW_ARM64_A32_SVC :
				   insn == LW_ARM64_SVC;
}

/* Return: the call that ends a handler, made by @insn with number @nr, or NULL. */
static inline const struct lw_arch_sigreturn *
lw_arch_sigreturn_by(const u8 *insn, s32 nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lw_arm64_sigreturns); i++)
		if (lw_arm64_sigreturns[i].nr == nr &&
		    lw_arm64_makes(&lw_arm64_sigreturns[i], lw_arm64_insn(insn, 0)))
			return &lw_arm64_sigreturns[i];
	return NULL;
}

/**
 * lw_arch_restorer - is this the first instruction of a restorer
 * @code: LW_ARCH_RESTORER_MAX bytes
 * @popped: out: bytes that it takes off the stack before the call
 *
 * Return: the call that it makes, or NULL.
 */
static inline const struct lw_arch_sigreturn *
lw_arch_restorer(const u8 *code, u32 *popped)
{
	unsigned int i;

	*popped = 0;
	for (i = 0; i < ARRAY_SIZE(lw_arm64_sigreturns); i++)
		if (lw_arm64_insn(code, 0) == lw_arm64_sigreturns[i].load &&
		    lw_arm64_makes(&lw_arm64_sigreturns[i], lw_arm64_insn(code, 1)))
			return &lw_arm64_sigreturns[i];
	return NULL;
}

/* struct sigcontext of uapi/asm/sigcontext.h, as far as it is needed; and compat_sigcontext */
union lw_arch_sigcontext {
	struct {
		__u64	fault_address;
		__u64	regs[LW_ARCH_GPRS];	/* x0 to x30, sp */
		__u64	pc;
		__u64	pstate;
	};
	struct {
		__u32	trap_no, error_code, oldmask;
		__u32	regs[16];		/* r0 to r12, sp, lr, pc */
	} compat;
};

static_assert(offsetof(union lw_arch_sigcontext, pc) == 264);

/* Of 32-bit code, the frame pointer, the stack pointer, and the instruction pointer. */
#define LW_ARM64_COMPAT_FP	11
#define LW_ARM64_COMPAT_SP	13
#define LW_ARM64_COMPAT_PC	15

/*
 * From struct rt_sigframe to the record behind it that the kernel makes for the handler's x29:
 * struct sigcontext and what is before it, its 280 bytes made a multiple of 16, and 4096 bytes for
 * records (setup_sigframe_layout()).  SVE with vectors of more than 96 bytes takes more, and so
 * does SME's ZA with vectors of 64 bytes.
 */
#define LW_ARM64_SIGFRAME_LEN	(128 + 176 + 288 + 4096)

/**
 * lw_arch_sigframe_below - where a restorer's stack pointer is, by its frame pointer
 * @fp: frame pointer, of the handler's caller
 *
 * Return: an address; what is there may be something else.
 */
static inline u64 lw_arch_sigframe_below(u64 fp)
{
	return fp - LW_ARM64_SIGFRAME_LEN;
}

/* Is this what the kernel has interrupted, if it has left @record at the frame pointer? */
static inline bool lw_arch_is_interrupted(const union lw_arch_sigcontext *context,
					  const u64 record[2])
{
	return context->regs[LW_ARCH_FP_REG] == record[0] &&
	       context->regs[LW_ARCH_LINK_REG] == record[1];
}

/* Return: how many bytes of it there are to be read. */
static inline u32 lw_arch_sigcontext_len(const struct lw_arch_sigreturn *sigreturn)
{
	return sigreturn->compat ? sizeof_field(union lw_arch_sigcontext, compat) :
				   sizeof(union lw_arch_sigcontext);
}

/**
 * lw_arch_interrupted - the registers that a signal frame has
 * @sigreturn: the call that takes them from there
 * @context: lw_arch_sigcontext_len() bytes were read
 * @gprs: out: LW_ARCH_GPRS of them
 * @compat: out: 32-bit code was interrupted
 *
 * Return: the instruction pointer.
 */
static inline u64 lw_arch_interrupted(const struct lw_arch_sigreturn *sigreturn,
				      const union lw_arch_sigcontext *context, u64 *gprs,
				      bool *compat)
{
	unsigned int i;

	*compat = sigreturn->compat;
	if (!*compat) {
		memcpy(gprs, context->regs, sizeof(context->regs));
		return context->pc;
	}
	memset(gprs, 0, LW_ARCH_GPRS * sizeof(*gprs));
	for (i = 0; i < LW_ARM64_COMPAT_PC; i++)
		gprs[i] = context->compat.regs[i];
	gprs[LW_ARCH_FP_REG] = context->compat.regs[LW_ARM64_COMPAT_FP];
	gprs[LW_ARCH_SP_REG] = context->compat.regs[LW_ARM64_COMPAT_SP];
	return context->compat.regs[LW_ARM64_COMPAT_PC];
}

#endif /* LW_ARCH_SIGFRAME_H */
