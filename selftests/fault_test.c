// SPDX-License-Identifier: GPL-2.0
/*
 * fault_test.c - when there is no memory: what asked for it gets -ENOMEM, and
 * all else goes on as before.
 *
 * The kernel's fault injection fails the nth allocation that a task makes from
 * now on, of whatever kind (/proc/self/fail-nth). In the long form each operation is
 * run with n = 1, 2, ... until it has got through without a failed allocation, so that
 * every one of them has failed once; of loading, some. The short form has two or three
 * of them fail. That nothing is lost on the way is seen by kmemleak at the end of the run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/call.h"
#include "lib/calls.h"
#include "lib/fake.h"
#include "lib/inject.h"
#include "lib/jit.h"
#include "lib/lw_test.h"
#include "programs/chain.h"
#include "kselftest_harness.h"

/* The least there is: each page is a fault. */
#define RING	lwt_page()
/* For any depth. */
#define DEEP_RING	(8 * RING)
/* More allocations than any operation has. */
#define MAX_NTH	20000
/* Of those of a costly operation: the first, the last, how many between. */
#define FIRST	4U
#define LAST	16U
#define BETWEEN	8U

static int require_no_caller(void)
{
	return inject_set_callers("require", 0, ~0UL);
}

/* The core's function of that name. */
static int require_function(const char *name)
{
	struct lwt_range range = lwt_kernel_function(name);

	return range.to ? inject_set_callers("require", range.from, range.to) : -ENOENT;
}

FIXTURE(fault)
{
	int nth;			/* fail-nth */
	int all;			/* make-it-fail */
	struct lwt_session s;		/* of which no allocation fails */
	struct lwt_log log;
	struct call call;
	struct chain chain;
	int fd;				/* of the session under test */
	struct lwt_session t;		/* the same, with its rings */
	struct perf_event_attr attr;
	uint32_t target;
	uint32_t depth;
	unsigned int no_walks;		/* stacks with LW_END_NOMEM */
	struct fake fake;
	uint64_t seed;			/* which allocations are left out */
};

/**
 * struct op - what fails
 * @prepare: before it; returns 0 or -errno
 * @run: returns -errno, or something else if it worked
 * @after: of both cases, with what @run returned; returns 0 if all is well
 * @costly: takes seconds: fewer of its allocations fail, see choose_next()
 */
struct op {
	int (*prepare)(FIXTURE_DATA(fault) *f);
	int (*run)(FIXTURE_DATA(fault) *f);
	int (*after)(FIXTURE_DATA(fault) *f, int ret);
	bool costly;
};

/* Asks for a stack of the session, which must be that of the chain. */
static int ask(FIXTURE_DATA(fault) *f, struct lwt_session *s)
{
	struct lwt_stack *stack;
	int ret = 0;

	f->call.fd = s->fd;
	chain_run(&f->chain, "abc", call_ask, &f->call);
	if (f->call.ret < 0)
		return f->call.ret;
	if (lwt_read(s, &f->log) < 0)
		return -EBADMSG;
	stack = lwt_find_stack(&f->log, &f->call.request.cookie);
	if (!stack)
		ret = -ENOENT;
	else if (stack->nr < f->call.nr ||
		 call_matching(stack, &f->call) != f->call.nr)
		ret = -EILSEQ;
	lwt_log_free(&f->log);
	return ret;
}

/**
 * struct outcome - of fail_each()
 * @faults: allocations that failed
 * @refused: of which the operation told
 * @bad: what it returned or what was found afterwards, or 0 if all was well
 * @at: nth allocation when @bad
 * @left: as inject_disarm() told of the last
 */
struct outcome {
	unsigned int faults;
	unsigned int refused;
	int bad;
	unsigned int at;
	unsigned int left;
};

