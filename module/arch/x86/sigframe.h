/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/x86/sigframe.h - restorers of signal handlers, and the signal frames that the kernel
 * leaves on the stack for them.
 *
 * A restorer makes the system call that goes back to the interrupted code.  On x86 it is always
 * in user space: libc's, the program's own, or for 32-bit tasks in the vDSO.  Nobody calls it,
 * so it has no caller that a table could tell; it is recognised by its instructions.
 */
#ifndef LW_ARCH_SIGFRAME_H
#define LW_ARCH_SIGFRAME_H

#include <asm/segment.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include "arch.h"

/* Bytes of the longest restorer known: endbr64; mov $nr, %rax; syscall */
#define LW_ARCH_RESTORER_MAX	13
/* Bytes of the instruction that makes a system call. */
#define LW_ARCH_SYSCALL_LEN	2

enum lw_x86_sigcontext {
	LW_X86_SIGCONTEXT_64,
	LW_X86_SIGCONTEXT_32,
};

/**
 * struct lw_arch_sigreturn - a system call that ends a signal handler
 * @insn: the instruction that makes it
 * @nr: its number
 * @context: which struct sigcontext is on the stack
 * @off: of it, from the stack pointer when the call is made
 */
struct lw_arch_sigreturn {
	u8	insn[LW_ARCH_SYSCALL_LEN];
	s32	nr;
	enum lw_x86_sigcontext context;
	u32	off;
};

#define LW_X86_SYSCALL64	{ 0x0f, 0x05 }
#define LW_X86_INT80		{ 0xcd, 0x80 }

/*
 * @off: the handler's return has popped the first word of the kernel's struct
 * (struct rt_sigframe, rt_sigframe_x32, sigframe_ia32, rt_sigframe_ia32).  What
 * is between it and struct sigcontext:
 *	uc_flags, uc_link and uc_stack (8 + 8 + 24 bytes);
 *	the same of x32 (4 + 4 + 12, and 4 unused);
 *	the number of the signal, which the restorer has popped too;
 *	sig, pinfo, puc, 128 bytes of siginfo, uc_flags, uc_link, uc_stack (4 + 4 +
 *	12).
 */
static const struct lw_arch_sigreturn lw_arch_sigreturns[] = {
	/* rt_sigreturn */
	{ LW_X86_SYSCALL64, 15, LW_X86_SIGCONTEXT_64, 40 },
	/* x32's rt_sigreturn */
	{ LW_X86_SYSCALL64, 0x40000000 + 513, LW_X86_SIGCONTEXT_64, 24 },
	/* i386's sigreturn and rt_sigreturn */
	{ LW_X86_INT80, 119, LW_X86_SIGCONTEXT_32, 0 },
	{ LW_X86_INT80, 173, LW_X86_SIGCONTEXT_32, 160 },
};

/* Return: @sigreturn if 32-bit code makes that call, or 64-bit code, as @compat says; or NULL. */
static inline const struct lw_arch_sigreturn *
lw_arch_sigreturn_of(const struct lw_arch_sigreturn *sigreturn, bool compat)
{
	return compat == (sigreturn->context == LW_X86_SIGCONTEXT_32) ? sigreturn : NULL;
}

/* Return: the call that ends a handler, made by @insn with number @nr, or NULL. */
static inline const struct lw_arch_sigreturn *
lw_arch_sigreturn_by(const u8 *insn, s32 nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lw_arch_sigreturns); i++)
		if (!memcmp(lw_arch_sigreturns[i].insn, insn, LW_ARCH_SYSCALL_LEN) &&
		    lw_arch_sigreturns[i].nr == nr)
			return &lw_arch_sigreturns[i];
	return NULL;
}

static inline s32 lw_x86_imm32(const u8 *code)
{
	s32 imm;

	memcpy(&imm, code, sizeof(imm));
	return imm;
}

/* Bytes that load a system call's number, as libcs and assemblers write it; or 0. */
static inline unsigned int lw_x86_load_number(const u8 *code, s32 *nr)
{
	/* mov $nr, %rax: glibc, musl, Go */
	if (code[0] == 0x48 && code[1] == 0xc7 && code[2] == 0xc0) {
		*nr = lw_x86_imm32(code + 3);
		return 7;
	}
	/* mov $nr, %eax */
	if (code[0] == 0xb8) {
		*nr = lw_x86_imm32(code + 1);
		return 5;
	}
	/* push $nr; pop %rax: the shortest */
	if (code[0] == 0x6a && code[2] == 0x58) {
		*nr = (s8)code[1];
		return 3;
	}
	return 0;
}

