// SPDX-License-Identifier: GPL-2.0
/* sframe_index_test - look-ups with an index find what they find without */
#include <errno.h>

#include "lookup.h"

static __u32 *room_for(__u32 room)
{
	/* exactly, for ASan to watch */
	__u32 *first = malloc((room + 1) * sizeof(*first));

	if (!first)
		abort();
	memset(first, 0xff, (room + 1) * sizeof(*first));
	return first;
}

static void check_same(const struct lw_sframe *sf,
		       const struct lw_sframe *indexed, __u64 pc)
{
	struct lw_rule a = { 0 }, b = { 0 };

	CHECK_EQ(lw_sframe_find(indexed, pc, &a), lw_sframe_find(sf, pc, &b));
	CHECK(!memcmp(&a, &b, sizeof(a)));
}

/* Around each function's start, and some addresses that are nowhere. */
static void check_section(struct section *sec, __u32 room)
{
	struct lw_sframe sf, indexed;
	struct lw_sframe_fde fde;
	__u32 *first = room_for(room), i;
	__u64 pc;

	CHECK_EQ(section_open(sec, &sf, IN_MEMORY), 0);
	indexed = sf;
	CHECK_EQ(lw_sframe_add_index(&indexed, first, room, NULL), 0);
	CHECK(indexed.index == first);
	for (i = 0; i < sf.num_fdes; i++) {
		lw_sframe_get_fde(&sf, i, &fde);
		for (pc = fde.start - 2; pc != fde.start + 3; pc++)
			check_same(&sf, &indexed, pc);
		check_same(&sf, &indexed, fde.start + fde.size);
		check_same(&sf, &indexed, fde.start + fde.size - 1);
	}
	check_same(&sf, &indexed, sf.place.text_start);
	check_same(&sf, &indexed, sf.place.text_start - 1);
	check_same(&sf, &indexed, sf.place.text_end);
	check_same(&sf, &indexed, sf.place.text_end - 1);
	check_same(&sf, &indexed, sf.place.text_start / 2 +
				  sf.place.text_end / 2);
	check_same(&sf, &indexed, 0);
	check_same(&sf, &indexed, ~0ULL);
	free(first);
}

TEST(an_index_changes_no_result)
{
	static const __u32 rooms[] = { 2, 3, 4, 7, 16, 100, 1000, 5000 };
	struct section sec;
	unsigned int i;

	EACH_FORM {
		for (i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
			good(&sec, form->version, form->flags);
			check_section(&sec, rooms[i]);
			/* functions before and behind the text */
			sec.place.text_start = START_SMALL;
			sec.place.text_end = START_OUTER;
			check_section(&sec, rooms[i]);
			section_free(&sec);
		}
	}
}

TEST(an_index_changes_no_result_of_any_section)
{
	struct section sec;
	__u64 seed = 3, start;
	__u32 n, size;
	int round;

	for (round = 0; round < 400; round++) {
		section_init(&sec, 2 + round % 2,
			     round % 3 ? LW_SFRAME_ABI_AMD64 :
					 LW_SFRAME_ABI_S390X,
			     forms[round % 4].flags);
		start = 0x401000 + rng_next(&seed) % 64;
		for (n = 1 + rng_next(&seed) % 40; n; n--) {
			size = rng_next(&seed) % 4 ? rng_next(&seed) % 64 : 0;
			section_fde(&sec, start, size, INC, 0);
			section_row(&sec, 0, SP, (__s32)n);
			/* some are far away, some end where the next begins */
			start += size;
			if (rng_next(&seed) % 3 == 0)
				start += rng_next(&seed) % 32;
			if (rng_next(&seed) % 8 == 0)
				start += rng_next(&seed) % 4096;
		}
		sec.place.text_end = start + 1 + rng_next(&seed) % 5000;
		section_finish(&sec);
		check_section(&sec, 2 + rng_next(&seed) % 100);
		section_free(&sec);
	}
}

/* Texts whose buckets begin or end where 64 bits do. */
TEST(text_of_any_size_and_place_can_have_an_index)
{
	static const __u64 texts[][2] = {
		{ 0, ~0ULL }, { 1, ~0ULL }, { 0, 1 }, { ~0ULL - 1, ~0ULL },
		{ 0, 1ULL << 63 }, { 0, (1ULL << 63) + 1 },
		{ 1ULL << 63, ~0ULL }, { (1ULL << 63) - 1, ~0ULL },
		{ 0x1000, 0x1003 }, { ~0ULL - 100, ~0ULL },
	};
	static const __u32 rooms[] = { 2, 3, 4, 5, 64, 1000 };
	struct section sec;
	unsigned int i, k, j;
	__u64 start, len;

	EACH_FORM {
		for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
			section_init(&sec, form->version, LW_SFRAME_ABI_AMD64,
				     form->flags);
			sec.place.text_start = texts[i][0];
			sec.place.text_end = texts[i][1];
			len = texts[i][1] - texts[i][0];
			/* 2 GiB is all that version 2 can tell */
			if (form->version == 2 && len > 0x70000000)
				len = 0x70000000;
			sec.place.addr = form->version == 2 ?
					 texts[i][0] + len / 2 : 0x1000;
			if (sec.place.addr > ~0ULL - 0x10000)
				sec.place.addr = ~0ULL - 0x10000;
			for (j = 0; j < 16; j++) {
				start = texts[i][0] + len / 16 * j;
				section_fde(&sec, start, 1, INC, 0);
				section_row(&sec, 0, SP, j);
			}
			section_finish(&sec);
			for (k = 0; k < sizeof(rooms) / sizeof(rooms[0]); k++)
				check_section(&sec, rooms[k]);
			section_free(&sec);
		}
	}
}

