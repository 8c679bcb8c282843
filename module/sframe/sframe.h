/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe.h - a reader of SFrame sections, versions 2 and 3.
 *
 * Pure: no state besides what the caller passes, no allocation, no kernel
 * header besides types.  The same file is built into the module, the tool and
 * user space tests.  All input is hostile.
 *
 * Results of all calls here, so that "could not look" is never taken for
 * "looked, and it is broken":
 *
 *	  0	LW_SFRAME_OK
 *	< 0	what read() returned: nothing is known of the section's
 *		soundness, its bytes could not be had
 *	> 0	enum lw_sframe_result
 */
#ifndef LW_SFRAME_H
#define LW_SFRAME_H

#include "rule.h"

enum lw_sframe_result {
	LW_SFRAME_OK = 0,

	/* Sound, and has nothing to say of this address. */
	LW_SFRAME_NO_RULE,

	/* May be sound, but can't be read here. */
	LW_SFRAME_FOREIGN_ORDER,	/* byte order is not that of the ABI */
	LW_SFRAME_UNKNOWN_VERSION,	/* neither 2 nor 3 */
	LW_SFRAME_UNKNOWN_FLAG,		/* in the header */
	LW_SFRAME_UNSORTED,		/* FDEs, as the header says */
	LW_SFRAME_OTHER_ABI,		/* unknown, or not the one asked for */
	LW_SFRAME_UNKNOWN_FDE_TYPE,	/* version 3: neither DEFAULT nor FLEX, nor PATH */
	LW_SFRAME_TOO_MANY_FDES,	/* more than LW_SFRAME_MAX_FDES */
	LW_SFRAME_TOO_MANY_EMPTY,	/* more than LW_SFRAME_MAX_EMPTY */
	LW_SFRAME_TOO_MANY_ROWS,	/* more than LW_SFRAME_MAX_ROWS */

	/* Corrupt: the section, as lw_sframe_open() finds it. */
	LW_SFRAME_BAD_RANGE,		/* the caller's addresses make no range */
	LW_SFRAME_TOO_SHORT,		/* for a header */
	LW_SFRAME_BAD_MAGIC,
	LW_SFRAME_BAD_FIXED_SLOT,	/* of RA or FP, not one of the ABI */
	LW_SFRAME_NO_FDES,
	LW_SFRAME_FDES_OUTSIDE,		/* FDE array not inside of the section */
	LW_SFRAME_ROWS_OUTSIDE,		/* FRE area not inside of the section */
	LW_SFRAME_AREAS_OVERLAP,

	/* Corrupt: one function, as a look-up finds it. */
	LW_SFRAME_BAD_ORDER,		/* FDEs are not sorted */
	LW_SFRAME_FUNC_OUTSIDE,		/* function not inside of the text */
	LW_SFRAME_BAD_ROW_TYPE,		/* width of a row's start */
	LW_SFRAME_BAD_BLOCK_SIZE,	/* MASK: 0, or more than the function */
	LW_SFRAME_FUNC_ROWS_OUTSIDE,	/* its attribute or rows in no area */

	/* Corrupt: one row. */
	LW_SFRAME_ROW_OUTSIDE,		/* does not end inside of the FRE area */
	LW_SFRAME_BAD_WORD_SIZE,
	LW_SFRAME_BAD_WORD_COUNT,	/* none of its ABI and FDE type */
	LW_SFRAME_BAD_ROW_START,	/* behind the function or the block */
	LW_SFRAME_BAD_ROW_ORDER,	/* starts before the row before it */
	LW_SFRAME_BAD_FLEX,		/* words that make no rules */
	LW_SFRAME_BAD_REGISTER,		/* the ABI has no such one */
	LW_SFRAME_BAD_OFFSET,		/* out of range when scaled */

	LW_SFRAME_NUM_RESULTS
};

/**
 * lw_sframe_is_corrupt() - was it looked at, and is it broken?
 * @result: of any call here
 *
 * Return: not 0 if so; 0 also for sections that are only not known here.
 */
static inline int lw_sframe_is_corrupt(int result)
{
	return result >= LW_SFRAME_BAD_RANGE;
}

