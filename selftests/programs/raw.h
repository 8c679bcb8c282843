/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw.h - system calls whose instruction we know, and calls on other stacks.
 */
#ifndef RAW_H
#define RAW_H

#include <stdint.h>

/*
 * ioctl() or any other system call of three arguments from right here: *@ip is
 * where it returns to.
 */
#if defined(__x86_64__)

static inline __attribute__((always_inline))
long raw_syscall(long nr, long a, long b, long c, uint64_t *ip)
{
	uint64_t at;
	long ret;

	asm volatile("lea 1f(%%rip), %[at]\n\t"
		     "syscall\n"
		     "1:"
		     : "=a"(ret), [at] "=&r"(at)
		     : "a"(nr), "D"(a), "S"(b), "d"(c)
		     : "rcx", "r11", "memory");
	*ip = at;
	return ret;
}

/* Bytes of the instruction of raw_trap(), and where a signal's context has its address. */
#define RAW_TRAP_LEN		2
/* Bytes of the instruction of a system call, and of raw_restorer(). */
#define RAW_SYSCALL_LEN		2
#define RAW_RESTORER_LEN	9
#define RAW_CONTEXT_IP(uc)	((uc)->uc_mcontext.gregs[REG_RIP])

/* struct sigcontext_64, in bytes above the stack pointer of a restorer; its words. */
#define RAW_SIGCONTEXT		40
#define RAW_SIGCONTEXT_FP	10
#define RAW_SIGCONTEXT_SP	15
#define RAW_SIGCONTEXT_IP	16

/* The numbers of fork() and vfork(), and their first argument. */
#define RAW_FORK		SYS_fork
#define RAW_FORK_FLAGS		0
#define RAW_VFORK		SYS_vfork
#define RAW_VFORK_FLAGS		0
#define RAW_FORK_NAME		"fork"
#define RAW_VFORK_NAME		"vfork"
/* What the kernel's functions of system calls are called: this and the name. */
#define RAW_SYSCALL_PREFIX	"__x64_sys_"

/* Instructions of the functions below. */
#define RAW_ADDRESS(label, reg)	"lea " label "(%%rip), " reg "\n\t"
#define RAW_STORE(reg, to)	"mov " reg ", " to "\n\t"
#define RAW_DECREMENT(reg)	"dec " reg "\n\t"
#define RAW_IF_NOT_ZERO(label)	"jnz " label "\n\t"
#define RAW_WRITE_AT_8(reg)	"movb $0, 8(" reg ")\n\t"

#elif defined(__aarch64__)

static inline __attribute__((always_inline))
long raw_syscall(long nr, long a, long b, long c, uint64_t *ip)
{
	register long x8 asm("x8") = nr, x0 asm("x0") = a, x1 asm("x1") = b, x2 asm("x2") = c;
	uint64_t at;

	asm volatile("adr %[at], 1f\n\t"
		     "svc #0\n"
		     "1:"
		     : "+r"(x0), [at] "=&r"(at)
		     : "r"(x8), "r"(x1), "r"(x2)
		     : "memory");
	*ip = at;
	return x0;
}

#define RAW_TRAP_LEN		4
#define RAW_SYSCALL_LEN		4
#define RAW_RESTORER_LEN	8
#define RAW_CONTEXT_IP(uc)	((uc)->uc_mcontext.pc)

/* struct sigcontext, likewise */
#define RAW_SIGCONTEXT		304
#define RAW_SIGCONTEXT_FP	30
#define RAW_SIGCONTEXT_SP	32
#define RAW_SIGCONTEXT_IP	33

#define RAW_FORK		SYS_clone
#define RAW_FORK_FLAGS		SIGCHLD
#define RAW_VFORK		SYS_clone
#define RAW_VFORK_FLAGS		(CLONE_VM | CLONE_VFORK | SIGCHLD)
#define RAW_FORK_NAME		"clone"
#define RAW_VFORK_NAME		"clone"
#define RAW_SYSCALL_PREFIX	"__arm64_sys_"

#define RAW_ADDRESS(label, reg)	"adr " reg ", " label "\n\t"
#define RAW_STORE(reg, to)	"str " reg ", " to "\n\t"
#define RAW_DECREMENT(reg)	"subs " reg ", " reg ", #1\n\t"
#define RAW_IF_NOT_ZERO(label)	"b.ne " label "\n\t"
#define RAW_WRITE_AT_8(reg)	"strb wzr, [" reg ", #8]\n\t"

#elif defined(__s390x__)

static inline __attribute__((always_inline))
long raw_syscall(long nr, long a, long b, long c, uint64_t *ip)
{
	register long r1 asm("1") = nr, r2 asm("2") = a, r3 asm("3") = b, r4 asm("4") = c;
	uint64_t at;

	asm volatile("larl %[at], 1f\n\t"
		     "svc 0\n"
		     "1:"
		     : "+r"(r2), [at] "=&r"(at)
		     : "r"(r1), "r"(r3), "r"(r4)
		     : "memory");
	*ip = at;
	return r2;
}

/* The context of a trap has the address behind its instruction, of 2 bytes. */
#define RAW_TRAP_LEN		0
#define RAW_TRAP_BEHIND		2
#define RAW_SYSCALL_LEN		2
#define RAW_RESTORER_LEN	2
#define RAW_CONTEXT_IP(uc)	((uc)->uc_mcontext.psw.addr)

