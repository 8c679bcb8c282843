/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_decode.h - from the words of a row to a rule, for sframe.c only.
 *
 * The words have been seen to be inside of the section, and to be as many as
 * the ABI and the FDE's type may have, one at least.
 */
#ifndef LW_SFRAME_DECODE_H
#define LW_SFRAME_DECODE_H

#include "sframe_format.h"

static __always_inline __s32
load_signed(struct mode mode, const __u8 *p, unsigned int size)
{
	switch (size) {
	case 1:
		return (__s8)load_u8(p);
	case 2:
		return (__s16)load_u16(mode, p);
	default:
		return (__s32)load_u32(mode, p);
	}
}

/* A control word is unsigned. */
static __u32 load_control(struct mode mode, const __u8 *p, unsigned int size)
{
	__u32 value = (__u32)load_signed(mode, p, size);

	return size == 4 ? value : value & ((1U << 8 * size) - 1);
}

/* SP and FP are known in each frame, so they are told apart. */
static int set_register(const struct abi *abi, struct lw_rule_value *value,
			__s64 reg)
{
	if (reg < 0 || reg >= abi->num_regs)
		return LW_SFRAME_BAD_REGISTER;
	value->reg = 0;
	if (reg == abi->sp) {
		value->base = LW_BASE_SP;
	} else if (reg == abi->fp) {
		value->base = LW_BASE_FP;
	} else {
		value->base = LW_BASE_REG;
		value->reg = (__u8)reg;
	}
	return 0;
}

static int set_cfa_offset(const struct abi *abi, struct lw_rule *rule, __s64 off)
{
	off = off * abi->cfa_scale + abi->cfa_bias;
	if (off != (__s32)off)
		return LW_SFRAME_BAD_OFFSET;
	rule->cfa.off = (__s32)off;
	return 0;
}

static __always_inline struct lw_rule_value saved_at(__s32 off)
{
	return (struct lw_rule_value){
		.off = off, .base = LW_BASE_CFA, .deref = 1,
	};
}

/* Where RA is as long as no row says otherwise. */
static struct lw_rule_value default_ra(const struct abi *abi)
{
	if (abi->fixed_ra)
		return saved_at(abi->fixed_ra);
	return (struct lw_rule_value){ .base = LW_BASE_REG, .reg = abi->ra };
}

/*
 * A slot; or, version 2 of s390x only, where all slots are multiples of 8, a
 * register in an odd word.
 */
static int set_saved(const struct lw_sframe *sf, struct lw_rule_value *value,
		     __s32 word)
{
	if (sf->version == VERSION_2 && sf->abi == LW_SFRAME_ABI_S390X &&
	    (word & 1))
		return set_register(&abis[sf->abi], value, word >> 1);
	*value = saved_at(word);
	return 0;
}

/*
 * Words: CFA, FP; RA has its fixed slot, and nothing is scaled.  All of a rule
 * is stored at once: the look-up's caller reads it at once.
 */
static __always_inline void
decode_fixed_ra(struct mode mode, __s8 fixed_ra, __u8 info,
		const __u8 *words, struct lw_rule *rule)
{
	unsigned int size = 1U << ROW_SIZE_CODE(info);
	__u8 base = info & ROW_BASE_SP ? LW_BASE_SP : LW_BASE_FP;
	__s32 cfa_off = load_signed(mode, words, size);
	struct lw_rule_value fp = { 0 };

	if (ROW_COUNT(info) > 1)
		fp = saved_at(load_signed(mode, words + size, size));
	*rule = (struct lw_rule){
		.cfa = { .off = cfa_off, .base = base },
		.ra = saved_at(fixed_ra),
		.fp = fp,
	};
}

/* Words: CFA, RA, FP. */
static int decode_tracked_ra(const struct lw_sframe *sf, struct mode mode,
			     __u8 info, const __u8 *words,
			     struct lw_rule *rule)
{
	const struct abi *abi = &abis[sf->abi];
	unsigned int size = 1U << ROW_SIZE_CODE(info);
	unsigned int count = ROW_COUNT(info);
	__s32 word;
	int err;

	rule->cfa.base = info & ROW_BASE_SP ? LW_BASE_SP : LW_BASE_FP;
	err = set_cfa_offset(abi, rule, load_signed(mode, words, size));
	if (err)
		return err;
	rule->ra = default_ra(abi);
	if (count == 1)
		return 0;

