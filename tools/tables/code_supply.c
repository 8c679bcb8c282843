// SPDX-License-Identifier: GPL-2.0
/*
 * code_supply.c - unwind rows for code that processes make and tell of in jitdumps.
 *
 * The main thread hands over each mapping of a jitdump that the side-band tells of.  A thread of
 * the supply looks at these files all the time, converts what is new in them, and gives it to the
 * module: a file may be on a server that does not answer, and converting takes a while.
 *
 * A jitdump is of the past: its process may have executed another program since, which must not
 * get rows of the old one.  So, as the first rows are there, the supply has the module number the
 * memory of the process; then looks whether the process has this very file mapped; and reads the
 * file again from its begin.  The rows are for the memory of that number.  Processes without
 * unwind information in their dumps are left alone.
 *
 * Processes may map as many dumps as they like: MAX_DUMPS are followed, of each process the last.
 *
 * Contexts: the main thread, and the supply's own where a function says so.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/jit_file.h"
#include "jit/jit_unwind.h"
#include "tables/code_supply.h"

#define LOOK_EVERY	(NSEC_PER_SEC / 20)
#define MAX_DUMPS	1024U
/* Pieces of code of one dump, and time, before it is the turn of the others. */
#define PIECES_AT_ONCE	4096U
#define TURN		(NSEC_PER_SEC / 10)

/* A mapping of a jitdump, and what was read of the file. */
struct dump {
	struct dump *next;
	pid_t pid;
	u64 start;
	int fd;			/* -1: not opened yet */
	u64 memory;		/* of the process, as the module numbers it; 0: not asked yet */
	u32 own_pid;		/* of the process, as it knows itself */
	struct lw_jit_unwind unwind;
};

struct lw_code_supply {
	struct lw_code_sink sink;
	pthread_t thread;
	bool runs;
	struct dump *dumps;	/* the thread's own */

	pthread_mutex_t lock;	/* protects the members below */
	pthread_cond_t changed;
	struct dump *seen;	/* told of by the main thread */
	u32 nr_dumps;		/* of both lists */
	bool stops;
	struct lw_code_supply_stats stats;
};

static void free_dump(struct lw_code_supply *supply, struct dump *dump)
{
	if (dump->fd >= 0)
		close(dump->fd);
	lw_jit_unwind_forget(&dump->unwind);
	free(dump);
	pthread_mutex_lock(&supply->lock);
	supply->nr_dumps--;
	pthread_mutex_unlock(&supply->lock);
}

static bool is_stopping(struct lw_code_supply *supply)
{
	bool stops;

	pthread_mutex_lock(&supply->lock);
	stops = supply->stops;
	pthread_mutex_unlock(&supply->lock);
	return stops;
}

/* Return: whether the process has a jitdump mapped where it was said to. */
static bool find_mapping(const struct lw_code_supply *supply, const struct dump *dump,
			 struct lw_mapping *map, char *path)
{
	*map = (struct lw_mapping) { .pid = dump->pid, .start = dump->start, .path = path };
	return supply->sink.find(supply->sink.ctx, map, path) && lw_jit_dump_is_path(path);
}

/* Return: 0; -EAGAIN if there is nothing in the file yet; or -errno. */
static int open_dump(const struct lw_code_supply *supply, struct dump *dump)
{
	char path[PATH_MAX];
	struct lw_mapping map;
	struct stat st;

	if (dump->fd >= 0)
		close(dump->fd);
	dump->fd = -1;
	lw_jit_unwind_forget(&dump->unwind);
	if (!find_mapping(supply, dump, &map, path))
		return -ESRCH;
	dump->fd = lw_open_mapped(&map, &st);
	return dump->fd >= 0 ? 0 : dump->fd == -ENOEXEC ? -EAGAIN : dump->fd;
}

/* Return: whether the file's header names the process of the mapping, as that knows itself. */
static bool is_its_own(struct dump *dump)
{
	char proc[32];

	snprintf(proc, sizeof(proc), "/proc/%d", dump->pid);
	if (!dump->memory)
		dump->own_pid = lw_jit_file_own_pid(proc);
	return dump->unwind.dump.header.pid == dump->own_pid;
}

static bool is_for_all(int err)
{
	return err == -EPERM || err == -EACCES || err == -EOPNOTSUPP;
}

