// SPDX-License-Identifier: GPL-2.0
/*
 * stack_ends_test.c - where stacks end, by the program that each was of at its time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "record/sample_text.h"
#include "record/stack_ends.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

/* What stands for /proc. */
static char proc[40] = "/tmp/stack-ends-test-XXXXXX";

struct state {
	struct lw_stack_ends *ends;
	struct lw_process_maps *procs;
};

static struct state begin(void)
{
	struct state state = { lw_stack_ends_new(proc), lw_process_maps_new() };

	lw_process_maps_only_names(state.procs);
	return state;
}

static void end(struct state *state)
{
	lw_stack_ends_free(state->ends);
	lw_process_maps_free(state->procs);
}

static int named(struct state *state, u32 pid, u32 tid, u64 time, const char *name)
{
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		char name[16];
		struct lw_sample_id id;
	} record = {
		.header = { PERF_RECORD_COMM, 0, sizeof(record) },
		.pid = pid, .tid = tid, .id = { .pid = pid, .tid = tid, .time = time },
	};

	memcpy(record.name, name, strlen(name));
	return lw_process_maps_record(state->procs, &record.header);
}

static int add(struct state *state, u32 pid, u64 time, u32 how, u32 last, u32 nr)
{
	static const u64 frames[] = { 0x401000, 0x402000, 0x403000 };
	union made_stack made = { .stack = { .pid = pid, .tid = pid, .time = time } };

	set_frames(&made, frames, nr);
	made.stack.runs[0].how = how;
	made.stack.end = last;
	return lw_stack_ends_add(state->ends, &made.stack);
}

/* Return: what is said, to be freed. */
static char *said(const struct state *state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	lw_stack_ends_say(state->ends, out);
	fclose(out);
	return text;
}

static char *in_json(const struct state *state)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	lw_json_open(&json, NULL, '{');
	lw_stack_ends_json(state->ends, &json);
	lw_json_close(&json, '}');
	lw_strbuf_char(&out, 0);
	return out.text;
}

static bool says(char *text, const char *want)
{
	bool same = !strcmp(text, want);

	if (!same)
		printf("# said:\n%s\n# wanted:\n%s\n", text, want);
	free(text);
	return same;
}

static bool contains(char *text, const char *want)
{
	bool found = strstr(text, want);

	if (!found)
		printf("# '%s' is not in:\n%s\n", want, text);
	free(text);
	return found;
}

static bool lacks(char *text, const char *unwanted)
{
	bool found = strstr(text, unwanted);

	free(text);
	return !found;
}

static bool nothing_is_said_of_no_stack(void)
{
	struct state state = begin();

	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	CHECK(says(said(&state), ""));
	CHECK(contains(in_json(&state), "{\n\"whole_by_tables\":0,\n\"whole_with_guesses\":0,"));
	end(&state);
	return true;
}

/* The topmost frame is never a guess, whatever its run says. */
static bool a_guess_is_a_caller_by_frame_pointer(void)
{
	struct state state = begin();
	const struct lw_stack_ends_sum *all = lw_stack_ends_all(state.ends);

	CHECK(!add(&state, 1, 1, LW_HOW_FP, LW_END_OUTERMOST, 1));
	CHECK(all->by_tables == 1 && !all->with_guesses);
	CHECK(!add(&state, 1, 1, LW_HOW_FP, LW_END_OUTERMOST, 2));
	CHECK(all->by_tables == 1 && all->with_guesses == 1);
	CHECK(!add(&state, 1, 1, LW_HOW_TABLE, LW_END_OUTERMOST, 3));
	CHECK(!add(&state, 1, 1, LW_HOW_SFRAME, LW_END_OUTERMOST, 3));
	CHECK(!add(&state, 1, 1, LW_HOW_REGISTERED, LW_END_OUTERMOST, 3));
	CHECK(!add(&state, 1, 1, LW_HOW_SIGFRAME, LW_END_OUTERMOST, 3));
	CHECK(all->by_tables == 5 && all->with_guesses == 1);
	end(&state);
	return true;
}

