// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * section.c - tables of code that a program makes itself.
 *
 * /proc/latewind is opened for each call and closed again: that costs little beside the
 * making of code, no descriptor gets in the way of a program that closes all, and the
 * module can be unloaded, or loaded later, under programs that go on.
 *
 * The kernel gives a child of fork() no sections.  So what was registered is kept here, and
 * registered again by the child, before fork() returns there.
 *
 * Contexts: any thread; in a child of fork() that has one thread, before all others.
 */
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private.h"

/* Of Linux 5.14; the headers may be older. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#endif

/**
 * struct section - one that the kernel has, or had until its text was unmapped
 * @arg: to register it again
 * @bytes: the section; may be unaligned
 */
struct section {
	struct lw_section arg;
	u8 bytes[];
};

/* A tree of tsearch(3) by text, in which none overlaps another; protected by sections_lock. */
static void *sections;
static pthread_mutex_t sections_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static int fork_error;		/* 0, or -ENOMEM: children would have no sections */
static int child_fd;		/* of the file, for add_again() */

/* That overlaps is equal, so that tfind() finds any section with text in a range. */
static int compare(const void *a, const void *b)
{
	const struct lw_section *x = &((const struct section *)a)->arg;
	const struct lw_section *y = &((const struct section *)b)->arg;

	if (x->text_start + x->text_size <= y->text_start)
		return -1;
	return x->text_start >= y->text_start + y->text_size;
}

/* @fd: or why there is none.  Return: 0 or -errno. */
static int ask(int fd, unsigned long cmd, const struct lw_section *arg)
{
	int ret;

	if (fd < 0)
		return fd;
	ret = ioctl(fd, cmd, arg) ? -errno : 0;
	/* A module of before. */
	return ret == -ENOTTY ? -EOPNOTSUPP : ret;
}

static int open_file(void)
{
	int fd = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void before_fork(void)
{
	pthread_mutex_lock(&sections_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&sections_lock);
}

/* The kernel refuses text that the child did not get. */
static void add_again(const void *node, VISIT visit, int depth)
{
	const struct section *section = *(const struct section *const *)node;

	(void)depth;
	if (visit == postorder || visit == leaf)
		ask(child_fd, LW_IOC_ADD_SECTION, &section->arg);
}

/* Nobody is told if it fails: stacks through such code are said to be lost. */
static void in_child(void)
{
	int saved = errno;

	child_fd = sections ? open_file() : -ENOENT;
	if (child_fd >= 0) {
		twalk(sections, add_again);
		close(child_fd);
	}
	pthread_mutex_unlock(&sections_lock);
	errno = saved;
}

static void watch_forks(void)
{
	fork_error = pthread_atfork(before_fork, after_fork, in_child) ? -ENOMEM : 0;
}

static void forget(const struct section *text)
{
	struct section **found, *section;

	while ((found = tfind(text, &sections, compare))) {
		section = *found;
		tdelete(section, &sections, compare);
		free(section);
	}
}

/* Return: whether the calling process can read there, all of it; if not, with errno. */
static bool can_read(const struct lw_section *arg)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), start = arg->addr & ~(page - 1);
	bool can = !madvise((void *)start, arg->addr + arg->len - start, MADV_POPULATE_READ);

	if (!can)
		errno = EFAULT;
	return can;
}

/*
 * The kernel does not wait for pages, so it is given the copy, whose pages are there.
 *
 * Return: to be freed, or NULL with errno.
 */
static struct section *copy_of(const struct lw_section *arg)
{
	struct section *section = NULL;

	if (can_read(arg))
		section = malloc(sizeof(*section) + arg->len);
	if (!section)
		return NULL;
	section->arg = *arg;
	section->arg.addr = (uintptr_t)section->bytes;
	if (!arg->base)
		section->arg.base = arg->addr;
	memcpy(section->bytes, (const void *)(uintptr_t)arg->addr, arg->len);
	return section;
}

static int add(int fd, const struct lw_section *arg)
{
	struct section *section = fd < 0 ? NULL : copy_of(arg);
	int ret = fd < 0 ? fd : -errno;

	if (!section)
		return ret;
	ret = ask(fd, LW_IOC_ADD_SECTION, &section->arg);
	if (!ret) {
		/* The kernel has no other section there: their text was unmapped. */
		forget(section);
		if (tsearch(section, &sections, compare))
			return 0;
		ask(fd, LW_IOC_REMOVE_SECTION, arg);
		ret = -ENOMEM;
	}
	free(section);
	return ret;
}

/* Without a module, too: one may be there before the next fork(). */
static int drop(int fd, const struct lw_section *arg)
{
	const struct section text = { .arg = *arg };

	if (arg->text_size)
		forget(&text);
	return ask(fd, LW_IOC_REMOVE_SECTION, arg);
}

/* Return: 0 or -errno, which stays as it was. */
static int call_module(int (*call)(int fd, const struct lw_section *arg),
		       const struct lw_section *arg)
{
	int saved = errno, fd, ret;

	pthread_once(&fork_once, watch_forks);
	if (fork_error)
		return fork_error;
	/* A child has what the kernel has. */
	pthread_mutex_lock(&sections_lock);
	fd = open_file();
	ret = call(fd, arg);
	if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&sections_lock);
	errno = saved;
	return ret;
}

int latewind_section_add(const void *section, size_t section_size,
			 const void *text, size_t text_size, const void *base)
{
	const struct lw_section arg = {
		.size = sizeof(arg),
		.addr = (uintptr_t)section,
		.len = section_size,
		.text_start = (uintptr_t)text,
		.text_size = text_size,
		.base = (uintptr_t)base,
	};

	return call_module(add, &arg);
}

int latewind_section_remove(const void *text, size_t text_size)
{
	const struct lw_section arg = {
		.size = sizeof(arg),
		.text_start = (uintptr_t)text,
		.text_size = text_size,
	};

	return call_module(drop, &arg);
}
