// SPDX-License-Identifier: GPL-2.0
/*
 * text_sink.c - a recording as text, while it runs.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/recorder.h"
#include "record/sample_text.h"
#include "symbols/symbolizer.h"

struct text_sink {
	struct lw_recorder *rec;
	struct lw_symbolizer *symbolizer;
	FILE *out;
};

static int set_up(struct text_sink *sink)
{
	static const struct lw_symbolize_options names = {
		.here = true, .live = true, .no_demangle = true,
	};
	const struct lw_options *options = sink->rec->options;

	sink->out = strcmp(options->text, "-") ? fopen(options->text, "we") : stdout;
	if (!sink->out)
		return lw_fail(-errno, "cannot create %s: %s\n  Choose another place with --text.",
			       options->text, strerror(errno));
	sink->symbolizer = lw_symbolizer_new(&names);
	if (!sink->symbolizer)
		return -ENOMEM;
	if (options->overwrite)
		lw_process_maps_keep_all(sink->rec->procs);
	if (options->kernel_depth && lw_recorder_meets_kernel(sink->rec))
		lw_symbolizer_set_running_kernel(sink->symbolizer);
	return 0;
}

static int open_text(struct lw_recorder *rec, void **state)
{
	struct text_sink *sink = calloc(1, sizeof(*sink));

	*state = sink;
	if (!sink)
		return -ENOMEM;
	sink->rec = rec;
	return set_up(sink);
}

static int print_sample(void *state, u32 event, const struct lw_sample *sample,
			const struct lw_user_stack *stack)
{
	struct text_sink *sink = state;

	lw_sample_text(sink->out, sink->rec->procs, sink->symbolizer,
		       &sink->rec->options->events[event], sample, stack);
	return 0;
}

static int flush(void *state, bool goes_on)
{
	struct text_sink *sink = state;

	(void)goes_on;
	if (!fflush(sink->out))
		return 0;
	sink->rec->stopped = true;
	/* the reader of a pipe has gone: that is an end, not a failure */
	return errno == EPIPE ? 0 :
	       lw_fail(-errno, "cannot write the text: %s", strerror(errno));
}

/* Remove a file that has no sample; the standard output is no file of ours. */
static void fail(void *state)
{
	struct text_sink *sink = state;

	if (sink->out && sink->out != stdout && !sink->rec->counts.samples)
		lw_remove_file(sink->rec->options->text, false);
}

static void close_text(void *state)
{
	struct text_sink *sink = state;

	if (sink->out && sink->out != stdout)
		fclose(sink->out);
	lw_symbolizer_free(sink->symbolizer);
	free(sink);
}

const struct lw_sink_ops lw_text_sink = {
	.wants_maps = true,
	.open = open_text,
	.sample = print_sample,
	.pass = flush,
	.fail = fail,
	.close = close_text,
};