/* An end that is a guess itself is none that is known to be the outermost. */
static bool each_end_has_a_count(void)
{
	struct state state = begin();
	char want[64], *json;

	for (u32 i = LW_END_TRUNCATED; i < LW_NR_ENDS; i++) {
		for (u32 j = 0; j < i; j++)
			CHECK(!add(&state, 1, 1, LW_HOW_SFRAME, i, j % 4));
	}
	CHECK(!add(&state, 1, 1, LW_HOW_SFRAME, LW_NR_ENDS + 7, 1));
	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	json = in_json(&state);
	for (u32 i = LW_END_TRUNCATED; i < LW_NR_ENDS; i++) {
		snprintf(want, sizeof(want), "\n\"cut_%s\":%u,", lw_sample_text_stack_end(i), i);
		for (char *at = want; *at; at++)
			*at = *at == '-' ? '_' : *at;
		CHECK(strstr(json, want));
	}
	CHECK(strstr(json, "\n\"cut_unknown\":1,") && !strstr(json, "cut_outermost\""));
	free(json);
	end(&state);
	return true;
}

static bool a_program_is_what_ran_then(void)
{
	struct state state = begin();

	CHECK(!named(&state, 7, 7, 100, "sh") && !named(&state, 7, 8, 100, "worker"));
	/* taken after the exec, read before it */
	CHECK(!add(&state, 7, 250, LW_HOW_SFRAME, LW_END_OUTERMOST, 2));
	CHECK(!add(&state, 7, 150, LW_HOW_SFRAME, LW_END_NO_RULE, 2));
	CHECK(!named(&state, 7, 7, 200, "ls"));
	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	CHECK(!add(&state, 9, 300, LW_HOW_FP, LW_END_OUTERMOST, 2));
	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	CHECK(contains(in_json(&state), "\"whole_by_tables/ls\":1,\n\"whole_with_guesses/ls\":0,\n"
		       "\"cut/ls\":0"));
	CHECK(contains(in_json(&state), "\"whole_by_tables/sh\":0,\n\"whole_with_guesses/sh\":0,\n"
		       "\"cut/sh\":1,\n\"cut_no_rule/sh\":1"));
	CHECK(contains(in_json(&state), "\"whole_with_guesses/:unknown\":1,\n"));
	CHECK(lacks(in_json(&state), "worker"));
	end(&state);
	return true;
}

/* @nr stacks of a process, of which so many are whole, guessed; the rest is cut. */
static bool program(struct state *state, u32 pid, const char *name, u32 nr, u32 whole, u32 guessed)
{
	CHECK(!named(state, pid, pid, 1, name));
	for (u32 i = 0; i < nr; i++)
		CHECK(!add(state, pid, 10, i < whole ? LW_HOW_TABLE : LW_HOW_FP,
			   i < whole + guessed ? LW_END_OUTERMOST :
			   i % 3 ? LW_END_NO_RULE : LW_END_FAULT, 3));
	return true;
}

/* Not all programs, not those of a stack or two, and 100 % only of what is whole. */
static bool summary_names_the_worst(void)
{
	struct state state = begin();

	CHECK(program(&state, 1, "fine", 40000, 40000, 0));
	CHECK(program(&state, 2, "java", 1000, 500, 490));
	CHECK(program(&state, 3, "musl", 100, 10, 0));
	CHECK(program(&state, 4, "rare", 1, 0, 0));
	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	CHECK(says(said(&state),
		   "latewind: 40510 user stacks are whole by tables (98.56 %)\n"
		   "  490 are whole with guesses (1.19 %)\n"
		   "  101 are cut (0.24 %): 66 no-rule, 35 fault\n"
		   "  musl: 10.00 % of 100 by tables, 0 with guesses, 90 cut: 60 no-rule, 30 fault\n"
		   "  java: 50.00 % of 1000 by tables, 490 with guesses, 10 cut: 6 no-rule, 4 fault\n"
		   ));
	end(&state);
	return true;
}

