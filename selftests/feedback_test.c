// SPDX-License-Identifier: GPL-2.0
/*
 * feedback_test.c - events that taking a stack makes itself: the task that is
 * traced, the tracer and everybody else must go on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define RING	0x100000
/* A task that is let go does that many calls in no time. */
#define CALLS	200

FIXTURE(session)
{
	struct lwt_session s;
	struct lwt_log log;
	volatile unsigned int *calls;	/* that the child has done */
	pid_t child;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	self->calls = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->calls);
}

FIXTURE_TEARDOWN(session)
{
	lwt_end(self->child);
	munmap((void *)self->calls, lwt_page());
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

/* A child that enters and leaves the kernel for as long as it is let. */
static pid_t make_busy(FIXTURE_DATA(session) *self)
{
	self->child = fork();
	if (self->child)
		return self->child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		/* Allocates and frees: more than one event's worth. */
		close(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
		sched_yield();
		(*self->calls)++;
	}
}

static int trace(FIXTURE_DATA(session) *self, const char *tracepoint,
		 uint32_t target)
{
	struct perf_event_attr attr = lwt_attr_tracepoint(tracepoint);

	return lwt_add_event(self->s.fd, &attr, target,
			     target == LW_TARGET_TASK ? self->child : 0, NULL) ?:
	       lwt_enable(self->s.fd);
}

/* The child goes on under the event, and can be killed. */
static bool goes_on(FIXTURE_DATA(session) *self)
{
	unsigned int before = *self->calls;
	bool ok = lwt_wait(lwt_read(&self->s, &self->log) < 0 ||
			   *self->calls - before > CALLS);
	int status;

	if (kill(self->child, SIGKILL))
		return false;
	ok &= lwt_wait(waitpid(self->child, &status, WNOHANG) == self->child);
	self->child = 0;
	return ok;
}

/*
 * A loop of one call, which looks the same as a task that never gets out: of the time in which
 * that would get out it has no stacks, and that is little.
 */
TEST_F_TIMEOUT(session, has_the_stacks_of_a_tight_loop, 60)
{
	static const unsigned int nr = 20000;
	struct perf_event_attr attr = lwt_attr_tracepoint("kmem/kmalloc");
	/* Not in a register: these are the same each time. */
	static volatile unsigned int i;
	struct lw_stats stats;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < nr; i++)
		close(eventfd(0, EFD_CLOEXEC));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	stats = lwt_stats(self->s.fd);
	EXPECT_LE(nr, stats.requests + stats.throttled);
	EXPECT_LT(stats.throttled, (stats.requests + stats.throttled) / 8);
	TH_LOG("%llu of %u had no stack", (unsigned long long)stats.throttled, nr);
}

/* Freed memory is an event, and a walk has memory. */
TEST_F_TIMEOUT(session, lets_go_of_a_task_traced_by_kfree, 60)
{
	ASSERT_LT(0, make_busy(self));
	ASSERT_EQ(0, trace(self, "kmem/kfree", LW_TARGET_TASK));
	EXPECT_TRUE(goes_on(self));
	EXPECT_LT(0, lwt_stats(self->s.fd).user_stacks);
}

TEST_F_TIMEOUT(session, lets_go_of_everybody_traced_by_kfree, 60)
{
	ASSERT_LT(0, make_busy(self));
	ASSERT_EQ(0, trace(self, "kmem/kfree", LW_TARGET_CPUS));
	EXPECT_TRUE(goes_on(self));
}

/*
 * What the kernel does behind the task_work. libc registers an rseq area, so
 * that on 6.1 to 6.18 each task that a walk held up has this event.
 */
TEST_F_TIMEOUT(session, lets_go_of_a_task_traced_by_rseq, 60)
{
	if (lwt_tracepoint("rseq/rseq_update") < 0)
		SKIP(return, "this kernel has no rseq:rseq_update");
	ASSERT_LT(0, make_busy(self));
	ASSERT_EQ(0, trace(self, "rseq/rseq_update", LW_TARGET_TASK));
	EXPECT_TRUE(goes_on(self));
}

