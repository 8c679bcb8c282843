// SPDX-License-Identifier: GPL-2.0
/*
 * registered_test.c - sections that a process registers for code of its own: used
 * exactly when they are registered, whole and sound; limits, rights, and what is
 * refused.  How long they live is in registered_life_test.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/jit.h"
#include "lib/served.h"
#include "lib/tags.h"
#include "lib/sframe_abi.h"
#include "kselftest_harness.h"

#include "../lib/liblatewind.h"

#define PARAMETER	"/sys/module/latewind/parameters/section_bytes"
#define NOBODY		65534
/* Mutants of each section. */
#define MUTANTS		lwt_count(4000, 1000)

FIXTURE(registered)
{
	struct asker a;
	struct jit_ask ask;
	uint8_t *text;			/* two pages */
	uint8_t table[1024];
	size_t len;
	int fd;				/* of the session */
	bool has_feature;
};

static bool has_sections(int fd)
{
	return lwt_features(fd) & LW_FEATURE_SECTIONS;
}

FIXTURE_SETUP(registered)
{
	ASSERT_EQ(0, asker_open(&self->a));
	self->fd = self->a.s.fd;
	if (!has_sections(self->fd))
		SKIP(return, "no LW_FEATURE_SECTIONS on this kernel");
	self->text = jit_map(NULL, 2 * JIT_PAGE);
	ASSERT_NE(NULL, self->text);
	self->len = jit_table(self->table, 2, 0, 0, 1);
}

FIXTURE_TEARDOWN(registered)
{
	if (self->text)
		munmap(self->text, 2 * JIT_PAGE);
	asker_close(&self->a);
}

static int add(FIXTURE_DATA(registered) *self, const struct lw_section *section)
{
	struct lw_section arg = *section;

	return lwt_ioctl(self->fd, LW_IOC_ADD_SECTION, &arg);
}

static struct lw_section section_of(FIXTURE_DATA(registered) *self)
{
	return jit_section(self->text, JIT_STRIDE, self->table, self->len);
}

static bool is_exact(FIXTURE_DATA(registered) *self, void *code)
{
	return jit_is_exact(jit_stack(&self->a, &self->ask, code), &self->ask);
}

static bool is_lost(FIXTURE_DATA(registered) *self, void *code)
{
	return jit_is_lost(jit_stack(&self->a, &self->ask, code), &self->ask);
}

TEST_F(registered, is_used_from_add_to_remove)
{
	struct lw_section section = section_of(self);

	EXPECT_TRUE(is_lost(self, self->text));
	ASSERT_EQ(0, add(self, &section));
	EXPECT_TRUE(is_exact(self, self->text));
	/* Of the function behind it nothing was said. */
	EXPECT_TRUE(is_lost(self, self->text + JIT_STRIDE));
	EXPECT_EQ(0, jit_remove(self->fd, self->text, 1));
	EXPECT_TRUE(is_lost(self, self->text));
	EXPECT_EQ(-ENOENT, jit_remove(self->fd, self->text, 1));
	EXPECT_EQ(0, add(self, &section));
	EXPECT_TRUE(is_exact(self, self->text));
}

TEST_F(registered, starts_are_relative_to_what_is_said)
{
	static const unsigned int versions[] = { 2, 3 };
	static const unsigned int flags[] = { 0, JIT_PCREL };
	struct lw_section section;
	unsigned int i, base;
	int64_t start;

	for (i = 0; i < 4; i++) {
		for (base = 0; base < 2; base++) {
			/* As a linker does, and as a JIT does. */
			start = base ? 0 : self->text - self->table;
			/* Version 2 has 32 bits for it. */
			if (versions[i / 2] == 2 && start != (int32_t)start)
				continue;
			self->len = jit_table(self->table, versions[i / 2],
					      flags[i % 2], start, 1);
			section = section_of(self);
			section.base = base ? section.text_start : 0;
			ASSERT_EQ(0, add(self, &section))
				TH_LOG("version %u, flags %u", versions[i / 2],
				       flags[i % 2]);
			EXPECT_TRUE(is_exact(self, self->text))
				TH_LOG("version %u, flags %u", versions[i / 2],
				       flags[i % 2]);
			ASSERT_EQ(0, jit_remove(self->fd, self->text, 1));
		}
	}
}

