// SPDX-License-Identifier: GPL-2.0
/*
 * registered_life_test.c - how long a registered section lives: as long as its text
 * does, in each process that has it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/jit.h"
#include "lib/lwm.h"
#include "kselftest_harness.h"

#include "../lib/liblatewind.h"

/* Where nothing else is, so that the next program can have it too. */
#define FIXED		((void *)0x700000000000)
#define AFTER_EXEC	"LW_REGISTERED_AFTER_EXEC"

#define NR_MANY		4000
/* And until each kind of thread has done something. */
#define STRESS_NS	(lwt_sample(4000, 1000) * 1000000ULL)

/**
 * struct shared - what processes tell each other
 * @ask: of a child
 * @go: what it may do
 * @done: what it has done
 */
struct shared {
	struct jit_ask ask[4];
	int go;
	int done;
};

FIXTURE(life)
{
	struct asker a;
	struct jit_ask ask;
	struct shared *shared;
	uint8_t *text;			/* four pages, all registered */
	int fd;
	int proc;			/* LW_PROC_PATH */
	pid_t child;
};

#define PAGES		4
#define LEN		(PAGES * JIT_PAGE)
#define FUNCTIONS	(LEN / JIT_STRIDE)

static bool has_sections(int fd)
{
	return lwt_features(fd) & LW_FEATURE_SECTIONS;
}

FIXTURE_SETUP(life)
{
	ASSERT_EQ(0, asker_open(&self->a));
	self->fd = self->a.s.fd;
	if (!has_sections(self->fd))
		SKIP(return, "no LW_FEATURE_SECTIONS on this kernel");
	self->proc = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->proc);
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->text = jit_map(NULL, LEN);
	ASSERT_NE(NULL, self->text);
	ASSERT_EQ(0, jit_add(self->fd, self->text, FUNCTIONS));
}

FIXTURE_TEARDOWN(life)
{
	lwt_end(self->child);
	if (self->text)
		munmap(self->text, LEN);
	if (self->a.s.fd >= 0)
		asker_close(&self->a);
	close(self->proc);
	EXPECT_EQ(0, lwt_tainted());
}

static bool is_exact(FIXTURE_DATA(life) *self, void *code)
{
	return jit_is_exact(jit_stack(&self->a, &self->ask, code), &self->ask);
}

static bool is_lost(FIXTURE_DATA(life) *self, void *code)
{
	return jit_is_lost(jit_stack(&self->a, &self->ask, code), &self->ask);
}

/* What another process has asked. */
static struct lwt_stack *answer(FIXTURE_DATA(life) *self, unsigned int i)
{
	struct jit_ask *ask = &self->shared->ask[i];

	return ask->ret < 0 || !ask->request.cookie.counter ?
	       NULL : lwt_find_stack(&self->a.log, &ask->request.cookie);
}

/* Reads what is there, for answer(). */
static int read_answers(FIXTURE_DATA(life) *self)
{
	lwt_log_free(&self->a.log);
	return lwt_read(&self->a.s, &self->a.log);
}

static bool was_exact(FIXTURE_DATA(life) *self, unsigned int i)
{
	return jit_is_exact(answer(self, i), &self->shared->ask[i]);
}

static bool was_lost(FIXTURE_DATA(life) *self, unsigned int i)
{
	return jit_is_lost(answer(self, i), &self->shared->ask[i]);
}

/* In a child. */
static void ask_as(FIXTURE_DATA(life) *self, unsigned int i, void *code)
{
	self->shared->ask[i].fd = self->fd;
	jit_ask(&self->shared->ask[i], code);
}

/* Return: exit status. */
static int reap(FIXTURE_DATA(life) *self)
{
	int status = -1;

	if (waitpid(self->child, &status, 0) != self->child)
		status = -1;
	self->child = 0;
	return status;
}

/* Processes tell each other, by memory, as they share a session. */
static void tell(int *what, int value)
{
	__atomic_store_n(what, value, __ATOMIC_RELEASE);
}

static bool hear(int *what, int value)
{
	return lwt_wait(__atomic_load_n(what, __ATOMIC_ACQUIRE) >= value);
}

