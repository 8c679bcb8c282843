// SPDX-License-Identifier: GPL-2.0
/*
 * ring_torture.c [records [seed]]: module/ring/ring.c under many writers. Without records,
 * a million of them in the long form, fewer in the short one.
 *
 * A CPU is a lock: who holds it runs there, with preemption off.  Threads go from
 * CPU to CPU, write between reserve and commit without it (preempted, asleep),
 * commit on another, or leave that to another thread.  Signals interrupt them at
 * any instruction, and each other, and write records too.
 *
 * What is checked of each run: each record that a writer was given room for is
 * read once, whole and in its writer's order; each other one is counted; a reader
 * that sleeps in poll() is woken.  In overwrite mode snapshots are taken meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "fixture.h"
#include "torture.h"
#include "../lib/form.h"
#include "../unit/tap.h"

#define CPUS		2
#define WRITERS		4
#define HANDED		64
#define WAKE_SECONDS	120
#define WHOLE		20	/* snapshots beside writers, at least */

struct writer {
	pthread_t thread;
	unsigned int nr;
	u64 rng;
	u64 left;
	struct source sources[CONTEXTS];
};

struct cpu {
	pthread_mutex_t lock;
	struct lw_ring ring;
} __attribute__((aligned(128)));

/* A record to be committed by whoever comes by. */
struct handed {
	struct lw_ring *ring;
	struct torture_record *record;
};

static struct cpu cpus[CPUS];
static struct writer writers[WRITERS];
static struct handed handed[HANDED];
static unsigned int handed_nr;
static pthread_mutex_t handed_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int running;
static bool slow_reader;
static bool reader_ended;	/* and will not read what there is room for */
static bool more_wanted;	/* records, of writers that have written all of theirs */
static unsigned long records;
static u64 seed;

/* Of the calling thread: who it is, where it runs (-1: nowhere), how deep. */
static _Thread_local struct writer *self;
static _Thread_local volatile int here = -1;
static _Thread_local volatile unsigned int context;

/* Of the calling thread, by context: what interrupts it once, and whether that has come. */
static _Thread_local timer_t timers[CONTEXTS];
static _Thread_local volatile sig_atomic_t has_come[CONTEXTS];

int raw_smp_processor_id(void)
{
	return here;
}

static u64 next_random(u64 *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return mix(*state);
}

static void run_on(int cpu)
{
	pthread_mutex_lock(&cpus[cpu].lock);
	here = cpu;
}

static void run_off(void)
{
	int cpu = here;

	here = -1;
	pthread_mutex_unlock(&cpus[cpu].lock);
}

static struct source *source(void)
{
	return &self->sources[context];
}

static void interrupt(int signal)
{
	unsigned int outer = context, level = signal == SIGUSR1 ? 1 : 2;
	u64 random;

	has_come[level] = true;
	/* In user space, or between two CPUs: nobody's ring. */
	if (here < 0)
		return;
	context = level;
	random = mix(source()->seq ^ seed);
	for (unsigned int i = 0; i <= random % 3; i++)
		write_one(&cpus[here].ring, source(), random >> i);
	context = outer;
}

static void hand_over(struct lw_ring *ring, struct torture_record *record)
{
	bool taken = false;

	pthread_mutex_lock(&handed_lock);
	if (handed_nr < HANDED) {
		handed[handed_nr++] = (struct handed) { ring, record };
		taken = true;
	}
	pthread_mutex_unlock(&handed_lock);
	if (!taken)
		lw_ring_commit(ring, record);
}

static void commit_handed(void)
{
	struct handed one = {};

	pthread_mutex_lock(&handed_lock);
	if (handed_nr) {
		one = handed[0];
		handed[0] = handed[--handed_nr];
	}
	pthread_mutex_unlock(&handed_lock);
	if (one.ring)
		lw_ring_commit(one.ring, one.record);
}

