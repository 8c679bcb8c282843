/* SPDX-License-Identifier: GPL-2.0 */
/*
 * terminfo.h - what is known of the terminal.
 */
#ifndef LW_TERMINFO_H
#define LW_TERMINFO_H

#include <stdbool.h>

bool lw_terminal_can_move(void);

#endif /* LW_TERMINFO_H */