TEST_F(life, ends_with_munmap)
{
	ASSERT_TRUE(is_exact(self, self->text));
	ASSERT_EQ(0, munmap(self->text, LEN));
	ASSERT_EQ(self->text, jit_map(self->text, LEN));
	EXPECT_TRUE(is_lost(self, self->text));
	EXPECT_EQ(-ENOENT, jit_remove(self->fd, self->text, FUNCTIONS));
	EXPECT_EQ(0, jit_add(self->fd, self->text, FUNCTIONS));
	EXPECT_TRUE(is_exact(self, self->text));
}

/* The whole section goes, wherever its text has a hole. */
TEST_F(life, ends_with_munmap_of_any_part)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		ASSERT_EQ(0, munmap(self->text + i * JIT_PAGE, JIT_PAGE));
		EXPECT_TRUE(is_lost(self, self->text + (i ? 0 : JIT_PAGE)))
			TH_LOG("page %u", i);
		ASSERT_EQ(self->text + i * JIT_PAGE,
			  jit_map(self->text + i * JIT_PAGE, JIT_PAGE));
		EXPECT_TRUE(is_lost(self, self->text + i * JIT_PAGE));
		ASSERT_EQ(0, jit_add(self->fd, self->text, FUNCTIONS));
	}
}

/* And no other. */
TEST_F(life, is_not_touched_by_munmap_of_others)
{
	unsigned int a_page = JIT_PAGE / JIT_STRIDE, i;

	ASSERT_EQ(0, jit_remove(self->fd, self->text, FUNCTIONS));
	for (i = 0; i < PAGES; i++)
		ASSERT_EQ(0, jit_add(self->fd, self->text + i * JIT_PAGE, a_page));
	ASSERT_EQ(0, munmap(self->text + JIT_PAGE, JIT_PAGE));
	ASSERT_EQ(self->text + JIT_PAGE, jit_map(self->text + JIT_PAGE, JIT_PAGE));
	for (i = 0; i < PAGES; i++) {
		uint8_t *at = self->text + i * JIT_PAGE;

		EXPECT_EQ(i != 1, is_exact(self, at));
		EXPECT_EQ(i != 1, is_exact(self, at + JIT_PAGE - JIT_STRIDE));
	}
}

TEST_F(life, ends_with_a_mapping_over_it)
{
	ASSERT_EQ(self->text + JIT_PAGE, jit_map(self->text + JIT_PAGE, JIT_PAGE));
	EXPECT_TRUE(is_lost(self, self->text));
	EXPECT_TRUE(is_lost(self, self->text + JIT_PAGE));
}

TEST_F(life, ends_with_a_mapping_moved_over_it)
{
	uint8_t *other = jit_map(NULL, JIT_PAGE);

	ASSERT_NE(NULL, other);
	ASSERT_EQ(self->text, mremap(other, JIT_PAGE, JIT_PAGE,
				     MREMAP_MAYMOVE | MREMAP_FIXED, self->text));
	EXPECT_TRUE(is_lost(self, self->text));
	EXPECT_TRUE(is_lost(self, self->text + JIT_PAGE));
}

TEST_F(life, ends_with_mremap)
{
	uint8_t *other = mmap(NULL, LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);

	ASSERT_NE(MAP_FAILED, other);
	ASSERT_EQ(other, mremap(self->text, LEN, LEN,
				MREMAP_MAYMOVE | MREMAP_FIXED, other));
	EXPECT_TRUE(is_lost(self, other));
	ASSERT_EQ(self->text, jit_map(self->text, LEN));
	EXPECT_TRUE(is_lost(self, self->text));
	munmap(other, LEN);
}

TEST_F(life, ends_with_mremap_that_leaves_the_mapping)
{
	uint8_t *other = mremap(self->text, LEN, LEN,
				MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);

	ASSERT_NE(MAP_FAILED, other);
	EXPECT_TRUE(is_lost(self, other));
	jit_fill(self->text, LEN);
	EXPECT_TRUE(is_lost(self, self->text));
	munmap(other, LEN);
}

