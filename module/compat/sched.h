/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/sched.h - what changed in linux/sched.h between the kernels we build
 * for.
 */
#ifndef LW_COMPAT_SCHED_H
#define LW_COMPAT_SCHED_H

#include <linux/sched.h>

/* Tasks that borrow a user address space but never return to user mode. */
#ifdef LW_HAVE_PF_USER_WORKER
#define LW_COMPAT_PF_WORKERS	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define LW_COMPAT_PF_WORKERS	(PF_KTHREAD | PF_IO_WORKER)
#endif

#endif /* LW_COMPAT_SCHED_H */
