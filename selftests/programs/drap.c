// SPDX-License-Identifier: GPL-2.0
/*
 * drap.c - a function whose frame gcc finds by a pointer in it ("dynamic realign
 * argument pointer"): locals that are aligned beyond the ABI, and a size known
 * at run time.  In a section of its own, so that its bounds are known.
 */
#include <alloca.h>
#include <string.h>

#include "chain.h"

KEEP __attribute__((section("drap_text"))) long chain_h(struct chain *c)
{
	char line[64] __attribute__((aligned(64)));
	char *bytes = alloca(c->nr % 7 * 24 + 40);
	long ret;

	chain_note(c);
	memset(line, 1, sizeof(line));
	bytes[0] = 1;
	asm volatile("" : : "r"(line), "r"(bytes) : "memory");
	ret = chain_next(c);
	asm volatile("" : "+r"(ret) : "r"(line) : "memory");
	return ret;
}