TEST_F(life, ends_with_mremap_that_shrinks)
{
	ASSERT_EQ(self->text, mremap(self->text, LEN, LEN - JIT_PAGE, 0));
	EXPECT_TRUE(is_lost(self, self->text));
	EXPECT_EQ(-EACCES, jit_add(self->fd, self->text, FUNCTIONS));
}

/* As a JIT does that never has memory writable and executable. */
TEST_F(life, does_not_end_with_mprotect_and_the_like)
{
	ASSERT_EQ(0, mprotect(self->text, LEN, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mprotect(self->text, LEN, PROT_READ | PROT_EXEC));
	EXPECT_TRUE(is_exact(self, self->text));
	ASSERT_EQ(0, mprotect(self->text + JIT_PAGE, JIT_PAGE, PROT_NONE));
	EXPECT_TRUE(is_exact(self, self->text));
	ASSERT_EQ(0, mprotect(self->text, LEN, PROT_READ | PROT_WRITE | PROT_EXEC));
	ASSERT_EQ(0, madvise(self->text, LEN, MADV_DONTNEED));
	jit_fill(self->text, LEN);
	EXPECT_TRUE(is_exact(self, self->text));
}

TEST_F(life, text_may_be_of_a_file)
{
	int fd = memfd_create("jit", 0);
	uint8_t *rw, *rx;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, LEN));
	rw = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	rx = mmap(NULL, LEN, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, rw);
	ASSERT_NE(MAP_FAILED, rx);
	jit_fill(rw, LEN);
	EXPECT_TRUE(is_lost(self, rx));
	ASSERT_EQ(0, jit_add(self->fd, rx, FUNCTIONS));
	EXPECT_TRUE(is_exact(self, rx));
	ASSERT_EQ(0, munmap(rw, LEN));
	EXPECT_TRUE(is_exact(self, rx));
	ASSERT_EQ(rx, mmap(rx, LEN, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED,
			   fd, 0));
	EXPECT_TRUE(is_lost(self, rx));
	close(fd);
	munmap(rx, LEN);
}

TEST_F(life, child_begins_with_none)
{
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		ask_as(self, 0, self->text);
		if (jit_remove(self->fd, self->text, FUNCTIONS) != -ENOENT ||
		    jit_add(self->fd, self->text, 1))
			_exit(1);
		ask_as(self, 1, self->text);
		_exit(0);
	}
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_lost(self, 0));
	EXPECT_TRUE(was_exact(self, 1));
	EXPECT_TRUE(is_exact(self, self->text));
}

/* By the library, whose bytes are its own then. */
static int add_by_library(uint8_t *text, unsigned int nr)
{
	uint8_t table[JIT_TABLE];

	return latewind_section_add(table, jit_table(table, 2, 0, 0, nr), text, nr * JIT_STRIDE,
				    text);
}

static int remove_by_library(uint8_t *text, unsigned int nr)
{
	return latewind_section_remove(text, nr * JIT_STRIDE);
}

/* In place of the kernel's section, of one function a page. */
static int have_library_add(FIXTURE_DATA(life) *self)
{
	unsigned int i;
	int ret = jit_remove(self->fd, self->text, FUNCTIONS);

	for (i = 0; i < PAGES && !ret; i++)
		ret = add_by_library(self->text + i * JIT_PAGE, 1);
	return ret;
}

TEST_F(life, child_has_what_the_library_added)
{
	ASSERT_EQ(0, have_library_add(self));
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		ask_as(self, 0, self->text);
		/* Both of it and of the parent there is one. */
		_exit(add_by_library(self->text, 1) != -EEXIST);
	}
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_exact(self, 0));
	EXPECT_TRUE(is_exact(self, self->text));
	ASSERT_EQ(0, remove_by_library(self->text, 1));
	EXPECT_TRUE(is_lost(self, self->text));
}

TEST_F(life, grandchild_has_what_the_library_added)
{
	ASSERT_EQ(0, have_library_add(self));
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			ask_as(self, 0, self->text);
			_exit(0);
		}
		_exit(waitpid(pid, &status, 0) != pid || status);
	}
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_exact(self, 0));
}

