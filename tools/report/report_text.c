// SPDX-License-Identifier: GPL-2.0
/*
 * report_text.c - a report as text.
 *
 * Columns and trees are those that users of perf know.
 *
 * Contexts: one thread per report.
 */
#include <stdio.h>
#include <string.h>

#include "base/text_width.h"
#include "report/report_text.h"

/* The widest that a column gets: what is longer moves what follows in its line. */
#define MAX_WIDTH	48
/* Levels of branches that are drawn. Each moves the text to the right. */
#define MAX_LEVELS	64
#define INDENT		12
#define SHARE_WIDTH	8
#define COUNT_WIDTH	12

/**
 * lw_report_add_percent - add a share
 * @out: where to
 * @percent: it
 * @width: columns before its sign, at least
 * @color: the shares from which on they are red and green are perf's
 *
 * Return: the columns that it takes.
 */
u32 lw_report_add_percent(struct lw_strbuf *out, double percent, int width, bool color)
{
	char text[32];
	u32 len = snprintf(text, sizeof(text), "%*.2f%%", width, percent);

	color = color && percent >= 0.5;
	if (color)
		lw_strbuf_str(out, percent >= 5 ? "\033[31m" : "\033[32m");
	lw_strbuf_str(out, text);
	if (color)
		lw_strbuf_str(out, "\033[m");
	return len;
}

static u32 add_percent(struct lw_strbuf *out, const struct lw_report *report, u64 weight, int width)
{
	return lw_report_add_percent(out, lw_report_percent(report, weight), width,
				     report->options->color);
}

/**
 * lw_report_add_function - add what a node of a tree is called
 * @out: where to; the text holds nothing that a terminal acts on
 * @report: whose tree it is
 * @frame: what the node stands for
 */
void lw_report_add_function(struct lw_strbuf *out, const struct lw_report *report, u32 frame)
{
	const struct lw_profile_frame *of = lw_profile_frame(report->profile, frame);

	lw_strbuf_printable(out, lw_profile_string(report->profile, of->function));
	if (of->inlined)
		lw_strbuf_str(out, " (inlined)");
}

static void add_symbol(struct lw_strbuf *out, const struct lw_profile *profile, u32 frame)
{
	const struct lw_profile_frame *of;

	if (frame == LW_PROFILE_NONE) {
		lw_strbuf_str(out, "[.] [no stack]");
		return;
	}
	of = lw_profile_frame(profile, frame);
	lw_strbuf_str(out, of->kind == LW_FRAME_KERNEL ? "[k] " : "[.] ");
	lw_strbuf_printable(out, lw_profile_string(profile, of->function));
}

static void add_line(struct lw_strbuf *out, const struct lw_profile *profile, u32 frame)
{
	const struct lw_profile_frame *of;
	const char *file, *slash;

	if (frame == LW_PROFILE_NONE) {
		lw_strbuf_str(out, "[no stack]");
		return;
	}
	of = lw_profile_frame(profile, frame);
	if (of->file == LW_PROFILE_NONE) {
		lw_strbuf_printable(out, lw_profile_string(profile, of->function));
		return;
	}
	/* compilers tell of some by the way from where they ran */
	file = lw_profile_string(profile, of->file);
	slash = strrchr(file, '/');
	lw_strbuf_printable(out, slash && slash[1] ? slash + 1 : file);
	lw_strbuf_char(out, ':');
	lw_strbuf_u64(out, of->line);
}

static void add_string(struct lw_strbuf *out, const struct lw_profile *profile, u32 string)
{
	const char *text;

	if (string == LW_PROFILE_NONE) {
		lw_strbuf_str(out, "[unknown]");
		return;
	}
	text = lw_profile_string(profile, string);
	lw_strbuf_printable(out, text[0] ? text : "[unknown]");
}

static void add_dso(struct lw_strbuf *out, const struct lw_profile *profile, u32 string)
{
	if (string == LW_PROFILE_NONE)
		lw_strbuf_str(out, "[unknown]");
	else
		lw_strbuf_printable(out, lw_short_name(lw_profile_string(profile, string)));
}

/**
 * lw_report_add_value - add what rows have in common in a sort key
 * @out: where to; the text holds nothing that a terminal acts on
 * @profile: whose strings and frames
 * @key: the sort key
 * @value: of it: string, id or frame
 */
