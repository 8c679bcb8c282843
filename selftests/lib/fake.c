// SPDX-License-Identifier: GPL-2.0
/*
 * fake.c - see fake.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fake.h"

/* Any time will do, as long as it is the same each time. */
#define WHEN	1700000000

static void make_table(struct table *t)
{
	unsigned int i;

	table_init(t);
	for (i = 0; i < FAKE_LAST; i++) {
		table_func(t, i * FAKE_SIZE, FAKE_SIZE);
		table_row(t, 0, TABLE_SP, 8 * (i + 1), 0);
	}
	table_func(t, FAKE_LAST * FAKE_SIZE, FAKE_SIZE);
	table_outermost(t);
	table_finish(t);
}

/* Takes over the file descriptor. */
int fake_open(struct fake *f, int fd, unsigned int pages, uint64_t offset)
{
	f->fd = fd;
	f->offset = offset;
	f->pages = pages;
	make_table(&f->table);
	if (fd < 0 || ftruncate(fd, pages * FAKE_PAGE))
		return -errno;
	return fake_touch(f, 0);
}

/* A file that has no name, in a directory or, if that is NULL, in memory. */
int fake_make(struct fake *f, const char *dir, unsigned int pages, uint64_t offset)
{
	char path[256];
	int fd;

	if (!dir)
		return fake_open(f, memfd_create("lw-fake", MFD_CLOEXEC), pages, offset);
	snprintf(path, sizeof(path), "%s/lw-fake-XXXXXX", dir);
	fd = mkstemp(path);
	if (fd >= 0)
		unlink(path);
	return fake_open(f, fd, pages, offset);
}

void fake_close(struct fake *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* Makes it a file that was last changed at some time: @nsec is which. */
int fake_touch(const struct fake *f, long nsec)
{
	struct timespec times[2] = { { WHEN, nsec }, { WHEN, nsec } };

	return futimens(f->fd, times) ? -errno : 0;
}

int fake_add(const struct fake *f, int session)
{
	return table_add(session, &f->table, f->fd, f->offset, FAKE_TEXT);
}

/* Or MAP_FAILED. */
char *fake_map(const struct fake *f, unsigned int page, unsigned int pages)
{
	return mmap(NULL, pages * FAKE_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, f->fd,
		    page * FAKE_PAGE);
}

void fake_stack_init(struct fake_stack *s, struct asker *asker)
{
	memset(s, 0, sizeof(*s));
	s->asker = asker;
	s->words = 1;
	memset(asker->stack, 0, 64 * 8);
}

static void add_word(struct fake_stack *s, uint64_t word)
{
	s->expect[s->nr++] = word;
	s->asker->stack[s->next] = word;
}

/*
 * The frame of a function of the file, which is mapped at @map from page @page on.  What
 * comes next has called it.
 */
void fake_call(struct fake_stack *s, const struct fake *f, const char *map, unsigned int page,
	       unsigned int func)
{
	uint64_t at = f->offset + func * FAKE_SIZE - page * FAKE_PAGE;

	add_word(s, (uintptr_t)map + at + FAKE_SIZE / 2);
	s->next = s->words + func;
	s->words += func + 1;
}

struct lwt_stack *fake_ask(struct fake_stack *s)
{
	/* A frame pointer that is none: what is not in a table is not found. */
	return asker_ask(s->asker, raw_hostile_sframe, (uintptr_t)s->asker->stack, 1, 0);
}

/* All of it, with the first frame found by the asker's own row, and its end too. */
bool fake_is_by(const struct fake_stack *s, const struct lwt_stack *stack, uint8_t how)
{
	unsigned int i;

	if (!stack || stack->nr != s->nr + 1 || stack->end != LW_END_OUTERMOST)
		return false;
	for (i = 0; i < s->nr; i++)
		if (stack->frames[i + 1] != s->expect[i] ||
		    lwt_how(stack)[i + 1] != (i ? how : LW_HOW_SFRAME))
			return false;
	return true;
}

/* Through some functions of the file, which is mapped whole; @s must be what comes. */
struct lwt_stack *fake_ask_simply(const struct fake *f, struct asker *asker,
				  struct fake_stack *s, const char *map)
{
	fake_stack_init(s, asker);
	fake_call(s, f, map, 0, 2);
	fake_call(s, f, map, 0, 0);
	fake_call(s, f, map, 0, 7);
	fake_call(s, f, map, 0, FAKE_LAST);
	return fake_ask(s);
}
