// SPDX-License-Identifier: GPL-2.0
/* frames.c - functions whose frames differ: see readelf_oracle */
#include <alloca.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static jmp_buf env;
static volatile int sink;

NOINLINE int leaf(int a)
{
	return a * 3 + 1;
}

NOINLINE void empty(void)
{
}

__attribute__((noreturn)) NOINLINE void dies(const char *why)
{
	puts(why);
	exit(3);
}

NOINLINE int must_not_return(int a)
{
	if (a < 0)
		dies("negative");
	return leaf(a);
}

NOINLINE int dynamic(int n)
{
	char *p = alloca(n);

	memset(p, n, n);
	sink = p[n / 2];
	return snprintf(p, n, "%d", n);
}

NOINLINE int vla(int n)
{
	int a[n], i;

	for (i = 0; i < n; i++)
		a[i] = leaf(i);
	return a[n - 1];
}

NOINLINE int aligned(int a)
{
	int big[16] __attribute__((aligned(64)));

	memset(big, a, sizeof(big));
	return big[a & 15] + dynamic(a + 40);
}

NOINLINE int large(int a)
{
	char buf[70000];

	memset(buf, a, sizeof(buf));
	return snprintf(buf, sizeof(buf), "%d", a) + buf[a];
}

NOINLINE int medium(int a)
{
	char buf[400];

	memset(buf, a, sizeof(buf));
	return snprintf(buf, sizeof(buf), "%d", a) + buf[a];
}

NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int i, x = a;

	for (i = 0; i < b; i++)
		x += leaf(c) * leaf(d) + leaf(e) * leaf(f) - leaf(g) / (h | 1);
	return x + printf("%d %d %d %d %d %d %d %d\n", a, b, c, d, e, f, g, h);
}

NOINLINE int varargs(const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vprintf(fmt, ap);
	va_end(ap);
	return r;
}

NOINLINE double floats(double a, double b, ...)
{
	va_list ap;

	va_start(ap, b);
	a += va_arg(ap, double);
	va_end(ap);
	return pow(a, b);
}

NOINLINE int switched(int a)
{
	switch (a) {
	case 0: return puts("zero");
	case 1: return leaf(a);
	case 2: return vla(7);
	case 3: return printf("%d", a);
	case 4: return dynamic(100);
	case 5: return medium(3) + leaf(2);
	case 6: return rand();
	case 7: return atoi("7");
	default: abort();
	}
}

NOINLINE int jumps(int a)
{
	if (setjmp(env))
		return a;
	if (a)
		longjmp(env, a);
	return 0;
}

NOINLINE int early(const char *s)
{
	char *copy;
	int r;

	if (!s)
		return -1;
	copy = strdup(s);
	if (!copy)
		return -2;
	r = (int)strlen(copy);
	free(copy);
	return r;
}

#define TEN(m, n)	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) \
			m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define STEP(n)		if (a & (1 << (n % 31)))		\
				x += snprintf(buf, sizeof(buf),	\
					      "%d %d", x, n);

/* more than 255 bytes of code, and at -O0 more than 65535 (see huge.c) */
NOINLINE int longish(int a)
{
	char buf[64];
	int x = 0;

	TEN(STEP, 1) TEN(STEP, 2) TEN(STEP, 3) TEN(STEP, 4)
	return x;
}

int main(int argc, char **argv)
{
	int i, x = 0;

	for (i = 0; i < argc; i++)
		x += early(argv[i]);
	empty();
	x += must_not_return(argc) + aligned(argc) + large(argc);
	x += many(1, 2, 3, 4, 5, 6, 7, x) + varargs("%d\n", x);
	x += (int)floats(argc, 2.0, 3.0) + switched(argc) + jumps(argc);
	x += longish(argc);
	return x == 12345;
}
