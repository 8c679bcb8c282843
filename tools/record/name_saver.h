/* SPDX-License-Identifier: GPL-2.0 */
/*
 * name_saver.h - gives recordings the names of the user code in them.
 */
#ifndef LW_NAME_SAVER_H
#define LW_NAME_SAVER_H

#include "base/util.h"

struct lw_kept_files;
struct lw_name_saver;

struct lw_name_saver *lw_name_saver_new(struct lw_kept_files *kept);
int lw_name_saver_add(struct lw_name_saver *saver, const char *path);
u64 lw_name_saver_finish(struct lw_name_saver *saver, int signal_fd, bool tell);
void lw_name_saver_free(struct lw_name_saver *saver);

#endif /* LW_NAME_SAVER_H */
