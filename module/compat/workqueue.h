/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/workqueue.h - the unbound workqueue of the kernels we build for.
 */
#ifndef LW_COMPAT_WORKQUEUE_H
#define LW_COMPAT_WORKQUEUE_H

#include <linux/workqueue.h>

/* Kernels with system_dfl_wq warn of work that is queued to system_unbound_wq. */
#ifdef LW_HAVE_SYSTEM_DFL_WQ
#define lw_compat_unbound_wq	system_dfl_wq
#else
#define lw_compat_unbound_wq	system_unbound_wq
#endif

#endif /* LW_COMPAT_WORKQUEUE_H */
