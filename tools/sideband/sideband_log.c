// SPDX-License-Identifier: GPL-2.0
/*
 * sideband_log.c - the side-band so far, for files that begin later.
 *
 * A file that begins while a recording goes on has to tell what is mapped by then.  It gets
 * the records again that the files before it got, so it tells the same as these: also of
 * a process that ended while a sample of it waits for its stack.  Processes and threads of
 * which no sample can come any more are forgotten, except where a child has its mappings
 * from its parent.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/perf_records.h"
#include "sideband/sideband_log.h"

/* /proc/sys/kernel/pid_max is this at most: PID_MAX_LIMIT of linux/threads.h */
#define MAX_PIDS	(4U << 20)
/* It is not looked through for less. */
#define ENOUGH		(1U << 20)

struct lw_sideband_log {
	u8 *bytes;			/* records, one behind the other */
	size_t used, room;
	size_t kept;			/* of @used when it was last looked for who has ended */
};

/* FORK and EXIT have all of it, the others of processes the first two. */
struct task_record {
	struct perf_event_header header;
	u32 pid, second, tid, ptid;
};

/**
 * lw_sideband_log_new - an empty log
 *
 * Return: it, or NULL.
 */
struct lw_sideband_log *lw_sideband_log_new(void)
{
	return calloc(1, sizeof(struct lw_sideband_log));
}

/**
 * lw_sideband_log_free - forget all
 * @log: or NULL
 */
void lw_sideband_log_free(struct lw_sideband_log *log)
{
	if (log)
		free(log->bytes);
	free(log);
}

/* What says how things are from then on, unlike a count of what was lost. */
static bool holds_on(const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return record->size >= sizeof(struct task_record) + sizeof(struct lw_sample_id);
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
		return record->size >= offsetof(struct task_record, tid);
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
		return true;
	}
	return false;
}

/**
 * lw_sideband_log_add - remember a record
 * @log: where
 * @record: any of the side-band, with a trailer of struct lw_sample_id
 *
 * Return: 0 or -ENOMEM.
 */
int lw_sideband_log_add(struct lw_sideband_log *log, const struct perf_event_header *record)
{
	if (!holds_on(record))
		return 0;
	if (lw_grow((void **)&log->bytes, &log->room, log->used + record->size, 1))
		return -ENOMEM;
	memcpy(log->bytes + log->used, record, record->size);
	log->used += record->size;
	return 0;
}

static struct task_record *record_at(const struct lw_sideband_log *log, size_t at)
{
	return (struct task_record *)(log->bytes + at);
}

static bool has_bit(const u8 *bits, u32 pid)
{
	return pid < MAX_PIDS && bits[pid / 8] & 1U << pid % 8;
}

static void set_bit(u8 *bits, u32 pid, bool value)
{
	if (pid >= MAX_PIDS)
		return;
	bits[pid / 8] &= ~(1U << pid % 8);
	bits[pid / 8] |= (u32)value << pid % 8;
}

/* A process whose first thread has ended may have others. */
static bool is_there(u32 pid)
{
	return !kill(pid, 0) || errno != ESRCH;
}

static bool has_ended(const struct task_record *record, u64 before)
{
	const struct lw_sample_id *id = (const void *)((const u8 *)record + record->header.size -
						       sizeof(*id));

	return id->time < before && (record->pid != record->tid || !is_there(record->pid));
}

/* A bit per task; a number that was given again is of a task that is there. */
static void find_ended(const struct lw_sideband_log *log, u8 *ended, u64 before)
{
	for (size_t at = 0; at < log->used; at += record_at(log, at)->header.size) {
		const struct task_record *record = record_at(log, at);

		if (record->header.type == PERF_RECORD_FORK)
			set_bit(ended, record->tid, false);
		else if (record->header.type == PERF_RECORD_EXIT && has_ended(record, before))
			set_bit(ended, record->tid, true);
	}
}

