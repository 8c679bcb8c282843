// SPDX-License-Identifier: GPL-2.0
/*
 * jit_perf_map_test.c - what is taken for a name of code that a process has made, and
 * from whom.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/jit_names.h"
#include "tests/tap.h"

static char path[64];
/* When the program began whose names are asked for. */
static u64 began;

static bool put(const char *mode, const char *text)
{
	FILE *file = fopen(path, mode);

	if (!file)
		return false;
	fputs(text, file);
	return !fclose(file);
}

static const char *ask(struct lw_jit_names *names, u32 pid, u64 ip, u64 *offset,
		       const char **file)
{
	const struct lw_jit_address address = {
		.pid = pid, .began = began, .time = lw_now(), .ip = ip,
	};

	return lw_jit_names_find(names, &address, offset, file);
}

/* As the tool asks, but for a file that was just looked at: once more after a while. */
static const char *name_at(struct lw_jit_names *names, u64 ip, u64 *offset)
{
	const char *file, *name = ask(names, getpid(), ip, offset, &file);

	if (!name) {
		usleep(150000);
		name = ask(names, getpid(), ip, offset, &file);
	}
	if (name && strcmp(file, path))
		return NULL;
	return name;
}

static bool is_named(struct lw_jit_names *names, u64 ip, const char *name, u64 offset)
{
	u64 got = ~0ULL;
	const char *found = name_at(names, ip, &got);

	if (!name)
		return !found;
	return found && !strcmp(found, name) && got == offset;
}

static bool takes_the_lines_that_make_sense(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);

	CHECK(put("w", "1000 10 first\n"
		  "0x2000 0x20 with 0x and blanks (a, b)\n"
		  "not a line\n"
		  "3000\n"
		  "3000 10\n"
		  "3000 0 empty\n"
		  "ffffffffffffff00 1000 round the end\n"));
	CHECK(is_named(names, 0x1000, "first", 0));
	CHECK(is_named(names, 0x100f, "first", 15));
	CHECK(is_named(names, 0x1010, NULL, 0));
	CHECK(is_named(names, 0xfff, NULL, 0));
	CHECK(is_named(names, 0x2004, "with 0x and blanks (a, b)", 4));
	CHECK(is_named(names, 0x3000, NULL, 0));
	CHECK(is_named(names, 0xffffffffffffff80ULL, NULL, 0));
	lw_jit_names_free(names);
	return true;
}

static bool goes_by_the_last_line(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);

	CHECK(put("w", "5000 10 old\n5000 8 new\n"));
	CHECK(is_named(names, 0x5004, "new", 4));
	lw_jit_names_free(names);
	return true;
}

static bool reads_on_as_the_file_grows(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);

	CHECK(put("w", "1000 10 first\n4000 10 last"));
	CHECK(is_named(names, 0x1000, "first", 0));
	CHECK(is_named(names, 0x4000, NULL, 0));
	CHECK(put("a", " one\n6000 10 more\n"));
	CHECK(is_named(names, 0x4001, "last one", 1));
	CHECK(is_named(names, 0x6000, "more", 0));
	CHECK(is_named(names, 0x1000, "first", 0));
	lw_jit_names_free(names);
	return true;
}

static bool forgets_a_file_that_was_replaced(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	char other[80];

	CHECK(put("w", "1000 10 first\n"));
	CHECK(is_named(names, 0x1000, "first", 0));
	snprintf(other, sizeof(other), "%s.old", path);
	CHECK(!rename(path, other) && put("w", "7000 10 other\n"));
	CHECK(is_named(names, 0x7000, "other", 0));
	CHECK(is_named(names, 0x1000, NULL, 0));
	CHECK(!unlink(other));
	lw_jit_names_free(names);
	return true;
}

static bool does_not_follow_links_or_wait_for_pipes(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	char target[80];
	int fifo;

	snprintf(target, sizeof(target), "%s.target", path);
	CHECK(put("w", "8000 10 linked\n") && !rename(path, target));
	CHECK(is_named(names, 0x8000, NULL, 0));
	CHECK(!symlink(target, path));
	CHECK(is_named(names, 0x8000, NULL, 0));
	CHECK(!unlink(path) && !unlink(target));
	CHECK(!mkfifo(path, 0600));
	CHECK(is_named(names, 0x8000, NULL, 0));
	fifo = open(path, O_RDWR | O_NONBLOCK);
	CHECK(fifo >= 0 && write(fifo, "8000 10 piped\n", 14) == 14);
	CHECK(is_named(names, 0x8000, NULL, 0));
	close(fifo);
	CHECK(!unlink(path) && !mkdir(path, 0700));
	CHECK(is_named(names, 0x8000, NULL, 0));
	CHECK(!rmdir(path));
	lw_jit_names_free(names);
	return true;
}

/* Only root can make one. */
static bool does_not_believe_others(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);

	CHECK(put("w", "8000 10 name\n"));
	if (!geteuid()) {
		CHECK(!chown(path, 1, 1));
		CHECK(is_named(names, 0x8000, NULL, 0));
		CHECK(!chown(path, 0, 0));
	}
	CHECK(is_named(names, 0x8000, "name", 0));
	lw_jit_names_free(names);
	return true;
}

/* The process executes another program, or its number is that of another process. */
static bool names_are_those_of_one_program(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	u64 next;

	began = lw_now();
	CHECK(put("w", "1000 10 old\n"));
	CHECK(is_named(names, 0x1000, "old", 0));
	usleep(100000);
	/* what the old one left behind is not for the new one */
	next = lw_now();
	began = next;
	CHECK(is_named(names, 0x1000, NULL, 0));
	CHECK(put("w", "1000 10 new\n"));
	CHECK(is_named(names, 0x1000, "new", 0));
	/* a sample of the old one comes late */
	began = next - NSEC_PER_SEC / 10;
	CHECK(is_named(names, 0x1000, NULL, 0));
	began = next;
	CHECK(is_named(names, 0x1000, "new", 0));
	lw_jit_names_free(names);
	began = 0;
	return true;
}

