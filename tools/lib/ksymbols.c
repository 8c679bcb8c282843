// SPDX-License-Identifier: GPL-2.0
/*
 * ksymbols.c - kernel code that came and went while it was recorded: BPF programs,
 * trampolines, and others that KSYMBOL records tell of.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ksymbols.h"

#define UNREGISTER	1U
/* Code that is looked at below an address, where pieces lie over each other. */
#define MAX_LOOKS	256

struct ksymbol_record {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type;
	u16 flags;
	char name[];
};

static void end_symbol(struct lw_ksymbols *table, u64 start, u64 time)
{
	for (size_t i = table->nr; i--;) {
		struct lw_ksymbol *symbol = &table->symbols[i];

		if (symbol->start == start && symbol->ended == ~0ULL && symbol->began <= time) {
			symbol->ended = time;
			return;
		}
	}
}

/**
 * lw_ksymbols_record - take a KSYMBOL record
 * @table: gets it
 * @record: the record
 * @size: bytes of it without a trailer
 * @time: CLOCK_MONOTONIC nanoseconds; records come in its order
 *
 * Return: 0 or -ENOMEM.
 */
int lw_ksymbols_record(struct lw_ksymbols *table, const struct perf_event_header *record,
		       size_t size, u64 time)
{
	const struct ksymbol_record *fixed = (const void *)record;
	struct lw_ksymbol *symbol;

	if (size <= sizeof(*fixed) || !fixed->len)
		return 0;
	if (fixed->flags & UNREGISTER) {
		end_symbol(table, fixed->addr, time);
		return 0;
	}
	if (lw_grow((void **)&table->symbols, &table->room, table->nr + 1, sizeof(*symbol)))
		return -ENOMEM;
	symbol = &table->symbols[table->nr];
	symbol->start = fixed->addr;
	symbol->size = fixed->len;
	symbol->began = time;
	symbol->ended = ~0ULL;
	symbol->name = strndup(fixed->name, size - sizeof(*fixed));
	if (!symbol->name)
		return -ENOMEM;
	table->nr++;
	table->sorted = false;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct lw_ksymbol *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->began < right->began ? -1 : left->began > right->began;
}

/**
 * lw_ksymbols_find - whose code an address was at a time
 * @table: with all records up to then
 * @time: CLOCK_MONOTONIC nanoseconds
 * @ip: address
 *
 * Return: the youngest, or NULL; good until the next record.
 */
const struct lw_ksymbol *lw_ksymbols_find(struct lw_ksymbols *table, u64 time, u64 ip)
{
	size_t low = 0, high = table->nr;

	if (!table->sorted && table->nr)
		qsort(table->symbols, table->nr, sizeof(*table->symbols), by_start);
	table->sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i-- && low - i <= MAX_LOOKS;) {
		const struct lw_ksymbol *symbol = &table->symbols[i];

		if (ip - symbol->start < symbol->size && symbol->began <= time &&
		    time < symbol->ended)
			return symbol;
	}
	return NULL;
}

/**
 * lw_ksymbols_free - forget all
 * @table: is empty then
 */
void lw_ksymbols_free(struct lw_ksymbols *table)
{
	for (size_t i = 0; i < table->nr; i++)
		free(table->symbols[i].name);
	free(table->symbols);
	memset(table, 0, sizeof(*table));
}
