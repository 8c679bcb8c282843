// SPDX-License-Identifier: GPL-2.0
/*
 * sample_text_test.c - the text of samples in code that their process has made: its names are
 * those of the time of each sample, though they are printed later.
 */
#include <latewind.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "record/sample_text.h"
#include "jit/jit_dump.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

#define CODE	0x400000

static char dir[40] = "/tmp/sample-text-test-XXXXXX";
static char path[64];

static void put_load(FILE *file, u64 time, u64 start, const char *name)
{
	const struct lw_jit_dump_load load = {
		.record = {
			.type = LW_JIT_DUMP_LOAD, .size = sizeof(load) + strlen(name) + 1 + 0x20,
			.time = time,
		},
		.pid = 1, .start = start, .size = 0x20,
	};
	static const u8 code[0x20];

	fwrite(&load, sizeof(load), 1, file);
	fwrite(name, strlen(name) + 1, 1, file);
	fwrite(code, sizeof(code), 1, file);
}

/* Code that was made at ten and at twenty seconds, at one place. */
static bool put_dump(void)
{
	const struct lw_jit_dump_header header = {
		.magic = LW_JIT_DUMP_MAGIC, .version = LW_JIT_DUMP_VERSION, .size = sizeof(header),
		.pid = 1,
	};
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	fwrite(&header, sizeof(header), 1, file);
	put_load(file, 10 * NSEC_PER_SEC, CODE, "first");
	put_load(file, 10 * NSEC_PER_SEC, CODE + 0x20, "caller");
	put_load(file, 20 * NSEC_PER_SEC, CODE, "second");
	return !fclose(file);
}

static void maps(struct lw_process_maps *procs, u64 addr, const char *name)
{
	union {
		struct lw_mmap2 mmap2;
		u64 words[64];
	} record = {};
	size_t body = ALIGN_UP(sizeof(record.mmap2) + strlen(name) + 1, sizeof(u64));
	struct lw_sample_id *id = (void *)((u8 *)&record + body);

	record.mmap2.header.type = PERF_RECORD_MMAP2;
	record.mmap2.header.misc = PERF_RECORD_MISC_USER;
	record.mmap2.header.size = body + sizeof(*id);
	record.mmap2.pid = getpid();
	record.mmap2.tid = getpid();
	record.mmap2.addr = addr;
	record.mmap2.len = 0x1000;
	strcpy(record.mmap2.filename, name);
	id->time = NSEC_PER_SEC;
	lw_process_maps_record(procs, &record.mmap2.header);
}

static struct lw_process_maps *new_maps(void)
{
	struct lw_process_maps *procs = lw_process_maps_new();

	maps(procs, CODE, "//anon");
	maps(procs, CODE + 0x10000, path);
	return procs;
}

/* @seconds: its time; @has_stack: or its address alone. */
static struct lw_sample_text *new_text(u64 seconds, bool has_stack)
{
	static const u64 frames[] = { CODE + 0x10, CODE + 0x30 };
	static const struct lw_event event = { .name = "probe" };
	const struct lw_sample sample = {
		.record = {
			.len = sizeof(sample), .type = LW_RECORD_SAMPLE, .flags = LW_SAMPLE_USER_IP,
		},
		.time = seconds * NSEC_PER_SEC, .pid = getpid(), .tid = getpid(), .ip = CODE + 0x10,
		.user = LW_USER_PENDING,
	};
	union made_stack made = {
		.stack = { .pid = getpid(), .tid = getpid(), .time = seconds * NSEC_PER_SEC },
	};
	struct lw_process_maps *procs = new_maps();
	struct lw_sample_text *text;

	set_frames(&made, frames, 2);
	text = lw_sample_text_new(procs, &event, &sample, has_stack ? &made.stack : NULL);
	lw_process_maps_free(procs);
	return text;
}

static bool is_printed(struct lw_symbolizer *symbolizer, u64 seconds, bool has_stack,
		       const char *want)
{
	struct lw_sample_text *text = new_text(seconds, has_stack);
	struct lw_strbuf out = {};
	bool found;

	CHECK(text);
	lw_sample_text_print(&out, symbolizer, NULL, text);
	lw_strbuf_char(&out, 0);
	found = strstr(out.text, want);
	if (!found)
		printf("# %s\n", out.text);
	lw_strbuf_free(&out);
	free(text);
	return found;
}

static bool names_of_made_code_are_those_of_the_sample_s_time(void)
{
	const struct lw_symbolize_options options = { .here = true, .live = true };
	struct lw_symbolizer *symbolizer = lw_symbolizer_new(&options);
	char frames[256], lone[256];

	CHECK(put_dump());
	snprintf(frames, sizeof(frames), " first+0x10 (%s) [regs]\n", path);
	CHECK(is_printed(symbolizer, 15, true, frames));
	snprintf(lone, sizeof(lone), " second+0x10 (%s) [regs]\n", path);
	CHECK(is_printed(symbolizer, 25, true, lone));
	CHECK(is_printed(symbolizer, 25, false, lone));
	snprintf(frames, sizeof(frames), " caller+0x10 (%s) [sframe]\n", path);
	CHECK(is_printed(symbolizer, 15, true, frames));
	lw_symbolizer_free(symbolizer);
	return true;
}

static const struct tap_test tests[] = {
	TEST(names_of_made_code_are_those_of_the_sample_s_time),
};

int main(void)
{
	int failed;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/jit-1.dump", dir);
	failed = tap_run(tests, sizeof(tests) / sizeof(*tests));
	unlink(path);
	rmdir(dir);
	return failed;
}
