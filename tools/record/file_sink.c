// SPDX-License-Identifier: GPL-2.0
/*
 * file_sink.c - a recording as a perf.data file, or as several, one behind the other.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/perf_records.h"
#include "events/event_tracepoint.h"
#include "events/tracing_data.h"
#include "perf/perf_writer.h"
#include "record/name_saver.h"
#include "record/recorder.h"
#include "record/recorder_summary.h"
#include "sideband/sideband_log.h"

/* Far from the ids that the kernel gives to side-band events. */
#define FILE_ID_BASE	0x1000000000000ULL

struct file_sink {
	struct lw_recorder *rec;
	struct lw_perf_writer file;
	char *formats;			/* of tracepoints; NULL: none, or they can't be read */
	struct lw_sideband_log *log;	/* NULL: there will be no other file */
	u64 oldest;			/* time, of what a flight recorder may still keep */
	u64 head;			/* bytes of this file that tell of what was before it */
	u64 bytes;			/* of the files before */
	u64 lost;			/* that these tell */
	bool completed;			/* or that was tried */
	struct lw_name_saver *names;	/* NULL: names of user code are not saved */
};

/* Return: the id that an event's samples carry in the file. */
static u64 file_id(u32 event)
{
	return FILE_ID_BASE + event;
}

/*
 * perf wants the format of a tracepoint in the file: without it an event keeps its name only, as
 * a probe does. The addresses of strings in our memory mean nothing to a reader.
 */
static void make_file_attr(const struct file_sink *sink, struct perf_event_attr *attr,
			   const struct lw_event *event)
{
	*attr = event->attr;
	attr->sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN;
	if (lw_event_has_fields(event) && sink->formats) {
		attr->sample_type |= PERF_SAMPLE_RAW;
		attr->use_clockid = 1;
		attr->clockid = CLOCK_MONOTONIC;
		return;
	}
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	/* else readers miss the kernel's mapping, see lw_event.in_user */
	if (event->in_user)
		attr->exclude_kernel = 1;
	if (event->counted) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = LW_CONFIG_NAME_ONLY;
		attr->config1 = 0;
		attr->config2 = 0;
	}
}

/* All of it is one event to readers. */
static int add_sideband(struct file_sink *sink)
{
	const struct lw_recorder *rec = sink->rec;
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
	ret = lw_perf_writer_add_event(&sink->file, "dummy:u", &dummy, ids, nr + nr_cgroups);
	free(ids);
	return ret;
}

static int add_event(struct file_sink *sink, u32 event)
{
	const struct lw_options *options = sink->rec->options;
	struct perf_event_attr attr;
	u64 id = file_id(event);

	make_file_attr(sink, &attr, &options->events[event]);
	if (options->deferred)
		lw_perf_writer_set_deferred(&attr, true);
	return lw_perf_writer_add_event(&sink->file, options->events[event].name, &attr, &id, 1);
}

/* A file that there is for good, under a name that can be changed. */
static int check_names(const struct file_sink *sink)
{
	if (!sink->rec->options->timestamp_filename || sink->file.output.path)
		return 0;
	return lw_fail(-EINVAL, "%s can't get another name, as --switch-output and\n"
		       "  --timestamp-filename give it: choose a file with -o.",
		       lw_recorder_output_name(sink->rec));
}

static void read_formats(struct file_sink *sink)
{
	const struct lw_options *options = sink->rec->options;
	size_t size;
	int ret;

	if (!lw_session_can(sink->rec->session, LW_FEATURE_RAW))
		return;
	ret = lw_tracing_data_make(lw_tracefs(), options->events, options->nr_events,
				   &sink->formats, &size);
	if (ret)
		fprintf(stderr, "latewind: cannot read what tracepoints tell: %s\n"
			"  The recording has their names only.\n", strerror(-ret));
	if (sink->formats)
		lw_perf_writer_set_formats(&sink->file, sink->formats, size);
}

