// SPDX-License-Identifier: GPL-2.0
/* sframe_test - each check, tolerance and bound of module/sframe.c */
#include <errno.h>
#include <string.h>

#include "section.h"
#include "tap.h"

/* functions of good(), by index */
enum {
	PLT0, PLT, PLT_GOT, SMALL, MIDDLE, LARGE, OUTER, EMPTY_A, EMPTY_B,
	SHARED, LAST, NUM
};

#define START_SMALL	0x401100
#define START_MIDDLE	0x401180
#define START_LARGE	0x402000
#define START_OUTER	0x430000
#define START_SHARED	0x430100
#define START_LAST	0x43fff0

/* One of everything that must work. */
static void good(struct section *sec, __u8 flags)
{
	section_init(sec, SORTED | flags);
	section_fde(sec, 0x401020, 16, INC, 16);
	section_row(sec, 0, SP, 1, 0, 16, 0);
	section_row(sec, 6, SP, 1, 0, 24, 0);
	section_fde(sec, 0x401030, 64, MASK, 16);
	section_row(sec, 0, SP, 1, 0, 8, 0);
	section_row(sec, 11, SP, 1, 0, 16, 0);
	section_fde(sec, 0x401070, 16, MASK, 8);
	section_row(sec, 0, SP, 1, 0, 16, 0);
	section_fde(sec, START_SMALL, 0x80, INC, 0);
	section_row(sec, 0, SP, 1, 0, 8, 0);
	section_row(sec, 1, SP, 2, 0, 16, -16);
	section_row(sec, 4, FP, 2, 0, 16, -16);
	section_row(sec, 0x7f, SP, 1, 0, 8, 0);
	section_fde(sec, START_MIDDLE, 0x200, INC | 1, 0);
	section_row(sec, 0, SP, 1, 0, 8, 0);
	section_row(sec, 27, SP, 2, 1, 336, -16);
	section_row(sec, 0x100, SP, 2, 2, 70000, -70000);
	section_row(sec, 0x1f0, FP, 1, 1, -4096, 0);
	section_fde(sec, START_LARGE, 0x20000, INC | 2, 0);
	section_row(sec, 0, SP, 1, 0, 8, 0);
	section_row(sec, 0x10001, SP, 1, 2, 0x7ffffff8, 0);
	section_row(sec, 0x18000, FP, 1, 0, -8, 0);
	section_fde(sec, START_OUTER, 0x20, INC, 0);
	section_row(sec, 0, SP, 0, 0, 0, 0);
	section_row(sec, 0x10, SP, 1, 0, 8, 0);
	section_fde(sec, START_SHARED, 0, INC, 0);
	section_row(sec, 0, SP, 1, 0, 80, 0);
	section_fde(sec, START_SHARED, 0x10, INC, 0);
	section_row(sec, 2, SP, 1, 0, 8, 0);
	section_fde(sec, START_SHARED, 0, INC, 0);
	section_row(sec, 0, SP, 1, 0, 88, 0);
	section_fde(sec, START_LAST, 0x10, INC, 0);
	section_row(sec, 0, SP, 1, 0, 8, 0);
	section_finish(sec);
}

/* Opens anew, as most tests change bytes first. */
static int find(struct section *sec, __u64 pc, struct lw_rule *rule)
{
	struct lw_sframe sf;
	struct lw_rule before;
	int err;

	memset(rule, 0x5a, sizeof(*rule));
	memcpy(&before, rule, sizeof(before));
	err = section_open(sec, &sf);
	if (!err) {
		sec->calls = 0;
		err = lw_sframe_find(&sf, pc, rule);
	}
	if (err)
		CHECK(!memcmp(&before, rule, sizeof(before)));
	CHECK_EQ(sec->outside, 0);
	CHECK(sec->calls <= LW_SFRAME_MAX_READS);
	return err;
}

static int result(struct section *sec, __u64 pc)
{
	struct lw_rule rule;

	return find(sec, pc, &rule);
}

static int open_result(struct section *sec)
{
	struct lw_sframe sf;
	int err = section_open(sec, &sf);

	CHECK_EQ(sec->outside, 0);
	return err;
}

/* fp: 0 for none */
static int is_rule(struct section *sec, __u64 pc, int base, __s32 cfa, __s32 fp)
{
	struct lw_rule rule;
	int err = find(sec, pc, &rule);

	if (!err && rule.cfa_base == (base == SP ? LW_BASE_SP : LW_BASE_FP) &&
	    rule.cfa_off == cfa && rule.ra_off == -8 && rule.sp_off == 0 &&
	    rule.fp_off == fp && rule.flags == (fp ? LW_RULE_FP_SAVED : 0))
		return 1;
	printf("# %#llx: %d, base %u cfa %d ra %d fp %d sp %d flags %u\n",
	       (unsigned long long)pc, err, rule.cfa_base, rule.cfa_off,
	       rule.ra_off, rule.fp_off, rule.sp_off, rule.flags);
	return 0;
}

static int is_outermost(struct section *sec, __u64 pc)
{
	struct lw_rule rule;

	return !find(sec, pc, &rule) && rule.flags == LW_RULE_OUTERMOST;
}

/* The i-th encoding of starts. */
#define EACH_ENCODING(flags)						\
	for (unsigned int flags = 0; flags <= PCREL; flags += PCREL)

/* A field of a good section changed: what comes of the open. */
static int open_with(__u32 off, unsigned int size, __u64 value)
{
	struct section sec;
	int err;

	good(&sec, 0);
	section_put(&sec, off, size, value);
	err = open_result(&sec);
	section_free(&sec);
	return err;
}

/* A field of one FDE changed: what comes of a look-up. */
static int find_with(__u32 fde, __u32 off, unsigned int size, __u64 value,
		     __u64 pc)
{
	struct section sec;
	int err;

	good(&sec, 0);
	section_put(&sec, section_fde_pos(&sec, fde) + off, size, value);
	err = result(&sec, pc);
	section_free(&sec);
	return err;
}

/* A byte of the rows of one FDE changed. */
static int find_row_with(__u32 fde, __u32 off, __u8 value, __u64 pc)
{
	struct section sec;
	int err;

	good(&sec, 0);
	section_put(&sec, section_fre_pos(&sec, fde) + off, 1, value);
	err = result(&sec, pc);
	section_free(&sec);
	return err;
}

