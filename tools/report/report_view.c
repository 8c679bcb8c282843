// SPDX-License-Identifier: GPL-2.0
/*
 * report_view.c - a report that somebody walks about in: which lines there are.
 *
 * A path is a node and what follows it as long as all of it goes one way: it is
 * opened at once, and its first line stands for it while it is closed. What branches
 * off at its end is one level further in.
 *
 * Contexts: one thread per view.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_text.h"
#include "report/report_view.h"

#define SHARE_WIDTH	8
#define INDENT		3		/* of a level */

/* The open part of a row. */
struct lw_view_row {
	struct lw_tree tree;
	bool has_tree;
	bool open;
	u8 *nodes;			/* paths by their first node: 1 if open */
};

static int no_memory(void)
{
	return lw_fail(-ENOMEM, "out of memory for the lines of a report");
}

static const struct lw_tree *tree_of(const struct lw_report_view *view, u32 place)
{
	return &view->rows[place].tree;
}

/**
 * lw_view_tree - the tree that a line is of
 * @view: the view
 * @line: of it, no row
 *
 * Return: it, as long as the view is there.
 */
const struct lw_tree *lw_view_tree(const struct lw_report_view *view,
				   const struct lw_view_line *line)
{
	return tree_of(view, line->place);
}

static bool is_shown(const struct lw_report_view *view, const struct lw_tree *tree, u32 node)
{
	return node != LW_TREE_NONE && lw_report_draws_node(view->report, tree, node);
}

/* Return: the node that follows on the same path, or LW_TREE_NONE at its end. */
static u32 next_of_path(const struct lw_tree *tree, u32 node)
{
	u32 child = lw_tree_node(tree, node)->child;

	if (child == LW_TREE_NONE ||
	    lw_tree_node(tree, child)->total != lw_tree_node(tree, node)->total)
		return LW_TREE_NONE;
	return child;
}

static u32 end_of_path(const struct lw_tree *tree, u32 node)
{
	u32 next;

	while ((next = next_of_path(tree, node)) != LW_TREE_NONE)
		node = next;
	return node;
}

static bool path_has_more(const struct lw_report_view *view, u32 place, u32 node)
{
	const struct lw_tree *tree = tree_of(view, place);
	u32 end = end_of_path(tree, node);

	return end != node || is_shown(view, tree, lw_tree_node(tree, end)->child);
}

/**
 * lw_view_has_more - is there anything below a line?
 * @view: the view
 * @line: of it; a row may turn out to have nothing when it is opened
 *
 * Return: whether there is.
 */
bool lw_view_has_more(const struct lw_report_view *view, const struct lw_view_line *line)
{
	const struct lw_view_row *row = &view->rows[line->place];

	if (view->report->options->graph == LW_GRAPH_NONE)
		return false;
	if (line->node)
		return line->head && path_has_more(view, line->place, line->node);
	return !row->has_tree || is_shown(view, &row->tree, lw_tree_node(&row->tree, 0)->child);
}

/**
 * lw_view_is_open - is what is below a line shown?
 * @view: the view
 * @line: of it
 *
 * Return: whether it is.
 */
bool lw_view_is_open(const struct lw_report_view *view, const struct lw_view_line *line)
{
	const struct lw_view_row *row = &view->rows[line->place];

	return line->node ? line->head && row->nodes[line->node] : row->open;
}

static int add_line(struct lw_report_view *view, const struct lw_view_line *line)
{
	if (lw_grow((void **)&view->lines, &view->room, view->nr + 1, sizeof(*view->lines)))
		return no_memory();
	view->lines[view->nr++] = *line;
	return 0;
}

/*
 * Adds a path; if it is open, all of it. Return: its end, if branches are to follow,
 * LW_TREE_NONE if not, 0 when out of memory.
 */
static u32 add_path(struct lw_report_view *view, const struct lw_view_line *first)
{
	const struct lw_tree *tree = tree_of(view, first->place);
	struct lw_view_line line = *first;
	u32 next;

	if (add_line(view, &line))
		return 0;
	if (!view->rows[first->place].nodes[first->node])
		return LW_TREE_NONE;
	line.head = false;
	while ((next = next_of_path(tree, line.node)) != LW_TREE_NONE) {
		line.node = next;
		if (add_line(view, &line))
			return 0;
	}
	return line.node;
}

/* A branch still to be walked: a node with its descendants, and the siblings after it. */
struct branch {
	u32 node;			/* or LW_TREE_NONE */
	u32 level;
};

struct branches {
	struct branch *all;
	size_t nr, room;
};

static int push(struct branches *left, u32 node, u32 level)
{
	if (lw_grow((void **)&left->all, &left->room, left->nr + 1, sizeof(*left->all)))
		return no_memory();
	left->all[left->nr++] = (struct branch) { node, level };
	return 0;
}

