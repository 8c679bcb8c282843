// SPDX-License-Identifier: GPL-2.0
/* sframe_path_test - functions of our converter's own type: a CFA behind pointers */
#include "lookup.h"

#define RSP		7
#define RBP		6
#define R13		13
#define PAD		0
#define PATH		0x1f
#define CTL_SWITCH(reg)	((reg) << 3 | 5)
#define SAVED(nr, slot)	((slot) << 3 | (nr))
#define INDEX(derefs, reg)	(((reg) + 1) << 2 | (derefs))

static void one_row(struct section *sec, __u8 size, const __s32 *words, unsigned int n)
{
	section_init(sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
	section_fde(sec, 0x401800, 16, INC, 0);
	section_row(sec, 0, SP, 8);
	section_flex(sec, 0x402000, 16, INC, 0);
	section_words(sec, 0, size, words, n);
	section_finish(sec);
	section_put_field(sec, 1, F_INFO2, PATH);
	sec->place.paths = 1;
}

static int row_result(const __s32 *words, unsigned int n, __u8 size)
{
	struct section sec;
	int err;

	one_row(&sec, size, words, n);
	err = result(&sec, 0x402000);
	section_free(&sec);
	return err;
}

static int row_is(const __s32 *words, unsigned int n, __u8 size, struct lw_rule wanted)
{
	struct section sec;
	int is;

	one_row(&sec, size, words, n);
	is = is_rule(&sec, 0x402000, wanted);
	section_free(&sec);
	return is;
}

#define N_WORDS(words) (sizeof(words) / sizeof((words)[0]))

#define SIZED_RESULT(size, ...) ({					\
	const __s32 words_[] = { __VA_ARGS__ };				\
									\
	row_result(words_, N_WORDS(words_), size);			\
})
#define RESULT(...) SIZED_RESULT(W1, __VA_ARGS__)

#define ROW_IS(rule, size, ...) ({					\
	const __s32 words_[] = { __VA_ARGS__ };				\
									\
	row_is(words_, N_WORDS(words_), size, rule);			\
})

/* To the CFA by this many pointers. */
static struct lw_rule path(struct lw_rule_value cfa, __u8 derefs, __s32 first, __s32 second)
{
	struct lw_rule rule = amd64(cfa, 0);

	rule.cfa.deref = derefs;
	rule.then[0] = first;
	rule.then[1] = second;
	return rule;
}

static struct lw_rule on_other_stack(struct lw_rule rule)
{
	rule.flags |= LW_RULE_SWITCH;
	return rule;
}

TEST(a_cfa_is_behind_up_to_two_pointers)
{
	CHECK(ROW_IS(path(at_sp(8), 0, 0, 0), W1, CTL_REG(RSP), 0, 8));
	CHECK(ROW_IS(path(at_sp(8), 1, 8, 0), W1, CTL_REG(RSP), 1, 8, 8));
	CHECK(ROW_IS(path(at_sp(56), 2, 0, 8), W1, CTL_REG(RSP), 2, 56, 0, 8));
	CHECK(ROW_IS(path(at_sp(-1000), 2, 3000, -8), W2, CTL_REG(RSP), 2, -1000, 3000, -8));
	CHECK(ROW_IS(path(at_reg(R13, 70000), 1, -70000, 0), W4,
		     CTL_REG(R13), 1, 70000, -70000));
}

TEST(eight_times_a_register_may_be_added)
{
	struct lw_rule rule = path(at_sp(8), 1, 8, 0);
	unsigned int reg;

	for (reg = 0; reg < 16; reg++) {
		rule.cfa.index = reg + 1;
		if (reg == RSP || reg == RBP)
			CHECK_EQ(RESULT(CTL_REG(RSP), INDEX(1, reg), 8, 8), LW_SFRAME_BAD_REGISTER);
		else
			CHECK(ROW_IS(rule, W1, CTL_REG(RSP), INDEX(1, reg), 8, 8));
	}
	CHECK_EQ(RESULT(CTL_REG(RSP), INDEX(1, 16), 8, 8), LW_SFRAME_BAD_REGISTER);
	rule = path(at_fp(-8), 0, 0, 0);
	rule.cfa.index = R13 + 1;
	CHECK(ROW_IS(rule, W2, CTL_REG(RBP), INDEX(0, R13), -8));
}

