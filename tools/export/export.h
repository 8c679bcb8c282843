/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export.h - a profile in the formats of other tools.
 */
#ifndef LW_EXPORT_H
#define LW_EXPORT_H

#include "base/strbuf.h"
#include "profile/profile_filter.h"

struct lw_export_options {
	struct lw_profile_filter filter;
	bool samples;			/* count samples, do not add up their periods */
};

int lw_export_folded(const struct lw_profile *profile, const struct lw_export_options *options,
		     int fd);
int lw_export_pprof(const struct lw_profile *profile, const struct lw_export_options *options,
		    int fd);
int lw_export_speedscope(const struct lw_profile *profile,
			 const struct lw_export_options *options, int fd);
int lw_export_firefox(const struct lw_profile *profile, const struct lw_export_options *options,
		      int fd);

bool lw_event_is_clock(const char *event);
u64 lw_export_weight(const struct lw_export_options *options, u64 samples, u64 weight);

/* Text on its way to a file: never much of it is in memory. */
struct lw_stream {
	struct lw_strbuf out;
	int fd;
	int error;			/* -errno of the first write that failed */
};

void lw_stream_drain(struct lw_stream *stream);
int lw_stream_end(struct lw_stream *stream);

#endif /* LW_EXPORT_H */
