// SPDX-License-Identifier: GPL-2.0
/*
 * walk_bench.c - what a sample with a user stack costs, by who takes it, how deep the stack
 * is, and what else goes on.
 *
 * walk_bench ROUNDS [CASES [FRAMES [SUBJECTS]]]: prints a line for each pass, "case frames
 * subject round instructions samples bytes", which are those that the samples take of a ring;
 * idle-BUILD is the same work that nobody samples.  Lists are of words, "" stands for all.
 *
 * There is one CPU, and its counter of time counts instructions: QEMU's -icount shift=0.
 * Workers stand at the end of a stack of known depth and take turns: each spins, and
 * hands on to the next one by an eventfd.  This program is one of the ring: it counts turns,
 * and measures from the end of a first one, in which caches are filled, to the begin of a
 * last one.  Work is fixed, so what a pass takes more than one that is not sampled is the
 * price of its samples.
 *
 * The period is longer than a walk takes: no walk is sampled.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "walk_mark.h"
#include "walk_tracers.h"

#define PAGE		4096UL
#define STACK_SIZE	(1UL << 20)
/* Of a stack above its first function: arguments, environment and so on. */
#define STACK_REST	8192
/* Where a neighbour maps and unmaps, far from all else. */
#define NEIGHBOUR_AT	0x200000000000UL
#define MAX_WORKERS	8
#define MAX_OPS		5
#define MAX_FRAMES	1000
#define MAX_LIST	8
/* Instructions of a sampling period: more than a walk takes today. */
#define PERIOD		100000
#define PERIOD_FRAME	8000
/* The work of a pass, in periods: so many instructions' worth, at least and at most. */
#define WORK		150000000
#define MIN_SAMPLES	30
#define MAX_SAMPLES	200

/**
 * struct bench_case - who works
 * @name: of it
 * @workers: that take turns
 * @are_threads: of one process; else each is a process
 * @has_neighbour: the last worker does not spin, but maps and unmaps
 * @has_files: each frame is in a file of its own
 * @frames: depths by default, up to 0
 */
struct bench_case {
	const char *name;
	unsigned int workers;
	bool are_threads;
	bool has_neighbour;
	bool has_files;
	unsigned int frames[MAX_LIST];
};

static const struct bench_case cases[] = {
	{ "one", 1, false, false, false, { 5, 25, 75, 300, 900 } },
	{ "processes", MAX_WORKERS, false, false, false, { 25, 75 } },
	{ "threads", MAX_WORKERS, true, false, false, { 25, 75 } },
	{ "mmap-process", 2, false, true, false, { 25, 75 } },
	{ "mmap-thread", 2, true, true, false, { 25, 75 } },
	{ "files", 1, false, false, true, { 25, 75, 300, 900 } },
};

#define NR_CASES	(sizeof(cases) / sizeof(cases[0]))

/**
 * struct worker - one of those that take turns
 * @walk: what it does
 * @ops: of @walk
 * @path: of @walk
 * @stack: STACK_SIZE bytes
 * @event: of its turn
 * @word: that it reads and writes
 * @run: walk_run()
 * @thread: it, or
 * @pid: it
 */
struct worker {
	struct walk walk;
	struct walk_op ops[MAX_OPS];
	void *path[MAX_FRAMES];
	void *stack;
	int event;
	uint64_t word;
	walk_run_fn run;
	pthread_t thread;
	pid_t pid;
};

/**
 * struct pass - a piece of work, sampled or not
 * @c: whose
 * @frames: of each stack
 * @build: of the code
 * @period: instructions, or nanoseconds, from a sample to the next
 * @spin: instructions of a worker in its turn
 * @turns: that are measured
 */
struct pass {
	const struct bench_case *c;
	unsigned int frames;
	enum walk_build build;
	uint64_t period;
	uint64_t spin;
	long turns;
};

struct result {
	uint64_t instructions;
	uint64_t samples;
	uint64_t bytes;			/* of the ring, of these */
};

static struct worker workers[MAX_WORKERS];
static struct walk_files files;
static int own_event;
static const char *const build_names[WALK_NR_BUILDS] = { "plain", "sframe", "fp" };
/* Of the command line. */
static const char *wanted_cases = "", *wanted_frames = "", *wanted_subjects = "";

static void give(int event)
{
	uint64_t one = 1;

	if (write(event, &one, sizeof(one)) != sizeof(one))
		walk_die("write to an eventfd");
}

static void take(int event)
{
	uint64_t number;

	if (read(event, &number, sizeof(number)) != sizeof(number))
		walk_die("read of an eventfd");
}

static int new_event(void)
{
	int fd = eventfd(0, EFD_CLOEXEC);

	if (fd < 0)
		walk_die("eventfd");
	return fd;
}

static void add_op(struct worker *w, long nr, long arg0, long arg1, long arg2, long arg3)
{
	w->ops[w->walk.nr_ops++] = (struct walk_op) { nr, { arg0, arg1, arg2, arg3, -1, 0 } };
}

