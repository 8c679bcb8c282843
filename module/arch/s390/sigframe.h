/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/s390/sigframe.h - restorers of signal handlers, and the signal frames that the kernel
 * leaves on the stack for them.
 *
 * A restorer makes the system call that goes back to the interrupted code: one instruction, which
 * has the call's number.  It is the vDSO's, or the program's own.  Nobody calls it, so it has no
 * caller that a table could tell; it is recognised by its instruction.
 */
#ifndef LW_ARCH_SIGFRAME_H
#define LW_ARCH_SIGFRAME_H

#include <asm/ptrace.h>
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include "arch.h"

/* Bytes of the restorer, and of the instruction that makes a system call: svc nr */
#define LW_ARCH_RESTORER_MAX	2
#define LW_ARCH_SYSCALL_LEN	2

#define LW_S390_SVC		0x0a	/* then the number, or 0: it is in r1 */

/**
 * struct lw_arch_sigreturn - a system call that ends a signal handler
 * @nr: its number
 * @compat: of 31-bit code
 * @off: of the registers, from the stack pointer when the call is made
 */
struct lw_arch_sigreturn {
	u8	nr;
	bool	compat;
	u32	off;
};

/*
 * @off: both frames begin with what a function saves registers in (160 bytes).  Behind it are, of
 * struct sigframe, the mask and a pointer (8 + 8); of struct rt_sigframe, an instruction that is
 * used no more (2, and 6 for alignment), siginfo (128), uc_flags, uc_link, uc_stack (8 + 8 + 24).
 * Of 31-bit code, the first has 96 bytes, the mask and a pointer (8 + 4, and 4 for alignment); the
 * second has the instruction (2 and 2), siginfo, and (4 for alignment) 4 + 4 + 12 and 4.
 */
static const struct lw_arch_sigreturn lw_s390_sigreturns[] = {
	{ .nr = 119, .off = 160 + 16 },
	{ .nr = 173, .off = 160 + 8 + 128 + 40 },
	{ .nr = 119, .off = 96 + 16, .compat = true },
	{ .nr = 173, .off = 96 + 4 + 128 + 4 + 24, .compat = true },
};

static inline const struct lw_arch_sigreturn *lw_s390_sigreturn_of(s32 nr, bool compat)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lw_s390_sigreturns); i++)
		if (lw_s390_sigreturns[i].nr == nr && lw_s390_sigreturns[i].compat == compat)
			return &lw_s390_sigreturns[i];
	return NULL;
}

/* Has a call that ends a handler this number? */
static inline bool lw_arch_is_sigreturn(s32 nr)
{
	return lw_s390_sigreturn_of(nr, false);
}

/* Return: the call that ends a handler, made by @insn with number @nr, or NULL. */
static inline const struct lw_arch_sigreturn *
lw_arch_sigreturn_by(const u8 *insn, s32 nr)
{
	return insn[0] == LW_S390_SVC && (insn[1] == nr || !insn[1]) ?
		       lw_s390_sigreturn_of(nr, false) : NULL;
}

/* Return: the call as 31-bit code makes it, or as 64-bit code does. */
static inline const struct lw_arch_sigreturn *
lw_arch_sigreturn_of(const struct lw_arch_sigreturn *sigreturn, bool compat)
{
	return lw_s390_sigreturn_of(sigreturn->nr, compat);
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
	return code[0] == LW_S390_SVC ? lw_s390_sigreturn_of(code[1], false) : NULL;
}

/* _sigregs of uapi/asm/sigcontext.h, and that of 31-bit code: arch/s390/kernel/compat_linux.h */
union lw_arch_sigcontext {
	struct {
		__u32	psw_mask;
		__u32	psw_addr;
		__u32	gprs[NUM_GPRS];
		__u32	acrs[NUM_ACRS];
		__u32	fpc;
		__u32	pad;
		__u64	fprs[NUM_FPRS];
	} compat;
	struct {
		__u64	psw_mask;
		__u64	psw_addr;
		__u64	gprs[NUM_GPRS];
		__u32	acrs[NUM_ACRS];
		__u32	fpc;
		__u32	pad;
		__u64	fprs[NUM_FPRS];
	};
};

static_assert(offsetof(union lw_arch_sigcontext, fprs) == 216);
static_assert(offsetof(union lw_arch_sigcontext, compat.fprs) == 144);

/* These are for rules with LW_RULE_SP_LOST, which s390 has none of. */
static inline u64 lw_arch_sigframe_below(u64 fp)
{
	return 0;
}

static inline bool lw_arch_is_interrupted(const union lw_arch_sigcontext *context,
					  const u64 record[2])
{
	return false;
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
 * @compat: out: 31-bit code was interrupted
 *
 * Return: the instruction pointer.
 */
static inline u64 lw_arch_interrupted(const struct lw_arch_sigreturn *sigreturn,
				      const union lw_arch_sigcontext *context, u64 *gprs,
				      bool *compat)
{
	const __u64 *fprs = sigreturn->compat ? context->compat.fprs : context->fprs;
	unsigned int i;

	for (i = 0; i < NUM_GPRS; i++)
		gprs[i] = sigreturn->compat ? context->compat.gprs[i] : context->gprs[i];
	for (i = 0; i < LW_ARCH_GPRS - NUM_GPRS; i++)
		gprs[NUM_GPRS + i] = fprs[lw_s390_fpr(i)];
	*compat = sigreturn->compat || !(context->psw_mask & PSW_MASK_EA);
	return sigreturn->compat ? lw_s390_address_31(context->compat.psw_addr) :
				   context->psw_addr;
}

#endif /* LW_ARCH_SIGFRAME_H */
