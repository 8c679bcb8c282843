// SPDX-License-Identifier: GPL-2.0
/*
 * perfdata.c - writes a perf.data file that stock perf reads.
 *
 * Layout: header, ids, attributes, data, then a table of the feature sections
 * and these.  Only the header is written twice.
 *
 * A sample whose stack came late stands after younger ones, so perf has to sort
 * by time.  It does so up to a FINISHED_ROUND record: there it hands out all that
 * is not younger than the youngest record before the previous mark.  So a mark is
 * written when all that can come after it is younger than that.
 *
 * Contexts: one thread per file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perfdata.h"
#include "perfdata_features.h"

#define MAX_CHAIN		(LW_MAX_DEPTH + LW_MAX_KERNEL_DEPTH + 2)
#define RECORD_FINISHED_ROUND	68
#define FILE_MAGIC		{ 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' }
#define FIRST_BAD_IP		(~0ULL - 4094)	/* from here perf sees context marks */

struct section {
	u64 offset;
	u64 size;
};

struct file_header {
	char magic[8];
	u64 size;
	u64 attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	u64 features[4];
};

struct file_attr {
	u8 attr[LW_PERFDATA_ATTR_SIZE];
	struct section ids;
};

static int write_failed(void)
{
	return lw_fail(errno ? -errno : -EIO, "cannot write the output file: %s\n"
		       "  Is the disk full? Choose another place with -o.", strerror(errno));
}

static int put(struct lw_perfdata *out, const void *data, size_t len)
{
	if (len && fwrite_unlocked(data, len, 1, out->file) != 1)
		return write_failed();
	out->pos += len;
	return 0;
}

/* Those of time 0 are not sorted: they are for what was there before. */
static int put_record(struct lw_perfdata *out, const struct perf_event_header *record, u64 time)
{
	if (time > out->newest)
		out->newest = time;
	out->late += time && time < out->handed_out;
	return put(out, record, record->size);
}

/**
 * lw_perfdata_open - create the file
 * @out: out
 * @path: an existing file is renamed to PATH.old
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_open(struct lw_perfdata *out, const char *path)
{
	memset(out, 0, sizeof(*out));
	out->build_ids = lw_build_ids_new();
	if (!out->build_ids)
		return lw_fail(-ENOMEM, "out of memory");
	/* perf does the same: the previous recording is kept once */
	out->kept_old = lw_keep_old_file(path);
	out->file = fopen(path, "we");
	if (!out->file) {
		int err = errno;

		return lw_fail(-err, "cannot create %s: %s\n  Choose another place with -o FILE.",
			       path, strerror(err));
	}
	if (lseek(fileno(out->file), 0, SEEK_CUR) < 0) {
		lw_perfdata_close(out);
		return lw_fail(-ESPIPE, "cannot write a perf.data file to %s: not seekable\n"
			       "  Choose a regular file with -o FILE.", path);
	}
	setvbuf(out->file, NULL, _IOFBF, 256 * 1024);
	return 0;
}

/**
 * lw_perfdata_add_event - name an event of the file, before lw_perfdata_begin()
 * @out: opened
 * @name: shown by perf
 * @attr: is copied; sizes and sample layout are set here
 * @ids: what its records carry; is copied
 * @nr_ids: at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int lw_perfdata_add_event(struct lw_perfdata *out, const char *name,
			  const struct perf_event_attr *attr, const u64 *ids, u32 nr_ids)
{
	struct lw_perfdata_event *event;

	event = reallocarray(out->events, out->nr_events + 1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	out->events = event;
	event += out->nr_events;
	event->name = strdup(name);
	event->ids = malloc(nr_ids * sizeof(u64));
	if (!event->name || !event->ids) {
		free(event->name);
		free(event->ids);
		return -ENOMEM;
	}
	memcpy(event->ids, ids, nr_ids * sizeof(u64));
	event->nr_ids = nr_ids;
	event->attr = *attr;
	event->attr.size = LW_PERFDATA_ATTR_SIZE;
	event->attr.sample_id_all = 1;
	event->attr.read_format = PERF_FORMAT_ID;
	out->nr_events++;
	return 0;
}

static int put_attrs(struct lw_perfdata *out)
{
	u64 ids_at = sizeof(struct file_header);
	int ret = 0;

	for (u32 i = 0; !ret && i < out->nr_events; i++)
		ret = put(out, out->events[i].ids, out->events[i].nr_ids * sizeof(u64));
	out->attrs_offset = out->pos;
	for (u32 i = 0; !ret && i < out->nr_events; i++) {
		struct file_attr attr = {
			.ids = { ids_at, out->events[i].nr_ids * sizeof(u64) },
		};

		memcpy(attr.attr, &out->events[i].attr, LW_PERFDATA_ATTR_SIZE);
		ids_at += attr.ids.size;
		ret = put(out, &attr, sizeof(attr));
	}
	out->data_offset = out->pos;
	return ret;
}

/* One moment by both clocks, so that a reader can tell the time of day. */
static void read_clocks(struct lw_perfdata *out)
{
	struct timespec wall;
	u64 before = lw_now();

	clock_gettime(CLOCK_REALTIME, &wall);
	out->mono_time = before + (lw_now() - before) / 2;
	out->wall_time = wall.tv_sec * NSEC_PER_SEC + wall.tv_nsec;
}