/* More than the reader has an index from. */
TEST_F(registered, has_many_functions)
{
	unsigned int nr = 2 * JIT_PAGE / JIT_STRIDE, i;

	ASSERT_EQ(0, jit_add(self->fd, self->text, nr));
	for (i = 0; i < nr; i += 37)
		EXPECT_TRUE(is_exact(self, self->text + i * JIT_STRIDE))
			TH_LOG("function %u", i);
	EXPECT_TRUE(is_exact(self, self->text + (nr - 1) * JIT_STRIDE));
}

TEST_F(registered, is_no_guess)
{
	struct lw_section section = section_of(self);
	struct lwt_stack *stack;
	struct jit_ask ask;
	struct asker a = {};

	ASSERT_EQ(0, add(self, &section));
	ASSERT_EQ(0, lwt_session_open_masked(&a.s, 1 << 18, 0, 0, LW_MASK_SFRAME));
	stack = jit_stack(&a, &ask, self->text);
	ASSERT_NE(NULL, stack);
	EXPECT_TRUE(jit_is_exact(stack, &ask));
	lwt_log_free(&a.log);
	lwt_session_close(&a.s);
}

#if defined(__aarch64__)
/* The bytes are read as the kernel reads what else the task points to. */
TEST_F(registered, may_be_named_by_a_pointer_with_a_tag)
{
	struct lw_section section;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		bool is_taken = i & 2, is_relative = i & 1;

		self->len = jit_table(self->table, 3, 0,
				      is_relative ? self->text - self->table : 0, 1);
		section = section_of(self);
		section.addr = tags_put(self->table, 0x5a);
		if (is_relative)
			section.base = 0;
		if (is_taken)
			ASSERT_EQ(0, tags_take(0));
		ASSERT_EQ(is_taken ? 0 : -EFAULT, add(self, &section));
		EXPECT_EQ(is_taken, is_exact(self, self->text))
			TH_LOG("case %u", i);
		EXPECT_EQ(is_taken ? 0 : -ENOENT, jit_remove(self->fd, self->text, 1));
	}
}
#endif

/* It is the copy that counts. */
TEST_F(registered, does_not_see_later_changes)
{
	struct lw_section section;
	void *table;

	table = mmap(NULL, JIT_PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, table);
	memcpy(table, self->table, self->len);
	section = section_of(self);
	section.addr = (uintptr_t)table;
	ASSERT_EQ(0, add(self, &section));
	memset(table, 0xff, JIT_PAGE);
	EXPECT_TRUE(is_exact(self, self->text));
	munmap(table, JIT_PAGE);
	EXPECT_TRUE(is_exact(self, self->text));
}

TEST_F(registered, refuses_what_overlaps)
{
	/* Of a section from 512 to 1024. */
	static const struct {
		unsigned int start;
		unsigned int end;
		int ret;
	} others[] = {
		{ 512, 1024, -EEXIST },
		{ 512, 512 + JIT_STRIDE, -EEXIST },
		{ 1024 - JIT_STRIDE, 1024, -EEXIST },
		{ 640, 640 + JIT_STRIDE, -EEXIST },
		{ 0, 513, -EEXIST },
		{ 1023, 2048, -EEXIST },
		{ 0, 2048, -EEXIST },
		{ 512 - JIT_STRIDE, 1024, -EEXIST },
		{ 512, 1024 + JIT_STRIDE, -EEXIST },
		{ 0, 512, 0 },
		{ 1024, 2048, 0 },
	};
	struct lw_section section = section_of(self);
	unsigned int i;

	section.text_start += 512;
	section.base += 512;
	section.text_size = 512;
	ASSERT_EQ(0, add(self, &section));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		section.text_start = (uintptr_t)self->text + others[i].start;
		section.base = section.text_start;
		section.text_size = others[i].end - others[i].start;
		EXPECT_EQ(others[i].ret, add(self, &section))
			TH_LOG("%u to %u", others[i].start, others[i].end);
	}
	EXPECT_TRUE(is_exact(self, self->text));
	EXPECT_TRUE(is_exact(self, self->text + 512));
	EXPECT_TRUE(is_exact(self, self->text + 1024));
	/* Removed is only what is named whole. */
	section.text_start = (uintptr_t)self->text + 512;
	section.text_size = 16;
	EXPECT_EQ(-ENOENT, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &section));
	section.text_size = 1024;
	EXPECT_EQ(-ENOENT, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &section));
	section.text_start = (uintptr_t)self->text + 528;
	section.text_size = 496;
	EXPECT_EQ(-ENOENT, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &section));
	EXPECT_TRUE(is_exact(self, self->text + 512));
}

