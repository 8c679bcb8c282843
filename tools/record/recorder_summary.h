/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder_summary.h - what is said at the end of a recording.
 */
#ifndef LW_RECORDER_SUMMARY_H
#define LW_RECORDER_SUMMARY_H

#include "record/recorder.h"

u64 lw_recorder_lost(const struct lw_recorder *rec);
u64 lw_recorder_overwritten(const struct lw_recorder *rec);
struct lw_off_cpu_stats lw_recorder_off_cpu_stats(const struct lw_recorder *rec);
const char *lw_recorder_output_name(const struct lw_recorder *rec);
void lw_recorder_say_summary(const struct lw_recorder *rec);

#endif /* LW_RECORDER_SUMMARY_H */
