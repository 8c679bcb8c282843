// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint_fields_test.c - formats of tracepoints in perf.data files, and hits as text. That
 * perf reads ours, and prints the same, is seen by fields_test.sh.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "events/tracepoint_fields.h"
#include "events/tracing_data.h"
#include "tests/tap.h"

static char root[24] = "/tmp/lw-fields-XXXXXX";

#define COMMON \
	"format:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char one_two[] =
	"name: two\nID: 71\n" COMMON
	"\tfield:u64 address;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"name=%s at %ps\", __get_str(name), (void *)REC->address\n";

static const char one_three[] =
	"name: three\nID: 72\n" COMMON
	"\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"value=%d\", REC->value\n";

static const char one_counted[] =
	"name: counted\nID: 74\n" COMMON
	"\tfield:unsigned int n;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u64[] d;\toffset:12;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"d=%s\", __print_array(__get_dynamic_array(d), REC->n, 8)\n";

struct hit {
	u16 type;
	u8 flags, preempt_count;
	s32 pid;
	u64 address;
	u32 name;
	char text[8];
} __packed;

static struct lw_event events[] = {
	{ .name = "tracepoint:one:two", .tracepoint = "one/two" },
	{ .name = "cpu-clock" },
	{ .name = "four:three", .tracepoint = "four/three" },
	{ .name = "one:three", .tracepoint = "one/three" },
	{ .name = "one:two:u", .tracepoint = "one/two" },
	{ .name = "one:counted", .tracepoint = "one/counted" },
	{ .name = "off-cpu", .tracepoint = "sched/sched_switch", .off_cpu = true },
};

static bool put_file(const char *name, const char *text)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	to = fopen(path, "w");
	if (!to)
		return false;
	fputs(text, to);
	return !fclose(to);
}

static char seen[1024];

static int saw(const char *word, const char *more)
{
	size_t len = strlen(seen);

	snprintf(seen + len, sizeof(seen) - len, "%s%s ", word, more);
	return 0;
}

static int see_machine(void *ctx, bool big_endian, u32 long_size)
{
	(void)ctx;
	(void)big_endian;
	return saw(long_size == sizeof(long) ? "long" : "other", "");
}

static int see_header_page(void *ctx, const char *text, size_t size)
{
	(void)ctx;
	return saw("page:", size == 4 && !memcmp(text, "head", 4) ? "head" : "other");
}

static int see_format(void *ctx, const char *system, const char *text, size_t size)
{
	(void)ctx;
	saw(system, ":");
	return saw(size == strlen(one_two) && !memcmp(text, one_two, size) ? "two" : "?", "");
}

static int see_strings(void *ctx, const char *text)
{
	(void)ctx;
	return saw(text, "");
}

static const struct lw_tracing_data_ops ops = {
	.machine = see_machine,
	.header_page = see_header_page,
	.format = see_format,
	.strings = see_strings,
};

static char *made;
static size_t made_size;

static bool each_format_is_there_once(void)
{
	free(made);
	CHECK(!lw_tracing_data_make(root, events, ARRAY_SIZE(events), &made, &made_size) && made);
	seen[0] = 0;
	CHECK(!lw_tracing_data_read(made, made_size, &ops, NULL));
	CHECK(!strcmp(seen, "long page:head one: two one: ? one: ? four: ? 0x10 : \"text\" "));
	return true;
}

static bool without_fields_there_is_none(void)
{
	size_t size = 1;
	char *data = made;

	CHECK(!lw_tracing_data_make(root, &events[1], 1, &data, &size) && !data && !size);
	/* a switch that stands for the time blocked */
	CHECK(!lw_tracing_data_make(root, &events[6], 1, &data, &size) && !data);
	return true;
}

static bool a_part_of_it_is_told_as_such(void)
{
	struct lw_tracepoint_fields *fields;

	/* at its end is what is not read */
	for (size_t size = 0; size + sizeof(u64) < made_size; size++) {
		char *part = malloc(size + 1);

		memcpy(part, made, size);
		seen[0] = 0;
		CHECK(lw_tracing_data_read(part, size, &ops, NULL) == -EBADMSG);
		fields = lw_tracepoint_fields_new(part, size);
		CHECK(fields);
		lw_tracepoint_fields_free(fields);
		free(part);
	}
	return true;
}

/* The sizes and counts in it may be any number. */
static bool any_bytes_do_no_harm(void)
{
	char *copy = malloc(made_size);

	for (size_t at = 0; at + 4 <= made_size; at++) {
		memcpy(copy, made, made_size);
		memset(copy + at, 0xff, 4);
		seen[0] = 0;
		lw_tracing_data_read(copy, made_size, &ops, NULL);
	}
	free(copy);
	return true;
}