TEST_F_TIMEOUT(registered, has_room_for_65536_and_no_more, 120)
{
	size_t len = (LW_MAX_SECTIONS + 1) * JIT_STRIDE;
	struct lw_section section = section_of(self);
	uint8_t *text = jit_map(NULL, len);
	uint64_t begun = lwt_now();
	unsigned int i;
	int ret = 0;

	if (LW_TIME_SCALE > 1 && !lwt_long())
		SKIP(return, "the short form does not add 65,536 sections to a checking kernel");
	ASSERT_NE(NULL, text);
	for (i = 0; i < LW_MAX_SECTIONS && !ret; i++) {
		section.text_start = (uintptr_t)text + i * JIT_STRIDE;
		section.base = section.text_start;
		ret = add(self, &section);
	}
	EXPECT_EQ(0, ret)
		TH_LOG("section %u", i);
	TH_LOG("%llu ms", (unsigned long long)(lwt_now() - begun) / 1000000);
	section.text_start = (uintptr_t)text + LW_MAX_SECTIONS * JIT_STRIDE;
	section.base = section.text_start;
	EXPECT_EQ(-ENOSPC, add(self, &section));
	EXPECT_TRUE(is_lost(self, (void *)section.text_start));
	EXPECT_TRUE(is_exact(self, text));
	EXPECT_TRUE(is_exact(self, text + len / 2 / JIT_STRIDE * JIT_STRIDE));
	EXPECT_TRUE(is_exact(self, text + len - 2 * JIT_STRIDE));
	EXPECT_EQ(0, jit_remove(self->fd, text, 1));
	EXPECT_EQ(0, add(self, &section));
	EXPECT_TRUE(is_exact(self, (void *)section.text_start));
	EXPECT_TRUE(is_lost(self, text));
	/* All at once. */
	ASSERT_EQ(0, munmap(text, len));
	ASSERT_EQ(text, jit_map(text, len));
	EXPECT_TRUE(is_lost(self, text + JIT_STRIDE));
	EXPECT_EQ(0, jit_add(self->fd, text, LW_MAX_SECTIONS));
	munmap(text, len);
}

static int write_parameter(unsigned long value)
{
	FILE *file = fopen(PARAMETER, "w");
	int ret;

	if (!file)
		return -errno;
	ret = fprintf(file, "%lu\n", value) < 0 ? -EIO : 0;
	return fclose(file) ? -errno : ret;
}

static unsigned long read_parameter(void)
{
	FILE *file = fopen(PARAMETER, "r");
	unsigned long value = 0;

	if (file) {
		if (fscanf(file, "%lu", &value) != 1)
			value = 0;
		fclose(file);
	}
	return value;
}

TEST_F(registered, section_bytes_is_the_limit)
{
	unsigned long before = read_parameter();
	unsigned int i, nr = 2 * JIT_PAGE / JIT_STRIDE;
	int ret = 0;

	ASSERT_LT(0, before);
	ASSERT_EQ(0, write_parameter(16384));
	for (i = 0; i < nr && !ret; i++)
		ret = jit_add(self->fd, self->text + i * JIT_STRIDE, 1);
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_LT(16384 / 1024, i);
	EXPECT_GT(16384 / 64, i);
	/* What goes makes room. */
	EXPECT_EQ(0, jit_remove(self->fd, self->text, 1));
	EXPECT_EQ(0, jit_add(self->fd, self->text + (i - 1) * JIT_STRIDE, 1));
	EXPECT_EQ(0, write_parameter(before));
	EXPECT_EQ(0, jit_add(self->fd, self->text, 1));
}

/* Where the starts of two rows are. */
#if defined(__x86_64__)
#define LAST_ROW	63
#define LATER_ROW	59
#elif defined(__aarch64__)
#define LAST_ROW	56
#define LATER_ROW	56
#elif defined(__s390x__)
#define LAST_ROW	59
#define LATER_ROW	55
#endif

/* A section, and what it must be refused for. */
struct bad {
	const char *name;
	unsigned int at;
	uint64_t value;
	unsigned int size;
};

