// SPDX-License-Identifier: GPL-2.0
/*
 * bench [--count]: what a look-up and a step of a walk cost, one subject beside
 * the other. Prints "bench case subject value" lines, ns each; with --count, to
 * be run under callgrind, there are none but a dump of counts after each.
 *
 * All subjects walk the same stacks, of real calls through generated functions,
 * and take turns, so that what else the machine does meets all of them. What
 * a walk finds is compared to what the functions noted, each time.
 */
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>
#include <x86intrin.h>

#include "bench.h"
#include "walk.h"

#define LINE		64
#define EVICT_SIZE	(64UL << 20)	/* more than the caches have */
#define MAX_SAMPLES	256		/* of a chain */
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define PT_SFRAME	0x6474e554

struct program program;

static struct bench_chain chains[BENCH_CHAINS];

/* What the walk at the leaf is to do, and what came of it. */
static struct {
	const struct subject *subject;
	bool	evict;
	bool	forget;
	bool	count;
	uint64_t ticks;
	uintptr_t leaf;		/* where the leaf calls the subject from */
	unsigned int walks;	/* so far */
} run;

static char *evict_buffer;
static double ns_per_tick;

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("bench: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

/* Nothing, but for what all of them have: to be subtracted. */
static noinline unsigned int walk_nothing(uintptr_t *ips, unsigned int max)
{
	ips[1] = (uintptr_t)__builtin_return_address(0);
	return max;
}

static noinline int find_nothing(uintptr_t pc, struct lw_rule *rule)
{
	asm volatile("" : : "r" (pc), "r" (rule) : "memory");
	return 0;
}

static const struct subject subject_nothing = {
	.name = "nothing",
	.walk = walk_nothing,
	.find = find_nothing,
};

static const struct subject *const subjects[] = {
	&subject_nothing,
	&subject_fp,
	&subject_latewind,
	&subject_indexed,
	&subject_read,
	&subject_cached,
	&subject_plain,
	&subject_libsframe,
	&subject_libunwind,
	&subject_glibc,
	&subject_libdwfl,
	&subject_libdw,
};

static inline uint64_t ticks_before(void)
{
	uint64_t ticks;

	_mm_lfence();
	ticks = __rdtsc();
	_mm_lfence();
	return ticks;
}

static inline uint64_t ticks_after(void)
{
	unsigned int cpu;
	uint64_t ticks = __rdtscp(&cpu);

	_mm_lfence();
	return ticks;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static void measure_tick(void)
{
	double ns = now_ns();
	uint64_t ticks = __rdtsc();

	while (now_ns() - ns < 1e8)
		;
	ns_per_tick = (now_ns() - ns) / (__rdtsc() - ticks);
}

/* Everything out of the caches: code, tables and the stack as well. */
static void evict(void)
{
	size_t i;

	for (i = 0; i < EVICT_SIZE; i += LINE)
		((volatile char *)evict_buffer)[i]++;
}

static void prepare(void)
{
	if (run.forget && run.subject->forget)
		run.subject->forget();
	if (run.evict)
		evict();
}

static void check_walk(const struct bench_chain *chain, const uintptr_t *ips,
		       unsigned int nr)
{
	const char *name = run.subject->name;
	unsigned int i;

	if (nr != BENCH_FRAMES)
		die("%s: %u frames, not %u", name, nr, BENCH_FRAMES);
	if (run.subject == &subject_nothing) {
		run.leaf = ips[1];
		return;
	}
	if (ips[1] != run.leaf)
		die("%s: leaf at %lx, not %lx", name, ips[1], run.leaf);
	for (i = 0; i <= BENCH_DEPTH; i++)
		if (ips[2 + i] != chain->ra[BENCH_DEPTH - i])
			die("%s: frame %u at %lx, not %lx", name, 2 + i,
			    ips[2 + i], chain->ra[BENCH_DEPTH - i]);
}

unsigned long bench_leaf(struct bench_chain *chain, unsigned int depth,
			 unsigned long x)
{
	static uintptr_t ips[BENCH_FRAMES];
	uint64_t before;
	unsigned int nr;

	chain->ra[depth] = (uintptr_t)__builtin_return_address(0);
	prepare();
	if (run.count)
		CALLGRIND_TOGGLE_COLLECT;
	before = ticks_before();
	nr = run.subject->walk(ips, BENCH_FRAMES);
	run.ticks += ticks_after() - before;
	if (run.count)
		CALLGRIND_TOGGLE_COLLECT;
	run.walks++;
	check_walk(chain, ips, nr);
	return x;
}

/* Where the last frame that is compared returns to. */
static noinline void bench_descend(struct bench_chain *chain)
{
	unsigned int walks = run.walks;

	chain->next[0](chain, 0, (uintptr_t)chain);
	if (run.walks != walks + 1)
		die("a chain did not reach its leaf");
}

/* A walk of the chain. Return: ticks. */
static uint64_t walk_once(unsigned int chain)
{
	run.ticks = 0;
	bench_descend(&chains[chain]);
	return run.ticks;
}

/* Look-ups of what the walk of the chain looks up. Return: ticks. */
static noinline uint64_t find_once(unsigned int chain)
{
	const struct subject *subject = run.subject;
	const unsigned long *ra = chains[chain].ra;
	struct lw_rule rule;
	uint64_t before, ticks;
	unsigned int i;

	prepare();
	if (run.count)
		CALLGRIND_TOGGLE_COLLECT;
	before = ticks_before();
	for (i = 0; i < BENCH_DEPTH; i++)
		subject->find(ra[BENCH_DEPTH - i] - 1, &rule);
	ticks = ticks_after() - before;
	if (run.count)
		CALLGRIND_TOGGLE_COLLECT;
	return ticks;
}

typedef uint64_t once_func(unsigned int chain);

struct bench {
	const char *name;
	once_func *once;
	unsigned int per_once;
};

static const struct bench benches[] = {
	{ "frame", walk_once, BENCH_STEPS },
	{ "lookup", find_once, BENCH_DEPTH },
};

/**
 * struct bench_case - what state the caches are in
 * @name: in the results
 * @rounds: in each, each subject has a turn
 * @count_rounds: under callgrind, where nothing varies
 * @untimed: walks at the start of a turn
 * @timed: walks after them
 * @same_chain: all of a turn walk one chain, otherwise all chains in turn
 * @evict: nothing is in the processor's caches at the start of a walk
 * @forget: nothing is in a subject's own cache
 */
struct bench_case {
	const char *name;
	unsigned int rounds;
	unsigned int count_rounds;
	unsigned int untimed;
	unsigned int timed;
	bool	same_chain;
	bool	evict;
	bool	forget;
};

static const struct bench_case cases[] = {
	{
		.name = "hot", .rounds = 4 * BENCH_CHAINS, .count_rounds = 16,
		.untimed = 4, .timed = 16, .same_chain = true,
	}, {
		.name = "warm", .rounds = 128, .count_rounds = 1,
		.untimed = BENCH_CHAINS, .timed = 2 * BENCH_CHAINS,
	}, {
		.name = "cold", .rounds = 3 * BENCH_CHAINS, .count_rounds = 4,
		.untimed = 0, .timed = 1, .evict = true,
	}, {
		.name = "forgotten", .rounds = 32, .count_rounds = 1,
		.untimed = 1, .timed = BENCH_CHAINS, .forget = true,
	},
};

/* Only those with a cache of their own have something to forget. */
static bool takes_part(const struct bench_case *c, const struct bench *bench,
		       const struct subject *subject)
{
	if (c->forget && !subject->forget && subject != &subject_nothing)
		return false;
	return bench->once == walk_once ? !!subject->walk : !!subject->find;
}

/* Ticks of each walk, by chain: chains differ, and take different times. */
struct samples {
	double	ticks[BENCH_CHAINS][MAX_SAMPLES];
	unsigned int nr[BENCH_CHAINS];
};

static void take_turn(const struct bench_case *c, const struct bench *bench,
		      const struct subject *subject, unsigned int round,
		      struct samples *samples)
{
	unsigned int i, chain;
	uint64_t ticks;

	run.subject = subject;
	run.evict = c->evict;
	run.forget = c->forget;
	for (i = 0; i < c->untimed + c->timed; i++) {
		chain = (c->same_chain ? round : round + i) % BENCH_CHAINS;
		run.count = !samples && i >= c->untimed;
		ticks = bench->once(chain);
		if (samples && i >= c->untimed)
			samples->ticks[chain][samples->nr[chain]++] = ticks;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return (values[(nr - 1) / 2] + values[nr / 2]) / 2;
}

/* The mean of all chains of the medians of each. */
static double middle(struct samples *samples)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < BENCH_CHAINS; i++)
		sum += median(samples->ticks[i], samples->nr[i]);
	return sum / BENCH_CHAINS;
}

static void measure(const struct bench_case *c, const struct bench *bench)
{
	static struct samples samples[ARRAY_SIZE(subjects)];
	unsigned int round, i;
	double idle, each;

	memset(samples, 0, sizeof(samples));
	for (round = 0; round < c->rounds; round++)
		for (i = 0; i < ARRAY_SIZE(subjects); i++)
			if (takes_part(c, bench, subjects[i]))
				take_turn(c, bench, subjects[i], round,
					  &samples[i]);
	idle = middle(&samples[0]);
	for (i = 1; i < ARRAY_SIZE(subjects); i++) {
		if (!takes_part(c, bench, subjects[i]))
			continue;
		each = (middle(&samples[i]) - idle) / bench->per_once;
		printf("%s %s %s %.4f\n", bench->name, c->name,
		       subjects[i]->name, each * ns_per_tick);
	}
}

/* The name of each dump says what is in it, and of how many. */
static void count(const struct bench_case *c, const struct bench *bench)
{
	unsigned int round, i;
	char name[128];

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (!takes_part(c, bench, subjects[i]))
			continue;
		CALLGRIND_ZERO_STATS;
		for (round = 0; round < c->count_rounds; round++)
			take_turn(c, bench, subjects[i], round, NULL);
		snprintf(name, sizeof(name), "%s %s %s %u", bench->name, c->name,
			 subjects[i]->name,
			 c->count_rounds * c->timed * bench->per_once);
		CALLGRIND_DUMP_STATS_AT(name);
	}
}

