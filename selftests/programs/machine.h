/* SPDX-License-Identifier: GPL-2.0 */
/*
 * machine.h - what programs do that each machine has other instructions for.
 */
#ifndef LW_TEST_MACHINE_H
#define LW_TEST_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* In a function that calls this an unwinder by frame pointers gets nowhere. */
static inline __attribute__((always_inline)) void spoil_fp(long n)
{
#if defined(__x86_64__)
	asm volatile("mov %0, %%rbp" : : "r"(n) : "rbp", "memory");
#elif defined(__aarch64__)
	asm volatile("mov x29, %0" : : "r"(n) : "x29", "memory");
#elif defined(__s390x__)
	asm volatile("lgr %%r11, %0" : : "r"(n) : "r11", "memory");
#endif
}

/* A system call of the function that calls this: libc's have no SFrame. */
static inline __attribute__((always_inline)) long call_here(long nr, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long r10 asm("r10") = d;

	asm volatile("syscall" : "+a"(nr) : "D"(a), "S"(b), "d"(c), "r"(r10)
		     : "rcx", "r11", "memory");
	return nr;
#elif defined(__aarch64__)
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;
	register long x2 asm("x2") = c;
	register long x3 asm("x3") = d;

	asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#elif defined(__s390x__)
	register long r1 asm("1") = nr;
	register long r2 asm("2") = a;
	register long r3 asm("3") = b;
	register long r4 asm("4") = c;
	register long r5 asm("5") = d;

	asm volatile("svc 0" : "+r"(r2) : "r"(r1), "r"(r3), "r"(r4), "r"(r5) : "memory");
	return r2;
#endif
}

/* The counter of time, in order with what is around it. */
static inline uint64_t counter_of_time(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	asm volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t counter;

	asm volatile("isb; mrs %0, cntvct_el0" : "=r"(counter) : : "memory");
	return counter;
#elif defined(__s390x__)
	uint64_t counter;

	asm volatile("stck %0" : "=Q"(counter) : : "memory", "cc");
	return counter;
#endif
}

/* Under QEMU's -icount a nanosecond is an instruction; before Armv8.6 counters are slower. */
static inline bool counts_nanoseconds(void)
{
#if defined(__aarch64__)
	uint64_t frequency;

	asm("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency == 1000000000;
#elif defined(__s390x__)
	/* 4,096 steps are a microsecond. */
	return false;
#else
	return true;
#endif
}

#endif /* LW_TEST_MACHINE_H */
