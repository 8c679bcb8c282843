/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_files.h - files that were seen before, by what mappings tell of them.
 */
#ifndef LW_SEEN_FILES_H
#define LW_SEEN_FILES_H

#include "base/hashtable.h"
#include "elf/mapped_file.h"

struct lw_seen_file {
	struct lw_hash_node node;
	struct lw_seen_file *newer, *older;	/* by when it was last looked for */
	u64 dev, ino;		/* as mappings tell them, which may differ from @st_dev, @st_ino */
	u64 generation;		/* 0: not known yet */
	u64 st_dev, st_ino;
	u64 size;
	struct timespec mtime;
	bool missed;		/* it has no table, and may have one the next time */
	u32 why;		/* of @missed, the caller's own reason */
	u64 again;		/* of @missed, not before that time */
};

#define LW_SEEN_BUCKETS	4096
/* A workload that maps more files than this makes new ones all the time. */
#define LW_MAX_KNOWN		65536

struct lw_seen_files {
	struct lw_hash_node *buckets[LW_SEEN_BUCKETS];
	struct lw_seen_file *newest, *oldest;
	u32 nr;
};

struct lw_seen_file *lw_seen_file(struct lw_seen_files *files, u64 dev, u64 ino);
struct lw_seen_file *lw_seen_files_add(struct lw_seen_files *files, u64 dev, u64 ino);
void lw_seen_files_clear(struct lw_seen_files *files);
bool lw_seen_file_is(struct lw_seen_file *file, const struct lw_mapping *map,
		     const struct stat *st);
void lw_seen_file_set(struct lw_seen_file *file, u64 generation, const struct stat *st);
void lw_seen_file_miss(struct lw_seen_file *file, u32 why, u64 again);

#endif /* LW_SEEN_FILES_H */
