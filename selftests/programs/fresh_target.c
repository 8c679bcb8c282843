// SPDX-License-Identifier: GPL-2.0
/*
 * fresh_target.c - maps files that nobody has seen before.
 *
 * fresh_target copies LIBRARY PREFIX NUMBER: copies of a library, each with a
 *	build ID of its own, as PREFIX.0.so and so on.
 * fresh_target open LIBRARY PREFIX NUMBER MILLISECONDS [unlink]: make such a copy,
 *	map it and compute in it for so long, one after the other; unlink: remove
 *	it as soon as it is mapped.  Prints "NANOSECONDS PATH" of each, the time
 *	before it is mapped.  Of 0 MILLISECONDS: until there is $FRESH_SEEN/NAME.PID,
 *	where NAME is that of the file.
 * fresh_target run LIBRARY MILLISECONDS: the same in one library as it is.
 * fresh_target hold PREFIX NUMBER: map so many copies, print "ready", compute in
 *	each in turn until SIGTERM.
 * fresh_target hits NUMBER: call hit() so many times in main > outer > middle, on one CPU.
 * fresh_target wait: map what a program maps, and wait.
 * fresh_target clock NUMBER: ask so many times for the time, which the vDSO has.
 * fresh_target jump: map the standard input, and call what it begins with until SIGTERM.
 *
 * Like the library, it has neither SFrame nor frame pointers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fresh_lib.h"
#include "machine.h"
#include "pin.h"

#define KEEP	__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })
#define MAX_COPIES	4096

typedef long (*run_fn)(long n);

static long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *read_whole(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data = NULL;

	if (fd >= 0 && !fstat(fd, &st)) {
		*size = st.st_size;
		data = malloc(*size);
		if (data && read(fd, data, *size) != (ssize_t)*size)
			data = NULL;
	}
	if (fd >= 0)
		close(fd);
	return data;
}

/* Nobody has a table of it, not from an earlier run either. */
static int set_build_id(void *data, size_t size, long number)
{
	char *id = memmem(data, size, FRESH_BUILD_ID, sizeof(FRESH_BUILD_ID) - 1);
	long now = nanoseconds(), pid = getpid();

	if (!id)
		return -1;
	memcpy(id, &number, sizeof(int));
	memcpy(id + 4, &now, sizeof(now));
	memcpy(id + 12, &pid, sizeof(int));
	return 0;
}

static int copy(const char *from, const char *to, long number)
{
	size_t size;
	void *data = read_whole(from, &size);
	int fd, bad;

	if (!data || set_build_id(data, size, number))
		return -1;
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	bad = fd < 0 || write(fd, data, size) != (ssize_t)size;
	if (fd >= 0)
		close(fd);
	free(data);
	return bad ? -1 : 0;
}

static void copy_name(char *to, const char *prefix, long number)
{
	snprintf(to, PATH_MAX, "%s.%ld.so", prefix, number);
}

static int make_copies(const char *library, const char *prefix, long number)
{
	char path[PATH_MAX];

	for (long i = 0; i < number; i++) {
		copy_name(path, prefix, i);
		if (copy(library, path, i))
			return 1;
	}
	return 0;
}

/* @seen: the file to wait for, NULL if there is none */
static KEEP long run_for(run_fn run, long milliseconds, const char *seen)
{
	long end = nanoseconds() + milliseconds * 1000000, sum = 0;

	while (seen ? access(seen, F_OK) : nanoseconds() < end)
		sum += run(7);
	NO_TAIL_CALL(sum);
	return sum;
}

static run_fn open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	return library ? (run_fn)dlsym(library, "fresh_run") : NULL;
}

static KEEP int run_one(const char *path, long milliseconds, int remove)
{
	long begin = nanoseconds();
	run_fn run = open_library(path);
	const char *directory = getenv("FRESH_SEEN"), *name = strrchr(path, '/');
	char seen[PATH_MAX];

	if (!run || (!milliseconds && !directory))
		return 1;
	if (remove)
		unlink(path);
	snprintf(seen, sizeof(seen), "%s/%s.%d", directory ? directory : "",
		 name ? name + 1 : path, getpid());
	run_for(run, milliseconds, milliseconds ? NULL : seen);
	printf("%ld %s\n", begin, path);
	return fflush(stdout);
}

/* The linker's code at a library's end has no call frame information. */
static void end_here(int status)
{
	fflush(stdout);
	_exit(status);
}

static int open_fresh(const char *library, const char *prefix, long number, long milliseconds,
		      int remove)
{
	char path[PATH_MAX];

	for (long i = 0; i < number; i++) {
		copy_name(path, prefix, i);
		if (copy(library, path, i) || run_one(path, milliseconds, remove))
			return 1;
	}
	return 0;
}

static int hold(const char *prefix, long number)
{
	static run_fn runs[MAX_COPIES];
	char path[PATH_MAX];

	for (long i = 0; i < number && i < MAX_COPIES; i++) {
		copy_name(path, prefix, i);
		runs[i] = open_library(path);
		if (!runs[i])
			return 1;
	}
	puts("ready");
	fflush(stdout);
	for (long i = 0;; i = (i + 1) % number) {
		runs[i](i);
		/* leave some time to whoever records */
		usleep(100);
	}
}

static volatile long hits;

KEEP PROBED long hit(long n)
{
	return hits += n;
}

static KEEP long middle(long n)
{
	long ret;

	spoil_fp(n);
	ret = hit(n);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long outer(long n)
{
	long ret = middle(n);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long ask(void)
{
	long ret = nanoseconds();

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP int ask_clock(long number)
{
	long sum = 0;

	while (number--)
		sum += ask();
	return sum == 7;
}

static int jump(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, STDIN_FILENO, 0);

	if (code == MAP_FAILED)
		return 1;
	for (;;)
		((void (*)(void))code)();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "copies") && argc == 5)
		return make_copies(argv[2], argv[3], atol(argv[4]));
	if (!strcmp(what, "open") && argc >= 6)
		end_here(open_fresh(argv[2], argv[3], atol(argv[4]), atol(argv[5]), argc > 6));
	if (!strcmp(what, "run") && argc == 4)
		end_here(run_one(argv[2], atol(argv[3]), 0));
	if (!strcmp(what, "hold") && argc == 4)
		return hold(argv[2], atol(argv[3]));
	if (!strcmp(what, "wait"))
		return pause();
	if (!strcmp(what, "clock") && argc == 3)
		return ask_clock(atol(argv[2]));
	if (!strcmp(what, "jump"))
		return jump();
	if (strcmp(what, "hits") || argc != 3)
		return 2;
	if (stay_on_this_cpu())
		return 1;
	for (long i = atol(argv[2]); i; i--)
		outer(1);
	return 0;
}
