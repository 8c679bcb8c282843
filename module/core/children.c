// SPDX-License-Identifier: GPL-2.0
/*
 * children.c - processes, and those that they start.
 *
 * A probe of sched_process_fork adds the new process to each set that has the
 * one that starts it, before it runs.  That tracepoint has a probe while there
 * is a set.
 *
 * Sets are asked in any context, NMI included, and so read under RCU.  Who is added
 * to a bucket takes those out of it that have ended, so that no bucket has more of
 * them than have lived at the same time; the reference to a struct pid keeps its
 * address from another process until then.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "children.h"
#include "compat/tracepoint.h"

/* More than a machine has processes, mostly. */
#define BUCKET_BITS	10

/**
 * struct child - a process of a set
 * @node: in its bucket
 * @rcu: to be freed
 * @pid: with a reference while it is in the bucket
 */
struct child {
	struct hlist_node node;
	struct rcu_head	rcu;
	struct pid	*pid;
};

/**
 * struct lw_children - a set of processes
 * @all: in the list of all sets
 * @lock: for writing
 * @missing: processes that there was no memory for; protected by @lock
 * @buckets: by address of struct pid; RCU for reading
 */
struct lw_children {
	struct list_head all;
	spinlock_t	lock;	/* who adds and takes out */
	u64		missing;
	struct hlist_head buckets[1 << BUCKET_BITS];
};

/* Sets that grow; protected by sets_mutex for writing, RCU for reading. */
static LIST_HEAD(sets);
static DEFINE_MUTEX(sets_mutex);
static struct tracepoint *fork_tracepoint;

static struct hlist_head *children_bucket_of(struct lw_children *children,
					     const struct pid *pid)
{
	return &children->buckets[hash_ptr(pid, BUCKET_BITS)];
}

/*
 * Readers compare the address only, and theirs is that of a process which lives:
 * the reference can go at once.
 */
static void children_take_out(struct child *child)
{
	hlist_del_rcu(&child->node);
	put_pid(child->pid);
	kfree_rcu(child, rcu);
}

static void children_take_out_dead(struct hlist_head *bucket)
{
	struct hlist_node *next;
	struct child *child;

	hlist_for_each_entry_safe(child, next, bucket, node)
		if (!pid_has_task(child->pid, PIDTYPE_TGID))
			children_take_out(child);
}

/**
 * lw_children_add - add a process
 * @children: the set
 * @pid: of the process
 *
 * Context: any where a lock may be taken; does not sleep.
 * Return: 0 or -ENOMEM, which is counted.
 */
int lw_children_add(struct lw_children *children, struct pid *pid)
{
	struct child *child = kmalloc(sizeof(*child), GFP_NOWAIT | __GFP_NOWARN);
	struct hlist_head *bucket = children_bucket_of(children, pid);

	spin_lock(&children->lock);
	if (child) {
		children_take_out_dead(bucket);
		child->pid = get_pid(pid);
		hlist_add_head_rcu(&child->node, bucket);
	} else {
		WRITE_ONCE(children->missing, children->missing + 1);
	}
	spin_unlock(&children->lock);
	return child ? 0 : -ENOMEM;
}

/**
 * lw_children_has - is a process in the set
 * @children: the set
 * @pid: of a process that lives
 *
 * Context: any, NMI included; RCU read-side section.
 * Return: true if it is.
 */
bool lw_children_has(struct lw_children *children, const struct pid *pid)
{
	struct child *child;

	hlist_for_each_entry_rcu(child, children_bucket_of(children, pid), node)
		if (child->pid == pid)
			return true;
	return false;
}

/**
 * lw_children_missing - processes that are not in it, but should
 * @children: the set
 *
 * Context: process.
 * Return: how many there was no memory for.
 */
u64 lw_children_missing(struct lw_children *children)
{
	return READ_ONCE(children->missing);
}

/* In the parent, before the child runs. */
static void children_task_forks(void *data, struct task_struct *parent,
				struct task_struct *child)
{
	struct lw_children *children;

	if (same_thread_group(parent, child))
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(children, &sets, all)
		if (lw_children_has(children, task_tgid(parent)))
			lw_children_add(children, task_tgid(child));
	rcu_read_unlock();
}

static int children_publish(struct lw_children *children)
{
	int ret = 0;

	mutex_lock(&sets_mutex);
	/* There a probe that may not sleep may not take our lock. */
	if (!fork_tracepoint || IS_ENABLED(CONFIG_PREEMPT_RT))
		ret = -EOPNOTSUPP;
	else if (list_empty(&sets))
		ret = tracepoint_probe_register(fork_tracepoint, children_task_forks,
						NULL);
	if (!ret)
		list_add_rcu(&children->all, &sets);
	mutex_unlock(&sets_mutex);
	return ret;
}

/**
 * lw_children_make - make an empty set
 *
 * Context: process, may sleep.
 * Return: the set, or ERR_PTR(-ENOMEM), ERR_PTR(-EOPNOTSUPP) (no tracepoint).
 */
struct lw_children *lw_children_make(void)
{
	struct lw_children *children;
	int ret;

	children = kvzalloc(sizeof(*children), GFP_KERNEL_ACCOUNT);
	if (!children)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&children->lock);
	ret = children_publish(children);
	if (!ret)
		return children;
	kvfree(children);
	return ERR_PTR(ret);
}

/**
 * lw_children_free - free a set
 * @children: nobody asks it any more
 *
 * Context: process, may sleep.
 */
void lw_children_free(struct lw_children *children)
{
	struct hlist_node *next;
	struct child *child;
	unsigned int i;

	mutex_lock(&sets_mutex);
	list_del_rcu(&children->all);
	if (list_empty(&sets))
		tracepoint_probe_unregister(fork_tracepoint, children_task_forks, NULL);
	mutex_unlock(&sets_mutex);
	/* Then no probe is at it. */
	synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(children->buckets); i++)
		hlist_for_each_entry_safe(child, next, &children->buckets[i],
					  node)
			children_take_out(child);
	kvfree(children);
}

/**
 * lw_children_init - before the first set
 *
 * Context: process, may sleep.
 */
void lw_children_init(void)
{
	fork_tracepoint = lw_tracepoint("sched_process_fork");
}

/**
 * lw_children_exit - after the last set: wait for probes that still run
 *
 * Context: process, may sleep.
 */
void lw_children_exit(void)
{
	tracepoint_synchronize_unregister();
}
