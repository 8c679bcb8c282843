// SPDX-License-Identifier: GPL-2.0
/*
 * report.c - the rows of a report: who has how much, by itself and in all.
 *
 * A row is what samples have in common in the sort keys. Keys of a sample (comm,
 * tid) are the same for all its frames, keys of a frame (dso, symbol) are not: in
 * all, a sample counts for each row that one of its frames belongs to, but once,
 * so recursion does not count twice.
 *
 * Contexts: one thread per report.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#define NO_FRAME	LW_PROFILE_NONE		/* of a sample without a stack */

static const struct {
	const char *name;
	enum lw_report_key key;
} key_names[] = {
	{ "comm",	LW_KEY_COMM },
	{ "pid",	LW_KEY_PID },
	{ "tid",	LW_KEY_TID },
	{ "cgroup",	LW_KEY_CGROUP },
	{ "cpu",	LW_KEY_CPU },
	{ "dso",	LW_KEY_DSO },
	{ "symbol",	LW_KEY_SYMBOL },
	{ "srcline",	LW_KEY_LINE },
	{ "sym",	LW_KEY_SYMBOL },
	{ "thread",	LW_KEY_TID },
};

/**
 * lw_report_key_name - what --sort calls a key
 * @key: it
 *
 * Return: a string.
 */
const char *lw_report_key_name(enum lw_report_key key)
{
	u32 i = 0;

	while (key_names[i].key != key)
		i++;
	return key_names[i].name;
}

/**
 * lw_report_key_is_number - are the values of a key numbers, not strings or frames
 * @key: it
 *
 * Return: true if so.
 */
bool lw_report_key_is_number(enum lw_report_key key)
{
	return key == LW_KEY_PID || key == LW_KEY_TID || key == LW_KEY_CPU;
}

/**
 * lw_report_has_key - is a key among those that are asked for
 * @options: the keys
 * @key: it
 *
 * Return: true if so.
 */
bool lw_report_has_key(const struct lw_report_options *options, enum lw_report_key key)
{
	for (u32 i = 0; i < options->nr_keys; i++) {
		if (options->keys[i] == key)
			return true;
	}
	return false;
}

/**
 * lw_report_add_key - add a sort key, unless it is there
 * @options: gets it
 * @name: as lw_report_key_name(), or another name that perf has for it
 * @len: bytes of @name
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_report_add_key(struct lw_report_options *options, const char *name, size_t len)
{
	for (u32 i = 0; i < ARRAY_SIZE(key_names); i++) {
		if (strlen(key_names[i].name) != len || memcmp(key_names[i].name, name, len))
			continue;
		if (!lw_report_has_key(options, key_names[i].key))
			options->keys[options->nr_keys++] = key_names[i].key;
		return 0;
	}
	if (len >= 8 && !memcmp(name, "overhead", 8))
		return 0;
	return lw_fail(-EINVAL, "'%.*s' is no sort key\n"
		       "  They are: comm, pid, tid, cgroup, cpu, dso, symbol, srcline.",
		       (int)(len > 100 ? 100 : len), name);
}

/**
 * lw_report_parse_keys - take sort keys
 * @options: out: the keys
 * @text: names with commas between; those that are there twice count once
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_report_parse_keys(struct lw_report_options *options, const char *text)
{
	options->nr_keys = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		int ret = lw_report_add_key(options, text, len);

		if (ret || !text[len])
			return ret;
		text += len + 1;
	}
}

/* Where nobody set periods, samples are all there is to add up. */
static u64 weight_of(const struct lw_report *report, const struct lw_profile_entry *entry)
{
	return report->weight ? entry->weight : entry->samples;
}

/**
 * lw_report_percent - the share of a weight
 * @report: of whose whole
 * @weight: of it
 *
 * Return: percent.
 */
double lw_report_percent(const struct lw_report *report, u64 weight)
{
	u64 whole = report->weight ? report->weight : report->samples;

	return whole ? 100.0 * weight / whole : 0;
}

/**
 * lw_report_node_percent - the share that is told of a node
 * @report: whose options say of what: of all, or of what is above it
 * @tree: of a row
 * @node: of it
 *
 * Return: percent.
 */
