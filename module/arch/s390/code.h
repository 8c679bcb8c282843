/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/s390/code.h - what instructions tell of a frame that no table covers.
 *
 * The CFA is 160 above the caller's stack pointer, and these 160 bytes are the caller's frame's: a
 * function saves r6 to r15 there (ELF ABI supplement, 1.2.2).  Compilers save them by one stmg, up
 * to r15, and load them by one lmg.  No register points to a frame.  At the caller's stack pointer
 * there is room for a back chain, which only code built with -mbackchain uses.
 */
#ifndef LW_ARCH_CODE_H
#define LW_ARCH_CODE_H

#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>

#include "arch.h"
#include "sframe/rule.h"
#include "sigframe.h"

/* Bytes of the caller's frame that are its callees'. */
#define LW_S390_SAVE_AREA	160
/* Where a register is saved, from the CFA on: a word for each from r0 on. */
#define LW_S390_SAVED(reg)	((reg) * LW_ARCH_WORD - LW_S390_SAVE_AREA)

/* Where r14 and r15 are saved, from the stack pointer on that a back chain leads to. */
#define LW_ARCH_BACK_CHAIN_SAVED	(LW_ARCH_LINK_REG * LW_ARCH_WORD)

/* Bytes at ip that lw_arch_frameless() looks at: what is behind a system call of glibc. */
#define LW_ARCH_CODE_LEN	16
/* Bytes in front of a return address: the longest call. */
#define LW_ARCH_CALL_LEN	6
/* The system call of clone(), and what is behind it. */
#define LW_ARCH_CLONE_LEN	16

#define LW_S390_CLONE		120	/* number of the call */
#define LW_S390_LTGR_R2		"\xb9\x02\x00\x22"		/* ltgr %r2, %r2 */
#define LW_S390_JE		"\xa7\x84"			/* je */
#define LW_S390_LOAD_R6_R7	"\xeb\x67\xf0\x30\x00\x04"	/* lmg %r6, %r7, 48(%r15) */
#define LW_S390_CHECK_ERROR	"\xa7\x49\xf0\x01"		/* lghi %r4, -4095 */	\
				"\xb9\x21\x00\x24"		/* clgr %r2, %r4 */	\
				"\xc0\xb4"			/* jgnl */
#define LW_S390_CHECK_LEN	14			/* with the jump's distance */

static inline u16 lw_s390_half(const u8 *code)
{
	return code[0] << 8 | code[1];
}

/* The displacement of 20 bits of stmg, lmg and lay. */
static inline s32 lw_s390_disp(const u8 *code)
{
	return (s32)((u32)code[4] << 24 | (code[2] & 0xfU) << 20 | (u32)code[3] << 12) >> 12;
}

/* Return: r of "stmg %r, %r15, 8 * r(%r15)", or 0. */
static inline unsigned int lw_s390_saves_from(const u8 *code)
{
	unsigned int reg = code[1] >> 4;

	return code[0] == 0xeb && code[5] == 0x24 && (code[1] & 0xf) == LW_ARCH_SP_REG &&
	       code[2] >> 4 == LW_ARCH_SP_REG && reg <= LW_ARCH_LINK_REG &&
	       lw_s390_disp(code) == reg * LW_ARCH_WORD ? reg : 0;
}

/* br %r14 */
static inline bool lw_s390_returns(const u8 *code)
{
	return lw_s390_half(code) == 0x07fe;
}

/* Behind a system call in a function of glibc that does nothing else: it has no frame. */
static inline bool lw_s390_checks_error(const u8 *code)
{
	return !memcmp(code, LW_S390_CHECK_ERROR, sizeof(LW_S390_CHECK_ERROR) - 1) &&
	       lw_s390_returns(code + LW_S390_CHECK_LEN);
}

static inline struct lw_rule_value lw_s390_saved(unsigned int reg)
{
	return (struct lw_rule_value) {
		.off = LW_S390_SAVED(reg), .base = LW_BASE_CFA, .deref = 1,
	};
}

/* The return address is in its register, and no frame is made. */
static inline void lw_s390_by_register(struct lw_rule *rule)
{
	*rule = (struct lw_rule) {
		.cfa = { .off = LW_S390_SAVE_AREA, .base = LW_BASE_SP },
		.ra = { .base = LW_BASE_REG, .reg = LW_ARCH_LINK_REG },
		.sp_off = -LW_S390_SAVE_AREA,
	};
}

