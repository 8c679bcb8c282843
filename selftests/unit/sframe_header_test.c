// SPDX-License-Identifier: GPL-2.0
/* sframe_header_test - what lw_sframe_open() takes, and why it refuses */
#include "lookup.h"

/* A field of a good section changed: what comes of the open. */
static int open_with(__u8 version, __u32 off, unsigned int size, __u64 value)
{
	struct section sec;
	int err;

	good(&sec, version, 0);
	section_put(&sec, off, size, value);
	err = open_result(&sec);
	section_free(&sec);
	return err;
}

TEST(open_reports_what_the_header_says)
{
	struct lw_sframe sf;

	EACH_GOOD {
		sec.place.entry = START_MIDDLE;
		section_put(&sec, HDR_NUM_FRES, 4, 0x12345678);
		CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
		CHECK(sf.src == &sec.src);
		CHECK(!memcmp(&sf.place, &sec.place, sizeof(sf.place)));
		CHECK_EQ(sf.fde_off, HDR_SIZE);
		CHECK_EQ(sf.fre_off,
			 HDR_SIZE + NUM * section_fde_size(&sec));
		CHECK_EQ(sf.fre_len, sec.fre_len);
		CHECK_EQ(sf.num_fdes, NUM);
		CHECK_EQ(sf.num_fres, 0x12345678);
		CHECK_EQ(sf.version, form->version);
		CHECK_EQ(sf.flags, form->flags);
		CHECK_EQ(sf.abi, LW_SFRAME_ABI_AMD64);
		CHECK_EQ(sf.fixed_fp, 0);
		CHECK_EQ(sf.fixed_ra, -8);
		CHECK_EQ(sf.auxhdr_len, 0);
	}
}

TEST(a_section_too_short_for_a_header_is_refused_unread)
{
	struct section sec;
	__u64 size;

	EACH_VERSION(v) {
		for (size = 0; size < HDR_SIZE; size++) {
			good(&sec, v, 0);
			section_resize(&sec, size);
			CHECK_EQ(open_result(&sec), LW_SFRAME_TOO_SHORT);
			CHECK_EQ(sec.calls, 0);
			section_free(&sec);
		}
	}
}

TEST(the_header_is_read_once_and_never_again)
{
	struct section sec;
	struct lw_sframe sf;
	struct lw_rule rule;
	int mode;

	EACH_FORM {
		for (mode = BY_READ; mode <= IN_MEMORY; mode++) {
			good(&sec, form->version, form->flags);
			CHECK_EQ(section_open(&sec, &sf, mode), 0);
			CHECK_EQ(sec.calls, mode == BY_READ);
			memset(sec.bytes, 0xff, HDR_SIZE);
			CHECK_EQ(lw_sframe_find(&sf, START_SMALL + 5, &rule),
				 0);
			CHECK_EQ(rule.fp.off, -16);
			section_free(&sec);
		}
	}
}

TEST(a_wrong_magic_is_refused)
{
	EACH_VERSION(v) {
		CHECK_EQ(open_with(v, HDR_MAGIC, 2, 0xdee3),
			 LW_SFRAME_BAD_MAGIC);
		CHECK_EQ(open_with(v, HDR_MAGIC, 2, 0), LW_SFRAME_BAD_MAGIC);
		CHECK_EQ(open_with(v, HDR_MAGIC, 2, 0x5ee2),
			 LW_SFRAME_BAD_MAGIC);
		CHECK_EQ(open_with(v, HDR_MAGIC, 2, 0xe2e2),
			 LW_SFRAME_BAD_MAGIC);
	}
}

