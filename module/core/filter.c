// SPDX-License-Identifier: GPL-2.0
/*
 * filter.c - which tasks a session is for.
 *
 * Made once, not changed after that but by children.c; asked in any context, NMI
 * included.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "children.h"
#include "filter.h"

/**
 * struct lw_filter_set - a filter
 * @invert: all but those
 * @cgroup: this one and those below, or NULL
 * @children: the processes are here, and what they started; or NULL
 * @nr: processes
 * @pids: theirs, by address
 */
struct lw_filter_set {
	bool		invert;
	struct cgroup	*cgroup;
	struct lw_children *children;
	u32		nr;
	struct pid	*pids[];
};

static int filter_compare(const void *a, const void *b)
{
	const struct pid *x = *(struct pid *const *)a;
	const struct pid *y = *(struct pid *const *)b;

	return x < y ? -1 : x > y;
}

static int filter_read_pids(struct lw_filter_set *set, const struct lw_filter *filter)
{
	s32 __user *from = u64_to_user_ptr(filter->pids);
	struct pid *pid;
	s32 nr;

	while (set->nr < filter->nr) {
		if (get_user(nr, from + set->nr))
			return -EFAULT;
		pid = find_get_pid(nr);
		if (!pid)
			return -ESRCH;
		set->pids[set->nr++] = pid;
		/* A thread's number is no process's. */
		if (!pid_has_task(pid, PIDTYPE_TGID))
			return -ESRCH;
	}
	sort(set->pids, set->nr, sizeof(*set->pids), filter_compare, NULL);
	return 0;
}

static int filter_follow_children(struct lw_filter_set *set)
{
	struct lw_children *children = lw_children_make();
	int ret = 0;
	u32 i;

	if (IS_ERR(children))
		return PTR_ERR(children);
	set->children = children;
	for (i = 0; i < set->nr && !ret; i++)
		ret = lw_children_add(children, set->pids[i]);
	return ret;
}

static int filter_find_cgroup(struct lw_filter_set *set,
			      const struct lw_filter *filter)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup = cgroup_get_from_fd(filter->fd);

	if (IS_ERR(cgroup))
		return -EBADF;
	set->cgroup = cgroup;
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

static int filter_check(const struct lw_filter *filter)
{
	if (filter->flags & ~LW_FILTER_FLAGS || filter->reserved)
		return -EINVAL;
	if (filter->flags & LW_FILTER_CHILDREN &&
	    filter->kind != LW_FILTER_PROCESSES)
		return -EINVAL;
	switch (filter->kind) {
	case LW_FILTER_NONE:
		return filter->flags || filter->nr || filter->pids ||
		       filter->fd ? -EINVAL : 0;
	case LW_FILTER_PROCESSES:
		return !filter->nr || filter->nr > LW_MAX_FILTER_PIDS ||
		       filter->fd ? -EINVAL : 0;
	case LW_FILTER_CGROUP:
		return filter->nr || filter->pids ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

/**
 * lw_filter_make - LW_IOC_FILTER's argument
 * @filter: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: the filter, NULL for none, or ERR_PTR(-errno) as the uapi header says.
 */
struct lw_filter_set *lw_filter_make(const struct lw_filter *filter)
{
	struct lw_filter_set *set;
	int ret = filter_check(filter);

	if (ret)
		return ERR_PTR(ret);
	if (filter->kind == LW_FILTER_NONE)
		return NULL;
	set = kvzalloc(struct_size(set, pids, filter->nr), GFP_KERNEL_ACCOUNT);
	if (!set)
		return ERR_PTR(-ENOMEM);
	set->invert = filter->flags & LW_FILTER_INVERT;
	if (filter->kind == LW_FILTER_PROCESSES)
		ret = filter_read_pids(set, filter);
	else
		ret = filter_find_cgroup(set, filter);
	if (!ret && filter->flags & LW_FILTER_CHILDREN)
		ret = filter_follow_children(set);
	if (!ret)
		return set;
	lw_filter_free(set);
	return ERR_PTR(ret);
}

/**
 * lw_filter_free - free a filter
 * @set: nobody asks it any more; may be NULL
 *
 * Context: process, may sleep.
 */
void lw_filter_free(struct lw_filter_set *set)
{
	if (!set)
		return;
	if (set->children)
		lw_children_free(set->children);
	while (set->nr)
		put_pid(set->pids[--set->nr]);
#ifdef CONFIG_CGROUPS
	if (set->cgroup)
		cgroup_put(set->cgroup);
#endif
	kvfree(set);
}

static bool filter_has_process(const struct lw_filter_set *set, const struct pid *pid)
{
	u32 low = 0, high = set->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (set->pids[middle] == pid)
			return true;
		if (set->pids[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool filter_names_current(const struct lw_filter_set *set)
{
#ifdef CONFIG_CGROUPS
	if (set->cgroup)
		return task_under_cgroup_hierarchy(current, set->cgroup);
#endif
	if (set->children)
		return lw_children_has(set->children, task_tgid(current));
	return filter_has_process(set, task_tgid(current));
}

/**
 * lw_filter_wants - is current one of the tasks
 * @set: the filter
 *
 * Context: any, NMI included; preemption off.
 * Return: true if it is.
 */
bool lw_filter_wants(const struct lw_filter_set *set)
{
	bool named;

	rcu_read_lock();
	named = filter_names_current(set);
	rcu_read_unlock();
	return named != set->invert;
}

/**
 * lw_filter_missing - processes that it should name and does not
 * @set: the filter
 *
 * Context: any.
 * Return: how many there was no memory for.
 */
u64 lw_filter_missing(const struct lw_filter_set *set)
{
	return set->children ? lw_children_missing(set->children) : 0;
}
