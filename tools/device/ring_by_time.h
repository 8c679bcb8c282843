/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_by_time.h - the records of all rings in the order of time.
 */
#ifndef LW_RING_BY_TIME_H
#define LW_RING_BY_TIME_H

#include "device/ring_reader.h"

struct lw_ring_merge;

struct lw_ring_merge *lw_ring_merge_new(struct lw_ring *rings, u32 nr);
void lw_ring_merge_free(struct lw_ring_merge *merge);
int lw_ring_merge_pass(struct lw_ring_merge *merge, u64 until, lw_record_fn fn, void *ctx);
u64 lw_ring_merge_unfinished(const struct lw_ring_merge *merge);

#endif /* LW_RING_BY_TIME_H */
