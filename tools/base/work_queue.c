// SPDX-License-Identifier: GPL-2.0
/*
 * work_queue.c - a thread that takes what another one adds, in order, within bounded memory.
 *
 * For work that may have to wait, such as writing to a pipe, where the adder must not. The
 * adder learns at once that there is no room, and decides what to leave out.
 *
 * Contexts: lw_work_queue_*() in one thread, the function of the queue in another one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/work_queue.h"

struct lw_work_queue {
	lw_work_fn fn;
	void *ctx;
	size_t max_bytes;
	pthread_t thread;
	pthread_cond_t changed;		/* any of the following */
	pthread_mutex_t lock;		/* protects the following */
	struct lw_work *first, **last;
	size_t bytes;			/* of all that waits, or is being done */
	bool full;			/* until half of that is done */
	bool busy;			/* in @fn, or it has to be called with NULL */
	bool ends;
	int error;			/* of @fn */
};

/* Called, and returns, with the lock; @work: NULL when nothing waits. */
static void do_work(struct lw_work_queue *queue, struct lw_work *work)
{
	size_t bytes = work ? work->bytes : 0;
	bool wanted = !queue->error && !queue->ends;
	int error = 0;

	pthread_mutex_unlock(&queue->lock);
	if (wanted)
		error = queue->fn(queue->ctx, work);
	free(work);
	pthread_mutex_lock(&queue->lock);
	if (error)
		queue->error = error;
	queue->bytes -= bytes;
	if (!queue->full || queue->bytes > queue->max_bytes / 2)
		return;
	queue->full = false;
	pthread_cond_broadcast(&queue->changed);
}

static struct lw_work *take_first(struct lw_work_queue *queue)
{
	struct lw_work *work = queue->first;

	queue->first = work->next;
	if (!queue->first)
		queue->last = &queue->first;
	return work;
}

static void *run(void *arg)
{
	struct lw_work_queue *queue = arg;

	pthread_mutex_lock(&queue->lock);
	while (queue->first || queue->busy || !queue->ends) {
		if (queue->first) {
			queue->busy = true;
			do_work(queue, take_first(queue));
		} else if (queue->busy) {
			do_work(queue, NULL);
			queue->busy = queue->first;
			pthread_cond_broadcast(&queue->changed);
		} else {
			pthread_cond_wait(&queue->changed, &queue->lock);
		}
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

static void init_locks(struct lw_work_queue *queue)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->changed, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&queue->lock, NULL);
}

static void free_queue(struct lw_work_queue *queue)
{
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

/**
 * lw_work_queue_new - start a thread, which blocks the signals that the caller blocks
 * @max_bytes: of all work that is not done
 * @fn: what the thread does
 * @ctx: for @fn
 *
 * Return: the queue or NULL.
 */
struct lw_work_queue *lw_work_queue_new(size_t max_bytes, lw_work_fn fn, void *ctx)
{
	struct lw_work_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->fn = fn;
	queue->ctx = ctx;
	queue->max_bytes = max_bytes;
	queue->last = &queue->first;
	init_locks(queue);
	if (!pthread_create(&queue->thread, NULL, run, queue))
		return queue;
	free_queue(queue);
	return NULL;
}

static void append(struct lw_work_queue *queue, struct lw_work *work)
{
	bool was_empty = !queue->first;

	work->next = NULL;
	*queue->last = work;
	queue->last = &work->next;
	queue->bytes += work->bytes;
	if (was_empty)
		pthread_cond_broadcast(&queue->changed);
}

/**
 * lw_work_queue_add - add work, if there is room
 * @queue: the queue
 * @work: of malloc(), with its bytes; the queue's if it is taken
 *
 * From when one piece of work has found no room on, none is taken until half of the room is
 * free: what is left out is then in few gaps, not in as many as there are pieces. An empty
 * queue takes any.
 *
 * Return: whether it was taken.
 */
bool lw_work_queue_add(struct lw_work_queue *queue, struct lw_work *work)
{
	bool taken;

	pthread_mutex_lock(&queue->lock);
	if (queue->bytes && queue->bytes + work->bytes > queue->max_bytes)
		queue->full = true;
	taken = !queue->full;
	if (taken)
		append(queue, work);
	pthread_mutex_unlock(&queue->lock);
	return taken;
}

/**
 * lw_work_queue_error - what has failed
 * @queue: the queue
 *
 * Return: 0, or what the function returned first.
 */
int lw_work_queue_error(struct lw_work_queue *queue)
{
	int error;

	pthread_mutex_lock(&queue->lock);
	error = queue->error;
	pthread_mutex_unlock(&queue->lock);
	return error;
}

/**
 * lw_work_queue_wait - wait until all work is done
 * @queue: the queue
 * @until: CLOCK_MONOTONIC nanoseconds
 *
 * Return: whether it is.
 */
bool lw_work_queue_wait(struct lw_work_queue *queue, u64 until)
{
	struct timespec time = { until / NSEC_PER_SEC, until % NSEC_PER_SEC };
	bool done;
	int ret = 0;

	pthread_mutex_lock(&queue->lock);
	while (!ret && (queue->first || queue->busy))
		ret = pthread_cond_timedwait(&queue->changed, &queue->lock, &time);
	done = !queue->first && !queue->busy;
	pthread_mutex_unlock(&queue->lock);
	return done;
}

/**
 * lw_work_queue_wait_for_room - wait until lw_work_queue_add() takes work again
 * @queue: the queue, which has refused some
 * @until: CLOCK_MONOTONIC nanoseconds; then there may be no room yet
 */
void lw_work_queue_wait_for_room(struct lw_work_queue *queue, u64 until)
{
	struct timespec time = { until / NSEC_PER_SEC, until % NSEC_PER_SEC };
	int ret = 0;

	pthread_mutex_lock(&queue->lock);
	while (!ret && queue->full)
		ret = pthread_cond_timedwait(&queue->changed, &queue->lock, &time);
	pthread_mutex_unlock(&queue->lock);
}

/**
 * lw_work_queue_stop - leave undone what waits
 * @queue: the queue; only lw_work_queue_free() may follow
 *
 * Return: how many pieces of work are not begun any more.
 */
u64 lw_work_queue_stop(struct lw_work_queue *queue)
{
	u64 left = 0;

	pthread_mutex_lock(&queue->lock);
	queue->ends = true;
	for (const struct lw_work *work = queue->first; work; work = work->next)
		left++;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return left;
}

/**
 * lw_work_queue_free - end the thread, and free all; work that waits is not done
 * @queue: the queue or NULL
 * @until: CLOCK_MONOTONIC nanoseconds; ~0: for ever
 *
 * Return: false if the function has not returned until then. All that it uses, and the queue,
 * must stay; it is not called any more.
 */
bool lw_work_queue_free(struct lw_work_queue *queue, u64 until)
{
	if (!queue)
		return true;
	lw_work_queue_stop(queue);
	if (!lw_join_thread(queue->thread, until))
		return false;
	free_queue(queue);
	return true;
}
