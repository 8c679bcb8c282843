// SPDX-License-Identifier: GPL-2.0
/*
 * top_rows_test.c - rows of 'latewind top': what they add up to, how they fade, that there is
 * a limit, and that whatever the names are, lines fit and drive no terminal.
 */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "base/text_width.h"
#include "tests/made_stack.h"
#include "tests/tap.h"
#include "top/top_draw.h"
#include "top/top_stacks.h"

/* Letters of two columns. */
#define WIDE	"\344\270\255"
#define FIRE	"\360\237\224\245"

static struct lw_report_options by_symbol = {
	.keys = { LW_KEY_SYMBOL }, .nr_keys = 1, .children = true,
};

static struct lw_report_options by_all = {
	.keys = { LW_KEY_COMM, LW_KEY_TID, LW_KEY_DSO, LW_KEY_SYMBOL }, .nr_keys = 4,
	.children = true,
};

static struct lw_top_options options = {
	.report = &by_symbol, .nr_events = 1, .max_rows = 1000,
};

static struct lw_top *new_top(const struct lw_report_options *report, u32 max_rows)
{
	options.report = report;
	options.max_rows = max_rows;
	return lw_top_new(&options);
}

/* "leaf;caller;...;root" */
static int add(struct lw_top *top, const char *comm, const char *stack, u64 weight)
{
	struct lw_top_key key = { .comm = lw_top_name(top, comm), .pid = 1, .tid = 2 };
	char *copy = strdup(stack), *at = copy;
	struct lw_top_frame frames[64];
	u32 nr = 0;
	int ret = 0;

	while (!ret && *stack && at) {
		struct lw_place place = { .function = strsep(&at, ";"), .dso = "/bin/a.out" };

		ret = lw_top_place(top, &place, LW_FRAME_USER, &frames[nr++]);
	}
	if (!ret)
		ret = lw_top_add(top, &key, frames, nr, weight);
	free(copy);
	return ret;
}

static const char *name_of(const struct lw_top *top, const struct lw_top_row *row)
{
	const struct lw_profile *names = lw_top_names(top);

	return lw_profile_string(names, lw_profile_frame(names, row->values[0])->function);
}

static const struct lw_top_row *row_of(const struct lw_top *top, const char *function)
{
	const struct lw_top_rows *rows = lw_top_rows(top, 0);

	for (u32 i = 0; i < rows->nr; i++) {
		if (!strcmp(name_of(top, &rows->rows[i]), function))
			return &rows->rows[i];
	}
	return NULL;
}

/* Names of the rows, in their order, with commas between. */
static bool order_is(const struct lw_top *top, bool by_total, const char *wanted)
{
	const struct lw_top_rows *rows = lw_top_rows(top, 0);
	char names[1000] = "";
	u32 *order;

	CHECK(!lw_top_order(top, 0, by_total, &order));
	for (u32 i = 0; i < rows->nr; i++) {
		strcat(names, i ? "," : "");
		strcat(names, name_of(top, &rows->rows[order[i]]));
	}
	free(order);
	if (!strcmp(names, wanted))
		return true;
	printf("# %s\n", names);
	return false;
}

static bool close_to(double value, double wanted)
{
	return fabs(value - wanted) * 1e9 < 1 + fabs(wanted);
}

static bool a_function_counts_once_in_a_stack(void)
{
	struct lw_top *top = new_top(&by_symbol, 1000);
	const struct lw_top_row *row;

	CHECK(!add(top, "a", "f;g;f;g;main", 10));
	CHECK(!add(top, "a", "g;main", 5));
	row = row_of(top, "f");
	CHECK(row && row->self == 10 && row->total == 10 && row->total_samples == 1);
	row = row_of(top, "g");
	CHECK(row && row->self == 5 && row->total == 15 && row->self_samples == 1);
	row = row_of(top, "main");
	CHECK(row && row->self == 0 && row->total == 15);
	CHECK(close_to(lw_top_percent(lw_top_rows(top, 0), row, true), 100));
	CHECK(close_to(lw_top_percent(lw_top_rows(top, 0), row_of(top, "g"), false), 100 / 3.0));
	lw_top_free(top);
	return true;
}

static bool rows_are_in_order(void)
{
	struct lw_top *top = new_top(&by_symbol, 1000);

	CHECK(!add(top, "a", "small;main", 1));
	CHECK(!add(top, "a", "large;main", 30));
	CHECK(!add(top, "a", "b_same;main", 7));
	CHECK(!add(top, "a", "a_same;main", 7));
	CHECK(!add(top, "a", "small;large;main", 1));
	CHECK(order_is(top, false, "large,a_same,b_same,small,main"));
	CHECK(order_is(top, true, "main,large,a_same,b_same,small"));
	lw_top_free(top);
	return true;
}

