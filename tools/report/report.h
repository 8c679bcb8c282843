/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - the rows of a report: who has how much, by itself and in all.
 */
#ifndef LW_REPORT_H
#define LW_REPORT_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "profile/profile_filter.h"
#include "profile/tree.h"

enum lw_report_key {
	LW_KEY_COMM,
	LW_KEY_PID,
	LW_KEY_TID,
	LW_KEY_CGROUP,
	LW_KEY_CPU,
	LW_KEY_DSO,
	LW_KEY_SYMBOL,
	LW_KEY_LINE,
	LW_NR_KEYS
};

enum lw_report_graph {
	LW_GRAPH_NONE,
	LW_GRAPH_CALLER,		/* a row, then what it calls */
	LW_GRAPH_CALLEE,		/* a row, then who calls it */
};

struct lw_strbuf;

struct lw_report_options {
	struct lw_profile_filter filter;	/* its event is one of the profile's */
	enum lw_report_key keys[LW_NR_KEYS];
	u32 nr_keys;			/* at least one */
	bool children;			/* rows for callers, too, by their total */
	enum lw_report_graph graph;
	bool color;			/* shares, as perf has them */
	double percent_limit;		/* least share of a row that is shown */
	double branch_limit;		/* likewise of a node of a tree, as it is told */
	bool fractal;			/* shares of nodes are of what is above them, not of all */
	bool shows_samples, shows_period;	/* columns with these */
	int (*drain)(struct lw_strbuf *out);	/* after each row; NULL: all stays in memory */
};

struct lw_report_row {
	u32 values[LW_NR_KEYS];		/* in the order of the keys: strings, ids, frames */
	u64 self, total;		/* weight; a function counts once in a stack */
	u64 self_samples, total_samples;
	u32 last;			/* entry that was counted last, + 1 */
	u32 uses, nr_uses;		/* entries of a row that is shown */
};

struct lw_report {
	const struct lw_profile *profile;
	const struct lw_report_options *options;
	u64 samples, weight;		/* of all */
	struct lw_pool rows;
	struct lw_index index;
	u32 *order;			/* rows, largest first */
	u32 nr_shown;			/* of these reach the limit */
	u32 *symbols, *lines, *nodes;	/* classes of frames */
	u32 *uses;
};

bool lw_report_has_key(const struct lw_report_options *options, enum lw_report_key key);
int lw_report_add_key(struct lw_report_options *options, const char *name, size_t len);
int lw_report_parse_keys(struct lw_report_options *options, const char *text);
const char *lw_report_key_name(enum lw_report_key key);
bool lw_report_key_is_number(enum lw_report_key key);
int lw_report_compare_values(const struct lw_profile *profile, enum lw_report_key key,
			     u32 a, u32 b);
int lw_report_make(struct lw_report *report, const struct lw_profile *profile,
		   const struct lw_report_options *options);
void lw_report_free(struct lw_report *report);
const struct lw_report_row *lw_report_row(const struct lw_report *report, u32 place);
int lw_report_tree(const struct lw_report *report, u32 place, struct lw_tree *tree);
double lw_report_percent(const struct lw_report *report, u64 weight);
double lw_report_node_percent(const struct lw_report *report, const struct lw_tree *tree, u32 node);
bool lw_report_draws_node(const struct lw_report *report, const struct lw_tree *tree, u32 node);

#endif /* LW_REPORT_H */
