// SPDX-License-Identifier: GPL-2.0
/*
 * deterministic.c - a program that calls hit() along known paths, the same
 * ones in each run.  Prints how often.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <stdio.h>
#include <string.h>

#include "pin.h"
#include "saved.h"

#define KEEP	__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })

static unsigned int hits;

/* Where the probe is. */
KEEP PROBED int hit(int n)
{
	hits++;
	return n + 1;
}

static KEEP int direct(int n)
{
	int ret = hit(n);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP int recursive(int n)
{
	int ret = n ? recursive(n - 1) : direct(n);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP int even(int n);

static KEEP int odd(int n)
{
	char frame[200];
	int ret;

	memset(frame, n, sizeof(frame));
	asm volatile("" : : "r"(frame) : "memory");
	ret = n ? even(n - 1) : hit(n);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP int even(int n)
{
	char *frame = alloca(n * 40 + 24);
	int ret;

	memset(frame, n, n + 1);
	asm volatile("" : : "r"(frame) : "memory");
	ret = n ? odd(n - 1) : direct(n);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP int registers(int n)
{
	int ret;

	use_all_saved();
	ret = recursive(n);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP int twice(int n)
{
	int ret = registers(n);

	NO_TAIL_CALL(ret);
	ret += direct(n);
	NO_TAIL_CALL(ret);
	return ret;
}

/*
 * perf copies nothing of a stack whose pointer is in a page that nobody has written to yet.  On
 * s390x that happens: what is at the pointer is for a callee to save registers in.
 */
static KEEP void touch_stack(void)
{
	char below[128 << 10];

	memset(below, 0, sizeof(below));
	asm volatile("" : : "r"(below) : "memory");
}

int main(void)
{
	static int (*const paths[])(int n) = {
		direct, recursive, even, odd, registers, twice,
	};
	int i, ret = 0;

	if (stay_on_this_cpu()) {
		perror("sched_setaffinity");
		return 1;
	}
	touch_stack();
	for (i = 0; i < 120; i++) {
		ret += paths[i % 6](i / 6);
		NO_TAIL_CALL(ret);
	}
	printf("%u\n", hits);
	return ret == 0;
}
