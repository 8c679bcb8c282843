/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kallsyms.h - lines of /proc/kallsyms.
 */
#ifndef LW_KALLSYMS_H
#define LW_KALLSYMS_H

#include "base/util.h"

/* Room for any name with its NUL: KSYM_NAME_LEN of linux/kallsyms.h since Linux 6.1. */
#define LW_KALLSYMS_NAME	512
/* Likewise for "[module]": MODULE_NAME_LEN of linux/module.h is 56, and two brackets. */
#define LW_MODULE_NAME		64

/* "start type name", "start type name\t[module]", or "start type name\t[module]\trest" */
struct lw_kallsyms_line {
	const char *text;		/* where the line begins */
	u64 start;
	const char *name;		/* none of these ends with a NUL */
	const char *module;		/* in brackets; NULL: the kernel's own */
	const char *rest;		/* what a recording adds, else empty */
	u32 name_len, module_len, rest_len;
	char type;			/* as nm has it */
};

bool lw_kallsyms_next(struct lw_kallsyms_line *line, const char **at, const char *end);
bool lw_kallsyms_is_code(const struct lw_kallsyms_line *line);
const char *lw_kallsyms_name(const struct lw_kallsyms_line *line, char *name);
bool lw_kallsyms_is(const struct lw_kallsyms_line *line, const char *name);
bool lw_kallsyms_function(const char *path, const char *name, u64 *start, u64 *end);

#endif /* LW_KALLSYMS_H */
