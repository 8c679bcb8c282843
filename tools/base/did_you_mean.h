/* SPDX-License-Identifier: GPL-2.0 */
/*
 * did_you_mean.h - what somebody may have meant.
 */
#ifndef LW_DID_YOU_MEAN_H
#define LW_DID_YOU_MEAN_H

#include "base/util.h"

#define LW_DID_YOU_MEAN_MOST	3
#define LW_DID_YOU_MEAN_LEN	64

struct lw_did_you_mean {
	const char *wanted;
	u32 limit;			/* more letters than these are not near */
	u32 nr;
	u32 distance[LW_DID_YOU_MEAN_MOST];
	char name[LW_DID_YOU_MEAN_MOST][LW_DID_YOU_MEAN_LEN];
	char text[LW_DID_YOU_MEAN_MOST * (LW_DID_YOU_MEAN_LEN + 2) + 32];
};

void lw_did_you_mean_init(struct lw_did_you_mean *near, const char *wanted);
void lw_did_you_mean_offer(struct lw_did_you_mean *near, const char *name);
const char *lw_did_you_mean_text(struct lw_did_you_mean *near);

#endif /* LW_DID_YOU_MEAN_H */
