// SPDX-License-Identifier: GPL-2.0
/*
 * next_file_test.c - LW_SETUP_FILES: a walk that meets a file without a table says so, and
 * waits for an answer, but not for one that does not come.
 *
 * Walks are those of children, as a task does not wait for its own process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/bare.h"
#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define RING	(1 << 18)
#define WAIT	"/sys/module/latewind/parameters/table_wait"
/* Calls of the library, and stacks of one child. */
#define PATH	"abcdeedcba"
#define TIMES	30
/* Files at once: of as many with a slot each of 1,024, two would want the same, mostly. */
#define FILES	64

FIXTURE(files)
{
	struct lwt_session s;		/* is told of files */
	struct lwt_session other;	/* likewise, where there is one; not the child's */
	struct lwt_log log;
	struct bare b;
	struct stat st;			/* of its file */
	struct chain chain;
	struct call *calls;		/* of the child, shared with it */
	pid_t child;
	char wait[16];			/* milliseconds, as it was */
	struct lw_missing_file told;	/* of @b, last */
	unsigned int times;		/* that this was */
};

static int set_wait(const char *ms)
{
	int fd = open(WAIT, O_WRONLY);
	ssize_t len = fd < 0 ? -1 : write(fd, ms, strlen(ms));

	close(fd);
	return len == (ssize_t)strlen(ms) ? 0 : -1;
}

static int get_wait(char *ms, size_t room)
{
	int fd = open(WAIT, O_RDONLY);
	ssize_t len = fd < 0 ? -1 : read(fd, ms, room - 1);

	close(fd);
	ms[len > 0 ? len : 0] = 0;
	return len > 0 ? 0 : -1;
}

/* Who is answered is answered in time, on any machine. */
FIXTURE_SETUP(files)
{
	self->other.fd = -1;
	ASSERT_EQ(0, get_wait(self->wait, sizeof(self->wait)));
	ASSERT_EQ(0, set_wait("60000"));
	ASSERT_EQ(0, lwt_session_open_flags(&self->s, RING, LW_SETUP_FILES));
	ASSERT_EQ(0, bare_load(&self->b, "/dev", false));
	ASSERT_EQ(0, fstat(self->b.fd, &self->st));
	self->calls = mmap(NULL, FILES * sizeof(*self->calls), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->calls);
}

FIXTURE_TEARDOWN(files)
{
	EXPECT_EQ(0, set_wait(self->wait));
	munmap(self->calls, FILES * sizeof(*self->calls));
	bare_close(&self->b);
	lwt_log_free(&self->log);
	lwt_session_close(&self->other);
	lwt_session_close(&self->s);
}

/* A child that asks for some stacks. */
static void start_child(FIXTURE_DATA(files) *self, int nr)
{
	int i;

	self->child = fork();
	if (self->child)
		return;
	lwt_session_close(&self->other);
	for (i = 0; i < nr; i++) {
		self->calls[i].fd = self->s.fd;
		bare_run(&self->b, &self->chain, PATH, &self->calls[i]);
	}
	_exit(0);
}

static bool child_has_ended(FIXTURE_DATA(files) *self)
{
	if (waitpid(self->child, NULL, WNOHANG) != self->child)
		return false;
	self->child = 0;
	return true;
}

static int next_file(int fd, struct lw_missing_file *file)
{
	*file = (struct lw_missing_file) { .size = sizeof(*file) };
	return lwt_ioctl(fd, LW_IOC_NEXT_FILE, file);
}

static int file_done(int fd, uint64_t number)
{
	struct lw_file_done done = { .size = sizeof(done), .number = number };

	return lwt_ioctl(fd, LW_IOC_FILE_DONE, &done);
}

static bool is_file(FIXTURE_DATA(files) *self, const struct lw_missing_file *file)
{
	return file->inode == self->st.st_ino &&
	       makedev(file->dev_major, file->dev_minor) == self->st.st_dev;
}

/* The next file that somebody is told of, soon. */
static bool is_told(FIXTURE_DATA(files) *self, struct lw_missing_file *file)
{
	struct pollfd fd = { .fd = self->s.fd, .events = POLLPRI };

	return poll(&fd, 1, 1) == 1 && !next_file(fd.fd, file);
}

/*
 * Answers for all files, but of ours no more than @answer says, until the child has ended and
 * there is none left: on a busy machine that may be after the child has given up.
 */
static void serve(FIXTURE_DATA(files) *self, bool add, bool answer)
{
	struct lw_missing_file file;
	bool ended;

	do {
		ended = child_has_ended(self);
		while (is_told(self, &file)) {
			if (is_file(self, &file)) {
				self->told = file;
				self->times++;
				if (add)
					bare_add(&self->b, self->s.fd);
				if (!answer)
					continue;
			}
			file_done(self->s.fd, file.number);
		}
	} while (!ended);
}

