// SPDX-License-Identifier: GPL-2.0
/* sframe_test - what look-ups find in sound sections of both versions */
#include "lookup.h"

TEST(finds_rows_of_each_start_and_word_size)
{
	EACH_GOOD {
		check_good(&sec);
	}
}

TEST(knows_nothing_between_functions)
{
	EACH_GOOD {
		CHECK_EQ(result(&sec, 0x401000), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x40101f), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x401080), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, START_MIDDLE + 0x200), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, START_LARGE - 1), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, START_LARGE + 0x20000),
			 LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, START_SHARED + 0x10), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, START_LAST - 1), LW_SFRAME_NO_RULE);
	}
}

TEST(knows_nothing_outside_of_the_text_and_reads_nothing_for_it)
{
	struct lw_sframe sf;
	struct lw_rule rule;

	EACH_VERSION(v) WITH(good(&sec, v, 0)) {
		/* what an FDE says of it does not count */
		sec.place.text_start = START_SMALL;
		sec.place.text_end = START_OUTER;
		CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
		CHECK_EQ(sec.calls, 1);
		CHECK_EQ(lw_sframe_find(&sf, START_SMALL - 1, &rule),
			 LW_SFRAME_NO_RULE);
		CHECK_EQ(lw_sframe_find(&sf, START_PLT, &rule),
			 LW_SFRAME_NO_RULE);
		CHECK_EQ(lw_sframe_find(&sf, START_OUTER, &rule),
			 LW_SFRAME_NO_RULE);
		CHECK_EQ(lw_sframe_find(&sf, 0, &rule), LW_SFRAME_NO_RULE);
		CHECK_EQ(lw_sframe_find(&sf, ~0ULL, &rule), LW_SFRAME_NO_RULE);
		CHECK_EQ(sec.calls, 1);
		CHECK_EQ(result(&sec, START_SMALL), 0);
		CHECK_EQ(result(&sec, START_OUTER - 1), LW_SFRAME_NO_RULE);
	}
}

TEST(before_the_first_function_and_behind_the_last_nothing_is_known)
{
	EACH_FORM_WITH(section_init(&sec, form->version, LW_SFRAME_ABI_AMD64, form->flags)) {
		section_fde(&sec, 0x402000, 16, INC, 0);
		section_row(&sec, 0, SP, 8);
		section_finish(&sec);
		CHECK_EQ(result(&sec, 0x401fff), LW_SFRAME_NO_RULE);
		CHECK(is_rule(&sec, 0x402000, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x40200f, amd64(at_sp(8), 0)));
		CHECK_EQ(result(&sec, 0x402010), LW_SFRAME_NO_RULE);
	}
}

/* Each number of functions takes the search another way. */
TEST(finds_each_of_any_number_of_functions)
{
	struct section sec;
	int n, i;

	EACH_FORM {
		for (n = 1; n <= 40; n++) {
			section_init(&sec, form->version, LW_SFRAME_ABI_AMD64,
				     form->flags);
			for (i = 0; i < n; i++) {
				section_fde(&sec, 0x402000 + 16 * i, 8, INC, 0);
				section_row(&sec, 0, SP, 8 + i);
			}
			section_finish(&sec);
			for (i = 0; i < n; i++) {
				CHECK(is_rule(&sec, 0x402000 + 16 * i,
					      amd64(at_sp(8 + i), 0)));
				CHECK(is_rule(&sec, 0x402007 + 16 * i,
					      amd64(at_sp(8 + i), 0)));
				CHECK_EQ(result(&sec, 0x402008 + 16 * i),
					 LW_SFRAME_NO_RULE);
			}
			section_free(&sec);
		}
	}
}

/*
 * Header, first two FDEs and their rows as ld 2.44 wrote them; the other FDEs
 * hold rows that gas wrote.
 */
