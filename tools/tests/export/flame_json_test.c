// SPDX-License-Identifier: GPL-2.0
/*
 * flame_json_test.c - what a flame graph is drawn of.
 */
#include <stdlib.h>
#include <string.h>

#include "export/flame_json.h"
#include "tests/folded_profile.h"
#include "tests/tap.h"

static const struct lw_flame_options all = {
	.export = { .filter = { .pid = LW_ANY_ID, .tid = LW_ANY_ID } },
};

static struct folded make(const char * const *lines)
{
	struct folded folded = folded_new();

	for (; *lines; lines++) {
		if (!folded_add(&folded, *lines))
			abort();
	}
	return folded;
}

static bool flame_is(const struct lw_profile *profile, const struct lw_profile *before,
		     const struct lw_flame_options *options, const char * const *parts)
{
	struct lw_strbuf out = { 0 }, expected = { 0 };
	struct lw_json json = { .out = &out };
	bool same;

	CHECK(!lw_flame_json(profile, before, options, &json, NULL));
	while (*parts)
		lw_strbuf_str(&expected, *parts++);
	same = out.len == expected.len && !memcmp(out.text, expected.text, out.len);
	if (!same)
		printf("# is:\n%.*s\n# expected:\n%.*s\n", (int)out.len, out.text,
		       (int)expected.len, expected.text);
	lw_strbuf_free(&out);
	lw_strbuf_free(&expected);
	return same;
}

static bool nodes_have_children(void)
{
	static const char * const lines[] = {
		"x;main;a 10", "x;main;a;r_[k] 5", "x;main;\"_[i] 3", "y;m 100", "y;n 0", NULL
	};
	static const char * const parts[] = {
		"{\"name\":\"all\",\"value\":118,\"children\":[",
		"{\"name\":\"y\",\"value\":100,\"children\":[{\"name\":\"m\",\"value\":100}]},",
		"{\"name\":\"x\",\"value\":18,\"children\":[",
		"{\"name\":\"main\",\"value\":18,\"children\":[",
		"{\"name\":\"a\",\"value\":15,\"children\":[",
		"{\"name\":\"r\",\"value\":5,\"libtype\":\"kernel\"}]},",
		"{\"name\":\"\\\"\",\"value\":3,\"libtype\":\"inlined\"}]}]}]}", NULL
	};
	struct folded folded = make(lines);

	CHECK(flame_is(folded.profile, NULL, &all, parts));
	lw_profile_free(folded.profile);
	return true;
}

static bool what_is_too_narrow_is_left_out(void)
{
	static const char * const lines[] = { "x;main;a 90", "x;main;b 10", NULL };
	static const char * const parts[] = {
		"{\"name\":\"all\",\"value\":2,\"children\":[{\"name\":\"x\",\"value\":2,",
		"\"children\":[{\"name\":\"main\",\"value\":2,\"children\":[",
		"{\"name\":\"a\",\"value\":1},{\"name\":\"b\",\"value\":1}]}]}]}", NULL
	};
	static const char * const wide[] = {
		"{\"name\":\"all\",\"value\":100,\"children\":[{\"name\":\"x\",\"value\":100,",
		"\"children\":[{\"name\":\"main\",\"value\":100,\"children\":[",
		"{\"name\":\"a\",\"value\":90}]}]}]}", NULL
	};
	struct folded folded = make(lines);
	struct lw_flame_options options = all;

	options.percent_limit = 11;
	CHECK(flame_is(folded.profile, NULL, &options, wide));
	options.export.samples = true;
	CHECK(flame_is(folded.profile, NULL, &options, parts));
	lw_profile_free(folded.profile);
	return true;
}

/* The one before is half as long; its numbers are others. */
static bool deltas_are_of_the_same_stacks(void)
{
	static const char * const before[] = {
		"z;q 10", "x;main;b 10", "x;main;a 10", "x;other;a 20", NULL
	};
	static const char * const now[] = {
		"x;main;a 50", "x;main;a_[k] 30", "x;main;b 10", "x;new;a 10", NULL
	};
	static const char * const parts[] = {
		"{\"name\":\"all\",\"value\":100,\"delta\":0,\"children\":[",
		"{\"name\":\"x\",\"value\":100,\"delta\":20,\"children\":[",
		"{\"name\":\"main\",\"value\":90,\"delta\":50,\"children\":[",
		"{\"name\":\"a\",\"value\":50,\"delta\":30},",
		"{\"name\":\"a\",\"value\":30,\"libtype\":\"kernel\",\"delta\":30},",
		"{\"name\":\"b\",\"value\":10,\"delta\":-10}]},",
		"{\"name\":\"new\",\"value\":10,\"delta\":10,\"children\":[",
		"{\"name\":\"a\",\"value\":10,\"delta\":10}]}]}]}", NULL
	};
	struct folded a = make(before), b = make(now);

	CHECK(flame_is(b.profile, a.profile, &all, parts));
	lw_profile_free(a.profile);
	lw_profile_free(b.profile);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(nodes_have_children),
		TEST(what_is_too_narrow_is_left_out),
		TEST(deltas_are_of_the_same_stacks),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
