// SPDX-License-Identifier: GPL-2.0
/*
 * add_code_test.c - sections that a session adds for the code of another process: used until they
 * are dropped, replaced, or gone with their text, their process or their session.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/jit.h"
#include "kselftest_harness.h"

#define PARAMETERS	"/sys/module/latewind/parameters/"
/* Where nothing else is, so that the next program can have it too. */
#define TEXT		((uint8_t *)0x700000000000)
#define LEN		(2 * JIT_PAGE)
#define AFTER_EXEC	"LW_ADD_CODE_AFTER_EXEC"
#define RACE_NS		(lwt_count(3000, 500) * 1000000ULL)

enum command { ASK, MAP_ANEW, REGISTER, UNREGISTER, PIN, EXEC };

/**
 * struct shared - what the test and the process with the code tell each other
 * @ask: of the process
 * @go: raised by the test for each command
 * @done: what @go was when the last command was done
 * @command: what to do
 * @function: with which function
 * @ret: what came of it
 * @fd: the session
 * @memory: a file of all of this
 */
struct shared {
	struct jit_ask ask;
	unsigned int go, done;
	enum command command;
	unsigned int function;
	int ret;
	int fd, memory;
};

FIXTURE(code)
{
	struct asker a;
	struct shared *shared;
	uint8_t table[1024];
	pid_t pid;			/* of the process with the code */
	int fd;
};

static void exec_again(struct shared *shared)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", shared->memory);
	setenv(AFTER_EXEC, text, 1);
	execl("/proc/self/exe", "add_code_test", NULL);
	_exit(1);
}

static void run_command(struct shared *shared)
{
	uint8_t *code = TEXT + shared->function * JIT_STRIDE;

	switch (shared->command) {
	case ASK:
		shared->ask.fd = shared->fd;
		jit_ask(&shared->ask, code);
		break;
	case MAP_ANEW:
		shared->ret = jit_map(TEXT, LEN) != TEXT;
		break;
	case REGISTER:
		shared->ret = jit_add(shared->fd, code, 1);
		break;
	case UNREGISTER:
		shared->ret = jit_remove(shared->fd, code, 1);
		break;
	case PIN:
		shared->ret = lwt_pin(0);
		break;
	case EXEC:
		exec_again(shared);
	}
}

/* The process with the code. */
static void serve(struct shared *shared)
{
	unsigned int go;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (jit_map(TEXT, LEN) != TEXT)
		_exit(1);
	/* After EXEC this is what was asked for. */
	__atomic_store_n(&shared->done, shared->go, __ATOMIC_RELEASE);
	for (;;) {
		go = __atomic_load_n(&shared->go, __ATOMIC_ACQUIRE);
		if (go == shared->done) {
			lwt_pause();
			continue;
		}
		run_command(shared);
		__atomic_store_n(&shared->done, go, __ATOMIC_RELEASE);
	}
}

static __attribute__((constructor)) void run_after_exec(void)
{
	const char *memory = getenv(AFTER_EXEC);
	struct shared *shared;

	if (!memory)
		return;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(memory), 0);
	if (shared == MAP_FAILED)
		_exit(1);
	serve(shared);
}

static int command(FIXTURE_DATA(code) *self, enum command command, unsigned int function)
{
	struct shared *shared = self->shared;

	shared->command = command;
	shared->function = function;
	shared->ret = 0;
	__atomic_store_n(&shared->go, shared->go + 1, __ATOMIC_RELEASE);
	return lwt_wait(__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) == shared->go) ?
	       shared->ret : -ETIMEDOUT;
}