/* Preempted, or asleep, between reserve and commit. */
static void write_slowly(int cpu, u64 random)
{
	u32 words = 1 + (random >> 8) % (MAX_WORDS - 1);
	struct lw_ring *ring = &cpus[cpu].ring;
	struct torture_record *record;

	run_on(cpu);
	record = reserve(ring, source(), words);
	run_off();
	if (!record)
		return;
	fill(record, 0, words / 2);
	if (random & 1)
		sched_yield();
	fill(record, words / 2, words);
	switch ((random >> 1) % 3) {
	case 0:
		lw_ring_commit(ring, record);
		break;
	case 1:
		hand_over(ring, record);
		break;
	default:
		run_on((cpu + 1) % CPUS);
		lw_ring_commit(ring, record);
		run_off();
	}
}

/*
 * What was dropped is tried again when there is room, whoever of us is kept from the
 * CPU by other processes: else the reader had little to read. A record that is busy is
 * committed by its writer, which gets a CPU some time, or by us.
 */
static void wait_for_room(struct lw_ring *ring)
{
	while (local_read(&ring->head) - READ_ONCE(ring->consumer->pos) > ring->size / 2 &&
	       !READ_ONCE(reader_ended)) {
		commit_handed();
		sched_yield();
	}
}

/*
 * The next one of each context that has come. Timers that go on by themselves would stop a
 * machine on which an interrupt takes longer than the time between two.
 */
static void arm_timers(void)
{
	static const struct itimerspec after[CONTEXTS] = {
		[1].it_value.tv_nsec = 31000,
		[2].it_value.tv_nsec = 47000,
	};

	for (int level = 1; level < CONTEXTS; level++) {
		if (!has_come[level])
			continue;
		has_come[level] = false;
		if (timer_settime(timers[level], 0, &after[level], NULL))
			exit(2);
	}
}

static void write_all(void)
{
	u64 dropped;

	while (self->left || READ_ONCE(more_wanted)) {
		u64 random = next_random(&self->rng);
		int cpu = random % CPUS;

		random >>= 8;
		dropped = source()->dropped;
		arm_timers();
		commit_handed();
		if (!self->left)
			self->left = 8;
		if (random % 8 == 0) {
			self->left--;
			write_slowly(cpu, random >> 8);
		} else {
			run_on(cpu);
			for (unsigned int i = 0; i < 8 && self->left; i++, self->left--)
				write_one(&cpus[cpu].ring, source(), next_random(&self->rng));
			run_off();
		}
		if (!cpus[cpu].ring.overwrite && !slow_reader && source()->dropped != dropped)
			wait_for_room(&cpus[cpu].ring);
	}
}

/* An interrupt or an NMI of the calling thread; arm_timers() starts it. */
static void make_timer(int level, int signal)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = signal,
		._sigev_un._tid = gettid(),
	};

	if (timer_create(CLOCK_MONOTONIC, &event, &timers[level]))
		exit(2);
	has_come[level] = true;
}

static void *writer_main(void *arg)
{
	self = arg;
	make_timer(1, SIGUSR1);
	make_timer(2, SIGUSR2);
	write_all();
	timer_delete(timers[1]);
	timer_delete(timers[2]);
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void set_handlers(void)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };

	/* An interrupt is not interrupted by one, but by an NMI. */
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR2, &action, NULL);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static u64 queued(void)
{
	u64 sum = 0;

	for (int i = 0; i < CPUS; i++)
		sum += __atomic_load_n(&cpus[i].ring.wake.queued, __ATOMIC_RELAXED);
	return sum;
}

static bool any_readable(void)
{
	for (int i = 0; i < CPUS; i++)
		if (lw_ring_readable(&cpus[i].ring))
			return true;
	return false;
}

/*
 * As lw_session_poll() and whoever called it: arms, looks, sleeps.
 *
 * Return: false if it was not woken although there was something to read.
 */