/* All of amd64 in big endian, all of s390x in little endian. */
TEST(a_byte_order_that_is_not_the_abis_is_refused)
{
	static const __u8 wrong[][2] = {
		/* made as, and said to be */
		{ LW_SFRAME_ABI_S390X, LW_SFRAME_ABI_AMD64 },
		{ LW_SFRAME_ABI_S390X, LW_SFRAME_ABI_AARCH64_LE },
		{ LW_SFRAME_ABI_AARCH64_LE, LW_SFRAME_ABI_AARCH64_BE },
		{ LW_SFRAME_ABI_AARCH64_LE, LW_SFRAME_ABI_S390X },
	};
	struct section sec;
	unsigned int i;

	EACH_VERSION(v) {
		for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			section_init(&sec, v, wrong[i][0], SORTED);
			section_fde(&sec, 0x402000, 16, INC, 0);
			section_row(&sec, 0, SP, 8);
			section_finish(&sec);
			CHECK_EQ(open_result(&sec), 0);
			section_put(&sec, HDR_ABI, 1, wrong[i][1]);
			sec.wanted = LW_SFRAME_ABI_ANY;
			CHECK_EQ(open_result(&sec), LW_SFRAME_FOREIGN_ORDER);
			sec.wanted = wrong[i][1];
			CHECK_EQ(open_result(&sec), LW_SFRAME_FOREIGN_ORDER);
			section_free(&sec);
		}
		CHECK_EQ(open_with(v, HDR_MAGIC, 2, 0xe2de),
			 LW_SFRAME_FOREIGN_ORDER);
	}
}

TEST(versions_but_2_and_3_are_refused)
{
	int v;

	for (v = 0; v < 256; v++) {
		if (v == 2 || v == 3)
			continue;
		CHECK_EQ(open_with(2, HDR_VERSION, 1, v),
			 LW_SFRAME_UNKNOWN_VERSION);
		CHECK_EQ(open_with(3, HDR_VERSION, 1, v),
			 LW_SFRAME_UNKNOWN_VERSION);
	}
	CHECK_EQ(open_with(2, HDR_VERSION, 1, 2), 0);
	CHECK_EQ(open_with(3, HDR_VERSION, 1, 3), 0);
}

TEST(unknown_flags_are_refused)
{
	int f;

	for (f = 0; f < 256; f++) {
		if (f & ~(SORTED | PCREL | FP_KEPT))
			CHECK_EQ(open_with(2, HDR_FLAGS, 1, f),
				 LW_SFRAME_UNKNOWN_FLAG);
		/* version 3 has one less */
		if (f & ~(SORTED | PCREL))
			CHECK_EQ(open_with(3, HDR_FLAGS, 1, f),
				 LW_SFRAME_UNKNOWN_FLAG);
	}
}

TEST(sections_that_are_not_sorted_are_refused)
{
	int f;

	EACH_VERSION(v) {
		for (f = 0; f < 8; f++) {
			if (v == 3 && (f & FP_KEPT))
				continue;
			CHECK_EQ(open_with(v, HDR_FLAGS, 1, f),
				 f & SORTED ? 0 : LW_SFRAME_UNSORTED);
		}
	}
}

static int open_abi(__u8 version, __u8 made, __u8 said, unsigned int wanted)
{
	struct section sec;
	int err;

	section_init(&sec, version, made, SORTED);
	section_fde(&sec, 0x402000, 16, INC, 0);
	section_row(&sec, 0, SP, 8);
	section_finish(&sec);
	section_put(&sec, HDR_ABI, 1, said);
	sec.wanted = wanted;
	err = open_result(&sec);
	section_free(&sec);
	return err;
}

TEST(an_abi_that_was_not_asked_for_is_refused)
{
	unsigned int abi, wanted;

	EACH_VERSION(v) {
		for (abi = 1; abi <= 4; abi++)
			for (wanted = 0; wanted < 10; wanted++)
				CHECK_EQ(open_abi(v, abi, abi, wanted),
					 !wanted || wanted == abi ?
					 0 : LW_SFRAME_OTHER_ABI);
	}
}

TEST(unknown_abis_are_refused)
{
	int abi;

	EACH_VERSION(v) {
		for (abi = 0; abi < 256; abi++) {
			if (abi >= 1 && abi <= 4)
				continue;
			CHECK_EQ(open_abi(v, 3, abi, LW_SFRAME_ABI_ANY),
				 LW_SFRAME_OTHER_ABI);
			CHECK_EQ(open_abi(v, 4, abi, LW_SFRAME_ABI_ANY),
				 LW_SFRAME_OTHER_ABI);
			CHECK_EQ(open_abi(v, 3, abi, abi),
				 LW_SFRAME_OTHER_ABI);
		}
	}
}

