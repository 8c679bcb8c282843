// SPDX-License-Identifier: GPL-2.0
/* sframe_fde_test - functions: their search, checks, and repeated blocks */
#include "lookup.h"

static void begin(struct section *sec, const struct form *form)
{
	section_init(sec, form->version, LW_SFRAME_ABI_AMD64, form->flags);
}

TEST(a_function_must_be_inside_of_the_text)
{
	__u64 pc = START_SMALL + 5;

	EACH_GOOD {
		sec.place.text_start = START_SMALL;
		CHECK_EQ(result(&sec, pc), 0);
		sec.place.text_start = START_SMALL + 1;
		CHECK_EQ(result(&sec, pc), LW_SFRAME_FUNC_OUTSIDE);
		sec.place.text_start = 0x401000;
		sec.place.text_end = START_SMALL + 0x80;
		CHECK_EQ(result(&sec, pc), 0);
		sec.place.text_end = START_SMALL + 0x7f;
		CHECK_EQ(result(&sec, pc), LW_SFRAME_FUNC_OUTSIDE);
	}
	EACH_VERSION(v)
		CHECK_EQ(find_with(v, SMALL, F_SIZE, ~0U, pc),
			 LW_SFRAME_FUNC_OUTSIDE);
}

TEST(a_function_that_wraps_around_is_outside)
{
	EACH_FORM_WITH(begin(&sec, form)) {
		sec.place.addr = ~0ULL - 0xffff;
		sec.place.text_start = ~0ULL - 0xfffff;
		sec.place.text_end = ~0ULL - 0x1ffff;
		section_fde(&sec, ~0ULL - 0x3ffff, 0x10000, INC, 0);
		section_row(&sec, 0, SP, 8);
		section_finish(&sec);
		CHECK_EQ(result(&sec, ~0ULL - 0x3ffff), 0);
		section_put_field(&sec, 0, F_SIZE, 0x20001);
		CHECK_EQ(result(&sec, ~0ULL - 0x3ffff),
			 LW_SFRAME_FUNC_OUTSIDE);
		section_put_field(&sec, 0, F_SIZE, 0x40010);
		CHECK_EQ(result(&sec, ~0ULL - 0x3ffff),
			 LW_SFRAME_FUNC_OUTSIDE);
		section_put_field(&sec, 0, F_SIZE, 0xffffffff);
		CHECK_EQ(result(&sec, ~0ULL - 0x3ffff),
			 LW_SFRAME_FUNC_OUTSIDE);
	}
}

TEST(functions_outside_of_the_text_do_no_harm_to_others)
{
	EACH_GOOD {
		sec.place.text_start = START_MIDDLE;
		sec.place.text_end = START_LARGE;
		CHECK(is_rule(&sec, START_MIDDLE, amd64(at_sp(8), 0)));
		CHECK_EQ(result(&sec, START_LARGE - 1), LW_SFRAME_NO_RULE);
	}
}

/* ---- the search ---- */

TEST(empty_functions_hide_none)
{
	EACH_GOOD {
		CHECK(is_rule(&sec, START_SHARED + 2, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, START_SHARED + 15, amd64(at_sp(8), 0)));
	}
}

static int find_among_empty(const struct form *form, unsigned int before,
			    unsigned int after, __u64 pc)
{
	struct section sec;
	int err;

	begin(&sec, form);
	section_fde(&sec, 0x401100, 16, INC, 0);
	section_row(&sec, 0, SP, 8);
	while (before--)
		section_fde(&sec, 0x402000, 0, INC, 0);
	section_fde(&sec, 0x402000, 16, INC, 0);
	section_row(&sec, 0, SP, 16);
	while (after--)
		section_fde(&sec, 0x402000, 0, INC, 0);
	section_fde(&sec, 0x403000, 16, INC, 0);
	section_row(&sec, 0, SP, 24);
	section_finish(&sec);
	err = result(&sec, pc);
	if (!err)
		CHECK(is_rule(&sec, pc,
			      amd64(at_sp(pc < 0x402000 ? 8 : 16), 0)));
	section_free(&sec);
	return err;
}