TEST(it_may_be_on_another_stack)
{
	CHECK(ROW_IS(on_other_stack(path(at_fp(16), 0, 0, 0)), W1, CTL_SWITCH(RBP), 0, 16));
	CHECK(ROW_IS(on_other_stack(path(at_sp(8), 1, 8, 0)), W1, CTL_SWITCH(RSP), 1, 8, 8));
}

TEST(ra_and_fp_come_behind_as_in_flex_rows)
{
	struct lw_rule rule = path(at_sp(16), 1, 80, 0);

	rule.fp = mem(at_cfa(-24));
	CHECK(ROW_IS(rule, W1, CTL_REG(RSP), 1, 16, 80, PAD, CTL_CFA_AT, -24));
	rule.ra = at_reg(3, 0);
	CHECK(ROW_IS(rule, W1, CTL_REG(RSP), 1, 16, 80, CTL_REG(3), 0, CTL_CFA_AT, -24));
}

TEST(saved_registers_come_last)
{
	struct lw_rule rule = path(at_sp(16), 0, 0, 0);

	rule.saved[0] = -16;
	CHECK(ROW_IS(rule, W1, CTL_REG(RSP), 0, 16, PAD, PAD, SAVED(0, 2)));
	rule.saved[4] = LW_RULE_GONE;
	CHECK(ROW_IS(rule, W1, CTL_REG(RSP), 0, 16, PAD, PAD, SAVED(0, 2), SAVED(4, 0)));
	rule.fp = mem(at_cfa(-24));
	CHECK(ROW_IS(rule, W1, CTL_REG(RSP), 0, 16, PAD, CTL_CFA_AT, -24, SAVED(4, 0),
		     SAVED(0, 2)));
	rule.saved[0] = -0x7ffffff8;
	CHECK(ROW_IS(rule, W4, CTL_REG(RSP), 0, 16, PAD, CTL_CFA_AT, -24, SAVED(4, 0),
		     SAVED(0, 0xfffffff)));
}

TEST(a_function_may_tell_of_one_register_or_of_all)
{
	const __s32 words[] = { CTL_REG(RSP), 0, 8 };
	static const __u32 told[8] = { 0, 1, 2, 4, 8, 16, 0x1f, 0x1f };
	struct lw_rule rule = path(at_sp(8), 0, 0, 0), plain = amd64(at_sp(8), 0);
	struct section sec;
	unsigned int i;

	one_row(&sec, W1, words, N_WORDS(words));
	for (i = 0; i < 8; i++) {
		sec.place.paths = 1;
		section_put_field(&sec, 0, F_INFO2, i << 5);
		section_put_field(&sec, 1, F_INFO2, i << 5 | PATH);
		rule.told = told[i];
		plain.told = told[i];
		CHECK(is_rule(&sec, 0x402000, rule));
		CHECK(is_rule(&sec, 0x401800, plain));
		/* In a section of another the bits are unused. */
		sec.place.paths = 0;
		plain.told = 0;
		CHECK(is_rule(&sec, 0x401800, plain));
	}
	section_free(&sec);
}

/*
 * The longest row, by read(): wherever in a block it is, and with a block behind it that
 * could be read too.
 */