FIXTURE_SETUP(code)
{
	struct shared *shared;
	int memory = memfd_create("shared", 0);

	ASSERT_EQ(0, asker_open(&self->a));
	self->fd = self->a.s.fd;
	if (!(lwt_features(self->fd) & LW_FEATURE_CODE))
		SKIP(return, "no LW_FEATURE_CODE on this kernel");
	ASSERT_LE(0, memory);
	ASSERT_EQ(0, ftruncate(memory, sizeof(*shared)));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	ASSERT_NE(MAP_FAILED, shared);
	self->shared = shared;
	shared->memory = memory;
	shared->go = 1;
	/* Open after EXEC, too. */
	shared->fd = fcntl(self->fd, F_DUPFD, 0);
	ASSERT_LE(0, shared->fd);
	self->pid = fork();
	ASSERT_LE(0, self->pid);
	if (!self->pid)
		serve(shared);
	ASSERT_TRUE(lwt_wait(__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) == 1));
}

FIXTURE_TEARDOWN(code)
{
	lwt_end(self->pid);
	if (self->shared) {
		close(self->shared->fd);
		close(self->shared->memory);
	}
	asker_close(&self->a);
	EXPECT_EQ(0, lwt_tainted());
}

static struct lwt_stack *stack_of(FIXTURE_DATA(code) *self, unsigned int function)
{
	if (command(self, ASK, function) || self->shared->ask.ret < 0)
		return NULL;
	lwt_log_free(&self->a.log);
	if (lwt_read(&self->a.s, &self->a.log) < 0)
		return NULL;
	return lwt_find_stack(&self->a.log, &self->shared->ask.request.cookie);
}

static bool is_exact(FIXTURE_DATA(code) *self, unsigned int function)
{
	return jit_is_exact(stack_of(self, function), &self->shared->ask);
}

static bool is_lost(FIXTURE_DATA(code) *self, unsigned int function)
{
	return jit_is_lost(stack_of(self, function), &self->shared->ask);
}

/* @len: of the section in self->table; 0: drop */
static struct lw_code code_of(FIXTURE_DATA(code) *self, unsigned int from, unsigned int nr,
			      size_t len)
{
	return (struct lw_code) {
		.size = sizeof(struct lw_code),
		.pid = self->pid,
		.addr = len ? (uintptr_t)self->table : 0,
		.len = len,
		.text_start = (uintptr_t)TEXT + from * JIT_STRIDE,
		.text_size = nr * JIT_STRIDE,
	};
}

static int call(int fd, struct lw_code code)
{
	return lwt_ioctl(fd, LW_IOC_ADD_CODE, &code);
}

/* For functions from @from on. */
static int add(FIXTURE_DATA(code) *self, int fd, unsigned int from, unsigned int nr)
{
	size_t len = jit_table(self->table, 2, 0, 0, nr);

	return call(fd, code_of(self, from, nr, len));
}

static int drop(FIXTURE_DATA(code) *self, unsigned int from, unsigned int nr)
{
	return call(self->fd, code_of(self, from, nr, 0));
}

/* Return: the number of the memory, or 0. */
static uint64_t memory_of(FIXTURE_DATA(code) *self)
{
	struct lw_code code = { .size = sizeof(code), .pid = self->pid };

	return lwt_ioctl(self->fd, LW_IOC_ADD_CODE, &code) ? 0 : code.memory;
}

TEST_F(code, is_used_from_add_to_drop)
{
	EXPECT_TRUE(is_lost(self, 0));
	ASSERT_EQ(0, add(self, self->fd, 0, 1));
	EXPECT_TRUE(is_exact(self, 0));
	/* Of the function behind it nothing was said. */
	EXPECT_TRUE(is_lost(self, 1));
	EXPECT_EQ(0, drop(self, 0, 1));
	EXPECT_TRUE(is_lost(self, 0));
	EXPECT_EQ(0, drop(self, 0, 1));
	EXPECT_EQ(0, add(self, self->fd, 0, 2));
	EXPECT_TRUE(is_exact(self, 0));
	EXPECT_TRUE(is_exact(self, 1));
}