/* Return: 0, or what is bad with the failure of this allocation. */
static int fail_one(FIXTURE_DATA(fault) *f, const struct op *op,
		    unsigned int nth, struct outcome *all)
{
	int ret, bad = 0;

	ret = op->prepare ? op->prepare(f) : 0;
	if (ret)
		return ret;
	inject_arm(f->nth, nth);
	ret = op->run(f);
	all->left = inject_disarm(f->nth);
	all->faults += !all->left;
	all->refused += ret < 0;
	if (ret < 0 && (all->left || ret != -ENOMEM))
		bad = ret;
	ret = op->after(f, ret);
	return bad ?: ret ?: ask(f, &f->s);
}

/*
 * Return: which one fails behind @last, of an operation that makes @total allocations; 0:
 * no more.  The short form has the first, one of the others, and the last, unless that
 * takes seconds.  The long one has all, until none was left to fail, or some of many.
 */
static unsigned int choose_next(FIXTURE_DATA(fault) *f, const struct op *op,
				unsigned int last, unsigned int total)
{
	unsigned int next = last + 1;

	if (lwt_long()) {
		if (!op->costly || next <= FIRST || next + LAST >= total)
			return next;
		next += lwt_random(&f->seed) % (2 * (total - FIRST - LAST) / BETWEEN + 1);
		return next + LAST < total ? next : total - LAST;
	}
	if (!last)
		return 1;
	if (last >= total)
		return 0;
	if (last == 1)
		return 2 + lwt_random(&f->seed) % (total - 1);
	return op->costly ? 0 : total;
}

static struct outcome fail_each(FIXTURE_DATA(fault) *f,
				const struct op *op)
{
	struct outcome all = {};
	unsigned int total, next;

	all.bad = fail_one(f, op, MAX_NTH, &all);
	/* One more or less, as what others leave in caches has it. */
	total = MAX_NTH - all.left;
	for (all.left = 0; !all.bad && !all.left; ) {
		next = choose_next(f, op, all.at, total);
		if (!next)
			break;
		all.at = next;
		all.bad = all.at < MAX_NTH ? fail_one(f, op, all.at, &all) : -ELOOP;
	}
	/* There were fewer than at first: the last of these. */
	if (!lwt_long() && !all.bad && all.left && all.at > all.left + 1) {
		all.at -= all.left;
		all.bad = fail_one(f, op, all.at, &all);
	}
	return all;
}

/* At least one allocation was there and its failure was told. */
#define EXPECT_ENOMEM(failed)						\
do {									\
	struct outcome all_ = (failed);					\
									\
	EXPECT_EQ(0, all_.bad)						\
		TH_LOG("with the failure of allocation %u", all_.at);	\
	EXPECT_LT(0, all_.faults);					\
	EXPECT_LT(0, all_.refused);					\
	TH_LOG("%u allocations failed, %u times the caller was told",	\
	       all_.faults, all_.refused);				\
} while (0)

FIXTURE_SETUP(fault)
{
	int ret;

	self->fd = -1;
	self->s.fd = -1;
	self->t.fd = -1;
	self->seed = lwt_seed();
	self->all = open("/proc/self/make-it-fail", O_RDWR | O_CLOEXEC);
	self->nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (self->nth < 0 || self->all < 0)
		SKIP(return, "no fault injection (/proc/self/fail-nth)");
	ret = inject_init(INJECT_MEMORY);
	if (ret)
		SKIP(return, "no failslab or fail_page_alloc in debugfs");
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	/* Everything that it touches is in memory from here on. */
	ASSERT_EQ(0, ask(self, &self->s));
}

FIXTURE_TEARDOWN(fault)
{
	require_no_caller();
	lwt_log_free(&self->log);
	if (self->t.fd >= 0)
		lwt_session_close(&self->t);
	if (self->s.fd >= 0)
		lwt_session_close(&self->s);
}

static int open_device(FIXTURE_DATA(fault) *f)
{
	f->fd = lwt_open();
	return f->fd < 0 ? f->fd : 0;
}

