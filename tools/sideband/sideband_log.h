/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sideband_log.h - the side-band so far, for files that begin later.
 */
#ifndef LW_SIDEBAND_LOG_H
#define LW_SIDEBAND_LOG_H

#include <linux/perf_event.h>

#include "base/util.h"
#include "sideband/sideband.h"

struct lw_sideband_log;

struct lw_sideband_log *lw_sideband_log_new(void);
void lw_sideband_log_free(struct lw_sideband_log *log);
int lw_sideband_log_add(struct lw_sideband_log *log, const struct perf_event_header *record);
void lw_sideband_log_forget(struct lw_sideband_log *log, u64 before);
void lw_sideband_log_trim(struct lw_sideband_log *log, u64 before);
int lw_sideband_log_replay(const struct lw_sideband_log *log, lw_perf_event_fn fn, void *ctx);

#endif /* LW_SIDEBAND_LOG_H */
