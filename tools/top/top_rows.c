// SPDX-License-Identifier: GPL-2.0
/*
 * top_rows.c - rows of samples that come all the time, of which older ones count less.
 *
 * Samples are added to their rows as they come and are not kept.  A display may be
 * looked at for days: there is a limit of rows, those that hardly count any more are
 * dropped, and the names are those of the rows that there are.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top/top_rows.h"

/* Names, for each row that there may be: at most 6 of them are a row's own. */
#define NAMES_OF_ROW	8
#define LEAST_NAMES	1024

struct lw_top {
	struct lw_top_options options;
	struct lw_profile *names;	/* strings and frames only */
	struct lw_top_rows *events;
	u32 nr_rows;			/* of all events */
	u64 samples;			/* that were ever added */
	u64 left_out;			/* of these, what had no room in a row it belongs to */
};

/**
 * lw_top_new - no rows
 * @options: are copied, but for the report's
 *
 * Return: it, for lw_top_free(), or NULL.
 */
struct lw_top *lw_top_new(const struct lw_top_options *options)
{
	struct lw_top *top = calloc(1, sizeof(*top));

	if (!top)
		return NULL;
	top->options = *options;
	top->names = lw_profile_new();
	top->events = calloc(options->nr_events, sizeof(*top->events));
	if (top->names && top->events)
		return top;
	lw_top_free(top);
	return NULL;
}

/**
 * lw_top_free - free all
 * @top: it, or NULL
 */
void lw_top_free(struct lw_top *top)
{
	if (!top)
		return;
	for (u32 i = 0; top->events && i < top->options.nr_events; i++) {
		lw_index_free(&top->events[i].index);
		free(top->events[i].rows);
	}
	free(top->events);
	lw_profile_free(top->names);
	free(top);
}

/**
 * lw_top_names - what values of rows are numbers of
 * @top: whose rows
 *
 * Return: strings and frames.
 */
const struct lw_profile *lw_top_names(const struct lw_top *top)
{
	return top->names;
}

/**
 * lw_top_rows - the rows of an event, in no order
 * @top: whose
 * @event: its index
 *
 * Return: they, good until the next sample.
 */
const struct lw_top_rows *lw_top_rows(const struct lw_top *top, u32 event)
{
	return &top->events[event];
}

/**
 * lw_top_left_out - samples that are missing in a row
 * @top: whose rows
 *
 * Return: how many there were since the begin, as there were more rows than may be.
 */
u64 lw_top_left_out(const struct lw_top *top)
{
	return top->left_out;
}

/**
 * lw_top_name - the number of a name
 * @top: where
 * @text: it; what is longer than LW_TOP_MAX_NAME is cut
 *
 * Return: a string of lw_top_names(), or LW_PROFILE_NONE when out of memory.
 */
u32 lw_top_name(struct lw_top *top, const char *text)
{
	char start[LW_TOP_MAX_NAME + 1];

	if (strnlen(text, sizeof(start)) == sizeof(start)) {
		memcpy(start, text, LW_TOP_MAX_NAME);
		start[LW_TOP_MAX_NAME] = 0;
		text = start;
	}
	return lw_profile_add_string(top->names, text);
}

/**
 * lw_top_place - what a sample's frame counts for
 * @top: where
 * @place: of it, with names
 * @kind: user or kernel
 * @frame: out
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_place(struct lw_top *top, const struct lw_place *place, enum lw_frame_kind kind,
		 struct lw_top_frame *frame)
{
	struct lw_profile_frame symbol = {
		.function = lw_top_name(top, place->function ? place->function : "[unknown]"),
		.dso = lw_top_name(top, ""),
		.file = LW_PROFILE_NONE,
		.kind = kind,
	};
	struct lw_profile_frame line = symbol;

	line.file = place->file ? lw_top_name(top, place->file) : LW_PROFILE_NONE;
	line.line = place->line;
	frame->dso = lw_top_name(top, place->dso);
	frame->symbol = lw_profile_add_frame(top->names, &symbol);
	frame->line = lw_profile_add_frame(top->names, &line);
	return frame->dso == LW_PROFILE_NONE || frame->symbol == LW_PROFILE_NONE ||
	       frame->line == LW_PROFILE_NONE ? -ENOMEM : 0;
}

/* Of a sample without a stack: as in a report. */
static const struct lw_top_frame no_frame = {
	.dso = LW_PROFILE_NONE, .symbol = LW_PROFILE_NONE, .line = LW_PROFILE_NONE,
};

