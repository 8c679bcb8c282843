// SPDX-License-Identifier: GPL-2.0
/*
 * text_sink.c - a recording as text, while it runs.
 *
 * Names are looked up, and the text is written, by a thread of its own: the main thread
 * goes on emptying rings, however slow the reader of the text is. What waits for that thread
 * is bounded. While a recording goes on a sample that finds no room is left out, which is told
 * in its place in the text, and counted; once it has ended, the main thread waits for room.
 *
 * A sample is handed over by a pass, so that the pass has read what is mapped, and the names
 * of modules, before the sample is written.
 *
 * Contexts: the main thread, but for write_text() and what it calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "base/output.h"
#include "base/work_queue.h"
#include "events/event_tracepoint.h"
#include "events/tracing_data.h"
#include "record/recorder.h"
#include "record/sample_text.h"
#include "symbols/symbolizer.h"

/* Some 60,000 samples. */
#define MAX_WAITING	(64UL << 20)
#define WRITE_BYTES	(64UL << 10)
/* How often a signal is looked for while the main thread waits. */
#define LOOK_NS		(NSEC_PER_SEC / 10)

struct text_sink {
	struct lw_recorder *rec;
	struct lw_work_queue *writer;
	u64 left_out;			/* samples since the last one that found room */
	bool ended;			/* the recording: a sample waits for room */
	bool given_up;			/* by the user: nothing more is written */
	/* the writer's own */
	struct lw_symbolizer *symbolizer;
	struct lw_tracepoint_fields *fields;	/* NULL: no event has any */
	struct lw_strbuf out;
	struct lw_output output;
	int fd;
};

/* Of a writer that hangs, which keeps what it uses up to the end of the process. */
static struct text_sink *hanging __attribute__((used));

/* In the writer's thread. @work: a struct lw_sample_text, or NULL when no more waits. */
static int write_text(void *ctx, struct lw_work *work)
{
	struct text_sink *sink = ctx;

	if (work)
		lw_sample_text_print(&sink->out, sink->symbolizer, sink->fields,
				     lw_container_of(work, struct lw_sample_text, work));
	if (work && sink->out.len < WRITE_BYTES)
		return 0;
	return lw_strbuf_flush(&sink->out, sink->fd);
}

static int open_output(struct text_sink *sink, const char *path)
{
	return strcmp(path, "-") ? lw_output_open(&sink->output, path, false) : STDOUT_FILENO;
}

static const char *name_function(void *ctx, u64 address, u64 *offset)
{
	const struct text_sink *sink = ctx;
	struct lw_place place;

	lw_symbolize_kernel(sink->symbolizer, lw_now(), address, &place);
	*offset = place.offset;
	return place.function;
}

/* Without them, a tracepoint is known by its name still. */
static void read_formats(struct text_sink *sink)
{
	const struct lw_options *options = sink->rec->options;
	size_t size;
	char *data;

	if (lw_tracing_data_make(lw_tracefs(), options->events, options->nr_events, &data, &size) ||
	    !data)
		return;
	sink->fields = lw_tracepoint_fields_new(data, size);
	if (sink->fields)
		lw_tracepoint_fields_name_by(sink->fields, name_function, sink);
	free(data);
}

static int set_up(struct text_sink *sink)
{
	static const struct lw_symbolize_options names = {
		.here = true, .live = true, .no_demangle = true,
	};
	const struct lw_options *options = sink->rec->options;

	sink->fd = open_output(sink, options->text);
	if (sink->fd < 0)
		return lw_fail(sink->fd,
			       "cannot create %s: %s\n  Choose another place with --text.",
			       options->text, strerror(-sink->fd));
	sink->symbolizer = lw_symbolizer_new(&names);
	if (!sink->symbolizer)
		return -ENOMEM;
	if (options->overwrite)
		lw_process_maps_keep_all(sink->rec->procs);
	if (options->kernel_depth && lw_recorder_meets_kernel(sink->rec))
		lw_symbolizer_set_running_kernel(sink->symbolizer);
	read_formats(sink);
	sink->writer = lw_work_queue_new(MAX_WAITING, write_text, sink);
	return sink->writer ? 0 : -ENOMEM;
}

static int open_text(struct lw_recorder *rec, void **state)
{
	struct text_sink *sink = calloc(1, sizeof(*sink));

	*state = sink;
	if (!sink)
		return -ENOMEM;
	sink->rec = rec;
	sink->fd = -1;
	return set_up(sink);
}

