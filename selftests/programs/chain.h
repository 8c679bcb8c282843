/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - call chains that know themselves.
 *
 * A chain is a word: each letter is a function with a frame of another shape,
 * which writes down its own return address and calls the next letter's.  After
 * the last letter comes the leaf.  What the functions wrote down is the truth
 * that an unwinder's answer is compared with.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#define CHAIN_MAX	4096
#define CHAIN_KINDS	8

#define KEEP	__attribute__((noipa))
/* Behind a call: it is not the last thing that the function does. */
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })

struct chain;
typedef long (*chain_fn)(struct chain *c);

/**
 * struct chain - one run
 * @path: letters still to come:
 *	a small frame, b frame of a page, c frame of a size known at run time,
 *	d all callee-saved registers used, e by pointer from a table,
 *	f with a frame pointer and without SFrame, g the call is the last
 *	instruction: the return address is behind the function,
 *	h a stack that is realigned (where drap.c is linked)
 * @leaf: called at the end
 * @arg: the leaf's
 * @nr: return addresses written down
 * @ra: them, outermost function first
 * @home: where the end of a chain with a g in it goes to
 */
struct chain {
	const char *path;
	chain_fn leaf;
	void *arg;
	unsigned int nr;
	uint64_t ra[CHAIN_MAX];
	jmp_buf home;
};

extern const chain_fn chain_functions[CHAIN_KINDS];

long chain_a(struct chain *c);
long chain_b(struct chain *c);
long chain_c(struct chain *c);
long chain_d(struct chain *c);
long chain_e(struct chain *c);
long chain_f(struct chain *c);
long chain_g(struct chain *c);
long chain_h(struct chain *c) __attribute__((weak));

/* A signal handler that is built as chain_f(): calls this one, and tells where it returns to. */
extern void (*chain_handler_of)(int sig, siginfo_t *info, void *context);
extern uint64_t chain_handler_ra;
void chain_handler_fp(int sig, siginfo_t *info, void *context);

/* chain_h() is from here to there, and nothing else. */
extern const char __start_drap_text[], __stop_drap_text[];
long chain_behind_g(struct chain *c);

/* For the functions of a chain and for leaves. */
#define chain_note(c) \
	((c)->ra[(c)->nr++] = (uintptr_t)__builtin_return_address(0))

static inline __attribute__((always_inline)) long chain_next(struct chain *c)
{
	char kind = *c->path;

	if (!kind)
		return c->leaf(c);
	c->path++;
	return chain_functions[kind - 'a'](c);
}

/* The start of a chain. */
static inline long chain_run(struct chain *c, const char *path, chain_fn leaf,
			     void *arg)
{
	c->path = path;
	c->leaf = leaf;
	c->arg = arg;
	c->nr = 0;
	return chain_next(c);
}

#endif /* CHAIN_H */