static void check_good(struct section *sec)
{
	CHECK(is_rule(sec, START_SMALL, SP, 8, 0));
	CHECK(is_rule(sec, START_SMALL + 1, SP, 16, -16));
	CHECK(is_rule(sec, START_SMALL + 3, SP, 16, -16));
	CHECK(is_rule(sec, START_SMALL + 4, FP, 16, -16));
	CHECK(is_rule(sec, START_SMALL + 0x7e, FP, 16, -16));
	CHECK(is_rule(sec, START_SMALL + 0x7f, SP, 8, 0));
	CHECK(is_rule(sec, START_MIDDLE, SP, 8, 0));
	CHECK(is_rule(sec, START_MIDDLE + 27, SP, 336, -16));
	CHECK(is_rule(sec, START_MIDDLE + 0xff, SP, 336, -16));
	CHECK(is_rule(sec, START_MIDDLE + 0x100, SP, 70000, -70000));
	CHECK(is_rule(sec, START_MIDDLE + 0x1ff, FP, -4096, 0));
	CHECK(is_rule(sec, START_LARGE + 0x10000, SP, 8, 0));
	CHECK(is_rule(sec, START_LARGE + 0x10001, SP, 0x7ffffff8, 0));
	CHECK(is_rule(sec, START_LARGE + 0x1ffff, FP, -8, 0));
	CHECK(is_rule(sec, START_LAST + 15, SP, 8, 0));
}

TEST(finds_rows_of_each_start_and_word_size)
{
	struct section sec;

	EACH_ENCODING(flags) {
		good(&sec, flags);
		check_good(&sec);
		section_free(&sec);
	}
}

TEST(knows_nothing_between_functions)
{
	struct section sec;

	EACH_ENCODING(flags) {
		good(&sec, flags);
		CHECK_EQ(result(&sec, 0x401000), -ENOENT);
		CHECK_EQ(result(&sec, 0x40101f), -ENOENT);
		CHECK_EQ(result(&sec, 0x401080), -ENOENT);
		CHECK_EQ(result(&sec, START_MIDDLE + 0x200), -ENOENT);
		CHECK_EQ(result(&sec, START_LARGE - 1), -ENOENT);
		CHECK_EQ(result(&sec, START_LARGE + 0x20000), -ENOENT);
		CHECK_EQ(result(&sec, START_SHARED + 0x10), -ENOENT);
		CHECK_EQ(result(&sec, START_LAST - 1), -ENOENT);
		section_free(&sec);
	}
}

TEST(knows_nothing_outside_of_the_text_and_reads_nothing_for_it)
{
	struct section sec;
	struct lw_sframe sf;
	struct lw_rule rule;

	good(&sec, 0);
	CHECK_EQ(section_open(&sec, &sf), 0);
	CHECK_EQ(sec.calls, 1);
	CHECK_EQ(lw_sframe_find(&sf, sec.text_start - 1, &rule), -ENOENT);
	CHECK_EQ(lw_sframe_find(&sf, sec.text_end, &rule), -ENOENT);
	CHECK_EQ(lw_sframe_find(&sf, 0, &rule), -ENOENT);
	CHECK_EQ(lw_sframe_find(&sf, ~0ULL, &rule), -ENOENT);
	CHECK_EQ(sec.calls, 1);
	section_free(&sec);
}

TEST(open_reports_what_the_header_says)
{
	struct section sec;
	struct lw_sframe sf;

	good(&sec, FP_KEPT);
	CHECK_EQ(section_open(&sec, &sf), 0);
	CHECK_EQ(sf.addr, sec.addr);
	CHECK_EQ(sf.text_start, sec.text_start);
	CHECK_EQ(sf.text_end, sec.text_end);
	CHECK_EQ(sf.fde_off, HDR_SIZE);
	CHECK_EQ(sf.fre_off, HDR_SIZE + NUM * FDE_SIZE);
	CHECK_EQ(sf.fre_len, sec.fre_len);
	CHECK_EQ(sf.num_fdes, NUM);
	CHECK_EQ(sf.version, 2);
	CHECK_EQ(sf.flags, SORTED | FP_KEPT);
	CHECK_EQ(sf.fixed_ra, -8);
	section_free(&sec);
}

/*
 * Header, first two FDEs and their rows as ld 2.44 wrote them; the other FDEs
 * hold rows that gas wrote.
 */
static const __u8 vector[28 + 7 * 20 + 0x59] = {
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

TEST(reads_what_ld_wrote)
{
	struct section sec;

	EACH_ENCODING(flags) {
		section_load(&sec, vector, sizeof(vector), 0x2170, 0x1000,
			     0x1200);
		if (flags)
			section_to_pcrel(&sec);
		CHECK_EQ(result(&sec, 0x101f), -ENOENT);
		CHECK(is_rule(&sec, 0x1020, SP, 16, 0));
		CHECK(is_rule(&sec, 0x1025, SP, 16, 0));
		CHECK(is_rule(&sec, 0x1026, SP, 24, 0));
		CHECK(is_rule(&sec, 0x102f, SP, 24, 0));
		CHECK(is_rule(&sec, 0x1030, SP, 8, 0));
		CHECK(is_rule(&sec, 0x103b, SP, 16, 0));
		CHECK(is_rule(&sec, 0x1060, SP, 8, 0));
		CHECK(is_rule(&sec, 0x106f, SP, 16, 0));
		CHECK(is_rule(&sec, 0x1070, SP, 8, 0));
		CHECK_EQ(result(&sec, 0x1078), -ENOENT);
		CHECK(is_rule(&sec, 0x1080, SP, 8, 0));
		CHECK(is_rule(&sec, 0x1081, SP, 16, -16));
		CHECK(is_rule(&sec, 0x109a, SP, 16, -16));
		CHECK(is_rule(&sec, 0x109b, SP, 336, -16));
		CHECK(is_rule(&sec, 0x10bf, SP, 336, -16));
		section_free(&sec);
	}
}

TEST(a_bit_tells_the_encodings_apart)
{
	struct section sec;

	good(&sec, 0);
	section_put(&sec, HDR_FLAGS, 1, SORTED | PCREL);
	CHECK(!is_outermost(&sec, START_OUTER));
	CHECK(is_outermost(&sec, START_OUTER + HDR_SIZE + OUTER * FDE_SIZE));
	section_free(&sec);
}

TEST(text_may_lie_above_the_section)
{
	struct section sec;

	EACH_ENCODING(flags) {
		section_init(&sec, SORTED | flags);
		sec.addr = 0x400100;
		section_fde(&sec, 0x401000, 16, INC, 0);
		section_row(&sec, 0, SP, 1, 0, 8, 0);
		section_fde(&sec, 0x402000, 16, INC, 0);
		section_row(&sec, 0, SP, 1, 0, 16, 0);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x401000, SP, 8, 0));
		CHECK(is_rule(&sec, 0x40200f, SP, 16, 0));
		section_free(&sec);
	}
}