TEST(the_step_back_over_empty_functions_is_bounded)
{
	unsigned int max = LW_SFRAME_MAX_EMPTY, n;

	EACH_FORM {
		for (n = 0; n <= max; n++)
			CHECK_EQ(find_among_empty(form, n % 3, n, 0x402000), 0);
		CHECK_EQ(find_among_empty(form, 9, max, 0x402000), 0);
		CHECK_EQ(find_among_empty(form, 0, max + 1, 0x402000),
			 LW_SFRAME_TOO_MANY_EMPTY);
		CHECK_EQ(find_among_empty(form, 0, 1000, 0x402000),
			 LW_SFRAME_TOO_MANY_EMPTY);
		/* covered by none, and the bound not reached */
		CHECK_EQ(find_among_empty(form, 1, 2, 0x402010),
			 LW_SFRAME_NO_RULE);
		CHECK_EQ(find_among_empty(form, 1, max - 2, 0x402010),
			 LW_SFRAME_NO_RULE);
		/* and not over other starts */
		CHECK_EQ(find_among_empty(form, 1, 2, 0x40110f), 0);
		CHECK_EQ(find_among_empty(form, 1, 2, 0x401110),
			 LW_SFRAME_NO_RULE);
	}
}

TEST(the_step_back_does_not_go_over_other_starts)
{
	/* the first is long enough for all that follows */
	EACH_FORM_WITH(begin(&sec, form)) {
		section_fde(&sec, 0x402000, 0x100, INC, 0);
		section_row(&sec, 0, SP, 8);
		section_fde(&sec, 0x402010, 0, INC, 0);
		section_fde(&sec, 0x402020, 8, INC, 0);
		section_row(&sec, 0, SP, 16);
		section_finish(&sec);
		CHECK_EQ(result(&sec, 0x40200f), 0);
		CHECK_EQ(result(&sec, 0x402010), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x40201f), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x402027), 0);
		CHECK_EQ(result(&sec, 0x402028), LW_SFRAME_NO_RULE);
	}
}

TEST(empty_functions_alone_cover_nothing)
{
	EACH_FORM_WITH(begin(&sec, form)) {
		section_fde(&sec, 0x402000, 0, INC, 0);
		section_fde(&sec, 0x402000, 0, INC, 0);
		section_finish(&sec);
		CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x402001), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x401fff), LW_SFRAME_NO_RULE);
	}
}

/* Also at the start of the array: nothing before it is looked at. */
TEST(the_step_back_ends_with_the_array)
{
	EACH_FORM_WITH(begin(&sec, form)) {
		sec.rows_first = 1;
		section_fde(&sec, 0x402000, 0, INC, 0);
		section_fde(&sec, 0x402000, 0, INC, 0);
		section_fde(&sec, 0x402000, 0, INC, 0);
		section_finish(&sec);
		sec.hole_start = sec.place.addr + HDR_SIZE;
		sec.hole_end = sec.place.addr + section_fde_pos(&sec, 0);
		CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_NO_RULE);
	}
}

static void seven(struct section *sec, const struct form *form)
{
	int i;

	begin(sec, form);
	for (i = 0; i < 7; i++) {
		section_fde(sec, 0x402000 + 16 * i, 16, INC, 0);
		section_row(sec, 0, SP, 8);
	}
	section_finish(sec);
}

/* Moves function idx while pc is looked up. */
static int find_moved(struct section *sec, __u32 idx, __s64 by, __u64 pc)
{
	__u64 start = section_get_field(sec, idx, F_START);
	int err;

	section_put_field(sec, idx, F_START, start + by);
	err = result(sec, pc);
	section_put_field(sec, idx, F_START, start);
	return err;
}

TEST(probes_out_of_order_are_seen)
{
	EACH_FORM_WITH(seven(&sec, form)) {
		CHECK_EQ(result(&sec, 0x402000), 0);
		CHECK_EQ(result(&sec, 0x402060), 0);
		/* probes are 3, 2, 1: the second is above the first */
		CHECK_EQ(find_moved(&sec, 2, 16 * 8, 0x402000),
			 LW_SFRAME_BAD_ORDER);
		/* probes are 3, 5, 6: the second is below the first */
		CHECK_EQ(find_moved(&sec, 5, -16 * 5, 0x402060),
			 LW_SFRAME_BAD_ORDER);
		/* and equal to it is in order */
		CHECK_EQ(find_moved(&sec, 5, -16 * 2, 0x402060), 0);
		CHECK_EQ(find_moved(&sec, 2, 16, 0x402000), 0);
		CHECK_EQ(find_moved(&sec, 1, 16, 0x402000), 0);
		/* the last of them, too */
		CHECK_EQ(find_moved(&sec, 1, 16 * 2, 0x402000),
			 LW_SFRAME_BAD_ORDER);
		CHECK_EQ(find_moved(&sec, 6, -16 * 2, 0x402060),
			 LW_SFRAME_BAD_ORDER);
	}
}

