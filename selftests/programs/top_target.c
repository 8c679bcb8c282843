// SPDX-License-Identifier: GPL-2.0
/*
 * top_target.c - one system call, at the end of one chain, over and over.
 *
 * top_target NUMBER: makes it that often, then prints the stack that it has
 * there, an address a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "programs/chain.h"
#include "programs/raw.h"

static KEEP long call(struct chain *c)
{
	uint64_t *ip = c->arg;
	long ret;

	chain_note(c);
	ret = raw_syscall(SYS_getppid, 0, 0, 0, ip);
	NO_TAIL_CALL(ret);
	return ret;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	static struct chain chain;
	unsigned int i;
	uint64_t ip;

	if (n <= 0)
		return 2;
	/* one call, so that there is one stack */
#pragma GCC unroll 1
	while (n--)
		chain_run(&chain, "abcde", call, &ip);
	printf("\t%lx\n", (unsigned long)ip);
	for (i = chain.nr; i; i--)
		printf("\t%lx\n", (unsigned long)chain.ra[i - 1]);
	return 0;
}