/* The first object is the program; it has the one .sframe that is read here. */
static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
	const Elf64_Phdr *phdr;
	uintptr_t at;
	int i;

	(void)size;
	(void)data;
	for (i = 0; i < info->dlpi_phnum; i++) {
		phdr = &info->dlpi_phdr[i];
		at = info->dlpi_addr + phdr->p_vaddr;
		if (phdr->p_type == PT_SFRAME) {
			program.sframe = (const void *)at;
			program.sframe_size = phdr->p_filesz;
		} else if (phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X)) {
			program.text_start = at;
			program.text_end = at + phdr->p_memsz;
		}
	}
	return 1;
}

static void find_stack(void)
{
	pthread_attr_t attr;
	size_t size;
	void *start;

	if (pthread_getattr_np(pthread_self(), &attr) ||
	    pthread_attr_getstack(&attr, &start, &size))
		die("cannot find the stack");
	program.stack_end = (uintptr_t)start + size;
	pthread_attr_destroy(&attr);
}

/* To the last CPU that is allowed: the first one has the interrupts. */
static void pin(void)
{
	cpu_set_t cpus;
	int cpu;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		die("sched_getaffinity failed");
	for (cpu = CPU_SETSIZE - 1; cpu && !CPU_ISSET(cpu, &cpus); cpu--)
		;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity failed");
}

