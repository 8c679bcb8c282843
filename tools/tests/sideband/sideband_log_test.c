// SPDX-License-Identifier: GPL-2.0
/*
 * sideband_log_test.c - a file that begins later gets what it needs of the side-band so far.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "sideband/sideband_log.h"
#include "tests/tap.h"

/* No process has these: they are the largest that a kernel can give. */
#define GONE	4194302U
#define OTHER	4194303U

struct task {
	struct perf_event_header header;
	u32 pid, second, tid, ptid;
	u64 time;
	struct lw_sample_id id;
};

struct map {
	struct perf_event_header header;
	u32 pid, tid;
	u64 addr;
	struct lw_sample_id id;
};

static char seen[512];

static int note(void *ctx, const struct perf_event_header *record)
{
	static const char *const names[] = {
		[PERF_RECORD_COMM] = "comm", [PERF_RECORD_FORK] = "fork",
		[PERF_RECORD_EXIT] = "exit", [PERF_RECORD_MMAP2] = "map",
		[PERF_RECORD_KSYMBOL] = "symbol", [PERF_RECORD_LOST] = "lost",
	};
	u32 pid;

	memcpy(&pid, record + 1, sizeof(pid));
	sprintf(seen + strlen(seen), "%s%s:%u", *seen ? " " : "", names[record->type],
		pid == GONE ? 1 : pid == OTHER ? 2 : 3);
	return *(int *)ctx;
}

static int add_task(struct lw_sideband_log *log, u32 type, u32 pid, u32 parent, u32 tid, u64 time)
{
	struct task record = {
		.header = { .type = type, .size = sizeof(record) },
		.pid = pid, .second = parent, .tid = tid, .time = time, .id = { .time = time },
	};

	return lw_sideband_log_add(log, &record.header);
}

static int add_map(struct lw_sideband_log *log, u32 type, u32 pid, u32 tid)
{
	struct map record = {
		.header = { .type = type, .size = sizeof(record) }, .pid = pid, .tid = tid,
	};

	return lw_sideband_log_add(log, &record.header);
}

static bool has(const struct lw_sideband_log *log, const char *expected)
{
	int ret = 0;

	*seen = 0;
	CHECK(!lw_sideband_log_replay(log, note, &ret));
	if (!strcmp(seen, expected))
		return true;
	printf("# '%s' instead of '%s'\n", seen, expected);
	return false;
}

static bool records_come_again_in_their_order(void)
{
	struct lw_sideband_log *log = lw_sideband_log_new();
	int ret = 7;

	CHECK(log && has(log, ""));
	CHECK(!add_map(log, PERF_RECORD_COMM, GONE, GONE));
	CHECK(!add_map(log, PERF_RECORD_MMAP2, GONE, GONE));
	CHECK(!add_map(log, PERF_RECORD_LOST, GONE, GONE));
	CHECK(!add_map(log, PERF_RECORD_KSYMBOL, 0, 0));
	CHECK(has(log, "comm:1 map:1 symbol:3"));
	lw_sideband_log_forget(log, ~0ULL);
	CHECK(has(log, "comm:1 map:1 symbol:3"));
	CHECK(lw_sideband_log_replay(log, note, &ret) == 7);
	lw_sideband_log_free(log);
	return true;
}

static bool who_ended_before_is_forgotten(void)
{
	struct lw_sideband_log *log = lw_sideband_log_new();

	CHECK(!add_task(log, PERF_RECORD_FORK, GONE, 1, GONE, 10));
	CHECK(!add_map(log, PERF_RECORD_MMAP2, GONE, GONE));
	CHECK(!add_task(log, PERF_RECORD_EXIT, GONE, 1, GONE, 20));
	CHECK(!add_map(log, PERF_RECORD_KSYMBOL, GONE, GONE));
	/* a sample of that time may wait for its stack */
	lw_sideband_log_forget(log, 20);
	CHECK(has(log, "fork:1 map:1 exit:1 symbol:1"));
	lw_sideband_log_forget(log, 21);
	CHECK(has(log, "symbol:1"));
	lw_sideband_log_free(log);
	return true;
}

/* Its first thread has ended, others have not; and of these one has. */
static bool a_process_that_is_there_is_kept(void)
{
	struct lw_sideband_log *log = lw_sideband_log_new();
	u32 own = getpid();

	CHECK(!add_map(log, PERF_RECORD_MMAP2, own, own));
	CHECK(!add_task(log, PERF_RECORD_EXIT, own, 1, own, 10));
	CHECK(!add_task(log, PERF_RECORD_FORK, own, own, GONE, 10));
	CHECK(!add_map(log, PERF_RECORD_COMM, own, GONE));
	CHECK(!add_task(log, PERF_RECORD_EXIT, own, own, GONE, 10));
	lw_sideband_log_forget(log, 100);
	CHECK(has(log, "map:3 exit:3"));
	lw_sideband_log_free(log);
	return true;
}

/* A shell that ended while what it put into the background runs the same code. */
static bool a_child_keeps_its_parents(void)
{
	struct lw_sideband_log *log = lw_sideband_log_new();
	u32 own = getpid();

	CHECK(!add_map(log, PERF_RECORD_MMAP2, GONE, GONE));
	/* the order between CPUs is any */
	CHECK(!add_task(log, PERF_RECORD_FORK, own, OTHER, own, 11));
	CHECK(!add_task(log, PERF_RECORD_FORK, OTHER, GONE, OTHER, 10));
	CHECK(!add_task(log, PERF_RECORD_EXIT, OTHER, GONE, OTHER, 12));
	CHECK(!add_task(log, PERF_RECORD_EXIT, GONE, 1, GONE, 13));
	lw_sideband_log_forget(log, 100);
	CHECK(has(log, "map:1 fork:3 fork:2 exit:2 exit:1"));
	lw_sideband_log_free(log);
	return true;
}

static bool a_number_that_was_given_again_is_kept(void)
{
	struct lw_sideband_log *log = lw_sideband_log_new();

	CHECK(!add_task(log, PERF_RECORD_EXIT, GONE, 1, GONE, 10));
	CHECK(!add_task(log, PERF_RECORD_FORK, GONE, 1, GONE, 11));
	lw_sideband_log_forget(log, 100);
	CHECK(has(log, "exit:1 fork:1"));
	lw_sideband_log_free(log);
	return true;
}

static int count(void *ctx, const struct perf_event_header *record)
{
	*(u32 *)ctx += record->type == PERF_RECORD_EXIT;
	return 0;
}

/* A day of processes that come and go takes no memory of a day. */
static bool it_does_not_grow_by_what_is_gone(void)
{
	struct lw_sideband_log *log = lw_sideband_log_new();
	u32 nr = 0;

	for (u32 i = 0; i < 100000; i++) {
		CHECK(!add_task(log, PERF_RECORD_EXIT, GONE, 1, GONE, 10));
		lw_sideband_log_trim(log, 100);
	}
	CHECK(!lw_sideband_log_replay(log, count, &nr) && nr && nr < 20000);
	lw_sideband_log_free(log);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(records_come_again_in_their_order),
		TEST(who_ended_before_is_forgotten),
		TEST(a_process_that_is_there_is_kept),
		TEST(a_child_keeps_its_parents),
		TEST(it_does_not_grow_by_what_is_gone),
		TEST(a_number_that_was_given_again_is_kept),
	};

	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
