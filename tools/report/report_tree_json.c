// SPDX-License-Identifier: GPL-2.0
/*
 * report_tree_json.c - a tree as JSON, each node an object with its children in it.
 *
 * A stack may be as deep as a file claims: no recursion.
 *
 * Contexts: any; nothing is changed.
 */
#include "report/report_tree_json.h"

/* Return: @node, or LW_TREE_NONE if it is not to be written. */
static u32 wanted(const struct lw_tree *tree, u32 node, const struct lw_tree_writer *writer)
{
	if (node == LW_TREE_NONE || !writer->wanted ||
	    writer->wanted(tree, node, writer->arg))
		return node;
	return LW_TREE_NONE;
}

/* Closes those that are complete.  Return: the next one, or LW_TREE_NONE at the end. */
static u32 close_nodes(const struct lw_tree *tree, u32 node, u32 top,
		       const struct lw_tree_writer *writer, struct lw_strbuf *out)
{
	for (;;) {
		const struct lw_tree_node *at = lw_tree_node(tree, node);
		u32 next = node == top ? LW_TREE_NONE : wanted(tree, at->next, writer);

		lw_strbuf_char(out, '}');
		if (next != LW_TREE_NONE) {
			lw_strbuf_char(out, ',');
			return next;
		}
		if (node == top)
			return LW_TREE_NONE;
		lw_strbuf_char(out, ']');
		node = at->parent;
	}
}

/**
 * lw_tree_json - write a node and all below it as an object
 * @tree: sorted
 * @node: may be the root; it is written, whether it is wanted or not
 * @writer: tells what of them; "children" is added where there are some
 * @out: where the text is added
 */
void lw_tree_json(const struct lw_tree *tree, u32 node, const struct lw_tree_writer *writer,
		  struct lw_strbuf *out)
{
	u32 at = node;

	while (at != LW_TREE_NONE) {
		u32 child = wanted(tree, lw_tree_node(tree, at)->child, writer);

		lw_strbuf_char(out, '{');
		writer->fields(out, tree, at, writer->arg);
		if (child != LW_TREE_NONE)
			lw_strbuf_str(out, ",\"children\":[");
		at = child != LW_TREE_NONE ? child : close_nodes(tree, at, node, writer, out);
	}
}
