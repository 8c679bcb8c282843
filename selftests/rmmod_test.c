// SPDX-License-Identifier: GPL-2.0
/*
 * rmmod_test.c - the module can be unloaded at any time when no session is
 * open: under load, with tasks blocked that owe stacks.
 *
 * LATEWIND_KO is the module's file.  It is loaded again at the end.
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
#include "lib/jit.h"
#include "lib/missing.h"
#include "lib/served.h"
#include "kselftest_harness.h"

LWT_DESTRUCTIVE_FILE;

/* Two kinds of them, in turn; LW_RMMOD_ROUNDS asks for more. */
#define ROUNDS		(2 * (int)lwt_count(25, 2))
#define KILLED		((int)lwt_sample(5, 2))
#define NR_BLOCKED	8
/* For how long nobody brings the page. */
#define WHILE_NS	(lwt_long() ? 1000000000ULL : 100000000ULL)

static int unload(void)
{
	return lwt_unload("latewind");
}

static int load(void)
{
	return lwt_load(getenv("LATEWIND_KO") ?: "", "");
}

/* The last close() may still be under way in an exiting process. */
static int unload_when_closed(void)
{
	int ret = -EWOULDBLOCK;

	lwt_wait((ret = unload()) != -EWOULDBLOCK);
	return ret;
}

/* udev's part, if there is no udev: devtmpfs makes the node. */
static bool is_there(void)
{
	return access(LW_DEVICE_PATH, F_OK) == 0;
}

FIXTURE(load)
{
	pid_t load[3];
	pid_t blocked[NR_BLOCKED];
	int pipe[2];
	bool loaded;
};

static pid_t run_for_ever(void (*work)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		work();
}

static void burn(void)
{
	asm volatile("" : : : "memory");
}

static void call(void)
{
	syscall(SYS_getppid);
	sched_yield();
}

static void multiply(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

FIXTURE_SETUP(load)
{
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	self->loaded = true;
	self->load[0] = run_for_ever(burn);
	self->load[1] = run_for_ever(call);
	self->load[2] = run_for_ever(multiply);
}

FIXTURE_TEARDOWN(load)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(self->load); i++)
		lwt_end(self->load[i]);
	if (!self->loaded)
		load();
}

/* Blocked in read(); exits with 0 when the pipe's writer is gone. */
static pid_t run_blocked(const int *pipe, struct lwt_session *s)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(s);
	close(pipe[1]);
	_exit(syscall(SYS_read, pipe[0], &byte, 1) == 0 ? 0 : 1);
}

/*
 * Of all tasks, and a probe of all system calls; where that unwinds in place nobody
 * would owe a stack, so it does not ask for one.
 */
static int add_events(int fd)
{
	struct lw_add_syscall all = {
		.size = sizeof(all),
		.flags = BOTH,
		.nr = LW_SYSCALL_ANY,
	};
	struct perf_event_attr clock = lwt_attr_cpu_clock(1000000);
	struct perf_event_attr calls =
		lwt_attr_tracepoint("raw_syscalls/sys_enter");

	return lwt_add_event(fd, &clock, LW_TARGET_CPUS, 0, NULL) ?:
	       lwt_add_event(fd, &calls, LW_TARGET_CPUS, 0, NULL) ?:
	       lwt_ioctl(fd, LW_IOC_ADD_SYSCALL, &all) ?:
	       lwt_enable(fd);
}

static bool block_tasks(FIXTURE_DATA(load) *self, struct lwt_session *s)
{
	int i;

	for (i = 0; i < NR_BLOCKED; i++)
		self->blocked[i] = run_blocked(self->pipe, s);
	return lwt_wait(lwt_stats(s->fd).pending >= NR_BLOCKED);
}

/* Return: tasks that did not end as they should. */
static int unblock_tasks(FIXTURE_DATA(load) *self)
{
	int i, status, bad = 0;

	close(self->pipe[1]);
	close(self->pipe[0]);
	for (i = 0; i < NR_BLOCKED; i++)
		bad += waitpid(self->blocked[i], &status, 0) < 0 || status;
	return bad;
}

