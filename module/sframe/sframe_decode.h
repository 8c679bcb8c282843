/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_decode.h - from the words of a row to a rule, for sframe.c.
 *
 * The caller has checked that the words are inside of the section, and that their
 * number is one of the ABI and the FDE's type; at least 1.
 */
#ifndef LW_SFRAME_DECODE_H
#define LW_SFRAME_DECODE_H

#include "sframe_format.h"

/* Words of a row that are not decoded yet. */
struct words {
	const struct lw_sframe *sf;
	const __u8 *next;
	unsigned int left;
	unsigned int size;	/* of each: 1, 2 or 4 */
};

static __always_inline struct words
words_of(const struct lw_sframe *sf, __u8 info, const __u8 *bytes)
{
	return (struct words){
		.sf = sf,
		.next = bytes,
		.left = ROW_COUNT(info),
		.size = 1U << ROW_SIZE_CODE(info),
	};
}

static __always_inline __s32 next_word(struct words *words)
{
	const __u8 *p = words->next;

	words->next += words->size;
	words->left--;
	switch (words->size) {
	case 1:
		return (__s8)load_u8(p);
	case 2:
		return (__s16)load_u16(words->sf, p);
	default:
		return (__s32)load_u32(words->sf, p);
	}
}

/* A control word is unsigned. */
static __u32 next_control(struct words *words)
{
	__u32 value = (__u32)next_word(words);

	return value & (~0U >> (32 - 8 * words->size));
}