/* Return: 0 or -errno: no more of this dump; -EAGAIN: not now. */
static int begin_memory(struct lw_code_supply *supply, struct dump *dump)
{
	struct lw_code code = { .size = sizeof(code), .pid = dump->pid };
	int ret = supply->sink.add(supply->sink.ctx, &code);

	if (!ret)
		ret = open_dump(supply, dump);
	if (!ret)
		dump->memory = code.memory;
	if (is_for_all(ret)) {
		pthread_mutex_lock(&supply->lock);
		supply->stats.error = supply->stats.pieces ? 0 : ret;
		pthread_mutex_unlock(&supply->lock);
	}
	return ret;
}

/* Return: 0; -EAGAIN: not now; -ESRCH: the process has another memory by now, or none. */
static int hand_over(struct lw_code_supply *supply, const struct dump *dump,
		     const struct lw_jit_rows *rows)
{
	struct lw_code code = {
		.size = sizeof(code),
		.pid = dump->pid,
		.memory = dump->memory,
		.addr = (uintptr_t)rows->table,
		.len = rows->table_size,
		.text_start = rows->start,
		.text_size = rows->size,
	};
	int ret = supply->sink.add(supply->sink.ctx, &code);

	pthread_mutex_lock(&supply->lock);
	supply->stats.pieces += !ret && rows->table;
	/* Code that is mapped no more, as when a process ends, needs no rows. */
	supply->stats.refused += ret && ret != -ESRCH && ret != -EACCES && ret != -EAGAIN;
	pthread_mutex_unlock(&supply->lock);
	if (!ret || ret == -ESRCH || ret == -EAGAIN || !rows->table)
		return ret == -ESRCH || ret == -EAGAIN ? ret : 0;
	/* what was there before has the code no more */
	code.addr = 0;
	code.len = 0;
	ret = supply->sink.add(supply->sink.ctx, &code);
	return ret == -ESRCH || ret == -EAGAIN ? ret : 0;
}

/* Return: 0 or -errno: no more of this dump. */
static int read_dump(struct lw_code_supply *supply, struct dump *dump)
{
	const u64 until = lw_now() + TURN;
	struct lw_jit_rows rows;
	int ret = 0;

	if (dump->fd < 0 || lw_jit_dump_is_new(&dump->unwind.dump, dump->fd))
		ret = open_dump(supply, dump);
	for (u32 i = 0; !ret && i < PIECES_AT_ONCE && !is_stopping(supply) && lw_now() < until &&
	     lw_jit_unwind_next(&dump->unwind, dump->fd, &rows); i++) {
		if (!is_its_own(dump))
			ret = -ESRCH;
		else
			ret = dump->memory ? hand_over(supply, dump, &rows) :
					     begin_memory(supply, dump);
		free(rows.table);
	}
	if (ret != -EAGAIN)
		return ret;
	/* What was read is read again: sections take the place of those that are there. */
	if (dump->fd >= 0)
		close(dump->fd);
	dump->fd = -1;
	return 0;
}

/* Return: whether there may be more of this dump. */
static bool follow(struct lw_code_supply *supply, struct dump *dump)
{
	char path[PATH_MAX];
	struct lw_mapping map;

	return !read_dump(supply, dump) && !dump->unwind.dump.bad &&
	       find_mapping(supply, dump, &map, path);
}

static void drop_dumps_of(struct lw_code_supply *supply, pid_t pid)
{
	struct dump **at = &supply->dumps, *dump;

	while ((dump = *at)) {
		if (dump->pid != pid) {
			at = &dump->next;
			continue;
		}
		*at = dump->next;
		free_dump(supply, dump);
	}
}

/* Of each process the last one, which its program has mapped. */
static void take_seen(struct lw_code_supply *supply)
{
	struct dump *seen, *next;

	pthread_mutex_lock(&supply->lock);
	seen = supply->seen;
	supply->seen = NULL;
	pthread_mutex_unlock(&supply->lock);
	for (; seen; seen = next) {
		next = seen->next;
		drop_dumps_of(supply, seen->pid);
		seen->next = supply->dumps;
		supply->dumps = seen;
	}
}

static void wait_for_more(struct lw_code_supply *supply)
{
	u64 until = lw_now() + LOOK_EVERY;
	const struct timespec time = {
		.tv_sec = until / NSEC_PER_SEC,
		.tv_nsec = until % NSEC_PER_SEC,
	};

	pthread_mutex_lock(&supply->lock);
	while (!supply->stops && !supply->seen && !supply->dumps)
		pthread_cond_wait(&supply->changed, &supply->lock);
	if (!supply->stops && !supply->seen)
		pthread_cond_clockwait(&supply->changed, &supply->lock, CLOCK_MONOTONIC, &time);
	pthread_mutex_unlock(&supply->lock);
}

