// SPDX-License-Identifier: GPL-2.0
/*
 * tables_watch.c - follows what is mapped while we record.
 *
 * A thread of its own sleeps until something is mapped, and opens the file
 * before its process has had much time to end: the main thread may be busy with
 * the samples just then.
 *
 * Contexts: start, stop, join and free the main thread.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "perfdata.h"
#include "sideband.h"
#include "tables_watch.h"

/* A ring that poll() knows nothing of is looked at as often. */
#define LOOK_MS		20

struct lw_tables_watch {
	struct lw_tables *tables;
	struct lw_sideband sideband;
	struct pollfd *fds;		/* the rings, and what stops us */
	int stop_fd;
	bool runs;
	pthread_t thread;
	u64 lost;			/* records */
	int error;			/* that it has ended by */
};

static bool is_file(const struct lw_mmap2 *record)
{
	return record->prot & PROT_EXEC && record->ino && record->filename[0] == '/' &&
	       strcmp(record->filename, "//anon");
}

static void take_map(struct lw_tables_watch *watch, const struct lw_mmap2 *record, u64 time)
{
	struct lw_mapping map = {
		.pid = record->pid,
		.start = record->addr,
		.end = record->addr + record->len,
		.dev = makedev(record->maj, record->min),
		.ino = record->ino,
		.generation = record->ino_generation,
		.path = record->filename,
	};

	if (is_file(record))
		lw_tables_see_map(watch->tables, &map, time);
}

static int take_record(void *ctx, const struct perf_event_header *header)
{
	const size_t least = sizeof(struct lw_mmap2) + sizeof(u64) + sizeof(struct lw_sample_id);
	const struct lw_sample_id *id;

	if (header->type != PERF_RECORD_MMAP2 || header->size < least)
		return 0;
	id = (const void *)((const u8 *)header + header->size - sizeof(*id));
	/* a name always has its end */
	if (!memchr(((const struct lw_mmap2 *)header)->filename, 0,
		    header->size - sizeof(struct lw_mmap2) - sizeof(*id)))
		return 0;
	take_map(ctx, (const struct lw_mmap2 *)header, id->time);
	return 0;
}

static void *watch_maps(void *ctx)
{
	struct lw_tables_watch *watch = ctx;
	u32 nr = watch->sideband.nr_rings;
	int timeout = -1;

	lw_tables_hurry();
	while (!watch->fds[nr].revents) {
		int ret = lw_sideband_read(&watch->sideband, take_record, watch);

		store_release(&watch->lost, watch->sideband.lost);
		if (!ret && poll(watch->fds, nr + 1, timeout) < 0 && errno != EINTR)
			ret = -errno;
		if (ret) {
			store_release(&watch->error, ret);
			break;
		}
		/* the task of a ring's first event has ended: others may write to it */
		for (u32 i = 0; i < nr; i++) {
			if (!(watch->fds[i].revents & (POLLHUP | POLLERR)))
				continue;
			watch->fds[i].fd = -1;
			timeout = LOOK_MS;
		}
	}
	return NULL;
}

static int make_fds(struct lw_tables_watch *watch)
{
	u32 nr = watch->sideband.nr_rings;

	watch->stop_fd = eventfd(0, EFD_CLOEXEC);
	watch->fds = calloc(nr + 1, sizeof(*watch->fds));
	if (watch->stop_fd < 0 || !watch->fds)
		return lw_fail(-ENOMEM, "out of memory");
	for (u32 i = 0; i < nr; i++) {
		watch->fds[i].fd = watch->sideband.rings[i].fd;
		watch->fds[i].events = POLLIN;
	}
	watch->fds[nr].fd = watch->stop_fd;
	watch->fds[nr].events = POLLIN;
	return 0;
}

/**
 * lw_tables_watch_start - have all that a target maps from now on
 * @watch: out
 * @tables: where to
 * @target: every CPU, attached threads or a prepared command
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_tables_watch_start(struct lw_tables_watch **watch, struct lw_tables *tables,
			  const struct lw_target *target)
{
	struct lw_tables_watch *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return lw_fail(-ENOMEM, "out of memory");
	new->tables = tables;
	new->stop_fd = -1;
	ret = lw_sideband_open_maps(&new->sideband, target);
	if (!ret)
		ret = make_fds(new);
	if (!ret) {
		ret = -pthread_create(&new->thread, NULL, watch_maps, new);
		if (ret)
			lw_fail(ret, "cannot start a thread: %s", strerror(-ret));
	}
	if (ret) {
		lw_tables_watch_free(new);
		return ret;
	}
	new->runs = true;
	*watch = new;
	return 0;
}

/**
 * lw_tables_watch_lost - mappings that we were not told of
 * @watch: started, or NULL
 *
 * Return: how many records did not fit a ring.
 */
u64 lw_tables_watch_lost(const struct lw_tables_watch *watch)
{
	return watch ? load_acquire(&watch->lost) : 0;
}

/**
 * lw_tables_watch_error - why nothing is followed any more
 * @watch: started, or NULL
 *
 * Return: 0 or the -errno that it has ended by.
 */
int lw_tables_watch_error(const struct lw_tables_watch *watch)
{
	return watch ? load_acquire(&watch->error) : 0;
}

/**
 * lw_tables_watch_stop - no further ones
 * @watch: started, or NULL
 *
 * A file that is being opened still is, see lw_tables_watch_join().
 */
void lw_tables_watch_stop(struct lw_tables_watch *watch)
{
	/* it has room for many, and a second one does no harm */
	if (watch && watch->runs)
		eventfd_write(watch->stop_fd, 1);
}

/**
 * lw_tables_watch_join - wait for the end
 * @watch: stopped, or NULL
 * @until: CLOCK_MONOTONIC nanoseconds; ~0: for ever
 *
 * Return: whether it has ended.
 */
bool lw_tables_watch_join(struct lw_tables_watch *watch, u64 until)
{
	if (!watch || !watch->runs)
		return true;
	watch->runs = !lw_join_thread(watch->thread, until);
	return !watch->runs;
}

/**
 * lw_tables_watch_free - stop, wait for the end, and free all
 * @watch: started, or NULL
 */
void lw_tables_watch_free(struct lw_tables_watch *watch)
{
	if (!watch)
		return;
	lw_tables_watch_stop(watch);
	lw_tables_watch_join(watch, ~0ULL);
	lw_sideband_close(&watch->sideband);
	if (watch->stop_fd >= 0)
		close(watch->stop_fd);
	free(watch->fds);
	free(watch);
}