static const char *name_address(void *ctx, u64 address, u64 *offset)
{
	*offset = address - 0xffffffff81000000ULL;
	return ctx;
}

static const char *print(struct lw_tracepoint_fields *fields, u64 id, const void *raw, u32 size)
{
	static char text[64];
	struct lw_strbuf out = { 0 };

	if (!lw_tracepoint_fields_print(fields, id, raw, size, 0, &out))
		snprintf(text, sizeof(text), "none");
	else
		snprintf(text, sizeof(text), "%.*s", (int)out.len, out.text);
	lw_strbuf_free(&out);
	return text;
}

static bool hits_are_printed(void)
{
	struct lw_tracepoint_fields *fields = lw_tracepoint_fields_new(made, made_size);
	struct hit hit = {
		.type = 71, .address = 0xffffffff81000004ULL,
		.name = 7 << 16 | offsetof(struct hit, text), .text = "a\033name",
	};
	s32 words[] = { 72, 0, -5 };

	CHECK(fields);
	lw_tracepoint_fields_name_by(fields, name_address, (void *)"schedule");
	/* nothing of it goes to a terminal as it is */
	CHECK(!strcmp(print(fields, 71, &hit, sizeof(hit)), "name=a?name at schedule"));
	CHECK(!strcmp(print(fields, 72, words, sizeof(words)), "value=-5"));
	/* of no format, and too short for its own */
	CHECK(!strcmp(print(fields, 73, words, sizeof(words)), "none"));
	CHECK(!strcmp(print(fields, 1ULL << 40 | 72, words, sizeof(words)), "none"));
	CHECK(!strcmp(print(fields, 72, words, sizeof(words) - 1), "none"));
	CHECK(!strcmp(print(fields, 72, words, 0), "none"));
	/* nor of the one that it says itself */
	words[0] = 71;
	CHECK(!strcmp(print(fields, 72, words, sizeof(words)), "none"));
	/* a string that is said to be elsewhere: what was there before is gone */
	hit.name = 65535U << 16 | 65535;
	CHECK(!strncmp(print(fields, 71, &hit, sizeof(hit)), "name= at", 8));
	lw_tracepoint_fields_free(fields);
	return true;
}

/* The library would read as many as the hit says. */
static bool counts_are_bounded(void)
{
	struct lw_tracepoint_fields *fields = lw_tracepoint_fields_new(made, made_size);
	u32 words[] = { 74, 0, 2, 16 << 16 | 16, 5, 0, 7, 0 };

	CHECK(fields);
	/* versions of the library put marks around them */
	CHECK(!strncmp(print(fields, 74, words, sizeof(words)), "d=", 2));
	words[2] = 0x7fffffff;
	CHECK(!strncmp(print(fields, 74, words, sizeof(words)), "n=2147483647 d=ARRAY[", 20));
	words[2] = 65536;
	CHECK(!strncmp(print(fields, 74, words, sizeof(words)), "n=65536 d=ARRAY[", 16));
	/* as far as that */
	words[2] = 65535;
	words[3] = 65535U << 16 | 65535;
	CHECK(!strncmp(print(fields, 74, words, sizeof(words)), "d=", 2));
	lw_tracepoint_fields_free(fields);
	return true;
}

static bool without_tracefs_it_says_so(void)
{
	struct lw_event missing = { .tracepoint = "one/five" };
	size_t size;
	char *data;

	/* a format that is gone is empty, and no format for a reader */
	CHECK(!lw_tracing_data_make(root, &missing, 1, &data, &size));
	seen[0] = 0;
	CHECK(!lw_tracing_data_read(data, size, &ops, NULL));
	free(data);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(each_format_is_there_once),
		TEST(without_fields_there_is_none),
		TEST(a_part_of_it_is_told_as_such),
		TEST(any_bytes_do_no_harm),
		TEST(hits_are_printed),
		TEST(counts_are_bounded),
		TEST(without_tracefs_it_says_so),
	};
	char command[64];
	int ret;

	if (!mkdtemp(root) || !put_file("events/header_page", "head") ||
	    !put_file("events/header_event", "event") ||
	    !put_file("events/one/two/format", one_two) ||
	    !put_file("events/one/three/format", one_three) ||
	    !put_file("events/one/counted/format", one_counted) ||
	    !put_file("events/four/three/format", one_three) ||
	    !put_file("printk_formats", "0x10 : \"text\""))
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	free(made);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) ? 1 : ret;
}
