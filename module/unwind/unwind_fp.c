// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_fp.c - the fallback: the frame pointer, where no table has a rule.
 *
 * A guess.  It is right in code built with frame pointers, once the prologue
 * has run; so the code at the topmost frame's ip is looked at.  Code that takes the frame
 * down and returns is followed in any frame, and clone() behind its system call: that is no
 * guess, but is not told apart.
 * 32-bit code has nothing else.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "arch/sigframe.h"
#include "unwind.h"

#define ENDBR64		"\xf3\x0f\x1e\xfa"
#define ENDBR32		"\xf3\x0f\x1e\xfb"
#define PUSH_FP		"\x55"			/* push %rbp */
#define MOV_SP_FP	"\x48\x89\xe5"		/* mov %rsp, %rbp */
#define MOV_SP_FP_2	"\x48\x8b\xec"		/* same, other encoding */
#define REX_B		0x41			/* before pop: r8 to r15 */
#define POP		0x58			/* to 0x5f, by register */
#define POP_SP		0x5c
#define POP_FP		0x5d
#define REX_W		0x48
#define ADD_IMM8_SP	"\x83\xc4"		/* without the prefix */
#define ADD_IMM32_SP	"\x81\xc4"
#define RET		0xc3
#define SYSCALL		"\x0f\x05"
#define TEST_AX		"\x48\x85\xc0"		/* test %rax, %rax */
#define JL_REL8		"\x7c"			/* jl */
#define JL_REL8_LEN	2
#define JL_REL32	"\x0f\x8c"		/* same, other encoding */
#define JL_REL32_LEN	6
#define JE_REL8		"\x74"			/* je */
#define JE_REL8_LEN	2
#define CALL_REL32	0xe8
#define CALL_REL32_LEN	5
#define GROUP_5		0xff			/* with 2 in the ModRM byte: call */
#define GROUP_5_CALL	2
/* The longest call, but for prefixes. */
#define MAX_CALL	7

/* An epilogue: add $imm32, %rsp; six registers popped, four of them with a prefix; ret. */
#define CODE_LEN	18
/* The longest instruction of an epilogue. */
#define MAX_INSN	7
/* No frame that one instruction makes is larger. */
#define MAX_ADDED	0x100000

static bool fp_starts(const u8 *code, const char *with, size_t len)
{
	return !memcmp(code, with, len);
}

/**
 * struct frameless - stack of a function whose frame is not made yet, or taken down
 * @to_cfa: words from the stack pointer to the CFA; 0: the frame is there
 * @fp: the word from the stack pointer that has the caller's frame pointer, if @has_fp
 * @has_fp: else the caller's frame pointer is in its register
 */
struct frameless {
	unsigned int to_cfa;
	unsigned int fp;
	bool has_fp;
};

static bool fp_is_prologue(const u8 *code, bool compat)
{
	return fp_starts(code, compat ? ENDBR32 : ENDBR64, 4) || fp_starts(code, PUSH_FP, 1);
}

/* Is the frame pointer pushed, but not set?  32-bit code has no prefix. */
static bool fp_is_half_prologue(const u8 *code, bool compat)
{
	unsigned int prefix = compat ? 1 : 0;

	return fp_starts(code, &MOV_SP_FP[prefix], 3 - prefix) ||
	       fp_starts(code, &MOV_SP_FP_2[prefix], 3 - prefix);
}

/* Return: the length of add $imm, %rsp, or 0; out: @by, the number of bytes. */
static unsigned int fp_added_to_sp(const u8 *code, bool compat, s32 *by)
{
	unsigned int prefix = compat ? 0 : 1;

	if (!compat && code[0] != REX_W)
		return 0;
	code += prefix;
	if (fp_starts(code, ADD_IMM8_SP, 2)) {
		*by = (s8)code[2];
		return prefix + 3;
	}
	if (fp_starts(code, ADD_IMM32_SP, 2)) {
		memcpy(by, code + 2, sizeof(*by));
		return prefix + 6;
	}
	return 0;
}

/* An epilogue: a number added to the stack pointer, any registers popped, then a return. */
static struct frameless fp_find_epilogue(const u8 *code, bool compat)
{
	unsigned int word = compat ? LW_ARCH_COMPAT_WORD : LW_ARCH_WORD;
	struct frameless found = {};
	unsigned int at, words = 0;
	s32 by = 0;

	at = fp_added_to_sp(code, compat, &by);
	if (by < 0 || by > MAX_ADDED || by % (s32)word)
		return found;
	words = by / word;
	for (; at < CODE_LEN; at++) {
		if (code[at] == RET) {
			found.to_cfa = words + 1;
			return found;
		}
		if (!compat && code[at] == REX_B && at + 1 < CODE_LEN) {
			at++;
		} else if (code[at] == POP_FP) {
			found.has_fp = true;
			found.fp = words;
		} else if (code[at] == POP_SP) {
			break;
		}
		if ((code[at] & ~7) != POP)
			break;
		words++;
	}
	return (struct frameless) {};
}

static struct frameless fp_find_frameless(struct lw_frame *frame)
{
	u8 code[CODE_LEN + MAX_INSN];

