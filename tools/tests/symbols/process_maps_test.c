// SPDX-License-Identifier: GPL-2.0
/*
 * process_maps_test.c - the mapping of an address, at the time of the sample.
 */
#include <string.h>

#include "base/perf_records.h"
#include "symbols/process_maps.h"
#include "tests/tap.h"

union record {
	struct perf_event_header header;
	u64 words[32];
	u8 bytes[256];
};

/* The trailer is 32 bytes, its time stands in the second word. */
static void send(struct lw_process_maps *procs, union record *record, u32 type, u16 misc, u32 body,
		 u64 time)
{
	record->header.type = type;
	record->header.misc = misc;
	record->header.size = sizeof(record->header) + body + sizeof(struct lw_sample_id);
	record->words[(sizeof(record->header) + body) / 8 + 1] = time;
	lw_process_maps_record(procs, &record->header);
}

static void map_as(struct lw_process_maps *procs, u16 misc, u32 pid, u64 time, u64 addr, u64 len,
		   const char *path)
{
	union record record = { 0 };

	record.words[1] = pid | (u64)pid << 32;
	record.words[2] = addr;
	record.words[3] = len;
	strcpy((char *)&record.words[9], path);
	send(procs, &record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | misc, 64 + 32, time);
}

static void mmap2(struct lw_process_maps *procs, u32 pid, u64 time, u64 addr, u64 len,
		  const char *path)
{
	map_as(procs, 0, pid, time, addr, len, path);
}

static void comm(struct lw_process_maps *procs, u32 pid, u64 time, const char *name, bool exec)
{
	union record record = { 0 };

	record.words[1] = pid | (u64)pid << 32;
	strcpy((char *)&record.words[2], name);
	send(procs, &record, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, 8 + 16, time);
}

static void task(struct lw_process_maps *procs, u32 type, u32 pid, u32 ppid, u64 time)
{
	union record record = { 0 };

	record.words[1] = pid | (u64)ppid << 32;
	record.words[2] = record.words[1];
	send(procs, &record, type, 0, 24, time);
}

static bool mapped(struct lw_process_maps *procs, u32 pid, u64 time, u64 ip, const char *path)
{
	const struct lw_map *map = lw_process_maps_find(procs, pid, time, ip);

	if (!map || !path)
		return !map && !path;
	return !strcmp(map->path, path);
}

static bool younger_mapping_hides_the_older_from_its_time_on(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	mmap2(procs, 1, 10, 0x1000, 0x1000, "/a");
	mmap2(procs, 1, 20, 0x1000, 0x1000, "/b");
	CHECK(mapped(procs, 1, 15, 0x1800, "/a"));
	CHECK(mapped(procs, 1, 25, 0x1800, "/b"));
	CHECK(mapped(procs, 1, 5, 0x1800, NULL));
	CHECK(mapped(procs, 1, 25, 0x2000, NULL));
	CHECK(mapped(procs, 2, 25, 0x1800, NULL));
	lw_process_maps_free(procs);
	return true;
}

static bool child_has_what_its_parent_had_at_the_fork(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	mmap2(procs, 1, 10, 0x1000, 0x1000, "/a");
	task(procs, PERF_RECORD_FORK, 2, 1, 20);
	mmap2(procs, 1, 30, 0x3000, 0x1000, "/b");
	CHECK(mapped(procs, 2, 40, 0x1800, "/a"));
	CHECK(mapped(procs, 2, 40, 0x3800, NULL));
	lw_process_maps_free(procs);
	return true;
}

static bool exec_drops_all_from_its_time_on(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	mmap2(procs, 1, 10, 0x1000, 0x1000, "/a");
	comm(procs, 1, 10, "old", false);
	comm(procs, 1, 20, "new", true);
	mmap2(procs, 1, 21, 0x5000, 0x1000, "/b");
	CHECK(mapped(procs, 1, 30, 0x1800, NULL));
	CHECK(mapped(procs, 1, 30, 0x5800, "/b"));
	CHECK(mapped(procs, 1, 15, 0x1800, "/a"));
	CHECK(!lw_process_maps_began(procs, 1, 15) && lw_process_maps_began(procs, 1, 30) == 20);
	CHECK(!strcmp(lw_process_maps_comm(procs, 1, 15), "old"));
	CHECK(!strcmp(lw_process_maps_comm(procs, 1, 30), "new"));
	lw_process_maps_free(procs);
	return true;
}