/* Up to its data. */
static int create(struct file_sink *sink)
{
	const struct lw_options *options = sink->rec->options;
	int ret = lw_perf_writer_open(&sink->file, options->output);

	if (!ret)
		read_formats(sink);

	if (!ret)
		ret = check_names(sink);
	if (!ret && options->all_cgroups)
		lw_perf_writer_tell_cgroups(&sink->file);
	if (!ret && options->zstd_level)
		ret = lw_perf_writer_pack(&sink->file, options->zstd_level, options->compressed2);
	for (u32 i = 0; !ret && i < options->nr_events; i++)
		ret = add_event(sink, i);
	if (!ret)
		ret = add_sideband(sink);
	return ret ? ret : lw_perf_writer_begin(&sink->file, sink->rec->argc, sink->rec->argv);
}

static int open_file(struct lw_recorder *rec, void **state)
{
	struct file_sink *sink = calloc(1, sizeof(*sink));

	*state = sink;
	if (!sink)
		return -ENOMEM;
	sink->rec = rec;
	if (rec->options->switch_output)
		sink->log = lw_sideband_log_new();
	if (rec->options->switch_output && !sink->log)
		return -ENOMEM;
	if (!rec->options->no_names)
		sink->names = lw_name_saver_new(rec->kept);
	if (!rec->options->no_names && !sink->names)
		return -ENOMEM;
	return create(sink);
}

static int begin(void *state)
{
	struct file_sink *sink = state;

	sink->head = sink->file.pos;
	return lw_perf_writer_publish(&sink->file);
}

static int write_record(void *state, const struct perf_event_header *record)
{
	struct file_sink *sink = state;

	if (sink->log && lw_sideband_log_add(sink->log, record))
		return -ENOMEM;
	return lw_perf_writer_record(&sink->file, record);
}

/* Their time is about that of the record before them. */
static int write_lost(void *state, u64 nr)
{
	struct file_sink *sink = state;

	return lw_perf_writer_lost(&sink->file, file_id(0), sink->rec->ring, sink->rec->ring_time,
				   nr);
}

static int write_sample(void *state, u32 event, const struct lw_sample *sample,
			const struct lw_user_stack *stack)
{
	struct file_sink *sink = state;
	u64 id = file_id(event);

	if (sink->rec->options->deferred)
		return lw_perf_writer_deferred(&sink->file, id, sink->rec->sideband.ids[0], sample,
					       stack);
	return lw_perf_writer_sample(&sink->file, id, sample, stack);
}

static void count_bytes(struct file_sink *sink)
{
	sink->rec->counts.file_bytes = sink->file.pos - sink->head;
	sink->rec->counts.bytes_written = sink->bytes + sink->file.pos;
	sink->rec->counts.late_records = sink->file.late;
}

/* Of all drops since the last file, also those after the last record; stacks are none. */
static int write_lost_samples(struct file_sink *sink)
{
	struct lw_stats stats;
	u64 lost;

	if (lw_session_stats(sink->rec->session, &stats))
		return 0;
	lost = stats.lost_full + stats.lost_big + stats.lost_nested - stats.lost_stacks;
	if (lost <= sink->lost)
		return 0;
	lost -= sink->lost;
	sink->lost += lost;
	return lw_perf_writer_lost_samples(&sink->file, file_id(0), lost);
}

static int give_name(struct file_sink *sink)
{
	const struct lw_options *options = sink->rec->options;
	int ret;

	if (!options->timestamp_filename)
		return 0;
	ret = lw_file_names_give(&sink->rec->file_names, options->output,
				 options->switch_max_files);
	if (!ret && options->switch_output && !options->quiet)
		fprintf(stderr, "[ latewind record: dump %s ]\n",
			lw_recorder_output_name(sink->rec));
	return ret;
}

static int complete(struct file_sink *sink)
{
	int ret;

	sink->completed = true;
	sink->file.modules = sink->rec->modules;
	ret = lw_perf_writer_finish(&sink->file);
	count_bytes(sink);
	return ret ? ret : give_name(sink);
}

