/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_code.h - the code whose stacks walk_bench measures: what walk_code.S and its
 * callers share.
 *
 * walk_run() puts the path's functions on a stack of their own, each called by the one
 * before it: walk_base, which has no caller, any of walk_functions, and walk_leaf, which
 * works.  So a stack has as many frames as the path has functions.
 */
#ifndef LW_WALK_CODE_H
#define LW_WALK_CODE_H

/* From one of walk_functions to the next, and how many they are if it is not said. */
#define WALK_STRIDE		64
#ifndef WALK_FUNCTIONS
#define WALK_FUNCTIONS		1024
#endif

/* Offsets in struct walk and struct walk_op. */
#define WALK_PATH		0
#define WALK_STACK		8
#define WALK_SP			16
#define WALK_TURNS		24
#define WALK_OPS		32
#define WALK_NR_OPS		40
#define WALK_ERROR		48
#define WALK_OP_SIZE		56

/* walk_op.nr: no system call, but as many loops of two instructions as @args[0] says. */
#define WALK_SPIN		(-1)

#ifndef __ASSEMBLER__
#include <assert.h>
#include <stddef.h>

/**
 * struct walk_op - what walk_leaf does
 * @nr: number of a system call, or WALK_SPIN
 * @args: of it
 */
struct walk_op {
	long nr;
	long args[6];
};

/**
 * struct walk - what walk_run() does
 * @path: functions, the outermost first; moved on
 * @stack: the end of a stack for them
 * @sp: of walk_run()
 * @turns: how often the leaf does all of @ops
 * @ops: for the leaf
 * @nr_ops: how many, at least one
 * @error: what the last system call returned that failed, or 0
 */
struct walk {
	void *const *path;
	void *stack;
	void *sp;
	long turns;
	const struct walk_op *ops;
	long nr_ops;
	long error;
};

static_assert(offsetof(struct walk, path) == WALK_PATH, "WALK_PATH");
static_assert(offsetof(struct walk, stack) == WALK_STACK, "WALK_STACK");
static_assert(offsetof(struct walk, sp) == WALK_SP, "WALK_SP");
static_assert(offsetof(struct walk, turns) == WALK_TURNS, "WALK_TURNS");
static_assert(offsetof(struct walk, ops) == WALK_OPS, "WALK_OPS");
static_assert(offsetof(struct walk, nr_ops) == WALK_NR_OPS, "WALK_NR_OPS");
static_assert(offsetof(struct walk, error) == WALK_ERROR, "WALK_ERROR");
static_assert(sizeof(struct walk_op) == WALK_OP_SIZE, "WALK_OP_SIZE");

/* Symbols of each library; walk_functions is code. */
typedef void (*walk_run_fn)(struct walk *walk);
#endif /* __ASSEMBLER__ */

#endif /* LW_WALK_CODE_H */
