// SPDX-License-Identifier: GPL-2.0
/* sframe_row_test - rows: which one counts, and what they must be */
#include "lookup.h"

/* One function; rows follow. */
static void begin(struct section *sec, __u8 version, __u8 info)
{
	section_init(sec, version, LW_SFRAME_ABI_AMD64, SORTED);
	section_fde(sec, 0x402000, 16, info, 8);
}

TEST(before_the_first_row_nothing_is_known)
{
	EACH_GOOD {
		CHECK_EQ(result(&sec, START_SHARED), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, START_SHARED + 1), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, START_SHARED + 2), 0);
	}
}

TEST(before_the_first_row_of_a_block_nothing_is_known)
{
	EACH_VERSION(v) WITH(begin(&sec, v, MASK)) {
		section_row(&sec, 3, SP, 24);
		section_finish(&sec);
		CHECK_EQ(result(&sec, 0x402002), LW_SFRAME_NO_RULE);
		CHECK(is_rule(&sec, 0x402007, amd64(at_sp(24), 0)));
		CHECK_EQ(result(&sec, 0x402008), LW_SFRAME_NO_RULE);
		CHECK_EQ(result(&sec, 0x40200a), LW_SFRAME_NO_RULE);
		CHECK(is_rule(&sec, 0x40200b, amd64(at_sp(24), 0)));
	}
}

TEST(of_equal_rows_the_last_counts)
{
	EACH_VERSION(v) WITH(begin(&sec, v, INC)) {
		section_row(&sec, 0, SP, 8);
		section_row(&sec, 4, SP, 16);
		section_row(&sec, 4, SP, 24);
		section_row(&sec, 4, SP, 32);
		section_row(&sec, 8, SP, 32);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402003, amd64(at_sp(8), 0)));
		CHECK(is_rule(&sec, 0x402004, amd64(at_sp(32), 0)));
		CHECK(is_rule(&sec, 0x402009, amd64(at_sp(32), 0)));
	}
}

TEST(rows_that_go_back_are_refused)
{
	EACH_VERSION(v) {
		/* the third row, of 4, starts before the second one */
		CHECK_EQ(find_row_with(v, SMALL, 7, 1, START_SMALL + 5), 0);
		CHECK_EQ(find_row_with(v, SMALL, 7, 0, START_SMALL + 5),
			 LW_SFRAME_BAD_ROW_ORDER);
		/* and is not looked at for what lies before */
		CHECK_EQ(find_row_with(v, SMALL, 3, 9, START_SMALL + 5), 0);
		CHECK_EQ(find_row_with(v, SMALL, 3, 9, START_SMALL + 9),
			 LW_SFRAME_BAD_ROW_ORDER);
	}
}

/* gas 2.44 writes one there. */
TEST(a_row_at_the_end_of_its_function_is_tolerated)
{
	EACH_VERSION(v) {
		CHECK_EQ(find_row_with(v, SMALL, 11, 0x80, START_SMALL + 0x7f),
			 0);
		CHECK_EQ(find_row_with(v, SMALL, 11, 0x81, START_SMALL + 0x7f),
			 LW_SFRAME_BAD_ROW_START);
		CHECK_EQ(find_row_with(v, SMALL, 11, 0xff, START_SMALL + 0x7f),
			 LW_SFRAME_BAD_ROW_START);
	}
}

/* The same of starts of 2 and 4 bytes. */
TEST(a_row_behind_its_function_is_refused)
{
	struct section sec;
	int type;

	EACH_VERSION(v) {
		for (type = 0; type < 3; type++) {
			begin(&sec, v, INC | type);
			section_row(&sec, 0, SP, 8);
			section_row(&sec, 16, SP, 16);
			section_finish(&sec);
			CHECK(is_rule(&sec, 0x40200f, amd64(at_sp(8), 0)));
			section_put_field(&sec, 0, F_SIZE, 15);
			CHECK_EQ(result(&sec, 0x40200e),
				 LW_SFRAME_BAD_ROW_START);
			section_free(&sec);
		}
	}
}

TEST(words_of_unknown_size_are_refused)
{
	int count;

	EACH_VERSION(v) {
		for (count = 0; count < 16; count++) {
			CHECK_EQ(find_row_with(v, SMALL, 1,
					       SP | W_NONE | count << 1,
					       START_SMALL),
				 LW_SFRAME_BAD_WORD_SIZE);
			/* also in a row that is only passed by */
			CHECK_EQ(find_row_with(v, SMALL, 1,
					       W_NONE | count << 1,
					       START_SMALL + 9),
				 LW_SFRAME_BAD_WORD_SIZE);
		}
	}
}