static bool rows_without_callers(void)
{
	static struct lw_report_options leaves = {
		.keys = { LW_KEY_SYMBOL }, .nr_keys = 1,
	};
	struct lw_top *top = new_top(&leaves, 1000);

	CHECK(!add(top, "a", "leaf;main", 1));
	CHECK(order_is(top, false, "leaf"));
	lw_top_free(top);
	return true;
}

static bool samples_count_where_there_are_no_periods(void)
{
	struct lw_top *top = new_top(&by_symbol, 1000);

	CHECK(!add(top, "a", "f", 0) && !add(top, "a", "f", 0) && !add(top, "a", "g", 0) &&
	      !add(top, "a", "", 0));
	CHECK(close_to(lw_top_percent(lw_top_rows(top, 0), row_of(top, "f"), false), 50));
	CHECK(lw_top_rows(top, 0)->nr == 3);
	lw_top_free(top);
	return true;
}

static bool what_is_older_counts_less(void)
{
	struct lw_top *top = new_top(&by_symbol, 1000);
	double left = 800;
	u32 ages = 0;

	CHECK(!add(top, "a", "old;main", 800));
	for (; ages < 8; ages++, left *= 7.0 / 8) {
		CHECK(close_to(row_of(top, "old")->self, left));
		CHECK(close_to(lw_top_rows(top, 0)->weight, left));
		CHECK(!lw_top_age(top));
	}
	/* the new one is found, and is the larger */
	CHECK(!add(top, "a", "new;main", 800) && !add(top, "a", "old;main", 0));
	CHECK(order_is(top, false, "new,old,main"));
	CHECK(close_to(row_of(top, "main")->total, left + 800));
	for (; row_of(top, "main") && ages < 100; ages++)
		CHECK(!lw_top_age(top));
	/* 7/8 to the 8 + 24 or so is 1/16 of about two samples */
	CHECK(ages > 20 && ages < 50);
	CHECK(!lw_top_rows(top, 0)->nr && !lw_top_rows(top, 0)->weight);
	lw_top_free(top);
	return true;
}

static bool rows_are_found_when_others_have_faded(void)
{
	struct lw_top *top = new_top(&by_symbol, 1000);
	double before;

	CHECK(!add(top, "a", "first", 1));
	for (u32 i = 0; i < 100; i++)
		CHECK(!add(top, "a", "second", 1));
	while (row_of(top, "first"))
		CHECK(!lw_top_age(top));
	before = row_of(top, "second")->self;
	CHECK(!add(top, "a", "second", 1) && !add(top, "a", "first", 1));
	CHECK(lw_top_rows(top, 0)->nr == 2 && row_of(top, "first")->self == 1);
	CHECK(close_to(row_of(top, "second")->self, before + 1));
	lw_top_free(top);
	return true;
}

static bool nothing_is_left_when_cleared(void)
{
	struct lw_top *top = new_top(&by_symbol, 3);

	CHECK(!add(top, "a", "f;main", 8));
	lw_top_clear(top);
	CHECK(!lw_top_rows(top, 0)->nr && !lw_top_rows(top, 0)->weight);
	CHECK(!add(top, "a", "f;main", 3));
	CHECK(row_of(top, "f")->self == 3 && lw_top_rows(top, 0)->nr == 2);
	CHECK(!add(top, "a", "g", 3) && !lw_top_left_out(top));
	lw_top_free(top);
	return true;
}

static int add_numbered(struct lw_top *top, u32 number)
{
	char name[32];

	snprintf(name, sizeof(name), "f%u", number);
	return add(top, "a", name, 1);
}

static bool rows_have_a_limit(void)
{
	struct lw_top *top = new_top(&by_symbol, 64);
	const struct lw_top_rows *rows = lw_top_rows(top, 0);

	for (u32 i = 0; i < 10; i++)
		CHECK(!add(top, "a", "large", 1));
	for (u32 i = 0; i < 1000; i++)
		CHECK(!add_numbered(top, i));
	CHECK(rows->nr == 64 && lw_top_left_out(top) == 1000 - 63);
	/* all the same they are part of the whole */
	CHECK(rows->samples == 1010 && rows->weight == 1010);
	/* there is room for others, and the large one stays */
	CHECK(!lw_top_age(top));
	CHECK(rows->nr <= 48 && row_of(top, "large"));
	CHECK(!add_numbered(top, 5000) && row_of(top, "f5000"));
	CHECK(lw_top_left_out(top) == 1000 - 63);
	lw_top_free(top);
	return true;
}

