/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json.h - JSON, written piece by piece.
 */
#ifndef LW_JSON_H
#define LW_JSON_H

#include "base/strbuf.h"

/**
 * struct lw_json - a writer
 * @out: where the text is added; what is there may be written and taken away at any time
 * @follows: a value was added to the object or array that is open: a comma goes before the next
 * @line: the next value begins a line
 *
 * Functions take the name of a member of an object, or NULL for an element of an array.
 */
struct lw_json {
	struct lw_strbuf *out;
	bool follows;
	bool line;
};

void lw_json_line(struct lw_json *json);
void lw_json_name(struct lw_json *json, const char *name);
void lw_json_open(struct lw_json *json, const char *name, char bracket);
void lw_json_close(struct lw_json *json, char bracket);
void lw_json_bytes(struct lw_json *json, const char *name, const void *bytes, size_t len);
void lw_json_str(struct lw_json *json, const char *name, const char *text);
void lw_json_u64(struct lw_json *json, const char *name, u64 value);
void lw_json_s64(struct lw_json *json, const char *name, s64 value);
void lw_json_hex(struct lw_json *json, const char *name, u64 value);
void lw_json_decimal(struct lw_json *json, const char *name, u64 value, u32 digits);
void lw_json_double(struct lw_json *json, const char *name, double value, int digits);
void lw_json_bool(struct lw_json *json, const char *name, bool value);
void lw_json_null(struct lw_json *json, const char *name);

#endif /* LW_JSON_H */
