// SPDX-License-Identifier: GPL-2.0
/*
 * tracer_test.c - sessions that want different things of one entry: by which
 * means a caller may be found, how deep, of which tasks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/call.h"
#include "lib/lw_test.h"
#include "programs/chain.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define RING	(1 << 18)

/* One that asks by system call, which is an event to the others. */
FIXTURE(asked)
{
	struct lwt_session s;
	struct lwt_log log;
	struct call call;
	struct chain chain;
};

FIXTURE_SETUP(asked)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	self->call.fd = self->s.fd;
}

FIXTURE_TEARDOWN(asked)
{
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

/* Another session, which wants the stack of each ioctl() of ours. */
struct other {
	struct lwt_session s;
	struct lwt_log log;
};

static int other_open(struct other *other, uint32_t mask, uint32_t depth)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_ioctl");

	return lwt_session_open_masked(&other->s, RING, depth, 0, mask) ?:
	       lwt_add_event(other->s.fd, &attr, LW_TARGET_TASK, 0, NULL) ?:
	       lwt_enable(other->s.fd);
}

static struct lwt_stack *other_stack(struct other *other,
				     const struct lw_cookie *cookie)
{
	if (lwt_disable(other->s.fd) || lwt_read(&other->s, &other->log) < 0)
		return NULL;
	return lwt_find_stack(&other->log, cookie);
}

static void other_close(struct other *other)
{
	lwt_log_free(&other->log);
	lwt_session_close(&other->s);
}

static struct lwt_stack *stack_of(FIXTURE_DATA(asked) *self,
				  const char *path)
{
	chain_run(&self->chain, path, call_ask, &self->call);
	if (self->call.ret < 0 || lwt_read(&self->s, &self->log) < 0)
		return NULL;
	return lwt_find_stack(&self->log, &self->call.request.cookie);
}

/* First frame that was guessed, or nr. */
static unsigned int first_guess(const struct lwt_stack *stack)
{
	unsigned int i;

	for (i = 0; i < stack->nr && lwt_how(stack)[i] != LW_HOW_FP; i++)
		;
	return i;
}

/* Is @a, but for how it ends, the beginning of @b? */
static bool begins(const struct lwt_stack *a, const struct lwt_stack *b)
{
	unsigned int i;

	for (i = 0; i < a->nr; i++)
		if (i >= b->nr || a->frames[i] != b->frames[i] ||
		    lwt_how(a)[i] != lwt_how(b)[i])
			return false;
	return true;
}

/* What a session with SFrame only has is what it has when it asks alone. */
TEST_F(asked, by_sframe_only_ends_at_the_first_guess)
{
	static const char *const paths[] = { "aaaa", "aafaa", "afafaf", "f" };
	struct lwt_stack *best, *strict;
	struct lwt_session alone;
	struct lwt_log log = {};
	uint64_t walks = 0;
	unsigned int i;

	ASSERT_EQ(0, lwt_session_open_masked(&alone, RING, 0, 0,
					     LW_MASK_SFRAME));
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		struct other other = {};

		ASSERT_EQ(0, other_open(&other, LW_MASK_SFRAME, 0));
		best = stack_of(self, paths[i]);
		EXPECT_CHAIN(best, &self->call);
		strict = other_stack(&other, &self->call.request.cookie);
		ASSERT_NE(NULL, strict);
		EXPECT_EQ(first_guess(best), strict->nr);
		EXPECT_TRUE(begins(strict, best));
		EXPECT_EQ(LW_END_NO_RULE, strict->end);
		EXPECT_EQ(0, lwt_stats(other.s.fd).frames_fp);
		/* The same walk, told to one of us; the other's disabling was its own. */
		EXPECT_EQ(lwt_stats(other.s.fd).user_stacks,
			  lwt_stats(self->s.fd).walks - walks +
			  lwt_stats(other.s.fd).walks);
		walks = lwt_stats(self->s.fd).walks;
		other_close(&other);

		/* Nobody else asks now: a walk that may not guess. */
		self->call.fd = alone.fd;
		chain_run(&self->chain, paths[i], call_ask, &self->call);
		self->call.fd = self->s.fd;
		ASSERT_EQ(0, self->call.ret);
		ASSERT_LE(0, lwt_read(&alone, &log));
		strict = lwt_find_stack(&log, &self->call.request.cookie);
		ASSERT_NE(NULL, strict);
		EXPECT_EQ(LW_END_NO_RULE, strict->end);
		EXPECT_EQ(strict->nr, first_guess(strict));
		EXPECT_EQ(i + 1, lwt_stats(alone.fd).walks);
	}
	lwt_log_free(&log);
	lwt_session_close(&alone);
}

