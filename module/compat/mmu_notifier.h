/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/mmu_notifier.h - can processes register sections?
 *
 * That needs MMU notifiers, which kernels with KVM have.  Sections are charged to
 * user_struct.locked_vm, which kernels have with networking or io_uring.
 */
#ifndef LW_COMPAT_MMU_NOTIFIER_H
#define LW_COMPAT_MMU_NOTIFIER_H

#include <linux/mmu_notifier.h>

#if defined(CONFIG_MMU_NOTIFIER) && (defined(CONFIG_NET) || defined(CONFIG_IO_URING))
#define LW_COMPAT_REGISTRY	1
#else
#define LW_COMPAT_REGISTRY	0
#endif

#endif /* LW_COMPAT_MMU_NOTIFIER_H */
