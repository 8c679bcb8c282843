// SPDX-License-Identifier: GPL-2.0
/*
 * device_fuzz.c - hostile programs at random: sequences of all calls that the device has, by
 * one thread or by two at once, with memory, stacks, tables and files that lie or change.
 *
 * A program is made from a seed and a number, so that it can be run again. Where the kernel
 * has KCOV and the module was built for it, a program that reached something new is kept, and
 * most later ones are made from these by some changes, each of which follows from the seed and
 * a number, too. Some programs have each of their calls fail in each place that can fail, where
 * the kernel has fault injection.
 *
 * Some processes run programs, and another one watches them: no call may hang, no program may
 * end its process. Each result must be documented, the books of each session must balance, and
 * in the end nothing may be left.
 *
 *	LW_FUZZ_CALLS=n		how many calls; a few in the short form
 *	LW_FUZZ_SECONDS=n	for how long at most
 *	LW_FUZZ_WORKERS=n	processes that run programs at once, default 4
 *	LW_FUZZ_FAULTS=n	programs of 64 whose calls fail, default 4
 *	LW_FUZZ_REPLAY=seed:n,n	runs one program again and again, as a failure has named it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/kcov.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fuzz.h"
#include "lib/inject.h"

#define MAX_OPS		160
/* Programs that one process runs, which then ends with all that it has. */
#define BATCH		200
#define COVER		(1UL << 16)
#define KCOV		"/sys/kernel/debug/kcov"
#define NTH		"/proc/self/fail-nth"
/* Of a program that is run again. */
#define REPEATS		200

static uint64_t calls_wanted, until;
static struct fuzz_lineage replay;
static unsigned long module_text;
/* The first thread of a process that runs programs, the second one, and who brings pages. */
static struct fuzz_actor actors[3];
static uint64_t *cover;

static void do_fork(struct fuzz_actor *a);

/**
 * struct operation - a kind of step
 * @run: does it
 * @weight: how often it is chosen
 * @burst: how often it is done in a row, at most
 */
static const struct operation {
	void (*run)(struct fuzz_actor *a);
	unsigned int weight;
	unsigned int burst;
} operations[] = {
	{ fuzz_do_open, 6, 1 }, { fuzz_do_close, 2, 1 }, { fuzz_do_dup, 2, 1 },
	{ fuzz_do_setup, 3, 1 }, { fuzz_do_event, 3, 2 }, { fuzz_do_simple, 10, 4 },
	{ fuzz_do_request, 12, 6 }, { fuzz_do_filter, 3, 2 }, { fuzz_do_syscall, 2, 3 },
	{ fuzz_do_table, 14, 8 }, { fuzz_do_section, 20, 8 }, { fuzz_do_vma, 10, 6 },
	{ fuzz_do_tasks, 2, 2 }, { fuzz_do_next_file, 2, 2 }, { fuzz_do_raw, 10, 16 },
	{ fuzz_do_poll, 4, 4 }, { fuzz_do_file_call, 3, 4 }, { fuzz_do_map_ring, 6, 2 },
	{ fuzz_do_map, 4, 2 }, { fuzz_do_position, 6, 2 }, { fuzz_do_text, 4, 1 },
	{ fuzz_do_region, 4, 1 }, { fuzz_do_file, 3, 1 }, { fuzz_do_hostile_request, 14, 4 },
	{ do_fork, 1, 1 },
};

#define NR_OPERATIONS	(sizeof(operations) / sizeof(*operations))

/**
 * struct op - a step of a program
 * @what: index in operations
 * @by: actor that does it
 * @seed: of all that it chooses
 */
struct op {
	unsigned int what;
	unsigned int by;
	uint64_t seed;
};

/**
 * struct program - what is run
 * @nr: of @ops
 * @races: two threads do their parts of it at once
 * @sweeps: each call of the first thread fails in each place
 * @ops: its steps
 */
struct program {
	unsigned int nr;
	bool races;
	bool sweeps;
	struct op ops[MAX_OPS];
};

static void run_op(struct fuzz_actor *a, const struct op *op)
{
	unsigned int nr;

	a->dice = op->seed;
	for (nr = 1 + fuzz_roll(a, operations[op->what].burst); nr; nr--) {
		fuzz_run->steps++;
		a->used = 0;
		operations[op->what].run(a);
	}
}

static struct op any_op(struct fuzz_actor *d)
{
	unsigned int i, total = 0, at;

	for (i = 0; i < NR_OPERATIONS; i++)
		total += operations[i].weight;
	at = fuzz_roll(d, total);
	for (i = 0; at >= operations[i].weight; i++)
		at -= operations[i].weight;
	return (struct op) { .what = i, .by = fuzz_roll(d, 2), .seed = lwt_random(&d->dice) };
}