TEST_F(registered, refuses_what_is_malformed)
{
	static const struct bad bad[] = {
		{ "magic", 0, 0, 2 },
		{ "other byte order", 0, 0xe2de, 2 },
		{ "version 1", 2, 1, 1 },
		{ "version 4", 2, 4, 1 },
		{ "not sorted", 3, 0, 1 },
		{ "unknown flag", 3, 0x81, 1 },
		{ "another ABI", 4, SFRAME_OTHER_ABI, 1 },
		{ "fixed FP", 5, 0xf0, 1 },
		{ "fixed RA of another", 6, SFRAME_OTHER_RA, 1 },
		{ "auxiliary header", 7, 255, 1 },
		{ "no functions", 8, 0, 4 },
		{ "two functions", 8, 2, 4 },
		{ "too many functions", 8, 0xffffffff, 4 },
		{ "rows outside", 16, 1000, 4 },
		{ "no rows", 16, 0, 4 },
		{ "functions outside", 20, 1000, 4 },
		{ "rows on top of functions", 24, 0, 4 },
		{ "rows behind the end", 24, 0xffffff00, 4 },
		{ "starts before the text", 28, -1ULL, 4 },
		{ "starts behind the text", 28, JIT_STRIDE, 4 },
		{ "is longer than the text", 32, JIT_STRIDE + 1, 4 },
		{ "is much longer", 32, 0xffffffff, 4 },
		{ "first row outside", 36, 18, 4 },
		{ "more rows than there are", 40, 9, 4 },
		{ "very many rows", 40, 0xffffffff, 4 },
		{ "row type", 44, 3, 1 },
		{ "blocks of 0", 44, 0x10, 1 },
		{ "word size", 49, 0x63, 1 },
		{ "word count", 49, 0x1f, 1 },
		{ "row behind the function", LAST_ROW, 100, 1 },
		{ "row before the one before", LATER_ROW, 0, 1 },
	};
	uint8_t sound[JIT_TABLE];
	unsigned int i;

	memcpy(sound, self->table, sizeof(sound));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct lw_section section = section_of(self);

		memcpy(self->table, sound, sizeof(sound));
		memcpy(self->table + bad[i].at, lwt_low_bytes(&bad[i].value, bad[i].size),
		       bad[i].size);
		EXPECT_EQ(-EINVAL, add(self, &section))
			TH_LOG("%s", bad[i].name);
	}
	memcpy(self->table, sound, sizeof(sound));
	EXPECT_TRUE(is_lost(self, self->text));
}

/* The order of functions counts, whether there are few or many. */
TEST_F(registered, refuses_functions_out_of_order)
{
	unsigned int nrs[] = { 2, 48 };
	unsigned int i, nr;

	for (i = 0; i < 2; i++) {
		struct lw_section section;
		uint32_t *first = (uint32_t *)(self->table + 28);

		nr = nrs[i];
		self->len = jit_table(self->table, 2, 0, 0, nr);
		section = jit_section(self->text, nr * JIT_STRIDE, self->table,
				      self->len);
		first[0] = first[5 * (nr - 1)];
		first[5 * (nr - 1)] = 0;
		EXPECT_EQ(-EINVAL, add(self, &section));
		first[5 * (nr - 1)] = first[0];
		first[0] = 0;
		EXPECT_EQ(0, add(self, &section));
		EXPECT_EQ(0, jit_remove(self->fd, self->text, nr));
	}
}

TEST_F(registered, refuses_ranges_that_are_none)
{
	const struct lw_section good = section_of(self);
	struct lw_section bad;

	bad = good;
	bad.text_size = 0;
	EXPECT_EQ(-EINVAL, add(self, &bad));
	EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &bad));
	bad = good;
	bad.text_size = -good.text_start;
	EXPECT_EQ(-EINVAL, add(self, &bad));
	bad = good;
	bad.text_size = ~0ULL;
	EXPECT_EQ(-EINVAL, add(self, &bad));
	EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &bad));
	bad = good;
	bad.len = 0;
	EXPECT_EQ(-EINVAL, add(self, &bad));
	bad = good;
	bad.len = 27;
	EXPECT_EQ(-EINVAL, add(self, &bad));
	bad = good;
	bad.base = ~0ULL - 8;
	EXPECT_EQ(-EINVAL, add(self, &bad));
	bad = good;
	bad.len = 1ULL << 40;
	EXPECT_EQ(-ENOSPC, add(self, &bad));
	bad = good;
	bad.len = ~0ULL - good.addr;
	EXPECT_EQ(-ENOSPC, add(self, &bad));
	bad = good;
	bad.addr = 16;
	EXPECT_EQ(-EFAULT, add(self, &bad));
	bad = good;
	bad.addr = 0xffffffff81000000;
	EXPECT_EQ(-EFAULT, add(self, &bad));
	/* All but its end. */
	bad = good;
	bad.addr = (uintptr_t)self->text + 2 * JIT_PAGE - self->len - 1;
	memcpy((void *)bad.addr, self->table, self->len);
	ASSERT_EQ(0, mprotect(self->text + JIT_PAGE, JIT_PAGE, PROT_READ));
	EXPECT_EQ(0, add(self, &bad));
	EXPECT_EQ(0, jit_remove(self->fd, self->text, 1));
	bad.addr -= JIT_PAGE - 20;
	ASSERT_EQ(0, mprotect(self->text + JIT_PAGE, JIT_PAGE, PROT_NONE));
	EXPECT_EQ(-EFAULT, add(self, &bad));
	EXPECT_EQ(0, add(self, &good));
}

