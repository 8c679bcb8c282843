/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table_cache.h - SFrame tables of files, kept from run to run.
 */
#ifndef LW_TABLE_CACHE_H
#define LW_TABLE_CACHE_H

#include "sframe/gen.h"

/* What lw_table_cache_close() leaves, if it kept something new. */
#define LW_TABLE_CACHE_BYTES	(1ULL << 30)
#define LW_TABLE_CACHE_AGE	(60 * 24 * 3600ULL)	/* seconds since it was last used */

struct lw_table_cache;

/**
 * struct lw_table_cache_stats - what a cache did since it was opened
 * @hits: files whose tables were read
 * @made: files whose tables were made
 * @stored: of these, kept
 * @refused: files that have no tables
 * @corrupt: entries that were not sound, and gave way to new ones
 */
struct lw_table_cache_stats {
	u64 hits, made, stored, refused, corrupt;
};

/**
 * struct lw_table_cache_entry - one that is kept
 * @name: of the file that it was made of, as it was called then
 * @file: its own name in the directory
 * @size: bytes
 * @used: when it was last used, at most a day before that, seconds since 1970
 * @sound: whether it can be read; @name is empty if not
 * @version: of SFrame, of the first table
 * @functions: of all tables
 */
struct lw_table_cache_entry {
	const char *name;
	const char *file;
	u64 size;
	s64 used;
	bool sound;
	u32 version;
	u64 functions;
};

typedef void lw_table_cache_fn(const struct lw_table_cache_entry *entry, void *arg);

int lw_table_cache_open(struct lw_table_cache **cache, const char *dir);
void lw_table_cache_close(struct lw_table_cache *cache);
const char *lw_table_cache_dir(const struct lw_table_cache *cache);
int lw_table_cache_get(struct lw_table_cache *cache, int fd, const char *name,
		       struct lw_gen *gen);
void lw_table_cache_stats(const struct lw_table_cache *cache, struct lw_table_cache_stats *stats);
int lw_table_cache_list(struct lw_table_cache *cache, lw_table_cache_fn *fn, void *arg);
s64 lw_table_cache_prune(struct lw_table_cache *cache, u64 max_bytes, u64 max_age);

#endif /* LW_TABLE_CACHE_H */
