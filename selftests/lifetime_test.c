// SPDX-License-Identifier: GPL-2.0
/*
 * lifetime_test.c - requests whose task, program or session is gone before the
 * answer: one answer or none, never a wrong one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define RING		(1 << 20)
/* A crowd. */
#define MOST_THREADS	2000
#define NR_THREADS	((int)lwt_sample(MOST_THREADS, 300))

FIXTURE(session)
{
	struct child c;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, child_init(&self->c));
}

FIXTURE_TEARDOWN(session)
{
	child_free(&self->c);
}

TEST_F(session, answers_when_a_blocked_task_goes_on)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;

	ASSERT_EQ(0, child_run(c, child_block, "syscalls/sys_enter_read"));
	ASSERT_TRUE(child_blocks(c, CHILD_ASLEEP));
	ASSERT_EQ(1, lwt_read(&c->s, &c->log));
	EXPECT_EQ(LW_RECORD_SAMPLE, c->log.records[0].head->type);
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_END(0, c);
	stack = lwt_first_stack(&c->log);
	ASSERT_NE(NULL, stack);
	EXPECT_LT(2, stack->nr);
}

/* Disabled meanwhile: the answer is still owed. */
TEST_F(session, answers_after_disable)
{
	struct child *c = &self->c;

	ASSERT_EQ(0, child_run(c, child_block, "syscalls/sys_enter_read"));
	ASSERT_TRUE(child_blocks(c, CHILD_ASLEEP));
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	EXPECT_TRUE(child_pending(c, 1));
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_END(0, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
}

TEST_F(session, answers_when_a_blocked_task_is_killed)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;
	pid_t pid;

	ASSERT_EQ(0, child_run(c, child_block, "syscalls/sys_enter_read"));
	ASSERT_TRUE(child_blocks(c, CHILD_ASLEEP));
	pid = c->pid;
	ASSERT_EQ(0, kill(pid, SIGKILL));
	EXPECT_END(SIGKILL, c);
	ASSERT_EQ(1, lwt_count_stacks(&c->log, NULL));
	stack = lwt_first_stack(&c->log);
	EXPECT_EQ(pid, (pid_t)stack->pid);
	/* Where it can be walked in its exit, it is, to whatever end. */
	EXPECT_TRUE(lwt_walks_at_exit(c->s.fd) ? stack->nr > 0 :
		    stack->end == LW_END_STOPPED || stack->end == LW_END_EXITED)
		TH_LOG("end %u", stack->end);
}

static int leave(struct child *c)
{
	(void)c;
	syscall(SYS_exit_group, 3);
	return 0;
}

TEST_F(session, answers_when_the_task_exits_itself)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;

	ASSERT_EQ(0, child_run(c, leave, "syscalls/sys_enter_exit_group"));
	EXPECT_END(3 << 8, c);
	stack = lwt_first_stack(&c->log);
	ASSERT_NE(NULL, stack);
	if (lwt_walks_at_exit(c->s.fd)) {
		EXPECT_NE(LW_END_EXITED, stack->end);
		EXPECT_LE(1, stack->nr);
		EXPECT_EQ(0, lwt_stats(c->s.fd).no_walks);
	} else {
		EXPECT_EQ(LW_END_EXITED, stack->end);
		EXPECT_EQ(0, stack->nr);
		EXPECT_EQ(1, lwt_stats(c->s.fd).no_walks);
	}
}

static void *fault_in_exit(void *page)
{
	syscall(SYS_set_tid_address, page);
	syscall(SYS_exit, 0);
	return NULL;
}

/* The kernel clears the thread id, where no page is yet, in the thread's exit. */
static int leave_with_a_fault(struct child *c)
{
	void *page = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there = 0;
	pthread_t thread;

	(void)c;
	if (pthread_create(&thread, NULL, fault_in_exit, page))
		return 1;
	return lwt_wait(mincore(page, lwt_page(), &there) || there & 1) ? 0 : 1;
}

