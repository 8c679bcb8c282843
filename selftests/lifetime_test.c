// SPDX-License-Identifier: GPL-2.0
/*
 * lifetime_test.c - requests whose task, program or session is gone before the
 * answer: one answer or none, never a wrong one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define RING		(1 << 20)
#define NR_THREADS	2000

FIXTURE(session)
{
	struct lwt_session s;
	struct lwt_log log;
	int unblock[2];			/* a pipe that children read */
	int start[2];			/* one that lets a child begin */
	pid_t child;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	ASSERT_EQ(0, pipe2(self->unblock, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(self->start, O_CLOEXEC));
}

FIXTURE_TEARDOWN(session)
{
	if (self->child) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

/* A child that waits for begin(), in that very call, and does @work. */
static pid_t make_child(FIXTURE_DATA(session) *self,
			int (*work)(FIXTURE_DATA(session) *self))
{
	char byte;

	self->child = fork();
	if (self->child) {
		lwt_wait(lwt_sleeps(self->child));
		return self->child;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(&self->s);
	if (read(self->start[0], &byte, 1) != 1)
		_exit(1);
	_exit(work(self));
}

/* Hits of @tracepoint in the child are requests, from now on. */
static int trace(FIXTURE_DATA(session) *self, const char *tracepoint)
{
	struct perf_event_attr attr = lwt_attr_tracepoint(tracepoint);
	int ret;

	attr.inherit = 1;
	ret = lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, self->child,
			    NULL);
	return ret ?: lwt_enable(self->s.fd);
}

static int begin(FIXTURE_DATA(session) *self)
{
	return write(self->start[1], "x", 1) == 1 ? 0 : -errno;
}

/* Return: the child's exit status. */
static int reap(FIXTURE_DATA(session) *self)
{
	int status = -1;

	waitpid(self->child, &status, 0);
	self->child = 0;
	return status;
}

static bool pending(FIXTURE_DATA(session) *self, uint64_t nr)
{
	return lwt_stats(self->s.fd).pending == nr;
}

/* Return: are all answers there. */
static bool settle(FIXTURE_DATA(session) *self)
{
	return lwt_wait(pending(self, 0)) &&
	       lwt_read(&self->s, &self->log) >= 0;
}

/* Each sample has one stack: that is what a lifetime test is about. */
#define EXPECT_ONE_EACH(self)						\
do {									\
	struct lwt_counts lwt_c = lwt_log_check(&(self)->log);		\
									\
	EXPECT_EQ(0, lwt_c.malformed);					\
	EXPECT_EQ(0, lwt_c.orphans);					\
	EXPECT_EQ(0, lwt_c.twice);					\
	EXPECT_EQ(0, lwt_c.unasked);					\
	EXPECT_EQ(0, lwt_c.lost);					\
} while (0)

/* Blocks in read() until somebody writes or kills. */
static int block(FIXTURE_DATA(session) *self)
{
	uint64_t ip;
	char byte;

	return raw_syscall(SYS_read, self->unblock[0], (long)&byte, 1,
			   &ip) == 1 ? 0 : 2;
}

static bool wait_blocked(FIXTURE_DATA(session) *self)
{
	return lwt_wait(pending(self, 1) && lwt_sleeps(self->child));
}

TEST_F(session, answers_when_a_blocked_task_goes_on)
{
	struct lw_user_stack *stack;

	make_child(self, block);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(wait_blocked(self));
	ASSERT_EQ(1, lwt_read(&self->s, &self->log));
	EXPECT_EQ(LW_RECORD_SAMPLE, self->log.records[0].head->type);
	ASSERT_EQ(1, write(self->unblock[1], "x", 1));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	stack = lwt_first_stack(&self->log);
	ASSERT_NE(NULL, stack);
	EXPECT_LT(2, stack->nr);
}

/* Disabled meanwhile: the answer is still owed. */
TEST_F(session, answers_after_disable)
{
	make_child(self, block);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(wait_blocked(self));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	EXPECT_TRUE(pending(self, 1));
	ASSERT_EQ(1, write(self->unblock[1], "x", 1));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	EXPECT_EQ(1, lwt_count_stacks(&self->log, NULL));
}

TEST_F(session, answers_when_a_blocked_task_is_killed)
{
	struct lw_user_stack *stack;
	pid_t pid = make_child(self, block);

	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(wait_blocked(self));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(SIGKILL, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	ASSERT_EQ(1, lwt_count_stacks(&self->log, NULL));
	stack = lwt_first_stack(&self->log);
	EXPECT_EQ(pid, (pid_t)stack->pid);
	/* Where it can be walked in its exit, it is, to whatever end. */
	EXPECT_TRUE(lwt_walks_at_exit(self->s.fd) ? stack->nr > 0 :
		    stack->end == LW_END_STOPPED || stack->end == LW_END_EXITED)
		TH_LOG("end %u", stack->end);
}

static int leave(FIXTURE_DATA(session) *self)
{
	(void)self;
	syscall(SYS_exit_group, 3);
	return 0;
}

TEST_F(session, answers_when_the_task_exits_itself)
{
	struct lw_user_stack *stack;

	make_child(self, leave);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_exit_group"));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(3 << 8, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	stack = lwt_first_stack(&self->log);
	ASSERT_NE(NULL, stack);
	if (lwt_walks_at_exit(self->s.fd)) {
		EXPECT_NE(LW_END_EXITED, stack->end);
		EXPECT_LE(1, stack->nr);
		EXPECT_EQ(0, lwt_stats(self->s.fd).no_walks);
	} else {
		EXPECT_EQ(LW_END_EXITED, stack->end);
		EXPECT_EQ(0, stack->nr);
		EXPECT_EQ(1, lwt_stats(self->s.fd).no_walks);
	}
}

static void *fault_in_exit(void *page)
{
	syscall(SYS_set_tid_address, page);
	syscall(SYS_exit, 0);
	return NULL;
}

/* The kernel clears the thread id, where no page is yet, in the thread's exit. */
static int leave_with_a_fault(FIXTURE_DATA(session) *self)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there = 0;
	pthread_t thread;

	(void)self;
	if (pthread_create(&thread, NULL, fault_in_exit, page))
		return 1;
	return lwt_wait(mincore(page, 4096, &there) || there & 1) ? 0 : 1;
}

TEST_F(session, refuses_faults_of_tasks_that_are_exiting)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
	};
	pid_t pid = make_child(self, leave_with_a_fault);
	unsigned int found = 0;
	size_t i;

	/* A task's own events were seen to be gone by then. */
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		found += sample->record.type == LW_RECORD_SAMPLE &&
			 (pid_t)sample->pid == pid &&
			 sample->user == LW_USER_EXITING;
	}
	EXPECT_LE(1, found);
}

