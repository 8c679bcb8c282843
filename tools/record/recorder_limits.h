/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder_limits.h - when samples begin, and when a recording ends by itself.
 */
#ifndef LW_RECORDER_LIMITS_H
#define LW_RECORDER_LIMITS_H

#include "base/util.h"

struct lw_recorder;

int lw_recorder_limits_begin(struct lw_recorder *rec);
int lw_recorder_limits_wait(const struct lw_recorder *rec, int ms);
int lw_recorder_limits_apply(struct lw_recorder *rec);

#endif /* LW_RECORDER_LIMITS_H */
