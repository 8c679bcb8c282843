// SPDX-License-Identifier: GPL-2.0
/* sframe_walk_test - functions by number, and their rows one by one */
#include <errno.h>

#include "lookup.h"

static void begin(struct section *sec, struct lw_sframe *sf, enum mode mode)
{
	section_finish(sec);
	CHECK_EQ(section_open(sec, sf, mode), 0);
}

#define EACH_MODE for (int mode = BY_READ; mode <= IN_MEMORY; mode++)
#define EACH_MODE_WITH(make)						\
	for (int mode = BY_READ; mode <= IN_MEMORY; mode++)		\
		WITH(make)

/* ---- functions ---- */

TEST(a_function_is_told_as_it_is_written)
{
	struct lw_sframe_fde fde;
	struct lw_sframe sf;
	struct section sec;
	__u32 attr;

	EACH_FORM EACH_MODE {
		attr = form->version < 3 ? 0 : ATTR_SIZE;
		good(&sec, form->version, form->flags);
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, PLT0, &fde), 0);
		CHECK_EQ(fde.start, 0x401020);
		CHECK_EQ(fde.size, 16);
		CHECK_EQ(fde.rows, attr);
		CHECK_EQ(fde.num_rows, 2);
		CHECK_EQ(fde.start_size, 1);
		CHECK_EQ(fde.type, LW_SFRAME_DEFAULT);
		CHECK_EQ(fde.mask, 0);
		CHECK_EQ(fde.rep_size, 16);
		CHECK_EQ(fde.signal, 0);
		CHECK_EQ(fde.pauth_b, 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, PLT, &fde), 0);
		CHECK_EQ(fde.start, START_PLT);
		CHECK_EQ(fde.size, 64);
		CHECK_EQ(fde.rows, 6 + 2 * attr);
		CHECK(fde.mask);
		CHECK_EQ(fde.rep_size, 16);
		CHECK_EQ(lw_sframe_get_fde(&sf, MIDDLE, &fde), 0);
		CHECK_EQ(fde.start_size, 2);
		CHECK_EQ(fde.num_rows, 4);
		CHECK_EQ(lw_sframe_get_fde(&sf, LARGE, &fde), 0);
		CHECK_EQ(fde.start, START_LARGE);
		CHECK_EQ(fde.size, 0x20000);
		CHECK_EQ(fde.start_size, 4);
		CHECK_EQ(lw_sframe_get_fde(&sf, EMPTY_A, &fde), 0);
		CHECK_EQ(fde.start, START_SHARED);
		CHECK_EQ(fde.size, 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, LAST, &fde), 0);
		CHECK_EQ(fde.start, START_LAST);
		CHECK_EQ(sec.outside, 0);
		section_free(&sec);
	}
}

TEST(a_functions_bits_are_told)
{
	struct lw_sframe_fde fde;
	struct lw_sframe sf;
	struct section sec;

	EACH_FORM EACH_MODE {
		section_init(&sec, form->version, LW_SFRAME_ABI_AARCH64_BE,
			     form->flags);
		section_flex(&sec, 0x402000, 0x123456, INC | KEY_B | SIGNAL,
			     0x77);
		sec.place.text_end = 0x800000;
		begin(&sec, &sf, mode);
		CHECK_EQ(lw_sframe_get_fde(&sf, 0, &fde), 0);
		CHECK_EQ(fde.start, 0x402000);
		CHECK_EQ(fde.size, 0x123456);
		CHECK_EQ(fde.rep_size, 0x77);
		CHECK(fde.pauth_b);
		CHECK_EQ(!!fde.signal, form->version == 3);
		CHECK_EQ(fde.type, form->version == 3 ? LW_SFRAME_FLEX :
			 LW_SFRAME_DEFAULT);
		section_free(&sec);
	}
}

TEST(there_is_no_function_behind_the_last)
{
	struct lw_sframe_fde fde;
	struct lw_sframe sf;

	EACH_MODE EACH_GOOD {
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		sec.calls = 0;
		CHECK_EQ(lw_sframe_get_fde(&sf, NUM, &fde), LW_SFRAME_NO_RULE);
		CHECK_EQ(lw_sframe_get_fde(&sf, ~0U, &fde), LW_SFRAME_NO_RULE);
		/* times 20 or 16 this is 0 in 32 bits */
		CHECK_EQ(lw_sframe_get_fde(&sf, 0x40000000, &fde),
			 LW_SFRAME_NO_RULE);
		CHECK_EQ(sec.calls, 0);
	}
}