void lw_report_add_value(struct lw_strbuf *out, const struct lw_profile *profile,
			 enum lw_report_key key, u32 value)
{
	switch (key) {
	case LW_KEY_PID:
	case LW_KEY_TID:
		lw_strbuf_u64(out, value);
		break;
	case LW_KEY_CPU:
		if (value == LW_PROFILE_NONE)
			lw_strbuf_str(out, "[unknown]");
		else
			lw_strbuf_u64(out, value);
		break;
	case LW_KEY_DSO:
		add_dso(out, profile, value);
		break;
	case LW_KEY_SYMBOL:
		add_symbol(out, profile, value);
		break;
	case LW_KEY_LINE:
		add_line(out, profile, value);
		break;
	default:
		add_string(out, profile, value);
	}
}

/**
 * lw_report_title - what stands above the column of a sort key
 * @key: the sort key
 *
 * Return: a string.
 */
const char *lw_report_title(enum lw_report_key key)
{
	static const char * const titles[] = {
		[LW_KEY_COMM] = "Command",
		[LW_KEY_PID] = "Pid",
		[LW_KEY_TID] = "Tid",
		[LW_KEY_CGROUP] = "Cgroup",
		[LW_KEY_CPU] = "CPU",
		[LW_KEY_DSO] = "Shared Object",
		[LW_KEY_SYMBOL] = "Symbol",
		[LW_KEY_LINE] = "Source:Line",
	};

	return titles[key];
}

static u32 value_width(const struct lw_report *report, u32 column, struct lw_strbuf *scratch)
{
	u32 widest = strlen(lw_report_title(report->options->keys[column])), width;

	for (u32 i = 0; i < report->nr_shown; i++) {
		scratch->len = 0;
		lw_report_add_value(scratch, report->profile, report->options->keys[column],
				    lw_report_row(report, i)->values[column]);
		width = lw_text_width(scratch->text, scratch->len);
		if (width > widest)
			widest = width;
	}
	return widest < MAX_WIDTH ? widest : MAX_WIDTH;
}

/**
 * lw_report_widths - how wide the columns of a report's sort keys are
 * @report: whose rows that reach the limit are looked at
 * @widths: out: for each key; the last one need not be padded
 */
void lw_report_widths(const struct lw_report *report, u32 *widths)
{
	struct lw_strbuf scratch = { 0 };

	for (u32 i = 0; i < report->options->nr_keys; i++)
		widths[i] = value_width(report, i, &scratch);
	lw_strbuf_free(&scratch);
}

/**
 * lw_report_pad - fill a column
 * @out: where to
 * @begin: where the column begins
 * @width: of it; nothing is added to what is wider
 */
void lw_report_pad(struct lw_strbuf *out, size_t begin, u32 width)
{
	u32 there = out->failed ? width : lw_text_width(out->text + begin, out->len - begin);

	if (there < width)
		lw_strbuf_spaces(out, width - there);
}

static void add_count(struct lw_strbuf *out, u64 count)
{
	size_t begin;

	lw_strbuf_str(out, "  ");
	begin = out->len;
	lw_strbuf_u64(out, count);
	lw_strbuf_right(out, begin, COUNT_WIDTH);
}

/**
 * lw_report_add_counts - add the columns that stand behind the shares
 * @out: where to
 * @options: say which there are
 * @row: whose own they are
 */
void lw_report_add_counts(struct lw_strbuf *out, const struct lw_report_options *options,
			  const struct lw_report_row *row)
{
	if (options->shows_samples)
		add_count(out, row->self_samples);
	if (options->shows_period)
		add_count(out, row->self);
}

/**
 * lw_report_add_count_titles - add what stands above these columns
 * @out: where to
 * @options: say which there are
 * @dots: dots instead, that stand below the titles
 */
void lw_report_add_count_titles(struct lw_strbuf *out, const struct lw_report_options *options,
				bool dots)
{
	if (options->shows_samples)
		lw_strbuf_str(out, dots ? "  ............" : "       Samples");
	if (options->shows_period)
		lw_strbuf_str(out, dots ? "  ............" : "        Period");
}

