// SPDX-License-Identifier: GPL-2.0
/*
 * section_test.c - what the library keeps of registered sections is what the kernel has, and
 * what a child registers again.
 *
 * The kernel is a stand-in here, which knows what is registered by its first byte of text.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <latewind.h>

#include "tests/tap.h"

#define UNITS	4096
#define UNIT	64

static int call_kernel(int fd, unsigned long cmd, const void *arg);

static int open_kernel(const char *path, int flags)
{
	return strcmp(path, LW_PROC_PATH) || flags != (O_RDONLY | O_CLOEXEC) ? -1 : dup(0);
}

/* The library's, with that kernel. */
#define open	open_kernel
#define ioctl	call_kernel
#include "section.c"
#undef open
#undef ioctl

static char text[UNITS * UNIT];
static u8 kernel[UNITS];		/* by unit: length of the section that begins there */
static int fail_next;			/* errno of the next call, or 0 */
static bool children_fail;		/* of all in a child: text is not there */

static u32 unit_of(u64 addr)
{
	return (addr - (uintptr_t)text) / UNIT;
}

static int fail(int err)
{
	errno = err;
	return -1;
}

static int call_kernel(int fd, unsigned long cmd, const void *arg)
{
	const struct lw_section *section = arg;
	u32 at = unit_of(section->text_start), len = section->text_size / UNIT;
	int err = fail_next;

	(void)fd;
	fail_next = 0;
	if (err)
		return fail(err);
	if (children_fail)
		return fail(EACCES);
	if (cmd == LW_IOC_REMOVE_SECTION) {
		if (kernel[at] != len)
			return fail(ENOENT);
		kernel[at] = 0;
		return 0;
	}
	for (u32 i = 0; i < UNITS; i++)
		if (kernel[i] && i < at + len && i + kernel[i] > at)
			return fail(EEXIST);
	if (memcmp((const void *)(uintptr_t)section->addr, "section", 8))
		return fail(EINVAL);
	kernel[at] = len;
	return 0;
}

static int add_units(u32 at, u32 len)
{
	return latewind_section_add("section", 8, text + at * UNIT, len * UNIT, NULL);
}

static int remove_units(u32 at, u32 len)
{
	return latewind_section_remove(text + at * UNIT, len * UNIT);
}

static void begin_anew(void)
{
	while (first[0])
		unlink_section(first[0]);
	memset(kernel, 0, sizeof(kernel));
}

/* In order, and each level has some of those below. */
static bool is_sound(void)
{
	const struct section *below, *section;

	for (section = first[0]; section && section->next[0]; section = section->next[0])
		if (end_of(&section->arg) > start_of(&section->next[0]->arg))
			return false;
	for (int level = 1; level < LEVELS; level++) {
		below = first[level - 1];
		for (section = first[level]; section; section = section->next[level]) {
			while (below && below != section)
				below = below->next[level - 1];
			if (!below)
				return false;
		}
	}
	return true;
}

static bool is_as_the_kernel(void)
{
	const struct section *section;
	u32 nr = 0;

	for (section = first[0]; section; section = section->next[0], nr++)
		if (kernel[unit_of(section->arg.text_start)] != section->arg.text_size / UNIT)
			return false;
	for (u32 i = 0; i < UNITS; i++)
		nr -= !!kernel[i];
	return !nr && is_sound();
}

static bool list_is_what_the_kernel_has(void)
{
	u32 random = 7, nr = 0;

	begin_anew();
	for (u32 i = 0; i < 30000; i++) {
		random = random * 1103515245 + 12345;
		if (random >> 30)
			nr += !add_units(random >> 8 & (UNITS - 1), 1 + (random >> 20) % 3);
		else
			remove_units(random >> 8 & (UNITS - 1), 1 + (random >> 20) % 3);
		if (i % 1000 == 0)
			CHECK(is_as_the_kernel());
	}
	CHECK(nr > 3000 && is_as_the_kernel());
	return true;
}