static bool sleep_in_poll(struct lw_ring_waiters *waiters)
{
	u64 before = queued();
	double since = 0;

	WRITE_ONCE(waiters->armed, 1);
	/* Pairs with smp_mb() in wake() of ring.c. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (any_readable())
		return true;
	while (queued() == before && __atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
		if (!any_readable())
			since = 0;
		else if (!since)
			since = now();
		else if (now() - since > WAKE_SECONDS)
			return false;
		sched_yield();
	}
	return true;
}

static void start(bool overwrite, unsigned long size, struct lw_ring_waiters *waiters)
{
	for (int i = 0; i < CPUS; i++) {
		pthread_mutex_init(&cpus[i].lock, NULL);
		make_ring(&cpus[i].ring, i, size, size / 8, overwrite);
		free(cpus[i].ring.waiters);
		cpus[i].ring.waiters = waiters;
	}
	set_handlers();
	handed_nr = 0;
	reader_ended = false;
	more_wanted = overwrite;
	running = WRITERS;
	for (int i = 0; i < WRITERS; i++) {
		memset(&writers[i], 0, sizeof(writers[i]));
		writers[i].nr = i;
		writers[i].rng = mix(seed * 1000 + i);
		writers[i].left = records / WRITERS;
		for (int level = 0; level < CONTEXTS; level++)
			writers[i].sources[level].nr = i * CONTEXTS + level;
	}
	for (int i = 0; i < WRITERS; i++)
		if (pthread_create(&writers[i].thread, NULL, writer_main, &writers[i]))
			exit(2);
}

static struct source join(void)
{
	struct source all = {};

	WRITE_ONCE(reader_ended, true);
	WRITE_ONCE(more_wanted, false);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i].thread, NULL);
	while (handed_nr)
		commit_handed();
	for (int i = 0; i < WRITERS; i++) {
		for (int level = 0; level < CONTEXTS; level++) {
			all.given += writers[i].sources[level].given;
			all.dropped += writers[i].sources[level].dropped;
			all.sum += writers[i].sources[level].sum;
		}
	}
	return all;
}

static void finish_rings(void)
{
	for (int i = 0; i < CPUS; i++)
		munmap(cpus[i].ring.area, 2 * PAGE_SIZE + 2 * cpus[i].ring.size);
}

static u64 interrupts(void)
{
	u64 sum = 0;

	for (int i = 0; i < WRITERS; i++)
		sum += writers[i].sources[1].seq + writers[i].sources[2].seq;
	return sum;
}

/* Return: false when a ring could not be read. */
static bool read_all(struct torture_reader *reader, unsigned long size, bool *complete)
{
	int all;

	*complete = true;
	for (int i = 0; i < CPUS; i++) {
		if (torture_read(reader, i, cpus[i].ring.area, PAGE_SIZE, size, &all))
			return false;
		*complete &= all;
	}
	return true;
}

static u64 lost_so_far(void)
{
	u64 sum = 0;

	for (int i = 0; i < CPUS; i++)
		sum += READ_ONCE(cpus[i].ring.producer->lost);
	return sum;
}

static void discard_mode(unsigned long size)
{
	static struct torture_reader reader;
	struct lw_ring_waiters waiters = {};
	struct timespec nap = { .tv_nsec = 3000000 };
	bool complete, ok = true, woken = true;
	struct source all;
	u64 lost, sleeps = 0;

	memset(&reader, 0, sizeof(reader));
	start(false, size, &waiters);
	while (slow_reader && !lost_so_far() && __atomic_load_n(&running, __ATOMIC_ACQUIRE))
		nanosleep(&nap, NULL);
	while (ok && woken && __atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
		ok = read_all(&reader, size, &complete);
		woken = sleep_in_poll(&waiters);
		sleeps++;
		if (slow_reader)
			nanosleep(&nap, NULL);
	}
	CHECK(ok);
	CHECK(woken);
	/* On failure writers go on: with what they find nothing can hang. */
	all = join();
	CHECK(read_all(&reader, size, &complete));
	CHECK(complete);
	lost = lost_so_far();
	CHECK(!reader.bad);
	if (reader.bad)
		printf("# %s\n", reader.text);
	CHECK(reader.records == all.given);
	CHECK(reader.sum == all.sum);
	CHECK(lost == all.dropped);
	CHECK(reader.told <= lost);
	CHECK(!slow_reader || lost);
	/* Writers have waited for it. */
	CHECK(slow_reader || size < 65536 || reader.records > records / 8);
	printf("# %llu records, %llu dropped, %llu by interrupts, %llu sleeps\n", all.given,
	       all.dropped, interrupts(), sleeps);
	finish_rings();
}

TEST(nothing_is_lost_torn_or_out_of_order)
{
	slow_reader = false;
	discard_mode(1 << 18);
}

TEST(a_full_ring_counts_what_it_drops)
{
	slow_reader = true;
	discard_mode(1 << 14);
}

TEST(a_ring_of_one_page)
{
	slow_reader = false;
	discard_mode(PAGE_SIZE);
}

static void overwrite_mode(unsigned long size)
{
	static struct torture_reader reader;
	struct lw_ring_waiters waiters = {};
	u64 overwritten = 0, lost = 0, told = 0, kept = 0, snapshots = 0, empty = 0;
	u64 late = 0, whole = 0;
	double since = now();
	int ret;
	void *buffer = malloc(size);
	struct source all;
	bool ok = buffer;

	start(true, size, &waiters);
	while (ok && __atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
		int cpu = snapshots++ % CPUS;
		/* Pairs with the release in publish(). */
		bool any = smp_load_acquire(&cpus[cpu].ring.producer->pos);

		memset(&reader, 0, sizeof(reader));
		ret = torture_snapshot(&reader, cpu, cpus[cpu].ring.area, PAGE_SIZE,
				       size, buffer);
		ok = (!ret || ret == -EAGAIN) && !reader.bad;
		late += ret == -EAGAIN;
		whole += !ret && reader.records;
		if (whole >= WHOLE || now() - since > WAKE_SECONDS)
			WRITE_ONCE(more_wanted, false);
		empty += any && !ret && !reader.records;
	}
	CHECK(ok);
	CHECK(whole >= WHOLE);
	all = join();
	for (int i = 0; i < CPUS && !reader.bad; i++) {
		memset(&reader, 0, sizeof(reader));
		CHECK(!torture_snapshot(&reader, i, cpus[i].ring.area, PAGE_SIZE, size,
					buffer));
		kept += reader.records;
		told += reader.told;
		overwritten += cpus[i].ring.producer->overwritten;
		lost += cpus[i].ring.producer->lost;
	}
	CHECK(!reader.bad);
	if (reader.bad)
		printf("# %s\n", reader.text);
	CHECK(lost == all.dropped);
	/* LOST records are overwritten, too, and can't be told from others then. */
	CHECK(kept + overwritten >= all.given);
	CHECK(kept + overwritten <= all.given + lost);
	CHECK(kept && overwritten);
	printf("# %llu records, %llu kept, %llu overwritten, %llu dropped\n", all.given, kept,
	       overwritten, lost);
	printf("# %llu by interrupts, %llu snapshots, %llu empty, %llu too late\n",
	       interrupts(), snapshots, empty, late);
	finish_rings();
	free(buffer);
}

TEST(snapshots_beside_writers_are_whole)
{
	overwrite_mode(1 << 18);
}

TEST(a_flight_recorder_of_one_page)
{
	overwrite_mode(PAGE_SIZE);
}

int main(int argc, char **argv)
{
	records = argc > 1 ? strtoul(argv[1], NULL, 0) : lwt_count(1000000, 60000);
	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : lwt_seed();
	return tap_main();
}
