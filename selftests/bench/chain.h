/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - what the generated functions and the bench know of each other.
 *
 * A chain is a path of BENCH_DEPTH calls through the generated functions, down
 * to bench_leaf(), where a subject walks back up.
 */
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#define BENCH_FUNCS	4096
#define BENCH_CHAINS	64
#define BENCH_DEPTH	32

/*
 * Of a walk, as every subject gives it: where it began in its own function,
 * the leaf, the functions of the chain, and bench_descend().
 */
#define BENCH_FRAMES	(BENCH_DEPTH + 3)
/* What is timed: from each of them to its caller, but for the last. */
#define BENCH_STEPS	(BENCH_FRAMES - 1)

struct bench_chain;

typedef unsigned long (*bench_func)(struct bench_chain *chain,
				    unsigned int depth, unsigned long x);

/**
 * struct bench_chain - one path, and what it says itself about its stack
 * @next: whom to call at each depth; bench_leaf() at the end
 * @ra: the return address of the function at each depth, written by it
 */
struct bench_chain {
	bench_func next[BENCH_DEPTH + 1];
	unsigned long ra[BENCH_DEPTH + 1];
};

unsigned long bench_leaf(struct bench_chain *chain, unsigned int depth,
			 unsigned long x);

struct bench_table {
	bench_func func[BENCH_FUNCS];
};

extern const struct bench_table bench_table;

#endif /* BENCH_CHAIN_H */
