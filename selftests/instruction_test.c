// SPDX-License-Identifier: GPL-2.0
/*
 * instruction_test.c - a request is interrupted at each of its instructions,
 * and so is the delivery, by an NMI that requests too.
 *
 * lw_test.ko plants breakpoints (kprobes), some at a time, of which one is
 * selected: when our task comes by, its handler asks, for the tracer that is
 * being served and for another one.  Which instructions there are is told by
 * objdump and by the object files of the module, so those must be there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/code.h"
#include "lib/crowd.h"
#include "lib/lwm.h"
#include "kselftest_harness.h"

LWT_DESTRUCTIVE_FILE;

#define SECTIONS	"/sys/module/latewind/sections/"
#define MAX_CODE	16384
/* Each breakpoint on the way takes its time. */
#define BATCH		32
/* How often one asks, for each tracer: the delivery runs again, for that. */
#define LIMIT		4
/* Tasks that have something pending, and those that try each instruction. */
#define CROWD		2000
#define THREADS		lwt_sample(12, 4)
#define TRACERS		2
/* Requests in one run: ours, and those of the probe. */
#define MAX_ASKED	(2 + LIMIT * TRACERS)
#define RING		(1 << 18)
#define TRIES		1000

/* Of fewer instructions it would be chance how many are hit. */
#define LEAST_TRIED	32

/* What a request and its answer go through. */
static const char * const objects[] = {
	"request", "pool", "taskwork", "tracer", "session", "throttle",
};

/* One request, of whoever. */
struct asked {
	unsigned int tracer;
	int ret;
	struct lw_cookie cookie;
	bool after_callback;
};

struct tally {
	unsigned int refused;
	unsigned int hit;
	unsigned int hit_in_nmi;
	unsigned int requests;
	unsigned int joined;
	unsigned int second_cookies;
	unsigned int throttled;
};

FIXTURE(instruction)
{
	int fd;
	struct lwt_session s;
	struct lwt_log ring;
	struct code code;
	unsigned int nr;
	uint64_t addresses[MAX_CODE];
	struct lwm_call call;
	struct chain chain;
	struct lwm_log log;
	struct lwm_hits hits;
	struct tally tally;
	uint64_t others;
	bool only_requests;
	uint64_t seed;
	struct crowd crowd;
};

/* Does a request go through it? */
static bool is_ours(const struct code_function *function)
{
	unsigned int i;

	for (i = 0; function && i < ARRAY_SIZE(objects); i++)
		if (!strcmp(function->object, objects[i]))
			return true;
	return false;
}

static uint64_t base_of_text(void)
{
	FILE *file = fopen(SECTIONS ".text", "r");
	unsigned long long base = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%llx", &base) != 1)
		base = 0;
	fclose(file);
	return base;
}

/*
 * What takes no breakpoint: padding, and what a kernel of arm64 refuses
 * (arch/arm64/kernel/probes/decode-insn.c): what writes the processor's state, checks of signed
 * addresses, exclusive loads and stores and what looks like these, and, as a breakpoint would make
 * the store fail, 32 instructions from such a load on or those up to the store.  @line is the next
 * one of a function, @behind_load is between its lines, 0 at first.
 */
static bool takes_no_probe(const char *line, unsigned int *behind_load)
{
#if defined(__aarch64__)
	static const char * const loads[] = { "\tldx", "\tldax", "\tldar", "\tldlar", "\tcas" };
	static const char * const stores[] = { "\tstx", "\tstlx", "\tstlr", "\tstllr" };
	bool is_load = false, is_store = false, within = *behind_load;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loads); i++)
		is_load |= !!strstr(line, loads[i]);
	for (i = 0; i < ARRAY_SIZE(stores); i++)
		is_store |= !!strstr(line, stores[i]);
	*behind_load -= within;
	if (is_load)
		*behind_load = 32;
	if (is_store)
		*behind_load = 0;
	if (within || is_load || is_store || strstr(line, "\tmsr") || strstr(line, ", daif") ||
	    strstr(line, "\tbrk") || strstr(line, "\taut"))
		return true;
