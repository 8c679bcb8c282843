// SPDX-License-Identifier: GPL-2.0
/*
 * export_pprof.c - a profile as pprof takes it: profile.proto, packed by gzip.
 *
 * A location is an address and its lines: the functions that are inlined there, the
 * innermost first, then the one whose code it is. Numbers of what is in a table begin
 * with 1; of the strings, 0 is the empty one.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "export/export.h"
#include "export/protobuf.h"

/* Fields of profile.proto's messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_DEFAULT_TYPE = 14,

	TYPE_TYPE = 1,
	TYPE_UNIT = 2,

	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,

	LABEL_KEY = 1,
	LABEL_STRING = 2,
	LABEL_NUMBER = 3,

	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINES = 10,

	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,

	LINE_FUNCTION = 1,
	LINE_LINE = 2,

	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
};

/* Strings of our own, behind those of the profile. */
enum {
	OUR_SAMPLES, OUR_COUNT, OUR_CPU, OUR_NANOSECONDS, OUR_COMM, OUR_PID, OUR_TID, OUR_CGROUP,
	NR_OUR
};

static const char * const our_strings[] = {
	[OUR_SAMPLES] = "samples", [OUR_COUNT] = "count", [OUR_CPU] = "cpu",
	[OUR_NANOSECONDS] = "nanoseconds", [OUR_COMM] = "comm", [OUR_PID] = "pid",
	[OUR_TID] = "tid", [OUR_CGROUP] = "cgroup",
};

/* Frames of one address: part of a stack. */
struct location {
	const u32 *frames;
	u32 nr;
};

/* A mapped file, as far as the profile tells of it. */
struct mapping {
	u32 id;				/* 0: it is no file of a frame */
	u64 limit;
	bool has_files, has_lines, has_inlines;
};

struct pprof {
	struct lw_stream stream;	/* packed */
	struct lw_strbuf plain;		/* not packed yet */
	z_stream z;
	const struct lw_profile *profile;
	const struct lw_export_options *options;
	struct lw_event_sum *events;
	int nr_events;
	u32 *functions;			/* classes of frames */
	struct mapping *mappings;	/* of each string */
	struct lw_pool locations;
	struct lw_index location_index;
	struct lw_strbuf message, inner;	/* scratch */
};

static void pack(struct pprof *to, int flush)
{
	u8 packed[16384];

	to->z.next_in = (u8 *)to->plain.text;
	to->z.avail_in = to->plain.len;
	do {
		to->z.next_out = packed;
		to->z.avail_out = sizeof(packed);
		deflate(&to->z, flush);
		lw_strbuf_bytes(&to->stream.out, packed, sizeof(packed) - to->z.avail_out);
		lw_stream_drain(&to->stream);
	} while (!to->z.avail_out);
	to->plain.len = 0;
}

/* Take over what is missing: a file that is not whole is none. */
static void check(struct pprof *to, const struct lw_strbuf *out)
{
	if (out->failed && !to->stream.error)
		to->stream.error = -ENOMEM;
}

/* @to->message is complete. */
static void add_message(struct pprof *to, u32 field)
{
	lw_protobuf_bytes(&to->plain, field, to->message.text, to->message.len);
	check(to, &to->message);
	check(to, &to->inner);
	check(to, &to->plain);
	to->message.len = 0;
	if (to->plain.len > 65536)
		pack(to, Z_NO_FLUSH);
}

static u32 string_id(u32 string)
{
	return string == LW_PROFILE_NONE ? 0 : string + 1;
}

static u32 our_id(const struct pprof *to, u32 our)
{
	return lw_profile_nr_strings(to->profile) + 1 + our;
}

static void add_strings(struct pprof *to)
{
	struct lw_strbuf text = { 0 };

	lw_protobuf_bytes(&to->plain, PROFILE_STRING, "", 0);
	for (u32 i = 0; i < lw_profile_nr_strings(to->profile); i++) {
		text.len = 0;
		/* a string must be UTF-8 */
		lw_strbuf_printable(&text, lw_profile_string(to->profile, i));
		lw_protobuf_bytes(&to->plain, PROFILE_STRING, text.text, text.len);
		check(to, &text);
		if (to->plain.len > 65536)
			pack(to, Z_NO_FLUSH);
	}
	for (u32 i = 0; i < NR_OUR; i++)
		lw_protobuf_bytes(&to->plain, PROFILE_STRING, our_strings[i],
				  strlen(our_strings[i]));
	lw_strbuf_free(&text);
}

