// SPDX-License-Identifier: GPL-2.0
/*
 * sample_text.c - a sample with its stack as text, one block a sample.
 */
#include <latewind.h>
#include <liblatewind.h>

#include "base/print.h"
#include "record/sample_text.h"

static const char * const end_names[] = {
	[LW_END_OUTERMOST]	= "outermost",
	[LW_END_TRUNCATED]	= "truncated",
	[LW_END_NO_RULE]	= "no-rule",
	[LW_END_BAD_CFA]	= "bad-cfa",
	[LW_END_FAULT]		= "fault",
	[LW_END_BAD_IP]		= "bad-ip",
	[LW_END_EXITED]		= "exited",
	[LW_END_EXEC]		= "exec",
	[LW_END_NOMEM]		= "nomem",
	[LW_END_COMPAT]		= "compat",
	[LW_END_STOPPED]	= "stopped",
	[LW_END_OUTERMOST_FP]	= "outermost-fp",
	[LW_END_BUDGET]		= "budget",
};

static const char * const user_names[] = {
	[LW_USER_PENDING]	= "missing",
	[LW_USER_KTHREAD]	= "kthread",
	[LW_USER_EXITING]	= "exiting",
	[LW_USER_NO_SLOT]	= "no-slot",
	[LW_USER_EXCLUDED]	= "excluded",
	[LW_USER_THROTTLED]	= "throttled",
};

static const char * const how_names[] = {
	[LW_HOW_REGS]		= "regs",
	[LW_HOW_SFRAME]		= "sframe",
	[LW_HOW_FP]		= "fp",
	[LW_HOW_SIGFRAME]	= "sigframe",
	[LW_HOW_TABLE]		= "table",
	[LW_HOW_REGISTERED]	= "registered",
};

static const char *pick(const char * const *names, u32 nr, u32 index)
{
	return index < nr && names[index] ? names[index] : "unknown";
}

/**
 * lw_sample_text_stack_end - how a walk ended
 * @end: LW_END_*
 *
 * Return: a word.
 */
const char *lw_sample_text_stack_end(u32 end)
{
	return pick(end_names, ARRAY_SIZE(end_names), end);
}

/* Return: a word that says how the user part of a sample ended. */
static const char *end_of(const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	if (stack)
		return lw_sample_text_stack_end(stack->end);
	return pick(user_names, ARRAY_SIZE(user_names), sample->user);
}

static void print_frame(FILE *out, u64 ip, u64 taken_off, const struct lw_place *place,
			const char *how)
{
	fprintf(out, "\t%16llx ", ip);
	lw_print_plain(out, place->function ? place->function : "[unknown]");
	if (place->function)
		fprintf(out, "+0x%llx", place->offset + taken_off);
	fputs(" (", out);
	lw_print_plain(out, place->dso);
	fprintf(out, ") [%s]\n", how);
}

static void print_kernel(FILE *out, struct lw_symbolizer *symbolizer,
			 const struct lw_sample *sample)
{
	struct lw_place place;

	for (u32 i = 0; i < sample->nr_kernel; i++) {
		lw_symbolize_kernel(symbolizer, sample->time, sample->kernel[i] - !!i, &place);
		print_frame(out, sample->kernel[i], !!i, &place, "kernel");
	}
}

static void print_user(FILE *out, const struct lw_process_maps *procs,
		       struct lw_symbolizer *symbolizer,
		       const struct lw_user_stack *stack)
{
	u64 began = lw_process_maps_began(procs, stack->pid, stack->time);
	struct latewind_frame frame = latewind_frames(stack);
	struct lw_place place;

	while (latewind_frame_next(&frame)) {
		u64 ip = frame.ip - frame.off;
		const struct lw_map *map = lw_process_maps_find(procs, stack->pid, stack->time, ip);

		lw_symbolize_user(symbolizer, stack->pid, began, map, ip, &place, 1);
		print_frame(out, frame.ip, frame.off, &place,
			    pick(how_names, ARRAY_SIZE(how_names), frame.how));
	}
}

static void print_lone_ip(FILE *out, const struct lw_process_maps *procs,
			  struct lw_symbolizer *symbolizer,
			  const struct lw_sample *sample)
{
	const struct lw_map *map = lw_process_maps_find(procs, sample->pid, sample->time,
							sample->ip);
	struct lw_place place;

	lw_symbolize_user(symbolizer, sample->pid,
			  lw_process_maps_began(procs, sample->pid, sample->time),
			  map, sample->ip, &place, 1);
	print_frame(out, sample->ip, 0, &place, "regs");
}

/**
 * lw_sample_text - print a sample as one block
 * @out: where to
 * @procs: with all side-band up to the sample
 * @symbolizer: gives the names
 * @event: that it is of
 * @sample: the sample
 * @stack: its user stack or NULL
 */
void lw_sample_text(FILE *out, const struct lw_process_maps *procs,
		    struct lw_symbolizer *symbolizer, const struct lw_event *event,
		    const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	const char *comm = lw_process_maps_comm(procs, sample->tid, sample->time);

	lw_print_plain(out, comm ? comm : ":unknown");
	fprintf(out, " %u/%u [%03u] %llu.%09llu %s: end=%s", sample->pid, sample->tid,
		sample->cpu, sample->time / NSEC_PER_SEC, sample->time % NSEC_PER_SEC,
		event->name, end_of(sample, stack));
	if (event->off_cpu)
		fprintf(out, " blocked=%llu", sample->period);
	fputc('\n', out);
	print_kernel(out, symbolizer, sample);
	if (stack && stack->nr)
		print_user(out, procs, symbolizer, stack);
	else if (sample->record.flags & LW_SAMPLE_USER_IP)
		print_lone_ip(out, procs, symbolizer, sample);
	fputc('\n', out);
}