TEST_F(session, refuses_faults_of_tasks_that_are_exiting)
{
	struct child *c = &self->c;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
	};
	unsigned int found = 0;
	pid_t pid;
	size_t i;

	child_make(c, leave_with_a_fault);
	pid = c->pid;
	/* A task's own events were seen to be gone by then; others would sleep, and owe. */
	ASSERT_EQ(0, lwt_only(c->s.fd, pid, 0));
	ASSERT_EQ(0, lwt_add_event(c->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(0, child_begin(c));
	EXPECT_EQ(0, child_reap(c));
	ASSERT_TRUE(child_settle(c));
	EXPECT_ONE_EACH(&c->log);
	for (i = 0; i < c->log.nr; i++) {
		const struct lw_sample *sample = c->log.records[i].sample;

		found += sample->record.type == LW_RECORD_SAMPLE &&
			 (pid_t)sample->pid == pid &&
			 sample->user == LW_USER_EXITING;
	}
	EXPECT_LE(1, found);
}

/* Deep in its exit there is nothing left to ask. */
TEST_F(session, refuses_tasks_that_are_exiting)
{
	struct child *c = &self->c;
	struct perf_event_attr attr =
		lwt_attr_tracepoint("sched/sched_process_exit");
	unsigned int found = 0;
	pid_t pid;
	size_t i;

	child_make(c, leave);
	pid = c->pid;
	ASSERT_EQ(0, lwt_add_event(c->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(0, child_begin(c));
	EXPECT_EQ(3 << 8, child_reap(c));
	ASSERT_TRUE(child_settle(c));
	for (i = 0; i < c->log.nr; i++) {
		const struct lw_sample *sample = c->log.records[i].sample;

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

static int exec(struct child *c)
{
	(void)c;
	execl("./exec_target", "exec_target", NULL);
	return 4;
}

TEST_F(session, does_not_answer_with_the_next_program)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;

	ASSERT_EQ(0, child_run(c, exec, "syscalls/sys_enter_execve"));
	EXPECT_END(0, c);
	ASSERT_EQ(1, lwt_count_stacks(&c->log, NULL));
	stack = lwt_first_stack(&c->log);
	EXPECT_EQ(LW_END_EXEC, stack->end);
	EXPECT_EQ(0, stack->nr);
}

static int exec_nothing(struct child *c)
{
	(void)c;
	execl("/nonexistent", "nonexistent", NULL);
	return 5;
}

TEST_F(session, answers_after_an_exec_that_failed)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;

	ASSERT_EQ(0, child_run(c, exec_nothing, "syscalls/sys_enter_execve"));
	EXPECT_END(5 << 8, c);
	ASSERT_EQ(1, lwt_count_stacks(&c->log, NULL));
	stack = lwt_first_stack(&c->log);
	EXPECT_NE(LW_END_EXEC, stack->end);
	/* On s390x libc's functions have frames that only a table can tell. */
#if defined(__s390x__)
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
#else
	EXPECT_LT(2, stack->nr);
#endif
}

static void *exec_here(void *arg)
{
	exec(arg);
	return arg;
}

/* The thread takes over the leader's id, and the leader dies of it. */
static int exec_in_thread(struct child *c)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_here, c))
		return 1;
	child_block(c);
	return 1;
}

TEST_F(session, answers_when_a_thread_execs)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;
	size_t i, execs = 0;

	ASSERT_EQ(0, child_run(c, exec_in_thread, "raw_syscalls/sys_enter"));
	EXPECT_END(0, c);
	for (i = 0; i < c->log.nr; i++) {
		stack = c->log.records[i].stack;
		if (stack->record.type != LW_RECORD_USER_STACK)
			continue;
		execs += stack->end == LW_END_EXEC;
	}
	EXPECT_EQ(1, execs);
}

