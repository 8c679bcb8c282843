// SPDX-License-Identifier: GPL-2.0
/*
 * jit.c - a program that makes code, runs it, and has tracers unwind it.
 *
 *	cc jit.c $(pkg-config --cflags --libs latewind)
 *
 * The function has no frame pointer, and what stands in for it is no address at all:
 * without its table nobody can tell who called it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <liblatewind.h>

#if defined(__x86_64__)
/* long call(void *arg, long (*fn)(void *arg)) */
static const unsigned char code[] = {
	0x55,				/*  0: push %rbp */
	0x31, 0xed,			/*  1: xor %ebp, %ebp */
	0x48, 0x83, 0xec, 0x20,		/*  3: sub $32, %rsp */
	0xff, 0xd6,			/*  7: call *%rsi */
	0x48, 0x83, 0xc4, 0x20,		/*  9: add $32, %rsp */
	0x5d,				/* 13: pop %rbp */
	0xc3,				/* 14: ret */
};

/* SFrame, version 2: a header, a function, its rows. */
static const unsigned char table[] = {
	0xe2, 0xde, 2, 1,		/* magic, version, sorted */
	3, 0, 0xf8, 0,			/* AMD64, no fixed FP, RA at CFA-8 */
	1, 0, 0, 0,			/* functions */
	5, 0, 0, 0,			/* rows */
	18, 0, 0, 0,			/* bytes of them */
	0, 0, 0, 0,			/* functions are right behind the header */
	20, 0, 0, 0,			/* and rows behind them */

	0, 0, 0, 0,			/* start of the function, from base */
	sizeof(code), 0, 0, 0,		/* bytes of it */
	0, 0, 0, 0,			/* its first row */
	5, 0, 0, 0,			/* its rows */
	0, 0, 0, 0,			/* starts of a byte each */

	0, 0x03, 8,			/* from  0: CFA is SP+8 */
	1, 0x05, 16, 0xf0,		/* from  1: CFA is SP+16, FP at CFA-16 */
	7, 0x05, 48, 0xf0,		/* from  7: CFA is SP+48, FP at CFA-16 */
	13, 0x05, 16, 0xf0,		/* from 13: CFA is SP+16, FP at CFA-16 */
	14, 0x03, 8,			/* from 14: CFA is SP+8 */
};
#elif defined(__aarch64__)
static const unsigned char code[] = {
	0xfd, 0x7b, 0xbd, 0xa9,		/*  0: stp x29, x30, [sp, #-48]! */
	0xfd, 0x03, 0x1f, 0xaa,		/*  4: mov x29, xzr */
	0x20, 0x00, 0x3f, 0xd6,		/*  8: blr x1 */
	0xfd, 0x7b, 0xc3, 0xa8,		/* 12: ldp x29, x30, [sp], #48 */
	0xc0, 0x03, 0x5f, 0xd6,		/* 16: ret */
};

static const unsigned char table[] = {
	0xe2, 0xde, 2, 1,		/* magic, version, sorted */
	2, 0, 0, 0,			/* little-endian AArch64, no fixed FP, no fixed RA */
	1, 0, 0, 0,			/* functions */
	3, 0, 0, 0,			/* rows */
	11, 0, 0, 0,			/* bytes of them */
	0, 0, 0, 0,			/* functions are right behind the header */
	20, 0, 0, 0,			/* and rows behind them */

	0, 0, 0, 0,			/* start of the function, from base */
	sizeof(code), 0, 0, 0,		/* bytes of it */
	0, 0, 0, 0,			/* its first row */
	3, 0, 0, 0,			/* its rows */
	0, 0, 0, 0,			/* starts of a byte each */

	0, 0x03, 0,			/* from  0: CFA is SP, RA is in x30 */
	4, 0x07, 48, 0xd8, 0xd0,	/* from  4: CFA is SP+48, RA at CFA-40, FP at CFA-48 */
	16, 0x03, 0,			/* from 16: CFA is SP, RA is in x30 */
};
#elif defined(__s390x__)
static const unsigned char code[] = {
	0xeb, 0xbf, 0xf0, 0x58, 0x00, 0x24,	/*  0: stmg %r11, %r15, 88(%r15) */
	0xa7, 0xfb, 0xff, 0x60,			/*  6: aghi %r15, -160 */
	0xa7, 0xb9, 0x00, 0x00,			/* 10: lghi %r11, 0 */
	0x0d, 0xe3,				/* 14: basr %r14, %r3 */
	0xeb, 0xbf, 0xf0, 0xf8, 0x00, 0x04,	/* 16: lmg %r11, %r15, 248(%r15) */
	0x07, 0xfe,				/* 22: br %r14 */
};

static const unsigned char table[] = {
	0xde, 0xe2, 2, 1,		/* magic, version, sorted */
	4, 0, 0, 0,			/* s390x, no fixed FP, no fixed RA */
	0, 0, 0, 1,			/* functions */
	0, 0, 0, 4,			/* rows */
	0, 0, 0, 16,			/* bytes of them */
	0, 0, 0, 0,			/* functions are right behind the header */
	0, 0, 0, 20,			/* and rows behind them */

	0, 0, 0, 0,			/* start of the function, from base */
	0, 0, 0, sizeof(code),		/* bytes of it */
	0, 0, 0, 0,			/* its first row */
	0, 0, 0, 4,			/* its rows */
	0, 0, 0, 0,			/* starts of a byte each */

	/* Offsets of the CFA count from SP+160 on, in units of 8. */
	0, 0x03, 0,			/* from  0: CFA is SP+160, RA is in r14 */
	6, 0x07, 0, 0xd0, 0xb8,		/* from  6: RA at CFA-48, FP (r11) at CFA-72 */
	10, 0x07, 20, 0xd0, 0xb8,	/* from 10: CFA is SP+320 */
	22, 0x03, 0,			/* from 22: CFA is SP+160, RA is in r14 */
};
#endif

typedef long (*call_fn)(void *arg, long (*fn)(void *arg));

/* Something to see in a trace. */
static long work(void *arg)
{
	unsigned long left = *(unsigned long *)arg;

	while (left--)
		asm volatile("");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long left = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	void *text;
	int ret;

	text = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED)
		return 1;
	memcpy(text, code, sizeof(code));
	__builtin___clear_cache(text, (char *)text + sizeof(code));
	if (mprotect(text, 4096, PROT_READ | PROT_EXEC))
		return 1;

	ret = latewind_section_add(table, sizeof(table), text, sizeof(code),
				   text);
	printf("add: %s\n", strerror(-ret));
	((call_fn)text)(&left, work);
	if (!ret)
		printf("remove: %s\n",
		       strerror(-latewind_section_remove(text, sizeof(code))));
	return ret ? 1 : 0;
}
