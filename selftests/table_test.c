// SPDX-License-Identifier: GPL-2.0
/*
 * table_test.c - LW_IOC_ADD_TABLE: where a table is used, and where it must not be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/asker.h"
#include "lib/bare.h"
#include "lib/fake.h"
#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define RING	(1 << 18)

/* A library without a section: real frames. */
FIXTURE(library)
{
	struct lwt_session s;
	struct lwt_log log;
	struct bare b;
	struct call call;
	struct chain chain;
	const char *dir;
};

FIXTURE_VARIANT(library)
{
	const char *dir;
};

/* A guest's root is an overlay; its /dev is not. */
FIXTURE_VARIANT_ADD(library, on_an_overlay)
{
	.dir = "/root",
};

FIXTURE_VARIANT_ADD(library, in_memory)
{
	.dir = "/dev",
};

FIXTURE_VARIANT_ADD(library, on_a_disk)
{
};

FIXTURE_SETUP(library)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	self->call.fd = self->s.fd;
	if (!variant->dir && !lwt_disk())
		SKIP(return, "LW_DISK names no directory on a disk");
	self->dir = variant->dir ?: lwt_disk();
	ASSERT_EQ(0, bare_load(&self->b, self->dir, false));
}

FIXTURE_TEARDOWN(library)
{
	bare_close(&self->b);
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

static struct lwt_stack *stack_of(FIXTURE_DATA(library) *self, const char *path)
{
	lwt_log_free(&self->log);
	bare_run(&self->b, &self->chain, path, &self->call);
	if (self->call.ret < 0 || lwt_read(&self->s, &self->log) < 0)
		return NULL;
	return lwt_find_stack(&self->log, &self->call.request.cookie);
}

/* The leaf is ours, and has a section; all between that and us is the library's. */
#define EXPECT_BY(self, stack, how_)					\
do {									\
	EXPECT_CHAIN(stack, &(self)->call);				\
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[1]);			\
	EXPECT_EQ((self)->call.nr,					\
		  call_found_by(stack, 2, (self)->call.nr, how_));	\
} while (0)

static bool is_whole(FIXTURE_DATA(library) *self, const struct lwt_stack *stack)
{
	return stack && call_matching(stack, &self->call) == self->call.nr &&
	       call_found_by(stack, 2, self->call.nr, LW_HOW_TABLE) == self->call.nr;
}

/* Not one frame by it. */
static bool has_none(const struct lwt_stack *stack)
{
	uint32_t i;

	for (i = 0; stack && i < stack->nr; i++)
		if (lwt_how(stack)[i] == LW_HOW_TABLE)
			return false;
	return stack;
}

/* Which may be right: what takes its frame down at once is followed. */
TEST_F(library, is_guessed_at_without_a_table)
{
	struct lwt_stack *stack = stack_of(self, "adadad");

	ASSERT_NE(NULL, stack);
	EXPECT_TRUE(has_none(stack));
	EXPECT_EQ(LW_HOW_FP, stack->nr > 2 ? lwt_how(stack)[2] : LW_HOW_FP);
	EXPECT_EQ(0, lwt_stats(self->s.fd).frames_table);
}

/* The leaf's row knows the frame pointer, and four functions in a row keep it. */
TEST_F(library, is_followed_by_frame_pointers_without_a_table)
{
	struct lwt_stack *stack = stack_of(self, "aaaffff");
	unsigned int i;

	ASSERT_NE(NULL, stack);
	ASSERT_LE(6, stack->nr);
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(self->call.expect[i], stack->frames[i])
			TH_LOG("frame %u", i);
	}
	EXPECT_EQ(6, call_found_by(stack, 2, 6, LW_HOW_FP));
	EXPECT_LE(4, lwt_stats(self->s.fd).frames_fp);
	EXPECT_EQ(0, lwt_stats(self->s.fd).frames_table);
}

TEST_F(library, is_known_with_one)
{
	struct lwt_stack *stack;
	struct lw_stats stats;

	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	stack = stack_of(self, "abcdeedcbaadcbeaccddbb");
	EXPECT_BY(self, stack, LW_HOW_TABLE);
	stats = lwt_stats(self->s.fd);
	EXPECT_EQ(self->call.nr - 2, stats.frames_table);
	EXPECT_EQ(1, stats.tables);
	EXPECT_LT(self->b.table.size, stats.table_bytes);
	EXPECT_EQ(0, stats.tables_refused);
}

/* The session that has it need not be the one that asks. */
TEST_F(library, is_known_to_all_sessions)
{
	int other = lwt_open();

	ASSERT_EQ(0, lwt_setup(other, RING, 0, 0));
	ASSERT_EQ(0, bare_add(&self->b, other));
	EXPECT_BY(self, stack_of(self, "abcde"), LW_HOW_TABLE);
	close(other);
	EXPECT_TRUE(has_none(stack_of(self, "abcde")));
}

TEST_F(library, is_known_to_who_makes_no_guesses)
{
	struct lwt_session s;

	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	ASSERT_EQ(0, lwt_session_open_masked(&s, RING, 0, 0, LW_MASK_SFRAME));
	lwt_session_close(&self->s);
	self->s = s;
	self->call.fd = s.fd;
	EXPECT_EQ(2, stack_of(self, "abc")->nr);
	ASSERT_EQ(0, bare_add(&self->b, s.fd));
	EXPECT_BY(self, stack_of(self, "abc"), LW_HOW_TABLE);
}