/* Adds what is new in @log to @seen.  Return: how many there are then. */
static unsigned int add_cookies(struct lw_cookie *seen, unsigned int nr,
				const struct lwt_log *log)
{
	const struct lw_cookie *cookie;
	unsigned int i, j;

	for (i = 0; i < log->nr; i++) {
		if (log->records[i].head->type != LW_RECORD_USER_STACK)
			continue;
		cookie = &log->records[i].stack->cookie;
		for (j = 0; j < nr && !lwt_cookie_same(&seen[j], cookie); j++)
			;
		if (j == nr)
			seen[nr++] = *cookie;
	}
	return nr;
}

/* An entry is walked once, whatever the number of those who asked. */
/* Callers in all stacks of a log, and callers that its session has counted. */
static uint64_t callers_in(const struct lwt_log *log)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++)
		if (log->records[i].head->type == LW_RECORD_USER_STACK && log->records[i].stack->nr)
			nr += log->records[i].stack->nr - 1;
	return nr;
}

static uint64_t callers_counted(const struct other *other)
{
	struct lw_stats stats = lwt_stats(other->s.fd);

	return stats.frames_sframe + stats.frames_fp + stats.frames_sigframe + stats.frames_table;
}

TEST_F(asked, is_walked_once_for_all)
{
	enum { NR = 63 };
	static const uint32_t masks[] = { LW_MASK_AUTO, LW_MASK_SFRAME };
	static struct lw_cookie seen[4096];
	static struct other others[NR];
	struct lwt_stack *best, *stack;
	unsigned int i, cookies;
	uint64_t walks;

	for (i = 0; i < NR; i++)
		ASSERT_EQ(0, other_open(&others[i], masks[i % ARRAY_SIZE(masks)],
					i + 1));
	best = stack_of(self, "aaaabbbbaaaafaaaabbbbaaaa");
	EXPECT_CHAIN(best, &self->call);
	cookies = add_cookies(seen, 0, &self->log);
	for (i = 0; i < NR; i++) {
		stack = other_stack(&others[i], &self->call.request.cookie);
		ASSERT_NE(NULL, stack);
		EXPECT_TRUE(begins(stack, best));
		EXPECT_GE(i + 1, stack->nr);
		if (masks[i % ARRAY_SIZE(masks)] == LW_MASK_SFRAME) {
			EXPECT_GE(first_guess(best), stack->nr);
		} else if (i + 1 <= best->nr) {
			EXPECT_EQ(i + 1, stack->nr);
		}
		EXPECT_EQ(0, lwt_lost_on_rings(&others[i].s));
		EXPECT_EQ(callers_in(&others[i].log), callers_counted(&others[i]));
		cookies = add_cookies(seen, cookies, &others[i].log);
		ASSERT_GT(ARRAY_SIZE(seen), cookies + 1000);
	}
	/* All that these ioctls were entries of, with up to 64 askers each. */
	EXPECT_LT(NR, cookies);
	walks = lwt_stats(self->s.fd).walks;
	for (i = 0; i < NR; i++) {
		walks += lwt_stats(others[i].s.fd).walks;
		other_close(&others[i]);
	}
	EXPECT_EQ(cookies, walks);
}

TEST_F(asked, counts_its_walks)
{
	struct lw_stats before = lwt_stats(self->s.fd);
	unsigned int i;

	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(10, lwt_stats(self->s.fd).walks - before.walks);
}

static int set_filter(int fd, struct lw_filter filter)
{
	filter.size = sizeof(filter);
	return lwt_ioctl(fd, LW_IOC_FILTER, &filter);
}

