// SPDX-License-Identifier: GPL-2.0
/*
 * stack_ends.c - where the user stacks of a recording end, by program.
 *
 * A program is a process's name when its stack was taken. Rings are read before the side-band,
 * so a stack waits until the side-band up to it is known: lw_stack_ends_settle().
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <liblatewind.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/hashtable.h"
#include "base/print.h"
#include "record/runtime_hints.h"
#include "record/sample_text.h"
#include "record/stack_ends.h"

#define HASH_SIZE	256
/* Names that a program makes up all the time must not fill the memory. */
#define MAX_PROGRAMS	1024
/* Longer than any name that the kernel tells. */
#define OTHER_PROGRAMS	"(other programs)"
#define NAME_ROOM	sizeof(OTHER_PROGRAMS)
/* Of a summary: so many programs, each with so many percent of what is not whole by tables. */
#define MOST_SAID	5
#define LEAST_PERCENT	1

struct program {
	struct lw_hash_node node;
	char name[NAME_ROOM];
	struct lw_stack_ends_sum sum;
};

/* A stack whose program is not known yet. */
struct unsettled {
	u64 time;
	u32 pid, tid;
	u32 end;
	bool guessed;
};

struct lw_stack_ends {
	struct lw_stack_ends_sum all;
	struct lw_hash_node *programs[HASH_SIZE];
	u32 nr_programs;
	struct unsettled *unsettled;
	size_t nr_unsettled, room;
	struct lw_runtime_hints *hints;
};

/**
 * lw_stack_ends_new - begin without a stack
 * @proc: where processes have their directories, /proc; must stay
 *
 * Return: the counts or NULL.
 */
struct lw_stack_ends *lw_stack_ends_new(const char *proc)
{
	struct lw_stack_ends *ends = calloc(1, sizeof(*ends));

	if (!ends)
		return NULL;
	ends->hints = lw_runtime_hints_new(proc);
	if (ends->hints)
		return ends;
	free(ends);
	return NULL;
}

/**
 * lw_stack_ends_free - free them
 * @ends: the counts or NULL
 */
void lw_stack_ends_free(struct lw_stack_ends *ends)
{
	struct lw_hash_node **at, *after;
	struct program *program;

	if (!ends)
		return;
	lw_hash_for_all_safe(program, after, at, ends->programs, node)
		free(program);
	lw_runtime_hints_free(ends->hints);
	free(ends->unsettled);
	free(ends);
}

static bool has_guess(const struct lw_user_stack *stack)
{
	struct latewind_frame frame = latewind_frames(stack);

	while (latewind_frame_next(&frame)) {
		if (frame.how == LW_HOW_FP)
			return true;
	}
	return false;
}

static void count(struct lw_stack_ends_sum *sum, const struct unsettled *stack)
{
	if (stack->end != LW_END_OUTERMOST)
		sum->cut[stack->end < LW_NR_ENDS ? stack->end : 0]++;
	else if (stack->guessed)
		sum->with_guesses++;
	else
		sum->by_tables++;
}

/**
 * lw_stack_ends_add - count a stack
 * @ends: the counts
 * @stack: valid
 *
 * Return: 0 or -ENOMEM.
 */
int lw_stack_ends_add(struct lw_stack_ends *ends, const struct lw_user_stack *stack)
{
	struct unsettled *unsettled;

	if (lw_grow((void **)&ends->unsettled, &ends->room, ends->nr_unsettled + 1,
		    sizeof(*ends->unsettled)))
		return -ENOMEM;
	unsettled = &ends->unsettled[ends->nr_unsettled++];
	*unsettled = (struct unsettled) {
		.time = stack->time, .pid = stack->pid, .tid = stack->tid,
		.end = stack->end, .guessed = has_guess(stack),
	};
	count(&ends->all, unsettled);
	return 0;
}

static struct program *get_program(struct lw_stack_ends *ends, const char *name)
{
	struct lw_hash_node **slot = lw_hash_slot(ends->programs,
						  lw_hash_bytes(0, name, strlen(name)));
	struct program *program;

