// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_counts.c - samples that tell the counts of a group (PERF_SAMPLE_READ).
 *
 * Of a group only the leader takes samples (-e '{a,b}:S'); each has the counts of all its
 * events.  As perf does, it is handed out as a sample of each event that has counted since the
 * sample before, and the period is by how much.
 *
 * Contexts: one thread a file.
 */
#include <errno.h>
#include <stdlib.h>

#include "perf/perf_reader_parts.h"

static struct perf_count *get_count(struct lw_perf_reader *file, u64 id, u32 tid)
{
	u64 hash = lw_hash64(lw_hash64(id ^ file->seed) + tid) % PERF_COUNT_HASH;
	struct perf_count *count;

	lw_hash_for_each(count, &file->counts[hash], node) {
		if (count->id == id && count->tid == tid)
			return count;
	}
	count = calloc(1, sizeof(*count));
	if (!count)
		return NULL;
	count->id = id;
	count->tid = tid;
	lw_hash_add(&file->counts[hash], &count->node);
	return count;
}

/**
 * perf_read_count - hand out a sample for an event that it has a new count of
 * @file: with its events
 * @record: a sample with counts; becomes one of the event
 * @nth: which count; those of IDs that no event of the file has are left out
 * @fn: called, unless the event has not counted
 * @ctx: for it
 *
 * Return: 0, what @fn returned, or -ENOMEM with lw_fail_text().
 */
int perf_read_count(struct lw_perf_reader *file, struct lw_perf_record *record, u32 nth,
		    lw_perf_record_fn fn, void *ctx)
{
	u64 value = record->counts[nth * record->count_words];
	u64 id = record->counts[nth * record->count_words + 1];
	u32 tid = record->event->attr.inherit ? record->tid : 0;
	int event = perf_find_event(file, id);
	struct perf_count *count;

	if (event < 0)
		return 0;
	count = get_count(file, id, tid);
	if (!count)
		return lw_fail(-ENOMEM, "out of memory");
	record->period = value - count->value;
	count->value = value;
	if (!record->period)
		return 0;
	record->event = &file->events[event];
	record->index = event;
	record->id = id;
	return fn(ctx, record);
}

/**
 * perf_free_counts - forget all
 * @file: whose
 */
void perf_free_counts(struct lw_perf_reader *file)
{
	struct lw_hash_node **at, *after;
	struct perf_count *count;

	lw_hash_for_all_safe(count, after, at, file->counts, node)
		free(count);
}
