/* SPDX-License-Identifier: GPL-2.0 */
/*
 * machines.h - all ABIs in either byte order, for sframe_reader.c only: what the module's
 * sframe_format.h includes in the place of its one machine.
 */
#ifndef LW_MACHINES_H
#define LW_MACHINES_H

static const struct abi *const abis[] = {
	[LW_SFRAME_ABI_AARCH64_BE] = &aarch64,
	[LW_SFRAME_ABI_AARCH64_LE] = &aarch64,
	[LW_SFRAME_ABI_AMD64] = &amd64,
	[LW_SFRAME_ABI_S390X] = &s390x,
};

static inline int is_known_abi(unsigned int abi)
{
	return abi >= LW_SFRAME_ABI_AARCH64_BE && abi <= LW_SFRAME_ABI_S390X;
}

static inline const struct abi *abi_of(const struct lw_sframe *sf)
{
	return abis[sf->abi];
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

#endif /* LW_MACHINES_H */
