/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_diff.h - two profiles, function by function.
 */
#ifndef LW_REPORT_DIFF_H
#define LW_REPORT_DIFF_H

#include "base/strbuf.h"
#include "report/report.h"

/* A function in both, by its own share. */
struct lw_diff_row {
	const char *dso;		/* last part of its path */
	const char *symbol;		/* "[no stack]" for samples without one */
	bool kernel;
	u64 self[2];
	double percent[2];
};

struct lw_diff {
	struct lw_report reports[2];
	struct lw_report_options options;
	struct lw_diff_row *rows;	/* the largest difference first */
	size_t nr, room;
	u32 nr_left_out;		/* with less than the limit in both */
	struct lw_index index;
};

int lw_diff_make(struct lw_diff *diff, const struct lw_profile *a, const struct lw_profile *b,
		 const char *event, double percent_limit);
void lw_diff_free(struct lw_diff *diff);
void lw_diff_text(const struct lw_diff *diff, const char * const *names, struct lw_strbuf *out);
void lw_diff_json(const struct lw_diff *diff, const char * const *names, struct lw_strbuf *out);

#endif /* LW_REPORT_DIFF_H */