/* As a JIT uses its memory again. */
TEST_F(code, replaces_what_it_overlaps)
{
	ASSERT_EQ(0, add(self, self->fd, 0, 2));
	ASSERT_EQ(0, add(self, self->fd, 2, 1));
	ASSERT_EQ(0, add(self, self->fd, 1, 1));
	EXPECT_TRUE(is_lost(self, 0));
	EXPECT_TRUE(is_exact(self, 1));
	EXPECT_TRUE(is_exact(self, 2));
	ASSERT_EQ(0, drop(self, 0, 100));
	EXPECT_TRUE(is_lost(self, 1));
	EXPECT_TRUE(is_lost(self, 2));
}

TEST_F(code, of_the_process_itself_comes_first)
{
	size_t len = jit_table(self->table, 2, 0, JIT_STRIDE, 1);

	/* It is for two functions, and has rows for the second. */
	ASSERT_EQ(0, call(self->fd, code_of(self, 0, 2, len)));
	EXPECT_TRUE(is_lost(self, 0));
	ASSERT_EQ(0, command(self, REGISTER, 0));
	EXPECT_TRUE(is_exact(self, 0));
	EXPECT_TRUE(is_exact(self, 1));
	/* Each has its own: neither drops what the other has. */
	ASSERT_EQ(0, drop(self, 0, 2));
	EXPECT_TRUE(is_exact(self, 0));
	EXPECT_TRUE(is_lost(self, 1));
	ASSERT_EQ(0, call(self->fd, code_of(self, 0, 2, len)));
	ASSERT_EQ(0, command(self, UNREGISTER, 0));
	EXPECT_TRUE(is_lost(self, 0));
	EXPECT_TRUE(is_exact(self, 1));
}

TEST_F(code, costs_the_process_nothing)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", self->pid);
	ASSERT_EQ(0, lwt_proc_kib(path, "VmPin"));
	ASSERT_EQ(0, add(self, self->fd, 0, 1));
	EXPECT_EQ(0, lwt_proc_kib(path, "VmPin"));
	ASSERT_EQ(0, command(self, REGISTER, 1));
	EXPECT_LT(0, lwt_proc_kib(path, "VmPin"));
}

TEST_F(code, ends_with_munmap)
{
	ASSERT_EQ(0, add(self, self->fd, 0, 1));
	ASSERT_TRUE(is_exact(self, 0));
	ASSERT_EQ(0, command(self, MAP_ANEW, 0));
	EXPECT_TRUE(is_lost(self, 0));
	ASSERT_EQ(0, add(self, self->fd, 0, 1));
	EXPECT_TRUE(is_exact(self, 0));
}

/* Who has read what the old program wrote does not add it to the new one. */
TEST_F(code, ends_with_exec)
{
	uint64_t memory = memory_of(self);
	size_t len = jit_table(self->table, 2, 0, 0, 1);
	struct lw_code code = code_of(self, 0, 1, len);

	ASSERT_NE(0, memory);
	EXPECT_EQ(memory, memory_of(self));
	code.memory = memory;
	ASSERT_EQ(0, call(self->fd, code));
	ASSERT_TRUE(is_exact(self, 0));
	ASSERT_EQ(0, command(self, EXEC, 0));
	EXPECT_TRUE(is_lost(self, 0));
	EXPECT_EQ(-ESRCH, call(self->fd, code));
	EXPECT_TRUE(is_lost(self, 0));
	code.memory = memory_of(self);
	EXPECT_NE(0, code.memory);
	EXPECT_NE(memory, code.memory);
	ASSERT_EQ(0, call(self->fd, code));
	EXPECT_TRUE(is_exact(self, 0));
}