TEST(a_search_of_unsorted_functions_ends)
{
	struct section sec;
	unsigned int seen = 0;
	__u64 seed = 1;
	int i, round, err;

	for (round = 0; round < 200; round++) {
		begin(&sec, &forms[round % 4]);
		for (i = 0; i < 500; i++)
			section_fde(&sec, 0x401000 + rng_next(&seed) % 0x3f000,
				    16, INC, 0);
		section_finish(&sec);
		for (i = 0; i < 50; i++) {
			err = result(&sec, 0x401000 +
				     rng_next(&seed) % 0x3f000);
			CHECK(err == LW_SFRAME_BAD_ORDER ||
			      err == LW_SFRAME_NO_RULE ||
			      (!err && sec.version == 3));
			CHECK(sec.calls <= 9 + 2 + LW_SFRAME_MAX_EMPTY);
			seen += err == LW_SFRAME_BAD_ORDER;
		}
		section_free(&sec);
	}
	/* most are: the probes alone go out of order */
	CHECK(seen > 200 * 50 / 2);
}

/* ---- what a function says ---- */

TEST(unknown_row_types_are_refused)
{
	int t;

	EACH_GOOD {
		for (t = 3; t < 16; t++) {
			section_put_field(&sec, SMALL, F_INFO, t);
			CHECK_EQ(result(&sec, START_SMALL),
				 LW_SFRAME_BAD_ROW_TYPE);
			section_put_field(&sec, SMALL, F_INFO, t | 0xe0);
			CHECK_EQ(result(&sec, START_SMALL),
				 LW_SFRAME_BAD_ROW_TYPE);
		}
	}
}

TEST(a_row_type_of_8_bytes_is_refused_though_the_row_be_sound)
{
	int i;

	EACH_VERSION(v) WITH(section_init(&sec, v, LW_SFRAME_ABI_AMD64, SORTED)) {
		section_fde(&sec, 0x402000, 16, INC, 0);
		for (i = 0; i < 4; i++)
			section_row(&sec, 0, FP);
		section_row(&sec, SP | 1 << 1, SP, 8);
		section_finish(&sec);
		CHECK(is_outermost(&sec, 0x402000));
		section_put_field(&sec, 0, F_INFO, 3);
		section_put_field(&sec, 0, F_NUM, 1);
		CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_BAD_ROW_TYPE);
	}
}

TEST(unknown_types_of_functions_are_told_apart_from_corruption)
{
	int t;

	for (t = 2; t < 32; t++) {
		CHECK_EQ(find_with(3, SMALL, F_INFO2, t, START_SMALL),
			 LW_SFRAME_UNKNOWN_FDE_TYPE);
		CHECK_EQ(find_with(3, SMALL, F_INFO2, t | 0xe0, START_SMALL),
			 LW_SFRAME_UNKNOWN_FDE_TYPE);
		/* the other functions are not concerned */
		CHECK_EQ(find_with(3, SMALL, F_INFO2, t, START_MIDDLE), 0);
	}
	CHECK(!lw_sframe_is_corrupt(LW_SFRAME_UNKNOWN_FDE_TYPE));
}

TEST(rows_must_begin_in_the_area)
{
	__u32 fre_len, len;
	struct section sec;
	__u64 pc = START_SMALL + 5;

	good(&sec, 2, 0);
	len = sec.fre_len;
	/* though there be none */
	section_put_field(&sec, SMALL, F_NUM, 0);
	section_put_field(&sec, SMALL, F_FRE_OFF, len);
	CHECK_EQ(result(&sec, pc), LW_SFRAME_NO_RULE);
	section_put_field(&sec, SMALL, F_FRE_OFF, len + 1);
	CHECK_EQ(result(&sec, pc), LW_SFRAME_FUNC_ROWS_OUTSIDE);
	section_free(&sec);

	EACH_VERSION(v) {
		good(&sec, v, 0);
		fre_len = sec.fre_len;
		section_free(&sec);
		for (len = fre_len - 1; len <= fre_len + 1; len++)
			CHECK_EQ(find_with(v, SMALL, F_FRE_OFF, len, pc),
				 LW_SFRAME_FUNC_ROWS_OUTSIDE);
		CHECK_EQ(find_with(v, SMALL, F_FRE_OFF, ~0U, pc),
			 LW_SFRAME_FUNC_ROWS_OUTSIDE);
		CHECK_EQ(find_with(v, SMALL, F_FRE_OFF, -HDR_SIZE, pc),
			 LW_SFRAME_FUNC_ROWS_OUTSIDE);
		CHECK_EQ(find_with(v, SMALL, F_FRE_OFF, 0x80000000, pc),
			 LW_SFRAME_FUNC_ROWS_OUTSIDE);
	}
}

