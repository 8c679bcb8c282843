// SPDX-License-Identifier: GPL-2.0
/*
 * rulecache_test - module/sframe/rulecache.h gives back what was put in, or nothing.
 */
#include <string.h>

#include "../lib/rulecache_get.h"
#include "tap.h"

_Static_assert(sizeof(struct lw_rule_cache_entry) == 24, "as the memory of a CPU is counted");

#define BITS	6
#define ENTRIES	((1U << BITS) + LW_RULE_CACHE_WAYS - 1)

static struct lw_rule_cache_entry entries[ENTRIES];
static struct lw_rule_cache cache = { .entries = entries, .bits = BITS };

static struct lw_rule_value saved(__s32 off)
{
	return (struct lw_rule_value){
		.off = off, .base = LW_BASE_CFA, .deref = 1,
	};
}

static struct lw_rule usual(void)
{
	return (struct lw_rule){
		.cfa = { .off = 16, .base = LW_BASE_SP },
		.ra = saved(-8),
	};
}

static int same(const struct lw_rule *a, const struct lw_rule *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static struct lw_rule_key key_of(__u64 id, __u32 at)
{
	return (struct lw_rule_key){ .id = lw_rule_id(id), .at = at };
}

/* In an empty cache. Return: not 0 if it was kept; what came back is checked. */
static int keeps_at(struct lw_rule_key key, const struct lw_rule *rule)
{
	struct lw_rule back;

	memset(entries, 0, sizeof(entries));
	memset(&back, 0x5a, sizeof(back));
	lw_rule_cache_put(&cache, key, rule, 2);
	if (!lw_rule_cache_get(&cache, key, &back))
		return 0;
	CHECK(same(rule, &back));
	CHECK_EQ(lw_rule_cache_find(&cache, key)->tag, 2);
	return 1;
}

static int keeps(const struct lw_rule *rule)
{
	return keeps_at(key_of(7, 0x401234), rule);
}

TEST(usual_rules_are_kept)
{
	static const __s32 offs[] = {
		8, 16, 160, -8, 0, 70000, 0x7ffffff8, -0x7fffffff - 1,
	};
	struct lw_rule rule = usual();
	unsigned int i;

	for (i = 0; i < sizeof(offs) / sizeof(offs[0]); i++) {
		rule.cfa.off = offs[i];
		rule.cfa.base = LW_BASE_SP;
		CHECK(keeps(&rule));
		rule.cfa.base = LW_BASE_FP;
		CHECK(keeps(&rule));
	}
}

TEST(slots_are_kept_as_far_as_they_fit)
{
	static const struct {
		__s32 off;
		int ra, fp;
	} cases[] = {
		{ -8, 1, 1 }, { -16, 1, 1 }, { 0, 1, 1 }, { 8, 1, 1 },
		{ 8 * 127, 1, 1 }, { 8 * 128, 1, 1 }, { -1024, 1, 1 },
		{ -1032, 1, 1 }, { -12, 0, 0 }, { 32760, 1, 1 }, { 32767, 0, 0 },
		{ 32768, 0, 0 }, { -32768, 1, 1 }, { -32769, 0, 0 }, { -32776, 0, 0 },
		{ 0x10000 - 8, 0, 0 },
	};
	struct lw_rule rule;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rule = usual();
		rule.ra = saved(cases[i].off);
		CHECK_EQ(keeps(&rule), cases[i].ra);
		rule = usual();
		rule.fp = saved(cases[i].off);
		CHECK_EQ(keeps(&rule), cases[i].fp);
	}
}

/* Who applies a rule that is kept goes by that. */
TEST(offsets_are_multiples_of_words)
{
	static const __s32 offs[] = { 1, 2, 4, 12, 20, 4097, -1, -4, 0x7fffffff };
	struct lw_rule rule = usual();
	unsigned int i;

	for (i = 0; i < sizeof(offs) / sizeof(offs[0]); i++) {
		rule.cfa.off = offs[i];
		rule.cfa.base = LW_BASE_SP;
		CHECK(!keeps(&rule));
		rule.cfa.base = LW_BASE_FP;
		CHECK(!keeps(&rule));
	}
}