/* Rows by analysis of instructions are told apart, and who wants certainty gets none. */
TEST_F(library, is_told_apart_where_its_rows_are_from_instructions)
{
	struct lw_info info = { .size = sizeof(info) };
	struct lwt_stack *stack;
	struct lw_stats stats;
	struct lwt_session s;

	ASSERT_EQ(0, lwt_ioctl(self->s.fd, LW_IOC_INFO, &info));
	EXPECT_TRUE(info.features & LW_FEATURE_ANALYSIS);
	table_mark_analysed(&self->b.table);
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	/* twice: rules that are kept, too */
	stack = stack_of(self, "abcde");
	EXPECT_BY(self, stack, LW_HOW_ANALYSIS);
	stack = stack_of(self, "abcde");
	EXPECT_BY(self, stack, LW_HOW_ANALYSIS);
	stats = lwt_stats(self->s.fd);
	EXPECT_EQ(2 * (self->call.nr - 2), stats.frames_analysis);
	EXPECT_EQ(0, stats.frames_table);

	ASSERT_EQ(0, lwt_session_open_masked(&s, RING, 0, 0, LW_MASK_SFRAME));
	self->call.fd = s.fd;
	lwt_session_close(&self->s);
	self->s = s;
	ASSERT_EQ(0, bare_add(&self->b, s.fd));
	stack = stack_of(self, "abcde");
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

/* A process that begins later, and one that has the file open no more. */
TEST_F(library, is_known_in_other_processes)
{
	struct call *shared;
	pid_t pid;

	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	close(self->b.fd);
	self->b.fd = -1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	*shared = self->call;
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		bare_run(&self->b, &self->chain, "abcde", shared);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	self->call = *shared;
	ASSERT_LE(0, self->call.ret);
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	EXPECT_BY(self, lwt_find_stack(&self->log, &self->call.request.cookie), LW_HOW_TABLE);
}

static int set_mtime(int fd, time_t sec, long nsec)
{
	struct timespec times[2] = { { sec, nsec }, { sec, nsec } };

	return futimens(fd, times);
}

/* Another time of change, though nothing has: what was converted is not this. */
TEST_F(library, is_not_the_one_of_another_time)
{
	struct stat st;

	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	ASSERT_EQ(0, fstat(self->b.fd, &st));
	ASSERT_EQ(0, set_mtime(self->b.fd, st.st_mtim.tv_sec, (st.st_mtim.tv_nsec + 1) % 1000000));
	EXPECT_TRUE(has_none(stack_of(self, "abc")));
	ASSERT_EQ(0, set_mtime(self->b.fd, st.st_mtim.tv_sec + 1, st.st_mtim.tv_nsec));
	EXPECT_TRUE(has_none(stack_of(self, "abc")));
	ASSERT_EQ(0, set_mtime(self->b.fd, st.st_mtim.tv_sec, st.st_mtim.tv_nsec));
	EXPECT_TRUE(is_whole(self, stack_of(self, "abc")));
}

TEST_F(library, is_not_used_when_written_to)
{
	char byte;

	ASSERT_EQ(0, set_mtime(self->b.fd, 1700000000, 0));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	ASSERT_TRUE(is_whole(self, stack_of(self, "abc")));
	ASSERT_EQ(1, pread(self->b.fd, &byte, 1, self->b.text->p_offset));
	ASSERT_EQ(1, pwrite(self->b.fd, &byte, 1, self->b.text->p_offset));
	EXPECT_TRUE(has_none(stack_of(self, "abc")));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	EXPECT_TRUE(is_whole(self, stack_of(self, "abc")));
}

TEST_F(library, is_not_used_when_longer)
{
	struct stat st;

	ASSERT_EQ(0, set_mtime(self->b.fd, 1700000000, 0));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	ASSERT_EQ(0, fstat(self->b.fd, &st));
	ASSERT_EQ(0, ftruncate(self->b.fd, st.st_size + 1));
	ASSERT_EQ(0, set_mtime(self->b.fd, 1700000000, 0));
	EXPECT_TRUE(has_none(stack_of(self, "abc")));
}

static bool stays_whole(FIXTURE_DATA(library) *self)
{
	bool whole = true;
	int i;

	for (i = 0; i < 3; i++)
		whole = is_whole(self, stack_of(self, "abcde")) && whole;
	return whole;
}

/* What is kept from walk to walk, and all that ends it. */
TEST_F_TIMEOUT(library, is_known_for_as_long_as_it_is_true, 60)
{
	int other = lwt_open();
	struct stat st;

	/* What is kept is kept by a CPU. */
	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, lwt_setup(other, RING, 0, 0));
	ASSERT_EQ(0, lwt_settle(self->b.fd));
	EXPECT_TRUE(has_none(stack_of(self, "abcde")));
	ASSERT_EQ(0, bare_add(&self->b, other));
	EXPECT_TRUE(stays_whole(self));
	close(other);
	EXPECT_TRUE(has_none(stack_of(self, "abcde")));
	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	EXPECT_TRUE(stays_whole(self));
	/* The file is another: by its time, and by its size alone. */
	ASSERT_EQ(0, fstat(self->b.fd, &st));
	ASSERT_EQ(0, set_mtime(self->b.fd, st.st_mtim.tv_sec + 1, st.st_mtim.tv_nsec));
	EXPECT_TRUE(has_none(stack_of(self, "abcde")));
	ASSERT_EQ(0, set_mtime(self->b.fd, st.st_mtim.tv_sec, st.st_mtim.tv_nsec));
	ASSERT_EQ(0, lwt_settle(self->b.fd));
	EXPECT_TRUE(stays_whole(self));
	ASSERT_EQ(0, ftruncate(self->b.fd, st.st_size + 1));
	ASSERT_EQ(0, set_mtime(self->b.fd, st.st_mtim.tv_sec, st.st_mtim.tv_nsec));
	EXPECT_TRUE(has_none(stack_of(self, "abcde")));
}

