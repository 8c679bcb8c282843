// SPDX-License-Identifier: GPL-2.0
/*
 * flood_test.c - many records through the kernel: each is read once, whole and in
 * its writer's order, or is counted as lost.
 *
 * Writers are threads that go from CPU to CPU and make system calls whose arguments
 * tell which call it is; a clock's samples and their stacks come between.  The
 * rings are read beside them.  LW_FLOOD_RECORDS asks for other than RECORDS.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/calls.h"
#include "kselftest_harness.h"

#define RECORDS		lwt_count(1000000, 100000)
#define WRITERS		4
#define RING		(1 << 20)
#define MASK		(RING - 1)

/* A writer makes so many calls, then waits until the reader has gone round once. */
#define AHEAD		8192

static unsigned long per_writer;
static atomic_uint running;
static atomic_ulong passes;		/* of the reader */

/* Of one writer: what was read. */
struct seen {
	uint64_t nr;
	uint64_t last[LWT_MAX_RINGS];	/* by ring */
	uint8_t *calls;			/* by number of the call */
};

FIXTURE(flood)
{
	struct calls c;
	struct seen seen[WRITERS];
	uint64_t told;			/* by LOST records */
	uint64_t others;
	const char *bad;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	return x * 0x9e3779b97f4a7c15ULL;
}

static void *call_in_order(void *arg)
{
	unsigned long writer = (unsigned long)arg;
	unsigned long i, begun;

	for (i = 1; i <= per_writer; i++) {
		syscall(SYS_getppid, writer, i, mix(i), ~i, mix(~i), writer);
		if (i % 1024 == 0)
			sched_yield();
		if (i % AHEAD)
			continue;
		/* The reader may be in the middle, and have been round often before that. */
		for (begun = passes; passes != ULONG_MAX && passes - begun < 2;)
			sched_yield();
	}
	running--;
	return NULL;
}

static const char *take_call(FIXTURE_DATA(flood) *self, unsigned int ring,
			     const struct lw_syscall *r)
{
	uint64_t nr = r->args[1];
	struct seen *seen;

	if (r->record.len != sizeof(*r) || r->nr != SYS_getppid || r->cpu != ring)
		return "header";
	if (r->args[0] >= WRITERS || nr - 1 >= per_writer)
		return "no such call";
	if (r->args[2] != mix(nr) || r->args[3] != ~nr || r->args[4] != mix(~nr) ||
	    r->args[5] != r->args[0])
		return "torn";
	seen = &self->seen[r->args[0]];
	if (nr <= seen->last[ring])
		return "out of order";
	if (seen->calls[nr - 1]++)
		return "twice";
	seen->last[ring] = nr;
	seen->nr++;
	return NULL;
}

/* Reads one ring; stops at what is bad. */
static void drain(FIXTURE_DATA(flood) *self, unsigned int i)
{
	struct lwt_ring *ring = &self->c.s.rings[i];
	const uint8_t *data;
	uint64_t pos, head;

	if (!ring->producer)
		return;
	data = (uint8_t *)ring->producer + ring->producer->data_offset;
	head = __atomic_load_n(&ring->producer->pos, __ATOMIC_ACQUIRE);
	for (pos = ring->consumer->pos; pos != head && !self->bad;) {
		struct lw_record *record = (struct lw_record *)(data + (pos & MASK));
		uint32_t len = __atomic_load_n(&record->len, __ATOMIC_ACQUIRE);
		struct lw_lost *lost = (struct lw_lost *)record;

		if (len & LW_RING_BUSY)
			break;
		if (!len || len % 8 || len > head - pos)
			self->bad = "length";
		else if (record->type == LW_RECORD_SYSCALL)
			self->bad = take_call(self, i, (struct lw_syscall *)record);
		else if (record->type == LW_RECORD_LOST)
			self->told += lost->full + lost->big + lost->nested;
		else
			self->others++;
		pos += len;
	}
	__atomic_store_n(&ring->consumer->pos, pos, __ATOMIC_RELEASE);
}

static void drain_all(FIXTURE_DATA(flood) *self)
{
	unsigned int i;

	for (i = 0; i < self->c.s.nr_rings; i++)
		drain(self, i);
}

FIXTURE_SETUP(flood)
{
	struct perf_event_attr clock = lwt_attr_cpu_clock(1000000);
	const char *text = getenv("LW_FLOOD_RECORDS");
	unsigned int i;

	per_writer = (text ? strtoul(text, NULL, 0) : RECORDS) / WRITERS;
	ASSERT_EQ(0, calls_open(&self->c, RING));
	ASSERT_EQ(0, calls_add(&self->c, SYS_getppid, LW_SYSCALL_ENTRY, NULL, 0, NULL));
	ASSERT_EQ(0, lwt_add_event(self->c.s.fd, &clock, LW_TARGET_CPUS, 0, NULL));
	for (i = 0; i < WRITERS; i++) {
		self->seen[i].calls = calloc(1, per_writer);
		ASSERT_NE(NULL, self->seen[i].calls);
	}
}

FIXTURE_TEARDOWN(flood)
{
	unsigned int i;

	for (i = 0; i < WRITERS; i++)
		free(self->seen[i].calls);
	calls_close(&self->c);
	EXPECT_EQ(0, lwt_tainted());
}

/* Whoever asks for more records bounds the time. */
TEST_F_TIMEOUT(flood, comes_through, 3600)
{
	pthread_t threads[WRITERS];
	uint64_t seen = 0, ticks, since = lwt_now();
	struct lw_stats stats;
	unsigned long i;

	running = WRITERS;
	ASSERT_EQ(0, lwt_enable(self->c.s.fd));
	for (i = 0; i < WRITERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, call_in_order, (void *)i));
	while (running && !self->bad) {
		drain_all(self);
		passes++;
	}
	passes = ULONG_MAX;
	for (i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	ASSERT_EQ(0, lwt_disable(self->c.s.fd));
	ASSERT_TRUE(lwt_wait(!lwt_stats(self->c.s.fd).pending));
	drain_all(self);
	EXPECT_EQ(NULL, self->bad)
		TH_LOG("%s", self->bad);
	stats = lwt_stats(self->c.s.fd);
	for (i = 0; i < WRITERS; i++)
		seen += self->seen[i].nr;
	TH_LOG("%llu read, %llu lost, %llu others, %llu ms", (unsigned long long)seen,
	       (unsigned long long)stats.lost_full, (unsigned long long)self->others,
	       (unsigned long long)(lwt_now() - since) / 1000000);
	EXPECT_EQ(stats.syscalls, seen);
	EXPECT_EQ(stats.samples + stats.user_stacks, self->others);
	/* Ticks that left no sample, and stacks that found no room, are lost as well. */
	ticks = stats.requests + stats.refused_task + stats.refused_slots + stats.throttled;
	EXPECT_EQ(WRITERS * per_writer + ticks - stats.samples + stats.lost_stacks,
		  seen + lwt_lost_on_rings(&self->c.s) - stats.lost_nested);
	EXPECT_LE(self->told, lwt_lost_on_rings(&self->c.s));
	EXPECT_EQ(0, stats.lost_big);
	/* Of what all writers write in a pass there is room for a quarter, on one ring. */
	EXPECT_LT(WRITERS * per_writer / 4, seen);
}

TEST_HARNESS_MAIN
