// SPDX-License-Identifier: GPL-2.0
/*
 * off_cpu_target.c - a program that is blocked for known times in known functions.
 *
 * off_cpu_target: sleeps in main > outer > sleep_short and sleep_long, waits for a byte in
 *	main > outer > wait_byte, and computes beside another thread on one CPU in main >
 *	outer > spin.  While it is blocked that thread sends it from the first CPU to the
 *	second, or back.  For each of these it prints a line
 *
 *		NAME LEAST MOST MOVED
 *
 *	with the least and the most nanoseconds that it can have been blocked there, and how
 *	often it was sent elsewhere meanwhile.  The most is what passed between before and
 *	after.  The least is from when the other thread has seen it blocked until that has
 *	its reason to end.  Both hold whoever else wants the CPUs.  There have to be two.
 * off_cpu_target forever: sleeps for 200 ms, again until it was off its CPU, prints what
 *	passed meanwhile in nanoseconds, and is blocked for ever.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP		__attribute__((noipa))
#define NO_TAIL_CALL(x)	({ asm volatile("" : "+r"(x) : : "memory"); })
#define NSEC_PER_MSEC	1000000LL
/* Sleeps that end before the mover had a CPU are made again. */
#define MAX_TRIES	200
#define PREEMPTIONS	20

/* What the mover does while the other is blocked. */
enum order {
	ORDER_MOVE,
	ORDER_WRITE,
	ORDER_SPIN,
	ORDER_END,
};

static sem_t ordered, done;
static enum order order;
static int target_cpu, byte_pipe[2];
static pid_t sleeper;
static volatile int stop_spinning;
static volatile int call_is_over;
/* When the mover has seen it blocked, 0 if never, and when it was about to end that. */
static long long seen_blocked, ended;
static bool sent_elsewhere;

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

static long switches(bool preempted)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return preempted ? usage.ru_nivcsw : usage.ru_nvcsw;
}

/* Until the CPU was taken away so often, or the other one is told to stop. */
static KEEP long spin(long times)
{
	long until = switches(true) + times, n = 0;

	while (switches(true) < until && !stop_spinning)
		n++;
	return n;
}

/*
 * Is it off its CPU, in that system call?  The kernel tells the number of who has left it,
 * of others that they are running.
 */
static bool is_blocked(long nr)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", sleeper);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		exit(1);
	close(fd);
	return text[0] >= '0' && text[0] <= '9' && atol(text) == nr;
}

static int move_other(void)
{
	long nr = order == ORDER_WRITE ? SYS_read : SYS_clock_nanosleep;

	while (!seen_blocked && !call_is_over)
		if (is_blocked(nr))
			seen_blocked = now();
	if (move_to(sleeper, target_cpu))
		return 1;
	sent_elsewhere = is_blocked(nr) && !call_is_over;
	if (order == ORDER_MOVE)
		return 0;
	pause_ms(20);
	ended = now();
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
			sem_post(&done);
			spin(1000000);
		} else {
			failed = move_other();
			sem_post(&done);
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

static void give_order(enum order what)
{
	order = what;
	target_cpu = !sched_getcpu();
	seen_blocked = 0;
	ended = 0;
	sent_elsewhere = false;
	call_is_over = 0;
	sem_post(&ordered);
}

/* @ms: for which a call of @leaf sleeps; if it waits, the mover ends that. */
static int measure(const char *name, long (*leaf)(long ms), long ms, int times, enum order what)
{
	long long began, least = 0, most = 0;
	int moved = 0;

	for (int i = 0; i < MAX_TRIES && moved < times; i++) {
		give_order(what);
		began = now();
		if (outer(leaf, ms))
			return 1;
		most += now() - began;
		call_is_over = 1;
		sem_wait(&done);
		if (what == ORDER_MOVE)
			ended = began + ms * NSEC_PER_MSEC;
		if (seen_blocked && ended > seen_blocked)
			least += ended - seen_blocked;
		moved += sent_elsewhere;
	}
	printf("%s %lld %lld %d\n", name, least, most, moved);
	return moved < times;
}

static int compete(pthread_t thread)
{
	long long began;
	long blocked;

	order = ORDER_SPIN;
	target_cpu = sched_getcpu();
	sem_post(&ordered);
	sem_wait(&done);
	blocked = switches(false);
	began = now();
	outer(spin, PREEMPTIONS);
	/* else what it had to page in, perhaps */
	blocked = switches(false) - blocked;
	printf("spin 0 %lld 0\n", blocked ? now() - began : 0);
	order = ORDER_END;
	stop_spinning = 1;
	sem_post(&ordered);
	return pthread_join(thread, NULL);
}

static int block_for_ever(void)
{
	long asleep = switches(false);
	long long began = now();

	/* If it is preempted before it sleeps, the timer may expire first. */
	do {
		sleep_for(200);
	} while (switches(false) == asleep);
	printf("%lld\n", now() - began);
	fflush(stdout);
	return pause();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "forever"))
		return block_for_ever();
	sleeper = getpid();
	if (pipe(byte_pipe) || sem_init(&ordered, 0, 0) || sem_init(&done, 0, 0) ||
	    move_to(0, 0) || pthread_create(&thread, NULL, mover, NULL))
		return 1;
	return measure("sleep_short", sleep_short, 30, 5, ORDER_MOVE) ||
	       measure("sleep_long", sleep_long, 150, 3, ORDER_MOVE) ||
	       measure("wait_byte", wait_byte, 0, 4, ORDER_WRITE) ||
	       compete(thread);
}