/* The kernel drops what is unmapped by itself: that shows when other text comes there. */
static bool unmapped_text_is_forgotten_for_new(void)
{
	begin_anew();
	CHECK(!add_units(10, 2) && !add_units(12, 2) && !add_units(20, 1));
	kernel[10] = 0;
	kernel[12] = 0;
	CHECK(!add_units(11, 2));
	CHECK(is_as_the_kernel());
	return true;
}

static bool only_what_was_added_is_removed(void)
{
	begin_anew();
	CHECK(!add_units(10, 3));
	CHECK(remove_units(10, 2) == -ENOENT && remove_units(11, 2) == -ENOENT);
	CHECK(is_as_the_kernel());
	CHECK(!remove_units(10, 3) && !first[0]);
	return true;
}

static bool is_tried_again_where_that_may_help(void)
{
	begin_anew();
	fail_next = EFAULT;
	CHECK(!add_units(1, 1));
	fail_next = EAGAIN;
	CHECK(!add_units(2, 1));
	fail_next = ENOSPC;
	CHECK(add_units(3, 1) == -ENOSPC);
	/* The module went between open() and ioctl(). */
	fail_next = ENOTTY;
	CHECK(add_units(3, 1) == -ENOENT);
	CHECK(is_as_the_kernel());
	return true;
}

static bool absurd_sizes_are_refused(void)
{
	begin_anew();
	CHECK(latewind_section_add("section", SIZE_MAX, text, UNIT, NULL) == -ENOSPC);
	CHECK(latewind_section_add((void *)(UINTPTR_MAX - 7), 64, text, UNIT, NULL) == -EINVAL);
	CHECK(latewind_section_add((void *)8, 64, text, UNIT, NULL) == -EFAULT);
	CHECK(!first[0]);
	return true;
}

/* Return: 0, or the line that was not as expected. */
static int look_in_child(void)
{
	if (!is_as_the_kernel())
		return 1;
	if (add_units(100, 1) || remove_units(10, 1))
		return 2;
	return is_as_the_kernel() ? 0 : 3;
}

/* A child of fork() has a new kernel, so to speak; ours is copied, so it has to be emptied. */
static int fork_with_new_kernel(void)
{
	u8 saved[UNITS];
	int status = -1;
	pid_t pid;

	memcpy(saved, kernel, sizeof(saved));
	memset(kernel, 0, sizeof(kernel));
	pid = fork();
	if (!pid)
		_exit(look_in_child());
	memcpy(kernel, saved, sizeof(saved));
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static bool child_registers_all_again(void)
{
	begin_anew();
	for (u32 i = 0; i < 50; i++)
		CHECK(!add_units(i, 1));
	CHECK(!fork_with_new_kernel());
	CHECK(is_as_the_kernel());
	return true;
}

/* fork() by who has the lock, as in a signal's handler. */
static bool child_has_no_lock(void)
{
	int status;

	begin_anew();
	CHECK(!add_units(10, 1));
	pthread_mutex_lock(&sections_lock);
	status = fork_with_new_kernel();
	pthread_mutex_unlock(&sections_lock);
	CHECK(!status);
	return true;
}

static bool child_forgets_what_it_did_not_get(void)
{
	int status;
	pid_t pid;

	begin_anew();
	CHECK(!add_units(1, 1) && !add_units(2, 1));
	children_fail = true;
	pid = fork();
	if (!pid)
		_exit(!!first[0]);
	children_fail = false;
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK(is_as_the_kernel());
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(list_is_what_the_kernel_has),
		TEST(unmapped_text_is_forgotten_for_new),
		TEST(only_what_was_added_is_removed),
		TEST(is_tried_again_where_that_may_help),
		TEST(absurd_sizes_are_refused),
		TEST(child_registers_all_again),
		TEST(child_has_no_lock),
		TEST(child_forgets_what_it_did_not_get),
	};
	int failed = tap_run(tests, sizeof(tests) / sizeof(*tests));

	begin_anew();
	return failed;
}
