// SPDX-License-Identifier: GPL-2.0
/*
 * code_supply_test.c - which process gets rows of which jitdump, and when.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/jit_unwind.h"
#include "tables/code_supply.h"
#include "tests/tap.h"

#define PAGE		4096
#define CODE		0x7f0000001000ULL
#define MEMORY		77
#define PATIENCE	(10 * NSEC_PER_SEC)
/* Some looks of the supply. */
#define A_WHILE_MS	300

/* A CIE and an FDE of 16 bytes of code in front of them; .eh_frame_hdr. */
static const u8 unwind_data[] = {
	20, 0, 0, 0,  0, 0, 0, 0,  1, 'z', 'R', 0,  1, 0x78, 16,  1, 0x1b,
	0x0c, 7, 8,  0x90, 1,  0, 0,
	16, 0, 0, 0,  28, 0, 0, 0,  0xd0, 0xff, 0xff, 0xff,  16, 0, 0, 0,  0,  0, 0, 0,
	0, 0, 0, 0,
	1, 0x1b, 0x03, 0x3b,
};

#define CODE_SIZE	16

/* What a sink was called with, and says to it. */
struct calls {
	pthread_mutex_t lock;
	u32 found;			/* when the mapping was looked for last */
	u32 numbered;			/* when the memory was numbered */
	struct lw_code last;
	u32 nr, nr_numbered, nr_rows, nr_drops;
	u32 nr_good;			/* of @nr_rows, to which it has said yes */
	int says, says_to_rows, says_to_drops;
	u32 now;
};

static char dir[40] = "/tmp/code-supply-test-XXXXXX";
static char path[80];
static u8 *mapped;
static int dump = -1;

static int add(void *ctx, struct lw_code *code)
{
	struct calls *calls = ctx;
	int ret = calls->says;

	pthread_mutex_lock(&calls->lock);
	calls->last = *code;
	calls->nr++;
	calls->nr_rows += !!code->len;
	calls->nr_drops += code->text_size && !code->len;
	if (!code->text_size) {
		calls->nr_numbered++;
		calls->numbered = ++calls->now;
		code->memory = MEMORY;
	}
	if (code->len && !ret)
		ret = calls->says_to_rows;
	calls->nr_good += code->len && !ret;
	if (code->text_size && !code->len && !ret)
		ret = calls->says_to_drops;
	pthread_mutex_unlock(&calls->lock);
	return ret;
}

static bool find(void *ctx, struct lw_mapping *map, char *to)
{
	struct calls *calls = ctx;
	struct stat st;

	pthread_mutex_lock(&calls->lock);
	calls->found = ++calls->now;
	pthread_mutex_unlock(&calls->lock);
	if (!mapped || map->start != (uintptr_t)mapped || fstat(dump, &st))
		return false;
	map->end = map->start + PAGE;
	map->dev = st.st_dev;
	map->ino = st.st_ino;
	snprintf(to, PATH_MAX, "%s", path);
	return true;
}

static bool put(const void *bytes, size_t size)
{
	return write(dump, bytes, size) == (ssize_t)size;
}

static bool put_header(u32 pid)
{
	const struct lw_jit_dump_header header = {
		.magic = LW_JIT_DUMP_MAGIC, .version = 1, .size = sizeof(header), .pid = pid,
		.machine = EM_X86_64, .time = lw_now(),
	};

	return put(&header, sizeof(header));
}

static bool begin_dump(u32 pid)
{
	dump = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0);
	return mapped != MAP_FAILED && put_header(pid);
}

static void end_dump(void)
{
	munmap(mapped, PAGE);
	close(dump);
	mapped = NULL;
}

static bool tell_code(u32 pid, u64 start, bool with_rows)
{
	const struct lw_jit_dump_load load = {
		.record = { .type = LW_JIT_DUMP_LOAD, .size = sizeof(load) + 4 + CODE_SIZE },
		.pid = pid, .tid = pid, .vma = start, .start = start, .size = CODE_SIZE,
	};
	const struct lw_jit_dump_unwind unwind = {
		.record = { .type = LW_JIT_DUMP_UNWIND,
			    .size = sizeof(unwind) + sizeof(unwind_data) },
		.unwind_size = sizeof(unwind_data), .header_size = 4,
	};
	static const u8 code[CODE_SIZE];

	if (with_rows && !(put(&unwind, sizeof(unwind)) && put(unwind_data, sizeof(unwind_data))))
		return false;
	return put(&load, sizeof(load)) && put("jit", 4) && put(code, sizeof(code));
}

