// SPDX-License-Identifier: GPL-2.0
/*
 * copy.c - a copy of the reader under a name of its own, LW_COPY: the Makefile
 * builds several, in different ways.
 */
#define PASTE(copy, name)	copy##_##name
#define NAME(copy, name)	PASTE(copy, name)

#define lw_sframe_open		NAME(LW_COPY, open)
#define lw_sframe_add_index	NAME(LW_COPY, add_index)
#define lw_sframe_find		NAME(LW_COPY, find)
#define lw_sframe_find_within	NAME(LW_COPY, find_within)
#define lw_sframe_check_fde	NAME(LW_COPY, check_fde)
#define lw_sframe_get_fde	NAME(LW_COPY, get_fde)
#define lw_sframe_first_row	NAME(LW_COPY, first_row)
#define lw_sframe_next_row	NAME(LW_COPY, next_row)

#include "reader.h"

/* Loads of what may change must not be merged: that is another compiler's. */
#ifdef LW_COPY_RACES
#define __builtin_memcpy(to, from, len) race_copy(to, from, len)
#endif

#include "../../tools/sframe/sframe_reader.c"

const struct fuzz_reader NAME(LW_COPY, reader) = {
	.open = lw_sframe_open,
	.add_index = lw_sframe_add_index,
	.find = lw_sframe_find,
	.check_fde = lw_sframe_check_fde,
	.get_fde = lw_sframe_get_fde,
	.first_row = lw_sframe_first_row,
	.next_row = lw_sframe_next_row,
};