/* The same bytes, in another file. */
TEST_F(library, is_not_its_copy)
{
	struct bare copy;
	struct stat st;

	ASSERT_EQ(0, bare_load(&copy, self->dir, false));
	ASSERT_EQ(0, fstat(self->b.fd, &st));
	ASSERT_EQ(0, set_mtime(copy.fd, st.st_mtim.tv_sec, st.st_mtim.tv_nsec));
	ASSERT_EQ(0, bare_add(&copy, self->s.fd));
	EXPECT_TRUE(has_none(stack_of(self, "abc")));
	bare_close(&copy);
}

/* A debugger's breakpoint: the page is the process's own from then on. */
TEST_F(library, may_be_patched_in_memory)
{
	uint64_t at = (uintptr_t)self->b.functions[0] & -FAKE_PAGE;
	volatile char *byte = (char *)at;

	ASSERT_EQ(0, bare_add(&self->b, self->s.fd));
	ASSERT_EQ(0, mprotect((void *)at, FAKE_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
	*byte = *byte;
	EXPECT_BY(self, stack_of(self, "abcde"), LW_HOW_TABLE);
	ASSERT_EQ(0, mprotect((void *)at, FAKE_PAGE, PROT_READ | PROT_EXEC));
	EXPECT_BY(self, stack_of(self, "abcde"), LW_HOW_TABLE);
}

/* A file with its own section, and a table that would be wrong. */
FIXTURE(section)
{
	struct lwt_session s;
	struct lwt_log log;
	struct bare b;
	struct call call;
	struct chain chain;
	struct table table;
};

FIXTURE_SETUP(section)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	self->call.fd = self->s.fd;
	ASSERT_EQ(0, bare_load(&self->b, "/tmp", true));
	table_init(&self->table);
}

FIXTURE_TEARDOWN(section)
{
	bare_close(&self->b);
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

static struct lwt_stack *section_stack(FIXTURE_DATA(section) *self, const char *path)
{
	bare_run(&self->b, &self->chain, path, &self->call);
	if (self->call.ret < 0 || lwt_read(&self->s, &self->log) < 0)
		return NULL;
	return lwt_find_stack(&self->log, &self->call.request.cookie);
}

static int add_own(FIXTURE_DATA(section) *self)
{
	table_finish(&self->table);
	return table_add(self->s.fd, &self->table, self->b.fd, self->b.text->p_offset,
			 self->b.text->p_filesz);
}

TEST_F(section, comes_first)
{
	struct lwt_stack *stack;

	table_func(&self->table, 0, self->b.text->p_filesz);
	table_row(&self->table, 0, TABLE_SP, 8, 0);
	ASSERT_EQ(0, add_own(self));
	stack = section_stack(self, "abcde");
	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(self->call.nr, call_found_by(stack, 1, self->call.nr, LW_HOW_SFRAME));
}

#if defined(__s390x__)
/* How large is the frame that this function makes: aghi %r15, -size or lay %r15, -size(%r15). */
static int32_t frame_size(const uint8_t *code, size_t len)
{
	const uint8_t *end = code + len;

	for (; code < end; code += code[0] < 0x40 ? 2 : code[0] < 0xc0 ? 4 : 6) {
		if (code[0] == 0xa7 && code[1] == 0xfb)
			return -(int16_t)(code[2] << 8 | code[3]);
		if (code[0] == 0xe3 && code[1] == 0xf0 && code[2] >> 4 == 0xf && code[5] == 0x71)
			return -((int8_t)code[4] * 4096 + ((code[2] & 0xf) << 8 | code[3]));
	}
	return 0;
}
#endif

/* At the call that chain_f() makes. */
static void add_row_of_f(FIXTURE_DATA(section) *self)
{
#if defined(__s390x__)
	const void *code = (void *)(self->b.base + self->b.text->p_vaddr + self->b.fp_start);

	table_row_ra(&self->table, 0, TABLE_SP, frame_size(code, self->b.fp_size), 14 * 8);
#else
	table_row(&self->table, 0, TABLE_FP, 16, -16);
#endif
}

/* chain_f() has no row there; by its frame pointer it would be a guess. */
TEST_F(section, may_have_gaps)
{
	struct lwt_stack *stack;
	unsigned int i;

	stack = section_stack(self, "afa");
	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[3]);
	table_func(&self->table, self->b.fp_start, self->b.fp_size);
	add_row_of_f(self);
	ASSERT_EQ(0, add_own(self));
	stack = section_stack(self, "afa");
	EXPECT_CHAIN(stack, &self->call);
	for (i = 1; i < self->call.nr; i++)
		EXPECT_EQ(i == 3 ? LW_HOW_TABLE : LW_HOW_SFRAME, lwt_how(stack)[i]);
}

/* Files mapped in many ways: made-up frames. */
FIXTURE(mapping)
{
	struct asker a;
	struct fake f;
	struct fake_stack s;
};

FIXTURE_SETUP(mapping)
{
	ASSERT_EQ(0, asker_open(&self->a));
	self->f.fd = -1;
	fake_stack_init(&self->s, &self->a);
}

FIXTURE_TEARDOWN(mapping)
{
	fake_close(&self->f);
	asker_close(&self->a);
}

#define BY_TABLE(self)	fake_is_by(&(self)->s, fake_ask(&(self)->s), LW_HOW_TABLE)

TEST_F(mapping, may_have_no_headers)
{
	char *map;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, FAKE_PAGE));
	map = fake_map(&self->f, 1, 1);
	ASSERT_NE(MAP_FAILED, map);
	fake_call(&self->s, &self->f, map, 1, 3);
	fake_call(&self->s, &self->f, map, 1, 0);
	fake_call(&self->s, &self->f, map, 1, FAKE_LAST);
	EXPECT_FALSE(BY_TABLE(self));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	EXPECT_TRUE(BY_TABLE(self));
}