TEST(other_fixed_slots_are_refused)
{
	struct section sec;
	int abi, slot, ra;

	EACH_VERSION(v) {
		for (abi = 1; abi <= 4; abi++) {
			section_init(&sec, v, abi, SORTED);
			section_fde(&sec, 0x402000, 16, INC, 0);
			section_row(&sec, 0, SP, 8);
			section_finish(&sec);
			ra = abi == LW_SFRAME_ABI_AMD64 ? -8 : 0;
			for (slot = -128; slot < 128; slot++) {
				section_put(&sec, HDR_FIXED_RA, 1, slot);
				CHECK_EQ(open_result(&sec), slot == ra ? 0 :
					 LW_SFRAME_BAD_FIXED_SLOT);
				section_put(&sec, HDR_FIXED_RA, 1, ra);
				section_put(&sec, HDR_FIXED_FP, 1, slot);
				CHECK_EQ(open_result(&sec), !slot ? 0 :
					 LW_SFRAME_BAD_FIXED_SLOT);
				section_put(&sec, HDR_FIXED_FP, 1, 0);
			}
			section_free(&sec);
		}
	}
}

/* ---- layout ---- */

/* Areas in both orders, auxiliary header and gap between them filled. */
static void laid_out(struct section *sec, const struct form *form, int aux,
		     int gap, int rows_first)
{
	section_init(sec, form->version, LW_SFRAME_ABI_AMD64, form->flags);
	sec->aux_len = aux;
	sec->gap = gap;
	sec->rows_first = rows_first;
	section_fde(sec, 0x402000, 16, INC, 0);
	section_row(sec, 0, SP, 8);
	section_row(sec, 4, SP, 16, -16);
	section_fde(sec, 0x402010, 16, INC, 0);
	section_row(sec, 0, SP, 24);
	section_finish(sec);
}

TEST(areas_may_come_in_any_order_with_anything_between)
{
	static const int lens[] = { 0, 1, 7, 255 };
	struct section sec;
	int a, g, first;

	EACH_FORM {
		for (a = 0; a < 16; a++) {
			g = a % 4;
			for (first = 0; first < 2; first++) {
				laid_out(&sec, form, lens[a / 4], lens[g],
					 first);
				CHECK(is_rule(&sec, 0x402003,
					      amd64(at_sp(8), 0)));
				CHECK(is_rule(&sec, 0x40200f,
					      amd64(at_sp(16), -16)));
				CHECK(is_rule(&sec, 0x402010,
					      amd64(at_sp(24), 0)));
				section_free(&sec);
			}
		}
	}
}

TEST(an_auxiliary_header_is_skipped)
{
	struct lw_sframe sf;
	struct section sec;

	EACH_FORM {
		laid_out(&sec, form, 255, 0, 0);
		CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
		CHECK_EQ(sf.auxhdr_len, 255);
		CHECK_EQ(sf.fde_off, HDR_SIZE + 255);
		CHECK_EQ(sf.fre_off,
			 HDR_SIZE + 255 + 2 * section_fde_size(&sec));
		section_free(&sec);
	}
}

TEST(an_auxiliary_header_must_fit)
{
	struct section sec;

	EACH_VERSION(v) {
		/* nothing else there */
		section_init(&sec, v, LW_SFRAME_ABI_AMD64, SORTED);
		section_finish(&sec);
		section_put(&sec, HDR_NUM_FDES, 4, 1);
		section_put(&sec, HDR_AUX_LEN, 1, 1);
		CHECK_EQ(open_result(&sec), LW_SFRAME_FDES_OUTSIDE);
		/* and in 32 bits this would be the header's end */
		section_put(&sec, HDR_FDEOFF, 4, -1);
		CHECK_EQ(open_result(&sec), LW_SFRAME_FDES_OUTSIDE);
		section_free(&sec);
		/* it pushes the last byte of the rows out */
		CHECK_EQ(open_with(v, HDR_AUX_LEN, 1, 1),
			 LW_SFRAME_ROWS_OUTSIDE);
		CHECK_EQ(open_with(v, HDR_AUX_LEN, 1, 255),
			 LW_SFRAME_FDES_OUTSIDE);
	}
}

