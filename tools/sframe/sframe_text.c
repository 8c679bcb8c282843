// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_text.c - results and rules of SFrame sections as text.
 */
#include <string.h>

#include "sframe/sframe_text.h"

static const char * const results[] = {
	[LW_SFRAME_OK]			= "all is well",
	[LW_SFRAME_NO_RULE]		= "there is no rule",
	[LW_SFRAME_FOREIGN_ORDER]	= "its byte order is not that of its ABI",
	[LW_SFRAME_UNKNOWN_VERSION]	= "its version is neither 2 nor 3",
	[LW_SFRAME_UNKNOWN_FLAG]	= "its header has a flag that its version does not know",
	[LW_SFRAME_UNSORTED]		= "its header does not say that functions are sorted",
	[LW_SFRAME_OTHER_ABI]		= "its ABI is not known",
	[LW_SFRAME_UNKNOWN_FDE_TYPE]	= "the function's type is neither DEFAULT nor FLEX",
	[LW_SFRAME_TOO_MANY_FDES]	= "it has more functions than are ever looked through",
	[LW_SFRAME_TOO_MANY_EMPTY]	= "more empty functions begin here than are passed by",
	[LW_SFRAME_TOO_MANY_ROWS]	= "the function has more rows than are ever walked",
	[LW_SFRAME_BAD_RANGE]		= "its addresses, or those of the code, make no range",
	[LW_SFRAME_TOO_SHORT]		= "it is too short for a header",
	[LW_SFRAME_BAD_MAGIC]		= "it does not begin with SFrame's magic number",
	[LW_SFRAME_BAD_FIXED_SLOT]	= "the fixed slot of RA or FP is not that of its ABI",
	[LW_SFRAME_NO_FDES]		= "it has no functions",
	[LW_SFRAME_FDES_OUTSIDE]	= "its functions are not all inside of it",
	[LW_SFRAME_ROWS_OUTSIDE]	= "its rows are not all inside of it",
	[LW_SFRAME_AREAS_OVERLAP]	= "its functions and rows lie on top of each other",
	[LW_SFRAME_BAD_ORDER]		= "functions are not sorted by their starts",
	[LW_SFRAME_FUNC_OUTSIDE]	= "the function is not inside of the file's code",
	[LW_SFRAME_BAD_ROW_TYPE]	= "the width of its rows' starts is none of 1, 2, 4 bytes",
	[LW_SFRAME_BAD_BLOCK_SIZE]	= "its repeated block is empty or larger than it",
	[LW_SFRAME_FUNC_ROWS_OUTSIDE]	= "its rows are not all inside of the section's",
	[LW_SFRAME_ROW_OUTSIDE]		= "it does not end inside of the section's rows",
	[LW_SFRAME_BAD_WORD_SIZE]	= "the width of its words is none of 1, 2, 4 bytes",
	[LW_SFRAME_BAD_WORD_COUNT]	= "it has a number of words that its ABI does not know",
	[LW_SFRAME_BAD_ROW_START]	= "it starts behind the function, or the repeated block",
	[LW_SFRAME_BAD_ROW_ORDER]	= "it starts before the row before it",
	[LW_SFRAME_BAD_FLEX]		= "its words make no rules",
	[LW_SFRAME_BAD_REGISTER]	= "it names a register that its ABI does not have",
	[LW_SFRAME_BAD_OFFSET]		= "the offset of its CFA is out of range",
};

_Static_assert(ARRAY_SIZE(results) == LW_SFRAME_NUM_RESULTS, "a text for each result");

/**
 * lw_sframe_result_text - a result in words
 * @result: of any call of sframe.h
 *
 * "It" is the section up to LW_SFRAME_AREAS_OVERLAP, then the function, then
 * the row.
 *
 * Return: text without full stop, never NULL.
 */
const char *lw_sframe_result_text(int result)
{
	if (result < 0)
		return strerror(-result);
	if (result >= (int)ARRAY_SIZE(results) || !results[result])
		return "an unknown result";
	return results[result];
}

/**
 * lw_sframe_abi_name - the name of an ABI
 * @abi: LW_SFRAME_ABI_*
 *
 * Return: a word, never NULL.
 */
const char *lw_sframe_abi_name(unsigned int abi)
{
	static const char * const names[] = {
		[LW_SFRAME_ABI_ANY]		= "unknown",
		[LW_SFRAME_ABI_AARCH64_BE]	= "aarch64_be",
		[LW_SFRAME_ABI_AARCH64_LE]	= "aarch64",
		[LW_SFRAME_ABI_AMD64]		= "amd64",
		[LW_SFRAME_ABI_S390X]		= "s390x",
	};

	return names[abi < ARRAY_SIZE(names) ? abi : LW_SFRAME_ABI_ANY];
}

/* Return: the name of a DWARF register of an ABI, never NULL. */
static const char *register_name(unsigned int abi, unsigned int reg)
{
	static const char amd64[][4] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};
	static const char aarch64[][4] = {
		"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
		"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
		"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
	};
	/* numbers of the even ones come first, four and four */
	static const char s390x[][4] = {
		"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		"f0", "f2", "f4", "f6", "f1", "f3", "f5", "f7",
		"f8", "f10", "f12", "f14", "f9", "f11", "f13", "f15",
	};

	switch (abi) {
	case LW_SFRAME_ABI_AMD64:
		return reg < ARRAY_SIZE(amd64) ? amd64[reg] : "?";
	case LW_SFRAME_ABI_AARCH64_BE:
	case LW_SFRAME_ABI_AARCH64_LE:
		return reg < ARRAY_SIZE(aarch64) ? aarch64[reg] : "?";
	case LW_SFRAME_ABI_S390X:
		return reg < ARRAY_SIZE(s390x) ? s390x[reg] : "?";
	}
	return "?";
}

