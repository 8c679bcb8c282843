// SPDX-License-Identifier: GPL-2.0
/*
 * table_maker.c - unwind tables for the files that others have mapped.
 *
 * Whoever sees a mapping opens its file at once, as the process may have ended or a task
 * may wait for the table, and queues it; threads make the table and hand it over.  A
 * thread is started when there is work and all others are busy.  Nothing that fails here
 * is fatal: stacks are guesses then, and say so.
 *
 * A file may be on a server that does not answer: whoever opens or reads it hangs
 * then, for ever maybe.  So to stop is not to wait.
 *
 * Contexts: lw_table_maker_new(), _wait(), _stop(), _join() and _free() the main thread,
 * the rest any.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sframe/gen.h"
#include "tables/kept_files.h"
#include "tables/seen_files.h"
#include "tables/table_maker.h"

#define MAX_WORKERS	16
/* Each holds a file open. */
#define MAX_QUEUED	256
#define HURRY_NICE	(-15)
#define VDSO_NAME	"[vdso]"
/* A file that there was no room for is not tried again before. */
#define ROOM_AFTER	NSEC_PER_SEC
#define TELL_AFTER	NSEC_PER_SEC
#define TELL_EVERY	(NSEC_PER_SEC / 5)

struct job {
	struct job *next;
	int fd;			/* -1: the vDSO */
	char *name;
	u64 dev, ino;		/* as the mapping told them */
	struct stat st;		/* before the table is made */
	u64 time;		/* when it was met; 0: before the recording */
	u64 number;		/* for lw_table_maker_options.done, or 0 */
};

struct lw_table_maker {
	lw_table_maker_sink sink;
	void *ctx;
	struct lw_table_maker_options options;
	u64 begin;
	pthread_mutex_t lock;
	pthread_cond_t work;		/* something is queued, or all is to stop */
	pthread_cond_t done;		/* a job is taken or done */
	/* protected by lock */
	struct lw_seen_files known;
	struct job *first, **last;
	u32 nr_queued, nr_running;
	pthread_t workers[MAX_WORKERS];
	u32 nr_workers, max_workers;
	bool starting;			/* the recording waits for us */
	bool stopping;
	u64 next_tell;			/* of how far the start is */
	bool told;
	struct lw_table_maker_stats stats;
};

static const char * const failure_texts[] = {
	[LW_TABLES_NO_CFI]	= "without call frame information",
	[LW_TABLES_NOT_ELF]	= "no ELF file",
	[LW_TABLES_FOREIGN]	= "of another machine",
	[LW_TABLES_TOO_BIG]	= "too big",
	[LW_TABLES_GONE]	= "not found",
	[LW_TABLES_CHANGED]	= "being written",
	[LW_TABLES_NO_ROOM]	= "no room",
	[LW_TABLES_REFUSED]	= "refused by the module",
};

/**
 * lw_table_maker_failure_text - why a file has no table
 * @why: the reason
 *
 * Return: some words.
 */
const char *lw_table_maker_failure_text(enum lw_table_maker_failure why)
{
	return failure_texts[why];
}

/**
 * lw_table_maker_new - begin
 * @sink: takes the tables
 * @ctx: for @sink
 * @options: are copied
 *
 * Return: the state or NULL.
 */
struct lw_table_maker *lw_table_maker_new(lw_table_maker_sink sink, void *ctx,
					  const struct lw_table_maker_options *options)
{
	struct lw_table_maker *tables = calloc(1, sizeof(*tables));
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_condattr_t attr;

	if (!tables)
		return NULL;
	tables->sink = sink;
	tables->ctx = ctx;
	tables->options = *options;
	tables->begin = lw_now();
	tables->next_tell = tables->begin + TELL_AFTER;
	tables->starting = true;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&tables->lock, NULL);
	pthread_cond_init(&tables->work, NULL);
	pthread_cond_init(&tables->done, &attr);
	pthread_condattr_destroy(&attr);
	tables->last = &tables->first;
	tables->max_workers = nr_cpus < 1 ? 1 : nr_cpus > MAX_WORKERS ? MAX_WORKERS : nr_cpus;
	return tables;
}

