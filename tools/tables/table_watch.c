// SPDX-License-Identifier: GPL-2.0
/*
 * table_watch.c - has tables made of the files that walks meet while we record.
 *
 * A thread of its own sleeps until there is one, as a task waits for the answer: the main
 * thread may be busy with the samples just then.
 *
 * Contexts: start, stop, join and free the main thread.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tables/table_watch.h"

struct lw_table_watch {
	struct lw_table_maker *tables;
	struct lw_files_source source;
	int stop_fd;
	bool stops;
	bool runs;
	pthread_t thread;
	int error;			/* that it has ended by */
};

static void take_file(struct lw_table_watch *watch, const struct lw_missing_file *file)
{
	char path[PATH_MAX] = "";
	struct lw_mapping map = {
		.pid = file->pid,
		.start = file->start,
		.end = file->end,
		.dev = makedev(file->dev_major, file->dev_minor),
		.ino = file->inode,
		.generation = file->generation,
		.path = path,
	};

	if (watch->source.path(watch->source.ctx, file, path, sizeof(path)))
		lw_table_maker_see_map(watch->tables, &map, file->time, file->number);
	else
		watch->source.done(watch->source.ctx, file->number);
}

/* Return: 0 or the -errno that there can't be more by. */
static int take_files(struct lw_table_watch *watch)
{
	struct lw_missing_file file;
	int ret;

	while (!load_acquire(&watch->stops)) {
		ret = watch->source.next(watch->source.ctx, &file);
		if (ret)
			return ret == -EAGAIN ? 0 : ret;
		take_file(watch, &file);
	}
	return 0;
}

static void *watch_files(void *ctx)
{
	struct lw_table_watch *watch = ctx;
	struct pollfd fds[] = {
		{ .fd = watch->source.fd, .events = watch->source.events },
		{ .fd = watch->stop_fd, .events = POLLIN },
	};
	int ret = 0;

	lw_table_maker_hurry();
	while (!ret && !fds[1].revents) {
		ret = take_files(watch);
		if (!ret && poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			ret = -errno;
	}
	store_release(&watch->error, ret);
	return NULL;
}

/**
 * lw_table_watch_start - have all that is met from now on
 * @watch: out
 * @tables: where to
 * @source: who tells; is copied
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_table_watch_start(struct lw_table_watch **watch, struct lw_table_maker *tables,
			 const struct lw_files_source *source)
{
	struct lw_table_watch *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return lw_fail(-ENOMEM, "out of memory");
	new->tables = tables;
	new->source = *source;
	new->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (new->stop_fd < 0) {
		ret = lw_fail(-errno, "no eventfd: %s", strerror(errno));
	} else {
		ret = -pthread_create(&new->thread, NULL, watch_files, new);
		if (ret)
			lw_fail(ret, "cannot start a thread: %s", strerror(-ret));
	}
	if (ret) {
		lw_table_watch_free(new);
		return ret;
	}
	new->runs = true;
	*watch = new;
	return 0;
}

/**
 * lw_table_watch_error - why nothing is followed any more
 * @watch: started, or NULL
 *
 * Return: 0 or the -errno that it has ended by.
 */
int lw_table_watch_error(const struct lw_table_watch *watch)
{
	return watch ? load_acquire(&watch->error) : 0;
}

/**
 * lw_table_watch_stop - no further ones
 * @watch: started, or NULL
 *
 * A file that is being opened still is, see lw_table_watch_join().
 */
void lw_table_watch_stop(struct lw_table_watch *watch)
{
	if (!watch || !watch->runs)
		return;
	store_release(&watch->stops, true);
	/* it has room for many, and a second one does no harm */
	eventfd_write(watch->stop_fd, 1);
}

/**
 * lw_table_watch_join - wait for the end
 * @watch: stopped, or NULL
 * @until: CLOCK_MONOTONIC nanoseconds; ~0: for ever
 *
 * Return: whether it has ended.
 */
bool lw_table_watch_join(struct lw_table_watch *watch, u64 until)
{
	if (!watch || !watch->runs)
		return true;
	watch->runs = !lw_join_thread(watch->thread, until);
	return !watch->runs;
}

/**
 * lw_table_watch_free - stop, wait for the end, and free all
 * @watch: started, or NULL
 */
void lw_table_watch_free(struct lw_table_watch *watch)
{
	if (!watch)
		return;
	lw_table_watch_stop(watch);
	lw_table_watch_join(watch, ~0ULL);
	if (watch->stop_fd >= 0)
		close(watch->stop_fd);
	free(watch);
}