TEST_F(registered, refuses_text_that_is_not_executable)
{
	struct lw_section section = section_of(self);

	section.text_size = 2 * JIT_PAGE;
	ASSERT_EQ(0, mprotect(self->text + JIT_PAGE, JIT_PAGE, PROT_READ));
	EXPECT_EQ(-EACCES, add(self, &section));
	ASSERT_EQ(0, munmap(self->text + JIT_PAGE, JIT_PAGE));
	EXPECT_EQ(-EACCES, add(self, &section));
	ASSERT_EQ(self->text + JIT_PAGE, jit_map(self->text + JIT_PAGE, JIT_PAGE));
	/* Two mappings are as good as one. */
	ASSERT_EQ(0, mprotect(self->text + JIT_PAGE, JIT_PAGE,
			      PROT_READ | PROT_EXEC));
	EXPECT_EQ(0, add(self, &section));
	EXPECT_TRUE(is_exact(self, self->text));
	/* Nor is the kernel's text ours. */
	section.text_start = 0xffffffff81000000;
	section.text_size = 4096;
	section.base = section.text_start;
	EXPECT_EQ(-EACCES, add(self, &section));
}

/* Only x86 has calls of 32-bit programs in those of 64 bits. */
#if defined(__x86_64__)
static int compat_ioctl(int fd, unsigned long cmd, void *arg)
{
	long ret;

	asm volatile("int $0x80"
		     : "=a"(ret)
		     : "a"(54), "b"(fd), "c"(cmd), "d"(arg)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

TEST_F(registered, is_not_for_32_bit_tasks)
{
	struct lw_section *section;

	if (access("./caller32", X_OK))
		SKIP(return, "no 32-bit callers");
	section = mmap(NULL, JIT_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, section);
	*section = section_of(self);
	EXPECT_EQ(-EOPNOTSUPP, compat_ioctl(self->fd, LW_IOC_ADD_SECTION, section));
	EXPECT_EQ(-EOPNOTSUPP,
		  compat_ioctl(self->fd, LW_IOC_REMOVE_SECTION, section));
	munmap(section, JIT_PAGE);
}
#endif

/* A file that is no session: for programs that have only code to tell of. */
TEST_F(registered, takes_no_session)
{
	struct lw_enable enable = { .size = sizeof(enable) };
	struct lw_stats stats = { .size = sizeof(stats) };
	struct lw_section section = section_of(self);
	struct pollfd poll_fd = { .events = POLLIN };
	int fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_TRUE(has_sections(fd));
	EXPECT_EQ(-EBADF, lwt_setup(fd, 65536, 0, 0));
	EXPECT_EQ(-EBADF, lwt_ioctl(fd, LW_IOC_ENABLE, &enable));
	EXPECT_EQ(-EBADF, lwt_ioctl(fd, LW_IOC_STATS, &stats));
	EXPECT_EQ(-EBADF, lwt_request(fd, 0, NULL));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, JIT_PAGE, PROT_WRITE, MAP_SHARED, fd,
				   LW_MMAP_CONSUMER(0)));
	EXPECT_EQ(EACCES, errno);
	poll_fd.fd = fd;
	EXPECT_EQ(1, poll(&poll_fd, 1, 0));
	EXPECT_EQ(POLLERR, poll_fd.revents & ~POLLIN);
	EXPECT_EQ(0, lwt_ioctl(fd, LW_IOC_ADD_SECTION, &section));
	close(fd);
	EXPECT_TRUE(is_exact(self, self->text));
	/* Of the process, not of the file. */
	EXPECT_EQ(0, jit_remove(self->fd, self->text, 1));
}

