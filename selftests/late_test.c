// SPDX-License-Identifier: GPL-2.0
/*
 * late_test.c - what ends while a walk waits for a page that does not come: the
 * session, its tracer, the task.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/missing.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define PAGE	lwt_page()

/**
 * struct late - a stack that is not there, and what it will be
 * @stack: its page; the topmost frame's return address is its first word
 * @words: those that the page begins with, the rest is 0
 */
struct late {
	struct missing stack;
	uint64_t words[2];
};

/* Makes that call, on that stack. */
static long late_call(struct late *late, long nr, long a, long b, long c)
{
	struct raw_regs regs = {
		.nr = nr,
		.a = a,
		.b = b,
		.c = c,
		.sp = (uintptr_t)late->stack.page,
	};

	return raw_hostile_sframe(&regs);
}

FIXTURE(late)
{
	struct child c;
	struct late *late;
	struct lw_request request;
	pthread_t thread;
	long ret;
};

FIXTURE_SETUP(late)
{
	ASSERT_EQ(0, child_init(&self->c));
	self->late = mmap(NULL, sizeof(*self->late), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->late);
	/* A caller, and nothing above it. */
	self->late->words[0] = (uintptr_t)raw_hostile_sframe_ip;
	self->late->words[1] = 0;
	self->request.size = sizeof(self->request);
	self->request.flags = LW_REQUEST_SAMPLE;
}

FIXTURE_TEARDOWN(late)
{
	child_free(&self->c);
}

static void *ask(void *arg)
{
	FIXTURE_DATA(late) *self = arg;

	self->ret = late_call(self->late, SYS_ioctl, self->c.s.fd,
			      LW_IOC_REQUEST, (long)&self->request);
	return NULL;
}

/* A thread that is in the middle of its walk.  Return: 0 or -1. */
static int start_thread(FIXTURE_DATA(late) *self)
{
	return missing_init(&self->late->stack) ||
	       pthread_create(&self->thread, NULL, ask, self) ||
	       !missing_is_waited_for(&self->late->stack) ? -1 : 0;
}

static int end_thread(FIXTURE_DATA(late) *self)
{
	struct late *late = self->late;

	return missing_bring(&late->stack, late->words, sizeof(late->words)) ||
	       pthread_join(self->thread, NULL) ? -1 : 0;
}

#define EXPECT_BOTH_FRAMES(stack)					\
do {									\
	ASSERT_NE(NULL, stack);						\
	ASSERT_EQ(2, (stack)->nr);					\
	EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, (stack)->frames[0]); \
	EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, (stack)->frames[1]); \
	EXPECT_EQ(LW_END_OUTERMOST, (stack)->end);			\
} while (0)

TEST_F(late, goes_on_when_the_page_comes)
{
	ASSERT_EQ(0, start_thread(self));
	EXPECT_TRUE(child_pending(&self->c, 1));
	EXPECT_EQ(1, lwt_read(&self->c.s, &self->c.log));
	ASSERT_EQ(0, end_thread(self));
	EXPECT_EQ(0, self->ret);
	ASSERT_TRUE(child_settle(&self->c));
	EXPECT_BALANCE(&self->c);
	EXPECT_BOTH_FRAMES(lwt_first_stack(&self->c.log));
}

/* By another thread; whoever comes next gets nothing of it. */
TEST_F(late, loses_its_session)
{
	struct lwt_session next;

	ASSERT_EQ(0, start_thread(self));
	/* The page comes behind that, so what would wait for it would never return. */
	lwt_session_close(&self->c.s);
	ASSERT_EQ(0, lwt_session_open(&next, 2 * PAGE, 0, 0));
	EXPECT_EQ(0, lwt_stats(next.fd).pending);
	ASSERT_EQ(0, end_thread(self));
	EXPECT_EQ(0, self->ret);
	EXPECT_EQ(0, lwt_read(&next, &self->c.log));
	EXPECT_EQ(0, lwt_stats(next.fd).user_stacks);
	lwt_session_close(&next);
}

