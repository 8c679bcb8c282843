/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file_names.h - the names of a recording's files, if it makes several.
 */
#ifndef LW_FILE_NAMES_H
#define LW_FILE_NAMES_H

#include "base/util.h"

#define LW_MAX_FILES	1000

/* Zeroed is empty. */
struct lw_file_names {
	char **all;			/* that are kept, as a ring; at least the last */
	u32 room;			/* in it */
	u64 nr;				/* given so far */
};

int lw_file_names_give(struct lw_file_names *names, const char *path, u32 most);
const char *lw_file_names_last(const struct lw_file_names *names);
void lw_file_names_free(struct lw_file_names *names);

#endif /* LW_FILE_NAMES_H */
