/* SPDX-License-Identifier: GPL-2.0 */
/*
 * strbuf.h - text that grows in memory and is written in one go.
 */
#ifndef LW_STRBUF_H
#define LW_STRBUF_H

#include "base/util.h"

struct lw_strbuf {
	char *text;
	size_t len;
	size_t room;
	bool failed;			/* out of memory: what is there is not whole */
};

void lw_strbuf_free(struct lw_strbuf *out);
void lw_strbuf_bytes(struct lw_strbuf *out, const void *bytes, size_t len);
void lw_strbuf_str(struct lw_strbuf *out, const char *text);
void lw_strbuf_char(struct lw_strbuf *out, char c);
void lw_strbuf_spaces(struct lw_strbuf *out, size_t nr);
void lw_strbuf_right(struct lw_strbuf *out, size_t begin, size_t width);
void lw_strbuf_u64(struct lw_strbuf *out, u64 value);
void lw_strbuf_s64(struct lw_strbuf *out, s64 value);
void lw_strbuf_hex(struct lw_strbuf *out, u64 value);
void lw_strbuf_hex_digits(struct lw_strbuf *out, u64 value);
void lw_strbuf_hex_padded(struct lw_strbuf *out, u64 value, u32 digits);
void lw_strbuf_address(struct lw_strbuf *out, u64 value);
void lw_strbuf_octal(struct lw_strbuf *out, u64 value);
void lw_strbuf_padded(struct lw_strbuf *out, u64 value, u32 digits);
void lw_strbuf_escaped(struct lw_strbuf *out, const void *bytes, size_t len);
void lw_strbuf_bracketed(struct lw_strbuf *out, const char *text);
void lw_strbuf_quoted(struct lw_strbuf *out, const void *bytes, size_t len);
void lw_strbuf_quoted_hex(struct lw_strbuf *out, const void *bytes, size_t len);
void lw_strbuf_printable(struct lw_strbuf *out, const char *text);
void lw_strbuf_json(struct lw_strbuf *out, const void *bytes, size_t len);
int lw_strbuf_flush(struct lw_strbuf *out, int fd);

#endif /* LW_STRBUF_H */
