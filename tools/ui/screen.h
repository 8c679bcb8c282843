/* SPDX-License-Identifier: GPL-2.0 */
/*
 * screen.h - the terminal of 'latewind top'.
 */
#ifndef LW_SCREEN_H
#define LW_SCREEN_H

#include "base/strbuf.h"

struct lw_top_screen {
	bool open;
	u32 width, height;
};

/* lw_top_screen_key() */
#define LW_SCREEN_NO_KEY	0
#define LW_SCREEN_GONE		(-1)	/* there is no terminal any more */
#define LW_SCREEN_CTRL_Z	0x1a

bool lw_top_screen_is_there(void);
void lw_top_screen_open(struct lw_top_screen *screen);
bool lw_top_screen_has_changed(struct lw_top_screen *screen);
int lw_top_screen_key(const struct lw_top_screen *screen);
void lw_top_screen_stop(struct lw_top_screen *screen);
int lw_top_screen_show(struct lw_top_screen *screen, const struct lw_strbuf *lines);
void lw_top_screen_close(struct lw_top_screen *screen);

#endif /* LW_SCREEN_H */
