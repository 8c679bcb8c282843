/* SPDX-License-Identifier: GPL-2.0 */
/*
 * machines.h - all ABIs in either byte order, for sframe_reader.c only: what the module's
 * sframe_format.h includes in the place of its one machine.
 */
#ifndef LW_MACHINES_H
#define LW_MACHINES_H

/* no words: outermost; else CFA, RA, FP */
static const __u8 tracked_ra_lens[64] = {
	[0x00] = 1, 2, 3, 4,
	[0x10] = 1, 3, 5, 7,
	[0x20] = 1, 5, 9, 13,
};

#define AARCH64 {							\
	.lens = tracked_ra_lens,					\
	.ra = { .base = LW_BASE_REG, .reg = 30 },			\
	.sp = 31, .fp = 29, .num_regs = 32,				\
}

static const struct abi other_abis[] = {
	[LW_SFRAME_ABI_AARCH64_BE] = AARCH64,
	[LW_SFRAME_ABI_AARCH64_LE] = AARCH64,
	[LW_SFRAME_ABI_S390X] = {
		.lens = tracked_ra_lens,
		.ra = { .base = LW_BASE_REG, .reg = 14 },
		.sp = 15, .fp = 11,
		.num_regs = 32,		/* r0 to r15, f0 to f15 */
	},
};

static inline int is_known_abi(unsigned int abi)
{
	return abi >= LW_SFRAME_ABI_AARCH64_BE && abi <= LW_SFRAME_ABI_S390X;
}

static inline const struct abi *abi_of(const struct lw_sframe *sf)
{
	return sf->abi == LW_SFRAME_ABI_AMD64 ? &amd64 : &other_abis[sf->abi];
}

/* Whether the ABI has the other byte order than this machine. */
static inline int is_swapped(const struct lw_sframe *sf)
{
	int big = sf->abi == LW_SFRAME_ABI_AARCH64_BE || sf->abi == LW_SFRAME_ABI_S390X;

	return big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline __u16 load_u16(const struct lw_sframe *sf, const __u8 *p)
{
	__u16 value = LOAD(__u16, p);

	return is_swapped(sf) ? __builtin_bswap16(value) : value;
}

static inline __u32 load_u32(const struct lw_sframe *sf, const __u8 *p)
{
	__u32 value = LOAD(__u32, p);

	return is_swapped(sf) ? __builtin_bswap32(value) : value;
}

static inline __u64 load_u64(const struct lw_sframe *sf, const __u8 *p)
{
	__u64 value = LOAD(__u64, p);

	return is_swapped(sf) ? __builtin_bswap64(value) : value;
}

/* In sframe_reader.c, behind decode_words() of the module. */
static int decode_of_abi(const struct lw_sframe *sf, unsigned int type, __u8 info,
			 const __u8 *bytes, struct lw_rule *rule);

#endif /* LW_MACHINES_H */
