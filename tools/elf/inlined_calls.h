/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inlined_calls.h - which inlined calls an address is in, by debug information.
 */
#ifndef LW_INLINED_CALLS_H
#define LW_INLINED_CALLS_H

#include <elfutils/libdw.h>

#include "base/util.h"

struct lw_inlined_calls;

struct lw_inlined_calls *lw_inlined_calls_new(void);
u32 lw_inlined_calls_find(struct lw_inlined_calls *calls, Dwarf_Die *unit, u64 addr,
			  const Dwarf_Die **found, u32 room);
void lw_inlined_calls_free(struct lw_inlined_calls *calls);

#endif /* LW_INLINED_CALLS_H */