/**
 * lw_perfdata_begin - write all that stands before the data
 * @out: with all its events
 * @argc: of the tool's command line
 * @argv: likewise; is used until the end
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_begin(struct lw_perfdata *out, int argc, char **argv)
{
	struct file_header empty = { 0 };
	int ret;

	out->argc = argc;
	out->argv = argv;
	read_clocks(out);
	ret = put(out, &empty, sizeof(empty));
	return ret ? ret : put_attrs(out);
}

/**
 * lw_perfdata_record - append a side-band record
 * @out: begun
 * @record: complete, with a trailer of struct lw_sample_id
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_record(struct lw_perfdata *out, const struct perf_event_header *record)
{
	const struct lw_sample_id *id;
	u64 time = 0;

	if (record->size >= sizeof(*record) + sizeof(*id)) {
		id = (const void *)((const u8 *)record + record->size - sizeof(*id));
		time = id->time;
	}
	if (lw_build_ids_note(out->build_ids, record))
		return lw_fail(-ENOMEM, "out of memory");
	return put_record(out, record, time);
}

static u32 add_chain(u64 *chain, u64 context, const u64 *ips, u32 nr, u32 most)
{
	u32 len = 0;

	if (!nr)
		return 0;
	chain[len++] = context;
	for (u32 i = 0; i < nr && i < most; i++) {
		if (ips[i] < FIRST_BAD_IP)
			chain[len++] = ips[i];
	}
	return len;
}

static u32 make_chain(u64 *chain, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	bool user_ip = sample->record.flags & LW_SAMPLE_USER_IP;
	u32 len;

	len = add_chain(chain, PERF_CONTEXT_KERNEL, sample->kernel, sample->nr_kernel,
			LW_MAX_KERNEL_DEPTH);
	if (stack && stack->nr)
		return len + add_chain(chain + len, PERF_CONTEXT_USER, stack->frames, stack->nr,
				       LW_MAX_DEPTH);
	if (user_ip)
		return len + add_chain(chain + len, PERF_CONTEXT_USER, &sample->ip, 1, 1);
	if (!len)
		len = add_chain(chain, PERF_CONTEXT_KERNEL, &sample->ip, 1, 1);
	return len;
}

/**
 * lw_perfdata_sample - append a sample
 * @out: begun
 * @id: of its event in this file
 * @sample: valid
 * @stack: its user stack or NULL
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_sample(struct lw_perfdata *out, u64 id, const struct lw_sample *sample,
		       const struct lw_user_stack *stack)
{
	struct {
		struct perf_event_header header;
		u64 id;
		u64 ip;
		u32 pid, tid;
		u64 time;
		u32 cpu, reserved;
		u64 period;
		u64 nr;
		u64 chain[MAX_CHAIN];
	} record;

	record.header.type = PERF_RECORD_SAMPLE;
	record.header.misc = sample->record.flags & LW_SAMPLE_USER_IP ?
			     PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	record.id = id;
	record.ip = sample->ip;
	record.pid = sample->pid;
	record.tid = sample->tid;
	record.time = sample->time;
	record.cpu = sample->cpu;
	record.reserved = 0;
	record.period = sample->period;
	record.nr = make_chain(record.chain, sample, stack);
	record.header.size = offsetof(typeof(record), chain) + record.nr * sizeof(u64);

	if (!out->first_time || sample->time < out->first_time)
		out->first_time = sample->time;
	if (sample->time > out->last_time)
		out->last_time = sample->time;
	return put_record(out, &record.header, sample->time);
}

/**
 * lw_perfdata_round - mark that a round has ended, if that is so
 * @out: begun
 * @since: nothing older than that will be written any more
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_round(struct lw_perfdata *out, u64 since)
{
	struct perf_event_header mark = { .type = RECORD_FINISHED_ROUND, .size = sizeof(mark) };

	if (since < out->round_end || out->newest == out->round_end)
		return 0;
	out->handed_out = out->round_end;
	out->round_end = out->newest;
	return put(out, &mark, sizeof(mark));
}

/**
 * lw_perfdata_lost - append that records were lost, as perf's rings tell it
 * @out: begun
 * @id: of an event in this file
 * @cpu: where
 * @time: when, as near as is known; never before what perf has handed out by then
 * @nr: how many
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_lost(struct lw_perfdata *out, u64 id, u32 cpu, u64 time, u64 nr)
{
	struct {
		struct perf_event_header header;
		u64 id, nr;
		struct lw_sample_id sample_id;
	} record = {
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(record) },
		.id = id,
		.nr = nr,
		.sample_id = { .time = time, .cpu = cpu, .id = id },
	};

	if (time < out->handed_out)
		record.sample_id.time = out->handed_out;
	return put_record(out, &record.header, record.sample_id.time);
}

/**
 * lw_perfdata_lost_samples - append how many samples were lost in all
 * @out: begun
 * @id: of an event in this file
 * @nr: how many
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_lost_samples(struct lw_perfdata *out, u64 id, u64 nr)
{
	struct {
		struct perf_event_header header;
		u64 nr;
		struct lw_sample_id sample_id;
	} record = {
		.header = { .type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(record) },
		.nr = nr,
		.sample_id = { .time = out->newest, .id = id },
	};

	return put_record(out, &record.header, out->newest);
}

struct feature {
	u32 number;
	char *data;
	size_t size;
};

struct features {
	struct feature all[LW_FEATURES_MAX];
	u32 nr;
};

static void free_features(struct features *features)
{
	for (u32 i = 0; i < features->nr; i++)
		free(features->all[i].data);
	free(features);
}

/* In the order of their numbers, as their sections have to stand. */
static struct features *make_features(struct lw_perfdata *out)
{
	struct features *features = calloc(1, sizeof(*features));