static bool order_of_reading_does_not_matter(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	/* in truth: 1 maps /a, execs, maps /b, forks 2, which execs and maps /c */
	mmap2(procs, 2, 50, 0x7000, 0x1000, "/c");
	task(procs, PERF_RECORD_FORK, 2, 1, 30);
	mmap2(procs, 1, 20, 0x5000, 0x1000, "/b");
	mmap2(procs, 1, 5, 0x1000, 0x1000, "/a");
	comm(procs, 2, 40, "two", true);
	comm(procs, 1, 10, "one", true);
	CHECK(mapped(procs, 2, 60, 0x7800, "/c"));
	CHECK(mapped(procs, 2, 60, 0x5800, NULL));
	CHECK(mapped(procs, 2, 35, 0x5800, "/b"));
	CHECK(mapped(procs, 2, 35, 0x1800, NULL));
	CHECK(mapped(procs, 1, 35, 0x5800, "/b"));
	CHECK(mapped(procs, 1, 35, 0x1800, NULL));
	CHECK(mapped(procs, 1, 7, 0x1800, "/a"));
	lw_process_maps_free(procs);
	return true;
}

static bool pid_used_again_is_another_process(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	mmap2(procs, 1, 1, 0x1000, 0x1000, "/a");
	mmap2(procs, 3, 1, 0x1000, 0x1000, "/c");
	task(procs, PERF_RECORD_FORK, 2, 1, 10);
	task(procs, PERF_RECORD_EXIT, 2, 1, 20);
	task(procs, PERF_RECORD_FORK, 2, 3, 30);
	CHECK(mapped(procs, 2, 15, 0x1800, "/a"));
	CHECK(mapped(procs, 2, 35, 0x1800, "/c"));
	CHECK(lw_process_maps_began(procs, 2, 15) == 10 &&
	      lw_process_maps_began(procs, 2, 35) == 30);
	lw_process_maps_free(procs);
	return true;
}

static bool ended_processes_are_forgotten_but_not_what_children_need(void)
{
	const u64 second = NSEC_PER_SEC;
	struct lw_process_maps *procs = lw_process_maps_new();

	mmap2(procs, 1, second, 0x1000, 0x1000, "/a");
	task(procs, PERF_RECORD_FORK, 2, 1, 2 * second);
	task(procs, PERF_RECORD_EXIT, 1, 0, 3 * second);
	for (u32 i = 0; i < 5000; i++) {
		task(procs, PERF_RECORD_FORK, 100 + i, 2, 60 * second + i);
		task(procs, PERF_RECORD_EXIT, 100 + i, 2, 60 * second + i);
	}
	CHECK(mapped(procs, 1, 99 * second, 0x1800, NULL));
	CHECK(mapped(procs, 2, 99 * second, 0x1800, "/a"));
	lw_process_maps_free(procs);
	return true;
}

static bool newest_names_of_a_thread_are_kept(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	char name[8];

	for (u32 i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		comm(procs, 5, i, name, false);
	}
	CHECK(!strcmp(lw_process_maps_comm(procs, 5, 2000), "n1000"));
	CHECK(!strcmp(lw_process_maps_comm(procs, 5, 900), "n900"));
	CHECK(strcmp(lw_process_maps_comm(procs, 5, 1), "n1"));
	lw_process_maps_free(procs);
	return true;
}

static bool short_records_are_skipped(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	union record record = { 0 };

	for (u32 type = 0; type < 32; type++) {
		for (u16 size = 8; size < 120; size++) {
			memset(&record, 0xff, sizeof(record));
			record.header.type = type;
			record.header.size = size;
			CHECK(!lw_process_maps_record(procs, &record.header));
		}
	}
	lw_process_maps_free(procs);
	return true;
}

