// SPDX-License-Identifier: GPL-2.0
/*
 * report_hierarchy.c - a report as text, with its sort keys below each other.
 *
 * What rows have in common in the first sort key is a line, below it what these have in
 * common in the second one, and so on.  The form is perf's.
 *
 * Contexts: one thread per report.
 */
#include <string.h>

#include "report/report_text.h"

#define INDENT		3U		/* of a sort key below another */
#define SHARE_WIDTH	9U

struct outline {
	const struct lw_report *report;
	struct lw_tree weights, samples;	/* of values; nodes have the same numbers */
	struct lw_strbuf *out;
	u32 values[LW_NR_KEYS];		/* of the line and those that it is below of */
};

/* The rows that are below the limit are part of what is above them. */
static int add_rows(struct outline *outline)
{
	const struct lw_report *report = outline->report;
	u32 nr_keys = report->options->nr_keys;
	int ret = 0;

	for (size_t i = 0; !ret && i < report->rows.nr; i++) {
		const struct lw_report_row *row = lw_report_row(report, i);

		ret = lw_tree_add(&outline->weights, row->values, nr_keys, row->self) ?:
		      lw_tree_add(&outline->samples, row->values, nr_keys, row->self_samples);
	}
	return ret ?: lw_tree_sort(&outline->weights);
}

static u32 place_of(const struct outline *outline)
{
	const struct lw_report *report = outline->report;
	u32 place = 0;

	while (place < report->nr_shown &&
	       memcmp(lw_report_row(report, place)->values, outline->values,
		      report->options->nr_keys * sizeof(u32)))
		place++;
	return place;
}

static void add_line(struct outline *outline, u32 node, u32 level)
{
	const struct lw_report *report = outline->report;
	const struct lw_report_options *options = report->options;
	const struct lw_report_row sums = {
		.self = lw_tree_node(&outline->weights, node)->total,
		.self_samples = lw_tree_node(&outline->samples, node)->total,
	};
	struct lw_strbuf *out = outline->out;

	lw_strbuf_spaces(out, INDENT * level);
	lw_report_add_percent(out, lw_report_percent(report, sums.self), SHARE_WIDTH,
			      options->color);
	lw_strbuf_spaces(out, INDENT * (options->nr_keys - 1) + 2);
	lw_report_add_counts(out, options, &sums);
	if (options->shows_samples || options->shows_period)
		lw_strbuf_spaces(out, 2);
	lw_report_add_value(out, report->profile, options->keys[level], outline->values[level]);
	lw_strbuf_char(out, '\n');
}

/* Recursion: as many levels as there are keys. */
static int add_below(struct outline *outline, u32 parent, u32 level)
{
	const struct lw_report *report = outline->report;
	u32 node = lw_tree_node(&outline->weights, parent)->child;
	int ret = 0;

	for (; !ret && node != LW_TREE_NONE; node = lw_tree_node(&outline->weights, node)->next) {
		const struct lw_tree_node *at = lw_tree_node(&outline->weights, node);

		if (lw_report_percent(report, at->total) < report->options->percent_limit)
			break;
		outline->values[level] = at->what;
		add_line(outline, node, level);
		if (level + 1 < report->options->nr_keys)
			ret = add_below(outline, node, level + 1);
		else
			ret = lw_report_add_tree(outline->out, report, place_of(outline));
		if (!ret && report->options->drain)
			ret = report->options->drain(outline->out);
	}
	return ret;
}

static void add_titles(struct outline *outline)
{
	const struct lw_report_options *options = outline->report->options;
	struct lw_strbuf *out = outline->out;

	lw_strbuf_str(out, "#");
	lw_strbuf_spaces(out, INDENT * (options->nr_keys - 1) + 1);
	lw_strbuf_str(out, "Overhead");
	lw_report_add_count_titles(out, options, false);
	for (u32 i = 0; i < options->nr_keys; i++) {
		lw_strbuf_str(out, i ? " / " : "  ");
		lw_strbuf_str(out, lw_report_title(options->keys[i]));
	}
	lw_strbuf_str(out, "\n#\n");
}

/**
 * lw_report_hierarchy - a report as text, with its sort keys below each other
 * @report: made without rows for callers
 * @out: where the text is added
 *
 * Return: 0, or -errno with lw_fail_text().
 */
int lw_report_hierarchy(const struct lw_report *report, struct lw_strbuf *out)
{
	struct outline outline = { .report = report, .out = out };
	int ret = lw_tree_init(&outline.weights) ?: lw_tree_init(&outline.samples) ?:
		  add_rows(&outline);

	if (ret) {
		ret = lw_fail(ret, "out of memory for the rows of a report");
	} else {
		lw_report_add_head(out, report);
		add_titles(&outline);
		ret = add_below(&outline, 0, 0);
	}
	lw_tree_free(&outline.weights);
	lw_tree_free(&outline.samples);
	return ret;
}
