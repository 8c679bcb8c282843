/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arena.h - memory that stays where it is, and is freed all at once.
 */
#ifndef LW_ARENA_H
#define LW_ARENA_H

#include "base/util.h"

/* Pieces of any size.  Zeroed is empty. */
struct lw_arena {
	void **blocks;
	size_t nr, room;
	u8 *at;				/* free bytes of the newest block */
	size_t left;
};

void *lw_arena_alloc(struct lw_arena *arena, size_t size);
void lw_arena_free(struct lw_arena *arena);

#define LW_POOL_SHIFT	10
#define LW_POOL_CHUNK	(1U << LW_POOL_SHIFT)	/* elements of a chunk */

/* An array that grows and does not move.  Zeroed but for @size is empty. */
struct lw_pool {
	size_t size;			/* bytes of an element */
	size_t nr;
	u8 **chunks;
	size_t nr_chunks, room;
};

void *lw_pool_add(struct lw_pool *pool);
void lw_pool_free(struct lw_pool *pool);

/**
 * lw_pool_at - an element
 * @pool: where
 * @i: its number, less than @pool->nr
 *
 * Return: it, as long as the pool is there.
 */
static inline void *lw_pool_at(const struct lw_pool *pool, size_t i)
{
	return pool->chunks[i >> LW_POOL_SHIFT] + (i & (LW_POOL_CHUNK - 1)) * pool->size;
}

#endif /* LW_ARENA_H */