/* Both had asked for that walk; it goes on for the other. */
TEST_F(late, loses_one_session_of_two)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("syscalls/sys_enter_ioctl");
	struct lwt_session other;

	ASSERT_EQ(0, lwt_session_open(&other, 1 << 16, 0, 0));
	attr.inherit = 1;
	ASSERT_EQ(0, lwt_add_event(other.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(other.fd));
	ASSERT_EQ(0, start_thread(self));
	EXPECT_TRUE(child_pending(&self->c, 1));
	EXPECT_LE(1, lwt_stats(other.fd).pending);
	lwt_session_close(&other);
	ASSERT_EQ(0, end_thread(self));
	/* The other one was first. */
	EXPECT_EQ(1, self->ret);
	ASSERT_TRUE(child_settle(&self->c));
	EXPECT_BALANCE(&self->c);
	EXPECT_BOTH_FRAMES(lwt_first_stack(&self->c.log));
}

/**
 * struct asker - a thread that is in its walk, and who asked for that
 * @late: its stack
 * @s: the session
 * @request: its
 * @thread: the thread
 * @ret: what it got
 */
struct asker {
	struct late *late;
	struct lwt_session s;
	struct lw_request request;
	pthread_t thread;
	long ret;
};

static void *ask_for(void *arg)
{
	struct asker *asker = arg;

	asker->ret = late_call(asker->late, SYS_ioctl, asker->s.fd,
			       LW_IOC_REQUEST, (long)&asker->request);
	return NULL;
}

/*
 * More sessions than there can be at once, each with a thread in its walk when it is closed.
 * Who comes after them is not taken for one of them by the walk that goes on, though it asks
 * for the stack of that task in the middle of it.
 */
TEST_F_TIMEOUT(late, keeps_nobody_out, 60)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("sched/sched_switch");
	struct asker askers[64];
	struct child *c = &self->c;
	unsigned int i;

	lwt_session_close(&c->s);
	ASSERT_EQ(0, missing_init(&self->late->stack));
	for (i = 0; i < ARRAY_SIZE(askers); i++) {
		askers[i] = (struct asker) { .late = self->late, .request = self->request };
		ASSERT_EQ(0, lwt_session_open(&askers[i].s, 2 * PAGE, 0, 0));
		ASSERT_EQ(0, pthread_create(&askers[i].thread, NULL, ask_for, &askers[i]));
		ASSERT_TRUE(missing_is_waited_for(&self->late->stack));
		lwt_session_close(&askers[i].s);
	}
	ASSERT_EQ(0, lwt_session_open(&c->s, 1 << 16, 0, 0));
	ASSERT_EQ(0, lwt_only(c->s.fd, getpid(), 0));
	ASSERT_EQ(0, lwt_add_event(c->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	/* They look, and sleep again. */
	ASSERT_EQ(0, missing_wake(&self->late->stack));
	for (i = 0; i < ARRAY_SIZE(askers); i++)
		ASSERT_TRUE(missing_is_waited_for(&self->late->stack));
	EXPECT_TRUE(lwt_wait(lwt_stats(c->s.fd).pending >= ARRAY_SIZE(askers)));
	ASSERT_EQ(0, missing_bring(&self->late->stack, self->late->words,
				   sizeof(self->late->words)));
	for (i = 0; i < ARRAY_SIZE(askers); i++) {
		ASSERT_EQ(0, pthread_join(askers[i].thread, NULL));
		EXPECT_EQ(0, askers[i].ret);
	}
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_TRUE(child_settle(c));
	EXPECT_LE(ARRAY_SIZE(askers), lwt_stats(c->s.fd).user_stacks);
	EXPECT_BALANCE(c);
}

static struct late *the_late;

static int walk_to_nowhere(struct child *c)
{
	(void)c;
	if (missing_init(&the_late->stack))
		return 1;
	late_call(the_late, SYS_getppid, 0, 0, 0);
	return 0;
}

TEST_F(late, is_killed)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;

	the_late = self->late;
	ASSERT_EQ(0, child_run(c, walk_to_nowhere, "syscalls/sys_enter_getppid"));
	/* Its walk waits, and so does the task: nobody will bring the page. */
	ASSERT_TRUE(child_blocks(c, CHILD_ANY_SLEEP));
	ASSERT_EQ(0, kill(c->pid, SIGKILL));
	EXPECT_END(SIGKILL, c);
	stack = lwt_first_stack(&c->log);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_TRUE(stack->end == LW_END_STOPPED || stack->end == LW_END_FAULT)
		TH_LOG("end %u", stack->end);
}

