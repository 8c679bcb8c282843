/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/config.h - what the kernel must have been configured with.
 */
#ifndef LW_COMPAT_CONFIG_H
#define LW_COMPAT_CONFIG_H

#include <linux/kconfig.h>

#ifndef CONFIG_PERF_EVENTS
#error "latewind: this kernel has no CONFIG_PERF_EVENTS, for events"
#endif

#ifndef CONFIG_STACKTRACE
#error "latewind: this kernel has no CONFIG_STACKTRACE, for kernel stacks"
#endif

/*
 * Without it synchronize_rcu_tasks() is synchronize_rcu(), which does not wait
 * for a task that was preempted in the last instructions of our callback.
 */
#if defined(CONFIG_PREEMPTION) && !defined(CONFIG_TASKS_RCU)
#error "latewind: this preemptible kernel has no CONFIG_TASKS_RCU, to unload"
#endif

#endif /* LW_COMPAT_CONFIG_H */