/* What @w does in each turn; one after it, or this program, is @next. */
static void plan_turn(struct worker *w, const struct pass *pass, bool is_neighbour, int next)
{
	w->walk.nr_ops = 0;
	w->walk.ops = w->ops;
	w->word = 1;
	add_op(w, SYS_read, w->event, (long)&w->word, sizeof(w->word), 0);
	if (is_neighbour) {
		add_op(w, SYS_mmap, NEIGHBOUR_AT, 4 * PAGE, PROT_READ,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
		add_op(w, SYS_munmap, NEIGHBOUR_AT, 4 * PAGE, 0, 0);
	} else {
		add_op(w, WALK_SPIN, pass->spin / 2, 0, 0, 0);
	}
	add_op(w, SYS_write, next, (long)&w->word, sizeof(w->word), 0);
}

static void *run_worker(void *arg)
{
	struct worker *w = arg;

	w->run(&w->walk);
	return NULL;
}

/* A child has no sections of its parent: it registers its own, which end with it. */
static void start_worker(struct worker *w, bool is_thread, bool registers)
{
	if (is_thread) {
		if (pthread_create(&w->thread, NULL, run_worker, w))
			walk_die("pthread_create");
		return;
	}
	w->pid = fork();
	if (w->pid < 0)
		walk_die("fork");
	if (!w->pid) {
		if (registers)
			walk_files_register(&files, true);
		run_worker(w);
		_exit(!!w->walk.error);
	}
}

static void start_workers(const struct pass *pass, bool registers)
{
	unsigned int i, nr = pass->c->workers;

	for (i = 0; i < nr; i++) {
		struct worker *w = &workers[i];

		walk_files_path(&files, w->path, pass->frames);
		w->run = files.file[0].run;
		w->walk = (struct walk) {
			.path = w->path,
			.stack = w->stack + STACK_SIZE - STACK_REST,
			/* Not measured are the first one and the last one, after which it exits. */
			.turns = pass->turns + 2,
		};
		plan_turn(w, pass, pass->c->has_neighbour && i == nr - 1,
			  i == nr - 1 ? own_event : workers[i + 1].event);
	}
	for (i = 0; i < nr; i++)
		start_worker(&workers[i], pass->c->are_threads, registers);
}

static void take_turns(long turns)
{
	while (turns--) {
		give(workers[0].event);
		take(own_event);
	}
}

static void end_workers(const struct pass *pass)
{
	unsigned int i;
	int status = 0;

	take_turns(1);
	for (i = 0; i < pass->c->workers; i++) {
		struct worker *w = &workers[i];

		if (pass->c->are_threads)
			pthread_join(w->thread, NULL);
		else if (waitpid(w->pid, &status, 0) != w->pid)
			walk_die("waitpid");
		errno = -w->walk.error;
		if (errno || status)
			walk_die("a worker's system call");
	}
}

static struct walk_counts counts_of(const struct walk_tracer *t)
{
	return t ? walk_tracer_counts(t) : (struct walk_counts) {};
}

/* Stacks that end too early are cheap.  Some samples hit whoever runs between turns. */
static void check_frames(const struct walk_tracer *t, const struct pass *pass,
			 const struct walk_counts *counts)
{
	uint64_t expected = counts->samples * pass->frames;
	bool has_frames = t->subject->is_latewind ||
			  t->subject->sample_type == PERF_SAMPLE_CALLCHAIN;

	if (has_frames && (counts->frames < expected * 9 / 10 ||
			   counts->frames > expected * 11 / 10 + counts->samples)) {
		fprintf(stderr, "walk_bench: %s, %s: %llu frames of %llu samples, not %u each\n",
			pass->c->name, t->subject->name, (unsigned long long)counts->frames,
			(unsigned long long)counts->samples, pass->frames);
		exit(1);
	}
}

/* @t is NULL when nobody samples. */
static struct result measure(struct walk_tracer *t, const struct pass *pass)
{
	struct walk_counts before, after;
	struct result result;
	uint64_t begun;

	take_turns(1);
	before = counts_of(t);
	if (t)
		walk_mark(WALK_COUNT_SAMPLED);
	else
		walk_mark(WALK_COUNT_IDLE);
	begun = counter_of_time();
	take_turns(pass->turns);
	result.instructions = counter_of_time() - begun;
	walk_mark(WALK_COUNT_NOTHING);
	after = counts_of(t);
	result.samples = after.samples - before.samples;
	result.bytes = after.bytes - before.bytes;
	if (t)
		check_frames(t, pass, &after);
	return result;
}

static struct result run_pass(const struct pass *pass, const struct walk_subject *subject)
{
	bool registers = subject && subject->registers;
	bool registers_here = registers && pass->c->are_threads;
	struct walk_tracer tracer;
	struct result result;

	if (registers_here)
		walk_files_register(&files, true);
	start_workers(pass, registers);
	if (subject)
		walk_tracer_open(&tracer, subject, &files, pass->period, pass->frames);
	/* What the pass before has left to be freed is not this one's. */
	usleep(500000);
	if (subject)
		walk_tracer_enable(&tracer);
	result = measure(subject ? &tracer : NULL, pass);
	if (subject) {
		walk_tracer_disable(&tracer);
		walk_tracer_close(&tracer);
	}
	end_workers(pass);
	if (registers_here)
		walk_files_register(&files, false);
	return result;
}

static void print(const struct pass *pass, const char *kind, const char *name, unsigned int round,
		  struct result result)
{
	printf("%s %u %s%s %u %llu %llu %llu\n", pass->c->name, pass->frames, kind, name, round,
	       (unsigned long long)result.instructions, (unsigned long long)result.samples,
	       (unsigned long long)result.bytes);
	fflush(stdout);
}

static bool is_wanted(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at = list;

	if (!*list)
		return true;
	while ((at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

/* Copies of the stack have nothing to do with what else goes on. */
static bool has_subject(const struct bench_case *c, const struct walk_subject *subject)
{
	return (c == &cases[0] || !subject->stack_bytes) &&
	       is_wanted(wanted_subjects, subject->name);
}

static struct pass plan_pass(const struct bench_case *c, unsigned int frames)
{
	uint64_t samples;
	struct pass pass = {
		.c = c,
		.frames = frames,
		.period = PERIOD + frames * (uint64_t)PERIOD_FRAME * (c->has_files ? 2 : 1),
	};

	samples = WORK / pass.period;
	if (samples < MIN_SAMPLES)
		samples = MIN_SAMPLES;
	if (samples > MAX_SAMPLES)
		samples = MAX_SAMPLES;
	/* Of several workers, another one is sampled each time. */
	if (c->workers == 1) {
		pass.turns = 10;
		pass.spin = pass.period * samples / pass.turns;
	} else {
		pass.spin = pass.period * 6 / 10;
		pass.turns = pass.period * samples / (pass.spin *
						      (c->workers - c->has_neighbour)) + 1;
	}
	return pass;
}

/* All subjects of a build in turn, unsampled work in front of them. */
static void run_build(const struct pass *pass, unsigned int round)
{
	bool has_idle = false;
	unsigned int i;

	for (i = 0; i < walk_nr_subjects; i++) {
		const struct walk_subject *subject = &walk_subjects[i];

		if (subject->build != pass->build || !has_subject(pass->c, subject))
			continue;
		if (!has_idle) {
			walk_files_load(&files, pass->build, pass->c->has_files ? pass->frames : 0);
			print(pass, "idle-", build_names[pass->build], round,
			      run_pass(pass, NULL));
		}
		has_idle = true;
		print(pass, "", subject->name, round, run_pass(pass, subject));
	}
}

/* Each build in a process of its own, which has nothing else mapped. */
static void run_round(const struct bench_case *c, unsigned int frames, unsigned int round)
{
	struct pass pass = plan_pass(c, frames);
	int status;
	pid_t pid;

	for (pass.build = 0; pass.build < WALK_NR_BUILDS; pass.build++) {
		pid = fork();
		if (pid < 0)
			walk_die("fork");
		if (!pid) {
			run_build(&pass, round);
			exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			exit(1);
	}
}

static void run_case(const struct bench_case *c, unsigned int round)
{
	unsigned int i, frames[MAX_LIST + 1] = {};
	char *at = (char *)wanted_frames;

	if (!*at)
		memcpy(frames, c->frames, sizeof(c->frames));
	for (i = 0; *at && i < MAX_LIST; i++)
		frames[i] = strtoul(at, &at, 10);
	for (i = 0; frames[i]; i++) {
		if (frames[i] < 3 || frames[i] > MAX_FRAMES)
			walk_die("FRAMES");
		run_round(c, frames[i], round);
	}
}

static void allow_deep_stacks(unsigned int frames)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "w");

	if (!file || fprintf(file, "%u\n", frames) < 0 || fclose(file))
		walk_die("perf_event_max_stack");
}

static void prepare(void)
{
	struct rlimit limit = { 8192, 8192 };
	unsigned int i;

	errno = ENOTSUP;
	if (!counts_nanoseconds())
		walk_die("the counter of time");
	if (setrlimit(RLIMIT_NOFILE, &limit))
		walk_die("RLIMIT_NOFILE");
	/* khugepaged would copy pages of stacks while others are measured. */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		walk_die("PR_SET_THP_DISABLE");
	own_event = new_event();
	for (i = 0; i < MAX_WORKERS; i++) {
		workers[i].event = new_event();
		workers[i].stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (workers[i].stack == MAP_FAILED)
			walk_die("stacks");
	}
	/* perf adds a frame at address 0. */
	allow_deep_stacks(MAX_FRAMES + 1);
}

int main(int argc, char **argv)
{
	unsigned int rounds, round, i;

	if (argc < 2 || argc > 5) {
		fputs("usage: walk_bench ROUNDS [CASES [FRAMES [SUBJECTS]]]\n", stderr);
		return 2;
	}
	rounds = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		wanted_cases = argv[2];
	if (argc > 3)
		wanted_frames = argv[3];
	if (argc > 4)
		wanted_subjects = argv[4];
	prepare();
	for (round = 0; round < rounds; round++)
		for (i = 0; i < NR_CASES; i++)
			if (is_wanted(wanted_cases, cases[i].name))
				run_case(&cases[i], round);
	return 0;
}
