// SPDX-License-Identifier: GPL-2.0
/*
 * strbuf_test.c - text in memory is what it says, and strings of others do no harm in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/strbuf.h"
#include "tests/tap.h"

/* Longer than a word of the processor, by which plain text is taken. */
#define LONGEST		20U
#define NR_RANDOM	300000U

/* What the longer, plainer function for streams makes of a string. */
static bool is_as_printed(const char *text)
{
	static char want[8 * LONGEST];
	struct lw_strbuf out = {};
	FILE *stream = fmemopen(want, sizeof(want), "w");
	size_t len;
	bool same;

	lw_print_plain(stream, text);
	len = ftell(stream);
	fclose(stream);
	lw_strbuf_printable(&out, text);
	same = out.len == len && (!len || !memcmp(out.text, want, len));
	if (!same)
		printf("# '%.*s' instead of '%.*s'\n", (int)out.len, out.text, (int)len, want);
	lw_strbuf_free(&out);
	return same;
}

static bool every_byte_is_harmless_at_every_place(void)
{
	char text[LONGEST + 1];

	for (u32 len = 1; len <= LONGEST; len++) {
		for (u32 at = 0; at < len; at++) {
			for (u32 byte = 1; byte < 256; byte++) {
				memset(text, byte % 2 ? ' ' : '~', len);
				text[len] = 0;
				text[at] = byte;
				CHECK(is_as_printed(text));
			}
		}
	}
	return true;
}

static bool sequences_are_whole_or_a_question_mark(void)
{
	/* where a rule of UTF-8 begins or ends */
	static const u8 bytes[] = {
		'a', 0x1f, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0,
		0xe1, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff,
	};
	char text[LONGEST + 1];

	srand(1);
	for (u32 i = 0; i < NR_RANDOM; i++) {
		u32 len = rand() % (LONGEST + 1);

		for (u32 j = 0; j < len; j++)
			text[j] = bytes[rand() % ARRAY_SIZE(bytes)];
		text[len] = 0;
		CHECK(is_as_printed(text));
	}
	return true;
}

static bool is(struct lw_strbuf *out, const char *want)
{
	bool same = out->len == strlen(want) && !memcmp(out->text, want, out->len);

	if (!same)
		printf("# '%.*s' instead of '%s'\n", (int)out->len, out->text, want);
	lw_strbuf_free(out);
	return same;
}

static bool numbers_have_their_digits(void)
{
	static const u64 numbers[] = { 0, 7, 8, 9, 10, 15, 16, 99, 100, 0xdeadbeef, ~0ULL };

	for (u32 i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct lw_strbuf out = {};
		char want[256];

		snprintf(want, sizeof(want), "%llu %llx %012llx %06llu %lld", numbers[i],
			 numbers[i], numbers[i], numbers[i], numbers[i]);
		lw_strbuf_u64(&out, numbers[i]);
		lw_strbuf_char(&out, ' ');
		lw_strbuf_hex_digits(&out, numbers[i]);
		lw_strbuf_char(&out, ' ');
		lw_strbuf_hex_padded(&out, numbers[i], 12);
		lw_strbuf_char(&out, ' ');
		lw_strbuf_padded(&out, numbers[i], 6);
		lw_strbuf_char(&out, ' ');
		lw_strbuf_s64(&out, numbers[i]);
		CHECK(is(&out, want));
	}
	return true;
}

static bool what_is_moved_to_the_right_is_whole(void)
{
	struct lw_strbuf out = {};

	lw_strbuf_str(&out, "ab");
	lw_strbuf_str(&out, "cde");
	lw_strbuf_right(&out, 2, 5);
	CHECK(is(&out, "ab  cde"));
	lw_strbuf_str(&out, "abcde");
	lw_strbuf_right(&out, 2, 3);
	CHECK(is(&out, "abcde"));
	lw_strbuf_str(&out, "abcde");
	lw_strbuf_right(&out, 2, 2);
	CHECK(is(&out, "abcde"));
	lw_strbuf_right(&out, 0, 3);
	lw_strbuf_spaces(&out, 2);
	lw_strbuf_spaces(&out, 0);
	CHECK(is(&out, "     "));
	/* where the room just ends */
	lw_strbuf_str(&out, "1234567");
	lw_strbuf_right(&out, 6, 2);
	lw_strbuf_right(&out, 0, 20);
	CHECK(is(&out, "            123456 7"));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(every_byte_is_harmless_at_every_place),
		TEST(sequences_are_whole_or_a_question_mark),
		TEST(numbers_have_their_digits),
		TEST(what_is_moved_to_the_right_is_whole),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
