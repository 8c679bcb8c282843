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

#include "base/json.h"
#include "export/export.h"
#include "export/export_threads.h"
#include "profile/tree.h"

/* Times are milliseconds, of which nanoseconds are the last digit. */
#define MS_DIGITS	6

/* Numbers of things that were given anew, in the order in which they were met. */
struct renumbered {
	u32 *number;			/* of each old one; NONE: not used */
	u32 *old;			/* of each number */
	u32 nr;
};

struct firefox {
	struct lw_stream stream;
	struct lw_json json;
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

/* A number of a table, or null. */
static void add_index(struct firefox *to, u32 number)
{
	if (number == LW_PROFILE_NONE)
		lw_json_null(&to->json, NULL);
	else
		lw_json_u64(&to->json, NULL, number);
}

/* A column: @fn adds what row @i has there, of @arg. */
static void add_column(struct firefox *to, const char *name, size_t nr,
		       void (*fn)(struct firefox *to, size_t i, const void *arg), const void *arg)
{
	lw_json_open(&to->json, name, '[');
	for (size_t i = 0; i < nr; i++) {
		fn(to, i, arg);
		lw_stream_drain(&to->stream);
	}
	lw_json_close(&to->json, ']');
}

static void put_null(struct firefox *to, size_t i, const void *arg)
{
	(void)i;
	(void)arg;
	lw_json_null(&to->json, NULL);
}

static void put_false(struct firefox *to, size_t i, const void *arg)
{
	(void)i;
	(void)arg;
	lw_json_bool(&to->json, NULL, false);
}

/* The same number in each row. */
static void put_constant(struct firefox *to, size_t i, const void *arg)
{
	const u64 *value = arg;

	(void)i;
	lw_json_u64(&to->json, NULL, *value);
}

static const u64 zero, one = 1;

static void end_table(struct firefox *to, size_t nr)
{
	lw_json_u64(&to->json, "length", nr);
	lw_json_close(&to->json, '}');
}

static void put_string(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_json_str(&to->json, NULL, lw_profile_string(to->profile, i));
}

static void put_stack_frame(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_json_u64(&to->json, NULL, lw_tree_node(&to->stacks, i + 1)->what);
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

	lw_json_open(&to->json, "stackTable", '{');
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
		lw_json_s64(&to->json, NULL, -1);
	else
		lw_json_u64(&to->json, NULL, address);
}

static void put_frame_depth(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_json_u64(&to->json, NULL, lw_profile_frame(to->profile, i)->inlined);
}

static void put_frame_category(struct firefox *to, size_t i, const void *arg)
{
	bool kernel = lw_profile_frame(to->profile, i)->kind == LW_FRAME_KERNEL;

	(void)arg;
	lw_json_u64(&to->json, NULL, kernel);
}

static void put_frame_function(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_json_u64(&to->json, NULL, to->functions.number[to->classes[i]]);
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

	lw_json_open(&to->json, "frameTable", '{');
	add_column(to, "address", nr, put_frame_address, NULL);
	add_column(to, "inlineDepth", nr, put_frame_depth, NULL);
	add_column(to, "category", nr, put_frame_category, NULL);
	add_column(to, "subcategory", nr, put_constant, &zero);
	add_column(to, "func", nr, put_frame_function, NULL);
	add_column(to, "nativeSymbol", nr, put_null, NULL);
	add_column(to, "innerWindowID", nr, put_constant, &zero);
	add_column(to, "line", nr, put_frame_line, NULL);
	add_column(to, "column", nr, put_null, NULL);
	end_table(to, nr);
}

static const struct lw_profile_frame *function_frame(const struct firefox *to, size_t i)
{
	return lw_profile_frame(to->profile, to->functions.old[i]);
}

static void put_function_name(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_json_u64(&to->json, NULL, function_frame(to, i)->function);
}

static void put_function_resource(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_json_u64(&to->json, NULL, to->dsos.number[function_frame(to, i)->dso]);
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

	lw_json_open(&to->json, "funcTable", '{');
	add_column(to, "name", nr, put_function_name, NULL);
	add_column(to, "isJS", nr, put_false, NULL);
	add_column(to, "relevantForJS", nr, put_false, NULL);
	add_column(to, "resource", nr, put_function_resource, NULL);
	add_column(to, "source", nr, put_function_source, NULL);
	add_column(to, "lineNumber", nr, put_null, NULL);
	add_column(to, "columnNumber", nr, put_null, NULL);
	end_table(to, nr);
}

static void put_number(struct firefox *to, size_t i, const void *arg)
{
	(void)arg;
	lw_json_u64(&to->json, NULL, i);
}

static void put_old(struct firefox *to, size_t i, const void *arg)
{
	const struct renumbered *numbers = arg;

	lw_json_u64(&to->json, NULL, numbers->old[i]);
}

/* A resource is a library, by the same number, and of type 1. */
static void add_resource_table(struct firefox *to)
{
	u32 nr = to->dsos.nr;

	lw_json_open(&to->json, "resourceTable", '{');
	add_column(to, "lib", nr, put_number, NULL);
	add_column(to, "name", nr, put_old, &to->dsos);
	add_column(to, "host", nr, put_null, NULL);
	add_column(to, "type", nr, put_constant, &one);
	end_table(to, nr);
}

static void add_source_table(struct firefox *to)
{
	u32 nr = to->files.nr;

	lw_json_open(&to->json, "sources", '{');
	add_column(to, "uuid", nr, put_null, NULL);
	add_column(to, "filename", nr, put_old, &to->files);
	end_table(to, nr);
}

static void add_empty_table(struct firefox *to, const char *name, const char * const *columns,
			    size_t nr)
{
	lw_json_open(&to->json, name, '{');
	for (size_t i = 0; i < nr; i++)
		add_column(to, columns[i], 0, put_null, NULL);
	end_table(to, 0);
}

static void add_shared(struct firefox *to)
{
	static const char * const of_symbols[] = { "libIndex", "address", "name", "functionSize" };

	lw_json_open(&to->json, "shared", '{');
	add_column(to, "stringArray", lw_profile_nr_strings(to->profile), put_string, NULL);
	add_stack_table(to);
	add_frame_table(to);
	add_function_table(to);
	add_resource_table(to);
	add_source_table(to);
	add_empty_table(to, "nativeSymbols", of_symbols, ARRAY_SIZE(of_symbols));
	lw_json_close(&to->json, '}');
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

	lw_json_decimal(&to->json, NULL, thread->samples[i].time - to->start, MS_DIGITS);
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
		lw_json_decimal(&to->json, NULL, thread->samples[i].weight, MS_DIGITS);
	else
		lw_json_u64(&to->json, NULL, thread->samples[i].weight);
}

static void add_samples(struct firefox *to, const struct lw_export_thread *thread)
{
	lw_json_open(&to->json, "samples", '{');
	add_column(to, "stack", thread->nr, put_sample_stack, thread);
	add_column(to, "time", thread->nr, put_sample_time, thread);
	add_column(to, "weight", thread->nr, put_sample_weight, thread);
	lw_json_str(&to->json, "weightType", has_times(to, thread) ? "tracing-ms" : "samples");
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
	lw_json_bytes(&to->json, "name", name.text ? name.text : "", name.len);
	lw_strbuf_free(&name);
}

static void add_thread(struct firefox *to, const struct lw_export_thread *thread)
{
	static const char * const of_markers[] = {
		"data", "name", "startTime", "endTime", "phase", "category",
	};
	struct lw_json *json = &to->json;
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", thread->key.pid);
	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	add_thread_name(to, thread);
	lw_json_str(json, "processName", lw_profile_string(to->profile, thread->key.comm));
	lw_json_str(json, "processType", "default");
	lw_json_bool(json, "isMainThread", thread->key.pid == thread->key.tid);
	lw_json_str(json, "pid", pid);
	lw_json_u64(json, "tid", thread->key.tid);
	lw_json_u64(json, "processStartupTime", 0);
	lw_json_null(json, "processShutdownTime");
	lw_json_u64(json, "registerTime", 0);
	lw_json_null(json, "unregisterTime");
	lw_json_open(json, "pausedRanges", '[');
	lw_json_close(json, ']');
	add_empty_table(to, "markers", of_markers, ARRAY_SIZE(of_markers));
	add_samples(to, thread);
	lw_json_close(json, '}');
}

static void add_libs(struct firefox *to)
{
	struct lw_json *json = &to->json;

	lw_json_open(json, "libs", '[');
	for (u32 i = 0; i < to->dsos.nr; i++) {
		const char *path = lw_profile_string(to->profile, to->dsos.old[i]);

		lw_json_line(json);
		lw_json_open(json, NULL, '{');
		lw_json_str(json, "name", lw_short_name(path));
		lw_json_str(json, "path", path);
		lw_json_str(json, "debugName", lw_short_name(path));
		lw_json_str(json, "debugPath", path);
		lw_json_str(json, "arch", "");
		lw_json_str(json, "breakpadId", "");
		lw_json_null(json, "codeId");
		lw_json_close(json, '}');
	}
	lw_json_close(json, ']');
}

/* The mean time that a sample of a clock stands for; samples of other events stand for none. */
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

static void add_category(struct firefox *to, const char *name, const char *color)
{
	lw_json_open(&to->json, NULL, '{');
	lw_json_str(&to->json, "name", name);
	lw_json_str(&to->json, "color", color);
	lw_json_open(&to->json, "subcategories", '[');
	lw_json_str(&to->json, NULL, "Other");
	lw_json_close(&to->json, ']');
	lw_json_close(&to->json, '}');
}

static void add_meta(struct firefox *to)
{
	struct lw_json *json = &to->json;

	lw_json_open(json, "meta", '{');
	lw_json_u64(json, "version", 29);
	lw_json_u64(json, "preprocessedProfileVersion", 60);
	lw_json_str(json, "product", "Latewind");
	lw_json_str(json, "importedFrom", "Latewind");
	lw_json_u64(json, "processType", 0);
	lw_json_u64(json, "stackwalk", 1);
	lw_json_bool(json, "debug", false);
	lw_json_bool(json, "symbolicated", true);
	lw_json_bool(json, "usesOnlyOneStackType", true);
	lw_json_bool(json, "sourceCodeIsNotOnSearchfox", true);
	lw_json_u64(json, "startTime", 0);
	lw_json_u64(json, "startTimeAsClockMonotonicNanosecondsSinceBoot", to->start);
	lw_json_decimal(json, "interval", find_interval(to), MS_DIGITS);
	lw_json_open(json, "categories", '[');
	add_category(to, "User", "yellow");
	add_category(to, "Kernel", "orange");
	add_category(to, "Other", "grey");
	lw_json_close(json, ']');
	lw_json_open(json, "sampleUnits", '{');
	lw_json_str(json, "time", "ms");
	lw_json_str(json, "eventDelay", "ms");
	lw_json_str(json, "threadCPUDelta", "ns");
	lw_json_close(json, '}');
	lw_json_open(json, "markerSchema", '[');
	lw_json_close(json, ']');
	lw_json_close(json, '}');
}

static int write_all(struct firefox *to)
{
	struct lw_json *json = &to->json;

	json->out = &to->stream.out;
	lw_json_open(json, NULL, '{');
	add_meta(to);
	lw_json_line(json);
	add_libs(to);
	lw_json_line(json);
	add_shared(to);
	lw_json_line(json);
	lw_json_open(json, "pages", '[');
	lw_json_close(json, ']');
	lw_json_open(json, "threads", '[');
	for (size_t i = 0; i < to->threads.nr; i++)
		add_thread(to, &to->threads.threads[i]);
	lw_json_close(json, ']');
	lw_json_close(json, '}');
	lw_strbuf_char(json->out, '\n');
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
