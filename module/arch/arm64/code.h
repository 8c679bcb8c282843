/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/arm64/code.h - what instructions tell of a frame that no table covers.
 *
 * A frame pointer points to a record: the caller's frame pointer, and the return address
 * (aapcs64, 6.4.6).  Where in its frame a function has the record is its own affair, so that
 * the caller's stack pointer is not known then, only that it is above.
 */
#ifndef LW_ARCH_CODE_H
#define LW_ARCH_CODE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "arch.h"
#include "sframe/rule.h"
#include "sigframe.h"

/* Bytes at ip that lw_arch_frameless() looks at. */
#define LW_ARCH_CODE_LEN	16
/* Bytes in front of a return address. */
#define LW_ARCH_CALL_LEN	4
/* There is no back chain. */
#define LW_ARCH_BACK_CHAIN_SAVED	0
/* The system call of clone(), and what is behind it. */
#define LW_ARCH_CLONE_LEN	20

#define LW_ARM64_LR		30
#define LW_ARM64_COMPAT_LR	14

#define LW_ARM64_PACIASP	0xd503233f
#define LW_ARM64_PACIBSP	0xd503237f
#define LW_ARM64_AUTIASP	0xd50323bf
#define LW_ARM64_AUTIBSP	0xd50323ff
#define LW_ARM64_BTI_C		0xd503245f
#define LW_ARM64_RET		0xd65f03c0
#define LW_ARM64_RETAA		0xd65f0bff
#define LW_ARM64_RETAB		0xd65f0fff
#define LW_ARM64_CMP_X0		0xf100001f	/* cmp x0, #0 */

/* By the bits that are no immediate. */

/* stp x29, x30, [sp, #imm]! */
#define LW_ARM64_IS_PUSH_RECORD(insn)	(((insn) & 0xffc07fff) == 0xa9807bfd)
/* stp x29, x30, [sp, #imm] */
#define LW_ARM64_IS_STORE_RECORD(insn)	(((insn) & 0xffc07fff) == 0xa9007bfd)
/* ldp x29, x30, [sp], #imm */
#define LW_ARM64_IS_POP_RECORD(insn)	(((insn) & 0xffc07fff) == 0xa8c07bfd)
/* add x29, sp, #imm */
#define LW_ARM64_IS_SET_FP(insn)	(((insn) & 0xffc003ff) == 0x910003fd)
/* sub sp, sp, #imm */
#define LW_ARM64_IS_SUB_SP(insn)	(((insn) & 0xff8003ff) == 0xd10003ff)
/* add sp, sp, #imm */
#define LW_ARM64_IS_ADD_SP(insn)	(((insn) & 0xff8003ff) == 0x910003ff)
#define LW_ARM64_IS_BL(insn)	(((insn) & 0xfc000000) == 0x94000000)
#define LW_ARM64_IS_BLR(insn)	(((insn) & 0xfffffc1f) == 0xd63f0000)
/* bl, blx of A32 code */
#define LW_ARM64_IS_A32_BL(insn)	(((insn) & 0x0f000000) == 0x0b000000)
#define LW_ARM64_IS_A32_BLX(insn)	(((insn) & 0xfe000000) == 0xfa000000)
#define LW_ARM64_IS_A32_BLX_REG(insn)	(((insn) & 0x0ffffff0) == 0x012fff30)
/* bl and blx of Thumb code; that by register is the second half */
#define LW_ARM64_IS_T32_BL(insn)	(((insn) & 0xc000f800) == 0xc000f000)
#define LW_ARM64_IS_T32_BLX_REG(insn)	(((insn) & 0xff870000) == 0x47800000)
/* blraa, blrab, blraaz, blrabz */
#define LW_ARM64_IS_BLRA(insn)	(((insn) & 0xfefff800) == 0xd63f0800)
#define LW_ARM64_IS_B_EQ(insn)	(((insn) & 0xff00001f) == 0x54000000)
#define LW_ARM64_IS_B_LT(insn)	(((insn) & 0xff00001f) == 0x5400000b)

