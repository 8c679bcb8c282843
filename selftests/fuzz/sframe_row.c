// SPDX-License-Identifier: GPL-2.0
/* sframe_row - the rows of some functions, one by one */
#include <string.h>

#include "fuzz.h"

#define MAX_WALK	48

static int same_row(const struct lw_sframe_row *a,
		    const struct lw_sframe_row *b)
{
	return a->start == b->start && a->pos == b->pos && a->end == b->end &&
	       a->info == b->info && same_rule(&a->rule, &b->rule);
}

/* What is true of a row whatever the reads gave. */
static void check_row(const struct lw_sframe_cursor *cursor, __u32 last_start,
		      __u32 pos, const struct lw_sframe_row *row)
{
	const struct lw_sframe_fde *fde = &cursor->fde;
	__u32 len = fde->start_size + 1 +
		    ((row->info >> 1 & 15) << (row->info >> 5 & 3));

	if (row->pos != pos || row->end != pos + len ||
	    row->end > cursor->sf->fre_len)
		die("row: %u to %u, and comes at %u", row->pos, row->end, pos);
	if (row->start < last_start ||
	    (fde->mask ? row->start >= fde->rep_size : row->start > fde->size))
		die("row: start %u", row->start);
	expect_sense(cursor->sf, &row->rule);
}

static void expect(const struct input *in, const struct lw_sframe_cursor *cursor,
		   __u32 last_start, __u32 pos, int result,
		   const struct lw_sframe_row *row)
{
	struct expected_row expected;
	__u64 wrong;

	wrong = expect_row(in, cursor->sf, &cursor->fde, pos, &expected);
	/* where there are bytes for a start */
	if (pos + cursor->fde.start_size + 1ULL <= cursor->sf->fre_len &&
	    expected.start < last_start)
		wrong |= 1ULL << LW_SFRAME_BAD_ROW_ORDER;
	expect_result("row", result, wrong);
	tell.compared++;
	if (!result && (row->start != expected.start ||
			row->end != expected.end ||
			row->info != expected.info ||
			!same_rule(&row->rule, &expected.rule)))
		die("row: other than expected, at %u", pos);
}

/* Return: 0 if the walk goes on. */
static int next_row(struct input *in, struct lw_sframe_cursor *direct,
		    struct lw_sframe_cursor *reads)
{
	__u32 start = reads->start, pos = reads->pos;
	struct lw_sframe_row row, other;
	int result, again;

	memset(&row, 0x5a, sizeof(row));
	watched_reset(&in->reads);
	result = reader->next_row(reads, &row);
	watched_check(&in->reads, MAX_ROW_READS);
	if (!is_result(in, result))
		die("row: result %d", result);
	tell_of(result);
	if (!result)
		check_row(reads, start, pos, &row);
	else if (reads->pos != pos || reads->start != start)
		die("row: went on after result %d", result);
	if (in->mode == MODE_PLAIN) {
		memset(&other, 0x5a, sizeof(other));
		again = reader->next_row(direct, &other);
		if (again != result || (!result && !same_row(&row, &other)))
			die("row: result %d in memory, %d by read()", again,
			    result);
	}
	if (in->mode != MODE_FLIP && result >= 0)
		expect(in, reads, start, pos, result, &row);
	return result;
}

/* The check of a function must find what the walk over its rows has found. */
static void check_function(const struct lw_sframe *direct, __u32 idx,
			   const struct lw_sframe_fde *fde, int result)
{
	__u32 budget = 1 + LW_SFRAME_MAX_ROWS;
	int checked = reader->check_fde(direct, idx, &budget);

	if (checked != (fde->size ? result : LW_SFRAME_OK))
		die("row: result %d of the check, %d of the walk", checked, result);
}

static void walk(struct input *in, const struct lw_sframe *direct,
		 const struct lw_sframe *reads, __u32 idx)
{
	struct lw_sframe_cursor cursor, other;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	__u32 i;
	int result;

	watched_reset(&in->reads);
	if (reader->get_fde(reads, idx, &fde))
		return;
	reader->first_row(&cursor, reads, &fde);
	if (in->mode == MODE_PLAIN)
		reader->first_row(&other, direct, &fde);
	for (i = 0; i < fde.num_rows && i < MAX_WALK; i++) {
		result = next_row(in, &other, &cursor);
		if (!result)
			continue;
		if (in->mode == MODE_PLAIN)
			check_function(direct, idx, &fde, result);
		/* where it was: a read that failed may be had later */
		if (result < 0 || in->mode == MODE_FLIP)
			next_row(in, &other, &cursor);
		return;
	}
	if (i < fde.num_rows)
		return;
	if (reader->next_row(&cursor, &row) != LW_SFRAME_NO_RULE)
		die("row: one after the last");
	if (in->mode == MODE_PLAIN)
		check_function(direct, idx, &fde, LW_SFRAME_OK);
}

int fuzz_one(struct input *in)
{
	struct lw_sframe direct, reads;
	unsigned int i;

	if (open_both(in, &direct, &reads))
		return -1;
	for (i = 0; i < NUM_PCS; i++)
		if (!i || input_fde(in, &reads, i) != input_fde(in, &reads, i - 1))
			walk(in, &direct, &reads, input_fde(in, &reads, i));
	return 0;
}
