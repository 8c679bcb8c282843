// SPDX-License-Identifier: GPL-2.0
/*
 * usdt_target.c - a program with probes built in, as sys/sdt.h builds them.
 *
 * usdt_target NUMBER [wait]: hits in main > outer > middle > inner that many times the
 *	two places of the probe lw_test:twice, and, when somebody watches it, that of
 *	lw_test:guarded.  Prints how often that was; with "wait" it does so for each line
 *	that it reads, and says "ready" before.  It stays on one CPU.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "pin.h"

#define KEEP		__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })

/* The kernel counts here who watches the probe. */
static volatile unsigned short guarded_semaphore __attribute__((section(".probes"), used));

#define PROBE(name, semaphore)						\
	"990: nop\n"							\
	".pushsection .note.stapsdt, \"\", \"note\"\n"			\
	".balign 4\n"							\
	".4byte 992f - 991f, 994f - 993f, 3\n"				\
	"991: .asciz \"stapsdt\"\n"					\
	"992: .balign 4\n"						\
	"993: .8byte 990b, _.stapsdt.base, " semaphore "\n"		\
	".asciz \"lw_test\"\n"						\
	".asciz \"" name "\"\n"						\
	".asciz \"\"\n"							\
	"994: .balign 4\n"						\
	".popsection\n"

asm(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n");

static KEEP long inner(long n)
{
	asm volatile(PROBE("twice", "0"));
	n++;
	NO_TAIL_CALL(n);
	asm volatile(PROBE("twice", "0"));
	if (!guarded_semaphore)
		return 0;
	asm volatile(PROBE("guarded", "guarded_semaphore"));
	return 1;
}

static KEEP long middle(long n)
{
	long ret = inner(n);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long outer(long n)
{
	long ret = middle(n);

	NO_TAIL_CALL(ret);
	return ret;
}

static void hit(long number)
{
	long watched = 0;

	for (long i = 0; i < number; i++)
		watched += outer(i);
	printf("watched %ld\n", watched);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[1]) : 0;
	char line[64];

	if (stay_on_this_cpu())
		return 1;
	if (argc < 3) {
		hit(number);
		return 0;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		hit(number);
	return 0;
}
