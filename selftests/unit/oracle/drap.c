// SPDX-License-Identifier: GPL-2.0
/* drap.c - stacks that are aligned at run time, and reached by a register */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

typedef int vec __attribute__((vector_size(32)));

volatile int sink;
volatile vec vecs[16];

NOINLINE int use(void *p)
{
	sink = *(volatile int *)p;
	return sink;
}

NOINLINE int aligned(int a)
{
	int big[16] __attribute__((aligned(64)));

	memset(big, a, sizeof(big));
	return use(big) + big[a & 15];
}

NOINLINE int aligned_args(int a, ...)
{
	int big[16] __attribute__((aligned(64)));
	va_list ap;

	memset(big, a, sizeof(big));
	va_start(ap, a);
	a += use(big) + va_arg(ap, int);
	va_end(ap);
	return a;
}

NOINLINE int aligned_dynamic(int a, int b, int c, int d, int e, int f, int g,
			     int h)
{
	int big[16] __attribute__((aligned(128)));
	char *p = alloca(a + g);

	memset(big, b + h, sizeof(big));
	memset(p, c, a + g);
	return use(big) + use(p) * d + e - f;
}

/* more vectors are live over the call than there are registers */
NOINLINE int spilled(int a)
{
	vec v[12];
	int i, x = 0;

	for (i = 0; i < 12; i++)
		v[i] = vecs[i] + a;
	x += use(&v[a & 7]);
	for (i = 0; i < 12; i++)
		vecs[i] = v[i] * x;
	return x;
}

__attribute__((force_align_arg_pointer)) NOINLINE int realigned(int a)
{
	return aligned(a) + aligned_args(a, 3);
}

int main(int argc, char **argv)
{
	(void)argv;
	return realigned(argc) + spilled(argc) +
	       aligned_dynamic(argc, 2, 3, 4, 5, 6, 7, 8) == 42;
}