/* Whether it is open or not, it can be opened now. */
static int after_open(FIXTURE_DATA(fault) *f, int ret)
{
	int fd;

	if (ret >= 0)
		close(f->fd);
	fd = lwt_open();
	return fd < 0 ? fd : close(fd);
}

static const struct op op_open = {
	.run = open_device,
	.after = after_open,
};

TEST_F_TIMEOUT(fault, open_says_so, 120)
{
	EXPECT_ENOMEM(fail_each(self, &op_open));
}

static int set_up(FIXTURE_DATA(fault) *f)
{
	return lwt_setup(f->fd, RING, 0, 16);
}

/* A session without rings can be asked for them again. */
static int after_setup(FIXTURE_DATA(fault) *f, int ret)
{
	struct lw_cookie cookie;

	if (ret < 0 && lwt_request(f->fd, 0, &cookie) == -EBADFD)
		ret = set_up(f);
	if (!ret)
		ret = lwt_request(f->fd, 0, &cookie);
	if (!ret && lwt_stats(f->fd).user_stacks != 1)
		ret = -ENOENT;
	close(f->fd);
	return ret;
}

static const struct op op_setup = {
	.prepare = open_device,
	.run = set_up,
	.after = after_setup,
};

TEST_F_TIMEOUT(fault, setup_says_so, 120)
{
	EXPECT_ENOMEM(fail_each(self, &op_setup));
}

static int open_and_set_up(FIXTURE_DATA(fault) *f)
{
	int ret = open_device(f);

	if (!ret)
		ret = set_up(f);
	if (ret && f->fd >= 0)
		close(f->fd);
	return ret;
}

static int map_ring(int fd, bool producer)
{
	size_t len = producer ? lwt_page() + 2 * RING : lwt_page();
	void *map;

	if (producer)
		map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd,
			   LW_MMAP_PRODUCER(0));
	else
		map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   LW_MMAP_CONSUMER(0));
	return map == MAP_FAILED ? -errno : munmap(map, len);
}

static int map_both(FIXTURE_DATA(fault) *f)
{
	return map_ring(f->fd, false) ?: map_ring(f->fd, true);
}

static int after_map(FIXTURE_DATA(fault) *f, int ret)
{
	ret = map_both(f);
	close(f->fd);
	return ret;
}

static const struct op op_mmap = {
	.prepare = open_and_set_up,
	.run = map_both,
	.after = after_map,
};

TEST_F_TIMEOUT(fault, mmap_says_so, 120)
{
	EXPECT_ENOMEM(fail_each(self, &op_mmap));
}

static int open_session(FIXTURE_DATA(fault) *f)
{
	return lwt_session_open(&f->t, DEEP_RING, f->depth, 16);
}

static int add_event(FIXTURE_DATA(fault) *f)
{
	struct perf_event_attr attr = f->attr;

	return lwt_add_event(f->t.fd, &attr, f->target, 0, NULL);
}

/* With the event or without, another can be added and enabled. */
static int after_add(FIXTURE_DATA(fault) *f, int ret)
{
	ret = add_event(f);
	if (!ret)
		ret = lwt_enable(f->t.fd);
	if (!ret && !lwt_wait(lwt_stats(f->t.fd).samples))
		ret = -ETIMEDOUT;
	if (!ret)
		ret = lwt_disable(f->t.fd);
	if (!ret && lwt_read(&f->t, &f->log) < 0)
		ret = -EBADMSG;
	lwt_log_free(&f->log);
	if (!ret)
		ret = ask(f, &f->t);
	lwt_session_close(&f->t);
	return ret;
}

static const struct op op_add = {
	.prepare = open_session,
	.run = add_event,
	.after = after_add,
};

TEST_F_TIMEOUT(fault, adding_a_clock_on_cpus_says_so, 240)
{
	self->attr = lwt_attr_cpu_clock(1000000);
	self->target = LW_TARGET_CPUS;
	EXPECT_ENOMEM(fail_each(self, &op_add));
}