TEST(works_high_in_the_address_space)
{
	struct section sec;

	EACH_ENCODING(flags) {
		section_init(&sec, SORTED | flags);
		sec.addr = 0x7fff80000000;
		sec.text_start = 0x7fff00001000;
		sec.text_end = 0x7fff7ffff000;
		section_fde(&sec, 0x7fff00001000, 16, INC, 0);
		section_row(&sec, 0, SP, 1, 0, 8, 0);
		section_fde(&sec, 0x7fff7fffeff0, 16, INC, 0);
		section_row(&sec, 0, SP, 1, 0, 16, 0);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x7fff00001000, SP, 8, 0));
		CHECK(is_rule(&sec, 0x7fff7fffefff, SP, 16, 0));
		section_free(&sec);
	}
}

/* ---- header ---- */

TEST(a_section_too_short_for_a_header_is_refused_unread)
{
	struct section sec;
	__u64 size;

	for (size = 0; size < HDR_SIZE; size++) {
		good(&sec, 0);
		section_resize(&sec, size);
		CHECK_EQ(open_result(&sec), -EINVAL);
		CHECK_EQ(sec.calls, 0);
		section_free(&sec);
	}
}

TEST(the_header_is_read_once_and_never_again)
{
	struct section sec;
	struct lw_sframe sf;
	struct lw_rule rule;

	good(&sec, 0);
	CHECK_EQ(section_open(&sec, &sf), 0);
	CHECK_EQ(sec.calls, 1);
	memset(sec.bytes, 0xff, HDR_SIZE);
	CHECK_EQ(lw_sframe_find(&sf, START_SMALL + 5, &rule), 0);
	CHECK_EQ(rule.fp_off, -16);
	section_free(&sec);
}

TEST(a_wrong_magic_is_refused)
{
	CHECK_EQ(open_with(HDR_MAGIC, 2, 0xdee3), -EINVAL);
	CHECK_EQ(open_with(HDR_MAGIC, 2, 0), -EINVAL);
	CHECK_EQ(open_with(HDR_MAGIC, 2, 0x5ee2), -EINVAL);
}

TEST(foreign_byte_order_is_not_supported)
{
	CHECK_EQ(open_with(HDR_MAGIC, 2, 0xe2de), -EOPNOTSUPP);
}

TEST(versions_but_2_are_not_supported)
{
	int v;

	for (v = 0; v < 256; v++)
		CHECK_EQ(open_with(HDR_VERSION, 1, v),
			 v == 2 ? 0 : -EOPNOTSUPP);
}

TEST(unknown_flags_and_unsorted_sections_are_not_supported)
{
	int f;

	for (f = 0; f < 256; f++)
		CHECK_EQ(open_with(HDR_FLAGS, 1, f),
			 (f & SORTED) && f < 8 ? 0 : -EOPNOTSUPP);
}

TEST(abis_but_amd64_are_not_supported)
{
	int abi;

	for (abi = 0; abi < 256; abi++)
		CHECK_EQ(open_with(HDR_ABI, 1, abi),
			 abi == 3 ? 0 : -EOPNOTSUPP);
}

TEST(other_fixed_slots_are_refused)
{
	int v;

	for (v = -128; v < 128; v++) {
		CHECK_EQ(open_with(HDR_FIXED_RA, 1, v), v == -8 ? 0 : -EINVAL);
		CHECK_EQ(open_with(HDR_FIXED_FP, 1, v), v == 0 ? 0 : -EINVAL);
	}
}

TEST(an_auxiliary_header_is_skipped)
{
	struct section sec;
	__u64 size;

	good(&sec, 0);
	size = sec.src.size;
	section_resize(&sec, size + 255);
	memmove(sec.bytes + HDR_SIZE + 255, sec.bytes + HDR_SIZE,
		size - HDR_SIZE);
	memset(sec.bytes + HDR_SIZE, 0xff, 255);
	section_put(&sec, HDR_AUX_LEN, 1, 255);
	CHECK(is_rule(&sec, START_SMALL + 5, FP, 16, -16));
	CHECK(is_rule(&sec, START_LAST, SP, 8, 0));
	section_free(&sec);
}

TEST(an_auxiliary_header_must_fit)
{
	struct section sec;

	section_init(&sec, SORTED);
	section_finish(&sec);
	section_put(&sec, HDR_NUM_FDES, 4, 1);
	section_put(&sec, HDR_AUX_LEN, 1, 1);
	section_put(&sec, HDR_FDEOFF, 4, -1);
	CHECK_EQ(open_result(&sec), -EINVAL);
	section_free(&sec);
	CHECK_EQ(open_with(HDR_AUX_LEN, 1, 1), -EINVAL);
}

TEST(no_fdes_or_too_many_are_refused)
{
	CHECK_EQ(open_with(HDR_NUM_FDES, 4, 0), -EINVAL);
	CHECK_EQ(open_with(HDR_NUM_FDES, 4, ~0U), -EINVAL);
	CHECK_EQ(open_with(HDR_NUM_FDES, 4, NUM + 1), -EINVAL);
	/* times 20 these are small in 32 bits */
	CHECK_EQ(open_with(HDR_NUM_FDES, 4, 0x0ccccccd), -EINVAL);
	CHECK_EQ(open_with(HDR_NUM_FDES, 4, 0x33333334), -EINVAL);
	CHECK_EQ(open_with(HDR_NUM_FDES, 4, 0x40000000), -EINVAL);
}