TEST(no_fdes_are_refused)
{
	EACH_VERSION(v)
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, 0), LW_SFRAME_NO_FDES);
}

/* A source of any size: nothing but the header is ever asked for. */
static int open_claiming(__u8 version, __u32 num_fdes, __u64 size)
{
	struct lw_sframe sf;
	struct section sec;
	int err;

	good(&sec, version, 0);
	section_put(&sec, HDR_NUM_FDES, 4, num_fdes);
	section_put(&sec, HDR_FREOFF, 4, num_fdes * section_fde_size(&sec));
	sec.src.size = size;
	err = section_open(&sec, &sf, BY_READ);
	CHECK_EQ(sec.calls, 1);
	section_free(&sec);
	return err;
}

TEST(the_cap_on_fdes_is_what_it_says)
{
	EACH_VERSION(v) {
		CHECK_EQ(open_claiming(v, LW_SFRAME_MAX_FDES, 1ULL << 32), 0);
		CHECK_EQ(open_claiming(v, LW_SFRAME_MAX_FDES + 1, 1ULL << 40),
			 LW_SFRAME_TOO_MANY_FDES);
		CHECK_EQ(open_claiming(v, ~0U, 1ULL << 40),
			 LW_SFRAME_TOO_MANY_FDES);
	}
}

TEST(numbers_of_fdes_that_overflow_are_refused)
{
	EACH_VERSION(v) {
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, NUM + 1),
			 LW_SFRAME_AREAS_OVERLAP);
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, NUM + 99),
			 LW_SFRAME_FDES_OUTSIDE);
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, LW_SFRAME_MAX_FDES),
			 LW_SFRAME_FDES_OUTSIDE);
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, ~0U),
			 LW_SFRAME_TOO_MANY_FDES);
		/* times 20 or 16 these are small in 32 bits */
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, 0x0ccccccd),
			 LW_SFRAME_TOO_MANY_FDES);
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, 0x10000001),
			 LW_SFRAME_TOO_MANY_FDES);
		CHECK_EQ(open_with(v, HDR_NUM_FDES, 4, 0x40000000),
			 LW_SFRAME_TOO_MANY_FDES);
	}
}

TEST(offsets_of_areas_that_overflow_are_refused)
{
	EACH_VERSION(v) {
		CHECK_EQ(open_with(v, HDR_FRE_LEN, 4, ~0U),
			 LW_SFRAME_ROWS_OUTSIDE);
		CHECK_EQ(open_with(v, HDR_FREOFF, 4, ~0U),
			 LW_SFRAME_ROWS_OUTSIDE);
		CHECK_EQ(open_with(v, HDR_FREOFF, 4, -HDR_SIZE),
			 LW_SFRAME_ROWS_OUTSIDE);
		CHECK_EQ(open_with(v, HDR_FDEOFF, 4, ~0U),
			 LW_SFRAME_FDES_OUTSIDE);
		CHECK_EQ(open_with(v, HDR_FDEOFF, 4, -HDR_SIZE),
			 LW_SFRAME_FDES_OUTSIDE);
	}
}

TEST(the_fde_array_must_end_in_the_section)
{
	struct section sec;
	__u64 size;

	EACH_FORM {
		laid_out(&sec, form, 3, 2, 1);
		CHECK_EQ(open_result(&sec), 0);
		for (size = sec.src.size - 1; size >= HDR_SIZE; size--) {
			section_resize(&sec, size);
			CHECK_EQ(open_result(&sec), LW_SFRAME_FDES_OUTSIDE);
		}
		section_free(&sec);
	}
}

