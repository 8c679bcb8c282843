/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kept_files.h - files that nobody finds by their path when a recording is read.
 */
#ifndef LW_KEPT_FILES_H
#define LW_KEPT_FILES_H

#include <sys/stat.h>

#include "base/util.h"

struct lw_kept_files;

struct lw_kept_files *lw_kept_files_new(bool copies);
struct lw_kept_files *lw_kept_files_get(struct lw_kept_files *kept);
void lw_kept_files_put(struct lw_kept_files *kept);
void lw_kept_files_see(struct lw_kept_files *kept, int fd, const char *path,
		       const struct stat *st);
bool lw_kept_files_find(void *ctx, const u8 *id, u32 id_len, char *path, size_t size);

#endif /* LW_KEPT_FILES_H */
