/* SPDX-License-Identifier: GPL-2.0 */
/*
 * did_you_mean.h - what somebody may have meant.
 */
#ifndef LW_DID_YOU_MEAN_H
#define LW_DID_YOU_MEAN_H

#include "base/util.h"

#define LW_NEAR_MOST	3
#define LW_NEAR_LEN	64

struct lw_near {
	const char *wanted;
	u32 limit;			/* more letters than these are not near */
	u32 nr;
	u32 distance[LW_NEAR_MOST];
	char name[LW_NEAR_MOST][LW_NEAR_LEN];
	char text[LW_NEAR_MOST * (LW_NEAR_LEN + 2) + 32];
};

void lw_near_init(struct lw_near *near, const char *wanted);
void lw_near_offer(struct lw_near *near, const char *name);
const char *lw_near_text(struct lw_near *near);

#endif /* LW_DID_YOU_MEAN_H */