static void make_chains(void)
{
	unsigned int chain, depth;
	uint64_t random = 1;

	for (chain = 0; chain < BENCH_CHAINS; chain++) {
		for (depth = 0; depth < BENCH_DEPTH; depth++) {
			random = random * 6364136223846793005UL + 1442695040888963407UL;
			chains[chain].next[depth] =
				bench_table.func[(random >> 33) % BENCH_FUNCS];
		}
		chains[chain].next[BENCH_DEPTH] = bench_leaf;
	}
}

static void make_evict_buffer(void)
{
	evict_buffer = mmap(NULL, EVICT_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (evict_buffer == MAP_FAILED)
		die("no memory");
	/* of small pages, for the TLB's sake */
	madvise(evict_buffer, EVICT_SIZE, MADV_NOHUGEPAGE);
	evict();
}

/* Everybody finds what a plain reading says, for all that is looked up. */
static void check_finds(void)
{
	struct lw_rule want, got;
	unsigned int i, j, chain;
	uintptr_t pc;

	for (chain = 0; chain < BENCH_CHAINS; chain++) {
		for (i = 1; i <= BENCH_DEPTH; i++) {
			pc = chains[chain].ra[i] - 1;
			if (subject_plain.find(pc, &want))
				die("plain: no rule for %lx", pc);
			for (j = 1; j < ARRAY_SIZE(subjects); j++) {
				if (!subjects[j]->find)
					continue;
				if (subjects[j]->find(pc, &got) ||
				    memcmp(&got, &want, sizeof(got)))
					die("%s: wrong rule for %lx",
					    subjects[j]->name, pc);
			}
		}
	}
}

int main(int argc, char **argv)
{
	bool counting = argc > 1 && !strcmp(argv[1], "--count");
	unsigned int i, j;

	pin();
	dl_iterate_phdr(find_program, NULL);
	if (!program.sframe)
		die("this program has no .sframe");
	find_stack();
	make_chains();
	make_evict_buffer();
	measure_tick();
	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		if (subjects[i]->setup)
			subjects[i]->setup();
	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		run.subject = subjects[i];
		for (j = 0; j < BENCH_CHAINS && subjects[i]->walk; j++)
			walk_once(j);
	}
	check_finds();
	print_shape(chains);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		for (j = 0; j < ARRAY_SIZE(benches); j++)
			(counting ? count : measure)(&cases[i], &benches[j]);
	return 0;
}
