/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text_width.h - text in the columns of a terminal.
 */
#ifndef LW_TEXT_WIDTH_H
#define LW_TEXT_WIDTH_H

#include "base/strbuf.h"

u32 lw_text_width(const char *text, size_t len);
u32 lw_strbuf_fit(struct lw_strbuf *out, const char *text, size_t len, u32 width);
u32 lw_strbuf_fit_from(struct lw_strbuf *out, const char *text, size_t len, u32 from, u32 width);

#endif /* LW_TEXT_WIDTH_H */
