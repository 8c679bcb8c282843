// SPDX-License-Identifier: GPL-2.0
/*
 * off_cpu_target.c - a program that is blocked for known times in known functions.
 *
 * off_cpu_target: sleeps in main > outer > sleep_short and sleep_long, waits for a byte in
 *	main > outer > wait_byte, and computes beside another thread on one CPU in main >
 *	outer > spin.  While it is blocked it is sent from the first CPU to the second, or
 *	back.  For each of these it prints a line
 *
 *		NAME LEAST MOST MOVED
 *
 *	with the least and the most nanoseconds that it can have been blocked there, and how
 *	often it came back on another CPU.  There has to be a second CPU.
 * off_cpu_target forever: sleeps for 200 ms, then for ever.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP		__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })
#define NSEC_PER_MSEC	1000000LL

/* What the mover does while the other is blocked. */
enum order {
	ORDER_MOVE,
	ORDER_WRITE,
	ORDER_SPIN,
	ORDER_END,
};

static sem_t ordered;
static enum order order;
static int target_cpu, byte_pipe[2];
static pid_t sleeper;
static volatile int stop_spinning;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 * NSEC_PER_MSEC + ts.tv_nsec;
}

static int move_to(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set);
}

static void pause_ms(long ms)
{
	struct timespec ts = { .tv_nsec = ms * NSEC_PER_MSEC };

	nanosleep(&ts, NULL);
}

/* At the end the other is told to stop at once. */
static KEEP long spin(long ms)
{
	long long until = now() + ms * NSEC_PER_MSEC;
	long n = 0;

	while (now() < until && !stop_spinning)
		n++;
	return n;
}

static int move_other(void)
{
	/* it is blocked by now */
	pause_ms(10);
	if (move_to(sleeper, target_cpu))
		return 1;
	if (order == ORDER_MOVE)
		return 0;
	pause_ms(20);
	return write(byte_pipe[1], "", 1) != 1;
}

static KEEP void *mover(void *unused)
{
	int failed = 0;

	while (!failed) {
		sem_wait(&ordered);
		if (order == ORDER_END)
			return unused;
		if (order == ORDER_SPIN) {
			failed = move_to(0, target_cpu);
			spin(5000);
		} else {
			failed = move_other();
		}
	}
	exit(1);
}

static KEEP long sleep_for(long ms)
{
	struct timespec ts = { .tv_nsec = ms * NSEC_PER_MSEC };
	long ret = nanosleep(&ts, NULL);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long sleep_short(long ms)
{
	long ret = sleep_for(ms);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long sleep_long(long ms)
{
	long ret = sleep_for(ms);

	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long wait_byte(long ms)
{
	char byte;
	long ret = read(byte_pipe[0], &byte, 1) != 1;

	(void)ms;
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long outer(long (*leaf)(long ms), long ms)
{
	long ret = leaf(ms);

	NO_TAIL_CALL(ret);
	return ret;
}

/* A call of @leaf blocks for @ms at least. */
static int measure(const char *name, long (*leaf)(long ms), long ms, int times, enum order what)
{
	long long began, most = 0;
	int moved = 0;

	for (int i = 0; i < times; i++) {
		int cpu = sched_getcpu();

		order = what;
		target_cpu = !cpu;
		began = now();
		sem_post(&ordered);
		if (outer(leaf, ms))
			return 1;
		most += now() - began;
		moved += sched_getcpu() != cpu;
	}
	printf("%s %lld %lld %d\n", name, times * ms * NSEC_PER_MSEC, most, moved);
	return 0;
}

static int compete(pthread_t thread)
{
	/* what it has to page in it has */
	outer(spin, 1);
	order = ORDER_SPIN;
	target_cpu = sched_getcpu();
	sem_post(&ordered);
	pause_ms(10);
	outer(spin, 250);
	order = ORDER_END;
	stop_spinning = 1;
	sem_post(&ordered);
	pthread_join(thread, NULL);
	puts("spin 0 20000000 0");
	return 0;
}

static int block_for_ever(void)
{
	sleep_for(200);
	puts("blocked");
	fflush(stdout);
	return pause();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "forever"))
		return block_for_ever();
	sleeper = getpid();
	if (pipe(byte_pipe) || sem_init(&ordered, 0, 0) || move_to(0, 0) ||
	    pthread_create(&thread, NULL, mover, NULL))
		return 1;
	return measure("sleep_short", sleep_short, 30, 5, ORDER_MOVE) ||
	       measure("sleep_long", sleep_long, 150, 3, ORDER_MOVE) ||
	       /* of 30 ms that the mover sleeps; it may begin with that before we read */
	       measure("wait_byte", wait_byte, 15, 4, ORDER_WRITE) ||
	       compete(thread);
}