TEST(numbers_of_words_that_the_abi_has_not_are_refused)
{
	static const __s32 words[15] = { 8, -16 };
	struct section sec;
	int count, size, wanted;

	EACH_VERSION(v) {
		for (count = 0; count < 16; count++) {
			wanted = count <= 2 ? 0 : LW_SFRAME_BAD_WORD_COUNT;
			for (size = W1; size <= W4; size += W2) {
				begin(&sec, v, INC);
				section_words(&sec, 0, SP | size, words, count);
				section_row(&sec, 9, SP, 24);
				section_finish(&sec);
				CHECK_EQ(result(&sec, 0x402000), wanted);
				CHECK_EQ(result(&sec, 0x40200f), wanted);
				section_free(&sec);
			}
		}
	}
}

/* Rows of all sizes before: each must be passed by its own length. */
TEST(each_row_is_as_long_as_its_words)
{
	static const __s32 words[2] = { 8, -16 };
	struct section sec;
	int type, count, size, n;

	EACH_FORM {
		for (type = 0; type < 3; type++) {
			section_init(&sec, form->version, LW_SFRAME_ABI_AMD64,
				     form->flags);
			section_fde(&sec, 0x402000, 64, INC | type, 0);
			n = 0;
			for (count = 0; count <= 2; count++)
				for (size = W1; size <= W4; size += W2)
					section_words(&sec, n++, SP | size,
						      words, count);
			section_row(&sec, n, FP, 80 + n, -24);
			section_finish(&sec);
			CHECK(is_outermost(&sec, 0x402002));
			CHECK(is_rule(&sec, 0x402003, amd64(at_sp(8), 0)));
			CHECK(is_rule(&sec, 0x402005, amd64(at_sp(8), 0)));
			CHECK(is_rule(&sec, 0x402006, amd64(at_sp(8), -16)));
			CHECK(is_rule(&sec, 0x402008, amd64(at_sp(8), -16)));
			CHECK(is_rule(&sec, 0x402000 + n,
				      amd64(at_fp(80 + n), -24)));
			section_free(&sec);
		}
	}
}

TEST(words_are_signed)
{
	struct section sec;
	int size;

	EACH_VERSION(v) {
		for (size = W1; size <= W4; size += W2) {
			begin(&sec, v, INC);
			section_row(&sec, 0, FP | size, -128, -8);
			section_row(&sec, 8, FP | size, 127, -1);
			section_finish(&sec);
			CHECK(is_rule(&sec, 0x402000, amd64(at_fp(-128), -8)));
			CHECK(is_rule(&sec, 0x402008, amd64(at_fp(127), -1)));
			section_free(&sec);
		}
	}
}

TEST(words_have_all_of_their_range)
{
	static const struct {
		__u8 size;
		__s32 min, max;
	} of[] = {
		{ W1, -0x80, 0x7f }, { W2, -0x8000, 0x7fff },
		{ W4, -0x7fffffff - 1, 0x7fffffff },
	};
	struct section sec;
	int i;

	EACH_VERSION(v) {
		for (i = 0; i < 3; i++) {
			begin(&sec, v, INC);
			section_row(&sec, 0, SP | of[i].size, of[i].min,
				    of[i].max);
			section_row(&sec, 8, SP | of[i].size, of[i].max,
				    of[i].min);
			section_finish(&sec);
			CHECK(is_rule(&sec, 0x402000,
				      amd64(at_sp(of[i].min), of[i].max)));
			CHECK(is_rule(&sec, 0x402008,
				      amd64(at_sp(of[i].max), of[i].min)));
			section_free(&sec);
		}
	}
}

TEST(starts_are_unsigned)
{
	static const __u32 starts[] = { 0x80, 0x8000, 0x80000000 };
	struct section sec;
	int type;

	EACH_VERSION(v) {
		for (type = 0; type < 3; type++) {
			section_init(&sec, v, LW_SFRAME_ABI_AMD64, SORTED);
			sec.place.text_start = 0x1000;
			sec.place.text_end = 0x100002000;
			sec.place.addr = 0x40000000;
			section_fde(&sec, 0x2000, 2 * starts[type] - 1,
				    INC | type, 0);
			section_row(&sec, 0, SP, 8);
			section_row(&sec, starts[type], SP, 16);
			section_finish(&sec);
			CHECK(is_rule(&sec, 0x2000ULL + starts[type] - 1,
				      amd64(at_sp(8), 0)));
			CHECK(is_rule(&sec, 0x2000ULL + starts[type],
				      amd64(at_sp(16), 0)));
			section_free(&sec);
		}
	}
}