/* As of who loads and unloads a library for days, and another time elsewhere. */
static bool mappings_of_the_past_are_dropped(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	u64 time = 0;

	mmap2(procs, 1, 10, 0x100000, 0x1000, "/stays");
	for (u32 i = 0; i < 100000; i++) {
		time += NSEC_PER_SEC / 20;
		mmap2(procs, 1, time, 0x1000 + 0x1000 * (i % 4), 0x2000, i % 2 ? "/odd" : "/even");
		CHECK(lw_process_maps_nr(procs, 1, time) <= 4096);
	}
	CHECK(mapped(procs, 1, time, 0x100800, "/stays"));
	CHECK(mapped(procs, 1, time, 0x5800, "/odd") && mapped(procs, 1, time, 0x4800, "/odd"));
	/* who asks of a while ago gets the answer of then */
	for (u32 i = 99999; i > 99999 - 590; i--, time -= NSEC_PER_SEC / 20)
		CHECK(mapped(procs, 1, time, 0x1800 + 0x1000 * (i % 4), i % 2 ? "/odd" : "/even"));
	lw_process_maps_free(procs);
	return true;
}

/* It has what its parent had when it was forked, whatever became of that. */
static bool mappings_of_children_stay(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	u64 time = 0;

	mmap2(procs, 1, 10, 0x1000, 0x1000, "/then");
	task(procs, PERF_RECORD_FORK, 2, 1, 20);
	for (u32 i = 0; i < 10000; i++) {
		time += NSEC_PER_SEC / 20;
		mmap2(procs, 1, time, 0x1000, 0x1000, "/now");
	}
	CHECK(mapped(procs, 2, time, 0x1800, "/then") && mapped(procs, 1, time, 0x1800, "/now"));
	lw_process_maps_free(procs);
	return true;
}

static bool mappings_have_a_limit(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	u64 last = 0x1000;

	for (u32 i = 0; i < 300000; i++, last += 0x1000)
		mmap2(procs, 1, 10 + i, last, 0x1000, "/one");
	CHECK(lw_process_maps_nr(procs, 1, 1000000) < 131072);
	CHECK(lw_process_maps_nr(procs, 1, 1000000) > 65536);
	CHECK(mapped(procs, 1, 1000000, last - 1, "/one"));
	CHECK(mapped(procs, 1, 1000000, 0x1800, NULL));
	lw_process_maps_free(procs);
	return true;
}

/* In a program that makes code for days its own is where it was. */
static bool the_program_itself_stays(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	u64 start = 100 * NSEC_PER_SEC, time = start + 2 * NSEC_PER_SEC;

	task(procs, PERF_RECORD_FORK, 2, 1, start);
	comm(procs, 2, start + 5, "program", true);
	mmap2(procs, 2, start + 10, 0x1000, 0x1000, "/program");
	mmap2(procs, 2, start + NSEC_PER_SEC / 2, 0x2000, 0x1000, "/library");
	for (u32 i = 0; i < 300000; i++)
		mmap2(procs, 2, ++time, 0x10000 + i * 0x1000ULL, 0x1000, "/made");
	CHECK(lw_process_maps_nr(procs, 2, time) < 131072);
	CHECK(mapped(procs, 2, time, 0x1800, "/program"));
	CHECK(mapped(procs, 2, time, 0x2800, "/library"));
	CHECK(mapped(procs, 2, time, 0x10800, NULL));
	CHECK(mapped(procs, 2, time, 0x10000 + 299999 * 0x1000ULL, "/made"));
	lw_process_maps_free(procs);
	return true;
}

/* Does what is known of an address of the process hold? */
static bool holds(struct lw_process_maps *procs, u32 pid, u64 *count)
{
	u64 before = *count;

	*count = lw_process_maps_change(procs, pid)->count;
	return *count == before;
}

