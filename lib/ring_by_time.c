// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * ring_by_time.c - the records of all rings in the order of time.
 *
 * They are handed out where they are, without a copy.  A record that is still
 * being written, as its writer was preempted, is passed over and handed out in the
 * pass that finds it whole; its task does nothing else meanwhile, so that the
 * records of one task stay in order.  The ring's consumer position stays before it.
 *
 * Consumer: one thread.
 */
#include "private.h"

/* The written part of one ring. */
struct cursor {
	u64 pos;		/* next to look at */
	u64 head;		/* as of this pass */
	u64 time;		/* of the record at @pos, or of one before it */
	u64 *busy;		/* records before @pos that were passed over, by position */
	size_t nr_busy, room;
	bool ends;		/* nothing at @pos that this pass hands out */
};

struct latewind_ring_by_time {
	struct latewind_ring *rings;
	struct cursor *cursors;
	u32 nr;
};

/**
 * latewind_ring_by_time_new - start where the rings' consumers are
 * @rings: mapped
 * @nr: of them
 *
 * Return: the join or NULL.
 */
struct latewind_ring_by_time *latewind_ring_by_time_new(struct latewind_ring *rings, u32 nr)
{
	struct latewind_ring_by_time *join = calloc(1, sizeof(*join));

	if (!join)
		return NULL;
	join->rings = rings;
	join->nr = nr;
	join->cursors = calloc(nr, sizeof(*join->cursors));
	if (!join->cursors) {
		free(join);
		return NULL;
	}
	for (u32 i = 0; i < nr; i++) {
		if (rings[i].producer)
			join->cursors[i].pos = rings[i].consumer->pos;
	}
	return join;
}

/**
 * latewind_ring_by_time_free - free a join, not the rings
 * @join: the join or NULL
 */
void latewind_ring_by_time_free(struct latewind_ring_by_time *join)
{
	if (!join)
		return;
	for (u32 i = 0; i < join->nr; i++)
		free(join->cursors[i].busy);
	free(join->cursors);
	free(join);
}

/* A record without a time has that of the record before it. */
static u64 time_of(const struct lw_record *record, u64 before)
{
	u64 time = before;

	if (record->type == LW_RECORD_SYSCALL && record->len >= sizeof(struct lw_syscall))
		time = ((const struct lw_syscall *)record)->time;
	else if (record->type == LW_RECORD_SAMPLE && record->len >= sizeof(struct lw_sample))
		time = ((const struct lw_sample *)record)->time;
	else if (record->type == LW_RECORD_MODULE && record->len >= sizeof(struct lw_module))
		time = ((const struct lw_module *)record)->time;
	else if (record->type == LW_RECORD_USER_STACK && latewind_stack_valid(record))
		time = ((const struct lw_user_stack *)record)->time;
	else if (record->type == LW_RECORD_SYSCALL_DATA &&
		 record->len >= sizeof(struct lw_deferred_data))
		time = ((const struct lw_deferred_data *)record)->time;
	return time > before ? time : before;
}

static int pass_over(struct cursor *cursor)
{
	if (grow((void **)&cursor->busy, &cursor->room, cursor->nr_busy + 1, sizeof(u64)))
		return -ENOMEM;
	cursor->busy[cursor->nr_busy++] = cursor->pos;
	return 0;
}

/* Goes on to the next whole record. */
static int find_next(const struct latewind_ring *ring, struct cursor *cursor)
{
	while (cursor->pos < cursor->head) {
		const struct lw_record *record = latewind_ring_at(ring, cursor->pos);
		/* pairs with the producer's release when it commits */
		u32 word = load_acquire(&record->len), len = word & ~LW_RING_BUSY;

		if (len < sizeof(*record) || len % 8 || len > cursor->head - cursor->pos)
			return -EBADMSG;
		if (!(word & LW_RING_BUSY)) {
			cursor->time = time_of(record, cursor->time);
			return 0;
		}
		if (pass_over(cursor))
			return -ENOMEM;
		cursor->pos += len;
	}
	cursor->ends = true;
	return 0;
}