/* Descendants are pushed last, so that they come before siblings. */
static int add_branch(struct lw_report_view *view, u32 place, struct branch at,
		      struct branches *left)
{
	const struct lw_tree *tree = tree_of(view, place);
	struct lw_view_line line = {
		.place = place, .node = at.node, .level = at.level, .head = true,
	};
	u32 end = add_path(view, &line);
	int ret;

	if (!end)
		return -ENOMEM;
	ret = push(left, lw_tree_node(tree, at.node)->next, at.level);
	if (!ret && end != LW_TREE_NONE)
		ret = push(left, lw_tree_node(tree, end)->child, at.level + 1);
	return ret;
}

/* Adds what is open of a row's tree. */
static int add_tree(struct lw_report_view *view, u32 place)
{
	const struct lw_tree *tree = tree_of(view, place);
	struct branches left = { 0 };
	int ret = push(&left, lw_tree_node(tree, 0)->child, 1);

	while (!ret && left.nr) {
		struct branch at = left.all[--left.nr];

		if (is_shown(view, tree, at.node))
			ret = add_branch(view, place, at, &left);
	}
	free(left.all);
	return ret;
}

static bool is_wanted(const struct lw_report_view *view, u32 place, struct lw_strbuf *name)
{
	const struct lw_report_options *options = view->report->options;
	const struct lw_report_row *row = lw_report_row(view->report, place);

	if (!view->wanted)
		return true;
	for (u32 i = 0; i < options->nr_keys; i++) {
		name->len = 0;
		lw_report_add_value(name, view->report->profile, options->keys[i],
				    row->values[i]);
		lw_strbuf_char(name, 0);
		if (!name->failed && strcasestr(name->text, view->wanted))
			return true;
	}
	return false;
}

static bool same_place(const struct lw_view_line *line, const struct lw_view_line *other)
{
	return line->place == other->place && line->node == other->node;
}

/* The line that was looked at may be gone: then it is the last one before it. */
static void find_again(struct lw_report_view *view, const struct lw_view_line *before)
{
	size_t best = 0;

	for (size_t i = 0; i < view->nr && view->lines[i].place <= before->place; i++) {
		if (view->lines[i].place < before->place || !view->lines[i].node)
			best = i;
		if (same_place(&view->lines[i], before)) {
			best = i;
			break;
		}
	}
	view->at = best;
}

static void keep_in_sight(struct lw_report_view *view)
{
	size_t last = view->nr > view->height ? view->nr - view->height : 0;

	if (view->at >= view->nr)
		view->at = view->nr ? view->nr - 1 : 0;
	if (view->top > view->at)
		view->top = view->at;
	if (view->at >= view->top + view->height)
		view->top = view->at - view->height + 1;
	if (view->top > last)
		view->top = last;
}

/* All lines anew. */
static int list(struct lw_report_view *view)
{
	struct lw_view_line before = { 0 };
	struct lw_strbuf name = { 0 };
	int ret = 0;

	if (view->at < view->nr)
		before = view->lines[view->at];
	view->nr = 0;
	for (u32 i = 0; !ret && i < view->report->nr_shown; i++) {
		struct lw_view_line line = { .place = i, .head = true };

		if (!is_wanted(view, i, &name))
			continue;
		ret = add_line(view, &line);
		if (!ret && view->rows[i].open)
			ret = add_tree(view, i);
	}
	lw_strbuf_free(&name);
	find_again(view, &before);
	keep_in_sight(view);
	return ret;
}

/**
 * lw_view_init - look at a report
 * @view: out; lw_view_free() is for it
 * @report: stays as it is as long as the view is there
 * @height: lines that are shown, at least one
 *
 * Return: 0, or -ENOMEM with lw_fail_text(), when there is no view.
 */
int lw_view_init(struct lw_report_view *view, const struct lw_report *report, u32 height)
{
	int ret;

	memset(view, 0, sizeof(*view));
	view->report = report;
	view->height = height;
	lw_report_widths(report, view->widths);
	view->rows = calloc(report->nr_shown + 1UL, sizeof(*view->rows));
	ret = view->rows ? list(view) : no_memory();
	if (ret)
		lw_view_free(view);
	return ret;
}

/**
 * lw_view_free - free a view
 * @view: it, or zeroed
 */
void lw_view_free(struct lw_report_view *view)
{
	for (u32 i = 0; view->rows && i < view->report->nr_shown; i++) {
		if (view->rows[i].has_tree)
			lw_tree_free(&view->rows[i].tree);
		free(view->rows[i].nodes);
	}
	free(view->rows);
	free(view->wanted);
	free(view->lines);
	memset(view, 0, sizeof(*view));
}

