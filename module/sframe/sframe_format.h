/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_format.h - the bytes of a section, for sframe.c: fields, the machine, loads.
 *
 * From the SFrame specification of GNU binutils (libsframe/doc), version 2 with
 * errata 1 and 2, and version 3.
 */
#ifndef LW_SFRAME_FORMAT_H
#define LW_SFRAME_FORMAT_H

/* User space's <linux/stddef.h> defines __always_inline as a mere hint. */
#ifndef __KERNEL__
#include <sys/cdefs.h>
#endif

#include "sframe.h"

#define MAGIC		0xdee2	/* in the byte order of the section's ABI */

#define VERSION_2	2
#define VERSION_3	3

#define FLAGS_V2	(LW_SFRAME_SORTED | LW_SFRAME_FRAME_POINTER | \
			 LW_SFRAME_PCREL)
#define FLAGS_V3	(LW_SFRAME_SORTED | LW_SFRAME_PCREL)

/* header: offsets of its fields */
#define HDR_VERSION	2
#define HDR_FLAGS	3
#define HDR_ABI		4
#define HDR_FIXED_FP	5
#define HDR_FIXED_RA	6
#define HDR_AUX_LEN	7
#define HDR_NUM_FDES	8
#define HDR_NUM_FRES	12
#define HDR_FRE_LEN	16
#define HDR_FDEOFF	20	/* from the end of header + auxiliary header */
#define HDR_FREOFF	24	/* likewise */
#define HDR_SIZE	28

/* FDE of version 2; ends with two bytes of padding */
#define V2_START	0
#define V2_FUNC_SIZE	4
#define V2_FRE_OFF	8	/* first row, from the start of the FRE area */
#define V2_NUM_FRES	12
#define V2_INFO		16
#define V2_REP_SIZE	17
#define V2_SIZE		20

/* FDE of version 3: an entry of the array, and an attribute before the rows */
#define V3_START	0
#define V3_FUNC_SIZE	8
#define V3_ATTR_OFF	12	/* attribute, from the start of the FRE area */
#define V3_SIZE		16
#define ATTR_NUM_FRES	0	/* two bytes */
#define ATTR_INFO	2
#define ATTR_INFO2	3
#define ATTR_REP_SIZE	4
#define ATTR_SIZE	5

/* FDE info bytes; other bits are unused, and ignored */
#define FDE_ROW_TYPE(info)	((info) & 0xf)
#define FDE_MASK		0x10
#define FDE_PAUTH_B		0x20
#define FDE_ANALYSED		0x40	/* of no standard: our converter's, see sframe.h */
#define FDE_SIGNAL		0x80	/* version 3 */
#define FDE_TYPE(info2)		((info2) & 0x1f)
/* Of no standard: our converter's.  0, or what rows tell of: index in lw_rule.saved + 1, or all */
#define FDE_TOLD(info2)		((info2) >> 5)
#define FDE_TOLD_ALL		7

/* row info byte */
#define ROW_BASE_SP		0x01
#define ROW_COUNT(info)		(((info) >> 1) & 0xf)
#define ROW_SIZE_CODE(info)	(((info) >> 5) & 0x3)
#define ROW_FORM(info)		(((info) >> 1) & 0x3f)	/* both */
#define ROW_MANGLED		0x80

/* control word of a FLEX row */
#define FLEX_REG		0x1
#define FLEX_DEREF		0x2
#define FLEX_UNUSED		0x4
/* of the CFA in a PATH row: the CFA may be on another stack */
#define PATH_SWITCH		0x4
#define FLEX_REGNUM(word)	((word) >> 3)
/* of a PATH row's second word: loads of the CFA; lw_rule_value.index */
#define PATH_DEREFS(word)	((word) & 0x3)
#define PATH_INDEX(word)	((word) >> 2)
/* of a saved register in a PATH row: which, and at CFA - 8 * slot; slot 0: LW_RULE_GONE */
#define SAVED_NR(word)		((word) & 0x7)
#define SAVED_SLOT(word)	((word) >> 3)

#define MIN_ROW		2U	/* a start of one byte, info, no words */

/*
 * Bytes of a row behind its start, by ROW_FORM: info, and words of 1, 2 or 4 bytes.
 * 0: no row has that number or size of words.
 */

