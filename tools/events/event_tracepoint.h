/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_tracepoint.h - which tracepoints there are, by tracefs.
 */
#ifndef LW_EVENT_TRACEPOINT_H
#define LW_EVENT_TRACEPOINT_H

#include "base/did_you_mean.h"
#include "base/util.h"

/* @name is SYSTEM:NAME, good during the call. */
typedef int (*lw_tracepoint_fn)(void *ctx, const char *name);

const char *lw_tracefs(void);
const char *lw_tracefs_hint(const char *root);
int lw_tracepoint_id(const char *root, const char *system, const char *name, u64 *id);
int lw_tracepoints_glob(const char *root, const char *systems, const char *names,
			lw_tracepoint_fn fn, void *ctx);
const char *lw_tracepoint_near(const char *root, const char *system, const char *name,
			       struct lw_did_you_mean *near);

#endif /* LW_EVENT_TRACEPOINT_H */
