/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_filter.h - which samples of a profile are looked at, and what is one function.
 */
#ifndef LW_PROFILE_FILTER_H
#define LW_PROFILE_FILTER_H

#include "profile/profile.h"

#define LW_ANY_ID	(~0ULL)

/* A sample is taken if all of this holds; see LW_FILTER_ALL. */
struct lw_profile_filter {
	const char *event;		/* NULL: any */
	const char *comm;		/* likewise */
	const char *dso;		/* path or last part of it; NULL: any */
	u64 pid, tid;			/* or LW_ANY_ID */
};

#define LW_FILTER_ALL	((struct lw_profile_filter) { .pid = LW_ANY_ID, .tid = LW_ANY_ID })

bool lw_filter_passes(const struct lw_profile_filter *filter, const struct lw_profile *profile,
		      const struct lw_profile_entry *entry);
const char *lw_short_name(const char *path);

/* An event of a profile, and all that passed of it. */
struct lw_event_sum {
	u32 event;			/* string */
	u64 samples;
	u64 weight;
};

int lw_sum_events(const struct lw_profile *profile, const struct lw_profile_filter *filter,
		  struct lw_event_sum **sums);

/* Flags of a class: what its frames have in common besides function and kind. */
#define LW_CLASS_DSO		1
#define LW_CLASS_INLINED	2
#define LW_CLASS_LINE		4
#define LW_CLASS_UNKNOWN_DSO	8	/* the dso, where the function is not known */

bool lw_frame_is_unknown(const struct lw_profile *profile, const struct lw_profile_frame *frame);
u32 *lw_frame_classes(const struct lw_profile *profile, u32 flags);

#endif /* LW_PROFILE_FILTER_H */