static int set_register(const struct abi *abi, struct lw_rule_value *value,
			__s64 reg)
{
	if (reg < 0 || reg >= abi->num_regs)
		return LW_SFRAME_BAD_REGISTER;
	value->reg = 0;
	/* other registers are known in the topmost frame, or followed from there */
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

static __always_inline struct lw_rule_value saved_at(__s32 off)
{
	return (struct lw_rule_value){
		.off = off, .base = LW_BASE_CFA, .deref = 1,
	};
}

/*
 * Words: CFA, FP.  Stores the rule in one piece, as the caller loads it at once:
 * smaller stores would not be forwarded.
 */
static __always_inline void
decode_default(const struct lw_sframe *sf, __u8 info, const __u8 *bytes,
	       struct lw_rule *rule)
{
	struct words words = words_of(sf, info, bytes);
	__s32 cfa_off = next_word(&words);
	struct lw_rule_value fp = { 0 };

	if (words.left)
		fp = saved_at(next_word(&words));
	*rule = (struct lw_rule){
		.cfa = {
			.off = cfa_off,
			.base = info & ROW_BASE_SP ? LW_BASE_SP : LW_BASE_FP,
		},
		.ra = abi_of(sf)->ra,
		.fp = fp,
	};
}

/* A control word and an offset.  No word, or a control of 0, leaves *value as it is. */
static int decode_pair(struct words *words, struct lw_rule_value *value)
{
	__u32 control;
	int err;

	if (!words->left)
		return 0;
	control = next_control(words);
	if (!control)
		return 0;
	if (!words->left || (control & FLEX_UNUSED))
		return LW_SFRAME_BAD_FLEX;

	*value = (struct lw_rule_value){
		.base = LW_BASE_CFA, .deref = !!(control & FLEX_DEREF),
	};
	if (control & FLEX_REG) {
		err = set_register(abi_of(words->sf), value, FLEX_REGNUM(control));
		if (err)
			return err;
	}
	value->off = next_word(words);
	return 0;
}

static int decode_flex_cfa(struct words *words, struct lw_rule *rule)
{
	int err = decode_pair(words, &rule->cfa);

	if (err)
		return err;
	if (rule->cfa.base == LW_BASE_NONE || rule->cfa.base == LW_BASE_CFA)
		return LW_SFRAME_BAD_FLEX;
	return 0;
}

static int set_index(const struct abi *abi, struct lw_rule_value *cfa, __u32 index)
{
	if (index > abi->num_regs || index == abi->sp + 1U || index == abi->fp + 1U)
		return LW_SFRAME_BAD_REGISTER;
	cfa->index = (__u8)index;
	return 0;
}

/*
 * The control word of a register, how many times the CFA is loaded from memory and
 * an index, and an offset before the first load and one behind each.  There are three
 * words at least.
 */
static int decode_path_cfa(struct words *words, struct lw_rule *rule)
{
	__u32 control = next_control(words), derefs, word, i;
	int err;

	if (!(control & FLEX_REG) || (control & FLEX_DEREF))
		return LW_SFRAME_BAD_FLEX;
	err = set_register(abi_of(words->sf), &rule->cfa, FLEX_REGNUM(control));
	if (err)
		return err;
	if (control & PATH_SWITCH)
		rule->flags |= LW_RULE_SWITCH;
	word = next_control(words);
	err = set_index(abi_of(words->sf), &rule->cfa, PATH_INDEX(word));
	if (err)
		return err;
	derefs = PATH_DEREFS(word);
	if (derefs > LW_RULE_DEREFS || words->left < derefs + 1)
		return LW_SFRAME_BAD_FLEX;
	rule->cfa.deref = (__u8)derefs;
	rule->cfa.off = next_word(words);
	for (i = 0; i < derefs; i++)
		rule->then[i] = next_word(words);
	return 0;
}

/* A word for each register that the caller has another value in. */
static int decode_saved(struct words *words, struct lw_rule *rule)
{
	__s32 word;
	unsigned int nr;

	while (words->left) {
		word = next_word(words);
		nr = SAVED_NR(word);
		if (word < 0 || nr >= LW_RULE_SAVED || rule->saved[nr])
			return LW_SFRAME_BAD_FLEX;
		rule->saved[nr] = SAVED_SLOT(word) ? -8 * SAVED_SLOT(word) : LW_RULE_GONE;
	}
	return 0;
}

/* FLEX and PATH: CFA, RA, FP; PATH: saved registers. */
static int decode_pairs(const struct lw_sframe *sf, unsigned int type, __u8 info,
			const __u8 *bytes, struct lw_rule *rule)
{
	struct words words = words_of(sf, info, bytes);
	struct lw_rule found = { .ra = abi_of(sf)->ra };
	int err;

	err = type == LW_SFRAME_FLEX ? decode_flex_cfa(&words, &found) :
				       decode_path_cfa(&words, &found);
	if (err)
		return err;
	err = decode_pair(&words, &found.ra);
	if (err)
		return err;
	/* an address on the stack is no return address */
	if (!found.ra.deref && (found.ra.base == LW_BASE_CFA ||
				found.ra.base == LW_BASE_SP))
		return LW_SFRAME_BAD_FLEX;
	err = decode_pair(&words, &found.fp);
	if (err)
		return err;
	if (type == LW_SFRAME_PATH)
		err = decode_saved(&words, &found);
	else if (words.left)
		err = LW_SFRAME_BAD_FLEX;
	if (err)
		return err;
	*rule = found;
	return 0;
}

/*
 * A slot; or, version 2 of s390x only, where all slots are multiples of 8, a register in an
 * odd word.
 */
static int set_saved(const struct lw_sframe *sf, struct lw_rule_value *value, __s32 word)
{
	*value = saved_at(word);
	if (sf->version != VERSION_2 || abi_of(sf) != &s390x || !(word & 1))
		return 0;
	*value = (struct lw_rule_value){ 0 };
	return set_register(abi_of(sf), value, word >> 1);
}

/* Words: CFA, RA, FP. */
static int decode_tracked_ra(const struct lw_sframe *sf, __u8 info, const __u8 *bytes,
			     struct lw_rule *rule)
{
	struct words words = words_of(sf, info, bytes);
	__s32 word;
	int err;

	*rule = (struct lw_rule){ .ra = abi_of(sf)->ra };
	rule->cfa.off = next_word(&words);
	rule->cfa.base = info & ROW_BASE_SP ? LW_BASE_SP : LW_BASE_FP;
	if (!words.left)
		return 0;
	word = next_word(&words);
	/* s390x: 0 is a place-holder, for FP to follow */
	if (word || abi_of(sf) != &s390x) {
		err = set_saved(sf, &rule->ra, word);
		if (err)
			return err;
		if (rule->ra.base == LW_BASE_SP)
			return LW_SFRAME_BAD_REGISTER;
	}
	return words.left ? set_saved(sf, &rule->fp, next_word(&words)) : 0;
}

static int set_bias(const struct abi *abi, struct lw_rule *rule)
{
	__s64 off = (__s64)rule->cfa.off * abi->cfa_unit + abi->sp_bias;

	if (off != (__s32)off)
		return LW_SFRAME_BAD_OFFSET;
	rule->cfa.off = (__s32)off;
	rule->sp_off = -abi->sp_bias;
	return 0;
}

/* Rows of machines whose return address is in a register first. */
static int decode_tracking(const struct lw_sframe *sf, unsigned int type, __u8 info,
			   const __u8 *bytes, struct lw_rule *rule)
{
	struct lw_rule found;
	int err;

	err = type == LW_SFRAME_DEFAULT ? decode_tracked_ra(sf, info, bytes, &found) :
					  decode_pairs(sf, type, info, bytes, &found);
	if (!err && abi_of(sf)->sp_bias)
		err = set_bias(abi_of(sf), &found);
	if (err)
		return err;
	if (abi_of(sf) == &aarch64 && (info & ROW_MANGLED))
		found.flags |= LW_RULE_PAC;
	*rule = found;
	return 0;
}

/* The rule of a row; untouched on failure. */
static __always_inline int
decode_words(const struct lw_sframe *sf, unsigned int type, __u8 info,
	     const __u8 *bytes, struct lw_rule *rule)
{
	if (abi_of(sf)->lens == tracked_ra_lens)
		return decode_tracking(sf, type, info, bytes, rule);
	if (type != LW_SFRAME_DEFAULT)
		return decode_pairs(sf, type, info, bytes, rule);
	decode_default(sf, info, bytes, rule);
	return 0;
}

#endif /* LW_SFRAME_DECODE_H */
