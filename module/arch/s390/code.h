/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/s390/code.h - what instructions tell of a frame that no table covers.
 *
 * The CFA is 160 above the caller's stack pointer, and these 160 bytes are the caller's frame's: a
 * function saves r6 to r15 there (ELF ABI supplement, 1.2.2).  Compilers save them by one stmg, up
 * to r15, and load them by one lmg.  No register points to a frame.  At the caller's stack pointer
 * there is room for a back chain, which only code built with -mbackchain uses.
 *
 * 31-bit code likewise has 96 bytes there, words of four bytes, stm and lm.
 */
#ifndef LW_ARCH_CODE_H
#define LW_ARCH_CODE_H

#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>

#include "arch.h"
#include "sframe/rule.h"
#include "sigframe.h"

/* Where the stack pointer is saved: words from that one on that a back chain leads to. */
#define LW_ARCH_BACK_CHAIN_SAVED	LW_ARCH_SP_REG

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

/* Bytes of the caller's frame that are its callees'; 31-bit code: S/390 ELF ABI supplement. */
static inline s32 lw_s390_save_area(bool compat)
{
	return compat ? 96 : 160;
}

static inline s32 lw_s390_word(bool compat)
{
	return compat ? LW_ARCH_COMPAT_WORD : LW_ARCH_WORD;
}

static inline u16 lw_s390_half(const u8 *code)
{
	return code[0] << 8 | code[1];
}

/**
 * struct lw_s390_multiple - an instruction that stores or loads several registers
 * @first: register
 * @last: register
 * @base: register
 * @off: from there on, of the first one
 * @len: bytes of the instruction, or 0: it is another one
 */
struct lw_s390_multiple {
	u8	first, last, base, len;
	s32	off;
};

/* stmg or lmg, of 31-bit code stm or lm, as @load says; displacements have 20 and 12 bits. */
static inline struct lw_s390_multiple lw_s390_multiple(const u8 *code, bool load, bool compat)
{
	struct lw_s390_multiple found = {
		.first = code[1] >> 4, .last = code[1] & 0xf, .base = code[2] >> 4,
	};

	if (compat) {
		found.off = (code[2] & 0xf) << 8 | code[3];
		found.len = code[0] == (load ? 0x98 : 0x90) ? 4 : 0;
	} else {
		found.off = (s32)((u32)code[4] << 24 | (code[2] & 0xfU) << 20 |
				  (u32)code[3] << 12) >> 12;
		found.len = code[0] == 0xeb && code[5] == (load ? 0x04 : 0x24) ? 6 : 0;
	}
	return found;
}

/* Has each register its place in the caller's frame, and is there no other frame? */
static inline bool lw_s390_is_in_place(const struct lw_s390_multiple *insn, bool compat)
{
	return insn->len && insn->base == LW_ARCH_SP_REG && insn->first &&
	       insn->first <= LW_ARCH_LINK_REG && insn->first <= insn->last &&
	       insn->off == insn->first * lw_s390_word(compat);
}

/* Does it begin to save registers? */
static inline bool lw_s390_saves(const u8 *code, bool compat)
{
	struct lw_s390_multiple store = lw_s390_multiple(code, false, compat);

	return store.last == LW_ARCH_SP_REG && lw_s390_is_in_place(&store, compat);
}

/* br %r14 */
static inline bool lw_s390_returns(const u8 *code)
{
	return lw_s390_half(code) == 0x07fe;
}

/* Does it load registers, but not the return address, which it has never saved, and return? */
static inline bool lw_s390_ends_leaf(const u8 *code, bool compat)
{
	struct lw_s390_multiple load = lw_s390_multiple(code, true, compat);

	return load.last < LW_ARCH_LINK_REG && lw_s390_is_in_place(&load, compat) &&
	       lw_s390_returns(code + load.len);
}

/* Behind a system call in a function of glibc that does nothing else: it has no frame. */
static inline bool lw_s390_checks_error(const u8 *code)
{
	return !memcmp(code, LW_S390_CHECK_ERROR, sizeof(LW_S390_CHECK_ERROR) - 1) &&
	       lw_s390_returns(code + LW_S390_CHECK_LEN);
}

/* There is a word for each register from r0 on. */
static inline struct lw_rule_value lw_s390_saved(s32 reg, bool compat)
{
	return (struct lw_rule_value) {
		.off = reg * lw_s390_word(compat) - lw_s390_save_area(compat),
		.base = LW_BASE_CFA, .deref = 1,
	};
}

/* The return address is in its register, and no frame is made. */
static inline void lw_s390_by_register(struct lw_rule *rule, bool compat)
{
	*rule = (struct lw_rule) {
		.cfa = { .off = lw_s390_save_area(compat), .base = LW_BASE_SP },
		.ra = { .base = LW_BASE_REG, .reg = LW_ARCH_LINK_REG },
		.sp_off = -lw_s390_save_area(compat),
	};
}

/* lmg or lm %r, %r15, disp(%r15 or %r11); br %r14 */
static inline bool lw_s390_epilogue(const u8 *code, struct lw_rule *rule, bool compat)
{
	struct lw_s390_multiple load = lw_s390_multiple(code, true, compat);
	s32 frame = load.off - load.first * lw_s390_word(compat);

	if (!load.len || load.last != LW_ARCH_SP_REG || load.first > LW_ARCH_LINK_REG ||
	    (load.base != LW_ARCH_SP_REG && load.base != LW_ARCH_FP_REG) || frame < 0 ||
	    frame % lw_s390_word(compat) || !lw_s390_returns(code + load.len))
		return false;
	*rule = (struct lw_rule) {
		.cfa = {
			.off = frame + lw_s390_save_area(compat),
			.base = load.base == LW_ARCH_SP_REG ? LW_BASE_SP : LW_BASE_FP,
		},
		.ra = lw_s390_saved(LW_ARCH_LINK_REG, compat),
		.sp_off = -lw_s390_save_area(compat),
	};
	if (load.first <= LW_ARCH_FP_REG)
		rule->fp = lw_s390_saved(LW_ARCH_FP_REG, compat);
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
	if (lw_s390_epilogue(code, rule, compat))
		return true;
	/* To lower the stack pointer is no sign: -fstack-clash-protection does so in steps. */
	if (!exact || !(lw_s390_saves(code, compat) || lw_s390_checks_error(code) ||
			lw_s390_ends_leaf(code, compat) || lw_s390_returns(code)))
		return false;
	lw_s390_by_register(rule, compat);
	return true;
}

/**
 * lw_arch_framed - the rule of a frame that has a back chain
 * @rule: out
 * @compat: 31-bit code
 * @kind: of its frame, 0
 *
 * Whether the function has saved r11, which tables know as the frame pointer, is not known, so
 * that the caller's one is not: no register has that number.
 */
static inline void lw_arch_framed(struct lw_rule *rule, bool compat, unsigned int kind)
{
	*rule = (struct lw_rule) {
		.cfa = { .base = LW_BASE_SP, .deref = 1 },
		.ra = lw_s390_saved(LW_ARCH_LINK_REG, compat),
		.fp = { .base = LW_BASE_REG, .reg = U8_MAX },
		.then = { lw_s390_save_area(compat) },
		.sp_off = -lw_s390_save_area(compat),
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
	lw_s390_by_register(rule, false);
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