/* The segment begins somewhere in a page, and ends in the next. */
TEST_F(mapping, may_begin_before_the_segment)
{
	char *map;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, 2 * FAKE_PAGE - 256));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	map = fake_map(&self->f, 1, 2);
	ASSERT_NE(MAP_FAILED, map);
	fake_call(&self->s, &self->f, map, 1, 1);
	fake_call(&self->s, &self->f, map, 1, 8);
	fake_call(&self->s, &self->f, map, 1, 2);
	fake_call(&self->s, &self->f, map, 1, FAKE_LAST);
	EXPECT_TRUE(BY_TABLE(self));
}

TEST_F(mapping, may_be_a_part)
{
	char *map;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, FAKE_PAGE - 512));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	map = fake_map(&self->f, 1, 1);
	ASSERT_NE(MAP_FAILED, map);
	fake_call(&self->s, &self->f, map, 1, 9);
	fake_call(&self->s, &self->f, map, 1, 8);
	fake_call(&self->s, &self->f, map, 1, FAKE_LAST);
	EXPECT_TRUE(BY_TABLE(self));
}

/* Below its place in the file: what is before it has no address at all. */
TEST_F(mapping, may_be_lower_than_in_the_file)
{
	unsigned int page = 1 << 16;
	char *map;

	ASSERT_EQ(0, fake_make(&self->f, NULL, page + 1, (uint64_t)page * FAKE_PAGE));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	map = mmap((void *)0x100000UL, FAKE_PAGE, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->f.fd, (uint64_t)page * FAKE_PAGE);
	ASSERT_EQ((void *)0x100000UL, map);
	fake_call(&self->s, &self->f, map, page, 4);
	fake_call(&self->s, &self->f, map, page, FAKE_LAST);
	EXPECT_TRUE(BY_TABLE(self));
}

TEST_F(mapping, may_be_there_twice)
{
	char *one, *two;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, FAKE_PAGE));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	one = fake_map(&self->f, 0, 4);
	two = fake_map(&self->f, 1, 1);
	ASSERT_NE(MAP_FAILED, one);
	ASSERT_NE(MAP_FAILED, two);
	fake_call(&self->s, &self->f, one, 0, 1);
	fake_call(&self->s, &self->f, two, 1, 6);
	fake_call(&self->s, &self->f, one, 0, 5);
	fake_call(&self->s, &self->f, two, 1, FAKE_LAST);
	EXPECT_TRUE(BY_TABLE(self));
}

TEST_F(mapping, may_be_split)
{
	char *map;

	/* Half of the functions in each of two pages. */
	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, 2 * FAKE_PAGE - FAKE_TEXT / 2));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	map = fake_map(&self->f, 0, 4);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, mprotect(map + 2 * FAKE_PAGE, FAKE_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
	map[2 * FAKE_PAGE] = 1;
	fake_call(&self->s, &self->f, map, 0, 9);
	fake_call(&self->s, &self->f, map, 0, 2);
	fake_call(&self->s, &self->f, map, 0, 14);
	fake_call(&self->s, &self->f, map, 0, 7);
	fake_call(&self->s, &self->f, map, 0, FAKE_LAST);
	EXPECT_TRUE(BY_TABLE(self));
}

