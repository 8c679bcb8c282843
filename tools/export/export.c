// SPDX-License-Identifier: GPL-2.0
/*
 * export.c - what the formats of other tools have in common.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <string.h>

#include "export/export.h"

#define ENOUGH	(256U << 10)

/**
 * lw_event_is_clock - are an event's periods nanoseconds?
 * @event: its name, modifiers and all
 *
 * Return: whether they are.
 */
bool lw_event_is_clock(const char *event)
{
	static const char * const clocks[] = {
		"cpu-clock", "task-clock", "off-cpu", "offcpu-time",
	};

	for (u32 i = 0; i < ARRAY_SIZE(clocks); i++) {
		size_t len = strlen(clocks[i]);

		if (!strncmp(event, clocks[i], len) && (!event[len] || event[len] == ':'))
			return true;
	}
	return false;
}

/**
 * lw_export_weight - what is exported of some samples
 * @options: tell which of the two
 * @samples: how many they are
 * @weight: the sum of their periods
 *
 * Return: one of them.
 */
u64 lw_export_weight(const struct lw_export_options *options, u64 samples, u64 weight)
{
	return options->samples ? samples : weight;
}

static void flush(struct lw_stream *stream)
{
	int ret = stream->error ? 0 : lw_strbuf_flush(&stream->out, stream->fd);

	if (ret)
		stream->error = ret;
	stream->out.len = 0;
}

/**
 * lw_stream_drain - write what has come together, if it is worth it
 * @stream: where; @stream->out is added to directly
 */
void lw_stream_drain(struct lw_stream *stream)
{
	if (stream->out.len >= ENOUGH || stream->out.failed)
		flush(stream);
}

/**
 * lw_stream_end - write the rest
 * @stream: is empty afterwards
 *
 * Return: 0, or -errno of the first failure with lw_fail_text(), when the file is
 * not whole.
 */
int lw_stream_end(struct lw_stream *stream)
{
	flush(stream);
	lw_strbuf_free(&stream->out);
	if (stream->error)
		return lw_fail(stream->error, "cannot write the export: %s",
			       strerror(-stream->error));
	return 0;
}
