/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tree.h - stacks that begin alike, put together.
 *
 * What a node stands for is a number to the tree: a frame, mostly. Nodes have
 * numbers, too; the root is 0 and stands for nothing.
 */
#ifndef LW_TREE_H
#define LW_TREE_H

#include "base/arena.h"
#include "base/hash_index.h"

#define LW_TREE_NONE	(~0U)

struct lw_tree_node {
	u32 what;
	u32 parent;			/* a number less than its own */
	u32 child, next;		/* nodes, or LW_TREE_NONE */
	u64 self;			/* weight of the stacks that end here */
	u64 total;			/* and of those that go on */
};

struct lw_tree {
	struct lw_pool nodes;
	struct lw_index index;
};

int lw_tree_init(struct lw_tree *tree);
void lw_tree_free(struct lw_tree *tree);
u32 lw_tree_step(struct lw_tree *tree, u32 parent, u32 what);
int lw_tree_add(struct lw_tree *tree, const u32 *path, u32 nr, u64 weight);
int lw_tree_sort(struct lw_tree *tree);

/**
 * lw_tree_node - a node by its number
 * @tree: whose it is
 * @node: its number
 *
 * Return: it, as long as the tree is there.
 */
static inline struct lw_tree_node *lw_tree_node(const struct lw_tree *tree, u32 node)
{
	return lw_pool_at(&tree->nodes, node);
}

#endif /* LW_TREE_H */
