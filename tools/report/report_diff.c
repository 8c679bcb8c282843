// SPDX-License-Identifier: GPL-2.0
/*
 * report_diff.c - two profiles, function by function.
 *
 * Shares are compared, not weights: two recordings seldom are of the same length.
 * Functions are the same by name, kind and the last part of their file's path, as
 * files move from one version to the next.
 *
 * Contexts: one thread per diff.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text_width.h"
#include "report/report_diff.h"
#include "report/report_text.h"

static bool same_row(const void *owner, u32 number, const void *key)
{
	const struct lw_diff *diff = owner;
	const struct lw_diff_row *there = &diff->rows[number], *wanted = key;

	return there->kernel == wanted->kernel && !strcmp(there->symbol, wanted->symbol) &&
	       !strcmp(there->dso, wanted->dso);
}

static struct lw_diff_row *find_row(struct lw_diff *diff, const struct lw_diff_row *key)
{
	u64 hash = lw_hash_bytes(key->kernel, key->symbol, strlen(key->symbol));
	u32 number;

	hash = lw_hash_bytes(hash, key->dso, strlen(key->dso));
	number = lw_index_find(&diff->index, hash, same_row, diff, key);
	if (number != LW_INDEX_NONE)
		return &diff->rows[number];
	if (lw_index_reserve(&diff->index) ||
	    lw_grow((void **)&diff->rows, &diff->room, diff->nr + 1, sizeof(*diff->rows)))
		return NULL;
	lw_index_add(&diff->index, hash, diff->nr);
	diff->rows[diff->nr] = *key;
	return &diff->rows[diff->nr++];
}

/* A row's key as text, as both profiles have it: its numbers are of one profile only. */
static struct lw_diff_row key_of(const struct lw_report *report, const struct lw_report_row *row)
{
	struct lw_diff_row key = { .dso = "[unknown]", .symbol = "[no stack]" };
	const struct lw_profile_frame *frame;

	if (row->values[1] == LW_PROFILE_NONE)
		return key;
	frame = lw_profile_frame(report->profile, row->values[1]);
	key.dso = lw_short_name(lw_profile_string(report->profile, row->values[0]));
	key.symbol = lw_profile_string(report->profile, frame->function);
	key.kernel = frame->kind == LW_FRAME_KERNEL;
	return key;
}

static int add_rows(struct lw_diff *diff, int side)
{
	const struct lw_report *report = &diff->reports[side];

	for (u32 i = 0; i < report->rows.nr; i++) {
		const struct lw_report_row *row = lw_report_row(report, i);
		struct lw_diff_row key = key_of(report, row), *of = find_row(diff, &key);

		if (!of)
			return -ENOMEM;
		of->self[side] += row->self;
		of->percent[side] = lw_report_percent(report, of->self[side]);
	}
	return 0;
}

static double distance(const struct lw_diff_row *row)
{
	double delta = row->percent[1] - row->percent[0];

	return delta < 0 ? -delta : delta;
}

static int compare_rows(const void *a, const void *b)
{
	const struct lw_diff_row *one = a, *other = b;
	double by = distance(one) - distance(other);
	int order;

	if (by != 0)
		return by > 0 ? -1 : 1;
	order = strcmp(one->symbol, other->symbol);
	return order ? order : strcmp(one->dso, other->dso);
}

static void leave_out(struct lw_diff *diff, double percent_limit)
{
	size_t nr = 0;

	for (size_t i = 0; i < diff->nr; i++) {
		const struct lw_diff_row *row = &diff->rows[i];

		if (row->percent[0] >= percent_limit || row->percent[1] >= percent_limit)
			diff->rows[nr++] = *row;
	}
	diff->nr_left_out = diff->nr - nr;
	diff->nr = nr;
}

/**
 * lw_diff_make - compare two profiles
 * @diff: out
 * @a: stays as it is as long as @diff is there
 * @b: likewise
 * @event: what is compared
 * @percent_limit: least share, in one of them, of a row
 *
 * Return: 0, or -ENOMEM with lw_fail_text(), when there is nothing to free.
 */
int lw_diff_make(struct lw_diff *diff, const struct lw_profile *a, const struct lw_profile *b,
		 const char *event, double percent_limit)
{
	const struct lw_profile *profiles[] = { a, b };
	int ret = 0;

	memset(diff, 0, sizeof(*diff));
	diff->options = (struct lw_report_options) {
		.filter = LW_FILTER_ALL,
		.keys = { LW_KEY_DSO, LW_KEY_SYMBOL },
		.nr_keys = 2,
	};
	diff->options.filter.event = event;
	for (int side = 0; !ret && side < 2; side++) {
		ret = lw_report_make(&diff->reports[side], profiles[side], &diff->options);
		if (!ret && add_rows(diff, side))
			ret = lw_fail(-ENOMEM, "out of memory for the rows of a comparison");
	}
	if (ret) {
		lw_diff_free(diff);
		return ret;
	}
	leave_out(diff, percent_limit);
	qsort(diff->rows, diff->nr, sizeof(*diff->rows), compare_rows);
	return 0;
}