static bool what_is_known_holds_until_the_process_changes(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	u64 one = 0, two = 0, all;

	mmap2(procs, 1, 10, 0x1000, 0x1000, "/a");
	CHECK(!holds(procs, 1, &one) && holds(procs, 2, &two));
	CHECK(lw_process_maps_change(procs, 1)->time == 10);
	all = lw_process_maps_all_changes(procs);
	/* names, threads and ends change no mapping */
	comm(procs, 1, 20, "name", false);
	task(procs, PERF_RECORD_FORK, 1, 1, 21);
	task(procs, PERF_RECORD_EXIT, 1, 1, 22);
	CHECK(holds(procs, 1, &one) && lw_process_maps_all_changes(procs) == all);
	task(procs, PERF_RECORD_FORK, 2, 1, 30);
	CHECK(holds(procs, 1, &one) && !holds(procs, 2, &two));
	comm(procs, 2, 40, "two", true);
	CHECK(holds(procs, 1, &one) && !holds(procs, 2, &two));
	mmap2(procs, 2, 50, 0x1000, 0x1000, "/b");
	CHECK(holds(procs, 1, &one) && !holds(procs, 2, &two));
	CHECK(lw_process_maps_change(procs, 2)->time == 50 &&
	      lw_process_maps_all_changes(procs) > all);
	/* one that is read late is no younger */
	mmap2(procs, 2, 45, 0x2000, 0x1000, "/c");
	CHECK(!holds(procs, 2, &two) && lw_process_maps_change(procs, 2)->time == 50);
	lw_process_maps_free(procs);
	return true;
}

static bool what_is_known_of_the_forgotten_does_not_hold(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	u64 one = 0, all;

	mmap2(procs, 1, 10, 0x1000, 0x1000, "/a");
	task(procs, PERF_RECORD_EXIT, 1, 1, 20);
	holds(procs, 1, &one);
	all = lw_process_maps_all_changes(procs);
	for (u32 i = 0; i < 1024; i++)
		task(procs, PERF_RECORD_EXIT, 2, 2, 100 * NSEC_PER_SEC);
	CHECK(mapped(procs, 1, 100 * NSEC_PER_SEC, 0x1800, NULL));
	CHECK(!holds(procs, 1, &one) && lw_process_maps_all_changes(procs) > all);
	lw_process_maps_free(procs);
	return true;
}

static bool has_dump(struct lw_process_maps *procs, u32 pid, u64 time, const char *path)
{
	const struct lw_map *map = lw_process_maps_dump(procs, pid, time);

	if (!map || !path)
		return !map && !path;
	return !strcmp(map->path, path);
}

static bool a_program_s_dump_is_the_last_that_it_has_mapped(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	mmap2(procs, 1, 10, 0x1000, 0x1000, "/lib/jit-1.dump.so");
	map_as(procs, PERF_RECORD_MISC_MMAP_DATA, 1, 11, 0x2000, 0x1000, "/tmp/jit-2.dump");
	CHECK(has_dump(procs, 1, 15, NULL));
	mmap2(procs, 1, 20, 0x3000, 0x1000, "/tmp/jit-1.dump");
	mmap2(procs, 1, 18, 0x4000, 0x1000, "/old/jit-1.dump");
	CHECK(has_dump(procs, 1, 15, "/tmp/jit-1.dump") && has_dump(procs, 2, 25, NULL));
	mmap2(procs, 1, 30, 0x5000, 0x1000, "/new/jit-1.dump");
	CHECK(has_dump(procs, 1, 35, "/new/jit-1.dump"));
	/* another program follows */
	comm(procs, 1, 40, "next", true);
	CHECK(has_dump(procs, 1, 45, NULL) && has_dump(procs, 1, 35, "/new/jit-1.dump"));
	lw_process_maps_free(procs);
	return true;
}

static bool a_program_that_is_told_of_late_takes_its_dump_over(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	mmap2(procs, 1, 5, 0x1000, 0x1000, "/a");
	mmap2(procs, 1, 20, 0x3000, 0x1000, "/tmp/jit-1.dump");
	comm(procs, 1, 30, "next", true);
	comm(procs, 1, 10, "first", true);
	CHECK(has_dump(procs, 1, 25, "/tmp/jit-1.dump"));
	CHECK(has_dump(procs, 1, 7, NULL) && has_dump(procs, 1, 35, NULL));
	lw_process_maps_free(procs);
	return true;
}

