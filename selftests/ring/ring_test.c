// SPDX-License-Identifier: GPL-2.0
/*
 * ring_test.c - module/ring/ring.c, one thread: what holds, and what holds when it is
 * interrupted behind any of its instructions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "fixture.h"
#include "../lib/form.h"
#include "../unit/tap.h"

#define SIZE		PAGE_SIZE

static int here;

int raw_smp_processor_id(void)
{
	return here;
}

static struct torture_reader reader;

static void new_reader(void)
{
	memset(&reader, 0, sizeof(reader));
}

/* Return: as torture_read(); all that is there was read if *complete. */
static int read_ring(struct lw_ring *ring, int *complete)
{
	return torture_read(&reader, ring->cpu, ring->area, PAGE_SIZE, ring->size,
			    complete);
}

static u64 total_lost(const struct lw_ring *ring)
{
	return ring->producer->lost;
}

#define LINE	64

/* Rings are in one array; what a CPU writes to is in its ring and behind area. */
TEST(rings_of_two_cpus_share_no_cache_line)
{
	struct lw_ring ring;

	CHECK_EQ(_Alignof(struct lw_ring) % LINE, 0);
	CHECK_EQ(sizeof(struct lw_ring) % LINE, 0);
	make_ring(&ring, 0, SIZE, SIZE / 8, false);
	CHECK_EQ((uintptr_t)ring.area % PAGE_SIZE, 0);
	CHECK_EQ((void *)ring.producer - (void *)ring.consumer, PAGE_SIZE);
	CHECK_EQ(ring.data - (void *)ring.producer, PAGE_SIZE);
	free_ring(&ring);
}

TEST(what_was_written_is_read)
{
	struct source source = { .nr = 1 };
	struct lw_ring ring;
	int complete;

	new_reader();
	make_ring(&ring, 0, SIZE, SIZE / 8, false);
	for (unsigned int i = 0; i < 10000; i++) {
		write_one(&ring, &source, i * 7);
		CHECK(!read_ring(&ring, &complete) && complete);
	}
	CHECK(reader.records == 10000 && reader.sum == source.sum && !reader.bad);
	CHECK(!total_lost(&ring));
	free_ring(&ring);
}

TEST(a_busy_record_stops_the_reader_and_keeps_the_rest)
{
	struct source source = { .nr = 1 }, slow = { .nr = 2 };
	struct torture_record *record;
	struct lw_ring ring;
	int complete;

	new_reader();
	make_ring(&ring, 0, 16 * SIZE, SIZE, false);
	write_one(&ring, &source, 3);
	record = reserve(&ring, &slow, 5);
	for (unsigned int i = 0; i < 100; i++)
		write_one(&ring, &source, i);
	CHECK(!read_ring(&ring, &complete) && !complete && reader.records == 1);
	CHECK(!lw_ring_readable(&ring));
	fill(record, 0, 5);
	here = 1;
	lw_ring_commit(&ring, record);
	here = 0;
	CHECK(lw_ring_readable(&ring));
	CHECK(!read_ring(&ring, &complete) && complete && reader.records == 102);
	CHECK(!reader.bad);
	free_ring(&ring);
}

TEST(drops_are_told_where_they_were)
{
	struct source source = { .nr = 1 };
	struct lw_ring ring;
	enum lw_ring_drop why;
	u64 given;
	int complete;

	new_reader();
	make_ring(&ring, 0, SIZE, SIZE / 8, false);
	while (!source.dropped)
		write_one(&ring, &source, 5);
	given = source.given;
	write_one(&ring, &source, 5);
	CHECK(!lw_ring_reserve(&ring, SIZE / 2 + 8, RECORD_TORTURE, 0, &why));
	CHECK(why == LW_DROP_BIG);
	lw_ring_drop(&ring, LW_DROP_NESTED);
	CHECK(total_lost(&ring) == 4);
	CHECK(!read_ring(&ring, &complete) && complete);
	CHECK(reader.records == given && !reader.told);
	write_one(&ring, &source, 5);
	CHECK(!read_ring(&ring, &complete) && complete);
	CHECK(reader.records == given + 1 && reader.told == 4 && !reader.bad);
	free_ring(&ring);
}

TEST(half_a_ring_fits_and_more_does_not)
{
	struct lw_ring ring;
	enum lw_ring_drop why;
	void *record;

	for (int overwrite = 0; overwrite < 2; overwrite++) {
		make_ring(&ring, 0, SIZE, SIZE / 8, overwrite);
		record = lw_ring_reserve(&ring, SIZE / 2, RECORD_TORTURE, 0, &why);
		CHECK(record && why == LW_DROP_NONE);
		lw_ring_commit(&ring, record);
		CHECK(!lw_ring_reserve(&ring, SIZE / 2 + 8, RECORD_TORTURE, 0, &why));
		CHECK(why == LW_DROP_BIG);
		free_ring(&ring);
	}
}