static int get_with(__u8 version, __u32 idx, enum field field, __u64 value)
{
	struct lw_sframe_fde fde;
	struct lw_sframe sf;
	int err = 0;

	EACH_MODE_WITH(good(&sec, version, 0)) {
		section_put_field(&sec, idx, field, value);
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		if (mode == IN_MEMORY)
			CHECK_EQ(lw_sframe_get_fde(&sf, idx, &fde), err);
		err = lw_sframe_get_fde(&sf, idx, &fde);
		CHECK_EQ(sec.outside, 0);
	}
	return err;
}

TEST(a_broken_function_is_told_so)
{
	EACH_VERSION(v) {
		CHECK_EQ(get_with(v, PLT, F_REP, 0), LW_SFRAME_BAD_BLOCK_SIZE);
		CHECK_EQ(get_with(v, PLT, F_REP, 65),
			 LW_SFRAME_BAD_BLOCK_SIZE);
		CHECK_EQ(get_with(v, SMALL, F_INFO, 3),
			 LW_SFRAME_BAD_ROW_TYPE);
		CHECK_EQ(get_with(v, SMALL, F_SIZE, ~0U),
			 LW_SFRAME_FUNC_OUTSIDE);
		CHECK_EQ(get_with(v, SMALL, F_START, 0),
			 LW_SFRAME_FUNC_OUTSIDE);
		CHECK_EQ(get_with(v, SMALL, F_FRE_OFF, ~0U),
			 LW_SFRAME_FUNC_ROWS_OUTSIDE);
		CHECK_EQ(get_with(v, SMALL, F_NUM, 0xffff),
			 LW_SFRAME_FUNC_ROWS_OUTSIDE);
	}
	CHECK_EQ(get_with(3, SMALL, F_INFO2, 2), LW_SFRAME_UNKNOWN_FDE_TYPE);
}

/* ---- rows ---- */

/* What the last row that does not start behind key says, by our own count. */
static int rule_by_rows(const struct lw_sframe *sf,
			const struct lw_sframe_fde *fde, __u32 key,
			struct lw_rule *rule)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_row row;
	__u32 end = fde->rows, n = 0;
	int found = 0, err;

	lw_sframe_first_row(&cursor, sf, fde);
	while (!(err = lw_sframe_next_row(&cursor, &row))) {
		CHECK_EQ(row.pos, end);
		CHECK(row.end >= row.pos + 2 && row.end <= sf->fre_len);
		end = row.end;
		n++;
		if (row.start > key)
			continue;
		*rule = row.rule;
		found = 1;
	}
	CHECK_EQ(err, LW_SFRAME_NO_RULE);
	CHECK_EQ(n, fde->num_rows);
	/* there it stays */
	CHECK_EQ(lw_sframe_next_row(&cursor, &row), LW_SFRAME_NO_RULE);
	return found;
}

/* Each address of a function, or as many as there is time for. */
static void compare(struct section *sec, const struct lw_sframe *sf,
		    const struct lw_sframe_fde *fde)
{
	__u32 step = fde->size > 0x1000 ? 97 : 1, off, key;
	struct lw_rule by_rows, rule;

	for (off = 0; off < fde->size; off += step) {
		key = fde->mask ? off % fde->rep_size : off;
		if (rule_by_rows(sf, fde, key, &by_rows)) {
			CHECK_EQ(find(sec, fde->start + off, &rule), 0);
			CHECK(!memcmp(&by_rows, &rule, sizeof(rule)));
		} else {
			CHECK_EQ(result(sec, fde->start + off),
				 LW_SFRAME_NO_RULE);
		}
	}
}

TEST(rows_say_what_a_look_up_finds)
{
	struct lw_sframe_fde fde;
	struct lw_sframe sf;
	struct section sec, same;
	__u32 i;

	EACH_FORM EACH_MODE {
		good(&sec, form->version, form->flags);
		/* find() opens its own in its own ways */
		good(&same, form->version, form->flags);
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		for (i = 0; i < sf.num_fdes; i++) {
			CHECK_EQ(lw_sframe_get_fde(&sf, i, &fde), 0);
			compare(&same, &sf, &fde);
		}
		CHECK_EQ(sec.outside, 0);
		section_free(&sec);
		section_free(&same);
	}
}

static int next_is(struct lw_sframe_cursor *cursor, __u32 start, __u32 len,
		   __u8 info, struct lw_rule rule)
{
	__u32 pos = cursor->pos;
	struct lw_sframe_row row;
	int err = lw_sframe_next_row(cursor, &row);

	if (!err && row.start == start && row.pos == pos &&
	    row.end == pos + len && row.info == info &&
	    !memcmp(&row.rule, &rule, sizeof(rule)))
		return 1;
	printf("# %d: @%#x %u-%u info %#x\n", err, row.start, row.pos, row.end,
	       row.info);
	if (!err)
		print_rule(&row.rule);
	return 0;
}