TEST(fourteen_words_may_be_anywhere_in_a_block)
{
	const __s32 words[] = {
		CTL_REG(RSP), 2, 70000, -80000, 90000, CTL_REG(3), 0, CTL_CFA_AT, -24,
		SAVED(4, 4), SAVED(0, 0), SAVED(1, 3), SAVED(3, 100000), SAVED(2, 5),
	};
	struct lw_rule rule = path(at_sp(70000), 2, -80000, 90000);
	struct section sec;
	unsigned int shift;

	rule.ra = at_reg(3, 0);
	rule.fp = mem(at_cfa(-24));
	rule.saved[0] = LW_RULE_GONE;
	rule.saved[1] = -24;
	rule.saved[2] = -40;
	rule.saved[3] = -800000;
	rule.saved[4] = -32;
	for (shift = 0; shift < LW_SFRAME_BLOCK; shift++) {
		section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
		section_flex(&sec, 0x402000, 16, INC | 2, 0);
		section_words(&sec, 0, W4, words, N_WORDS(words));
		section_words(&sec, 8, W4, words, N_WORDS(words));
		section_words(&sec, 9, W4, words, N_WORDS(words));
		section_words(&sec, 10, W4, words, N_WORDS(words));
		section_finish(&sec);
		section_put_field(&sec, 0, F_INFO2, PATH);
		sec.place.paths = 1;
		/* With the text: starts are relative. */
		sec.place.addr += shift;
		CHECK(is_rule(&sec, 0x402000 + shift, rule));
		CHECK(is_rule(&sec, 0x402008 + shift, rule));
		section_free(&sec);
	}
}

TEST(words_that_make_no_path_are_refused)
{
	CHECK_EQ(RESULT(CTL_REG_AT(RSP), 0, 8), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(CTL_CFA_AT, 0, 8), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(PAD, 0, 8), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(CTL_REG(RSP), 3, 8, 8, 8, 8), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(CTL_REG(RSP), -1, 8, 8), LW_SFRAME_BAD_REGISTER);
	CHECK_EQ(RESULT(CTL_REG(RSP), 1, 8), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(CTL_REG(RSP), 2, 8, 8), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(CTL_REG(RSP), 0, 8, PAD, PAD, SAVED(5, 2)), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(CTL_REG(RSP), 0, 8, PAD, PAD, -15), LW_SFRAME_BAD_FLEX);
	CHECK_EQ(RESULT(CTL_REG(RSP), 0, 8, PAD, PAD, SAVED(1, 2), SAVED(1, 3)),
		 LW_SFRAME_BAD_FLEX);
	CHECK_EQ(SIZED_RESULT(W2, CTL_REG(17), 0, 8), LW_SFRAME_BAD_REGISTER);
	/* fewer or more words than any path has */
	CHECK_EQ(RESULT(CTL_REG(RSP)), LW_SFRAME_BAD_WORD_COUNT);
	CHECK_EQ(RESULT(CTL_REG(RSP), 0), LW_SFRAME_BAD_WORD_COUNT);
	CHECK_EQ(RESULT(CTL_REG(RSP), 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
		 LW_SFRAME_BAD_WORD_COUNT);
}

TEST(only_tables_of_ours_have_them)
{
	const __s32 words[] = { CTL_REG(RSP), 1, 8, 8 };
	struct section sec;

	one_row(&sec, W1, words, N_WORDS(words));
	sec.place.paths = 0;
	CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_UNKNOWN_FDE_TYPE);
	sec.place.paths = 1;
	section_put_field(&sec, 1, F_INFO2, PATH - 1);
	CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_UNKNOWN_FDE_TYPE);
	section_free(&sec);
}

/* The mark of rows that come from instructions; elsewhere the bit is unused. */
TEST(only_tables_of_ours_have_analysed_functions)
{
	struct lw_rule rule = amd64(at_sp(8), 0), marked = rule;
	struct section sec;
	unsigned int version;

	marked.flags |= LW_RULE_ANALYSED;
	for (version = 2; version <= 3; version++) {
		section_init(&sec, version, LW_SFRAME_ABI_AMD64, SORTED);
		section_fde(&sec, 0x401800, 16, INC, 0);
		section_row(&sec, 0, SP, 8);
		section_fde(&sec, 0x402000, 16, INC | 0x40, 0);
		section_row(&sec, 0, SP, 8);
		section_finish(&sec);
		sec.place.paths = 1;
		CHECK(is_rule(&sec, 0x401800, rule));
		CHECK(is_rule(&sec, 0x402000, marked));
		sec.place.paths = 0;
		CHECK(is_rule(&sec, 0x402000, rule));
		section_free(&sec);
	}
}

int main(void)
{
	return tap_main();
}
