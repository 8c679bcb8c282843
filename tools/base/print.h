/* SPDX-License-Identifier: GPL-2.0 */
/*
 * print.h - strings of others, printed so that nothing in them does harm.
 */
#ifndef LW_PRINT_H
#define LW_PRINT_H

#include "base/util.h"

unsigned int lw_plain_char(const char *text, bool *plain);
void lw_print_plain(FILE *out, const char *text);

#endif /* LW_PRINT_H */