static void add_type(struct pprof *to, u32 field, u32 type, u32 unit)
{
	lw_protobuf_u64(&to->message, TYPE_TYPE, type);
	lw_protobuf_u64(&to->message, TYPE_UNIT, unit);
	add_message(to, field);
}

static bool is_clock(const struct pprof *to, int event)
{
	return lw_event_is_clock(lw_profile_string(to->profile, to->events[event].event));
}

/* A clock of running tasks that is alone is what other profilers call cpu. */
static u32 event_type(const struct pprof *to, int event)
{
	const char *name = lw_profile_string(to->profile, to->events[event].event);
	bool cpu = is_clock(to, event) && strncmp(name, "off", 3);

	return cpu && to->nr_events == 1 ? our_id(to, OUR_CPU) :
					   string_id(to->events[event].event);
}

static u32 event_unit(const struct pprof *to, int event)
{
	return our_id(to, is_clock(to, event) ? OUR_NANOSECONDS : OUR_COUNT);
}

static u64 period_of(const struct lw_event_sum *event)
{
	return event->samples ? event->weight / event->samples : 0;
}

/* Two for each event: how many samples, and the sum of their periods. */
static void add_types(struct pprof *to)
{
	for (int i = 0; i < to->nr_events; i++) {
		add_type(to, PROFILE_SAMPLE_TYPE, our_id(to, OUR_SAMPLES),
			 our_id(to, OUR_COUNT));
		add_type(to, PROFILE_SAMPLE_TYPE, event_type(to, i), event_unit(to, i));
	}
	if (!to->nr_events)
		return;
	add_type(to, PROFILE_PERIOD_TYPE, event_type(to, 0), event_unit(to, 0));
	lw_protobuf_u64(&to->plain, PROFILE_PERIOD, period_of(&to->events[0]));
	lw_protobuf_u64(&to->plain, PROFILE_DEFAULT_TYPE, to->options->samples ?
			our_id(to, OUR_SAMPLES) : event_type(to, 0));
}

static void add_duration(struct pprof *to)
{
	size_t nr = lw_profile_nr_samples(to->profile);

	if (nr)
		lw_protobuf_u64(&to->plain, PROFILE_DURATION,
				lw_profile_sample(to->profile, nr - 1)->time -
				lw_profile_sample(to->profile, 0)->time);
}

static int find_mappings(struct pprof *to)
{
	u32 nr = 0;

	to->mappings = calloc((size_t)lw_profile_nr_strings(to->profile) + 1,
			      sizeof(*to->mappings));
	if (!to->mappings)
		return -ENOMEM;
	for (u32 i = 0; i < lw_profile_nr_frames(to->profile); i++) {
		const struct lw_profile_frame *frame = lw_profile_frame(to->profile, i);
		struct mapping *mapping = &to->mappings[frame->dso];

		if (!mapping->id)
			mapping->id = ++nr;
		if (frame->address >= mapping->limit)
			mapping->limit = frame->address + 1 ? frame->address + 1 : ~0ULL;
		mapping->has_files |= frame->file != LW_PROFILE_NONE;
		mapping->has_lines |= frame->line != 0;
		mapping->has_inlines |= frame->inlined;
	}
	return 0;
}

/* Numbers were given in the order of frames, which need not be that of strings. */
static void add_mapping(struct pprof *to, u32 string)
{
	const struct mapping *mapping = &to->mappings[string];

	if (!mapping->id)
		return;
	lw_protobuf_u64(&to->message, MAPPING_ID, mapping->id);
	lw_protobuf_u64(&to->message, MAPPING_LIMIT, mapping->limit);
	lw_protobuf_u64(&to->message, MAPPING_FILE, string_id(string));
	/* nobody need look for names */
	lw_protobuf_u64(&to->message, MAPPING_HAS_FUNCTIONS, 1);
	lw_protobuf_u64(&to->message, MAPPING_HAS_FILES, mapping->has_files);
	lw_protobuf_u64(&to->message, MAPPING_HAS_LINES, mapping->has_lines);
	lw_protobuf_u64(&to->message, MAPPING_HAS_INLINES, mapping->has_inlines);
	add_message(to, PROFILE_MAPPING);
}

