// SPDX-License-Identifier: GPL-2.0
/*
 * shape.c - is the generated program what it is meant to be? Median 8 rows
 * a function, as in Debian's programs, and some hundreds of bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../tools/sframe/sframe_reader.h"
#include "bench.h"

#define MAX_FDES	(2 * BENCH_FUNCS)

/* What the medians may be. */
#define MIN_ROWS	7
#define MAX_ROWS	9
#define MIN_BYTES	150
#define MAX_BYTES	500

static int compare(const void *a, const void *b)
{
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return (x > y) - (x < y);
}

static void print(const char *what, __u32 *values, unsigned int nr,
		  unsigned int min, unsigned int max)
{
	__u32 median;

	qsort(values, nr, sizeof(*values), compare);
	median = values[nr / 2];
	printf("# %s: median %u, p90 %u, largest %u\n", what, median,
	       values[nr * 9 / 10], values[nr - 1]);
	if (median < min || median > max)
		die("median of %s is not %u to %u", what, min, max);
}

/* Rows up to the one that holds for pc, and that one. */
static unsigned int rows_to(const struct lw_sframe *sf, uintptr_t pc)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	unsigned int nr = 0;
	__u32 i;

	for (i = 0; i < sf->num_fdes; i++)
		if (!lw_sframe_get_fde(sf, i, &fde) && pc - fde.start < fde.size)
			break;
	if (i == sf->num_fdes)
		die("no function at %lx", pc);
	lw_sframe_first_row(&cursor, sf, &fde);
	while (!lw_sframe_next_row(&cursor, &row) && row.start <= pc - fde.start)
		nr++;
	return nr;
}

/**
 * print_shape() - say what is walked; exit if it is not what it is meant to be
 * @chains: BENCH_CHAINS of them, walked before
 */
void print_shape(const struct bench_chain *chains)
{
	static __u32 values[MAX_FDES];
	const struct lw_sframe *sf = &section;
	struct lw_sframe_fde fde;
	unsigned int nr = 0, i;

	if (sf->num_fdes > MAX_FDES)
		die("too many functions");
	printf("# functions %u, .sframe %zu bytes, text %zu bytes\n",
	       sf->num_fdes, program.sframe_size,
	       (size_t)(program.text_end - program.text_start));
	for (i = 0; i < sf->num_fdes; i++)
		if (!lw_sframe_get_fde(sf, i, &fde))
			values[nr++] = fde.num_rows;
	print("rows of a function", values, nr, MIN_ROWS, MAX_ROWS);
	for (i = 0, nr = 0; i < sf->num_fdes; i++)
		if (!lw_sframe_get_fde(sf, i, &fde))
			values[nr++] = fde.size;
	print("bytes of a function", values, nr, MIN_BYTES, MAX_BYTES);
	for (i = 0; i < BENCH_CHAINS * BENCH_DEPTH; i++)
		values[i] = rows_to(sf, chains[i / BENCH_DEPTH].ra[i % BENCH_DEPTH + 1] - 1);
	print("rows that a look-up goes through", values, i, 3, 9);
}
