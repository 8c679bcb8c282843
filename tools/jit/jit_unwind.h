/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_unwind.h - unwind rows of code in jit-PID.dump.
 */
#ifndef LW_JIT_UNWIND_H
#define LW_JIT_UNWIND_H

#include "jit/jit_dump.h"

/* Behind it are .eh_frame and .eh_frame_hdr, of code whose records follow. */
struct lw_jit_dump_unwind {
	struct lw_jit_dump_record record;
	u64 unwind_size, header_size, mapped_size;
};

/**
 * struct lw_jit_unwind - what was read of a file; zeroed is nothing
 * @dump: its header, and where to go on
 * @any: it had unwind information: code without any is of interest, too
 * @eh_frame: that of the next code
 * @size: bytes of it
 * @addr: its address in the process; 0: it is told as if it were behind the next code
 * @left: bytes of it that may still be converted, as each piece of code takes all of them
 */
struct lw_jit_unwind {
	struct lw_jit_dump dump;
	bool any;
	u8 *eh_frame;
	u64 size;
	u64 addr;
	u64 left;
};

/**
 * struct lw_jit_rows - the rows of a piece of code
 * @start: address of the code
 * @size: its bytes
 * @table: a section of SFrame, whose functions start relative to @start; to be freed; NULL: the
 *	code has no rows, nor has what was there before
 * @table_size: its bytes
 */
struct lw_jit_rows {
	u64 start, size;
	u8 *table;
	size_t table_size;
};

bool lw_jit_unwind_next(struct lw_jit_unwind *unwind, int fd, struct lw_jit_rows *rows);
void lw_jit_unwind_forget(struct lw_jit_unwind *unwind);

#endif /* LW_JIT_UNWIND_H */