static bool is_new_process(const struct task_record *record)
{
	return record->header.type == PERF_RECORD_FORK && record->pid != record->second;
}

/* Return: where processes were made, in the order of time; NULL: there is no memory. */
static size_t *find_forks(const struct lw_sideband_log *log, size_t *nr)
{
	size_t *forks = NULL, room = 0;

	*nr = 0;
	for (size_t at = 0; at < log->used; at += record_at(log, at)->header.size) {
		if (!is_new_process(record_at(log, at)))
			continue;
		if (lw_grow((void **)&forks, &room, *nr + 1, sizeof(*forks))) {
			free(forks);
			return NULL;
		}
		forks[(*nr)++] = at;
	}
	return forks;
}

/*
 * A process is made after its parent, so that going back finds all of a line at once, but for
 * records of two CPUs, whose order may be any.
 *
 * Return: was there one more that has to be kept, as a child of it is?
 */
static bool keep_more(const struct lw_sideband_log *log, const size_t *forks, size_t nr, u8 *ended)
{
	bool any = false;

	for (size_t i = nr; i--;) {
		const struct task_record *record = record_at(log, forks[i]);

		if (has_bit(ended, record->pid) || !has_bit(ended, record->second))
			continue;
		set_bit(ended, record->second, false);
		any = true;
	}
	return any;
}

/*
 * A parent is kept as long as a child of it is: the child has its mappings.
 *
 * Return: false: there is no memory.
 */
static bool keep_parents(const struct lw_sideband_log *log, u8 *ended)
{
	size_t nr, *forks = find_forks(log, &nr);
	bool found = forks || !nr;

	while (forks && keep_more(log, forks, nr, ended))
		;
	free(forks);
	return found;
}

static bool is_of_ended(const struct task_record *record, const u8 *ended)
{
	switch (record->header.type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return has_bit(ended, record->tid) || has_bit(ended, record->pid);
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
		return has_bit(ended, record->second) || has_bit(ended, record->pid);
	case PERF_RECORD_MMAP2:
		return has_bit(ended, record->pid);
	}
	return false;
}

static void drop_ended(struct lw_sideband_log *log, const u8 *ended)
{
	size_t size, to = 0;

	for (size_t at = 0; at < log->used; at += size) {
		size = record_at(log, at)->header.size;
		if (is_of_ended(record_at(log, at), ended))
			continue;
		memmove(log->bytes + to, log->bytes + at, size);
		to += size;
	}
	log->used = to;
}

/**
 * lw_sideband_log_forget - forget tasks that have ended
 * @log: where
 * @before: of tasks that ended before this time no sample will come
 */
void lw_sideband_log_forget(struct lw_sideband_log *log, u64 before)
{
	u8 *ended = calloc(MAX_PIDS / 8, 1);

	/* all is remembered then, which is as good */
	if (!ended)
		return;
	find_ended(log, ended, before);
	if (keep_parents(log, ended))
		drop_ended(log, ended);
	log->kept = log->used;
	free(ended);
}

/**
 * lw_sideband_log_trim - likewise, if it may be worth it
 * @log: where
 * @before: as of lw_sideband_log_forget()
 *
 * So it takes the memory of those that are there, twice and a bit, however many come and go.
 */
void lw_sideband_log_trim(struct lw_sideband_log *log, u64 before)
{
	if (log->used >= 2 * log->kept + ENOUGH)
		lw_sideband_log_forget(log, before);
}

/**
 * lw_sideband_log_replay - hand out all that is remembered
 * @log: where
 * @fn: called with each record, in the order in which they were added; nonzero ends it
 * @ctx: for @fn
 *
 * Return: 0 or what @fn returned.
 */
int lw_sideband_log_replay(const struct lw_sideband_log *log, lw_perf_event_fn fn, void *ctx)
{
	int ret = 0;

	for (size_t at = 0; !ret && at < log->used; at += record_at(log, at)->header.size)
		ret = fn(ctx, &record_at(log, at)->header);
	return ret;
}
