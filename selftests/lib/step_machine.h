/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step_machine.h - what the machines have for those that run a program instruction by
 * instruction: registers by ptrace(), in a signal's frame, and by DWARF's numbers.
 */
#ifndef LW_SELFTESTS_STEP_MACHINE_H
#define LW_SELFTESTS_STEP_MACHINE_H

#include <linux/types.h>
#include <stdint.h>
#include <string.h>
#include <sys/user.h>
#include <ucontext.h>

#include "../../module/sframe/sframe.h"

#if defined(__x86_64__)

#define STEP_ABI	LW_SFRAME_ABI_AMD64

/* DWARF's numbers: x86-64 psABI, figure 3.36. */
#define STEP_GPRS	16
#define STEP_REG_FP	6
#define STEP_REG_SP	7
#define STEP_REG_RA	16
#define STEP_SAVED	{ 3, 12, 13, 14, 15 }

#define STEP_SYSCALL_LEN	2
/* Bytes that a call pushes. */
#define STEP_PUSHED		8
/* The system call of a restorer, and struct ucontext, from its stack pointer on. */
#define STEP_UC_AT		0

static inline __u64 step_ip(const struct user_regs_struct *regs) { return regs->rip; }
static inline __u64 step_sp(const struct user_regs_struct *regs) { return regs->rsp; }
static inline __u64 step_fp(const struct user_regs_struct *regs) { return regs->rbp; }
static inline __u64 step_argument(const struct user_regs_struct *regs) { return regs->rdi; }
static inline __u64 step_third(const struct user_regs_struct *regs) { return regs->rdx; }
/* The number, before the call that @insn makes. */
static inline __u64 step_syscall(const struct user_regs_struct *regs, const uint8_t *insn)
{
	(void)insn;
	return regs->rax;
}

static inline void step_gprs(const struct user_regs_struct *r, __u64 *gprs)
{
	const __u64 values[STEP_GPRS] = {
		r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
		r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
	};

	memcpy(gprs, values, sizeof(values));
}

static inline __u64 step_uc_ip(const ucontext_t *uc) { return uc->uc_mcontext.gregs[REG_RIP]; }
static inline __u64 step_uc_sp(const ucontext_t *uc) { return uc->uc_mcontext.gregs[REG_RSP]; }

static inline void step_uc_gprs(const ucontext_t *uc, __u64 *gprs)
{
	static const __u8 order[STEP_GPRS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	for (int i = 0; i < STEP_GPRS; i++)
		gprs[i] = uc->uc_mcontext.gregs[order[i]];
}

#elif defined(__aarch64__)

#define STEP_ABI	LW_SFRAME_ABI_AARCH64_LE

/* DWARF's numbers: aadwarf64, table 1. */
#define STEP_GPRS	32
#define STEP_REG_FP	29
#define STEP_REG_SP	31
#define STEP_REG_RA	30
#define STEP_SAVED	{ 19, 20, 21, 22, 23 }

#define STEP_SYSCALL_LEN	4
#define STEP_PUSHED		0
/* Behind struct siginfo. */
#define STEP_UC_AT		128

static inline __u64 step_ip(const struct user_regs_struct *regs) { return regs->pc; }
static inline __u64 step_sp(const struct user_regs_struct *regs) { return regs->sp; }
static inline __u64 step_fp(const struct user_regs_struct *regs) { return regs->regs[29]; }
static inline __u64 step_argument(const struct user_regs_struct *regs) { return regs->regs[0]; }
static inline __u64 step_third(const struct user_regs_struct *regs) { return regs->regs[2]; }

static inline __u64 step_syscall(const struct user_regs_struct *regs, const uint8_t *insn)
{
	(void)insn;
	return regs->regs[8];
}

static inline void step_gprs(const struct user_regs_struct *regs, __u64 *gprs)
{
	memcpy(gprs, regs->regs, sizeof(regs->regs));
	gprs[STEP_REG_SP] = regs->sp;
}

static inline __u64 step_uc_ip(const ucontext_t *uc) { return uc->uc_mcontext.pc; }
static inline __u64 step_uc_sp(const ucontext_t *uc) { return uc->uc_mcontext.sp; }

static inline void step_uc_gprs(const ucontext_t *uc, __u64 *gprs)
{
	memcpy(gprs, uc->uc_mcontext.regs, sizeof(uc->uc_mcontext.regs));
	gprs[STEP_REG_SP] = uc->uc_mcontext.sp;
}

#elif defined(__s390x__)

#define STEP_ABI	LW_SFRAME_ABI_S390X

/* DWARF's numbers: s390x ELF ABI supplement, 1.6; floating-point registers have others above. */
#define STEP_GPRS	16
#define STEP_REG_FP	11
#define STEP_REG_SP	15
#define STEP_REG_RA	14
#define STEP_SAVED	{ 8, 9, 10, 12, 13 }

#define STEP_SYSCALL_LEN	2
#define STEP_PUSHED		0
/* Behind what a function saves registers in, an instruction and struct siginfo. */
#define STEP_UC_AT		(160 + 8 + 128)
/*
 * Without SA_SIGINFO: struct sigcontext, which a handler's second argument points to, and the
 * registers that it has, as struct ucontext has them.
 */
#define STEP_SIGCONTEXT_AT	160
#define STEP_OLD_UC_AT		(160 + 16 - offsetof(ucontext_t, uc_mcontext))

#define user_regs_struct	_user_regs_struct

static inline __u64 step_ip(const struct user_regs_struct *regs) { return regs->psw.addr; }
static inline __u64 step_sp(const struct user_regs_struct *regs) { return regs->gprs[15]; }
static inline __u64 step_fp(const struct user_regs_struct *regs) { return regs->gprs[11]; }
static inline __u64 step_argument(const struct user_regs_struct *regs) { return regs->gprs[2]; }
static inline __u64 step_second(const struct user_regs_struct *regs) { return regs->gprs[3]; }
static inline __u64 step_third(const struct user_regs_struct *regs) { return regs->gprs[4]; }

/* It is in the instruction, or 0 is. */
static inline __u64 step_syscall(const struct user_regs_struct *regs, const uint8_t *insn)
{
	return insn[1] ?: regs->gprs[1];
}

static inline void step_gprs(const struct user_regs_struct *regs, __u64 *gprs)
{
	memcpy(gprs, regs->gprs, sizeof(regs->gprs));
}

static inline __u64 step_uc_ip(const ucontext_t *uc) { return uc->uc_mcontext.psw.addr; }
static inline __u64 step_uc_sp(const ucontext_t *uc) { return uc->uc_mcontext.gregs[15]; }

static inline void step_uc_gprs(const ucontext_t *uc, __u64 *gprs)
{
	memcpy(gprs, uc->uc_mcontext.gregs, sizeof(uc->uc_mcontext.gregs));
}

#endif

#endif /* LW_SELFTESTS_STEP_MACHINE_H */
