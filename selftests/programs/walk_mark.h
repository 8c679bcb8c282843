/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_mark.h - by what walk_bench tells bench/count.c, in the emulator, what is to be
 * counted from here on.  A processor sees a nop of seven bytes that compilers do not write.
 */
#ifndef LW_WALK_MARK_H
#define LW_WALK_MARK_H

#define WALK_MARK_SIZE		7
/* nopl WALK_MARK_NR + what(%rax) */
#define WALK_MARK_BYTES		"\x0f\x1f\x80"
#define WALK_MARK_NR		0x6c776d00

#define WALK_COUNT_NOTHING	0
#define WALK_COUNT_IDLE		1	/* work that nobody samples */
#define WALK_COUNT_SAMPLED	2
#define WALK_NR_COUNTS		3

#define walk_mark(what)							\
({									\
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0"		\
		     : : "i"(WALK_MARK_NR + (what)) : "memory");	\
})

#endif /* LW_WALK_MARK_H */
