// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_fp.c - the fallback: the frame pointer, where no table says better.
 *
 * A guess.  It is right in code built with frame pointers, once the prologue
 * has run, so for the topmost frame the bytes at the ip are looked at.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "unwind.h"

#define ENDBR64		"\xf3\x0f\x1e\xfa"
#define PUSH_FP		"\x55"			/* push %rbp */
#define MOV_SP_FP	"\x48\x89\xe5"		/* mov %rsp, %rbp */
#define MOV_SP_FP_2	"\x48\x8b\xec"		/* same, other encoding */
#define RET		"\xc3"

/* The longest of these. */
#define CODE_LEN	4

static bool starts(const u8 *code, const char *with, size_t len)
{
	return !memcmp(code, with, len);
}

/* Return: bytes from SP to the CFA if the frame is not there, else 0. */
static int outside_frame(const struct lw_frame *frame)
{
	u8 code[CODE_LEN] = {};
	u32 len;

	/* The next page may not be mapped: as much as there is. */
	for (len = CODE_LEN; len; len--)
		if (!lw_unwind_read(code, frame->ip, len))
			break;
	if (starts(code, ENDBR64, 4) || starts(code, PUSH_FP, 1) ||
	    starts(code, RET, 1))
		return 8;
	if (starts(code, MOV_SP_FP, 3) || starts(code, MOV_SP_FP_2, 3))
		return 16;
	return 0;
}

static struct lw_rule_value on_stack(s32 off)
{
	return (struct lw_rule_value) {
		.off = off, .base = LW_BASE_CFA, .deref = 1,
	};
}

/**
 * lw_unwind_fp - a rule from the frame pointer
 * @frame: where the walk is
 * @rule: out
 *
 * x86-64 psABI: push %rbp, mov %rsp, %rbp; the frame pointer is 0 in the
 * outermost frame.
 *
 * Context: as lw_unwind().
 * Return: 0, or -ENOENT when the frame pointer can't be one.
 */
int lw_unwind_fp(const struct lw_frame *frame, struct lw_rule *rule)
{
	int to_cfa = frame->exact ? outside_frame(frame) : 0;

	*rule = (struct lw_rule) { .ra = on_stack(-8) };
	if (to_cfa) {
		rule->cfa.base = LW_BASE_SP;
		rule->cfa.off = to_cfa;
		if (to_cfa == 16)
			rule->fp = on_stack(-16);
		return 0;
	}
	if (!frame->fp_known)
		return -ENOENT;
	if (!frame->fp) {
		rule->flags = LW_RULE_OUTERMOST;
		return 0;
	}
	if (frame->fp % 8 || frame->fp < frame->sp)
		return -ENOENT;
	rule->cfa.base = LW_BASE_FP;
	rule->cfa.off = 16;
	rule->fp = on_stack(-16);
	return 0;
}
