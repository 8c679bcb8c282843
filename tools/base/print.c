// SPDX-License-Identifier: GPL-2.0
/*
 * print.c - strings of others, printed so that nothing in them does harm.
 */
#include "base/print.h"

/* Return: bytes of the UTF-8 character at @text, 0 if there is none. */
static unsigned int utf8_len(const u8 *text)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int len;
	u32 code;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc0 || text[0] > 0xf7)
		return 0;
	len = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	code = text[0] & (0x7f >> len);
	for (unsigned int i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return len;
}

/* @c: a character of UTF-8; U+0080 to U+009F are as good as an escape to some terminals. */
static bool is_control(const u8 *c)
{
	return *c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0);
}

/**
 * lw_plain_char - look at a character of a string of others
 * @text: not at its end
 * @plain: out: it is UTF-8 and no control character: nothing in it can drive a terminal
 *
 * Return: its bytes, at least 1.
 */
unsigned int lw_plain_char(const char *text, bool *plain)
{
	const u8 *c = (const u8 *)text;
	unsigned int len = utf8_len(c);

	*plain = len && !is_control(c);
	return len ? len : 1;
}

/**
 * lw_print_plain - print a string of others
 * @out: where to
 * @text: the string; what is a control character or not UTF-8 becomes '?', so
 *        that nothing in it can drive a terminal
 */
void lw_print_plain(FILE *out, const char *text)
{
	bool plain;

	while (*text) {
		unsigned int len = lw_plain_char(text, &plain);

		if (plain)
			fwrite_unlocked(text, len, 1, out);
		else
			putc_unlocked('?', out);
		text += len;
	}
}