TEST_F(life, of_parent_and_child_are_two)
{
	ASSERT_EQ(0, have_library_add(self));
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		/* What the child drops the parent still has. */
		int ret = remove_by_library(self->text, 1);

		ask_as(self, 0, self->text);
		tell(&self->shared->done, 1);
		hear(&self->shared->go, 1);
		/* Nor does it see what the parent drops, and adds. */
		ask_as(self, 1, self->text + JIT_PAGE);
		ask_as(self, 2, self->text + JIT_STRIDE);
		_exit(ret || add_by_library(self->text, 1));
	}
	ASSERT_TRUE(hear(&self->shared->done, 1));
	EXPECT_EQ(1, read_answers(self));
	EXPECT_TRUE(was_lost(self, 0));
	EXPECT_TRUE(is_exact(self, self->text));
	EXPECT_EQ(0, remove_by_library(self->text + JIT_PAGE, 1));
	EXPECT_EQ(0, add_by_library(self->text + JIT_STRIDE, 1));
	tell(&self->shared->go, 1);
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_exact(self, 1));
	EXPECT_TRUE(was_lost(self, 2));
	EXPECT_TRUE(is_lost(self, self->text + JIT_PAGE));
}

/* What was removed, what came in its place, and what is no code any more. */
TEST_F(life, child_has_no_more_than_the_library_has)
{
	ASSERT_EQ(0, have_library_add(self));
	ASSERT_EQ(0, remove_by_library(self->text, 1));
	/* Removed by munmap(), and told of by what is added there: for its first function. */
	ASSERT_EQ(self->text + JIT_PAGE, jit_map(self->text + JIT_PAGE, JIT_PAGE));
	ASSERT_EQ(0, add_by_library(self->text + JIT_PAGE - JIT_STRIDE, 2));
	ASSERT_EQ(0, madvise(self->text + 2 * JIT_PAGE, JIT_PAGE, MADV_DONTFORK));
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		ask_as(self, 0, self->text);
		ask_as(self, 1, self->text + JIT_PAGE);
		if (remove_by_library(self->text + JIT_PAGE - JIT_STRIDE, 2))
			_exit(1);
		ask_as(self, 2, self->text + JIT_PAGE);
		jit_map(self->text + 2 * JIT_PAGE, JIT_PAGE);
		ask_as(self, 3, self->text + 2 * JIT_PAGE);
		_exit(0);
	}
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_lost(self, 0));
	EXPECT_TRUE(was_exact(self, 1));
	EXPECT_TRUE(was_lost(self, 2));
	EXPECT_TRUE(was_lost(self, 3));
}

/* Only what is just what was added is removed; the kernel does so, too. */
TEST_F(life, child_has_what_was_not_removed_whole)
{
	ASSERT_EQ(0, have_library_add(self));
	ASSERT_EQ(-ENOENT, remove_by_library(self->text, 2));
	ASSERT_EQ(-EINVAL, latewind_section_remove(self->text, SIZE_MAX));
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		ask_as(self, 0, self->text);
		_exit(0);
	}
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_exact(self, 0));
}

/* The kernel waits for no page; the library has it a copy. */
TEST_F(life, library_adds_what_is_not_in_memory)
{
	int fd = memfd_create("table", 0);
	uint8_t *table;
	size_t len;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, JIT_PAGE));
	table = mmap(NULL, JIT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, table);
	len = jit_table(table, 2, 0, 0, 1);
	ASSERT_EQ(0, madvise(table, JIT_PAGE, MADV_DONTNEED));
	ASSERT_EQ(0, jit_remove(self->fd, self->text, FUNCTIONS));
	EXPECT_EQ(0, latewind_section_add(table, len, self->text, JIT_STRIDE, self->text));
	EXPECT_TRUE(is_exact(self, self->text));
	munmap(table, JIT_PAGE);
	close(fd);
}

static void *fork_in_thread(void *arg)
{
	FIXTURE_DATA(life) *self = arg;

	self->child = fork();
	if (!self->child) {
		ask_as(self, 0, self->text);
		_exit(0);
	}
	return NULL;
}