static const __u8 vector_v2[28 + 7 * 20 + 0x59] = {
	0xe2, 0xde, 2, 1, 3, 0, 0xf8, 0, 7, 0, 0, 0, 0x18, 0, 0, 0,
	0x59, 0, 0, 0, 0, 0, 0, 0, 0x8c, 0, 0, 0,
	0xb0, 0xee, 0xff, 0xff, 0x10, 0, 0, 0, 0x4a, 0, 0, 0, 2, 0, 0, 0,
	0, 0x10, 0, 0,
	0xc0, 0xee, 0xff, 0xff, 0x40, 0, 0, 0, 0x50, 0, 0, 0, 2, 0, 0, 0,
	0x10, 0x10, 0, 0,
	/* 0x1070, 8 bytes: .plt.got */
	0x00, 0xef, 0xff, 0xff, 0x08, 0, 0, 0, 0x56, 0, 0, 0, 1, 0, 0, 0,
	0x10, 0x08, 0, 0,
	/* 0x1080 */
	0x10, 0xef, 0xff, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
	0, 0, 0, 0,
	/* 0x10c0, 0x10d0, 0x10e0: one row each */
	0x50, 0xef, 0xff, 0xff, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	0, 0, 0, 0,
	0x60, 0xef, 0xff, 0xff, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	0, 0, 0, 0,
	0x70, 0xef, 0xff, 0xff, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	0, 0, 0, 0,
	/* FRE area */
	0x00, 0x03, 0x08, 0x01, 0x05, 0x10, 0xf0,
	0x1b, 0x25, 0x50, 0x01, 0xf0, 0xff,
	[28 + 140 + 0x4a] = 0x00, 0x03, 0x10, 0x06, 0x03, 0x18,
	0x00, 0x03, 0x08, 0x0b, 0x03, 0x10,
	0x00, 0x03, 0x10,
};

/* Likewise of ld 2.47. */
static const __u8 vector_v3[28 + 7 * 16 + 0x6f] = {
	0xe2, 0xde, 3, 5, 3, 0, 0xf8, 0, 7, 0, 0, 0, 0x16, 0, 0, 0,
	0x6f, 0, 0, 0, 0, 0, 0, 0, 0x70, 0, 0, 0,
	0x9c, 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x10, 0, 0, 0, 0x51, 0, 0, 0,
	0x9c, 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x40, 0, 0, 0, 0x5c, 0, 0, 0,
	/* 0x1070, 8 bytes: .plt.got */
	0xcc, 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x08, 0, 0, 0, 0x67, 0, 0, 0,
	/* 0x1080 */
	0xcc, 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x40, 0, 0, 0, 0, 0, 0, 0,
	/* 0x10c0: outermost */
	0xfc, 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x10, 0, 0, 0, 0x12, 0, 0, 0,
	/* 0x10d0: a signal frame */
	0xfc, 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x10, 0, 0, 0, 0x19, 0, 0, 0,
	/* 0x10e0: of type FLEX */
	0xfc, 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x10, 0, 0, 0, 0x21, 0, 0, 0,
	/* FRE area */
	3, 0, 0, 0, 0, 0x00, 0x03, 0x08, 0x01, 0x05, 0x10, 0xf0,
	0x1b, 0x25, 0x50, 0x01, 0xf0, 0xff,
	1, 0, 0, 0, 0, 0x00, 0x00,
	1, 0, 0x80, 0, 0, 0x00, 0x03, 0x10,
	1, 0, 0, 1, 0, 0x00, 0x0a, 0x33, 0xf8, 0, 0x33, 0,
	[28 + 112 + 0x51] = 2, 0, 0, 0, 0x10, 0x00, 0x03, 0x10,
	0x06, 0x03, 0x18,
	2, 0, 0x10, 0, 0x10, 0x00, 0x03, 0x08, 0x0b, 0x03, 0x10,
	1, 0, 0x10, 0, 0x08, 0x00, 0x03, 0x10,
};

static void check_vector(struct section *sec)
{
	CHECK_EQ(result(sec, 0x101f), LW_SFRAME_NO_RULE);
	CHECK(is_rule(sec, 0x1020, amd64(at_sp(16), 0)));
	CHECK(is_rule(sec, 0x1025, amd64(at_sp(16), 0)));
	CHECK(is_rule(sec, 0x1026, amd64(at_sp(24), 0)));
	CHECK(is_rule(sec, 0x102f, amd64(at_sp(24), 0)));
	CHECK(is_rule(sec, 0x1030, amd64(at_sp(8), 0)));
	CHECK(is_rule(sec, 0x103b, amd64(at_sp(16), 0)));
	CHECK(is_rule(sec, 0x1060, amd64(at_sp(8), 0)));
	CHECK(is_rule(sec, 0x106f, amd64(at_sp(16), 0)));
	CHECK(is_rule(sec, 0x1070, amd64(at_sp(8), 0)));
	CHECK_EQ(result(sec, 0x1078), LW_SFRAME_NO_RULE);
	CHECK(is_rule(sec, 0x1080, amd64(at_sp(8), 0)));
	CHECK(is_rule(sec, 0x1081, amd64(at_sp(16), -16)));
	CHECK(is_rule(sec, 0x109a, amd64(at_sp(16), -16)));
	CHECK(is_rule(sec, 0x109b, amd64(at_sp(336), -16)));
	CHECK(is_rule(sec, 0x10bf, amd64(at_sp(336), -16)));
}