static int filter_pids(int fd, uint32_t flags, const int32_t *pids, uint32_t nr)
{
	return set_filter(fd, (struct lw_filter) {
		.flags = flags,
		.kind = LW_FILTER_PROCESSES,
		.nr = nr,
		.pids = (uintptr_t)pids,
	});
}

/* What a child's request returns. */
static int request_of_child(int fd)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(-lwt_request(fd, 0, NULL));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -EIO;
	return -WEXITSTATUS(status);
}

TEST_F(asked, may_be_for_some_processes)
{
	int32_t pids[] = { 1, getpid() };
	int32_t one = 1;

	ASSERT_EQ(0, filter_pids(self->s.fd, 0, pids, 2));
	EXPECT_EQ(0, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(-EPERM, request_of_child(self->s.fd));
	EXPECT_EQ(1, lwt_stats(self->s.fd).filtered);
	ASSERT_EQ(0, filter_pids(self->s.fd, LW_FILTER_INVERT, pids, 2));
	EXPECT_EQ(-EPERM, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(0, request_of_child(self->s.fd));
	ASSERT_EQ(0, filter_pids(self->s.fd, 0, &one, 1));
	EXPECT_EQ(-EPERM, lwt_request(self->s.fd, 0, NULL));
	/* None again. */
	ASSERT_EQ(0, set_filter(self->s.fd, (struct lw_filter) {}));
	EXPECT_EQ(0, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(3, lwt_stats(self->s.fd).filtered);
	EXPECT_EQ(3, lwt_stats(self->s.fd).requests);
}

/* Events of others leave nothing behind, not even a sample. */
TEST_F(asked, takes_no_sample_of_others)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	int32_t me = getpid();
	struct lwt_counts counts;
	unsigned int i;
	pid_t pid;

	ASSERT_EQ(0, filter_pids(self->s.fd, 0, &me, 1));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	pid = fork();
	if (!pid) {
		for (i = 0; i < 100; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	for (i = 0; i < 7; i++)
		syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	counts = lwt_log_check(&self->log);
	EXPECT_EQ(7, counts.samples);
	EXPECT_EQ(7, counts.stacks);
	EXPECT_LE(100, lwt_stats(self->s.fd).filtered);
	for (i = 0; i < self->log.nr; i++)
		if (self->log.records[i].head->type == LW_RECORD_SAMPLE)
			EXPECT_EQ((uint32_t)me, self->log.records[i].sample->pid);
}

TEST_F(asked, refuses_filters_that_make_no_sense)
{
	int32_t me = getpid();
	int32_t *many = calloc(LW_MAX_FILTER_PIDS + 1, sizeof(*many));
	const struct lw_filter bad[] = {
		{ .kind = LW_FILTER_CGROUP + 1 },
		{ .kind = -1U },
		{ .nr = 1 },
		{ .pids = 1 },
		{ .fd = 1 },
		{ .reserved = 1 },
		{ .flags = LW_FILTER_INVERT },
		{ .kind = LW_FILTER_PROCESSES },
		{ .kind = LW_FILTER_PROCESSES, .nr = LW_MAX_FILTER_PIDS + 1,
		  .pids = (uintptr_t)many },
		{ .kind = LW_FILTER_PROCESSES, .nr = -1U, .pids = (uintptr_t)many },
		{ .kind = LW_FILTER_PROCESSES, .nr = 1, .pids = (uintptr_t)&me,
		  .fd = 1 },
		{ .kind = LW_FILTER_PROCESSES, .nr = 1, .pids = (uintptr_t)&me,
		  .reserved = 1 },
		{ .kind = LW_FILTER_CGROUP, .nr = 1 },
		{ .kind = LW_FILTER_CGROUP, .pids = 1 },
	};
	static const int32_t nobody[] = { 0, -1, INT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, set_filter(self->s.fd, bad[i]))
			TH_LOG("case %u", i);
	for (i = 0; i < ARRAY_SIZE(nobody); i++)
		EXPECT_EQ(-ESRCH, filter_pids(self->s.fd, 0, &nobody[i], 1));
	EXPECT_EQ(-EFAULT, filter_pids(self->s.fd, 0, (int32_t *)8, 1));
	EXPECT_EQ(-EBADF, set_filter(self->s.fd, (struct lw_filter) {
			.kind = LW_FILTER_CGROUP, .fd = self->s.fd }));
	EXPECT_EQ(-EBADF, set_filter(self->s.fd, (struct lw_filter) {
			.kind = LW_FILTER_CGROUP, .fd = -1 }));
	/* None of them was left behind. */
	EXPECT_EQ(0, lwt_request(self->s.fd, 0, NULL));
	free(many);
}

TEST_F(asked, takes_as_many_processes_as_it_says)
{
	static int32_t pids[LW_MAX_FILTER_PIDS];
	unsigned int i;

	for (i = 0; i < LW_MAX_FILTER_PIDS; i++)
		pids[i] = i % 2 ? getpid() : 1;
	ASSERT_EQ(0, filter_pids(self->s.fd, 0, pids, LW_MAX_FILTER_PIDS));
	EXPECT_EQ(0, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(-EPERM, request_of_child(self->s.fd));
}

/* A child in @dir asks.  Return: what its request did. */
static int request_in_cgroup(int fd, const char *dir)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (lwt_put_in_cgroup(dir, getpid()))
			_exit(125);
		_exit(-lwt_request(fd, 0, NULL));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -EIO;
	return -WEXITSTATUS(status);
}

TEST_F(asked, may_be_for_a_cgroup)
{
	char root[] = "/tmp/lw-cgroup-XXXXXX";
	char ours[64], below[80], beside[64];
	int fd;

	ASSERT_NE(NULL, mkdtemp(root));
	if (mount("none", root, "cgroup2", 0, NULL)) {
		rmdir(root);
		SKIP(return, "no cgroup2 file system: %m");
	}
	snprintf(ours, sizeof(ours), "%s/lw-ours", root);
	snprintf(below, sizeof(below), "%s/below", ours);
	snprintf(beside, sizeof(beside), "%s/lw-beside", root);
	ASSERT_EQ(0, mkdir(ours, 0755));
	ASSERT_EQ(0, mkdir(below, 0755));
	ASSERT_EQ(0, mkdir(beside, 0755));
	fd = open(ours, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_filter(self->s.fd, (struct lw_filter) {
			.kind = LW_FILTER_CGROUP, .fd = fd }));
	close(fd);
	EXPECT_EQ(0, request_in_cgroup(self->s.fd, ours));
	EXPECT_EQ(0, request_in_cgroup(self->s.fd, below));
	EXPECT_EQ(-EPERM, request_in_cgroup(self->s.fd, beside));
	EXPECT_EQ(-EPERM, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(2, lwt_stats(self->s.fd).filtered);
	/* It may be removed while the filter holds it. */
	EXPECT_EQ(0, rmdir(below));
	EXPECT_EQ(0, rmdir(ours));
	EXPECT_EQ(-EPERM, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(0, set_filter(self->s.fd, (struct lw_filter) {}));
	EXPECT_EQ(0, lwt_request(self->s.fd, 0, NULL));
	EXPECT_EQ(0, rmdir(beside));
	EXPECT_EQ(0, umount(root));
	EXPECT_EQ(0, rmdir(root));
}

/* Others that were asked about may sleep for long, and owe. */
static bool is_balanced(int fd)
{
	struct lw_stats stats = lwt_stats(fd);

	return stats.requests - stats.shared ==
	       stats.user_stacks + stats.lost_stacks + stats.pending;
}

/* The filter changes while events hit. */
TEST_F_TIMEOUT(asked, may_change_its_mind_under_load, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000);
	int32_t me = getpid();
	unsigned int i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < lwt_sample(200, 50) || !lwt_stats(self->s.fd).filtered; i++) {
		ASSERT_EQ(0, filter_pids(self->s.fd, i % 3 ? LW_FILTER_INVERT : 0,
					 &me, 1));
		ASSERT_LE(0, lwt_read(&self->s, &self->log));
	}
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	EXPECT_TRUE(lwt_wait(is_balanced(self->s.fd)));
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