static bool summary_of_whole_ones_is_three_lines(void)
{
	struct state state = begin();

	CHECK(program(&state, 1, "fine", 3, 3, 0) && program(&state, 2, "too", 4, 4, 0));
	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	CHECK(says(said(&state), "latewind: 7 user stacks are whole by tables (100.00 %)\n"
		   "  0 are whole with guesses (0.00 %)\n  0 are cut (0.00 %)\n"));
	end(&state);
	return true;
}

/* Of very many names the first have counts of their own, and all stacks are counted. */
static bool names_are_bounded(void)
{
	struct state state = begin();
	u64 stacks = 0, programs = 0, others = 0;
	char name[16], *json;

	for (u32 i = 1; i <= 3000; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		CHECK(program(&state, i, name, 2, 0, 0));
	}
	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	json = in_json(&state);
	for (char *at = json; (at = strstr(at, "\n\"cut/")); programs++)
		stacks += strtoull(strchr(++at, ':') + 1, NULL, 10);
	others = strtoull(strstr(json, "\"cut/(other programs)\":") + 23, NULL, 10);
	CHECK(stacks == 6000 && programs == 1025 && others == 6000 - 2 * 1024);
	free(json);
	free(said(&state));
	end(&state);
	return true;
}

/* @maps: what the process has mapped; NULL: it has ended. */
static bool runs(u32 pid, const char *maps)
{
	char dir[64], path[80];
	FILE *file;

	snprintf(dir, sizeof(dir), "%s/%u", proc, pid);
	snprintf(path, sizeof(path), "%s/maps", dir);
	if (!maps)
		return !unlink(path) && !rmdir(dir);
	mkdir(dir, 0700);
	file = fopen(path, "w");
	if (!file)
		return false;
	fputs(maps, file);
	return !fclose(file);
}

#define JVM	"1000-2000 r-xp 00000000 fe:00 1 /lib/libjvm.so\n"
#define MADE	"4000-5000 rwxp 00000000 00:00 0\40\n"

/* Who is looked at was looked at when the summary is there. */
static bool is_settled(struct state *state)
{
	CHECK(!lw_stack_ends_settle(state->ends, state->procs));
	free(said(state));
	return true;
}

static bool is_told(const struct state *state, const char *what, const char *of)
{
	char want[256];

	snprintf(want, sizeof(want), "\nlatewind: %s: process %s", what, of);
	return contains(said(state), want);
}

/* When the summary is written the processes are gone. */
static bool flags_that_programs_lack_are_told(void)
{
	struct state state = begin();

	CHECK(runs(22, JVM MADE) && runs(277, JVM MADE));
	CHECK(program(&state, 277, "java", 10, 0, 10));
	CHECK(program(&state, 22, "a\33thread", 1, 0, 0));
	CHECK(is_settled(&state));
	CHECK(runs(22, NULL) && runs(277, NULL));
	/* stacks that are read late, and many */
	for (u32 i = 0; i < 100; i++)
		CHECK(!add(&state, 277, 11, LW_HOW_FP, LW_END_OUTERMOST, 2));
	CHECK(is_settled(&state));
	CHECK(is_told(&state, "java runs without -XX:+PreserveFramePointer",
		      "22 (a?thread) and 1 more\n  Its code keeps no frame pointer"));
	CHECK(is_told(&state, "java tells no names of the code that it makes",
		      "22 (a?thread) and 1 more\n  Run "));
	CHECK(lacks(said(&state), "node"));
	end(&state);
	return true;
}

/* /proc may wait for what does not answer, as does a FIFO that nobody writes to. */
static bool a_look_that_does_not_come_back_holds_up_nothing(void)
{
	struct state state = begin();
	char path[80];

	CHECK(runs(21, "") && runs(22, JVM MADE));
	snprintf(path, sizeof(path), "%s/21/maps", proc);
	CHECK(!unlink(path) && !mkfifo(path, 0600));
	CHECK(program(&state, 21, "stuck", 1, 0, 0) && program(&state, 22, "java", 1, 0, 0));
	CHECK(!lw_stack_ends_settle(state.ends, state.procs));
	CHECK(contains(said(&state), "latewind: 0 user stacks are whole by tables"));
	end(&state);
	CHECK(runs(21, NULL) && runs(22, NULL));
	return true;
}

