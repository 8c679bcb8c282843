// SPDX-License-Identifier: GPL-2.0
/*
 * inject.c - see inject.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/inject.h"
#include "lib/lw_test.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define COPIES		DEBUGFS "fail_usercopy/"

static const char * const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
static unsigned int nr_kinds = 2;

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		ret = -EIO;
	close(fd);
	return ret;
}

/*
 * Of what has an address of this range in its call stack: "require", only that fails;
 * "reject", that does not.
 */
int inject_set_callers(const char *what, unsigned long start, unsigned long end)
{
	char path[64], text[32];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr_kinds && !ret; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/%s-start", kinds[i], what);
		snprintf(text, sizeof(text), "%#lx", start);
		ret = write_file(path, text);
		snprintf(path, sizeof(path), DEBUGFS "%s/%s-end", kinds[i], what);
		snprintf(text, sizeof(text), "%#lx", end);
		ret = ret ?: write_file(path, text);
	}
	return ret;
}

/*
 * kmemleak, where it is, tells of its own failures under locks that lockdep does not want to
 * see there.  Its function is found once: tests are processes, and the file takes a checking
 * kernel a second.
 */
static struct lwt_range kmemleak;

static __attribute__((constructor)) void find_kmemleak(void)
{
	kmemleak = lwt_kernel_function("kmemleak_scan_area");
}

/* A copy counts as a failure of every kind, so those that are not meant have no caller. */
static int init_copies(int what)
{
	nr_kinds = 2;
	if (access(COPIES, F_OK))
		return 0;
	if (what == INJECT_ALL) {
		nr_kinds = 3;
		return write_file(COPIES "stacktrace-depth", "32") ?:
		       write_file(COPIES "verbose", "0");
	}
	return write_file(COPIES "stacktrace-depth", "1") ?:
	       write_file(COPIES "require-start", "1") ?:
	       write_file(COPIES "require-end", "1");
}

/* Allocations that may sleep and of one page fail too, and without a word. */
int inject_init(int what)
{
	static const char * const settings[][2] = {
		{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
		{ DEBUGFS "failslab/verbose", "0" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ DEBUGFS "fail_page_alloc/min-order", "0" },
		{ DEBUGFS "fail_page_alloc/verbose", "0" },
		{ DEBUGFS "failslab/stacktrace-depth", "32" },
		{ DEBUGFS "fail_page_alloc/stacktrace-depth", "32" },
		/* Of tasks with make-it-fail all, of others only the nth. */
		{ DEBUGFS "failslab/task-filter", "Y" },
		{ DEBUGFS "failslab/times", "-1" },
		{ DEBUGFS "failslab/probability", "100" },
		{ DEBUGFS "fail_page_alloc/task-filter", "Y" },
		{ DEBUGFS "fail_page_alloc/times", "-1" },
		{ DEBUGFS "fail_page_alloc/probability", "100" },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < sizeof(settings) / sizeof(*settings) && !ret; i++)
		ret = write_file(settings[i][0], settings[i][1]);
	ret = ret ?: init_copies(what);
	if (!ret && kmemleak.to)
		ret = inject_set_callers("reject", kmemleak.from, kmemleak.to);
	return ret ?: inject_set_callers("require", 0, ~0UL);
}

/* The nth of this task from now on fails; 0 is none. */
int inject_arm(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fd, text, len, 0) == len ? 0 : -errno;
}

/* Return: how many were left until the nth; 0 if it has failed. */
unsigned int inject_disarm(int fd)
{
	char text[16] = "";
	unsigned int left = 0;

	if (pread(fd, text, sizeof(text) - 1, 0) > 0)
		left = atoi(text);
	inject_arm(fd, 0);
	return left;
}

/* Failures of inject_at() that are counted at most. */
#define MOST_FAILURES	1000000

static bool is_of(unsigned int kind, bool copies)
{
	return (kind == 2) == copies;
}

static int set(unsigned int kind, const char *what, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", kinds[kind], what);
	return write_file(path, value);
}

/*
 * Everything below a call that returns to @address fails from now on, of tasks with
 * make-it-fail: allocations, or copies from and to user space.  After inject_init(INJECT_ALL).
 */
int inject_at(unsigned long address, bool copies)
{
	char times[16];
	unsigned int i;
	int ret = inject_set_callers("require", address, address + 1);

	snprintf(times, sizeof(times), "%d", MOST_FAILURES);
	for (i = 0; i < nr_kinds && !ret; i++)
		ret = set(i, "task-filter", "Y") ?: set(i, "probability", "100") ?:
		      set(i, "times", is_of(i, copies) ? times : "0");
	return ret;
}

/* Return: how many have failed since inject_at(). */
unsigned int inject_failures(bool copies)
{
	unsigned int i, failures = 0;
	char path[64], text[32];
	ssize_t len;
	int fd;

	for (i = 0; i < nr_kinds; i++) {
		if (!is_of(i, copies))
			continue;
		snprintf(path, sizeof(path), DEBUGFS "%s/times", kinds[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		len = read(fd, text, sizeof(text) - 1);
		if (len > 0) {
			text[len] = 0;
			failures += MOST_FAILURES - atoi(text);
		}
		close(fd);
	}
	return failures;
}

/* Nothing fails any more. */
int inject_end(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr_kinds && !ret; i++)
		ret = set(i, "probability", "0") ?: set(i, "times", "1");
	return ret ?: inject_set_callers("require", 0, ~0UL);
}