/* Of lw_sframe_gen_fd() and the like. */
static enum lw_table_maker_failure why_not_made(int err)
{
	switch (err) {
	case -ENODATA:
		return LW_TABLES_NO_CFI;
	case -EOPNOTSUPP:
		return LW_TABLES_FOREIGN;
	case -EFBIG:
		return LW_TABLES_TOO_BIG;
	case -ENOMEM:
		return LW_TABLES_NO_ROOM;
	}
	return LW_TABLES_NOT_ELF;
}

/* Of latewind_session_add_table(). */
static enum lw_table_maker_failure why_not_taken(int err)
{
	switch (err) {
	case -ESTALE:
		return LW_TABLES_CHANGED;
	case -ENOSPC:
	case -EPERM:
	case -ENOMEM:
		return LW_TABLES_NO_ROOM;
	}
	return LW_TABLES_REFUSED;
}

static void tell(const struct lw_table_maker *tables, const char *name,
		 enum lw_table_maker_failure why,
		 int err)
{
	if (tables->options.verbose)
		fprintf(stderr, "latewind: no unwind table of %s: %s (%s)\n", name,
			failure_texts[why], strerror(-err));
}

static int make(const struct lw_table_maker *tables, const struct job *job, struct lw_gen *gen)
{
	const void *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
	unsigned int flags = LW_GEN_NATIVE | (tables->options.analysis ? LW_GEN_ANALYSIS : 0);

	if (job->fd < 0)
		return lw_sframe_gen_memory(vdso, job->st.st_size, job->name, flags, gen);
	return lw_sframe_gen_fd(job->fd, job->name, flags, gen);
}

static int hand_over(struct lw_table_maker *tables, const struct job *job,
		     const struct lw_gen_table *made)
{
	struct lw_table table = {
		.size = sizeof(table),
		.flags = job->fd < 0 ? LW_TABLE_VDSO : 0,
		.file_fd = job->fd,
		.text_offset = made->text_offset,
		.text_size = made->text_size,
		.data = (unsigned long)made->data,
		.data_size = made->size,
	};

	if (job->fd < 0) {
		table.text_size = job->st.st_size;
	} else {
		table.mtime_sec = job->st.st_mtim.tv_sec;
		table.mtime_nsec = job->st.st_mtim.tv_nsec;
		table.file_size = job->st.st_size;
	}
	return tables->sink(tables->ctx, &table);
}

/* Linkers make one or two. */
static size_t nr_wanted(const struct lw_gen *gen)
{
	return gen->nr_tables < LW_MAX_FILE_TABLES ? gen->nr_tables : LW_MAX_FILE_TABLES;
}

static void account(struct lw_table_maker *tables, const struct job *job, const struct lw_gen *gen)
{
	u64 delay = job->time ? lw_now() - job->time : 0;

	pthread_mutex_lock(&tables->lock);
	tables->stats.files++;
	tables->stats.tables += nr_wanted(gen);
	for (size_t i = 0; i < nr_wanted(gen); i++)
		tables->stats.bytes += gen->tables[i].size;
	if (delay > tables->stats.max_delay)
		tables->stats.max_delay = delay;
	pthread_mutex_unlock(&tables->lock);
}

/* A file that has changed, or found no room, may get its table when it is met again. */
static bool may_be_had_later(enum lw_table_maker_failure why)
{
	return why == LW_TABLES_CHANGED || why == LW_TABLES_NO_ROOM;
}

static void account_failure(struct lw_table_maker *tables, const struct job *job,
			    enum lw_table_maker_failure why, int err)
{
	struct lw_seen_file *file = NULL;