static bool names_have_a_limit(void)
{
	struct lw_top *top = new_top(&by_symbol, 64);
	char *name = malloc(5000);
	u32 tidied = 0;

	memset(name, 'x', 4999);
	name[4999] = 0;
	for (u32 i = 0; i < 100000; i++) {
		if (lw_top_needs_tidying(top)) {
			CHECK(!lw_top_tidy(top) && !lw_top_needs_tidying(top));
			tidied++;
		}
		CHECK(lw_profile_nr_strings(lw_top_names(top)) < 2000);
		CHECK(!add_numbered(top, i) && (i % 100 || !lw_top_age(top)));
		CHECK(!add(top, "a", "stays", 1));
	}
	CHECK(tidied > 10 && row_of(top, "stays"));
	CHECK(!add(top, "a", name, 1000000));
	CHECK(strlen(lw_profile_string(lw_top_names(top), lw_top_name(top, name))) ==
	      LW_TOP_MAX_NAME);
	free(name);
	lw_top_free(top);
	return true;
}

static bool rows_survive_tidying(void)
{
	struct lw_top *top = new_top(&by_all, 1000);
	struct lw_strbuf before = { 0 }, after = { 0 };
	struct lw_top_view view = { 0 };

	CHECK(!add(top, "one", "f;g;main", 8) && !add(top, "two", "g;main", 3) &&
	      !add(top, "two", "", 3));
	CHECK(!lw_top_json(top, &options, "e", &view, &before));
	CHECK(!lw_top_tidy(top));
	CHECK(!lw_top_json(top, &options, "e", &view, &after));
	CHECK(before.len == after.len && !memcmp(before.text, after.text, before.len));
	/* they are found again */
	CHECK(!add(top, "one", "f;g;main", 8));
	CHECK(lw_top_rows(top, 0)->nr == 6);
	lw_strbuf_free(&before);
	lw_strbuf_free(&after);
	lw_top_free(top);
	return true;
}

static bool columns_are_those_of_terminals(void)
{
	struct lw_strbuf out = { 0 };

	CHECK(lw_text_width("abc", 3) == 3 && lw_text_width("\xc3\xa4", 2) == 1);
	CHECK(lw_text_width(WIDE WIDE, 6) == 4 && lw_text_width(FIRE, 4) == 2);
	CHECK(lw_strbuf_fit(&out, "a" WIDE "x", 5, 2) == 1);
	lw_strbuf_char(&out, '|');
	CHECK(lw_strbuf_fit(&out, "a" WIDE "x", 5, 3) == 3);
	lw_strbuf_char(&out, '|');
	/* escape, backspace, a combining mark, the override of the direction, no UTF-8, its end */
	CHECK(lw_strbuf_fit(&out, "\033[1m\b\xcc\x81\xe2\x80\xae\xff\xe4\xb8", 13, 99) == 10);
	lw_strbuf_char(&out, 0);
	CHECK(!strcmp(out.text, "a|a" WIDE "|?[1m??????"));
	lw_strbuf_free(&out);
	return true;
}

static const struct lw_top_head head = {
	.event = "cpu-clock\033[2J", .whom = "all CPUs", .seconds = 2, .samples = 1000,
	.kernel = 250, .lost = 3,
};

static bool is_harmless(const struct lw_strbuf *out, const struct lw_top_view *view)
{
	const char *at = out->text, *end = at + out->len;
	u32 lines = 0;

	while (at < end) {
		const char *line = at;

		at = memchr(at, '\n', end - at);
		CHECK(at);
		for (const char *c = line; c < at; c++)
			CHECK((u8)*c >= ' ' && *c != 0x7f);
		CHECK(!view->width || lw_text_width(line, at - line) <= view->width);
		at++;
		lines++;
	}
	CHECK(!view->height || lines <= view->height);
	return true;
}

