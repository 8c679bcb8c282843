// SPDX-License-Identifier: GPL-2.0
/*
 * hash_index.c - numbers of things, found by the hash of what they are.
 *
 * Open addressing; at most half of the slots are taken, so a look-up ends.
 *
 * Contexts: one thread per index.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"

#define EMPTY		(~0ULL)
#define LEAST_ROOM	64

/* The one that has a number in it, or would. */
static u32 short_hash(u64 hash)
{
	return hash >> 32;
}

static void put(u64 *slots, size_t room, u64 slot)
{
	size_t at = short_hash(slot) & (room - 1);

	while (slots[at] != EMPTY)
		at = (at + 1) & (room - 1);
	slots[at] = slot;
}

/**
 * lw_index_reserve - make room for one more
 * @index: where
 *
 * Return: 0 or -ENOMEM, when nothing has changed.
 */
int lw_index_reserve(struct lw_index *index)
{
	size_t room = index->room ? index->room * 2 : LEAST_ROOM;
	u64 *slots;

	if (index->nr < index->room / 2)
		return 0;
	slots = reallocarray(NULL, room, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	memset(slots, 0xff, room * sizeof(*slots));
	for (size_t i = 0; i < index->room; i++) {
		if (index->slots[i] != EMPTY)
			put(slots, room, index->slots[i]);
	}
	free(index->slots);
	index->slots = slots;
	index->room = room;
	return 0;
}

/**
 * lw_index_find - find what was added
 * @index: where
 * @hash: of it
 * @same: tells it from others with the same hash
 * @owner: for @same
 * @key: likewise
 *
 * Return: its number, or LW_INDEX_NONE.
 */
u32 lw_index_find(const struct lw_index *index, u64 hash, lw_index_same_fn same,
		  const void *owner, const void *key)
{
	size_t at = short_hash(hash);

	if (!index->room)
		return LW_INDEX_NONE;
	for (;; at++) {
		u64 slot = index->slots[at & (index->room - 1)];

		if (slot == EMPTY)
			return LW_INDEX_NONE;
		if (short_hash(slot) == short_hash(hash) && same(owner, (u32)slot, key))
			return (u32)slot;
	}
}

/**
 * lw_index_add - add what is not there
 * @index: lw_index_reserve() made room
 * @hash: of it
 * @number: not LW_INDEX_NONE
 */
void lw_index_add(struct lw_index *index, u64 hash, u32 number)
{
	put(index->slots, index->room, (u64)short_hash(hash) << 32 | number);
	index->nr++;
}

/**
 * lw_index_free - forget all
 * @index: empty afterwards
 */
void lw_index_free(struct lw_index *index)
{
	free(index->slots);
	memset(index, 0, sizeof(*index));
}

static u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 32);
}

/**
 * lw_hash_bytes - the hash of some bytes
 * @seed: of the table, random where the bytes come from others; or the hash of what
 *        is before them
 * @bytes: @len of them
 * @len: how many; is hashed, too
 *
 * Return: it; the upper half is as good as the lower.
 */
u64 lw_hash_bytes(u64 seed, const void *bytes, size_t len)
{
	u64 hash = mix(seed, len), word;
	const u8 *at = bytes;

	for (; len >= sizeof(word); len -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = mix(hash, word);
	}
	if (len) {
		word = 0;
		memcpy(&word, at, len);
		hash = mix(hash, word);
	}
	return mix(hash, seed);
}