TEST_F(registered, library_says_what_the_module_says)
{
	errno = 4711;
	EXPECT_EQ(0, latewind_section_add(self->table, self->len, self->text,
					  JIT_STRIDE, self->text));
	EXPECT_TRUE(is_exact(self, self->text));
	EXPECT_EQ(-EEXIST, latewind_section_add(self->table, self->len, self->text,
						JIT_STRIDE, self->text));
	EXPECT_EQ(-EINVAL, latewind_section_add(self->table, 3, self->text,
						JIT_STRIDE, self->text));
	EXPECT_EQ(-EFAULT, latewind_section_add((void *)8, self->len, self->text,
						JIT_STRIDE, self->text));
	EXPECT_EQ(0, latewind_section_remove(self->text, JIT_STRIDE));
	EXPECT_EQ(-ENOENT, latewind_section_remove(self->text, JIT_STRIDE));
	EXPECT_EQ(4711, errno);
	EXPECT_TRUE(is_lost(self, self->text));
}

/* Exit status of a child of an ordinary user: the line that was not as expected. */
#define MUST(cond)							\
do {									\
	if (!(cond))							\
		_exit(1 + (__LINE__ % 200));				\
} while (0)

static void be_nobody(FIXTURE_DATA(registered) *self)
{
	struct rlimit limit = { .rlim_cur = 65536, .rlim_max = 65536 };
	unsigned int i;
	int ret = 0;

	MUST(!setrlimit(RLIMIT_MEMLOCK, &limit));
	MUST(!setresgid(NOBODY, NOBODY, NOBODY));
	MUST(!setresuid(NOBODY, NOBODY, NOBODY));
	MUST(open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC) < 0 && errno == EACCES);
	MUST(!latewind_section_add(self->table, self->len, self->text, JIT_STRIDE,
				   self->text));
	MUST(latewind_section_add(self->table, self->len, self->text, JIT_STRIDE,
				  self->text) == -EEXIST);
	/* The session is another's, but the stack its own. */
	MUST(!jit_ask(&self->ask, self->text));
	for (i = 1; i < 2 * JIT_PAGE / JIT_STRIDE && !ret; i++)
		ret = latewind_section_add(self->table, self->len,
					   self->text + i * JIT_STRIDE, JIT_STRIDE,
					   self->text + i * JIT_STRIDE);
	MUST(ret == -EPERM);
	MUST(i > 65536 / 1024 && i < 65536 / 64);
	MUST(lwt_own_kib("VmPin") == 64);
	MUST(!latewind_section_remove(self->text, JIT_STRIDE));
	MUST(!latewind_section_add(self->table, self->len, self->text, JIT_STRIDE,
				   self->text));
	MUST(!munmap(self->text, 2 * JIT_PAGE));
	MUST(!lwt_own_kib("VmPin"));
	_exit(0);
}

TEST_F(registered, is_for_every_user_within_limits)
{
	int status;
	pid_t pid;

	self->ask.fd = self->fd;
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		be_nobody(self);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status)
		TH_LOG("line %% 200 is %d", WEXITSTATUS(status) - 1);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Taken or refused, and unwound somehow; but never the end of anything. */
TEST_F_TIMEOUT(registered, survives_mutants, 120)
{
	uint64_t state = lwt_seed() | 1ULL << 63, bits;
	unsigned int i, j, taken = 0, version;
	struct lw_section section;
	int ret;

	for (i = 0; i < 2 * MUTANTS; i++) {
		version = 2 + i % 2;
		self->len = jit_table(self->table, version, i & 4, 0, 1 + i % 16);
		section = jit_section(self->text, JIT_PAGE, self->table,
				      self->len);
		for (j = 0; j <= i % 4; j++) {
			bits = next_random(&state);
			self->table[8 + bits % (self->len - 8)] ^=
				bits >> 63 ? 1U << (bits >> 40) % 8 :
					     (uint8_t)(bits >> 48);
		}
		if (!(i % 64))
			section.len -= next_random(&state) % self->len;
		ret = add(self, &section);
		if (ret && ret != -EINVAL) {
			EXPECT_EQ(-EINVAL, ret)
				TH_LOG("mutant %u", i);
			break;
		}
		if (ret)
			continue;
		taken++;
		ASSERT_NE(NULL, jit_stack(&self->a, &self->ask, self->text +
					  i % 20 * JIT_STRIDE))
			TH_LOG("mutant %u", i);
		section.text_size = JIT_PAGE;
		ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &section));
	}
	TH_LOG("%u of %u taken", taken, 2 * MUTANTS);
	EXPECT_LT(0, taken);
	EXPECT_GT(2 * MUTANTS, taken);
	EXPECT_EQ(0, lwt_tainted());
}

