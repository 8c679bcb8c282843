/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_text.h - a report as text, and as JSON.
 */
#ifndef LW_REPORT_TEXT_H
#define LW_REPORT_TEXT_H

#include "base/json.h"
#include "report/report.h"

int lw_report_text(const struct lw_report *report, struct lw_strbuf *out);
int lw_report_hierarchy(const struct lw_report *report, struct lw_strbuf *out);
int lw_report_json(const struct lw_report *report, struct lw_strbuf *out);

/* Their parts, for other lists of rows. */
u32 lw_report_add_percent(struct lw_strbuf *out, double percent, int width, bool color);
void lw_report_add_counts(struct lw_strbuf *out, const struct lw_report_options *options,
			  const struct lw_report_row *row);
void lw_report_add_count_titles(struct lw_strbuf *out, const struct lw_report_options *options,
				bool dots);
void lw_report_add_value(struct lw_strbuf *out, const struct lw_profile *profile,
			 enum lw_report_key key, u32 value);
void lw_report_add_function(struct lw_strbuf *out, const struct lw_report *report, u32 frame);
void lw_report_add_head(struct lw_strbuf *out, const struct lw_report *report);
int lw_report_add_tree(struct lw_strbuf *out, const struct lw_report *report, u32 place);
void lw_report_pad(struct lw_strbuf *out, size_t begin, u32 width);
void lw_report_widths(const struct lw_report *report, u32 *widths);
const char *lw_report_title(enum lw_report_key key);
void lw_report_json_value(struct lw_json *json, const struct lw_profile *profile,
			  enum lw_report_key key, u32 value);

#endif /* LW_REPORT_TEXT_H */
