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
		       const struct lw_tree_writer *writer, struct lw_json *json)
{
	for (;;) {
		const struct lw_tree_node *at = lw_tree_node(tree, node);
		u32 next = node == top ? LW_TREE_NONE : wanted(tree, at->next, writer);

		lw_json_close(json, '}');
		if (next != LW_TREE_NONE || node == top)
			return next;
		lw_json_close(json, ']');
		node = at->parent;
	}
}

/**
 * lw_tree_json - write a node and all below it as an object
 * @tree: sorted
 * @node: may be the root; it is written, whether it is wanted or not
 * @writer: tells what of them; "children" is added where there are some
 * @json: where it is added
 * @name: of the member that @node becomes
 */
void lw_tree_json(const struct lw_tree *tree, u32 node, const struct lw_tree_writer *writer,
		  struct lw_json *json, const char *name)
{
	u32 at = node;

	while (at != LW_TREE_NONE) {
		u32 child = wanted(tree, lw_tree_node(tree, at)->child, writer);

		lw_json_open(json, at == node ? name : NULL, '{');
		writer->fields(json, tree, at, writer->arg);
		if (child != LW_TREE_NONE)
			lw_json_open(json, "children", '[');
		at = child != LW_TREE_NONE ? child : close_nodes(tree, at, node, writer, json);
	}
}