static bool put_many(u64 nr, u32 name)
{
	FILE *file = fopen(path, "w");

	for (u64 i = 0; file && i < nr; i++)
		fprintf(file, "%llx 10 %0*llu\n", 0x10000 + i * 16, name, i);
	return file && !fclose(file);
}

/* 40 MB, of which one look reads 16. */
static bool a_long_file_is_read_in_parts(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	const u64 nr = 80000, last = 0x10000 + (nr - 1) * 16;
	const char *file, *name = NULL;
	u64 offset;
	int looks;

	CHECK(put_many(nr, 490));
	for (looks = 0; !name && looks < 10; looks++) {
		name = ask(names, getpid(), last, &offset, &file);
		usleep(name ? 0 : 150000);
	}
	CHECK(name && looks == 3);
	CHECK(lw_jit_names_bytes(names) > 80000 * 490);
	lw_jit_names_free(names);
	return true;
}

/* 100 MB, of which 64 are kept; it is not read on then. */
static bool of_one_process_so_much_is_kept(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	u64 before, offset;
	const char *file;

	CHECK(put_many(100000, 1000));
	for (int i = 0; i < 8; i++) {
		CHECK(!ask(names, getpid(), 1, &offset, &file));
		usleep(150000);
	}
	before = lw_jit_names_bytes(names);
	CHECK(before > LW_JIT_FILE_MOST / 2 && before <= LW_JIT_FILE_MOST);
	CHECK(ask(names, getpid(), 0x10000, &offset, &file));
	CHECK(put("a", "2000 10 more\n"));
	CHECK(is_named(names, 0x2000, NULL, 0));
	CHECK(lw_jit_names_bytes(names) == before);
	lw_jit_names_free(names);
	return true;
}

/* Each process has as much as it may. */
static bool of_all_so_much_is_kept(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	u64 offset, most = 0;
	const char *file;
	char name[64];

	CHECK(put_many(100000, 1000));
	/* processes that are gone, or never were */
	for (u32 pid = 5000000; pid < 5000006; pid++) {
		snprintf(name, sizeof(name), "/tmp/perf-%u.map", pid);
		unlink(name);
		CHECK(!link(path, name));
		for (int i = 0; i < 6; i++) {
			ask(names, pid, 1, &offset, &file);
			usleep(110000);
		}
		most = lw_jit_names_bytes(names) > most ? lw_jit_names_bytes(names) : most;
		CHECK(ask(names, pid, 0x10000, &offset, &file));
		CHECK(!unlink(name));
	}
	CHECK(most > LW_JIT_ALL_MOST / 2 && most <= LW_JIT_ALL_MOST);
	/* the first made room for the last */
	CHECK(!ask(names, 5000000, 0x10000, &offset, &file));
	CHECK(ask(names, 5000004, 0x10000, &offset, &file));
	lw_jit_names_free(names);
	return true;
}

/* Each time there is another file, so each look reads from the begin. */
static bool a_file_that_is_replaced_is_looked_at_less_and_less(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	u64 until = lw_now() + 2 * NSEC_PER_SEC, last = until + 120 * NSEC_PER_SEC, offset;
	u32 looks = 0, nr = 0;
	const char *file;
	char other[80], text[64];

	snprintf(other, sizeof(other), "%s.old", path);
	while (lw_now() < until || (looks < 2 && lw_now() < last)) {
		snprintf(text, sizeof(text), "%x 10 name\n", 0x10000 + ++nr * 16);
		CHECK(!rename(path, other) && put("w", text));
		looks += !!ask(names, getpid(), 0x10000 + nr * 16, &offset,
						&file);
		usleep(20000);
	}
	unlink(other);
	/* after 0, 0.1, 0.3, 0.7 and 1.5 s, where it would be 20 */
	CHECK(looks >= 2 && looks <= 6);
	lw_jit_names_free(names);
	return true;
}

static bool those_that_nobody_asks_for_are_forgotten(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);

	CHECK(put("w", "1000 10 first\n") && is_named(names, 0x1004, "first", 4));
	lw_jit_names_trim(names);
	CHECK(lw_jit_names_bytes(names) && is_named(names, 0x1004, "first", 4));
	lw_jit_names_trim(names);
	CHECK(lw_jit_names_bytes(names));
	lw_jit_names_trim(names);
	CHECK(!lw_jit_names_bytes(names) && is_named(names, 0x1004, "first", 4));
	lw_jit_names_free(names);
	return true;
}

static const struct tap_test tests[] = {
	TEST(takes_the_lines_that_make_sense),
	TEST(goes_by_the_last_line),
	TEST(reads_on_as_the_file_grows),
	TEST(forgets_a_file_that_was_replaced),
	TEST(does_not_follow_links_or_wait_for_pipes),
	TEST(does_not_believe_others),
	TEST(names_are_those_of_one_program),
	TEST(a_long_file_is_read_in_parts),
	TEST(of_one_process_so_much_is_kept),
	TEST(of_all_so_much_is_kept),
	TEST(those_that_nobody_asks_for_are_forgotten),
	TEST(a_file_that_is_replaced_is_looked_at_less_and_less),
};

int main(void)
{
	int failed;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	failed = tap_run(tests, sizeof(tests) / sizeof(*tests));
	unlink(path);
	return failed;
}
