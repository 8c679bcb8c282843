// SPDX-License-Identifier: GPL-2.0
/*
 * export_test.c - what other tools will read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "export/export.h"
#include "tests/folded_profile.h"
#include "tests/tap.h"

typedef int (*export_fn)(const struct lw_profile *profile,
			 const struct lw_export_options *options, int fd);

static const struct lw_export_options all = {
	.filter = { .pid = LW_ANY_ID, .tid = LW_ANY_ID },
};

static struct folded make(const char * const *lines)
{
	struct folded folded = folded_new();

	for (; *lines; lines++) {
		if (!folded_add(&folded, *lines))
			abort();
	}
	return folded;
}

/* Return: what was written, terminated, for the caller to free. */
static char *export(export_fn fn, const struct lw_profile *profile,
		    const struct lw_export_options *options, size_t *len)
{
	int fd = memfd_create("export", MFD_CLOEXEC);
	char *text;

	if (fd < 0 || fn(profile, options, fd))
		return NULL;
	*len = lseek(fd, 0, SEEK_END);
	text = malloc(*len + 1);
	if (pread(fd, text, *len, 0) != (ssize_t)*len)
		abort();
	text[*len] = 0;
	close(fd);
	return text;
}

static bool is_written(export_fn fn, const struct lw_profile *profile,
		       const struct lw_export_options *options, const char *expected)
{
	size_t len;
	char *text = export(fn, profile, options, &len);
	bool same = text && len == strlen(expected) && !strcmp(text, expected);

	if (!same)
		printf("# is:\n%s\n# expected:\n%s\n", text ? text : lw_fail_text(), expected);
	free(text);
	return same;
}

static bool folded_lines_are_added_up(void)
{
	static const char * const lines[] = {
		"x/1;main;a 10", "y/2;main 5", "x/3;lib!main;a 3", "x/1;main;a;r_[k] 7",
		"x/1;main;e_[i] 1", "x/1;/lib/c.so![unknown] 2", "x/1;[heap]![unknown] 4", "x 9",
		"x/1;main;zero 0", NULL
	};
	struct folded folded = make(lines);
	struct lw_export_options options = all;

	CHECK(is_written(lw_export_folded, folded.profile, &options,
			 "x 9\nx;main;a 13\ny;main 5\nx;main;a;r_[k] 7\nx;main;e_[i] 1\n"
			 "x;[c.so] 2\nx;[unknown] 4\n"));
	options.samples = true;
	options.filter.comm = "x";
	CHECK(is_written(lw_export_folded, folded.profile, &options,
			 "x 1\nx;main;a 2\nx;main;a;r_[k] 1\nx;main;e_[i] 1\n"
			 "x;[c.so] 1\nx;[unknown] 1\nx;main;zero 1\n"));
	lw_profile_free(folded.profile);
	return true;
}

static bool names_do_not_break_lines(void)
{
	struct folded folded = folded_new();
	struct lw_profile *profile = folded.profile;
	struct lw_profile_frame frame = {
		.function = lw_profile_add_string(profile, "a;b\nc \xff(int, int)"),
		.dso = lw_profile_add_string(profile, "d"), .file = LW_PROFILE_NONE,
	};
	struct lw_profile_key key = {
		.event = lw_profile_add_string(profile, "cycles"),
		.comm = lw_profile_add_string(profile, ""), .cgroup = LW_PROFILE_NONE,
	};
	u32 number = lw_profile_add_frame(profile, &frame);
	u32 stack = lw_profile_add_stack(profile, &number, 1);

	CHECK(!lw_profile_add_sample(profile, &key, stack, 3, 1, 0));
	CHECK(is_written(lw_export_folded, profile, &all, "[unknown];a:b?c ?(int, int) 3\n"));
	lw_profile_free(profile);
	return true;
}

