// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_wait_test.c - records of system calls whose data comes from a program (userfaultfd,
 * FUSE): it is waited for when the call has ended, and nothing else waits meanwhile.
 *
 * The call is a write() to no file, which does not look at its buffer, or an openat(), which
 * waits for its path itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/calls.h"
#include "lib/missing.h"
#include "lib/served.h"
#include "kselftest_harness.h"

#define RING		(4 << 20)
#define PAGE		lwt_page()
/* For how long nobody brings the page: who gave up waiting would have done so. */
#define WHILE_NS	(lwt_long() ? 1000000000ULL : 100000000ULL)
#define OTHERS		10000
#define UNMAPS		lwt_count(5000, 1000)

static const struct lw_syscall_arg buffer_of_write = {
	.arg = 1,
	.kind = LW_DATA_BUFFER,
	.when = LW_SYSCALL_ENTRY,
	.count = 2,
	.max = 64,
};

FIXTURE(waits)
{
	struct calls c;
	struct missing missing;
	pthread_t thread;
	int fd;				/* that it writes to */
	int cpu;			/* on which */
	atomic_bool written;
};

static void *write_missing(void *arg)
{
	FIXTURE_DATA(waits) *self = arg;

	if (lwt_pin(self->cpu))
		return NULL;
	syscall(SYS_write, self->fd, self->missing.page, 8);
	self->written = true;
	return arg;
}

FIXTURE_SETUP(waits)
{
	struct calls *c = &self->c;

	self->fd = -1;
	ASSERT_EQ(0, calls_open(c, RING));
	ASSERT_EQ(0, missing_init(&self->missing));
	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, calls_add(c, SYS_write, LW_SYSCALL_ENTRY, &buffer_of_write, 1, NULL));
	ASSERT_EQ(0, calls_add(c, SYS_getppid, LW_SYSCALL_ENTRY, NULL, 0, NULL));
}

FIXTURE_TEARDOWN(waits)
{
	calls_close(&self->c);
	missing_free(&self->missing);
	EXPECT_EQ(0, lwt_tainted());
}

/* Return: does it wait, for our read of its data. */
static bool begin_to_wait(FIXTURE_DATA(waits) *self)
{
	return !lwt_enable(self->c.s.fd) &&
	       !pthread_create(&self->thread, NULL, write_missing, self) &&
	       missing_is_waited_for(&self->missing) &&
	       lwt_stats(self->c.s.fd).waiting == 1;
}

/* Return: does it go on, to its end. */
static bool end_wait(FIXTURE_DATA(waits) *self)
{
	void *ret;

	return !pthread_join(self->thread, &ret) && self->written;
}

/* Of the only write(): in the record, or later. */
static struct lw_syscall_data *data_of_write(struct calls *c)
{
	struct lw_syscall *r = calls_record(c, SYS_write, false, 0);

	if (!r || calls_record(c, SYS_write, false, 1))
		return NULL;
	return calls_deferred(c, r);
}

/* For a while: no record waits. */
TEST_F_TIMEOUT(waits, and_others_go_on, 60)
{
	struct calls *c = &self->c;
	struct lw_syscall_data *d;
	uint64_t since;
	unsigned int i;
	int nr;

	ASSERT_TRUE(begin_to_wait(self));
	since = lwt_now();
	for (i = 0; i < OTHERS; i++)
		syscall(SYS_getppid, i);
	lwt_wait(lwt_now() - since >= WHILE_NS);
	EXPECT_FALSE(self->written);
	EXPECT_EQ(1, lwt_stats(c->s.fd).waiting);
	/* Two: the record, and the stack of the cookie that it is told by. */
	EXPECT_EQ(OTHERS + 2, lwt_read(&c->s, &c->log));
	ASSERT_EQ(0, missing_bring(&self->missing, "it comes", 8));
	ASSERT_TRUE(end_wait(self));
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(0, lwt_read(&c->s, &c->log));
	d = data_of_write(c);
	EXPECT_TRUE(calls_holds(d, "it comes", 8));
	EXPECT_EQ(LW_DATA_F_DEFERRED, d->flags);
	for (i = 0, nr = 0; i < c->log.nr; i++) {
		struct lw_syscall *r = c->log.records[i].call;

		if (r->record.type == LW_RECORD_SYSCALL && r->nr == SYS_getppid)
			EXPECT_EQ(nr++, (int)r->args[0]);
	}
	EXPECT_EQ(OTHERS, nr);
	EXPECT_EQ(0, lwt_stats(c->s.fd).lost_full);
	EXPECT_EQ(0, lwt_stats(c->s.fd).waiting);
}