TEST(a_row_is_told_as_it_is_written)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	struct lw_sframe sf;

	EACH_MODE EACH_GOOD {
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, MIDDLE, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK_EQ(cursor.pos, fde.rows);
		CHECK(next_is(&cursor, 0, 4, 0x03, amd64(at_sp(8), 0)));
		CHECK(next_is(&cursor, 27, 7, 0x25, amd64(at_sp(336), -16)));
		CHECK(next_is(&cursor, 0x100, 11, 0x45,
			      amd64(at_sp(70000), -70000)));
		CHECK(next_is(&cursor, 0x1f0, 5, 0x22, amd64(at_fp(-4096), 0)));
		CHECK_EQ(lw_sframe_next_row(&cursor, &row), LW_SFRAME_NO_RULE);
	}
}

TEST(rows_of_flex_and_signal_frames_and_outermost_ones)
{
	struct lw_rule signal = amd64(mem(at_sp(160)), 0);
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe sf;

	signal.flags = LW_RULE_SIGNAL;
	EACH_MODE_WITH(section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED)) {
		section_flex(&sec, 0x402000, 16, INC | SIGNAL, 0);
		section_row(&sec, 0, FP | W2, CTL_REG_AT(7), 160);
		section_row(&sec, 1, FP);
		begin(&sec, &sf, mode);
		CHECK_EQ(lw_sframe_get_fde(&sf, 0, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK(next_is(&cursor, 0, 6, 0x24, signal));
		CHECK(next_is(&cursor, 1, 2, 0x00, (struct lw_rule){
				.flags = LW_RULE_OUTERMOST }));
	}
}

TEST(rows_of_plt_got_are_corrected)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe sf;

	EACH_MODE EACH_GOOD {
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, PLT_GOT, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK(next_is(&cursor, 0, 3, 0x03, amd64(at_sp(8), 0)));
	}
}

/* Where the program begins is no matter of the section. */
TEST(rows_are_told_whatever_the_entry_is)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe sf;

	EACH_MODE EACH_GOOD {
		sec.place.entry = START_SMALL;
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, SMALL, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK(next_is(&cursor, 0, 3, 0x03, amd64(at_sp(8), 0)));
	}
}

/* The first two rows are sound; then what is told, again and again. */
static int third_row(__u8 version, __u32 off, __u8 value)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	struct lw_sframe sf;
	int err = 0;

	EACH_MODE_WITH(good(&sec, version, 0)) {
		section_put(&sec, section_fre_pos(&sec, SMALL) + 7 + off, 1,
			    value);
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, SMALL, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK_EQ(lw_sframe_next_row(&cursor, &row), 0);
		CHECK_EQ(lw_sframe_next_row(&cursor, &row), 0);
		if (mode == BY_READ)
			err = lw_sframe_next_row(&cursor, &row);
		else
			CHECK_EQ(lw_sframe_next_row(&cursor, &row), err);
		if (err)
			CHECK_EQ(lw_sframe_next_row(&cursor, &row), err);
		CHECK_EQ(sec.outside, 0);
	}
	return err;
}

TEST(a_broken_row_is_told_so_and_ends_the_walk)
{
	EACH_VERSION(v) {
		CHECK_EQ(third_row(v, 0, 1), 0);
		CHECK_EQ(third_row(v, 0, 0), LW_SFRAME_BAD_ROW_ORDER);
		CHECK_EQ(third_row(v, 0, 0x80), 0);
		CHECK_EQ(third_row(v, 0, 0x81), LW_SFRAME_BAD_ROW_START);
		CHECK_EQ(third_row(v, 1, 0x63), LW_SFRAME_BAD_WORD_SIZE);
		CHECK_EQ(third_row(v, 1, 0x07), LW_SFRAME_BAD_WORD_COUNT);
	}
}

