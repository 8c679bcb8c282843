/* SPDX-License-Identifier: GPL-2.0 */
/*
 * strbuf.h - text that grows in memory and is written in one go.
 */
#ifndef LW_STRBUF_H
#define LW_STRBUF_H

#include "base/util.h"

struct lw_out {
	char *text;
	size_t len;
	size_t room;
	bool failed;			/* out of memory: what is there is not whole */
};

void lw_out_free(struct lw_out *out);
void lw_out_bytes(struct lw_out *out, const void *bytes, size_t len);
void lw_out_str(struct lw_out *out, const char *text);
void lw_out_char(struct lw_out *out, char c);
void lw_out_spaces(struct lw_out *out, size_t nr);
void lw_out_right(struct lw_out *out, size_t begin, size_t width);
void lw_out_u64(struct lw_out *out, u64 value);
void lw_out_s64(struct lw_out *out, s64 value);
void lw_out_hex(struct lw_out *out, u64 value);
void lw_out_hex_digits(struct lw_out *out, u64 value);
void lw_out_hex_padded(struct lw_out *out, u64 value, u32 digits);
void lw_out_address(struct lw_out *out, u64 value);
void lw_out_octal(struct lw_out *out, u64 value);
void lw_out_padded(struct lw_out *out, u64 value, u32 digits);
void lw_out_escaped(struct lw_out *out, const void *bytes, size_t len);
void lw_out_bracketed(struct lw_out *out, const char *text);
void lw_out_quoted(struct lw_out *out, const void *bytes, size_t len);
void lw_out_quoted_hex(struct lw_out *out, const void *bytes, size_t len);
void lw_out_printable(struct lw_out *out, const char *text);
void lw_out_json(struct lw_out *out, const void *bytes, size_t len);
int lw_out_flush(struct lw_out *out, int fd);

#endif /* LW_STRBUF_H */