/*
 * Tools choose the width by the function's size, but need not.  What comes
 * after a narrow start must not be taken for more of it, though the function be
 * long enough.
 */
TEST(starts_may_be_narrower_than_the_function_is_long)
{
	struct section sec;
	int type;
	__u64 off;

	EACH_FORM {
		for (type = 0; type < 2; type++) {
			section_init(&sec, form->version, LW_SFRAME_ABI_AMD64,
				     form->flags);
			sec.place.text_end = 0x100402000;
			sec.place.addr = 0x402000 + 0x70000000;
			section_fde(&sec, 0x402000, 0xffffffff, INC | type, 0);
			section_row(&sec, 0, FP, 8);
			section_row(&sec, 4, SP, 16, -16);
			section_row(&sec, 0x80, FP, 24);
			section_finish(&sec);
			CHECK(is_rule(&sec, 0x402003, amd64(at_fp(8), 0)));
			CHECK(is_rule(&sec, 0x402004, amd64(at_sp(16), -16)));
			CHECK(is_rule(&sec, 0x40207f, amd64(at_sp(16), -16)));
			for (off = 0x80; off < 0xffffffff; off += 0x1234567)
				CHECK(is_rule(&sec, 0x402000 + off,
					      amd64(at_fp(24), 0)));
			section_free(&sec);
		}
	}
}

/* Each last row, of each shape, with each byte of its end cut off. */
static void cut_row(__u8 version, __u8 type, unsigned int count, __u8 size)
{
	static const __s32 words[2] = { 16, -16 };
	struct section sec;
	__u32 row, cut, wanted;

	begin(&sec, version, INC | type);
	section_row(&sec, 0, SP, 8);
	row = sec.fre_len;
	section_words(&sec, 8, SP | size, words, count);
	row = sec.fre_len - row;
	section_finish(&sec);
	CHECK_EQ(result(&sec, 0x402008), 0);
	for (cut = 1; cut <= row; cut++) {
		section_put(&sec, HDR_FRE_LEN, 4, sec.fre_len - cut);
		/* with less than 4 bytes, two rows are too many already */
		wanted = sec.fre_len - cut - (version < 3 ? 0 : ATTR_SIZE) < 4 ?
			 LW_SFRAME_FUNC_ROWS_OUTSIDE : LW_SFRAME_ROW_OUTSIDE;
		CHECK_EQ(result(&sec, 0x402008), wanted);
		/* also if it only ends the walk */
		CHECK_EQ(result(&sec, 0x402000), wanted);
		/* and if the bytes are not there, for ASan to see */
		section_resize(&sec, sec.src.size - 1);
		CHECK_EQ(result(&sec, 0x402008), wanted);
		CHECK_EQ(result(&sec, 0x402000), wanted);
	}
	section_free(&sec);
}

TEST(rows_must_end_in_the_area)
{
	unsigned int count;
	__u8 type, size;

	EACH_VERSION(v)
		for (type = 0; type < 3; type++)
			for (count = 0; count <= 2; count++)
				for (size = W1; size <= W4; size += W2)
					cut_row(v, type, count, size);
}

/* In memory, the last rows are read in another way than those before. */
TEST(the_last_bytes_of_the_area_are_rows_like_others)
{
	struct section sec;
	int type, n, i;

	EACH_VERSION(v) {
		for (type = 0; type < 3; type++) {
			for (n = 1; n < 12; n++) {
				begin(&sec, v, INC | type);
				for (i = 0; i < n; i++)
					section_row(&sec, i, SP);
				section_row(&sec, n, SP, 80);
				section_finish(&sec);
				for (i = 0; i < n; i++)
					CHECK(is_outermost(&sec, 0x402000 + i));
				CHECK(is_rule(&sec, 0x402000 + n,
					      amd64(at_sp(80), 0)));
				section_free(&sec);
			}
		}
	}
}

int main(void)
{
	return tap_main();
}