TEST_F_TIMEOUT(fault, adding_a_tracepoint_on_a_task_says_so, 240)
{
	self->attr = lwt_attr_tracepoint("raw_syscalls/sys_enter");
	self->target = LW_TARGET_TASK;
	EXPECT_ENOMEM(fail_each(self, &op_add));
}

static int add_table(FIXTURE_DATA(fault) *f)
{
	return fake_add(&f->fake, f->t.fd);
}

/* Whether it has the table or not, it can have it now, and then none is left. */
static int after_table(FIXTURE_DATA(fault) *f, int ret)
{
	struct lw_stats stats = lwt_stats(f->t.fd);
	bool added = ret >= 0;

	if (stats.tables != added || stats.tables_refused != !added ||
	    stats.all_tables != stats.tables || stats.all_table_bytes != stats.table_bytes)
		ret = -EUCLEAN;
	else
		ret = add_table(f);
	if (!ret && lwt_stats(f->t.fd).tables != 1)
		ret = -ENOENT;
	lwt_session_close(&f->t);
	if (!ret && !lwt_wait(!lwt_stats(f->s.fd).all_tables))
		ret = -ETIMEDOUT;
	return ret;
}

static const struct op op_table = {
	.prepare = open_session,
	.run = add_table,
	.after = after_table,
};

TEST_F_TIMEOUT(fault, adding_a_table_says_so, 240)
{
	ASSERT_EQ(0, fake_make(&self->fake, NULL, 1, 0));
	EXPECT_ENOMEM(fail_each(self, &op_table));
	fake_close(&self->fake);
}

static int open_with_events(FIXTURE_DATA(fault) *f)
{
	struct perf_event_attr clock = lwt_attr_cpu_clock(1000000);
	int ret = open_session(f);

	return ret ?: lwt_add_event(f->t.fd, &clock, LW_TARGET_CPUS, 0, NULL) ?:
	       add_event(f);
}

static int enable(FIXTURE_DATA(fault) *f)
{
	return lwt_enable(f->t.fd);
}

static int after_enable(FIXTURE_DATA(fault) *f, int ret)
{
	if (!ret && !lwt_wait(lwt_stats(f->t.fd).samples))
		ret = -ETIMEDOUT;
	if (!ret)
		ret = lwt_disable(f->t.fd);
	lwt_session_close(&f->t);
	return ret;
}

static const struct op op_enable = {
	.prepare = open_with_events,
	.run = enable,
	.after = after_enable,
};

/* It allocates nothing, and samples taken meanwhile nothing that must be. */
TEST_F_TIMEOUT(fault, enabling_works_without_memory, 240)
{
	struct outcome all;

	self->attr = lwt_attr_tracepoint("raw_syscalls/sys_enter");
	self->target = LW_TARGET_TASK;
	all = fail_each(self, &op_enable);
	EXPECT_EQ(0, all.bad);
	EXPECT_EQ(0, all.refused);
}

static int add_syscall(FIXTURE_DATA(fault) *f)
{
	struct calls c = { .s = f->t };

	return calls_add(&c, __NR_openat, BOTH, &path_of_openat, 1, NULL);
}

/* One call, recorded with its path. */
static int record_call(FIXTURE_DATA(fault) *f)
{
	struct calls c = { .s = f->t };
	struct lw_syscall *entry;
	int ret;

	/* It is in memory from here on. */
	calls_openat("/nowhere");
	ret = lwt_enable(c.s.fd);
	if (ret)
		return ret;
	calls_openat("/nowhere");
	ret = lwt_disable(c.s.fd);
	if (!ret && lwt_read(&c.s, &c.log) < 0)
		ret = -EBADMSG;
	entry = calls_record(&c, __NR_openat, false, 0);
	if (!ret && (!entry || !calls_holds(calls_data(entry, 0), "/nowhere", 8)))
		ret = -ENOENT;
	lwt_log_free(&c.log);
	return ret;
}