	lw_hash_for_each(program, slot, node) {
		if (!strcmp(program->name, name))
			return program;
	}
	if (ends->nr_programs >= MAX_PROGRAMS && strcmp(name, OTHER_PROGRAMS))
		return get_program(ends, OTHER_PROGRAMS);
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	snprintf(program->name, NAME_ROOM, "%s", name);
	lw_hash_add(slot, &program->node);
	ends->nr_programs++;
	return program;
}

/* The process's own name; threads of one program have all sorts of names. */
static const char *name_of(const struct lw_process_maps *procs, const struct unsettled *stack)
{
	const char *name = lw_process_maps_comm(procs, stack->pid, stack->time);

	if (!name)
		name = lw_process_maps_comm(procs, stack->tid, stack->time);
	return name ? name : ":unknown";
}

/* Stacks of an interpreter are whole without the names of what it interprets. */
static bool may_lack_names(const char *name)
{
	return name && !strncmp(name, "python", strlen("python"));
}

/**
 * lw_stack_ends_settle - find the programs of the stacks that were added
 * @ends: the counts
 * @procs: with all side-band up to these stacks
 *
 * Return: 0 or -ENOMEM.
 */
int lw_stack_ends_settle(struct lw_stack_ends *ends, const struct lw_process_maps *procs)
{
	for (size_t i = 0; i < ends->nr_unsettled; i++) {
		const struct unsettled *stack = &ends->unsettled[i];
		const char *name = name_of(procs, stack);
		struct program *program = get_program(ends, name);

		if (!program)
			return -ENOMEM;
		count(&program->sum, stack);
		if (stack->guessed || stack->end != LW_END_OUTERMOST || may_lack_names(name))
			lw_runtime_hints_see(ends->hints, stack->pid, name);
	}
	ends->nr_unsettled = 0;
	return 0;
}

/**
 * lw_stack_ends_all - the sum over all programs
 * @ends: the counts
 *
 * Return: their sum, which goes on.
 */
const struct lw_stack_ends_sum *lw_stack_ends_all(const struct lw_stack_ends *ends)
{
	return &ends->all;
}

static u64 sum_cut(const struct lw_stack_ends_sum *sum)
{
	u64 cut = 0;

	for (u32 i = 0; i < LW_NR_ENDS; i++)
		cut += sum->cut[i];
	return cut;
}

static u64 sum_all(const struct lw_stack_ends_sum *sum)
{
	return sum->by_tables + sum->with_guesses + sum_cut(sum);
}

/* Rounded down: 100 % is said of all only. */
static double percent(u64 part, u64 all)
{
	return all ? part * 10000 / all / 100.0 : 0.0;
}

/* Return: the most frequent reason that is less frequent than @most, or as frequent but later. */
static u32 next_reason(const struct lw_stack_ends_sum *sum, u64 most, u32 last)
{
	u32 next = LW_NR_ENDS;

	for (u32 i = 0; i < LW_NR_ENDS; i++) {
		if (!sum->cut[i] || sum->cut[i] > most || (sum->cut[i] == most && i <= last))
			continue;
		if (next == LW_NR_ENDS || sum->cut[i] > sum->cut[next])
			next = i;
	}
	return next;
}

static void say_cut(const struct lw_stack_ends_sum *sum, FILE *out)
{
	u32 reason = next_reason(sum, ~0ULL, 0);

	for (const char *before = ": "; reason < LW_NR_ENDS; before = ", ") {
		fprintf(out, "%s%llu %s", before, sum->cut[reason],
			lw_sample_text_stack_end(reason));
		reason = next_reason(sum, sum->cut[reason], reason);
	}
	fputc('\n', out);
}

