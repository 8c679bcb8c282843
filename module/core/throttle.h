/* SPDX-License-Identifier: GPL-2.0 */
/*
 * throttle.h - a task that only walks its own stack is let go.
 */
#ifndef LW_THROTTLE_H
#define LW_THROTTLE_H

#include <linux/types.h>

void lw_throttle_note(u64 began, u64 waited);
bool lw_throttle_refuses(void);

#endif /* LW_THROTTLE_H */
