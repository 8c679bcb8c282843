// SPDX-License-Identifier: GPL-2.0
/*
 * arena.c - memory that stays where it is, and is freed all at once.
 *
 * Contexts: one thread per arena or pool.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define BLOCK_SIZE	(64U << 10)

/* Blocks grow with what is there, so that there are few of them. */
static size_t next_block_size(const struct lw_arena *arena)
{
	return (size_t)BLOCK_SIZE << (arena->nr / 16 < 6 ? arena->nr / 16 : 6);
}

static void *add_block(struct lw_arena *arena, size_t size)
{
	void *block;

	if (lw_grow((void **)&arena->blocks, &arena->room, arena->nr + 1, sizeof(void *)))
		return NULL;
	block = malloc(size);
	if (block)
		arena->blocks[arena->nr++] = block;
	return block;
}

/**
 * lw_arena_alloc - get a piece of memory
 * @arena: from where
 * @size: bytes, not zeroed
 *
 * Return: memory aligned to 8 bytes that lives as long as the arena, or NULL.
 */
void *lw_arena_alloc(struct lw_arena *arena, size_t size)
{
	void *piece;

	if (size > (size_t)1 << 48)
		return NULL;
	size = ALIGN_UP(size ? size : 1, 8);
	/* what is large gets a block of its own, and the rest of the newest stays */
	if (size > arena->left && size >= BLOCK_SIZE / 4)
		return add_block(arena, size);
	if (size > arena->left) {
		size_t room = next_block_size(arena);

		arena->at = add_block(arena, room);
		arena->left = arena->at ? room : 0;
		if (!arena->at)
			return NULL;
	}
	piece = arena->at;
	arena->at += size;
	arena->left -= size;
	return piece;
}

/**
 * lw_arena_free - free all pieces
 * @arena: empty afterwards
 */
void lw_arena_free(struct lw_arena *arena)
{
	for (size_t i = 0; i < arena->nr; i++)
		free(arena->blocks[i]);
	free(arena->blocks);
	memset(arena, 0, sizeof(*arena));
}

static int add_chunk(struct lw_pool *pool)
{
	void *chunk;

	if (lw_grow((void **)&pool->chunks, &pool->room, pool->nr_chunks + 1, sizeof(u8 *)))
		return -1;
	chunk = calloc(LW_POOL_CHUNK, pool->size);
	if (!chunk)
		return -1;
	pool->chunks[pool->nr_chunks++] = chunk;
	return 0;
}

/**
 * lw_pool_add - make an element
 * @pool: where
 *
 * Return: the element, zeroed, whose number is what @pool->nr was; or NULL.
 */
void *lw_pool_add(struct lw_pool *pool)
{
	if (pool->nr == pool->nr_chunks << LW_POOL_SHIFT && add_chunk(pool))
		return NULL;
	return lw_pool_at(pool, pool->nr++);
}

/**
 * lw_pool_free - free all elements
 * @pool: empty afterwards
 */
void lw_pool_free(struct lw_pool *pool)
{
	for (size_t i = 0; i < pool->nr_chunks; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	*pool = (struct lw_pool) { .size = pool->size };
}
