/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/x86/code.h - what instructions tell of a frame that no table covers.
 */
#ifndef LW_ARCH_CODE_H
#define LW_ARCH_CODE_H

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#include "arch.h"
#include "sframe/rule.h"

#define LW_X86_ENDBR64		"\xf3\x0f\x1e\xfa"
#define LW_X86_ENDBR32		"\xf3\x0f\x1e\xfb"
#define LW_X86_PUSH_FP		"\x55"		/* push %rbp */
#define LW_X86_MOV_SP_FP	"\x48\x89\xe5"	/* mov %rsp, %rbp */
#define LW_X86_MOV_SP_FP_2	"\x48\x8b\xec"	/* same, other encoding */
#define LW_X86_REX_B		0x41		/* before pop: r8 to r15 */
#define LW_X86_POP		0x58		/* to 0x5f, by register */
#define LW_X86_POP_SP		0x5c
#define LW_X86_POP_FP		0x5d
#define LW_X86_REX_W		0x48
#define LW_X86_ADD_IMM8_SP	"\x83\xc4"	/* without the prefix */
#define LW_X86_ADD_IMM32_SP	"\x81\xc4"
#define LW_X86_RET		0xc3
#define LW_X86_SYSCALL		"\x0f\x05"
#define LW_X86_TEST_AX		"\x48\x85\xc0"	/* test %rax, %rax */
#define LW_X86_JL_REL8		"\x7c"		/* jl */
#define LW_X86_JL_REL8_LEN	2
#define LW_X86_JL_REL32		"\x0f\x8c"	/* same, other encoding */
#define LW_X86_JL_REL32_LEN	6
#define LW_X86_JE_REL8		"\x74"		/* je */
#define LW_X86_JE_REL8_LEN	2
#define LW_X86_CALL_REL32	0xe8
#define LW_X86_CALL_REL32_LEN	5
#define LW_X86_GROUP_5		0xff		/* with 2 in the ModRM byte: call */
#define LW_X86_GROUP_5_CALL	2

/* An epilogue: add $imm32, %rsp; six registers popped, four of them with a prefix; ret. */
#define LW_X86_EPILOGUE_LEN	18
/* No frame that one instruction makes is larger. */
#define LW_X86_MAX_ADDED	0x100000

/* Bytes at ip that lw_arch_frameless() looks at: an epilogue, and its longest instruction. */
#define LW_ARCH_CODE_LEN	(LW_X86_EPILOGUE_LEN + 7)
/* Bytes in front of a return address: the longest call, but for prefixes. */
#define LW_ARCH_CALL_LEN	7
/* There is no back chain. */
#define LW_ARCH_BACK_CHAIN_SAVED	0
/* The system call of clone(), and what is behind it. */
#define LW_ARCH_CLONE_LEN	(sizeof(LW_X86_SYSCALL LW_X86_TEST_AX) - 1 +		\
				 LW_X86_JL_REL32_LEN + LW_X86_JE_REL8_LEN + 1)

static inline bool lw_x86_starts(const u8 *code, const char *with, size_t len)
{
	return !memcmp(code, with, len);
}

static inline struct lw_rule_value lw_x86_on_stack(s32 off)
{
	return (struct lw_rule_value) {
		.off = off, .base = LW_BASE_CFA, .deref = 1,
	};
}

/* The CFA is @words above @base, the return address right below it. */
static inline void lw_x86_make_rule(struct lw_rule *rule, u8 base, unsigned int words,
				    unsigned int word)
{
	*rule = (struct lw_rule) { .ra = lw_x86_on_stack(-(s32)word) };
	rule->cfa.base = base;
	rule->cfa.off = words * word;
}

static inline bool lw_x86_is_prologue(const u8 *code, bool compat)
{
	return lw_x86_starts(code, compat ? LW_X86_ENDBR32 : LW_X86_ENDBR64, 4) ||
	       lw_x86_starts(code, LW_X86_PUSH_FP, 1);
}

/* Is the frame pointer pushed, but not set?  32-bit code has no prefix. */
static inline bool lw_x86_is_half_prologue(const u8 *code, bool compat)
{
	unsigned int prefix = compat ? 1 : 0;

	return lw_x86_starts(code, &LW_X86_MOV_SP_FP[prefix], 3 - prefix) ||
	       lw_x86_starts(code, &LW_X86_MOV_SP_FP_2[prefix], 3 - prefix);
}

/* Return: the length of add $imm, %rsp, or 0; out: @by, the number of bytes. */
static inline unsigned int lw_x86_added_to_sp(const u8 *code, bool compat, s32 *by)
{
	unsigned int prefix = compat ? 0 : 1;

	if (!compat && code[0] != LW_X86_REX_W)
		return 0;
	code += prefix;
	if (lw_x86_starts(code, LW_X86_ADD_IMM8_SP, 2)) {
		*by = (s8)code[2];
		return prefix + 3;
	}
	if (lw_x86_starts(code, LW_X86_ADD_IMM32_SP, 2)) {
		memcpy(by, code + 2, sizeof(*by));
		return prefix + 6;
	}
	return 0;
}