	pthread_mutex_lock(&tables->lock);
	if (may_be_had_later(why) && job->fd >= 0)
		file = lw_seen_file(&tables->known, job->dev, job->ino);
	if (!file || !file->missed)
		tables->stats.failed[why]++;
	if (file && !file->missed)
		lw_seen_file_miss(file, why, why == LW_TABLES_NO_ROOM ? lw_now() + ROOM_AFTER : 0);
	pthread_mutex_unlock(&tables->lock);
	tell(tables, job->name, why, err);
}

/* A refusal is of this file only: another one may be smaller. */
static void hand_over_all(struct lw_table_maker *tables, const struct job *job,
			  const struct lw_gen *gen)
{
	int ret = 0;

	if (tables->options.verbose && nr_wanted(gen) < gen->nr_tables)
		fprintf(stderr, "latewind: no unwind tables of %zu of the %zu segments of %s\n",
			gen->nr_tables - nr_wanted(gen), gen->nr_tables, job->name);
	for (size_t i = 0; !ret && i < nr_wanted(gen); i++)
		ret = hand_over(tables, job, &gen->tables[i]);
	if (!ret)
		account(tables, job, gen);
	else
		account_failure(tables, job, why_not_taken(ret), ret);
}

static void do_job(struct lw_table_maker *tables, const struct job *job)
{
	struct lw_gen gen = {};
	int ret = make(tables, job, &gen);

	if (ret)
		account_failure(tables, job, why_not_made(ret), ret);
	else
		hand_over_all(tables, job, &gen);
	lw_gen_free(&gen);
	if (job->fd >= 0 && tables->options.kept)
		lw_kept_files_see(tables->options.kept, job->fd, job->name, &job->st);
}

/* Somebody may wait for it. */
static void answer(const struct lw_table_maker *tables, u64 number)
{
	if (number)
		tables->options.done(tables->ctx, number);
}

/* Done or dropped. */
static void free_job(const struct lw_table_maker *tables, struct job *job)
{
	answer(tables, job->number);
	if (job->fd >= 0)
		close(job->fd);
	free(job->name);
	free(job);
}

static struct job *take_job(struct lw_table_maker *tables)
{
	struct job *job = tables->first;

	tables->first = job->next;
	if (!tables->first)
		tables->last = &tables->first;
	tables->nr_queued--;
	return job;
}

/**
 * lw_table_maker_hurry - let this thread run before those that have more to do
 *
 * It has little, and what is recorded has guesses for as long as it waits.  Without
 * the right to do so nothing happens.
 */
void lw_table_maker_hurry(void)
{
	/* the calling thread's own */
	setpriority(PRIO_PROCESS, 0, HURRY_NICE);
}

/* At the start there is much to do, and nobody to be disturbed by guesses. */
static void hurry_while_recording(const struct job *job)
{
	static __thread bool hurries;

	if (job->time && !hurries) {
		lw_table_maker_hurry();
		hurries = true;
	}
}

static void *work(void *ctx)
{
	struct lw_table_maker *tables = ctx;

	pthread_mutex_lock(&tables->lock);
	while (!tables->stopping) {
		struct job *job;

		if (!tables->first) {
			pthread_cond_wait(&tables->work, &tables->lock);
			continue;
		}
		job = take_job(tables);
		tables->nr_running++;
		pthread_cond_broadcast(&tables->done);
		pthread_mutex_unlock(&tables->lock);
		hurry_while_recording(job);
		do_job(tables, job);
		free_job(tables, job);
		pthread_mutex_lock(&tables->lock);
		tables->nr_running--;
		pthread_cond_broadcast(&tables->done);
	}
	pthread_mutex_unlock(&tables->lock);
	return NULL;
}

/*
 * The lock is held.  One is started for what those that wait already will not take.
 * At the start there is one for each CPU; while we record, a file need not wait for
 * others that are large, or come from a slow disk or server.
 */
