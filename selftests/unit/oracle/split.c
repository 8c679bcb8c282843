// SPDX-License-Identifier: GPL-2.0
/* split.c - functions in two parts, computed goto, leaves with a red zone */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

__attribute__((cold, noreturn)) NOINLINE void fail(const char *why, int a)
{
	fprintf(stderr, "%s: %d\n", why, a);
	exit(1);
}

__attribute__((cold)) NOINLINE int rare(int a, int b)
{
	return fprintf(stderr, "%d %d\n", a, b);
}

/* the unlikely part goes to .text.unlikely, in the middle of a frame */
NOINLINE int split(int a, int b, int c)
{
	int x[32], i;

	for (i = 0; i < 32; i++)
		x[i] = a * i;
	if (__builtin_expect(b > 1000, 0)) {
		a += rare(x[b & 31], c);
		if (a < 0)
			fail("split", a + x[c & 31]);
	}
	for (i = 0; i < b; i++)
		a += x[i & 31] + printf("%d", c);
	return a;
}

/* a leaf whose locals are below SP */
NOINLINE int red_zone(volatile int *p)
{
	volatile int x[16];
	int i;

	for (i = 0; i < 16; i++)
		x[i] = p[i];
	return x[p[0] & 15];
}

NOINLINE int threaded(const unsigned char *code, int a)
{
	static const void *const ops[] = { &&add, &&twice, &&show, &&stop };

	goto *ops[*code++ & 3];
add:
	a++;
	goto *ops[*code++ & 3];
twice:
	a *= 2;
	goto *ops[*code++ & 3];
show:
	a += printf("%d\n", a);
	goto *ops[*code++ & 3];
stop:
	return a;
}

/* a call that is the last instruction */
NOINLINE void last_call(int a)
{
	if (!a)
		abort();
	fail("last call", a);
}

int main(int argc, char **argv)
{
	static const unsigned char code[] = { 0, 1, 2, 0, 3 };
	volatile int x[16] = { argc };

	if (argc > 100)
		last_call(argc);
	return split(argc, red_zone(x), threaded(code, argc)) + !argv[0];
}
