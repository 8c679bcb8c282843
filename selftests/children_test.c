// SPDX-License-Identifier: GPL-2.0
/*
 * children_test.c - a filter of processes that names what they start, too.
 *
 * Who is seen is known by its getppid() calls, whose first argument, which that
 * call does not look at, is a mark.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/calls.h"
#include "kselftest_harness.h"

#define RING	(1 << 20)
/* In the first argument, which a call that has none does not have by chance. */
#define MAGIC	0x4c57000000000000UL
#define MARKS	4096
/* So many that the dead are found in most places where a new one belongs. */
#define MANY	lwt_sample(2000, 500)
#define LIVING	20

FIXTURE(children)
{
	struct calls c;
	int go[2];
	pid_t pid;
	unsigned int marks[MARKS];
};

FIXTURE_SETUP(children)
{
	ASSERT_EQ(0, calls_open(&self->c, RING));
	ASSERT_EQ(0, calls_add(&self->c, SYS_getppid, LW_SYSCALL_ENTRY, NULL, 0, NULL));
	ASSERT_EQ(0, pipe(self->go));
}

FIXTURE_TEARDOWN(children)
{
	close(self->go[0]);
	close(self->go[1]);
	calls_close(&self->c);
	EXPECT_EQ(0, lwt_tainted());
}

static void mark(unsigned int nr)
{
	syscall(SYS_getppid, MAGIC + nr);
}

static void finish(pid_t pid)
{
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

/* A process that waits for go(), does @work and ends. */
static pid_t begin(FIXTURE_DATA(children) *self, void (*work)(void))
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(&self->c.s);
	if (read(self->go[0], &byte, 1) != 1)
		_exit(1);
	work();
	_exit(0);
}

static int go(FIXTURE_DATA(children) *self)
{
	return write(self->go[1], "x", 1) == 1 ? 0 : -errno;
}

/* Return: how often which mark was seen, or NULL. */
static unsigned int *marks(FIXTURE_DATA(children) *self)
{
	struct calls *c = &self->c;
	size_t i;

	if (lwt_read(&c->s, &c->log) < 0)
		return NULL;
	for (i = 0; i < c->log.nr; i++) {
		struct lw_syscall *r = c->log.records[i].call;

		if (r->record.type == LW_RECORD_SYSCALL && r->args[0] - MAGIC < MARKS)
			self->marks[r->args[0] - MAGIC]++;
	}
	return self->marks;
}

static void *mark_in_thread(void *arg)
{
	mark((unsigned long)arg);
	return NULL;
}

static pid_t clone_as(unsigned long flags)
{
#if defined(__s390x__)
	return syscall(SYS_clone, NULL, flags, NULL, NULL, NULL);
#else
	return syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
#endif
}

static void family(void)
{
	pthread_t thread;
	pid_t child, grandchild;

	mark(1);
	child = fork();
	if (!child) {
		mark(2);
		grandchild = fork();
		if (!grandchild) {
			mark(3);
			_exit(0);
		}
		finish(grandchild);
		pthread_create(&thread, NULL, mark_in_thread, (void *)4);
		pthread_join(thread, NULL);
		_exit(0);
	}
	finish(child);
	child = clone_as(CLONE_VFORK | SIGCHLD);
	if (!child) {
		mark(5);
		_exit(0);
	}
	finish(child);
	/* Its parent is the test; who has started it counts. */
	child = clone_as(CLONE_PARENT | SIGCHLD);
	if (!child) {
		mark(6);
		_exit(0);
	}
	pthread_create(&thread, NULL, mark_in_thread, (void *)7);
	pthread_join(thread, NULL);
	mark(8);
}

/* The family does its work, named with @flags, and we mark 9. */
static int run_family(FIXTURE_DATA(children) *self, uint32_t flags)
{
	int ret;

	self->pid = begin(self, family);
	ret = calls_name(&self->c, self->pid, flags) ?: lwt_enable(self->c.s.fd);
	if (ret)
		return ret;
	mark(9);
	ret = go(self);
	finish(self->pid);
	/* That of CLONE_PARENT. */
	finish(-1);
	return ret;
}

TEST_F(children, of_a_named_process_are_named)
{
	unsigned int *seen, i;

	ASSERT_EQ(0, run_family(self, LW_FILTER_CHILDREN));
	ASSERT_EQ(0, lwt_disable(self->c.s.fd));
	seen = marks(self);
	ASSERT_NE(NULL, seen);
	for (i = 1; i <= 8; i++)
		EXPECT_EQ(1, seen[i])
			TH_LOG("mark %u", i);
	EXPECT_EQ(0, seen[9]);
	EXPECT_EQ(0, lwt_stats(self->c.s.fd).missing_children);
}