static int rounds(void)
{
	const char *text = getenv("LW_RMMOD_ROUNDS");

	return text ? atoi(text) : ROUNDS;
}

/* Whoever asks for more rounds bounds the time. */
TEST_F_TIMEOUT(load, is_unloaded_again_and_again, 3600)
{
	struct lwt_session s;
	uint64_t begun, worst = 0;
	int round, i;

	if (!getenv("LATEWIND_KO"))
		return;
	for (round = 0; round < rounds(); round++) {
		ASSERT_EQ(0, pipe(self->pipe));
		ASSERT_EQ(0, lwt_session_open(&s, 65536, 0, 16));
		ASSERT_EQ(0, add_events(s.fd));
		/* After that only the load owes stacks, which is quicker. */
		if (round < ROUNDS) {
			ASSERT_TRUE(block_tasks(self, &s));
		}
		/* Samples are taken while it is closed. */
		lwt_session_close(&s);

		begun = lwt_now();
		ASSERT_EQ(0, unload_when_closed());
		self->loaded = false;
		begun = lwt_now() - begun;
		worst = begun > worst ? begun : worst;
		EXPECT_FALSE(is_there());
		/* It waits for nobody who is blocked: they are so still. */
		for (i = 0; i < NR_BLOCKED && round < ROUNDS; i++) {
			EXPECT_EQ(0, waitpid(self->blocked[i], NULL, WNOHANG));
		}
		if (round >= ROUNDS) {
			close(self->pipe[0]);
			close(self->pipe[1]);
			ASSERT_EQ(0, load());
		} else if (round % 2) {
			/* They go on without the module or with the next. */
			EXPECT_EQ(0, unblock_tasks(self));
			ASSERT_EQ(0, load());
		} else {
			ASSERT_EQ(0, load());
			EXPECT_EQ(0, unblock_tasks(self));
		}
		self->loaded = true;
		ASSERT_TRUE(lwt_wait(is_there()));
		ASSERT_EQ(0, lwt_tainted());
	}
	printf("# took %llu ms at most\n", (unsigned long long)worst / 1000000);
}

TEST_F(load, is_not_unloaded_with_a_session_open)
{
	struct lwt_session s;

	if (!getenv("LATEWIND_KO"))
		return;
	ASSERT_EQ(0, lwt_session_open(&s, 65536, 0, 0));
	EXPECT_EQ(-EWOULDBLOCK, unload());
	/* A mapping is as good as the descriptor. */
	close(s.fd);
	s.fd = -1;
	EXPECT_EQ(-EWOULDBLOCK, unload());
	lwt_session_close(&s);
}

