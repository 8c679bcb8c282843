/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_filter.h - which calls touch some paths: -P.
 */
#ifndef LW_PATH_FILTER_H
#define LW_PATH_FILTER_H

#include "trace/fd_paths.h"
#include "trace/syscall_table.h"

#define LW_MAX_PATHS	32

struct lw_path_filter {
	char *paths[2 * LW_MAX_PATHS];	/* as they were given, and what they lead to */
	u32 nr;
};

int lw_path_filter_add(struct lw_path_filter *filter, const char *path);
void lw_path_filter_free(struct lw_path_filter *filter);
void lw_path_filter_narrow(struct lw_syscall_set *set);
bool lw_path_filter_has(const struct lw_path_filter *filter, const struct lw_fd_paths *fds,
			const struct lw_call *call);

#endif /* LW_PATH_FILTER_H */
