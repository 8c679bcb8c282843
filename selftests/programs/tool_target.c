// SPDX-License-Identifier: GPL-2.0
/*
 * tool_target.c - what the test of the tool records.
 *
 * tool_target spin MILLISECONDS: compute for so long in main > outer > middle > spin.
 *	Of the time in which somebody else had the CPU hardly any counts.
 * tool_target calls NUMBER: getppid() in main > outer > middle > call_kernel, on one CPU.
 * tool_target threads NUMBER [COMMAND...]: that many threads, named busy-0 and
 *	so on, compute in busy > middle > spin until SIGTERM comes.  SIGUSR1 runs
 *	COMMAND and tells of its end by the line "child PID".
 *
 * Each has its own file mapped a second time, executable and shared.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "pin.h"

#define KEEP	__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })
#define MAX_THREADS	16
/* What a round of computing takes at most, if nobody else wants the CPU. */
#define ROUND_US	2000

static volatile int stop;

static long microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static KEEP PROBED long spin(long n)
{
	long i, sum = n;

	for (i = 0; i < 20000; i++) {
		sum *= 3;
		asm volatile("" : "+r"(sum));
	}
	return sum;
}

static KEEP PROBED long call_kernel(long n)
{
	return call_here(SYS_getppid, 0, 0, 0, 0) + n;
}

static KEEP long middle(long (*leaf)(long n), long n)
{
	long ret = leaf(n);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long outer(long (*leaf)(long n), long n)
{
	long ret = middle(leaf, n);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP void *busy(void *name)
{
	long i, n = 0;

	pthread_setname_np(pthread_self(), name);
	while (!stop) {
		for (i = 0; i < 16; i++)
			n += middle(spin, n);
		/* leave some time to whoever records */
		usleep(5000);
	}
	return (void *)n;
}

static int run_child(char **argv)
{
	pid_t pid = fork();

	if (!pid) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		return 1;
	printf("child %d\n", pid);
	return fflush(stdout);
}

static int run_threads(int nr, char **command)
{
	static char names[MAX_THREADS][16];
	pthread_t threads[MAX_THREADS];
	int i, sig, ret = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < nr && i < MAX_THREADS; i++) {
		snprintf(names[i], sizeof(names[i]), "busy-%d", i);
		if (pthread_create(&threads[i], NULL, busy, names[i]))
			return 1;
	}
	while (!sigwait(&set, &sig) && sig == SIGUSR1)
		ret |= run_child(command);
	stop = 1;
	while (i--)
		pthread_join(threads[i], NULL);
	return ret;
}

static int map_shared(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	return mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) == MAP_FAILED;
}

static void compute(long ms)
{
	long left = ms * 1000, before = microseconds(), now, took;

	for (; left > 0; left -= took < ROUND_US ? took : ROUND_US) {
		outer(spin, ms);
		now = microseconds();
		took = now - before;
		before = now;
	}
}

int main(int argc, char **argv)
{
	long n, number = argc > 2 ? atol(argv[2]) : 0;

	if (number <= 0 || map_shared())
		return 2;
	if (!strcmp(argv[1], "threads"))
		return run_threads(number, argv + 3);
	if (!strcmp(argv[1], "calls")) {
		if (stay_on_this_cpu())
			return 1;
		for (n = 0; n < number; n++)
			outer(call_kernel, n);
		return 0;
	}
	compute(number);
	return 0;
}
