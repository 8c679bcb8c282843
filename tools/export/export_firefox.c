// SPDX-License-Identifier: GPL-2.0
/*
 * export_firefox.c - a profile as profiler.firefox.com takes it.
 *
 * The "processed profile format", version 60: the first that has one table of stacks
 * for all threads. Later profilers upgrade it. Tables are written column by column.
 * Strings have the numbers that they have in the profile, and so do frames.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/export_threads.h"
#include "profile/tree.h"

/* Numbers of things that were given anew, in the order in which they were met. */
struct renumbered {
	u32 *number;			/* of each old one; NONE: not used */
	u32 *old;			/* of each number */
	u32 nr;
};

struct firefox {
	struct lw_stream stream;
	const struct lw_profile *profile;
	const struct lw_export_options *options;
	struct lw_export_threads threads;
	struct lw_tree stacks;		/* of frames */
	u32 *leaf;			/* of each stack: its node */
	u32 *classes;			/* of frames: those of one function and dso */
	struct renumbered functions;	/* classes */
	struct renumbered dsos, files;	/* strings */
	u64 start;			/* ns */
};

static int begin_numbers(struct renumbered *numbers, u32 nr)
{
	numbers->number = reallocarray(NULL, (size_t)nr + 1, sizeof(u32));
	numbers->old = reallocarray(NULL, (size_t)nr + 1, sizeof(u32));
	if (!numbers->number || !numbers->old)
		return -ENOMEM;
	memset(numbers->number, 0xff, ((size_t)nr + 1) * sizeof(u32));
	return 0;
}

static void give_number(struct renumbered *numbers, u32 old)
{
	if (numbers->number[old] != LW_PROFILE_NONE)
		return;
	numbers->number[old] = numbers->nr;
	numbers->old[numbers->nr++] = old;
}

static int give_numbers(struct firefox *to)
{
	u32 nr = lw_profile_nr_strings(to->profile);

	if (begin_numbers(&to->dsos, nr) || begin_numbers(&to->files, nr) ||
	    begin_numbers(&to->functions, lw_profile_nr_frames(to->profile)))
		return -ENOMEM;
	for (u32 i = 0; i < lw_profile_nr_frames(to->profile); i++) {
		const struct lw_profile_frame *frame = lw_profile_frame(to->profile, i);

		give_number(&to->functions, to->classes[i]);
		give_number(&to->dsos, frame->dso);
		if (frame->file != LW_PROFILE_NONE)
			give_number(&to->files, frame->file);
	}
	return 0;
}

static int add_stack(struct firefox *to, u32 stack)
{
	const u32 *frames;
	u32 nr, at = 0;

	frames = lw_profile_stack(to->profile, stack, &nr);
	while (nr--) {
		at = lw_tree_step(&to->stacks, at, frames[nr]);
		if (at == LW_TREE_NONE)
			return -ENOMEM;
	}
	to->leaf[stack] = at;
	return 0;
}

static int add_stacks(struct firefox *to)
{
	u32 nr = lw_profile_nr_stacks(to->profile);
	int ret = 0;

	to->leaf = reallocarray(NULL, (size_t)nr + 1, sizeof(*to->leaf));
	if (!to->leaf)
		return -ENOMEM;
	for (u32 i = 0; !ret && i < nr; i++)
		ret = add_stack(to, i);
	return ret;
}

static void add_u64(struct firefox *to, u64 value)
{
	lw_strbuf_u64(&to->stream.out, value);
}

static void add_str(struct firefox *to, const char *text)
{
	lw_strbuf_str(&to->stream.out, text);
}

/* A number of a table, or null. */
static void add_index(struct firefox *to, u32 number)
{
	if (number == LW_PROFILE_NONE)
		add_str(to, "null");
	else
		add_u64(to, number);
}

/* Nanoseconds as milliseconds. */
static void add_ms(struct firefox *to, u64 ns)
{
	add_u64(to, ns / 1000000);
	lw_strbuf_char(&to->stream.out, '.');
	lw_strbuf_padded(&to->stream.out, ns % 1000000, 6);
}

/* A column: @fn adds what row @i has there, of @arg. */
static void add_column(struct firefox *to, const char *name, size_t nr,
		       void (*fn)(struct firefox *to, size_t i, const void *arg), const void *arg)
{
	lw_strbuf_char(&to->stream.out, '"');
	add_str(to, name);
	add_str(to, "\":[");
	for (size_t i = 0; i < nr; i++) {
		if (i)
			lw_strbuf_char(&to->stream.out, ',');
		fn(to, i, arg);
		lw_stream_drain(&to->stream);
	}
	add_str(to, "],");
}