static bool lines_fit_whatever_the_names_are(void)
{
	struct lw_top *top = new_top(&by_all, 1000);
	struct lw_strbuf out = { 0 };
	struct lw_top_view view;

	CHECK(!add(top, "\033[2Jcomm", "ev\033]0;il\007;" WIDE WIDE WIDE ";main", 8));
	CHECK(!add(top, "\377\302\23331m", "line\nbreak;\r\b\t;\314\201\314\201;main", 8));
	CHECK(!add(top, FIRE, "very_long_name_of_a_function_that_has_no_end_in_this_line", 1));
	for (u32 i = 0; i < 30; i++)
		CHECK(!add_numbered(top, i));
	memset(&view, 0, sizeof(view));
	for (view.width = 1; view.width < 120; view.width++) {
		view.height = 1 + view.width % 41;
		view.help = view.width % 7 == 3;
		CHECK(!lw_top_draw(top, &options, &head, &view, &out));
		CHECK(out.len && is_harmless(&out, &view));
		out.len = 0;
	}
	view = (struct lw_top_view) { .entries = 5 };
	CHECK(!lw_top_draw(top, &options, &head, &view, &out) && is_harmless(&out, &view));
	lw_strbuf_free(&out);
	lw_top_free(top);
	return true;
}

static bool lines_are_these(void)
{
	static const char wanted[] =
		"latewind top: 1000 samples in 2.0 s, 3 lost, 25.0% kernel; cpu-clock?[2J, all CPUs\n"
		"#   Total     *Self  Command  Tid  Shared Object  Symbol\n"
		"   66.67%    66.67%  a        2    a.out          [.] f\n"
		"   33.33%    33.33%  " WIDE "b      2    a.out          [.] g\n";
	static const char in_color[] =
		"latewind top: 1000 samples in 2.0 s, 3 lost,\n"
		"#  *Total      Self  Comman  Tid  Shared  Sy\n"
		"\033[31m   66.67%\033[m \033[31m   66.67%\033[m  a       2    a.out   [.\n";
	struct lw_top *top = new_top(&by_all, 1000);
	struct lw_top_view view = { .entries = 2 };
	struct lw_strbuf out = { 0 };

	CHECK(!add(top, "a", "f;main", 8) && !add(top, WIDE "b", "g;main", 4));
	CHECK(!lw_top_draw(top, &options, &head, &view, &out));
	lw_strbuf_char(&out, 0);
	if (strcmp(out.text, wanted))
		printf("# %s", out.text);
	CHECK(!strcmp(out.text, wanted));
	out.len = 0;
	view = (struct lw_top_view) { .by_total = true, .color = true, .paused = true,
				      .width = 44, .height = 3 };
	CHECK(!lw_top_draw(top, &options, &head, &view, &out));
	lw_strbuf_char(&out, 0);
	CHECK(!strcmp(out.text, in_color));
	lw_strbuf_free(&out);
	lw_top_free(top);
	return true;
}

static bool losses_are_told(void)
{
	struct lw_top_head lossy = head;
	struct lw_top *top = new_top(&by_all, 1000);
	struct lw_top_view view = { .paused = true };
	struct lw_strbuf out = { 0 };

	lossy.lost_maps = 5;
	lossy.no_stack = 6;
	lossy.left_out = 7;
	CHECK(!lw_top_draw(top, &options, &lossy, &view, &out));
	lw_strbuf_char(&out, 0);
	CHECK(strstr(out.text, " 3 lost, PAUSED, 5 records of mappings lost, 6 without stack, "));
	CHECK(strstr(out.text, ", 7 not in all rows (too many), "));
	lw_strbuf_free(&out);
	lw_top_free(top);
	return true;
}

/* Strict readers are those of JSON in top_test.sh. */
static bool json_is_one_line(void)
{
	struct lw_top *top = new_top(&by_symbol, 1000);
	struct lw_top_view view = { .entries = 1 };
	struct lw_strbuf out = { 0 };

	CHECK(!add(top, "a", "f\033;main", 4) && !add(top, "a", "f\033;main", 4));
	CHECK(!lw_top_json(top, &options, "e\n", &view, &out));
	lw_strbuf_char(&out, 0);
	CHECK(strstr(out.text, "{\"event\":\"e\\u000a\",\"samples\":2.00,\"weight\":8,"));
	CHECK(strstr(out.text, "\"rows_not_shown\":1,\"rows\":[{\"symbol\":\"f\\u001b\","));
	CHECK(strstr(out.text, "\"kernel\":false,\"self\":8,\"total\":8,\"self_samples\":2.00,"));
	CHECK(strstr(out.text, "\"self_percent\":100.0000,\"total_percent\":100.0000}]}"));
	CHECK(!strpbrk(out.text, "\n\033"));
	lw_strbuf_free(&out);
	lw_top_free(top);
	return true;
}

/* --- from samples */

