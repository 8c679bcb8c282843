// SPDX-License-Identifier: GPL-2.0
/*
 * tree.c - stacks that begin alike, put together.
 *
 * Contexts: one thread per tree.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/tree.h"

struct key {
	u32 parent, what;
};

static struct lw_tree_node *new_node(struct lw_tree *tree, const struct key *key)
{
	struct lw_tree_node *node;

	if (tree->nodes.nr >= LW_TREE_NONE)
		return NULL;
	node = lw_pool_add(&tree->nodes);
	if (!node)
		return NULL;
	node->what = key->what;
	node->parent = key->parent;
	node->child = LW_TREE_NONE;
	node->next = LW_TREE_NONE;
	return node;
}

/**
 * lw_tree_init - begin with the root
 * @tree: out; lw_tree_free() is for it, whatever is returned
 *
 * Return: 0 or -ENOMEM.
 */
int lw_tree_init(struct lw_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->nodes.size = sizeof(struct lw_tree_node);
	return new_node(tree, &(struct key) { LW_TREE_NONE, LW_TREE_NONE }) ? 0 : -ENOMEM;
}

/**
 * lw_tree_free - free all nodes
 * @tree: initialised
 */
void lw_tree_free(struct lw_tree *tree)
{
	lw_index_free(&tree->index);
	lw_pool_free(&tree->nodes);
}

static bool same_node(const void *owner, u32 number, const void *key)
{
	const struct lw_tree_node *node = lw_tree_node(owner, number);
	const struct key *wanted = key;

	return node->parent == wanted->parent && node->what == wanted->what;
}

/**
 * lw_tree_step - go to a child
 * @tree: where
 * @parent: of which node
 * @what: it stands for
 *
 * Return: its number; it is made if it was not there. LW_TREE_NONE: out of memory.
 */
u32 lw_tree_step(struct lw_tree *tree, u32 parent, u32 what)
{
	struct key key = { .parent = parent, .what = what };
	u64 hash = lw_hash_bytes(0, &key, sizeof(key));
	u32 number = lw_index_find(&tree->index, hash, same_node, tree, &key);
	struct lw_tree_node *node;

	if (number != LW_INDEX_NONE)
		return number;
	if (lw_index_reserve(&tree->index))
		return LW_TREE_NONE;
	node = new_node(tree, &key);
	if (!node)
		return LW_TREE_NONE;
	number = tree->nodes.nr - 1;
	lw_index_add(&tree->index, hash, number);
	node->next = lw_tree_node(tree, parent)->child;
	lw_tree_node(tree, parent)->child = number;
	return number;
}

static u64 saturated(u64 a, u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

/**
 * lw_tree_add - add a stack
 * @tree: where
 * @path: from the root on
 * @nr: steps of it; 0: the root itself
 * @weight: is added to all on the way, and to the last one's own
 *
 * Return: 0 or -ENOMEM, when the path may be counted in part.
 */
int lw_tree_add(struct lw_tree *tree, const u32 *path, u32 nr, u64 weight)
{
	struct lw_tree_node *node = lw_tree_node(tree, 0);
	u32 at = 0;

	node->total = saturated(node->total, weight);
	for (u32 i = 0; i < nr; i++) {
		at = lw_tree_step(tree, at, path[i]);
		if (at == LW_TREE_NONE)
			return -ENOMEM;
		node = lw_tree_node(tree, at);
		node->total = saturated(node->total, weight);
	}
	node->self = saturated(node->self, weight);
	return 0;
}

/* Heaviest first; of the same weight that first which was met first. */
static int compare_nodes(const void *a, const void *b, void *arg)
{
	u32 number[2] = { *(const u32 *)a, *(const u32 *)b };
	const struct lw_tree_node *one = lw_tree_node(arg, number[0]);
	const struct lw_tree_node *other = lw_tree_node(arg, number[1]);

	if (one->total != other->total)
		return one->total > other->total ? -1 : 1;
	return number[0] < number[1] ? -1 : number[0] > number[1];
}

/**
 * lw_tree_sort - put the children of all nodes into the order of their weight
 * @tree: where
 *
 * Return: 0 or -ENOMEM, when nothing has changed.
 */
int lw_tree_sort(struct lw_tree *tree)
{
	size_t nr = tree->nodes.nr;
	u32 *order = reallocarray(NULL, nr, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		order[i] = i;
		lw_tree_node(tree, i)->child = LW_TREE_NONE;
	}
	qsort_r(order, nr, sizeof(*order), compare_nodes, tree);
	/* each is put before its sisters, the lightest of all nodes first */
	for (size_t i = nr; i-- > 0;) {
		struct lw_tree_node *node = lw_tree_node(tree, order[i]), *parent;

		if (!order[i])
			continue;
		parent = lw_tree_node(tree, node->parent);
		node->next = parent->child;
		parent->child = order[i];
	}
	free(order);
	return 0;
}