/* lmg %r, %r15, disp(%r15 or %r11); br %r14 */
static inline bool lw_s390_epilogue(const u8 *code, struct lw_rule *rule)
{
	unsigned int reg = code[1] >> 4, base = code[2] >> 4;
	s32 frame = lw_s390_disp(code) - (s32)reg * LW_ARCH_WORD;

	if (code[0] != 0xeb || code[5] != 0x04 || (code[1] & 0xf) != LW_ARCH_SP_REG ||
	    (base != LW_ARCH_SP_REG && base != LW_ARCH_FP_REG) || reg > LW_ARCH_LINK_REG ||
	    frame < 0 || frame % LW_ARCH_WORD || !lw_s390_returns(code + 6))
		return false;
	*rule = (struct lw_rule) {
		.cfa = {
			.off = frame + LW_S390_SAVE_AREA,
			.base = base == LW_ARCH_SP_REG ? LW_BASE_SP : LW_BASE_FP,
		},
		.ra = lw_s390_saved(LW_ARCH_LINK_REG),
		.sp_off = -LW_S390_SAVE_AREA,
	};
	if (reg <= LW_ARCH_FP_REG)
		rule->fp = lw_s390_saved(LW_ARCH_FP_REG);
	return true;
}

/**
 * lw_arch_frameless - the rule where a frame is not made yet, or is taken down
 * @rule: out
 * @code: LW_ARCH_CODE_LEN bytes at ip
 * @exact: ip is no return address
 * @compat: 31-bit code
 *
 * Return: false if the code says nothing of that; @rule is left.
 */
static inline bool lw_arch_frameless(struct lw_rule *rule, const u8 *code, bool exact,
				     bool compat)
{
	if (compat)
		return false;
	if (lw_s390_epilogue(code, rule))
		return true;
	/* To lower the stack pointer is no sign: -fstack-clash-protection does so in steps. */
	if (!exact || !(lw_s390_saves_from(code) || lw_s390_checks_error(code) ||
			lw_s390_returns(code)))
		return false;
	lw_s390_by_register(rule);
	return true;
}

/**
 * lw_arch_framed - the rule of a frame that has a back chain
 * @rule: out
 * @compat: 31-bit code; not called for that
 * @kind: of its frame, likewise
 *
 * Whether the function has saved r11, which tables know as the frame pointer, is not known, so
 * that the caller's one is not: no register has that number.
 */
static inline void lw_arch_framed(struct lw_rule *rule, bool compat, unsigned int kind)
{
	*rule = (struct lw_rule) {
		.cfa = { .base = LW_BASE_SP, .deref = 1 },
		.ra = lw_s390_saved(LW_ARCH_LINK_REG),
		.fp = { .base = LW_BASE_REG, .reg = U8_MAX },
		.then = { LW_S390_SAVE_AREA },
		.sp_off = -LW_S390_SAVE_AREA,
	};
}

/**
 * lw_arch_is_clone - is this clone() or clone3() of glibc
 * @code: LW_ARCH_CLONE_LEN bytes, from the system call on
 *
 * svc (120 is there or in r1); ltgr %r2, %r2; je child; lmg %r6, %r7, 48(%r15)
 *
 * Return: true if so.
 */
static inline bool lw_arch_is_clone(const u8 *code)
{
	return code[0] == LW_S390_SVC && (code[1] == LW_S390_CLONE || !code[1]) &&
	       !memcmp(code + 2, LW_S390_LTGR_R2, 4) && !memcmp(code + 6, LW_S390_JE, 2) &&
	       !memcmp(code + 10, LW_S390_LOAD_R6_R7, 6);
}

/* The rule of clone() in the task that has called it. */
static inline void lw_arch_clone(struct lw_rule *rule)
{
	lw_s390_by_register(rule);
}

/**
 * lw_arch_is_call - may a call end here
 * @code: LW_ARCH_CALL_LEN bytes in front of an address
 * @compat: 31-bit code; not called for that
 *
 * brasl, bras or basr, with %r14
 *
 * Return: false if none does.
 */
static inline bool lw_arch_is_call(const u8 *code, bool compat)
{
	return lw_s390_half(code) == 0xc0e5 || lw_s390_half(code + 2) == 0xa7e5 ||
	       ((lw_s390_half(code + 4) & 0xfff0) == 0x0de0 && code[5] != 0xe0);
}

#endif /* LW_ARCH_CODE_H */