#else
	(void)behind_load;
#endif
	return strstr(line, "nop") || strstr(line, "int3");
}

static int read_code(FIXTURE_DATA(instruction) *self)
{
	unsigned long long at, base = base_of_text();
	char command[4096], line[1024];
	unsigned int behind_load = 0;
	FILE *pipe;

	/* With LTO each function has a section of its own, and .text is empty. */
	if (!base)
		return access(SECTIONS ".text.lw_chardev_init", F_OK) ? -ENOENT : -ENODATA;
	snprintf(command, sizeof(command),
		 "objdump -d -w --no-show-raw-insn -j .text '%s'",
		 getenv("LATEWIND_KO") ?: "");
	pipe = popen(command, "r");
	while (fgets(line, sizeof(line), pipe) && self->nr < MAX_CODE) {
		/* "    12ab:	mov ...", not a function's name. */
		if (*line != ' ' || sscanf(line, " %llx:", &at) != 1) {
			behind_load = 0;
			continue;
		}
		if (takes_no_probe(line, &behind_load))
			continue;
		if (is_ours(code_at(&self->code, base + at)))
			self->addresses[self->nr++] = base + at;
	}
	return pclose(pipe) ? -ENOENT : 0;
}

FIXTURE_SETUP(instruction)
{
	int ret;

	self->s.fd = -1;
	self->seed = lwt_seed();
	self->fd = code_open(&self->code);
	if (self->fd == -ENOENT)
		SKIP(return, LWM_MISSING, "lw_test");
	if (self->fd == -ENODATA)
		SKIP(return, CODE_MISSING);
	ASSERT_LE(0, self->fd);
	ret = read_code(self);
	if (ret == -ENODATA) {
		lwm_close(self->fd);
		self->fd = -1;
		SKIP(return, "the module has no .text, as it was built with LTO");
	}
	ASSERT_EQ(0, ret);
	ASSERT_LT(100, self->nr);
	ASSERT_GT(MAX_CODE, self->nr);
	ASSERT_EQ(0, lwm_register_all(self->fd, TRACERS));
	self->call.call.fd = self->fd;
}

FIXTURE_TEARDOWN(instruction)
{
	lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL);
	EXPECT_TRUE(lwt_wait(!crowd_running(&self->crowd)));
	crowd_free(&self->crowd);
	lwm_log_free(&self->log);
	lwt_log_free(&self->ring);
	lwt_session_close(&self->s);
	lwm_close(self->fd);
	EXPECT_EQ(0, lwt_tainted());
}

/* Out: indices of those that worked.  Return: how many, or -errno. */
static int plant(FIXTURE_DATA(instruction) *self, const uint64_t *addresses,
		 unsigned int nr, unsigned int *which)
{
	struct lwm_probes probes = {
		.addresses = (uintptr_t)addresses,
		.nr = nr,
	};
	int32_t errors[LWM_PROBES_MAX];
	unsigned int i, n = 0;
	int ret;

	probes.errors = (uintptr_t)errors;
	ret = lwt_ioctl(self->fd, LWM_IOC_PROBES, &probes);
	if (ret)
		return ret;
	for (i = 0; i < nr; i++) {
		if (errors[i])
			self->tally.refused++;
		else
			which[n++] = i;
	}
	return n == probes.planted ? (int)n : -EBADMSG;
}

static int select_probe(FIXTURE_DATA(instruction) *self, unsigned int probe,
			unsigned int limit)
{
	struct lwm_select arg = {
		.probe = probe,
		.limit = limit,
		.tracers = (1 << TRACERS) - 1,
	};

	return lwt_ioctl(self->fd, LWM_IOC_SELECT, &arg);
}

