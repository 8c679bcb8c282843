// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_native_test - the reader as the module has it: its own machine alone, and the check
 * of a function.  Built with LW_SFRAME_NATIVE.
 */
#include "lookup.h"

TEST(its_own_machine_is_read)
{
	EACH_GOOD {
		CHECK_EQ(open_result(&sec), 0);
		check_good(&sec);
	}
}

TEST(other_abis_are_refused_in_either_order)
{
	unsigned int abi;

	EACH_FORM {
		for (abi = 0; abi < 256; abi++) {
			if (abi == LW_SFRAME_ABI_AMD64)
				continue;
			WITH(good(&sec, form->version, form->flags)) {
				sec.wanted = LW_SFRAME_ABI_ANY;
				section_put(&sec, HDR_ABI, 1, abi);
				CHECK_EQ(open_result(&sec), LW_SFRAME_OTHER_ABI);
				section_put(&sec, HDR_MAGIC, 2, 0xe2de);
				CHECK_EQ(open_result(&sec), LW_SFRAME_OTHER_ABI);
			}
		}
	}
}

TEST(the_other_byte_order_is_refused)
{
	EACH_GOOD {
		section_put(&sec, HDR_MAGIC, 2, 0xe2de);
		CHECK_EQ(open_result(&sec), LW_SFRAME_FOREIGN_ORDER);
		section_put(&sec, HDR_MAGIC, 2, 0xdee3);
		CHECK_EQ(open_result(&sec), LW_SFRAME_BAD_MAGIC);
	}
}

/* In both ways, with as much as is given. Return: the result; *left is what is left. */
static int check(struct section *sec, __u32 idx, __u32 budget, __u32 *left)
{
	struct lw_sframe sf;
	__u32 other = budget;
	int err;

	CHECK_EQ(section_open(sec, &sf, IN_MEMORY), 0);
	*left = budget;
	err = lw_sframe_check_fde(&sf, idx, left);
	CHECK_EQ(section_open(sec, &sf, BY_READ), 0);
	CHECK_EQ(lw_sframe_check_fde(&sf, idx, &other), err);
	CHECK_EQ(other, *left);
	CHECK_EQ(sec->outside, 0);
	return err;
}

TEST(sound_functions_are_sound)
{
	__u32 i, left;

	EACH_GOOD {
		for (i = 0; i < NUM; i++) {
			CHECK_EQ(check(&sec, i, 100, &left), 0);
			CHECK_EQ(100 - left, 1 + (i == EMPTY_A || i == EMPTY_B ? 0 :
						  sec.fdes[i].num_rows));
		}
	}
}

/* All rows count, not only those up to an address. */
TEST(a_corrupt_row_is_found_wherever_it_is)
{
	__u32 row, left;

	for (row = 0; row < 3; row++) {
		EACH_VERSION(v) {
			struct section sec;

			section_init(&sec, v, LW_SFRAME_ABI_AMD64, SORTED);
			section_fde(&sec, 0x402000, 0x100, INC, 0);
			section_row(&sec, 0, SP, 8);
			section_row(&sec, 1, SP, 16);
			section_row(&sec, 2, SP, 24);
			section_finish(&sec);
			CHECK_EQ(check(&sec, 0, 4, &left), 0);
			CHECK_EQ(left, 0);
			CHECK_EQ(check(&sec, 0, 3, &left), LW_SFRAME_TOO_MANY_ROWS);
			CHECK_EQ(check(&sec, 0, 0, &left), LW_SFRAME_TOO_MANY_ROWS);
			section_put(&sec, section_fre_pos(&sec, 0) + 3 * row + 1, 1,
				    W_NONE | SP | 2);
			CHECK_EQ(check(&sec, 0, 100, &left), LW_SFRAME_BAD_WORD_SIZE);
			section_free(&sec);
		}
	}
}

TEST(words_of_all_rows_are_decoded)
{
	struct section sec;
	__u32 left;

	section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
	section_flex(&sec, 0x402000, 0x100, INC, 0);
	section_row(&sec, 0, FP, CTL_REG(16), 8);
	section_row(&sec, 1, FP, CTL_REG(7), 8);
	section_finish(&sec);
	CHECK_EQ(check(&sec, 0, 100, &left), LW_SFRAME_BAD_REGISTER);
	/* a look-up behind it does not meet the first row's words */
	CHECK(is_rule(&sec, 0x402001, amd64(at_sp(8), 0)));
	section_free(&sec);
}

TEST(an_empty_function_is_sound_wherever_it_is)
{
	__u32 left;

	EACH_GOOD {
		CHECK_EQ(check(&sec, EMPTY_A, 100, &left), 0);
		section_put_field(&sec, EMPTY_A, F_FRE_OFF, 0xfffffff0);
		CHECK_EQ(check(&sec, EMPTY_A, 100, &left), 0);
		section_put_field(&sec, SMALL, F_FRE_OFF, 0xfffffff0);
		CHECK_EQ(check(&sec, SMALL, 100, &left), LW_SFRAME_FUNC_ROWS_OUTSIDE);
	}
}

TEST(more_rows_than_are_walked_are_told)
{
	unsigned int n, i;
	__u32 left;

	for (n = LW_SFRAME_MAX_ROWS; n <= LW_SFRAME_MAX_ROWS + 1; n++) {
		struct section sec;

		section_init(&sec, 2, LW_SFRAME_ABI_AMD64, SORTED);
		section_fde(&sec, 0x402000, 0x20000, INC | 2, 0);
		for (i = 0; i < n; i++)
			section_row(&sec, i, SP, 8);
		section_finish(&sec);
		CHECK_EQ(check(&sec, 0, ~0U, &left),
			 n > LW_SFRAME_MAX_ROWS ? LW_SFRAME_TOO_MANY_ROWS : 0);
		CHECK_EQ(~0U - left, 1 + LW_SFRAME_MAX_ROWS);
		section_free(&sec);
	}
}

int main(void)
{
	return tap_main();
}