TEST_F(children, are_not_named_if_nobody_says_so)
{
	unsigned int *seen, i;

	ASSERT_EQ(0, run_family(self, 0));
	seen = marks(self);
	ASSERT_NE(NULL, seen);
	for (i = 1; i <= 8; i++)
		EXPECT_EQ(i == 1 || i >= 7, seen[i])
			TH_LOG("mark %u", i);
}

TEST_F(children, can_be_left_out)
{
	unsigned int *seen, i;

	ASSERT_EQ(0, run_family(self, LW_FILTER_CHILDREN | LW_FILTER_INVERT));
	seen = marks(self);
	ASSERT_NE(NULL, seen);
	for (i = 1; i <= 8; i++)
		EXPECT_EQ(0, seen[i])
			TH_LOG("mark %u", i);
	EXPECT_EQ(1, seen[9]);
}

/* Two sets at a time, and those that were there before. */
TEST_F(children, that_were_there_before_are_not_named)
{
	struct calls other;
	unsigned int *seen;
	pid_t before = begin(self, family);

	ASSERT_EQ(0, calls_open(&other, RING));
	ASSERT_EQ(0, calls_name(&other, before, LW_FILTER_CHILDREN));
	ASSERT_EQ(0, calls_name(&self->c, getpid(), LW_FILTER_CHILDREN));
	ASSERT_EQ(0, lwt_enable(self->c.s.fd));
	mark(9);
	calls_close(&other);
	ASSERT_EQ(0, go(self));
	finish(before);
	finish(-1);
	if (!fork()) {
		mark(10);
		_exit(0);
	}
	finish(-1);
	seen = marks(self);
	ASSERT_NE(NULL, seen);
	EXPECT_EQ(0, seen[1]);
	EXPECT_EQ(0, seen[2]);
	EXPECT_EQ(1, seen[9]);
	EXPECT_EQ(1, seen[10]);
}

/* A process; that it borrows its parent's memory makes it cheap. */
static __attribute__((noinline)) pid_t start_marked(unsigned int nr)
{
	pid_t pid = vfork();

	if (!pid) {
		mark(nr);
		_exit(0);
	}
	return pid;
}

/* One that lives until nobody can write to @pipe any more. */
static pid_t start_living(const int *pipe, unsigned int nr)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(pipe[1]);
	if (!read(pipe[0], &byte, 1))
		mark(nr);
	_exit(0);
}

static void many(void)
{
	unsigned int i;
	int fds[2];

	if (pipe(fds))
		return;
	for (i = 1; i <= LIVING; i++)
		start_living(fds, MANY + i);
	for (i = 1; i <= MANY; i++)
		finish(start_marked(i));
	close(fds[1]);
	for (i = 1; i <= LIVING; i++)
		finish(-1);
}

/* The dead make room, and those who live keep theirs. */
TEST_F_TIMEOUT(children, may_be_many, 100)
{
	unsigned int *seen, i;

	self->pid = begin(self, many);
	ASSERT_EQ(0, calls_name(&self->c, self->pid, LW_FILTER_CHILDREN));
	ASSERT_EQ(0, lwt_enable(self->c.s.fd));
	ASSERT_EQ(0, go(self));
	finish(self->pid);
	seen = marks(self);
	ASSERT_NE(NULL, seen);
	for (i = 1; i <= MANY + LIVING && seen[i] == 1; i++)
		;
	EXPECT_EQ(MANY + LIVING + 1, i);
	EXPECT_EQ(0, lwt_stats(self->c.s.fd).missing_children);
}

TEST_F(children, are_those_of_processes)
{
	struct lw_filter filter = {
		.size = sizeof(filter),
		.flags = LW_FILTER_CHILDREN,
		.kind = LW_FILTER_CGROUP,
	};

	EXPECT_EQ(-EINVAL, lwt_ioctl(self->c.s.fd, LW_IOC_FILTER, &filter));
	filter.kind = LW_FILTER_NONE;
	EXPECT_EQ(-EINVAL, lwt_ioctl(self->c.s.fd, LW_IOC_FILTER, &filter));
	filter.flags = 4;
	EXPECT_EQ(-EINVAL, lwt_ioctl(self->c.s.fd, LW_IOC_FILTER, &filter));
}

TEST_HARNESS_MAIN
