/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/sched.h - what changed in linux/sched.h between the kernels we build for.
 */
#ifndef LW_COMPAT_SCHED_H
#define LW_COMPAT_SCHED_H

#include <linux/sched.h>

/* Does current, whose flags these are, use a user address space without returning to user mode? */
static inline bool lw_compat_is_worker(unsigned int flags)
{
#ifdef LW_HAVE_PF_USER_WORKER
	return flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER);
#else
	/*
	 * Up to 6.3 a worker of io_uring loses its flag before it gets PF_EXITING, but keeps
	 * worker_private (io_worker_exit()), which tasks with user space do not have (fork.c).
	 */
	return flags & (PF_KTHREAD | PF_IO_WORKER) || current->worker_private;
#endif
}

#endif /* LW_COMPAT_SCHED_H */
