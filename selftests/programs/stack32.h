/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack32.h - what stack32.c has in assembly, for each machine.
 */
#ifndef STACK32_H
#define STACK32_H

#include <call32.h>

#define KEEP	__attribute__((noipa))

void _start(void);

/* Hand-made, as libcs have them without a vDSO. */
void restorer(void);
void rt_restorer(void);

/* For what is called there: it is at the end of a chain, and notes a return address. */
long raise_or_ask(void);
void note_caller(__u32 ra);

#if defined(__i386__)
/* A system call from right here: *@ip is where it returns to, before it is made. */
static inline __attribute__((always_inline))
long call_here(long nr, long a, long b, long c, __u32 *ip)
{
	long ret;

	asm volatile("movl $1f, %[ip]\n\t"
		     "int $0x80\n"
		     "1:"
		     : "=a"(ret), [ip] "=m"(*ip)
		     : "0"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

/* Of a return address, what is no part of the address. */
#define STATE_BITS	0

/* How stacks end. */
#define END	LW_END_OUTERMOST_FP

/* The kernel has restorers of its own in the vDSO, if there is one. */
#define HAS_RESTORERS	0

/* All compilers make the same frames. */
#define through_other_frames	raise_or_ask

asm("restorer:\n\t"
	"pop %eax\n\t"
	"mov $119, %eax\n\t"
	"int $0x80\n"
	"rt_restorer:\n\t"
	"mov $173, %eax\n\t"
	"int $0x80\n");

asm(".globl _start\n"
	"_start:\n\t"
	"xor %ebp, %ebp\n\t"
	"mov %esp, %eax\n\t"
	"and $-16, %esp\n\t"
	"push %eax\n\t"
	"call start\n\t"
	"hlt");
#elif defined(__arm__)
static inline __attribute__((always_inline))
long call_here(long nr, long a, long b, long c, __u32 *ip)
{
	register long r7 asm("r7") = nr;
	register long r0 asm("r0") = a;
	register long r1 asm("r1") = b;
	register long r2 asm("r2") = c;

	asm volatile("adr r3, 1f\n\t"
		     "str r3, %[ip]\n\t"
		     "svc #0\n"
		     "1:"
		     : "+r"(r0), [ip] "=m"(*ip)
		     : "r"(r7), "r"(r1), "r"(r2) : "r3", "memory");
	return r0;
}

/* Thumb code? */
#define STATE_BITS	1
#define END	LW_END_OUTERMOST_FP

#define HAS_RESTORERS	1

/*
 * To raise_or_ask(), through frames that the compiler of this file does not make: as of gcc with
 * -mapcs-frame, of clang, and of clang in Thumb code with -mframe-chain=aapcs.
 */
long through_other_frames(void);

asm(".syntax unified\n\t"
	".globl through_other_frames\n"
	"through_other_frames:\n\t"
	"mov ip, sp\n\t"
	"push {fp, ip, lr, pc}\n\t"
	"sub fp, ip, #4\n\t"
	"mov r0, lr\n\t"
	"bl note_caller\n\t"
	"bl as_clang\n\t"
	"sub sp, fp, #12\n\t"
	"ldm sp, {fp, sp, pc}\n"
	"as_clang:\n\t"
	"push {r10, fp, lr}\n\t"
	"add fp, sp, #4\n\t"
	"mov r0, lr\n\t"
	"bl note_caller\n\t"
	"blx as_clang_thumb\n\t"
	"pop {r10, fp, pc}\n\t"
	".thumb\n\t"
	".thumb_func\n"
	"as_clang_thumb:\n\t"
	"push.w {r4, fp, lr}\n\t"
	"add.w fp, sp, #4\n\t"
	"mov r0, lr\n\t"
	"blx note_caller\n\t"
	"ldr r4, 1f\n\t"
	"blx r4\n\t"
	"pop.w {r4, fp, pc}\n\t"
	".p2align 2\n"
	"1:\n\t"
	".word raise_or_ask\n\t"
	".arm\n");

/* A system call of a function as of gcc that calls nobody; it leaves its ip, and its caller's. */
extern __u32 left_by_leaf[2];
long by_leaf(long nr, long a, long b, long c);

asm("by_leaf:\n\t"
	"push {r7, fp}\n\t"
	"add fp, sp, #4\n\t"
	"mov r7, r0\n\t"
	"mov r0, r1\n\t"
	"mov r1, r2\n\t"
	"mov r2, r3\n\t"
	"ldr ip, 2f\n\t"
	"adr r3, 1f\n\t"
	"stm ip, {r3, lr}\n\t"
	"svc #0\n"
	"1:\n\t"
	"sub sp, fp, #4\n\t"
	"pop {r7, fp}\n\t"
	"bx lr\n"
	"2:\n\t"
	".word left_by_leaf\n");

asm("restorer:\n\t"
	"mov r7, #119\n\t"
	"svc #0\n"
	"rt_restorer:\n\t"
	"mov r7, #173\n\t"
	"svc #0\n");

asm(".globl _start\n"
	"_start:\n\t"
	"mov fp, #0\n\t"
	"mov r0, sp\n\t"
	"bic sp, sp, #7\n\t"
	"bl start\n\t"
	"udf #0");
#elif defined(__s390__)
static inline __attribute__((always_inline))
long call_here(long nr, long a, long b, long c, __u32 *ip)
{
	register long r1 asm("1") = nr;
	register long r2 asm("2") = a;
	register long r3 asm("3") = b;
	register long r4 asm("4") = c;
	__u32 at;

	asm volatile("larl %[at], 1f\n\t"
		     "st %[at], %[ip]\n\t"
		     "svc 0\n"
		     "1:"
		     : "+r"(r2), [at] "=&r"(at), [ip] "=m"(*ip)
		     : "r"(r1), "r"(r3), "r"(r4) : "memory");
	return r2;
}

/* Of 31-bit code? */
#define STATE_BITS	0x80000000
#define END	LW_END_NO_RULE

#define HAS_RESTORERS	1

#define through_other_frames	raise_or_ask

asm("restorer:\n\t"
	"svc 119\n"
	"rt_restorer:\n\t"
	"svc 173\n");

asm(".globl _start\n"
	"_start:\n\t"
	"lr %r2, %r15\n\t"
	"ahi %r15, -96\n\t"
	"xc 0(4, %r15), 0(%r15)\n\t"
	"brasl %r14, start\n\t"
	".short 0");
#endif

#endif /* STACK32_H */