TEST(an_index_makes_searches_shorter)
{
	struct lw_rule rule, other;
	__u32 *first = room_for(256);
	struct lw_sframe sf;
	struct section sec;
	__u32 i, rest;

	EACH_FORM {
		/* the FDE, its attribute, its row and the rest of that */
		rest = form->version < 3 ? 3 : 4;
		section_init(&sec, form->version, LW_SFRAME_ABI_AMD64,
			     form->flags);
		for (i = 0; i < 256; i++) {
			section_fde(&sec, 0x401000 + 16 * i, 16, INC, 0);
			section_row(&sec, 0, SP, 8);
		}
		sec.place.text_end = 0x402000;
		section_finish(&sec);
		for (i = 0; i < 256; i++) {
			CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
			sec.calls = 0;
			CHECK_EQ(lw_sframe_find(&sf, 0x401000 + 16 * i, &rule),
				 0);
			CHECK(sec.calls > 8 && sec.calls <= 8 + rest);
			CHECK_EQ(lw_sframe_add_index(&sf, first, 256, NULL),
				 0);
			sec.calls = 0;
			CHECK_EQ(lw_sframe_find(&sf, 0x401000 + 16 * i,
						&other), 0);
			CHECK(sec.calls <= 1 + rest);
		}
		section_free(&sec);
	}
	free(first);
}

TEST(functions_out_of_order_get_no_index)
{
	__u32 *first = room_for(8);
	struct lw_sframe sf;
	struct section sec;
	__u64 start;
	__u32 i;

	EACH_FORM {
		for (i = 1; i < NUM; i++) {
			good(&sec, form->version, form->flags);
			CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
			start = section_get_field(&sec, i, F_START);
			section_put_field(&sec, i, F_START, start - 0x100000);
			CHECK_EQ(lw_sframe_add_index(&sf, first, 8, NULL),
				 LW_SFRAME_BAD_ORDER);
			/* and it goes on without */
			CHECK(!sf.index);
			section_put_field(&sec, i, F_START, start);
			CHECK_EQ(lw_sframe_add_index(&sf, first, 8, NULL), 0);
			CHECK_EQ(sec.outside, 0);
			section_free(&sec);
		}
	}
	free(first);
}

TEST(a_failed_read_leaves_the_section_without_index)
{
	__u32 *first = room_for(8), k;
	struct lw_sframe sf;
	struct lw_rule rule;

	EACH_GOOD {
		CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
		sec.fail_with = -EFAULT;
		for (k = 1; k <= NUM; k++) {
			sec.calls = 0;
			sec.fail_at = k;
			CHECK_EQ(lw_sframe_add_index(&sf, first, 8, NULL),
				 -EFAULT);
			CHECK(!sf.index);
			sec.fail_at = 0;
			CHECK_EQ(lw_sframe_find(&sf, START_SMALL, &rule), 0);
		}
		sec.calls = 0;
		CHECK_EQ(lw_sframe_add_index(&sf, first, 8, NULL), 0);
		CHECK_EQ(sec.calls, NUM);
	}
	free(first);
}

/* What the next pause returns; how many there were. */
static int pause_returns;
static unsigned int pauses;

static int count_pause(void)
{
	pauses++;
	return pause_returns;
}

TEST(many_functions_are_indexed_with_pauses)
{
	static const __u32 nums[] = { 0, 1, 3 };
	__u32 *first = room_for(1000), i, j;
	struct lw_sframe sf;
	struct section sec;

	for (i = 0; i < sizeof(nums) / sizeof(nums[0]); i++) {
		section_init(&sec, 3, LW_SFRAME_ABI_AMD64, LW_SFRAME_SORTED);
		for (j = 0; j <= nums[i] * LW_SFRAME_INDEX_AT_ONCE; j++)
			section_fde(&sec, 0x401000 + j, 1, INC, 0);
		sec.place.text_end = 0x401000 + j;
		section_finish(&sec);
		CHECK_EQ(section_open(&sec, &sf, IN_MEMORY), 0);
		pauses = 0;
		pause_returns = 0;
		CHECK_EQ(lw_sframe_add_index(&sf, first, 1000, count_pause), 0);
		CHECK_EQ(pauses, nums[i]);
		sf.index = NULL;
		pauses = 0;
		pause_returns = -EINTR;
		CHECK_EQ(lw_sframe_add_index(&sf, first, 1000, count_pause),
			 nums[i] ? -EINTR : 0);
		CHECK_EQ(pauses, !!nums[i]);
		CHECK(!sf.index == !!nums[i]);
		section_free(&sec);
	}
	free(first);
}

/* The table changes after the index was made: any result, but no harm. */
TEST(an_index_that_is_out_of_date_does_no_harm)
{
	__u32 *first = room_for(32), i;
	struct lw_rule rule;
	struct lw_sframe sf;
	struct section sec;
	__u64 seed = 5;
	int round, mode;

	for (round = 0; round < 400; round++) {
		good(&sec, forms[round % 4].version, forms[round % 4].flags);
		mode = round / 4 % 2 ? IN_MEMORY : BY_READ;
		CHECK_EQ(section_open(&sec, &sf, mode), 0);
		CHECK_EQ(lw_sframe_add_index(&sf, first, 32, NULL), 0);
		for (i = HDR_SIZE; i < sec.src.size; i++)
			sec.bytes[i] = rng_next(&seed);
		for (i = 0; i < 50; i++) {
			sec.calls = 0;
			lw_sframe_find(&sf, 0x401000 +
				       rng_next(&seed) % 0x3f000, &rule);
			CHECK(sec.calls <= LW_SFRAME_MAX_READS);
		}
		CHECK_EQ(sec.outside, 0);
		section_free(&sec);
	}
	free(first);
}

int main(void)
{
	return tap_main();
}