static int open_for_self(FIXTURE_DATA(fault) *f)
{
	int ret = open_session(f);
	struct calls c = { .s = f->t };

	return ret ?: calls_name(&c, getpid(), 0);
}

static int after_add_syscall(FIXTURE_DATA(fault) *f, int ret)
{
	ret = ret < 0 ? add_syscall(f) : 0;
	if (!ret)
		ret = record_call(f);
	lwt_session_close(&f->t);
	return ret;
}

static const struct op op_add_syscall = {
	.prepare = open_for_self,
	.run = add_syscall,
	.after = after_add_syscall,
};

TEST_F_TIMEOUT(fault, adding_a_system_call_says_so, 240)
{
	EXPECT_ENOMEM(fail_each(self, &op_add_syscall));
}

static int name_family(FIXTURE_DATA(fault) *f)
{
	__s32 pid = getpid();
	struct lw_filter filter = {
		.size = sizeof(filter),
		.flags = LW_FILTER_CHILDREN,
		.kind = LW_FILTER_PROCESSES,
		.nr = 1,
		.pids = (uintptr_t)&pid,
	};

	return lwt_ioctl(f->t.fd, LW_IOC_FILTER, &filter);
}

/* Forks a child that ends at once. */
static int fork_one(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0)
		return -errno;
	return waitpid(pid, &status, 0) == pid ? 0 : -errno;
}

/* With the filter or without, there can be one now. */
static int after_filter(FIXTURE_DATA(fault) *f, int ret)
{
	ret = name_family(f) ?: fork_one();
	if (!ret && lwt_stats(f->t.fd).missing_children)
		ret = -ECHILD;
	if (!ret)
		ret = ask(f, &f->t);
	lwt_session_close(&f->t);
	return ret;
}

static const struct op op_filter = {
	.prepare = open_session,
	.run = name_family,
	.after = after_filter,
};

TEST_F_TIMEOUT(fault, naming_a_family_says_so, 240)
{
	EXPECT_ENOMEM(fail_each(self, &op_filter));
}

/* Nobody can be told where a process forks, but it is counted. */
TEST_F_TIMEOUT(fault, a_child_that_is_missing_is_counted, 60)
{
	int ret;

	ASSERT_EQ(0, open_session(self));
	ASSERT_EQ(0, name_family(self));
	ASSERT_EQ(0, require_function("filter_task_forks"));
	ASSERT_EQ(1, pwrite(self->all, "1", 1, 0));
	ret = fork_one();
	ASSERT_EQ(1, pwrite(self->all, "0", 1, 0));
	EXPECT_EQ(0, ret);
	EXPECT_EQ(1, lwt_stats(self->t.fd).missing_children);
	EXPECT_EQ(0, fork_one());
	EXPECT_EQ(1, lwt_stats(self->t.fd).missing_children);
	EXPECT_EQ(0, ask(self, &self->t));
}

static int unload(FIXTURE_DATA(fault) *f __attribute__((unused)))
{
	return lwt_unload("latewind");
}

static int load(FIXTURE_DATA(fault) *f __attribute__((unused)))
{
	return lwt_load(getenv("LATEWIND_KO") ?: "", "");
}

/* Without the session that is open all the time, which pins the module. */
static int unload_all(FIXTURE_DATA(fault) *f)
{
	int ret = -EWOULDBLOCK;

	if (f->s.fd >= 0)
		lwt_session_close(&f->s);
	lwt_wait((ret = unload(f)) != -EWOULDBLOCK);
	return ret;
}

static int open_and_ask(FIXTURE_DATA(fault) *f)
{
	int ret = -ENOENT;

	/* The node is devtmpfs's work. */
	lwt_wait((ret = lwt_session_open(&f->s, RING, 0, 0)) != -ENOENT);
	return ret ?: ask(f, &f->s);
}

