/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_text.h - a report as text, and as JSON.
 */
#ifndef LW_REPORT_TEXT_H
#define LW_REPORT_TEXT_H

#include "report.h"
#include "out.h"

int lw_report_text(const struct lw_report *report, struct lw_out *out);
int lw_report_json(const struct lw_report *report, struct lw_out *out);

#endif /* LW_REPORT_TEXT_H */