/* An epilogue: a number added to the stack pointer, any registers popped, then a return. */
static inline bool lw_x86_epilogue(const u8 *code, bool compat, struct lw_rule *rule)
{
	unsigned int word = compat ? LW_ARCH_COMPAT_WORD : LW_ARCH_WORD;
	unsigned int at, words, fp = 0;
	bool has_fp = false;
	s32 by = 0;

	at = lw_x86_added_to_sp(code, compat, &by);
	if (by < 0 || by > LW_X86_MAX_ADDED || by % (s32)word)
		return false;
	words = by / word;
	for (; at < LW_X86_EPILOGUE_LEN; at++) {
		if (code[at] == LW_X86_RET) {
			lw_x86_make_rule(rule, LW_BASE_SP, words + 1, word);
			if (has_fp)
				rule->fp = lw_x86_on_stack((s32)word *
							   ((s32)fp - (s32)words - 1));
			return true;
		}
		if (!compat && code[at] == LW_X86_REX_B && at + 1 < LW_X86_EPILOGUE_LEN) {
			at++;
		} else if (code[at] == LW_X86_POP_FP) {
			has_fp = true;
			fp = words;
		} else if (code[at] == LW_X86_POP_SP) {
			break;
		}
		if ((code[at] & ~7) != LW_X86_POP)
			break;
		words++;
	}
	return false;
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
	unsigned int word = compat ? LW_ARCH_COMPAT_WORD : LW_ARCH_WORD;

	if (exact && lw_x86_is_prologue(code, compat)) {
		lw_x86_make_rule(rule, LW_BASE_SP, 1, word);
		return true;
	}
	if (exact && lw_x86_is_half_prologue(code, compat)) {
		lw_x86_make_rule(rule, LW_BASE_SP, 2, word);
		rule->fp = lw_x86_on_stack(-2 * (s32)word);
		return true;
	}
	return lw_x86_epilogue(code, compat, rule);
}

/**
 * lw_arch_framed - the rule of a frame that its frame pointer points to
 * @rule: out
 * @compat: 32-bit code
 * @kind: of its frame, 0
 *
 * x86-64 psABI: push %rbp, mov %rsp, %rbp.  The i386 one has the same, with words of 4 bytes.
 */
static inline void lw_arch_framed(struct lw_rule *rule, bool compat, unsigned int kind)
{
	unsigned int word = compat ? LW_ARCH_COMPAT_WORD : LW_ARCH_WORD;

	lw_x86_make_rule(rule, LW_BASE_FP, 2, word);
	rule->fp = lw_x86_on_stack(-2 * (s32)word);
}

/**
 * lw_arch_is_clone - is this clone() or clone3() of glibc
 * @code: LW_ARCH_CLONE_LEN bytes, from the system call on
 *
 * test %rax, %rax; jl error; je child; ret
 *
 * Return: true if so.
 */
static inline bool lw_arch_is_clone(const u8 *code)
{
	const size_t len = sizeof(LW_X86_SYSCALL LW_X86_TEST_AX) - 1;

	if (!lw_x86_starts(code, LW_X86_SYSCALL LW_X86_TEST_AX, len))
		return false;
	code += len;
	if (lw_x86_starts(code, LW_X86_JL_REL8, 1))
		code += LW_X86_JL_REL8_LEN;
	else if (lw_x86_starts(code, LW_X86_JL_REL32, 2))
		code += LW_X86_JL_REL32_LEN;
	else
		return false;
	return lw_x86_starts(code, LW_X86_JE_REL8, 1) && code[LW_X86_JE_REL8_LEN] == LW_X86_RET;
}

/* The rule of clone() in the task that has called it. */
static inline void lw_arch_clone(struct lw_rule *rule)
{
	lw_x86_make_rule(rule, LW_BASE_SP, 1, LW_ARCH_WORD);
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
	/* Bytes of call *operand: ModRM byte, SIB byte, displacement of 0, 1 or 4 bytes. */
	static const u8 lens[] = { 2, 3, 4, 6, 7 };
	const u8 *end = code + LW_ARCH_CALL_LEN, *at;
	unsigned int i;

	if (end[-LW_X86_CALL_REL32_LEN] == LW_X86_CALL_REL32)
		return true;
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		at = end - lens[i];
		if (at[0] == LW_X86_GROUP_5 && (at[1] >> 3 & 7) == LW_X86_GROUP_5_CALL)
			return true;
	}
	return false;
}

#endif /* LW_ARCH_CODE_H */