/* A child has the files, and seldom the rights, of who made it. */
static void do_fork(struct fuzz_actor *a)
{
	unsigned int nr = 1 + fuzz_roll(a, 6);
	bool drops = fuzz_roll(a, 2);
	struct op op;
	pid_t pid;

	fuzz_add(&fuzz_shared->calls, 1);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fuzz_world.racing = true;
		a->sweeps = false;
		if (drops && setresuid(65534, 65534, 65534))
			_exit(1);
		while (nr--) {
			uint64_t dice = a->dice;

			op = any_op(a);
			dice = a->dice;
			if (operations[op.what].run != do_fork)
				run_op(a, &op);
			a->dice = dice;
		}
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static struct fuzz_actor dice_of(uint64_t number)
{
	struct fuzz_actor d = { .dice = fuzz_shared->seed * 0x9e3779b97f4a7c15ULL ^ number };

	lwt_random(&d.dice);
	return d;
}

static void make_fresh(struct program *p, uint64_t number)
{
	struct fuzz_actor d = dice_of(number);
	unsigned int i;

	p->nr = 8 + fuzz_roll(&d, MAX_OPS - 8);
	p->races = !fuzz_roll(&d, 4);
	p->sweeps = fuzz_roll(&d, 64) < fuzz_shared->faults_of_64;
	for (i = 0; i < p->nr; i++)
		p->ops[i] = any_op(&d);
	p->ops[0].what = 0;
	p->ops[0].by = 0;
}

static void change(struct program *p, uint64_t number)
{
	struct fuzz_actor d = dice_of(number);
	unsigned int nr, i, j;

	for (nr = 1 + fuzz_roll(&d, 6); nr; nr--) {
		i = fuzz_roll(&d, p->nr);
		j = fuzz_roll(&d, p->nr);
		switch (fuzz_roll(&d, 6)) {
		case 0:
			p->ops[i].seed = lwt_random(&d.dice);
			break;
		case 1:
			p->ops[i] = any_op(&d);
			break;
		case 2:
			p->ops[i] = p->ops[j];
			break;
		case 3:
			if (p->nr < 4)
				break;
			memmove(p->ops + i, p->ops + i + 1, (--p->nr - i) * sizeof(struct op));
			break;
		default:
			if (p->nr == MAX_OPS)
				break;
			memmove(p->ops + i + 1, p->ops + i, (p->nr++ - i) * sizeof(struct op));
			p->ops[i] = any_op(&d);
		}
	}
	if (!fuzz_roll(&d, 16))
		p->races = !p->races;
	p->sweeps = fuzz_roll(&d, 64) < fuzz_shared->faults_of_64;
}

static void make_program(struct program *p, const struct fuzz_lineage *l)
{
	unsigned int i;

	make_fresh(p, l->numbers[0]);
	for (i = 1; i < l->nr; i++)
		change(p, l->numbers[i]);
}

/* The program of this number: new, or made from one that reached something new. */
static struct fuzz_lineage lineage_of(uint64_t number)
{
	struct fuzz_actor d = dice_of(~number);
	struct fuzz_lineage l = { .nr = 0 };
	unsigned int nr = fuzz_shared->nr_corpus;

	if (nr > FUZZ_CORPUS)
		nr = FUZZ_CORPUS;
	if (nr && fuzz_roll(&d, 3))
		l = fuzz_shared->corpus[fuzz_roll(&d, nr)];
	/* Another process may be just about to write it. */
	if (l.nr >= FUZZ_LINEAGE)
		l.nr = 0;
	l.numbers[l.nr++] = number;
	return l;
}

/* Both threads of a process begin a program at once, and wait for each other at its end. */
static pthread_barrier_t begins, ends;
static struct program program;

static void run_part(unsigned int by)
{
	unsigned int i;

	for (i = 0; i < program.nr; i++)
		if (!program.races || program.ops[i].by == by)
			run_op(&actors[by], &program.ops[i]);
}

static void *be_second(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_barrier_wait(&begins);
		run_part(1);
		pthread_barrier_wait(&ends);
	}
	return NULL;
}

/* Keeps the program if it reached what none before has. */
static void look_at_cover(void)
{
	uint64_t i, nr = __atomic_load_n(&cover[0], __ATOMIC_RELAXED), fresh = 0, at;

	for (i = 1; i <= nr && i < COVER; i++) {
		at = cover[i] - module_text;
		if (at >= FUZZ_SEEN || fuzz_shared->seen[at])
			continue;
		fuzz_shared->seen[at] = 1;
		fresh++;
	}
	fuzz_add(&fuzz_shared->pcs, fresh);
	if (!fresh || fuzz_run->current.nr == FUZZ_LINEAGE)
		return;
	at = fuzz_add(&fuzz_shared->nr_corpus, 1);
	if (at < FUZZ_CORPUS)
		fuzz_shared->corpus[at] = fuzz_run->current;
}