/* What the probe did, as requests. */
static unsigned int add_hits(FIXTURE_DATA(instruction) *self,
			     struct asked *asked, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < self->hits.hits; i++) {
		const struct lwm_hit *hit = &self->hits.hit[i];

		asked[nr++] = (struct asked) {
			.tracer = hit->tracer,
			.ret = hit->result.ret,
			.cookie = hit->result.cookie,
			.after_callback = hit->callbacks > 0,
		};
	}
	self->tally.hit += self->hits.seen > 0;
	self->tally.hit_in_nmi += self->hits.hits &&
		(self->hits.hit[0].result.where & LWM_AT(LWM_NMI));
	return nr;
}

static unsigned int asked_for(const struct asked *asked, unsigned int nr,
			      unsigned int tracer,
			      const struct lw_cookie *cookie)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += asked[i].ret >= 0 && asked[i].tracer == tracer &&
		     lwt_cookie_same(&asked[i].cookie, cookie);
	return n;
}

static unsigned int queued_for(const struct asked *asked, unsigned int nr,
			       const struct lw_cookie *cookie)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += !asked[i].ret && lwt_cookie_same(&asked[i].cookie, cookie);
	return n;
}

static bool same_stacks(const struct lwm_log *log)
{
	const struct lwm_stack *a, *b;
	size_t i, j;

	for (i = 0; i < log->nr; i++) {
		for (j = 0; j < i; j++) {
			a = &log->stacks[i];
			b = &log->stacks[j];
			if (lwt_cookie_same(&a->cookie, &b->cookie) &&
			    (a->nr != b->nr || a->end != b->end ||
			     a->time != b->time ||
			     memcmp(a->frames, b->frames, sizeof(a->frames))))
				return false;
		}
	}
	return true;
}

/* Return: NULL, or what is wrong.  @asked[0] came first. */
static const char *judge(FIXTURE_DATA(instruction) *self,
			 const struct asked *asked, unsigned int nr)
{
	unsigned int i, tracer, callbacks = 0, n;

	for (i = 0; i < nr; i++) {
		if (asked[i].ret < 0) {
			if (asked[i].ret != -EBUSY || !asked[i].after_callback)
				return "refused";
			self->tally.throttled++;
			continue;
		}
		self->tally.requests++;
		self->tally.joined += asked[i].ret == 1;
		if (!asked[i].cookie.counter || asked[i].ret > 1)
			return "no cookie";
		if (queued_for(asked, nr, &asked[i].cookie) != 1)
			return "not queued exactly once";
		if (lwt_cookie_same(&asked[0].cookie, &asked[i].cookie))
			continue;
		if (!asked[i].after_callback)
			return "two cookies before the stack";
		self->tally.second_cookies += !asked[i].ret;
	}
	for (i = 0; i < self->log.nr; i++) {
		const struct lwm_stack *stack = &self->log.stacks[i];

		if (lwm_count(&self->log, stack->tracer, &stack->cookie) != 1)
			return "two callbacks for a tracer and a cookie";
		if (!asked_for(asked, nr, stack->tracer, &stack->cookie))
			return "a callback that nobody asked for";
		if (stack->context)
			return "a callback in the wrong context";
	}
	for (i = 0; i < nr; i++)
		for (tracer = 0; tracer < TRACERS; tracer++) {
			n = lwm_count(&self->log, tracer, &asked[i].cookie);
			if (n != !!asked_for(asked, nr, tracer,
					     &asked[i].cookie))
				return "a callback is missing";
			callbacks += n;
		}
	if (self->log.total != self->log.nr || (self->log.nr && !callbacks))
		return "stacks are missing";
	return same_stacks(&self->log) ? NULL : "one cookie, two stacks";
}

/*
 * Requests, less those that found their own bit set, are stacks; and every slot
 * was given back.
 */
static bool is_balanced(FIXTURE_DATA(instruction) *self)
{
	unsigned int i;

	for (i = 0; i < TRACERS; i++) {
		struct lw_stats stats = lwm_stats(self->fd, i).stats;

		if (stats.requests - stats.shared != stats.user_stacks ||
		    stats.pending || stats.lost_stacks || stats.refused_slots ||
		    stats.pool_pending != self->others)
			return false;
	}
	return true;
}

