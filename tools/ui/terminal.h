/* SPDX-License-Identifier: GPL-2.0 */
/*
 * terminal.h - the whole of a terminal, by ncurses.
 */
#ifndef LW_TERMINAL_H
#define LW_TERMINAL_H

#include "base/util.h"

/* Pairs of colours that lw_terminal_open() makes, if there are to be any. */
enum {
	LW_PAIR_RED = 1,
	LW_PAIR_GREEN,
};

/* lw_terminal_key(), besides keys */
#define LW_TERMINAL_NO_KEY	0
#define LW_TERMINAL_GONE	(-1)
#define LW_TERMINAL_RESIZED	(-2)

bool lw_terminal_is_there(void);
int lw_terminal_open(bool color);
void lw_terminal_size(u32 *width, u32 *height);
void lw_terminal_show(const char *text, size_t len);
int lw_terminal_key(bool wait);
void lw_terminal_close(void);

#endif /* LW_TERMINAL_H */