#define MANY	65535U
#define DEEP	1024U

/* The rest of a row for 16 bytes of stack. */
#if defined(__x86_64__)
static const uint8_t row_of_16[] = { 3, 16 };
#elif defined(__aarch64__)
static const uint8_t row_of_16[] = { 5, 16, 0xf8 };
#elif defined(__s390x__)
/* In words of 2 bytes: 16 in units of 8, and -168. */
static const uint8_t row_of_16[] = { 0x25, 0, 2, 0xff, 0x58 };
#endif

/* Magic, version 2, sorted; and a function with row starts of 2 bytes. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FIRST_WORD	0xdee20201
#define LAST_WORD	(1 << 24)
#else
#define FIRST_WORD	0x0102dee2
#define LAST_WORD	1
#endif
#define ROW_BYTES	(2 + sizeof(row_of_16))

/* One function, and a row for each of its bytes: 16 bytes of stack, the caller behind them. */
static struct lw_section many_rows(const void *text)
{
	static const uint32_t words[] = {
		FIRST_WORD, SFRAME_ABI_WORD, 1, MANY, ROW_BYTES * MANY, 0, 20,
		0, MANY + 1, 0, MANY, LAST_WORD,
	};
	uint8_t *table = malloc(sizeof(words) + ROW_BYTES * MANY), *to = table + sizeof(words);
	unsigned int i;

	memcpy(table, words, sizeof(words));
	for (i = 0; i < MANY; i++, to += ROW_BYTES) {
		const uint16_t start = i;

		memcpy(to, &start, sizeof(start));
		memcpy(to + sizeof(start), row_of_16, sizeof(row_of_16));
	}
	return jit_section(text, MANY + 1, table, to - table);
}

/* Each frame of a stack is at another byte of it, near its end. */
TEST_F_TIMEOUT(registered, bounds_what_a_walk_costs, 60)
{
	size_t len = 2 * DEEP * sizeof(uint64_t);
	uint64_t *stack_words = mmap(NULL, len, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	uint8_t *text = jit_map(NULL, MANY + 1);
	struct lw_section section = many_rows(text);
	uint64_t began, took;
	struct lwt_stack *stack;
	unsigned int i;

	ASSERT_NE(MAP_FAILED, (void *)stack_words);
	ASSERT_EQ(0, lwt_ioctl(self->a.s.fd, LW_IOC_ADD_SECTION, &section));
	for (i = 0; i < DEEP; i++)
		stack_words[2 * i] = (uintptr_t)text + MANY - i;
	began = lwt_now();
	stack = asker_ask(&self->a, raw_hostile_sframe, (uintptr_t)stack_words, 0, 0);
	took = lwt_now() - began;
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_END_BUDGET, stack->end);
	/* A million rows: so many as functions have, and not many more. */
	EXPECT_LE(8, stack->nr);
	EXPECT_GE(2 + (1 << 20) / MANY, stack->nr);
	TH_LOG("it took %llu us", (unsigned long long)took / 1000);
	free((void *)(uintptr_t)section.addr);
	munmap(stack_words, len);
}

/* --- beside a shared mapping of a file whose server is a program (FUSE) */

FIXTURE(served)
{
	struct served served;
	char *page;			/* mapped shared, to be written */
	int fd;				/* of its file */
	uint8_t *text;
	int proc;			/* LW_PROC_PATH */
};

FIXTURE_SETUP(served)
{
	int ret = served_init(&self->served);

	if (ret == -ENOENT || ret == -ENODEV)
		SKIP(return, SERVED_MISSING);
	ASSERT_EQ(0, ret);
	self->proc = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->proc);
	if (!has_sections(self->proc))
		SKIP(return, "no LW_FEATURE_SECTIONS on this kernel");
	self->fd = served_open(O_RDWR);
	ASSERT_LE(0, self->fd);
	self->page = served_map(self->fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(NULL, self->page);
	self->text = jit_map(NULL, JIT_PAGE);
	ASSERT_NE(NULL, self->text);
}

