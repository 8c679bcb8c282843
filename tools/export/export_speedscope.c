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
#include "base/json.h"
#include "export/export.h"
#include "export/export_threads.h"

static void add_frame(struct lw_json *json, const struct lw_profile *profile, u32 number)
{
	const struct lw_profile_frame *frame = lw_profile_frame(profile, number);
	u32 file = frame->file == LW_PROFILE_NONE ? frame->dso : frame->file;

	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	lw_json_str(json, "name", lw_profile_string(profile, frame->function));
	lw_json_str(json, "file", lw_profile_string(profile, file));
	if (frame->file != LW_PROFILE_NONE && frame->line)
		lw_json_u64(json, "line", frame->line);
	lw_json_close(json, '}');
}

static void add_stack(struct lw_json *json, const struct lw_profile *profile, u32 stack)
{
	const u32 *frames;
	u32 nr;

	frames = lw_profile_stack(profile, stack, &nr);
	lw_json_open(json, NULL, '[');
	while (nr--)
		lw_json_u64(json, NULL, frames[nr]);
	lw_json_close(json, ']');
}

static void add_title(struct lw_json *json, const struct lw_profile *profile,
		      const struct lw_export_thread *thread)
{
	struct lw_strbuf title = { 0 };

	lw_strbuf_str(&title, lw_profile_string(profile, thread->key.comm));
	lw_strbuf_str(&title, " (tid ");
	lw_strbuf_u64(&title, thread->key.tid);
	lw_strbuf_str(&title, ") ");
	lw_strbuf_str(&title, lw_profile_string(profile, thread->key.event));
	lw_json_bytes(json, "name", title.text ? title.text : "", title.len);
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

static void add_stacks(struct lw_stream *stream, struct lw_json *json,
		       const struct lw_profile *profile, const struct lw_export_thread *thread)
{
	u64 weight;

	lw_json_open(json, "samples", '[');
	for (size_t i = 0; i < thread->nr; i = end_of_run(thread, i, &weight)) {
		add_stack(json, profile, thread->samples[i].stack);
		lw_stream_drain(stream);
	}
	lw_json_close(json, ']');
}

/* Return: the sum of the weights. */
static u64 add_weights(struct lw_stream *stream, struct lw_json *json,
		       const struct lw_export_thread *thread)
{
	u64 sum = 0, weight;

	lw_json_open(json, "weights", '[');
	for (size_t i = 0; i < thread->nr; ) {
		i = end_of_run(thread, i, &weight);
		lw_json_u64(json, NULL, weight);
		lw_stream_drain(stream);
		sum += weight;
	}
	lw_json_close(json, ']');
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

static void add_thread(struct lw_stream *stream, struct lw_json *json,
		       const struct lw_profile *profile, const struct lw_export_options *options,
		       const struct lw_export_thread *thread)
{
	u64 sum;

	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	lw_json_str(json, "type", "sampled");
	add_title(json, profile, thread);
	lw_json_str(json, "unit", unit_of(profile, options, thread));
	add_stacks(stream, json, profile, thread);
	sum = add_weights(stream, json, thread);
	lw_json_u64(json, "startValue", 0);
	lw_json_u64(json, "endValue", sum);
	lw_json_close(json, '}');
}

static void add_frames(struct lw_stream *stream, struct lw_json *json,
		       const struct lw_profile *profile)
{
	lw_json_open(json, "frames", '[');
	for (u32 i = 0; i < lw_profile_nr_frames(profile); i++) {
		add_frame(json, profile, i);
		lw_stream_drain(stream);
	}
	lw_json_close(json, ']');
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
	struct lw_json json = { .out = &stream.out };
	struct lw_export_threads threads;
	int ret = lw_export_threads_make(&threads, profile, options);

	if (ret)
		return ret;
	lw_json_open(&json, NULL, '{');
	lw_json_str(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	lw_json_str(&json, "exporter", "latewind");
	lw_json_open(&json, "shared", '{');
	add_frames(&stream, &json, profile);
	lw_json_close(&json, '}');
	lw_json_open(&json, "profiles", '[');
	for (size_t i = 0; i < threads.nr; i++)
		add_thread(&stream, &json, profile, options, &threads.threads[i]);
	lw_json_close(&json, ']');
	lw_json_close(&json, '}');
	lw_strbuf_char(&stream.out, '\n');
	lw_export_threads_free(&threads);
	return lw_stream_end(&stream);
}
