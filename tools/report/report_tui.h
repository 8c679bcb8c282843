/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_tui.h - a report on the whole of a terminal, to walk about in.
 */
#ifndef LW_REPORT_TUI_H
#define LW_REPORT_TUI_H

#include "report/report.h"

/* A profile to walk about in. */
struct lw_report_screen {
	const struct lw_profile *profile;
	const struct lw_event_sum *events;	/* one at a time */
	u32 nr_events;
	struct lw_report_options report;	/* at first */
	bool color;
};

int lw_report_screen(const struct lw_report_screen *screen);

#endif /* LW_REPORT_TUI_H */
