// SPDX-License-Identifier: GPL-2.0
/*
 * calls.c - see calls.h.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

#define PAGE	lwt_page()

const struct lw_syscall_arg path_of_openat = {
	.arg = 1,
	.kind = LW_DATA_STRING,
	.when = LW_SYSCALL_ENTRY,
	.max = 256,
};

/* Only @pid is recorded; with LW_FILTER_CHILDREN what it starts, too. */
int calls_name(struct calls *c, pid_t pid, uint32_t flags)
{
	return lwt_only(c->s.fd, pid, flags);
}

/* For system calls of this process. */
int calls_open(struct calls *c, uint64_t ring_size)
{
	struct lw_info info = { .size = sizeof(info) };
	int ret;

	memset(c, 0, sizeof(*c));
	ret = lwt_session_open(&c->s, ring_size, 16, 0);
	if (ret)
		return ret;
	ret = lwt_ioctl(c->s.fd, LW_IOC_INFO, &info);
	c->fetches = info.features & LW_FEATURE_FAULTABLE;
	return ret ?: calls_name(c, getpid(), 0);
}

void calls_close(struct calls *c)
{
	lwt_log_free(&c->log);
	lwt_session_close(&c->s);
}

int calls_add(struct calls *c, uint32_t nr, uint32_t flags,
	      const struct lw_syscall_arg *args, uint32_t nr_args, uint64_t *id)
{
	struct lw_add_syscall add = {
		.size = sizeof(add),
		.flags = flags,
		.nr = nr,
		.nr_args = nr_args,
		.args = (uintptr_t)args,
	};
	int ret = lwt_ioctl(c->s.fd, LW_IOC_ADD_SYSCALL, &add);

	if (id)
		*id = add.id;
	return ret;
}

/* The nth SYSCALL record of a call's entry or exit, or NULL. */
struct lw_syscall *calls_record(struct calls *c, uint32_t nr, bool exit, unsigned int n)
{
	size_t i;

	for (i = 0; i < c->log.nr; i++) {
		struct lw_syscall *r = c->log.records[i].call;

		if (r->record.type == LW_RECORD_SYSCALL && r->nr == nr &&
		    !!(r->record.flags & LW_SYSCALL_IS_EXIT) == exit && !n--)
			return r;
	}
	return NULL;
}

unsigned int calls_count(struct calls *c, uint32_t nr, bool exit)
{
	unsigned int n = 0;

	while (calls_record(c, nr, exit, n))
		n++;
	return n;
}

/* The nth piece of data of a record, or NULL. */
struct lw_syscall_data *calls_data(struct lw_syscall *r, unsigned int n)
{
	struct lw_syscall_data *d = (struct lw_syscall_data *)(r + 1);

	if (!r || n >= r->nr_data)
		return NULL;
	while (n--)
		d = (void *)(d + 1) + (d->len + 7) / 8 * 8;
	return d;
}

/* What a record lacked, from the one that came later; or NULL. */
struct lw_syscall_data *calls_deferred(struct calls *c, const struct lw_syscall *r)
{
	uint32_t exit = !!(r->record.flags & LW_SYSCALL_IS_EXIT);
	struct lw_syscall_data *found = NULL;
	size_t i;

	for (i = 0; i < c->log.nr; i++) {
		struct lw_deferred_data *deferred = c->log.records[i].deferred;

		if (deferred->record.type != LW_RECORD_SYSCALL_DATA ||
		    deferred->id != r->id || deferred->exit != exit ||
		    !lwt_cookie_same(&deferred->cookie, &r->cookie))
			continue;
		/* Once only. */
		if (found || deferred->nr_data != 1)
			return NULL;
		found = (struct lw_syscall_data *)(deferred + 1);
	}
	return found;
}

bool calls_holds(const struct lw_syscall_data *d, const void *bytes, size_t len)
{
	return d && d->len == len && !memcmp(d + 1, bytes, len);
}

/* Inline, so that libc does not choose another call. */
long calls_openat(const char *path)
{
	return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
}

/* Two pages of a file; what is in them is not in memory any more. */
char *calls_dropped_pages(const char *text, size_t at)
{
	char page[2 * LWT_PAGE_MAX] = {}, name[] = "/tmp/lw-syscall-XXXXXX";
	int fd = mkstemp(name);
	char *map;

	if (fd < 0)
		return NULL;
	unlink(name);
	memcpy(page + at, text, strlen(text));
	if (write(fd, page, 2 * PAGE) != (ssize_t)(2 * PAGE))
		return NULL;
	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED || madvise(map, 2 * PAGE, MADV_DONTNEED))
		return NULL;
	return map;
}
