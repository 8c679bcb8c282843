// SPDX-License-Identifier: GPL-2.0
/*
 * chain_fp.c - functions that have a frame pointer and no SFrame.  Is built with other flags
 * than the rest.
 */
#include "chain.h"

void (*chain_handler_of)(int sig, siginfo_t *info, void *context);
uint64_t chain_handler_ra;

KEEP void chain_handler_fp(int sig, siginfo_t *info, void *context)
{
	chain_handler_ra = (uintptr_t)__builtin_return_address(0);
	chain_handler_of(sig, info, context);
	/* Where code takes its frame down next, that tells the stack pointer. */
	asm volatile("nop" : : : "memory");
}

KEEP long chain_f(struct chain *c)
{
	long ret;

	chain_note(c);
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	return ret;
}
