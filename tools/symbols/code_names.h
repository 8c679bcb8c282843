/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code_names.h - names of code by their addresses.
 */
#ifndef LW_CODE_NAMES_H
#define LW_CODE_NAMES_H

#include <string.h>

#include "base/util.h"

struct lw_code_name {
	u64 start;
	u64 size;		/* 0: up to the next */
	char *text;
	char *plain;		/* demangled; NULL: not yet, or it is no mangled name */
	u32 rank;		/* of several at one address the least is taken */
	u32 module;		/* the table's owner says what that is */
	bool tried;		/* to demangle it */
};

struct lw_code_names {
	struct lw_code_name *names;	/* sorted by lw_code_names_sort() */
	size_t nr, room;
	u64 text_bytes;			/* of all that were added */
	u64 most_text;			/* limit of these, 0: none */
};

int lw_code_names_add(struct lw_code_names *table, const struct lw_code_name *name);
void lw_code_names_sort(struct lw_code_names *table);
struct lw_code_name *lw_code_names_find(const struct lw_code_names *table, u64 addr);
const char *lw_code_name_plain(struct lw_code_name *name);
void lw_code_names_free(struct lw_code_names *table);
char *lw_demangle(const char *text);

/**
 * lw_is_padding - is it what the kernel has in front of a function?
 * @text: name of code, or NULL
 *
 * No call returns to behind it, so what is "before" the first byte of a function was
 * interrupted there.
 *
 * Return: whether it is (CONFIG_CALL_PADDING, kCFI).
 */
static inline bool lw_is_padding(const char *text)
{
	return text && (!strncmp(text, "__pfx_", 6) || !strncmp(text, "__cfi_", 6));
}

#endif /* LW_CODE_NAMES_H */
