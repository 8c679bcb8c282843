// SPDX-License-Identifier: GPL-2.0
/*
 * report_json.c - a report as JSON.
 *
 * Contexts: one thread per report.
 */
#include <stdio.h>
#include <string.h>

#include "report/report_text.h"
#include "report/report_tree_json.h"

static void add_text(struct lw_strbuf *out, const char *text)
{
	lw_strbuf_json(out, text, strlen(text));
}

static void add_name(struct lw_strbuf *out, const char *name)
{
	add_text(out, name);
	lw_strbuf_char(out, ':');
}

static void add_string(struct lw_strbuf *out, const struct lw_profile *profile, u32 string)
{
	if (string == LW_PROFILE_NONE)
		lw_strbuf_str(out, "null");
	else
		add_text(out, lw_profile_string(profile, string));
}

static void add_number(struct lw_strbuf *out, const char *name, u64 value)
{
	lw_strbuf_char(out, ',');
	add_name(out, name);
	lw_strbuf_u64(out, value);
}

static void add_percent(struct lw_strbuf *out, const struct lw_report *report, const char *name,
			u64 weight)
{
	char text[32];

	lw_strbuf_char(out, ',');
	add_name(out, name);
	snprintf(text, sizeof(text), "%.4f", lw_report_percent(report, weight));
	lw_strbuf_str(out, text);
}

static void add_symbol(struct lw_strbuf *out, const struct lw_profile *profile, u32 frame)
{
	const struct lw_profile_frame *of;

	if (frame == LW_PROFILE_NONE) {
		lw_strbuf_str(out, "null,\"kernel\":false");
		return;
	}
	of = lw_profile_frame(profile, frame);
	add_string(out, profile, of->function);
	lw_strbuf_str(out, of->kind == LW_FRAME_KERNEL ? ",\"kernel\":true" : ",\"kernel\":false");
}

static void add_line(struct lw_strbuf *out, const struct lw_profile *profile, u32 frame)
{
	const struct lw_profile_frame *of;

	if (frame == LW_PROFILE_NONE) {
		lw_strbuf_str(out, "null");
		return;
	}
	of = lw_profile_frame(profile, frame);
	lw_strbuf_str(out, "{\"function\":");
	add_string(out, profile, of->function);
	lw_strbuf_str(out, ",\"file\":");
	add_string(out, profile, of->file);
	lw_strbuf_str(out, ",\"line\":");
	lw_strbuf_u64(out, of->line);
	lw_strbuf_char(out, '}');
}

/**
 * lw_report_json_value - add what rows have in common in a sort key as JSON
 * @out: where to
 * @profile: whose strings and frames
 * @key: the sort key
 * @value: of it: string, id or frame
 *
 * It is one member of an object, or more, with commas between.
 */
void lw_report_json_value(struct lw_strbuf *out, const struct lw_profile *profile,
			  enum lw_report_key key, u32 value)
{
	add_name(out, lw_report_key_name(key));
	if (key == LW_KEY_PID || key == LW_KEY_TID)
		lw_strbuf_u64(out, value);
	else if (key == LW_KEY_SYMBOL)
		add_symbol(out, profile, value);
	else if (key == LW_KEY_LINE)
		add_line(out, profile, value);
	else
		add_string(out, profile, value);
}

static void add_node(struct lw_strbuf *out, const struct lw_tree *tree, u32 number, const void *arg)
{
	const struct lw_tree_node *node = lw_tree_node(tree, number);
	const struct lw_report *report = arg;

	if (node->what == LW_TREE_NONE) {
		lw_strbuf_str(out, "\"symbol\":null");
	} else {
		const struct lw_profile_frame *of = lw_profile_frame(report->profile, node->what);

		lw_strbuf_str(out, "\"symbol\":");
		add_symbol(out, report->profile, node->what);
		lw_strbuf_str(out, ",\"dso\":");
		add_string(out, report->profile, of->dso);
		lw_strbuf_str(out, of->inlined ? ",\"inlined\":true" : ",\"inlined\":false");
	}
	add_number(out, "self", node->self);
	add_number(out, "total", node->total);
}

static bool reaches_limit(const struct lw_tree *tree, u32 node, const void *arg)
{
	const struct lw_report *report = arg;

	return lw_report_percent(report, lw_tree_node(tree, node)->total) >=
	       report->options->percent_limit;
}

static int add_tree(struct lw_strbuf *out, const struct lw_report *report, u32 place)
{
	struct lw_tree_writer writer = {
		.wanted = reaches_limit,
		.fields = add_node,
		.arg = report,
	};
	struct lw_tree tree;
	int ret = lw_report_tree(report, place, &tree);

	if (ret)
		return ret;
	lw_strbuf_str(out, report->options->graph == LW_GRAPH_CALLER ?
			",\"calls\":" : ",\"called_by\":");
	lw_tree_json(&tree, 0, &writer, out);
	lw_tree_free(&tree);
	return 0;
}

static int add_row(struct lw_strbuf *out, const struct lw_report *report, u32 place)
{
	const struct lw_report_row *row = lw_report_row(report, place);
	int ret = 0;

	lw_strbuf_char(out, '{');
	for (u32 i = 0; i < report->options->nr_keys; i++) {
		if (i)
			lw_strbuf_char(out, ',');
		lw_report_json_value(out, report->profile, report->options->keys[i],
				     row->values[i]);
	}
	add_number(out, "self", row->self);
	add_number(out, "total", row->total);
	add_number(out, "self_samples", row->self_samples);
	add_number(out, "total_samples", row->total_samples);
	add_percent(out, report, "self_percent", row->self);
	add_percent(out, report, "total_percent", row->total);
	if (report->options->graph != LW_GRAPH_NONE)
		ret = add_tree(out, report, place);
	lw_strbuf_char(out, '}');
	return ret;
}

/**
 * lw_report_json - a report as a JSON object
 * @report: it
 * @out: where the object is added
 *
 * Return: 0, or -ENOMEM with lw_fail_text().
 */
int lw_report_json(const struct lw_report *report, struct lw_strbuf *out)
{
	const char *event = report->options->filter.event;

	lw_strbuf_str(out, "{\"event\":");
	if (event)
		add_text(out, event);
	else
		lw_strbuf_str(out, "null");
	add_number(out, "samples", report->samples);
	add_number(out, "weight", report->weight);
	add_number(out, "rows_below_limit", report->rows.nr - report->nr_shown);
	lw_strbuf_str(out, ",\"rows\":[");
	for (u32 i = 0; i < report->nr_shown; i++) {
		int ret;

		lw_strbuf_str(out, i ? ",\n" : "\n");
		ret = add_row(out, report, i);
		if (!ret && report->options->drain)
			ret = report->options->drain(out);
		if (ret)
			return ret;
	}
	lw_strbuf_str(out, "]}");
	return 0;
}
