// SPDX-License-Identifier: GPL-2.0
/*
 * pending_test.c - very many tasks that owe a stack at the same time: all are
 * answered, once, in little memory that later ones use again; or, when the tracer goes
 * first, none is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crowd.h"
#include "lib/lwm.h"
#include "kselftest_harness.h"

LWT_DESTRUCTIVE_FILE;

/*
 * On a debug kernel what takes three segments will do, as a task is dear there; in the
 * short form, two.
 */
#define MANY		(lwt_long() ? LW_TIME_SCALE > 1 ? 15000U : 50000U : 6000U)
#define SOME		lwt_sample(3000, 1000)
#define LOG		"log_size=65536"
/*
 * What a slot of the pool may cost, and how many more slots there are than pending stacks:
 * a segment, which is opened when half of one is still free.
 */
#define SLOT_BYTES	97
#define SLOTS_AHEAD	(8192 + 8192 / 2)
#define SLOTS_FREE	(8192 / 2)
/* Memory of a task: kernel stack, task_struct with all registers, and so on. */
#define TASK_KB		44

FIXTURE(pending)
{
	int fd;
	struct lwm_log log;
	struct crowd crowd;
};

FIXTURE_SETUP(pending)
{
	self->fd = lwm_open(LOG);
	if (self->fd == -ENOENT)
		SKIP(return, LWM_MISSING, "lw_test");
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, crowd_prepare());
}

FIXTURE_TEARDOWN(pending)
{
	lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL);
	EXPECT_TRUE(lwt_wait(!crowd_running(&self->crowd)));
	crowd_free(&self->crowd);
	lwm_log_free(&self->log);
	lwm_close(self->fd);
	EXPECT_EQ(0, lwt_tainted());
}

static int by_cookie(const void *a, const void *b)
{
	const struct lw_cookie *x = &((const struct lwm_stack *)a)->cookie;
	const struct lw_cookie *y = &((const struct lwm_stack *)b)->cookie;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

/* The stacks of all requests, in order; every cookie at one place. */
static unsigned int count_answered(struct lwm_log *log,
				   const struct crowd *crowd)
{
	unsigned int i, n = 0;
	struct lwm_stack key;

	qsort(log->stacks, log->nr, sizeof(*log->stacks), by_cookie);
	for (i = 0; i + 1 < log->nr; i++)
		if (!by_cookie(&log->stacks[i], &log->stacks[i + 1]))
			return 0;
	for (i = 0; i < crowd->nr; i++) {
		key.cookie = crowd->waits[i].result.cookie;
		n += bsearch(&key, log->stacks, log->nr, sizeof(key),
			     by_cookie) != NULL;
	}
	return n;
}

static unsigned int count_rets(const struct crowd *crowd, int ret)
{
	unsigned int i, n = 0;

	for (i = 0; i < crowd->nr; i++)
		n += crowd->waits[i].result.ret == ret && !crowd->rets[i];
	return n;
}

static uint64_t free_slots(int fd)
{
	struct lw_stats stats = lwm_stats(fd, 0).stats;

	return stats.pool_slots - stats.pool_pending;
}

TEST_F_TIMEOUT(pending, of_a_crowd_is_all_answered, 230)
{
	struct lw_stats before, peak, after;

	if (self->fd < 0)
		return;
	if (lwt_proc_kib("/proc/meminfo", "MemAvailable") < (long)MANY * TASK_KB)
		SKIP(return, "too little memory for %u tasks: %ld MiB free",
		     MANY, lwt_proc_kib("/proc/meminfo", "MemAvailable") / 1024);
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	before = lwm_stats(self->fd, 0).stats;
	ASSERT_EQ(0, crowd_start(&self->crowd, self->fd, MANY, 1))
		TH_LOG("after %u", self->crowd.nr);
	ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 0).waiting == MANY));
	EXPECT_TRUE(lwt_wait(free_slots(self->fd) >= SLOTS_FREE));

	peak = lwm_stats(self->fd, 0).stats;
	printf("# at the peak %llu pending, %llu slots, %llu bytes: %.1f each; before %llu bytes\n",
	       peak.pool_pending, peak.pool_slots, peak.pool_bytes,
	       (double)peak.pool_bytes / peak.pool_pending, before.pool_bytes);
	EXPECT_EQ(MANY, peak.pending);
	EXPECT_LE(MANY, peak.pool_pending);
	EXPECT_GT(MANY + 100, peak.pool_pending);
	EXPECT_GE(SLOT_BYTES * (MANY + SLOTS_AHEAD), peak.pool_bytes);
	EXPECT_EQ(0, peak.refused_slots);
	EXPECT_EQ(0, lwm_stats(self->fd, 0).callbacks);

	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL));
	ASSERT_TRUE(lwt_wait(!crowd_running(&self->crowd)));
	EXPECT_EQ(MANY, count_rets(&self->crowd, 0));
	ASSERT_EQ(0, lwm_read(self->fd, &self->log));
	EXPECT_EQ(MANY, self->log.total);
	EXPECT_EQ(MANY, self->log.nr);
	EXPECT_EQ(MANY, count_answered(&self->log, &self->crowd));
	after = lwm_stats(self->fd, 0).stats;
	EXPECT_EQ(0, after.pending);
	EXPECT_EQ(MANY, after.user_stacks);
	EXPECT_EQ(0, after.lost_stacks + after.lost_full + after.lost_big);
	/* Slots are free again, and stay; a worker may have been on its way at the peak. */
	EXPECT_GT(before.pool_pending + 100, after.pool_pending);
	EXPECT_LE(peak.pool_bytes, after.pool_bytes);
	EXPECT_GE(SLOT_BYTES * (MANY + SLOTS_AHEAD), after.pool_bytes);
}