/**
 * lw_diff_free - free a comparison
 * @diff: made
 */
void lw_diff_free(struct lw_diff *diff)
{
	lw_report_free(&diff->reports[0]);
	lw_report_free(&diff->reports[1]);
	lw_index_free(&diff->index);
	free(diff->rows);
	diff->rows = NULL;
}

static u32 dso_width(const struct lw_diff *diff)
{
	u32 width = strlen("Shared Object");

	for (size_t i = 0; i < diff->nr; i++) {
		u32 own = lw_text_width(diff->rows[i].dso, strlen(diff->rows[i].dso));

		if (own > width)
			width = own;
	}
	return width < 48 ? width : 48;
}

static void add_side(struct lw_strbuf *out, const struct lw_diff *diff, int side, const char *name)
{
	lw_strbuf_str(out, side ? "# B: " : "# A: ");
	lw_strbuf_printable(out, name);
	lw_strbuf_str(out, ", ");
	lw_strbuf_u64(out, diff->reports[side].samples);
	lw_strbuf_str(out, " samples, event count ");
	lw_strbuf_u64(out, diff->reports[side].weight);
	lw_strbuf_char(out, '\n');
}

static void add_share(struct lw_strbuf *out, const struct lw_diff_row *row, int side)
{
	char text[32] = "        -";

	if (row->self[side])
		snprintf(text, sizeof(text), "%8.2f%%", row->percent[side]);
	lw_strbuf_str(out, text);
}

static void add_row(struct lw_strbuf *out, const struct lw_diff_row *row, u32 width)
{
	char text[32];
	size_t begin;

	add_share(out, row, 0);
	add_share(out, row, 1);
	snprintf(text, sizeof(text), " %+8.2f%%  ", row->percent[1] - row->percent[0]);
	lw_strbuf_str(out, text);
	begin = out->len;
	lw_strbuf_printable(out, row->dso);
	lw_report_pad(out, begin, width);
	lw_strbuf_str(out, row->kernel ? "  [k] " : "  [.] ");
	lw_strbuf_printable(out, row->symbol);
	lw_strbuf_char(out, '\n');
}

/**
 * lw_diff_text - a comparison as text
 * @diff: it
 * @names: of both recordings
 * @out: where the text is added
 */
void lw_diff_text(const struct lw_diff *diff, const char * const *names, struct lw_strbuf *out)
{
	u32 width = dso_width(diff);
	size_t begin;

	lw_strbuf_str(out, "# Own share of each function, of event '");
	lw_strbuf_printable(out, diff->options.filter.event);
	lw_strbuf_str(out, "'\n");
	add_side(out, diff, 0, names[0]);
	add_side(out, diff, 1, names[1]);
	lw_strbuf_str(out, "#\n#      A        B     Delta  ");
	begin = out->len;
	lw_strbuf_str(out, "Shared Object");
	lw_report_pad(out, begin, width);
	lw_strbuf_str(out, "  Symbol\n#\n");
	for (size_t i = 0; i < diff->nr; i++)
		add_row(out, &diff->rows[i], width);
	if (!diff->nr_left_out)
		return;
	lw_strbuf_str(out, "#\n# Below the limit in both: ");
	lw_strbuf_u64(out, diff->nr_left_out);
	lw_strbuf_str(out, ", see --percent-limit.\n");
}

static void add_side_json(struct lw_json *json, const struct lw_diff *diff, int side,
			  const char *name)
{
	lw_json_open(json, side ? "b" : "a", '{');
	lw_json_str(json, "name", name);
	lw_json_u64(json, "samples", diff->reports[side].samples);
	lw_json_u64(json, "weight", diff->reports[side].weight);
	lw_json_close(json, '}');
}

static void add_row_json(struct lw_json *json, const struct lw_diff_row *row)
{
	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	lw_json_str(json, "dso", row->dso);
	lw_json_str(json, "symbol", row->symbol);
	lw_json_bool(json, "kernel", row->kernel);
	lw_json_u64(json, "self_a", row->self[0]);
	lw_json_u64(json, "self_b", row->self[1]);
	lw_json_double(json, "percent_a", row->percent[0], 4);
	lw_json_double(json, "percent_b", row->percent[1], 4);
	lw_json_double(json, "delta", row->percent[1] - row->percent[0], 4);
	lw_json_close(json, '}');
}

/**
 * lw_diff_json - a comparison as a JSON object
 * @diff: it
 * @names: of both recordings
 * @out: where the object is added
 */
void lw_diff_json(const struct lw_diff *diff, const char * const *names, struct lw_strbuf *out)
{
	struct lw_json json = { .out = out };

	lw_json_open(&json, NULL, '{');
	lw_json_str(&json, "event", diff->options.filter.event);
	add_side_json(&json, diff, 0, names[0]);
	add_side_json(&json, diff, 1, names[1]);
	lw_json_open(&json, "rows", '[');
	for (size_t i = 0; i < diff->nr; i++)
		add_row_json(&json, &diff->rows[i]);
	lw_json_close(&json, ']');
	lw_json_close(&json, '}');
}