/* Each has its table, and between them is nothing. */
TEST_F(mapping, may_have_several_segments)
{
	struct fake second;
	struct lwt_stack *stack;
	char *map;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, FAKE_PAGE));
	second = self->f;
	second.offset = 2 * FAKE_PAGE + 128;
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	ASSERT_EQ(0, fake_add(&second, self->a.s.fd));
	EXPECT_EQ(2, lwt_stats(self->a.s.fd).tables);
	map = fake_map(&self->f, 0, 4);
	ASSERT_NE(MAP_FAILED, map);
	fake_call(&self->s, &self->f, map, 0, 1);
	fake_call(&self->s, &second, map, 0, 6);
	fake_call(&self->s, &self->f, map, 0, 5);
	fake_call(&self->s, &second, map, 0, FAKE_LAST);
	EXPECT_TRUE(BY_TABLE(self));

	fake_stack_init(&self->s, &self->a);
	fake_call(&self->s, &second, map, 0, 6);
	self->s.asker->stack[self->s.next] = (uintptr_t)map + 2 * FAKE_PAGE + 64;
	stack = fake_ask(&self->s);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(3, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

/*
 * What is met first has no table, and is guessed through: the rest of the mapping has. On arm64
 * a frame pointer does not tell the stack pointer, which the row needs.
 */
TEST_F(mapping, may_have_a_table_for_a_part)
{
	uint64_t *stack = self->a.stack;
	struct lwt_stack *answer;
	char *map;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, FAKE_PAGE));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	map = fake_map(&self->f, 0, 4);
	ASSERT_NE(MAP_FAILED, map);
	stack[0] = (uintptr_t)map + 64;
	raw_guess(&stack[1], &stack[10], (uintptr_t)&stack[10], (uintptr_t)map + FAKE_PAGE + 32);
	if (RAW_GUESSED)
		stack[10] = 1;
	stack[10 + RAW_GUESSED] = (uintptr_t)map + 3 * FAKE_PAGE;
	answer = asker_ask(&self->a, raw_hostile_sframe, (uintptr_t)stack,
			   (uintptr_t)&stack[10], 0);
	ASSERT_NE(NULL, answer);
#if defined(__x86_64__) || defined(__s390x__)
	ASSERT_EQ(4, answer->nr);
	EXPECT_EQ(LW_HOW_TABLE, lwt_how(answer)[3]);
	EXPECT_EQ(stack[10 + RAW_GUESSED], answer->frames[3]);
#elif defined(__aarch64__)
	ASSERT_EQ(3, answer->nr);
	EXPECT_EQ(LW_END_NO_RULE, answer->end);
#endif
	EXPECT_EQ(LW_HOW_FP, lwt_how(answer)[2]);
}

/* More of them than a walk keeps, each met twice. */
TEST_F(mapping, may_be_one_of_many)
{
	enum { NR = 40 };
	struct fake files[NR];
	char *maps[NR];
	unsigned int i;

	for (i = 0; i < NR; i++) {
		ASSERT_EQ(0, fake_make(&files[i], NULL, 1, 0));
		ASSERT_EQ(0, fake_add(&files[i], self->a.s.fd));
		maps[i] = fake_map(&files[i], 0, 1);
		ASSERT_NE(MAP_FAILED, maps[i]);
		close(files[i].fd);
	}
	EXPECT_EQ(NR, lwt_stats(self->a.s.fd).tables);
	for (i = 0; i < 2 * NR; i++)
		fake_call(&self->s, &files[i % NR], maps[i % NR], 0, i % FAKE_LAST);
	fake_call(&self->s, &files[0], maps[0], 0, FAKE_LAST);
	EXPECT_TRUE(BY_TABLE(self));
}

/* A row of another table for the same function, which came later. */
/* Whoever reads a page of the file that is not there waits for this, and is counted. */
struct pager {
	pthread_t thread;
	int uffd;
	int stop[2];
	char *page;
	int faults;
};

static void *page_in(void *arg)
{
	struct pager *p = arg;
	struct pollfd fds[2] = {
		{ .fd = p->uffd, .events = POLLIN },
		{ .fd = p->stop[0], .events = POLLIN },
	};
	struct uffdio_zeropage zero = { .range = { (uintptr_t)p->page, FAKE_PAGE } };
	struct uffd_msg msg;

	while (poll(fds, 2, -1) > 0 && !fds[1].revents) {
		if (read(p->uffd, &msg, sizeof(msg)) != sizeof(msg))
			continue;
		p->faults++;
		if (ioctl(p->uffd, UFFDIO_ZEROPAGE, &zero))
			break;
	}
	return NULL;
}

static int pager_start(struct pager *p, char *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)page, FAKE_PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	*p = (struct pager) { .page = page };
	p->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (p->uffd < 0 || ioctl(p->uffd, UFFDIO_API, &api) ||
	    ioctl(p->uffd, UFFDIO_REGISTER, &reg) || pipe(p->stop))
		return -1;
	return pthread_create(&p->thread, NULL, page_in, p);
}

/* Return: how often it was waited for. */
static int pager_stop(struct pager *p)
{
	if (write(p->stop[1], "", 1) != 1 || pthread_join(p->thread, NULL))
		return -1;
	close(p->stop[0]);
	close(p->stop[1]);
	close(p->uffd);
	return p->faults;
}

/* Text that is not in memory stays there, as its table says all. */
TEST_F(mapping, may_be_of_text_that_is_not_in_memory)
{
	volatile char *byte;
	struct pager p;
	char *map;
	int i;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 4, FAKE_PAGE));
	ASSERT_EQ(0, fallocate(self->f.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       FAKE_PAGE, FAKE_PAGE));
	ASSERT_EQ(0, lwt_settle(self->f.fd));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	map = fake_map(&self->f, 1, 1);
	ASSERT_NE(MAP_FAILED, map);
	byte = map;
	ASSERT_EQ(0, pager_start(&p, map));
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(fake_is_by(&self->s,
				       fake_ask_simply(&self->f, &self->a, &self->s,
						       map - FAKE_PAGE),
				       LW_HOW_TABLE));
	EXPECT_EQ(0, pager_stop(&p));
	/* The pager would have been asked. */
	ASSERT_EQ(0, pager_start(&p, map));
	EXPECT_EQ(0, *byte);
	EXPECT_EQ(1, pager_stop(&p));
}

