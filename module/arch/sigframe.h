/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/sigframe.h - picks the architecture's signal frames.
 */
#ifndef LW_ARCH_SIGFRAME_H
#define LW_ARCH_SIGFRAME_H

#include "arch.h"

#if defined(CONFIG_X86_64)
#include "x86_sigframe.h"
#endif

#endif /* LW_ARCH_SIGFRAME_H */