/* Which program is worse: that of a smaller share whole by tables. */
static int by_share(const void *a, const void *b)
{
	const struct program *left = *(struct program * const *)a;
	const struct program *right = *(struct program * const *)b;
	u64 lefts = sum_all(&left->sum), rights = sum_all(&right->sum);
	double diff = (double)left->sum.by_tables / lefts - (double)right->sum.by_tables / rights;

	if (diff)
		return diff < 0 ? -1 : 1;
	if (lefts != rights)
		return lefts > rights ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Return: how many programs are worth being told of; at most 100 by LEAST_PERCENT. */
static u32 find_worst(const struct lw_stack_ends *ends,
		      const struct program *worst[100 / LEAST_PERCENT])
{
	u64 not_whole = sum_all(&ends->all) - ends->all.by_tables;
	struct lw_hash_node * const *at;
	const struct program *program;
	u32 nr = 0;

	lw_hash_for_all(program, at, ends->programs, node) {
		u64 own = sum_all(&program->sum) - program->sum.by_tables;

		if (own && own * 100 >= not_whole * LEAST_PERCENT)
			worst[nr++] = program;
	}
	qsort(worst, nr, sizeof(*worst), by_share);
	return nr;
}

static void say_worst(const struct lw_stack_ends *ends, FILE *out)
{
	const struct program *worst[100 / LEAST_PERCENT];
	u32 nr = find_worst(ends, worst);

	for (u32 i = 0; i < nr && i < MOST_SAID; i++) {
		const struct lw_stack_ends_sum *sum = &worst[i]->sum;

		fputs("  ", out);
		lw_print_plain(out, worst[i]->name);
		fprintf(out, ": %.2f %% of %llu by tables, %llu with guesses, %llu cut",
			percent(sum->by_tables, sum_all(sum)), sum_all(sum), sum->with_guesses,
			sum_cut(sum));
		say_cut(sum, out);
	}
}

/**
 * lw_stack_ends_say - say where stacks end, in lines for a reader
 * @ends: settled
 * @out: where to; nothing is said if there was no stack
 *
 * Three lines of all stacks, then the programs with the smallest share of stacks that are whole
 * by tables, and flags that programs lack.
 */
void lw_stack_ends_say(const struct lw_stack_ends *ends, FILE *out)
{
	const struct lw_stack_ends_sum *all = &ends->all;
	u64 stacks = sum_all(all), cut = sum_cut(all);

	if (!stacks)
		return;
	fprintf(out, "latewind: %llu user stacks are whole by tables (%.2f %%)\n", all->by_tables,
		percent(all->by_tables, stacks));
	fprintf(out, "  %llu are whole with guesses (%.2f %%)\n", all->with_guesses,
		percent(all->with_guesses, stacks));
	fprintf(out, "  %llu are cut (%.2f %%)", cut, percent(cut, stacks));
	say_cut(all, out);
	say_worst(ends, out);
	lw_runtime_hints_say(ends->hints, out);
}

/* @program: NULL: of all, with the reasons that there were none of. */
static void json_cut(const struct lw_stack_ends_sum *sum, const char *program,
		     struct lw_json *json)
{
	for (u32 i = 0; i < LW_NR_ENDS; i++) {
		char name[64];

		if (i == LW_END_OUTERMOST || (program && !sum->cut[i]))
			continue;
		snprintf(name, sizeof(name), "cut_%s", lw_sample_text_stack_end(i));
		for (char *dash = strchr(name, '-'); dash; dash = strchr(dash, '-'))
			*dash = '_';
		if (program)
			snprintf(name + strlen(name), sizeof(name) - strlen(name), "/%s", program);
		lw_json_line(json);
		lw_json_u64(json, name, sum->cut[i]);
	}
}

static void json_of_program(const struct program *program, struct lw_json *json)
{
	const struct {
		const char *name;
		u64 value;
	} rows[] = {
		{ "whole_by_tables", program->sum.by_tables },
		{ "whole_with_guesses", program->sum.with_guesses },
		{ "cut", sum_cut(&program->sum) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s/%s", rows[i].name, program->name);
		lw_json_line(json);
		lw_json_u64(json, name, rows[i].value);
	}
	json_cut(&program->sum, program->name, json);
}

/**
 * lw_stack_ends_json - add where stacks end as members of an object
 * @ends: settled
 * @json: in the object
 *
 * All members are numbers: whole_by_tables, whole_with_guesses, cut_REASON, and, by program,
 * whole_by_tables/NAME, whole_with_guesses/NAME, cut/NAME, cut_REASON/NAME.
 */
void lw_stack_ends_json(const struct lw_stack_ends *ends, struct lw_json *json)
{
	struct lw_hash_node * const *at;
	const struct program *program;

	lw_json_line(json);
	lw_json_u64(json, "whole_by_tables", ends->all.by_tables);
	lw_json_line(json);
	lw_json_u64(json, "whole_with_guesses", ends->all.with_guesses);
	json_cut(&ends->all, NULL, json);
	lw_hash_for_all(program, at, ends->programs, node)
		json_of_program(program, json);
}
