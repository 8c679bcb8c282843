/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe.h - a reader of SFrame sections, versions 2 and 3.
 *
 * Pure: no state, no allocation, no kernel header but types.  The module reads
 * sections of its own machine.  tools/sframe/sframe_reader.c builds the same
 * sources in user space, for all machines and byte orders.  All input is hostile.
 *
 * Every call returns LW_SFRAME_OK (0); enum lw_sframe_result (> 0), what was found
 * in the section's bytes; or the errno of read() (< 0), which says nothing about
 * the section.
 */
#ifndef LW_SFRAME_H
#define LW_SFRAME_H

#include "rule.h"

enum lw_sframe_result {
	LW_SFRAME_OK = 0,

	/* The section is sound and has no rule for the address. */
	LW_SFRAME_NO_RULE,

	/* The section may be sound, but this reader does not understand it. */
	LW_SFRAME_FOREIGN_ORDER,	/* byte order is not that of the ABI */
	LW_SFRAME_UNKNOWN_VERSION,	/* neither 2 nor 3 */
	LW_SFRAME_UNKNOWN_FLAG,		/* in the header */
	LW_SFRAME_UNSORTED,		/* the header does not say that FDEs are sorted */
	LW_SFRAME_OTHER_ABI,		/* unknown, or not the one asked for */
	LW_SFRAME_UNKNOWN_FDE_TYPE,	/* version 3: neither DEFAULT nor FLEX, nor PATH */
	LW_SFRAME_TOO_MANY_FDES,	/* more than LW_SFRAME_MAX_FDES */
	LW_SFRAME_TOO_MANY_EMPTY,	/* more than LW_SFRAME_MAX_EMPTY */
	LW_SFRAME_TOO_MANY_ROWS,	/* more than LW_SFRAME_MAX_ROWS */

	/* The header is corrupt: lw_sframe_open(). */
	LW_SFRAME_BAD_RANGE,		/* addresses of the section or its text wrap */
	LW_SFRAME_TOO_SHORT,		/* no room for a header */
	LW_SFRAME_BAD_MAGIC,
	LW_SFRAME_BAD_FIXED_SLOT,	/* RA's or FP's is not that of the ABI */
	LW_SFRAME_NO_FDES,
	LW_SFRAME_FDES_OUTSIDE,		/* FDE array ends behind the section */
	LW_SFRAME_ROWS_OUTSIDE,		/* FRE area ends behind the section */
	LW_SFRAME_AREAS_OVERLAP,

	/* A function is corrupt: a look-up that reaches it. */
	LW_SFRAME_BAD_ORDER,		/* FDEs are not sorted */
	LW_SFRAME_FUNC_OUTSIDE,		/* function is not inside the text */
	LW_SFRAME_BAD_ROW_TYPE,		/* width of the rows' starts */
	LW_SFRAME_BAD_BLOCK_SIZE,	/* MASK: 0, or larger than the function */
	LW_SFRAME_FUNC_ROWS_OUTSIDE,	/* attribute or rows are not inside the FRE area */

	/* A row is corrupt: a look-up that walks over it. */
	LW_SFRAME_ROW_OUTSIDE,		/* row ends behind the FRE area */
	LW_SFRAME_BAD_WORD_SIZE,
	LW_SFRAME_BAD_WORD_COUNT,	/* not one of the ABI and the FDE type */
	LW_SFRAME_BAD_ROW_START,	/* behind the function or the repeated block */
	LW_SFRAME_BAD_ROW_ORDER,	/* row starts before the previous row */
	LW_SFRAME_BAD_FLEX,		/* words make no rule */
	LW_SFRAME_BAD_REGISTER,		/* the ABI has no such register */
	LW_SFRAME_BAD_OFFSET,		/* s390x: out of range when scaled */

	LW_SFRAME_NUM_RESULTS
};

/**
 * lw_sframe_is_corrupt() - does a result mean that the section is corrupt?
 * @result: of any call here
 *
 * Return: not 0 if so; 0 also where this reader does not understand the section.
 */
static inline int lw_sframe_is_corrupt(int result)
{
	return result >= LW_SFRAME_BAD_RANGE;
}

/* lw_sframe.abi, and the ABI that lw_sframe_open() is asked for */
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
#define LW_SFRAME_MAX_ROW	61U	/* bytes: start 4, info 1, words 14 * 4 */
#define LW_SFRAME_BLOCK		64U	/* bytes of rows read at a time */
#define LW_SFRAME_INDEX_AT_ONCE	0x10000U /* FDEs between two pauses of lw_sframe_add_index() */