/* lw_sframe.abi, and what lw_sframe_open() is asked for */
#define LW_SFRAME_ABI_ANY		0
#define LW_SFRAME_ABI_AARCH64_BE	1
#define LW_SFRAME_ABI_AARCH64_LE	2
#define LW_SFRAME_ABI_AMD64		3
#define LW_SFRAME_ABI_S390X		4

/*
 * Bounds of a look-up.  The largest section met so far has 118,311 FDEs, the
 * longest function 6,942 rows; version 3 counts rows in 16 bits.
 */
#define LW_SFRAME_MAX_FDES	0x1000000U	/* in a section */
#define LW_SFRAME_MAX_EMPTY	32U	/* empty FDEs at a function's start */
#define LW_SFRAME_MAX_ROWS	65535U	/* walked in a function */
#define LW_SFRAME_MAX_ROW	41U	/* bytes: start 4, info 1, words 9 * 4 */
#define LW_SFRAME_BLOCK		64U	/* bytes of rows read at a time */

/*
 * Calls of read() in one look-up: the 24 probes of the binary search, the FDE
 * and the empty ones before it, its attribute, the blocks that MAX_ROWS rows
 * touch.  The words of a row are read again if the window has moved on to the next,
 * but then the last block is not: that row is not the last one.
 */
#define LW_SFRAME_MAX_READS						\
	(24U + 1U + LW_SFRAME_MAX_EMPTY + 1U +				\
	 LW_SFRAME_MAX_ROWS * LW_SFRAME_MAX_ROW / LW_SFRAME_BLOCK + 2U)

/**
 * struct lw_sframe_source - where the bytes of a section come from
 * @read: copy @len bytes at @off of the section to @dst; 0 or -errno, and then
 *	the call ends with that errno.  Is never called with a range that is not
 *	wholly inside @size.
 * @bytes: if not NULL the whole section is here, and read() is not called.
 *	May change meanwhile, with any result but no harm.
 * @size: bytes of the section that may be read
 */
struct lw_sframe_source {
	int (*read)(const struct lw_sframe_source *src, void *dst, __u64 off,
		    __u32 len);
	const void *bytes;
	__u64	size;
};

/**
 * struct lw_sframe_place - where a section and its text are in the task
 * @addr: of the section's first byte
 * @text_start: first address that the section may speak of
 * @text_end: first address after these
 * @entry: where the program began, or 0.  The function that starts here is
 *	outermost whatever its rows say: gas 2.44 has no way to say so.
 * @paths: not 0: functions may be of type LW_SFRAME_PATH
 */
struct lw_sframe_place {
	__u64	addr;
	__u64	text_start;
	__u64	text_end;
	__u64	entry;
	__u8	paths;
};

/**
 * struct lw_sframe_index - where in the FDE array to search, by address
 * @first: of each bucket and the end of the last: the last FDE that does not
 *	start behind it, or the first
 * @start: address that the first bucket begins at
 * @buckets: of them
 * @shift: log2 of a bucket's bytes
 */
struct lw_sframe_index {
	const __u32 *first;
	__u64	start;
	__u32	buckets;
	__u32	shift;
};

/**
 * struct lw_sframe - an opened section: its header, checked
 * @src: where the bytes come from
 * @index: if not NULL, makes searches shorter
 * @place: where it is in the task
 * @fde_off: FDE array, from the start of the section
 * @fre_off: FRE area, likewise
 * @fre_len: bytes of the FRE area
 * @num_fdes: entries of the array
 * @num_fres: rows, as the header says; never used or checked here
 * @version: 2 or 3
 * @flags: header flags
 * @abi: LW_SFRAME_ABI_*
 * @swap: not 0: bytes are in the other order than this machine's
 * @fixed_fp: always 0
 * @fixed_ra: not 0: RA is always at CFA + this
 * @auxhdr_len: bytes of auxiliary header, skipped
 */
struct lw_sframe {
	const struct lw_sframe_source *src;
	const struct lw_sframe_index *index;
	struct lw_sframe_place place;
	__u64	fde_off;
	__u64	fre_off;
	__u32	fre_len;
	__u32	num_fdes;
	__u32	num_fres;
	__u8	version;
	__u8	flags;
	__u8	abi;
	__u8	swap;
	__s8	fixed_fp;
	__s8	fixed_ra;
	__u8	auxhdr_len;
};