struct remap {
	char *at;
	int fd;
	int prot;
	char *got;
};

static void *remap(void *arg)
{
	struct remap *r = arg;

	r->got = mmap(r->at, FAKE_PAGE, r->prot, MAP_PRIVATE | MAP_FIXED, r->fd, FAKE_PAGE);
	return NULL;
}

/* Return: whether another thread could do that. */
static bool remaps(struct remap *r)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, remap, r) && !pthread_join(thread, NULL) &&
	       r->got == r->at;
}

/* Between walks another thread maps something else at the same place. */
TEST_F_TIMEOUT(mapping, is_what_is_there_now, 60)
{
	struct fake_stack *s = &self->s;
	struct lwt_stack *stack;
	struct fake other;
	struct remap r;
	int i;

	/* What is kept is kept by a CPU. */
	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, fake_make(&self->f, lwt_disk(), 4, FAKE_PAGE));
	ASSERT_EQ(0, fake_make(&other, lwt_disk(), 4, FAKE_PAGE));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	ASSERT_EQ(0, lwt_settle(other.fd));
	r.at = fake_map(&self->f, 1, 1);
	ASSERT_NE(MAP_FAILED, r.at);
	for (i = 0; i < 200; i++) {
		r.fd = i % 3 == 1 ? other.fd : self->f.fd;
		r.prot = i % 7 == 3 ? PROT_READ : PROT_READ | PROT_EXEC;
		ASSERT_TRUE(remaps(&r));
		fake_stack_init(s, &self->a);
		fake_call(s, &self->f, r.at, 1, 3);
		fake_call(s, &self->f, r.at, 1, FAKE_LAST);
		stack = fake_ask(s);
		ASSERT_NE(NULL, stack);
		ASSERT_EQ(i % 3 != 1 && i % 7 != 3, fake_is_by(s, stack, LW_HOW_TABLE))
			TH_LOG("round %d", i);
		/* Again, by what was just seen. */
		stack = fake_ask(s);
		ASSERT_EQ(i % 3 != 1 && i % 7 != 3, fake_is_by(s, stack, LW_HOW_TABLE))
			TH_LOG("round %d, again", i);
	}
	fake_close(&other);
}

/* Code that returns at once, and code of which nothing is known. */
#if defined(__x86_64__)
static const uint32_t returns[2] = { 0xc3c3c3c3, 0xc3c3c3c3 };		/* ret */
static const uint32_t goes_on[2] = { 0x90909090, 0x90909090 };		/* nop */
enum { RETURNS_TO = 1 };		/* the word of the stack */
#elif defined(__aarch64__)
static const uint32_t returns[2] = { 0xa8c17bfd, 0xd65f03c0 };	/* ldp x29, x30, [sp], #16; ret */
static const uint32_t goes_on[2] = { 0xd503201f, 0xd503201f };	/* nop */
enum { RETURNS_TO = 2 };
#elif defined(__s390x__)
/* lmg %r14, %r15, 128(%r15); br %r14 */
static const uint32_t returns[2] = { 0xebeff080, 0x000407fe };
static const uint32_t goes_on[2] = { 0x07070707, 0x07070707 };	/* nopr %r7 */
enum { RETURNS_TO = 17 };
#endif

/* As compilers do that run what they make: of the old code nothing is to be known. */
TEST_F(mapping, may_be_written_anew)
{
	uint64_t *stack = self->a.stack;
	struct lwt_stack *answer;
	char *code;
	int i, at;

	ASSERT_EQ(0, lwt_pin(0));
	code = mmap(NULL, FAKE_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, code);
	/* Where it returns at once the caller is on the stack, else it is by the frame pointer. */
	stack[0] = (uintptr_t)code + 16;
	stack[1] = 0;
	stack[RETURNS_TO] = (uintptr_t)raw_hostile_fp_ip;
	raw_guess(&stack[1], &stack[10], (uintptr_t)&stack[10], (uintptr_t)raw_hostile_sframe_ip);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, mprotect(code, FAKE_PAGE, PROT_READ | PROT_WRITE));
		for (at = 0; at < 64; at += sizeof(returns))
			memcpy(code + at, i % 4 < 2 ? returns : goes_on, sizeof(returns));
		ASSERT_EQ(0, mprotect(code, FAKE_PAGE, PROT_READ | PROT_EXEC));
		answer = asker_ask(&self->a, raw_hostile_sframe, (uintptr_t)stack,
				   (uintptr_t)&stack[10], 0);
		ASSERT_NE(NULL, answer);
		ASSERT_LE(3, answer->nr);
		ASSERT_EQ(i % 4 < 2 ? (uintptr_t)raw_hostile_fp_ip :
				      (uintptr_t)raw_hostile_sframe_ip, answer->frames[2])
			TH_LOG("round %d", i);
	}
}

TEST_F(mapping, has_the_newest_of_several)
{
	struct fake other;
	char *map;

	ASSERT_EQ(0, fake_make(&self->f, NULL, 1, 0));
	other = self->f;
	table_init(&other.table);
	table_func(&other.table, 0, FAKE_TEXT);
	table_outermost(&other.table);
	table_finish(&other.table);
	map = fake_map(&self->f, 0, 1);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, fake_add(&other, self->a.s.fd));
	EXPECT_EQ(2, fake_ask_simply(&self->f, &self->a, &self->s, map)->nr);
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	EXPECT_TRUE(fake_is_by(&self->s, fake_ask_simply(&self->f, &self->a, &self->s, map),
			       LW_HOW_TABLE));
	EXPECT_EQ(2, lwt_stats(self->a.s.fd).tables);
}