static void add_titles(struct lw_strbuf *out, const struct lw_report *report, const u32 *widths)
{
	u32 nr = report->options->nr_keys;

	lw_strbuf_str(out, report->options->children ? "#   Total      Self" : "#    Self");
	lw_report_add_count_titles(out, report->options, false);
	for (u32 i = 0; i < nr; i++) {
		size_t begin;

		lw_strbuf_str(out, "  ");
		begin = out->len;
		lw_strbuf_str(out, lw_report_title(report->options->keys[i]));
		if (i + 1 < nr)
			lw_report_pad(out, begin, widths[i]);
	}
	lw_strbuf_str(out, report->options->children ? "\n# .......  ........" : "\n# .......");
	lw_report_add_count_titles(out, report->options, true);
	for (u32 i = 0; i < nr; i++) {
		lw_strbuf_str(out, "  ");
		for (u32 dots = 0; dots < widths[i]; dots++)
			lw_strbuf_char(out, '.');
	}
	lw_strbuf_str(out, "\n#\n");
}

/**
 * lw_report_add_head - add what stands above the rows: the event, and how much of it there is
 * @out: where to
 * @report: of the rows
 */
void lw_report_add_head(struct lw_strbuf *out, const struct lw_report *report)
{
	const char *event = report->options->filter.event;

	lw_strbuf_str(out, "# Samples: ");
	lw_strbuf_u64(out, report->samples);
	lw_strbuf_str(out, " of event '");
	lw_strbuf_printable(out, event ? event : "[all]");
	lw_strbuf_str(out, "'\n# Event count (approx.): ");
	lw_strbuf_u64(out, report->weight);
	lw_strbuf_str(out, "\n#\n");
}

static void add_row(struct lw_strbuf *out, const struct lw_report *report,
		    const struct lw_report_row *row, const u32 *widths)
{
	u32 nr = report->options->nr_keys;

	if (report->options->children) {
		add_percent(out, report, row->total, SHARE_WIDTH);
		lw_strbuf_char(out, ' ');
	}
	add_percent(out, report, row->self, SHARE_WIDTH);
	lw_report_add_counts(out, report->options, row);
	for (u32 i = 0; i < nr; i++) {
		size_t begin;

		lw_strbuf_str(out, "  ");
		begin = out->len;
		lw_report_add_value(out, report->profile, report->options->keys[i],
				    row->values[i]);
		if (i + 1 < nr)
			lw_report_pad(out, begin, widths[i]);
	}
	lw_strbuf_char(out, '\n');
}

/* Tree that is drawn, and what is before each of its lines. */
struct drawing {
	const struct lw_report *report;
	const struct lw_tree *tree;
	struct lw_strbuf *out;
	struct lw_strbuf lead;
	u32 level;
};

static void begin_line(struct drawing *drawing)
{
	lw_strbuf_spaces(drawing->out, INDENT);
	lw_strbuf_bytes(drawing->out, drawing->lead.text ? drawing->lead.text : "",
			drawing->lead.len);
}

static bool is_drawn(const struct drawing *drawing, u32 node)
{
	return node != LW_TREE_NONE &&
	       lw_report_draws_node(drawing->report, drawing->tree, node);
}

static void draw_branches(struct drawing *drawing, u32 parent);

static void draw_gap(struct drawing *drawing)
{
	begin_line(drawing);
	lw_strbuf_str(drawing->out, "|\n");
}

/* A node, what follows it as long as that is one path, and the branches behind that. */
static void draw_path(struct drawing *drawing, u32 node)
{
	const struct lw_tree_node *at = lw_tree_node(drawing->tree, node);

	for (;;) {
		const struct lw_tree_node *child;

		lw_report_add_function(drawing->out, drawing->report, at->what);
		lw_strbuf_char(drawing->out, '\n');
		if (at->child == LW_TREE_NONE)
			return;
		child = lw_tree_node(drawing->tree, at->child);
		if (child->total != at->total)
			break;
		node = at->child;
		at = child;
		begin_line(drawing);
	}
	if (!is_drawn(drawing, at->child))
		return;
	if (drawing->level == MAX_LEVELS) {
		begin_line(drawing);
		lw_strbuf_str(drawing->out, "...\n");
		return;
	}
	draw_branches(drawing, node);
}

