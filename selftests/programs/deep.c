// SPDX-License-Identifier: GPL-2.0
/*
 * deep.c - stacks of a known depth, in code without frame pointers or SFrame.
 *
 * deep DEPTH TIMES: calls hit() TIMES times, each time through main() and DEPTH
 * functions of other sizes of frames in another order.  Prints a line for each:
 * the names from hit() to main().
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pin.h"
#include "saved.h"

#define KEEP	__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })

#define MAX_DEPTH	1000
#define KINDS		8

static unsigned char path[MAX_DEPTH];
static int depth;

typedef int (*step_fn)(int level);
static const step_fn steps[KINDS];

/* Where the probe is. */
KEEP PROBED int hit(int level)
{
	return level + 1;
}

static int next(int level)
{
	return level == depth ? hit(level) : steps[path[level]](level + 1);
}

#define STEP(name, bytes)						\
static KEEP int name(int level)						\
{									\
	char frame[bytes];						\
	int ret;							\
									\
	memset(frame, level, sizeof(frame));				\
	asm volatile("" : : "r"(frame) : "memory");			\
	ret = next(level);						\
	NO_TAIL_CALL(ret);						\
	return ret;							\
}

STEP(step_a, 8)
STEP(step_b, 24)
STEP(step_c, 40)
STEP(step_d, 56)
STEP(step_e, 104)

/* On x86-64 %rbp is not what it looks like. */
static KEEP int step_f(int level)
{
	int ret;

	use_all_saved();
	ret = next(level);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The CFA is relative to %rbp. */
static KEEP int step_g(int level)
{
	char *frame = alloca(level % 5 * 16 + 16);
	int ret;

	frame[0] = 1;
	asm volatile("" : : "r"(frame) : "memory");
	ret = next(level);
	NO_TAIL_CALL(ret);
	return ret;
}

/* As small as a frame gets. */
static KEEP int step_h(int level)
{
	int ret = next(level);

	NO_TAIL_CALL(ret);
	return ret;
}

static const step_fn steps[KINDS] = {
	step_a, step_b, step_c, step_d, step_e, step_f, step_g, step_h,
};

static void print_path(void)
{
	int i;

	printf("hit");
	for (i = depth; i; i--)
		printf(" step_%c", 'a' + path[i - 1]);
	printf(" main\n");
}

int main(int argc, char **argv)
{
	int times, ret = 0, i;

	if (argc != 3)
		return 2;
	depth = atoi(argv[1]);
	if (depth < 1 || depth > MAX_DEPTH)
		return 2;
	srand(1);
	for (times = atoi(argv[2]); times > 0; times--) {
		for (i = 0; i < depth; i++)
			path[i] = rand() / 16 % KINDS;
		print_path();
		ret += next(0);
		NO_TAIL_CALL(ret);
	}
	return ret == 0;
}