/* A source of any size: nothing but the header is ever asked for. */
static __u64 claimed_size(__u32 num_fdes, __u64 size)
{
	struct section sec;
	int err;

	good(&sec, 0);
	section_put(&sec, HDR_NUM_FDES, 4, num_fdes);
	section_put(&sec, HDR_FREOFF, 4, num_fdes * FDE_SIZE);
	sec.src.size = size;
	err = open_result(&sec);
	section_free(&sec);
	return err;
}

TEST(the_cap_on_fdes_is_what_it_says)
{
	CHECK_EQ(claimed_size(LW_SFRAME_MAX_FDES, 1ULL << 32), 0);
	CHECK_EQ(claimed_size(LW_SFRAME_MAX_FDES + 1, 1ULL << 32), -EINVAL);
}

TEST(areas_must_be_in_the_section)
{
	struct section sec;
	__u32 fre_len, freoff = NUM * FDE_SIZE;
	__u64 size;

	good(&sec, 0);
	fre_len = sec.fre_len;
	size = sec.src.size;
	section_free(&sec);

	CHECK_EQ(open_with(HDR_FRE_LEN, 4, fre_len + 1), -EINVAL);
	CHECK_EQ(open_with(HDR_FRE_LEN, 4, ~0U), -EINVAL);
	CHECK_EQ(open_with(HDR_FREOFF, 4, freoff + 1), -EINVAL);
	CHECK_EQ(open_with(HDR_FREOFF, 4, ~0U), -EINVAL);
	CHECK_EQ(open_with(HDR_FREOFF, 4, -HDR_SIZE), -EINVAL);
	CHECK_EQ(open_with(HDR_FDEOFF, 4, ~0U), -EINVAL);
	CHECK_EQ(open_with(HDR_FDEOFF, 4, -HDR_SIZE), -EINVAL);
	CHECK_EQ(open_with(HDR_FDEOFF, 4, size), -EINVAL);

	/* each byte is needed */
	while (size-- > HDR_SIZE) {
		good(&sec, 0);
		section_resize(&sec, size);
		CHECK_EQ(open_result(&sec), -EINVAL);
		section_free(&sec);
	}
}

TEST(a_fde_array_behind_the_section_is_refused)
{
	struct section sec;
	__u32 fdes = NUM * FDE_SIZE;

	/* rows first, then FDEs, of which the last byte is cut off */
	good(&sec, 0);
	memcpy(sec.bytes + HDR_SIZE, sec.fres, sec.fre_len);
	memcpy(sec.bytes + HDR_SIZE + sec.fre_len, sec.fdes, fdes);
	section_put(&sec, HDR_FREOFF, 4, 0);
	section_put(&sec, HDR_FDEOFF, 4, sec.fre_len);
	CHECK(is_rule(&sec, START_SMALL + 5, FP, 16, -16));
	section_resize(&sec, sec.src.size - 1);
	CHECK_EQ(open_result(&sec), -EINVAL);
	section_free(&sec);
}

TEST(areas_must_not_overlap)
{
	__u32 freoff = NUM * FDE_SIZE;

	CHECK_EQ(open_with(HDR_FREOFF, 4, freoff - 1), -EINVAL);
	CHECK_EQ(open_with(HDR_FREOFF, 4, 0), -EINVAL);
	CHECK_EQ(open_with(HDR_FDEOFF, 4, 1), -EINVAL);
}

TEST(a_section_may_be_followed_by_anything)
{
	struct section sec;

	good(&sec, 0);
	section_resize(&sec, sec.src.size + 999);
	check_good(&sec);
	section_free(&sec);
}

TEST(the_count_of_rows_in_the_header_is_not_trusted)
{
	struct section sec;

	good(&sec, 0);
	section_put(&sec, HDR_NUM_FRES, 4, ~0U);
	check_good(&sec);
	section_put(&sec, HDR_NUM_FRES, 4, 0);
	check_good(&sec);
	section_free(&sec);
}

TEST(ranges_that_are_none_are_refused)
{
	struct section sec;

	good(&sec, 0);
	sec.text_end = sec.text_start;
	CHECK_EQ(open_result(&sec), -EINVAL);
	sec.text_end = sec.text_start - 1;
	CHECK_EQ(open_result(&sec), -EINVAL);
	sec.text_end = sec.text_start + 1;
	CHECK_EQ(open_result(&sec), 0);
	sec.addr = -sec.src.size + 1;
	CHECK_EQ(open_result(&sec), -EINVAL);
	section_free(&sec);
}

/* ---- FDEs ---- */

TEST(a_function_must_be_inside_of_the_text)
{
	struct section sec;
	__u64 pc = START_SMALL + 5;

	good(&sec, 0);
	sec.text_start = START_SMALL;
	CHECK_EQ(result(&sec, pc), 0);
	sec.text_start = START_SMALL + 1;
	CHECK_EQ(result(&sec, pc), -EINVAL);
	sec.text_start = 0x401000;
	sec.text_end = START_SMALL + 0x80;
	CHECK_EQ(result(&sec, pc), 0);
	sec.text_end = START_SMALL + 0x7f;
	CHECK_EQ(result(&sec, pc), -EINVAL);
	section_free(&sec);

	CHECK_EQ(find_with(SMALL, FDE_FUNC_SIZE, 4, ~0U, pc), -EINVAL);
}

TEST(functions_outside_of_the_text_do_no_harm_to_others)
{
	struct section sec;

	good(&sec, 0);
	sec.text_start = START_MIDDLE;
	sec.text_end = START_LARGE;
	CHECK(is_rule(&sec, START_MIDDLE, SP, 8, 0));
	CHECK_EQ(result(&sec, START_LARGE - 1), -ENOENT);
	section_free(&sec);
}