static struct lwt_stack *stack_of(FIXTURE_DATA(files) *self, const struct call *call)
{
	if (call->ret < 0)
		return NULL;
	lwt_log_free(&self->log);
	return lwt_read(&self->s, &self->log) < 0 ? NULL :
	       lwt_find_stack(&self->log, &call->request.cookie);
}

/* The leaf is the test's own, which has a section. */
static bool is_whole(const struct lwt_stack *stack, const struct call *call)
{
	return stack && call_matching(stack, call) == call->nr &&
	       call_found_by(stack, 2, call->nr, LW_HOW_TABLE) == call->nr;
}

static bool has_no_table(const struct lwt_stack *stack)
{
	uint32_t i;

	for (i = 0; stack && i < stack->nr; i++)
		if (lwt_how(stack)[i] == LW_HOW_TABLE)
			return false;
	return stack;
}

TEST_F(files, the_first_stack_has_its_table)
{
	pid_t child;

	start_child(self, 1);
	child = self->child;
	serve(self, true, true);
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
	ASSERT_EQ(1, self->times);
	EXPECT_EQ(child, self->told.pid);
	EXPECT_EQ(self->b.text->p_offset & -lwt_page(), self->told.offset);
	EXPECT_LE(self->told.start, (uintptr_t)self->b.functions[0]);
	EXPECT_LT((uintptr_t)self->b.functions[0], self->told.end);
	EXPECT_EQ(self->b.base + self->told.offset, self->told.start);
	EXPECT_GT(lwt_now(), self->told.time);
	EXPECT_EQ(0, self->told.flags);
	EXPECT_EQ(-EAGAIN, next_file(self->s.fd, &self->told));
}

/* Those that are met together do not keep each other from being asked for. */
TEST_F(files, are_many_and_each_has_its_table)
{
	struct lw_missing_file file;
	struct bare *many;
	unsigned int i;

	many = calloc(FILES, sizeof(*many));
	ASSERT_TRUE(many);
	for (i = 0; i < FILES; i++)
		ASSERT_EQ(0, bare_load(&many[i], "/dev", false));
	self->child = fork();
	if (!self->child) {
		for (i = 0; i < FILES; i++) {
			self->calls[i].fd = self->s.fd;
			bare_run(&many[i], &self->chain, PATH, &self->calls[i]);
		}
		_exit(0);
	}
	while (!child_has_ended(self)) {
		if (!is_told(self, &file))
			continue;
		for (i = 0; i < FILES; i++) {
			ASSERT_EQ(0, fstat(many[i].fd, &self->st));
			if (is_file(self, &file))
				EXPECT_EQ(0, bare_add(&many[i], self->s.fd));
		}
		file_done(self->s.fd, file.number);
	}
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	for (i = 0; i < FILES; i++) {
		const struct call *call = &self->calls[i];

		EXPECT_EQ(0, call->ret);
		EXPECT_TRUE(is_whole(lwt_find_stack(&self->log, &call->request.cookie), call));
		bare_close(&many[i]);
	}
	free(many);
}

TEST_F(files, is_not_told_of_what_has_a_table)
{
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	start_child(self, TIMES);
	serve(self, false, true);
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
	EXPECT_EQ(0, self->times);
}

/* It has none, and may have one a second later. */
TEST_F_TIMEOUT(files, is_told_once_in_a_second, 60)
{
	uint64_t last = 0;
	int i;

	for (i = 0; i < 5 || self->times < 2; i++) {
		start_child(self, TIMES);
		self->told.time = last;
		serve(self, false, true);
		EXPECT_TRUE(has_no_table(stack_of(self, self->calls)));
		if (self->told.time != last)
			EXPECT_LE(last + 1000000000ULL, self->told.time);
		last = self->told.time;
	}
}

/* Another content, which may have a table; but no more than four times in a second. */
TEST_F(files, is_told_at_once_when_it_was_written)
{
	struct timespec times[2] = {};
	uint64_t first = 0, seconds;
	int i;

	for (i = 0; i < 30; i++) {
		times[1].tv_sec = i + 1;
		ASSERT_EQ(0, futimens(self->b.fd, times));
		start_child(self, 1);
		serve(self, false, true);
		if (i < 4)
			EXPECT_EQ(i + 1, self->times);
		first = first ?: self->told.time;
	}
	seconds = (lwt_now() - first) / 1000000000;
	EXPECT_GE(4 * (seconds + 1), self->times);
}

