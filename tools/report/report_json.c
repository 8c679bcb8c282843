// SPDX-License-Identifier: GPL-2.0
/*
 * report_json.c - a report as JSON.
 *
 * Contexts: one thread per report.
 */
#include "report/report_text.h"
#include "report/report_tree_json.h"

/* @string: of the profile, or LW_PROFILE_NONE */
static void add_string(struct lw_json *json, const char *name, const struct lw_profile *profile,
		       u32 string)
{
	lw_json_str(json, name,
		    string == LW_PROFILE_NONE ? NULL : lw_profile_string(profile, string));
}

static void add_symbol(struct lw_json *json, const struct lw_profile *profile, u32 frame)
{
	const struct lw_profile_frame *of = NULL;

	if (frame != LW_PROFILE_NONE)
		of = lw_profile_frame(profile, frame);
	add_string(json, "symbol", profile, of ? of->function : LW_PROFILE_NONE);
	lw_json_bool(json, "kernel", of && of->kind == LW_FRAME_KERNEL);
}

static void add_line(struct lw_json *json, const char *name, const struct lw_profile *profile,
		     u32 frame)
{
	const struct lw_profile_frame *of;

	if (frame == LW_PROFILE_NONE) {
		lw_json_null(json, name);
		return;
	}
	of = lw_profile_frame(profile, frame);
	lw_json_open(json, name, '{');
	add_string(json, "function", profile, of->function);
	add_string(json, "file", profile, of->file);
	lw_json_u64(json, "line", of->line);
	lw_json_close(json, '}');
}

/**
 * lw_report_json_value - add what rows have in common in a sort key as JSON
 * @json: where to: an object
 * @profile: whose strings and frames
 * @key: the sort key
 * @value: of it: string, id or frame
 *
 * A value is one member of the object, or several.
 */
void lw_report_json_value(struct lw_json *json, const struct lw_profile *profile,
			  enum lw_report_key key, u32 value)
{
	const char *name = lw_report_key_name(key);

	if (key == LW_KEY_CPU && value == LW_PROFILE_NONE)
		lw_json_null(json, name);
	else if (lw_report_key_is_number(key))
		lw_json_u64(json, name, value);
	else if (key == LW_KEY_SYMBOL)
		add_symbol(json, profile, value);
	else if (key == LW_KEY_LINE)
		add_line(json, name, profile, value);
	else
		add_string(json, name, profile, value);
}

static void add_node(struct lw_json *json, const struct lw_tree *tree, u32 number, const void *arg)
{
	const struct lw_tree_node *node = lw_tree_node(tree, number);
	const struct lw_report *report = arg;

	if (node->what == LW_TREE_NONE) {
		lw_json_null(json, "symbol");
	} else {
		const struct lw_profile_frame *of = lw_profile_frame(report->profile, node->what);

		add_symbol(json, report->profile, node->what);
		add_string(json, "dso", report->profile, of->dso);
		lw_json_bool(json, "inlined", of->inlined);
	}
	lw_json_u64(json, "self", node->self);
	lw_json_u64(json, "total", node->total);
}

static bool reaches_limit(const struct lw_tree *tree, u32 node, const void *arg)
{
	const struct lw_report *report = arg;

	return lw_report_draws_node(report, tree, node);
}

static int add_tree(struct lw_json *json, const struct lw_report *report, u32 place)
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
	lw_tree_json(&tree, 0, &writer, json,
		     report->options->graph == LW_GRAPH_CALLER ? "calls" : "called_by");
	lw_tree_free(&tree);
	return 0;
}

static int add_row(struct lw_json *json, const struct lw_report *report, u32 place)
{
	const struct lw_report_row *row = lw_report_row(report, place);
	int ret = 0;

	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	for (u32 i = 0; i < report->options->nr_keys; i++)
		lw_report_json_value(json, report->profile, report->options->keys[i],
				     row->values[i]);
	lw_json_u64(json, "self", row->self);
	lw_json_u64(json, "total", row->total);
	lw_json_u64(json, "self_samples", row->self_samples);
	lw_json_u64(json, "total_samples", row->total_samples);
	lw_json_double(json, "self_percent", lw_report_percent(report, row->self), 4);
	lw_json_double(json, "total_percent", lw_report_percent(report, row->total), 4);
	if (report->options->graph != LW_GRAPH_NONE)
		ret = add_tree(json, report, place);
	lw_json_close(json, '}');
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
	struct lw_json json = { .out = out };

	lw_json_open(&json, NULL, '{');
	lw_json_str(&json, "event", report->options->filter.event);
	lw_json_u64(&json, "samples", report->samples);
	lw_json_u64(&json, "weight", report->weight);
	lw_json_u64(&json, "rows_below_limit", report->rows.nr - report->nr_shown);
	lw_json_open(&json, "rows", '[');
	for (u32 i = 0; i < report->nr_shown; i++) {
		int ret = add_row(&json, report, i);

		if (!ret && report->options->drain)
			ret = report->options->drain(out);
		if (ret)
			return ret;
	}
	lw_json_close(&json, ']');
	lw_json_close(&json, '}');
	return 0;
}
