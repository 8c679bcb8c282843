// SPDX-License-Identifier: GPL-2.0
/*
 * fresh_lib.c - a library as distributions have them: neither SFrame nor frame
 * pointers, and rbp holds something else.
 *
 * It is built twice, with frames of other sizes: rows of the one are wrong for
 * the other.
 */
#include "fresh_lib.h"
#include "machine.h"

#define KEEP	__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })

#ifndef FRESH_FRAME
#define FRESH_FRAME	40
#endif

static KEEP long fresh_leaf(long n)
{
	volatile char room[FRESH_FRAME];
	long i, sum = n;

	room[n % FRESH_FRAME] = 1;
	spoil_fp(n);
	for (i = 0; i < 20000; i++) {
		sum *= 3;
		asm volatile("" : "+r"(sum));
	}
	return sum + room[n % FRESH_FRAME];
}

static KEEP long fresh_middle(long n)
{
	volatile char room[2 * FRESH_FRAME];
	long ret;

	room[n % FRESH_FRAME] = 1;
	spoil_fp(n);
	ret = fresh_leaf(n);
	NO_TAIL_CALL(ret);
	return ret + room[n % FRESH_FRAME];
}

/* Computes for a moment, three functions deep. */
long fresh_run(long n)
{
	long ret = fresh_middle(n);

	NO_TAIL_CALL(ret);
	return ret;
}
