// SPDX-License-Identifier: GPL-2.0
/*
 * task_list.c - many tasks at once.
 *
 * As many as a page has room for are described under RCU, in the order of their numbers, and
 * handed out behind it.  Of namespaces only addresses are looked at, not what is there:
 * those of a task that has begun to exit may be gone.
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

#include "task_list.h"

#define PART		(PAGE_SIZE / sizeof(struct lw_task_entry))
/* Numbers that are looked at under one RCU lock, of which many may be of no task. */
#define MAX_STEPS	1024

/* What is handed out must not tell where the kernel has things. */
static siphash_key_t key __ro_after_init;

static u64 tasks_number_of(u64 nsproxy, u64 user, u64 pids)
{
	return siphash_3u64(nsproxy, user, pids, &key) ?: 1;
}

/* Return: 0 for a task that has left them, as it exits. */
static u64 tasks_namespaces_of(struct task_struct *task)
{
	/* The task leaves it under a lock of its own; it is compared only. */
	const struct nsproxy *nsproxy = data_race(task->nsproxy);
	/* Who has been reaped has none. */
	const struct pid_namespace *pids = data_race(task_active_pid_ns(task));

	if (!nsproxy)
		return 0;
	return tasks_number_of((uintptr_t)nsproxy, (uintptr_t)__task_cred(task)->user_ns,
			       (uintptr_t)pids);
}

static void tasks_describe(struct task_struct *task, struct pid_namespace *ns,
			   struct lw_task_entry *entry)
{
	/* Others are set all the time, this one never. */
	const u32 flags = data_race(task->flags) & PF_KTHREAD ? LW_TASK_KERNEL : 0;
	/* 0 when it has been reaped, which no lock of ours keeps from happening. */
	const pid_t pid = data_race(task_tgid_nr_ns(task, ns));
	/* Likewise. */
	const pid_t tid = data_race(task_pid_nr_ns(task, ns));

	*entry = (struct lw_task_entry) {
		.size = sizeof(*entry),
		.flags = flags,
		.pid = pid,
		.tid = tid,
		.namespaces = tasks_namespaces_of(task),
	};
	get_task_comm(entry->comm, task);
}

/**
 * struct part - entries that are not handed out yet
 * @entries: a page of them
 * @nr: of them
 * @room: for so many
 * @end: there are no more tasks
 */
struct part {
	struct lw_task_entry *entries;
	u32	nr;
	u32	room;
	bool	end;
};

/* A number may be of a group or session only, or its task be on its way out. */
static void tasks_fill(struct pid_namespace *ns, s32 *tid, struct part *part)
{
	struct task_struct *task;
	struct pid *pid = NULL;
	u32 steps = 0;
	int at = *tid;

	part->nr = 0;
	rcu_read_lock();
	while (part->nr < part->room && steps++ < MAX_STEPS) {
		pid = idr_get_next(&ns->idr, &at);
		if (!pid)
			break;
		task = pid_task(pid, PIDTYPE_PID);
		if (task) {
			struct lw_task_entry *entry = &part->entries[part->nr];

			tasks_describe(task, ns, entry);
			/* else it has ended since */
			part->nr += entry->pid && entry->tid == at;
		}
		at++;
	}
	rcu_read_unlock();
	part->end = !pid;
	*tid = at;
}

/* Return: 0 or -EFAULT. */
static int tasks_put_all(struct lw_task_list *list, struct part *part)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	u32 room = list->buf_size / sizeof(*part->entries);

	do {
		part->room = min_t(u32, room - list->nr, PART);
		tasks_fill(ns, &list->tid, part);
		if (copy_to_user(u64_to_user_ptr(list->buf + list->used), part->entries,
				 part->nr * sizeof(*part->entries)))
			return -EFAULT;
		list->nr += part->nr;
		list->used += part->nr * sizeof(*part->entries);
		cond_resched();
	} while (!part->end && list->nr < room && !fatal_signal_pending(current));
	return 0;
}

/**
 * lw_task_list_init - begin
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
	struct part part = { 0 };
	int ret;

	BUILD_BUG_ON(sizeof(part.entries->comm) != TASK_COMM_LEN);
	if (!perfmon_capable())
		return -EACCES;
	if (list->tid < 0 || !list->buf || list->buf_size < sizeof(*part.entries))
		return -EINVAL;
	list->nr = 0;
	list->used = 0;
	part.entries = kmalloc(PAGE_SIZE, GFP_KERNEL_ACCOUNT);
	if (!part.entries)
		return -ENOMEM;
	ret = tasks_put_all(list, &part);
	kfree(part.entries);
	return ret ?: list->nr ? 0 : -ENOENT;
}
