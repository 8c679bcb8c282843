/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_view.h - a report that somebody walks about in: which lines there are.
 *
 * Lines are the rows, and below those that are open their trees, of which parts are
 * open, too. Nothing here knows of a terminal.
 */
#ifndef LW_REPORT_VIEW_H
#define LW_REPORT_VIEW_H

#include "base/strbuf.h"
#include "report/report.h"

/* A line is a row, or a node of the row's tree. */
struct lw_view_line {
	u32 place;			/* of the row, as lw_report_row() has it */
	u32 node;			/* 0: the row itself */
	u32 level;			/* branchings above it */
	bool head;			/* the first one of its path: it has a share */
};

struct lw_view_row;

struct lw_report_view {
	const struct lw_report *report;
	u32 widths[LW_NR_KEYS];
	struct lw_view_row *rows;	/* one for each that reaches the limit */
	char *wanted;			/* only rows with this in a name; NULL: all */
	struct lw_view_line *lines;
	size_t nr, room;
	size_t at;			/* the line that is looked at; 0 if there is none */
	size_t top;			/* first line that is shown */
	u32 height;			/* lines that are shown */
};

/* Text of a line, and where in it shares are. */
struct lw_view_text {
	struct lw_strbuf out;
	u32 nr;
	struct {
		u32 column, len;
		double percent;
	} shares[2];
};

int lw_view_init(struct lw_report_view *view, const struct lw_report *report, u32 height);
void lw_view_free(struct lw_report_view *view);
int lw_view_want(struct lw_report_view *view, const char *text);
void lw_view_set_height(struct lw_report_view *view, u32 height);
const struct lw_view_line *lw_view_line(const struct lw_report_view *view);
const struct lw_tree *lw_view_tree(const struct lw_report_view *view,
				   const struct lw_view_line *line);
void lw_view_move(struct lw_report_view *view, s64 lines);
int lw_view_open(struct lw_report_view *view);
int lw_view_open_below(struct lw_report_view *view);
int lw_view_open_all(struct lw_report_view *view);
int lw_view_close(struct lw_report_view *view);
int lw_view_close_all(struct lw_report_view *view);
bool lw_view_has_more(const struct lw_report_view *view, const struct lw_view_line *line);
bool lw_view_is_open(const struct lw_report_view *view, const struct lw_view_line *line);
void lw_view_titles(const struct lw_report_view *view, struct lw_view_text *text);
void lw_view_draw(const struct lw_report_view *view, const struct lw_view_line *line,
		  struct lw_view_text *text);

#endif /* LW_REPORT_VIEW_H */