/**
 * lw_view_want - show only some rows
 * @view: the view
 * @text: is in one of their names, in whatever case; NULL or empty: all
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_view_want(struct lw_report_view *view, const char *text)
{
	char *copy = text && *text ? strdup(text) : NULL;

	if (text && *text && !copy)
		return no_memory();
	free(view->wanted);
	view->wanted = copy;
	return list(view);
}

/**
 * lw_view_set_height - there is more room, or less
 * @view: the view
 * @height: lines that are shown, at least one
 */
void lw_view_set_height(struct lw_report_view *view, u32 height)
{
	view->height = height;
	keep_in_sight(view);
}

/**
 * lw_view_move - look at another line
 * @view: the view
 * @lines: how many further down, or up if less than 0; ends at the first and the last
 */
void lw_view_move(struct lw_report_view *view, s64 lines)
{
	if (lines < 0)
		view->at -= (u64)-lines < view->at ? (u64)-lines : view->at;
	else if (view->nr)
		view->at = (u64)lines < view->nr - view->at ? view->at + lines : view->nr - 1;
	keep_in_sight(view);
}

/**
 * lw_view_line - the line that is looked at
 * @view: the view
 *
 * Return: it, until lines are opened, closed or left out; NULL if there is none.
 */
const struct lw_view_line *lw_view_line(const struct lw_report_view *view)
{
	return view->nr ? &view->lines[view->at] : NULL;
}

static int grow_tree(struct lw_report_view *view, u32 place)
{
	struct lw_view_row *row = &view->rows[place];
	int ret;

	if (row->has_tree)
		return 0;
	ret = lw_report_tree(view->report, place, &row->tree);
	if (ret)
		return ret;
	row->nodes = calloc(row->tree.nodes.nr, 1);
	if (!row->nodes) {
		lw_tree_free(&row->tree);
		return no_memory();
	}
	row->has_tree = true;
	return 0;
}

/* Where there is one way only, it is opened, too, up to where there are more. */
static void open_only_ways(struct lw_report_view *view, u32 place, u32 node)
{
	const struct lw_tree *tree = tree_of(view, place);

	while (is_shown(view, tree, node) &&
	       !is_shown(view, tree, lw_tree_node(tree, node)->next)) {
		view->rows[place].nodes[node] = 1;
		node = lw_tree_node(tree, end_of_path(tree, node))->child;
	}
}

static int open_row(struct lw_report_view *view, u32 place)
{
	int ret = grow_tree(view, place);

	if (ret)
		return ret;
	view->rows[place].open = true;
	open_only_ways(view, place, lw_tree_node(tree_of(view, place), 0)->child);
	return 0;
}

/**
 * lw_view_open - show what is below the line that is looked at
 * @view: the view
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_view_open(struct lw_report_view *view)
{
	const struct lw_view_line *line = lw_view_line(view);
	const struct lw_tree *tree;
	int ret = 0;

	if (!line || !lw_view_has_more(view, line))
		return 0;
	if (line->node) {
		tree = tree_of(view, line->place);
		view->rows[line->place].nodes[line->node] = 1;
		open_only_ways(view, line->place,
			       lw_tree_node(tree, end_of_path(tree, line->node))->child);
	} else {
		ret = open_row(view, line->place);
	}
	return ret ? ret : list(view);
}

/* All nodes have a number greater than that of their parent. */
static void set_below(struct lw_report_view *view, u32 place, u32 from, u8 open)
{
	const struct lw_tree *tree = tree_of(view, place);
	u8 *nodes = view->rows[place].nodes;

	/* 2: below, to be set at the end */
	nodes[from] = 2 | open;
	for (u32 i = from + 1; i < tree->nodes.nr; i++) {
		if (nodes[lw_tree_node(tree, i)->parent] & 2)
			nodes[i] = 2 | open;
	}
	for (u32 i = from; i < tree->nodes.nr; i++) {
		if (nodes[i] & 2)
			nodes[i] = open;
	}
}

/**
 * lw_view_open_below - show all that is below the line that is looked at
 * @view: the view
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_view_open_below(struct lw_report_view *view)
{
	const struct lw_view_line *line = lw_view_line(view);
	int ret;

	if (!line || !lw_view_has_more(view, line))
		return 0;
	ret = line->node ? 0 : open_row(view, line->place);
	if (ret)
		return ret;
	set_below(view, line->place, line->node, 1);
	return list(view);
}

/**
 * lw_view_open_all - show all that there is
 * @view: the view
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_view_open_all(struct lw_report_view *view)
{
	int ret = 0;

	if (view->report->options->graph == LW_GRAPH_NONE)
		return 0;
	for (u32 i = 0; !ret && i < view->report->nr_shown; i++) {
		ret = open_row(view, i);
		if (!ret)
			set_below(view, i, 0, 1);
	}
	return ret ? ret : list(view);
}

/* Return: the line that @line is below of, or the number of the line itself. */
static size_t line_above(const struct lw_report_view *view, size_t number)
{
	const struct lw_view_line *line = &view->lines[number];
	size_t above = number;

	if (!line->node)
		return number;
	while (above && (view->lines[above].level > line->level - line->head ||
			 !view->lines[above].head))
		above--;
	return above;
}

