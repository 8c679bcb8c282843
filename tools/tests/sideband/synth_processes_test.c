// SPDX-License-Identifier: GPL-2.0
/*
 * synth_processes_test.c - what ran before a recording: all of each process, whoever tells of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "device/task_list.h"
#include "sideband/synth_processes.h"
#include "tests/tap.h"

/* Checking kernels, where this runs too, take a second for ten. */
#ifdef LW_NEED_MODULE
#define NR_CHILDREN	60
#else
#define NR_CHILDREN	150
#endif

static pid_t children[NR_CHILDREN];

/* Records of one process, one behind the other. */
struct told {
	u8 *bytes;
	size_t used, room;
	pid_t pid;		/* 0: of any */
	u32 calls, at_once, most_at_once;
	u32 stop_after;		/* records; 0: never */
};

static int take(void *ctx, const struct perf_event_header *record)
{
	struct told *told = ctx;
	u32 pid;

	/* Two at once would be seen here, now and then. */
	if (__atomic_add_fetch(&told->at_once, 1, __ATOMIC_RELAXED) > 1)
		told->most_at_once++;
	told->calls++;
	memcpy(&pid, record + 1, sizeof(pid));
	if (!told->pid || pid == (u32)told->pid) {
		if (lw_grow((void **)&told->bytes, &told->room, told->used + record->size, 1))
			return -ENOMEM;
		memcpy(told->bytes + told->used, record, record->size);
		told->used += record->size;
	}
	__atomic_sub_fetch(&told->at_once, 1, __ATOMIC_RELAXED);
	return told->stop_after && told->calls >= told->stop_after ? -ENOSPC : 0;
}

static void *stand_still(void *name)
{
	prctl(PR_SET_NAME, name);
	for (;;)
		pause();
	return NULL;
}

/* Threads, names, and namespaces for who may have their own. */
static void be_different(int i)
{
	pthread_t thread;
	char name[16];

	snprintf(name, sizeof(name), "child %d", i);
	prctl(PR_SET_NAME, name);
	if (i % 10 == 3)
		(void)!unshare(i % 20 == 3 ? CLONE_NEWUTS : CLONE_NEWNET | CLONE_NEWIPC);
	for (int j = 0; i % 10 == 7 && j < 5; j++) {
		/* it has its name before anybody looks */
		prctl(PR_SET_NAME, "of many");
		pthread_create(&thread, NULL, stand_still, "of many");
	}
	prctl(PR_SET_NAME, name);
}