TEST(offsets_in_a_function_are_not_truncated)
{
	/* nearly 4 GiB of code: what lies behind has the same low 32 bits */
	struct section sec;

	section_init(&sec, SORTED);
	sec.addr = 0x200000000;
	sec.text_start = 0x180000000;
	sec.text_end = 0x380000000;
	section_fde(&sec, 0x180000000, ~0U, INC | 2, 0);
	section_row(&sec, 0, SP, 1, 0, 8, 0);
	section_row(&sec, 0xfffffff0, SP, 1, 0, 16, 0);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x180000000, SP, 8, 0));
	CHECK(is_rule(&sec, 0x27fffffef, SP, 8, 0));
	CHECK(is_rule(&sec, 0x27ffffff0, SP, 16, 0));
	CHECK_EQ(result(&sec, 0x27fffffff), -ENOENT);
	CHECK_EQ(result(&sec, 0x280000005), -ENOENT);
	section_free(&sec);
}

TEST(empty_functions_hide_none)
{
	struct section sec;

	EACH_ENCODING(flags) {
		good(&sec, flags);
		CHECK(is_rule(&sec, START_SHARED + 2, SP, 8, 0));
		CHECK(is_rule(&sec, START_SHARED + 15, SP, 8, 0));
		section_free(&sec);
	}
}

static int find_among_empty(unsigned int before, unsigned int after, __u64 pc)
{
	struct section sec;
	int err;

	section_init(&sec, SORTED);
	section_fde(&sec, 0x401100, 16, INC, 0);
	section_row(&sec, 0, SP, 1, 0, 8, 0);
	while (before--)
		section_fde(&sec, 0x402000, 0, INC, 0);
	section_fde(&sec, 0x402000, 16, INC, 0);
	section_row(&sec, 0, SP, 1, 0, 8, 0);
	while (after--)
		section_fde(&sec, 0x402000, 0, INC, 0);
	section_finish(&sec);
	err = result(&sec, pc);
	section_free(&sec);
	return err;
}

TEST(the_step_back_over_empty_functions_is_bounded)
{
	unsigned int max = LW_SFRAME_MAX_EQUAL;

	CHECK_EQ(find_among_empty(0, max, 0x402000), 0);
	CHECK_EQ(find_among_empty(9, max, 0x402000), 0);
	CHECK_EQ(find_among_empty(0, max + 1, 0x402000), -EINVAL);
	CHECK_EQ(find_among_empty(0, 1000, 0x402000), -EINVAL);
	/* covered by none, and the bound not reached */
	CHECK_EQ(find_among_empty(1, 2, 0x402010), -ENOENT);
	/* and not over other starts */
	CHECK_EQ(find_among_empty(1, 2, 0x40110f), 0);
	CHECK_EQ(find_among_empty(1, 2, 0x401110), -ENOENT);
}

TEST(an_empty_function_ends_the_one_around_it)
{
	struct section sec;

	section_init(&sec, SORTED);
	section_fde(&sec, 0x402000, 0x100, INC, 0);
	section_row(&sec, 0, SP, 1, 0, 8, 0);
	section_fde(&sec, 0x402010, 0, INC, 0);
	section_finish(&sec);
	CHECK_EQ(result(&sec, 0x40200f), 0);
	CHECK_EQ(result(&sec, 0x402010), -ENOENT);
	section_free(&sec);
}

TEST(empty_functions_alone_cover_nothing)
{
	struct section sec;

	section_init(&sec, SORTED);
	section_fde(&sec, 0x402000, 0, INC, 0);
	section_fde(&sec, 0x402000, 0, INC, 0);
	section_finish(&sec);
	CHECK_EQ(result(&sec, 0x402000), -ENOENT);
	CHECK_EQ(result(&sec, 0x402001), -ENOENT);
	section_free(&sec);
}

TEST(probes_out_of_order_are_seen)
{
	struct section sec;
	int i;

	section_init(&sec, SORTED);
	for (i = 0; i < 7; i++) {
		section_fde(&sec, 0x402000 + 16 * i, 16, INC, 0);
		section_row(&sec, 0, SP, 1, 0, 8, 0);
	}
	section_finish(&sec);
	CHECK_EQ(result(&sec, 0x402000), 0);

	/* probes are 3, 1, 0: the second is above the first */
	section_put(&sec, section_fde_pos(&sec, 1), 4,
		    0x402000 + 16 * 9 - sec.addr);
	CHECK_EQ(result(&sec, 0x402000), -EINVAL);
	section_put(&sec, section_fde_pos(&sec, 1), 4,
		    0x402000 + 16 - sec.addr);

	/* probes are 3, 5, 6: the second is below the first */
	section_put(&sec, section_fde_pos(&sec, 5), 4,
		    0x402000 - sec.addr);
	CHECK_EQ(result(&sec, 0x402060), -EINVAL);
	section_free(&sec);
}

TEST(a_search_of_unsorted_functions_ends)
{
	struct section sec;
	__u64 seed = 1;
	int i, round;

	for (round = 0; round < 200; round++) {
		section_init(&sec, SORTED);
		for (i = 0; i < 500; i++)
			section_fde(&sec, 0x401000 + rng_next(&seed) % 0x3f000,
				    16, INC, 0);
		section_finish(&sec);
		for (i = 0; i < 50; i++)
			CHECK(result(&sec, 0x401000 +
					   rng_next(&seed) % 0x3f000) < 0);
		section_free(&sec);
	}
}

TEST(unknown_row_types_are_refused)
{
	struct section sec;
	int t;

	for (t = 3; t < 16; t++)
		CHECK_EQ(find_with(SMALL, FDE_INFO, 1, t, START_SMALL),
			 -EINVAL);

	/* would be a sound row with a start of 8 bytes */
	section_init(&sec, SORTED);
	section_fde(&sec, 0x402000, 16, INC, 0);
	for (t = 0; t < 4; t++)
		section_row(&sec, 0, FP, 0, 0, 0, 0);
	section_row(&sec, SP | 1 << 1, SP, 1, 0, 8, 0);
	section_finish(&sec);
	CHECK(is_outermost(&sec, 0x402000));
	section_put(&sec, section_fde_pos(&sec, 0) + FDE_INFO, 1, 3);
	section_put(&sec, section_fde_pos(&sec, 0) + FDE_NUM_FRES, 4, 1);
	CHECK_EQ(result(&sec, 0x402000), -EINVAL);
	section_free(&sec);
}