TEST_F_TIMEOUT(session, lets_go_of_everybody_traced_by_rseq, 60)
{
	if (lwt_tracepoint("rseq/rseq_update") < 0)
		SKIP(return, "this kernel has no rseq:rseq_update");
	ASSERT_LT(0, make_busy(self));
	ASSERT_EQ(0, trace(self, "rseq/rseq_update", LW_TARGET_CPUS));
	EXPECT_TRUE(goes_on(self));
}

/* Page faults of the walk itself share its cookie: no walk for a walk. */
TEST_F_TIMEOUT(session, shares_its_own_faults, 60)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
	};

	ASSERT_LT(0, make_busy(self));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_TRUE(goes_on(self));
}

/* Answers every question of a fanotify listener: yes. */
static void allow(int fan)
{
	struct fanotify_event_metadata events[16];
	ssize_t len = read(fan, events, sizeof(events));
	struct fanotify_event_metadata *event = events;

	for (; FAN_EVENT_OK(event, len); event = FAN_EVENT_NEXT(event, len)) {
		struct fanotify_response answer = {
			.fd = event->fd,
			.response = FAN_ALLOW,
		};

		if (write(fan, &answer, sizeof(answer)) != sizeof(answer))
			_exit(1);
		close(event->fd);
	}
}

/* A file of code: getppid(), return. */
static int write_code(const char *path)
{
#if defined(__x86_64__)
	static const unsigned char code[4096] = {
		0xb8, SYS_getppid, 0, 0, 0,	/* mov $SYS_getppid, %eax */
		0x0f, 0x05,			/* syscall */
		0xc3,				/* ret */
	};
#elif defined(__aarch64__)
	static const uint32_t code[1024] = {
		0xd2800008 | SYS_getppid << 5,	/* mov x8, #SYS_getppid */
		0xd4000001,			/* svc #0 */
		0xd65f03c0,			/* ret */
	};
#elif defined(__s390x__)
	static const unsigned char code[4096] = {
		0x0a, SYS_getppid,		/* svc SYS_getppid */
		0x07, 0xfe,			/* br %r14 */
	};
#endif
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	bool ok = fd >= 0 && write(fd, code, sizeof(code)) == sizeof(code);

	close(fd);
	return ok ? 0 : -EIO;
}

#define WATCHED	"/tmp/lw_feedback"

/* A listener on the mount of code that it runs, which it answers for. */
static void be_listener(volatile unsigned int *calls)
{
	void (*code)(void);
	int fan, fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fan = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK,
			    O_RDONLY);
	if (fan < 0 || fanotify_mark(fan, FAN_MARK_ADD | FAN_MARK_MOUNT,
				     FAN_ACCESS_PERM, AT_FDCWD, WATCHED))
		_exit(1);
	/* Opened under the watch: reading it through the file would ask us. */
	fd = open(WATCHED "/code", O_RDONLY);
	code = mmap(NULL, lwt_page(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (fd < 0 || code == MAP_FAILED)
		_exit(1);
	for (;;) {
		struct pollfd poll_fd = { fan, POLLIN, 0 };

		if (poll(&poll_fd, 1, 1) > 0)
			allow(fan);
		code();
		(*calls)++;
	}
}

/* Its own walk must not wait for its own answer. */
TEST_F_TIMEOUT(session, does_not_ask_a_listener_about_itself, 60)
{
	unsigned int before;
	bool ok;

	mkdir(WATCHED, 0755);
	ASSERT_EQ(0, mount("tmpfs", WATCHED, "tmpfs", 0, NULL));
	ASSERT_EQ(0, write_code(WATCHED "/code"));
	self->child = fork();
	if (!self->child)
		be_listener(self->calls);
	ASSERT_TRUE(lwt_wait(*self->calls > 0));
	EXPECT_EQ(0, trace(self, "raw_syscalls/sys_enter", LW_TARGET_TASK));
	before = *self->calls;
	ok = lwt_wait(*self->calls - before > 20);
	EXPECT_TRUE(ok);
	EXPECT_LT(0, lwt_stats(self->s.fd).user_stacks);
	lwt_end(self->child);
	self->child = 0;
	EXPECT_EQ(0, umount(WATCHED));
	rmdir(WATCHED);
}

TEST_HARNESS_MAIN
