// SPDX-License-Identifier: GPL-2.0
/*
 * work_queue_test.c - work is done in order, in another thread, and what waits is bounded.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "base/work_queue.h"
#include "tests/tap.h"

#define NR	200000
#define FOR_EVER	(~0ULL / 2)

struct numbered {
	struct lw_work work;
	u32 number;
};

/* What the queue's thread does, and saw. */
struct worker {
	pthread_t adder;
	sem_t begun, may_go;		/* with @steps: at each piece of work */
	bool steps;
	u32 next;			/* number that is expected */
	u32 bad, done, flushed, unflushed;
	u32 fails_at;			/* 0: never */
};

static int work(void *ctx, struct lw_work *work)
{
	struct worker *worker = ctx;
	struct numbered *numbered = (struct numbered *)work;

	worker->bad += pthread_equal(pthread_self(), worker->adder);
	if (!work) {
		worker->flushed++;
		worker->unflushed = 0;
		return 0;
	}
	if (worker->steps) {
		sem_post(&worker->begun);
		sem_wait(&worker->may_go);
	}
	worker->bad += numbered->number < worker->next;
	worker->next = numbered->number + 1;
	worker->done++;
	worker->unflushed++;
	return worker->fails_at && worker->done == worker->fails_at ? -EPIPE : 0;
}

static struct lw_work_queue *begin(struct worker *worker, size_t max_bytes)
{
	worker->adder = pthread_self();
	sem_init(&worker->begun, 0, 0);
	sem_init(&worker->may_go, 0, 0);
	return lw_work_queue_new(max_bytes, work, worker);
}

static bool add(struct lw_work_queue *queue, u32 number, size_t bytes)
{
	struct numbered *numbered = malloc(sizeof(*numbered));

	numbered->number = number;
	numbered->work.bytes = bytes;
	if (lw_work_queue_add(queue, &numbered->work))
		return true;
	free(numbered);
	return false;
}

static bool all_is_done_in_order(void)
{
	struct worker worker = { 0 };
	struct lw_work_queue *queue = begin(&worker, 1ULL << 40);

	for (u32 i = 0; i < NR; i++)
		CHECK(add(queue, i, 100));
	CHECK(lw_work_queue_wait(queue, FOR_EVER) && !lw_work_queue_error(queue));
	CHECK(worker.done == NR && worker.next == NR && !worker.bad);
	CHECK(worker.flushed && !worker.unflushed);
	CHECK(lw_work_queue_free(queue, ~0ULL));
	return true;
}

/* As long as there is room nobody waits; then the adder is told, until half is free again. */
static bool what_waits_is_bounded(void)
{
	struct worker worker = { .steps = true };
	struct lw_work_queue *queue = begin(&worker, 1000);
	u32 taken = 0;

	while (taken < 100 && add(queue, taken, 100))
		taken++;
	CHECK(taken == 10 && !add(queue, 11, 1));
	/* four are done when the fifth begins: more than half still waits */
	for (u32 i = 0; i < 4; i++)
		sem_post(&worker.may_go);
	for (u32 i = 0; i < 5; i++)
		sem_wait(&worker.begun);
	CHECK(!add(queue, 12, 100));
	sem_post(&worker.may_go);
	sem_wait(&worker.begun);
	CHECK(add(queue, 13, 100));
	for (u32 i = 0; i < 20; i++)
		sem_post(&worker.may_go);
	CHECK(lw_work_queue_wait(queue, FOR_EVER));
	CHECK(worker.done == 11 && worker.next == 14 && !worker.bad);
	CHECK(lw_work_queue_free(queue, ~0ULL));
	return true;
}

static bool an_empty_queue_takes_any(void)
{
	struct worker worker = { 0 };
	struct lw_work_queue *queue = begin(&worker, 1000);

	for (u32 i = 0; i < 10; i++)
		CHECK(add(queue, i, 5000) && lw_work_queue_wait(queue, FOR_EVER));
	CHECK(worker.done == 10);
	CHECK(lw_work_queue_free(queue, ~0ULL));
	return true;
}

static bool waiting_ends(void)
{
	struct worker worker = { .steps = true };
	struct lw_work_queue *queue = begin(&worker, 1000);

	CHECK(lw_work_queue_wait(queue, 0) && add(queue, 0, 1));
	sem_wait(&worker.begun);
	CHECK(!lw_work_queue_wait(queue, 0) && !lw_work_queue_wait(queue, lw_now() + 1000));
	sem_post(&worker.may_go);
	CHECK(lw_work_queue_wait(queue, FOR_EVER) && worker.done == 1);
	CHECK(lw_work_queue_free(queue, ~0ULL));
	return true;
}

static bool nothing_is_done_after_an_error(void)
{
	struct worker worker = { .fails_at = 3 };
	struct lw_work_queue *queue = begin(&worker, 1000);

	for (u32 i = 0; i < 10; i++)
		CHECK(add(queue, i, 100));
	CHECK(lw_work_queue_wait(queue, FOR_EVER) && lw_work_queue_error(queue) == -EPIPE);
	/* and there is room for what is not done any more */
	for (u32 i = 10; i < 1000; i++)
		CHECK(add(queue, i, 900) && lw_work_queue_wait(queue, FOR_EVER));
	CHECK(worker.done == 3 && lw_work_queue_error(queue) == -EPIPE);
	CHECK(lw_work_queue_free(queue, ~0ULL));
	return true;
}

static bool who_hangs_is_left(void)
{
	struct worker worker = { .steps = true };
	struct lw_work_queue *queue = begin(&worker, 1000);

	CHECK(add(queue, 0, 100) && add(queue, 1, 100) && add(queue, 2, 100));
	sem_wait(&worker.begun);
	CHECK(lw_work_queue_stop(queue) == 2);
	CHECK(!lw_work_queue_free(queue, lw_now()));
	sem_post(&worker.may_go);
	CHECK(lw_work_queue_free(queue, ~0ULL) && worker.done == 1);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(all_is_done_in_order),
		TEST(what_waits_is_bounded),
		TEST(an_empty_queue_takes_any),
		TEST(waiting_ends),
		TEST(nothing_is_done_after_an_error),
		TEST(who_hangs_is_left),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