static void run_program(void)
{
	make_program(&program, &fuzz_run->current);
	actors[0].sweeps = program.sweeps && actors[0].nth >= 0;
	actors[2].dice = program.ops[0].seed;
	memset(actors[0].ranges, 0, sizeof(actors[0].ranges));
	memset(actors[1].ranges, 0, sizeof(actors[1].ranges));
	fuzz_world.racing = program.races;
	if (cover)
		__atomic_store_n(&cover[0], 0, __ATOMIC_RELAXED);
	if (program.races)
		pthread_barrier_wait(&begins);
	run_part(0);
	if (program.races)
		pthread_barrier_wait(&ends);
	fuzz_run->at = "the end of a program";
}

static void open_cover(void)
{
	int fd = open(KCOV, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, COVER))
		return;
	cover = mmap(NULL, COVER * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (cover == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		cover = NULL;
}

static bool is_done(void)
{
	return fuzz_shared->calls >= calls_wanted || lwt_now() >= until ||
	       (replay.nr && fuzz_shared->programs >= REPEATS);
}

static void be_worker(void)
{
	pthread_t thread;
	uint64_t number;
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* No signal is to come while a stack pointer is anywhere. */
	for (i = 0; i < 3; i++)
		fuzz_init_actor(&actors[i]);
	fuzz_init_world();
	pthread_barrier_init(&begins, NULL, 2);
	pthread_barrier_init(&ends, NULL, 2);
	if (pthread_create(&thread, NULL, be_second, NULL) ||
	    (fuzz_world.missing &&
	     pthread_create(&thread, NULL, fuzz_bring_pages, &actors[2])))
		_exit(1);
	if (fuzz_shared->faults_of_64)
		actors[0].nth = open(NTH, O_RDWR | O_CLOEXEC);
	open_cover();
	for (i = 0; i < BATCH && !is_done(); i++) {
		fuzz_reset_world();
		number = fuzz_add(&fuzz_shared->programs, 1) + 1;
		fuzz_run->current = replay.nr ? replay : lineage_of(number);
		run_program();
		if (cover)
			look_at_cover();
	}
	_exit(0);
}

static pid_t pids[FUZZ_RUNS];
static uint64_t steps[FUZZ_RUNS];

static void start_worker(unsigned int i)
{
	fuzz_run = &fuzz_shared->runs[i];
	fuzz_run->at = "the beginning";
	steps[i] = ~0ULL;
	pids[i] = fork();
	if (!pids[i])
		be_worker();
}

/* Return: how many of those that run have not come any further since this looked last. */
static unsigned int count_stuck(void)
{
	unsigned int i, stuck = 0;

	for (i = 0; i < FUZZ_RUNS; i++) {
		const struct fuzz_run *run = &fuzz_shared->runs[i];

		if (pids[i] > 0 && steps[i] == run->steps) {
			fuzz_tell(run, "no call has come back");
			stuck++;
		}
		steps[i] = run->steps;
	}
	return stuck;
}

/* Takes what has ended, and has another one go on.  Return: has it ended as it should. */
static bool take_ended(void)
{
	unsigned int i;
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < FUZZ_RUNS - 1 && pids[i] != pid; i++)
			;
		pids[i] = 0;
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			printf("# exit status %#x\n", status);
			fuzz_tell(&fuzz_shared->runs[i], "a program has ended its process");
			return false;
		}
		if (!is_done())
			start_worker(i);
	}
	return true;
}

/* Return: have all ended as they should. */
static bool run_all(unsigned int nr)
{
	const struct timespec limit = { LWT_TIMEOUT_MS / 1000, 0 };
	uint64_t looked = lwt_now();
	bool good = true;
	unsigned int i;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < nr; i++)
		start_worker(i);
	while (good) {
		good = take_ended();
		for (i = 0; i < FUZZ_RUNS && pids[i] <= 0; i++)
			;
		if (i == FUZZ_RUNS)
			break;
		if (good)
			sigtimedwait(&set, NULL, &limit);
		if (lwt_now() - looked < limit.tv_sec * 1000000000ULL)
			continue;
		looked = lwt_now();
		printf("# %llu calls so far\n", (unsigned long long)fuzz_shared->calls);
		good = good && !count_stuck();
	}
	for (i = 0; i < FUZZ_RUNS; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	return good;
}