static void add_functions(struct pprof *to)
{
	for (u32 i = 0; i < lw_profile_nr_frames(to->profile); i++) {
		const struct lw_profile_frame *frame = lw_profile_frame(to->profile, i);

		if (to->functions[i] != i)
			continue;
		lw_protobuf_u64(&to->message, FUNCTION_ID, i + 1);
		lw_protobuf_u64(&to->message, FUNCTION_NAME, string_id(frame->function));
		lw_protobuf_u64(&to->message, FUNCTION_SYSTEM_NAME, string_id(frame->function));
		lw_protobuf_u64(&to->message, FUNCTION_FILE, string_id(frame->file));
		add_message(to, PROFILE_FUNCTION);
	}
}

static bool same_location(const void *owner, u32 number, const void *key)
{
	const struct pprof *to = owner;
	const struct location *there = lw_pool_at(&to->locations, number), *wanted = key;

	return there->nr == wanted->nr &&
	       !memcmp(there->frames, wanted->frames, wanted->nr * sizeof(u32));
}

/* Return: its number, from 1 on, or 0 when out of memory. */
static u64 location_id(struct pprof *to, const struct location *key)
{
	u64 hash = lw_hash_bytes(0, key->frames, key->nr * sizeof(u32));
	u32 number = lw_index_find(&to->location_index, hash, same_location, to, key);
	struct location *location;

	if (number != LW_INDEX_NONE)
		return number + 1ULL;
	if (to->locations.nr >= LW_INDEX_NONE || lw_index_reserve(&to->location_index))
		return 0;
	location = lw_pool_add(&to->locations);
	if (!location)
		return 0;
	*location = *key;
	lw_index_add(&to->location_index, hash, to->locations.nr - 1);
	return to->locations.nr;
}

static void add_line(struct pprof *to, u32 number)
{
	const struct lw_profile_frame *frame = lw_profile_frame(to->profile, number);

	to->inner.len = 0;
	lw_protobuf_u64(&to->inner, LINE_FUNCTION, to->functions[number] + 1);
	lw_protobuf_u64(&to->inner, LINE_LINE, frame->line);
	lw_protobuf_bytes(&to->message, LOCATION_LINE, to->inner.text, to->inner.len);
}

static void add_locations(struct pprof *to)
{
	for (size_t i = 0; i < to->locations.nr; i++) {
		const struct location *location = lw_pool_at(&to->locations, i);
		const struct lw_profile_frame *last =
			lw_profile_frame(to->profile, location->frames[location->nr - 1]);

		lw_protobuf_u64(&to->message, LOCATION_ID, i + 1);
		lw_protobuf_u64(&to->message, LOCATION_MAPPING, to->mappings[last->dso].id);
		lw_protobuf_u64(&to->message, LOCATION_ADDRESS, last->address);
		for (u32 line = 0; line < location->nr; line++)
			add_line(to, location->frames[line]);
		add_message(to, PROFILE_LOCATION);
	}
}

/* The frames up to the first that is not inlined are one location. */
static int add_stack(struct pprof *to, u32 stack)
{
	const u32 *frames;
	u32 nr, end;

	frames = lw_profile_stack(to->profile, stack, &nr);
	to->inner.len = 0;
	for (u32 at = 0; at < nr; at = end) {
		struct location location = { .frames = frames + at };
		u64 id;

		for (end = at; end < nr - 1 &&
		     lw_profile_frame(to->profile, frames[end])->inlined;)
			end++;
		location.nr = ++end - at;
		id = location_id(to, &location);
		if (!id)
			return -ENOMEM;
		lw_protobuf_varint(&to->inner, id);
	}
	lw_protobuf_bytes(&to->message, SAMPLE_LOCATION, to->inner.text, to->inner.len);
	return 0;
}

