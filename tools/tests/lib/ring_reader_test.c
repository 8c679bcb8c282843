// SPDX-License-Identifier: GPL-2.0
/*
 * ring_reader_test.c - the read protocol, on a ring that this test writes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "private.h"
#include "tests/tap.h"

#define SIZE	4096

static struct lw_ring_consumer consumer;
static struct lw_ring_producer producer;
static u8 data[2 * SIZE] __attribute__((aligned(8)));

static struct latewind_ring make_ring(void)
{
	struct latewind_ring ring = {
		.consumer = &consumer,
		.producer = &producer,
		.data = data,
		.size = SIZE,
	};

	memset(data, 0, sizeof(data));
	consumer.pos = 0;
	producer.pos = 0;
	return ring;
}

static void put(u32 len, u16 type)
{
	struct lw_record record = { .len = len, .type = type };

	memcpy(data + producer.pos % SIZE, &record, sizeof(record));
	producer.pos += len & ~LW_RING_BUSY;
}

static int count(void *ctx, const struct lw_record *record)
{
	*(u32 *)ctx += record->type;
	return 0;
}

static bool records_are_read_in_turn_and_freed(void)
{
	struct latewind_ring ring = make_ring();
	bool complete;
	u32 sum = 0;

	put(16, 1);
	put(80, 10);
	CHECK(!latewind_ring_read(&ring, count, &sum, &complete));
	CHECK(sum == 11 && complete && consumer.pos == 96);
	CHECK(!latewind_ring_read(&ring, count, &sum, &complete));
	CHECK(sum == 11 && complete);
	return true;
}

static bool busy_record_stops_the_reader_before_it(void)
{
	struct latewind_ring ring = make_ring();
	bool complete;
	u32 sum = 0;

	put(16, 1);
	put(16 | LW_RING_BUSY, 10);
	put(16, 100);
	CHECK(!latewind_ring_read(&ring, count, &sum, &complete));
	CHECK(sum == 1 && !complete && consumer.pos == 16);
	data[16 + 3] = 0;
	CHECK(!latewind_ring_read(&ring, count, &sum, &complete));
	CHECK(sum == 111 && complete);
	return true;
}

static bool positions_go_on_past_the_size(void)
{
	struct latewind_ring ring = make_ring();
	bool complete;
	u32 sum = 0;

	consumer.pos = 5 * SIZE - 16;
	producer.pos = consumer.pos;
	put(32, 1);
	put(16, 10);
	CHECK(!latewind_ring_read(&ring, count, &sum, &complete));
	CHECK(sum == 11 && consumer.pos == 5 * SIZE + 32);
	return true;
}

static bool impossible_lengths_are_refused(void)
{
	static const u32 lengths[] = { 0, 1, 7, 12, SIZE, 1 << 30, 24 };
	bool complete;
	u32 sum = 0;

	for (u32 i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct latewind_ring ring = make_ring();

		put(lengths[i], 1);
		producer.pos = 16;
		CHECK(latewind_ring_read(&ring, count, &sum, &complete) == -EBADMSG);
		CHECK(!sum && !complete);
	}
	return true;
}

static bool more_than_the_ring_holds_is_refused(void)
{
	struct latewind_ring ring = make_ring();
	bool complete;
	u32 sum = 0;

	producer.pos = SIZE + 8;
	CHECK(latewind_ring_read(&ring, count, &sum, &complete) == -EBADMSG);
	consumer.pos = 2 * SIZE;
	CHECK(latewind_ring_read(&ring, count, &sum, &complete) == -EBADMSG);
	return true;
}

/* Each record is in one snapshot; one that is being written is in the next, with all behind it. */
static bool snapshots_go_on_where_the_last_one_ended(void)
{
	struct latewind_ring ring = make_ring();
	u64 buffer[SIZE / 8], next = 0;
	u32 sum = 0;

	producer.tail = 0;
	put(16, 1);
	put(16 | LW_RING_BUSY, 10);
	put(16, 100);
	CHECK(!latewind_ring_snapshot(&ring, buffer, &next, count, &sum) && sum == 1 && next == 16);
	CHECK(!latewind_ring_snapshot(&ring, buffer, &next, count, &sum) && sum == 1 && next == 16);
	/* all that there is, as often as it is asked for */
	CHECK(!latewind_ring_snapshot(&ring, buffer, NULL, count, &sum) && sum == 102);
	((struct lw_record *)(data + 16))->len = 16;
	CHECK(!latewind_ring_snapshot(&ring, buffer, &next, count, &sum) && sum == 212);
	CHECK(!latewind_ring_snapshot(&ring, buffer, &next, count, &sum) && sum == 212);
	/* what was overwritten before it was read */
	put(16, 1000);
	producer.tail = producer.pos;
	put(16, 10000);
	CHECK(!latewind_ring_snapshot(&ring, buffer, &next, count, &sum) && sum == 10212);
	CHECK(next == producer.pos);
	producer.tail = 0;
	return true;
}