TEST_F_TIMEOUT(waits, and_close_does_not, 60)
{
	struct calls *c = &self->c;

	ASSERT_TRUE(begin_to_wait(self));
	/* The page comes behind that: what waits for it would never return. */
	lwt_session_close(&c->s);
	/* Nor does that of others. */
	ASSERT_EQ(0, lwt_session_open(&c->s, RING, 16, 0));
	lwt_session_close(&c->s);
	EXPECT_FALSE(self->written);
	ASSERT_EQ(0, missing_bring(&self->missing, "it comes", 8));
	ASSERT_TRUE(end_wait(self));
	ASSERT_EQ(0, lwt_session_open(&c->s, RING, 16, 0));
}

TEST_F_TIMEOUT(waits, and_disable_does_not, 60)
{
	struct calls *c = &self->c;

	ASSERT_TRUE(begin_to_wait(self));
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	EXPECT_EQ(1, lwt_stats(c->s.fd).waiting);
	ASSERT_EQ(0, missing_bring(&self->missing, "it comes", 8));
	ASSERT_TRUE(end_wait(self));
	EXPECT_EQ(0, lwt_stats(c->s.fd).waiting);
	ASSERT_LE(1, lwt_read(&c->s, &c->log));
	EXPECT_TRUE(calls_holds(data_of_write(c), "it comes", 8));
}

TEST_F_TIMEOUT(waits, for_a_page_that_is_unmapped, 60)
{
	struct calls *c = &self->c;
	struct lw_syscall_data *d;

	ASSERT_TRUE(begin_to_wait(self));
	ASSERT_EQ(0, munmap(self->missing.page, PAGE));
	ASSERT_EQ(0, missing_wake(&self->missing));
	ASSERT_TRUE(end_wait(self));
	ASSERT_LE(1, lwt_read(&c->s, &c->log));
	d = data_of_write(c);
	ASSERT_NE(NULL, d);
	EXPECT_EQ(0, d->len);
	EXPECT_EQ(LW_DATA_F_FAULT | LW_DATA_F_DEFERRED, d->flags);
	EXPECT_EQ(1, lwt_stats(c->s.fd).data_faults);
}

/* Each has its own record, of the time when the call began, on its CPU. */
TEST_F_TIMEOUT(waits, for_two_sessions, 60)
{
	struct calls *c = &self->c, other;
	struct lw_syscall *r, *s;
	uint64_t since;

	ASSERT_EQ(0, calls_open(&other, RING));
	ASSERT_EQ(0, calls_add(&other, SYS_write, LW_SYSCALL_ENTRY | LW_SYSCALL_STACK,
			       &buffer_of_write, 1, NULL));
	ASSERT_EQ(0, lwt_enable(other.s.fd));
	ASSERT_TRUE(begin_to_wait(self));
	since = lwt_now();
	lwt_wait(lwt_now() - since >= WHILE_NS);
	ASSERT_EQ(0, missing_bring(&self->missing, "it comes", 8));
	ASSERT_TRUE(end_wait(self));
	ASSERT_LE(1, lwt_read(&c->s, &c->log));
	ASSERT_LE(2, lwt_read(&other.s, &other.log));
	EXPECT_TRUE(calls_holds(data_of_write(c), "it comes", 8));
	EXPECT_TRUE(calls_holds(data_of_write(&other), "it comes", 8));
	r = calls_record(c, SYS_write, false, 0);
	s = calls_record(&other, SYS_write, false, 0);
	EXPECT_GT(since, r->time);
	EXPECT_GT(since, s->time);
	EXPECT_EQ(0, r->cpu);
	EXPECT_EQ(0, s->cpu);
	EXPECT_EQ(LW_USER_PENDING, s->user);
	EXPECT_NE(NULL, lwt_find_stack(&other.log, &s->cookie));
	EXPECT_EQ(0, lwt_stats(other.s.fd).pending);
	calls_close(&other);
}