/* Deep in its exit there is nothing left to ask. */
TEST_F(session, refuses_tasks_that_are_exiting)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("sched/sched_process_exit");
	pid_t pid = make_child(self, leave);
	unsigned int found = 0;
	size_t i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(3 << 8, reap(self));
	ASSERT_TRUE(settle(self));
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE ||
		    (pid_t)sample->tid != pid)
			continue;
		found++;
		EXPECT_TRUE(sample->user == LW_USER_EXITING ||
			    sample->user == LW_USER_KTHREAD);
		EXPECT_EQ(0, sample->cookie.counter);
	}
	EXPECT_EQ(1, found);
}

static int exec(FIXTURE_DATA(session) *self)
{
	(void)self;
	execl("./exec_target", "exec_target", NULL);
	return 4;
}

TEST_F(session, does_not_answer_with_the_next_program)
{
	struct lw_user_stack *stack;

	make_child(self, exec);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_execve"));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	ASSERT_EQ(1, lwt_count_stacks(&self->log, NULL));
	stack = lwt_first_stack(&self->log);
	EXPECT_EQ(LW_END_EXEC, stack->end);
	EXPECT_EQ(0, stack->nr);
}

static int exec_nothing(FIXTURE_DATA(session) *self)
{
	(void)self;
	execl("/nonexistent", "nonexistent", NULL);
	return 5;
}

TEST_F(session, answers_after_an_exec_that_failed)
{
	struct lw_user_stack *stack;

	make_child(self, exec_nothing);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_execve"));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(5 << 8, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	ASSERT_EQ(1, lwt_count_stacks(&self->log, NULL));
	stack = lwt_first_stack(&self->log);
	EXPECT_NE(LW_END_EXEC, stack->end);
	EXPECT_LT(2, stack->nr);
}

static void *exec_here(void *arg)
{
	exec(arg);
	return arg;
}

/* The thread takes over the leader's id, and the leader dies of it. */
static int exec_in_thread(FIXTURE_DATA(session) *self)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_here, self))
		return 1;
	block(self);
	return 1;
}

TEST_F(session, answers_when_a_thread_execs)
{
	struct lw_user_stack *stack;
	size_t i, execs = 0;

	make_child(self, exec_in_thread);
	ASSERT_EQ(0, trace(self, "raw_syscalls/sys_enter"));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	for (i = 0; i < self->log.nr; i++) {
		stack = self->log.records[i].stack;
		if (stack->record.type != LW_RECORD_USER_STACK)
			continue;
		execs += stack->end == LW_END_EXEC;
	}
	EXPECT_EQ(1, execs);
}

