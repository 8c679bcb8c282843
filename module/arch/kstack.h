/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/kstack.h - picks the architecture's header.
 */
#ifndef LW_ARCH_KSTACK_H
#define LW_ARCH_KSTACK_H

#if defined(CONFIG_X86_64)
#include "x86_kstack.h"
#endif

#endif /* LW_ARCH_KSTACK_H */
