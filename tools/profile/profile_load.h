/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_load.h - from a perf.data file to a profile.
 */
#ifndef LW_PROFILE_LOAD_H
#define LW_PROFILE_LOAD_H

#include "profile/profile.h"
#include "profile/recording.h"

/* Which samples are taken.  NULL: all. */
struct lw_profile_wants {
	bool (*sample)(const void *ctx, struct lw_recording *recording,
		       const struct lw_perf_record *sample);
	/* of one frame at least */
	bool (*dso)(const void *ctx, const char *dso);
	/* of the function that it was taken in */
	bool (*place)(const void *ctx, const struct lw_place *place);
	const void *ctx;
	bool by_cpu;	/* tell those of one CPU from those of another */
};

int lw_profile_load(struct lw_profile *profile, struct lw_recording *recording,
		    const struct lw_profile_wants *wants);

#endif /* LW_PROFILE_LOAD_H */
