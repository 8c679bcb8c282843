// SPDX-License-Identifier: GPL-2.0
/*
 * hotplug_test.c - CPUs that go and come while sessions are open.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "lib/served.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

LWT_DESTRUCTIVE_FILE;

#define RING	(1 << 20)
#define CPU	1
#define ONLINE	"/sys/devices/system/cpu/cpu1/online"

static int set_online(bool online)
{
	int fd = open(ONLINE, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, online ? "1" : "0", 1) != 1)
		ret = -errno;
	close(fd);
	return ret;
}

FIXTURE(session)
{
	struct lwt_session s;
	struct lwt_log log;
};

FIXTURE_SETUP(session)
{
	if (access(ONLINE, W_OK))
		SKIP(return, "this machine has no second CPU to take away");
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	/* Else others' calls would be counted too. */
	ASSERT_EQ(0, lwt_only(self->s.fd, getpid(), LW_FILTER_CHILDREN));
}

FIXTURE_TEARDOWN(session)
{
	set_online(true);
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

/* A child on that CPU calls getppid() @nr times. */
static int calls_there(unsigned int nr)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (lwt_pin(CPU))
			_exit(1);
		while (nr--)
			syscall(SYS_getppid);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return status ? -EIO : 0;
}

static int add_getppid(int fd)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");

	return lwt_add_event(fd, &attr, LW_TARGET_CPUS, 0, NULL);
}

/* The event comes to the CPU some time after the CPU has come. */
static bool hits_there(int fd)
{
	uint64_t before = lwt_stats(fd).samples;

	return !calls_there(1) && lwt_stats(fd).samples > before;
}

/* Samples of calls on that CPU, each with a stack. */
static void expect_hits(struct __test_metadata *_metadata,
			FIXTURE_DATA(session) *self, unsigned int nr)
{
	uint64_t before = lwt_stats(self->s.fd).samples;
	struct lwt_counts counts;

	ASSERT_EQ(0, calls_there(nr));
	EXPECT_EQ(nr, lwt_stats(self->s.fd).samples - before);
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	counts = lwt_log_check(&self->log);
	EXPECT_EQ(0, counts.orphans);
	EXPECT_EQ(0, counts.twice);
	EXPECT_EQ(0, counts.malformed);
	EXPECT_EQ(0, lwt_stats(self->s.fd).missing_cpus);
}

TEST_F_TIMEOUT(session, covers_a_cpu_that_comes_back, 60)
{
	ASSERT_EQ(0, add_getppid(self->s.fd));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	expect_hits(_metadata, self, 50);
	ASSERT_EQ(0, set_online(false));
	ASSERT_EQ(0, set_online(true));
	ASSERT_TRUE(lwt_wait(hits_there(self->s.fd)));
	expect_hits(_metadata, self, 50);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	expect_hits(_metadata, self, 0);
}

TEST_F_TIMEOUT(session, covers_a_cpu_that_comes_later, 60)
{
	ASSERT_EQ(0, set_online(false));
	ASSERT_EQ(0, add_getppid(self->s.fd));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_EQ(0, set_online(true));
	ASSERT_TRUE(lwt_wait(hits_there(self->s.fd)));
	expect_hits(_metadata, self, 50);
}

/* Came while the session was disabled: counts nothing until it is enabled. */
TEST_F_TIMEOUT(session, covers_it_only_while_enabled, 60)
{
	ASSERT_EQ(0, add_getppid(self->s.fd));
	ASSERT_EQ(0, set_online(false));
	ASSERT_EQ(0, set_online(true));
	ASSERT_EQ(0, calls_there(20));
	EXPECT_EQ(0, lwt_stats(self->s.fd).samples);
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_TRUE(lwt_wait(hits_there(self->s.fd)));
	expect_hits(_metadata, self, 50);
}

/* Return: false if this kernel has no such events. */
static bool kprobe_attr(struct perf_event_attr *attr, const char *name)
{
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "r");
	bool ok;

	if (!file)
		return false;
	*attr = (struct perf_event_attr) {
		.size = sizeof(*attr),
		.sample_period = 1,
		.kprobe_func = (uintptr_t)name,
	};
	ok = fscanf(file, "%u", &attr->type) == 1;
	fclose(file);
	return ok;
}

TEST_F_TIMEOUT(session, says_what_it_does_not_cover, 60)
{
	struct perf_event_attr attr;

	if (!kprobe_attr(&attr, RAW_SYSCALL_PREFIX "getppid"))
		SKIP(return, "this kernel has no kprobe events");
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	expect_hits(_metadata, self, 5);
	ASSERT_EQ(0, set_online(false));
	ASSERT_EQ(0, set_online(true));
	EXPECT_TRUE(lwt_wait(lwt_stats(self->s.fd).missing_cpus == 1));
}

/* LW_IOC_ADD_EVENT of a probe whose name does not come. */
struct stuck {
	int fd;
	struct perf_event_attr attr;
	int ret;
	atomic_bool ended;
};

static void *add_stuck(void *arg)
{
	struct stuck *stuck = arg;

	stuck->ret = lwt_add_event(stuck->fd, &stuck->attr, LW_TARGET_CPUS, 0, NULL);
	stuck->ended = true;
	return arg;
}

/* Another session comes and goes. */
static void *open_and_close(void *arg)
{
	atomic_bool *ended = arg;
	struct lwt_session s;

	if (lwt_session_open(&s, RING, 0, 0))
		return NULL;
	lwt_session_close(&s);
	*ended = true;
	return arg;
}

