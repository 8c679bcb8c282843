// SPDX-License-Identifier: GPL-2.0
/*
 * late_test.c - what ends while a walk waits for a page that does not come: the
 * session, its tracer, the task.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define PAGE	4096UL
/* Closing waits for no walk; what it takes under TCG is far less. */
#define PROMPT	5000000000ULL

/**
 * struct late - a stack that is not there, and what it will be
 * @fd: userfaultfd of its page
 * @stack: the page; the topmost frame's return address is its first word
 * @page: what late_bring() puts there
 */
struct late {
	int fd;
	uint64_t *stack;
	uint64_t page[PAGE / 8];
};

static int late_init(struct late *late)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	late->stack = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	late->fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (late->stack == MAP_FAILED || late->fd < 0 ||
	    ioctl(late->fd, UFFDIO_API, &api))
		return -errno;
	reg.range.start = (uintptr_t)late->stack;
	reg.range.len = PAGE;
	return ioctl(late->fd, UFFDIO_REGISTER, &reg) ? -errno : 0;
}

/* Return: does somebody wait for the page. */
static bool late_is_waited_for(struct late *late)
{
	struct pollfd poll_fd = { .fd = late->fd, .events = POLLIN };
	struct uffd_msg msg;

	return poll(&poll_fd, 1, LWT_TIMEOUT_MS) == 1 &&
	       read(late->fd, &msg, sizeof(msg)) == sizeof(msg);
}

static int late_bring(struct late *late)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)late->stack,
		.src = (uintptr_t)late->page,
		.len = PAGE,
	};

	return ioctl(late->fd, UFFDIO_COPY, &copy) ? -errno : 0;
}

/* Makes that call, on that stack. */
static long late_call(struct late *late, long nr, long a, long b, long c)
{
	struct raw_regs regs = {
		.nr = nr,
		.a = a,
		.b = b,
		.c = c,
		.sp = (uintptr_t)late->stack,
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
	self->late->page[0] = (uintptr_t)raw_hostile_sframe_ip;
	self->late->page[1] = 0;
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
	return late_init(self->late) ||
	       pthread_create(&self->thread, NULL, ask, self) ||
	       !late_is_waited_for(self->late) ? -1 : 0;
}

static int end_thread(FIXTURE_DATA(late) *self)
{
	return late_bring(self->late) || pthread_join(self->thread, NULL) ?
	       -1 : 0;
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
	uint64_t begun;

	ASSERT_EQ(0, start_thread(self));
	begun = lwt_now();
	lwt_session_close(&self->c.s);
	EXPECT_GT(PROMPT, lwt_now() - begun);
	ASSERT_EQ(0, lwt_session_open(&next, 8192, 0, 0));
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

static struct late *the_late;

static int walk_to_nowhere(struct child *c)
{
	(void)c;
	if (late_init(the_late))
		return 1;
	late_call(the_late, SYS_getppid, 0, 0, 0);
	return 0;
}

/* Its walk waits, and so does the task: nobody will bring the page. */
static bool wait_in_walk(struct child *c)
{
	return lwt_wait(child_pending(c, 1) && child_is(c, CHILD_ANY_SLEEP));
}

TEST_F(late, is_killed)
{
	struct child *c = &self->c;
	struct lw_user_stack *stack;
	uint64_t begun;

	the_late = self->late;
	child_make(c, walk_to_nowhere);
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_getppid"));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_TRUE(wait_in_walk(c));
	begun = lwt_now();
	ASSERT_EQ(0, kill(c->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, child_reap(c));
	EXPECT_GT(PROMPT, lwt_now() - begun);
	ASSERT_TRUE(child_settle(c));
	EXPECT_BALANCE(c);
	stack = lwt_first_stack(&c->log);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_TRUE(stack->end == LW_END_STOPPED || stack->end == LW_END_FAULT)
		TH_LOG("end %u", stack->end);
}

static int exit_on_nothing(struct child *c)
{
	(void)c;
	if (child_read_table() || late_init(the_late))
		return 1;
	late_call(the_late, SYS_exit_group, 5, 0, 0);
	return 2;
}

/* In memory, but not in the task's page table: any other walk would have it. */
static int exit_on_unmapped(struct child *c)
{
	int fd = memfd_create("stack", MFD_CLOEXEC);

	(void)c;
	if (child_read_table() || fd < 0 || write(fd, the_late->page, PAGE) != PAGE)
		return 1;
	the_late->stack = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (the_late->stack == MAP_FAILED)
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
	self->late->page[0] = (uintptr_t)raw_hostile_sframe_ip;
	self->late->page[1] = 0;
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
	struct lw_user_stack *stack;

	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_exit_group"));
	ASSERT_EQ(0, child_begin(c));
	/* Else it stays, for ever, and can't be killed. */
	ASSERT_TRUE(lwt_wait(child_is(c, "Z")));
	EXPECT_EQ(5 << 8, child_reap(c));
	ASSERT_TRUE(child_settle(c));
	EXPECT_BALANCE(c);
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
	uint64_t begun;
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
	begun = lwt_now();
	ASSERT_EQ(0, kill(tracer, SIGKILL));
	ASSERT_EQ(tracer, waitpid(tracer, NULL, 0));
	EXPECT_GT(PROMPT, lwt_now() - begun);
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
