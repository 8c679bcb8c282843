// SPDX-License-Identifier: GPL-2.0
/*
 * ring_native.c - module/ring/ring.c in user space, measured.
 *
 * ring_native speed: records a second and CPU time, one thread and two, each with
 *	a ring of its own in one array, as sessions have them.
 * ring_native count: under callgrind: a dump for each payload.
 * ring_native lines: under lackey: what each "CPU" loads and stores, see
 *	ring_report.py.
 *
 * The rings are emptied before each batch, by storing the reader's position.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <valgrind/callgrind.h>

#include "../ring/fixture.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define RING_SIZE	SZ_1M
#define NR_RINGS	2
#define BATCH		100
#define RECORD_BENCH	0x100
#define PAYLOAD_MAX	4096
#define COUNTED		1000

#define SLICES		25
#define SLICE_NS	50000000ULL
/* Some that cross a step of the watermark. */
#define LINE_RECORDS	1500

static struct lw_ring_waiters waiters;
static struct lw_ring *rings;
static u8 payload[PAYLOAD_MAX];
static __thread int here;

/* Which CPU's turn it is, plus 1; on a page of its own. */
static volatile u64 turn __attribute__((aligned(4096)));

int raw_smp_processor_id(void)
{
	return here;
}

static void *or_die(void *pointer, const char *what)
{
	if (!pointer) {
		fprintf(stderr, "ring_native: %s: %s\n", what, strerror(errno));
		exit(1);
	}
	return pointer;
}

static void make_rings(void)
{
	rings = or_die(aligned_alloc(PAGE_SIZE, PAGE_SIZE), "memory");
	for (int i = 0; i < NR_RINGS; i++) {
		make_ring(&rings[i], i, RING_SIZE, RING_SIZE / 8, false);
		free(rings[i].waiters);
		rings[i].waiters = &waiters;
	}
}

static void drain(struct lw_ring *ring)
{
	/* Pairs with the load_acquire() of who looks for room. */
	smp_store_release(&ring->consumer->pos, READ_ONCE(ring->producer->pos));
}

static noinline void write_reserve(struct lw_ring *ring, u32 len)
{
	enum lw_ring_drop why;
	void *record = lw_ring_reserve(ring, sizeof(struct lw_record) + len,
				       RECORD_BENCH, 0, &why);

	lw_ring_commit(ring, or_die(record, "ring full"));
}

static noinline void write_record(struct lw_ring *ring, u32 len)
{
	enum lw_ring_drop why;
	void *record = lw_ring_reserve(ring, sizeof(struct lw_record) + len,
				       RECORD_BENCH, 0, &why);

	memcpy(or_die(record, "ring full") + sizeof(struct lw_record), payload, len);
	lw_ring_commit(ring, record);
}

static noinline void write_nothing(struct lw_ring *ring, u32 len)
{
	asm volatile("" : : "r" (ring), "r" (len) : "memory");
}

/* The ring is empty again after each record: there is no other in its way. */
static void count(const char *subject, u32 len,
		  void (*write)(struct lw_ring *ring, u32 len))
{
	char name[64];

	for (int i = 0; i < COUNTED; i++) {
		drain(&rings[0]);
		CALLGRIND_TOGGLE_COLLECT;
		write(&rings[0], len);
		CALLGRIND_TOGGLE_COLLECT;
	}
	snprintf(name, sizeof(name), "native-reserve-%u %s %u", len, subject, COUNTED);
	CALLGRIND_DUMP_STATS_AT(name);
	CALLGRIND_ZERO_STATS;
}

static void count_all(void)
{
	static const u32 payloads[] = { 16, 64, 256, 1024, 4096 };

	/* The first call is bound, at a price. */
	write_reserve(&rings[0], 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(payloads); i++) {
		count("nothing", payloads[i], write_nothing);
		count("latewind", payloads[i], write_reserve);
	}
}

static void trace_lines(void)
{
	char on_stack;

	/* Both paths twice: with what the other CPU did in between. */
	printf("turn %lx stack %lx\n", (long)&turn, (long)&on_stack);
	fflush(stdout);
	for (int round = 0; round < 2 * NR_RINGS; round++) {
		here = round % NR_RINGS;
		drain(&rings[here]);
		turn = here + 1;
		for (int i = 0; i < LINE_RECORDS; i++)
			write_reserve(&rings[here], 16);
		turn = 0;
	}
}

/* A thread that writes to its ring for a slice. */
struct writer {
	pthread_t thread;
	pthread_barrier_t *start;
	int cpu;
	u32 len;
	double records_per_second;
	double ns_of_cpu;
};

static u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void *write_slice(void *argument)
{
	struct writer *writer = argument;
	struct lw_ring *ring = &rings[writer->cpu];
	u64 begin, cpu_begin, records = 0, ns;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(writer->cpu, &set);
	/* Where there is no such CPU they share one, and the numbers tell. */
	sched_setaffinity(0, sizeof(set), &set);
	here = writer->cpu;
	pthread_barrier_wait(writer->start);
	begin = clock_ns(CLOCK_MONOTONIC);
	cpu_begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	do {
		drain(ring);
		for (int i = 0; i < BATCH; i++)
			write_record(ring, writer->len);
		records += BATCH;
		ns = clock_ns(CLOCK_MONOTONIC) - begin;
	} while (ns < SLICE_NS);
	writer->records_per_second = records * 1e9 / ns;
	writer->ns_of_cpu = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_begin) / records;
	return NULL;
}

static struct writer write_all(u32 len, int threads)
{
	struct writer writers[NR_RINGS] = {}, sum = {};
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, threads);
	for (int i = 0; i < threads; i++) {
		writers[i] = (struct writer){ .start = &start, .cpu = i, .len = len };
		errno = pthread_create(&writers[i].thread, NULL, write_slice, &writers[i]);
		or_die(errno ? NULL : &writers[i], "thread");
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(writers[i].thread, NULL);
		sum.records_per_second += writers[i].records_per_second;
		sum.ns_of_cpu += writers[i].ns_of_cpu / threads;
	}
	pthread_barrier_destroy(&start);
	return sum;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void measure_speed(u32 len)
{
	double records[NR_RINGS][SLICES], ns[NR_RINGS][SLICES];
	struct writer sum;

	/* They take turns, so that what else the machine does meets both. */
	for (int i = 0; i < SLICES; i++) {
		for (int threads = 1; threads <= NR_RINGS; threads++) {
			sum = write_all(len, threads);
			records[threads - 1][i] = sum.records_per_second;
			ns[threads - 1][i] = sum.ns_of_cpu;
		}
	}
	for (int i = 0; i < NR_RINGS; i++) {
		qsort(records[i], SLICES, sizeof(double), by_value);
		qsort(ns[i], SLICES, sizeof(double), by_value);
		printf("native-%dcpu-%u latewind %.0f records/s\n", i + 1, len,
		       records[i][SLICES / 2]);
		printf("native-%dcpu-%u latewind %.2f ns-of-cpu\n", i + 1, len,
		       ns[i][SLICES / 2]);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	make_rings();
	if (!strcmp(what, "speed")) {
		measure_speed(16);
		measure_speed(256);
		measure_speed(4096);
	} else if (!strcmp(what, "count")) {
		count_all();
	} else if (!strcmp(what, "lines")) {
		trace_lines();
	} else {
		fprintf(stderr, "usage: ring_native speed|count|lines\n");
		return 2;
	}
	return 0;
}
