// SPDX-License-Identifier: GPL-2.0
/*
 * report_diff_test.c - functions of two profiles side by side.
 */
#include <stdlib.h>
#include <string.h>

#include "report/report_diff.h"
#include "tests/folded_profile.h"
#include "tests/tap.h"

static const char * const names[] = { "old.data", "new.data" };

static struct folded make(const char * const *lines)
{
	struct folded folded = folded_new();

	for (; *lines; lines++) {
		if (!folded_add(&folded, *lines))
			abort();
	}
	return folded;
}

static struct folded make_old(void)
{
	static const char * const lines[] = {
		"x;main;a 50", "x;main;/lib/c.so.1!b 30", "x;main;gone 15", "x;main 5", NULL
	};

	return make(lines);
}

/* Twice as long, and with a library at another place. */
static struct folded make_new(void)
{
	static const char * const lines[] = {
		"x;main;a 40", "y;main;f;/usr/lib/c.so.1!b 70", "x;main;came 80", "x;main 9",
		"x;main;a_[k] 1", NULL
	};

	return make(lines);
}

static bool is_written(void (*write)(const struct lw_diff *diff, const char * const *names,
				     struct lw_strbuf *out),
		       const struct lw_diff *diff, const char * const *parts)
{
	struct lw_strbuf out = { 0 }, expected = { 0 };
	bool same;

	write(diff, names, &out);
	lw_strbuf_char(&out, 0);
	while (*parts)
		lw_strbuf_str(&expected, *parts++);
	lw_strbuf_char(&expected, 0);
	same = !out.failed && !strcmp(out.text, expected.text);
	if (!same)
		printf("# is:\n%s# expected:\n%s", out.text, expected.text);
	lw_strbuf_free(&out);
	lw_strbuf_free(&expected);
	return same;
}

static bool shares_are_compared(void)
{
	static const char * const parts[] = {
		"# Own share of each function, of event 'cpu-clock'\n",
		"# A: old.data, 4 samples, event count 100\n",
		"# B: new.data, 5 samples, event count 200\n",
		"#\n",
		"#      A        B     Delta  Shared Object  Symbol\n",
		"#\n",
		"        -   40.00%   +40.00%  a.out          [.] came\n",
		"   50.00%   20.00%   -30.00%  a.out          [.] a\n",
		"   15.00%        -   -15.00%  a.out          [.] gone\n",
		"   30.00%   35.00%    +5.00%  c.so.1         [.] b\n",
		"    5.00%    4.50%    -0.50%  a.out          [.] main\n",
		"#\n",
		"# Below the limit in both: 1, see --percent-limit.\n",
		NULL
	};
	struct folded a = make_old(), b = make_new();
	struct lw_diff diff;

	CHECK(!lw_diff_make(&diff, a.profile, b.profile, "cpu-clock", 1));
	CHECK(is_written(lw_diff_text, &diff, parts));
	lw_diff_free(&diff);
	lw_profile_free(a.profile);
	lw_profile_free(b.profile);
	return true;
}

static bool json_has_weights_and_shares(void)
{
	static const char * const parts[] = {
		"{\"event\":\"cpu-clock\",\"a\":{\"name\":\"old.data\",\"samples\":4,\"weight\":100},",
		"\"b\":{\"name\":\"new.data\",\"samples\":5,\"weight\":200},\"rows\":[\n",
		"{\"dso\":\"a.out\",\"symbol\":\"came\",\"kernel\":false,\"self_a\":0,",
		"\"self_b\":80,\"percent_a\":0.0000,\"percent_b\":40.0000,\"delta\":40.0000},\n",
		"{\"dso\":\"a.out\",\"symbol\":\"a\",\"kernel\":false,\"self_a\":50,",
		"\"self_b\":40,\"percent_a\":50.0000,\"percent_b\":20.0000,\"delta\":-30.0000}]}",
		NULL
	};
	struct folded a = make_old(), b = make_new();
	struct lw_diff diff;

	CHECK(!lw_diff_make(&diff, a.profile, b.profile, "cpu-clock", 38));
	CHECK(is_written(lw_diff_json, &diff, parts));
	lw_diff_free(&diff);
	lw_profile_free(a.profile);
	lw_profile_free(b.profile);
	return true;
}

/* Their numbers are the same by chance, their names are not. */
static bool strings_of_both_are_told_apart(void)
{
	struct folded a = make((const char * const[]) { "x;p 1", NULL });
	struct folded b = make((const char * const[]) { "y;q 1", "y 1", NULL });
	struct lw_diff diff;

	CHECK(!lw_diff_make(&diff, a.profile, b.profile, "cpu-clock", 0));
	CHECK(diff.nr == 3 && diff.nr_left_out == 0);
	CHECK(!strcmp(diff.rows[0].symbol, "p") && diff.rows[0].percent[1] == 0);
	CHECK(!strcmp(diff.rows[1].symbol, "[no stack]") && diff.rows[1].percent[1] == 50);
	CHECK(!strcmp(diff.rows[2].symbol, "q") && diff.rows[2].percent[0] == 0);
	lw_diff_free(&diff);
	lw_profile_free(a.profile);
	lw_profile_free(b.profile);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(shares_are_compared),
		TEST(json_has_weights_and_shares),
		TEST(strings_of_both_are_told_apart),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
