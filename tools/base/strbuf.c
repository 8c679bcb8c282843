// SPDX-License-Identifier: GPL-2.0
/*
 * strbuf.c - text that grows in memory and is written in one go.
 *
 * Contexts: one thread per struct lw_strbuf.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

/**
 * lw_strbuf_free - free the text
 * @out: zeroed or used
 */
void lw_strbuf_free(struct lw_strbuf *out)
{
	free(out->text);
	memset(out, 0, sizeof(*out));
}

/* Return: where @len bytes go, or NULL. */
static char *make_room(struct lw_strbuf *out, size_t len)
{
	if (len > out->room - out->len &&
	    lw_grow((void **)&out->text, &out->room, out->len + len, 1)) {
		out->failed = true;
		return NULL;
	}
	return out->text + out->len;
}

/**
 * lw_strbuf_bytes - add bytes as they are
 * @out: the text
 * @bytes: @len of them
 * @len: how many
 */
void lw_strbuf_bytes(struct lw_strbuf *out, const void *bytes, size_t len)
{
	char *at = make_room(out, len);

	if (!at)
		return;
	memcpy(at, bytes, len);
	out->len += len;
}

/**
 * lw_strbuf_str - add a string as it is
 * @out: the text
 * @text: the string
 */
void lw_strbuf_str(struct lw_strbuf *out, const char *text)
{
	lw_strbuf_bytes(out, text, strlen(text));
}

/**
 * lw_strbuf_char - add a byte
 * @out: the text
 * @c: the byte
 */
void lw_strbuf_char(struct lw_strbuf *out, char c)
{
	char *at = make_room(out, 1);

	if (!at)
		return;
	*at = c;
	out->len++;
}

/**
 * lw_strbuf_spaces - add blanks
 * @out: the text
 * @nr: how many
 */
void lw_strbuf_spaces(struct lw_strbuf *out, size_t nr)
{
	char *at = make_room(out, nr);

	if (!at)
		return;
	memset(at, ' ', nr);
	out->len += nr;
}

/**
 * lw_strbuf_right - move what was added last to the right
 * @out: the text
 * @begin: @out->len before it was added
 * @width: bytes that it takes with the blanks in front of it, or more without any
 */
void lw_strbuf_right(struct lw_strbuf *out, size_t begin, size_t width)
{
	size_t len = out->len - begin;

	if (len >= width || !make_room(out, width - len))
		return;
	memmove(out->text + begin + width - len, out->text + begin, len);
	memset(out->text + begin, ' ', width - len);
	out->len = begin + width;
}

/* The digits of the largest number, in octal. */
#define MAX_DIGITS	22

/* Inlined, so that no base needs a division. */
static __always_inline void add_number(struct lw_strbuf *out, u64 value, u32 base, u32 least)
{
	char digits[MAX_DIGITS];
	u32 at = MAX_DIGITS;

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value || MAX_DIGITS - at < least);
	lw_strbuf_bytes(out, digits + at, MAX_DIGITS - at);
}

/**
 * lw_strbuf_u64 - add a number
 * @out: the text
 * @value: is written in decimal
 */
void lw_strbuf_u64(struct lw_strbuf *out, u64 value)
{
	add_number(out, value, 10, 1);
}

/**
 * lw_strbuf_s64 - add a number that may be negative
 * @out: the text
 * @value: is written in decimal
 */
void lw_strbuf_s64(struct lw_strbuf *out, s64 value)
{
	if (value < 0)
		lw_strbuf_char(out, '-');
	lw_strbuf_u64(out, value < 0 ? -(u64)value : (u64)value);
}

/**
 * lw_strbuf_hex - add a number in hexadecimal
 * @out: the text
 * @value: is written with 0x, but for 0
 */
void lw_strbuf_hex(struct lw_strbuf *out, u64 value)
{
	if (value)
		lw_strbuf_str(out, "0x");
	add_number(out, value, 16, 1);
}

/**
 * lw_strbuf_hex_digits - add the digits of a number in hexadecimal
 * @out: the text
 * @value: is written without 0x
 */
void lw_strbuf_hex_digits(struct lw_strbuf *out, u64 value)
{
	add_number(out, value, 16, 1);
}