/* Has a call that ends a handler this number? */
static inline bool lw_arch_is_sigreturn(s32 nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lw_arch_sigreturns); i++)
		if (lw_arch_sigreturns[i].nr == nr)
			return true;
	return false;
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
	unsigned int at = 0, len;
	s32 nr;

	*popped = 0;
	/* endbr64, endbr32 */
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && (code[3] & 0xfe) == 0xfa)
		at = 4;
	/* pop %eax: the signal's number, which i386's sigreturn has below its frame */
	if (!at && code[0] == 0x58) {
		*popped = LW_ARCH_COMPAT_WORD;
		at = 1;
	}
	len = lw_x86_load_number(code + at, &nr);
	return len ? lw_arch_sigreturn_by(code + at + len, nr) : NULL;
}

/* struct sigcontext_64 of uapi/asm/sigcontext.h, as far as it is needed */
struct lw_x86_sigcontext_64 {
	__u64	r8_to_r15[8];
	__u64	di, si, bp, bx, dx, ax, cx, sp, ip, flags;
	__u16	cs;
};

/* struct sigcontext_32, likewise */
struct lw_x86_sigcontext_32 {
	__u32	gs, fs, es, ds;
	__u32	di, si, bp, sp, bx, dx, cx, ax;
	__u32	trapno, err, ip;
	__u16	cs;
};

static_assert(offsetof(struct lw_x86_sigcontext_64, ip) == 128);
static_assert(offsetof(struct lw_x86_sigcontext_32, ip) == 56);

/* What the kernel leaves of the interrupted code. */
union lw_arch_sigcontext {
	struct lw_x86_sigcontext_64 of_64;
	struct lw_x86_sigcontext_32 of_32;
};

/* These are for rules with LW_RULE_SP_LOST, which x86 has none of. */
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
	return sigreturn->context == LW_X86_SIGCONTEXT_64 ? sizeof(struct lw_x86_sigcontext_64) :
							    sizeof(struct lw_x86_sigcontext_32);
}

/* As 64-bit code would have them. */
static inline void lw_x86_widen(struct lw_x86_sigcontext_64 *to,
				const struct lw_x86_sigcontext_32 *from)
{
	*to = (struct lw_x86_sigcontext_64) {
		.di = from->di, .si = from->si, .bp = from->bp, .bx = from->bx,
		.dx = from->dx, .ax = from->ax, .cx = from->cx, .sp = from->sp,
		.ip = from->ip, .cs = from->cs,
	};
}

/* The first eight, by their DWARF numbers. */
static inline void lw_x86_low_gprs(u64 *gprs, const struct lw_x86_sigcontext_64 *regs)
{
	const u64 values[LW_ARCH_GPRS - 8] = {
		regs->ax, regs->dx, regs->cx, regs->bx,
		regs->si, regs->di, regs->bp, regs->sp,
	};

	memcpy(gprs, values, sizeof(values));
}

/**
 * lw_arch_interrupted - the registers that a signal frame has
 * @sigreturn: the call that takes them from there
 * @context: lw_arch_sigcontext_len() bytes were read
 * @gprs: out: LW_ARCH_GPRS of them
 * @compat: out: 32-bit code was interrupted.  The frame's kind is that of the ABI by which the
 *	handler was installed, and does not tell.
 *
 * Return: the instruction pointer.
 */
static inline u64 lw_arch_interrupted(const struct lw_arch_sigreturn *sigreturn,
				      const union lw_arch_sigcontext *context, u64 *gprs,
				      bool *compat)
{
	const struct lw_x86_sigcontext_64 *regs = &context->of_64;
	struct lw_x86_sigcontext_64 wide;

	if (sigreturn->context == LW_X86_SIGCONTEXT_32) {
		lw_x86_widen(&wide, &context->of_32);
		regs = &wide;
		*compat = regs->cs != __USER_CS;
	} else {
		*compat = regs->cs == __USER32_CS;
	}
	lw_x86_low_gprs(gprs, regs);
	memcpy(gprs + 8, regs->r8_to_r15, sizeof(regs->r8_to_r15));
	return regs->ip;
}

#endif /* LW_ARCH_SIGFRAME_H */
