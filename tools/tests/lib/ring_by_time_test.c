// SPDX-License-Identifier: GPL-2.0
/*
 * ring_by_time_test.c - records of two rings come in the order of time, past those that
 * are still being written.
 */
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "private.h"
#include "tests/tap.h"

#define SIZE		4096
#define MAX_SEEN	64

static struct lw_ring_consumer consumers[2];
static struct lw_ring_producer producers[2];
static u8 data[2][2 * SIZE] __attribute__((aligned(8)));
static struct latewind_ring rings[2];

static u64 seen[MAX_SEEN];
static u32 nr_seen;

static struct latewind_ring_by_time *make(void)
{
	memset(consumers, 0, sizeof(consumers));
	memset(producers, 0, sizeof(producers));
	memset(data, 0, sizeof(data));
	nr_seen = 0;
	for (u32 i = 0; i < 2; i++) {
		rings[i] = (struct latewind_ring) {
			.consumer = &consumers[i],
			.producer = &producers[i],
			.data = data[i],
			.size = SIZE,
		};
	}
	return latewind_ring_by_time_new(rings, 2);
}

/* Return: where it is. */
static struct lw_record *put(u32 ring, u64 time, u32 busy)
{
	struct lw_syscall record = {
		.record = { .len = sizeof(record) | busy, .type = LW_RECORD_SYSCALL },
		.time = time,
	};
	u8 *at = data[ring] + producers[ring].pos % SIZE;

	memcpy(at, &record, sizeof(record));
	producers[ring].pos += sizeof(record);
	return (struct lw_record *)at;
}

static void put_sample(u32 ring, u64 time)
{
	struct lw_sample record = {
		.record = { .len = sizeof(record), .type = LW_RECORD_SAMPLE },
		.time = time,
	};

	memcpy(data[ring] + producers[ring].pos % SIZE, &record, sizeof(record));
	producers[ring].pos += sizeof(record);
}

static int see(void *ctx, const struct lw_record *record)
{
	(void)ctx;
	if (nr_seen == MAX_SEEN)
		return 0;
	if (record->type == LW_RECORD_SAMPLE)
		seen[nr_seen++] = ((const struct lw_sample *)record)->time;
	else
		seen[nr_seen++] = ((const struct lw_syscall *)record)->time;
	return 0;
}

static bool saw(u32 nr, const u64 *times)
{
	bool same = nr_seen == nr && !memcmp(seen, times, nr * sizeof(*times));

	nr_seen = 0;
	return same;
}

#define SAW(...)							\
	CHECK(saw(sizeof((u64[]){ __VA_ARGS__ }) / sizeof(u64), (u64[]){ __VA_ARGS__ }))

static bool samples_are_in_that_order_too(void)
{
	struct latewind_ring_by_time *join = make();

	put_sample(0, 2);
	put_sample(0, 4);
	put_sample(1, 1);
	put(1, 3, 0);
	put_sample(1, 5);
	CHECK(!latewind_ring_by_time_pass(join, 5, see, NULL));
	SAW(1, 2, 3, 4);
	latewind_ring_by_time_free(join);
	return true;
}

static bool two_rings_are_one_order(void)
{
	struct latewind_ring_by_time *join = make();

	put(0, 1, 0);
	put(1, 2, 0);
	put(1, 3, 0);
	put(0, 4, 0);
	put(1, 5, 0);
	CHECK(!latewind_ring_by_time_pass(join, 100, see, NULL));
	SAW(1, 2, 3, 4, 5);
	CHECK(consumers[0].pos == producers[0].pos && consumers[1].pos == producers[1].pos);
	latewind_ring_by_time_free(join);
	return true;
}

static bool what_is_too_young_stays(void)
{
	struct latewind_ring_by_time *join = make();

	put(0, 10, 0);
	put(0, 30, 0);
	put(1, 20, 0);
	CHECK(!latewind_ring_by_time_pass(join, 25, see, NULL));
	SAW(10, 20);
	CHECK(consumers[0].pos == sizeof(struct lw_syscall));
	put(1, 28, 0);
	CHECK(!latewind_ring_by_time_pass(join, 40, see, NULL));
	SAW(28, 30);
	latewind_ring_by_time_free(join);
	return true;
}

static bool busy_records_are_passed_over(void)
{
	struct latewind_ring_by_time *join = make();
	struct lw_record *first, *second;

	put(0, 1, 0);
	first = put(0, 2, LW_RING_BUSY);
	put(0, 3, 0);
	second = put(0, 4, LW_RING_BUSY);
	put(0, 5, 0);
	CHECK(!latewind_ring_by_time_pass(join, 100, see, NULL));
	SAW(1, 3, 5);
	CHECK(latewind_ring_by_time_unfinished(join) == 2);
	CHECK(consumers[0].pos == sizeof(struct lw_syscall));

	second->len &= ~LW_RING_BUSY;
	CHECK(!latewind_ring_by_time_pass(join, 100, see, NULL));
	SAW(4);
	CHECK(consumers[0].pos == sizeof(struct lw_syscall));

	first->len &= ~LW_RING_BUSY;
	put(0, 6, 0);
	CHECK(!latewind_ring_by_time_pass(join, 100, see, NULL));
	SAW(2, 6);
	CHECK(!latewind_ring_by_time_unfinished(join) && consumers[0].pos == producers[0].pos);
	latewind_ring_by_time_free(join);
	return true;
}

static bool rings_go_round(void)
{
	struct latewind_ring_by_time *join = make();

	for (u64 time = 1; time <= 200; time++) {
		put(time % 2, time, 0);
		CHECK(!latewind_ring_by_time_pass(join, ~0ULL, see, NULL));
		SAW(time);
	}
	latewind_ring_by_time_free(join);
	return true;
}

static bool impossible_lengths_are_refused(void)
{
	struct latewind_ring_by_time *join = make();

	put(0, 1, 0)->len = 4;
	CHECK(latewind_ring_by_time_pass(join, 100, see, NULL) == -EBADMSG);
	latewind_ring_by_time_free(join);
	join = make();
	put(0, 1, 0)->len += 8;
	CHECK(latewind_ring_by_time_pass(join, 100, see, NULL) == -EBADMSG);
	latewind_ring_by_time_free(join);
	join = make();
	producers[1].pos = SIZE + 8;
	CHECK(latewind_ring_by_time_pass(join, 100, see, NULL) == -EBADMSG);
	latewind_ring_by_time_free(join);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(two_rings_are_one_order),
		TEST(samples_are_in_that_order_too),
		TEST(what_is_too_young_stays),
		TEST(busy_records_are_passed_over),
		TEST(rings_go_round),
		TEST(impossible_lengths_are_refused),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