TEST_F(code, ends_with_the_process)
{
	uint64_t memory = memory_of(self);

	ASSERT_NE(0, memory);
	ASSERT_EQ(0, add(self, self->fd, 0, 1));
	ASSERT_EQ(0, kill(self->pid, SIGKILL));
	ASSERT_EQ(0, waitid(P_PID, self->pid, &(siginfo_t){}, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, add(self, self->fd, 0, 1));
	ASSERT_EQ(self->pid, waitpid(self->pid, NULL, 0));
	EXPECT_EQ(-ESRCH, add(self, self->fd, 0, 1));
	self->pid = 0;
}

/* And with no other one, whose sections are used by all the same. */
TEST_F(code, ends_with_its_session)
{
	int other = lwt_open();

	ASSERT_LE(0, other);
	/* So that each walk knows what the one before has found. */
	ASSERT_EQ(0, command(self, PIN, 0));
	/* Without LW_IOC_SETUP. */
	ASSERT_EQ(0, add(self, other, 0, 1));
	/* The last change is not that of who goes. */
	ASSERT_EQ(0, add(self, self->fd, 1, 1));
	EXPECT_TRUE(is_exact(self, 0));
	EXPECT_TRUE(is_exact(self, 1));
	close(other);
	EXPECT_TRUE(is_lost(self, 0));
	EXPECT_TRUE(is_exact(self, 1));
	/* The number of a session that is gone is that of no other. */
	other = lwt_open();
	ASSERT_EQ(0, add(self, other, 0, 1));
	EXPECT_TRUE(is_exact(self, 0));
	close(other);
	EXPECT_TRUE(is_lost(self, 0));
}

TEST_F(code, may_be_of_the_caller)
{
	struct lw_code code = { .size = sizeof(code), .pid = getpid() };
	struct jit_ask ask;

	ASSERT_EQ(TEXT, jit_map(TEXT, LEN));
	code = code_of(self, 0, 1, jit_table(self->table, 2, 0, 0, 1));
	code.pid = getpid();
	EXPECT_TRUE(jit_is_lost(jit_stack(&self->a, &ask, TEXT), &ask));
	ASSERT_EQ(0, call(self->fd, code));
	EXPECT_TRUE(jit_is_exact(jit_stack(&self->a, &ask, TEXT), &ask));
	ASSERT_EQ(0, munmap(TEXT, LEN));
}

TEST_F(code, says_what_is_wrong)
{
	size_t len = jit_table(self->table, 2, 0, 0, 1);
	const struct lw_code good = code_of(self, 0, 1, len);
	struct lw_code code = good;
	int device = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	int proc = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);

#define EXPECT_ERROR(error, field, value)			\
	do {							\
		code = good;					\
		code.field = value;				\
		EXPECT_EQ(-(error), call(self->fd, code))	\
			TH_LOG(#field " " #value);		\
	} while (0)
	EXPECT_ERROR(EINVAL, pid, 0);
	EXPECT_ERROR(EINVAL, pid, -1);
	EXPECT_ERROR(EINVAL, reserved, 1);
	EXPECT_ERROR(EINVAL, flags, 1);
	EXPECT_ERROR(EINVAL, text_size, 0);
	EXPECT_ERROR(EINVAL, text_size, ~0ULL);
	/* It has a function behind its text. */
	EXPECT_ERROR(EINVAL, text_size, JIT_STRIDE / 2);
	EXPECT_ERROR(EINVAL, len, len - 1);
	EXPECT_ERROR(ENOSPC, len, 1ULL << 31);
	EXPECT_ERROR(EFAULT, addr, 1);
	/* The kernel's threads have no memory, nor has who is not there. */
	EXPECT_ERROR(ESRCH, pid, 2);
	EXPECT_ERROR(ESRCH, pid, 0x3fffffff);
	EXPECT_ERROR(ESRCH, memory, 1);
	EXPECT_ERROR(ESRCH, memory, ~0ULL);
	EXPECT_ERROR(EACCES, text_start, (uintptr_t)TEXT + LEN);
	EXPECT_ERROR(EACCES, text_size, LEN + 1);
	EXPECT_TRUE(is_lost(self, 0));
	EXPECT_EQ(-EBADF, call(device, good));
	EXPECT_EQ(-ENOTTY, call(proc, good));
	/* What fails drops nothing. */
	ASSERT_EQ(0, call(self->fd, good));
	EXPECT_ERROR(EINVAL, len, len - 1);
	EXPECT_ERROR(EACCES, text_size, LEN + 1);
	EXPECT_TRUE(is_exact(self, 0));
	close(device);
	close(proc);
}

static int set_parameter(const char *path, long value, long *old)
{
	FILE *file = fopen(path, "r+");
	int ret = file && fscanf(file, "%ld", old) == 1 ? 0 : -EIO;

	if (!ret) {
		rewind(file);
		fprintf(file, "%ld\n", value);
	}
	return file && fclose(file) ? -errno : ret;
}

/* Of a process and session, and of all. */
TEST_F(code, has_limits)
{
	static const char *const paths[] = { PARAMETERS "section_bytes", PARAMETERS "code_bytes" };
	int fds[] = { self->fd, lwt_open() }, ret;
	unsigned int i, nr;
	long old, other;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, set_parameter(paths[i], 4096, &old));
		for (nr = 0, ret = 0; !ret && nr < 100; nr += !ret)
			ret = add(self, self->fd, nr, 1);
		EXPECT_EQ(-ENOSPC, ret);
		EXPECT_LT(4, nr);
		EXPECT_EQ(i ? -ENOSPC : 0, add(self, fds[1], 0, 1));
		/* What is dropped makes room. */
		EXPECT_EQ(0, drop(self, 0, 1));
		EXPECT_EQ(0, add(self, fds[i], nr, 1));
		EXPECT_EQ(0, drop(self, 0, 100));
		close(fds[1]);
		fds[1] = lwt_open();
		ASSERT_EQ(0, set_parameter(paths[i], old, &other));
	}
	/* Nor does what was refused count. */
	ASSERT_EQ(0, set_parameter(paths[1], 4096, &old));
	EXPECT_EQ(0, add(self, self->fd, 0, 1));
	ASSERT_EQ(0, set_parameter(paths[1], old, &other));
	close(fds[1]);
}