static bool full_disk_is_a_failure(void)
{
	static const export_fn exports[] = {
		lw_export_folded, lw_export_pprof, lw_export_speedscope, lw_export_firefox,
	};
	struct folded folded = make((const char * const[]) { "x;main;a 10", NULL });
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	for (u32 i = 0; i < ARRAY_SIZE(exports); i++) {
		CHECK(exports[i](folded.profile, &all, fd) == -ENOSPC);
		CHECK(strstr(lw_fail_text(), "No space left"));
	}
	close(fd);
	lw_profile_free(folded.profile);
	return true;
}

/* More than a stream holds. */
static bool large_exports_are_whole(void)
{
	struct folded folded = folded_new();
	char line[512], *text, *at;
	u32 nr = 0;
	size_t len;

	for (u32 i = 0; i < 20000; i++) {
		snprintf(line, sizeof(line), "x;main;%0100u;%0100u 1", i, i);
		CHECK(folded_add(&folded, line));
	}
	text = export(lw_export_folded, folded.profile, &all, &len);
	CHECK(text && len > 4000000);
	for (at = text; *at; at = strchr(at, '\n') + 1) {
		snprintf(line, sizeof(line), "x;main;%0100u;%0100u 1\n", nr, nr);
		CHECK(!strncmp(at, line, strlen(line)));
		nr++;
	}
	CHECK(nr == 20000);
	free(text);
	lw_profile_free(folded.profile);
	return true;
}

/* Parts one after the other: lines of JSON are long. */
static bool has_parts(const char *text, const char * const *parts)
{
	for (; *parts; parts++) {
		const char *found = strstr(text, *parts);

		if (!found) {
			printf("# %s\n# is not in, or not behind the others of:\n# %s\n", *parts,
			       text);
			return false;
		}
		text = found + strlen(*parts);
	}
	return true;
}

static bool speedscope_has_a_profile_of_each_thread(void)
{
	static const char * const lines[] = {
		"x/1;main;a\" 10", "y/2;main 5", "x/1;main;a\" 3", "z/1;main;b 7", "x/1;main;a\" 2",
		NULL
	};
	static const char * const parts[] = {
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"",
		"\"frames\":[\n{\"name\":\"main\",\"file\":\"a.out\"},\n{\"name\":\"a\\\"\",",
		"{\"name\":\"b\",\"file\":\"a.out\"}]}",
		/* a thread may change its name: it has the last one */
		"{\"type\":\"sampled\",\"name\":\"x (tid 1) cpu-clock\",\"unit\":\"nanoseconds\",",
		/* the root is first, and what follows itself is one */
		"\"samples\":[[0,1],[0,2],[0,1]],\"weights\":[13,7,2],",
		"\"startValue\":0,\"endValue\":22}",
		"\"y (tid 2) cpu-clock\"", "\"samples\":[[0]],\"weights\":[5],", "]}\n", NULL
	};
	struct folded folded = make(lines);
	size_t len;
	char *text = export(lw_export_speedscope, folded.profile, &all, &len);

	CHECK(text && has_parts(text, parts));
	free(text);
	lw_profile_free(folded.profile);
	return true;
}

static bool firefox_has_tables_and_times(void)
{
	static const char * const lines[] = {
		"x/1;main;a 1000000", "y/2;main 2500000", "x/1;main;a;r_[k] 7", "x/1 9", NULL
	};
	static const char * const parts[] = {
		"\"preprocessedProfileVersion\":60",
		"\"startTimeAsClockMonotonicNanosecondsSinceBoot\":5001000000,",
		"\"libs\":[\n{\"name\":\"a.out\"",
		"\"stringArray\":[\"cpu-clock\",\"x\",\"a.out\",\"main\",\"a\",\"y\",\"r\"],",
		/* main, a, r */
		"\"stackTable\":{\"frame\":[0,1,2],\"prefix\":[null,0,1],\"length\":3}",
		"\"frameTable\":{\"address\":[4144,4160,4192],",
		"\"category\":[0,0,1]", "\"func\":[0,1,2],", "\"length\":3}",
		"\"funcTable\":{\"name\":[3,4,6],", "\"resource\":[0,0,0],", "\"length\":3}",
		"\"resourceTable\":{\"lib\":[0],\"name\":[2],",
		"{\"name\":\"x\"", "\"isMainThread\":true,\"pid\":\"1\",\"tid\":1,",
		"\"samples\":{\"stack\":[1,2,null],\"time\":[0.000000,2.000000,3.000000],",
		"\"weight\":[1.000000,0.000007,0.000009],\"weightType\":\"tracing-ms\",",
		"{\"name\":\"y\"", "\"isMainThread\":false,\"pid\":\"1\",\"tid\":2,",
		"\"samples\":{\"stack\":[0],\"time\":[1.000000],\"weight\":[2.500000],",
		"]}\n", NULL
	};
	struct folded folded = make(lines);
	size_t len;
	char *text = export(lw_export_firefox, folded.profile, &all, &len);

	CHECK(text && has_parts(text, parts));
	free(text);
	lw_profile_free(folded.profile);
	return true;
}