TEST(reads_version_2_as_ld_wrote_it)
{
	struct section sec;
	int i;

	for (i = 0; i < 2; i++) {
		section_load(&sec, vector_v2, sizeof(vector_v2), 0x2170, 0x1000,
			     0x1200);
		if (i)
			section_to_pcrel(&sec);
		check_vector(&sec);
		section_free(&sec);
	}
}

TEST(reads_version_3_as_ld_wrote_it)
{
	struct lw_rule signal = amd64(at_sp(16), 0);
	struct lw_rule flex = amd64(mem(at_fp(-8)), 0);
	struct section sec;
	int i;

	signal.flags = LW_RULE_SIGNAL;
	flex.fp = mem(at_fp(0));
	for (i = 0; i < 2; i++) {
		section_load(&sec, vector_v3, sizeof(vector_v3), 0x2168, 0x1000,
			     0x1200);
		if (i)
			section_to_pcrel(&sec);
		CHECK_EQ(sec.flags & PCREL, i ? 0 : PCREL);
		check_vector(&sec);
		CHECK(is_outermost(&sec, 0x10c0));
		CHECK(is_rule(&sec, 0x10df, signal));
		CHECK(is_rule(&sec, 0x10e0, flex));
		section_free(&sec);
	}
}

/* ---- where things are ---- */

TEST(a_bit_tells_the_encodings_of_starts_apart)
{
	__u64 off;

	EACH_VERSION(v) WITH(good(&sec, v, 0)) {
		off = section_fde_pos(&sec, OUTER);
		section_put(&sec, HDR_FLAGS, 1, SORTED | PCREL);
		CHECK_EQ(result(&sec, START_OUTER), LW_SFRAME_NO_RULE);
		CHECK(is_outermost(&sec, START_OUTER + off));
	}
}

static void two_functions(struct section *sec, const struct form *form,
			  __u64 addr, __u64 first, __u64 second)
{
	section_init(sec, form->version, LW_SFRAME_ABI_AMD64, form->flags);
	sec->place.addr = addr;
	sec->place.text_start = first;
	sec->place.text_end = second + 16;
	section_fde(sec, first, 16, INC, 0);
	section_row(sec, 0, SP, 8);
	section_fde(sec, second, 16, INC, 0);
	section_row(sec, 0, SP, 16);
	section_finish(sec);
}

static void check_two_functions(const struct form *form, __u64 addr,
				__u64 first, __u64 second)
{
	struct section sec;

	two_functions(&sec, form, addr, first, second);
	CHECK(is_rule(&sec, first, amd64(at_sp(8), 0)));
	CHECK(is_rule(&sec, first + 15, amd64(at_sp(8), 0)));
	CHECK_EQ(result(&sec, first + 16), LW_SFRAME_NO_RULE);
	CHECK_EQ(result(&sec, second - 1), LW_SFRAME_NO_RULE);
	CHECK(is_rule(&sec, second, amd64(at_sp(16), 0)));
	CHECK(is_rule(&sec, second + 15, amd64(at_sp(16), 0)));
	section_free(&sec);
}

TEST(text_may_lie_anywhere_that_starts_can_tell)
{
	EACH_FORM {
		/* above the section, below it, on both sides */
		check_two_functions(form, 0x400100, 0x401000, 0x402000);
		check_two_functions(form, 0x500000, 0x401000, 0x402000);
		check_two_functions(form, 0x401800, 0x401000, 0x402000);
		/* high, and at both ends of the address space */
		check_two_functions(form, 0x7fff80000000, 0x7fff00001000,
				    0x7fff7fffeff0);
		check_two_functions(form, 0x1000, 0, 0x2000);
		check_two_functions(form, ~0ULL - 0xffff, ~0ULL - 0x7fffff,
				    ~0ULL - 16);
	}
}

TEST(version_3_has_starts_of_64_bits)
{
	EACH_FORM {
		if (form->version == 2)
			continue;
		check_two_functions(form, 0x7fff80000000, 0x1000,
				    0x7ffe00000000);
		check_two_functions(form, 0x1000, 0x180000000, 0x7fff00000000);
		/* the same low 32 bits */
		check_two_functions(form, 0x1000, 0x100002000, 0x200002000);
	}
}