TEST(flags_are_kept)
{
	struct lw_rule rule = { .flags = LW_RULE_OUTERMOST };

	CHECK(keeps(&rule));
	rule = usual();
	rule.flags = LW_RULE_SIGNAL;
	CHECK(keeps(&rule));
	rule.flags = LW_RULE_SIGNAL | LW_RULE_PAC | LW_RULE_SP_LOST;
	rule.fp = saved(-16);
	rule.cfa.base = LW_BASE_FP;
	CHECK(keeps(&rule));
	rule.flags = LW_RULE_SWITCH;
	CHECK(!keeps(&rule));
	rule.flags = LW_RULE_ANALYSED;
	CHECK(!keeps(&rule));
}

TEST(the_bias_of_s390x_is_kept_and_no_other)
{
	struct lw_rule rule = usual();

	rule.sp_off = -160;
	CHECK(keeps(&rule));
	rule.sp_off = 160;
	CHECK(!keeps(&rule));
	rule.sp_off = -8;
	CHECK(!keeps(&rule));
}

TEST(rules_that_do_not_fit_are_not_kept)
{
	struct lw_rule rule = usual();

	rule.cfa.deref = 1;
	CHECK(!keeps(&rule));
	rule = usual();
	rule.cfa.base = LW_BASE_REG;
	rule.cfa.reg = 10;
	CHECK(!keeps(&rule));
	rule = usual();
	rule.ra = (struct lw_rule_value){ .base = LW_BASE_REG, .reg = 14 };
	CHECK(!keeps(&rule));
	rule = usual();
	rule.ra.base = LW_BASE_SP;
	CHECK(!keeps(&rule));
	rule = usual();
	rule.fp = (struct lw_rule_value){ .base = LW_BASE_FP, .deref = 1 };
	CHECK(!keeps(&rule));
	rule.fp = (struct lw_rule_value){ .base = LW_BASE_CFA, .off = -16 };
	CHECK(!keeps(&rule));
}

TEST(an_empty_cache_has_nothing)
{
	struct lw_rule rule;

	memset(entries, 0, sizeof(entries));
	CHECK(!lw_rule_cache_get(&cache, key_of(1, 0), &rule));
	CHECK(!lw_rule_cache_get(&cache, key_of(7, 0x401234), &rule));
}

TEST(any_key_is_a_key)
{
	static const __u64 ids[] = { 1, 2, ~0ULL, 1ULL << 63, 0x401000 };
	static const __u32 ats[] = { 0, 1, ~0U, 1U << 31, 0x401000 };
	struct lw_rule rule = usual(), other;
	unsigned int i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		CHECK(keeps_at(key_of(ids[i], ats[i]), &rule));
		CHECK(!lw_rule_cache_get(&cache, key_of(ids[i] ^ 4, ats[i]), &other));
		CHECK(!lw_rule_cache_get(&cache, key_of(ids[i] ^ 1ULL << 40, ats[i]), &other));
		CHECK(!lw_rule_cache_get(&cache, key_of(ids[i], ats[i] ^ 1), &other));
		CHECK(!lw_rule_cache_get(&cache, key_of(ids[i], ats[i] ^ 1U << 31), &other));
	}
}

/* Who counts as far as the number of a neighbour takes longer than any machine runs. */
TEST(no_two_ids_are_neighbours)
{
	__u64 number = lw_rule_id(1);
	unsigned int i;

	/* Newton's iteration towards the inverse of the factor: each doubles the right bits. */
	for (i = 0; i < 6; i++)
		number *= 2 - lw_rule_id(number);
	CHECK_EQ(lw_rule_id(number), 1);
	CHECK(number > 1ULL << 62);
	CHECK(-number > 1ULL << 62);
}