/* no words: outermost; else CFA, FP */
static const __u8 fixed_ra_lens[64] = {
	[0x00] = 1, 2, 3,
	[0x10] = 1, 3, 5,
	[0x20] = 1, 5, 9,
};

/* no words: outermost; else CFA, RA, FP */
static const __u8 tracked_ra_lens[64] = {
	[0x00] = 1, 2, 3, 4,
	[0x10] = 1, 3, 5, 7,
	[0x20] = 1, 5, 9, 13,
};

/* no words: outermost; else CFA, RA, FP: each a pair, RA and FP a pair or a pad */
static const __u8 flex_lens[64] = {
	[0x00] = 1, 0, 3, 4, 5, 6, 7,
	[0x10] = 1, 0, 5, 7, 9, 11, 13,
	[0x20] = 1, 0, 9, 13, 17, 21, 25,
};

/* no words: outermost; else control, n (0 to 2) and index, n + 1 offsets; RA, FP; saved ones */
static const __u8 path_lens[64] = {
	[0x00] = 1, 0, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	[0x10] = 1, 0, 0, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29,
	[0x20] = 1, 0, 0, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57,
};

/**
 * struct abi - what an ABI's rows mean; registers have DWARF's numbers
 * @lens: of DEFAULT rows
 * @ra: where RA is if a row does not say: a slot, whose offset the header has too,
 *	or a register, and DEFAULT rows track RA
 * @sp: register
 * @fp: register
 * @num_regs: registers that a rule may name are below this
 * @cfa_unit: what DEFAULT and FLEX rows count the CFA's offset in, from @sp_bias on
 * @sp_bias: of the CFA, from the caller's SP on
 */
struct abi {
	const __u8 *lens;
	struct lw_rule_value ra;
	__u8	sp;
	__u8	fp;
	__u8	num_regs;
	__u8	cfa_unit;
	__u8	sp_bias;
};

static const struct abi amd64 = {
	.lens = fixed_ra_lens,
	.ra = { .off = -8, .base = LW_BASE_CFA, .deref = 1 },
	.sp = 7, .fp = 6, .num_regs = 16, .cfa_unit = 1,
};

static const struct abi aarch64 = {
	.lens = tracked_ra_lens,
	.ra = { .base = LW_BASE_REG, .reg = 30 },
	.sp = 31, .fp = 29, .num_regs = 32, .cfa_unit = 1,
};

/* r0 to r15, f0 to f15; the CFA is at the top of the register save area */
static const struct abi s390x = {
	.lens = tracked_ra_lens,
	.ra = { .base = LW_BASE_REG, .reg = 14 },
	.sp = 15, .fp = 11, .num_regs = 32, .cfa_unit = 8, .sp_bias = 160,
};

/* Loads once, aligned or not: the copy that is checked is the one that is used. */
#define LOAD(type, p) ({						\
	type value_;							\
									\
	__builtin_memcpy(&value_, p, sizeof(value_));			\
	__asm__("" : "+r" (value_));					\
	value_;								\
})

#define load_u8(p)	LOAD(__u8, p)

/* Of the machine that this is built for.  User space may define it for all machines. */
#ifdef LW_SFRAME_MACHINES
#include LW_SFRAME_MACHINES
#else
#if defined(__x86_64__)
#define NATIVE_MACHINE		amd64
#define NATIVE_ABI		LW_SFRAME_ABI_AMD64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_MACHINE		aarch64
#define NATIVE_ABI		LW_SFRAME_ABI_AARCH64_LE
#elif defined(__s390x__)
#define NATIVE_MACHINE		s390x
#define NATIVE_ABI		LW_SFRAME_ABI_S390X
#endif
#define is_known_abi(abi)	((abi) == NATIVE_ABI)
#define abi_of(sf)		((void)(sf), &NATIVE_MACHINE)
#define load_u16(sf, p)		((void)(sf), LOAD(__u16, p))
#define load_u32(sf, p)		((void)(sf), LOAD(__u32, p))
#define load_u64(sf, p)		((void)(sf), LOAD(__u64, p))
#endif

#endif /* LW_SFRAME_FORMAT_H */
