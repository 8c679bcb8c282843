/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_tree_json.h - a tree as JSON, each node an object with its children in it.
 */
#ifndef LW_REPORT_TREE_JSON_H
#define LW_REPORT_TREE_JSON_H

#include "base/json.h"
#include "profile/tree.h"

/* How nodes are written. */
struct lw_tree_writer {
	/* Is this one, and so its next sisters, to be written?  NULL: all are. */
	bool (*wanted)(const struct lw_tree *tree, u32 node, const void *arg);
	/* Adds fields, "children" not among them, at least one. */
	void (*fields)(struct lw_json *json, const struct lw_tree *tree, u32 node,
		       const void *arg);
	const void *arg;
};

void lw_tree_json(const struct lw_tree *tree, u32 node, const struct lw_tree_writer *writer,
		  struct lw_json *json, const char *name);

#endif /* LW_REPORT_TREE_JSON_H */
