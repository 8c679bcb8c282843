// SPDX-License-Identifier: GPL-2.0
/*
 * ring_reader.c - the read protocol of latewind.h.
 *
 * Consumer: one thread.  Lengths come from the ring and are checked before
 * they are used.
 */
#include <errno.h>

#include "ring_reader.h"

static const struct lw_record *record_at(const struct lw_ring *ring, u64 pos)
{
	return (const struct lw_record *)(ring->data + (pos & (ring->size - 1)));
}

/**
 * lw_ring_read - consume what is in a ring now
 * @ring: mapped; of a CPU that there can't be: nothing is read
 * @fn: called with each record; a nonzero return ends the reading after it
 * @ctx: for @fn
 * @complete: out: all that was reserved when this call began was consumed,
 *	that is: no record of it was still being written
 *
 * Return: 0, what @fn returned, or -EBADMSG when a length is impossible.
 */
int lw_ring_read(struct lw_ring *ring, lw_record_fn fn, void *ctx, bool *complete)
{
	u64 pos, head;
	int ret = 0;

	*complete = !ring->producer;
	if (!ring->producer)
		return 0;
	pos = ring->consumer->pos;
	/* pairs with the producer's release when it reserves */
	head = load_acquire(&ring->producer->pos);
	if (head - pos > ring->size)
		return -EBADMSG;
	while (pos < head && !ret) {
		const struct lw_record *record = record_at(ring, pos);
		/* pairs with the producer's release when it commits */
		u32 len = load_acquire(&record->len);

		if (len & LW_RING_BUSY)
			return 0;
		if (len < sizeof(*record) || len % 8 || len > head - pos)
			return -EBADMSG;
		ret = fn(ctx, record);
		pos += len;
		/* our reads are done: the producer may overwrite the record */
		store_release(&ring->consumer->pos, pos);
	}
	*complete = pos == head;
	return ret;
}

/**
 * lw_sample_valid - does a record hold a whole struct lw_sample?
 * @record: of type LW_RECORD_SAMPLE
 *
 * Return: true if its counts fit its length.
 */
bool lw_sample_valid(const struct lw_record *record)
{
	const struct lw_sample *sample = (const struct lw_sample *)record;

	return record->len >= sizeof(*sample) &&
	       sample->nr_kernel <= (record->len - sizeof(*sample)) / sizeof(u64);
}

/**
 * lw_user_stack_valid - does a record hold a whole struct lw_user_stack?
 * @record: of type LW_RECORD_USER_STACK
 *
 * Return: true if its counts fit its length.
 */
bool lw_user_stack_valid(const struct lw_record *record)
{
	const struct lw_user_stack *stack = (const struct lw_user_stack *)record;

	return record->len >= sizeof(*stack) &&
	       stack->nr <= (record->len - sizeof(*stack)) / (sizeof(u64) + 1);
}

/**
 * lw_user_stack_how - how each frame was found
 * @stack: valid
 *
 * Return: an array of LW_HOW_*, one per frame.
 */
const u8 *lw_user_stack_how(const struct lw_user_stack *stack)
{
	return (const u8 *)&stack->frames[stack->nr];
}
