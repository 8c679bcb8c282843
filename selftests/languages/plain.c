// SPDX-License-Identifier: GPL-2.0
/*
 * plain.c - a chain of calls in C, for a second or so.
 */
#include <signal.h>

#define KEEP	__attribute__((noipa))

KEEP long leaf(long n)
{
	long sum = 0;

	while (n--) {
		sum ^= n * n;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

KEEP long three(long n)
{
	return leaf(n) + 1;
}

KEEP long two(long n)
{
	return three(n) + 1;
}

KEEP long one(long n)
{
	return two(n) + 1;
}

/* In a handler too, by the libc's restorer. */
KEEP void handler(int sig)
{
	one(3000000 + sig);
	/* no tail call */
	__asm__ volatile("");
}

int main(void)
{
	long sum = 0;

	signal(SIGUSR1, handler);
	for (int i = 0; i < 100; i++) {
		sum += one(3000000);
		raise(SIGUSR1);
	}
	return sum == 1;
}
