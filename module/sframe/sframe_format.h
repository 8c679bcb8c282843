/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_format.h - SFrame as it is in bytes, for sframe.c only: where the
 * fields are, what each ABI's rows mean, reads in the section's byte order.
 *
 * From the SFrame specification of GNU binutils (libsframe/doc), version 2 with
 * errata 1 and 2, and version 3.  Where gas and ld write other things than it
 * says, comments tell.
 */
#ifndef LW_SFRAME_FORMAT_H
#define LW_SFRAME_FORMAT_H

/*
 * The path of a look-up is inlined: worth it, as values then stay in registers.
 * What user space's <linux/stddef.h> calls __always_inline is a mere hint.
 */
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

/* header, where its fields are */
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

/* FDE of version 2, likewise; then two bytes of padding */
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
#define ATTR_NUM_FRES	0	/* of two bytes */
#define ATTR_INFO	2
#define ATTR_INFO2	3
#define ATTR_REP_SIZE	4
#define ATTR_SIZE	5

/* FDE info byte; what is not named is unused, and ignored */
#define FDE_ROW_TYPE(info)	((info) & 0xf)
#define FDE_MASK		0x10
#define FDE_PAUTH_B		0x20
#define FDE_SIGNAL		0x80	/* version 3 */
#define FDE_TYPE(info2)		((info2) & 0x1f)

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
/* and of the CFA in a PATH row: it may be on another stack */
#define PATH_SWITCH		0x4
#define FLEX_REGNUM(word)	((word) >> 3)

#define MIN_ROW		2U	/* a start of one byte, info, no words */

/*
 * By ROW_FORM, for words of 1, 2 and 4 bytes: bytes of all words of a row, and 1
 * more, as 0 is for numbers of words that make no sense.
 */

/* none: outermost; CFA, FP */
static const __u8 fixed_ra_lens[64] = {
	[0x00] = 1, 2, 3,
	[0x10] = 1, 3, 5,
	[0x20] = 1, 5, 9,
};

/* none: outermost; CFA, RA, FP */
static const __u8 tracked_ra_lens[64] = {
	[0x00] = 1, 2, 3, 4,
	[0x10] = 1, 3, 5, 7,
	[0x20] = 1, 5, 9, 13,
};

/* none: outermost; CFA, RA, FP, each a pair, the latter two or a pad */
static const __u8 flex_lens[64] = {
	[0x00] = 1, 0, 3, 4, 5, 6, 7,
	[0x10] = 1, 0, 5, 7, 9, 11, 13,
	[0x20] = 1, 0, 9, 13, 17, 21, 25,
};

/* none: outermost; control, n from 0 to 2, n + 1 offsets; RA and FP as above */
static const __u8 path_lens[64] = {
	[0x00] = 1, 0, 0, 4, 5, 6, 7, 8, 9, 10,
	[0x10] = 1, 0, 0, 7, 9, 11, 13, 15, 17, 19,
	[0x20] = 1, 0, 0, 13, 17, 21, 25, 29, 33, 37,
};

/**
 * struct abi - what an ABI's rows mean; numbers are DWARF's of its psABI
 * @lens: of DEFAULT rows
 * @big_endian: byte order
 * @fixed_ra: not 0: RA is always at CFA + this; all ABIs track FP in the rows
 * @sp: register
 * @fp: register
 * @ra: register that RA is in until it is saved, where @fixed_ra is 0
 * @num_regs: registers that a rule may name are below this
 * @cfa_scale: of the CFA's offset
 * @cfa_bias: added to it then
 * @sp_off: lw_rule.sp_off
 */
struct abi {
	const __u8 *lens;
	__u8	big_endian;
	__s8	fixed_ra;
	__u8	sp;
	__u8	fp;
	__u8	ra;
	__u8	num_regs;
	__u8	cfa_scale;
	__s16	cfa_bias;
	__s16	sp_off;
};

#define AARCH64(order) {						\
	.big_endian = order,						\
	.lens = tracked_ra_lens,					\
	.sp = 31, .fp = 29, .ra = 30, .num_regs = 32, .cfa_scale = 1,	\
}

static const struct abi abis[] = {
	[LW_SFRAME_ABI_AARCH64_BE] = AARCH64(1),
	[LW_SFRAME_ABI_AARCH64_LE] = AARCH64(0),
	[LW_SFRAME_ABI_AMD64] = {
		.lens = fixed_ra_lens,
		.fixed_ra = -8,
		.sp = 7, .fp = 6, .num_regs = 16, .cfa_scale = 1,
	},
	[LW_SFRAME_ABI_S390X] = {
		.big_endian = 1,
		.lens = tracked_ra_lens,
		.sp = 15, .fp = 11, .ra = 14,
		.num_regs = 32,		/* r0 to r15, f0 to f15 */
		.cfa_scale = 8, .cfa_bias = 160, .sp_off = -160,
	},
};

/**
 * struct mode - how a section's bytes are had; constants where it matters
 * @version: of the section
 * @direct: not 0: all of them are at lw_sframe_source.bytes
 * @swap: not 0: and in the other order than this machine's
 */
struct mode {
	unsigned int version;
	int	direct;
	int	swap;
};

static __always_inline struct mode mode_of(const struct lw_sframe *sf)
{
	return (struct mode){
		.version = sf->version,
		.direct = !!sf->src->bytes,
		.swap = sf->swap,
	};
}

/*
 * Loads from anywhere, aligned or not, and once: what was checked is what is
 * used.
 */
#define LOAD(type, p) ({						\
	type value_;							\
									\
	__builtin_memcpy(&value_, p, sizeof(value_));			\
	__asm__("" : "+r" (value_));					\
	value_;								\
})

static __always_inline __u16 load_u16(struct mode mode, const __u8 *p)
{
	__u16 value = LOAD(__u16, p);

	return mode.swap ? __builtin_bswap16(value) : value;
}

static __always_inline __u32 load_u32(struct mode mode, const __u8 *p)
{
	__u32 value = LOAD(__u32, p);

	return mode.swap ? __builtin_bswap32(value) : value;
}

static __always_inline __u64 load_u64(struct mode mode, const __u8 *p)
{
	__u64 value = LOAD(__u64, p);

	return mode.swap ? __builtin_bswap64(value) : value;
}

static __always_inline __u8 load_u8(const __u8 *p)
{
	return LOAD(__u8, p);
}

static __always_inline int is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static __always_inline int is_big(struct mode mode)
{
	return mode.swap ? !is_big_endian() : is_big_endian();
}

static __always_inline int is_aarch64(const struct lw_sframe *sf)
{
	return sf->abi == LW_SFRAME_ABI_AARCH64_LE ||
	       sf->abi == LW_SFRAME_ABI_AARCH64_BE;
}

/*
 * Bytes [off, off + len) of the section, in *bytes: where they are, or in buf.
 * Every access goes through here or was checked likewise: none is outside.
 */
static __always_inline int
get_bytes(const struct lw_sframe_source *src, void *buf, __u64 off, __u32 len,
	  const __u8 **bytes)
{
	if (off > src->size || len > src->size - off)
		return LW_SFRAME_TOO_SHORT;
	if (src->bytes) {
		*bytes = (const __u8 *)src->bytes + off;
		return 0;
	}
	*bytes = buf;
	return src->read(src, buf, off, len);
}

#endif /* LW_SFRAME_FORMAT_H */