static const char *base_name(unsigned int abi, const struct lw_rule_value *value)
{
	switch (value->base) {
	case LW_BASE_SP:
		return "sp";
	case LW_BASE_FP:
		return "fp";
	case LW_BASE_CFA:
		return "cfa";
	case LW_BASE_REG:
		return register_name(abi, value->reg);
	}
	return "same";
}

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* There are millions of them in a large file, printf() takes its time. */
static char *put_offset(char *to, s32 off)
{
	u32 left = off < 0 ? -(u32)off : (u32)off;
	char digits[10];
	int nr = 0;

	*to++ = off < 0 ? '-' : '+';
	do
		digits[nr++] = '0' + left % 10;
	while (left /= 10);
	while (nr)
		*to++ = digits[--nr];
	return to;
}

/**
 * lw_sframe_value_text - a value of a rule as text
 * @buf: out: LW_VALUE_TEXT_MAX bytes
 * @abi: LW_SFRAME_ABI_*
 * @value: of a rule that is not outermost
 *
 * "sp+16", "*(cfa-8)", "x30", or "same" for a value that did not change.
 */
void lw_sframe_value_text(char *buf, unsigned int abi, const struct lw_rule_value *value)
{
	if (value->deref)
		buf = put_text(buf, "*(");
	buf = put_text(buf, base_name(abi, value));
	if (value->off || value->deref)
		buf = put_offset(buf, value->off);
	if (value->deref)
		*buf++ = ')';
	*buf = 0;
}

/**
 * lw_sframe_cfa_text - the CFA of a rule as text
 * @buf: out: LW_VALUE_TEXT_MAX bytes
 * @abi: LW_SFRAME_ABI_*
 * @rule: not outermost
 *
 * As lw_sframe_value_text(), or a path like "*(*(sp+56)+0)+8" or "*(sp+8*r9+8)+8".
 */
void lw_sframe_cfa_text(char *buf, unsigned int abi, const struct lw_rule *rule)
{
	struct lw_rule_value first = rule->cfa;

	if (rule->cfa.deref < 2 && !rule->then[0] && !rule->cfa.index) {
		lw_sframe_value_text(buf, abi, &rule->cfa);
		return;
	}
	first.deref = 0;
	for (unsigned int i = 0; i < rule->cfa.deref; i++)
		buf = put_text(buf, "*(");
	buf = put_text(buf, base_name(abi, &first));
	if (first.index) {
		buf = put_text(buf, "+8*");
		buf = put_text(buf, register_name(abi, first.index - 1));
	}
	buf = put_offset(buf, first.off);
	for (unsigned int i = 0; i < rule->cfa.deref && i < LW_RULE_DEREFS; i++) {
		*buf++ = ')';
		buf = put_offset(buf, rule->then[i]);
	}
	*buf = 0;
}

/**
 * lw_sframe_index_text - the register of an index
 * @abi: LW_SFRAME_ABI_*
 * @index: of a CFA, not 0
 *
 * Return: its name.
 */
const char *lw_sframe_index_text(unsigned int abi, unsigned int index)
{
	return register_name(abi, index - 1);
}

/**
 * lw_sframe_told_text - which saved registers a function tells of
 * @abi: LW_SFRAME_ABI_*
 * @told: lw_sframe_fde.told, not 0: the index in lw_rule.saved and 1, or more for all
 *
 * Return: a word.
 */
const char *lw_sframe_told_text(unsigned int abi, unsigned int told)
{
	static const u8 amd64[LW_RULE_SAVED] = { 3, 12, 13, 14, 15 };
	static const u8 aarch64[LW_RULE_SAVED] = { 19, 20, 21, 22, 23 };
	static const u8 s390x[LW_RULE_SAVED] = { 8, 9, 10, 12, 13 };

	if (told > LW_RULE_SAVED)
		return "all";
	if (abi == LW_SFRAME_ABI_AMD64)
		return register_name(abi, amd64[told - 1]);
	return register_name(abi, abi == LW_SFRAME_ABI_S390X ? s390x[told - 1] : aarch64[told - 1]);
}

/**
 * lw_sframe_saved_text - where a register is saved, as text
 * @buf: out: LW_VALUE_TEXT_MAX bytes
 * @saved: of a rule, not 0
 *
 * "*(cfa-16)", or "gone".
 */
void lw_sframe_saved_text(char *buf, s32 saved)
{
	const struct lw_rule_value value = { .off = saved, .base = LW_BASE_CFA, .deref = 1 };

	if (saved == LW_RULE_GONE)
		strcpy(buf, "gone");
	else
		lw_sframe_value_text(buf, LW_SFRAME_ABI_AMD64, &value);
}

/**
 * lw_sframe_value_json - a value of a rule as JSON
 * @json: where to
 * @name: of the member
 * @abi: LW_SFRAME_ABI_*
 * @value: of a rule that is not outermost
 *
 * An object, or null for a value that did not change.
 */
void lw_sframe_value_json(struct lw_json *json, const char *name, unsigned int abi,
			  const struct lw_rule_value *value)
{
	if (value->base == LW_BASE_NONE) {
		lw_json_null(json, name);
		return;
	}
	lw_json_open(json, name, '{');
	lw_json_str(json, "base", base_name(abi, value));
	lw_json_s64(json, "offset", value->off);
	lw_json_bool(json, "deref", value->deref);
	lw_json_close(json, '}');
}