static u32 value_of(enum lw_report_key key, const struct lw_top_key *of,
		    const struct lw_top_frame *frame)
{
	switch (key) {
	case LW_KEY_COMM:
		return of->comm;
	case LW_KEY_PID:
		return of->pid;
	case LW_KEY_TID:
		return of->tid;
	case LW_KEY_DSO:
		return frame->dso;
	case LW_KEY_SYMBOL:
		return frame->symbol;
	case LW_KEY_LINE:
		return frame->line;
	case LW_KEY_CGROUP:
		return of->cgroup;
	case LW_KEY_CPU:
		return of->cpu;
	default:
		return LW_PROFILE_NONE;
	}
}

struct owner {
	const struct lw_top_rows *rows;
	u32 bytes;			/* of values that count */
};

static bool same_row(const void *arg, u32 number, const void *key)
{
	const struct owner *owner = arg;

	return !memcmp(owner->rows->rows[number].values, key, owner->bytes);
}

static u64 hash_of(const struct lw_top *top, const u32 *values)
{
	return lw_hash_bytes(0, values, top->options.report->nr_keys * sizeof(u32));
}

static int add_row(struct lw_top *top, struct lw_top_rows *rows, const u32 *values)
{
	if (lw_index_reserve(&rows->index) ||
	    lw_grow((void **)&rows->rows, &rows->room, (size_t)rows->nr + 1, sizeof(*rows->rows)))
		return -ENOMEM;
	memset(&rows->rows[rows->nr], 0, sizeof(*rows->rows));
	memcpy(rows->rows[rows->nr].values, values, LW_NR_KEYS * sizeof(u32));
	lw_index_add(&rows->index, hash_of(top, values), rows->nr);
	rows->nr++;
	top->nr_rows++;
	return 0;
}

/* Return: 0; -ENOSPC: there are too many; -ENOMEM. */
static int find_row(struct lw_top *top, struct lw_top_rows *rows, const u32 *values, u32 *number)
{
	struct owner owner = {
		.rows = rows, .bytes = top->options.report->nr_keys * sizeof(u32),
	};

	*number = lw_index_find(&rows->index, hash_of(top, values), same_row, &owner, values);
	if (*number != LW_INDEX_NONE)
		return 0;
	if (top->nr_rows >= top->options.max_rows)
		return -ENOSPC;
	*number = rows->nr;
	return add_row(top, rows, values);
}

/**
 * lw_top_add - count a sample
 * @top: where
 * @key: whose it is
 * @frames: of its stack, from the leaf to the root
 * @nr: how many; may be 0
 * @weight: its period: events, or ns
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_add(struct lw_top *top, const struct lw_top_key *key,
	       const struct lw_top_frame *frames, u32 nr, u64 weight)
{
	const struct lw_report_options *report = top->options.report;
	struct lw_top_rows *rows = &top->events[key->event];
	bool left_out = false;

	top->samples++;
	rows->samples++;
	rows->weight += weight;
	for (u32 i = 0; i < nr || !i; i++) {
		u32 values[LW_NR_KEYS] = { 0 }, number;
		struct lw_top_row *row;
		int ret;

		for (u32 k = 0; k < report->nr_keys; k++)
			values[k] = value_of(report->keys[k], key, nr ? &frames[i] : &no_frame);
		ret = find_row(top, rows, values, &number);
		if (ret == -ENOMEM)
			return ret;
		left_out = left_out || ret;
		row = ret ? NULL : &rows->rows[number];
		if (row && row->last != top->samples) {
			row->last = top->samples;
			row->total += weight;
			row->total_samples++;
		}
		if (row && !i) {
			row->self += weight;
			row->self_samples++;
		}
		if (!report->children)
			break;
	}
	top->left_out += left_out;
	return 0;
}

static int index_rows(const struct lw_top *top, struct lw_top_rows *rows)
{
	lw_index_free(&rows->index);
	for (u32 i = 0; i < rows->nr; i++) {
		if (lw_index_reserve(&rows->index))
			return -ENOMEM;
		lw_index_add(&rows->index, hash_of(top, rows->rows[i].values), i);
	}
	return 0;
}

static void fade(struct lw_top_row *row)
{
	row->self *= LW_TOP_KEEPS;
	row->total *= LW_TOP_KEEPS;
	row->self_samples *= LW_TOP_KEEPS;
	row->total_samples *= LW_TOP_KEEPS;
}

/* Drop the rows that count less than @least.  The index is wrong afterwards. */
static void drop_small(struct lw_top *top, struct lw_top_rows *rows, double least)
{
	u32 left = 0;

	for (u32 i = 0; i < rows->nr; i++) {
		if (rows->rows[i].total_samples >= least)
			rows->rows[left++] = rows->rows[i];
	}
	top->nr_rows -= rows->nr - left;
	rows->nr = left;
}