TEST(unused_bits_and_padding_are_ignored)
{
	struct section sec;
	__u32 pos;

	good(&sec, 0);
	pos = section_fde_pos(&sec, MIDDLE);
	section_put(&sec, pos + FDE_INFO, 1, 0xe1);
	section_put(&sec, pos + FDE_PADDING, 2, 0xffff);
	pos = section_fre_pos(&sec, MIDDLE);
	section_put(&sec, pos + 2, 1, section_get(&sec, pos + 2, 1) | 0x80);
	check_good(&sec);
	section_free(&sec);
}

TEST(rows_must_begin_in_the_area)
{
	struct section sec;
	__u32 fre_len, pos;
	__u64 pc = START_SMALL + 5;

	/* though there be none */
	good(&sec, 0);
	fre_len = sec.fre_len;
	pos = section_fde_pos(&sec, SMALL);
	section_put(&sec, pos + FDE_NUM_FRES, 4, 0);
	section_put(&sec, pos + FDE_FRE_OFF, 4, fre_len);
	CHECK_EQ(result(&sec, pc), -ENOENT);
	section_put(&sec, pos + FDE_FRE_OFF, 4, fre_len + 1);
	CHECK_EQ(result(&sec, pc), -EINVAL);
	section_free(&sec);
	CHECK_EQ(find_with(SMALL, FDE_FRE_OFF, 4, fre_len, pc), -EINVAL);
	CHECK_EQ(find_with(SMALL, FDE_FRE_OFF, 4, fre_len + 1, pc), -EINVAL);
	CHECK_EQ(find_with(SMALL, FDE_FRE_OFF, 4, fre_len - 1, pc), -EINVAL);
	CHECK_EQ(find_with(SMALL, FDE_FRE_OFF, 4, ~0U, pc), -EINVAL);
	CHECK_EQ(find_with(SMALL, FDE_FRE_OFF, 4, -HDR_SIZE, pc), -EINVAL);
}

TEST(there_must_be_room_for_that_many_rows)
{
	struct section sec;
	__u32 room;
	__u64 pc = START_SMALL;

	good(&sec, 0);
	room = sec.fre_len -
	       section_get(&sec, section_fde_pos(&sec, SMALL) + FDE_FRE_OFF, 4);
	section_free(&sec);
	/* the row wanted is found before these rows would be missed */
	CHECK_EQ(find_with(SMALL, FDE_NUM_FRES, 4, room / 2, pc), 0);
	CHECK_EQ(find_with(SMALL, FDE_NUM_FRES, 4, room / 2 + 1, pc), -EINVAL);
	CHECK_EQ(find_with(SMALL, FDE_NUM_FRES, 4, ~0U, pc), -EINVAL);
}

TEST(a_function_without_rows_has_none)
{
	CHECK_EQ(find_with(SMALL, FDE_NUM_FRES, 4, 0, START_SMALL), -ENOENT);
}

TEST(rows_beyond_the_count_do_not_count)
{
	struct section sec;

	good(&sec, 0);
	section_put(&sec, section_fde_pos(&sec, SMALL) + FDE_NUM_FRES, 4, 3);
	CHECK(is_rule(&sec, START_SMALL + 0x7f, FP, 16, -16));
	section_free(&sec);
}

/* ---- repeated blocks ---- */

TEST(a_repeated_block_repeats)
{
	struct section sec;
	__u32 off;

	EACH_ENCODING(flags) {
		good(&sec, flags);
		for (off = 0; off < 64; off++)
			CHECK(is_rule(&sec, 0x401030 + off, SP,
				      off % 16 < 11 ? 8 : 16, 0));
		section_free(&sec);
	}
}

TEST(the_block_is_counted_from_the_function_not_from_address_0)
{
	struct section sec;

	section_init(&sec, SORTED);
	section_fde(&sec, 0x401035, 36, MASK, 12);
	section_row(&sec, 0, SP, 1, 0, 8, 0);
	section_row(&sec, 11, SP, 1, 0, 24, 0);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x401035, SP, 8, 0));
	CHECK(is_rule(&sec, 0x401035 + 10, SP, 8, 0));
	CHECK(is_rule(&sec, 0x401035 + 11, SP, 24, 0));
	CHECK(is_rule(&sec, 0x401035 + 12, SP, 8, 0));
	CHECK(is_rule(&sec, 0x401035 + 35, SP, 24, 0));
	section_free(&sec);
}

TEST(a_block_of_no_bytes_is_refused)
{
	CHECK_EQ(find_with(PLT, FDE_REP, 1, 0, 0x401030), -EINVAL);
}

TEST(a_block_larger_than_the_function_is_refused)
{
	CHECK_EQ(find_with(PLT, FDE_REP, 1, 64, 0x401030), 0);
	CHECK_EQ(find_with(PLT, FDE_REP, 1, 65, 0x401030), -EINVAL);
}

TEST(a_block_size_without_a_block_is_ignored)
{
	struct section sec;

	good(&sec, 0);
	CHECK(is_rule(&sec, 0x401020, SP, 16, 0));
	section_put(&sec, section_fde_pos(&sec, PLT0) + FDE_REP, 1, 3);
	CHECK(is_rule(&sec, 0x40102f, SP, 24, 0));
	section_put(&sec, section_fde_pos(&sec, PLT0) + FDE_REP, 1, 255);
	CHECK(is_rule(&sec, 0x40102f, SP, 24, 0));
	section_free(&sec);
}

TEST(a_row_behind_its_block_is_refused)
{
	CHECK_EQ(find_row_with(PLT, 3, 15, 0x40103f), 0);
	CHECK_EQ(find_row_with(PLT, 3, 16, 0x40103f), -EINVAL);
}

TEST(plt_got_is_corrected)
{
	struct section sec;

	good(&sec, 0);
	CHECK(is_rule(&sec, 0x401070, SP, 8, 0));
	CHECK(is_rule(&sec, 0x40107f, SP, 8, 0));
	section_free(&sec);
}

static void one_row_block(struct section *sec, __u8 info, __u32 start, int base,
			  int count, int cfa)
{
	section_init(sec, SORTED);
	section_fde(sec, 0x402000, 16, info, 8);
	section_row(sec, start, base, count, 0, cfa, -16);
	section_finish(sec);
}