/* The same in each row. */
static void put_constant(struct firefox *to, size_t i, const void *arg)
{
	(void)i;
	add_str(to, arg);
}

static void end_table(struct firefox *to, size_t nr)
{
	add_str(to, "\"length\":");
	add_u64(to, nr);
	lw_strbuf_char(&to->stream.out, '}');
}

static void put_string(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_stream_text(&to->stream, lw_profile_string(to->profile, i));
}

static void put_stack_frame(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	add_u64(to, lw_tree_node(&to->stacks, i + 1)->what);
}

static void put_stack_prefix(struct firefox *to, size_t i, const void *arg)
{
	u32 parent = lw_tree_node(&to->stacks, i + 1)->parent;

	(void)arg;
	add_index(to, parent ? parent - 1 : LW_PROFILE_NONE);
}

/* The root is no stack. */
static void add_stack_table(struct firefox *to)
{
	size_t nr = to->stacks.nodes.nr - 1;

	add_str(to, "\"stackTable\":{");
	add_column(to, "frame", nr, put_stack_frame, NULL);
	add_column(to, "prefix", nr, put_stack_prefix, NULL);
	end_table(to, nr);
}

static void put_frame_address(struct firefox *to, size_t i, const void *arg)
{
	u64 address = lw_profile_frame(to->profile, i)->address;

	(void)arg;
	/* JavaScript's numbers end there; kernels are above */
	if (!address || address >> 53)
		add_str(to, "-1");
	else
		add_u64(to, address);
}

static void put_frame_depth(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	add_u64(to, lw_profile_frame(to->profile, i)->inlined);
}

static void put_frame_category(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	add_u64(to, lw_profile_frame(to->profile, i)->kind == LW_FRAME_KERNEL ? 1 : 0);
}

static void put_frame_function(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	add_u64(to, to->functions.number[to->classes[i]]);
}

static void put_frame_line(struct firefox *to, size_t i, const void *arg)
{
	u32 line = lw_profile_frame(to->profile, i)->line;

	(void)arg;
	add_index(to, line ? line : LW_PROFILE_NONE);
}

static void add_frame_table(struct firefox *to)
{
	u32 nr = lw_profile_nr_frames(to->profile);

	add_str(to, ",\"frameTable\":{");
	add_column(to, "address", nr, put_frame_address, NULL);
	add_column(to, "inlineDepth", nr, put_frame_depth, NULL);
	add_column(to, "category", nr, put_frame_category, NULL);
	add_column(to, "subcategory", nr, put_constant, "0");
	add_column(to, "func", nr, put_frame_function, NULL);
	add_column(to, "nativeSymbol", nr, put_constant, "null");
	add_column(to, "innerWindowID", nr, put_constant, "0");
	add_column(to, "line", nr, put_frame_line, NULL);
	add_column(to, "column", nr, put_constant, "null");
	end_table(to, nr);
}

static const struct lw_profile_frame *function_frame(const struct firefox *to, size_t i)
{
	return lw_profile_frame(to->profile, to->functions.old[i]);
}

static void put_function_name(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	add_u64(to, function_frame(to, i)->function);
}

static void put_function_resource(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	add_u64(to, to->dsos.number[function_frame(to, i)->dso]);
}

static void put_function_source(struct firefox *to, size_t i, const void *arg)
{
	u32 file = function_frame(to, i)->file;

	(void)arg;
	add_index(to, file == LW_PROFILE_NONE ? file : to->files.number[file]);
}

static void add_function_table(struct firefox *to)
{
	u32 nr = to->functions.nr;

	add_str(to, ",\"funcTable\":{");
	add_column(to, "name", nr, put_function_name, NULL);
	add_column(to, "isJS", nr, put_constant, "false");
	add_column(to, "relevantForJS", nr, put_constant, "false");
	add_column(to, "resource", nr, put_function_resource, NULL);
	add_column(to, "source", nr, put_function_source, NULL);
	add_column(to, "lineNumber", nr, put_constant, "null");
	add_column(to, "columnNumber", nr, put_constant, "null");
	end_table(to, nr);
}

static void put_number(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	add_u64(to, i);
}

static void put_old(struct firefox *to, size_t i, const void *arg)
{
	const struct renumbered *numbers = arg;

	add_u64(to, numbers->old[i]);
}