static void draw_branch(struct drawing *drawing, u32 node, bool last)
{
	size_t lead = drawing->lead.len;
	u32 len;

	draw_gap(drawing);
	begin_line(drawing);
	lw_strbuf_str(drawing->out, last ? " --" : "|--");
	len = lw_report_add_percent(drawing->out,
				    lw_report_node_percent(drawing->report, drawing->tree, node),
				    0, drawing->report->options->color);
	lw_strbuf_str(drawing->out, "--");
	lw_strbuf_char(&drawing->lead, last ? ' ' : '|');
	/* the bar is in it already, and dashes are on both sides */
	lw_strbuf_spaces(&drawing->lead, strlen("--") + len + strlen("--"));
	draw_path(drawing, node);
	drawing->lead.len = lead;
}

/* Recursion: ends at MAX_LEVELS. */
static void draw_branches(struct drawing *drawing, u32 parent)
{
	u32 node = lw_tree_node(drawing->tree, parent)->child;

	drawing->level++;
	while (is_drawn(drawing, node)) {
		u32 next = lw_tree_node(drawing->tree, node)->next;

		draw_branch(drawing, node, !is_drawn(drawing, next));
		node = next;
	}
	drawing->level--;
}

/* The root is the row, which is named, unless it names no function. */
static void draw_tree(struct drawing *drawing, u32 place)
{
	const struct lw_report *report = drawing->report;
	const struct lw_tree_node *root = lw_tree_node(drawing->tree, 0);
	const struct lw_tree_node *child;

	if (!is_drawn(drawing, root->child))
		return;
	child = lw_tree_node(drawing->tree, root->child);
	if (child->total == root->total && root->total == lw_report_row(report, place)->total) {
		draw_gap(drawing);
		begin_line(drawing);
		lw_strbuf_str(drawing->out, "---");
		lw_strbuf_str(&drawing->lead, "   ");
		draw_path(drawing, root->child);
	} else {
		draw_branches(drawing, 0);
	}
	lw_strbuf_char(drawing->out, '\n');
}

/**
 * lw_report_add_tree - add the tree of a row, if the report has trees
 * @out: where to
 * @report: of the row
 * @place: of the row, which is shown
 *
 * Return: 0, or -ENOMEM with lw_fail_text().
 */
int lw_report_add_tree(struct lw_strbuf *out, const struct lw_report *report, u32 place)
{
	struct drawing drawing = { .report = report, .out = out };
	struct lw_tree tree;
	int ret;

	if (report->options->graph == LW_GRAPH_NONE)
		return 0;
	ret = lw_report_tree(report, place, &tree);
	if (ret)
		return ret;
	drawing.tree = &tree;
	draw_tree(&drawing, place);
	if (drawing.lead.failed)
		out->failed = true;
	lw_strbuf_free(&drawing.lead);
	lw_tree_free(&tree);
	return 0;
}

static void add_end(struct lw_strbuf *out, const struct lw_report *report)
{
	u32 left = report->rows.nr - report->nr_shown;
	char limit[32];

	if (!left)
		return;
	snprintf(limit, sizeof(limit), "%g", report->options->percent_limit);
	lw_strbuf_str(out, "#\n# ");
	lw_strbuf_u64(out, left);
	lw_strbuf_str(out, left == 1 ? " row is below " : " rows are below ");
	lw_strbuf_str(out, limit);
	lw_strbuf_str(out, " percent: see --percent-limit.\n");
}

/**
 * lw_report_text - a report as text
 * @report: it
 * @out: where the text is added
 *
 * Return: 0, or -ENOMEM with lw_fail_text().
 */
int lw_report_text(const struct lw_report *report, struct lw_strbuf *out)
{
	u32 widths[LW_NR_KEYS];

	lw_report_widths(report, widths);
	lw_report_add_head(out, report);
	add_titles(out, report, widths);
	for (u32 i = 0; i < report->nr_shown; i++) {
		int ret;

		add_row(out, report, lw_report_row(report, i), widths);
		ret = lw_report_add_tree(out, report, i);
		if (!ret && report->options->drain)
			ret = report->options->drain(out);
		if (ret)
			return ret;
	}
	add_end(out, report);
	return 0;
}