static unsigned long read_hex(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long value = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lx", &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

static int use_count(void)
{
	return read_hex("/sys/module/latewind/refcnt");
}

/* Whether sessions or tables are there that nobody has. */
static bool nothing_is_left(int count)
{
	struct lw_stats stats;
	int fd;

	if (!lwt_wait(use_count() == count))
		return false;
	fd = lwt_open();
	if (fd < 0 || !lwt_wait(!lwt_stats(fd).all_tables))
		return false;
	stats = lwt_stats(fd);
	printf("# tables %llu, tasks that owe a stack %llu\n",
	       (unsigned long long)stats.all_tables, (unsigned long long)stats.pool_pending);
	close(fd);
	return true;
}

static void read_replay(void)
{
	char *text = getenv("LW_FUZZ_REPLAY");

	if (!text || !*text)
		return;
	for (fuzz_shared->seed = strtoull(text, &text, 0); *text && replay.nr < FUZZ_LINEAGE;)
		replay.numbers[replay.nr++] = strtoull(text + 1, &text, 0);
}

static void report_given(const char *what, const struct fuzz_given *given)
{
	static const char * const names[] = { "sound", "mutants behind the header", "bad headers" };
	unsigned int i;

	printf("# %s:", what);
	for (i = 0; i < FUZZ_MUTANTS; i++)
		printf("%s %s %llu, taken %llu, refused %llu", i ? ";" : "", names[i],
		       (unsigned long long)given->all[i], (unsigned long long)given->taken[i],
		       (unsigned long long)given->refused[i]);
	printf("\n");
}

static void report(uint64_t ns)
{
	const struct fuzz_shared *s = fuzz_shared;
	unsigned int i, j;

	printf("# calls %llu, programs %llu, seconds %llu\n", (unsigned long long)s->calls,
	       (unsigned long long)s->programs, (unsigned long long)(ns / 1000000000));
	report_given("tables", &s->tables);
	report_given("sections", &s->sections);
	printf("# requests with registers that lie %llu\n", (unsigned long long)s->stacks);
	if (s->sweeps)
		printf("# calls that failed in each place %llu, failures %llu\n",
		       (unsigned long long)s->sweeps, (unsigned long long)s->faults);
	else
		printf("# no fault injection (" NTH ")\n");
	if (s->pcs)
		printf("# places of the module that were reached %llu, programs kept %llu\n",
		       (unsigned long long)s->pcs, (unsigned long long)s->nr_corpus);
	else
		printf("# blind: no KCOV, or the module was not built for it\n");
	for (i = 0; i < FUZZ_IOCTLS; i++) {
		printf("# %s: worked %llu", fuzz_names[i], (unsigned long long)s->results[i][0]);
		for (j = 1; j < FUZZ_ERRORS; j++)
			if (s->results[i][j])
				printf(", %s %llu", strerrorname_np(j),
				       (unsigned long long)s->results[i][j]);
		printf("\n");
	}
}

static int result(unsigned int nr, bool ok, const char *what)
{
	printf("%sok %u %s\n", ok ? "" : "not ", nr, what);
	return !ok;
}

int main(void)
{
	unsigned long all = lwt_number("LW_FUZZ_CALLS", lwt_sample(120000, 30000));
	unsigned long workers = lwt_number("LW_FUZZ_WORKERS", 4);
	bool alive;
	uint64_t start;
	int bad = 0, count;

	if (!lwt_destructive() || access(LW_DEVICE_PATH, F_OK)) {
		printf("TAP version 13\n1..0 # SKIP %s\n",
		       lwt_destructive() ? "no " LW_DEVICE_PATH : LWT_MAY_HURT);
		return 4;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..5\n");
	fuzz_shared = mmap(NULL, sizeof(*fuzz_shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fuzz_shared == MAP_FAILED)
		return 1;
	fuzz_shared->seed = lwt_seed();
	read_replay();
	module_text = read_hex("/sys/module/latewind/sections/.text");
	if (!access(NTH, F_OK) && !inject_init(INJECT_ALL) &&
	    !inject_set_callers("require", module_text, module_text + FUZZ_SEEN))
		fuzz_shared->faults_of_64 = lwt_number("LW_FUZZ_FAULTS", 4);
	calls_wanted = all;
	until = lwt_now() + lwt_number("LW_FUZZ_SECONDS", 1000000) * 1000000000ULL;
	count = use_count();
	start = lwt_now();
	alive = run_all(workers < FUZZ_RUNS ? workers : FUZZ_RUNS);
	report(lwt_now() - start);
	bad += result(1, alive, "no call hangs, no program is killed");
	bad += result(2, !fuzz_shared->undocumented, "each error is documented");
	bad += result(3, !fuzz_shared->unbalanced, "the books of each session balance");
	bad += result(4, nothing_is_left(count), "nothing is left");
	bad += result(5, !lwt_tainted(), "the kernel has said nothing");
	return bad ? 1 : 0;
}