/* Two requests of ours in one entry. */
static const char *run_module(FIXTURE_DATA(instruction) *self)
{
	struct asked asked[MAX_ASKED];
	unsigned int i, nr = 2;

	lwm_again(&self->call);
	lwm_ask(&self->call, 0, 1, 1, 0);
	lwm_ask(&self->call, 0, 1, 1, 0);
	chain_run(&self->chain, "abcde", lwm_leaf, &self->call);
	if (lwt_ioctl(self->fd, LWM_IOC_HITS, &self->hits) ||
	    self->call.call.ret || lwm_read(self->fd, &self->log))
		return "the call failed";
	for (i = 0; i < 2; i++) {
		const struct lwm_result *result =
			&self->call.asks[i].results[0][LWM_PROCESS];

		asked[i] = (struct asked) {
			.ret = result->ret,
			.cookie = result->cookie,
		};
	}
	if (asked[0].ret == -EBUSY)
		return "throttled";
	nr = add_hits(self, asked, nr);
	/* A hit before our first request was throttled; the pause was over when ours came. */
	if (nr > 2 && asked[2].ret == -EBUSY && !asked[2].after_callback)
		return "throttled";
	if (!lwm_count(&self->log, 0, &asked[0].cookie) ||
	    lwm_matching(lwm_find(&self->log, 0, &asked[0].cookie),
			 &self->call.call) != self->call.call.nr)
		return "not our stack";
	return judge(self, asked, nr);
}

/* The same, asked by a session, which tracers 0 and 1 join. */
static const char *run_session(FIXTURE_DATA(instruction) *self)
{
	struct lw_request request = { .size = sizeof(request) };
	struct asked asked[MAX_ASKED];
	unsigned int i, nr = 1;
	int ret;

	lwt_log_free(&self->ring);
	ret = lwt_ioctl(self->s.fd, LW_IOC_REQUEST, &request);
	if (lwt_ioctl(self->fd, LWM_IOC_HITS, &self->hits) || ret < 0 ||
	    lwm_read(self->fd, &self->log) ||
	    lwt_read(&self->s, &self->ring) < 0)
		return "the call failed";
	/* No tracer of the module's. */
	asked[0] = (struct asked) {
		.tracer = TRACERS, .ret = ret, .cookie = request.cookie,
	};
	nr = add_hits(self, asked, nr);
	if (lwt_count_stacks(&self->ring, NULL) != 1 ||
	    !lwt_find_stack(&self->ring, &request.cookie))
		return "not one record";
	/* It is the stack of its own cookie that there may be no second of. */
	for (i = 1; i < nr; i++)
		asked[i].after_callback |=
			asked[i].ret == -EBUSY ||
			!lwt_cookie_same(&asked[0].cookie, &asked[i].cookie);
	return judge(self, asked, nr);
}

static const char *place(FIXTURE_DATA(instruction) *self, unsigned int i)
{
	const struct code_function *function =
		code_at(&self->code, self->addresses[i]);
	static char text[128];

	snprintf(text, sizeof(text), "%s+0x%llx", function->name,
		 (unsigned long long)self->addresses[i] - function->start);
	return text;
}

/* Not of the delivery, as far as the compiler has left them apart. */
static bool is_of_request(const struct code_function *function)
{
	return !strcmp(function->object, "pool") ||
	       !strncmp(function->name, "lw_request", 10) ||
	       !strncmp(function->name, "req_get_slot", 12);
}

/*
 * The first instruction behind the call of ftrace, which is at a function's
 * start or behind an endbr64.
 */
#define BEHIND_FENTRY	5

/*
 * Indices of one instruction of each function that is to be tried; the short form tries
 * some, as to find out which of them are called takes a breakpoint in each.  Return:
 * functions.
 */
