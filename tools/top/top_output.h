/* SPDX-License-Identifier: GPL-2.0 */
/*
 * top_output.h - the displays of 'latewind top', while it records.
 */
#ifndef LW_TOP_OUTPUT_H
#define LW_TOP_OUTPUT_H

#include "record/sink.h"
#include "report/report.h"

/* Settings of displays, from the command line. */
struct lw_top_settings {
	struct lw_report_options report;	/* sort keys; rows for callers, too? */
	u64 delay;			/* ns, between displays */
	u64 iterations;			/* displays; 0: no limit */
	u64 entries;			/* rows of a display; 0: default */
	bool by_total;
	bool zero;			/* begin anew with each display */
	bool json;
	bool stdio;			/* no display in place */
	bool no_demangle;
};

extern const struct lw_sink_ops lw_top_sink;

#endif /* LW_TOP_OUTPUT_H */