/* Its child waits in vain, and those after it not at all, until somebody answers. */
TEST_F(files, goes_on_without_an_answer)
{
	struct lw_missing_file file;

	ASSERT_EQ(0, set_wait(self->wait));
	start_child(self, 3);
	serve(self, false, false);
	ASSERT_LE(1, self->times);
	EXPECT_TRUE(has_no_table(stack_of(self, self->calls)));
	/* Too late, and good for the next one. */
	EXPECT_EQ(0, file_done(self->s.fd, self->told.number));
	ASSERT_EQ(0, set_wait("60000"));
	bare_close(&self->b);
	ASSERT_EQ(0, bare_load(&self->b, "/dev", false));
	ASSERT_EQ(0, fstat(self->b.fd, &self->st));
	start_child(self, 1);
	serve(self, true, true);
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
	EXPECT_EQ(-EAGAIN, next_file(self->s.fd, &file));
}

/* Takes what was told so far; of others nothing is known. */
static uint64_t number_of_ours(FIXTURE_DATA(files) *self, int fd)
{
	struct lw_missing_file file;

	while (!next_file(fd, &file)) {
		if (is_file(self, &file))
			return file.number;
		file_done(fd, file.number);
	}
	return 0;
}

/* A chain of one library that ends in a chain of another. */
struct nested {
	struct bare *inner;
	struct chain chain;
	struct call *call;
};

static long run_inner(struct chain *outer)
{
	struct nested *nested = outer->arg;

	bare_run(nested->inner, &nested->chain, PATH, nested->call);
	return 0;
}

static void start_nested_child(FIXTURE_DATA(files) *self, struct bare *outer)
{
	struct nested nested = { .inner = &self->b, .call = self->calls };
	struct chain chain = { .path = PATH + 1, .leaf = run_inner, .arg = &nested };

	self->child = fork();
	if (self->child)
		return;
	self->calls->fd = self->s.fd;
	outer->functions[PATH[0] - 'a'](&chain);
	_exit(0);
}

/* Waits until the child has asked for our file.  Return: number of the question, or 0. */
static uint64_t wait_for_ours(FIXTURE_DATA(files) *self)
{
	uint64_t number = 0;

	return lwt_wait(number = number_of_ours(self, self->s.fd)) ? number : 0;
}

/* Its question is younger than what a walk may wait: it is not taken for hung. */
TEST_F_TIMEOUT(files, who_is_asked_late_is_not_hung, 60)
{
	uint64_t began, number, others[16];
	struct lw_missing_file file;
	unsigned int i, nr;
	struct bare outer;
	char ms[16];

	ASSERT_EQ(0, bare_load(&outer, "/dev", false));
	start_nested_child(self, &outer);
	number = wait_for_ours(self);
	ASSERT_NE(0, number);
	/* Half of its time is gone when the walk comes to the other file, or more. */
	began = lwt_now();
	ASSERT_TRUE(lwt_wait(lwt_now() - began > 1000000000));
	snprintf(ms, sizeof(ms), "%llu", (unsigned long long)(lwt_now() - began) / 1000000 + 1000);
	ASSERT_EQ(0, set_wait(ms));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	ASSERT_EQ(0, file_done(self->s.fd, number));
	ASSERT_EQ(0, fstat(outer.fd, &self->st));
	number = wait_for_ours(self);
	ASSERT_NE(0, number);
	/* The walk gives up. */
	ASSERT_TRUE(lwt_wait(child_has_ended(self)));
	/* Of files that it came to then: an answer would do for all. */
	for (nr = 0; nr < ARRAY_SIZE(others) && !next_file(self->s.fd, &file); nr++)
		others[nr] = file.number;
	ASSERT_EQ(0, set_wait("60000"));
	bare_close(&self->b);
	ASSERT_EQ(0, bare_load(&self->b, "/dev", false));
	ASSERT_EQ(0, fstat(self->b.fd, &self->st));
	start_child(self, 1);
	ASSERT_TRUE(lwt_wait(!next_file(self->s.fd, &file)));
	ASSERT_TRUE(is_file(self, &file));
	/* Who goes on too early has ended by then, mostly. */
	usleep(100000);
	ASSERT_FALSE(child_has_ended(self));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	EXPECT_EQ(0, file_done(self->s.fd, file.number));
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, file_done(self->s.fd, others[i]));
	serve(self, true, true);
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
	bare_close(&outer);
}

