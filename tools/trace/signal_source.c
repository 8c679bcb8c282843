// SPDX-License-Identifier: GPL-2.0
/*
 * signal_source.c - signals as they are delivered: the tracepoint signal:signal_deliver.
 *
 * Where its fields are tracefs tells, in the file "format" of the tracepoint.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/event_tracepoint.h"
#include "trace/signal_source.h"

#define SYSTEM	"signal"
#define NAME	"signal_deliver"

/* A sample of LW_SAMPLE_TYPE_COMMON and PERF_SAMPLE_RAW; the data follows. */
struct sample {
	struct perf_event_header header;
	u64 id, ip;
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 period;
	u32 size;
	u8 data[];
} __packed;

/* @field: as the file has it, with a semicolon behind */
static int find_field(const char *format, const char *field, u32 *at)
{
	const char *found = strstr(format, field);

	return found && sscanf(found + strlen(field), " offset:%u", at) == 1 ? 0 : -ENOENT;
}

/**
 * lw_signal_source_fields - take where the fields of the tracepoint are
 * @source: the source
 * @format: text of the file "format"
 *
 * Return: 0 or -ENOENT.
 */
int lw_signal_source_fields(struct lw_signal_source *source, const char *format)
{
	int ret = find_field(format, "field:int sig;", &source->signal_at);

	if (!ret)
		ret = find_field(format, "field:int errno;", &source->error_at);
	if (!ret)
		ret = find_field(format, "field:int code;", &source->code_at);
	if (!ret)
		ret = find_field(format, "field:unsigned long sa_handler;", &source->handler_at);
	return ret;
}

static int read_fields(struct lw_signal_source *source, const char *root)
{
	char path[512], text[4096];

	snprintf(path, sizeof(path), "%s/events/" SYSTEM "/" NAME "/format", root);
	if (lw_read_file(path, text, sizeof(text)) < 0)
		return -ENOENT;
	return lw_signal_source_fields(source, text);
}

/**
 * lw_signal_source_open - from now on the signals of a target are known
 * @source: zeroed
 * @target: every CPU, attached threads or a prepared command
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_signal_source_open(struct lw_signal_source *source, const struct lw_target *target)
{
	const char *root = lw_tracefs();
	u64 id;

	if (lw_tracepoint_id(root, SYSTEM, NAME, &id) || read_fields(source, root))
		return lw_fail(-ENOENT, "there is no tracepoint " SYSTEM ":" NAME "\n%s",
			       lw_tracefs_hint(root));
	return lw_sideband_open_tracepoint(&source->sideband, target, id);
}

static bool take_field(const struct sample *sample, u32 at, void *to, size_t size)
{
	if (sample->size < size || at > sample->size - size)
		return false;
	memcpy(to, sample->data + at, size);
	return true;
}

static bool take_sample(const struct lw_signal_source *source, const struct sample *sample,
			struct lw_signal *signal)
{
	if (sample->size > sample->header.size - sizeof(*sample))
		return false;
	signal->time = sample->time;
	signal->pid = sample->pid;
	signal->tid = sample->tid;
	return take_field(sample, source->signal_at, &signal->signal, sizeof(s32)) &&
	       take_field(sample, source->error_at, &signal->error, sizeof(s32)) &&
	       take_field(sample, source->code_at, &signal->code, sizeof(s32)) &&
	       take_field(sample, source->handler_at, &signal->handler, sizeof(u64));
}

/**
 * lw_signal_source_record - take a record of the tracepoint's rings
 * @ctx: the source
 * @record: of any type; one that is too short is skipped
 *
 * Return: 0 or -ENOMEM.
 */
int lw_signal_source_record(void *ctx, const struct perf_event_header *record)
{
	struct lw_signal_source *source = ctx;
	struct lw_signal signal;

	if (record->type != PERF_RECORD_SAMPLE || record->size < sizeof(struct sample) ||
	    !take_sample(source, (const struct sample *)record, &signal))
		return 0;
	if (lw_grow((void **)&source->signals, &source->room, source->nr + 1, sizeof(signal)))
		return -ENOMEM;
	source->signals[source->nr++] = signal;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct lw_signal *left = a, *right = b;

	return left->time < right->time ? -1 : left->time > right->time;
}

/**
 * lw_signal_source_sort - put what was read in the order of time
 * @source: the source
 */
void lw_signal_source_sort(struct lw_signal_source *source)
{
	size_t left = source->nr - source->next;

	if (!left)
		source->nr = source->next = 0;
	else
		qsort(source->signals + source->next, left, sizeof(*source->signals), by_time);
}

/**
 * lw_signal_source_read - read what the rings hold
 * @source: open or zeroed
 *
 * Return: 0, -ENOMEM or -EBADMSG.
 */
int lw_signal_source_read(struct lw_signal_source *source)
{
	int ret = lw_sideband_read(&source->sideband, lw_signal_source_record, source);

	lw_signal_source_sort(source);
	return ret;
}

/**
 * lw_signal_source_next - hand out the oldest signal
 * @source: open or zeroed
 * @before: ns; only one that is older
 *
 * Return: the signal, good until more is read, or NULL.
 */
const struct lw_signal *lw_signal_source_next(struct lw_signal_source *source, u64 before)
{
	if (source->next == source->nr || source->signals[source->next].time >= before)
		return NULL;
	return &source->signals[source->next++];
}

/**
 * lw_signal_source_close - close and free
 * @source: open or zeroed
 */
void lw_signal_source_close(struct lw_signal_source *source)
{
	lw_sideband_close(&source->sideband);
	free(source->signals);
	source->signals = NULL;
	source->nr = source->next = 0;
}
