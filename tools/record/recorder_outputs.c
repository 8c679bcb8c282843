// SPDX-License-Identifier: GPL-2.0
/*
 * recorder_outputs.c - the files of a recording, and what is said at its end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/perf_records.h"
#include "record/recorder_outputs.h"

/* Far from the ids that the kernel gives to side-band events. */
#define FILE_ID_BASE	0x1000000000000ULL

/**
 * lw_outputs_file_id - the id that an event's samples carry in the file
 * @event: index in the options
 *
 * Return: never the id of a side-band event.
 */
u64 lw_outputs_file_id(u32 event)
{
	return FILE_ID_BASE + event;
}

/*
 * perf wants the format of a tracepoint in the file and then raw data in each
 * sample; there is none, so the event keeps its name only.  The addresses of
 * strings in our memory mean nothing to a reader.
 */
static void make_file_attr(struct perf_event_attr *attr, const struct lw_event *event)
{
	*attr = event->attr;
	attr->sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	if (event->counted) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = LW_CONFIG_NAME_ONLY;
		attr->config1 = 0;
		attr->config2 = 0;
	}
}

/**
 * lw_outputs_sample - append a sample to the perf.data file
 * @rec: with its file open
 * @event: index in the options
 * @sample: valid
 * @stack: its user stack or NULL
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_outputs_sample(struct lw_recorder *rec, u32 event, const struct lw_sample *sample,
		      const struct lw_user_stack *stack)
{
	u64 id = lw_outputs_file_id(event);

	if (rec->options->deferred)
		return lw_perf_writer_deferred(&rec->file, id, rec->sideband.ids[0], sample, stack);
	return lw_perf_writer_sample(&rec->file, id, sample, stack);
}

/* All of it is one event to readers. */
static int add_sideband(struct lw_recorder *rec)
{
	u32 nr = rec->sideband.nr_fds, nr_cgroups = rec->cgroups.made.nr_fds;
	struct perf_event_attr dummy = rec->sideband.attr;
	u64 *ids = reallocarray(NULL, nr + nr_cgroups, sizeof(*ids));
	int ret;

	if (!ids)
		return -ENOMEM;
	memcpy(ids, rec->sideband.ids, nr * sizeof(*ids));
	if (nr_cgroups)
		memcpy(ids + nr, rec->cgroups.made.ids, nr_cgroups * sizeof(*ids));
	dummy.cgroup = rec->options->all_cgroups;
	if (rec->options->deferred)
		lw_perf_writer_set_deferred(&dummy, false);
	ret = lw_perf_writer_add_event(&rec->file, "dummy:u", &dummy, ids, nr + nr_cgroups);
	free(ids);
	return ret;
}

/**
 * lw_outputs_open_file - create the perf.data file, up to its data
 * @rec: with its side-band open
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_outputs_open_file(struct lw_recorder *rec)
{
	int ret = lw_perf_writer_open(&rec->file, rec->options->output);

	if (!ret && rec->options->all_cgroups)
		lw_perf_writer_tell_cgroups(&rec->file);
	if (!ret && rec->options->zstd_level)
		ret = lw_perf_writer_pack(&rec->file, rec->options->zstd_level,
					  rec->options->compressed2);
	for (u32 i = 0; !ret && i < rec->options->nr_events; i++) {
		u64 id = lw_outputs_file_id(i);
		struct perf_event_attr attr;

		make_file_attr(&attr, &rec->options->events[i]);
		if (rec->options->deferred)
			lw_perf_writer_set_deferred(&attr, true);
		ret = lw_perf_writer_add_event(&rec->file, rec->options->events[i].name, &attr,
					       &id, 1);
	}
	if (!ret)
		ret = add_sideband(rec);
	if (ret == -ENOMEM)
		return lw_fail(ret, "out of memory");
	return ret ? ret : lw_perf_writer_begin(&rec->file, rec->argc, rec->argv);
}

/**
 * lw_outputs_open_stats - create the file of numbers, which are written at the end
 * @rec: with its options
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_outputs_open_stats(struct lw_recorder *rec)
{
	const char *path = rec->options->stats;

	if (!path)
		return 0;
	rec->stats = fopen(path, "we");
	if (!rec->stats)
		return lw_fail(-errno, "cannot create %s: %s\n  Choose another place with --stats.",
			       path, strerror(errno));
	return 0;
}

/**
 * lw_outputs_lost - records that were lost so far
 * @rec: set up
 *
 * Return: how many.
 */