/* One of two tracers goes: nobody answers it any more, all answer the other. */
TEST_F_TIMEOUT(pending, is_not_answered_to_a_tracer_that_is_gone, 120)
{
	uint64_t owed = 0;

	if (self->fd < 0)
		return;
	ASSERT_EQ(0, lwm_register_all(self->fd, 2));
	ASSERT_EQ(0, crowd_start(&self->crowd, self->fd, SOME, 3));
	ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 1).waiting == SOME));
	ASSERT_EQ(0, lwm_unregister(self->fd, 0, &owed));
	EXPECT_EQ(SOME, owed);
	/* Another one, in its place. */
	ASSERT_EQ(0, lwm_register(self->fd, 0));
	EXPECT_EQ(SOME, lwm_stats(self->fd, 1).stats.pending);
	EXPECT_EQ(0, lwm_stats(self->fd, 0).stats.pending);
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL));
	ASSERT_TRUE(lwt_wait(!crowd_running(&self->crowd)));
	/* Of the last of the two requests. */
	EXPECT_EQ(SOME, count_rets(&self->crowd, 1));
	EXPECT_EQ(SOME, lwm_stats(self->fd, 1).callbacks);
	EXPECT_EQ(0, lwm_stats(self->fd, 0).callbacks);
	EXPECT_EQ(0, lwm_stats(self->fd, 0).zombies);
	ASSERT_EQ(0, lwm_read(self->fd, &self->log));
	EXPECT_EQ(SOME, self->log.total);
	EXPECT_EQ(SOME, count_answered(&self->log, &self->crowd));
}

/* The one tracer goes: what is pending is dropped, and nobody hangs. */
TEST_F_TIMEOUT(pending, is_dropped_with_the_only_tracer, 120)
{
	uint64_t owed = 0;

	if (self->fd < 0)
		return;
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	ASSERT_EQ(0, crowd_start(&self->crowd, self->fd, SOME, 1));
	ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 0).waiting == SOME));
	ASSERT_EQ(0, lwm_unregister(self->fd, 0, &owed));
	EXPECT_EQ(SOME, owed);
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL));
	ASSERT_TRUE(lwt_wait(!crowd_running(&self->crowd)));
	EXPECT_EQ(SOME, count_rets(&self->crowd, 0));
	ASSERT_EQ(0, lwm_read(self->fd, &self->log));
	EXPECT_EQ(0, self->log.total);
}

/* There are 64 of what tells tracers apart; blocked tasks don't keep them. */
TEST_F_TIMEOUT(pending, does_not_keep_what_a_tracer_had, 120)
{
	static struct crowd each[100];
	uint64_t owed = 0;
	unsigned int i;

	if (self->fd < 0)
		return;
	ASSERT_EQ(0, lwm_register(self->fd, 1));
	for (i = 0; i < ARRAY_SIZE(each); i++) {
		ASSERT_EQ(0, lwm_register(self->fd, 0)) TH_LOG("round %u", i);
		ASSERT_EQ(0, crowd_start(&each[i], self->fd, 1, 1));
		ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 0).waiting == i + 1));
		ASSERT_EQ(0, lwm_unregister(self->fd, 0, &owed));
		EXPECT_EQ(1, owed);
	}
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL));
	for (i = 0; i < ARRAY_SIZE(each); i++) {
		EXPECT_TRUE(lwt_wait(!crowd_running(&each[i])));
		crowd_free(&each[i]);
	}
	ASSERT_EQ(0, lwm_read(self->fd, &self->log));
	EXPECT_EQ(0, self->log.total);
	EXPECT_EQ(0, lwm_stats(self->fd, 1).zombies);
}

TEST_HARNESS_MAIN