static int fork_once(FIXTURE_DATA(session) *self)
{
	uint64_t ip;
	pid_t pid = raw_syscall(SYS_fork, 0, 0, 0, &ip);
	int status;

	(void)self;
	if (!pid) {
		syscall(SYS_getppid);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? 0 : 6;
}

/* The child is a copy; what its parent owes is not. */
TEST_F(session, does_not_answer_twice_after_fork)
{
	pid_t pid = make_child(self, fork_once);
	struct lw_user_stack *stack;

	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_fork"));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	ASSERT_EQ(1, lwt_count_stacks(&self->log, NULL));
	stack = lwt_first_stack(&self->log);
	EXPECT_EQ(pid, (pid_t)stack->tid);
	EXPECT_LT(2, stack->nr);
}

static void *ask_and_exit(void *arg)
{
	int i;

	for (i = 0; i < 3; i++)
		syscall(SYS_getppid);
	return arg;
}

static int exit_threads(FIXTURE_DATA(session) *self)
{
	pthread_t threads[20];
	int round, i;

	(void)self;
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 20; i++)
			if (pthread_create(&threads[i], NULL, ask_and_exit, NULL))
				return 1;
		for (i = 0; i < 20; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}

TEST_F(session, answers_for_threads_that_exit)
{
	make_child(self, exit_threads);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_getppid"));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	EXPECT_EQ(300, lwt_count_stacks(&self->log, NULL));
}

/* Every system call of threads that come and go, the last one too. */
TEST_F(session, answers_for_threads_to_their_end)
{
	make_child(self, exit_threads);
	ASSERT_EQ(0, trace(self, "raw_syscalls/sys_enter"));
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	/* Each thread's exit() at least, and the process's. */
	if (lwt_walks_at_exit(self->s.fd)) {
		EXPECT_EQ(0, lwt_stats(self->s.fd).no_walks);
	} else {
		EXPECT_LE(101, lwt_stats(self->s.fd).no_walks);
	}
}

static int crowd_fd;

static void *block_in_crowd(void *arg)
{
	char byte;

	syscall(SYS_read, crowd_fd, &byte, 1);
	return arg;
}

/* Threads that block in read() until the pipe's last writer is gone. */
static int block_crowd(FIXTURE_DATA(session) *self)
{
	static pthread_t threads[NR_THREADS];
	pthread_attr_t attr;
	int i;

	close(self->unblock[1]);
	crowd_fd = self->unblock[0];
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], &attr, block_in_crowd, NULL))
			return 1;
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void unblock_crowd(FIXTURE_DATA(session) *self)
{
	close(self->unblock[1]);
	self->unblock[1] = -1;
}

TEST_F_TIMEOUT(session, answers_a_crowd, 60)
{
	make_child(self, block_crowd);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(lwt_wait(lwt_read(&self->s, &self->log) < 0 ||
			     pending(self, NR_THREADS)));
	unblock_crowd(self);
	ASSERT_TRUE(lwt_wait(lwt_read(&self->s, &self->log) < 0 ||
			     pending(self, 0)));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	EXPECT_EQ(NR_THREADS, lwt_count_stacks(&self->log, NULL));
	EXPECT_EQ(0, lwt_stats(self->s.fd).refused_slots);
}

TEST_F_TIMEOUT(session, is_closed_with_a_crowd_pending, 60)
{
	struct lwt_session next;
	uint64_t begun;

	make_child(self, block_crowd);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(lwt_wait(pending(self, NR_THREADS)));
	begun = lwt_now();
	lwt_session_close(&self->s);
	EXPECT_GT(5000000000ULL, lwt_now() - begun);

	/* Whoever comes next, maybe in the same place, is owed nothing. */
	ASSERT_EQ(0, lwt_session_open(&next, RING, 0, 0));
	EXPECT_EQ(0, lwt_stats(next.fd).pending);
	unblock_crowd(self);
	EXPECT_EQ(0, reap(self));
	EXPECT_EQ(0, lwt_read(&next, &self->log));
	EXPECT_EQ(0, lwt_stats(next.fd).user_stacks);
	lwt_session_close(&next);
}

/* All places are taken over while a task of the old session is blocked. */
TEST_F(session, leaves_nothing_to_its_successor)
{
	struct lwt_session next[8];
	unsigned int i;

	make_child(self, block);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(wait_blocked(self));
	lwt_session_close(&self->s);
	for (i = 0; i < ARRAY_SIZE(next); i++) {
		ASSERT_EQ(0, lwt_session_open(&next[i], 8192, 0, 0));
		EXPECT_EQ(0, lwt_stats(next[i].fd).pending);
	}
	ASSERT_EQ(1, write(self->unblock[1], "x", 1));
	EXPECT_EQ(0, reap(self));
	for (i = 0; i < ARRAY_SIZE(next); i++) {
		EXPECT_EQ(0, lwt_read(&next[i], &self->log));
		EXPECT_EQ(0, lwt_stats(next[i].fd).user_stacks);
		lwt_session_close(&next[i]);
	}
}

