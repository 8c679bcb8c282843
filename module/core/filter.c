// SPDX-License-Identifier: GPL-2.0
/*
 * filter.c - which tasks a session is for: a cgroup, processes, or processes and all that they
 * start.
 *
 * Processes are a hash of struct pid, each with a reference.  Where a filter follows children,
 * a probe of sched_process_fork adds the new process to each filter that names the process that
 * starts it, before the new one runs.  That tracepoint has a probe while there is such a filter.
 *
 * A filter is asked in any context, NMI included, and so read under RCU.  Whoever adds a process
 * to a bucket takes out those that have ended, so a bucket has no more processes than have lived
 * at the same time; the reference keeps the address of a struct pid from another process until
 * then.
 *
 * The probe runs with preemption off.  On PREEMPT_RT nothing can be allocated or freed there, nor a
 * spinlock be taken.  So the lock is a raw one, what is taken out of a bucket is freed by RCU, and
 * the probe takes memory from spares of the filter, which a worker replaces.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "compat/tracepoint.h"
#include "filter.h"

/* Most filters name one process and a few children; 2 KiB. */
#define BUCKET_BITS	8
/* Children that a filter can have before the worker runs, on PREEMPT_RT. */
#define SPARES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 256 : 0)

/**
 * struct filter_process - a process of a filter
 * @node: in its bucket, or in the spares
 * @rcu: to be freed
 * @pid: with a reference while it is in the bucket
 */
struct filter_process {
	struct hlist_node node;
	struct rcu_head	rcu;
	struct pid	*pid;
};

/**
 * struct lw_filter_set - a filter
 * @invert: all tasks but those that it names
 * @cgroup: this one and those below, or NULL
 * @following: in the list of filters that follow children, if not empty
 * @refill: the worker that makes spares
 * @lock: for writing @buckets, and for the members below it
 * @spares: memory for processes
 * @nr_spares: how many of it
 * @missing: counts children that there was no memory for
 * @buckets: by address of struct pid; RCU for reading
 */
struct lw_filter_set {
	bool		invert;
	struct cgroup	*cgroup;
	struct list_head following;
	struct work_struct refill;
	raw_spinlock_t	lock;	/* see above */
	struct hlist_head spares;
	u32		nr_spares;
	atomic64_t	*missing;
	struct hlist_head buckets[1 << BUCKET_BITS];
};

/* Filters that follow children; protected by following_mutex for writing, RCU for reading. */
static LIST_HEAD(all_following);
static DEFINE_MUTEX(following_mutex);
/* protected by following_mutex */
static struct tracepoint *fork_tracepoint;

/* Context: RCU callback, or any that may free memory. */
static void filter_free_process(struct rcu_head *rcu)
{
	struct filter_process *process = container_of(rcu, struct filter_process, rcu);

	put_pid(process->pid);
	kfree(process);
}

/* Readers may still see the process: they compare the address only. */
static void filter_take_out(struct filter_process *process)
{
	hlist_del_rcu(&process->node);
	call_rcu(&process->rcu, filter_free_process);
}

/*
 * Takes those out that have ended: a bucket is no longer than the living processes of the filter
 * by the number of buckets.
 * Return: false if the set has the process already; then it is the caller's still.
 */
static bool filter_put_in(struct lw_filter_set *set, struct filter_process *process)
{
	struct hlist_head *bucket = &set->buckets[hash_ptr(process->pid, BUCKET_BITS)];
	struct filter_process *old;
	struct hlist_node *next;
	bool known = false;

	raw_spin_lock(&set->lock);
	hlist_for_each_entry_safe(old, next, bucket, node)
		if (!pid_has_task(old->pid, PIDTYPE_TGID))
			filter_take_out(old);
		else if (old->pid == process->pid)
			known = true;
	if (!known)
		hlist_add_head_rcu(&process->node, bucket);
	raw_spin_unlock(&set->lock);
	return !known;
}

/* Return: 0 or -ENOMEM. */
static int filter_add_process(struct lw_filter_set *set, struct pid *pid)
{
	struct filter_process *process = kmalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);

	if (!process)
		return -ENOMEM;
	process->pid = get_pid(pid);
	/* Nobody else has seen it: a caller that names one process often is not to fill RCU. */
	if (!filter_put_in(set, process))
		filter_free_process(&process->rcu);
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int filter_make_spares(struct lw_filter_set *set)
{
	struct filter_process *process;

	while (READ_ONCE(set->nr_spares) < SPARES) {
		process = kmalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);
		if (!process)
			return -ENOMEM;
		raw_spin_lock(&set->lock);
		hlist_add_head(&process->node, &set->spares);
		WRITE_ONCE(set->nr_spares, set->nr_spares + 1);
		raw_spin_unlock(&set->lock);
	}
	return 0;
}

static void filter_refill(struct work_struct *work)
{
	/* What there is no memory for now, there may be when the next child starts. */
	filter_make_spares(container_of(work, struct lw_filter_set, refill));
}

static struct filter_process *filter_take_spare(struct lw_filter_set *set)
{
	struct filter_process *process = NULL;

	raw_spin_lock(&set->lock);
	if (!hlist_empty(&set->spares)) {
		process = hlist_entry(set->spares.first, struct filter_process, node);
		hlist_del(&process->node);
		WRITE_ONCE(set->nr_spares, set->nr_spares - 1);
	}
	raw_spin_unlock(&set->lock);
	if (READ_ONCE(set->nr_spares) < SPARES / 2)
		queue_work(system_highpri_wq, &set->refill);
	return process;
}