TEST(an_attribute_must_end_in_the_area)
{
	struct section sec;
	__u32 cut;

	section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
	section_fde(&sec, 0x401000, 16, INC, 0);
	section_row(&sec, 0, SP, 8);
	section_fde(&sec, 0x402000, 16, INC, 0);
	section_finish(&sec);
	CHECK(is_outermost(&sec, 0x402000));
	for (cut = 1; cut <= ATTR_SIZE; cut++) {
		section_put(&sec, HDR_FRE_LEN, 4, sec.fre_len - cut);
		CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_FUNC_ROWS_OUTSIDE);
		/* its bytes being there, or not */
		section_resize(&sec, sec.src.size - 1);
		CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_FUNC_ROWS_OUTSIDE);
	}
	CHECK(is_rule(&sec, 0x401000, amd64(at_sp(8), 0)));
	section_free(&sec);
}

TEST(there_must_be_room_for_that_many_rows)
{
	struct section sec;
	__u32 room;
	__u64 pc = START_SMALL;

	EACH_VERSION(v) {
		good(&sec, v, 0);
		room = sec.src.size - section_fre_pos(&sec, SMALL);
		section_free(&sec);
		/* the row wanted is found before these would be missed */
		CHECK_EQ(find_with(v, SMALL, F_NUM, room / 2, pc), 0);
		CHECK_EQ(find_with(v, SMALL, F_NUM, room / 2 + 1, pc),
			 LW_SFRAME_FUNC_ROWS_OUTSIDE);
		CHECK_EQ(find_with(v, SMALL, F_NUM, ~0U, pc),
			 LW_SFRAME_FUNC_ROWS_OUTSIDE);
	}
	CHECK_EQ(find_with(2, SMALL, F_NUM, 0x80000001, pc),
		 LW_SFRAME_FUNC_ROWS_OUTSIDE);
}

TEST(rows_beyond_the_count_do_not_count)
{
	EACH_GOOD {
		section_put_field(&sec, SMALL, F_NUM, 3);
		CHECK(is_rule(&sec, START_SMALL + 0x7f,
			      amd64(at_fp(16), -16)));
	}
}

/* ---- repeated blocks ---- */

TEST(a_repeated_block_repeats)
{
	__u32 off;

	EACH_GOOD {
		for (off = 0; off < 64; off++)
			CHECK(is_rule(&sec, START_PLT + off,
				      amd64(at_sp(off % 16 < 11 ? 8 : 16),
					    0)));
	}
}

TEST(the_block_is_counted_from_the_function_not_from_address_0)
{
	EACH_FORM_WITH(begin(&sec, form)) {
		section_fde(&sec, 0x401035, 36, MASK, 12);
		section_row(&sec, 0, SP, 8);
		section_row(&sec, 11, SP, 24);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x401035, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x401035 + 10, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x401035 + 11, amd64(at_sp(24), 0)));
		CHECK(is_rule(&sec, 0x401035 + 12, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x401035 + 35, amd64(at_sp(24), 0)));
	}
}

/* The last block is cut short where the function ends. */
TEST(a_block_need_not_divide_the_function)
{
	EACH_FORM_WITH(begin(&sec, form)) {
		section_fde(&sec, 0x402000, 255 + 3, MASK | 1, 255);
		section_row(&sec, 0, SP, 8);
		section_row(&sec, 254, SP, 24);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000 + 253, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x402000 + 254, amd64(at_sp(24), 0)));
		CHECK(is_rule(&sec, 0x402000 + 257, amd64(at_sp(8), 0)));
		CHECK_EQ(result(&sec, 0x402000 + 258), LW_SFRAME_NO_RULE);
	}
}

TEST(a_block_of_no_bytes_is_refused)
{
	EACH_VERSION(v) {
		CHECK_EQ(find_with(v, PLT, F_REP, 0, START_PLT),
			 LW_SFRAME_BAD_BLOCK_SIZE);
		CHECK_EQ(find_with(v, PLT_GOT, F_REP, 0, START_PLT_GOT),
			 LW_SFRAME_BAD_BLOCK_SIZE);
	}
}