/* The slot of the old session's request serves a new one's, in one entry. */
TEST_F(session, shares_a_blocked_task_with_its_successor)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_exit_read");
	struct lwt_session next;

	make_child(self, block);
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(wait_blocked(self));
	lwt_session_close(&self->s);
	ASSERT_EQ(0, lwt_session_open(&next, RING, 0, 0));
	ASSERT_EQ(0, lwt_add_event(next.fd, &attr, LW_TARGET_TASK, self->child,
				   NULL));
	ASSERT_EQ(0, lwt_enable(next.fd));
	ASSERT_EQ(1, write(self->unblock[1], "x", 1));
	EXPECT_EQ(0, reap(self));
	ASSERT_EQ(2, lwt_read(&next, &self->log));
	EXPECT_ONE_EACH(self);
	lwt_session_close(&next);
}

/* Of two sessions that asked, one is closed: the other is answered. */
TEST_F(session, is_answered_though_another_was_closed)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_read");
	struct lwt_session other;

	make_child(self, block);
	ASSERT_EQ(0, lwt_session_open(&other, RING, 0, 0));
	ASSERT_EQ(0, lwt_add_event(other.fd, &attr, LW_TARGET_TASK, self->child,
				   NULL));
	ASSERT_EQ(0, lwt_enable(other.fd));
	ASSERT_EQ(0, trace(self, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(wait_blocked(self));
	lwt_session_close(&other);
	EXPECT_TRUE(pending(self, 1));
	ASSERT_EQ(1, write(self->unblock[1], "x", 1));
	EXPECT_EQ(0, reap(self));
	ASSERT_TRUE(settle(self));
	EXPECT_ONE_EACH(self);
	EXPECT_EQ(1, lwt_count_stacks(&self->log, NULL));
}

/* A tracer that is killed leaves a task that does not notice. */
TEST_F(session, is_released_when_the_tracer_is_killed)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_read");
	int ready[2], fds[64], i;
	pid_t tracer;
	char byte;

	lwt_session_close(&self->s);
	ASSERT_EQ(0, pipe(ready));
	make_child(self, block);
	tracer = fork();
	ASSERT_LE(0, tracer);
	if (!tracer) {
		struct lwt_session s;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (lwt_session_open(&s, RING, 0, 0) ||
		    lwt_add_event(s.fd, &attr, LW_TARGET_TASK, self->child,
				  NULL) ||
		    lwt_enable(s.fd) || begin(self) ||
		    !lwt_wait(lwt_stats(s.fd).pending == 1) ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	ASSERT_EQ(0, kill(tracer, SIGKILL));
	ASSERT_EQ(tracer, waitpid(tracer, NULL, 0));
	for (i = 0; i < 64; i++) {
		fds[i] = lwt_open();
		EXPECT_LE(0, fds[i]);
	}
	for (i = 0; i < 64; i++)
		close(fds[i]);
	ASSERT_EQ(1, write(self->unblock[1], "x", 1));
	EXPECT_EQ(0, reap(self));
}

/* Events go on while the session that has them is closed. */
TEST_F_TIMEOUT(session, is_closed_under_load, 60)
{
	struct perf_event_attr clock = lwt_attr_cpu_clock(1000000);
	struct perf_event_attr calls =
		lwt_attr_tracepoint("raw_syscalls/sys_enter");
	int i;

	self->child = fork();
	if (!self->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		lwt_session_forget(&self->s);
		for (;;) {
			syscall(SYS_getppid);
			sched_yield();
		}
	}
	lwt_session_close(&self->s);
	for (i = 0; i < 15; i++) {
		ASSERT_EQ(0, lwt_session_open(&self->s, 65536, 0, 16));
		ASSERT_EQ(0, lwt_add_event(self->s.fd, &clock, LW_TARGET_CPUS,
					   0, NULL));
		ASSERT_EQ(0, lwt_add_event(self->s.fd, &calls, LW_TARGET_CPUS,
					   0, NULL));
		ASSERT_EQ(0, lwt_enable(self->s.fd));
		ASSERT_TRUE(lwt_wait(lwt_stats(self->s.fd).samples > 20));
		lwt_session_close(&self->s);
	}
	EXPECT_EQ(0, lwt_tainted());
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