/* As above, by exit of the tracer and without any time in between. */
TEST_F_TIMEOUT(load, is_unloaded_behind_a_killed_tracer, 60)
{
	int i, ready[2];
	pid_t tracer;
	char byte;

	if (!getenv("LATEWIND_KO"))
		return;
	for (i = 0; i < KILLED; i++) {
		ASSERT_EQ(0, pipe(ready));
		tracer = fork();
		ASSERT_LE(0, tracer);
		if (!tracer) {
			struct lwt_session s;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (lwt_session_open(&s, 65536, 0, 16) ||
			    add_events(s.fd) ||
			    !lwt_wait(lwt_stats(s.fd).samples > 20) ||
			    write(ready[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		close(ready[0]);
		kill(tracer, SIGKILL);
		ASSERT_EQ(tracer, waitpid(tracer, NULL, 0));
		ASSERT_EQ(0, unload_when_closed());
		self->loaded = false;
		ASSERT_EQ(0, load());
		self->loaded = true;
		ASSERT_TRUE(lwt_wait(is_there()));
	}
	EXPECT_EQ(0, lwt_tainted());
}

static void *write_missing(void *arg)
{
	struct missing *missing = arg;

	syscall(SYS_write, -1, missing->page, 8);
	return arg;
}

static void *unload_in_thread(void *arg)
{
	*(int *)arg = unload();
	return arg;
}

/* Return: is it on its way out. */
static bool is_unloading(void)
{
	char line[256], state[32];
	FILE *file = fopen("/proc/modules", "r");
	bool unloading = false;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "latewind %*d %*d %*s %31s", state) == 1)
			unloading = !strcmp(state, "Unloading");
	if (file)
		fclose(file);
	return unloading;
}

/* Whose data it reads, with its own code: it can't go before that. */
TEST_F_TIMEOUT(load, waits_for_a_call_that_waits_for_a_page, 60)
{
	const struct lw_syscall_arg buffer = {
		.arg = 1,
		.kind = LW_DATA_BUFFER,
		.when = LW_SYSCALL_ENTRY,
		.count = 2,
		.max = 64,
	};
	struct missing missing;
	pthread_t writer, unloader;
	struct calls c;
	int unloaded = 1;
	uint64_t since;
	void *ret;

	if (!getenv("LATEWIND_KO"))
		return;
	ASSERT_EQ(0, missing_init(&missing));
	ASSERT_EQ(0, calls_open(&c, 65536));
	ASSERT_EQ(0, calls_add(&c, SYS_write, LW_SYSCALL_ENTRY, &buffer, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c.s.fd));
	ASSERT_EQ(0, pthread_create(&writer, NULL, write_missing, &missing));
	ASSERT_TRUE(missing_is_waited_for(&missing));
	calls_close(&c);
	ASSERT_EQ(0, pthread_create(&unloader, NULL, unload_in_thread, &unloaded));
	EXPECT_TRUE(lwt_wait(is_unloading()));
	/* For as long as nobody brings the page; here, a while. */
	since = lwt_now();
	while (lwt_now() - since < WHILE_NS && pthread_tryjoin_np(unloader, &ret))
		lwt_pause();
	EXPECT_LE(WHILE_NS, lwt_now() - since);
	ASSERT_EQ(0, missing_bring(&missing, "it comes", 8));
	ASSERT_EQ(0, pthread_join(writer, &ret));
	ASSERT_EQ(0, pthread_join(unloader, &ret));
	self->loaded = unloaded;
	EXPECT_EQ(0, unloaded);
	ASSERT_EQ(0, load());
	self->loaded = true;
	ASSERT_TRUE(lwt_wait(is_there()));
	missing_free(&missing);
	EXPECT_EQ(0, lwt_tainted());
}

/* --- beside programs that wait for a server of files (FUSE) */

/* Return: has it ended?  rmmod runs in @thread, and says in the int that it was given. */
static bool ends(pthread_t thread)
{
	return lwt_wait(!pthread_tryjoin_np(thread, NULL));
}

/* A call that waits for its own path, and owes a stack and that path. */
static pid_t open_served_path(struct lwt_session *s)
{
	char *page = served_map(served_open(O_RDWR), PROT_READ | PROT_WRITE, MAP_SHARED);
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(s);
	_exit(!page || calls_openat(page) != -1 || errno != ENOENT);
}

TEST_F_TIMEOUT(load, does_not_wait_for_a_call_that_waits_for_its_path, 300)
{
	struct served served;
	struct calls c = {};
	pthread_t unloader;
	int unloaded = 1, status, ret;
	bool ended;
	pid_t pid;

	if (!getenv("LATEWIND_KO"))
		return;
	ret = served_init(&served);
	if (ret == -ENOENT || ret == -ENODEV)
		SKIP(return, SERVED_MISSING);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, lwt_session_open(&c.s, 65536, 16, 0));
	ASSERT_EQ(0, calls_add(&c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c.s.fd));
	served_withhold(&served, FUSE_READ);
	pid = open_served_path(&c.s);
	ASSERT_LT(0, pid);
	ASSERT_TRUE(served_is_waited_for(&served));
	EXPECT_LE(1, lwt_stats(c.s.fd).pending);
	lwt_session_close(&c.s);
	ASSERT_EQ(0, pthread_create(&unloader, NULL, unload_in_thread, &unloaded));
	ended = ends(unloader);
	EXPECT_TRUE(ended);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	ASSERT_EQ(0, served_answer(&served));
	if (!ended)
		pthread_join(unloader, NULL);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	self->loaded = unloaded;
	EXPECT_EQ(0, unloaded);
	ASSERT_EQ(0, load());
	self->loaded = true;
	ASSERT_TRUE(lwt_wait(is_there()));
	served_free(&served);
	EXPECT_EQ(0, lwt_tainted());
}

/**
 * struct locker - a process with a thread that waits with mmap_lock, and one that registers
 * @locking: the first thread
 * @locked: it waits
 * @calls: that the second has made and that gave up
 * @last: what its last one said
 */
struct locker {
	atomic_int locking;
	atomic_bool locked;
	atomic_uint calls;
	int last;
};

/*
 * The kernel waits for the page that is read, to drop it, as a file that keeps no pages is
 * mapped.  By then the process may not touch memory that it has not touched before.
 */
static void *map_with_lock(void *arg)
{
	struct locker *locker = arg;
	int fd = served_open(O_RDONLY | O_DIRECT);

	locker->locking = gettid();
	served_map(fd, PROT_READ, MAP_PRIVATE);
	return arg;
}

static void register_beside_lock(struct locker *locker)
{
	int proc = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);
	uint8_t *text = jit_map(NULL, JIT_PAGE);
	pthread_t thread;

	/* Has all in memory that it touches. */
	jit_add(-1, text, 1);
	if (proc < 0 || pthread_create(&thread, NULL, map_with_lock, locker))
		_exit(1);
	while (!locker->locked)
		sched_yield();
	while ((locker->last = jit_add(proc, text, 1)) == -EAGAIN)
		locker->calls++;
	pthread_join(thread, NULL);
	_exit(0);
}