TEST(a_block_larger_than_the_function_is_refused)
{
	EACH_VERSION(v) {
		CHECK_EQ(find_with(v, PLT, F_REP, 64, START_PLT), 0);
		CHECK_EQ(find_with(v, PLT, F_REP, 65, START_PLT),
			 LW_SFRAME_BAD_BLOCK_SIZE);
		CHECK_EQ(find_with(v, PLT, F_REP, 255, START_PLT),
			 LW_SFRAME_BAD_BLOCK_SIZE);
	}
}

TEST(a_block_size_without_a_block_is_ignored)
{
	int rep;

	EACH_GOOD {
		for (rep = 0; rep < 256; rep++) {
			section_put_field(&sec, PLT0, F_REP, rep);
			CHECK(is_rule(&sec, 0x401020, amd64(at_sp(16), 0)));
			CHECK(is_rule(&sec, 0x40102f, amd64(at_sp(24), 0)));
		}
	}
}

TEST(a_row_behind_its_block_is_refused)
{
	EACH_VERSION(v) {
		CHECK_EQ(find_row_with(v, PLT, 3, 15, START_PLT + 15), 0);
		CHECK_EQ(find_row_with(v, PLT, 3, 16, START_PLT + 15),
			 LW_SFRAME_BAD_ROW_START);
		/* though the function goes on */
		CHECK_EQ(find_row_with(v, PLT, 3, 63, START_PLT + 15),
			 LW_SFRAME_BAD_ROW_START);
		CHECK_EQ(find_row_with(v, PLT_GOT, 0, 8, START_PLT_GOT),
			 LW_SFRAME_BAD_ROW_START);
	}
}

/* ---- what ld writes of .plt.got ---- */

TEST(plt_got_is_corrected)
{
	EACH_GOOD {
		CHECK(is_rule(&sec, START_PLT_GOT, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, START_PLT_GOT + 15, amd64(at_sp(8), 0)));
		/* with -z ibtplt */
		section_put_field(&sec, PLT_GOT, F_REP, 16);
		CHECK(is_rule(&sec, START_PLT_GOT + 15, amd64(at_sp(8), 0)));
	}
}

static void check_one_row(const struct form *form, __u8 info, __u32 start,
			  __u8 base, __s32 cfa, __s32 fp)
{
	struct section sec;
	struct lw_rule_value at = base == SP ? at_sp(cfa) : at_fp(cfa);

	begin(&sec, form);
	section_fde(&sec, 0x402000, 16, info, 8);
	if (fp)
		section_row(&sec, start, base, cfa, fp);
	else
		section_row(&sec, start, base, cfa);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x402000 + start, amd64(at, fp)));
	section_free(&sec);
}

TEST(nothing_but_plt_got_is_corrected)
{
	struct lw_rule wanted = { 0 };
	struct section sec;

	EACH_FORM {
		check_one_row(form, INC, 0, SP, 16, 0);
		check_one_row(form, MASK, 0, FP, 16, 0);
		check_one_row(form, MASK, 0, SP, 16, -16);
		check_one_row(form, MASK, 0, SP, 24, 0);
		check_one_row(form, MASK, 0, SP, -16, 0);
		check_one_row(form, MASK, 1, SP, 16, 0);
		begin(&sec, form);
		section_fde(&sec, 0x402000, 16, MASK, 8);
		section_row(&sec, 0, SP, 16);
		section_row(&sec, 4, SP, 24);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, amd64(at_sp(16), 0)));
		section_free(&sec);

		/* aarch64 and s390x have the like, and it is right there */
		section_init(&sec, form->version, LW_SFRAME_ABI_AARCH64_LE,
			     form->flags);
		section_fde(&sec, 0x402000, 16, MASK, 8);
		section_row(&sec, 0, SP, 16);
		section_finish(&sec);
		wanted.cfa = at_sp(16);
		wanted.ra = at_reg(30, 0);
		CHECK(is_rule(&sec, 0x402000, wanted));
		section_free(&sec);
	}
}

TEST(a_flex_row_for_one_word_pushed_is_not_corrected)
{
	struct section sec;

	section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
	section_flex(&sec, 0x402000, 16, MASK, 8);
	section_row(&sec, 0, FP, CTL_REG(7), 16);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x402000, amd64(at_sp(16), 0)));
	section_free(&sec);
}

int main(void)
{
	return tap_main();
}
