// SPDX-License-Identifier: GPL-2.0
/*
 * rulecache_test - module/rulecache.h gives back what was put in, or nothing.
 */
#include <string.h>

#include "../../module/rulecache.h"
#include "tap.h"

_Static_assert(sizeof(struct lw_rule_cache_entry) == 16, "of four a line");

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

/* In an empty cache. Return: not 0 if it was kept; what came back is checked. */
static int keeps_at(__u64 key, const struct lw_rule *rule)
{
	struct lw_rule back;

	memset(entries, 0, sizeof(entries));
	memset(&back, 0x5a, sizeof(back));
	lw_rule_cache_put(&cache, key, rule);
	if (!lw_rule_cache_get(&cache, key, &back))
		return 0;
	CHECK(same(rule, &back));
	return 1;
}

static int keeps(const struct lw_rule *rule)
{
	return keeps_at(0x401234, rule);
}

TEST(usual_rules_are_kept)
{
	static const __s32 offs[] = {
		8, 16, 160, -8, 0, 70000, 0x7fffffff, -0x7fffffff - 1,
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
		{ 8 * 127, 1, 1 }, { 8 * 128, 0, 1 }, { -1024, 1, 1 },
		{ -1032, 0, 1 }, { -12, 0, 1 }, { 32767, 0, 1 },
		{ 32768, 0, 0 }, { -32768, 0, 1 }, { -32769, 0, 0 },
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

TEST(flags_are_kept)
{
	struct lw_rule rule = { .flags = LW_RULE_OUTERMOST };

	CHECK(keeps(&rule));
	rule = usual();
	rule.flags = LW_RULE_SIGNAL;
	CHECK(keeps(&rule));
	rule.flags = LW_RULE_SIGNAL | LW_RULE_PAC;
	rule.fp = saved(-16);
	rule.cfa.base = LW_BASE_FP;
	CHECK(keeps(&rule));
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
	CHECK(!lw_rule_cache_get(&cache, 0, &rule));
	CHECK(!lw_rule_cache_get(&cache, 0x401234, &rule));
}

TEST(any_key_is_a_key)
{
	static const __u64 keys[] = { 0, 1, ~0ULL, 1ULL << 63, 0x401000 };
	struct lw_rule rule = usual(), other;
	unsigned int i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		CHECK(keeps_at(keys[i], &rule));
		CHECK(!lw_rule_cache_get(&cache, keys[i] ^ 1, &other));
		CHECK(!lw_rule_cache_get(&cache, keys[i] ^ 1ULL << 40, &other));
	}
}

TEST(keys_of_one_home_do_not_push_each_other_out)
{
	struct lw_rule_cache_entry *home = lw_rule_cache_home(&cache, 0);
	struct lw_rule rule = usual(), back = { .flags = 0 };
	__u64 key, keys[LW_RULE_CACHE_WAYS];
	unsigned int n = 0, i;

	memset(entries, 0, sizeof(entries));
	for (key = 0; n < LW_RULE_CACHE_WAYS; key++) {
		if (lw_rule_cache_home(&cache, key) != home)
			continue;
		keys[n] = key;
		rule.cfa.off = (int)n++;
		lw_rule_cache_put(&cache, key, &rule);
	}
	for (i = 0; i < n; i++) {
		CHECK(lw_rule_cache_get(&cache, keys[i], &back));
		CHECK_EQ(back.cfa.off, (int)i);
	}
}

/* Too many for the room: each that is still there has its own rule. */
TEST(a_full_cache_gives_no_rule_of_another)
{
	struct lw_rule rule = usual(), back = { .flags = 0 };
	unsigned int found = 0;
	__u64 key;

	memset(entries, 0, sizeof(entries));
	for (key = 0; key < 1000; key++) {
		rule.cfa.off = 8 * (int)key;
		lw_rule_cache_put(&cache, key, &rule);
		/* the last one in is always there */
		CHECK(lw_rule_cache_get(&cache, key, &back));
		CHECK(same(&rule, &back));
	}
	for (key = 0; key < 1000; key++) {
		if (!lw_rule_cache_get(&cache, key, &back))
			continue;
		found++;
		CHECK_EQ(back.cfa.off, 8 * (int)key);
	}
	/* every entry is of use */
	CHECK(found > ENTRIES / 2 && found <= ENTRIES);
}

int main(void)
{
	return tap_main();
}