TEST_F(life, child_of_a_thread_has_it)
{
	pthread_t thread;

	ASSERT_EQ(0, have_library_add(self));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fork_in_thread, self));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_LE(0, self->child);
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_exact(self, 0));
}

struct jit_thread {
	uint8_t *text;
	int stop;
	unsigned long bad;
};

static void *add_and_remove_by_library(void *arg)
{
	struct jit_thread *jit = arg;

	while (!__atomic_load_n(&jit->stop, __ATOMIC_RELAXED))
		jit->bad += add_by_library(jit->text, 3) || remove_by_library(jit->text, 3);
	return NULL;
}

/* A JIT whose process forks while its compiler is at work: each child can go on with it. */
TEST_F_TIMEOUT(life, child_of_a_busy_jit_has_it, 60)
{
	struct jit_thread jit = { .text = self->text + 3 * JIT_PAGE + JIT_STRIDE };
	pthread_t thread;
	unsigned int i;
	int ret;

	ASSERT_EQ(0, have_library_add(self));
	ASSERT_EQ(0, pthread_create(&thread, NULL, add_and_remove_by_library, &jit));
	for (i = 0; i < 50; i++) {
		self->child = fork();
		ASSERT_LE(0, self->child);
		if (!self->child) {
			ask_as(self, 0, self->text + 2 * JIT_PAGE);
			/* The library and the kernel know the same. */
			ret = remove_by_library(jit.text, 3);
			if (ret && ret != -ENOENT)
				_exit(1);
			_exit(add_by_library(jit.text, 3) || remove_by_library(jit.text, 3));
		}
		EXPECT_EQ(0, reap(self));
		read_answers(self);
		EXPECT_TRUE(was_exact(self, 0))
			TH_LOG("child %u", i);
	}
	__atomic_store_n(&jit.stop, 1, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, jit.bad);
}

struct shares {
	FIXTURE_DATA(life) *self;
	int ret;
};

static int run_sharing(void *arg)
{
	struct shares *shares = arg;

	ask_as(shares->self, 0, shares->self->text);
	shares->ret = jit_remove(shares->self->fd, shares->self->text, FUNCTIONS);
	return 0;
}

/* Memory is one, so is what is registered for it. */
TEST_F(life, process_that_shares_memory_shares_it)
{
	struct shares shares = { .self = self, .ret = 1 };
	size_t len = 1 << 16;
	char *stack = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, stack);
	self->child = clone(run_sharing, stack + len, CLONE_VM | SIGCHLD, &shares);
	ASSERT_LE(0, self->child);
	EXPECT_EQ(0, reap(self));
	EXPECT_EQ(0, shares.ret);
	read_answers(self);
	EXPECT_TRUE(was_exact(self, 0));
	EXPECT_TRUE(is_lost(self, self->text));
}

TEST_F(life, vfork_and_exec_leave_it)
{
	int status;
	pid_t pid;

	pid = vfork();
	ASSERT_LE(0, pid);
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(is_exact(self, self->text));
}

/* The program after execve(): the same code at the same place. */
static __attribute__((constructor)) void run_after_exec(void)
{
	struct shared *shared;
	int fds[2];

	if (!getenv(AFTER_EXEC))
		return;
	if (sscanf(getenv(AFTER_EXEC), "%d %d", &fds[0], &fds[1]) != 2)
		_exit(2);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fds[1], 0);
	if (shared == MAP_FAILED || !jit_map(FIXED, JIT_PAGE))
		_exit(3);
	shared->ask[1].fd = fds[0];
	jit_ask(&shared->ask[1], FIXED);
	_exit(jit_remove(fds[0], FIXED, 1) == -ENOENT ? 0 : 4);
}