__attribute__((used, noinline)) static int sampled_function(int x)
{
	asm volatile("" : "+r"(x));
	return x;
}

struct world {
	struct lw_process_maps *procs;
	struct lw_symbolizer *symbolizer;
	struct lw_top *top;
	struct lw_top_stacks *stacks;
};

static bool make_world_by(struct world *world, const struct lw_report_options *report)
{
	static const struct lw_symbolize_options how = { .here = true };

	world->procs = lw_process_maps_new();
	world->symbolizer = lw_symbolizer_new(&how);
	world->top = new_top(report, 1000);
	CHECK(world->procs && world->symbolizer && world->top);
	world->stacks = lw_top_stacks_new(world->top, world->procs, world->symbolizer);
	CHECK(world->stacks);
	return true;
}

static bool make_world(struct world *world)
{
	return make_world_by(world, &by_symbol);
}

static void free_world(struct world *world)
{
	lw_top_stacks_free(world->stacks);
	lw_top_free(world->top);
	lw_symbolizer_free(world->symbolizer);
	lw_process_maps_free(world->procs);
}

static int tell_map(struct world *world, u32 pid, u64 time, u64 start, u64 end, u64 pgoff,
		    const char *name)
{
	union {
		struct lw_mmap2 map;
		u8 bytes[5000];
	} record = { 0 };
	struct lw_sample_id id = { .pid = pid, .tid = pid, .time = time };
	size_t size = ALIGN_UP(sizeof(record.map) + strlen(name) + 1, sizeof(u64));

	record.map.header.type = PERF_RECORD_MMAP2;
	record.map.header.size = size + sizeof(id);
	record.map.pid = pid;
	record.map.tid = pid;
	record.map.addr = start;
	record.map.len = end - start;
	record.map.pgoff = pgoff;
	strcpy(record.map.filename, name);
	memcpy(record.bytes + size, &id, sizeof(id));
	return lw_process_maps_record(world->procs, &record.map.header) ?
	       -1 : lw_top_stacks_record(world->stacks, &record.map.header);
}

/* This program, as another process has it. */
static int tell_own_map(struct world *world, u32 pid, u64 time)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4400], name[4200];
	u64 start, end, pgoff;
	int ret = -1;

	while (file && ret && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %4199s", &start, &end, &pgoff,
			   name) == 4 && (u64)sampled_function >= start &&
		    (u64)sampled_function < end)
			ret = tell_map(world, pid, time, start, end, pgoff, name);
	}
	if (file)
		fclose(file);
	return ret;
}

/* In the function, where no call is before it. */
static int hit(struct world *world, u32 pid, u64 time)
{
	union made_stack user = { .stack = { .pid = pid, .tid = pid, .time = time } };
	u64 frame = (u64)sampled_function;
	struct lw_sample sample = { .pid = pid, .tid = pid, .time = time, .period = 1 };

	set_frames(&user, &frame, 1);
	return lw_top_stacks_add(world->stacks, 0, "/some", &sample, &user.stack);
}

static double samples_of(const struct world *world, const char *function)
{
	const struct lw_top_row *row = row_of(world->top, function);

	return row ? row->total_samples : 0;
}

static bool cgroups_are_rows(void)
{
	static const struct lw_report_options by_cgroup = {
		.keys = { LW_KEY_CGROUP }, .nr_keys = 1,
	};
	const struct lw_top_rows *rows;
	struct world world;
	const char *name;

	CHECK(make_world_by(&world, &by_cgroup));
	CHECK(!hit(&world, 7, 200) && !hit(&world, 8, 201));
	rows = lw_top_rows(world.top, 0);
	CHECK(rows->nr == 1 && rows->rows[0].self == 2);
	name = lw_profile_string(lw_top_names(world.top), rows->rows[0].values[0]);
	CHECK(name && !strcmp(name, "/some"));
	free_world(&world);
	return true;
}

static bool addresses_are_looked_up_once(void)
{
	struct world world;

	CHECK(make_world(&world) && !tell_own_map(&world, 7, 100));
	for (u32 i = 0; i < 5; i++)
		CHECK(!hit(&world, 7, 200 + i));
	CHECK(samples_of(&world, "sampled_function") == 5);
	/* another process has nothing there */
	CHECK(!hit(&world, 8, 300));
	CHECK(samples_of(&world, "sampled_function") == 5 && samples_of(&world, "[unknown]") == 1);
	free_world(&world);
	return true;
}

