/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registry.h - between registry.c and registry_fork.c.
 */
#ifndef LW_REGISTRY_H
#define LW_REGISTRY_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "compat/mmu_notifier.h"

struct lw_registered;

/* Tasks of a process that can be in fork() at once, without a loss to a child. */
#define LW_REGISTRY_NOTES	16

/**
 * struct lw_registry_entry - a section in a registry
 * @node: in the tree
 * @list: of those dropped: kept for heirs, or to be freed
 * @start: first address of its text
 * @end: first address behind it
 * @added: change with which it came
 * @dropped: change with which it went, of one that is kept
 * @section: with a reference
 */
struct lw_registry_entry {
	struct rb_node	node;
	struct list_head list;
	u64		start;
	u64		end;
	u64		added;
	u64		dropped;
	struct lw_registered *section;
};

/**
 * struct lw_registry_note - when a task of the process copied its memory
 * @task: for comparison only
 * @as_of: registry's changes, then
 */
struct lw_registry_note {
	const struct task_struct *task;
	u64		as_of;
};

/**
 * struct lw_registry - the sections of an mm
 * @notifier: of @mm, once @has_notifier
 * @has_notifier: the notifier holds a reference to the registry
 * @hash: in registries; protected by registries_lock, RCU for reading
 * @mm: whose it is, with mmgrab()
 * @ref: the hash until there is a notifier, then that; heirs; work
 * @rcu: to be freed
 * @lock: of the following
 * @tree: struct lw_registry_entry, by address, none overlaps another
 * @changes: sections ever added or dropped, and 1
 * @nr: entries, those kept for heirs included
 * @memory: bytes that they take
 * @charged: pages of @mm->pinned_vm for that
 * @heirs: that have not inherited yet
 * @kept: struct lw_registry_entry that were dropped since there are heirs, in that order
 * @notes: in no order
 * @next_note: the one to give up if none is free
 * @inheriting: held by an heir, and by who forgets what is kept; before @lock
 * @parent: of an heir, until it has inherited, else NULL; with a reference
 * @as_of: of an heir: parent's changes
 * @task: of an heir; has @work on its list or runs it as long as there is a @parent
 * @work: of an heir
 */
struct lw_registry {
	struct mmu_notifier notifier;
	bool		has_notifier;
	struct hlist_node hash;
	struct mm_struct *mm;
	refcount_t	ref;
	struct rcu_head	rcu;

	spinlock_t	lock;	/* see above */
	struct rb_root	tree;
	u64		changes;
	u32		nr;
	u64		memory;
	unsigned long	charged;
	u32		heirs;
	struct list_head kept;
	struct lw_registry_note	notes[LW_REGISTRY_NOTES];
	unsigned int	next_note;

	struct mutex	inheriting;	/* see above */
	struct lw_registry	*parent;
	u64		as_of;
	struct task_struct *task;
	struct callback_head work;
};

/* registry.c */
struct lw_registry *lw_registry_make(struct mm_struct *mm, gfp_t gfp);
void lw_registry_put(struct lw_registry *registry);
struct lw_registry *lw_registry_own(void);
void lw_registry_hash(struct lw_registry *registry);
bool lw_registry_unhash(struct lw_registry *registry);
int lw_registry_notify(struct lw_registry *registry);

void lw_registry_uncharge(struct lw_registry *registry,
			  const struct lw_registry_entry *entry);
struct lw_registry_entry *
lw_registry_after(const struct lw_registry *registry,
		  const struct lw_registry_entry *entry);
struct lw_registry_entry *
lw_registry_first_in(const struct lw_registry *registry, u64 start, u64 end);
int lw_registry_link(struct lw_registry *registry,
		     struct lw_registry_entry *entry);
void lw_registry_drop(struct lw_registry *registry, u64 start, u64 end);
void lw_registry_free_entries(struct list_head *gone);
bool lw_registry_is_code(struct mm_struct *mm, u64 start, u64 end,
			 unsigned long unwanted);

/* registry_fork.c */
void lw_registry_note_copy(struct lw_registry *registry);
void lw_registry_inherit(struct lw_registry *heir);
bool lw_registry_disinherit(struct lw_registry *registry);
bool lw_registry_take_work_back(struct lw_registry *heir);
bool lw_registry_sees_forks(void);
int lw_registry_add_probe(void);
void lw_registry_fork_init(void);
void lw_registry_fork_exit(void);

#endif /* LW_REGISTRY_H */