	for (u32 i = 0; features && i < LW_FEATURES_MAX; i++) {
		struct feature *feature = &features->all[features->nr];

		if (lw_perfdata_feature(out, i, &feature->data, &feature->size)) {
			free_features(features);
			return NULL;
		}
		feature->number = i;
		features->nr += !!feature->data;
	}
	return features;
}

/* A table of their sections, right behind the data, and these. */
static int put_features(struct lw_perfdata *out, const struct features *features)
{
	u64 at = out->pos + features->nr * sizeof(struct section);
	int ret = 0;

	for (u32 i = 0; !ret && i < features->nr; i++) {
		struct section section = { at, features->all[i].size };

		ret = put(out, &section, sizeof(section));
		at += section.size;
	}
	for (u32 i = 0; !ret && i < features->nr; i++)
		ret = put(out, features->all[i].data, features->all[i].size);
	return ret;
}

static int put_header(struct lw_perfdata *out, const struct features *features, u64 data_size)
{
	struct file_header header = {
		.magic = FILE_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.attrs = { out->attrs_offset, out->nr_events * sizeof(struct file_attr) },
		.data = { out->data_offset, data_size },
	};

	for (u32 i = 0; i < features->nr; i++)
		header.features[features->all[i].number / 64] |=
			1ULL << (features->all[i].number % 64);
	if (fseeko(out->file, 0, SEEK_SET))
		return lw_fail(-errno, "cannot write the output file: %s", strerror(errno));
	out->pos -= sizeof(header);
	return put(out, &header, sizeof(header));
}

/**
 * lw_perfdata_finish - write the features and the header; the file is complete
 * @out: begun
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_finish(struct lw_perfdata *out)
{
	u64 data_size = out->pos - out->data_offset;
	struct features *features = make_features(out);
	int ret;

	if (!features)
		return lw_fail(-ENOMEM, "out of memory");
	ret = put_features(out, features);
	if (!ret)
		ret = put_header(out, features, data_size);
	if (!ret && fflush(out->file))
		ret = write_failed();
	free_features(features);
	return ret;
}

/**
 * lw_perfdata_discard - close the file, which has nothing in it, and remove it
 * @out: opened
 * @path: its name; only a regular file is removed, and the one that it took the
 *	place of is back
 */
void lw_perfdata_discard(struct lw_perfdata *out, const char *path)
{
	bool kept_old = out->kept_old;

	lw_perfdata_close(out);
	lw_remove_file(path, kept_old);
}

/**
 * lw_perfdata_close - close the file and free all
 * @out: opened
 */
void lw_perfdata_close(struct lw_perfdata *out)
{
	for (u32 i = 0; i < out->nr_events; i++) {
		free(out->events[i].name);
		free(out->events[i].ids);
	}
	free(out->events);
	out->events = NULL;
	out->nr_events = 0;
	lw_build_ids_free(out->build_ids);
	out->build_ids = NULL;
	if (out->file)
		fclose(out->file);
	out->file = NULL;
}