/**
 * lw_strbuf_hex_padded - add the digits of a number in hexadecimal
 * @out: the text
 * @value: is written without 0x, with leading zeros
 * @digits: that it has at least
 */
void lw_strbuf_hex_padded(struct lw_strbuf *out, u64 value, u32 digits)
{
	add_number(out, value, 16, digits);
}

/**
 * lw_strbuf_address - add an address
 * @out: the text
 * @value: is written in hexadecimal; NULL for 0
 */
void lw_strbuf_address(struct lw_strbuf *out, u64 value)
{
	if (value)
		lw_strbuf_hex(out, value);
	else
		lw_strbuf_str(out, "NULL");
}

/**
 * lw_strbuf_octal - add a number in octal
 * @out: the text
 * @value: is written with a leading 0, at least three digits
 */
void lw_strbuf_octal(struct lw_strbuf *out, u64 value)
{
	if (value >= 0100)
		lw_strbuf_char(out, '0');
	add_number(out, value, 8, 3);
}

/**
 * lw_strbuf_padded - add a number with leading zeros
 * @out: the text
 * @value: is written in decimal
 * @digits: that it has at least
 */
void lw_strbuf_padded(struct lw_strbuf *out, u64 value, u32 digits)
{
	add_number(out, value, 10, digits);
}

static bool is_octal_digit(u8 c)
{
	return c >= '0' && c <= '7';
}

/* As short as it can be without eating a digit that follows. */
static void add_octal_escape(struct lw_strbuf *out, u8 c, bool digit_follows)
{
	lw_strbuf_char(out, '\\');
	add_number(out, c, 8, digit_follows ? 3 : 1);
}

static const char *short_escape(u8 c)
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\f':
		return "\\f";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	case '\v':
		return "\\v";
	}
	return NULL;
}

static bool is_plain(u8 c, const char *others)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && !strchr(others, c);
}

/* @others: what is escaped as well. */
static void add_escaped(struct lw_strbuf *out, const u8 *from, size_t len, const char *others)
{
	for (size_t i = 0; i < len;) {
		size_t plain = i;
		const char *escape;

		while (plain < len && is_plain(from[plain], others))
			plain++;
		lw_strbuf_bytes(out, from + i, plain - i);
		i = plain;
		if (i == len)
			break;
		escape = short_escape(from[i]);
		if (escape)
			lw_strbuf_str(out, escape);
		else
			add_octal_escape(out, from[i],
					 i + 1 < len && is_octal_digit(from[i + 1]));
		i++;
	}
}

/**
 * lw_strbuf_escaped - add bytes as strace does
 * @out: the text
 * @bytes: @len of them, any
 * @len: how many
 *
 * Bytes that are not printable ASCII are escaped as in C, in octal.
 */
void lw_strbuf_escaped(struct lw_strbuf *out, const void *bytes, size_t len)
{
	add_escaped(out, bytes, len, "");
}

/**
 * lw_strbuf_bracketed - add a string in angle brackets, escaped
 * @out: the text
 * @text: brackets in it are escaped too
 */
void lw_strbuf_bracketed(struct lw_strbuf *out, const char *text)
{
	lw_strbuf_char(out, '<');
	add_escaped(out, (const u8 *)text, strlen(text), "<>");
	lw_strbuf_char(out, '>');
}

/**
 * lw_strbuf_quoted - add bytes in quotation marks, escaped
 * @out: the text
 * @bytes: @len of them, any
 * @len: how many
 */
void lw_strbuf_quoted(struct lw_strbuf *out, const void *bytes, size_t len)
{
	lw_strbuf_char(out, '"');
	lw_strbuf_escaped(out, bytes, len);
	lw_strbuf_char(out, '"');
}

/**
 * lw_strbuf_quoted_hex - add bytes in quotation marks, each as \xHH
 * @out: the text
 * @bytes: @len of them, any
 * @len: how many
 */
void lw_strbuf_quoted_hex(struct lw_strbuf *out, const void *bytes, size_t len)
{
	const u8 *from = bytes;

	lw_strbuf_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		lw_strbuf_str(out, "\\x");
		add_number(out, from[i], 16, 2);
	}
	lw_strbuf_char(out, '"');
}