/* The supply's thread. */
static void *supply_code(void *ctx)
{
	struct lw_code_supply *supply = ctx;
	struct dump **at, *dump;

	while (!is_stopping(supply)) {
		take_seen(supply);
		for (at = &supply->dumps; (dump = *at);) {
			if (follow(supply, dump)) {
				at = &dump->next;
				continue;
			}
			*at = dump->next;
			free_dump(supply, dump);
		}
		wait_for_more(supply);
	}
	return NULL;
}

/**
 * lw_code_supply_start - follow jitdumps from now on
 * @supply: out
 * @sink: is copied
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_code_supply_start(struct lw_code_supply **supply, const struct lw_code_sink *sink)
{
	struct lw_code_supply *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return lw_fail(-ENOMEM, "out of memory");
	new->sink = *sink;
	pthread_mutex_init(&new->lock, NULL);
	pthread_cond_init(&new->changed, NULL);
	ret = -pthread_create(&new->thread, NULL, supply_code, new);
	if (ret) {
		lw_code_supply_free(new);
		return lw_fail(ret, "cannot start a thread: %s", strerror(-ret));
	}
	new->runs = true;
	*supply = new;
	return 0;
}

/* Return: whether a process has mapped a file called as a jitdump is, executable. */
static bool is_of_dump(const struct lw_mmap2 *map)
{
	size_t room = map->header.size > sizeof(*map) ? map->header.size - sizeof(*map) : 0;

	return map->header.type == PERF_RECORD_MMAP2 && memchr(map->filename, 0, room) &&
	       map->prot & PROT_EXEC && lw_jit_dump_is_path(map->filename);
}

/**
 * lw_code_supply_record - take note of a jitdump
 * @supply: started, or NULL
 * @record: any record of the side-band
 *
 * Context: the main thread; does not wait for files.
 */
void lw_code_supply_record(struct lw_code_supply *supply, const struct perf_event_header *record)
{
	const struct lw_mmap2 *map = (const struct lw_mmap2 *)record;
	struct dump *dump, *seen;

	if (!supply || !is_of_dump(map))
		return;
	dump = calloc(1, sizeof(*dump));
	if (!dump)
		return;
	dump->pid = map->pid;
	dump->start = map->addr;
	dump->fd = -1;
	pthread_mutex_lock(&supply->lock);
	for (seen = supply->seen; seen && seen->pid != dump->pid; seen = seen->next)
		;
	if (seen) {
		/* its program has mapped another one */
		seen->start = dump->start;
	} else if (supply->nr_dumps < MAX_DUMPS) {
		supply->nr_dumps++;
		dump->next = supply->seen;
		supply->seen = dump;
		dump = NULL;
	}
	pthread_cond_signal(&supply->changed);
	pthread_mutex_unlock(&supply->lock);
	free(dump);
}

/**
 * lw_code_supply_stats - what was done so far
 * @supply: started, or NULL
 * @stats: out
 */
void lw_code_supply_stats(struct lw_code_supply *supply, struct lw_code_supply_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (!supply)
		return;
	pthread_mutex_lock(&supply->lock);
	*stats = supply->stats;
	pthread_mutex_unlock(&supply->lock);
}

/**
 * lw_code_supply_stop - no further rows
 * @supply: started, or NULL
 *
 * A file that is being read still is, see lw_code_supply_join().
 */
void lw_code_supply_stop(struct lw_code_supply *supply)
{
	if (!supply)
		return;
	pthread_mutex_lock(&supply->lock);
	supply->stops = true;
	pthread_cond_signal(&supply->changed);
	pthread_mutex_unlock(&supply->lock);
}

/**
 * lw_code_supply_join - wait for the end
 * @supply: stopped, or NULL
 * @until: CLOCK_MONOTONIC nanoseconds; ~0: for ever
 *
 * Return: whether it has ended.
 */
bool lw_code_supply_join(struct lw_code_supply *supply, u64 until)
{
	if (!supply || !supply->runs)
		return true;
	supply->runs = !lw_join_thread(supply->thread, until);
	return !supply->runs;
}

/**
 * lw_code_supply_free - stop, wait for the end, and free all
 * @supply: started, or NULL
 */
void lw_code_supply_free(struct lw_code_supply *supply)
{
	struct dump *dump;

	if (!supply)
		return;
	lw_code_supply_stop(supply);
	lw_code_supply_join(supply, ~0ULL);
	take_seen(supply);
	while ((dump = supply->dumps)) {
		supply->dumps = dump->next;
		free_dump(supply, dump);
	}
	pthread_mutex_destroy(&supply->lock);
	pthread_cond_destroy(&supply->changed);
	free(supply);
}