double lw_report_node_percent(const struct lw_report *report, const struct lw_tree *tree, u32 node)
{
	const struct lw_tree_node *at = lw_tree_node(tree, node);
	u64 whole;

	if (!report->options->fractal)
		return lw_report_percent(report, at->total);
	whole = at->parent == LW_TREE_NONE ? at->total : lw_tree_node(tree, at->parent)->total;
	return whole ? 100.0 * at->total / whole : 0;
}

/**
 * lw_report_draws_node - does a node reach the limit of branches?
 * @report: whose options have it
 * @tree: of a row
 * @node: of it
 *
 * Return: true if it does.
 */
bool lw_report_draws_node(const struct lw_report *report, const struct lw_tree *tree, u32 node)
{
	return lw_report_node_percent(report, tree, node) >= report->options->branch_limit;
}

static u32 frame_value(const struct lw_report *report, enum lw_report_key key, u32 frame)
{
	if (frame == NO_FRAME)
		return NO_FRAME;
	if (key == LW_KEY_DSO)
		return lw_profile_frame(report->profile, frame)->dso;
	return key == LW_KEY_LINE ? report->lines[frame] : report->symbols[frame];
}

static u32 value_of(const struct lw_report *report, enum lw_report_key key,
		    const struct lw_profile_entry *entry, u32 frame)
{
	switch (key) {
	case LW_KEY_COMM:
		return entry->key.comm;
	case LW_KEY_PID:
		return entry->key.pid;
	case LW_KEY_TID:
		return entry->key.tid;
	case LW_KEY_CGROUP:
		return entry->key.cgroup;
	case LW_KEY_CPU:
		return entry->key.cpu;
	default:
		return frame_value(report, key, frame);
	}
}

static bool same_row(const void *owner, u32 number, const void *key)
{
	const struct lw_report *report = owner;
	const struct lw_report_row *row = lw_pool_at(&report->rows, number);

	return !memcmp(row->values, key, report->options->nr_keys * sizeof(u32));
}

/* Return: the row's number, or LW_INDEX_NONE when out of memory. */
static u32 find_row(struct lw_report *report, const struct lw_profile_entry *entry, u32 frame)
{
	const struct lw_report_options *options = report->options;
	u32 values[LW_NR_KEYS] = { 0 }, number;
	struct lw_report_row *row;
	u64 hash;

	for (u32 i = 0; i < options->nr_keys; i++)
		values[i] = value_of(report, options->keys[i], entry, frame);
	hash = lw_hash_bytes(0, values, options->nr_keys * sizeof(u32));
	number = lw_index_find(&report->index, hash, same_row, report, values);
	if (number != LW_INDEX_NONE || lw_index_reserve(&report->index))
		return number;
	row = lw_pool_add(&report->rows);
	if (!row)
		return LW_INDEX_NONE;
	memcpy(row->values, values, sizeof(values));
	lw_index_add(&report->index, hash, report->rows.nr - 1);
	return report->rows.nr - 1;
}