static unsigned int find_entries(FIXTURE_DATA(instruction) *self,
				 unsigned int *entries)
{
	unsigned int of = lwt_long() || self->only_requests ? 1 : 4;
	unsigned int i, n = self->seed % of, nr = 0;
	const struct code_function *last = NULL, *function;

	for (i = 0; i < self->nr; i++) {
		function = code_at(&self->code, self->addresses[i]);
		if (function == last ||
		    self->addresses[i] - function->start < BEHIND_FENTRY)
			continue;
		last = function;
		if (self->only_requests && !is_of_request(function))
			continue;
		if (n++ % of == 0)
			entries[nr++] = i;
	}
	return nr;
}

/*
 * Of how many instructions one is tried.  Checkers make the code several times as
 * long, and slow; KCSAN waits at some of its accesses besides.
 */
static unsigned int stride(void)
{
	unsigned int form = lwt_long() ? 1 : 16;

	if (LW_TIME_SCALE == 1)
		return form;
	return form * (access("/sys/kernel/debug/kcsan", F_OK) ? 8 : 32);
}

/* Leaves in self->addresses the instructions of functions that are called. */
static int keep_called(FIXTURE_DATA(instruction) *self,
		       const char *(*run)(FIXTURE_DATA(instruction) *self))
{
	bool called[CODE_MAX] = {};
	unsigned int entries[CODE_MAX], which[LWM_PROBES_MAX];
	uint64_t addresses[LWM_PROBES_MAX];
	uint32_t counts[LWM_PROBES_MAX];
	struct lwm_seen seen = { .counts = (uintptr_t)counts };
	unsigned int i, step = stride(), nr = find_entries(self, entries);
	int n;

	if (nr > LWM_PROBES_MAX)
		return -E2BIG;
	for (i = 0; i < nr; i++)
		addresses[i] = self->addresses[entries[i]];
	n = plant(self, addresses, nr, which);
	for (i = 0; i < 3 && n > 0; i++) {
		lwt_ioctl(self->fd, LWM_IOC_RESET, NULL);
		if (select_probe(self, 0, 0) || run(self))
			return -EIO;
	}
	seen.nr = n;
	if (n <= 0 || lwt_ioctl(self->fd, LWM_IOC_SEEN, &seen))
		return -EIO;
	for (i = 0; i < seen.nr; i++)
		if (counts[i])
			called[code_at(&self->code, addresses[which[i]]) -
			       self->code.functions] = true;
	for (i = 0, nr = 0; i < self->nr; i++) {
		const struct code_function *function =
			code_at(&self->code, self->addresses[i]);

		if (called[function - self->code.functions])
			self->addresses[nr++] = self->addresses[i];
	}
	/* Each has the same chance, and they lie as far apart. Chosen functions may be short. */
	if (step > nr / LEAST_TRIED)
		step = nr / LEAST_TRIED ?: 1;
	for (i = self->seed / 4 % step, n = 0; i < nr; i += step)
		self->addresses[n++] = self->addresses[i];
	self->nr = n;
	return 0;
}

static const char *try_one(FIXTURE_DATA(instruction) *self, unsigned int probe,
			   const char *(*run)(FIXTURE_DATA(instruction) *self))
{
	const char *wrong = NULL;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		lwt_ioctl(self->fd, LWM_IOC_RESET, NULL);
		if (select_probe(self, probe, LIMIT))
			return "not selected";
		wrong = run(self);
		if (!wrong || strcmp(wrong, "throttled"))
			break;
		lwt_pause();
	}
	return wrong ?: is_balanced(self) ? NULL : "not balanced";
}

static void print_tally(const struct tally *tally, unsigned int nr)
{
	printf("# %u instructions, in functions that are called\n", nr);
	printf("# %u of them refused as probes, %u hit, %u of these as NMI\n",
	       tally->refused, tally->hit, tally->hit_in_nmi);
	printf("# %u requests, %u joined, %u second cookies, %u throttled\n",
	       tally->requests, tally->joined, tally->second_cookies,
	       tally->throttled);
}

