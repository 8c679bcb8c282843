/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hashtable.h - tables of what has a struct lw_hash_node in it, in the shape of the kernel's.
 *
 * A table is an array of slots, each a list; zeroed it is empty.  Of things that stand in
 * an array, and are found by several of their members, hash_index.h has the numbers.
 *
 * Contexts: one thread per table, or the caller's lock.
 */
#ifndef LW_HASHTABLE_H
#define LW_HASHTABLE_H

#include "base/util.h"

struct lw_hash_node {
	struct lw_hash_node *next;
	struct lw_hash_node **link;	/* what points here */
};

#define lw_container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

/* NULL of NULL. */
#define lw_hash_entry(node, type, member)					\
({										\
	struct lw_hash_node *node_ = (node);					\
										\
	node_ ? lw_container_of(node_, type, member) : NULL;			\
})

/* Where in a table, an array, things of a hash are. */
#define lw_hash_slot(table, hash)	(&(table)[(hash) % ARRAY_SIZE(table)])

/* All in a slot; @pos may not be taken out, or the loop is to be left. */
#define lw_hash_for_each(pos, slot, member)					\
	for (pos = lw_hash_entry(*(slot), typeof(*pos), member); pos;		\
	     pos = lw_hash_entry(pos->member.next, typeof(*pos), member))

/* All in a slot; @pos may be taken out and freed. */
#define lw_hash_for_each_safe(pos, after, slot, member)				\
	for (pos = lw_hash_entry(*(slot), typeof(*pos), member);		\
	     pos && (after = pos->member.next, true);				\
	     pos = lw_hash_entry(after, typeof(*pos), member))

/* All in a table; @at is a slot. */
#define lw_hash_for_all(pos, at, table, member)					\
	for (at = (table); at < (table) + ARRAY_SIZE(table); at++)		\
		lw_hash_for_each(pos, at, member)

#define lw_hash_for_all_safe(pos, after, at, table, member)			\
	for (at = (table); at < (table) + ARRAY_SIZE(table); at++)		\
		lw_hash_for_each_safe(pos, after, at, member)

/**
 * lw_hash_add - put in, in front of what is there
 * @slot: lw_hash_slot()
 * @node: of what is in no table
 */
static inline void lw_hash_add(struct lw_hash_node **slot, struct lw_hash_node *node)
{
	node->next = *slot;
	node->link = slot;
	if (node->next)
		node->next->link = &node->next;
	*slot = node;
}

/**
 * lw_hash_del - take out
 * @node: of what is in a table
 */
static inline void lw_hash_del(struct lw_hash_node *node)
{
	*node->link = node->next;
	if (node->next)
		node->next->link = node->link;
}

#endif /* LW_HASHTABLE_H */