static int begin(void *state)
{
	struct text_sink *sink = state;
	int ret = lw_output_publish(&sink->output);

	return ret ? lw_fail(ret, "cannot give %s its name: %s", sink->output.path,
			     strerror(-ret)) : 0;
}

static bool is_signalled(const struct text_sink *sink)
{
	struct signalfd_siginfo info;

	return read(sink->rec->wait.signal_fd, &info, sizeof(info)) > 0;
}

static void give_up(struct text_sink *sink)
{
	sink->given_up = true;
	sink->rec->counts.lost_text += lw_work_queue_stop(sink->writer);
	fputs("latewind: the rest of the text is left out, as a signal says\n", stderr);
}

/* Until all is written that waits, or the user says that it is enough. */
static void wait_for_writer(struct text_sink *sink)
{
	while (!sink->given_up && !lw_work_queue_wait(sink->writer, lw_now() + LOOK_NS)) {
		if (is_signalled(sink))
			give_up(sink);
	}
}

/* Return: whether there was room. */
static bool hand_over(struct text_sink *sink, struct lw_sample_text *text)
{
	text->lost_before = sink->left_out;
	if (!lw_work_queue_add(sink->writer, &text->work))
		return false;
	sink->left_out = 0;
	return true;
}

static void leave_out(struct text_sink *sink, struct lw_sample_text *text)
{
	sink->left_out++;
	sink->rec->counts.lost_text++;
	free(text);
}

static int print_sample(void *state, u32 event, const struct lw_sample *sample,
			const struct lw_user_stack *stack)
{
	struct text_sink *sink = state;
	struct lw_sample_text *text;

	text = lw_sample_text_new(sink->rec->procs, &sink->rec->options->events[event], sample,
				  stack);
	if (!text)
		return -ENOMEM;
	if (!sink->given_up && hand_over(sink, text))
		return 0;
	if (sink->ended)
		wait_for_writer(sink);
	if (sink->given_up || !sink->ended || !hand_over(sink, text))
		leave_out(sink, text);
	return 0;
}

static int failure(struct text_sink *sink)
{
	int error = lw_work_queue_error(sink->writer);

	if (!error || sink->given_up)
		return 0;
	sink->rec->stopped = true;
	/* the reader of a pipe has gone: that is an end, not a failure */
	if (error == -EPIPE)
		return 0;
	return lw_fail(error, "cannot write the text: %s", strerror(-error));
}

static int look_after_writer(void *state, bool goes_on)
{
	(void)goes_on;
	return failure(state);
}

static void leave(void *state)
{
	struct text_sink *sink = state;

	sink->ended = true;
}

/* What was left out last has no sample behind it. */
static int write_rest(struct text_sink *sink)
{
	struct lw_sample_text *text;

	wait_for_writer(sink);
	if (!sink->left_out || sink->given_up)
		return 0;
	text = calloc(1, sizeof(*text));
	if (!text)
		return -ENOMEM;
	text->work.bytes = sizeof(*text);
	if (!hand_over(sink, text))
		free(text);
	wait_for_writer(sink);
	return 0;
}

static int finish(void *state)
{
	struct text_sink *sink = state;
	int ret = write_rest(sink);

	return ret ? ret : failure(sink);
}

/* Remove a file that has no sample; the standard output is no file of ours. */
static void fail(void *state)
{
	struct text_sink *sink = state;

	if (sink->writer)
		write_rest(sink);
	if (!sink->rec->counts.samples)
		lw_output_remove(&sink->output);
}

static void close_text(void *state)
{
	struct text_sink *sink = state;

	if (!lw_work_queue_free(sink->writer, sink->given_up ? lw_now() : ~0ULL)) {
		hanging = sink;
		return;
	}
	if (sink->fd >= 0 && sink->fd != STDOUT_FILENO)
		close(sink->fd);
	lw_output_close(&sink->output);
	lw_strbuf_free(&sink->out);
	lw_tracepoint_fields_free(sink->fields);
	lw_symbolizer_free(sink->symbolizer);
	free(sink);
}

const struct lw_sink_ops lw_text_sink = {
	.wants_maps = true,
	.wants_fields = true,
	.open = open_text,
	.begin = begin,
	.sample = print_sample,
	.pass = look_after_writer,
	.leave = leave,
	.finish = finish,
	.fail = fail,
	.close = close_text,
};