/* _sigregs, likewise, of a handler without SA_SIGINFO: that has another frame and call */
#define RAW_SIGCONTEXT		176
/* The addressing mode. */
#define RAW_SIGCONTEXT_MASK	0
#define RAW_MASK_64		0x180000000
#define RAW_SIGCONTEXT_FP	13
#define RAW_SIGCONTEXT_SP	17
#define RAW_SIGCONTEXT_IP	1

#define RAW_FORK		SYS_fork
#define RAW_FORK_FLAGS		0
#define RAW_VFORK		SYS_vfork
#define RAW_VFORK_FLAGS		0
#define RAW_FORK_NAME		"fork"
#define RAW_VFORK_NAME		"vfork"
#define RAW_SIGRETURN_NAME	"sigreturn"
#define RAW_SYSCALL_PREFIX	"__s390x_sys_"

#define RAW_ADDRESS(label, reg)	"larl " reg ", " label "\n\t"
#define RAW_STORE(reg, to)	"stg " reg ", " to "\n\t"
#define RAW_DECREMENT(reg)	"aghi " reg ", -1\n\t"
#define RAW_IF_NOT_ZERO(label)	"jnz " label "\n\t"
#define RAW_WRITE_AT_8(reg)	"mvi 8(" reg "), 0\n\t"

#endif

#ifndef RAW_TRAP_BEHIND
#define RAW_TRAP_BEHIND		0
#define RAW_SIGRETURN_NAME	"rt_sigreturn"
#endif

/* Counts down from @rounds, in the code between *@from and *@to. */
static inline __attribute__((always_inline))
long raw_spin(long rounds, const char **from, const char **to)
{
	const char *begin, *end;

	asm volatile(RAW_ADDRESS("1f", "%[from]")
		     RAW_ADDRESS("2f", "%[to]")
		     RAW_STORE("%[from]", "%[at_from]")
		     RAW_STORE("%[to]", "%[at_to]")
		     "1:\n\t"
		     RAW_DECREMENT("%[rounds]")
		     RAW_IF_NOT_ZERO("1b")
		     "2:"
		     : [rounds] "+r"(rounds), [from] "=&r"(begin), [to] "=&r"(end),
		       [at_from] "=m"(*from), [at_to] "=m"(*to)
		     : : "cc");
	return rounds;
}

/* Writes the address of the next instruction to *@ip, and then to where there is nothing. */
static inline __attribute__((always_inline)) void raw_crash(uint64_t *ip)
{
	uint64_t next;

	asm volatile(RAW_ADDRESS("1f", "%[next]")
		     RAW_STORE("%[next]", "%[ip]")
		     "1:\n\t"
		     RAW_WRITE_AT_8("%[null]")
		     : [next] "=&r"(next), [ip] "=m"(*ip)
		     : [null] "r"(0L)
		     : "memory");
}

/* How a walk ends in code without a row whose frame pointer is 0, where there are such. */
#if defined(__s390x__)
#define RAW_END_OF_FP		LW_END_NO_RULE
#else
#define RAW_END_OF_FP		LW_END_OUTERMOST_FP
#endif

/*
 * Has code without a row lead to its caller, which is at @ra and is the last one.  @sp: where the
 * stack pointer of that code is; @frame: what its frame pointer, or on s390x its back chain, leads
 * to, which is at @at when the walk comes there, and has RAW_GUESS_WORDS words.
 * The caller's stack pointer is RAW_GUESSED words above that.
 */
#if defined(__s390x__)
#define RAW_GUESS_WORDS		16
#define RAW_GUESSED		0
static inline void raw_guess(uint64_t *sp, uint64_t *frame, uint64_t at, uint64_t ra)
{
	*sp = at;
	frame[0] = 0;
	frame[14] = ra;
	frame[15] = at;
}
#else
#define RAW_GUESS_WORDS		2
#define RAW_GUESSED		2
static inline void raw_guess(uint64_t *sp, uint64_t *frame, uint64_t at, uint64_t ra)
{
	(void)sp;
	(void)at;
	frame[0] = 0;
	frame[1] = ra;
}
#endif

/* Calls fn(arg) on another stack; nothing is above it but an fp of 0. */
long raw_on_stack(long (*fn)(void *arg), void *arg, void *top);

/*
 * A system call with any stack and frame pointer.  The first is in code whose
 * SFrame row says that the caller's stack pointer is 8 above the stack pointer, the second in code
 * that has no row and does not look like a prologue.  The ip is where the call
 * returns to.
 */
#if defined(__s390x__)
#define RAW_HOSTILE_CFA		168	/* from the stack pointer on */
#else
#define RAW_HOSTILE_CFA		8
#endif
extern const char raw_hostile_sframe_ip[], raw_hostile_fp_ip[];

struct raw_regs {
	long nr;
	long a;
	long b;
	long c;
	uint64_t sp;
	uint64_t fp;
	uint64_t r9;	/* the register of that number */
	uint64_t link;	/* register of the return address, where there is one */
};

long raw_hostile_sframe(const struct raw_regs *regs);
long raw_hostile_fp(const struct raw_regs *regs);

/* SIGILL at its first instruction, of RAW_TRAP_LEN bytes; then it returns. */
void raw_trap(void);

/*
 * Has the return address at the stack pointer, from its first instruction on, and another function
 * with another row right in front of it.
 */
extern const char raw_framed[];

/* Signal restorers: right behind a function that has SFrame, and alone. */
void raw_restorer(void);
void raw_lone_restorer(void);

/* Likewise, as those of other ABIs of x86 are: never run. */
void raw_x32_restorer(void);
void raw_ia32_restorer(void);

#endif /* RAW_H */