/* An overlay whose lower layer has the file, and one whose upper has. */
static int mount_overlay(const char *upper)
{
	char options[256];

	if (mkdir("/dev/lw-ovl", 0700) ||
	    mount("lw", "/dev/lw-ovl", "tmpfs", 0, NULL) ||
	    mkdir("/dev/lw-ovl/l", 0700) || mkdir("/dev/lw-ovl/u", 0700) ||
	    mkdir("/dev/lw-ovl/w", 0700) || mkdir("/dev/lw-ovl/m", 0700))
		return -errno;
	snprintf(options, sizeof(options), "lowerdir=/dev/lw-ovl/l%s",
		 upper ? ",upperdir=/dev/lw-ovl/u,workdir=/dev/lw-ovl/w" : ":/dev/lw-ovl/w");
	return mount("lw", "/dev/lw-ovl/m", "overlay", 0, options) ? -errno : 0;
}

static void unmount_overlay(void)
{
	umount2("/dev/lw-ovl/m", MNT_DETACH);
	umount2("/dev/lw-ovl", MNT_DETACH);
	rmdir("/dev/lw-ovl");
}

TEST_F(mapping, may_be_of_an_overlay_upper)
{
	int ret = mount_overlay("u");
	char *map;

	if (ret) {
		unmount_overlay();
		SKIP(return, "no overlay file system here (mount: %s)", strerror(-ret));
	}
	ASSERT_EQ(0, fake_make(&self->f, "/dev/lw-ovl/m", 1, 0));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	map = fake_map(&self->f, 0, 1);
	unmount_overlay();
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_TRUE(fake_is_by(&self->s, fake_ask_simply(&self->f, &self->a, &self->s, map),
			       LW_HOW_TABLE));
}

/* And so it is by its name in the layer below. */
TEST_F(mapping, may_be_of_an_overlay_lower)
{
	int ret = mount_overlay(NULL), fd;
	struct fake below;
	char *map;

	if (ret) {
		unmount_overlay();
		SKIP(return, "no overlay file system here (mount: %s)", strerror(-ret));
	}
	fd = open("/dev/lw-ovl/l/file", O_RDWR | O_CREAT, 0700);
	ASSERT_EQ(0, fake_open(&below, fd, 1, 0));
	self->f = below;
	self->f.fd = open("/dev/lw-ovl/m/file", O_RDONLY);
	ASSERT_LE(0, self->f.fd);
	map = fake_map(&self->f, 0, 1);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	EXPECT_TRUE(fake_is_by(&self->s, fake_ask_simply(&self->f, &self->a, &self->s, map),
			       LW_HOW_TABLE));
	map = fake_map(&below, 0, 1);
	EXPECT_TRUE(fake_is_by(&self->s, fake_ask_simply(&below, &self->a, &self->s, map),
			       LW_HOW_TABLE));
	fake_close(&below);
	unmount_overlay();
}

/* What holds the file system would be in the way of umount(). */
TEST_F(mapping, of_a_file_system_that_may_be_unmounted)
{
	ASSERT_EQ(0, mkdir("/dev/lw-fs", 0700));
	ASSERT_EQ(0, mount("lw", "/dev/lw-fs", "tmpfs", 0, NULL));
	ASSERT_EQ(0, fake_make(&self->f, "/dev/lw-fs", 1, 0));
	ASSERT_EQ(0, fake_add(&self->f, self->a.s.fd));
	fake_close(&self->f);
	EXPECT_EQ(0, umount2("/dev/lw-fs", 0));
	EXPECT_EQ(0, rmdir("/dev/lw-fs"));
}

/*
 * The vDSO makes the call itself for a clock that it does not know.  How deep its frame
 * is then is seen with ptrace().  On x86 that is all that a row has to say.
 */
#if defined(__x86_64__)
typedef int (*gettime_fn)(clockid_t clock, struct timespec *ts);

struct vdso {
	uint64_t start;
	gettime_fn gettime;
	uint64_t ip;			/* of the system call, in the vDSO */
	uint64_t depth;			/* from there to the caller's frame */
};

static uint64_t vdso_symbol(uint64_t base, const char *name)
{
	const Elf64_Ehdr *ehdr = (void *)base;
	const Elf64_Phdr *phdr = (void *)(base + ehdr->e_phoff);
	const Elf64_Dyn *dyn = NULL;
	const Elf64_Sym *sym = NULL;
	const char *str = NULL;
	uint64_t strsz = 0;
	unsigned int i;

	for (i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_DYNAMIC)
			dyn = (void *)(base + phdr[i].p_vaddr);
	for (; dyn && dyn->d_tag; dyn++) {
		if (dyn->d_tag == DT_SYMTAB)
			sym = (void *)(base + dyn->d_un.d_ptr);
		if (dyn->d_tag == DT_STRTAB)
			str = (void *)(base + dyn->d_un.d_ptr);
		if (dyn->d_tag == DT_STRSZ)
			strsz = dyn->d_un.d_val;
	}
	/* The strings are behind the symbols. */
	for (; sym && str && (const char *)sym < str; sym++)
		if (sym->st_name < strsz && !strcmp(str + sym->st_name, name))
			return base + sym->st_value;
	return 0;
}