/* The immediate of stp and ldp, in bytes. */
static inline s32 lw_arm64_imm7(u32 insn)
{
	return ((s32)(insn << 10) >> 25) * 8;
}

/* The immediate of add and sub. */
static inline s32 lw_arm64_imm12(u32 insn)
{
	return (insn >> 10 & 0xfff) << (insn & BIT(22) ? 12 : 0);
}

static inline struct lw_rule_value lw_arm64_on_stack(s32 off)
{
	return (struct lw_rule_value) {
		.off = off, .base = LW_BASE_CFA, .deref = 1,
	};
}

/* The return address is in its register, and nothing is saved; the CFA is @off above SP. */
static inline void lw_arm64_by_register(struct lw_rule *rule, s32 off)
{
	*rule = (struct lw_rule) {
		.cfa = { .off = off, .base = LW_BASE_SP },
		.ra = { .base = LW_BASE_REG, .reg = LW_ARM64_LR },
	};
}

/* A record is at @base + @off; the caller's stack pointer is somewhere above. */
static inline void lw_arm64_by_record(struct lw_rule *rule, u8 base, s32 off)
{
	*rule = (struct lw_rule) {
		.cfa = { .off = off + 2 * LW_ARCH_WORD, .base = base },
		.ra = lw_arm64_on_stack(-LW_ARCH_WORD),
		.fp = lw_arm64_on_stack(-2 * LW_ARCH_WORD),
		.flags = LW_RULE_SP_LOST,
	};
}

static inline bool lw_arm64_returns(const u8 *code, unsigned int i)
{
	u32 insn = lw_arm64_insn(code, i);

	if (insn == LW_ARM64_AUTIASP || insn == LW_ARM64_AUTIBSP)
		insn = lw_arm64_insn(code, i + 1);
	return insn == LW_ARM64_RET || insn == LW_ARM64_RETAA || insn == LW_ARM64_RETAB;
}

/* Is the frame about to be made? */
static inline bool lw_arm64_is_prologue(const u8 *code)
{
	u32 insn = lw_arm64_insn(code, 0);

	if (insn == LW_ARM64_PACIASP || insn == LW_ARM64_PACIBSP || insn == LW_ARM64_BTI_C ||
	    LW_ARM64_IS_PUSH_RECORD(insn))
		return true;
	/* Room on the stack may be made later, too; but not just before the record. */
	return LW_ARM64_IS_SUB_SP(insn) &&
	       LW_ARM64_IS_STORE_RECORD(lw_arm64_insn(code, 1));
}

/**
 * lw_arch_frameless - the rule where a frame is not made yet, or is taken down
 * @rule: out
 * @code: LW_ARCH_CODE_LEN bytes at ip
 * @exact: ip is no return address
 * @compat: 32-bit code
 *
 * Return: false if the code says nothing of that; @rule is left.
 */
static inline bool lw_arch_frameless(struct lw_rule *rule, const u8 *code, bool exact,
				     bool compat)
{
	u32 insn = lw_arm64_insn(code, 0);

	if (compat)
		return false;
	if (LW_ARM64_IS_POP_RECORD(insn) && lw_arm64_imm7(insn) >= 2 * LW_ARCH_WORD &&
	    lw_arm64_returns(code, 1)) {
		*rule = (struct lw_rule) {
			.cfa = { .off = lw_arm64_imm7(insn), .base = LW_BASE_SP },
			.ra = lw_arm64_on_stack(LW_ARCH_WORD - lw_arm64_imm7(insn)),
			.fp = lw_arm64_on_stack(-lw_arm64_imm7(insn)),
		};
		return true;
	}
	if (!exact)
		return false;
	if (lw_arm64_is_prologue(code) || lw_arm64_returns(code, 0)) {
		lw_arm64_by_register(rule, 0);
		return true;
	}
	if (LW_ARM64_IS_ADD_SP(insn) && lw_arm64_returns(code, 1)) {
		lw_arm64_by_register(rule, lw_arm64_imm12(insn));
		return true;
	}
	if (LW_ARM64_IS_STORE_RECORD(insn) && lw_arm64_imm7(insn) >= 0) {
		lw_arm64_by_register(rule, lw_arm64_imm7(insn) + 2 * LW_ARCH_WORD);
		rule->flags = LW_RULE_SP_LOST;
		return true;
	}
	if (LW_ARM64_IS_SET_FP(insn)) {
		lw_arm64_by_record(rule, LW_BASE_SP, lw_arm64_imm12(insn));
		return true;
	}
	return false;
}

