/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mapped_file.h - opens the file behind a mapping of another process.
 */
#ifndef LW_MAPPED_FILE_H
#define LW_MAPPED_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/util.h"

/* As /proc/PID/maps or a PERF_RECORD_MMAP2 tells it. */
struct lw_mapping {
	pid_t pid;		/* 0: not one of our PID namespace */
	u64 start, end;
	u64 dev, ino;		/* of the file; @dev by makedev() */
	u64 generation;		/* of the inode; 0: not known */
	const char *path;	/* as the process sees it, " (deleted)" behind it or not */
};

int lw_open_file(const char *path, struct stat *st);
int lw_open_mapped(const struct lw_mapping *map, struct stat *st);
bool lw_stat_likely(const struct lw_mapping *map, struct stat *st);
bool lw_stat_mapped(const struct lw_mapping *map, struct stat *st);

#endif /* LW_MAPPED_FILE_H */