TEST(offsets_in_a_function_are_not_truncated)
{
	/* nearly 4 GiB of code: what lies behind has the same low 32 bits */

	EACH_FORM_WITH(section_init(&sec, form->version, LW_SFRAME_ABI_AMD64, form->flags)) {
		sec.place.addr = 0x1f0000000;
		sec.place.text_start = 0x180000000;
		sec.place.text_end = 0x380000000;
		section_fde(&sec, 0x180000000, ~0U, INC | 2, 0);
		section_row(&sec, 0, SP, 8);
		section_row(&sec, 0xfffffff0, SP, 16);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x180000000, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x27fffffef, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x27ffffff0, amd64(at_sp(16), 0)));
		CHECK_EQ(result(&sec, 0x27fffffff), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x280000005), LW_SFRAME_NO_RULE);
	}
}

TEST(attributes_and_rows_may_come_in_any_order)
{
	static const __u32 order[] = { 3, 0, 4, 1, 2 };
	unsigned int i;

	EACH_FORM_WITH(section_init(&sec, form->version, LW_SFRAME_ABI_AMD64, form->flags)) {
		for (i = 0; i < 5; i++) {
			section_fde(&sec, 0x402000 + 16 * order[i], 16, INC, 0);
			section_row(&sec, 0, SP, 8 + order[i]);
			section_row(&sec, order[i] + 1, SP, 80 + order[i]);
		}
		section_sort(&sec);
		section_finish(&sec);
		for (i = 0; i < 5; i++) {
			CHECK(is_rule(&sec, 0x402000 + 16 * i + i,
				      amd64(at_sp(8 + i), 0)));
			CHECK(is_rule(&sec, 0x402000 + 16 * i + i + 1,
				      amd64(at_sp(80 + i), 0)));
		}
	}
}

TEST(functions_may_share_their_rows)
{
	EACH_FORM_WITH(section_init(&sec, form->version, LW_SFRAME_ABI_AMD64, form->flags)) {
		section_fde(&sec, 0x402000, 16, INC, 0);
		section_row(&sec, 0, SP, 8);
		section_row(&sec, 4, SP, 16, -16);
		section_share(&sec, 0x402100, 32, 0);
		section_share(&sec, 0x402200, 8, 0);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402103, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x40211f, amd64(at_sp(16), -16)));
		CHECK(is_rule(&sec, 0x402203, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x402204, amd64(at_sp(16), -16)));
		CHECK_EQ(result(&sec, 0x402208), LW_SFRAME_NO_RULE);
	}
}

/* ---- outermost ---- */

TEST(a_row_without_words_is_outermost)
{
	EACH_GOOD {
		CHECK(is_outermost(&sec, START_OUTER));
		CHECK(is_outermost(&sec, START_OUTER + 15));
		CHECK(is_rule(&sec, START_OUTER + 16, amd64(at_sp(8), 0)));
	}
}

TEST(all_that_a_row_without_words_says_is_outermost)
{
	struct section sec;

	/* whatever its base, size of words, and the frame's kind */
	section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
	section_fde(&sec, 0x402000, 16, INC | SIGNAL, 0);
	section_row(&sec, 0, FP | W4 | MANGLED);
	section_finish(&sec);
	CHECK(is_outermost(&sec, 0x402000));
	section_free(&sec);
}

static int without_rows(__u8 version, __u8 info2, __u8 info)
{
	struct section sec;
	int err;

	section_init(&sec, version, LW_SFRAME_ABI_AMD64, SORTED);
	section_fde(&sec, 0x401800, 16, INC, 0);
	section_row(&sec, 0, SP, 8);
	if (info2 == FLEX)
		section_flex(&sec, 0x402000, 16, info, 8);
	else
		section_fde(&sec, 0x402000, 16, info, 8);
	section_finish(&sec);
	err = result(&sec, 0x402008);
	if (!err)
		CHECK(is_outermost(&sec, 0x402008));
	section_free(&sec);
	return err;
}

TEST(a_function_without_rows_is_outermost_in_version_3)
{
	CHECK_EQ(without_rows(3, DEFAULT, INC), 0);
	CHECK_EQ(without_rows(3, DEFAULT, MASK), 0);
	CHECK_EQ(without_rows(3, DEFAULT, INC | SIGNAL), 0);
}

TEST(a_function_without_rows_has_none_otherwise)
{
	CHECK_EQ(without_rows(2, DEFAULT, INC), LW_SFRAME_NO_RULE);
	CHECK_EQ(without_rows(3, FLEX, INC), LW_SFRAME_NO_RULE);
	CHECK_EQ(find_with(2, SMALL, F_NUM, 0, START_SMALL),
		 LW_SFRAME_NO_RULE);
}