/* lw_sframe.flags */
#define LW_SFRAME_SORTED	0x1	/* the FDE array is sorted by start */
#define LW_SFRAME_FRAME_POINTER	0x2	/* version 2: all functions keep FP */
#define LW_SFRAME_PCREL		0x4	/* starts are relative to their field */

/* lw_sframe_fde.type */
#define LW_SFRAME_DEFAULT	0
#define LW_SFRAME_FLEX		1
/*
 * Of no standard: what our converter writes where FLEX has no words for a CFA that
 * is found by a path through memory, as where a language changes stacks.  See
 * Documentation/sframe.rst.
 */
#define LW_SFRAME_PATH		0x1f

/**
 * struct lw_sframe_fde - one function, the same for both versions
 * @start: its first address
 * @size: bytes of code; may be 0, and then it covers nothing
 * @rows: its first row, from the start of the FRE area
 * @num_rows: of them
 * @start_size: bytes of a row's start: 1, 2 or 4
 * @type: LW_SFRAME_DEFAULT, _FLEX or _PATH; always the first in version 2
 * @mask: not 0: rows are for one block of code of @rep_size bytes, repeated
 * @rep_size: as the section has it, also where it means nothing
 * @signal: not 0: the RA recovered is where a signal came, version 3 only
 * @pauth_b: not 0: aarch64, RA is signed with key B, else with key A
 */
struct lw_sframe_fde {
	__u64	start;
	__u32	size;
	__u32	rows;
	__u32	num_rows;
	__u8	start_size;
	__u8	type;
	__u8	mask;
	__u8	rep_size;
	__u8	signal;
	__u8	pauth_b;
};

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

/**
 * struct lw_sframe_window - a piece of the FRE area, for read()
 * @pos: of @buf[0] in the FRE area
 * @len: bytes in @buf
 * @buf: them
 */
struct lw_sframe_window {
	__u32	pos;
	__u32	len;
	__u8	buf[LW_SFRAME_BLOCK + LW_SFRAME_MAX_ROW];
};

/**
 * struct lw_sframe_cursor - a walk over the rows of one function
 * @sf: section
 * @fde: function
 * @next: row that comes next, by number
 * @pos: likewise, in the FRE area
 * @start: of the row before
 * @window: what was read last
 */
struct lw_sframe_cursor {
	const struct lw_sframe *sf;
	struct lw_sframe_fde fde;
	__u32	next;
	__u32	pos;
	__u32	start;
	struct lw_sframe_window window;
};

/**
 * lw_sframe_has_no_caller() - is a function outermost whatever its rows say?
 * @sf: section
 * @fde: function
 *
 * Version 3 may tell an outermost function by having no rows.
 *
 * Context: any.
 * Return: not 0 if so.
 */
static inline int lw_sframe_has_no_caller(const struct lw_sframe *sf,
					  const struct lw_sframe_fde *fde)
{
	if (sf->place.entry && fde->start == sf->place.entry)
		return 1;
	return sf->version > 2 && !fde->num_rows &&
	       fde->type == LW_SFRAME_DEFAULT;
}

int lw_sframe_open(struct lw_sframe *sf, const struct lw_sframe_source *src,
		   const struct lw_sframe_place *place, unsigned int abi);
int lw_sframe_add_index(struct lw_sframe *sf, struct lw_sframe_index *index,
			__u32 *first, __u32 room);
int lw_sframe_find(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule);
int lw_sframe_find_within(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule,
			  __u32 *budget);

/* For those that show a section; a look-up needs none of these. */
int lw_sframe_get_fde(const struct lw_sframe *sf, __u32 idx,
		      struct lw_sframe_fde *fde);
void lw_sframe_first_row(struct lw_sframe_cursor *cursor,
			 const struct lw_sframe *sf,
			 const struct lw_sframe_fde *fde);
int lw_sframe_next_row(struct lw_sframe_cursor *cursor,
		       struct lw_sframe_row *row);

#endif /* LW_SFRAME_H */