TEST(rows_that_end_outside_and_words_that_make_no_rules)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	struct lw_sframe sf;

	EACH_MODE_WITH(section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED)) {
		section_flex(&sec, 0x402000, 16, INC, 0);
		section_row(&sec, 0, FP, CTL_REG(7), 8);
		section_row(&sec, 1, FP, CTL_CFA_AT, 8);
		section_flex(&sec, 0x402010, 16, INC, 0);
		section_row(&sec, 0, FP, CTL_REG(16), 8);
		section_flex(&sec, 0x402020, 16, INC, 0);
		section_row(&sec, 0, FP, CTL_REG(7), 8);
		section_finish(&sec);
		section_put(&sec, HDR_FRE_LEN, 4, sec.fre_len - 1);
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		CHECK_EQ(lw_sframe_get_fde(&sf, 0, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK_EQ(lw_sframe_next_row(&cursor, &row), 0);
		CHECK_EQ(lw_sframe_next_row(&cursor, &row), LW_SFRAME_BAD_FLEX);
		CHECK_EQ(lw_sframe_get_fde(&sf, 1, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK_EQ(lw_sframe_next_row(&cursor, &row),
			 LW_SFRAME_BAD_REGISTER);
		CHECK_EQ(lw_sframe_get_fde(&sf, 2, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK_EQ(lw_sframe_next_row(&cursor, &row),
			 LW_SFRAME_ROW_OUTSIDE);
	}
}

TEST(a_function_without_rows_has_none_to_walk)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	struct lw_sframe sf;
	struct section sec;

	EACH_FORM EACH_MODE {
		section_init(&sec, form->version, LW_SFRAME_ABI_AMD64,
			     form->flags);
		section_fde(&sec, 0x402000, 16, INC, 0);
		begin(&sec, &sf, mode);
		CHECK_EQ(lw_sframe_get_fde(&sf, 0, &fde), 0);
		lw_sframe_first_row(&cursor, &sf, &fde);
		CHECK_EQ(lw_sframe_next_row(&cursor, &row), LW_SFRAME_NO_RULE);
		section_free(&sec);
	}
}

static unsigned int walk_all(const struct lw_sframe *sf, int *err)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	unsigned int n = 0;

	*err = lw_sframe_get_fde(sf, 0, &fde);
	if (*err)
		return 0;
	lw_sframe_first_row(&cursor, sf, &fde);
	while (!(*err = lw_sframe_next_row(&cursor, &row)))
		n++;
	return n;
}

/* Version 3 can't count more; version 2 can. */
TEST(a_walk_is_bounded)
{
	struct lw_sframe sf;
	unsigned int n;
	int err;

	EACH_MODE_WITH(section_init(&sec, 2, LW_SFRAME_ABI_AMD64, SORTED)) {
		section_fde(&sec, 0x402000, 0x20000, INC | 2, 0);
		for (n = 0; n < LW_SFRAME_MAX_ROWS; n++)
			section_row(&sec, n, SP, 8);
		begin(&sec, &sf, mode);
		CHECK_EQ(walk_all(&sf, &err), LW_SFRAME_MAX_ROWS);
		CHECK_EQ(err, LW_SFRAME_NO_RULE);
		section_row(&sec, n, SP, 8);
		begin(&sec, &sf, mode);
		CHECK_EQ(walk_all(&sf, &err), LW_SFRAME_MAX_ROWS);
		CHECK_EQ(err, LW_SFRAME_TOO_MANY_ROWS);
	}
}

/* ---- reads that fail ---- */

TEST(after_a_failed_read_the_walk_is_where_it_was)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_fde fde, again;
	struct lw_sframe_row row;
	struct lw_sframe sf;
	unsigned int i, n;
	int err;

	EACH_FORM_WITH(section_init(&sec, form->version, LW_SFRAME_ABI_AMD64, form->flags)) {
		section_fde(&sec, 0x402000, 0x1000, INC | 1, 0);
		for (i = 0; i < 200; i++)
			section_row(&sec, i, SP | (i % 3) << 5, 16 + i / 2,
				    -16);
		begin(&sec, &sf, BY_READ);
		sec.fail_with = -EAGAIN;
		n = form->version < 3 ? 1 : 2;
		for (i = 1; i <= n; i++) {
			sec.calls = 0;
			sec.fail_at = i;
			CHECK_EQ(lw_sframe_get_fde(&sf, 0, &fde), -EAGAIN);
			CHECK_EQ(sec.calls, i);
		}
		sec.calls = 0;
		sec.fail_at = 0;
		CHECK_EQ(lw_sframe_get_fde(&sf, 0, &fde), 0);
		CHECK_EQ(sec.calls, n);
		CHECK_EQ(lw_sframe_get_fde(&sf, 0, &again), 0);
		CHECK(!memcmp(&fde, &again, sizeof(fde)));

		lw_sframe_first_row(&cursor, &sf, &fde);
		n = 0;
		for (i = 0; i < 200; ) {
			/* each read fails at first */
			sec.calls = 0;
			sec.fail_at = 1;
			err = lw_sframe_next_row(&cursor, &row);
			if (err) {
				CHECK_EQ(err, -EAGAIN);
				CHECK_EQ(sec.calls, 1);
				n++;
				sec.fail_at = 0;
				CHECK_EQ(lw_sframe_next_row(&cursor, &row), 0);
			}
			CHECK_EQ(row.start, i);
			CHECK_EQ(row.rule.cfa.off, 16 + i / 2);
			i++;
		}
		CHECK_EQ(lw_sframe_next_row(&cursor, &row), LW_SFRAME_NO_RULE);
		/* it reads blocks */
		CHECK(n >= sec.fre_len / LW_SFRAME_BLOCK);
		CHECK(n <= sec.fre_len / LW_SFRAME_BLOCK * 2 + 2);
		CHECK_EQ(sec.outside, 0);
	}
}

int main(void)
{
	return tap_main();
}