/**
 * lw_view_close - hide what is below the line that is looked at
 * @view: the view
 *
 * If nothing is shown below it, the line that it is below of is looked at.
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_view_close(struct lw_report_view *view)
{
	const struct lw_view_line *line = lw_view_line(view);

	if (!line)
		return 0;
	if (!lw_view_has_more(view, line) || !lw_view_is_open(view, line)) {
		view->at = line_above(view, view->at);
		keep_in_sight(view);
		return 0;
	}
	if (line->node)
		view->rows[line->place].nodes[line->node] = 0;
	else
		view->rows[line->place].open = false;
	return list(view);
}

/**
 * lw_view_close_all - show rows only
 * @view: the view
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_view_close_all(struct lw_report_view *view)
{
	for (u32 i = 0; i < view->report->nr_shown; i++) {
		struct lw_view_row *row = &view->rows[i];

		row->open = false;
		if (row->has_tree)
			memset(row->nodes, 0, row->tree.nodes.nr);
	}
	return list(view);
}

static void begin_text(struct lw_view_text *text)
{
	text->out.len = 0;
	text->nr = 0;
}

/* So far there are only letters that take a byte and a column each. */
static void add_share(struct lw_view_text *text, double percent, u32 width)
{
	u32 column = text->out.len;

	text->shares[text->nr].percent = percent;
	text->shares[text->nr].len =
		lw_report_add_percent(&text->out, percent, width, false);
	text->shares[text->nr].column = column;
	text->nr++;
}

/**
 * lw_view_titles - what stands above the lines
 * @view: the view
 * @text: out
 */
void lw_view_titles(const struct lw_report_view *view, struct lw_view_text *text)
{
	const struct lw_report_options *options = view->report->options;

	begin_text(text);
	lw_strbuf_str(&text->out, options->children ? "     Total      Self" : "      Self");
	lw_report_add_count_titles(&text->out, options, false);
	for (u32 i = 0; i < options->nr_keys; i++) {
		const char *title = lw_report_title(options->keys[i]);

		lw_strbuf_str(&text->out, "  ");
		lw_strbuf_str(&text->out, title);
		if (i + 1 < options->nr_keys)
			lw_strbuf_spaces(&text->out, view->widths[i] - strlen(title));
	}
}

static void draw_row(const struct lw_report_view *view, const struct lw_report_row *row,
		     struct lw_view_text *text)
{
	const struct lw_report_options *options = view->report->options;

	if (options->children) {
		add_share(text, lw_report_percent(view->report, row->total), SHARE_WIDTH);
		lw_strbuf_char(&text->out, ' ');
	}
	add_share(text, lw_report_percent(view->report, row->self), SHARE_WIDTH);
	lw_report_add_counts(&text->out, options, row);
	for (u32 i = 0; i < options->nr_keys; i++) {
		size_t begin;

		lw_strbuf_str(&text->out, "  ");
		begin = text->out.len;
		lw_report_add_value(&text->out, view->report->profile, options->keys[i],
				    row->values[i]);
		if (i + 1 < options->nr_keys)
			lw_report_pad(&text->out, begin, view->widths[i]);
	}
}

/**
 * lw_view_draw - the text of a line
 * @view: the view
 * @line: of it
 * @text: out; printable, in UTF-8
 */
void lw_view_draw(const struct lw_report_view *view, const struct lw_view_line *line,
		  struct lw_view_text *text)
{
	const struct lw_tree_node *node;

	begin_text(text);
	lw_strbuf_spaces(&text->out, line->level * INDENT);
	lw_strbuf_char(&text->out, !lw_view_has_more(view, line) ? ' ' :
		       lw_view_is_open(view, line) ? '-' : '+');
	if (!line->node) {
		draw_row(view, lw_report_row(view->report, line->place), text);
		return;
	}
	node = lw_tree_node(tree_of(view, line->place), line->node);
	lw_strbuf_char(&text->out, ' ');
	if (line->head) {
		add_share(text, lw_report_node_percent(view->report, tree_of(view, line->place),
						       line->node), 0);
		lw_strbuf_char(&text->out, ' ');
	} else {
		/* below the name of the first one */
		lw_strbuf_spaces(&text->out, strlen("00.00% "));
	}
	lw_report_add_function(&text->out, view->report, node->what);
}