	word = load_signed(mode, words + size, size);
	/* s390x: a place-holder, for FP to follow */
	if (word || sf->abi != LW_SFRAME_ABI_S390X) {
		err = set_saved(sf, &rule->ra, word);
		if (err)
			return err;
		if (rule->ra.base == LW_BASE_SP)
			return LW_SFRAME_BAD_REGISTER;
	}
	if (count == 2)
		return 0;
	return set_saved(sf, &rule->fp,
			 load_signed(mode, words + 2 * size, size));
}

/* Words of a FLEX row, as far as they are used up. */
struct flex {
	const __u8 *words;
	unsigned int left;
	unsigned int size;
};

static __s32 next_offset(struct mode mode, struct flex *flex)
{
	const __u8 *word = flex->words;

	flex->words += flex->size;
	flex->left--;
	return load_signed(mode, word, flex->size);
}

/*
 * A control word and an offset; or nothing, or a control word of 0, which both
 * leave *value as it is.
 */
static int next_flex(const struct abi *abi, struct mode mode,
		     struct flex *flex, struct lw_rule_value *value,
		     __s32 *off)
{
	__u32 control;
	int err;

	if (!flex->left)
		return 0;
	control = load_control(mode, flex->words, flex->size);
	flex->words += flex->size;
	flex->left--;
	if (!control)
		return 0;
	if (!flex->left || (control & FLEX_UNUSED))
		return LW_SFRAME_BAD_FLEX;

	*value = (struct lw_rule_value){ .base = LW_BASE_CFA };
	if (control & FLEX_REG) {
		err = set_register(abi, value, FLEX_REGNUM(control));
		if (err)
			return err;
	}
	value->deref = !!(control & FLEX_DEREF);
	*off = next_offset(mode, flex);
	return 0;
}

static struct flex flex_words(__u8 info, const __u8 *words)
{
	return (struct flex){
		.words = words,
		.left = ROW_COUNT(info),
		.size = 1U << ROW_SIZE_CODE(info),
	};
}

/* What comes behind the CFA's words. */
static int decode_flex_saved(const struct abi *abi, struct mode mode,
			     struct flex *flex, struct lw_rule *rule)
{
	int err;

	rule->ra = default_ra(abi);
	err = next_flex(abi, mode, flex, &rule->ra, &rule->ra.off);
	if (err)
		return err;
	/* an address on the stack is no return address */
	if (!rule->ra.deref && (rule->ra.base == LW_BASE_CFA ||
				rule->ra.base == LW_BASE_SP))
		return LW_SFRAME_BAD_FLEX;
	err = next_flex(abi, mode, flex, &rule->fp, &rule->fp.off);
	if (err)
		return err;
	return flex->left ? LW_SFRAME_BAD_FLEX : 0;
}

static int decode_flex(const struct abi *abi, struct mode mode, __u8 info,
		       const __u8 *words, struct lw_rule *rule)
{
	struct flex flex = flex_words(info, words);
	__s32 cfa_off = 0;
	int err;

	err = next_flex(abi, mode, &flex, &rule->cfa, &cfa_off);
	if (err)
		return err;
	if (rule->cfa.base == LW_BASE_NONE || rule->cfa.base == LW_BASE_CFA)
		return LW_SFRAME_BAD_FLEX;
	err = set_cfa_offset(abi, rule, cfa_off);
	if (err)
		return err;
	return decode_flex_saved(abi, mode, &flex, rule);
}

/*
 * Control word of the CFA's register, how many times it is taken from memory, and
 * an offset before the first time and behind each; then as FLEX.  There are three
 * words at least.
 */
static int decode_path(const struct abi *abi, struct mode mode, __u8 info,
		       const __u8 *words, struct lw_rule *rule)
{
	struct flex flex = flex_words(info, words);
	__u32 control, derefs, i;
	int err;

	control = load_control(mode, flex.words, flex.size);
	if (!(control & FLEX_REG) || (control & FLEX_DEREF))
		return LW_SFRAME_BAD_FLEX;
	err = set_register(abi, &rule->cfa, FLEX_REGNUM(control));
	if (err)
		return err;
	if (control & PATH_SWITCH)
		rule->flags |= LW_RULE_SWITCH;
	next_offset(mode, &flex);
	derefs = (__u32)next_offset(mode, &flex);
	if (derefs > LW_RULE_DEREFS || flex.left < derefs + 1)
		return LW_SFRAME_BAD_FLEX;
	rule->cfa.deref = (__u8)derefs;
	err = set_cfa_offset(abi, rule, next_offset(mode, &flex));
	if (err)
		return err;
	for (i = 0; i < derefs; i++)
		rule->then[i] = next_offset(mode, &flex);
	return decode_flex_saved(abi, mode, &flex, rule);
}

#endif /* LW_SFRAME_DECODE_H */