TEST(nothing_but_plt_got_is_corrected)
{
	struct section sec;

	one_row_block(&sec, INC, 0, SP, 1, 16);
	CHECK(is_rule(&sec, 0x402000, SP, 16, 0));
	section_free(&sec);
	one_row_block(&sec, MASK, 0, FP, 1, 16);
	CHECK(is_rule(&sec, 0x402000, FP, 16, 0));
	section_free(&sec);
	one_row_block(&sec, MASK, 0, SP, 2, 16);
	CHECK(is_rule(&sec, 0x402000, SP, 16, -16));
	section_free(&sec);
	one_row_block(&sec, MASK, 0, SP, 1, 24);
	CHECK(is_rule(&sec, 0x402000, SP, 24, 0));
	section_free(&sec);
	one_row_block(&sec, MASK, 1, SP, 1, 16);
	CHECK(is_rule(&sec, 0x402001, SP, 16, 0));
	section_free(&sec);
	section_init(&sec, SORTED);
	section_fde(&sec, 0x402000, 16, MASK, 8);
	section_row(&sec, 0, SP, 1, 0, 16, 0);
	section_row(&sec, 4, SP, 1, 0, 24, 0);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x402000, SP, 16, 0));
	section_free(&sec);
}

/* ---- rows ---- */

TEST(no_words_mean_outermost)
{
	struct section sec;

	good(&sec, 0);
	CHECK(is_outermost(&sec, START_OUTER));
	CHECK(is_outermost(&sec, START_OUTER + 15));
	CHECK(is_rule(&sec, START_OUTER + 16, SP, 8, 0));
	section_free(&sec);
}

TEST(before_the_first_row_nothing_is_known)
{
	struct section sec;

	good(&sec, 0);
	CHECK_EQ(result(&sec, START_SHARED), -ENOENT);
	CHECK_EQ(result(&sec, START_SHARED + 1), -ENOENT);
	CHECK_EQ(result(&sec, START_SHARED + 2), 0);
	section_free(&sec);
}

TEST(of_equal_rows_the_last_counts)
{
	struct section sec;

	section_init(&sec, SORTED);
	section_fde(&sec, 0x402000, 16, INC, 0);
	section_row(&sec, 0, SP, 1, 0, 8, 0);
	section_row(&sec, 4, SP, 1, 0, 16, 0);
	section_row(&sec, 4, SP, 1, 0, 24, 0);
	section_row(&sec, 4, SP, 1, 0, 32, 0);
	section_row(&sec, 8, SP, 1, 0, 32, 0);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x402003, SP, 8, 0));
	CHECK(is_rule(&sec, 0x402004, SP, 32, 0));
	CHECK(is_rule(&sec, 0x402009, SP, 32, 0));
	section_free(&sec);
}

TEST(rows_that_go_back_are_refused)
{
	/* the third row, of 4, starts before the second one */
	CHECK_EQ(find_row_with(SMALL, 7, 1, START_SMALL + 5), 0);
	CHECK_EQ(find_row_with(SMALL, 7, 0, START_SMALL + 5), -EINVAL);
	/* and is not looked at for what lies before */
	CHECK_EQ(find_row_with(SMALL, 3, 9, START_SMALL + 5), 0);
}

TEST(a_row_at_the_end_of_its_function_is_tolerated)
{
	CHECK_EQ(find_row_with(SMALL, 11, 0x80, START_SMALL + 0x7f), 0);
	CHECK_EQ(find_row_with(SMALL, 11, 0x81, START_SMALL + 0x7f), -EINVAL);
}

TEST(words_of_unknown_size_are_refused)
{
	int count;

	for (count = 0; count <= 2; count++) {
		CHECK_EQ(find_row_with(SMALL, 1, 0x61 | count << 1,
				       START_SMALL), -EINVAL);
		CHECK_EQ(find_row_with(SMALL, 1, 0x61 | count << 1,
				       START_SMALL + 9), -EINVAL);
	}
}

TEST(more_words_than_the_abi_has_are_refused)
{
	struct section sec;
	int count;

	for (count = 0; count < 16; count++) {
		section_init(&sec, SORTED);
		section_fde(&sec, 0x402000, 16, INC, 0);
		section_row(&sec, 0, SP, count, 0, 8, -16);
		section_row(&sec, 9, SP, 1, 0, 24, 0);
		section_finish(&sec);
		CHECK_EQ(result(&sec, 0x402000), count <= 2 ? 0 : -EINVAL);
		CHECK_EQ(result(&sec, 0x40200f), count <= 2 ? 0 : -EINVAL);
		section_free(&sec);
	}
}

TEST(words_are_signed)
{
	struct section sec;
	int code;

	for (code = 0; code < 3; code++) {
		section_init(&sec, SORTED);
		section_fde(&sec, 0x402000, 16, INC, 0);
		section_row(&sec, 0, FP, 2, code, -128, -8);
		section_row(&sec, 8, FP, 2, code, 127, -1);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, FP, -128, -8));
		CHECK(is_rule(&sec, 0x402008, FP, 127, -1));
		section_free(&sec);
	}
}

/* Each last row, of each shape, with each byte of its end cut off. */
static void cut_row(__u8 type, unsigned int count, unsigned int code)
{
	struct section sec;
	__u32 row, cut;

	section_init(&sec, SORTED);
	section_fde(&sec, 0x402000, 16, INC | type, 0);
	section_row(&sec, 0, SP, 1, 0, 8, 0);
	row = sec.fre_len;
	section_row(&sec, 8, SP, count, code, 16, -16);
	row = sec.fre_len - row;
	section_finish(&sec);
	CHECK_EQ(result(&sec, 0x402008), 0);
	for (cut = 1; cut <= row; cut++) {
		section_put(&sec, HDR_FRE_LEN, 4, sec.fre_len - cut);
		CHECK_EQ(result(&sec, 0x402008), -EINVAL);
		/* also if it only ends the walk */
		CHECK_EQ(result(&sec, 0x402000), -EINVAL);
	}
	section_free(&sec);
}

TEST(rows_must_end_in_the_area)
{
	unsigned int count, code;
	__u8 type;

	for (type = 0; type < 3; type++)
		for (count = 0; count <= 2; count++)
			for (code = 0; code < 3; code++)
				cut_row(type, count, code);
}