/* A walk deeper than any before on this CPU needs memory, by eight frames. */
static int open_deeper(FIXTURE_DATA(fault) *f)
{
	f->depth += 8;
	return open_session(f);
}

static int request(FIXTURE_DATA(fault) *f)
{
	f->call.fd = f->t.fd;
	chain_run(&f->chain, "abc", call_ask, &f->call);
	return f->call.ret;
}

/* Return: 0 if it is whole, or for a walk that had no memory. */
static int check_stack(FIXTURE_DATA(fault) *f,
		       const struct lwt_stack *stack)
{
	struct lw_stats stats = lwt_stats(f->t.fd);

	if (stack->end == LW_END_NOMEM)
		return stack->nr || stats.no_walks != 1 ? -EPROTO : 0;
	if (stack->nr < f->call.nr || stats.no_walks)
		return -EPROTO;
	return call_matching(stack, &f->call) == f->call.nr ? 0 : -EILSEQ;
}

/* One record for the cookie, whatever failed. */
static int after_request(FIXTURE_DATA(fault) *f, int ret)
{
	const struct lwt_stack *stack;

	if (!ret && lwt_read(&f->t, &f->log) != 1)
		ret = -ENOENT;
	stack = lwt_find_stack(&f->log, &f->call.request.cookie);
	if (!ret)
		ret = stack ? check_stack(f, stack) : -ENOENT;
	if (!ret)
		f->no_walks += stack->end == LW_END_NOMEM;
	lwt_log_free(&f->log);
	if (!ret)
		ret = ask(f, &f->t);
	lwt_session_close(&f->t);
	return ret;
}

static const struct op op_request = {
	.prepare = open_deeper,
	.run = request,
	.after = after_request,
};

/* Or else walks of other tests have left memory enough behind. */
static int start_anew(FIXTURE_DATA(fault) *f)
{
	f->depth = LW_DEFAULT_DEPTH;
	return lwt_pin(0) ?: unload_all(f) ?: load(f) ?: open_and_ask(f);
}

TEST_F_TIMEOUT(fault, a_stack_is_never_missing, 240)
{
	struct outcome all;

	if (!lwt_destructive())
		SKIP(return, LWT_MAY_HURT);
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	ASSERT_EQ(0, start_anew(self));
	all = fail_each(self, &op_request);
	EXPECT_EQ(0, all.bad)
		TH_LOG("with the failure of allocation %u", all.at);
	EXPECT_EQ(0, all.refused);
	EXPECT_LT(0, all.faults);
	TH_LOG("%u allocations failed", all.faults);
}

/* One failure is not enough: the walk's memory may be had in two ways. */
TEST_F_TIMEOUT(fault, a_stack_without_a_walk_says_so, 60)
{
	int ret;

	if (!lwt_destructive())
		SKIP(return, LWT_MAY_HURT);
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	ASSERT_EQ(0, start_anew(self));
	ASSERT_EQ(0, open_deeper(self));
	ASSERT_EQ(1, pwrite(self->all, "1", 1, 0));
	ret = request(self);
	ASSERT_EQ(1, pwrite(self->all, "0", 1, 0));
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0, after_request(self, ret));
	EXPECT_EQ(1, self->no_walks);
	EXPECT_EQ(0, ask(self, &self->s));
}

static int run_in_child(int (*work)(int fd, uint8_t *text, unsigned int nth), int fd,
			uint8_t *text, unsigned int nth)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(work(fd, text, nth));
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

#define WENT_THROUGH	0
#define WAS_TOLD	1
#define WENT_WRONG	2
#define HID_IT		3