static bool firefox_needs_times(void)
{
	struct lw_profile *profile = lw_profile_new();
	struct lw_profile_key key = {
		.event = lw_profile_add_string(profile, "cycles"),
		.comm = lw_profile_add_string(profile, "x"), .cgroup = LW_PROFILE_NONE,
	};
	u32 stack = lw_profile_add_stack(profile, NULL, 0);

	CHECK(!lw_profile_add_sample(profile, &key, stack, 1, 1, 0));
	CHECK(lw_export_firefox(profile, &all, -1) == -EINVAL);
	CHECK(strstr(lw_fail_text(), "times"));
	/* speedscope does without */
	CHECK(is_written(lw_export_folded, profile, &all, "x 1\n"));
	lw_profile_free(profile);
	return true;
}

/* A message's fields, read by nothing but the rules of the format. */
struct field {
	u32 number;
	u64 value;			/* or length */
	const u8 *bytes;		/* NULL: a number */
};

static const u8 *read_varint(const u8 *at, const u8 *end, u64 *value)
{
	*value = 0;
	for (u32 shift = 0; at < end && shift < 64; shift += 7) {
		*value |= (u64)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80))
			return at;
	}
	return NULL;
}

/* Return: behind the field; NULL at the end, or where the message is broken. */
static const u8 *read_field(const u8 *at, const u8 *end, struct field *field)
{
	u64 tag;

	if (at == end)
		return NULL;
	at = read_varint(at, end, &tag);
	if (!at)
		abort();
	field->number = tag >> 3;
	at = read_varint(at, end, &field->value);
	if (!at || ((tag & 7) != 0 && (tag & 7) != 2))
		abort();
	field->bytes = (tag & 7) == 2 ? at : NULL;
	if (!field->bytes)
		return at;
	if (field->value > (u64)(end - at))
		abort();
	return at + field->value;
}

/* The first field of that number, or 0. */
static struct field field_of(const struct field *message, u32 number)
{
	const u8 *end = message->bytes + message->value, *at = message->bytes;
	struct field field;

	while ((at = read_field(at, end, &field))) {
		if (field.number == number)
			return field;
	}
	return (struct field) { 0 };
}

struct decoded {
	u8 *bytes;
	struct field whole;
};

static bool decode(struct decoded *to, char *packed, size_t len)
{
	z_stream z = { .next_in = (u8 *)packed, .avail_in = len };
	size_t room = 64 << 20;

	to->bytes = malloc(room);
	CHECK(to->bytes && inflateInit2(&z, 15 + 16) == Z_OK);
	z.next_out = to->bytes;
	z.avail_out = room;
	CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_in);
	to->whole = (struct field) { .bytes = to->bytes, .value = z.total_out };
	inflateEnd(&z);
	return true;
}

/* The message with that ID in field 1, or the @id-th if @by_place. */
static struct field find(const struct decoded *in, u32 number, u64 id, bool by_place)
{
	const u8 *end = in->whole.bytes + in->whole.value, *at = in->whole.bytes;
	struct field field;
	u64 place = 0;

	while ((at = read_field(at, end, &field))) {
		if (field.number != number)
			continue;
		if (by_place ? place++ == id : field_of(&field, 1).value == id)
			return field;
	}
	return (struct field) { 0 };
}

