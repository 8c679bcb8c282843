// SPDX-License-Identifier: GPL-2.0
/*
 * chain.c - the functions that have SFrame and no frame pointer.
 */
#include <alloca.h>
#include <string.h>

#include "chain.h"
#include "saved.h"

const chain_fn chain_functions[CHAIN_KINDS] = {
	chain_a, chain_b, chain_c, chain_d, chain_e, chain_f, chain_g,
	chain_h,
};

KEEP long chain_a(struct chain *c)
{
	long ret;

	chain_note(c);
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The CFA's offset does not fit a byte. */
KEEP long chain_b(struct chain *c)
{
	char page[4096];
	long ret;

	chain_note(c);
	memset(page, 1, sizeof(page));
	asm volatile("" : : "r"(page) : "memory");
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The CFA is relative to the frame pointer, which is made for that. */
KEEP long chain_c(struct chain *c)
{
	char *bytes = alloca(c->nr % 7 * 24 + 40);
	long ret;

	chain_note(c);
	bytes[0] = 1;
	asm volatile("" : : "r"(bytes) : "memory");
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	return ret;
}

KEEP long chain_d(struct chain *c)
{
	long ret;

	chain_note(c);
	use_all_saved();
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long through_pointer(struct chain *c, chain_fn fn)
{
	long ret;

	chain_note(c);
	ret = fn(c);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long next_not_inlined(struct chain *c)
{
	long ret;

	chain_note(c);
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	return ret;
}

/* Three frames. */
KEEP long chain_e(struct chain *c)
{
	long ret;

	chain_note(c);
	ret = through_pointer(c, next_not_inlined);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP __attribute__((noreturn)) void never_return(struct chain *c)
{
	long ret;

	chain_note(c);
	ret = chain_next(c);
	NO_TAIL_CALL(ret);
	longjmp(c->home, 1);
}

/* Whoever looks the return address up itself finds the next function. */
KEEP long chain_g(struct chain *c)
{
	chain_note(c);
	never_return(c);
}

/* Here, with another row at its start. */
KEEP long chain_behind_g(struct chain *c)
{
	return c->nr;
}