/* Hand out the records that were passed over and are whole now. */
static int take_finished(const struct latewind_ring *ring, struct cursor *cursor,
			 latewind_record_fn fn, void *ctx)
{
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < cursor->nr_busy; i++) {
		const struct lw_record *record = latewind_ring_at(ring, cursor->busy[i]);

		/* pairs with the producer's release when it commits */
		if (ret || load_acquire(&record->len) & LW_RING_BUSY)
			cursor->busy[kept++] = cursor->busy[i];
		else
			ret = fn(ctx, record);
	}
	cursor->nr_busy = kept;
	return ret;
}

static int begin_pass(struct latewind_ring *ring, struct cursor *cursor, u64 until,
		      latewind_record_fn fn, void *ctx)
{
	int ret;

	cursor->ends = true;
	if (!ring->producer)
		return 0;
	ret = take_finished(ring, cursor, fn, ctx);
	/* pairs with the producer's release when it reserves */
	cursor->head = load_acquire(&ring->producer->pos);
	if (cursor->head - ring->consumer->pos > ring->size)
		return -EBADMSG;
	cursor->ends = false;
	if (!ret)
		ret = find_next(ring, cursor);
	cursor->ends |= cursor->time >= until;
	return ret;
}

/* Our reads are done: the producer may overwrite what is before. */
static void consume(struct latewind_ring *ring, const struct cursor *cursor)
{
	u64 pos = cursor->nr_busy ? cursor->busy[0] : cursor->pos;

	if (ring->producer && pos != ring->consumer->pos)
		store_release(&ring->consumer->pos, pos);
}

/* The ring whose next record is the oldest; @limit: that of the second oldest. */
static struct cursor *oldest(const struct latewind_ring_by_time *join, u64 until, u64 *limit)
{
	struct cursor *first = NULL;

	*limit = until;
	for (u32 i = 0; i < join->nr; i++) {
		struct cursor *cursor = &join->cursors[i];

		if (cursor->ends)
			continue;
		if (!first || cursor->time < first->time) {
			*limit = first ? first->time : until;
			first = cursor;
		} else if (cursor->time < *limit) {
			*limit = cursor->time;
		}
	}
	return first;
}

/* Of one ring as long as no other has an older one. */
static int hand_out(struct latewind_ring *ring, struct cursor *cursor, u64 limit, u64 until,
		    latewind_record_fn fn, void *ctx)
{
	int ret;

	do {
		const struct lw_record *record = latewind_ring_at(ring, cursor->pos);

		cursor->pos += record->len;
		ret = fn(ctx, record);
		if (!ret)
			ret = find_next(ring, cursor);
	} while (!ret && !cursor->ends && cursor->time <= limit && cursor->time < until);
	cursor->ends |= cursor->time >= until;
	return ret;
}

/**
 * latewind_ring_by_time_pass - hand out what is in the rings
 * @join: the join
 * @until: only what is older, in CLOCK_MONOTONIC; as of before this call, so
 *	that nothing older is reserved later on another CPU
 * @fn: called with each record; a nonzero return ends the pass after it
 * @ctx: for @fn
 *
 * Return: 0, what @fn returned, -ENOMEM, or -EBADMSG when a length is impossible.
 */
int latewind_ring_by_time_pass(struct latewind_ring_by_time *join, u64 until,
			       latewind_record_fn fn, void *ctx)
{
	struct cursor *cursor;
	int ret = 0;
	u64 limit;

	for (u32 i = 0; !ret && i < join->nr; i++)
		ret = begin_pass(&join->rings[i], &join->cursors[i], until, fn, ctx);
	while (!ret) {
		cursor = oldest(join, until, &limit);
		if (!cursor)
			break;
		ret = hand_out(&join->rings[cursor - join->cursors], cursor, limit, until, fn,
			       ctx);
		consume(&join->rings[cursor - join->cursors], cursor);
	}
	for (u32 i = 0; i < join->nr; i++)
		consume(&join->rings[i], &join->cursors[i]);
	return ret;
}

/**
 * latewind_ring_by_time_unfinished - records that are still being written
 * @join: the join
 *
 * Return: how many were passed over and are not whole yet.
 */
u64 latewind_ring_by_time_unfinished(const struct latewind_ring_by_time *join)
{
	u64 nr = 0;

	for (u32 i = 0; i < join->nr; i++)
		nr += join->cursors[i].nr_busy;
	return nr;
}
