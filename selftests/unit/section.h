/* SPDX-License-Identifier: GPL-2.0 */
/*
 * section.h - makes SFrame sections of versions 2 and 3 for tests, byte by byte
 * and independently of the reader, and hands them to it: as memory, or through
 * a read() that watches what it is asked for.
 */
#ifndef LW_SECTION_H
#define LW_SECTION_H

#include <linux/types.h>

#include "../../tools/sframe/sframe_reader.h"

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

#define FDE_SIZE_V2	20
#define FDE_SIZE_V3	16
#define ATTR_SIZE	5	/* before the rows, version 3 only */

#define SORTED		0x1
#define FP_KEPT		0x2
#define PCREL		0x4

/* of an FDE's info byte; plus log2 of the bytes of a start */
#define INC		0x00
#define MASK		0x10
#define KEY_B		0x20
#define SIGNAL		0x80

/* of an FDE's second info byte */
#define DEFAULT		0
#define FLEX		1

/* of a row's info byte */
#define FP		0x00
#define SP		0x01
#define W1		0x00	/* words of 1, 2, 4 bytes */
#define W2		0x20
#define W4		0x40
#define W_NONE		0x60	/* not a size */
#define MANGLED		0x80

/* control word of a FLEX row */
#define CTL_REG(reg)		((reg) << 3 | 1)
#define CTL_REG_AT(reg)		((reg) << 3 | 3)
#define CTL_CFA_AT		2

/* What an FDE says, in whichever place its version has it. */
enum field {
	F_START, F_SIZE, F_FRE_OFF, F_NUM, F_INFO, F_INFO2, F_REP, F_PADDING,
	NUM_FIELDS
};

struct made_fde {
	__u64	start;
	__u32	size;
	__u32	fre_off;
	__u32	num_rows;
	__u8	info;
	__u8	rep_size;
};

struct section {
	struct lw_sframe_source src;	/* first: read() gets back to here */
	__u8	*bytes;		/* exactly src.size long, for ASan to watch */
	struct lw_sframe_place place;
	unsigned int wanted;	/* ABI that the reader is asked for */

	/* while it is made */
	__u8	version;
	__u8	abi;
	__u8	flags;
	__u8	aux_len;
	__u8	rows_first;	/* not 0: FRE area before the FDE array */
	__u32	gap;		/* bytes between the two */
	struct made_fde *fdes;
	__u8	*fres;
	__u32	num_fdes;
	__u32	num_fres;
	__u32	fre_len;

	/* what read() does and saw */
	unsigned int	calls;
	unsigned int	fail_at;	/* this call fails; 0: none */
	int		fail_with;
	unsigned int	outside;	/* calls not inside of src.size */
	__u64		hole_start;	/* addresses that fail with -EFAULT */
	__u64		hole_end;
	__u64		flip_seed;	/* not 0: bits change now and then */
};

/* How the bytes get to the reader. */
enum mode { BY_READ, IN_MEMORY };

void section_init(struct section *sec, __u8 version, __u8 abi, __u8 flags);
void section_fde(struct section *sec, __u64 start, __u32 size, __u8 info,
		 __u8 rep_size);
void section_flex(struct section *sec, __u64 start, __u32 size, __u8 info,
		  __u8 rep_size);
void section_share(struct section *sec, __u64 start, __u32 size, __u32 idx);
void section_words(struct section *sec, __u32 start, __u8 info,
		   const __s32 *words, unsigned int n);
void section_sort(struct section *sec);
void section_finish(struct section *sec);
void section_load(struct section *sec, const void *bytes, __u64 size,
		  __u64 addr, __u64 text_start, __u64 text_end);
void section_to_pcrel(struct section *sec);
void section_free(struct section *sec);

/* A row: its start, SP or FP | size of words, words. */
#define section_row(sec, start, info, ...) do {				\
	const __s32 words_[] = { 0, ##__VA_ARGS__ };			\
									\
	section_words(sec, start, info, words_ + 1,			\
		      sizeof(words_) / sizeof(words_[0]) - 1);		\
} while (0)

unsigned int section_fde_size(const struct section *sec);
__u32 section_fde_pos(const struct section *sec, __u32 idx);
__u32 section_fre_area(const struct section *sec);
__u32 section_fre_pos(const struct section *sec, __u32 idx);
__u64 section_get(const struct section *sec, __u32 off, unsigned int size);
void section_put(struct section *sec, __u32 off, unsigned int size,
		 __u64 value);
__u64 section_get_field(const struct section *sec, __u32 idx, enum field field);
void section_put_field(struct section *sec, __u32 idx, enum field field,
		       __u64 value);
void section_resize(struct section *sec, __u64 size);
int section_open(struct section *sec, struct lw_sframe *sf, enum mode mode);

__u64 rng_next(__u64 *state);

#endif /* LW_SECTION_H */
