/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/config.h - which kernels there is no module for, and why.
 *
 * Kbuild includes this file first in every source, so that a build for such a kernel begins with
 * the reason.
 */
#ifndef LW_COMPAT_CONFIG_H
#define LW_COMPAT_CONFIG_H

#include <linux/kconfig.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "latewind: this kernel is older than 6.1"
#endif

#if !defined(CONFIG_X86_64) && !defined(CONFIG_ARM64) && !defined(CONFIG_S390) || \
	defined(CONFIG_UML) || defined(CONFIG_ARM64) && defined(CONFIG_CPU_BIG_ENDIAN)
#error "latewind: this architecture is not supported yet (x86-64, arm64 and s390x are)"
#endif

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
