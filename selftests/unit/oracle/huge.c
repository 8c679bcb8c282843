// SPDX-License-Identifier: GPL-2.0
/* huge.c - a function of over 64 KiB, whose rows' starts take 4 bytes */
#include <stdio.h>

#define R4(m)	m m m m
#define R256(m)	R4(R4(R4(R4(m))))
#define R2K(m)	R256(m) R256(m) R256(m) R256(m) R256(m) R256(m) R256(m) R256(m)

static int one(int a, int b, int c, int d, int e, int f, int g, int h)
{
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

int (*volatile call)(int, int, int, int, int, int, int, int) = one;

int huge(int a)
{
	R2K(a += call(a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7);)
	return a;
}

int main(int argc, char **argv)
{
	(void)argv;
	return printf("%d\n", huge(argc)) == 0;
}
