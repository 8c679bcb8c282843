// SPDX-License-Identifier: GPL-2.0
/*
 * module_queue.c - MODULE records until they can be taken in the order of time.
 *
 * A record is in the ring of the CPU that it was written on, and rings are read one after
 * the other: that a module went may be read before that it came.
 *
 * Contexts: one thread per queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sideband/module_queue.h"

struct lw_queued_module {
	struct lw_module record;
	size_t number;			/* of the same time they stay as they were read */
};

/**
 * lw_module_queue_add - keep a record
 * @queue: gets a copy
 * @record: valid
 *
 * Return: 0 or -ENOMEM.
 */
int lw_module_queue_add(struct lw_module_queue *queue, const struct lw_module *record)
{
	struct lw_queued_module *new;

	if (lw_grow((void **)&queue->all, &queue->room, queue->nr + 1, sizeof(*new)))
		return -ENOMEM;
	new = &queue->all[queue->nr];
	new->record = *record;
	new->number = queue->nr++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct lw_queued_module *one = a, *other = b;

	if (one->record.time != other->record.time)
		return one->record.time < other->record.time ? -1 : 1;
	return one->number < other->number ? -1 : 1;
}

/**
 * lw_module_queue_take - take what can have nothing before it any more
 * @queue: keeps what is younger
 * @until: CLOCK_MONOTONIC nanoseconds: all rings were read beyond it
 * @fn: called with each record up to then, in the order of time
 * @ctx: for @fn
 *
 * Return: 0, or the first nonzero return of @fn.
 */
int lw_module_queue_take(struct lw_module_queue *queue, u64 until, lw_module_fn fn, void *ctx)
{
	size_t taken = 0;
	int ret = 0;

	if (!queue->nr)
		return 0;
	qsort(queue->all, queue->nr, sizeof(*queue->all), by_time);
	while (!ret && taken < queue->nr && queue->all[taken].record.time <= until)
		ret = fn(ctx, &queue->all[taken++].record);
	queue->nr -= taken;
	memmove(queue->all, queue->all + taken, queue->nr * sizeof(*queue->all));
	for (size_t i = 0; i < queue->nr; i++)
		queue->all[i].number = i;
	return ret;
}

/**
 * lw_module_queue_free - forget all
 * @queue: is empty afterwards
 */
void lw_module_queue_free(struct lw_module_queue *queue)
{
	free(queue->all);
	memset(queue, 0, sizeof(*queue));
}
