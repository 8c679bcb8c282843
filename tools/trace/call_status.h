/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_status.h - which calls are shown, by how they ended.
 */
#ifndef LW_CALL_STATUS_H
#define LW_CALL_STATUS_H

#include "trace/syscall_join.h"

/* Bits of a set; an empty set has all calls. */
#define LW_STATUS_SUCCESSFUL	(1U << 0)
#define LW_STATUS_FAILED	(1U << 1)
#define LW_STATUS_UNFINISHED	(1U << 2)	/* no end is known */

int lw_call_status_parse(u32 *set, const char *text);
bool lw_call_status_has(u32 set, const struct lw_call *call);

#endif /* LW_CALL_STATUS_H */
