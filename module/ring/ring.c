// SPDX-License-Identifier: GPL-2.0
/*
 * ring.c - per-CPU rings: reserve, commit, discard.
 *
 * One ring per CPU and session.  Producers nest (task, softirq, hardirq, NMI), but only on the
 * ring's own CPU and with preemption off: each runs to its end inside the one that it
 * interrupted.  So plain and CPU-local operations are enough.  Between reserve and commit
 * anything may happen: preemption, a page fault, migration.
 *
 * Order of publication.  A numbered store is visible before the next one:
 *
 *   reserve	1. overwrite mode: producer->tail is behind what is going to be overwritten;
 *		   smp_wmb().
 *		2. the record's header, with LW_RING_BUSY set.
 *		3. producer->pos, by release.  Only the outermost reserve on this CPU stores it;
 *		   by then each header below @head is written, its own and those of all
 *		   producers that interrupted it.
 *   write	4. the record's content.
 *   commit	5. one release store that clears LW_RING_BUSY.  It may come from another CPU, any
 *		   time later.
 *
 * So a reader that acquires pos (3) finds headers (2), and a reader that acquires a header
 * without LW_RING_BUSY (5) finds content (4).  A reader in overwrite mode copies a record and
 * then reads tail: if that is not behind the record, the copy is what (4) wrote, as (1) comes
 * before any store over the record.  selftests/ring/ring.pml is a model of this that spin checks,
 * wake.pml one of how a reader is woken.
 *
 * What user space writes to the consumer page is compared, and masked where it becomes an offset.
 * The worst that it can cause is drops, needless wake-ups or mixed data of its own session.  The
 * rest is mapped read-only and trusted.
 *
 * The same file is built in user space, with ring_os.h of selftests/ring/.
 */
#ifdef __KERNEL__
#include <linux/bug.h>
#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/string.h>
#endif

#include "ring.h"

/* How often a producer looks for waiters while a ring fills to its watermark. */
#define STEPS_PER_WATERMARK	8

static struct lw_record *ring_record_at(const struct lw_ring *ring, unsigned long pos)
{
	return ring->data + (pos & (ring->size - 1));
}

/**
 * lw_ring_format - make a ring of memory
 * @ring: zeroed but for its waiters and its irq_work
 * @cpu: its CPU
 * @area: zeroed: a page for the consumer, one for the producer, the data, and the
 *	same data mapped again
 * @page: bytes of a page
 * @size: bytes of the data, a power of two
 * @watermark: bytes that make poll() return, 1 to half of @size
 * @overwrite: a flight recorder: the oldest records make room
 *
 * Context: any; nobody uses the ring yet.
 */
void lw_ring_format(struct lw_ring *ring, int cpu, void *area,
		    unsigned long page, unsigned long size,
		    unsigned long watermark, bool overwrite)
{
	unsigned long step = watermark / STEPS_PER_WATERMARK;

	ring->cpu = cpu;
	ring->area = area;
	ring->consumer = area;
	ring->producer = area + page;
	ring->data = area + 2 * page;
	ring->size = size;
	ring->step = step ? 1UL << ilog2(step) : 1;
	ring->threshold = watermark - ring->step + 1;
	ring->overwrite = overwrite;
	ring->producer->data_size = size;
	ring->producer->data_offset = page;
}

/*
 * Show a counter to the reader.  A producer that interrupts the loop shows a newer value, which
 * must not be overwritten by the older one.
 */
static void ring_show(u64 *place, local_t *counter)
{
	unsigned long value;

	do {
		value = local_read(counter);
		WRITE_ONCE(*place, value);
		barrier();
	} while (value != (unsigned long)local_read(counter));
}

/**
 * lw_ring_drop - count a record that is dropped
 * @ring: this CPU's
 * @why: cause
 *
 * Context: any, preemption off.
 */
noinline void lw_ring_drop(struct lw_ring *ring, enum lw_ring_drop why)
{
	if (why == LW_DROP_FULL)
		local_inc(&ring->lost_full);
	else if (why == LW_DROP_BIG)
		local_inc(&ring->lost_big);
	else
		local_inc(&ring->lost_nested);
	local_set(&ring->lost_any, 1);
	local_inc(&ring->lost_total);
	ring_show(&ring->producer->lost, &ring->lost_total);
}

static struct lw_lost ring_take_lost(struct lw_ring *ring)
{
	struct lw_lost lost;

	local_set(&ring->lost_any, 0);
	lost.full = local_xchg(&ring->lost_full, 0);
	lost.big = local_xchg(&ring->lost_big, 0);
	lost.nested = local_xchg(&ring->lost_nested, 0);
	return lost;
}

static void ring_give_back_lost(struct lw_ring *ring, const struct lw_lost *lost)
{
	local_add(lost->full, &ring->lost_full);
	local_add(lost->big, &ring->lost_big);
	local_add(lost->nested, &ring->lost_nested);
	local_set(&ring->lost_any, 1);
}