static int fork_once(struct child *c)
{
	uint64_t ip;
	pid_t pid = raw_syscall(RAW_FORK, RAW_FORK_FLAGS, 0, 0, &ip);
	int status;

	(void)c;
	if (!pid) {
		syscall(SYS_getppid);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? 0 : 6;
}

/* The child is a copy; what its parent owes is not. */
TEST_F(session, does_not_answer_twice_after_fork)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;
	pid_t pid;

	ASSERT_EQ(0, child_run(c, fork_once, "syscalls/sys_enter_" RAW_FORK_NAME));
	pid = c->pid;
	EXPECT_END(0, c);
	ASSERT_EQ(1, lwt_count_stacks(&c->log, NULL));
	stack = lwt_first_stack(&c->log);
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

static int exit_threads(struct child *c)
{
	pthread_t threads[20];
	int round, i;

	(void)c;
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
	struct child *c = &self->c;

	ASSERT_EQ(0, child_run(c, exit_threads, "syscalls/sys_enter_getppid"));
	EXPECT_END(0, c);
	EXPECT_EQ(300, lwt_count_stacks(&c->log, NULL));
}

/* Every system call of threads that come and go, the last one too. */
TEST_F(session, answers_for_threads_to_their_end)
{
	struct child *c = &self->c;

	ASSERT_EQ(0, child_run(c, exit_threads, "raw_syscalls/sys_enter"));
	EXPECT_END(0, c);
	/* Each thread's exit() at least, and the process's. */
	if (lwt_walks_at_exit(c->s.fd)) {
		EXPECT_EQ(0, lwt_stats(c->s.fd).no_walks);
	} else {
		EXPECT_LE(101, lwt_stats(c->s.fd).no_walks);
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
static int block_crowd(struct child *c)
{
	static pthread_t threads[MOST_THREADS];
	pthread_attr_t attr;
	int i;

	crowd_fd = c->unblock[0];
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], &attr, block_in_crowd, NULL))
			return 1;
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void unblock_crowd(struct child *c)
{
	close(c->unblock[1]);
	c->unblock[1] = -1;
}

TEST_F_TIMEOUT(session, answers_a_crowd, 60)
{
	struct child *c = &self->c;

	ASSERT_EQ(0, child_run(c, block_crowd, "syscalls/sys_enter_read"));
	ASSERT_TRUE(lwt_wait(lwt_read(&c->s, &c->log) < 0 ||
			     child_pending(c, NR_THREADS)));
	unblock_crowd(c);
	ASSERT_TRUE(lwt_wait(lwt_read(&c->s, &c->log) < 0 ||
			     child_pending(c, 0)));
	EXPECT_END(0, c);
	EXPECT_EQ(NR_THREADS, lwt_count_stacks(&c->log, NULL));
	EXPECT_EQ(0, lwt_stats(c->s.fd).refused_slots);
}

TEST_F_TIMEOUT(session, is_closed_with_a_crowd_pending, 60)
{
	struct child *c = &self->c;
	struct lwt_session next;

	ASSERT_EQ(0, child_run(c, block_crowd, "syscalls/sys_enter_read"));
	ASSERT_TRUE(lwt_wait(child_pending(c, NR_THREADS)));
	/* Closing waits for nobody of the crowd: they are unblocked behind it. */
	lwt_session_close(&c->s);

	/* Whoever comes next, maybe in the same place, is owed nothing. */
	ASSERT_EQ(0, lwt_session_open(&next, RING, 0, 0));
	EXPECT_EQ(0, lwt_stats(next.fd).pending);
	unblock_crowd(c);
	EXPECT_EQ(0, child_reap(c));
	EXPECT_EQ(0, lwt_read(&next, &c->log));
	EXPECT_EQ(0, lwt_stats(next.fd).user_stacks);
	lwt_session_close(&next);
}

/* All places are taken over while a task of the old session is blocked. */
TEST_F(session, leaves_nothing_to_its_successor)
{
	struct child *c = &self->c;
	struct lwt_session next[8];
	unsigned int i;

	ASSERT_EQ(0, child_run(c, child_block, "syscalls/sys_enter_read"));
	ASSERT_TRUE(child_blocks(c, CHILD_ASLEEP));
	lwt_session_close(&c->s);
	for (i = 0; i < ARRAY_SIZE(next); i++) {
		ASSERT_EQ(0, lwt_session_open(&next[i], 2 * lwt_page(), 0, 0));
		EXPECT_EQ(0, lwt_stats(next[i].fd).pending);
	}
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_EQ(0, child_reap(c));
	for (i = 0; i < ARRAY_SIZE(next); i++) {
		EXPECT_EQ(0, lwt_read(&next[i], &c->log));
		EXPECT_EQ(0, lwt_stats(next[i].fd).user_stacks);
		lwt_session_close(&next[i]);
	}
}

/* The slot of the old session's request serves a new one's, in one entry. */
TEST_F(session, shares_a_blocked_task_with_its_successor)
{
	struct child *c = &self->c;
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_exit_read");
	struct lwt_session next;

	ASSERT_EQ(0, child_run(c, child_block, "syscalls/sys_enter_read"));
	ASSERT_TRUE(child_blocks(c, CHILD_ASLEEP));
	lwt_session_close(&c->s);
	ASSERT_EQ(0, lwt_session_open(&next, RING, 0, 0));
	ASSERT_EQ(0, lwt_add_event(next.fd, &attr, LW_TARGET_TASK, c->pid,
				   NULL));
	ASSERT_EQ(0, lwt_enable(next.fd));
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_EQ(0, child_reap(c));
	ASSERT_EQ(2, lwt_read(&next, &c->log));
	EXPECT_ONE_EACH(&c->log);
	lwt_session_close(&next);
}

/* Of two sessions that asked, one is closed: the other is answered. */
TEST_F(session, is_answered_though_another_was_closed)
{
	struct child *c = &self->c;
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_read");
	struct lwt_session other;

	child_make(c, child_block);
	ASSERT_EQ(0, lwt_session_open(&other, RING, 0, 0));
	ASSERT_EQ(0, lwt_add_event(other.fd, &attr, LW_TARGET_TASK, c->pid,
				   NULL));
	ASSERT_EQ(0, lwt_enable(other.fd));
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_TRUE(child_blocks(c, CHILD_ASLEEP));
	lwt_session_close(&other);
	EXPECT_TRUE(child_pending(c, 1));
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_END(0, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
}

/* A tracer that is killed leaves a task that does not notice. */
TEST_F(session, is_released_when_the_tracer_is_killed)
{
	struct child *c = &self->c;
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_read");
	int ready[2], fds[64], i;
	pid_t tracer;
	char byte;

	lwt_session_close(&c->s);
	ASSERT_EQ(0, pipe(ready));
	child_make(c, child_block);
	tracer = fork();
	ASSERT_LE(0, tracer);
	if (!tracer) {
		struct lwt_session s;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (lwt_session_open(&s, RING, 0, 0) ||
		    lwt_add_event(s.fd, &attr, LW_TARGET_TASK, c->pid,
				  NULL) ||
		    lwt_enable(s.fd) || child_begin(c) ||
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
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_EQ(0, child_reap(c));
}

/* Events go on while the session that has them is closed. */
TEST_F_TIMEOUT(session, is_closed_under_load, 60)
{
	struct child *c = &self->c;
	struct perf_event_attr clock = lwt_attr_cpu_clock(1000000);
	struct perf_event_attr calls =
		lwt_attr_tracepoint("raw_syscalls/sys_enter");
	int i;

	c->pid = fork();
	if (!c->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		lwt_session_forget(&c->s);
		for (;;) {
			syscall(SYS_getppid);
			sched_yield();
		}
	}
	ASSERT_LT(0, c->pid);
	lwt_session_close(&c->s);
	for (i = 0; i < (int)lwt_sample(15, 4); i++) {
		ASSERT_EQ(0, lwt_session_open(&c->s, 65536, 0, 16));
		ASSERT_EQ(0, lwt_add_event(c->s.fd, &clock, LW_TARGET_CPUS,
					   0, NULL));
		ASSERT_EQ(0, lwt_add_event(c->s.fd, &calls, LW_TARGET_CPUS,
					   0, NULL));
		ASSERT_EQ(0, lwt_enable(c->s.fd));
		ASSERT_TRUE(lwt_wait(lwt_stats(c->s.fd).samples > 20));
		lwt_session_close(&c->s);
	}
	EXPECT_EQ(0, lwt_tainted());
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
