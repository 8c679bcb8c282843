/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pager.h - what is long is read by pages, on a terminal.
 */
#ifndef LW_PAGER_H
#define LW_PAGER_H

#include <stdbool.h>

void lw_pager_allow(void);
void lw_pager_begin(void);
bool lw_terminal_has_colors(void);

#endif /* LW_PAGER_H */