/* A resource is a library, by the same number, and of type 1. */
static void add_resource_table(struct firefox *to)
{
	u32 nr = to->dsos.nr;

	add_str(to, ",\"resourceTable\":{");
	add_column(to, "lib", nr, put_number, NULL);
	add_column(to, "name", nr, put_old, &to->dsos);
	add_column(to, "host", nr, put_constant, "null");
	add_column(to, "type", nr, put_constant, "1");
	end_table(to, nr);
}

static void add_source_table(struct firefox *to)
{
	u32 nr = to->files.nr;

	add_str(to, ",\"sources\":{");
	add_column(to, "uuid", nr, put_constant, "null");
	add_column(to, "filename", nr, put_old, &to->files);
	end_table(to, nr);
}

static void add_shared(struct firefox *to)
{
	add_str(to, "\"shared\":{");
	add_column(to, "stringArray", lw_profile_nr_strings(to->profile), put_string, NULL);
	add_stack_table(to);
	add_frame_table(to);
	add_function_table(to);
	add_resource_table(to);
	add_source_table(to);
	add_str(to, ",\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],");
	add_str(to, "\"functionSize\":[],\"length\":0}},\n");
}

static void put_sample_stack(struct firefox *to, size_t i, const void *arg)
{
	const struct lw_export_thread *thread = arg;
	u32 leaf = to->leaf[thread->samples[i].stack];

	add_index(to, leaf ? leaf - 1 : LW_PROFILE_NONE);
}

static void put_sample_time(struct firefox *to, size_t i, const void *arg)
{
	const struct lw_export_thread *thread = arg;

	add_ms(to, thread->samples[i].time - to->start);
}

static bool has_times(const struct firefox *to, const struct lw_export_thread *thread)
{
	return !to->options->samples &&
	       lw_event_is_clock(lw_profile_string(to->profile, thread->key.event));
}

static void put_sample_weight(struct firefox *to, size_t i, const void *arg)
{
	const struct lw_export_thread *thread = arg;

	if (has_times(to, thread))
		add_ms(to, thread->samples[i].weight);
	else
		add_u64(to, thread->samples[i].weight);
}

static void add_samples(struct firefox *to, const struct lw_export_thread *thread)
{
	add_str(to, "\"samples\":{");
	add_column(to, "stack", thread->nr, put_sample_stack, thread);
	add_column(to, "time", thread->nr, put_sample_time, thread);
	add_column(to, "weight", thread->nr, put_sample_weight, thread);
	add_str(to, has_times(to, thread) ? "\"weightType\":\"tracing-ms\"," :
					    "\"weightType\":\"samples\",");
	end_table(to, thread->nr);
}

static bool has_other_events(const struct firefox *to)
{
	for (size_t i = 1; i < to->threads.nr; i++) {
		if (to->threads.threads[i].key.event != to->threads.threads[0].key.event)
			return true;
	}
	return false;
}

static void add_thread_name(struct firefox *to, const struct lw_export_thread *thread)
{
	struct lw_strbuf name = { 0 };

	lw_strbuf_str(&name, lw_profile_string(to->profile, thread->key.comm));
	if (has_other_events(to)) {
		lw_strbuf_str(&name, " [");
		lw_strbuf_str(&name, lw_profile_string(to->profile, thread->key.event));
		lw_strbuf_char(&name, ']');
	}
	lw_strbuf_json(&to->stream.out, name.text ? name.text : "", name.len);
	lw_strbuf_free(&name);
}

static void add_thread(struct firefox *to, const struct lw_export_thread *thread)
{
	add_str(to, "{\"name\":");
	add_thread_name(to, thread);
	add_str(to, ",\"processName\":");
	lw_stream_text(&to->stream, lw_profile_string(to->profile, thread->key.comm));
	add_str(to, ",\"processType\":\"default\",\"isMainThread\":");
	add_str(to, thread->key.pid == thread->key.tid ? "true" : "false");
	add_str(to, ",\"pid\":\"");
	add_u64(to, thread->key.pid);
	add_str(to, "\",\"tid\":");
	add_u64(to, thread->key.tid);
	add_str(to, ",\"processStartupTime\":0,\"processShutdownTime\":null,");
	add_str(to, "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],");
	add_str(to, "\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],");
	add_str(to, "\"phase\":[],\"category\":[],\"length\":0},");
	add_samples(to, thread);
	lw_strbuf_char(&to->stream.out, '}');
}

