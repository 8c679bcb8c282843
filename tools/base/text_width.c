// SPDX-License-Identifier: GPL-2.0
/*
 * text_width.c - text in the columns of a terminal.
 *
 * The locale is not asked: it says what others have set up, not what the terminal
 * does.  What terminals do not agree about is taken for wide, so that a line gets too
 * short rather than too long.
 *
 * Contexts: any.
 */
#include "base/print.h"
#include "base/text_width.h"

struct range {
	u32 first, last;
};

/* Nothing is to be seen of them, or they change the order of what is. */
static const struct range hidden[] = {
	{ 0xad, 0xad }, { 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x610, 0x61c },
	{ 0x64b, 0x65f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
};

/* Two columns: East Asian letters, and pictures. */
static const struct range wide[] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2329, 0x232a }, { 0x23e9, 0x23f3 },
	{ 0x2600, 0x27bf }, { 0x2b1b, 0x2b55 }, { 0x2e80, 0xa4cf }, { 0xa960, 0xa97f },
	{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x16fe0, 0x18aff }, { 0x1b000, 0x1b2ff }, { 0x1f000, 0x1faff },
	{ 0x20000, 0x3ffff },
};

static bool is_in(const struct range *ranges, size_t nr, u32 code)
{
	for (size_t i = 0; i < nr; i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	}
	return false;
}

struct letter {
	u32 bytes;
	u32 columns;
	bool plain;			/* else a '?' is shown for it */
};

/* @text: @left bytes of UTF-8 */
static struct letter next_letter(const char *text, size_t left)
{
	struct letter letter = { .columns = 1 };
	const u8 *c = (const u8 *)text;
	char whole[5] = "";
	u32 code;

	for (u32 i = 0; i < 4 && i < left; i++)
		whole[i] = text[i];
	letter.bytes = lw_plain_char(whole, &letter.plain);
	if (!letter.plain || letter.bytes == 1)
		return letter;
	code = c[0] & (0x7f >> letter.bytes);
	for (u32 i = 1; i < letter.bytes; i++)
		code = code << 6 | (c[i] & 0x3f);
	if (is_in(hidden, ARRAY_SIZE(hidden), code))
		letter.plain = false;
	else if (is_in(wide, ARRAY_SIZE(wide), code))
		letter.columns = 2;
	return letter;
}

/**
 * lw_text_width - how many columns a text takes
 * @text: @len bytes
 * @len: how many
 *
 * Return: as many as lw_strbuf_fit() would use, where there is room.
 */
u32 lw_text_width(const char *text, size_t len)
{
	u32 columns = 0;

	while (len) {
		struct letter letter = next_letter(text, len);

		columns += letter.columns;
		text += letter.bytes;
		len -= letter.bytes;
	}
	return columns;
}

/**
 * lw_strbuf_fit - add what fits of a text
 * @out: where to
 * @text: @len bytes; a '?' is in the place of what is not UTF-8, of what terminals act
 *	on, and of what can't be seen
 * @len: how many
 * @width: columns that there are
 *
 * Return: how many it took.
 */
u32 lw_strbuf_fit(struct lw_strbuf *out, const char *text, size_t len, u32 width)
{
	u32 columns = 0;

	while (len) {
		struct letter letter = next_letter(text, len);

		if (columns + letter.columns > width)
			break;
		if (letter.plain)
			lw_strbuf_bytes(out, text, letter.bytes);
		else
			lw_strbuf_char(out, '?');
		columns += letter.columns;
		text += letter.bytes;
		len -= letter.bytes;
	}
	return columns;
}

/**
 * lw_strbuf_fit_from - add what is seen of a text that is moved to the left
 * @out: where to
 * @text: as in lw_strbuf_fit()
 * @len: how many bytes
 * @from: columns that are out of sight
 * @width: columns that there are
 *
 * Return: how many it took.
 */
u32 lw_strbuf_fit_from(struct lw_strbuf *out, const char *text, size_t len, u32 from, u32 width)
{
	u32 passed = 0, half;

	while (len && passed < from) {
		struct letter letter = next_letter(text, len);

		passed += letter.columns;
		text += letter.bytes;
		len -= letter.bytes;
	}
	/* what is left of a wide one can't be shown */
	half = passed > from ? passed - from : 0;
	if (half > width)
		half = width;
	for (u32 i = 0; i < half; i++)
		lw_strbuf_char(out, ' ');
	return half + lw_strbuf_fit(out, text, len, width - half);
}