/* Where the bytes of a section come from. */
struct lw_sframe_source {
	/*
	 * Copies @len bytes at @off of the section, all within @size; 0, or -errno,
	 * which ends the call.
	 */
	int (*read)(const struct lw_sframe_source *src, void *dst, __u64 off,
		    __u32 len);
	/*
	 * The whole section, instead of @read.  If it changes meanwhile, results may
	 * be wrong, no access is.
	 */
	const void *bytes;
	__u64	size;		/* bytes that may be read; may exceed the section */
};

/* Where a section and its text are in the task. */
struct lw_sframe_place {
	__u64	addr;		/* of the section's first byte */
	__u64	text_start;	/* the text that the section may describe */
	__u64	text_end;	/* first address behind it */
	/*
	 * Where the program began, or 0: the function that starts there is outermost
	 * whatever its rows say, as gas 2.44 can't write that.
	 */
	__u64	entry;
	/* not 0: functions may be of type LW_SFRAME_PATH, and have marks that are not standard */
	__u8	paths;
};

/* An opened section: its header, checked. */
struct lw_sframe {
	const struct lw_sframe_source *src;
	/*
	 * NULL, or for each bucket of the text and the end of the last one: the last FDE
	 * that starts at or before the bucket's first address, else FDE 0.
	 */
	const __u32 *index;
	__u32	shift;		/* log2 of a bucket's bytes */
	struct lw_sframe_place place;
	__u64	fde_off;	/* FDE array, from the start of the section */
	__u64	fre_off;	/* FRE area, likewise */
	__u32	fre_len;	/* bytes of the FRE area */
	__u32	num_fdes;
	__u32	num_fres;	/* rows, as the header says: not used or checked here */
	__u8	version;	/* 2 or 3 */
	__u8	flags;		/* of the header */
	__u8	abi;		/* LW_SFRAME_ABI_* */
	__s8	fixed_fp;	/* always 0 */
	__s8	fixed_ra;	/* not 0: RA is always at CFA + this */
	__u8	auxhdr_len;	/* bytes of auxiliary header, skipped */
};

/* lw_sframe.flags */
#define LW_SFRAME_SORTED	0x1	/* the FDE array is sorted by start */
#define LW_SFRAME_FRAME_POINTER	0x2	/* version 2: all functions keep FP */
#define LW_SFRAME_PCREL		0x4	/* starts are relative to their field */

/* lw_sframe_fde.type */
#define LW_SFRAME_DEFAULT	0
#define LW_SFRAME_FLEX		1
/*
 * Not in the standard.  Our converter writes this type where the CFA is found by a
 * path through memory, or registers are saved, which FLEX can't say:
 * Documentation/sframe.rst.
 */
#define LW_SFRAME_PATH		0x1f

/* One function, the same for both versions. */
struct lw_sframe_fde {
	__u64	start;		/* first address */
	__u32	size;		/* bytes of code; with 0 it covers no address */
	__u32	rows;		/* first row, from the start of the FRE area */
	__u32	num_rows;
	__u8	start_size;	/* bytes of a row's start: 1, 2 or 4 */
	__u8	type;		/* version 2: LW_SFRAME_DEFAULT */
	__u8	mask;		/* not 0: rows describe one block, which repeats */
	__u8	rep_size;	/* bytes of that block; set without @mask too */
	__u8	signal;		/* version 3: RA is where a signal interrupted */
	__u8	pauth_b;	/* aarch64: RA is signed with key B, else with key A */
	__u8	analysed;	/* our converter has its rows from instructions */
	__u8	told;		/* version 3: which registers its rows tell of, see FDE_TOLD() */
};

/* A walk over the rows of one function. */
struct lw_sframe_cursor {
	const struct lw_sframe *sf;
	struct lw_sframe_fde fde;
	const __u8 *area;	/* the FRE area, if it is in memory */
	const __u8 *lens;	/* lengths of the rows, see sframe_format.h */
	__u32	len;		/* bytes of the FRE area */
	__u32	last;		/* highest start that a row may have */
	__u32	next;		/* number of the next row */
	__u32	pos;		/* its place in the FRE area */
	__u32	start;		/* of the previous row */
	/* by read(): what was read last, and its place in the FRE area */
	__u32	buf_pos;
	__u32	buf_len;
	__u8	buf[LW_SFRAME_BLOCK + LW_SFRAME_MAX_ROW];
};

/**
 * lw_sframe_has_no_caller() - is a function outermost whatever its rows say?
 * @sf: section
 * @fde: function
 *
 * A DEFAULT function of version 3 without rows is outermost too.
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
int lw_sframe_add_index(struct lw_sframe *sf, __u32 *index, __u32 room, int (*pause)(void));
int lw_sframe_find_within(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule,
			  __u32 *budget);
int lw_sframe_check_fde(const struct lw_sframe *sf, __u32 idx, __u32 *budget);

#endif /* LW_SFRAME_H */