static void add_string(struct lw_strbuf *out, const struct decoded *in, u64 string)
{
	struct field text = find(in, 6, string, true);

	lw_strbuf_bytes(out, text.bytes, text.value);
}

/* "main<inlined<": lines of a location from the outermost on. */
static void add_location(struct lw_strbuf *out, const struct decoded *in, u64 id)
{
	struct field location = find(in, 4, id, false), line;
	struct field mapping = find(in, 3, field_of(&location, 2).value, false);
	const u8 *end = location.bytes + location.value, *at = location.bytes;
	u64 functions[16], nr = 0;

	while ((at = read_field(at, end, &line))) {
		if (line.number == 4)
			functions[nr++] = field_of(&line, 1).value;
	}
	lw_strbuf_char(out, ';');
	add_string(out, in, field_of(&mapping, 5).value);
	while (nr--) {
		struct field function = find(in, 5, functions[nr], false);

		lw_strbuf_char(out, '!');
		add_string(out, in, field_of(&function, 2).value);
	}
}

static void add_numbers(struct lw_strbuf *out, const struct field *packed)
{
	const u8 *end = packed->bytes + packed->value, *at = packed->bytes;
	u64 value;

	while (at < end) {
		at = read_varint(at, end, &value);
		lw_strbuf_char(out, ' ');
		lw_strbuf_u64(out, value);
	}
}

/* "comm/tid;dso!root;...;dso!host!inlined values" */
static void add_sample(struct lw_strbuf *out, const struct decoded *in, const struct field *sample)
{
	struct field locations = field_of(sample, 1), values = field_of(sample, 2), label;
	const u8 *end = sample->bytes + sample->value, *at = sample->bytes;
	u64 ids[64], nr = 0;

	while ((at = read_field(at, end, &label))) {
		if (label.number != 3)
			continue;
		add_string(out, in, field_of(&label, 1).value);
		lw_strbuf_char(out, '=');
		if (field_of(&label, 2).value)
			add_string(out, in, field_of(&label, 2).value);
		else
			lw_strbuf_u64(out, field_of(&label, 3).value);
		lw_strbuf_char(out, ' ');
	}
	for (at = locations.bytes; at < locations.bytes + locations.value;)
		at = read_varint(at, locations.bytes + locations.value, &ids[nr++]);
	while (nr--)
		add_location(out, in, ids[nr]);
	add_numbers(out, &values);
	lw_strbuf_char(out, '\n');
}

/* The types of values, then a line for each sample. */
static char *decoded_text(struct lw_profile *profile, const struct lw_export_options *options)
{
	struct lw_strbuf out = { 0 };
	struct decoded in;
	struct field field;
	const u8 *at, *end;
	size_t len;
	char *packed = export(lw_export_pprof, profile, options, &len);

	if (!packed || !decode(&in, packed, len))
		return NULL;
	end = in.whole.bytes + in.whole.value;
	for (at = in.whole.bytes; (at = read_field(at, end, &field));) {
		if (field.number == 1) {
			add_string(&out, &in, field_of(&field, 1).value);
			lw_strbuf_char(&out, '/');
			add_string(&out, &in, field_of(&field, 2).value);
			lw_strbuf_char(&out, '\n');
		} else if (field.number == 2) {
			add_sample(&out, &in, &field);
		}
	}
	lw_strbuf_char(&out, 0);
	free(in.bytes);
	free(packed);
	return out.text;
}

static bool pprof_is(struct lw_profile *profile, const struct lw_export_options *options,
		     const char *expected)
{
	char *text = decoded_text(profile, options);
	bool same = text && !strcmp(text, expected);

	if (!same)
		printf("# is:\n%s# expected:\n%s", text ? text : "?\n", expected);
	free(text);
	return same;
}