static void start_worker(struct lw_table_maker *tables)
{
	u32 waiting = tables->nr_workers - tables->nr_running;
	u32 most = tables->starting ? tables->max_workers : MAX_WORKERS;

	if (waiting >= tables->nr_queued || tables->nr_workers >= most)
		return;
	if (!pthread_create(&tables->workers[tables->nr_workers], NULL, work, tables))
		tables->nr_workers++;
}

/* The lock is held. */
static void tell_progress(struct lw_table_maker *tables)
{
	u64 now = lw_now();

	if (!tables->starting || !tables->options.progress || now < tables->next_tell ||
	    !isatty(STDERR_FILENO))
		return;
	tables->next_tell = now + TELL_EVERY;
	tables->told = true;
	fprintf(stderr, "\rlatewind: unwind tables of %llu files", tables->stats.files);
}

static bool start_is_cut_short(const struct lw_table_maker *tables)
{
	struct pollfd poll_fd = { .fd = tables->options.stop_fd, .events = POLLIN };

	return tables->starting && poll_fd.fd >= 0 && poll(&poll_fd, 1, 0) > 0;
}

/* The lock is held.  Waits for a job to be taken or done, or a moment. */
static void wait_a_moment(struct lw_table_maker *tables)
{
	u64 until = lw_now() + TELL_EVERY;
	struct timespec time = {
		.tv_sec = until / NSEC_PER_SEC,
		.tv_nsec = until % NSEC_PER_SEC,
	};

	pthread_cond_timedwait(&tables->done, &tables->lock, &time);
	tell_progress(tables);
}

/* Takes @job over.  A queue that is full holds up whoever fills it. */
static void queue(struct lw_table_maker *tables, struct job *job)
{
	bool alone;

	pthread_mutex_lock(&tables->lock);
	while (tables->nr_queued >= MAX_QUEUED && !tables->stopping &&
	       !start_is_cut_short(tables))
		wait_a_moment(tables);
	if (tables->stopping) {
		pthread_mutex_unlock(&tables->lock);
		free_job(tables, job);
		return;
	}
	*tables->last = job;
	tables->last = &job->next;
	tables->nr_queued++;
	start_worker(tables);
	alone = !tables->nr_workers;
	if (alone)
		take_job(tables);
	pthread_cond_signal(&tables->work);
	pthread_mutex_unlock(&tables->lock);
	if (alone) {
		do_job(tables, job);
		free_job(tables, job);
	}
}

static struct job *new_job(int fd, const char *name, const struct stat *st)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->fd = fd;
	job->name = strdup(name);
	job->st = *st;
	if (job->name)
		return job;
	free(job);
	return NULL;
}

/* The lock is held.  It is tried anew. */
static void take_back_failure(struct lw_table_maker *tables, const struct lw_seen_file *file)
{
	if (file->missed)
		tables->stats.failed[file->why]--;
}

/* Of two who saw it at once only the first queues it. */
static bool remember(struct lw_table_maker *tables, const struct lw_mapping *map,
		     const struct stat *st)
{
	struct lw_seen_file *file;
	bool is_new = false;

	pthread_mutex_lock(&tables->lock);
	file = lw_seen_files_add(&tables->known, map->dev, map->ino);
	if (file) {
		bool is_it = lw_seen_file_is(file, map, st);

		is_new = !is_it || (!file->st_ino && !file->missed);
		if (is_new)
			take_back_failure(tables, file);
		if (is_new || !file->missed)
			lw_seen_file_set(file, map->generation, st);
	}
	pthread_mutex_unlock(&tables->lock);
	return is_new;
}