u64 lw_outputs_lost(struct lw_recorder *rec)
{
	struct lw_stats stats;

	if (lw_session_stats(rec->session, &stats))
		return 0;
	return stats.lost_full + stats.lost_big + stats.lost_nested;
}

static u64 overwritten(struct lw_recorder *rec)
{
	struct lw_stats stats;

	return lw_session_stats(rec->session, &stats) ? 0 : stats.overwritten;
}

/* Of all drops, also those after the last record; stacks are none. */
static int write_lost_samples(struct lw_recorder *rec)
{
	struct lw_stats stats;
	u64 lost;

	if (lw_session_stats(rec->session, &stats))
		return 0;
	lost = stats.lost_full + stats.lost_big + stats.lost_nested - stats.lost_stacks;
	return lost ? lw_perf_writer_lost_samples(&rec->file, lw_outputs_file_id(0), lost) : 0;
}

static struct lw_table_maker_stats tables_stats(const struct lw_recorder *rec)
{
	struct lw_table_maker_stats stats;

	lw_table_supply_stats(&rec->supply, &stats);
	return stats;
}

static struct lw_off_cpu_stats off_cpu_stats(const struct lw_recorder *rec)
{
	struct lw_off_cpu_stats stats;

	lw_off_cpu_source_stats(&rec->off_cpu, &stats);
	return stats;
}

static int write_stats(struct lw_recorder *rec)
{
	const struct latewind_stack_join_stats *join = latewind_stack_join_stats(rec->stack_join);
	const struct lw_counts *counts = &rec->counts;
	struct lw_table_maker_stats tables = tables_stats(rec);
	struct lw_off_cpu_stats off_cpu = off_cpu_stats(rec);
	const struct {
		const char *name;
		u64 value;
	} rows[] = {
		{ "samples", counts->samples },
		{ "user_stacks", counts->user_stacks },
		{ "in_kernel_only", counts->in_kernel_only },
		{ "outermost", counts->outermost },
		{ "truncated", counts->truncated },
		{ "lost_walks", counts->lost_walks },
		{ "no_walks", counts->no_walks },
		{ "lost_records", lw_outputs_lost(rec) },
		{ "overwritten_records", overwritten(rec) },
		{ "lost_sideband", rec->sideband.lost + rec->cgroups.made.lost },
		{ "user_stacks_missing", counts->user_stacks_missing },
		{ "user_stacks_refused", counts->user_stacks_refused },
		{ "user_stacks_orphaned", join->orphans },
		{ "samples_evicted", join->evicted },
		{ "bad_records", counts->bad_records + counts->unknown_events },
		{ "frames_sframe", counts->frames_sframe },
		{ "frames_registered", counts->frames_registered },
		{ "frames_fp", counts->frames_fp },
		{ "frames_sigframe", counts->frames_sigframe },
		{ "frames_table", counts->frames_table },
		{ "tables", tables.tables },
		{ "table_bytes", tables.bytes },
		{ "table_files", tables.files },
		{ "table_files_failed", lw_table_supply_failed(&tables) },
		{ "table_follow_failed", lw_table_supply_follow_failed(&rec->supply) },
		{ "table_start_us", tables.start_time / 1000 },
		{ "table_delay_us", tables.max_delay / 1000 },
		{ "late_records", rec->file.late },
		{ "off_cpu_blocked", off_cpu.blocked },
		{ "off_cpu_preempted", off_cpu.preempted },
		{ "off_cpu_left_out", off_cpu.left_out },
		{ "off_cpu_lost", off_cpu.lost },
		{ "bytes_written", rec->file.pos },
	};
	FILE *file = rec->stats;
	int failed;

	fputc('{', file);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		fprintf(file, "\n  \"%s\": %llu,", rows[i].name, rows[i].value);
	fprintf(file, "\n  \"bytes_per_sample\": %.1f\n}\n", counts->samples ?
		(double)rec->file.pos / counts->samples : 0.0);
	rec->stats = NULL;
	failed = ferror(file);
	if (fclose(file) || failed)
		return lw_fail(-EIO, "cannot write %s: %s", rec->options->stats, strerror(errno));
	return 0;
}