/* Who would answer does not wait for itself. */
TEST_F(files, nobody_waits_for_himself)
{
	struct call call = { .fd = self->s.fd };
	struct bare other;

	/* Else would be as long as the test may take. */
	ASSERT_EQ(0, set_wait("600000"));
	bare_run(&self->b, &self->chain, PATH, &call);
	EXPECT_TRUE(has_no_table(stack_of(self, &call)));
	ASSERT_EQ(0, bare_load(&other, "/dev", false));
	bare_close(&self->b);
	self->b = other;
	ASSERT_EQ(0, fstat(self->b.fd, &self->st));
	start_child(self, 1);
	serve(self, true, true);
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
}

static void all_answer(struct __test_metadata *_metadata, FIXTURE_DATA(files) *self,
		       bool other_last)
{
	uint64_t number = 0, same = 0;

	ASSERT_EQ(0, lwt_session_open_flags(&self->other, RING, LW_SETUP_FILES));
	start_child(self, 1);
	ASSERT_TRUE(lwt_wait(number = number_of_ours(self, self->other.fd)));
	ASSERT_TRUE(lwt_wait(same = number_of_ours(self, self->s.fd)));
	EXPECT_EQ(number, same);
	/* Who goes on too early has ended by then, mostly. */
	EXPECT_EQ(0, file_done(other_last ? self->s.fd : self->other.fd, number));
	usleep(100000);
	EXPECT_FALSE(child_has_ended(self));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	EXPECT_EQ(0, file_done(other_last ? self->other.fd : self->s.fd, number));
	for (; !child_has_ended(self); lwt_pause()) {
		number_of_ours(self, self->other.fd);
		number_of_ours(self, self->s.fd);
	}
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
}

TEST_F(files, all_that_are_told_answer)
{
	all_answer(_metadata, self, true);
}

TEST_F(files, all_that_are_told_answer_in_any_order)
{
	all_answer(_metadata, self, false);
}

/* That is a matter of its own: who answers is waited for. */
TEST_F(files, who_does_not_answer_is_not_waited_for)
{
	struct timespec times[2] = {};
	int i;

	ASSERT_EQ(0, lwt_session_open_flags(&self->other, RING, LW_SETUP_FILES));
	ASSERT_EQ(0, set_wait(self->wait));
	start_child(self, 1);
	serve(self, false, true);
	/* Would be as long as the test may take. */
	ASSERT_EQ(0, set_wait("600000"));
	/* The same file is asked for again, when it was written to. */
	for (i = 1; i <= 2; i++) {
		times[1].tv_sec = i;
		ASSERT_EQ(0, futimens(self->b.fd, times));
		start_child(self, 1);
		serve(self, true, true);
		EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
		EXPECT_EQ(1 + i, self->times);
	}
	bare_close(&self->b);
	ASSERT_EQ(0, bare_load(&self->b, "/dev", false));
	ASSERT_EQ(0, fstat(self->b.fd, &self->st));
	start_child(self, TIMES);
	serve(self, true, true);
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
}

/* One that is told is closed in the middle: the others' answers are enough. */
TEST_F(files, who_is_closed_need_not_answer)
{
	uint64_t number = 0;

	ASSERT_EQ(0, lwt_session_open_flags(&self->other, RING, LW_SETUP_FILES));
	/* Else would be as long as the test may take. */
	ASSERT_EQ(0, set_wait("600000"));
	start_child(self, 1);
	ASSERT_TRUE(lwt_wait(number = number_of_ours(self, self->s.fd)));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	EXPECT_EQ(0, file_done(self->s.fd, number));
	lwt_session_close(&self->other);
	serve(self, true, true);
	EXPECT_TRUE(is_whole(stack_of(self, self->calls), self->calls));
}

TEST_F(files, has_errors)
{
	struct lw_missing_file file;
	struct lwt_session other;

	EXPECT_EQ(-EAGAIN, next_file(self->s.fd, &file));
	EXPECT_EQ(-EINVAL, file_done(self->s.fd, 0));
	EXPECT_EQ(-EINVAL, file_done(self->s.fd, ~0ULL));
	start_child(self, 1);
	serve(self, false, true);
	/* Once more does no harm; who was not told can't answer. */
	EXPECT_EQ(0, file_done(self->s.fd, self->told.number));
	EXPECT_EQ(-EINVAL, file_done(self->s.fd, self->told.number + (1ULL << 32)));
	ASSERT_EQ(0, lwt_session_open_flags(&other, RING, LW_SETUP_FILES));
	EXPECT_EQ(-EINVAL, file_done(other.fd, self->told.number));
	lwt_session_close(&other);
	ASSERT_EQ(0, lwt_session_open(&other, RING, 0, 0));
	EXPECT_EQ(-EBADFD, next_file(other.fd, &file));
	EXPECT_EQ(-EBADFD, file_done(other.fd, 1));
	lwt_session_close(&other);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
