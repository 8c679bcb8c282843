/* SPDX-License-Identifier: GPL-2.0 */
/*
 * section.h - makes SFrame version 2 sections for tests, byte by byte and
 * independently of the reader, and hands them to it through a read() that
 * watches what it is asked for.
 */
#ifndef LW_SECTION_H
#define LW_SECTION_H

#include <linux/types.h>

#include "../../module/sframe.h"

/* header, where its fields are */
#define HDR_MAGIC	0
#define HDR_VERSION	2
#define HDR_FLAGS	3
#define HDR_ABI		4
#define HDR_FIXED_FP	5
#define HDR_FIXED_RA	6
#define HDR_AUX_LEN	7
#define HDR_NUM_FDES	8
#define HDR_NUM_FRES	12
#define HDR_FRE_LEN	16
#define HDR_FDEOFF	20
#define HDR_FREOFF	24
#define HDR_SIZE	28

/* FDE, likewise */
#define FDE_START	0
#define FDE_FUNC_SIZE	4
#define FDE_FRE_OFF	8
#define FDE_NUM_FRES	12
#define FDE_INFO	16
#define FDE_REP		17
#define FDE_PADDING	18
#define FDE_SIZE	20

#define SORTED		0x1
#define FP_KEPT		0x2
#define PCREL		0x4

#define INC		0x00	/* of FDE_INFO; plus log2 of the bytes of a start */
#define MASK		0x10

#define FP		0	/* of a row's info byte */
#define SP		1

struct section {
	struct lw_sframe_source src;	/* first: read() gets back to here */
	__u8	*bytes;		/* exactly src.size long, for ASan to watch */
	__u64	addr;
	__u64	text_start;
	__u64	text_end;

	/* while it is made */
	__u8	flags;
	__u8	*fdes;
	__u8	*fres;
	__u32	num_fdes;
	__u32	num_fres;
	__u32	fre_len;
	__u64	*starts;

	/* what read() does and saw */
	unsigned int	calls;
	unsigned int	fail_at;	/* this call fails; 0: none */
	int		fail_with;
	unsigned int	outside;	/* calls not inside of src.size */
	__u64	hole_start;		/* addresses that fail with -EFAULT */
	__u64	hole_end;
	__u64	flip_seed;		/* not 0: bits change now and then */
};

void section_init(struct section *sec, __u8 flags);
void section_fde(struct section *sec, __u64 start, __u32 size, __u8 info,
		 __u8 rep_size);
void section_row(struct section *sec, __u32 start, unsigned int base,
		 unsigned int count, unsigned int size_code, __s32 cfa,
		 __s32 fp);
void section_finish(struct section *sec);
void section_load(struct section *sec, const void *bytes, __u64 size,
		  __u64 addr, __u64 text_start, __u64 text_end);
void section_to_pcrel(struct section *sec);
void section_free(struct section *sec);

__u32 section_fde_pos(const struct section *sec, __u32 idx);
__u32 section_fre_pos(const struct section *sec, __u32 idx);
__u32 section_get(const struct section *sec, __u32 off, unsigned int size);
void section_put(struct section *sec, __u32 off, unsigned int size,
		 __u64 value);
void section_resize(struct section *sec, __u64 size);
int section_open(struct section *sec, struct lw_sframe *sf);

__u64 rng_next(__u64 *state);

#endif /* LW_SECTION_H */