TEST_F(life, ends_with_exec)
{
	int memory = memfd_create("shared", 0);
	int fd = fcntl(self->fd, F_DUPFD, 0);
	char text[64];

	ASSERT_LE(0, memory);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(memory, sizeof(*self->shared)));
	self->shared = mmap(self->shared, sizeof(*self->shared),
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
			    0);
	snprintf(text, sizeof(text), "%d %d", fd, memory);
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		setenv(AFTER_EXEC, text, 1);
		if (!jit_map(FIXED, JIT_PAGE) || jit_add(self->fd, FIXED, 1))
			_exit(5);
		ask_as(self, 0, FIXED);
		execl("/proc/self/exe", "registered_life_test", NULL);
		_exit(6);
	}
	EXPECT_EQ(0, reap(self));
	read_answers(self);
	EXPECT_TRUE(was_exact(self, 0));
	EXPECT_TRUE(was_lost(self, 1));
	close(memory);
	close(fd);
}

static int add_many(int fd, uint8_t *text)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NR_MANY && !ret; i++)
		ret = jit_add(fd, text + i * JIT_STRIDE, 1);
	return ret;
}

/* That nothing is left is seen by kmemleak, where it is. */
TEST_F_TIMEOUT(life, ends_with_exit, 60)
{
	size_t len = NR_MANY * JIT_STRIDE;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		self->child = fork();
		ASSERT_LE(0, self->child);
		if (!self->child) {
			uint8_t *text = jit_map(NULL, len);

			if (!text || add_many(self->fd, text))
				_exit(1);
			/* Some end with children that have the text, too. */
			if (i & 1 && !fork())
				_exit(0);
			if (i & 2)
				raise(SIGKILL);
			_exit(0);
		}
		EXPECT_EQ(i & 2 ? SIGKILL : 0, reap(self));
	}
	EXPECT_TRUE(is_exact(self, self->text));
}

/* Until it is killed. */
static void have_many(FIXTURE_DATA(life) *self)
{
	uint8_t *text = jit_map(NULL, NR_MANY * JIT_STRIDE);

	if (!text || add_many(self->fd, text))
		_exit(1);
	tell(&self->shared->done, 1);
	for (;;)
		pause();
}

/*
 * Memory of a process that is killed may be taken before it exits, by who may not wait: the OOM
 * killer, and this call.  Where there is a function for that, as in Linux 7.3, it calls pages
 * cleared and not mappings ended: sections end with the exit there.
 */
TEST_F(life, ends_with_reaping)
{
	bool is_clear = lwt_kernel_function("zap_vma_for_reaping").from;
	int status, pidfd;
	char path[32];

	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child)
		have_many(self);
	snprintf(path, sizeof(path), "/proc/%d/status", self->child);
	pidfd = syscall(SYS_pidfd_open, self->child, 0);
	ASSERT_LE(0, pidfd);
	ASSERT_TRUE(hear(&self->shared->done, 1));
	EXPECT_LT(0, lwt_proc_kib(path, "VmPin"));
	/* It stops before it gives its memory back. */
	ASSERT_EQ(0, ptrace(PTRACE_SEIZE, self->child, 0, PTRACE_O_TRACEEXIT));
	ASSERT_EQ(0, kill(self->child, SIGKILL));
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	ASSERT_EQ(SIGTRAP | PTRACE_EVENT_EXIT << 8, status >> 8);
	EXPECT_EQ(0, syscall(SYS_process_mrelease, pidfd, 0)) TH_LOG("errno %d", errno);
	EXPECT_TRUE(is_clear || lwt_wait(lwt_proc_kib(path, "VmPin") == 0));
	ASSERT_EQ(0, ptrace(PTRACE_CONT, self->child, 0, 0));
	EXPECT_EQ(SIGKILL, reap(self));
	close(pidfd);
	EXPECT_TRUE(is_exact(self, self->text));
}

/**
 * struct race - threads that do all of it at once
 * @self: of the test
 * @text: theirs to map, add and remove
 * @stop: told to end
 * @done: what they have done, by kind
 * @bad: what may not be
 */
struct race {
	FIXTURE_DATA(life) *self;
	uint8_t *text;
	int stop;
	unsigned long done[4];
	unsigned long bad;
};

#define RACE_FUNCTIONS	16

static bool goes_on(struct race *race, unsigned int kind)
{
	__atomic_add_fetch(&race->done[kind], 1, __ATOMIC_RELAXED);
	return !__atomic_load_n(&race->stop, __ATOMIC_RELAXED);
}