TEST(a_function_without_rows_must_be_sound_to_be_outermost)
{
	/* its block, its row type, its own type */
	CHECK_EQ(without_rows(3, DEFAULT, INC | 3), LW_SFRAME_BAD_ROW_TYPE);
	CHECK_EQ(without_rows(2, DEFAULT, INC | 3), LW_SFRAME_BAD_ROW_TYPE);
}

TEST(the_function_that_the_program_begins_with_is_outermost)
{
	EACH_GOOD {
		sec.place.entry = START_SMALL;
		CHECK(is_outermost(&sec, START_SMALL));
		CHECK(is_outermost(&sec, START_SMALL + 5));
		CHECK(is_outermost(&sec, START_SMALL + 0x7f));
		CHECK(is_rule(&sec, START_MIDDLE, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, START_PLT_GOT, amd64(at_sp(8), 0)));

		/* but not one that it begins in the middle of */
		sec.place.entry = START_SMALL + 1;
		CHECK(is_rule(&sec, START_SMALL + 1, amd64(at_sp(16), -16)));
		sec.place.entry = START_SMALL - 1;
		CHECK(is_rule(&sec, START_SMALL, amd64(at_sp(8), 0)));

		/* nor one in which there is no pc, nor one that is broken */
		sec.place.entry = START_SHARED;
		CHECK(is_outermost(&sec, START_SHARED + 1));
		CHECK_EQ(result(&sec, START_SHARED + 0x10), LW_SFRAME_NO_RULE);
		sec.place.entry = START_SMALL;
		section_put_field(&sec, SMALL, F_INFO, 3);
		CHECK_EQ(result(&sec, START_SMALL), LW_SFRAME_BAD_ROW_TYPE);
	}
}

TEST(no_entry_is_not_the_function_at_address_0)
{
	struct section sec;

	EACH_FORM {
		two_functions(&sec, form, 0x1000, 0, 0x2000);
		CHECK(is_rule(&sec, 0, amd64(at_sp(8), 0)));
		sec.place.entry = 0x2000;
		CHECK(is_outermost(&sec, 0x2000));
		section_free(&sec);
	}
}

/* ---- signal frames ---- */

TEST(a_signal_frame_is_told_in_version_3_only)
{
	struct lw_rule wanted;

	EACH_VERSION(v) WITH(section_init(&sec, v, LW_SFRAME_ABI_AMD64, SORTED)) {
		section_fde(&sec, 0x402000, 16, INC | SIGNAL, 0);
		section_row(&sec, 0, SP, 16);
		section_row(&sec, 8, SP, 24, -16);
		section_fde(&sec, 0x402010, 16, MASK | SIGNAL, 4);
		section_row(&sec, 0, SP, 8);
		section_fde(&sec, 0x402020, 16, INC, 0);
		section_row(&sec, 0, SP, 16);
		section_finish(&sec);
		wanted = amd64(at_sp(16), 0);
		wanted.flags = v == 3 ? LW_RULE_SIGNAL : 0;
		CHECK(is_rule(&sec, 0x402000, wanted));
		wanted.cfa = at_sp(24);
		wanted.fp = mem(at_cfa(-16));
		CHECK(is_rule(&sec, 0x402008, wanted));
		wanted.cfa = at_sp(8);
		wanted.fp = (struct lw_rule_value){ 0 };
		CHECK(is_rule(&sec, 0x402011, wanted));
		CHECK(is_rule(&sec, 0x402020, amd64(at_sp(16), 0)));
	}
}

TEST(bits_and_bytes_without_a_meaning_are_ignored)
{
	__u32 pos;

	EACH_GOOD {
		/* bits 6 and, in version 2, 7; bit 5 is of another ABI */
		section_put_field(&sec, MIDDLE, F_INFO,
				  form->version == 2 ? 0xe1 : 0x61);
		if (form->version == 2)
			section_put_field(&sec, MIDDLE, F_PADDING, 0xffff);
		else
			section_put_field(&sec, MIDDLE, F_INFO2, 0xe0);
		/* bit 7 of a row, likewise */
		pos = section_fre_pos(&sec, MIDDLE) + 2;
		section_put(&sec, pos, 1, section_get(&sec, pos, 1) | MANGLED);
		check_good(&sec);
	}
}

int main(void)
{
	return tap_main();
}