/* Of /dev/null, which does not look at what it is given. */
TEST_F_TIMEOUT(waits, at_the_end_of_a_call, 60)
{
	struct lw_syscall_arg out = buffer_of_write;
	struct calls *c = &self->c;
	struct lw_syscall *r;

	out.when = LW_SYSCALL_EXIT;
	out.count = LW_COUNT_RETURN;
	calls_close(c);
	ASSERT_EQ(0, calls_open(c, RING));
	ASSERT_EQ(0, calls_add(c, SYS_write, LW_SYSCALL_EXIT, &out, 1, NULL));
	self->fd = open("/dev/null", O_WRONLY);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(begin_to_wait(self));
	ASSERT_EQ(0, missing_bring(&self->missing, "it comes", 8));
	ASSERT_TRUE(end_wait(self));
	ASSERT_LE(1, lwt_read(&c->s, &c->log));
	r = calls_record(c, SYS_write, true, 0);
	ASSERT_NE(NULL, r);
	EXPECT_EQ(8, r->ret);
	EXPECT_TRUE(calls_holds(calls_deferred(c, r), "it comes", 8));
	close(self->fd);
}

/* With one on each CPU. */
TEST_F_TIMEOUT(waits, and_perf_does_not, 120)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("sched/sched_switch");
	int nr = sysconf(_SC_NPROCESSORS_ONLN), i, fd;
	pthread_t threads[64];

	ASSERT_LE(nr, ARRAY_SIZE(threads));
	ASSERT_EQ(0, lwt_enable(self->c.s.fd));
	for (i = 0; i < nr; i++) {
		self->cpu = i;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, write_missing, self));
		ASSERT_TRUE(missing_is_waited_for(&self->missing));
	}
	/* To close such an event is to wait for all probes that may sleep. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_FALSE(self->written);
	EXPECT_EQ(1, missing_bring(&self->missing, "it comes", 8) == 0);
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	EXPECT_TRUE(self->written);
}

TEST_F_TIMEOUT(waits, and_is_killed, 60)
{
	struct calls *c = &self->c;
	struct lw_syscall_data *d;
	int status, start[2];
	char byte = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(start));
	pid = fork();
	if (!pid) {
		struct missing missing;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		lwt_session_forget(&c->s);
		if (missing_init(&missing) || read(start[0], &byte, 1) != 1)
			_exit(1);
		syscall(SYS_write, -1, missing.page, 8);
		_exit(0);
	}
	ASSERT_EQ(0, calls_name(c, pid, 0));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(1, write(start[1], "x", 1));
	ASSERT_TRUE(lwt_wait(lwt_stats(c->s.fd).waiting == 1));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(0, lwt_stats(c->s.fd).waiting);
	ASSERT_LE(1, lwt_read(&c->s, &c->log));
	d = data_of_write(c);
	ASSERT_NE(NULL, d);
	EXPECT_EQ(0, d->len);
	EXPECT_TRUE(d->flags & LW_DATA_F_FAULT);
	close(start[0]);
	close(start[1]);
}

/* The name of what is executed; where it is read late, there is nothing any more. */
TEST_F_TIMEOUT(waits, not_for_a_program_that_is_gone, 60)
{
	char *path = calls_dropped_pages("/bin/true", PAGE - 5) + PAGE - 5;
	static const char * const argv[] = { "true", NULL };
	struct calls *c = &self->c;
	struct lw_syscall_arg arg = path_of_openat;
	struct lw_syscall_data *d;
	struct lw_syscall *r;
	int start[2], status;
	char byte;
	pid_t pid;

	arg.arg = 0;
	ASSERT_EQ(0, calls_add(c, SYS_execve, BOTH, &arg, 1, NULL));
	ASSERT_EQ(0, pipe(start));
	pid = fork();
	if (!pid) {
		lwt_session_forget(&c->s);
		if (read(start[0], &byte, 1) != 1)
			_exit(1);
		syscall(SYS_execve, path, argv, NULL);
		_exit(2);
	}
	ASSERT_EQ(0, calls_name(c, pid, 0));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(1, write(start[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_LE(2, lwt_read(&c->s, &c->log));
	r = calls_record(c, SYS_execve, false, 0);
	ASSERT_NE(NULL, r);
	if (c->fetches) {
		EXPECT_TRUE(calls_holds(calls_data(r, 0), "/bin/true", 9));
		EXPECT_EQ(0, calls_data(r, 0)->flags);
	} else {
		d = calls_deferred(c, r);
		ASSERT_NE(NULL, d);
		EXPECT_EQ(0, d->len);
		EXPECT_EQ(LW_DATA_F_FAULT | LW_DATA_F_DEFERRED, d->flags);
	}
	/* It ends in the new program. */
	r = calls_record(c, SYS_execve, true, 0);
	ASSERT_NE(NULL, r);
	EXPECT_EQ(0, r->ret);
	munmap(path - (PAGE - 5), 2 * PAGE);
	close(start[0]);
	close(start[1]);
}

/* A record that waits would stop it when it comes round to it. */
TEST_F_TIMEOUT(waits, and_a_flight_recorder_goes_on, 60)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = LW_SETUP_OVERWRITE,
		.ring_size = 65536,
	};
	struct calls *c = &self->c;
	unsigned int i;

	lwt_session_close(&c->s);
	c->s = (struct lwt_session) { .fd = lwt_open() };
	ASSERT_LE(0, c->s.fd);
	ASSERT_EQ(0, lwt_ioctl(c->s.fd, LW_IOC_SETUP, &setup));
	ASSERT_EQ(0, calls_name(c, getpid(), 0));
	ASSERT_EQ(0, calls_add(c, SYS_write, LW_SYSCALL_ENTRY, &buffer_of_write, 1, NULL));
	ASSERT_EQ(0, calls_add(c, SYS_getppid, LW_SYSCALL_ENTRY, NULL, 0, NULL));
	ASSERT_TRUE(begin_to_wait(self));
	for (i = 0; i < 2000; i++)
		syscall(SYS_getppid);
	EXPECT_EQ(0, lwt_stats(c->s.fd).lost_full);
	EXPECT_LE(2000 - 65536 / sizeof(struct lw_syscall), lwt_stats(c->s.fd).overwritten);
	ASSERT_EQ(0, missing_bring(&self->missing, "it comes", 8));
	ASSERT_TRUE(end_wait(self));
}

/* --- a page of a file of FUSE */

#define MOST_THREADS	64

FIXTURE(served)
{
	struct served served;
	struct calls c;
	char *page;
	int nr;				/* of the call that names the page */
	pthread_t threads[MOST_THREADS];
	int nr_threads;			/* one a CPU */
	atomic_int ended;		/* of their calls */
};

FIXTURE_VARIANT(served)
{
	int nr;
};

/* The call waits for the page. */
FIXTURE_VARIANT_ADD(served, path)
{
	.nr = SYS_openat,
};

/* Only the module waits for it. */
FIXTURE_VARIANT_ADD(served, buffer)
{
	.nr = SYS_write,
};

FIXTURE_SETUP(served)
{
	const struct lw_syscall_arg *arg = variant->nr == SYS_openat ? &path_of_openat :
								       &buffer_of_write;
	int fd, ret = served_init(&self->served);

	self->c.s.fd = -1;
	if (ret == -ENOENT || ret == -ENODEV)
		SKIP(return, SERVED_MISSING);
	ASSERT_EQ(0, ret);
	fd = served_open(O_RDWR);
	ASSERT_LE(0, fd);
	self->page = served_map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(NULL, self->page);
	close(fd);
	self->nr = variant->nr;
	self->nr_threads = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_GE(MOST_THREADS, self->nr_threads);
	ASSERT_EQ(0, calls_open(&self->c, RING));
	ASSERT_EQ(0, calls_add(&self->c, variant->nr, LW_SYSCALL_ENTRY, arg, 1, NULL));
	ASSERT_EQ(0, calls_add(&self->c, SYS_getppid, LW_SYSCALL_ENTRY, NULL, 0, NULL));
}

FIXTURE_TEARDOWN(served)
{
	served_free(&self->served);
	if (self->c.s.fd >= 0)
		calls_close(&self->c);
	EXPECT_EQ(0, lwt_tainted());
}

static void *name_page(void *arg)
{
	FIXTURE_DATA(served) *self = arg;

	if (self->nr == SYS_openat)
		calls_openat(self->page);
	else
		syscall(SYS_write, -1, self->page, sizeof(SERVED_TEXT) - 1);
	self->ended++;
	return arg;
}

/* The nth record of a call that named the page, or NULL. */
static struct lw_syscall *names_page(FIXTURE_DATA(served) *self, unsigned int nth)
{
	struct lw_syscall *r;
	unsigned int i = 0;

	while ((r = calls_record(&self->c, self->nr, false, i++)))
		if (r->args[1] == (uintptr_t)self->page && !nth--)
			break;
	return r;
}

/* Return: has each CPU a thread that names the page, and does one of them wait for it? */
static bool all_wait(FIXTURE_DATA(served) *self)
{
	pthread_attr_t attr;
	cpu_set_t set;
	bool ok = true;
	int i;

	served_withhold(&self->served, FUSE_READ);
	pthread_attr_init(&attr);
	for (i = 0; i < self->nr_threads && ok; i++) {
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
		ok = !pthread_create(&self->threads[i], &attr, name_page, self);
	}
	pthread_attr_destroy(&attr);
	return ok && served_is_waited_for(&self->served);
}

/* With a call on each CPU whose page is withheld. */
TEST_F_TIMEOUT(served, page_keeps_nobody_else, 300)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("sched/sched_switch");
	struct calls *c = &self->c;
	struct lw_syscall *r;
	int i, fd;

	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_TRUE(all_wait(self));
	for (i = 0; i < OTHERS; i++)
		syscall(SYS_getppid);
	/* The records of all can be read, those of the calls that wait included. */
	EXPECT_TRUE(lwt_wait(lwt_read(&c->s, &c->log) < 0 ||
			     names_page(self, self->nr_threads - 1)));
	EXPECT_EQ(OTHERS, calls_count(c, SYS_getppid, false));
	for (i = 0; i < self->nr_threads; i++) {
		r = names_page(self, i);
		ASSERT_NE(NULL, r);
		EXPECT_EQ(0, calls_data(r, 0)->len);
		EXPECT_TRUE(calls_data(r, 0)->flags & LW_DATA_F_MISSING);
		EXPECT_EQ(NULL, calls_deferred(c, r));
	}
	/* To close such an event is to wait for all probes that may sleep. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_EQ(0, self->ended);
	ASSERT_EQ(0, served_answer(&self->served));
	for (i = 0; i < self->nr_threads; i++)
		ASSERT_EQ(0, pthread_join(self->threads[i], NULL));
	EXPECT_EQ(self->nr_threads, self->ended);
	ASSERT_LE(0, lwt_read(&c->s, &c->log));
	for (i = 0; i < self->nr_threads; i++) {
		struct lw_syscall_data *d = calls_deferred(c, names_page(self, i));

		EXPECT_TRUE(calls_holds(d, SERVED_TEXT, sizeof(SERVED_TEXT) - 1));
		EXPECT_EQ(LW_DATA_F_DEFERRED, d ? d->flags : 0);
	}
	EXPECT_EQ(0, lwt_stats(c->s.fd).lost_full);
}

/* --- many processes of one user */

/* Of syscall_deferred.c. */
#define USER_PLACES	256
#define PROCESSES	4
/* Fewer than a process may have. */
#define THREADS		96
#define NOBODY		65534
/* The first of ten in the user namespaces of some processes. */
#define INSIDE		100000

FIXTURE(users)
{
	struct served served;
	struct calls c;
	char *page;
	pid_t pids[PROCESSES];
	int start[2];			/* a byte for each process */
};

FIXTURE_SETUP(users)
{
	int fd, ret = served_init(&self->served);

	self->c.s.fd = -1;
	if (ret == -ENOENT || ret == -ENODEV)
		SKIP(return, SERVED_MISSING);
	ASSERT_EQ(0, ret);
	fd = served_open(O_RDWR);
	ASSERT_LE(0, fd);
	self->page = served_map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(NULL, self->page);
	close(fd);
	ASSERT_EQ(0, pipe(self->start));
	ASSERT_EQ(0, calls_open(&self->c, RING));
	ASSERT_EQ(0, calls_name(&self->c, getpid(), LW_FILTER_CHILDREN));
	ASSERT_EQ(0, calls_add(&self->c, SYS_write, LW_SYSCALL_ENTRY, &buffer_of_write, 1, NULL));
}

FIXTURE_TEARDOWN(users)
{
	unsigned int i;

	served_free(&self->served);
	for (i = 0; i < PROCESSES; i++)
		if (self->pids[i] > 0)
			lwt_end(self->pids[i]);
	if (self->c.s.fd >= 0)
		calls_close(&self->c);
	EXPECT_EQ(0, lwt_tainted());
}

static void *write_page(void *page)
{
	syscall(SYS_write, -1, page, sizeof(SERVED_TEXT) - 1);
	return page;
}

/* In a user namespace of its own; its parent says which ids there are. */
static bool go_inside(int made, int mapped)
{
	char byte = 0;

	return !unshare(CLONE_NEWUSER) && write(made, "x", 1) == 1 &&
	       read(mapped, &byte, 1) == 1 && !setresuid(1, 1, 1);
}

/* A process of nobody's whose threads all write that page, when told. */
static void run_process(FIXTURE_DATA(users) *self, int made, int mapped)
{
	pthread_t threads[THREADS];
	unsigned int i;
	char byte;

	lwt_session_forget(&self->c.s);
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    (made >= 0 && !go_inside(made, mapped)))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(self->start[0], &byte, 1) != 1)
		_exit(1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_page, self->page))
			_exit(2);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static int map_ids(pid_t pid)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	file = fopen(path, "we");
	if (!file)
		return -errno;
	fprintf(file, "0 %d 10\n", INSIDE);
	return fclose(file) ? -errno : 0;
}

