// SPDX-License-Identifier: GPL-2.0
/*
 * others_bench.c - what a task does that a recording of all CPUs hears of: prints the
 * instructions of one turn, in a VM whose time goes by instructions, the mean and the least.
 *
 * others_bench thread|fork|exec|mmap TURNS, see selftests/bench/others.sh
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

/* Before the first turn that counts: what is made once is made by then. */
#define WARM_UP	20

#define SELF	"/proc/self/exe"

static void *return_at_once(void *arg)
{
	return arg;
}

static void make_thread(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, return_at_once, NULL);
	if (errno)
		err(1, "pthread_create");
	pthread_join(thread, NULL);
}

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the child has failed");
}

static void make_process(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid)
		_exit(0);
	wait_for(pid);
}

static void run_program(void)
{
	char name[] = SELF;
	char *argv[2] = { name };
	pid_t pid;

	errno = posix_spawn(&pid, SELF, NULL, NULL, argv, environ);
	if (errno)
		err(1, "posix_spawn");
	wait_for(pid);
}

static void map_file(void)
{
	static int fd = -1;
	void *map;

	if (fd < 0)
		fd = open(SELF, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED || munmap(map, 4096))
		err(1, "mmap");
}

static const struct {
	const char *name;
	void (*turn)(void);
} works[] = {
	{ "thread", make_thread },
	{ "fork", make_process },
	{ "exec", run_program },
	{ "mmap", map_file },
};

static void measure(void (*turn)(void), long turns)
{
	uint64_t least = UINT64_MAX, begin, now, last;

	for (long i = 0; i < WARM_UP; i++)
		turn();
	begin = counter_of_time();
	now = begin;
	for (long i = 0; i < turns; i++) {
		last = now;
		turn();
		now = counter_of_time();
		if (now - last < least)
			least = now - last;
	}
	printf("%.0f %llu\n", (double)(now - begin) / turns, (unsigned long long)least);
}

int main(int argc, char **argv)
{
	/* What run_program() has started. */
	if (argc == 1)
		return 0;
	for (size_t i = 0; argc == 3 && i < sizeof(works) / sizeof(works[0]); i++) {
		if (strcmp(argv[1], works[i].name))
			continue;
		if (!counts_nanoseconds())
			errx(1, "the counter of time does not count instructions");
		measure(works[i].turn, atol(argv[2]));
		return 0;
	}
	errx(2, "usage: others_bench thread|fork|exec|mmap TURNS");
}