static pid_t run_locker(struct locker *locker)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		register_beside_lock(locker);
	}
	return pid;
}

/* Reads of the file, whose page is locked meanwhile. */
static pid_t run_reader(void)
{
	pid_t pid = fork();
	char byte;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(pread(served_open(O_RDONLY), &byte, 1, 0) != 1);
	}
	return pid;
}

TEST_F_TIMEOUT(load, does_not_wait_for_a_lock_of_a_process_that_registers, 300)
{
	struct served served;
	struct locker *locker;
	pid_t reader, pid;
	pthread_t unloader;
	int unloaded = 1, status, ret;
	bool ended;

	if (!getenv("LATEWIND_KO"))
		return;
	ret = served_init(&served);
	if (ret == -ENOENT || ret == -ENODEV)
		SKIP(return, SERVED_MISSING);
	ASSERT_EQ(0, ret);
	locker = mmap(NULL, sizeof(*locker), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, locker);
	served_withhold(&served, FUSE_READ);
	reader = run_reader();
	ASSERT_TRUE(served_is_waited_for(&served));
	pid = run_locker(locker);
	ASSERT_TRUE(lwt_wait(locker->locking && lwt_is(locker->locking, "D")));
	locker->locked = true;
	/* It gives up by itself, and when the module goes. */
	EXPECT_TRUE(lwt_wait(locker->calls));
	ASSERT_EQ(0, pthread_create(&unloader, NULL, unload_in_thread, &unloaded));
	ended = ends(unloader);
	EXPECT_TRUE(ended);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_TRUE(lwt_is(locker->locking, "D"));
	ASSERT_EQ(0, served_answer(&served));
	if (!ended)
		pthread_join(unloader, NULL);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(reader, waitpid(reader, &status, 0));
	EXPECT_EQ(0, status);
	/* The second if it came to the file of /proc when that was gone. */
	EXPECT_TRUE(locker->last == -ENODEV || locker->last == -ENOTTY)
		TH_LOG("it says %d", locker->last);
	self->loaded = unloaded;
	EXPECT_EQ(0, unloaded);
	ASSERT_EQ(0, load());
	self->loaded = true;
	ASSERT_TRUE(lwt_wait(is_there()));
	munmap(locker, sizeof(*locker));
	served_free(&served);
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