/* There is to be room for rows that are new; the smallest go. */
static void make_room(struct lw_top *top)
{
	double least = LW_TOP_LEAST;

	while (top->nr_rows > top->options.max_rows / 4 * 3) {
		least *= 2;
		for (u32 i = 0; i < top->options.nr_events; i++)
			drop_small(top, &top->events[i], least);
	}
}

static void clear_sums(struct lw_top_rows *rows)
{
	rows->samples = 0;
	rows->weight = 0;
}

/**
 * lw_top_age - what was counted so far counts less
 * @top: whose rows; those that hardly count are dropped
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_age(struct lw_top *top)
{
	for (u32 e = 0; e < top->options.nr_events; e++) {
		struct lw_top_rows *rows = &top->events[e];

		rows->samples *= LW_TOP_KEEPS;
		rows->weight *= LW_TOP_KEEPS;
		for (u32 i = 0; i < rows->nr; i++)
			fade(&rows->rows[i]);
		drop_small(top, rows, LW_TOP_LEAST);
		if (rows->samples < LW_TOP_LEAST)
			clear_sums(rows);
	}
	make_room(top);
	for (u32 e = 0; e < top->options.nr_events; e++) {
		if (index_rows(top, &top->events[e]))
			return -ENOMEM;
	}
	return 0;
}

/**
 * lw_top_clear - forget what was counted
 * @top: has no rows afterwards; names stay
 */
void lw_top_clear(struct lw_top *top)
{
	for (u32 e = 0; e < top->options.nr_events; e++) {
		struct lw_top_rows *rows = &top->events[e];

		lw_index_free(&rows->index);
		rows->nr = 0;
		clear_sums(rows);
	}
	top->nr_rows = 0;
}

/**
 * lw_top_needs_tidying - is it time for lw_top_tidy()?
 * @top: it
 *
 * Return: whether there are many names of rows that are gone.
 */
bool lw_top_needs_tidying(const struct lw_top *top)
{
	u64 names = (u64)lw_profile_nr_strings(top->names) + lw_profile_nr_frames(top->names);

	return names > LEAST_NAMES + (u64)NAMES_OF_ROW * top->options.max_rows;
}

static u32 move_string(const struct lw_profile *from, struct lw_profile *to, u32 string)
{
	return string == LW_PROFILE_NONE ? LW_PROFILE_NONE :
	       lw_profile_add_string(to, lw_profile_string(from, string));
}

static u32 move_frame(const struct lw_profile *from, struct lw_profile *to, u32 frame)
{
	struct lw_profile_frame moved = *lw_profile_frame(from, frame);

	moved.function = move_string(from, to, moved.function);
	moved.dso = move_string(from, to, moved.dso);
	moved.file = move_string(from, to, moved.file);
	return lw_profile_add_frame(to, &moved);
}