/**
 * struct batch - probes that are planted, for a task to try
 * @self: fixture
 * @run: what to do with each
 * @nr: of them
 * @which: index of each
 * @wrong: out: NULL, or what was wrong
 * @at: out: with which
 */
struct batch {
	FIXTURE_DATA(instruction) *self;
	const char *(*run)(FIXTURE_DATA(instruction) *self);
	unsigned int nr;
	unsigned int which[LWM_PROBES_MAX];
	const char *wrong;
	unsigned int at;
};

static void *try_batch(void *arg)
{
	struct batch *batch = arg;
	unsigned int i;

	for (i = 0; i < batch->nr && !batch->wrong; i++) {
		batch->wrong = try_one(batch->self, i, batch->run);
		batch->at = batch->which[i];
	}
	return NULL;
}

/* By so many tasks, one after the other; each has other buckets in the pool. */
static int try_batch_in_threads(struct batch *batch, unsigned int nr)
{
	pthread_t thread;
	int ret = 0;

	while (nr-- && !ret && !batch->wrong) {
		ret = pthread_create(&thread, NULL, try_batch, batch) ?:
		      pthread_join(thread, NULL);
	}
	return ret;
}

static void try_all(struct __test_metadata *_metadata,
		    FIXTURE_DATA(instruction) *self,
		    const char *(*run)(FIXTURE_DATA(instruction) *self),
		    unsigned int nr_threads)
{
	struct batch batch = { .self = self, .run = run };
	unsigned int from, nr;
	int n;

	self->others = lwm_stats(self->fd, 0).stats.pool_pending;
	ASSERT_EQ(0, keep_called(self, run));
	self->tally = (struct tally){};
	for (from = 0; from < self->nr; from += BATCH) {
		nr = self->nr - from < BATCH ? self->nr - from : BATCH;
		n = plant(self, self->addresses + from, nr, batch.which);
		ASSERT_LE(0, n);
		batch.nr = n;
		ASSERT_EQ(0, try_batch_in_threads(&batch, nr_threads));
		ASSERT_EQ(NULL, batch.wrong)
			TH_LOG("%s, %s, hit %u times", batch.wrong,
			       place(self, from + batch.at), self->hits.seen);
	}
	ASSERT_EQ(0, plant(self, NULL, 0, batch.which));
	print_tally(&self->tally, self->nr);
	/*
	 * Of the rest, most are in the ways of errors.  A quarter of the functions may have more
	 * of them: of 1,215 instructions in one, 1,197 are lw_pool_find()'s, which the compiler
	 * has unrolled, and a look-up ends in the first round.
	 */
	EXPECT_LT(self->nr * nr_threads / (lwt_long() ? 3 : 10), self->tally.hit);
	EXPECT_GT(self->nr / 20 + 3, self->tally.refused);
}

TEST_F_TIMEOUT(instruction, of_a_request_and_its_answer, 300)
{
	if (self->fd < 0)
		return;
	try_all(_metadata, self, run_module, 1);
}

/*
 * Most tasks then have buckets of different fill, and who comes second may take
 * a slot that is found first.
 */
TEST_F_TIMEOUT(instruction, of_a_request_among_many, 300)
{
	if (self->fd < 0)
		return;
	ASSERT_EQ(0, crowd_prepare());
	ASSERT_EQ(0, lwm_register(self->fd, TRACERS));
	ASSERT_EQ(0, crowd_start(&self->crowd, self->fd, CROWD, 1 << TRACERS));
	ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 0).waiting == CROWD));
	self->only_requests = true;
	try_all(_metadata, self, run_module, THREADS);
}

TEST_F_TIMEOUT(instruction, of_a_session, 300)
{
	if (self->fd < 0)
		return;
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	try_all(_metadata, self, run_session, 1);
}

TEST_HARNESS_MAIN
