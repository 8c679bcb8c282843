// SPDX-License-Identifier: GPL-2.0
/*
 * stats_sink.c - what became of a recording, as a JSON object of numbers.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "record/recorder.h"
#include "record/recorder_summary.h"

struct stats_sink {
	struct lw_recorder *rec;
	struct lw_output output;
	FILE *file;			/* until they are written */
};

static int open_stats(struct lw_recorder *rec, void **state)
{
	const char *path = rec->options->stats;
	struct stats_sink *sink = calloc(1, sizeof(*sink));
	int fd;

	*state = sink;
	if (!sink)
		return -ENOMEM;
	sink->rec = rec;
	fd = lw_output_open(&sink->output, path, false);
	if (fd < 0)
		return lw_fail(fd, "cannot create %s: %s\n  Choose another place with --stats.",
			       path, strerror(-fd));
	sink->file = fdopen(fd, "w");
	if (sink->file)
		return 0;
	close(fd);
	return -ENOMEM;
}

static struct lw_table_maker_stats tables_stats(const struct lw_recorder *rec)
{
	struct lw_table_maker_stats stats;

	lw_table_supply_stats(&rec->supply, &stats);
	return stats;
}

static int write_stats(struct stats_sink *sink)
{
	struct lw_recorder *rec = sink->rec;
	const struct latewind_stack_join_stats *join = latewind_stack_join_stats(rec->stack_join);
	const struct lw_counts *counts = &rec->counts;
	struct lw_table_maker_stats tables = tables_stats(rec);
	struct lw_off_cpu_stats off_cpu = lw_recorder_off_cpu_stats(rec);
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
		{ "lost_records", lw_recorder_lost(rec) },
		{ "overwritten_records", lw_recorder_overwritten(rec) },
		{ "lost_sideband", rec->sideband.lost + rec->cgroups.made.lost },
		{ "user_stacks_missing", counts->user_stacks_missing },
		{ "user_stacks_refused", counts->user_stacks_refused },
		{ "user_stacks_orphaned", join->orphans },
		{ "missing_children", counts->missing_children },
		{ "samples_evicted", join->evicted },
		{ "bad_records", counts->bad_records + counts->unknown_events },
		{ "frames_sframe", counts->frames_sframe },
		{ "frames_registered", counts->frames_registered },
		{ "frames_fp", counts->frames_fp },
		{ "frames_sigframe", counts->frames_sigframe },
		{ "frames_table", counts->frames_table },
		{ "frames_analysis", counts->frames_analysis },
		{ "tables", tables.tables },
		{ "table_bytes", tables.bytes },
		{ "table_files", tables.files },
		{ "table_files_failed", lw_table_supply_failed(&tables) },
		{ "table_follow_failed", lw_table_supply_follow_failed(&rec->supply) },
		{ "table_start_us", tables.start_time / 1000 },
		{ "table_delay_us", tables.max_delay / 1000 },
		{ "lost_text", counts->lost_text },
		{ "late_records", counts->late_records },
		{ "off_cpu_blocked", off_cpu.blocked },
		{ "off_cpu_preempted", off_cpu.preempted },
		{ "off_cpu_left_out", off_cpu.left_out },
		{ "off_cpu_lost", off_cpu.lost },
		{ "bytes_written", counts->bytes_written },
	};
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };
	FILE *file = sink->file;
	int failed, ret;

	lw_json_open(&json, NULL, '{');
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		lw_json_line(&json);
		lw_json_u64(&json, rows[i].name, rows[i].value);
	}
	lw_json_line(&json);
	lw_json_double(&json, "bytes_per_sample", counts->samples ?
		       (double)counts->bytes_written / counts->samples : 0.0, 1);
	lw_stack_ends_json(rec->stack_ends, &json);
	lw_json_close(&json, '}');
	lw_strbuf_char(&out, '\n');
	if (out.failed)
		errno = ENOMEM;
	failed = out.failed || fwrite(out.text, out.len, 1, file) != 1;
	lw_strbuf_free(&out);
	sink->file = NULL;
	if (fclose(file) || failed)
		return lw_fail(-EIO, "cannot write %s: %s", rec->options->stats, strerror(errno));
	ret = lw_output_publish(&sink->output);
	return ret ? lw_fail(ret, "cannot give %s its name: %s", rec->options->stats,
			     strerror(-ret)) : 0;
}

static int finish(void *state)
{
	return write_stats(state);
}

static void fail(void *state)
{
	struct stats_sink *sink = state;

	if (sink->file && sink->rec->counts.samples)
		write_stats(sink);
}

static void close_stats(void *state)
{
	struct stats_sink *sink = state;

	if (sink->file)
		fclose(sink->file);
	lw_output_close(&sink->output);
	free(sink);
}

const struct lw_sink_ops lw_stats_sink = {
	.open = open_stats,
	.finish = finish,
	.fail = fail,
	.close = close_stats,
};
