/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hash_index.h - numbers of things, found by the hash of what they are.
 *
 * The things are elsewhere: here is a hash and a number for each.
 */
#ifndef LW_HASH_INDEX_H
#define LW_HASH_INDEX_H

#include "base/util.h"

#define LW_INDEX_NONE	(~0U)

/* Zeroed is empty. */
struct lw_index {
	u64 *slots;			/* hash in the upper half, number in the lower */
	size_t room;			/* a power of two, or 0 */
	size_t nr;
};

/* Is number @number of @owner what @key tells? */
typedef bool (*lw_index_same_fn)(const void *owner, u32 number, const void *key);

int lw_index_reserve(struct lw_index *index);
u32 lw_index_find(const struct lw_index *index, u64 hash, lw_index_same_fn same,
		  const void *owner, const void *key);
void lw_index_add(struct lw_index *index, u64 hash, u32 number);
void lw_index_free(struct lw_index *index);
u64 lw_hash_bytes(u64 seed, const void *bytes, size_t len);

#endif /* LW_HASH_INDEX_H */