/*
 * Overwrite mode: give up the oldest records until there is room up to @end.
 *
 * There is no private copy of the tail: an interrupted producer could publish its copy late,
 * when that position is already overwritten.  A producer that interrupts us may move the tail,
 * too, and overwrite the record that we look at; then the cmpxchg fails, and what we have read
 * means nothing.  Behind producer->pos headers may not be written yet: they are of reserves that
 * we have interrupted.
 *
 * Return: false if a record that is still being written is in the way.
 */
static bool ring_make_room(struct lw_ring *ring, u64 end)
{
	u64 *place = &ring->producer->tail, tail;
	bool room;
	u32 len;

	for (;;) {
		tail = READ_ONCE(*place);
		room = end - tail <= ring->size;
		if (room || tail == READ_ONCE(ring->producer->pos))
			break;
		/* Pairs with the release in lw_ring_commit(). */
		len = smp_load_acquire(&ring_record_at(ring, tail)->len);
		if (len & LW_RING_BUSY) {
			if (READ_ONCE(*place) != tail)
				continue;
			break;
		}
		if (cmpxchg_local(place, tail, tail + len) == tail)
			local_inc(&ring->overwritten);
	}
	ring_show(&ring->producer->overwritten, &ring->overwritten);
	/* Pairs with the fence of a reader between its copy and its second load of tail. */
	smp_wmb();
	return room;
}

static __always_inline bool ring_has_room(struct lw_ring *ring, unsigned long end,
					  bool overwrite)
{
	if (overwrite)
		return ring_make_room(ring, end);
	/*
	 * Pairs with the reader's release of its position: its loads of the old bytes come before
	 * our stores over them.  A position that makes no sense looks like a full ring.
	 */
	return end - smp_load_acquire(&ring->consumer->pos) <= ring->size;
}

/*
 * @overwrite: of the ring; where it is constant false no function is called.
 * Return: where the bytes are, or NULL if they do not fit now.
 */
static __always_inline void *ring_claim(struct lw_ring *ring, u32 len, bool overwrite)
{
	unsigned long old;

	do {
		old = local_read(&ring->head);
		if (unlikely(!ring_has_room(ring, old + len, overwrite)))
			return NULL;
	} while (local_cmpxchg(&ring->head, old, old + len) != old);
	return ring_record_at(ring, old);
}

/* The end of a reserve; the outermost one publishes the position. */
static void ring_publish(struct lw_ring *ring)
{
	unsigned long head;

	for (;;) {
		head = local_read(&ring->head);
		if (local_read(&ring->nest) > 1) {
			local_dec(&ring->nest);
			return;
		}
		/* Pairs with the reader's load_acquire(producer->pos). */
		smp_store_release(&ring->producer->pos, head);
		barrier();
		local_dec(&ring->nest);
		barrier();
		/* A producer that came in after we read head left its publication to us. */
		if (head == local_read(&ring->head))
			return;
		local_inc(&ring->nest);
	}
}

/* A header is written by one store. */
union header {
	struct lw_record record;
	u64		word;
};

static_assert(sizeof(union header) == sizeof(u64), "a header is a word");

static u64 ring_header_of(u32 len, u16 type, u16 flags)
{
	union header header = {
		.record = { .len = len, .type = type, .flags = flags },
	};

	return header.word;
}

static void ring_write_header(void *at, u64 header)
{
	WRITE_ONCE(*(u64 *)at, header);
}

/* A LOST record, whole. */
static void ring_write_lost(struct lw_lost *at, const struct lw_lost *lost)
{
	WRITE_ONCE(at->full, lost->full);
	WRITE_ONCE(at->big, lost->big);
	WRITE_ONCE(at->nested, lost->nested);
	ring_write_header(at, ring_header_of(sizeof(*at), LW_RECORD_LOST, 0));
}

/* As ring_claim(), behind a LOST record if drops are to be reported. */
static void *ring_claim_behind_lost(struct lw_ring *ring, u32 len)
{
	struct lw_lost lost;
	u32 extra = 0;
	void *record;

	if (local_read(&ring->lost_any)) {
		lost = ring_take_lost(ring);
		/* A producer that interrupted us may have reported them. */
		if (lost.full || lost.big || lost.nested)
			extra = sizeof(lost);
	}
	record = ring_claim(ring, len + extra, ring->overwrite);
	if (record && extra) {
		ring_write_lost(record, &lost);
		/* Readers look for it in the first mapping. */
		record = ring_record_at(ring, record + extra - ring->data);
	} else if (extra) {
		ring_give_back_lost(ring, &lost);
	}
	return record;
}

static void ring_enter(struct lw_ring *ring)
{
	local_inc(&ring->nest);
	barrier();
}