/* One that falls on what is known of the other, as it is kept in top_stacks.c. */
static u32 alike(u32 pid)
{
	u64 ip = (u64)sampled_function;
	u32 other = pid + 4096;

	while (lw_hash64(ip + other) % 32768 != lw_hash64(ip + pid) % 32768)
		other += 4096;
	return other;
}

static bool addresses_are_those_of_a_process(void)
{
	struct world world;

	CHECK(make_world(&world) && !tell_own_map(&world, 7, 100) && !hit(&world, 7, 200));
	CHECK(!hit(&world, alike(7), 200) && !hit(&world, 7, 200));
	CHECK(samples_of(&world, "sampled_function") == 2);
	CHECK(samples_of(&world, "[unknown]") == 1);
	free_world(&world);
	return true;
}

/* A sample that is of before, told after it. */
static bool what_is_mapped_over_counts_from_then_on(void)
{
	u64 page = (u64)sampled_function & ~4095ULL;
	struct world world;

	CHECK(make_world(&world) && !tell_own_map(&world, 7, 100));
	CHECK(!hit(&world, 7, 200));
	CHECK(!tell_map(&world, 7, 300, page, page + 8192, 0, "/nowhere/at/all"));
	CHECK(!hit(&world, 7, 400) && !hit(&world, 7, 401));
	CHECK(samples_of(&world, "[unknown]") == 2);
	CHECK(!hit(&world, 7, 250));
	CHECK(samples_of(&world, "sampled_function") == 2);
	CHECK(!hit(&world, 7, 402));
	CHECK(samples_of(&world, "[unknown]") == 3);
	free_world(&world);
	return true;
}

/* Numbers are others then. */
static bool names_come_back_after_tidying(void)
{
	struct world world;
	char name[32];

	CHECK(make_world(&world) && !tell_own_map(&world, 7, 100));
	CHECK(!add(world.top, "a", "gone;gone_too;and_this", 1));
	CHECK(!hit(&world, 7, 200));
	lw_top_clear(world.top);
	CHECK(!hit(&world, 7, 201));
	for (u32 i = 0; !lw_top_needs_tidying(world.top); i++) {
		snprintf(name, sizeof(name), "f%u", i);
		CHECK(lw_top_name(world.top, name) != LW_PROFILE_NONE);
	}
	CHECK(!hit(&world, 7, 202) && !hit(&world, 7, 203));
	CHECK(!lw_top_needs_tidying(world.top));
	CHECK(lw_profile_nr_strings(lw_top_names(world.top)) < 10);
	CHECK(samples_of(&world, "sampled_function") == 3);
	CHECK(lw_top_rows(world.top, 0)->nr == 1);
	free_world(&world);
	return true;
}

static u32 nr_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	u32 nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static bool files_that_nobody_needs_are_closed(void)
{
	u32 before = nr_open_files();
	struct world world;

	CHECK(make_world(&world) && !tell_own_map(&world, 7, 100) && !hit(&world, 7, 200));
	CHECK(nr_open_files() == before + 1);
	lw_symbolizer_trim(world.symbolizer, 0);
	CHECK(nr_open_files() == before + 1);
	lw_symbolizer_trim(world.symbolizer, 0);
	CHECK(nr_open_files() == before);
	/* and opened again: another process has another answer to wait for */
	CHECK(!tell_own_map(&world, 9, 300) && !hit(&world, 9, 400));
	CHECK(nr_open_files() == before + 1);
	CHECK(samples_of(&world, "sampled_function") == 2);
	free_world(&world);
	return true;
}

/**
 * main - run the tests
 *
 * Return: 0 when all passed.
 */
int main(void)
{
	static const struct tap_test tests[] = {
		TEST(a_function_counts_once_in_a_stack),
		TEST(rows_are_in_order),
		TEST(rows_without_callers),
		TEST(samples_count_where_there_are_no_periods),
		TEST(what_is_older_counts_less),
		TEST(rows_are_found_when_others_have_faded),
		TEST(nothing_is_left_when_cleared),
		TEST(rows_have_a_limit),
		TEST(names_have_a_limit),
		TEST(rows_survive_tidying),
		TEST(columns_are_those_of_terminals),
		TEST(lines_fit_whatever_the_names_are),
		TEST(lines_are_these),
		TEST(losses_are_told),
		TEST(json_is_one_line),
		TEST(addresses_are_looked_up_once),
		TEST(cgroups_are_rows),
		TEST(addresses_are_those_of_a_process),
		TEST(what_is_mapped_over_counts_from_then_on),
		TEST(names_come_back_after_tidying),
		TEST(files_that_nobody_needs_are_closed),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