/* The first section of a process, with all that it takes. */
static int add_first(int fd, uint8_t *text, unsigned int nth)
{
	int fail = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	unsigned int left;
	int ret;

	if (fail < 0)
		return WENT_WRONG;
	/* Has all in memory that it touches. */
	jit_add(-1, text, 64);
	inject_arm(fail, nth);
	ret = jit_add(fd, text, 64);
	left = inject_disarm(fail);
	if (ret && (ret != -ENOMEM || left || jit_add(fd, text, 64)))
		return WENT_WRONG;
	if (jit_add(fd, text, 64) != -EEXIST || jit_remove(fd, text, 64))
		return WENT_WRONG;
	if (ret)
		return WAS_TOLD;
	/* kvmalloc() may come by its memory in another way. */
	return left ? WENT_THROUGH : HID_IT;
}

/*
 * Each of the allocations of add_first() fails once; how often the caller was told is
 * added to @told.
 */
static int fail_each_of_adding(int fd, uint8_t *text, unsigned int *nth, unsigned int *told)
{
	int ret;

	*told = 0;
	*nth = 0;
	do {
		ret = run_in_child(add_first, fd, text, ++*nth);
		*told += ret == WAS_TOLD;
	} while ((ret == WAS_TOLD || ret == HID_IT) && *nth < MAX_NTH);
	return ret;
}

/*
 * Which allocation is the nth is not the same in each child: a slab may be full, and
 * what makes a new one comes before. So one of the three may be passed over in a round.
 */
#define ROUNDS	20

TEST_F_TIMEOUT(fault, adding_a_section_says_so, 240)
{
	unsigned int nth, told, most = 0, rounds = 0;
	uint8_t *text = jit_map(NULL, JIT_PAGE);

	ASSERT_NE(NULL, text);
	if (!(lwt_features(self->s.fd) & LW_FEATURE_SECTIONS))
		SKIP(return, "no LW_FEATURE_SECTIONS on this kernel");
	do {
		ASSERT_EQ(WENT_THROUGH, fail_each_of_adding(self->s.fd, text, &nth, &told))
			TH_LOG("with the failure of allocation %u", nth);
		most = told > most ? told : most;
		/* A registry, what the kernel has for notifiers of an mm, the section. */
	} while (most < 3 && ++rounds < ROUNDS);
	EXPECT_LE(3, most);
	TH_LOG("%u allocations failed, %u times the caller was told", nth - 1, told);
	munmap(text, JIT_PAGE);
}

static int after_load(FIXTURE_DATA(fault) *f, int ret)
{
	if (ret < 0)
		ret = load(f);
	return ret ?: open_and_ask(f);
}

static const struct op op_load = {
	.prepare = unload_all,
	.run = load,
	.after = after_load,
	.costly = true,
};

TEST_F_TIMEOUT(fault, loading_says_so, 240)
{
	if (!lwt_destructive())
		SKIP(return, LWT_MAY_HURT);
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	/* Our own part of it, the init function, and not the loader's. */
	ASSERT_EQ(0, require_function("do_init_module"));
	EXPECT_ENOMEM(fail_each(self, &op_load));
}

static int forget_session(FIXTURE_DATA(fault) *f)
{
	lwt_session_close(&f->s);
	return 0;
}

static int after_unload(FIXTURE_DATA(fault) *f, int ret)
{
	if (!ret)
		ret = load(f);
	return ret ?: open_and_ask(f);
}

static const struct op op_unload = {
	.prepare = forget_session,
	.run = unload,
	.after = after_unload,
	.costly = true,
};

TEST_F_TIMEOUT(fault, unloading_works_without_memory, 240)
{
	struct outcome all;

	if (!lwt_destructive())
		SKIP(return, LWT_MAY_HURT);
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	all = fail_each(self, &op_unload);
	EXPECT_EQ(0, all.bad)
		TH_LOG("with the failure of allocation %u", all.at);
	EXPECT_EQ(0, all.refused);
	TH_LOG("%u allocations failed", all.faults);
}

TEST_HARNESS_MAIN