/* Context: the probe, preemption off. */
static void filter_add_child(struct lw_filter_set *set, struct pid *pid)
{
	struct filter_process *process = SPARES ? filter_take_spare(set) :
		kmalloc(sizeof(*process), GFP_NOWAIT | __GFP_NOWARN);

	if (!process) {
		atomic64_inc(set->missing);
		return;
	}
	process->pid = get_pid(pid);
	if (!filter_put_in(set, process))
		call_rcu(&process->rcu, filter_free_process);
}

static bool filter_has_process(const struct lw_filter_set *set, const struct pid *pid)
{
	const struct filter_process *process;

	hlist_for_each_entry_rcu(process, &set->buckets[hash_ptr(pid, BUCKET_BITS)], node)
		if (process->pid == pid)
			return true;
	return false;
}

/* In the parent, before the child runs. */
static void filter_task_forks(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct lw_filter_set *set;

	if (same_thread_group(parent, child))
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(set, &all_following, following)
		if (filter_has_process(set, task_tgid(parent)))
			filter_add_child(set, task_tgid(child));
	rcu_read_unlock();
}

static int filter_follow(struct lw_filter_set *set)
{
	int ret = filter_make_spares(set);

	if (ret)
		return ret;
	mutex_lock(&following_mutex);
	if (!fork_tracepoint)
		fork_tracepoint = lw_tracepoint("sched_process_fork");
	if (!fork_tracepoint)
		ret = -EOPNOTSUPP;
	else if (list_empty(&all_following))
		ret = tracepoint_probe_register(fork_tracepoint, filter_task_forks, NULL);
	if (!ret)
		list_add_rcu(&set->following, &all_following);
	mutex_unlock(&following_mutex);
	return ret;
}

static void filter_unfollow(struct lw_filter_set *set)
{
	if (list_empty(&set->following))
		return;
	mutex_lock(&following_mutex);
	list_del_rcu(&set->following);
	if (list_empty(&all_following))
		tracepoint_probe_unregister(fork_tracepoint, filter_task_forks, NULL);
	mutex_unlock(&following_mutex);
	/* When this returns no probe uses the filter. */
	synchronize_rcu();
}

static int filter_read_pids(struct lw_filter_set *set, const struct lw_filter *filter)
{
	s32 __user *from = u64_to_user_ptr(filter->pids);
	struct pid *pid;
	int ret = 0;
	s32 nr;
	u32 i;

	for (i = 0; i < filter->nr && !ret; i++) {
		if (get_user(nr, from + i))
			return -EFAULT;
		pid = find_get_pid(nr);
		/* A thread's number is no process's. */
		if (!pid || !pid_has_task(pid, PIDTYPE_TGID))
			ret = -ESRCH;
		else
			ret = filter_add_process(set, pid);
		put_pid(pid);
	}
	return ret;
}

static int filter_find_cgroup(struct lw_filter_set *set, const struct lw_filter *filter)
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
	if (filter->flags & LW_FILTER_CHILDREN && filter->kind != LW_FILTER_PROCESSES)
		return -EINVAL;
	switch (filter->kind) {
	case LW_FILTER_NONE:
		return filter->flags || filter->nr || filter->pids || filter->fd ? -EINVAL : 0;
	case LW_FILTER_PROCESSES:
		return !filter->nr || filter->nr > LW_MAX_FILTER_PIDS || filter->fd ? -EINVAL : 0;
	case LW_FILTER_CGROUP:
		return filter->nr || filter->pids ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

/**
 * lw_filter_make - LW_IOC_FILTER's argument
 * @filter: as the uapi header says
 * @missing: counts children that there is no memory for; stays until lw_filter_free()
 *
 * Context: process, may sleep.
 * Return: the filter, NULL for none, or ERR_PTR(-errno) as the uapi header says.
 */
struct lw_filter_set *lw_filter_make(const struct lw_filter *filter, atomic64_t *missing)
{
	struct lw_filter_set *set;
	int ret = filter_check(filter);

	if (ret)
		return ERR_PTR(ret);
	if (filter->kind == LW_FILTER_NONE)
		return NULL;
	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return ERR_PTR(-ENOMEM);
	set->missing = missing;
	set->invert = filter->flags & LW_FILTER_INVERT;
	INIT_LIST_HEAD(&set->following);
	INIT_WORK(&set->refill, filter_refill);
	raw_spin_lock_init(&set->lock);
	/* Before the processes are added, so that none of their children is missed. */
	if (filter->flags & LW_FILTER_CHILDREN)
		ret = filter_follow(set);
	if (!ret)
		ret = filter->kind == LW_FILTER_CGROUP ? filter_find_cgroup(set, filter) :
							 filter_read_pids(set, filter);
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
	struct filter_process *process;
	struct hlist_node *next;
	unsigned int i;

	if (!set)
		return;
	filter_unfollow(set);
	cancel_work_sync(&set->refill);
	hlist_for_each_entry_safe(process, next, &set->spares, node)
		kfree(process);
	for (i = 0; i < ARRAY_SIZE(set->buckets); i++)
		hlist_for_each_entry_safe(process, next, &set->buckets[i], node)
			filter_take_out(process);
#ifdef CONFIG_CGROUPS
	if (set->cgroup)
		cgroup_put(set->cgroup);
#endif
	kfree(set);
}

/**
 * lw_filter_exit - no filter is left; wait until their processes are freed
 *
 * Context: process, may sleep.
 */
void lw_filter_exit(void)
{
	rcu_barrier();
}

static bool filter_names_current(const struct lw_filter_set *set)
{
#ifdef CONFIG_CGROUPS
	if (set->cgroup)
		return task_under_cgroup_hierarchy(current, set->cgroup);
#endif
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