/* Whatever the consumer page holds: writers stay inside and come back. */
TEST(a_hostile_reader_harms_itself_only)
{
	static const u64 positions[] = {
		0, 1, 7, 8, SIZE - 1, SIZE, SIZE + 1, 1ULL << 31, 1ULL << 32, 1ULL << 63,
		-1ULL, -7ULL, -8ULL, -(u64)SIZE, -(u64)SIZE - 1,
	};
	struct source source = { .nr = 1 };
	struct lw_ring_waiters *waiters;
	struct lw_ring ring;
	u64 pos;

	make_ring(&ring, 0, SIZE, 8, false);
	waiters = ring.waiters;
	for (unsigned int i = 0; i < 100000; i++) {
		waiters->armed = 1;
		pos = positions[i % (sizeof(positions) / sizeof(*positions))];
		if (i % 3 == 1)
			pos += ring.producer->pos;
		if (i % 3 == 2)
			pos = mix(i);
		ring.consumer->pos = pos;
		lw_ring_readable(&ring);
		write_one(&ring, &source, i);
		CHECK(ring.producer->data_size == SIZE &&
		      ring.producer->data_offset == PAGE_SIZE);
		CHECK(ring.consumer->pos == pos);
	}
	CHECK(source.given && source.dropped == total_lost(&ring));
	free_ring(&ring);
}

static bool woken(struct lw_ring *ring)
{
	bool queued = ring->wake.queued;

	ring->wake.queued = 0;
	return queued;
}

TEST(the_watermark_wakes)
{
	for (unsigned int m = 0; m < 24; m++) {
		/* Not powers of two only; from 8 bytes to half of the ring. */
		unsigned long mark = m % 2 ? (8UL << m / 2) - 1 - m * 5 % 7 : 8UL << m / 2;
		struct source source = { .nr = 1 };
		struct lw_ring ring;
		int complete;

		new_reader();
		make_ring(&ring, 0, 16 * SIZE, mark, false);
		for (unsigned int round = 0; round < 50; round++) {
			CHECK(!read_ring(&ring, &complete) && complete);
			/* From a different place each time. */
			write_one(&ring, &source, round % 4);
			woken(&ring);
			ring.waiters->armed = !lw_ring_readable(&ring);
			if (!ring.waiters->armed)
				continue;
			for (;;) {
				u64 had = ring.producer->pos - ring.consumer->pos;
				bool now;

				/* With a LOST record in front of some. */
				if (round % 5 == 0)
					lw_ring_drop(&ring, LW_DROP_NESTED);
				write_one(&ring, &source, round % 16);
				now = woken(&ring);
				had = ring.producer->pos - ring.consumer->pos;
				CHECK(!now || had > mark - mark / 8);
				CHECK(now == !ring.waiters->armed);
				if (now)
					break;
				CHECK(had < mark);
				if (had >= mark)
					break;
			}
			CHECK(lw_ring_readable(&ring));
		}
		CHECK(!reader.bad);
		free_ring(&ring);
	}
}

TEST(nobody_is_woken_who_does_not_wait)
{
	struct source source = { .nr = 1 };
	struct lw_ring ring;

	make_ring(&ring, 0, SIZE, 8, false);
	for (unsigned int i = 0; i < 20; i++)
		write_one(&ring, &source, i);
	CHECK(!woken(&ring));
	free_ring(&ring);
}

/* The last record of a crowd, or the one that the reader has stopped at. */
TEST(a_late_commit_wakes)
{
	for (int remote = 0; remote < 2; remote++) {
		struct source source = { .nr = 1 }, slow = { .nr = 2 };
		struct torture_record *record;
		struct lw_ring ring;

		make_ring(&ring, 0, 16 * SIZE, SIZE, false);
		record = reserve(&ring, &slow, 0);
		ring.waiters->armed = 1;
		while (ring.producer->pos < 2 * SIZE)
			write_one(&ring, &source, 3);
		CHECK(!woken(&ring));
		here = remote;
		lw_ring_commit(&ring, record);
		here = 0;
		CHECK(woken(&ring));
		free_ring(&ring);
	}
}

