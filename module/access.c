// SPDX-License-Identifier: GPL-2.0
/*
 * access.c - who may look at whom.
 *
 * The rule of ptrace(), whose own function is not exported: who could stop a task and
 * read its memory learns nothing new.  A task may look at those whose user and group ids
 * are all its effective ones, in the same user namespace, with no capability that it
 * lacks, and that are dumpable (PR_SET_DUMPABLE).  So set-id programs, those with file
 * capabilities, and those that hide are not for who starts them.  Security modules, which
 * may forbid more (Landlock, SELinux), are not asked: nothing is exported to ask them by.
 * Who has tasks that these confine takes the mode of /dev/latewind away from them.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "compat/coredump.h"
#include "access.h"

/**
 * lw_access_of_current - current is who looks
 * @who: out; @who->ns without a reference
 *
 * Context: task.
 */
void lw_access_of_current(struct lw_access *who)
{
	const struct cred *cred = current_cred();

	*who = (struct lw_access) {
		.uid = cred->euid,
		.gid = cred->egid,
		.caps = cred->cap_permitted,
		.ns = cred->user_ns,
	};
}

/**
 * lw_access_same - may the two look at the same tasks
 * @a: one
 * @b: the other
 *
 * Context: any.
 * Return: true if so.
 */
bool lw_access_same(const struct lw_access *a, const struct lw_access *b)
{
	return uid_eq(a->uid, b->uid) && gid_eq(a->gid, b->gid) && a->ns == b->ns &&
	       cap_issubset(a->caps, b->caps) && cap_issubset(b->caps, a->caps);
}

/**
 * lw_access_covers - is a task, by its credentials, one that @who may look at
 * @who: who looks
 * @whom: of the task
 *
 * It takes a look at whether that is dumpable, too; after this one, and with a read
 * barrier before it if the task may not be current.
 *
 * Context: any in which @whom stays.
 * Return: true if so.
 */
bool lw_access_covers(const struct lw_access *who, const struct cred *whom)
{
	return uid_eq(whom->uid, who->uid) && uid_eq(whom->euid, who->uid) &&
	       uid_eq(whom->suid, who->uid) && gid_eq(whom->gid, who->gid) &&
	       gid_eq(whom->egid, who->gid) && gid_eq(whom->sgid, who->gid) &&
	       whom->user_ns == who->ns && cap_issubset(whom->cap_permitted, who->caps);
}

static bool may_look_in(struct user_namespace *ns)
{
	/* An audit is told of the second, where both are refused. */
	return ns && (ns_capable_noaudit(ns, CAP_PERFMON) || ns_capable(ns, CAP_SYS_PTRACE));
}

static bool has_rights_over(const struct cred *whom)
{
	struct lw_access who;

	lw_access_of_current(&who);
	return lw_access_covers(&who, whom) || may_look_in(whom->user_ns);
}

static bool may_look_at(struct task_struct *task, struct mm_struct *mm)
{
	bool may;

	if (mm == current->mm || same_thread_group(task, current))
		return true;
	rcu_read_lock();
	may = has_rights_over(__task_cred(task));
	/*
	 * A task that gives up privileges stops being dumpable first: pairs with the write
	 * barrier in commit_creds().
	 */
	smp_rmb();
	may = may && (lw_compat_is_dumpable(task, mm) || may_look_in(lw_compat_exec_ns(task, mm)));
	rcu_read_unlock();
	return may;
}

/**
 * lw_access_mm - the memory of a task that current may look at
 * @task: which; a reference is held
 *
 * CAP_PERFMON or CAP_SYS_PTRACE, in the user namespaces of the task and of the program that
 * it runs, stand for all that the rule asks for.
 *
 * Context: process, may sleep.
 * Return: it, for mmput(), or ERR_PTR(): -EACCES, -ESRCH (it has none, or none any more),
 * -EINTR (killed).
 */
struct mm_struct *lw_access_mm(struct task_struct *task)
{
	struct mm_struct *mm;
	int ret;

	/* Between the memory and the credentials of one execve() there is no other. */
	ret = down_read_killable(&task->signal->exec_update_lock);
	if (ret)
		return ERR_PTR(ret);
	/* It looks at flags of the task that execve() and exit() set under no lock. */
	mm = data_race(get_task_mm(task));
	if (!mm)
		ret = -ESRCH;
	else if (!may_look_at(task, mm))
		ret = -EACCES;
	up_read(&task->signal->exec_update_lock);
	if (ret == -EACCES)
		mmput(mm);
	return ret ? ERR_PTR(ret) : mm;
}
