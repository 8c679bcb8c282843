/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_mark.h - by what walk_bench tells bench/count.c, in the emulator, what is to be
 * counted from here on.  A processor sees a nop that compilers do not write: nopl
 * WALK_MARK_NR + what(%rax), or movz xzr, #(WALK_MARK_NR + what).
 */
#ifndef LW_WALK_MARK_H
#define LW_WALK_MARK_H

#define WALK_MARK_NR		0x6c00

#define WALK_MARK_X86		"\x0f\x1f\x80"
#define WALK_MARK_X86_SIZE	7
#define WALK_MARK_ARM64		0xd280001fU
#define WALK_MARK_ARM64_SHIFT	5
#define WALK_MARK_ARM64_SIZE	4

#define WALK_COUNT_NOTHING	0
#define WALK_COUNT_IDLE		1	/* work that nobody samples */
#define WALK_COUNT_SAMPLED	2
#define WALK_NR_COUNTS		3

#ifdef __aarch64__
#define walk_mark(what)							\
({									\
	asm volatile("movz xzr, %0"					\
		     : : "i"(WALK_MARK_NR + (what)) : "memory");	\
})
#else
#define walk_mark(what)							\
({									\
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0"		\
		     : : "i"(WALK_MARK_NR + (what)) : "memory");	\
})
#endif

#endif /* LW_WALK_MARK_H */
