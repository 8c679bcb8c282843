// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * section.c - tables of code that a program makes itself.
 *
 * /proc/latewind is opened for each call and closed again: that costs little beside the
 * making of code, no descriptor gets in the way of a program that closes all, and the
 * module can be unloaded, or loaded later, under programs that go on.
 *
 * The kernel gives a child of fork() no sections.  So what was registered is kept here, and
 * registered again by the child, before fork() returns there.  fork() takes no lock for that,
 * as programs may register under locks of their own that their handlers of fork() take, too,
 * and may fork in a signal's handler: sections are in a list that is whole after each store to
 * memory, whatever another thread was doing when the memory was copied.
 *
 * Contexts: any thread.
 */
#include <fcntl.h>
#include <pthread.h>
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

/* Levels of the list: it is as quick as a tree up to 4^LEVELS sections. */
#define LEVELS		8
/* More than the module takes of one section, whatever its limit. */
#define MOST_BYTES	(1ULL << 30)
/* A page can be gone, or mmap_lock taken, by chance, but not so often. */
#define TRIES		20

/**
 * struct section - one that the kernel has, or had until its text was unmapped
 * @next: the next one by text, of those that have as many levels; a skip list
 * @arg: to register it again
 * @bytes: the section; may be unaligned
 */
struct section {
	struct section *next[LEVELS];
	struct lw_section arg;
	u8 bytes[];
};

/* By text, in which none overlaps another.  Protected by sections_lock, but from fork(). */
static struct section *first[LEVELS];
static pthread_mutex_t sections_lock = PTHREAD_MUTEX_INITIALIZER;
static u32 random_state = 1;	/* likewise */

static u64 start_of(const struct lw_section *arg)
{
	return arg->text_start;
}

static u64 end_of(const struct lw_section *arg)
{
	return arg->text_start + arg->text_size;
}

/* @links: out: by level, what points to the first section that ends behind @start. */
static void find_links(struct section **links[LEVELS], u64 start)
{
	struct section **from = first;
	int level;

	for (level = LEVELS - 1; level >= 0; level--) {
		while (from[level] && end_of(&from[level]->arg) <= start)
			from = from[level]->next;
		links[level] = &from[level];
	}
}

/* One level in four goes on to the next. */
static int choose_level(void)
{
	int level = 1;

	random_state = random_state * 1664525 + 1013904223;
	while (level < LEVELS && !(random_state >> (30 - 2 * level) & 3))
		level++;
	return level;
}

/* The lowest level first, so that a copy of the memory has it there or not at all. */
static void link_section(struct section *section)
{
	struct section **links[LEVELS];
	int level, levels = choose_level();

	find_links(links, start_of(&section->arg));
	for (level = 0; level < levels; level++) {
		section->next[level] = *links[level];
		store_release(links[level], section);
	}
}

/* The lowest level last, likewise. */
static void unlink_section(struct section *section)
{
	struct section **links[LEVELS];
	int level;

	find_links(links, start_of(&section->arg));
	for (level = LEVELS - 1; level >= 0; level--)
		if (*links[level] == section)
			store_release(links[level], section->next[level]);
	free(section);
}

/* Return: the first with text in a range, or NULL. */
static struct section *find_section(const struct lw_section *text)
{
	struct section **links[LEVELS], *section;

	find_links(links, start_of(text));
	section = *links[0];
	return section && start_of(&section->arg) < end_of(text) ? section : NULL;
}

static int open_file(void)
{
	int fd = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* @fd: or why there is none.  Return: 0 or -errno. */
static int ask(int fd, unsigned long cmd, const struct lw_section *arg)
{
	int ret;

	if (fd < 0)
		return fd;
	ret = ioctl(fd, cmd, arg) ? -errno : 0;
	/* The module was unloaded since the file was opened. */
	return ret == -ENOTTY ? -ENOENT : ret;
}

/* The kernel waits for no page. */
static void touch(const struct section *section)
{
	const volatile u8 *byte = (const volatile u8 *)section;
	size_t size = sizeof(*section) + section->arg.len, page = sysconf(_SC_PAGESIZE), at;

	for (at = 0; at < size; at += page)
		(void)byte[at];
	(void)byte[size - 1];
}

/* Return: 0 or -errno. */
static int ask_to_add(int fd, const struct section *section)
{
	int i, ret = -EAGAIN;

	for (i = 0; i < TRIES && (ret == -EAGAIN || ret == -EFAULT); i++) {
		touch(section);
		ret = ask(fd, LW_IOC_ADD_SECTION, &section->arg);
	}
	return ret;
}

/* Nobody is told if it fails: stacks through such code are said to be lost. */
static void in_child(void)
{
	struct section *section, *next;
	int saved = errno, fd;

	/* Another thread may have had it. */
	pthread_mutex_init(&sections_lock, NULL);
	fd = first[0] ? open_file() : -ENOENT;
	for (section = first[0]; section && fd >= 0; section = next) {
		next = section->next[0];
		/* Its text was unmapped, or is not for children. */
		if (ask_to_add(fd, section) == -EACCES)
			unlink_section(section);
	}
	if (fd >= 0)
		close(fd);
	errno = saved;
}

/* Before there are other threads. */
static __attribute__((constructor)) void watch_forks(void)
{
	pthread_atfork(NULL, NULL, in_child);
}

/* Return: whether the calling process can read there, all of it. */
static bool can_read(const struct lw_section *arg)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), start = arg->addr & ~(page - 1);

	return !madvise((void *)start, arg->addr + arg->len - start, MADV_POPULATE_READ);
}

/* Return: 0 or -errno; *@copy is to be freed then. */
static int make_copy(const struct lw_section *arg, struct section **copy)
{
	struct section *section;

	if (arg->len > MOST_BYTES)
		return -ENOSPC;
	if (arg->addr + arg->len < arg->addr)
		return -EINVAL;
	if (!can_read(arg))
		return -EFAULT;
	section = calloc(1, sizeof(*section) + arg->len);
	if (!section)
		return -ENOMEM;
	section->arg = *arg;
	section->arg.addr = (uintptr_t)section->bytes;
	if (!arg->base)
		section->arg.base = arg->addr;
	memcpy(section->bytes, (const void *)(uintptr_t)arg->addr, arg->len);
	*copy = section;
	return 0;
}

static int add(int fd, const struct lw_section *arg)
{
	struct section *section = NULL, *other;
	int ret = fd < 0 ? fd : make_copy(arg, &section);

	if (ret)
		return ret;
	ret = ask_to_add(fd, section);
	if (ret) {
		free(section);
		return ret;
	}
	/* The kernel has no other section there: their text was unmapped. */
	while ((other = find_section(&section->arg)))
		unlink_section(other);
	link_section(section);
	return 0;
}

/* Without a module, too: one may be there before the next fork(). */
static int drop(int fd, const struct lw_section *arg)
{
	struct section *section = find_section(arg);

	if (section && start_of(&section->arg) == start_of(arg) &&
	    section->arg.text_size == arg->text_size)
		unlink_section(section);
	return ask(fd, LW_IOC_REMOVE_SECTION, arg);
}

/* Return: 0 or -errno; errno stays as it was. */
static int call_module(int (*call)(int fd, const struct lw_section *arg),
		       const struct lw_section *arg)
{
	int saved = errno, fd, ret;

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
