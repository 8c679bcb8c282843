/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_header.h - the header of a recording as text.
 */
#ifndef LW_REPORT_HEADER_H
#define LW_REPORT_HEADER_H

#include "base/strbuf.h"
#include "perf/perf_reader.h"

void lw_report_header(const struct lw_perf_reader *file, struct lw_strbuf *out);

#endif /* LW_REPORT_HEADER_H */