/* As the side-band tells of the mapping. */
static void tell_mapping_at(struct lw_code_supply *supply, const char *name, u32 prot,
			    const void *addr)
{
	union {
		struct lw_mmap2 map;
		u8 bytes[sizeof(struct lw_mmap2) + 128];
	} record = {};

	record.map.header.type = PERF_RECORD_MMAP2;
	record.map.header.size = sizeof(record);
	record.map.pid = getpid();
	record.map.addr = (uintptr_t)addr;
	record.map.len = PAGE;
	record.map.prot = prot;
	strcpy(record.map.filename, name);
	lw_code_supply_record(supply, &record.map.header);
}

static void tell_mapping(struct lw_code_supply *supply, const char *name, u32 prot)
{
	tell_mapping_at(supply, name, prot, mapped);
}

static struct lw_code_supply *start(struct calls *calls)
{
	const struct lw_code_sink sink = { .ctx = calls, .add = add, .find = find };
	struct lw_code_supply *supply = NULL;

	memset(calls, 0, sizeof(*calls));
	pthread_mutex_init(&calls->lock, NULL);
	return lw_code_supply_start(&supply, &sink) ? NULL : supply;
}

static u32 get(struct calls *calls, const u32 *counter)
{
	u32 value;

	pthread_mutex_lock(&calls->lock);
	value = *counter;
	pthread_mutex_unlock(&calls->lock);
	return value;
}

static bool reaches(struct calls *calls, const u32 *counter, u32 value)
{
	const u64 until = lw_now() + PATIENCE;

	while (get(calls, counter) < value && lw_now() < until)
		poll(NULL, 0, 5);
	return get(calls, counter) >= value;
}

/* Return: whether a counter gets there, and stays. */
static bool becomes(struct calls *calls, const u32 *counter, u32 value)
{
	if (!reaches(calls, counter, value))
		return false;
	poll(NULL, 0, A_WHILE_MS);
	return get(calls, counter) == value;
}

/* Return: whether the supply asks for a mapping once more: one that is gone ends its dump. */
static bool looks_again(struct calls *calls)
{
	return reaches(calls, &calls->found, get(calls, &calls->found) + 1);
}

static bool rows_come_as_code_does(void)
{
	struct lw_code_supply_stats stats;
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	CHECK(tell_code(getpid(), CODE, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr_rows, 1));
	CHECK(calls.nr_numbered == 1 && calls.found > calls.numbered);
	CHECK(calls.last.pid == getpid() && calls.last.memory == MEMORY &&
	      calls.last.text_start == CODE && calls.last.text_size == CODE_SIZE);
	CHECK(tell_code(getpid(), CODE + 64, true));
	CHECK(becomes(&calls, &calls.nr_rows, 2));
	/* code without rows, where there may have been other code */
	CHECK(tell_code(getpid(), CODE, false));
	CHECK(becomes(&calls, &calls.nr_drops, 1));
	CHECK(calls.last.text_start == CODE && calls.nr == 4);
	lw_code_supply_stats(supply, &stats);
	CHECK(stats.pieces == 2 && !stats.refused && !stats.error);
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

static bool rows_that_are_refused_leave_none(void)
{
	struct lw_code_supply_stats stats;
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	calls.says_to_rows = -ENOSPC;
	CHECK(tell_code(getpid(), CODE, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr_drops, 1));
	CHECK(calls.nr_rows == 1);
	lw_code_supply_stats(supply, &stats);
	CHECK(!stats.pieces && stats.refused == 1 && !stats.error);
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

/* A notifier has its price: a process gets none for a dump that has nothing for us. */
static bool processes_without_rows_are_left_alone(void)
{
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	CHECK(tell_code(getpid(), CODE, false));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr, 0));
	/* the dump of another one */
	end_dump();
	CHECK(begin_dump(getpid() + 1));
	CHECK(tell_code(getpid() + 1, CODE, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr, 0));
	/* what is not said to be one */
	end_dump();
	CHECK(begin_dump(getpid()));
	CHECK(tell_code(getpid(), CODE, true));
	tell_mapping(supply, path, PROT_READ);
	tell_mapping(supply, "/tmp/other.dump", PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr, 0));
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

static bool another_program_gets_no_rows(void)
{
	struct lw_code_supply_stats stats;
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	CHECK(tell_code(getpid(), CODE, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr_rows, 1));
	calls.says = -ESRCH;
	CHECK(tell_code(getpid(), CODE, true));
	CHECK(becomes(&calls, &calls.nr_rows, 2));
	/* it is not asked again */
	CHECK(tell_code(getpid(), CODE, true));
	CHECK(becomes(&calls, &calls.nr_rows, 2));
	lw_code_supply_stats(supply, &stats);
	CHECK(stats.pieces == 1 && !stats.refused && !stats.error);
	/* nor where the mapping is gone */
	calls.says = 0;
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr_rows, 5));
	munmap(mapped, PAGE);
	mapped = NULL;
	CHECK(looks_again(&calls));
	CHECK(tell_code(getpid(), CODE, true));
	CHECK(becomes(&calls, &calls.nr_rows, 5));
	close(dump);
	lw_code_supply_free(supply);
	return true;
}