static bool start_children(void)
{
	int begun[2];
	char byte;

	if (pipe(begun))
		return false;
	for (int i = 0; i < NR_CHILDREN; i++) {
		children[i] = fork();
		if (children[i] < 0)
			return false;
		if (children[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		be_different(i);
		for (int j = 0; j < i % 20; j++)
			mmap(NULL, 4096, j % 2 ? PROT_READ | PROT_EXEC : PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (write(begun[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	for (int i = 0; i < NR_CHILDREN; i++) {
		if (read(begun[0], &byte, 1) != 1)
			return false;
	}
	close(begun[0]);
	close(begun[1]);
	return true;
}

static void end_children(void)
{
	for (int i = 0; i < NR_CHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

/* What is told of one of them alone. */
static bool tell_of(pid_t pid, struct told *told, bool data)
{
	struct lw_synth *synth = lw_synth_new(take, told);
	int ret;

	if (!synth)
		return false;
	if (data)
		lw_synth_also_data(synth);
	ret = lw_synth_process(synth, pid);
	lw_synth_free(synth);
	return !ret;
}

/* Else it would be compared with itself. */
static bool tasks_are_told_of_by_the_module(void)
{
	struct lw_tasks tasks = { 0 };
	int ret = lw_tasks_read(&tasks);
	size_t at = 0, nr = 0;

	if (ret) {
		lw_tasks_free(&tasks);
#ifdef LW_NEED_MODULE
		return false;
#else
		printf("# not here: %s\n", strerror(-ret));
		return true;
#endif
	}
	while (at < tasks.nr) {
		size_t next = at + lw_tasks_of_process(&tasks, at);

		nr++;
		CHECK(tasks.all[at].tid == tasks.all[at].pid);
		for (size_t i = at + 1; i < next; i++)
			CHECK(tasks.all[i].pid == tasks.all[at].pid &&
			      tasks.all[i].tid != tasks.all[at].tid);
		at = next;
	}
	CHECK(at == tasks.nr && nr > NR_CHILDREN);
	lw_tasks_free(&tasks);
	return true;
}

static bool all_is_each(bool data)
{
	struct told all = { 0 }, one = { 0 };
	struct lw_synth *synth = lw_synth_new(take, &all);

	CHECK(synth);
	if (data)
		lw_synth_also_data(synth);
	CHECK(!lw_synth_all(synth));
	lw_synth_free(synth);
	CHECK(!all.most_at_once);
	for (int i = 0; i < NR_CHILDREN; i++) {
		bool found = false;

		one.used = 0;
		CHECK(tell_of(children[i], &one, data) && one.used > 200);
		for (size_t at = 0; !found && at + one.used <= all.used;) {
			const struct perf_event_header *record = (const void *)(all.bytes + at);

			found = !memcmp(all.bytes + at, one.bytes, one.used);
			at += record->size;
		}
		CHECK(found);
	}
	free(all.bytes);
	free(one.bytes);
	return true;
}

static bool all_processes_are_told_of_as_each_is(void)
{
	return all_is_each(false) && all_is_each(true);
}

static u32 count_maps(const struct told *told, u32 misc, u32 prot)
{
	u32 nr = 0;

	for (size_t at = 0; at < told->used;) {
		const struct lw_mmap2 *map = (const void *)(told->bytes + at);

		nr += map->header.type == PERF_RECORD_MMAP2 &&
		      (map->header.misc & PERF_RECORD_MISC_MMAP_DATA) == misc &&
		      map->prot == prot;
		at += map->header.size;
	}
	return nr;
}

static bool data_is_told_of_where_it_is_wanted(void)
{
	void *data = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *none = mmap(NULL, 4096, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct told code = { 0 }, all = { 0 };

	CHECK(data != MAP_FAILED && none != MAP_FAILED);
	CHECK(tell_of(getpid(), &code, false) && tell_of(getpid(), &all, true));
	CHECK(!count_maps(&code, PERF_RECORD_MISC_MMAP_DATA, PROT_READ));
	CHECK(count_maps(&code, 0, PROT_READ | PROT_EXEC) > 2);
	CHECK(count_maps(&all, PERF_RECORD_MISC_MMAP_DATA, PROT_READ) > 2);
	CHECK(count_maps(&all, PERF_RECORD_MISC_MMAP_DATA, PROT_READ | PROT_WRITE) > 2);
	CHECK(!count_maps(&all, PERF_RECORD_MISC_MMAP_DATA, 0));
	CHECK(count_maps(&all, 0, PROT_READ | PROT_EXEC) ==
	      count_maps(&code, 0, PROT_READ | PROT_EXEC));
	munmap(data, 4096);
	munmap(none, 4096);
	free(code.bytes);
	free(all.bytes);
	return true;
}

static bool whoever_takes_records_ends_it(void)
{
	struct told told = { .stop_after = 100 };
	struct lw_synth *synth = lw_synth_new(take, &told);

	CHECK(synth && lw_synth_all(synth) == -ENOSPC);
	CHECK(told.calls == 100);
	lw_synth_free(synth);
	free(told.bytes);
	return true;
}

static bool process_that_is_not_there_is_no_error(void)
{
	struct told told = { 0 };

	CHECK(tell_of(0x7ffffff0, &told, false) && !told.calls);
	return true;
}

struct ksymbol {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[];
};

static int tell_module(struct told *told, u16 flags, u8 id_size)
{
	struct lw_module module = {
		.record = { sizeof(module), LW_RECORD_MODULE, flags },
		.time = 12345,
		.addr = 0xffffffffc0001000,
		.text_size = 0x3000,
		.build_id_size = id_size,
		.build_id = { 1, 2, 3 },
		.name = "lw_no_such_module",
	};
	struct lw_synth *synth = lw_synth_new(take, told);
	int ret = synth ? lw_synth_module(synth, &module) : -ENOMEM;

	lw_synth_free(synth);
	return ret;
}

static u64 time_of(const struct perf_event_header *record)
{
	const struct lw_sample_id *id =
		(const void *)((const u8 *)record + record->size - sizeof(*id));

	return id->time;
}

static bool modules_are_told_of_when_they_come_and_go(void)
{
	struct told told = { 0 };
	const struct lw_mmap2 *map;
	const struct ksymbol *gone;

	CHECK(!tell_module(&told, 0, 20) && told.calls == 1);
	map = (const void *)told.bytes;
	CHECK(map->header.type == PERF_RECORD_MMAP2 && map->pid == ~0U);
	CHECK((map->header.misc & 7) == PERF_RECORD_MISC_KERNEL);
	CHECK(map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && map->build_id_size == 20);
	CHECK(!memcmp(map->build_id, "\1\2\3\0", 4));
	CHECK(map->addr == 0xffffffffc0001000 && map->len == 0x3000 && !map->pgoff);
	CHECK(!strcmp(map->filename, "[lw_no_such_module]") && time_of(&map->header) == 12345);

	told.used = 0;
	CHECK(!tell_module(&told, LW_MODULE_INIT, 0));
	map = (const void *)told.bytes;
	CHECK(!strcmp(map->filename, "[lw_no_such_module].init.text"));
	CHECK(!(map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID));

	told.used = 0;
	CHECK(!tell_module(&told, LW_MODULE_GONE, 20));
	gone = (const void *)told.bytes;
	CHECK(gone->header.type == PERF_RECORD_KSYMBOL && gone->flags == 1 && gone->type == 2);
	CHECK(gone->addr == 0xffffffffc0001000 && gone->len == 0x3000);
	CHECK(!strcmp(gone->name, "[lw_no_such_module]") && time_of(&gone->header) == 12345);
	free(told.bytes);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(tasks_are_told_of_by_the_module),
		TEST(all_processes_are_told_of_as_each_is),
		TEST(data_is_told_of_where_it_is_wanted),
		TEST(whoever_takes_records_ends_it),
		TEST(process_that_is_not_there_is_no_error),
		TEST(modules_are_told_of_when_they_come_and_go),
	};
	int ret;

	if (!start_children())
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	end_children();
	return ret;
}
