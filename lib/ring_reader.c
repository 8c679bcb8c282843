// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * ring_reader.c - the read protocol of latewind.h.
 *
 * Consumer: one thread.  Lengths come from the ring and are checked before
 * they are used.
 */
#include "private.h"

/**
 * latewind_ring_read - consume what is in a ring now
 * @ring: mapped; of a CPU that there can't be: nothing is read
 * @fn: called with each record; a nonzero return ends the reading after it
 * @ctx: for @fn
 * @complete: out: all that was reserved when this call began was consumed,
 *	that is: no record of it was still being written
 *
 * Return: 0, what @fn returned, or -EBADMSG when a length is impossible.
 */
int latewind_ring_read(struct latewind_ring *ring, latewind_record_fn fn, void *ctx, bool *complete)
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
		const struct lw_record *record = latewind_ring_at(ring, pos);
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

/* Copy a record that writers may overwrite meanwhile: by words, none of which is torn. */
static void copy_words(u64 *to, const struct lw_record *from, u32 len)
{
	const u64 *word = (const u64 *)from;

	for (u32 i = 0; i < len / sizeof(u64); i++)
		to[i] = __atomic_load_n(&word[i], __ATOMIC_RELAXED);
}

/*
 * Copies what is between the oldest kept record and the head; with @next only what is
 * behind that position, up to a record that is still written, where @next is then.
 * Return: bytes of whole records at @buffer, -EAGAIN when all was overwritten meanwhile,
 * or -EBADMSG when a length is impossible.
 */
static s64 copy_ring(const struct latewind_ring *ring, u64 *buffer, u64 *next)
{
	u64 pos = load_acquire(&ring->producer->tail);
	u64 head = load_acquire(&ring->producer->pos);
	u64 tail, used = 0;

	if (next && pos < *next)
		pos = *next;
	while (pos < head) {
		const struct lw_record *record = latewind_ring_at(ring, pos);
		/* pairs with the producer's release when it commits */
		u32 word = load_acquire(&record->len);
		u32 len = word & ~LW_RING_BUSY;
		bool sound = head - pos <= ring->size && len >= sizeof(*record) &&
			     len % 8 == 0 && len <= head - pos;

		if (sound && !(word & LW_RING_BUSY))
			copy_words(buffer + used / 8, record, len);
		/* pairs with smp_wmb() between the producer's tail and what it overwrites */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		tail = __atomic_load_n(&ring->producer->tail, __ATOMIC_RELAXED);
		if (tail > pos) {
			pos = tail;
			used = 0;
			continue;
		}
		if (!sound)
			return -EBADMSG;
		if (next && word & LW_RING_BUSY)
			break;
		if (!(word & LW_RING_BUSY))
			used += len;
		pos += len;
	}
	if (pos > head)
		return -EAGAIN;
	if (next)
		*next = pos;
	return used;
}

/* Writers that come round faster than that can't be read beside. */
#define SNAPSHOT_TRIES	16

/**
 * latewind_ring_snapshot - what a ring with LW_SETUP_OVERWRITE keeps now
 * @ring: mapped; of a CPU that there can't be: nothing is read
 * @buffer: of @ring->size bytes
 * @next: NULL: all of it; else a position, at first 0: what was written since the snapshot
 *	that left it there
 * @fn: called with each record, oldest first; a nonzero return ends it
 * @ctx: for @fn
 *
 * Writers go on meanwhile.  Records that are being written are left out; with @next they,
 * and all behind them, are left for the next snapshot.
 *
 * Return: 0, what @fn returned, -EAGAIN when it is written faster than read, or
 * -EBADMSG when a length is impossible.
 */
int latewind_ring_snapshot(const struct latewind_ring *ring, void *buffer, u64 *next,
			   latewind_record_fn fn, void *ctx)
{
	s64 len = -EAGAIN;
	int ret = 0;

	if (!ring->producer)
		return 0;
	for (int i = 0; i < SNAPSHOT_TRIES && len == -EAGAIN; i++)
		len = copy_ring(ring, buffer, next);
	if (len < 0)
		return len;
	for (s64 at = 0; at < len && !ret;) {
		const struct lw_record *record = buffer + at;

		ret = fn(ctx, record);
		at += record->len;
	}
	return ret;
}