/* Bytes of the UTF-8 sequence that begins here, 0 if it is none. */
static u32 sequence_length(const u8 *at, size_t left)
{
	u32 len = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 :
		  at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;

	if (len > left)
		return 0;
	for (u32 i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* overlong ones, surrogates, and what is above U+10FFFF */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return len;
}

static bool is_control(const u8 *at, u32 len)
{
	return len == 1 ? at[0] < ' ' || at[0] == 0x7f : at[0] == 0xc2 && at[1] < 0xa0;
}

/* Return: how many bytes from @at on are printable ASCII. */
static size_t ascii_length(const u8 *at, size_t left)
{
	const u64 ones = 0x0101010101010101ULL;
	size_t len = 0;
	u64 word;

	/* eight at a time: none is below ' ', none above '~' */
	for (; left - len >= sizeof(word); len += sizeof(word)) {
		memcpy(&word, at + len, sizeof(word));
		if (((word - ones * ' ') | (word + ones)) & ones << 7)
			break;
	}
	while (len < left && at[len] >= ' ' && at[len] < 0x7f)
		len++;
	return len;
}

/**
 * lw_strbuf_printable - add a string for people to read
 * @out: the text
 * @text: UTF-8; a '?' is in the place of what is not, and of what terminals act on
 */
void lw_strbuf_printable(struct lw_strbuf *out, const char *text)
{
	const u8 *at = (const u8 *)text;
	size_t left = strlen(text);

	while (left) {
		size_t n = ascii_length(at, left);

		if (n) {
			lw_strbuf_bytes(out, at, n);
		} else {
			n = sequence_length(at, left);
			if (n && !is_control(at, n))
				lw_strbuf_bytes(out, at, n);
			else
				lw_strbuf_char(out, '?');
		}
		at += n ? n : 1;
		left -= n ? n : 1;
	}
}

/* Control characters are escaped, those above ASCII too: terminals act on them. */
static void add_json_char(struct lw_strbuf *out, u8 c)
{
	if (c == '"' || c == '\\') {
		lw_strbuf_char(out, '\\');
		lw_strbuf_char(out, c);
	} else if (c < ' ' || (c >= 0x7f && c < 0xa0)) {
		lw_strbuf_str(out, "\\u");
		add_number(out, c, 16, 4);
	} else {
		lw_strbuf_char(out, c);
	}
}

/**
 * lw_strbuf_json - add bytes as a JSON string, with its quotation marks
 * @out: the text
 * @bytes: @len of them, any
 * @len: how many
 *
 * Each byte that is no part of UTF-8 becomes U+FFFD.
 */
void lw_strbuf_json(struct lw_strbuf *out, const void *bytes, size_t len)
{
	const u8 *from = bytes;

	lw_strbuf_char(out, '"');
	for (size_t i = 0; i < len;) {
		u32 n = sequence_length(from + i, len - i);

		if (n == 2 && from[i] == 0xc2 && from[i + 1] < 0xa0)
			add_json_char(out, from[i + 1]);
		else if (n > 1)
			lw_strbuf_bytes(out, from + i, n);
		else if (n)
			add_json_char(out, from[i]);
		else
			lw_strbuf_str(out, "\\ufffd");
		i += n ? n : 1;
	}
	lw_strbuf_char(out, '"');
}

/* A descriptor that others share, as a terminal's, may be non-blocking: wait for room. */
static int wait_for_room(int fd)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };

	return poll(&room, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

/**
 * lw_strbuf_flush - write all and begin anew
 * @out: the text
 * @fd: where to
 *
 * Return: 0 or -errno; the text is gone in either case.
 */
int lw_strbuf_flush(struct lw_strbuf *out, int fd)
{
	size_t done = 0;
	int ret = out->failed ? -ENOMEM : 0;

	while (!ret && done < out->len) {
		ssize_t wrote = write(fd, out->text + done, out->len - done);

		if (wrote >= 0)
			done += wrote;
		else if (errno == EAGAIN)
			ret = wait_for_room(fd);
		else if (errno != EINTR)
			ret = -errno;
	}
	out->len = 0;
	out->failed = false;
	return ret;
}