/* But for the names of user code, which follow. */
static int finish_file(struct file_sink *sink)
{
	int ret = write_lost_samples(sink);

	if (!ret)
		ret = complete(sink);
	if (ret || !sink->names || !sink->file.output.path)
		return ret;
	/* what was recorded is worth more */
	if (lw_name_saver_add(sink->names, lw_recorder_output_name(sink->rec)))
		fprintf(stderr, "latewind: %s has no names of functions\n"
			"  It is not there any more, or too many files wait.\n",
			lw_recorder_output_name(sink->rec));
	return 0;
}

static int finish(void *state)
{
	struct file_sink *sink = state;
	const struct lw_recorder *rec = sink->rec;
	int ret = finish_file(sink);

	if (!ret && sink->names)
		sink->bytes += lw_name_saver_finish(sink->names, rec->wait.signal_fd,
						    !rec->options->quiet);
	count_bytes(sink);
	return ret;
}

static int write_again(void *ctx, const struct perf_event_header *record)
{
	return lw_perf_writer_record_again(ctx, record);
}

/*
 * What a flight recorder keeps is not older than what it had when it was read last: up to then
 * it may have all.
 */
static u64 needed_since(struct file_sink *sink)
{
	if (!sink->rec->options->overwrite)
		return lw_recorder_complete_until(sink->rec);
	if (sink->file.first_time)
		sink->oldest = sink->file.first_time;
	return sink->oldest;
}

/*
 * Complete this file, and go on in another one.  A sample that waits for its stack is in that
 * one, and so are mappings and names of what it may tell of.
 */
static int switch_file(struct file_sink *sink)
{
	u64 since = needed_since(sink);
	int ret = finish_file(sink);

	if (ret)
		return ret;
	sink->bytes += sink->file.pos;
	lw_sideband_log_forget(sink->log, since);
	ret = lw_perf_writer_next(&sink->file, sink->rec->options->output);
	sink->completed = false;
	if (!ret)
		ret = lw_sideband_log_replay(sink->log, write_again, &sink->file);
	sink->head = sink->file.pos;
	return ret ? ret : lw_perf_writer_publish(&sink->file);
}

static int end_pass(void *state, bool goes_on)
{
	struct file_sink *sink = state;
	int ret = lw_perf_writer_round(&sink->file, lw_recorder_complete_until(sink->rec));

	lw_off_cpu_source_not_before(&sink->rec->off_cpu, sink->file.handed_out);
	if (!ret)
		ret = lw_perf_writer_flush(&sink->file);
	if (!ret && sink->rec->switch_due && goes_on)
		ret = switch_file(sink);
	else if (sink->log)
		lw_sideband_log_trim(sink->log, needed_since(sink));
	count_bytes(sink);
	return ret;
}

static void fail(void *state)
{
	struct file_sink *sink = state;
	const struct lw_recorder *rec = sink->rec;

	if (!sink->file.file)
		return;
	if (!rec->counts.samples)
		lw_perf_writer_discard(&sink->file);
	else if (!sink->completed && !complete(sink))
		fprintf(stderr, "latewind: %s has the %llu samples up to then\n",
			lw_recorder_output_name(rec), rec->counts.samples);
	else if (!sink->file.pipe)
		fprintf(stderr, "latewind: %s can be read up to there\n",
			lw_recorder_output_name(rec));
}

static void close_file(void *state)
{
	struct file_sink *sink = state;

	lw_name_saver_free(sink->names);
	lw_perf_writer_close(&sink->file);
	free(sink->formats);
	lw_sideband_log_free(sink->log);
	free(sink);
}

const struct lw_sink_ops lw_file_sink = {
	.wants_fields = true,
	.open = open_file,
	.begin = begin,
	.record = write_record,
	.lost = write_lost,
	.sample = write_sample,
	.pass = end_pass,
	.finish = finish,
	.fail = fail,
	.close = close_file,
};