static void is_bad(struct race *race, bool bad)
{
	if (bad)
		__atomic_add_fetch(&race->bad, 1, __ATOMIC_RELAXED);
}

static void *add_and_remove(void *arg)
{
	struct race *race = arg;
	unsigned int i = 0;
	uint8_t *at;
	int ret;

	while (goes_on(race, 0)) {
		at = race->text + i++ % RACE_FUNCTIONS * JIT_STRIDE;
		ret = jit_add(race->self->fd, at, 1 + i % 3);
		/* Others have mmap_lock, or a page is moved, now and then. */
		is_bad(race, ret && ret != -EEXIST && ret != -EACCES && ret != -EAGAIN &&
		       ret != -EFAULT);
		ret = jit_remove(race->self->fd, at, 1 + i % 2);
		is_bad(race, ret && ret != -ENOENT);
	}
	return NULL;
}

static void *map_and_unmap(void *arg)
{
	struct race *race = arg;

	while (goes_on(race, 1)) {
		munmap(race->text + JIT_PAGE, JIT_PAGE);
		is_bad(race, !jit_map(race->text, 2 * JIT_PAGE));
	}
	return NULL;
}

static void *fork_and_wait(void *arg)
{
	struct race *race = arg;
	pid_t pid;
	int status;

	while (goes_on(race, 2)) {
		pid = fork();
		if (!pid) {
			/* Another thread may just have the text unmapped. */
			jit_add(race->self->fd, race->text, 1);
			munmap(race->text, 2 * JIT_PAGE);
			_exit(0);
		}
		is_bad(race, pid < 0 || waitpid(pid, &status, 0) != pid || status);
	}
	return NULL;
}

/* Through text that nobody touches, but among sections that come and go. */
static void *walk(void *arg)
{
	struct race *race = arg;
	struct jit_ask ask = { .fd = race->self->fd };

	while (goes_on(race, 3)) {
		is_bad(race, jit_ask(&ask, race->self->text) < 0);
		lwt_pause();
	}
	return NULL;
}

/* That each answer is exact is seen in the records. */
static unsigned long count_lost(FIXTURE_DATA(life) *self)
{
	unsigned long nr = 0;
	size_t i;

	read_answers(self);
	for (i = 0; i < self->a.log.nr; i++) {
		struct lwt_stack *stack = self->a.log.records[i].stack;

		if (self->a.log.records[i].head->type == LW_RECORD_USER_STACK)
			nr += stack->nr < 4 ||
			      lwt_how(stack)[2] != LW_HOW_REGISTERED;
	}
	return nr;
}

static bool all_have_done(struct race *race, unsigned long nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(race->done); i++)
		if (__atomic_load_n(&race->done[i], __ATOMIC_RELAXED) < nr)
			return false;
	return true;
}

TEST_F_TIMEOUT(life, threads_do_all_at_once, 60)
{
	static void *(*const kinds[])(void *arg) = {
		add_and_remove, map_and_unmap, fork_and_wait, walk,
		add_and_remove, fork_and_wait, walk,
	};
	struct race race = { .self = self };
	pthread_t threads[ARRAY_SIZE(kinds)];
	uint64_t end = lwt_now() + STRESS_NS;
	unsigned long lost = 0;
	unsigned int i;

	race.text = jit_map(NULL, 2 * JIT_PAGE);
	ASSERT_NE(NULL, race.text);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, kinds[i], &race));
	while (lwt_now() < end || !all_have_done(&race, 3)) {
		lost += count_lost(self);
		usleep(20000);
	}
	__atomic_store_n(&race.stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	lost += count_lost(self);
	TH_LOG("%lu added, %lu mapped, %lu forked, %lu walked", race.done[0],
	       race.done[1], race.done[2], race.done[3]);
	EXPECT_EQ(0, race.bad);
	EXPECT_EQ(0, lost);
	munmap(race.text, 2 * JIT_PAGE);
}

static void *hold_mm(void *fd)
{
	return (void *)(intptr_t)lwt_ioctl(*(int *)fd, LWM_IOC_HOLD_MM, NULL);
}