static void remember_failure(struct lw_table_maker *tables, const struct lw_mapping *map, int err)
{
	enum lw_table_maker_failure why = err == -ENOEXEC ? LW_TABLES_NOT_ELF : LW_TABLES_GONE;
	struct lw_seen_file *file;
	bool is_new = false;

	pthread_mutex_lock(&tables->lock);
	file = lw_seen_files_add(&tables->known, map->dev, map->ino);
	if (file && !file->missed) {
		is_new = true;
		tables->stats.failed[why]++;
		lw_seen_file_set(file, map->generation, NULL);
		if (why == LW_TABLES_GONE)
			lw_seen_file_miss(file, why, 0);
	}
	pthread_mutex_unlock(&tables->lock);
	if (is_new)
		tell(tables, map->path, why, err);
}

/* Return: false if it is known, or could not be queued. */
static bool add_open(struct lw_table_maker *tables, const struct lw_mapping *map, int fd,
		     const struct stat *st, u64 time, u64 number)
{
	struct job *job = NULL;

	if (remember(tables, map, st))
		job = new_job(fd, map->path, st);
	if (!job) {
		close(fd);
		return false;
	}
	job->dev = map->dev;
	job->ino = map->ino;
	job->time = time;
	job->number = number;
	queue(tables, job);
	return true;
}

static bool is_known(struct lw_table_maker *tables, const struct lw_mapping *map, bool look)
{
	struct lw_seen_file *file;
	struct stat st;
	bool known;

	look = look && lw_stat_mapped(map, &st);
	pthread_mutex_lock(&tables->lock);
	file = lw_seen_file(&tables->known, map->dev, map->ino);
	known = file && lw_seen_file_is(file, map, look ? &st : NULL);
	pthread_mutex_unlock(&tables->lock);
	return known;
}

/*
 * Of a process that has ended nobody knows whether its file was the one at its path, where
 * that may be.  If we know that one by its own numbers, whether it has a table was told
 * already, and nothing more can be had.  In a container that has ended it may have been
 * another file, of the same path and number, which is not told of then.
 */
static bool is_known_by_path(struct lw_table_maker *tables, const struct lw_mapping *map)
{
	struct lw_seen_file *file;
	struct stat st;
	bool known;

	if (!lw_stat_likely(map, &st))
		return false;
	pthread_mutex_lock(&tables->lock);
	file = lw_seen_file(&tables->known, st.st_dev, st.st_ino);
	known = file && !file->missed && file->st_ino;
	pthread_mutex_unlock(&tables->lock);
	return known;
}

/* Return: as add_open(). */
static bool open_and_add(struct lw_table_maker *tables, const struct lw_mapping *map, u64 time,
			 u64 number)
{
	struct stat st;
	int fd = lw_open_mapped(map, &st);

	if (fd >= 0)
		return add_open(tables, map, fd, &st, time, number);
	if (fd != -ESTALE || !is_known_by_path(tables, map))
		remember_failure(tables, map, fd);
	return false;
}

/**
 * lw_table_maker_add_map - a process has a file mapped executable, before the recording
 * @tables: the state
 * @map: the mapping
 *
 * Context: may wait for the queue to get shorter.
 *
 * Return: true if the file is known already: before the recording it need not be told of
 * again.
 */
bool lw_table_maker_add_map(struct lw_table_maker *tables, const struct lw_mapping *map)
{
	/* a pass over all mappings sees the same few files again and again */
	if (is_known(tables, map, false))
		return true;
	open_and_add(tables, map, 0, 0);
	return false;
}

/**
 * lw_table_maker_see_map - a file without a table was met, while we record
 * @tables: the state
 * @map: a mapping of it
 * @time: when, CLOCK_MONOTONIC nanoseconds
 * @number: for lw_table_maker_options.done, which is called once, whatever comes of it; 0: it
 *	is not
 *
 * Context: as lw_table_maker_add_map().
 */
void lw_table_maker_see_map(struct lw_table_maker *tables, const struct lw_mapping *map, u64 time,
			    u64 number)
{
	if (is_known(tables, map, true) || !open_and_add(tables, map, time, number))
		answer(tables, number);
}

/**
 * lw_table_maker_add_path - a file will be mapped
 * @tables: the state
 * @path: of the file; nothing happens when it can't be opened
 *
 * Context: as lw_table_maker_add_map().
 */
