// SPDX-License-Identifier: GPL-2.0
/*
 * json.c - JSON, written piece by piece (RFC 8259).
 *
 * The writer sets commas and names; the caller opens and closes objects and arrays in turn.
 *
 * Contexts: any; a writer belongs to one thread.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"

/**
 * lw_json_line - begin a line with the next value
 * @json: the writer
 */
void lw_json_line(struct lw_json *json)
{
	json->line = true;
}

/* Write what separates a value from the one before it. */
static void begin(struct lw_json *json)
{
	if (json->follows)
		lw_strbuf_char(json->out, ',');
	if (json->line)
		lw_strbuf_char(json->out, '\n');
	json->follows = true;
	json->line = false;
}

/**
 * lw_json_name - begin a member
 * @json: the writer
 * @name: its name; NULL: it is an element of an array
 *
 * For a value that somebody else adds to json->out.
 */
void lw_json_name(struct lw_json *json, const char *name)
{
	begin(json);
	if (!name)
		return;
	lw_strbuf_json(json->out, name, strlen(name));
	lw_strbuf_char(json->out, ':');
}

/**
 * lw_json_open - begin an object or an array
 * @json: the writer
 * @name: of the member
 * @bracket: '{' or '['
 */
void lw_json_open(struct lw_json *json, const char *name, char bracket)
{
	lw_json_name(json, name);
	lw_strbuf_char(json->out, bracket);
	json->follows = false;
}

/**
 * lw_json_close - end what was begun last
 * @json: the writer
 * @bracket: '}' or ']'
 */
void lw_json_close(struct lw_json *json, char bracket)
{
	lw_strbuf_char(json->out, bracket);
	json->follows = true;
	json->line = false;
}

/**
 * lw_json_bytes - add bytes as a string
 * @json: the writer
 * @name: of the member
 * @bytes: @len of them, any; what is not UTF-8 becomes U+FFFD
 * @len: how many
 */
void lw_json_bytes(struct lw_json *json, const char *name, const void *bytes, size_t len)
{
	lw_json_name(json, name);
	lw_strbuf_json(json->out, bytes, len);
}

/**
 * lw_json_str - add a string
 * @json: the writer
 * @name: of the member
 * @text: what is not UTF-8 becomes U+FFFD; NULL: null
 */
void lw_json_str(struct lw_json *json, const char *name, const char *text)
{
	if (text)
		lw_json_bytes(json, name, text, strlen(text));
	else
		lw_json_null(json, name);
}

void lw_json_u64(struct lw_json *json, const char *name, u64 value)
{
	lw_json_name(json, name);
	lw_strbuf_u64(json->out, value);
}

void lw_json_s64(struct lw_json *json, const char *name, s64 value)
{
	lw_json_name(json, name);
	lw_strbuf_s64(json->out, value);
}

/**
 * lw_json_hex - add a number as a string, "0x..."
 * @json: the writer
 * @name: of the member
 * @value: any: numbers of JavaScript end at 2^53
 */
void lw_json_hex(struct lw_json *json, const char *name, u64 value)
{
	lw_json_name(json, name);
	lw_strbuf_str(json->out, "\"0x");
	lw_strbuf_hex_digits(json->out, value);
	lw_strbuf_char(json->out, '"');
}

/**
 * lw_json_decimal - add a decimal fraction, exactly
 * @json: the writer
 * @name: of the member
 * @value: in units of the last digit
 * @digits: how many there are behind the point, 1 to 19
 */
void lw_json_decimal(struct lw_json *json, const char *name, u64 value, u32 digits)
{
	u64 one = 1;

	for (u32 i = 0; i < digits; i++)
		one *= 10;
	lw_json_name(json, name);
	lw_strbuf_u64(json->out, value / one);
	lw_strbuf_char(json->out, '.');
	lw_strbuf_padded(json->out, value % one, digits);
}

/**
 * lw_json_double - add a number that is rounded
 * @json: the writer
 * @name: of the member
 * @value: null if it is not finite, which JSON does not know
 * @digits: how many there are behind the point
 */
void lw_json_double(struct lw_json *json, const char *name, double value, int digits)
{
	char text[350];

	lw_json_name(json, name);
	snprintf(text, sizeof(text), "%.*f", digits, value);
	lw_strbuf_str(json->out, isfinite(value) ? text : "null");
}

void lw_json_bool(struct lw_json *json, const char *name, bool value)
{
	lw_json_name(json, name);
	lw_strbuf_str(json->out, value ? "true" : "false");
}

void lw_json_null(struct lw_json *json, const char *name)
{
	lw_json_name(json, name);
	lw_strbuf_str(json->out, "null");
}