static bool pprof_has_stacks_with_inlined_lines(void)
{
	static const char * const lines[] = {
		"x/1;main;lib!a;lib!e_[i];lib!f_[i] 10", "x/1;main;lib!a 5",
		"y/300;main;lib!a;lib!e_[i];lib!f_[i] 7", "x/1;main;lib!a 5",
		"x/1;main;g_[i];lib!a;kernel!r_[k] 6", NULL
	};
	struct folded folded = make(lines);

	CHECK(pprof_is(folded.profile, &all,
		       "samples/count\ncpu/nanoseconds\n"
		       "comm=x pid=1 tid=1 ;a.out!main;lib!a!e!f 1 10\n"
		       "comm=x pid=1 tid=1 ;a.out!main;lib!a 2 10\n"
		       "comm=y pid=1 tid=300 ;a.out!main;lib!a!e!f 1 7\n"
		       "comm=x pid=1 tid=1 ;a.out!main!g;lib!a;kernel!r 1 6\n"));
	lw_profile_free(folded.profile);
	return true;
}

/* Only where samples tell of it. */
static bool pprof_has_labels_for_cgroups(void)
{
	struct folded folded = make((const char * const[]) { "x;main 10", NULL });
	struct lw_profile *profile = folded.profile;
	struct lw_profile_key key = lw_profile_entry(profile, 0)->key;

	key.cgroup = lw_profile_add_string(profile, "/some/where");
	CHECK(!lw_profile_add_sample(profile, &key, lw_profile_entry(profile, 0)->stack, 3, 1, 0));
	CHECK(pprof_is(profile, &all,
		       "samples/count\ncpu/nanoseconds\n"
		       "comm=x pid=1 tid=1 ;a.out!main 1 10\n"
		       "comm=x pid=1 tid=1 cgroup=/some/where ;a.out!main 1 3\n"));
	lw_profile_free(profile);
	return true;
}

static bool pprof_has_values_of_each_event(void)
{
	struct folded folded = make((const char * const[]) { "x;main 10", NULL });
	struct lw_export_options options = all;

	folded.event = "cache-misses";
	CHECK(folded_add(&folded, "x;main;a 18446744073709551615"));
	CHECK(folded_add(&folded, "x 2"));
	CHECK(pprof_is(folded.profile, &options,
		       "samples/count\ncpu-clock/nanoseconds\nsamples/count\ncache-misses/count\n"
		       "comm=x pid=1 tid=1 ;a.out!main 1 10 0 0\n"
		       "comm=x pid=1 tid=1 ;a.out!main;a.out!a 0 0 1 9223372036854775807\n"
		       "comm=x pid=1 tid=1  0 0 1 2\n"));
	options.filter.event = "cache-misses";
	CHECK(pprof_is(folded.profile, &options,
		       "samples/count\ncache-misses/count\n"
		       "comm=x pid=1 tid=1 ;a.out!main;a.out!a 1 9223372036854775807\n"
		       "comm=x pid=1 tid=1  1 2\n"));
	lw_profile_free(folded.profile);
	return true;
}

/* Nanoseconds, too, but nobody ran. */
static bool time_off_cpu_is_no_cpu(void)
{
	struct folded folded = folded_new();

	folded.event = "off-cpu";
	CHECK(folded_add(&folded, "x;main 10"));
	CHECK(pprof_is(folded.profile, &all,
		       "samples/count\noff-cpu/nanoseconds\n"
		       "comm=x pid=1 tid=1 ;a.out!main 1 10\n"));
	CHECK(lw_event_is_clock("cpu-clock:ppp") && !lw_event_is_clock("cpu-clocks"));
	lw_profile_free(folded.profile);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(folded_lines_are_added_up),
		TEST(names_do_not_break_lines),
		TEST(full_disk_is_a_failure),
		TEST(large_exports_are_whole),
		TEST(speedscope_has_a_profile_of_each_thread),
		TEST(firefox_has_tables_and_times),
		TEST(firefox_needs_times),
		TEST(pprof_has_stacks_with_inlined_lines),
		TEST(pprof_has_labels_for_cgroups),
		TEST(pprof_has_values_of_each_event),
		TEST(time_off_cpu_is_no_cpu),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
