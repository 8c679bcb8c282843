/* SPDX-License-Identifier: GPL-2.0 */
/*
 * read_profile.h - the profile that a verb wants of a recording.
 */
#ifndef LW_READ_PROFILE_H
#define LW_READ_PROFILE_H

#include "base/strbuf.h"
#include "cmd/read_options.h"
#include "profile/profile_filter.h"

int lw_reading_profile(const struct lw_reading *reading, bool keep_times,
		       struct lw_profile **profile);
int lw_reading_events(const struct lw_profile *profile, const char *wanted,
		      struct lw_event_sum **events);
int lw_reading_header(const struct lw_reading *reading, const struct lw_recording *recording);
int lw_reading_header_only(const struct lw_reading *reading);
int lw_flush_output(struct lw_strbuf *out);

#endif /* LW_READ_PROFILE_H */
