/* SPDX-License-Identifier: GPL-2.0 */
/*
 * go_functions.h - the functions of a Go program, as its runtime knows them.
 */
#ifndef LW_GO_FUNCTIONS_H
#define LW_GO_FUNCTIONS_H

#include "base/util.h"

/* lw_go_function.flags, as abi.FuncFlag; Go 1.16 has none of them */
#define LW_GO_SP_WRITE		0x2U	/* writes the stack pointer, not only adds to it */
#define LW_GO_ASM		0x4U	/* is assembly */

/* Pieces of all functions of a file: dockerd has 0.7 million, in 32 MB of code. */
#define LW_GO_MAX_PIECES	(1U << 24)

/**
 * struct lw_go_functions - the function table of a file
 * @bytes: the table, and what follows it in its section
 * @size: of @bytes
 * @nr: functions
 * @text: address that the table's are relative to
 * @names: offset of the names
 * @deltas: offset of the tables by instruction, pctab
 * @functions: offset of the index of functions, and what the index is relative to
 * @width: bytes of an address
 * @flags: offset of the flags in a function's record
 */
struct lw_go_functions {
	u8 *bytes;
	u64 size;
	u64 nr;
	u64 text;
	u64 names, deltas, functions;
	unsigned int width, flags;
};

/**
 * struct lw_go_function - one function
 * @start: address
 * @size: bytes up to the next function
 * @name: its name, of the table; NULL: it has none
 * @deltas: bytes of stack by instruction, for lw_go_next_delta(); NULL: nothing is said
 * @end: end of what may be read from @deltas
 * @flags: LW_GO_*
 */
struct lw_go_function {
	u64 start, size;
	const char *name;
	const u8 *deltas, *end;
	u8 flags;
};

/**
 * struct lw_go_delta - how the stack is in a piece of a function
 * @at: where it is read from next
 * @end: of these bytes
 * @start: first byte of the piece, from the function's
 * @next: first byte behind the piece
 * @value: bytes that the function has on the stack in the piece
 */
struct lw_go_delta {
	const u8 *at, *end;
	u64 start, next;
	s32 value;
};

int lw_go_functions_read(struct lw_go_functions *go, int fd);
bool lw_go_function_at(const struct lw_go_functions *go, u64 idx, struct lw_go_function *function);
bool lw_go_next_delta(struct lw_go_delta *delta);
u64 lw_go_code_size(const struct lw_go_function *function, u32 *left);
void lw_go_functions_free(struct lw_go_functions *go);

#endif /* LW_GO_FUNCTIONS_H */