TEST(the_fre_area_must_end_in_the_section)
{
	struct section sec;
	__u64 size, fdes_end;
	__u32 len;

	EACH_FORM {
		laid_out(&sec, form, 3, 2, 0);
		len = section_get(&sec, HDR_FRE_LEN, 4);
		section_put(&sec, HDR_FRE_LEN, 4, len + 1);
		CHECK_EQ(open_result(&sec), LW_SFRAME_ROWS_OUTSIDE);
		section_put(&sec, HDR_FRE_LEN, 4, len);
		CHECK_EQ(open_result(&sec), 0);
		fdes_end = section_fde_pos(&sec, 2);
		for (size = sec.src.size - 1; size >= HDR_SIZE; size--) {
			section_resize(&sec, size);
			CHECK_EQ(open_result(&sec), size < fdes_end ?
				 LW_SFRAME_FDES_OUTSIDE :
				 LW_SFRAME_ROWS_OUTSIDE);
		}
		section_free(&sec);
	}
}

TEST(areas_must_not_overlap)
{
	struct section sec;
	__u32 off;

	EACH_FORM {
		/* the FDEs' last byte is the rows' first */
		laid_out(&sec, form, 0, 0, 0);
		off = section_get(&sec, HDR_FREOFF, 4);
		section_put(&sec, HDR_FREOFF, 4, off - 1);
		CHECK_EQ(open_result(&sec), LW_SFRAME_AREAS_OVERLAP);
		section_put(&sec, HDR_FREOFF, 4, 0);
		CHECK_EQ(open_result(&sec), LW_SFRAME_AREAS_OVERLAP);
		section_free(&sec);

		/* the other way round */
		laid_out(&sec, form, 0, 0, 1);
		off = section_get(&sec, HDR_FDEOFF, 4);
		section_put(&sec, HDR_FDEOFF, 4, off - 1);
		CHECK_EQ(open_result(&sec), LW_SFRAME_AREAS_OVERLAP);
		section_put(&sec, HDR_FDEOFF, 4, 0);
		CHECK_EQ(open_result(&sec), LW_SFRAME_AREAS_OVERLAP);
		section_free(&sec);
	}
}

TEST(a_section_may_be_followed_by_anything)
{
	EACH_GOOD {
		section_resize(&sec, sec.src.size + 999);
		check_good(&sec);
	}
}

TEST(the_count_of_rows_in_the_header_is_not_trusted)
{
	EACH_GOOD {
		section_put(&sec, HDR_NUM_FRES, 4, ~0U);
		check_good(&sec);
		section_put(&sec, HDR_NUM_FRES, 4, 0);
		check_good(&sec);
	}
}

TEST(ranges_that_are_none_are_refused)
{
	EACH_VERSION(v) WITH(good(&sec, v, 0)) {
		sec.place.text_end = sec.place.text_start;
		CHECK_EQ(open_result(&sec), LW_SFRAME_BAD_RANGE);
		CHECK_EQ(sec.calls, 0);
		sec.place.text_end = sec.place.text_start - 1;
		CHECK_EQ(open_result(&sec), LW_SFRAME_BAD_RANGE);
		sec.place.text_end = sec.place.text_start + 1;
		CHECK_EQ(open_result(&sec), 0);
		sec.place.addr = -sec.src.size - 1;
		CHECK_EQ(open_result(&sec), 0);
		sec.place.addr = -sec.src.size + 1;
		CHECK_EQ(open_result(&sec), LW_SFRAME_BAD_RANGE);
	}
}

TEST(results_are_sorted_by_what_they_mean)
{
	int i;

	CHECK(!lw_sframe_is_corrupt(LW_SFRAME_OK));
	CHECK(!lw_sframe_is_corrupt(-14));
	for (i = LW_SFRAME_NO_RULE; i < LW_SFRAME_NUM_RESULTS; i++)
		CHECK_EQ(lw_sframe_is_corrupt(i), i >= LW_SFRAME_BAD_RANGE);
	CHECK(!lw_sframe_is_corrupt(LW_SFRAME_TOO_MANY_ROWS));
	CHECK(lw_sframe_is_corrupt(LW_SFRAME_BAD_OFFSET));
}

int main(void)
{
	return tap_main();
}