static int open_with_getppid(struct lwt_session *s)
{
	return lwt_session_open(s, RING, 0, 0) ?: lwt_only(s->fd, getpid(), LW_FILTER_CHILDREN) ?:
	       add_getppid(s->fd) ?: lwt_enable(s->fd);
}

/* Its lock is had by a call that waits for a page of FUSE. */
TEST_F_TIMEOUT(session, holds_up_nobody_while_it_is_locked, 120)
{
	struct stuck stuck = { .fd = self->s.fd };
	struct perf_event_attr attr;
	struct lwt_session other;
	atomic_bool ended = false;
	pthread_t threads[2];
	struct served served;
	char *page;
	int fd, ret;

	if (!kprobe_attr(&attr, RAW_SYSCALL_PREFIX "getppid"))
		SKIP(return, "this kernel has no kprobe events");
	ret = served_init(&served);
	if (ret == -ENOENT || ret == -ENODEV)
		SKIP(return, SERVED_MISSING);
	ASSERT_EQ(0, ret);
	fd = served_open(O_RDONLY);
	ASSERT_LE(0, fd);
	page = served_map(fd, PROT_READ, MAP_PRIVATE);
	ASSERT_NE(NULL, page);
	ASSERT_TRUE(kprobe_attr(&stuck.attr, page));
	ASSERT_EQ(0, add_getppid(self->s.fd));
	/* Misses the CPU once, however often that is tried. */
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	/* The worker comes to this session after the one that is locked. */
	ASSERT_EQ(0, open_with_getppid(&other));
	served_withhold(&served, FUSE_READ);
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, add_stuck, &stuck));
	ASSERT_TRUE(served_is_waited_for(&served));
	ASSERT_EQ(0, set_online(false));
	ASSERT_EQ(0, set_online(true));
	EXPECT_TRUE(lwt_wait(hits_there(other.fd)));
	EXPECT_EQ(0, lwt_stats(other.fd).missing_cpus);
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, open_and_close, &ended));
	EXPECT_TRUE(lwt_wait(ended));
	EXPECT_FALSE(stuck.ended);
	EXPECT_EQ(0, lwt_stats(self->s.fd).missing_cpus);
	/* There is no such function. */
	ASSERT_EQ(0, served_answer(&served));
	ASSERT_EQ(0, pthread_join(threads[0], NULL));
	ASSERT_EQ(0, pthread_join(threads[1], NULL));
	EXPECT_GT(0, stuck.ret);
	EXPECT_TRUE(lwt_wait(lwt_stats(self->s.fd).missing_cpus));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_TRUE(lwt_wait(hits_there(self->s.fd)));
	EXPECT_EQ(1, lwt_stats(self->s.fd).missing_cpus);
	lwt_session_close(&other);
	close(fd);
	served_free(&served);
}

/* Asked on the CPU that goes, answered on another. */
TEST_F_TIMEOUT(session, answers_a_task_that_had_to_move, 60)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_read");
	struct lwt_stack *stack;
	int pipes[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		lwt_pin(CPU);
		/* Blocks with a request pending. */
		_exit(read(pipes[0], &byte, 1) != 1);
	}
	ASSERT_TRUE(lwt_wait(lwt_is(pid, "S")));
	ASSERT_EQ(1, write(pipes[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	pid = fork();
	if (!pid) {
		lwt_pin(CPU);
		_exit(read(pipes[0], &byte, 1) != 1);
	}
	ASSERT_TRUE(lwt_wait(lwt_stats(self->s.fd).pending && lwt_is(pid, "S")));
	ASSERT_EQ(0, set_online(false));
	EXPECT_LE(1, lwt_stats(self->s.fd).pending);
	ASSERT_EQ(1, write(pipes[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	stack = lwt_first_stack(&self->log);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(0, lwt_log_check(&self->log).orphans);
	close(pipes[0]);
	close(pipes[1]);
}

/* Something to be sampled, until killed. */
static pid_t busy(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
		syscall(SYS_getppid);
	}
}

TEST_F_TIMEOUT(session, survives_a_loop_of_it, 120)
{
	struct perf_event_attr clock = lwt_attr_cpu_clock(500000);
	pid_t pids[3];
	struct lwt_counts counts;
	struct lw_stats stats;
	unsigned int i;

	ASSERT_EQ(0, lwt_leave_out_ancestors(self->s.fd));
	ASSERT_EQ(0, add_getppid(self->s.fd));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &clock, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < 3; i++)
		pids[i] = busy();
	for (i = 0; i < 2 + 2 * lwt_sample(9, 3); i++) {
		ASSERT_EQ(0, set_online(i % 2));
		ASSERT_LE(0, lwt_read(&self->s, &self->log));
		if (i % 5 == 2) {
			ASSERT_EQ(0, lwt_disable(self->s.fd));
			ASSERT_EQ(0, lwt_enable(self->s.fd));
		}
	}
	ASSERT_TRUE(lwt_wait(hits_there(self->s.fd)));
	for (i = 0; i < 3; i++)
		lwt_end(pids[i]);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(lwt_wait(!lwt_stats(self->s.fd).pending));
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	stats = lwt_stats(self->s.fd);
	EXPECT_EQ(stats.requests - stats.shared,
		  stats.user_stacks + stats.lost_stacks);
	counts = lwt_log_check(&self->log);
	EXPECT_EQ(stats.user_stacks, counts.stacks);
	EXPECT_EQ(0, counts.twice);
	if (!stats.lost_full) {
		EXPECT_EQ(0, counts.orphans);
		EXPECT_EQ(0, counts.unasked);
	}
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