static void add_field(struct firefox *to, const char *name, const char *text)
{
	lw_strbuf_char(&to->stream.out, '"');
	add_str(to, name);
	add_str(to, "\":");
	lw_stream_text(&to->stream, text);
	lw_strbuf_char(&to->stream.out, ',');
}

static void add_libs(struct firefox *to)
{
	add_str(to, "\"libs\":[");
	for (u32 i = 0; i < to->dsos.nr; i++) {
		const char *path = lw_profile_string(to->profile, to->dsos.old[i]);

		add_str(to, i ? ",\n{" : "\n{");
		add_field(to, "name", lw_short_name(path));
		add_field(to, "path", path);
		add_field(to, "debugName", lw_short_name(path));
		add_field(to, "debugPath", path);
		add_str(to, "\"arch\":\"\",\"breakpadId\":\"\",\"codeId\":null}");
	}
	add_str(to, "],\n");
}

/* What a sample of a clock stands for; other events have no such time. */
static u64 find_interval(const struct firefox *to)
{
	u64 weight = 0, samples = 0;

	for (u32 i = 0; i < lw_profile_nr_entries(to->profile); i++) {
		const struct lw_profile_entry *entry = lw_profile_entry(to->profile, i);

		if (!lw_event_is_clock(lw_profile_string(to->profile, entry->key.event)))
			continue;
		weight += entry->weight;
		samples += entry->samples;
	}
	return weight && samples && weight > samples ? weight / samples : 1000000;
}

static void add_meta(struct firefox *to)
{
	add_str(to, "{\"meta\":{\"version\":29,\"preprocessedProfileVersion\":60,");
	add_str(to, "\"product\":\"Latewind\",\"importedFrom\":\"Latewind\",\"processType\":0,");
	add_str(to, "\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,");
	add_str(to, "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,");
	add_str(to, "\"startTime\":0,\"startTimeAsClockMonotonicNanosecondsSinceBoot\":");
	add_u64(to, to->start);
	add_str(to, ",\"interval\":");
	add_ms(to, find_interval(to));
	add_str(to, ",\"categories\":[");
	add_str(to, "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},");
	add_str(to, "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},");
	add_str(to, "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],");
	add_str(to, "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",");
	add_str(to, "\"threadCPUDelta\":\"ns\"},\"markerSchema\":[]},\n");
}

static int write_all(struct firefox *to)
{
	add_meta(to);
	add_libs(to);
	add_shared(to);
	add_str(to, "\"pages\":[],\"threads\":[");
	for (size_t i = 0; i < to->threads.nr; i++) {
		add_str(to, i ? ",\n" : "\n");
		add_thread(to, &to->threads.threads[i]);
	}
	add_str(to, "]}\n");
	return lw_stream_end(&to->stream);
}

static void free_numbers(struct renumbered *numbers)
{
	free(numbers->number);
	free(numbers->old);
}

static int prepare(struct firefox *to)
{
	to->classes = lw_frame_classes(to->profile, LW_CLASS_DSO);
	if (lw_tree_init(&to->stacks) || !to->classes || give_numbers(to) || add_stacks(to))
		return lw_fail(-ENOMEM, "out of memory for the tables of an export");
	return lw_export_threads_make(&to->threads, to->profile, to->options);
}

/**
 * lw_export_firefox - write a profile in the Firefox Profiler's format
 * @profile: times were kept
 * @options: what of it
 * @fd: where to
 *
 * Return: 0, or -errno with lw_fail_text(); -EINVAL: there are no times.
 */
int lw_export_firefox(const struct lw_profile *profile, const struct lw_export_options *options,
		      int fd)
{
	struct firefox to = { .stream = { .fd = fd }, .profile = profile, .options = options };
	int ret;

	if (lw_profile_nr_entries(profile) && !lw_profile_nr_samples(profile))
		return lw_fail(-EINVAL, "the Firefox Profiler needs the times of samples");
	if (lw_profile_nr_samples(profile))
		to.start = lw_profile_sample(profile, 0)->time;
	ret = prepare(&to);
	if (!ret)
		ret = write_all(&to);
	lw_export_threads_free(&to.threads);
	lw_tree_free(&to.stacks);
	free_numbers(&to.functions);
	free_numbers(&to.dsos);
	free_numbers(&to.files);
	free(to.classes);
	free(to.leaf);
	return ret;
}
