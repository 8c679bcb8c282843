/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/coredump.h - may its own user look into a task, and if not, who may?
 *
 * It was a part of the mm, and has become one of what execve() makes.
 */
#ifndef LW_COMPAT_COREDUMP_H
#define LW_COMPAT_COREDUMP_H

#include <linux/sched.h>
#include <linux/sched/coredump.h>

#ifndef LW_HAVE_MM_DUMPABLE
#include <linux/rcupdate.h>
#include <linux/sched/exec_state.h>
#endif

/**
 * lw_compat_is_dumpable - is a task open to ptrace() by its own user
 * @task: which
 * @mm: of it
 *
 * As prctl(PR_GET_DUMPABLE) says: not if it has asked for that, nor when it has come to
 * its ids by a set-id program.
 *
 * Context: any in which @task and @mm stay.
 * Return: true if so.
 */
static inline bool lw_compat_is_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
#ifdef LW_HAVE_MM_DUMPABLE
	/* Of another task it may change meanwhile, as may other flags in the same word. */
	return data_race(get_dumpable(mm)) == SUID_DUMP_USER;
#else
	const struct task_exec_state *state;
	bool is;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	is = state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return is;
#endif
}

/**
 * lw_compat_exec_ns - where one must have a capability to look into what is not dumpable
 * @task: which
 * @mm: of it
 *
 * Context: rcu_read_lock(); @task and @mm stay.
 * Return: the user namespace of the program; NULL if it has none.
 */
static inline struct user_namespace *lw_compat_exec_ns(const struct task_struct *task,
						       const struct mm_struct *mm)
{
#ifdef LW_HAVE_MM_DUMPABLE
	return mm->user_ns;
#else
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	return state ? state->user_ns : NULL;
#endif
}

#endif /* LW_COMPAT_COREDUMP_H */
