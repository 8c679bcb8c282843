// SPDX-License-Identifier: GPL-2.0
/*
 * signal_source.c - signals as they are delivered: the tracepoint signal:signal_deliver.
 *
 * Where its fields are tracefs tells, in the file "format" of the tracepoint.
 *
 * A signal that ends a process without a core is never delivered: when it is sent the kernel
 * makes a SIGKILL of it for each thread.  So signal:signal_generate is read, too, of all tasks,
 * as anybody may send one: the last one that was sent to a process and was not delivered is the
 * cause of its SIGKILL.  That tracepoint has process ids of the initial PID namespace.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "events/event_tracepoint.h"
#include "trace/signal_source.h"
#include "trace/signal_text.h"

#define SYSTEM	"signal"
#define TAKEN	"signal_deliver"
#define SENT	"signal_generate"

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
};

#define SAMPLE_SIZE	offsetof(struct sample, data)

/* @field: as the file has it, with a semicolon behind */
static int find_field(const char *format, const char *field, u32 *at)
{
	const char *found = strstr(format, field);

	return found && sscanf(found + strlen(field), " offset:%u", at) == 1 ? 0 : -ENOENT;
}

/**
 * lw_signal_fields_parse - take where the fields of a tracepoint are
 * @fields: out
 * @sent: that of signals that are sent, not of those that are taken
 * @format: text of its file "format"
 *
 * Return: 0 or -ENOENT.
 */
int lw_signal_fields_parse(struct lw_signal_fields *fields, bool sent, const char *format)
{
	int ret = find_field(format, "field:int sig;", &fields->signal);

	if (!ret)
		ret = find_field(format, "field:int errno;", &fields->error);
	if (!ret)
		ret = find_field(format, "field:int code;", &fields->code);
	if (!ret && !sent)
		return find_field(format, "field:unsigned long sa_handler;", &fields->extra);
	if (!ret)
		ret = find_field(format, "field:pid_t pid;", &fields->extra);
	return ret ? ret : find_field(format, "field:int result;", &fields->result);
}

static int open_tracepoint(struct lw_sideband *sideband, struct lw_signal_fields *fields,
			   const struct lw_target *target, bool sent)
{
	const char *root = lw_tracefs(), *name = sent ? SENT : TAKEN;
	char path[512], text[4096];
	u64 id;

	snprintf(path, sizeof(path), "%s/events/" SYSTEM "/%s/format", root, name);
	if (lw_tracepoint_id(root, SYSTEM, name, &id) ||
	    lw_read_file(path, text, sizeof(text)) < 0 ||
	    lw_signal_fields_parse(fields, sent, text))
		return lw_fail(-ENOENT, "there is no tracepoint " SYSTEM ":%s\n%s", name,
			       lw_tracefs_hint(root));
	return lw_sideband_open_tracepoint(sideband, target, id);
}

/**
 * lw_signal_source_open - from now on the signals of a target are known
 * @source: zeroed
 * @target: every CPU, attached threads or a prepared command
 *
 * Without the signals that are sent, that by which a process is ended is not known.
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_signal_source_open(struct lw_signal_source *source, const struct lw_target *target)
{
	const struct lw_target everywhere = { .all_cpus = true };
	int ret = open_tracepoint(&source->sideband, &source->taken_at, target, false);

	if (!ret)
		open_tracepoint(&source->sent, &source->sent_at, &everywhere, true);
	return ret;
}

static bool take_field(const struct sample *sample, u32 at, void *to, size_t size)
{
	if (sample->size < size || at > sample->size - size)
		return false;
	memcpy(to, sample->data + at, size);
	return true;
}

static bool take_common(const struct lw_signal_fields *fields,
			const struct perf_event_header *record, struct lw_signal *signal)
{
	const struct sample *sample = (const struct sample *)record;

	memset(signal, 0, sizeof(*signal));
	if (record->type != PERF_RECORD_SAMPLE || record->size < SAMPLE_SIZE ||
	    sample->size > record->size - SAMPLE_SIZE)
		return false;
	signal->time = sample->time;
	signal->pid = sample->pid;
	signal->tid = sample->tid;
	return take_field(sample, fields->signal, &signal->signal, sizeof(s32)) &&
	       take_field(sample, fields->error, &signal->error, sizeof(s32)) &&
	       take_field(sample, fields->code, &signal->code, sizeof(s32));
}

static int add(struct lw_signal_source *source, const struct lw_signal *signal)
{
	if (lw_grow((void **)&source->signals, &source->room, source->nr + 1, sizeof(*signal)))
		return -ENOMEM;
	source->signals[source->nr++] = *signal;
	return 0;
}

/**
 * lw_signal_source_record - take a record of a signal that a task takes
 * @ctx: the source
 * @record: of any type; one that is too short is skipped
 *
 * Return: 0 or -ENOMEM.
 */
