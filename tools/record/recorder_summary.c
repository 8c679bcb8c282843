// SPDX-License-Identifier: GPL-2.0
/*
 * recorder_summary.c - what is said at the end of a recording.
 *
 * Contexts: the main thread.
 */
#include <string.h>
#include <unistd.h>

#include "record/recorder.h"
#include "record/recorder_summary.h"

/**
 * lw_recorder_lost - records that were lost so far
 * @rec: set up
 *
 * Return: how many.
 */
u64 lw_recorder_lost(const struct lw_recorder *rec)
{
	struct lw_stats stats;

	if (lw_session_stats(rec->session, &stats))
		return 0;
	return stats.lost_full + stats.lost_big + stats.lost_nested;
}

/**
 * lw_recorder_overwritten - records that newer ones took the room of
 * @rec: set up
 *
 * Return: how many.
 */
u64 lw_recorder_overwritten(const struct lw_recorder *rec)
{
	struct lw_stats stats;

	return lw_session_stats(rec->session, &stats) ? 0 : stats.overwritten;
}

/**
 * lw_recorder_off_cpu_stats - what became of switches
 * @rec: set up
 *
 * Return: numbers, which are 0 without --off-cpu.
 */
struct lw_off_cpu_stats lw_recorder_off_cpu_stats(const struct lw_recorder *rec)
{
	struct lw_off_cpu_stats stats;

	lw_off_cpu_source_stats(&rec->off_cpu, &stats);
	return stats;
}

/**
 * lw_recorder_output_name - what the last file of a recording is called in messages
 * @rec: with one
 *
 * Return: its path, or words.
 */
const char *lw_recorder_output_name(const struct lw_recorder *rec)
{
	const char *last = lw_file_names_last(&rec->file_names);

	if (last)
		return last;
	return strcmp(rec->options->output, "-") ? rec->options->output : "the standard output";
}

static void say_warnings(const struct lw_recorder *rec, u64 lost)
{
	if (lost)
		fprintf(stderr, "latewind: %llu records were lost, mostly as a ring was full\n"
			"  Use a larger --ring-size or a lower -F.\n", lost);
	if (rec->counts.lost_text)
		fprintf(stderr, "latewind: %llu samples are not in the text\n"
			"  Its reader, or the disk, was too slow. The file of 'latewind record' has them.\n",
			rec->counts.lost_text);
	if (rec->sideband.lost + rec->cgroups.made.lost)
		fprintf(stderr, "latewind: %llu side-band records were lost\n"
			"  Some addresses may stay without a name.\n",
			rec->sideband.lost + rec->cgroups.made.lost);
	/* in a flight recorder they were, or will be, overwritten one by one */
	if (rec->counts.user_stacks_missing && !rec->options->overwrite)
		fprintf(stderr, "latewind: %llu samples wait for their user stack\n"
			"  Their tasks were still in the kernel at the end, or for too long.\n",
			rec->counts.user_stacks_missing);
	if (rec->counts.user_stacks_refused)
		fprintf(stderr, "latewind: %llu samples got no user stack\n"
			"  Their tasks did little but that, or too many waited at once: use a larger -c.\n",
			rec->counts.user_stacks_refused);
	if (rec->counts.missing_children)
		fprintf(stderr, "latewind: %llu processes were not followed: out of memory\n"
			"  They and what they started are not in the recording.\n",
			rec->counts.missing_children);
	if (lw_recorder_off_cpu_stats(rec).lost)
		fprintf(stderr, "latewind: of %llu switches it is not known how long they were\n"
			"  Records of the side-band or samples were lost, or came too late.\n",
			lw_recorder_off_cpu_stats(rec).lost);
	lw_table_supply_say(&rec->supply);
	if (rec->counts.bad_records + rec->counts.unknown_events)
		fprintf(stderr, "latewind: %llu records made no sense and were skipped\n"
			"  Module and tool may be of different builds.\n",
			rec->counts.bad_records + rec->counts.unknown_events);
}

/* Reading verbs take the default name unasked. */
static void say_next(const char *path)
{
	bool named = strcmp(path, "perf.data");

	if (strcmp(path, "-"))
		fprintf(stderr, "  Next: latewind report%s%s, or latewind flame%s%s\n",
			named ? " -i " : "", named ? path : "", named ? " -i " : "",
			named ? path : "");
}

/**
 * lw_recorder_say_summary - say what was recorded, and what was not
 * @rec: all outputs are complete
 */
void lw_recorder_say_summary(const struct lw_recorder *rec)
{
	const struct lw_counts *counts = &rec->counts;
	u64 lost = lw_recorder_lost(rec);

	lw_stack_ends_say(rec->stack_ends, stderr);
	say_warnings(rec, lost);
	fprintf(stderr, "[ latewind %s: %llu samples, %llu user stacks, %llu lost",
		rec->options->verb, counts->samples, counts->user_stacks, lost);
	if (rec->options->overwrite)
		fprintf(stderr, ", %llu older records overwritten", lw_recorder_overwritten(rec));
	if (rec->options->output)
		fprintf(stderr, ", wrote %.1f MB to ", counts->bytes_written / 1e6);
	if (rec->file_names.nr > 1)
		fprintf(stderr, "%llu files, the last one is ", rec->file_names.nr);
	if (rec->options->output)
		fputs(lw_recorder_output_name(rec), stderr);
	fputs(" ]\n", stderr);
	if (counts->samples && rec->options->output && isatty(STDERR_FILENO))
		say_next(rec->options->output);
}