static u64 saturated(u64 a, u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

/* A row that an entry counts for. */
struct use {
	struct lw_report_row *row;
	u32 entry;
	bool leaf;
};

typedef void (*use_fn)(struct lw_report *report, const struct use *use);

/* Calls @fn for each row of an entry, once, from the leaf on. */
static int visit_rows_of(struct lw_report *report, u32 number, use_fn fn)
{
	const struct lw_profile_entry *entry = lw_profile_entry(report->profile, number);
	const u32 *frames;
	u32 nr;

	frames = lw_profile_stack(report->profile, entry->stack, &nr);
	for (u32 i = 0; i < nr || !i; i++) {
		u32 found = find_row(report, entry, nr ? frames[i] : NO_FRAME);
		struct use use = { .entry = number, .leaf = !i };

		if (found == LW_INDEX_NONE)
			return -ENOMEM;
		use.row = lw_pool_at(&report->rows, found);
		if (use.row->last != number + 1) {
			use.row->last = number + 1;
			fn(report, &use);
		}
		if (!report->options->children)
			break;
	}
	return 0;
}

static int visit_all_rows(struct lw_report *report, use_fn fn)
{
	int ret = 0;

	for (size_t i = 0; i < report->rows.nr; i++) {
		struct lw_report_row *row = lw_pool_at(&report->rows, i);

		row->last = 0;
	}
	for (u32 i = 0; !ret && i < lw_profile_nr_entries(report->profile); i++) {
		if (lw_filter_passes(&report->options->filter, report->profile,
				     lw_profile_entry(report->profile, i)))
			ret = visit_rows_of(report, i, fn);
	}
	return ret;
}

static void add_up(struct lw_report *report, const struct use *use)
{
	const struct lw_profile_entry *entry = lw_profile_entry(report->profile, use->entry);
	u64 weight = weight_of(report, entry);

	use->row->total = saturated(use->row->total, weight);
	use->row->total_samples += entry->samples;
	if (!use->leaf)
		return;
	use->row->self = saturated(use->row->self, weight);
	use->row->self_samples += entry->samples;
}

static int compare_text(const struct lw_profile *profile, u32 a, u32 b)
{
	if (a == b || a == LW_PROFILE_NONE || b == LW_PROFILE_NONE)
		return (a == LW_PROFILE_NONE) - (b == LW_PROFILE_NONE);
	return strcmp(lw_profile_string(profile, a), lw_profile_string(profile, b));
}

/**
 * lw_report_compare_values - the order of what rows have in common in a sort key
 * @profile: whose strings and frames
 * @key: the sort key
 * @a: value of it
 * @b: value of it
 *
 * Return: less than 0, 0 or more, as strcmp() does.
 */
int lw_report_compare_values(const struct lw_profile *profile, enum lw_report_key key,
			     u32 a, u32 b)
{
	if (a == b)
		return 0;
	if (lw_report_key_is_number(key))
		return a < b ? -1 : 1;
	if (a == NO_FRAME || b == NO_FRAME)
		return a == NO_FRAME ? 1 : -1;
	if (key != LW_KEY_SYMBOL && key != LW_KEY_LINE)
		return compare_text(profile, a, b);
	return compare_text(profile, lw_profile_frame(profile, a)->function,
			    lw_profile_frame(profile, b)->function);
}

/* By what the report is about, then by name, so that it is the same each time. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct lw_report *report = arg;
	u32 number[2] = { *(const u32 *)a, *(const u32 *)b };
	const struct lw_report_row *one = lw_pool_at(&report->rows, number[0]);
	const struct lw_report_row *other = lw_pool_at(&report->rows, number[1]);

	if (one->total != other->total)
		return one->total > other->total ? -1 : 1;
	if (one->self != other->self)
		return one->self > other->self ? -1 : 1;
	for (u32 i = 0; i < report->options->nr_keys; i++) {
		int order = lw_report_compare_values(report->profile, report->options->keys[i],
						     one->values[i], other->values[i]);
		if (order)
			return order;
	}
	return number[0] < number[1] ? -1 : number[0] > number[1];
}

static bool is_shown(const struct lw_report *report, const struct lw_report_row *row)
{
	return lw_report_percent(report, row->total) >= report->options->percent_limit;
}

static int sort_rows(struct lw_report *report)
{
	size_t nr = report->rows.nr;

	report->order = reallocarray(NULL, nr ? nr : 1, sizeof(*report->order));
	if (!report->order)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		report->order[i] = i;
	qsort_r(report->order, nr, sizeof(*report->order), compare_rows, report);
	while (report->nr_shown < nr &&
	       is_shown(report, lw_report_row(report, report->nr_shown)))
		report->nr_shown++;
	return 0;
}

static void count_use(struct lw_report *report, const struct use *use)
{
	if (is_shown(report, use->row))
		use->row->nr_uses++;
}

static void note_use(struct lw_report *report, const struct use *use)
{
	if (is_shown(report, use->row))
		report->uses[use->row->uses + use->row->nr_uses++] = use->entry;
}

/* The trees of rows that are shown need only look at their own entries. */
static int note_uses(struct lw_report *report)
{
	u64 nr = 0;
	int ret = visit_all_rows(report, count_use);

	for (u32 i = 0; i < report->nr_shown; i++) {
		struct lw_report_row *row = lw_pool_at(&report->rows, report->order[i]);

		row->uses = nr;
		nr += row->nr_uses;
		row->nr_uses = 0;
		if (nr > LW_PROFILE_NONE)
			return -ENOMEM;
	}
	report->uses = reallocarray(NULL, nr ? nr : 1, sizeof(*report->uses));
	if (ret || !report->uses)
		return -ENOMEM;
	return visit_all_rows(report, note_use);
}

static int sum_all(struct lw_report *report)
{
	struct lw_event_sum *sums;
	int nr = lw_sum_events(report->profile, &report->options->filter, &sums);

	for (int i = 0; i < nr; i++) {
		report->samples += sums[i].samples;
		report->weight = saturated(report->weight, sums[i].weight);
	}
	free(sums);
	return nr < 0 ? nr : 0;
}

static int make(struct lw_report *report)
{
	report->symbols = lw_frame_classes(report->profile, 0);
	report->lines = lw_frame_classes(report->profile, LW_CLASS_LINE);
	report->nodes = lw_frame_classes(report->profile, LW_CLASS_DSO | LW_CLASS_INLINED);
	if (!report->symbols || !report->lines || !report->nodes || sum_all(report) ||
	    visit_all_rows(report, add_up) || sort_rows(report))
		return -ENOMEM;
	return report->options->graph == LW_GRAPH_NONE ? 0 : note_uses(report);
}

/**
 * lw_report_make - add a profile up
 * @report: out; lw_report_free() is for it
 * @profile: stays as it is as long as the report is there
 * @options: likewise
 *
 * Return: 0, or -ENOMEM with lw_fail_text(), when there is no report.
 */
int lw_report_make(struct lw_report *report, const struct lw_profile *profile,
		   const struct lw_report_options *options)
{
	memset(report, 0, sizeof(*report));
	report->profile = profile;
	report->options = options;
	report->rows.size = sizeof(struct lw_report_row);
	if (!make(report))
		return 0;
	lw_report_free(report);
	return lw_fail(-ENOMEM, "out of memory for the rows of a report\n"
		       "  A filter, as --comm or --pid, makes it smaller.");
}

/**
 * lw_report_free - free a report
 * @report: made, or zeroed
 */
void lw_report_free(struct lw_report *report)
{
	lw_index_free(&report->index);
	lw_pool_free(&report->rows);
	free(report->order);
	free(report->symbols);
	free(report->lines);
	free(report->nodes);
	free(report->uses);
	report->order = NULL;
	report->symbols = NULL;
	report->lines = NULL;
	report->nodes = NULL;
	report->uses = NULL;
}

/**
 * lw_report_row - a row by its place
 * @report: whose it is
 * @place: 0 is the largest; those below @report->nr_shown reach the limit
 *
 * Return: it.
 */
const struct lw_report_row *lw_report_row(const struct lw_report *report, u32 place)
{
	return lw_pool_at(&report->rows, report->order[place]);
}

static bool is_of_row(const struct lw_report *report, const struct lw_report_row *row, u32 frame)
{
	for (u32 i = 0; i < report->options->nr_keys; i++) {
		enum lw_report_key key = report->options->keys[i];

		if (key >= LW_KEY_DSO && row->values[i] != frame_value(report, key, frame))
			return false;
	}
	return true;
}

/* Part of a stack, from where the row is on to one of its ends, on its way down a tree. */
struct walk {
	const u32 *frames;
	u32 nr;
	bool to_leaf;
	u32 node;			/* where it is */
	u64 weight;
};

static bool names_functions(const struct lw_report *report)
{
	return lw_report_has_key(report->options, LW_KEY_SYMBOL) ||
	       lw_report_has_key(report->options, LW_KEY_LINE);
}

/*
 * Of a function that is there several times the longest part is taken. The row's own
 * frame is left out if the row names its function.
 */
static void find_part(const struct lw_report *report, const struct lw_report_row *row,
		      const u32 *frames, u32 nr, struct walk *walk)
{
	bool named = names_functions(report);
	u32 at = 0;

	walk->to_leaf = report->options->graph == LW_GRAPH_CALLER;
	walk->frames = frames;
	walk->nr = nr;
	if (!nr || (walk->to_leaf && !report->options->children))
		return;
	if (walk->to_leaf) {
		for (at = nr - 1; at && !is_of_row(report, row, frames[at]);)
			at--;
		walk->nr = named ? at : at + 1;
	} else {
		while (at < nr - 1 && !is_of_row(report, row, frames[at]))
			at++;
		walk->frames += at + named;
		walk->nr -= at + named;
	}
}

static struct walk *begin_walks(const struct lw_report *report, const struct lw_report_row *row)
{
	struct walk *walks = calloc((size_t)row->nr_uses + 1, sizeof(*walks));

	for (u32 i = 0; walks && i < row->nr_uses; i++) {
		const struct lw_profile_entry *entry =
			lw_profile_entry(report->profile, report->uses[row->uses + i]);
		const u32 *frames;
		u32 nr;

		frames = lw_profile_stack(report->profile, entry->stack, &nr);
		find_part(report, row, frames, nr, &walks[i]);
		walks[i].weight = weight_of(report, entry);
	}
	return walks;
}

/* All go to their next node.  Many that follow each other go the same way. */
static int step_all(const struct lw_report *report, struct lw_tree *tree, struct walk *walks,
		    u32 nr, u32 level)
{
	u32 from = LW_TREE_NONE, what = 0, to = 0;

	for (u32 i = 0; i < nr; i++) {
		struct walk *walk = &walks[i];
		u32 frame = walk->frames[walk->to_leaf ? walk->nr - 1 - level : level];
		u32 next = report->nodes[frame];

		if (walk->node != from || next != what) {
			from = walk->node;
			what = next;
			to = lw_tree_step(tree, from, what);
			if (to == LW_TREE_NONE)
				return -ENOMEM;
		}
		walk->node = to;
	}
	return 0;
}

/* Counts them where they are.  Return: how many go on, now the first of @walks. */
static u32 count_all(const struct lw_report *report, struct lw_tree *tree, struct walk *walks,
		     u32 nr, u32 done)
{
	u32 left = 0;

	for (u32 i = 0; i < nr; i++) {
		struct lw_tree_node *node = lw_tree_node(tree, walks[i].node);

		node->total = saturated(node->total, walks[i].weight);
		if (walks[i].nr == done)
			node->self = saturated(node->self, walks[i].weight);
	}
	/* what is below a node that is not shown is not shown either */
	for (u32 i = 0; i < nr; i++) {
		if (walks[i].nr > done &&
		    lw_report_draws_node(report, tree, walks[i].node))
			walks[left++] = walks[i];
	}
	return left;
}

static int grow_tree(const struct lw_report *report, const struct lw_report_row *row,
		     struct lw_tree *tree)
{
	struct walk *walks = begin_walks(report, row);
	u32 nr = row->nr_uses, level = 0;
	int ret = walks ? 0 : -ENOMEM;

	while (!ret) {
		nr = count_all(report, tree, walks, nr, level);
		if (!nr)
			break;
		ret = step_all(report, tree, walks, nr, level++);
	}
	free(walks);
	return ret;
}

/**
 * lw_report_tree - who calls a row, or whom it calls
 * @report: whose options say which, and not neither
 * @place: of the row, which is shown
 * @tree: out: its nodes stand for frames, its root for the row; lw_tree_free() is for it
 *
 * A node that does not reach the limit has no children: they would not be shown.
 *
 * Return: 0, or -ENOMEM with lw_fail_text(), when there is no tree.
 */
int lw_report_tree(const struct lw_report *report, u32 place, struct lw_tree *tree)
{
	const struct lw_report_row *row = lw_report_row(report, place);
	int ret = lw_tree_init(tree);

	if (!ret)
		ret = grow_tree(report, row, tree);
	if (!ret)
		ret = lw_tree_sort(tree);
	if (!ret)
		return 0;
	lw_tree_free(tree);
	return lw_fail(ret, "out of memory for the callers of a report\n"
		       "  -g none leaves them out.");
}
