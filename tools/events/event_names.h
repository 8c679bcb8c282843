/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_names.h - the names of events that there are for -e.
 */
#ifndef LW_EVENT_NAMES_H
#define LW_EVENT_NAMES_H

#include "base/util.h"

/* In the order in which they come. */
enum lw_event_kind {
	LW_EVENT_HARDWARE,
	LW_EVENT_SOFTWARE,
	LW_EVENT_CACHE,
	LW_EVENT_PMU,
	LW_EVENT_TRACEPOINT,
	LW_EVENT_KINDS,
};

/* @alias: another name, or NULL.  Nonzero ends it. */
typedef int (*lw_event_name_fn)(void *ctx, enum lw_event_kind kind, const char *name,
				const char *alias);

int lw_event_names(const char *tracefs, const char *pmus, lw_event_name_fn fn, void *ctx);

#endif /* LW_EVENT_NAMES_H */
