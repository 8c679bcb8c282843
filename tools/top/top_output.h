/* SPDX-License-Identifier: GPL-2.0 */
/*
 * top_output.h - the displays of 'latewind top', while it records.
 */
#ifndef LW_TOP_OUTPUT_H
#define LW_TOP_OUTPUT_H

#include "record/recorder.h"
#include "report/report.h"

/* What the command line says of displays. */
struct lw_top_settings {
	struct lw_report_options report;	/* sort keys; rows for callers, too? */
	u64 delay;			/* ns, between displays */
	u64 iterations;			/* displays; 0: no limit */
	u64 entries;			/* rows of a display; 0: default */
	bool by_total;
	bool zero;			/* begin anew with each display */
	bool json;
	bool no_demangle;
};

int lw_top_output_open(struct lw_recorder *rec);
void lw_top_output_begin(struct lw_recorder *rec);
int lw_top_output_record(struct lw_recorder *rec, const struct perf_event_header *record);
int lw_top_output_sample(struct lw_recorder *rec, u32 event, const struct lw_sample *sample,
			 const struct lw_user_stack *stack);
int lw_top_output_pass(struct lw_recorder *rec);
void lw_top_output_leave(struct lw_recorder *rec);
int lw_top_output_end(struct lw_recorder *rec);
void lw_top_output_close(struct lw_recorder *rec);

#endif /* LW_TOP_OUTPUT_H */