/* Return: the process, -EPERM if there may be no user namespaces, -EIO. */
static pid_t start_process(FIXTURE_DATA(users) *self, bool inside)
{
	int made[2] = { -1, -1 }, mapped[2] = { -1, -1 };
	char byte;
	pid_t pid;

	if (inside && (pipe(made) || pipe(mapped)))
		return -EIO;
	pid = fork();
	if (!pid)
		run_process(self, made[1], mapped[0]);
	if (!inside)
		return pid;
	close(made[1]);
	close(mapped[0]);
	if (read(made[0], &byte, 1) != 1) {
		lwt_end(pid);
		pid = -EPERM;
	} else if (map_ids(pid) || write(mapped[1], "x", 1) != 1) {
		lwt_end(pid);
		pid = -EIO;
	}
	close(made[0]);
	close(mapped[1]);
	return pid;
}

/* Of the calls so far that wrote the page: those whose data is read later. */
static unsigned int count_deferred(FIXTURE_DATA(users) *self, unsigned int *all)
{
	unsigned int deferred = 0;
	size_t i;

	*all = 0;
	lwt_read(&self->c.s, &self->c.log);
	for (i = 0; i < self->c.log.nr; i++) {
		struct lw_syscall *r = self->c.log.records[i].call;

		if (r->record.type != LW_RECORD_SYSCALL || r->args[1] != (uintptr_t)self->page)
			continue;
		++*all;
		deferred += !!(r->record.flags & LW_SYSCALL_DATA_DEFERRED);
	}
	return deferred;
}

