/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call32.h - system calls of 32-bit programs without any libc.
 */
#ifndef CALL32_H
#define CALL32_H

#include <asm/unistd_32.h>
#include <linux/fcntl.h>
#include <latewind.h>

#define PROT_READ	1
#define PROT_WRITE	2
#define MAP_SHARED	1

/* %ebx and %ebp are arguments too. */
static inline long call(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret)
		     : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

static inline void *map(int fd, unsigned long len, int prot, __u64 offset)
{
	struct {
		__u32 nr;
		__u32 addr;
		__u32 len;
		__u32 prot;
		__u32 flags;
		__u32 fd;
		__u32 page;
	} a = { __NR_mmap2, 0, len, prot, MAP_SHARED, fd, offset >> 12 };
	long ret;

	/* Six arguments: the sixth in %ebp. */
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
		     : "=a"(ret) : "0"(&a)
		     : "ecx", "edx", "esi", "edi", "memory");
	return (unsigned long)ret > -4096UL ? (void *)0 : (void *)ret;
}

#define CHECK(nr, cond) do { if (!(cond)) return nr; } while (0)

#endif /* CALL32_H */
