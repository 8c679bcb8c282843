/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_by_time.h - the records of all rings in the order of time.
 */
#ifndef LW_RING_BY_TIME_H
#define LW_RING_BY_TIME_H

#include "device/ring_reader.h"

struct lw_ring_by_time;

struct lw_ring_by_time *lw_ring_by_time_new(struct lw_ring *rings, u32 nr);
void lw_ring_by_time_free(struct lw_ring_by_time *join);
int lw_ring_by_time_pass(struct lw_ring_by_time *join, u64 until, lw_record_fn fn, void *ctx);
u64 lw_ring_by_time_unfinished(const struct lw_ring_by_time *join);

#endif /* LW_RING_BY_TIME_H */