static bool a_child_has_the_dump_that_its_parent_had_at_the_fork(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	task(procs, PERF_RECORD_FORK, 2, 1, 5);
	mmap2(procs, 1, 10, 0x1000, 0x1000, "/tmp/jit-1.dump");
	task(procs, PERF_RECORD_FORK, 3, 1, 20);
	task(procs, PERF_RECORD_FORK, 4, 3, 30);
	CHECK(has_dump(procs, 2, 40, NULL));
	CHECK(has_dump(procs, 3, 40, "/tmp/jit-1.dump"));
	CHECK(has_dump(procs, 4, 40, "/tmp/jit-1.dump"));
	mmap2(procs, 4, 50, 0x1000, 0x1000, "/tmp/jit-4.dump");
	CHECK(has_dump(procs, 4, 60, "/tmp/jit-4.dump"));
	CHECK(has_dump(procs, 3, 60, "/tmp/jit-1.dump"));
	lw_process_maps_free(procs);
	return true;
}

static bool an_address_has_a_dump_if_its_code_was_made(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();
	struct lw_user_address address = { .pid = 1, .time = 40, .ip = 0x1800 };

	comm(procs, 1, 5, "name", true);
	mmap2(procs, 1, 10, 0x1000, 0x1000, "/a");
	mmap2(procs, 1, 20, 0x3000, 0x1000, "/tmp/jit-1.dump");
	mmap2(procs, 1, 30, 0x5000, 0x1000, "//anon");
	lw_process_maps_locate(procs, &address);
	CHECK(address.began == 5 && address.map && !strcmp(address.map->path, "/a"));
	CHECK(!address.dump);
	address.ip = 0x5800;
	lw_process_maps_locate(procs, &address);
	CHECK(address.began == 5 && address.map && !strcmp(address.map->path, "//anon"));
	CHECK(address.dump && !strcmp(address.dump->path, "/tmp/jit-1.dump"));
	address.ip = 0x9000;
	lw_process_maps_locate(procs, &address);
	CHECK(!address.map && address.dump);
	lw_process_maps_free(procs);
	return true;
}

static bool is_made(const char *path)
{
	const struct lw_map map = { .path = (char *)path };

	return lw_map_is_made(&map);
}

static bool memory_without_a_file_is_told_by_its_name(void)
{
	static const char * const made[] = {
		"//anon", "/dev/zero", "/dev/zero (deleted)", "/memfd:code", "[heap]", "[stack]",
		"[stack:12]", "/anon_hugepage", "[anon:code]", "anon_inode:[perf_event]",
	};
	static const char * const files[] = {
		"", "/", "/m", "[", "[vdso]", "/usr/bin/true", "/dev/shm/file", "/mem/file",
		"/anon", "/data/file", "//file", "[hea", "anon",
	};

	for (u32 i = 0; i < ARRAY_SIZE(made); i++)
		CHECK(is_made(made[i]));
	for (u32 i = 0; i < ARRAY_SIZE(files); i++)
		CHECK(!is_made(files[i]));
	CHECK(lw_map_is_made(NULL));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(younger_mapping_hides_the_older_from_its_time_on),
		TEST(child_has_what_its_parent_had_at_the_fork),
		TEST(exec_drops_all_from_its_time_on),
		TEST(order_of_reading_does_not_matter),
		TEST(pid_used_again_is_another_process),
		TEST(ended_processes_are_forgotten_but_not_what_children_need),
		TEST(newest_names_of_a_thread_are_kept),
		TEST(short_records_are_skipped),
		TEST(mappings_of_the_past_are_dropped),
		TEST(mappings_of_children_stay),
		TEST(mappings_have_a_limit),
		TEST(the_program_itself_stays),
		TEST(what_is_known_holds_until_the_process_changes),
		TEST(what_is_known_of_the_forgotten_does_not_hold),
		TEST(a_program_s_dump_is_the_last_that_it_has_mapped),
	TEST(a_program_that_is_told_of_late_takes_its_dump_over),
	TEST(a_child_has_the_dump_that_its_parent_had_at_the_fork),
	TEST(an_address_has_a_dump_if_its_code_was_made),
	TEST(memory_without_a_file_is_told_by_its_name),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