/* What registering says while another thread has mmap_lock.  Return: that, or 1. */
static int add_beside(FIXTURE_DATA(life) *self, int lwm, uint8_t *text)
{
	struct lw_section section;
	uint8_t table[JIT_TABLE];
	pthread_t thread;
	void *held;
	int ret;

	section = jit_section(text, JIT_STRIDE, table, jit_table(table, 2, 0, 0, 1));
	if (pthread_create(&thread, NULL, hold_mm, &lwm))
		return 1;
	/* Nothing here may ask for memory until the lock is given back. */
	while (!lwm_stats(lwm, 0).waiting)
		lwt_pause();
	ret = lwt_ioctl(self->proc, LW_IOC_ADD_SECTION, &section);
	lwt_ioctl(lwm, LWM_IOC_WAKE, NULL);
	return pthread_join(thread, &held) || held ? 1 : ret;
}

/* The first of a process, and a second. */
static int add_both_beside(FIXTURE_DATA(life) *self, int lwm)
{
	/* A page fault would wait for the lock. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return 1;
	if (add_beside(self, lwm, self->text) != -EAGAIN)
		return 2;
	if (jit_add(self->fd, self->text, 1))
		return 3;
	if (add_beside(self, lwm, self->text + JIT_STRIDE) != -EAGAIN)
		return 4;
	return jit_add(self->fd, self->text + JIT_STRIDE, 1) ? 5 : 0;
}

/* Unloading may wait for the call, and must not wait for what a program does meanwhile. */
TEST_F_TIMEOUT(life, does_not_wait_for_other_threads, 60)
{
	int lwm = lwm_open("");

	if (lwm == -ENOENT)
		SKIP(return, LWM_MISSING, "lw_test");
	ASSERT_LE(0, lwm);
	/* For lwm_stats(). */
	ASSERT_EQ(0, lwm_register(lwm, 0));
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child)
		_exit(add_both_beside(self, lwm));
	EXPECT_EQ(0, reap(self));
	EXPECT_EQ(0, lwm_unregister(lwm, 0, NULL));
	lwm_close(lwm);
}

/* Children that come and go, with it, while the module does. */
TEST_F_TIMEOUT(life, ends_with_the_module, 120)
{
	int i, status;

	if (!lwt_destructive())
		SKIP(return, LWT_MAY_HURT);
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	lwt_log_free(&self->a.log);
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		close(self->fd);
		lwt_session_forget(&self->a.s);
		for (;;) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			waitpid(pid, &status, 0);
			latewind_section_remove(self->text, LEN);
			/* The next children have it again. */
			if (access(LW_PROC_PATH, R_OK) == 0) {
				uint8_t table[JIT_TABLE];

				latewind_section_add(table,
						     jit_table(table, 2, 0, 0, 1),
						     self->text, LEN, self->text);
			}
		}
	}
	asker_close(&self->a);
	self->a.s.fd = -1;
	for (i = 0; i < (int)lwt_sample(5, 2); i++) {
		struct lw_info info = { .size = sizeof(info) };
		int proc = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);

		/* Who has that open keeps nothing, and has nothing of the next one. */
		ASSERT_LE(0, proc);
		EXPECT_EQ(0, lwt_ioctl(proc, LW_IOC_INFO, &info));
		ASSERT_EQ(0, lwm_reload(""));
		EXPECT_EQ(-ENOTTY, lwt_ioctl(proc, LW_IOC_INFO, &info));
		close(proc);
		/* It was ours, too, until then. */
		ASSERT_EQ(-ENOENT, latewind_section_remove(self->text, LEN));
		ASSERT_EQ(0, asker_open(&self->a));
		self->fd = self->a.s.fd;
		EXPECT_TRUE(is_lost(self, self->text));
		EXPECT_EQ(0, jit_add(self->fd, self->text, FUNCTIONS));
		EXPECT_TRUE(is_exact(self, self->text));
		asker_close(&self->a);
		self->a.s.fd = -1;
	}
}

TEST_HARNESS_MAIN
