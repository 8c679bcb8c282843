/* SPDX-License-Identifier: GPL-2.0 */
/*
 * top_draw.h - what 'latewind top' shows, as lines of text, and as JSON.
 */
#ifndef LW_TOP_DRAW_H
#define LW_TOP_DRAW_H

#include "base/strbuf.h"
#include "top/top_rows.h"

/* The header above the rows. */
struct lw_top_head {
	const char *event;
	const char *whom;
	double seconds;			/* since the last display, as all but the last four */
	u64 samples, kernel;		/* of these, in the kernel */
	u64 lost;			/* since the begin, as all that follow */
	u64 lost_maps;
	u64 no_stack;
	u64 left_out;
};

struct lw_top_view {
	u32 event;			/* index */
	bool by_total;
	bool color;
	bool paused;
	bool help;			/* of keys, in the place of rows */
	u32 width;			/* columns; 0: any */
	u32 height;			/* lines; 0: any */
	u32 entries;			/* most rows; 0: any */
};

int lw_top_draw(const struct lw_top *top, const struct lw_top_options *options,
		const struct lw_top_head *head, const struct lw_top_view *view,
		struct lw_strbuf *out);
int lw_top_json(const struct lw_top *top, const struct lw_top_options *options,
		const char *event, const struct lw_top_view *view, struct lw_strbuf *out);

#endif /* LW_TOP_DRAW_H */
