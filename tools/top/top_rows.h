/* SPDX-License-Identifier: GPL-2.0 */
/*
 * top_rows.h - rows of samples that come all the time, of which older ones count less.
 */
#ifndef LW_TOP_ROWS_H
#define LW_TOP_ROWS_H

#include "base/hash_index.h"
#include "report/report.h"
#include "symbols/symbolizer.h"

/* The share of a row's weight, and of the sum, that each display leaves, as in perf top. */
#define LW_TOP_KEEPS		(7.0 / 8)
/* The least weight of a row, in samples; a row below it is dropped. */
#define LW_TOP_LEAST		(1.0 / 16)
/* Bytes of a name that are kept. */
#define LW_TOP_MAX_NAME		1000

/* How samples are counted. */
struct lw_top_options {
	const struct lw_report_options *report;	/* its keys; rows for callers, too? */
	u32 nr_events;
	u32 max_rows;			/* of all events */
};

/* A frame, in the numbers of lw_top_names(): what a row may be of. */
struct lw_top_frame {
	u32 dso;			/* string */
	u32 symbol;			/* frame: function and kind */
	u32 line;			/* frame: its line, too */
};

/* Whose a sample is. */
struct lw_top_key {
	u32 event;			/* index */
	u32 comm, cgroup;		/* strings of lw_top_names(), or LW_PROFILE_NONE */
	u32 pid, tid, cpu;
};

struct lw_top_row {
	u32 values[LW_NR_KEYS];		/* in the order of the keys, as in a report's */
	double self, total;		/* weight; a function counts once in a stack */
	double self_samples, total_samples;
	u64 last;			/* sample that was counted last */
};

/* Rows of one event. */
struct lw_top_rows {
	struct lw_top_row *rows;
	u32 nr;
	size_t room;
	struct lw_index index;
	double samples, weight;		/* of all */
};

struct lw_top;

struct lw_top *lw_top_new(const struct lw_top_options *options);
void lw_top_free(struct lw_top *top);

/* Filling.  Numbers are good until lw_top_tidy() says otherwise. */
u32 lw_top_name(struct lw_top *top, const char *text);
int lw_top_place(struct lw_top *top, const struct lw_place *place, enum lw_frame_kind kind,
		 struct lw_top_frame *frame);
int lw_top_add(struct lw_top *top, const struct lw_top_key *key,
	       const struct lw_top_frame *frames, u32 nr, u64 weight);
int lw_top_age(struct lw_top *top);
void lw_top_clear(struct lw_top *top);
bool lw_top_needs_tidying(const struct lw_top *top);
int lw_top_tidy(struct lw_top *top);

/* Reading. */
const struct lw_profile *lw_top_names(const struct lw_top *top);
const struct lw_top_rows *lw_top_rows(const struct lw_top *top, u32 event);
u64 lw_top_left_out(const struct lw_top *top);
double lw_top_percent(const struct lw_top_rows *rows, const struct lw_top_row *row, bool total);
int lw_top_order(const struct lw_top *top, u32 event, bool by_total, u32 **order);

#endif /* LW_TOP_ROWS_H */
