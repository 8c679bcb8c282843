// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_range.c - where the kernel's own code is, as /proc/kallsyms has it.
 *
 * Contexts: one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel_range.h"

/* What all of the names end with; a few thousand others do, too. */
#define END		"text\n"

/* @name: "_text\n" and so on, behind it is anything; @at: the first byte of its line */
static void take_name(struct lw_kernel_range *range, const char *name, const char *at)
{
	static const struct {
		const char *name;
		size_t where;
	} wanted[] = {
		{ "_text\n", offsetof(struct lw_kernel_range, text) },
		{ "_stext\n", offsetof(struct lw_kernel_range, stext) },
		{ "_etext\n", offsetof(struct lw_kernel_range, etext) },
		{ "_einittext\n", offsetof(struct lw_kernel_range, einittext) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!strncmp(name, wanted[i].name, strlen(wanted[i].name)))
			*(u64 *)((char *)range + wanted[i].where) = strtoull(at, NULL, 16);
	}
}

/**
 * lw_kernel_range_take - look for the symbols
 * @range: of zeros at first
 * @text: whole lines of /proc/kallsyms, and a NUL behind them
 * @size: bytes of them
 *
 * Of modules none is taken: behind their names there is more.  Addresses that are hidden are
 * 0 there.
 */
void lw_kernel_range_take(struct lw_kernel_range *range, const char *text, size_t size)
{
	const char *end = text + size, *from = text, *line, *space, *found;

	while ((found = memmem(from, end - from, END, strlen(END)))) {
		line = memrchr(text, '\n', found - text);
		line = line ? line + 1 : text;
		space = memrchr(line, ' ', found - line);
		if (space)
			take_name(range, space + 1, line);
		from = found + strlen(END);
	}
}

/**
 * lw_kernel_range_is_known - have a beginning and an end been found
 * @range: taken
 *
 * Return: true if so.
 */
bool lw_kernel_range_is_known(const struct lw_kernel_range *range)
{
	return range->etext && (range->text || range->stext);
}

/**
 * lw_kernel_range_has - is this the kernel's own code
 * @range: taken
 * @ip: address
 *
 * Return: true if so; false too if it is not known where that is.
 */
bool lw_kernel_range_has(const struct lw_kernel_range *range, u64 ip)
{
	u64 start = range->text ? range->text : range->stext;

	return lw_kernel_range_is_known(range) && ip >= start && ip < range->etext;
}