struct racer {
	FIXTURE_DATA(code) *self;
	struct lw_code code;
	unsigned int bad;
	int stop;
};

static void *add_and_drop(void *arg)
{
	struct racer *racer = arg;
	struct lw_code code;
	unsigned int i;
	int ret, fd = lwt_open();

	for (i = 0; !__atomic_load_n(&racer->stop, __ATOMIC_RELAXED); i++) {
		code = racer->code;
		if (i % 4 == 3)
			code.len = 0;
		/* Of a session of its own, now and then. */
		ret = call(i & 4 ? fd : racer->self->fd, code);
		/* MAP_ANEW is under way; or two have added at once. */
		if (ret && ret != -EACCES && ret != -EEXIST && ret != -EAGAIN)
			__atomic_fetch_add(&racer->bad, 1, __ATOMIC_RELAXED);
		if (i % 64 == 63) {
			close(fd);
			fd = lwt_open();
		}
	}
	close(fd);
	return NULL;
}

/* Sections come and go in each way while the process walks: each stack is one of the two. */
TEST_F_TIMEOUT(code, may_go_at_any_time, 120)
{
	size_t len = jit_table(self->table, 2, 0, 0, 1);
	struct racer racer = { .self = self, .code = code_of(self, 0, 1, len) };
	unsigned int i, exact = 0, lost = 0;
	struct lwt_stack *stack;
	uint64_t until = lwt_now() + RACE_NS;
	pthread_t threads[2];

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, add_and_drop, &racer));
	for (i = 0; lwt_now() < until || !exact || !lost; i++) {
		if (i % 16 == 15)
			ASSERT_EQ(0, command(self, MAP_ANEW, 0));
		stack = stack_of(self, 0);
		if (jit_is_exact(stack, &self->shared->ask))
			exact++;
		else if (jit_is_lost(stack, &self->shared->ask))
			lost++;
		else
			__atomic_fetch_add(&racer.bad, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&racer.stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	TH_LOG("%u stacks were whole, %u were not", exact, lost);
	EXPECT_EQ(0, racer.bad);
	ASSERT_EQ(0, drop(self, 0, 1));
	EXPECT_TRUE(is_lost(self, 0));
}

TEST_HARNESS_MAIN