TEST(tags_do_not_touch_the_rule)
{
	struct lw_rule rule = usual(), back;
	unsigned int tag;

	rule.flags = LW_RULE_SIGNAL | LW_RULE_PAC;
	rule.fp = saved(-16);
	rule.cfa.base = LW_BASE_FP;
	for (tag = 0; tag < 256; tag += 51) {
		memset(entries, 0, sizeof(entries));
		lw_rule_cache_put(&cache, key_of(1, 2), &rule, (__u8)tag);
		CHECK(lw_rule_cache_get(&cache, key_of(1, 2), &back));
		CHECK(same(&rule, &back));
		CHECK_EQ(lw_rule_cache_find(&cache, key_of(1, 2))->tag, tag);
	}
}

/* The first @n keys of one home. */
static void keys_of_home(struct lw_rule_key *keys, unsigned int n)
{
	struct lw_rule_cache_entry *home = lw_rule_cache_home(&cache, key_of(1, 0));
	__u32 at;

	for (at = 0; n; at++) {
		if (lw_rule_cache_home(&cache, key_of(1, at)) == home) {
			*keys++ = key_of(1, at);
			n--;
		}
	}
}

TEST(keys_of_one_home_do_not_push_each_other_out)
{
	struct lw_rule rule = usual(), back = { .flags = 0 };
	struct lw_rule_key keys[LW_RULE_CACHE_WAYS];
	unsigned int i;

	memset(entries, 0, sizeof(entries));
	keys_of_home(keys, LW_RULE_CACHE_WAYS);
	for (i = 0; i < LW_RULE_CACHE_WAYS; i++) {
		rule.cfa.off = 8 * (int)i;
		lw_rule_cache_put(&cache, keys[i], &rule, 0);
	}
	for (i = 0; i < LW_RULE_CACHE_WAYS; i++) {
		CHECK(lw_rule_cache_get(&cache, keys[i], &back));
		CHECK_EQ(back.cfa.off, 8 * (int)i);
	}
}

/* As far as one can try. */
TEST(ids_differ)
{
	__u64 i;

	for (i = 1; i < 64; i++)
		CHECK(lw_rule_id(1ULL << i) && lw_rule_id(1ULL << i) != lw_rule_id(1ULL << i | 1));
}

/* Those that nobody asks for any more must not be what stays. */
TEST(each_neighbour_makes_room)
{
	struct lw_rule_key keys[2 * LW_RULE_CACHE_WAYS];
	struct lw_rule rule = usual(), back;
	unsigned int i;

	memset(entries, 0, sizeof(entries));
	keys_of_home(keys, 2 * LW_RULE_CACHE_WAYS);
	for (i = 0; i < 2 * LW_RULE_CACHE_WAYS; i++)
		lw_rule_cache_put(&cache, keys[i], &rule, 0);
	for (i = 0; i < LW_RULE_CACHE_WAYS; i++) {
		CHECK(!lw_rule_cache_get(&cache, keys[i], &back));
		CHECK(lw_rule_cache_get(&cache, keys[LW_RULE_CACHE_WAYS + i], &back));
	}
}

/* Too many for the room: each that is still there has its own rule. */
TEST(a_full_cache_gives_no_rule_of_another)
{
	struct lw_rule rule = usual(), back = { .flags = 0 };
	unsigned int found = 0;
	__u32 at;

	memset(entries, 0, sizeof(entries));
	for (at = 0; at < 1000; at++) {
		rule.cfa.off = 8 * (int)at;
		lw_rule_cache_put(&cache, key_of(3, at), &rule, 0);
		/* the last one in is always there */
		CHECK(lw_rule_cache_get(&cache, key_of(3, at), &back));
		CHECK(same(&rule, &back));
	}
	for (at = 0; at < 1000; at++) {
		if (!lw_rule_cache_get(&cache, key_of(3, at), &back))
			continue;
		found++;
		CHECK_EQ(back.cfa.off, 8 * (int)at);
	}
	/* every entry is of use */
	CHECK(found > ENTRIES / 2 && found <= ENTRIES);
}

int main(void)
{
	return tap_main();
}
