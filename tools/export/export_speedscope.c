// SPDX-License-Identifier: GPL-2.0
/*
 * export_speedscope.c - a profile as speedscope.app takes it.
 *
 * A file has one table of frames and a profile for each thread, and event, of the
 * "sampled" type: stacks of frames, from the root on, and their weights. Where times
 * were kept the samples are in their order, so that they can be looked at as they came.
 *
 * Contexts: one thread per profile.
 */
#include "export/export.h"
#include "export/export_threads.h"

static void add_frame(struct lw_stream *stream, const struct lw_profile *profile, u32 number)
{
	const struct lw_profile_frame *frame = lw_profile_frame(profile, number);
	u32 file = frame->file == LW_PROFILE_NONE ? frame->dso : frame->file;

	lw_strbuf_str(&stream->out, "{\"name\":");
	lw_stream_text(stream, lw_profile_string(profile, frame->function));
	lw_strbuf_str(&stream->out, ",\"file\":");
	lw_stream_text(stream, lw_profile_string(profile, file));
	if (frame->file != LW_PROFILE_NONE && frame->line) {
		lw_strbuf_str(&stream->out, ",\"line\":");
		lw_strbuf_u64(&stream->out, frame->line);
	}
	lw_strbuf_char(&stream->out, '}');
	lw_stream_drain(stream);
}

static void add_stack(struct lw_stream *stream, const struct lw_profile *profile, u32 stack)
{
	const u32 *frames;
	u32 nr;

	frames = lw_profile_stack(profile, stack, &nr);
	lw_strbuf_char(&stream->out, '[');
	while (nr--) {
		lw_strbuf_u64(&stream->out, frames[nr]);
		if (nr)
			lw_strbuf_char(&stream->out, ',');
	}
	lw_strbuf_char(&stream->out, ']');
	lw_stream_drain(stream);
}

static void add_title(struct lw_stream *stream, const struct lw_profile *profile,
		      const struct lw_export_thread *thread)
{
	struct lw_strbuf title = { 0 };

	lw_strbuf_str(&title, lw_profile_string(profile, thread->key.comm));
	lw_strbuf_str(&title, " (tid ");
	lw_strbuf_u64(&title, thread->key.tid);
	lw_strbuf_str(&title, ") ");
	lw_strbuf_str(&title, lw_profile_string(profile, thread->key.event));
	lw_strbuf_json(&stream->out, title.text ? title.text : "", title.len);
	lw_strbuf_free(&title);
}

/* Samples of the same stack one after the other are one.  Return: behind them. */
static size_t end_of_run(const struct lw_export_thread *thread, size_t begin, u64 *weight)
{
	size_t end = begin;

	*weight = 0;
	while (end < thread->nr && thread->samples[end].stack == thread->samples[begin].stack)
		*weight += thread->samples[end++].weight;
	return end;
}

static void add_stacks(struct lw_stream *stream, const struct lw_profile *profile,
		       const struct lw_export_thread *thread)
{
	u64 weight;

	for (size_t i = 0; i < thread->nr; i = end_of_run(thread, i, &weight)) {
		if (i)
			lw_strbuf_char(&stream->out, ',');
		add_stack(stream, profile, thread->samples[i].stack);
	}
}

/* Return: the sum of the weights. */
static u64 add_weights(struct lw_stream *stream, const struct lw_export_thread *thread)
{
	u64 sum = 0, weight;
	size_t next;

	for (size_t i = 0; i < thread->nr; i = next) {
		next = end_of_run(thread, i, &weight);
		if (i)
			lw_strbuf_char(&stream->out, ',');
		lw_strbuf_u64(&stream->out, weight);
		lw_stream_drain(stream);
		sum += weight;
	}
	return sum;
}

static const char *unit_of(const struct lw_profile *profile,
			   const struct lw_export_options *options,
			   const struct lw_export_thread *thread)
{
	if (!options->samples &&
	    lw_event_is_clock(lw_profile_string(profile, thread->key.event)))
		return "nanoseconds";
	return "none";
}

static void add_thread(struct lw_stream *stream, const struct lw_profile *profile,
		       const struct lw_export_options *options,
		       const struct lw_export_thread *thread)
{
	struct lw_strbuf *out = &stream->out;
	u64 sum;

	lw_strbuf_str(out, "{\"type\":\"sampled\",\"name\":");
	add_title(stream, profile, thread);
	lw_strbuf_str(out, ",\"unit\":\"");
	lw_strbuf_str(out, unit_of(profile, options, thread));
	lw_strbuf_str(out, "\",\"samples\":[");
	add_stacks(stream, profile, thread);
	lw_strbuf_str(out, "],\"weights\":[");
	sum = add_weights(stream, thread);
	lw_strbuf_str(out, "],\"startValue\":0,\"endValue\":");
	lw_strbuf_u64(out, sum);
	lw_strbuf_char(out, '}');
}

static void add_frames(struct lw_stream *stream, const struct lw_profile *profile)
{
	for (u32 i = 0; i < lw_profile_nr_frames(profile); i++) {
		lw_strbuf_str(&stream->out, i ? ",\n" : "\n");
		add_frame(stream, profile, i);
	}
}

/**
 * lw_export_speedscope - write a profile in speedscope's file format
 * @profile: the profile
 * @options: what of it
 * @fd: where to
 *
 * Return: 0, or -errno with lw_fail_text().
 */
int lw_export_speedscope(const struct lw_profile *profile,
			 const struct lw_export_options *options, int fd)
{
	struct lw_stream stream = { .fd = fd };
	struct lw_export_threads threads;
	int ret = lw_export_threads_make(&threads, profile, options);

	if (ret)
		return ret;
	lw_strbuf_str(&stream.out, "{\"$schema\":");
	lw_stream_text(&stream, "https://www.speedscope.app/file-format-schema.json");
	lw_strbuf_str(&stream.out, ",\"exporter\":\"latewind\",\"shared\":{\"frames\":[");
	add_frames(&stream, profile);
	lw_strbuf_str(&stream.out, "]},\"profiles\":[");
	for (size_t i = 0; i < threads.nr; i++) {
		lw_strbuf_str(&stream.out, i ? ",\n" : "\n");
		add_thread(&stream, profile, options, &threads.threads[i]);
	}
	lw_strbuf_str(&stream.out, "]}\n");
	lw_export_threads_free(&threads);
	return lw_stream_end(&stream);
}