/* Calls it with a stack pointer that is known: in %r12. */
static KEEP long call_vdso(gettime_fn gettime)
{
	struct timespec ts;
	long ret;

	asm volatile("mov %%rsp, %%r12\n\t"
		     "lea -256(%%rsp), %%rsp\n\t"
		     "and $-16, %%rsp\n\t"
		     "mov %%rsp, %%r13\n\t"
		     "call *%[fn]\n\t"
		     "mov %%r12, %%rsp"
		     : "=a"(ret)
		     : [fn] "r"(gettime), "D"(CLOCK_PROCESS_CPUTIME_ID), "S"(&ts)
		     : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "memory", "cc");
	return ret;
}

/* The child stops at its system calls; the one in the vDSO is it. */
static int measure_vdso(struct vdso *v)
{
	struct user_regs_struct regs;
	pid_t pid = fork();
	int status, i;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		call_vdso(v->gettime);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	for (i = 0; i < 100 && !v->depth && WIFSTOPPED(status); i++) {
		if (ptrace(PTRACE_GETREGS, pid, 0, &regs))
			break;
		if (regs.orig_rax == SYS_clock_gettime && regs.rip - v->start < 0x10000) {
			v->ip = regs.rip;
			v->depth = regs.r13 - regs.rsp;
		}
		ptrace(PTRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, &status, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return v->depth ? 0 : -1;
}

static int add_vdso(const struct vdso *v, int session, uint64_t size)
{
	static struct table t;
	struct lw_table arg = {
		.size = sizeof(arg),
		.flags = LW_TABLE_VDSO,
		.file_fd = -1,
		.text_size = size,
		.data = (uintptr_t)t.bytes,
	};

	table_init(&t);
	table_func(&t, 0, size);
	table_row(&t, 0, TABLE_SP, v->depth, 0);
	table_finish(&t);
	arg.data_size = t.size;
	return lwt_ioctl(session, LW_IOC_ADD_TABLE, &arg);
}

FIXTURE(vdso)
{
	struct lwt_session s;
	struct lwt_log log;
	struct vdso v;
};

FIXTURE_SETUP(vdso)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("syscalls/sys_enter_clock_gettime");

	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	self->v.start = getauxval(AT_SYSINFO_EHDR);
	if (!self->v.start)
		SKIP(return, "no vDSO");
	self->v.gettime = (gettime_fn)vdso_symbol(self->v.start, "__vdso_clock_gettime");
	ASSERT_NE(NULL, self->v.gettime);
	if (measure_vdso(&self->v))
		SKIP(return, "this vDSO makes no system call");
	if (lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL))
		SKIP(return, "no tracepoint of clock_gettime()");
}

FIXTURE_TEARDOWN(vdso)
{
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

/* The stack of the call in the vDSO, or NULL. */
static struct lwt_stack *vdso_stack(FIXTURE_DATA(vdso) *self)
{
	struct lwt_stack *stack = NULL;
	size_t i;

	lwt_log_free(&self->log);
	if (lwt_enable(self->s.fd))
		return NULL;
	call_vdso(self->v.gettime);
	if (lwt_disable(self->s.fd) || lwt_read(&self->s, &self->log) < 0)
		return NULL;
	for (i = 0; i < self->log.nr; i++)
		if (self->log.records[i].head->type == LW_RECORD_USER_STACK &&
		    self->log.records[i].stack->frames[0] == self->v.ip)
			stack = self->log.records[i].stack;
	return stack;
}

static bool returns_to_us(const struct lwt_stack *stack)
{
	uint64_t from = (uintptr_t)call_vdso;

	return stack && stack->nr > 1 && stack->frames[1] > from && stack->frames[1] < from + 256;
}

TEST_F(vdso, is_a_file_too)
{
	struct lwt_stack *stack = vdso_stack(self);

	ASSERT_NE(NULL, stack);
	EXPECT_NE(LW_HOW_TABLE, lwt_how(stack)[1]);
	ASSERT_EQ(0, add_vdso(&self->v, self->s.fd, 4096));
	stack = vdso_stack(self);
	ASSERT_TRUE(returns_to_us(stack));
	EXPECT_EQ(LW_HOW_TABLE, lwt_how(stack)[1]);
}

TEST_F(vdso, has_nothing_of_a_file)
{
	struct lw_table arg = {
		.size = sizeof(arg),
		.flags = LW_TABLE_VDSO,
		.file_fd = -1,
		.text_size = 4096,
		.data = (uintptr_t)"",
		.data_size = 1,
	};
	struct lw_table bad;
	int fd = self->s.fd;

	EXPECT_EQ(-EBADMSG, lwt_ioctl(fd, LW_IOC_ADD_TABLE, &arg));
	bad = arg;
	bad.file_fd = 0;
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_ADD_TABLE, &bad));
	bad = arg;
	bad.mtime_nsec = 1;
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_ADD_TABLE, &bad));
	bad = arg;
	bad.mtime_sec = 1;
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_ADD_TABLE, &bad));
	bad = arg;
	bad.file_size = 1;
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_ADD_TABLE, &bad));
	bad = arg;
	bad.text_offset = 1;
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_ADD_TABLE, &bad));
	bad = arg;
	bad.text_size = 1 << 20;
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_ADD_TABLE, &bad));
}
#endif

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