/* Of two mappings that are told of before a look the last one counts. */
static bool the_last_mapping_counts(void)
{
	struct calls calls;
	struct lw_code_supply *supply;
	void *first;

	CHECK(begin_dump(getpid()) && tell_code(getpid(), CODE, true));
	first = mapped;
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0);
	CHECK(mapped != MAP_FAILED);
	supply = start(&calls);
	CHECK(supply);
	/* the supply may have taken the first one, and looks no further */
	pthread_mutex_lock(&calls.lock);
	tell_mapping_at(supply, path, PROT_EXEC, first);
	tell_mapping_at(supply, path, PROT_EXEC, first);
	tell_mapping_at(supply, path, PROT_EXEC, mapped);
	pthread_mutex_unlock(&calls.lock);
	CHECK(becomes(&calls, &calls.nr_rows, 1));
	munmap(first, PAGE);
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

/* The memory's lock may be held for long; nothing is lost by that. */
static bool what_is_not_now_comes_later(void)
{
	struct lw_code_supply_stats stats;
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	calls.says = -EAGAIN;
	CHECK(tell_code(getpid(), CODE, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(looks_again(&calls) && looks_again(&calls) && !get(&calls, &calls.nr_good));
	calls.says = 0;
	CHECK(becomes(&calls, &calls.nr_good, 1));
	calls.says_to_rows = -EAGAIN;
	CHECK(tell_code(getpid(), CODE + 64, true));
	CHECK(looks_again(&calls) && looks_again(&calls) && looks_again(&calls));
	CHECK(get(&calls, &calls.nr_good) == 1);
	calls.says_to_rows = 0;
	/* from the dump's begin, over what was there */
	CHECK(becomes(&calls, &calls.nr_good, 3));
	lw_code_supply_stats(supply, &stats);
	CHECK(!stats.refused && !stats.error);
	/* nor does a piece keep the rows of what was there before */
	calls.says_to_rows = -ENOSPC;
	calls.says_to_drops = -EAGAIN;
	CHECK(tell_code(getpid(), CODE + 128, true));
	CHECK(reaches(&calls, &calls.nr_drops, 2));
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

static bool who_may_not_is_told(void)
{
	struct lw_code_supply_stats stats;
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	calls.says = -EPERM;
	CHECK(tell_code(getpid(), CODE, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr, 1));
	lw_code_supply_stats(supply, &stats);
	CHECK(stats.error == -EPERM && !stats.pieces);
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

/* Written over in place. */
static bool a_dump_that_begins_anew_is_read_anew(void)
{
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	CHECK(tell_code(getpid(), CODE, true) && tell_code(getpid(), CODE + 64, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr_rows, 2));
	CHECK(!ftruncate(dump, 0) && !lseek(dump, 0, SEEK_SET) && put_header(getpid()));
	CHECK(tell_code(getpid(), CODE + 128, true) && tell_code(getpid(), CODE + 192, true) &&
	      tell_code(getpid(), CODE + 256, true));
	CHECK(becomes(&calls, &calls.nr_rows, 5));
	CHECK(calls.nr_numbered == 1 && calls.last.text_start == CODE + 256);
	/* and by another program, which has mapped it */
	end_dump();
	CHECK(looks_again(&calls) && begin_dump(getpid()));
	CHECK(tell_code(getpid(), CODE + 320, true));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr_rows, 6));
	CHECK(calls.nr_numbered == 2 && calls.last.text_start == CODE + 320);
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

static bool an_empty_dump_is_waited_for(void)
{
	struct calls calls;
	struct lw_code_supply *supply = start(&calls);

	CHECK(supply && begin_dump(getpid()));
	CHECK(!ftruncate(dump, 0) && !lseek(dump, 0, SEEK_SET));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(becomes(&calls, &calls.nr, 0));
	end_dump();
	CHECK(begin_dump(getpid()));
	tell_mapping(supply, path, PROT_EXEC);
	CHECK(tell_code(getpid(), CODE, true));
	CHECK(becomes(&calls, &calls.nr_rows, 1));
	end_dump();
	lw_code_supply_free(supply);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(rows_come_as_code_does),
		TEST(rows_that_are_refused_leave_none),
		TEST(processes_without_rows_are_left_alone),
		TEST(another_program_gets_no_rows),
		TEST(the_last_mapping_counts),
		TEST(what_is_not_now_comes_later),
		TEST(who_may_not_is_told),
		TEST(a_dump_that_begins_anew_is_read_anew),
		TEST(an_empty_dump_is_waited_for),
	};
	int ret;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	ret = tap_run(tests, ARRAY_SIZE(tests));
	unlink(path);
	rmdir(dir);
	return ret;
}