/* Return: 0 or -ENOMEM. */
static int move_value(enum lw_report_key key, const struct lw_profile *from,
		      struct lw_profile *to, u32 *value)
{
	if (lw_report_key_is_number(key) || *value == LW_PROFILE_NONE)
		return 0;
	*value = key == LW_KEY_SYMBOL || key == LW_KEY_LINE ? move_frame(from, to, *value) :
							      move_string(from, to, *value);
	return *value == LW_PROFILE_NONE ? -ENOMEM : 0;
}

/* All of a row's, or none of them, so that it stays whole. */
static int move_row(const struct lw_top *top, struct lw_profile *to, struct lw_top_row *row)
{
	const struct lw_report_options *report = top->options.report;
	int ret = 0;

	for (u32 i = 0; !ret && i < report->nr_keys; i++)
		ret = move_value(report->keys[i], top->names, to, &row->values[i]);
	return ret;
}

/**
 * lw_top_tidy - forget the names of rows that are gone
 * @top: the numbers that it gave out are no longer good, whatever is returned
 *
 * Return: 0, or -ENOMEM, when there are no rows any more.
 */
int lw_top_tidy(struct lw_top *top)
{
	struct lw_profile *names = lw_profile_new();
	int ret = names ? 0 : -ENOMEM;

	for (u32 e = 0; !ret && e < top->options.nr_events; e++) {
		struct lw_top_rows *rows = &top->events[e];

		for (u32 i = 0; !ret && i < rows->nr; i++)
			ret = move_row(top, names, &rows->rows[i]);
		if (!ret)
			ret = index_rows(top, rows);
	}
	if (ret)
		lw_top_clear(top);
	if (names) {
		lw_profile_free(top->names);
		top->names = names;
	}
	return ret;
}

/**
 * lw_top_percent - the share of a row
 * @rows: of whose whole
 * @row: one of them
 * @total: with what is below it, not by itself
 *
 * Return: percent.  Where nobody set periods, samples are all there is to add up.
 */
double lw_top_percent(const struct lw_top_rows *rows, const struct lw_top_row *row, bool total)
{
	if (rows->weight > 0)
		return 100 * (total ? row->total : row->self) / rows->weight;
	return rows->samples > 0 ?
	       100 * (total ? row->total_samples : row->self_samples) / rows->samples : 0;
}

struct sorting {
	const struct lw_top *top;
	const struct lw_top_rows *rows;
	bool by_total;
};

/* Then by the other share, then by name, so that rows stay where they are. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	const struct lw_report_options *report = sorting->top->options.report;
	u32 number[2] = { *(const u32 *)a, *(const u32 *)b };
	const struct lw_top_row *one = &sorting->rows->rows[number[0]];
	const struct lw_top_row *other = &sorting->rows->rows[number[1]];

	for (u32 i = 0; i < 2; i++) {
		bool total = sorting->by_total != !!i;
		double left = lw_top_percent(sorting->rows, one, total);
		double right = lw_top_percent(sorting->rows, other, total);

		if (left != right)
			return left > right ? -1 : 1;
	}
	for (u32 i = 0; i < report->nr_keys; i++) {
		int order = lw_report_compare_values(sorting->top->names, report->keys[i],
						     one->values[i], other->values[i]);
		if (order)
			return order;
	}
	return number[0] < number[1] ? -1 : number[0] > number[1];
}

/**
 * lw_top_order - the rows of an event, largest first
 * @top: whose
 * @event: its index
 * @by_total: with what is below them, not by themselves
 * @order: out: numbers of rows, for the caller to free
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_order(const struct lw_top *top, u32 event, bool by_total, u32 **order)
{
	struct sorting sorting = {
		.top = top, .rows = lw_top_rows(top, event), .by_total = by_total,
	};
	u32 nr = sorting.rows->nr;

	*order = reallocarray(NULL, nr ? nr : 1, sizeof(**order));
	if (!*order)
		return -ENOMEM;
	for (u32 i = 0; i < nr; i++)
		(*order)[i] = i;
	qsort_r(*order, nr, sizeof(**order), compare_rows, &sorting);
	return 0;
}