static int exit_on_nothing(struct child *c)
{
	(void)c;
	if (child_read_table() || missing_init(&the_late->stack))
		return 1;
	late_call(the_late, SYS_exit_group, 5, 0, 0);
	return 2;
}

/* In memory, but not in the task's page table: any other walk would have it. */
static int exit_on_unmapped(struct child *c)
{
	int fd = memfd_create("stack", MFD_CLOEXEC);

	(void)c;
	if (child_read_table() || fd < 0 || ftruncate(fd, PAGE) ||
	    write(fd, the_late->words, sizeof(the_late->words)) != sizeof(the_late->words))
		return 1;
	the_late->stack.page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (the_late->stack.page == MAP_FAILED)
		return 1;
	late_call(the_late, SYS_exit_group, 5, 0, 0);
	return 2;
}

FIXTURE(late_exit)
{
	struct child c;
	struct late *late;
};

FIXTURE_VARIANT(late_exit)
{
	int (*job)(struct child *c);
};

FIXTURE_VARIANT_ADD(late_exit, page_that_does_not_come)
{
	.job = exit_on_nothing,
};

FIXTURE_VARIANT_ADD(late_exit, page_that_is_not_mapped)
{
	.job = exit_on_unmapped,
};

FIXTURE_SETUP(late_exit)
{
	ASSERT_EQ(0, child_init(&self->c));
	self->late = mmap(NULL, sizeof(*self->late), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->late);
	self->late->words[0] = (uintptr_t)raw_hostile_sframe_ip;
	self->late->words[1] = 0;
	the_late = self->late;
	child_make(&self->c, variant->job);
}

FIXTURE_TEARDOWN(late_exit)
{
	child_free(&self->c);
}

/* A walk in a task's exit, which nothing could end, takes no fault at all. */
TEST_F(late_exit, waits_for_nothing)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;

	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_exit_group"));
	ASSERT_EQ(0, child_begin(c));
	/* Else it stays, for ever, and can't be killed. */
	ASSERT_TRUE(lwt_wait(child_is(c, "Z")));
	EXPECT_END(5 << 8, c);
	stack = lwt_first_stack(&c->log);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(lwt_walks_at_exit(c->s.fd) ? LW_END_FAULT : LW_END_EXITED,
		  stack->end);
	EXPECT_EQ(lwt_walks_at_exit(c->s.fd), stack->nr);
}

static void be_tracer(struct child *c, int ready)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	struct lwt_session s;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (lwt_session_open(&s, 1 << 16, 0, 0) ||
	    lwt_add_event(s.fd, &attr, LW_TARGET_TASK, c->pid, NULL) ||
	    lwt_enable(s.fd) || child_begin(c) ||
	    !lwt_wait(lwt_stats(s.fd).pending == 1 &&
		      child_is(c, CHILD_ANY_SLEEP)) ||
	    write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Opens what there is.  Return: how many, all closed again. */
static int count_free_sessions(void)
{
	int fds[64], i, nr = 0;

	for (i = 0; i < 64; i++)
		fds[i] = lwt_open();
	for (i = 0; i < 64; i++) {
		if (fds[i] < 0)
			continue;
		close(fds[i]);
		nr++;
	}
	return nr;
}

/*
 * The session is gone at once; its number is kept until the walk that it asked
 * for has ended, and that can be had by killing the task.
 */
TEST_F(late, loses_its_tracer)
{
	struct child *c = &self->c;
	int ready[2];
	pid_t tracer;
	char byte;

	lwt_session_close(&c->s);
	the_late = self->late;
	child_make(c, walk_to_nowhere);
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	tracer = fork();
	if (!tracer)
		be_tracer(c, ready[1]);
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	/* The walk still waits when the tracer has ended. */
	ASSERT_EQ(0, kill(tracer, SIGKILL));
	ASSERT_EQ(tracer, waitpid(tracer, NULL, 0));
	EXPECT_LE(63, count_free_sessions());
	EXPECT_TRUE(child_is(c, CHILD_ANY_SLEEP));
	ASSERT_EQ(0, kill(c->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, child_reap(c));
	EXPECT_EQ(64, count_free_sessions());
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
