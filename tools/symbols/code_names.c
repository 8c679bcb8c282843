// SPDX-License-Identifier: GPL-2.0
/*
 * code_names.c - names of code by their addresses.
 *
 * Contexts: one thread per table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code_names.h"

/**
 * lw_code_names_add - add a name
 * @table: is unsorted then
 * @name: its text is copied
 *
 * Return: 0, -ENOMEM, or -E2BIG: there is no room for its text.
 */
int lw_code_names_add(struct lw_code_names *table, const struct lw_code_name *name)
{
	size_t size = strlen(name->text) + 1;
	struct lw_code_name *new;

	if (table->most_text && size > table->most_text - table->text_bytes)
		return -E2BIG;
	if (lw_grow((void **)&table->names, &table->room, table->nr + 1, sizeof(*new)))
		return -ENOMEM;
	new = &table->names[table->nr];
	*new = *name;
	new->text = strdup(name->text);
	if (!new->text)
		return -ENOMEM;
	table->nr++;
	table->text_bytes += size;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct lw_code_name *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return strcmp(left->text, right->text);
}

/**
 * lw_code_names_sort - make a table ready for look-ups
 * @table: of several names at one address the one of least rank stays
 */
void lw_code_names_sort(struct lw_code_names *table)
{
	size_t kept = 0;

	if (!table->nr)
		return;
	qsort(table->names, table->nr, sizeof(*table->names), by_start);
	for (size_t i = 0; i < table->nr; i++) {
		if (kept && table->names[kept - 1].start == table->names[i].start)
			free(table->names[i].text);
		else
			table->names[kept++] = table->names[i];
	}
	table->nr = kept;
}

/**
 * lw_code_names_find - name an address
 * @table: sorted
 * @addr: address
 *
 * Return: the name of the code that it is in, or NULL.
 */
struct lw_code_name *lw_code_names_find(const struct lw_code_names *table, u64 addr)
{
	size_t low = 0, high = table->nr;
	struct lw_code_name *name;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->names[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	name = &table->names[low - 1];
	return name->size && addr - name->start >= name->size ? NULL : name;
}

/**
 * lw_code_name_plain - a name as in the source, where it is C++'s or Rust's
 * @name: of lw_code_names_find()
 *
 * Return: the name, the same when it is no mangled one; the table's.
 */
const char *lw_code_name_plain(struct lw_code_name *name)
{
	if (!name->tried)
		name->plain = lw_demangle(name->text);
	name->tried = true;
	return name->plain ? name->plain : name->text;
}

/**
 * lw_code_names_free - forget all names
 * @table: is empty then
 */
void lw_code_names_free(struct lw_code_names *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		free(table->names[i].text);
		free(table->names[i].plain);
	}
	free(table->names);
	memset(table, 0, sizeof(*table));
}
