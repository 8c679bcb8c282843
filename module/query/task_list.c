// SPDX-License-Identifier: GPL-2.0
/*
 * task_list.c - many tasks in one call (LW_IOC_TASK_LIST).
 *
 * Entries are filled a page at a time under RCU, in the order of their numbers, and copied out
 * after that.  Namespaces are known by their addresses, which are never followed: the namespaces
 * of a task that exits may be gone.
 *
 * Context: ioctl, no locks.
 */
#include <linux/cred.h>
#include <linux/idr.h>
#include <linux/init.h>
#include <linux/math.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat/perf.h"
#include "task_list.h"

#define PART		(PAGE_SIZE / sizeof(struct lw_task_entry))
/* Numbers that are looked at in one RCU section; many may be of no task. */
#define MAX_STEPS	1024

/* Addresses of the kernel are hashed by it, so that none is handed out. */
static siphash_key_t key __ro_after_init;

/* Return: a number that stands for all namespaces of a task; 0: it exits and has left them. */
static u64 tasks_namespaces(struct task_struct *task)
{
	/* The task leaves it under a lock of its own; the address is only compared. */
	const struct nsproxy *nsproxy = data_race(task->nsproxy);
	/* NULL if the task has been reaped. */
	const struct pid_namespace *pids = data_race(task_active_pid_ns(task));

	if (!nsproxy)
		return 0;
	return siphash_3u64((uintptr_t)nsproxy, (uintptr_t)__task_cred(task)->user_ns,
			    (uintptr_t)pids, &key) ?: 1;
}

static void tasks_describe(struct task_struct *task, struct pid_namespace *ns,
			   struct lw_task_entry *entry)
{
	*entry = (struct lw_task_entry) {
		.size = sizeof(*entry),
		/* Other flags change all the time, this one never. */
		.flags = data_race(task->flags) & PF_KTHREAD ? LW_TASK_KERNEL : 0,
		/* 0 if the task is reaped meanwhile, which RCU does not prevent. */
		.pid = data_race(task_tgid_nr_ns(task, ns)),
		/* Likewise. */
		.tid = data_race(task_pid_nr_ns(task, ns)),
		.namespaces = tasks_namespaces(task),
	};
	get_task_comm(entry->comm, task);
}

/*
 * Fill up to @room entries with tasks from @tid on, which becomes the number to go on at.
 * Return: entries; fewer than @room at the end, or after MAX_STEPS.
 */
static u32 tasks_fill(struct pid_namespace *ns, s32 *tid, struct lw_task_entry *entries,
		      u32 room, bool *end)
{
	struct task_struct *task;
	struct pid *pid = NULL;
	u32 steps = 0, nr = 0;
	int at = *tid;

	rcu_read_lock();
	while (nr < room && steps++ < MAX_STEPS) {
		pid = idr_get_next(&ns->idr, &at);
		if (!pid)
			break;
		/* The number may be of a group or session only. */
		task = pid_task(pid, PIDTYPE_PID);
		if (task) {
			tasks_describe(task, ns, &entries[nr]);
			/* If not, the task was reaped. */
			nr += entries[nr].pid && entries[nr].tid == at;
		}
		at++;
	}
	rcu_read_unlock();
	*end = !pid;
	*tid = at;
	return nr;
}

/* Return: 0 or -EFAULT. */
static int tasks_put_all(struct lw_task_list *list, struct lw_task_entry *entries)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	u32 room = list->buf_size / sizeof(*entries);
	bool end;
	u32 nr;

	do {
		nr = tasks_fill(ns, &list->tid, entries, min_t(u32, room - list->nr, PART), &end);
		if (copy_to_user(u64_to_user_ptr(list->buf + list->used), entries,
				 nr * sizeof(*entries)))
			return -EFAULT;
		list->nr += nr;
		list->used += nr * sizeof(*entries);
		cond_resched();
	} while (!end && list->nr < room && !fatal_signal_pending(current));
	return 0;
}

/**
 * lw_task_list_init - make the key that hashes addresses
 *
 * Context: module init.
 */
void __init lw_task_list_init(void)
{
	get_random_bytes(&key, sizeof(key));
}

/**
 * lw_task_list - LW_IOC_TASK_LIST
 * @list: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the uapi header says.
 */
int lw_task_list(struct lw_task_list *list)
{
	struct lw_task_entry *entries;
	int ret;

	static_assert(sizeof(entries->comm) == TASK_COMM_LEN);
	if (lw_compat_may_trace())
		return -EACCES;
	if (list->tid < 0 || !list->buf || list->buf_size < sizeof(*entries))
		return -EINVAL;
	list->nr = 0;
	list->used = 0;
	entries = kmalloc(PAGE_SIZE, GFP_KERNEL_ACCOUNT);
	if (!entries)
		return -ENOMEM;
	ret = tasks_put_all(list, entries);
	kfree(entries);
	return ret ?: list->nr ? 0 : -ENOENT;
}
