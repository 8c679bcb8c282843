// SPDX-License-Identifier: GPL-2.0
/*
 * stack_ends_test.c - where stacks end, by the program that each was of at its time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/perf_records.h"
#include "record/sample_text.h"
#include "record/stack_ends.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

struct state {
	struct lw_stack_ends *ends;
	struct lw_process_maps *procs;
};

static struct state begin(void)
{
	struct state state = { lw_stack_ends_new(), lw_process_maps_new() };

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
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
