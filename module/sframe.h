/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe.h - a reader of SFrame sections.
 *
 * Pure: no state besides what the caller passes, no allocation, no kernel
 * header besides types.  The same file is built into the module and into user
 * space tests.  All input is hostile.
 */
#ifndef LW_SFRAME_H
#define LW_SFRAME_H

#include "rule.h"

/*
 * Bounds of a look-up.  The largest section met so far has 118,311 FDEs, the
 * longest function 6,942 rows.
 */
#define LW_SFRAME_MAX_FDES	0x1000000U	/* in a section */
#define LW_SFRAME_MAX_EQUAL	32U	/* empty FDEs at a function's start */
#define LW_SFRAME_MAX_ROWS	8192U	/* walked in a function */
#define LW_SFRAME_BLOCK		64U	/* bytes of rows read at a time */

/*
 * Calls of read() in one look-up: 25 probes of the binary search, the FDE and
 * the empty ones before it, the blocks that MAX_ROWS rows of at most 13 bytes
 * touch, and the words of the row if the window has moved on.
 */
#define LW_SFRAME_MAX_READS						\
	(25U + 1U + LW_SFRAME_MAX_EQUAL +				\
	 LW_SFRAME_MAX_ROWS * 13U / LW_SFRAME_BLOCK + 1U + 1U)

/**
 * struct lw_sframe_source - where the bytes of a section come from
 * @read: copy @len bytes at @off of the section to @dst; 0 or -errno, and then
 *	the call ends with that errno.  Is never called with a range that is not
 *	wholly inside @size.
 * @size: bytes of the section that may be read
 */
struct lw_sframe_source {
	int (*read)(const struct lw_sframe_source *src, void *dst, __u64 off,
		    __u32 len);
	__u64	size;
};

/**
 * struct lw_sframe - an opened section: its header, checked
 * @src: where the bytes come from
 * @addr: address of the section's first byte, as mapped in the task
 * @text_start: first address that the section may speak of
 * @text_end: first address after these
 * @fde_off: FDE array, from the start of the section
 * @fre_off: FRE area, likewise
 * @fre_len: bytes of the FRE area
 * @num_fdes: entries of the array
 * @version: 2
 * @flags: header flags
 * @fixed_ra: RA is at CFA + this
 */
struct lw_sframe {
	const struct lw_sframe_source *src;
	__u64	addr;
	__u64	text_start;
	__u64	text_end;
	__u64	fde_off;
	__u64	fre_off;
	__u32	fre_len;
	__u32	num_fdes;
	__u8	version;
	__u8	flags;
	__s8	fixed_ra;
};

int lw_sframe_open(struct lw_sframe *sf, const struct lw_sframe_source *src,
		   __u64 addr, __u64 text_start, __u64 text_end);
int lw_sframe_find(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule);

#endif /* LW_SFRAME_H */