void lw_table_maker_add_path(struct lw_table_maker *tables, const char *path)
{
	struct lw_mapping map = { .path = path };
	struct stat st;
	int fd = lw_open_file(path, &st);

	if (fd < 0)
		return;
	map.dev = st.st_dev;
	map.ino = st.st_ino;
	add_open(tables, &map, fd, &st, 0, 0);
}

/* Of its mapping in this process, whose begin is known. */
static size_t vdso_size(void)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR), start, end;
	FILE *file = vdso ? fopen("/proc/self/maps", "re") : NULL;
	size_t size = 0, room = 0;
	char *line = NULL;

	while (file && !size && getline(&line, &room, file) > 0) {
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == vdso)
			size = end - start;
	}
	free(line);
	if (file)
		fclose(file);
	return size;
}

/**
 * lw_table_maker_add_vdso - the vDSO, which all processes have
 * @tables: the state
 *
 * Context: as lw_table_maker_add_map().
 */
void lw_table_maker_add_vdso(struct lw_table_maker *tables)
{
	struct stat st = { .st_size = vdso_size() };
	struct job *job = st.st_size ? new_job(-1, VDSO_NAME, &st) : NULL;

	if (job)
		queue(tables, job);
}

/**
 * lw_table_maker_wait - wait until all that was added has its table
 * @tables: the state
 *
 * The start is over then: what comes now comes while we record.
 */
void lw_table_maker_wait(struct lw_table_maker *tables)
{
	pthread_mutex_lock(&tables->lock);
	while (tables->nr_queued + tables->nr_running && !start_is_cut_short(tables))
		wait_a_moment(tables);
	tables->starting = false;
	tables->stats.start_time = lw_now() - tables->begin;
	if (tables->told)
		fputs("\r\033[K", stderr);
	pthread_mutex_unlock(&tables->lock);
}

/**
 * lw_table_maker_stop - begin nothing any more: what is queued is dropped
 * @tables: the state
 *
 * What is running goes on, see lw_table_maker_join().
 */
void lw_table_maker_stop(struct lw_table_maker *tables)
{
	pthread_mutex_lock(&tables->lock);
	tables->stopping = true;
	while (tables->first)
		free_job(tables, take_job(tables));
	pthread_cond_broadcast(&tables->work);
	pthread_cond_broadcast(&tables->done);
	pthread_mutex_unlock(&tables->lock);
}

/**
 * lw_table_maker_join - wait for what is running
 * @tables: stopped
 * @until: CLOCK_MONOTONIC nanoseconds; ~0: for ever
 *
 * Return: whether all is done.
 */
bool lw_table_maker_join(struct lw_table_maker *tables, u64 until)
{
	/* nobody starts one when all is to stop */
	while (tables->nr_workers) {
		if (!lw_join_thread(tables->workers[tables->nr_workers - 1], until))
			return false;
		tables->nr_workers--;
	}
	return true;
}

/**
 * lw_table_maker_free - stop, wait for what is running, and free all
 * @tables: the state or NULL; nobody else adds anything
 */
void lw_table_maker_free(struct lw_table_maker *tables)
{
	if (!tables)
		return;
	lw_table_maker_stop(tables);
	lw_table_maker_join(tables, ~0ULL);
	lw_seen_files_clear(&tables->known);
	pthread_mutex_destroy(&tables->lock);
	pthread_cond_destroy(&tables->work);
	pthread_cond_destroy(&tables->done);
	free(tables);
}

/**
 * lw_table_maker_stats - what was done so far
 * @tables: the state
 * @stats: out
 */
void lw_table_maker_stats(struct lw_table_maker *tables, struct lw_table_maker_stats *stats)
{
	pthread_mutex_lock(&tables->lock);
	*stats = tables->stats;
	pthread_mutex_unlock(&tables->lock);
}