/**
 * lw_arch_framed - the rule of a frame that its frame pointer points to
 * @rule: out
 * @compat: 32-bit code
 * @kind: of its frame, less than LW_ARCH_COMPAT_FRAMES; 0 of 64-bit code
 *
 * Compilers do not agree on where in a frame of 32-bit code r11 points to.
 */
static inline void lw_arch_framed(struct lw_rule *rule, bool compat, unsigned int kind)
{
	/* Words of the CFA above FP; of the return address and the caller's FP below the CFA. */
	static const struct {
		u8	cfa;
		u8	ra;	/* 0: in its register, at the topmost frame */
		u8	fp;
	} kinds[LW_ARCH_COMPAT_FRAMES] = {
		{ 1, 1, 2 },	/* gcc */
		{ 2, 1, 2 },	/* clang, and aapcs32 */
		{ 1, 2, 4 },	/* gcc -mapcs-frame */
		{ 1, 0, 1 },	/* gcc, of a function that calls nobody */
	};

	if (!compat) {
		lw_arm64_by_record(rule, LW_BASE_FP, 0);
		return;
	}
	*rule = (struct lw_rule) {
		.cfa = { .off = kinds[kind].cfa * LW_ARCH_COMPAT_WORD, .base = LW_BASE_FP },
		.ra = { .base = LW_BASE_REG, .reg = LW_ARM64_COMPAT_LR },
		.fp = lw_arm64_on_stack(-kinds[kind].fp * LW_ARCH_COMPAT_WORD),
	};
	if (kinds[kind].ra)
		rule->ra = lw_arm64_on_stack(-kinds[kind].ra * LW_ARCH_COMPAT_WORD);
}

/**
 * lw_arch_is_clone - is this clone() or clone3() of glibc
 * @code: LW_ARCH_CLONE_LEN bytes, from the system call on
 *
 * cmp x0, #0; b.eq child; b.lt error; ret
 *
 * Return: true if so.
 */
static inline bool lw_arch_is_clone(const u8 *code)
{
	return lw_arm64_insn(code, 0) == LW_ARM64_SVC &&
	       lw_arm64_insn(code, 1) == LW_ARM64_CMP_X0 &&
	       LW_ARM64_IS_B_EQ(lw_arm64_insn(code, 2)) &&
	       LW_ARM64_IS_B_LT(lw_arm64_insn(code, 3)) &&
	       lw_arm64_insn(code, 4) == LW_ARM64_RET;
}

/* The rule of clone() in the task that has called it. */
static inline void lw_arch_clone(struct lw_rule *rule)
{
	lw_arm64_by_register(rule, 0);
}

/**
 * lw_arch_is_call - may a call end here
 * @code: LW_ARCH_CALL_LEN bytes in front of an address
 * @compat: 32-bit code
 *
 * Return: false if none does.
 */
static inline bool lw_arch_is_call(const u8 *code, bool compat)
{
	u32 insn = lw_arm64_insn(code, 0);

	if (compat)
		return LW_ARM64_IS_A32_BL(insn) || LW_ARM64_IS_A32_BLX(insn) ||
		       LW_ARM64_IS_A32_BLX_REG(insn) || LW_ARM64_IS_T32_BL(insn) ||
		       LW_ARM64_IS_T32_BLX_REG(insn);
	return LW_ARM64_IS_BL(insn) || LW_ARM64_IS_BLR(insn) ||
	       LW_ARM64_IS_BLRA(insn);
}

#endif /* LW_ARCH_CODE_H */
