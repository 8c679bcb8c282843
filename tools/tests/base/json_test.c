// SPDX-License-Identifier: GPL-2.0
/*
 * json_test.c - what is written is JSON: commas, names, strings of others, numbers.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "tests/tap.h"

static bool is(struct lw_strbuf *out, const char *want)
{
	bool same = !out->failed && out->len == strlen(want) &&
		    !memcmp(out->text ? out->text : "", want, out->len);

	if (!same)
		printf("# '%.*s' instead of '%s'\n", (int)out->len, out->text, want);
	lw_strbuf_free(out);
	memset(out, 0, sizeof(*out));
	return same;
}

static bool values_have_commas_between(void)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	lw_json_open(&json, NULL, '{');
	lw_json_open(&json, "none", '[');
	lw_json_close(&json, ']');
	lw_json_open(&json, "some", '[');
	lw_json_u64(&json, NULL, 1);
	lw_json_open(&json, NULL, '{');
	lw_json_close(&json, '}');
	lw_json_open(&json, NULL, '{');
	lw_json_null(&json, "a");
	lw_json_bool(&json, "b", true);
	lw_json_close(&json, '}');
	lw_json_bool(&json, NULL, false);
	lw_json_close(&json, ']');
	lw_json_s64(&json, "last", -1);
	lw_json_close(&json, '}');
	CHECK(is(&out, "{\"none\":[],\"some\":[1,{},{\"a\":null,\"b\":true},false],\"last\":-1}"));
	return true;
}

static bool lines_begin_where_they_are_asked_for(void)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	lw_json_open(&json, NULL, '[');
	lw_json_line(&json);
	lw_json_u64(&json, NULL, 1);
	lw_json_u64(&json, NULL, 2);
	lw_json_line(&json);
	lw_json_open(&json, NULL, '[');
	/* Of nothing there is no line. */
	lw_json_line(&json);
	lw_json_close(&json, ']');
	lw_json_u64(&json, NULL, 3);
	lw_json_close(&json, ']');
	CHECK(is(&out, "[\n1,2,\n[],3]"));
	return true;
}

/* Who writes to a file takes away what there is, in the middle of an array, too. */
static bool text_can_be_taken_away(void)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	lw_json_open(&json, NULL, '[');
	lw_json_u64(&json, NULL, 1);
	out.len = 0;
	lw_json_u64(&json, NULL, 2);
	lw_json_close(&json, ']');
	CHECK(is(&out, ",2]"));
	lw_json_open(&json, NULL, '[');
	out.len = 0;
	lw_json_u64(&json, NULL, 3);
	CHECK(is(&out, "3"));
	return true;
}

static bool is_string(const char *text, const char *want)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	lw_json_str(&json, NULL, text);
	return is(&out, want);
}

static bool strings_of_others_are_made_harmless(void)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	CHECK(is_string("a\"b\\c\n\177", "\"a\\\"b\\\\c\\u000a\\u007f\""));
	CHECK(is_string("\303\244\342\202\254\360\237\230\200",
			"\"\303\244\342\202\254\360\237\230\200\""));
	/* CSI, which terminals act on */
	CHECK(is_string("\302\233", "\"\\u009b\""));
	/* cut, too long, surrogate, beyond the last, no beginning */
	CHECK(is_string("\303", "\"\\ufffd\""));
	CHECK(is_string("\303\303\244", "\"\\ufffd\303\244\""));
	CHECK(is_string("\342\202x", "\"\\ufffd\\ufffdx\""));
	CHECK(is_string("\300\200", "\"\\ufffd\\ufffd\""));
	CHECK(is_string("\355\240\200", "\"\\ufffd\\ufffd\\ufffd\""));
	CHECK(is_string("\364\220\200\200", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""));
	CHECK(is_string("\370\200", "\"\\ufffd\\ufffd\""));
	CHECK(is_string(NULL, "null"));
	lw_json_open(&json, "a\"", '{');
	lw_json_bytes(&json, "b", "\0c", 2);
	lw_json_close(&json, '}');
	CHECK(is(&out, "\"a\\\"\":{\"b\":\"\\u0000c\"}"));
	return true;
}

static bool numbers_are_those_of_json(void)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	lw_json_open(&json, NULL, '[');
	lw_json_u64(&json, NULL, ~0ULL);
	lw_json_s64(&json, NULL, INT64_MIN);
	lw_json_hex(&json, NULL, 0xffffffff81000000ULL);
	lw_json_close(&json, ']');
	CHECK(is(&out, "[18446744073709551615,-9223372036854775808,\"0xffffffff81000000\"]"));
	json = (struct lw_json) { .out = &out };
	lw_json_open(&json, NULL, '[');
	lw_json_decimal(&json, NULL, 1, 9);
	lw_json_decimal(&json, NULL, 12000000034ULL, 9);
	lw_json_decimal(&json, NULL, ~0ULL, 19);
	lw_json_double(&json, NULL, -0.00005, 4);
	lw_json_double(&json, NULL, NAN, 2);
	lw_json_double(&json, NULL, -INFINITY, 2);
	lw_json_close(&json, ']');
	CHECK(is(&out, "[0.000000001,12.000000034,1.8446744073709551615,-0.0001,null,null]"));
	lw_json_double(&json, NULL, 1e300, 0);
	CHECK(out.len == 302 && out.text[1] == '1');
	lw_strbuf_free(&out);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(values_have_commas_between),
		TEST(lines_begin_where_they_are_asked_for),
		TEST(text_can_be_taken_away),
		TEST(strings_of_others_are_made_harmless),
		TEST(numbers_are_those_of_json),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