	if (lw_unwind_read_code(frame, code, frame->ip, sizeof(code), true))
		frame->unseen = true;
	if (!frame->exact)
		return fp_find_epilogue(code, frame->compat);
	if (fp_is_prologue(code, frame->compat))
		return (struct frameless) { .to_cfa = 1 };
	if (fp_is_half_prologue(code, frame->compat))
		return (struct frameless) { .to_cfa = 2, .has_fp = true };
	return fp_find_epilogue(code, frame->compat);
}

/*
 * Is this behind the system call of clone() or clone3() in glibc?  There it has no CFI, as the
 * stack may be the caller's or a new one: test %rax, %rax; jl error; je child; ret.
 */
static bool fp_is_behind_clone(const struct lw_frame *frame)
{
	u8 code[sizeof(SYSCALL TEST_AX) - 1 + JL_REL32_LEN + JE_REL8_LEN + 1], *at = code;

	if (lw_unwind_read_code(frame, code, frame->ip - (sizeof(SYSCALL) - 1), sizeof(code),
				true) ||
	    !fp_starts(at, SYSCALL TEST_AX, sizeof(SYSCALL TEST_AX) - 1))
		return false;
	at += sizeof(SYSCALL TEST_AX) - 1;
	if (fp_starts(at, JL_REL8, 1))
		at += JL_REL8_LEN;
	else if (fp_starts(at, JL_REL32, 2))
		at += JL_REL32_LEN;
	else
		return false;
	return fp_starts(at, JE_REL8, 1) && at[JE_REL8_LEN] == RET;
}

static struct lw_rule_value fp_on_stack(s32 off)
{
	return (struct lw_rule_value) {
		.off = off, .base = LW_BASE_CFA, .deref = 1,
	};
}

/* The CFA is @words above @base, the return address right below it. */
static void fp_make_rule(struct lw_rule *rule, u8 base, unsigned int words, unsigned int word)
{
	*rule = (struct lw_rule) { .ra = fp_on_stack(-(s32)word) };
	rule->cfa.base = base;
	rule->cfa.off = words * word;
}

/*
 * Behind clone() the caller's stack has its return address on top, and a new thread's has no
 * caller.  Which of them this is only the result tells, so that no rule is kept.
 */
static bool fp_is_clone(struct lw_frame *frame, struct lw_rule *rule)
{
	if (!frame->exact || frame->compat || !frame->gprs_known || !fp_is_behind_clone(frame))
		return false;
	frame->unseen = true;
	if (frame->gprs[LW_ARCH_SYSCALL_REG])
		fp_make_rule(rule, LW_BASE_SP, 1, LW_ARCH_WORD);
	else
		*rule = (struct lw_rule) { .flags = LW_RULE_OUTERMOST };
	return true;
}

/**
 * lw_unwind_fp - a rule from the frame pointer
 * @frame: where the walk is
 * @rule: out
 *
 * x86-64 psABI: push %rbp, mov %rsp, %rbp; the frame pointer is 0 in the
 * outermost frame.  The i386 one has the same, with words of 4 bytes.
 *
 * Context: as lw_unwind().
 * Return: 0, or -ENOENT when the frame pointer can't be one.
 */
int lw_unwind_fp(struct lw_frame *frame, struct lw_rule *rule)
{
	unsigned int word = lw_frame_word(frame);
	struct frameless frameless;

	if (fp_is_clone(frame, rule))
		return 0;
	frameless = fp_find_frameless(frame);
	if (frameless.to_cfa) {
		fp_make_rule(rule, LW_BASE_SP, frameless.to_cfa, word);
		if (frameless.has_fp)
			rule->fp = fp_on_stack((s32)word *
					       ((s32)frameless.fp - (s32)frameless.to_cfa));
		return 0;
	}
	if (!frame->fp_known)
		return -ENOENT;
	if (!frame->fp) {
		*rule = (struct lw_rule) { .flags = LW_RULE_OUTERMOST };
		return 0;
	}
	if (frame->fp % word || frame->fp < frame->sp)
		return -ENOENT;
	fp_make_rule(rule, LW_BASE_FP, 2, word);
	rule->fp = fp_on_stack(-2 * (s32)word);
	return 0;
}

/**
 * lw_unwind_is_behind_call - may a call end where a frame is?
 * @frame: at what may be a return address, of 64-bit code
 * @unread: what to return if the code in front can't be read
 *
 * Context: as lw_unwind().
 * Return: false if none does, or @unread.
 */
bool lw_unwind_is_behind_call(const struct lw_frame *frame, bool unread)
{
	/* Bytes of call *operand: ModRM byte, SIB byte, displacement of 0, 1 or 4 bytes. */
	static const u8 lens[] = { 2, 3, 4, 6, 7 };
	u8 code[MAX_CALL];
	const u8 *end = code + sizeof(code), *at;
	unsigned int i;

	if (lw_unwind_read_code(frame, code, frame->ip - sizeof(code), sizeof(code), true))
		return unread;
	if (end[-CALL_REL32_LEN] == CALL_REL32)
		return true;
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		at = end - lens[i];
		if (at[0] == GROUP_5 && (at[1] >> 3 & 7) == GROUP_5_CALL)
			return true;
	}
	return false;
}
