/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load_profile.h - from a perf.data file to a profile.
 */
#ifndef LW_LOAD_PROFILE_H
#define LW_LOAD_PROFILE_H

#include "profile.h"
#include "recording.h"

int lw_profile_load(struct lw_profile *profile, struct lw_recording *recording);

#endif /* LW_LOAD_PROFILE_H */