TEST(a_flight_recorder_keeps_the_newest)
{
	void *buffer = malloc(SIZE);
	struct source source = { .nr = 1 };
	struct lw_ring ring;

	make_ring(&ring, 0, SIZE, SIZE / 8, true);
	ring.waiters->armed = 1;
	for (unsigned int i = 0; i < 1000; i++) {
		write_one(&ring, &source, i);
		new_reader();
		CHECK(!torture_snapshot(&reader, 0, ring.area, PAGE_SIZE, SIZE, buffer));
		CHECK(!reader.bad && reader.last[0][1] == source.seq);
		CHECK(reader.records + ring.producer->overwritten == source.given);
		CHECK(i < 100 || ring.producer->pos - ring.producer->tail > SIZE / 2);
	}
	CHECK(!source.dropped && !total_lost(&ring) && !woken(&ring));
	CHECK(!lw_ring_readable(&ring));
	free_ring(&ring);
	free(buffer);
}

TEST(a_flight_recorder_waits_for_who_still_writes)
{
	struct source source = { .nr = 1 }, slow = { .nr = 2 };
	struct torture_record *record;
	void *buffer = malloc(SIZE);
	struct lw_ring ring;

	make_ring(&ring, 0, SIZE, SIZE / 8, true);
	write_one(&ring, &source, 0);
	record = reserve(&ring, &slow, 4);
	while (!source.dropped)
		write_one(&ring, &source, 7);
	new_reader();
	CHECK(!torture_snapshot(&reader, 0, ring.area, PAGE_SIZE, SIZE, buffer));
	CHECK(!reader.bad && reader.records && !reader.last[0][2]);
	CHECK(reader.records + ring.producer->overwritten == source.given);
	fill(record, 0, 4);
	lw_ring_commit(&ring, record);
	new_reader();
	CHECK(!torture_snapshot(&reader, 0, ring.area, PAGE_SIZE, SIZE, buffer));
	CHECK(!reader.bad && reader.last[0][2] == 1);
	write_one(&ring, &source, 7);
	CHECK(source.dropped == 1 && total_lost(&ring) == 1);
	free_ring(&ring);
	free(buffer);
}

#ifdef __x86_64__
/*
 * Interrupts behind each instruction: the trap flag makes the processor stop there,
 * and the handler, an interrupt, writes records of its own, itself stopped at
 * some instruction by an NMI that does.
 */
#define LEVELS	3
/*
 * Sanitized code has many more, and is no more interesting. The short form has one of
 * SAMPLE instructions, beginning with one that the seed chooses.
 */
#ifdef __SANITIZE_ADDRESS__
#define STRIDE	11
#define SAMPLE	67
#else
#define STRIDE	1
#define SAMPLE	7
#endif

static unsigned int stride = STRIDE, first = 1;
static u64 seed;

static struct {
	struct lw_ring *ring;
	struct source sources[LEVELS];
	volatile unsigned int level;
	unsigned int seen[LEVELS];
	unsigned int at[LEVELS];
	unsigned int burst;
} step;

/* Behind the red zone. */
static inline void set_trap_flag(void)
{
	asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
		     "orq $0x100, (%%rsp)\n\tpopfq\n\t"
		     "lea 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static inline void clear_trap_flag(void)
{
	asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
		     "andq $~0x100, (%%rsp)\n\tpopfq\n\t"
		     "lea 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static void stepped_write(unsigned int level)
{
	step.seen[level] = 0;
	for (unsigned int i = 0; i < (level ? step.burst : 1); i++) {
		if (!i && level + 1 < LEVELS && step.at[level])
			set_trap_flag();
		write_one(step.ring, &step.sources[level], step.burst + i);
		clear_trap_flag();
	}
}

static void trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *registers = context;
	unsigned int level = step.level;

	(void)signal;
	(void)info;
	if (++step.seen[level] != step.at[level])
		return;
	/* Once is enough. */
	registers->uc_mcontext.gregs[REG_EFL] &= ~0x100;
	step.level = level + 1;
	stepped_write(level + 1);
	step.level = level;
}

/* Return: was the write so long that it was interrupted at all levels? */
static bool interrupted_write(struct lw_ring *ring, unsigned int at,
			      unsigned int nmi_at, unsigned int burst)
{
	memset(step.seen, 0, sizeof(step.seen));
	step.ring = ring;
	step.at[0] = at;
	step.at[1] = nmi_at;
	step.burst = burst;
	stepped_write(0);
	return step.seen[0] >= at;
}

static void set_trap(void)
{
	struct sigaction action = { .sa_sigaction = trap,
				    .sa_flags = SA_NODEFER | SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	memset(&step, 0, sizeof(step));
	for (unsigned int i = 0; i < LEVELS; i++)
		step.sources[i].nr = i;
}

static u64 sum_of(size_t offset)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < LEVELS; i++)
		sum += *(u64 *)((void *)&step.sources[i] + offset);
	return sum;
}

#define SUM_OF(field)	sum_of(offsetof(struct source, field))

