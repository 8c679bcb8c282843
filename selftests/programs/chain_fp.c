// SPDX-License-Identifier: GPL-2.0
/*
 * chain_fp.c - the function that has a frame pointer and no SFrame.  Is built
 * with other flags than the rest.
 */
#include "chain.h"

KEEP long chain_f(struct chain *c)
{
	long ret;

	chain_note(c);
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	return ret;
}