static void say_warnings(struct lw_recorder *rec, u64 lost)
{
	if (lost)
		fprintf(stderr, "latewind: %llu records were lost, mostly as a ring was full\n"
			"  Use a larger --ring-size or a lower -F.\n", lost);
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
	if (off_cpu_stats(rec).lost)
		fprintf(stderr, "latewind: of %llu switches it is not known how long they were\n"
			"  Records of the side-band or samples were lost, or came too late.\n",
			off_cpu_stats(rec).lost);
	lw_table_supply_say(&rec->supply);
	if (rec->counts.bad_records + rec->counts.unknown_events)
		fprintf(stderr, "latewind: %llu records made no sense and were skipped\n"
			"  Module and tool may be of different builds.\n",
			rec->counts.bad_records + rec->counts.unknown_events);
}

static const char *file_name(const struct lw_recorder *rec)
{
	return strcmp(rec->options->output, "-") ? rec->options->output : "the standard output";
}

static void say_summary(struct lw_recorder *rec, u64 lost)
{
	const struct lw_counts *counts = &rec->counts;

	fprintf(stderr, "[ latewind %s: %llu samples, %llu user stacks (%llu complete), %llu lost",
		rec->options->verb, counts->samples, counts->user_stacks, counts->outermost, lost);
	if (rec->options->overwrite)
		fprintf(stderr, ", %llu older records overwritten", overwritten(rec));
	if (rec->options->output)
		fprintf(stderr, ", wrote %.1f MB to %s", rec->file.pos / 1e6, file_name(rec));
	fputs(" ]\n", stderr);
}

/**
 * lw_outputs_finish - complete the files and say what is in them
 * @rec: all is written
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_outputs_finish(struct lw_recorder *rec)
{
	u64 lost = lw_outputs_lost(rec);
	int ret = 0;

	if (rec->file.file)
		ret = write_lost_samples(rec);
	if (!ret && rec->file.file)
		ret = lw_perf_writer_finish(&rec->file);
	if (!ret && rec->stats)
		ret = write_stats(rec);
	if (ret || rec->options->quiet)
		return ret;
	say_warnings(rec, lost);
	say_summary(rec, lost);
	return 0;
}

/* What was created only; a text on the standard output is no file of ours. */
static void discard(struct lw_recorder *rec)
{
	if (rec->file.file)
		lw_perf_writer_discard(&rec->file, rec->options->output);
	if (rec->stats)
		lw_remove_file(rec->options->stats, false);
	if (rec->text && rec->text != stdout)
		lw_remove_file(rec->options->text, false);
}

/**
 * lw_outputs_after_failure - keep what was recorded before, if anything was
 * @rec: after a failure, which was told already
 */
void lw_outputs_after_failure(struct lw_recorder *rec)
{
	if (!rec->counts.samples) {
		discard(rec);
		return;
	}
	if (rec->file.file && !lw_perf_writer_finish(&rec->file))
		fprintf(stderr, "latewind: %s has the %llu samples up to then\n",
			file_name(rec), rec->counts.samples);
	if (rec->stats)
		write_stats(rec);
}