/*
 * Starting with a ring that is empty, nearly full, or has drops to tell; with a
 * burst that fits, and one that fills the ring.
 */
static void check_discard(unsigned int at, unsigned int nmi_at, unsigned int burst,
			  unsigned int before, bool *reached)
{
	struct lw_ring ring;
	u64 given, dropped;
	int complete;

	new_reader();
	make_ring(&ring, 0, SIZE, SIZE / 8, false);
	set_trap();
	ring.waiters->armed = 1;
	for (unsigned int i = 0; i < before; i++)
		write_one(&ring, &step.sources[2], i);
	if (before > 100)
		CHECK(!read_ring(&ring, &complete) && complete);
	*reached = interrupted_write(&ring, at, nmi_at, burst);
	given = SUM_OF(given);
	dropped = SUM_OF(dropped);
	CHECK(ring.producer->pos == (u64)local_read(&ring.head));
	CHECK(!local_read(&ring.nest));
	CHECK(!read_ring(&ring, &complete) && complete);
	CHECK(!reader.bad && reader.records == given && reader.sum == SUM_OF(sum));
	CHECK(total_lost(&ring) == dropped);
	write_one(&ring, &step.sources[0], 1);
	CHECK(!read_ring(&ring, &complete) && complete);
	CHECK(reader.told == dropped && !reader.bad);
	if (reader.bad)
		printf("# at %u, %u: %s\n", at, nmi_at, reader.text);
	free_ring(&ring);
}

static void check_overwrite(unsigned int at, unsigned int nmi_at, unsigned int burst,
			    unsigned int before, bool *reached)
{
	void *buffer = malloc(SIZE);
	struct lw_ring ring;
	u64 newest;

	make_ring(&ring, 0, SIZE, SIZE / 8, true);
	set_trap();
	for (unsigned int i = 0; i < before; i++)
		write_one(&ring, &step.sources[2], i);
	*reached = interrupted_write(&ring, at, nmi_at, burst);
	newest = step.sources[2].seq - step.sources[2].dropped;
	new_reader();
	CHECK(!torture_snapshot(&reader, 0, ring.area, PAGE_SIZE, SIZE, buffer));
	CHECK(!reader.bad && reader.records);
	if (reader.bad)
		printf("# at %u, %u: %s\n", at, nmi_at, reader.text);
	CHECK(reader.records + ring.producer->overwritten >= SUM_OF(given));
	CHECK(reader.records + ring.producer->overwritten <=
	      SUM_OF(given) + SUM_OF(dropped));
	CHECK(total_lost(&ring) == SUM_OF(dropped));
	/* Nobody stays busy: there is room for all, but in a burst. */
	CHECK(burst > 10 || !SUM_OF(dropped));
	CHECK(burst > 10 || !newest || reader.last[0][2] >= newest);
	CHECK(ring.producer->pos == (u64)local_read(&ring.head));
	free_ring(&ring);
	free(buffer);
}

typedef void (*check_fn)(unsigned int at, unsigned int nmi_at, unsigned int burst,
			 unsigned int before, bool *reached);

static void each_instruction(check_fn check)
{
	static const unsigned int bursts[] = { 2, 60 };
	static const unsigned int before[] = { 0, 30, 500 };
	unsigned int most = 0, nr = 0;

	for (unsigned int b = 0; b < 2; b++) {
		for (unsigned int f = 0; f < 3; f++) {
			bool reached = true;

			for (unsigned int at = first; reached; at += stride) {
				check(at, 0, bursts[b], before[f], &reached);
				if (at > most)
					most = at;
				if (nr++ % 4)
					continue;
				/* An NMI somewhere in the interrupt. */
				check(at, 1 + mix(seed + at + b) % 120, bursts[b], before[f],
				      &reached);
			}
		}
	}
	/* Else the processor did not stop, or the compiler took all away. */
	CHECK(most > 60);
	printf("# %u instructions\n", most);
}

TEST(interrupted_at_each_instruction)
{
	each_instruction(check_discard);
}

/* What was the oldest record becomes the middle of another, here or there. */
TEST(a_flight_recorder_whose_tail_is_written_over)
{
	for (unsigned int before = 500; before < 530; before++) {
		bool reached = true;

		for (unsigned int at = first; reached && at < 120; at += stride)
			check_overwrite(at, 0, 2, before, &reached);
	}
}

TEST(a_flight_recorder_interrupted_at_each_instruction)
{
	each_instruction(check_overwrite);
}
#endif

int main(void)
{
#ifdef __x86_64__
	seed = lwt_seed();
	if (!lwt_long()) {
		stride = SAMPLE;
		first = 1 + mix(seed) % SAMPLE;
	}
#endif
	return tap_main();
}