int lw_signal_source_record(void *ctx, const struct perf_event_header *record)
{
	struct lw_signal_source *source = ctx;
	struct lw_signal signal;

	if (!take_common(&source->taken_at, record, &signal) ||
	    !take_field((const struct sample *)record, source->taken_at.extra, &signal.handler,
			sizeof(signal.handler)))
		return 0;
	return add(source, &signal);
}

/**
 * lw_signal_source_sent - take a record of a signal that is sent
 * @ctx: the source
 * @record: likewise
 *
 * Return: 0 or -ENOMEM.
 */
int lw_signal_source_sent(void *ctx, const struct perf_event_header *record)
{
	struct lw_signal_source *source = ctx;
	struct lw_signal signal;
	s32 result;

	if (!take_common(&source->sent_at, record, &signal) ||
	    !take_field((const struct sample *)record, source->sent_at.extra, &signal.pid,
			sizeof(signal.pid)) ||
	    !take_field((const struct sample *)record, source->sent_at.result, &result,
			sizeof(result)))
		return 0;
	signal.sent = true;
	/* an ignored one has no effect */
	return result ? 0 : add(source, &signal);
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

	if (!source->nr)
		return;
	memmove(source->signals, source->signals + source->next, left * sizeof(*source->signals));
	source->nr = left;
	source->next = 0;
	qsort(source->signals, left, sizeof(*source->signals), by_time);
}

/**
 * lw_signal_source_read - read what the rings hold
 * @source: open or zeroed
 *
 * Return: 0, -ENOMEM or -EBADMSG.
 */
int lw_signal_source_read(struct lw_signal_source *source)
{
	int ret = lw_sideband_read(&source->sent, lw_signal_source_sent, source);

	if (!ret)
		ret = lw_sideband_read(&source->sideband, lw_signal_source_record, source);
	lw_signal_source_sort(source);
	return ret;
}

static struct lw_signal *sent_to(struct lw_signal_source *source, u32 pid)
{
	return &source->last_sent[pid % LW_SENT_SIGNALS];
}

/* Return: whether there was one. */
static bool find_cause(struct lw_signal_source *source, struct lw_signal *signal, u32 pid)
{
	const struct lw_signal *sent = sent_to(source, pid);

	if (!sent->signal || sent->pid != pid)
		return false;
	signal->cause = sent->signal;
	signal->error = sent->error;
	signal->code = sent->code;
	return true;
}

static void settle(struct lw_signal_source *source, struct lw_signal *signal)
{
	struct lw_signal *sent;

	if (signal->signal == SIGKILL) {
		if (!find_cause(source, signal, signal->pid))
			find_cause(source, signal, signal->tid);
		return;
	}
	sent = sent_to(source, signal->pid);
	if (sent->pid == signal->pid && sent->signal == signal->signal)
		sent->signal = 0;
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
	while (source->next < source->nr && source->signals[source->next].time < before) {
		struct lw_signal *signal = &source->signals[source->next++];

		if (!signal->sent) {
			settle(source, signal);
			return signal;
		}
		if (lw_signal_kills(signal->signal, 0))
			*sent_to(source, signal->pid) = *signal;
	}
	return NULL;
}

/**
 * lw_signal_source_stop - no further signals; those in the rings can be read
 * @source: open or zeroed
 */
void lw_signal_source_stop(struct lw_signal_source *source)
{
	lw_sideband_stop(&source->sideband);
	lw_sideband_stop(&source->sent);
}

/**
 * lw_signal_source_close - close and free
 * @source: open or zeroed
 */
void lw_signal_source_close(struct lw_signal_source *source)
{
	lw_sideband_close(&source->sideband);
	lw_sideband_close(&source->sent);
	free(source->signals);
	source->signals = NULL;
	source->nr = 0;
	source->next = 0;
}