/* Of n rows of 13 bytes, all are walked for the last byte. */
static int find_after_rows(unsigned int n, unsigned int *calls)
{
	struct section sec;
	unsigned int i;
	int err;

	section_init(&sec, SORTED);
	sec.addr += 1;		/* worst for the blocks */
	section_fde(&sec, 0x402000, 0x20000, INC | 2, 0);
	for (i = 0; i < n; i++)
		section_row(&sec, i, SP, 2, 2, 8 + i, -16);
	section_finish(&sec);
	err = result(&sec, 0x402000 + 0x1ffff);
	if (!err)
		CHECK(is_rule(&sec, 0x402000 + 0x1ffff, SP, 8 + n - 1, -16));
	*calls = sec.calls;
	section_free(&sec);
	return err;
}

TEST(the_walk_over_rows_is_bounded)
{
	unsigned int max = LW_SFRAME_MAX_ROWS, calls;

	CHECK_EQ(find_after_rows(max, &calls), 0);
	printf("# %u rows of 13 bytes: %u reads, bound %u\n", max, calls,
	       LW_SFRAME_MAX_READS);
	CHECK(calls <= LW_SFRAME_MAX_READS);
	CHECK_EQ(find_after_rows(max + 1, &calls), -EINVAL);
	CHECK(calls <= LW_SFRAME_MAX_READS);
	CHECK_EQ(find_after_rows(3 * max, &calls), -EINVAL);
	CHECK(calls <= LW_SFRAME_MAX_READS);
}

TEST(rows_are_read_in_blocks)
{
	unsigned int calls;

	CHECK_EQ(find_after_rows(100, &calls), 0);
	CHECK(calls <= 1 + 1 + 100 * 13 / LW_SFRAME_BLOCK + 2);
}

/* ---- reads that fail ---- */

/* Rows up to a page boundary; behind it are only those of later functions. */
TEST(no_page_is_read_that_holds_nothing_wanted)
{
	struct section sec;
	__u32 extra, wanted, k;
	__u64 end;

	/* wherever the row falls in its block */
	for (extra = 0; extra < 2 * LW_SFRAME_BLOCK; extra++) {
		section_init(&sec, SORTED);
		section_fde(&sec, 0x402000, 0x200, INC | 1, 0);
		for (k = 0; k < extra; k++)
			section_row(&sec, k / 8, SP, k % 3, k % 2, 8, -8);
		section_row(&sec, 0x100, SP, 2, 0, 16, -16);
		wanted = sec.fre_len;
		section_fde(&sec, 0x402200, 0x100, INC, 0);
		for (k = 0; k < 100; k++)
			section_row(&sec, k, SP, 1, 0, 8, 0);
		end = HDR_SIZE + 2 * FDE_SIZE + wanted;
		sec.addr = 0x450000 - end;
		section_finish(&sec);
		sec.hole_start = 0x450000;
		sec.hole_end = 0x451000;
		CHECK(is_rule(&sec, 0x402109, SP, 16, -16));
		/* but what is wanted is */
		CHECK_EQ(result(&sec, 0x402201), -EFAULT);
		section_free(&sec);
	}
}

/* Fails at the k-th read, for each k: of the look-up at pc, or of the open. */
static void fail_each(struct section *sec, __u64 pc, int with)
{
	struct lw_sframe sf;
	struct lw_rule rule;
	unsigned int k, n;
	int err, wanted;

	sec->fail_at = 0;
	sec->fail_with = with;
	CHECK_EQ(section_open(sec, &sf), 0);
	sec->calls = 0;
	wanted = lw_sframe_find(&sf, pc, &rule);
	n = sec->calls;
	CHECK(n > 0);
	for (k = 1; k <= n + 1; k++) {
		sec->calls = 0;
		sec->fail_at = k;
		err = lw_sframe_find(&sf, pc, &rule);
		CHECK_EQ(err, k <= n ? with : wanted);
		CHECK_EQ(sec->calls, k <= n ? k : n);
	}
	sec->calls = 0;
	sec->fail_at = 1;
	CHECK_EQ(section_open(sec, &sf), with);
	sec->fail_at = 0;
}

TEST(a_failed_read_is_passed_on_whichever_it_is)
{
	struct section sec;
	__u64 pc;

	EACH_ENCODING(flags) {
		good(&sec, flags);
		for (pc = 0x401000; pc < 0x401400; pc++) {
			fail_each(&sec, pc, -EFAULT);
			fail_each(&sec, pc, -EAGAIN);
		}
		for (pc = START_OUTER; pc < START_SHARED + 0x20; pc++)
			fail_each(&sec, pc, -EFAULT);
		fail_each(&sec, START_LARGE + 0x1ffff, -EFAULT);
		section_free(&sec);
	}
}

TEST(a_failed_read_in_a_long_walk_is_passed_on)
{
	struct section sec;
	int i;

	section_init(&sec, SORTED);
	section_fde(&sec, 0x402000, 0x1000, INC | 1, 0);
	for (i = 0; i < 1000; i++)
		section_row(&sec, i, SP, 2, i % 3, 16, -16);
	for (i = 0; i < 10; i++)
		section_fde(&sec, 0x403000, 0, INC, 0);
	section_finish(&sec);
	fail_each(&sec, 0x402fff, -EFAULT);
	fail_each(&sec, 0x403000, -EFAULT);
	section_free(&sec);
}

/* Whatever the section looks like when it is read for the second time. */
TEST(bytes_that_change_between_reads_do_no_harm)
{
	struct section sec;
	struct lw_sframe sf;
	struct lw_rule rule;
	__u64 seed;
	int i;

	good(&sec, 0);
	for (seed = 1; seed <= 2000; seed++) {
		sec.flip_seed = 0;
		CHECK_EQ(section_open(&sec, &sf), 0);
		sec.flip_seed = seed;
		for (i = 0; i < 50; i++) {
			sec.calls = 0;
			lw_sframe_find(&sf, 0x401000 + i * 13, &rule);
			CHECK(sec.calls <= LW_SFRAME_MAX_READS);
		}
		CHECK_EQ(sec.outside, 0);
	}
	section_free(&sec);
}

int main(void)
{
	return tap_main();
}