FIXTURE_TEARDOWN(served)
{
	served_free(&self->served);
	EXPECT_EQ(0, lwt_tainted());
}

TEST_F(served, mapping_is_refused)
{
	EXPECT_EQ(-EOPNOTSUPP, jit_add(self->proc, self->text, 1));
	munmap(self->page, SERVED_PAGE);
	/* Nobody waits for the program to write to these. */
	ASSERT_NE(NULL, served_map(self->fd, PROT_READ | PROT_WRITE, MAP_PRIVATE));
	close(self->fd);
	self->fd = served_open(O_RDONLY);
	ASSERT_NE(NULL, served_map(self->fd, PROT_READ, MAP_SHARED));
	EXPECT_EQ(0, jit_add(self->proc, self->text, 1));
}

/**
 * struct writer - a process that writes to the page, and that registers meanwhile
 * @thread: that writes; 0: it has
 * @waits: it waits, in the kernel
 * @ended: a section was to be added
 * @added: what came of that
 * @elsewhere: what came of a section of a process without the mapping; 1: it is not added yet
 */
struct writer {
	atomic_int thread;
	atomic_bool waits;
	atomic_bool ended;
	int added;
	atomic_int elsewhere;
};

struct write_arg {
	struct writer *writer;
	char *page;
};

static void *write_to_page(void *arg)
{
	struct write_arg *write = arg;

	write->writer->thread = gettid();
	write->page[1]++;
	write->writer->thread = 0;
	return arg;
}

/* Before Linux 6.6, who waits has mmap_lock: no memory is touched that was not before. */
static void add_beside_writer(FIXTURE_DATA(served) *self, struct writer *writer)
{
	struct write_arg arg = { writer, self->page };
	pthread_t thread;

	jit_add(-1, self->text, 1);
	if (pthread_create(&thread, NULL, write_to_page, &arg))
		_exit(1);
	while (!writer->waits)
		sched_yield();
	writer->added = jit_add(self->proc, self->text, 1);
	writer->ended = true;
	pthread_join(thread, NULL);
	_exit(0);
}

/*
 * A process without the mapping registers.  It is a child, and is waited for at the end: to unmap
 * such a page, or to close its file, may mean to wait for the server, too.
 *
 * Return: the child, or -errno.
 */
static pid_t add_elsewhere(FIXTURE_DATA(served) *self, struct writer *writer)
{
	pid_t pid;

	writer->elsewhere = 1;
	if (madvise(self->page, SERVED_PAGE, MADV_DONTFORK))
		return -errno;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		writer->elsewhere = jit_add(self->proc, self->text, 1);
		_exit(0);
	}
	return pid;
}

/* The page is written back, and a second write to it waits for the end of that. */
TEST_F_TIMEOUT(served, mapping_that_is_written_holds_nobody_up, 300)
{
	struct writer *writer = mmap(NULL, sizeof(*writer), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid, other;
	int status;

	ASSERT_NE(MAP_FAILED, writer);
	self->page[0]++;
	served_withhold(&self->served, FUSE_WRITE);
	ASSERT_EQ(0, sync_file_range(self->fd, 0, SERVED_PAGE, SYNC_FILE_RANGE_WRITE));
	ASSERT_TRUE(served_is_waited_for(&self->served));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		add_beside_writer(self, writer);
	}
	ASSERT_TRUE(lwt_wait(writer->thread && lwt_is(writer->thread, "D")));
	writer->waits = true;
	EXPECT_TRUE(lwt_wait(writer->ended));
	EXPECT_TRUE(lwt_is(writer->thread, "D"));
	/* Nor are others held up. */
	other = add_elsewhere(self, writer);
	ASSERT_LT(0, other);
	EXPECT_TRUE(lwt_wait(writer->elsewhere <= 0));
	EXPECT_EQ(0, writer->elsewhere);
	ASSERT_EQ(0, served_answer(&self->served));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(other, waitpid(other, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(writer->added == -EOPNOTSUPP || writer->added == -EAGAIN)
		TH_LOG("it says %d", writer->added);
	munmap(writer, sizeof(*writer));
}

TEST_HARNESS_MAIN
