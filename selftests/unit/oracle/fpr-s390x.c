// SPDX-License-Identifier: GPL-2.0
/* fpr-s390x.c - leaves that keep RA and FP in floating point registers */

#define NOINLINE __attribute__((noinline))

long table[256];

/* no call, more values alive than the call-clobbered registers hold */
NOINLINE long leaf(long a, long b, long c, long d, long e)
{
	long f = a ^ b, g = b ^ c, h = c ^ d, i = d ^ e, j = e ^ a;
	long k = a + c, l = b + d, m = c + e, n;

	for (n = 0; n < a; n++) {
		f += table[(g + n) & 255] * h;
		g += table[(h + n) & 255] * i;
		h += table[(i + n) & 255] * j;
		i += table[(j + n) & 255] * k;
		j += table[(k + n) & 255] * l;
		k += table[(l + n) & 255] * m;
		l += table[(m + n) & 255] * f;
		m += table[(f + n) & 255] * g;
	}
	return f ^ g ^ h ^ i ^ j ^ k ^ l ^ m;
}

NOINLINE long small_leaf(long a, long b)
{
	long x = 0;

	/* asks for RA and FP, and for no stack */
	__asm__ volatile("lghi %%r14, 1\n\tlghi %%r11, 2\n\tagr %0, %%r14"
			 : "+d"(x) : : "r14", "r11", "cc");
	return x + a * b;
}

int main(int argc, char **argv)
{
	(void)argv;
	return leaf(argc, 2, 3, 4, 5) + small_leaf(argc, 2) == 77;
}
