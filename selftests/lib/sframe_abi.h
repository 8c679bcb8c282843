/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_abi.h - what the header of an SFrame section has on this machine, and on another one:
 * the ABI, and where return addresses are, as a byte.  aarch64 and s390x have no fixed
 * place for these.  Registers have DWARF's numbers; there are SFRAME_REGS of them.
 */
#ifndef SFRAME_ABI_H
#define SFRAME_ABI_H

#if defined(__x86_64__)
#define SFRAME_ABI		3	/* amd64 */
#define SFRAME_FIXED_RA		0xf8
#define SFRAME_OTHER_ABI	2
#define SFRAME_OTHER_RA		0
#define SFRAME_FP		6
#define SFRAME_SP		7
#define SFRAME_REGS		16
#elif defined(__aarch64__)
#define SFRAME_ABI		2	/* aarch64, little-endian */
#define SFRAME_FIXED_RA		0
#define SFRAME_OTHER_ABI	3
#define SFRAME_OTHER_RA		0xf8
#define SFRAME_FP		29
#define SFRAME_LINK		30	/* where a call leaves the return address */
#define SFRAME_SP		31
#define SFRAME_REGS		32
#elif defined(__s390x__)
#define SFRAME_ABI		4
#define SFRAME_FIXED_RA		0
#define SFRAME_OTHER_ABI	3
#define SFRAME_OTHER_RA		0xf8
#define SFRAME_FP		11
#define SFRAME_LINK		14
#define SFRAME_SP		15
#define SFRAME_REGS		32
#endif

/* The four bytes behind the flags: no fixed FP, and no auxiliary header. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SFRAME_WORD_OF(abi, ra)	((unsigned int)(abi) << 24 | (ra) << 8)
#else
#define SFRAME_WORD_OF(abi, ra)	((abi) | (ra) << 16)
#endif
#define SFRAME_ABI_WORD		SFRAME_WORD_OF(SFRAME_ABI, SFRAME_FIXED_RA)
#define SFRAME_OTHER_WORD	SFRAME_WORD_OF(SFRAME_OTHER_ABI, SFRAME_OTHER_RA)

#endif /* SFRAME_ABI_H */
