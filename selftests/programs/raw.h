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
#define RAW_CONTEXT_IP(uc)	((uc)->uc_mcontext.gregs[REG_RIP])

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
#define RAW_CONTEXT_IP(uc)	((uc)->uc_mcontext.pc)

#endif

/* Calls fn(arg) on another stack; nothing is above it but an fp of 0. */
long raw_on_stack(long (*fn)(void *arg), void *arg, void *top);

/*
 * A system call with any stack and frame pointer.  The first is in code whose
 * SFrame row says that the CFA is 8 above the stack pointer, the second in code
 * that has no row and does not look like a prologue.  The ip is where the call
 * returns to.
 */
extern const char raw_hostile_sframe_ip[], raw_hostile_fp_ip[];

struct raw_regs {
	long nr;
	long a;
	long b;
	long c;
	uint64_t sp;
	uint64_t fp;
	uint64_t r9;
};

long raw_hostile_sframe(const struct raw_regs *regs);
long raw_hostile_fp(const struct raw_regs *regs);

/* SIGILL at its first instruction, of RAW_TRAP_LEN bytes; then it returns. */
void raw_trap(void);

/* Signal restorers: right behind a function that has SFrame, and alone. */
void raw_restorer(void);
void raw_lone_restorer(void);

/* Likewise, as those of other ABIs of x86 are: never run. */
void raw_x32_restorer(void);
void raw_ia32_restorer(void);

#endif /* RAW_H */
