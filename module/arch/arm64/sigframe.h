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
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include "arch.h"

/* Bytes of the restorer: mov x8, #nr; svc #0.  The vDSO asks not to change it (sigreturn.S). */
#define LW_ARCH_RESTORER_MAX	8
/* Bytes of the instruction that makes a system call. */
#define LW_ARCH_SYSCALL_LEN	4

/**
 * struct lw_arch_sigreturn - a system call that ends a signal handler
 * @nr: its number
 * @off: of struct sigcontext, from the stack pointer when the call is made
 */
struct lw_arch_sigreturn {
	s32	nr;
	u32	off;
};

/*
 * @off, of struct rt_sigframe: siginfo (128 bytes), uc_flags, uc_link, uc_stack (8 + 8 + 24
 * bytes), uc_sigmask with room for 1,024 signals (128), and 8 bytes as struct sigcontext is
 * aligned to 16.  The records of SVE and SME are behind the general registers.
 */
static const struct lw_arch_sigreturn lw_arm64_sigreturn = { .nr = 139, .off = 128 + 176 };

#define LW_ARM64_SVC		0xd4000001	/* svc #0 */
#define LW_ARM64_MOV_SIGRETURN	0xd2801168	/* mov x8, #139 */

/* Is this a call that 32-bit code makes? */
static inline bool lw_arch_sigreturn_compat(const struct lw_arch_sigreturn *sigreturn)
{
	return false;
}

/* Has a call that ends a handler this number? */
static inline bool lw_arch_is_sigreturn(s32 nr)
{
	return nr == lw_arm64_sigreturn.nr;
}

static inline u32 lw_arm64_insn(const u8 *code, unsigned int i)
{
	__le32 insn;

	memcpy(&insn, code + i * sizeof(insn), sizeof(insn));
	return le32_to_cpu(insn);
}

/* Return: the call that ends a handler, made by @insn with number @nr, or NULL. */
static inline const struct lw_arch_sigreturn *
lw_arch_sigreturn_by(const u8 *insn, s32 nr)
{
	return lw_arch_is_sigreturn(nr) && lw_arm64_insn(insn, 0) == LW_ARM64_SVC ?
	       &lw_arm64_sigreturn : NULL;
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
	*popped = 0;
	return lw_arm64_insn(code, 0) == LW_ARM64_MOV_SIGRETURN &&
	       lw_arm64_insn(code, 1) == LW_ARM64_SVC ? &lw_arm64_sigreturn : NULL;
}

/* struct sigcontext of uapi/asm/sigcontext.h, as far as it is needed */
union lw_arch_sigcontext {
	struct {
		__u64	fault_address;
		__u64	regs[LW_ARCH_GPRS];	/* x0 to x30, sp */
		__u64	pc;
		__u64	pstate;
	};
};

static_assert(offsetof(union lw_arch_sigcontext, pc) == 264);

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
	return sizeof(union lw_arch_sigcontext);
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
	memcpy(gprs, context->regs, sizeof(context->regs));
	*compat = false;
	return context->pc;
}

#endif /* LW_ARCH_SIGFRAME_H */
