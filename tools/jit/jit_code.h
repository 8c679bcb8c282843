/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_code.h - pieces of code that a process has made: which was where, at what time.
 */
#ifndef LW_JIT_CODE_H
#define LW_JIT_CODE_H

#include "base/arena.h"
#include "base/util.h"

/**
 * struct lw_jit_piece - a piece of code
 * @start: its address
 * @size: bytes; not 0
 * @time: from when on it is there, CLOCK_MONOTONIC nanoseconds; 0: since ever
 * @end: when it was moved away; ~0: never
 * @index: by which its compiler names it when it moves it
 * @name: its name; NULL: it was moved here from @end, an address, and has no name yet
 */
struct lw_jit_piece {
	u64 start, size;
	u64 time, end;
	u64 index;
	const char *name;
};

/* A place in the order of addresses. */
struct lw_jit_slot {
	u64 reach;		/* the highest end of the pieces up to here */
	u32 piece;
};

/* Zeroed but for @most is empty. */
struct lw_jit_code {
	struct lw_jit_piece *pieces;	/* in the order in which they were told of */
	struct lw_jit_slot *slots;	/* of the first @settled pieces */
	size_t nr, settled, piece_room, slot_room;
	struct lw_arena names;
	u64 bytes;			/* of all of that */
	u64 most;			/* limit of @bytes */
	bool full;			/* a piece was left out */
};

void lw_jit_code_add(struct lw_jit_code *code, const struct lw_jit_piece *piece,
		     const char *name, size_t len);
void lw_jit_code_move(struct lw_jit_code *code, const struct lw_jit_piece *piece, u64 from);
void lw_jit_code_settle(struct lw_jit_code *code);
const struct lw_jit_piece *lw_jit_code_find(const struct lw_jit_code *code, u64 time, u64 ip);
void lw_jit_code_clear(struct lw_jit_code *code);

#endif /* LW_JIT_CODE_H */
