/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/mmu_notifier.h - can we know what happens to the memory of a process?
 *
 * It takes MMU notifiers, which are there where KVM is.  On PREEMPT_RT a notifier that may
 * not sleep may not take a lock.  What is known of it is charged to user_struct.locked_vm,
 * which all kernels here have with one of the other two.
 */
#ifndef LW_COMPAT_MMU_NOTIFIER_H
#define LW_COMPAT_MMU_NOTIFIER_H

#include <linux/mmu_notifier.h>

#if defined(CONFIG_MMU_NOTIFIER) && !defined(CONFIG_PREEMPT_RT) && \
	(defined(CONFIG_NET) || defined(CONFIG_IO_URING))
#define LW_COMPAT_REGISTRY	1
#else
#define LW_COMPAT_REGISTRY	0
#endif

#endif /* LW_COMPAT_MMU_NOTIFIER_H */