static bool counts_that_do_not_fit_are_refused(void)
{
	struct lw_sample sample = { .record = { .len = sizeof(sample) + 16 }, .nr_kernel = 2 };

	CHECK(latewind_sample_valid(&sample.record));
	/* there is one word more than it says */
	sample.record.flags = LW_SAMPLE_CGROUP;
	CHECK(!latewind_sample_valid(&sample.record));
	sample.nr_kernel = 1;
	CHECK(latewind_sample_valid(&sample.record));
	sample.nr_kernel = ~0;
	CHECK(!latewind_sample_valid(&sample.record));
	sample.record.flags = 0;
	sample.nr_kernel = 3;
	CHECK(!latewind_sample_valid(&sample.record));
	sample.nr_kernel = ~0;
	CHECK(!latewind_sample_valid(&sample.record));
	sample.record.len = 8;
	CHECK(!latewind_sample_valid(&sample.record));
	return true;
}

static bool fields_that_do_not_fit_are_refused(void)
{
	struct {
		struct lw_sample sample;
		u64 cgroup;
		u32 size, words[5];
	} hit = {
		.sample.record = { .len = sizeof(hit), .flags = LW_SAMPLE_CGROUP | LW_SAMPLE_RAW },
		.size = sizeof(hit.words),
	};
	struct lw_record *record = &hit.sample.record;
	u32 size = 0;

	CHECK(latewind_sample_valid(record) && latewind_sample_size(&hit.sample) == sizeof(hit));
	CHECK(latewind_sample_raw(&hit.sample, &size) == hit.words && size == sizeof(hit.words));
	/* a shorter one ends at a word, too */
	hit.size = 12;
	CHECK(latewind_sample_valid(record));
	CHECK(latewind_sample_size(&hit.sample) == sizeof(hit) - 8);
	hit.size = 16;
	CHECK(!latewind_sample_valid(record));
	hit.size = sizeof(hit.words) + 8;
	CHECK(!latewind_sample_valid(record));
	hit.size = ~0U - 3;
	CHECK(!latewind_sample_valid(record));
	/* not even the size is there */
	record->len = sizeof(hit.sample) + 8;
	CHECK(!latewind_sample_valid(record));
	record->len += 2;
	CHECK(!latewind_sample_valid(record));
	record->flags = LW_SAMPLE_CGROUP;
	CHECK(latewind_sample_valid(record) && !latewind_sample_raw(&hit.sample, &size));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(records_are_read_in_turn_and_freed),
		TEST(busy_record_stops_the_reader_before_it),
		TEST(positions_go_on_past_the_size),
		TEST(impossible_lengths_are_refused),
		TEST(more_than_the_ring_holds_is_refused),
		TEST(snapshots_go_on_where_the_last_one_ended),
		TEST(counts_that_do_not_fit_are_refused),
		TEST(fields_that_do_not_fit_are_refused),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
