/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_reader.h - the consumer's side of one ring.
 */
#ifndef LW_RING_READER_H
#define LW_RING_READER_H

#include "device/device.h"
#include "device/user_stack.h"

typedef int (*lw_record_fn)(void *ctx, const struct lw_record *record);

/**
 * lw_ring_record_at - the record at a position
 * @ring: mapped
 * @pos: of a record that was not consumed
 *
 * Return: the record, in one piece.
 */
static inline const struct lw_record *lw_ring_record_at(const struct lw_ring *ring, u64 pos)
{
	return (const struct lw_record *)(ring->data + (pos & (ring->size - 1)));
}

int lw_ring_read(struct lw_ring *ring, lw_record_fn fn, void *ctx, bool *complete);
int lw_ring_snapshot(const struct lw_ring *ring, void *buffer, lw_record_fn fn,
		     void *ctx);
bool lw_sample_valid(const struct lw_record *record);
bool lw_module_valid(const struct lw_record *record);

#endif /* LW_RING_READER_H */