/* Some of the processes are of ids that nobody was given in namespaces. */
TEST_F_TIMEOUT(users, have_a_share_each, 300)
{
	unsigned int i, all = 0, nr = PROCESSES * THREADS;
	pthread_t own;

	served_withhold(&self->served, FUSE_READ);
	for (i = 0; i < PROCESSES; i++) {
		self->pids[i] = start_process(self, i % 2);
		if (self->pids[i] == -EPERM)
			self->pids[i] = start_process(self, false);
		ASSERT_LT(0, self->pids[i]);
	}
	ASSERT_EQ(0, lwt_enable(self->c.s.fd));
	for (i = 0; i < PROCESSES; i++)
		ASSERT_EQ(1, write(self->start[1], "x", 1));
	ASSERT_TRUE(lwt_wait((count_deferred(self, &all), all == nr)));
	EXPECT_EQ(USER_PLACES, count_deferred(self, &all));
	EXPECT_TRUE(lwt_wait(lwt_stats(self->c.s.fd).waiting == USER_PLACES));
	/* Root's are not taken. */
	ASSERT_EQ(0, pthread_create(&own, NULL, write_page, self->page));
	EXPECT_TRUE(lwt_wait((count_deferred(self, &all), all == nr + 1)));
	EXPECT_EQ(USER_PLACES + 1, count_deferred(self, &all));
	ASSERT_EQ(0, served_answer(&self->served));
	ASSERT_EQ(0, pthread_join(own, NULL));
	for (i = 0; i < PROCESSES; i++) {
		int status;

		ASSERT_EQ(self->pids[i], waitpid(self->pids[i], &status, 0));
		EXPECT_EQ(0, status);
		self->pids[i] = 0;
	}
	EXPECT_TRUE(lwt_wait(!lwt_stats(self->c.s.fd).waiting));
}

