/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/coredump.h - may its own user look into a task?
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
 * lw_compat_is_dumpable - is current open to ptrace() by its own user
 *
 * As prctl(PR_GET_DUMPABLE) says: not if it has asked for that, nor when it has come to
 * its ids by a set-id program.
 *
 * Context: task with an mm.
 * Return: true if so.
 */
static inline bool lw_compat_is_dumpable(void)
{
#ifdef LW_HAVE_MM_DUMPABLE
	return get_dumpable(current->mm) == SUID_DUMP_USER;
#else
	const struct task_exec_state *state;
	bool is;

	rcu_read_lock();
	state = rcu_dereference(current->exec_state);
	is = READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return is;
#endif
}

#endif /* LW_COMPAT_COREDUMP_H */
