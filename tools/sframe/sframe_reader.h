/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_reader.h - the module's reader of SFrame sections, for all machines, and calls for
 * who shows or checks a section: functions by number, rows one by one.
 */
#ifndef LW_SFRAME_READER_H
#define LW_SFRAME_READER_H

#include "../../module/sframe/sframe.h"

/*
 * Calls of read() in one look-up: 24 probes of the binary search, the FDE and the
 * empty FDEs before it, its attribute, the blocks that MAX_ROWS rows touch.  A row's
 * words are read again if the window has moved on to the next row; but then the
 * row was not the last one, and the last block was not read.
 */
#define LW_SFRAME_MAX_READS						\
	(24U + 1U + LW_SFRAME_MAX_EMPTY + 1U +				\
	 LW_SFRAME_MAX_ROWS * LW_SFRAME_MAX_ROW / LW_SFRAME_BLOCK + 2U)

/**
 * struct lw_sframe_row - one row of a function
 * @start: of the code that it holds for, from the function's or block's start
 * @pos: of the row in the FRE area
 * @end: first byte after it, likewise
 * @info: its info byte
 * @rule: what it says, known defects of assemblers put right
 */
struct lw_sframe_row {
	__u32	start;
	__u32	pos;
	__u32	end;
	__u8	info;
	struct lw_rule rule;
};

int lw_sframe_find(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule);
int lw_sframe_get_fde(const struct lw_sframe *sf, __u32 idx, struct lw_sframe_fde *fde);
void lw_sframe_first_row(struct lw_sframe_cursor *cursor, const struct lw_sframe *sf,
			 const struct lw_sframe_fde *fde);
int lw_sframe_next_row(struct lw_sframe_cursor *cursor, struct lw_sframe_row *row);

#endif /* LW_SFRAME_READER_H */