/* --- a page that comes and goes */

struct flicker {
	char *pages;			/* two; the second is not always there */
	atomic_uint times;		/* that it went and came */
	atomic_bool stop;
};

static void *unmap_and_map(void *arg)
{
	struct flicker *flicker = arg;
	char *second = flicker->pages + PAGE;

	/* Beside the reader, not between its calls. */
	if (lwt_pin(sysconf(_SC_NPROCESSORS_ONLN) > 1))
		return NULL;
	while (!flicker->stop) {
		munmap(second, PAGE);
		sched_yield();
		if (mmap(second, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != second)
			return NULL;
		memcpy(second, "second", 6);
		flicker->times++;
		sched_yield();
	}
	return arg;
}

/* What was read of write(-1, ..., 11). */
struct halves {
	unsigned int nr;
	unsigned int whole;
	unsigned int half;	/* without their second page */
	unsigned int wrong;
};

static bool has_first(const struct lw_syscall_data *d)
{
	return d->len >= 5 && !memcmp(d + 1, "first", 5);
}

/* Adds what is in the rings. */
static void add_halves(struct calls *c, struct halves *halves)
{
	struct lw_syscall_data *d;
	size_t i;

	halves->wrong += lwt_read(&c->s, &c->log) < 0;
	for (i = 0; i < c->log.nr; i++) {
		struct lw_syscall *r = c->log.records[i].call;

		if (r->record.type != LW_RECORD_SYSCALL || r->nr != SYS_write ||
		    (int)r->args[0] != -1)
			continue;
		halves->nr++;
		d = calls_data(r, 0);
		if (d->flags & LW_DATA_F_MISSING)
			d = calls_deferred(c, r);
		if (!d) {
			halves->wrong++;
		} else if (d->flags & LW_DATA_F_FAULT) {
			halves->half++;
			halves->wrong += !calls_holds(d, "first", 5);
		} else {
			halves->whole++;
			halves->wrong += d->len != 11 || !has_first(d);
		}
	}
	lwt_log_free(&c->log);
}

/* Across two pages of which one may not be there: never no record. */
TEST_F_TIMEOUT(waits, not_for_a_page_that_another_thread_unmaps, 100)
{
	struct flicker flicker = {};
	struct halves halves = {};
	struct calls *c = &self->c;
	unsigned int calls = 0;
	pthread_t thread;
	void *ret;

	flicker.pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, flicker.pages);
	memcpy(flicker.pages + PAGE - 5, "first", 5);
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(0, pthread_create(&thread, NULL, unmap_and_map, &flicker));
	/* The other CPU may not be running for long: until it was, often enough. */
	while (!halves.wrong && (calls < UNMAPS || flicker.times < UNMAPS / 10 ||
				 !halves.whole || !halves.half)) {
		syscall(SYS_write, -1, flicker.pages + PAGE - 5, 11);
		if (++calls % 100 == 0)
			add_halves(c, &halves);
		sched_yield();
	}
	flicker.stop = true;
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_NE(NULL, ret);
	add_halves(c, &halves);
	TH_LOG("%u whole, %u without their second page", halves.whole, halves.half);
	EXPECT_EQ(0, halves.wrong);
	EXPECT_EQ(calls, halves.nr);
	EXPECT_EQ(calls, halves.whole + halves.half);
	EXPECT_EQ(halves.half, lwt_stats(c->s.fd).data_faults);
	munmap(flicker.pages, 2 * PAGE);
}

TEST_HARNESS_MAIN