static bool flags_are_looked_for_as_stacks_are_cut(void)
{
	struct state state = begin();

	CHECK(runs(21, JVM MADE) && !named(&state, 21, 21, 1, "java"));
	CHECK(!add(&state, 21, 10, LW_HOW_TABLE, LW_END_NO_RULE, 2));
	CHECK(is_settled(&state));
	CHECK(contains(said(&state), "process 21 (java)\n"));
	CHECK(runs(21, NULL));
	end(&state);
	return true;
}

/* Of very many processes the first are looked at. */
static bool processes_that_are_looked_at_are_bounded(void)
{
	struct state state = begin();

	CHECK(runs(1024, JVM MADE) && runs(1025, JVM MADE));
	for (u32 pid = 1; pid <= 1025; pid++)
		CHECK(program(&state, pid, "p", 1, 0, 0));
	CHECK(is_settled(&state));
	CHECK(contains(said(&state), "process 1024 (p)\n"));
	CHECK(runs(1024, NULL) && runs(1025, NULL));
	end(&state);
	return true;
}

static bool flags_of_programs_with_whole_stacks_are_not_looked_for(void)
{
	struct state state = begin();

	CHECK(runs(21, JVM MADE) && program(&state, 21, "java", 10, 10, 0));
	CHECK(is_settled(&state));
	CHECK(lacks(said(&state), "PreserveFramePointer"));
	CHECK(runs(21, NULL));
	end(&state);
	return true;
}

/* It has made no code when it is looked at first. */
static bool programs_are_looked_at_again(void)
{
	struct state state = begin();

	CHECK(runs(21, JVM) && program(&state, 21, "java", 7, 0, 7));
	CHECK(is_settled(&state));
	CHECK(runs(21, JVM MADE));
	CHECK(lacks(said(&state), "PreserveFramePointer"));
	CHECK(!add(&state, 21, 20, LW_HOW_FP, LW_END_OUTERMOST, 2));
	CHECK(is_settled(&state));
	CHECK(contains(said(&state), "process 21 (java)\n"));
	CHECK(runs(21, NULL));
	end(&state);
	return true;
}

/* A shell's process that becomes java's. */
static bool another_program_is_looked_at_anew(void)
{
	struct state state = begin();

	CHECK(runs(21, JVM) && program(&state, 21, "sh", 2, 0, 0));
	CHECK(is_settled(&state));
	CHECK(runs(21, JVM MADE) && !named(&state, 21, 21, 20, "java"));
	CHECK(!add(&state, 21, 30, LW_HOW_FP, LW_END_OUTERMOST, 2));
	CHECK(is_settled(&state));
	CHECK(contains(said(&state), "process 21 (java)\n"));
	CHECK(runs(21, NULL));
	end(&state);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(nothing_is_said_of_no_stack),
		TEST(a_guess_is_a_caller_by_frame_pointer),
		TEST(each_end_has_a_count),
		TEST(a_program_is_what_ran_then),
		TEST(summary_names_the_worst),
		TEST(summary_of_whole_ones_is_three_lines),
		TEST(names_are_bounded),
		TEST(flags_that_programs_lack_are_told),
		TEST(a_look_that_does_not_come_back_holds_up_nothing),
		TEST(flags_are_looked_for_as_stacks_are_cut),
		TEST(processes_that_are_looked_at_are_bounded),
		TEST(flags_of_programs_with_whole_stacks_are_not_looked_for),
		TEST(programs_are_looked_at_again),
		TEST(another_program_is_looked_at_anew),
	};
	int failed;

	if (!mkdtemp(proc))
		return 1;
	failed = tap_run(tests, ARRAY_SIZE(tests));
	rmdir(proc);
	return failed;
}
