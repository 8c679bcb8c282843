/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/arch.h - picks the architecture's header.
 */
#ifndef LW_ARCH_H
#define LW_ARCH_H

#if defined(CONFIG_X86_64)
#include "x86.h"
#else
#error "latewind: this architecture is not supported yet (x86-64 is)"
#endif

#endif /* LW_ARCH_H */
