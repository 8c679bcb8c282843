/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table_cache_entry.h - what the files of the cache of tables share, and nobody else.
 *
 *	table_cache.c		finding, making and storing
 *	table_cache_dir.c	the directory: that it is ours
 *	table_cache_entry.c	the bytes of one entry
 *	table_cache_prune.c	all of them: listing, removing
 */
#ifndef LW_TABLE_CACHE_ENTRY_H
#define LW_TABLE_CACHE_ENTRY_H

#include <sys/stat.h>

#include "elf/elf_file.h"
#include "tables/table_cache.h"

#define LW_CACHE_KEY_MAX	192
#define LW_CACHE_NAME_MAX	256

#define LW_CACHE_MAGIC		"LWTABLE"	/* with its 0 */
#define LW_CACHE_TMP_PREFIX	"tmp-"
#define LW_CACHE_FILE_PREFIX	"file-"

struct lw_table_cache {
	int dir;			/* -1: nothing is kept */
	char *path;
	struct lw_table_cache_stats stats;	/* updated by atomic operations */
	u64 tmp_files;			/* likewise */
	u64 stored_bytes;		/* likewise */
};

/* Of this machine: other ones don't read it. */
struct lw_cache_head {
	char magic[8];
	u32 converter;		/* LW_GEN_VERSION */
	u32 nr_tables;
	u64 size;		/* of the whole entry */
	u64 checksum;		/* of the whole entry, where this is 0 */
	u64 secret[2];		/* by chance, for @input */
	u64 input;		/* lw_gen_input_hash() of what it was made of */
	char key[LW_CACHE_KEY_MAX];
	char name[LW_CACHE_NAME_MAX];	/* of the file, cut; for people */
	u32 version;		/* of the first table; for people */
	u32 unused;
	struct lw_gen_counts counts;
};

struct lw_cache_table {
	u64 text_offset, text_size, text_addr;
	u64 offset, size;	/* of the bytes in the entry */
	u32 version;
	u32 unused;
};

int lw_cache_dir_open(const char *path);
int lw_cache_entry_read(int fd, const char *key, const struct lw_gen_input *input,
			struct lw_gen *gen, struct stat *st);
int lw_cache_entry_write(int fd, const char *key, const char *name,
			 const struct lw_gen_input *input, const struct lw_gen *gen);
int lw_cache_entry_head(int fd, struct lw_cache_head *head);

#endif /* LW_TABLE_CACHE_ENTRY_H */