/* Values are signed there. */
static u64 positive(u64 value)
{
	return value >> 63 ? ~0ULL >> 1 : value;
}

static void add_values(struct pprof *to, const struct lw_profile_entry *entry)
{
	to->inner.len = 0;
	for (int i = 0; i < to->nr_events; i++) {
		bool is_its = to->events[i].event == entry->key.event;

		lw_protobuf_varint(&to->inner, is_its ? positive(entry->samples) : 0);
		lw_protobuf_varint(&to->inner, is_its ? positive(entry->weight) : 0);
	}
	lw_protobuf_bytes(&to->message, SAMPLE_VALUE, to->inner.text, to->inner.len);
}

static void add_label(struct pprof *to, u32 our, u32 field, u64 value)
{
	to->inner.len = 0;
	lw_protobuf_u64(&to->inner, LABEL_KEY, our_id(to, our));
	lw_protobuf_u64(&to->inner, field, value);
	lw_protobuf_bytes(&to->message, SAMPLE_LABEL, to->inner.text, to->inner.len);
}

static int add_samples(struct pprof *to)
{
	for (u32 i = 0; i < lw_profile_nr_entries(to->profile); i++) {
		const struct lw_profile_entry *entry = lw_profile_entry(to->profile, i);

		if (!lw_filter_passes(&to->options->filter, to->profile, entry))
			continue;
		if (add_stack(to, entry->stack))
			return -ENOMEM;
		add_values(to, entry);
		add_label(to, OUR_COMM, LABEL_STRING, string_id(entry->key.comm));
		add_label(to, OUR_PID, LABEL_NUMBER, entry->key.pid);
		add_label(to, OUR_TID, LABEL_NUMBER, entry->key.tid);
		if (entry->key.cgroup != LW_PROFILE_NONE)
			add_label(to, OUR_CGROUP, LABEL_STRING, string_id(entry->key.cgroup));
		add_message(to, PROFILE_SAMPLE);
	}
	return 0;
}

static int write_all(struct pprof *to)
{
	to->nr_events = lw_sum_events(to->profile, &to->options->filter, &to->events);
	to->functions = lw_frame_classes(to->profile, LW_CLASS_DSO);
	if (to->nr_events < 0 || !to->functions || find_mappings(to))
		return -ENOMEM;
	add_types(to);
	add_duration(to);
	if (add_samples(to))
		return -ENOMEM;
	for (u32 i = 0; i < lw_profile_nr_strings(to->profile); i++)
		add_mapping(to, i);
	add_locations(to);
	add_functions(to);
	add_strings(to);
	check(to, &to->plain);
	pack(to, Z_FINISH);
	return 0;
}

static void free_all(struct pprof *to)
{
	lw_pool_free(&to->locations);
	lw_index_free(&to->location_index);
	lw_strbuf_free(&to->plain);
	lw_strbuf_free(&to->message);
	lw_strbuf_free(&to->inner);
	free(to->events);
	free(to->functions);
	free(to->mappings);
}

/**
 * lw_export_pprof - write a profile as pprof takes it
 * @profile: the profile
 * @options: what of it; @options->samples: what is shown first
 * @fd: where to
 *
 * Each event has two values: samples, and the sum of periods, which is cpu in
 * nanoseconds where the event is a clock. Samples have labels comm, pid and tid.
 *
 * Return: 0, or -errno with lw_fail_text().
 */
int lw_export_pprof(const struct lw_profile *profile, const struct lw_export_options *options,
		    int fd)
{
	struct pprof to = {
		.stream = { .fd = fd }, .profile = profile, .options = options,
		.locations = { .size = sizeof(struct location) },
	};
	int ret, end;

	/* 16: with gzip's header, which has no time */
	if (deflateInit2(&to.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return lw_fail(-ENOMEM, "out of memory to pack an export");
	ret = write_all(&to);
	if (ret)
		lw_fail(ret, "out of memory for the tables of an export");
	deflateEnd(&to.z);
	free_all(&to);
	end = ret ? 0 : lw_stream_end(&to.stream);
	lw_strbuf_free(&to.stream.out);
	return ret ? ret : end;
}