static void ring_leave(struct lw_ring *ring)
{
	barrier();
	ring_publish(ring);
}

/* The end of a reserve that got no room. */
static noinline void *ring_leave_full(struct lw_ring *ring, enum lw_ring_drop *why)
{
	*why = LW_DROP_FULL;
	lw_ring_drop(ring, *why);
	ring_leave(ring);
	return NULL;
}

/* Any reserve.  Apart, so that the usual one calls no function and saves no registers. */
static noinline void *ring_reserve_any(struct lw_ring *ring, u32 len, u64 header,
				       enum lw_ring_drop *why)
{
	void *record;

	if (len > ring->size / 2) {
		*why = LW_DROP_BIG;
		lw_ring_drop(ring, *why);
		return NULL;
	}
	ring_enter(ring);
	record = ring_claim_behind_lost(ring, len);
	if (!record)
		return ring_leave_full(ring, why);
	ring_write_header(record, header);
	ring_leave(ring);
	return record;
}

/**
 * lw_ring_reserve - room for one record
 * @ring: this CPU's
 * @len: bytes with the header, a multiple of 8
 * @type: LW_RECORD_*
 * @flags: the header's
 * @why: out: why there is no room
 *
 * A drop is counted here, and reported by a LOST record before the next one.
 *
 * Context: any, NMI included; preemption off.
 * Return: the record with its header filled in, to be committed by
 * lw_ring_commit(), or NULL.
 */
void *lw_ring_reserve(struct lw_ring *ring, u32 len, u16 type, u16 flags,
		      enum lw_ring_drop *why)
{
	u64 header = ring_header_of(len | LW_RING_BUSY, type, flags);
	void *record;

	*why = LW_DROP_NONE;
	if (unlikely(ring->overwrite || len > ring->size / 2 ||
		     local_read(&ring->lost_any)))
		return ring_reserve_any(ring, len, header, why);
	ring_enter(ring);
	record = ring_claim(ring, len, false);
	if (unlikely(!record))
		return ring_leave_full(ring, why);
	ring_write_header(record, header);
	ring_leave(ring);
	return record;
}

/**
 * lw_ring_readable - is the ring filled to its watermark
 * @ring: any CPU's
 *
 * A ring whose oldest record is still being written is not readable: nothing behind the record
 * can be read, and its lw_ring_commit() wakes the waiters.
 *
 * Context: any.
 * Return: true if it is filled to its watermark; false if it is not filled to
 * seven eighths of it; between the two, either.
 */
bool lw_ring_readable(const struct lw_ring *ring)
{
	unsigned long pos = READ_ONCE(ring->consumer->pos);

	if (ring->overwrite || local_read(&ring->head) - pos < ring->threshold)
		return false;
	/* User space may write any position: make it an aligned one inside the ring. */
	return !(READ_ONCE(ring_record_at(ring, pos & ~7UL)->len) & LW_RING_BUSY);
}

static noinline void ring_wake(struct lw_ring *ring)
{
	/* Pairs with smp_mb() in lw_session_poll(), which arms and then asks lw_ring_readable(). */
	smp_mb();
	if (READ_ONCE(ring->waiters->armed) && lw_ring_readable(ring)) {
		WRITE_ONCE(ring->waiters->armed, 0);
		irq_work_queue(&ring->wake);
	}
}

/*
 * Is it worth a barrier to look for waiters, now that the record at offset @start is whole?
 *
 * The record may have filled the ring to its watermark only if it, or a LOST record before it,
 * crosses a step: from the threshold to the watermark is one step.  It may be the one that
 * stopped the reader only if a record was reserved behind it.  The ring's own CPU can tell that by
 * @head, as a later reserve publishes by a release that comes after ours; another CPU can't.
 */
static bool ring_may_end_a_wait(const struct lw_ring *ring, unsigned long start,
				u32 len)
{
	bool own = raw_smp_processor_id() == ring->cpu;
	unsigned long end = start + len;

	/* If we migrate from here on, that orders the load of head. */
	barrier();
	return !own ||
	       (((start - sizeof(struct lw_lost)) ^ end) & ~(ring->step - 1)) ||
	       ((local_read(&ring->head) ^ end) & (ring->size - 1));
}

/**
 * lw_ring_commit - the record is whole
 * @ring: where it was reserved
 * @record: what lw_ring_reserve() returned
 *
 * No lock and no locked instruction, but a barrier where a reader may have to be
 * woken.
 *
 * Context: any, NMI included, on any CPU.
 */
void lw_ring_commit(struct lw_ring *ring, void *record)
{
	struct lw_record *header = record;
	u32 len = header->len & ~LW_RING_BUSY;

	/* Pairs with the reader's load_acquire(record->len). */
	smp_store_release(&header->len, len);
	if (!ring->overwrite && ring_may_end_a_wait(ring, record - ring->data, len))
		ring_wake(ring);
}
