// SPDX-License-Identifier: GPL-2.0
/*
 * terminfo.c - what is known of the terminal.
 *
 * Apart from all else: term.h has macros for some hundred short words.
 *
 * Contexts: the main thread.
 */
#include <curses.h>
#include <term.h>
#include <unistd.h>

#include "ui/terminfo.h"

/**
 * lw_terminal_can_move - can the cursor be put anywhere?
 *
 * Return: whether TERM is known, and that of a terminal which can.
 */
bool lw_terminal_can_move(void)
{
	const char *sequence;
	int why;

	if (setupterm(NULL, STDOUT_FILENO, &why) != OK)
		return false;
	sequence = tigetstr("cup");
	return sequence && sequence != (const char *)-1;
}
