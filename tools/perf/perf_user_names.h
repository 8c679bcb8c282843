/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_user_names.h - appends the names of user code to a perf.data file.
 */
#ifndef LW_PERF_USER_NAMES_H
#define LW_PERF_USER_NAMES_H

#include <sys/stat.h>

#include "base/util.h"

s64 lw_perf_add_user_names(const char *path, const struct stat *recorded, const char *text,
			   size_t size);

#endif /* LW_PERF_USER_NAMES_H */
