/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call32.h - system calls of 32-bit programs without any libc.
 */
#ifndef CALL32_H
#define CALL32_H

#if defined(__i386__)
#include <asm/unistd_32.h>
#elif defined(__arm__)
#include <asm/unistd.h>
#endif
#include <linux/fcntl.h>
#include <latewind.h>

#define PROT_READ	1
#define PROT_WRITE	2
#define MAP_SHARED	1

#if defined(__i386__)
/* %ebx and %ebp are arguments too. */
static inline long call(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret)
		     : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

static inline long call5(long nr, long a, long b, long c, long d, long e)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret)
		     : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
	return ret;
}

/* Six arguments: the sixth in %ebp. */
static inline long call6(const __u32 *nr_and_arguments)
{
	long ret;

	asm volatile("push %%ebx\n\t"
		     "push %%ebp\n\t"
		     "mov (%%eax), %%edx\n\t"
		     "push %%edx\n\t"
		     "mov 4(%%eax), %%ebx\n\t"
		     "mov 8(%%eax), %%ecx\n\t"
		     "mov 12(%%eax), %%edx\n\t"
		     "mov 16(%%eax), %%esi\n\t"
		     "mov 20(%%eax), %%edi\n\t"
		     "mov 24(%%eax), %%ebp\n\t"
		     "pop %%eax\n\t"
		     "int $0x80\n\t"
		     "pop %%ebp\n\t"
		     "pop %%ebx"
		     : "=a"(ret) : "0"(nr_and_arguments)
		     : "ecx", "edx", "esi", "edi", "memory");
	return ret;
}
#elif defined(__arm__)
static inline long call5(long nr, long a, long b, long c, long d, long e)
{
	register long r7 asm("r7") = nr;
	register long r0 asm("r0") = a;
	register long r1 asm("r1") = b;
	register long r2 asm("r2") = c;
	register long r3 asm("r3") = d;
	register long r4 asm("r4") = e;

	asm volatile("svc #0"
		     : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4) : "memory");
	return r0;
}

static inline long call(long nr, long a, long b, long c)
{
	return call5(nr, a, b, c, 0, 0);
}

static inline long call6(const __u32 *nr_and_arguments)
{
	register long r0 asm("r0") = (long)nr_and_arguments;

	asm volatile("ldm r0, {r6, r8, r9, r10}\n\t"
		     "ldr r4, [r0, #20]\n\t"
		     "ldr r5, [r0, #24]\n\t"
		     "ldr r3, [r0, #16]\n\t"
		     "mov r7, r6\n\t"
		     "mov r0, r8\n\t"
		     "mov r1, r9\n\t"
		     "mov r2, r10\n\t"
		     "svc #0"
		     : "+r"(r0)
		     : : "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "memory");
	return r0;
}
#elif defined(__s390__)
/* Headers of later kernels, which run no such programs, do not have them. */
#define __NR_exit		1
#define __NR_open		5
#define __NR_getpid		20
#define __NR_kill		37
#define __NR_ioctl		54
#define __NR_rt_sigaction	174
#define __NR_sigaltstack	186
#define __NR_mmap2		192
#define __NR_sched_setaffinity	239
#define __NR_statx		379

static inline long call5(long nr, long a, long b, long c, long d, long e)
{
	register long r1 asm("1") = nr;
	register long r2 asm("2") = a;
	register long r3 asm("3") = b;
	register long r4 asm("4") = c;
	register long r5 asm("5") = d;
	register long r6 asm("6") = e;

	asm volatile("svc 0"
		     : "+r"(r2) : "r"(r1), "r"(r3), "r"(r4), "r"(r5), "r"(r6) : "memory");
	return r2;
}

static inline long call(long nr, long a, long b, long c)
{
	return call5(nr, a, b, c, 0, 0);
}

/* Six arguments: in memory. */
static inline long call6(const __u32 *nr_and_arguments)
{
	return call(nr_and_arguments[0], (long)&nr_and_arguments[1], 0, 0);
}
#endif

static inline void *map(int fd, unsigned long len, int prot, __u64 offset)
{
	const __u32 a[] = { __NR_mmap2, 0, len, prot, MAP_SHARED, fd, offset >> 12 };
	long ret = call6(a);

	return (unsigned long)ret > -4096UL ? (void *)0 : (void *)ret;
}

#if defined(__arm__)
/* Compilers call it, with libc or without. */
void *memset(void *to, int byte, __SIZE_TYPE__ len)
{
	char *at = to;

	while (len--) {
		*at++ = byte;
		/* This must not become a call of memset(). */
		asm volatile("" : : : "memory");
	}
	return to;
}
#endif

#define CHECK(nr, cond) do { if (!(cond)) return nr; } while (0)

#endif /* CALL32_H */
