// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_jit_symbols.c - kernel code that came and went while it was recorded: BPF programs,
 * trampolines, and others that KSYMBOL records tell of.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel_jit_symbols.h"

#define UNREGISTER	1U
/* Code that is looked at below an address, where pieces lie over each other. */
#define MAX_LOOKS	256
/* Each new one moves those that are above it. */
#define MAX_SYMBOLS	65536

struct ksymbol_record {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type;
	u16 flags;
	char name[];
};

/* Return: behind all that start there or before. */
static size_t behind(const struct lw_kernel_jit_symbols *table, u64 start)
{
	size_t low = 0, high = table->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].code.start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void end_symbol(struct lw_kernel_jit_symbols *table, u64 start, u64 time)
{
	size_t end = behind(table, start);

	for (size_t i = end; i-- && end - i <= MAX_LOOKS;) {
		struct lw_kernel_jit_symbol *symbol = &table->symbols[i];

		if (symbol->code.start != start)
			return;
		if (symbol->ended == ~0ULL && symbol->began <= time) {
			symbol->ended = time;
			return;
		}
	}
}

/**
 * lw_kernel_jit_symbols_record - take a KSYMBOL record
 * @table: gets it
 * @record: the record
 * @size: bytes of it without a trailer
 * @time: CLOCK_MONOTONIC nanoseconds; records come in its order
 *
 * Return: 0 or -ENOMEM.
 */
int lw_kernel_jit_symbols_record(struct lw_kernel_jit_symbols *table,
				 const struct perf_event_header *record,
				 size_t size, u64 time)
{
	const struct ksymbol_record *fixed = (const void *)record;
	struct lw_kernel_jit_symbol *symbol;
	char *name;
	size_t at;

	if (size <= sizeof(*fixed) || !fixed->len)
		return 0;
	/* what was there before is gone, told or not: one that was found at the beginning */
	end_symbol(table, fixed->addr, time);
	if (fixed->flags & UNREGISTER)
		return 0;
	if (table->nr >= MAX_SYMBOLS)
		return 0;
	if (lw_grow((void **)&table->symbols, &table->room, table->nr + 1, sizeof(*symbol)))
		return -ENOMEM;
	name = strndup(fixed->name, size - sizeof(*fixed));
	if (!name)
		return -ENOMEM;
	/* records come in the order of time: of one start the newest is the last */
	at = behind(table, fixed->addr);
	symbol = &table->symbols[at];
	memmove(symbol + 1, symbol, (table->nr++ - at) * sizeof(*symbol));
	memset(symbol, 0, sizeof(*symbol));
	symbol->code.start = fixed->addr;
	symbol->code.size = fixed->len;
	symbol->code.text = name;
	symbol->began = time;
	symbol->ended = ~0ULL;
	return 0;
}

/**
 * lw_kernel_jit_symbols_add - take code that is not told of by a record
 * @table: is unsorted then
 * @symbol: its texts are copied
 *
 * Return: 0 or -ENOMEM.
 */
int lw_kernel_jit_symbols_add(struct lw_kernel_jit_symbols *table,
			      const struct lw_kernel_jit_symbol *symbol)
{
	struct lw_kernel_jit_symbol *new;

	if (lw_grow((void **)&table->symbols, &table->room, table->nr + 1, sizeof(*new)))
		return -ENOMEM;
	new = &table->symbols[table->nr];
	*new = *symbol;
	new->code.text = strdup(symbol->code.text);
	new->dso = symbol->dso ? strdup(symbol->dso) : NULL;
	if (!new->code.text || (symbol->dso && !new->dso)) {
		free(new->code.text);
		free(new->dso);
		return -ENOMEM;
	}
	table->nr++;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct lw_kernel_jit_symbol *left = a, *right = b;

	if (left->code.start != right->code.start)
		return left->code.start < right->code.start ? -1 : 1;
	if (left->began != right->began)
		return left->began < right->began ? -1 : 1;
	/* a part of it is found before the whole */
	return left->code.size > right->code.size ? -1 : left->code.size < right->code.size;
}

/**
 * lw_kernel_jit_symbols_sort - after lw_kernel_jit_symbols_add()
 * @table: can be used again
 */
void lw_kernel_jit_symbols_sort(struct lw_kernel_jit_symbols *table)
{
	if (table->nr)
		qsort(table->symbols, table->nr, sizeof(*table->symbols), by_start);
}

/**
 * lw_kernel_jit_symbols_find - whose code an address was at a time
 * @table: with all records up to then
 * @time: CLOCK_MONOTONIC nanoseconds
 * @ip: address
 *
 * Return: the youngest, or NULL; good until the next record.
 */
struct lw_kernel_jit_symbol *lw_kernel_jit_symbols_find(struct lw_kernel_jit_symbols *table,
							u64 time, u64 ip)
{
	size_t low = behind(table, ip);

	for (size_t i = low; i-- && low - i <= MAX_LOOKS;) {
		struct lw_kernel_jit_symbol *symbol = &table->symbols[i];

		if (ip - symbol->code.start < symbol->code.size && symbol->began <= time &&
		    time < symbol->ended)
			return symbol;
	}
	return NULL;
}

static void free_symbol(struct lw_kernel_jit_symbol *symbol)
{
	free(symbol->code.text);
	free(symbol->code.plain);
	free(symbol->dso);
}

/**
 * lw_kernel_jit_symbols_forget - forget code that is gone for long
 * @table: nobody asks it of times before @time any more
 * @time: CLOCK_MONOTONIC nanoseconds
 */
void lw_kernel_jit_symbols_forget(struct lw_kernel_jit_symbols *table, u64 time)
{
	size_t left = 0;

	for (size_t i = 0; i < table->nr; i++) {
		if (table->symbols[i].ended < time)
			free_symbol(&table->symbols[i]);
		else
			table->symbols[left++] = table->symbols[i];
	}
	table->nr = left;
}

/**
 * lw_kernel_jit_symbols_free - forget all
 * @table: is empty then
 */
void lw_kernel_jit_symbols_free(struct lw_kernel_jit_symbols *table)
{
	for (size_t i = 0; i < table->nr; i++)
		free_symbol(&table->symbols[i]);
	free(table->symbols);
	memset(table, 0, sizeof(*table));
}
