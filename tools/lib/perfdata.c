// SPDX-License-Identifier: GPL-2.0
/*
 * perfdata.c - writes a perf.data file that stock perf reads.
 *
 * Layout: header, ids, attributes, data, then a table of the feature sections
 * and these.  Only the header is written twice.  There are no FINISHED_ROUND
 * records: perf then sorts the whole data section by time, so that a sample
 * whose stack came late may stand after younger ones.
 *
 * Contexts: one thread per file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "perfdata.h"

#define ATTR_SIZE		128	/* PERF_ATTR_SIZE_VER7: perf 6.1 knows it */
#define STRING_ALIGN		64
#define MAX_CHAIN		(LW_MAX_DEPTH + LW_MAX_KERNEL_DEPTH + 2)
#define FIRST_BAD_IP		(~0ULL - 4094)	/* from here perf sees context marks */

enum feature {
	FEATURE_HOSTNAME	= 3,
	FEATURE_OSRELEASE	= 4,
	FEATURE_VERSION		= 5,
	FEATURE_ARCH		= 6,
	FEATURE_NRCPUS		= 7,
	FEATURE_TOTAL_MEM	= 10,
	FEATURE_CMDLINE		= 11,
	FEATURE_EVENT_DESC	= 12,
	FEATURE_SAMPLE_TIME	= 21,
	FEATURE_CLOCKID		= 23,
};

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
	u8 attr[ATTR_SIZE];
	struct section ids;
};

static int put(struct lw_perfdata *out, const void *data, size_t len)
{
	if (len && fwrite_unlocked(data, len, 1, out->file) != 1)
		return lw_fail(errno ? -errno : -EIO, "cannot write the output file: %s\n"
			       "  Is the disk full? Choose another place with -o.",
			       strerror(errno));
	out->pos += len;
	return 0;
}

static int put_u32(struct lw_perfdata *out, u32 value)
{
	return put(out, &value, sizeof(value));
}

static int put_u64(struct lw_perfdata *out, u64 value)
{
	return put(out, &value, sizeof(value));
}

static int put_string(struct lw_perfdata *out, const char *text)
{
	static const char zeros[STRING_ALIGN];
	u32 len = strlen(text) + 1, room = ALIGN_UP(len, STRING_ALIGN);
	int ret = put_u32(out, room);

	if (!ret)
		ret = put(out, text, len);
	if (!ret)
		ret = put(out, zeros, room - len);
	return ret;
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
	event->attr.size = ATTR_SIZE;
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

		memcpy(attr.attr, &out->events[i].attr, ATTR_SIZE);
		ids_at += attr.ids.size;
		ret = put(out, &attr, sizeof(attr));
	}
	out->data_offset = out->pos;
	return ret;
}

/**
 * lw_perfdata_begin - write all that stands before the data
 * @out: with all its events
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_begin(struct lw_perfdata *out)
{
	struct file_header empty = { 0 };
	int ret = put(out, &empty, sizeof(empty));

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
	return put(out, record, record->size);
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
	return put(out, &record, record.header.size);
}

static int put_cmdline(struct lw_perfdata *out, int argc, char **argv)
{
	int ret = put_u32(out, argc);

	for (int i = 0; !ret && i < argc; i++)
		ret = put_string(out, argv[i]);
	return ret;
}

static int put_event_desc(struct lw_perfdata *out)
{
	int ret = put_u32(out, out->nr_events);

	if (!ret)
		ret = put_u32(out, ATTR_SIZE);
	for (u32 i = 0; !ret && i < out->nr_events; i++) {
		const struct lw_perfdata_event *event = &out->events[i];

		ret = put(out, &event->attr, ATTR_SIZE);
		if (!ret)
			ret = put_u32(out, event->nr_ids);
		if (!ret)
			ret = put_string(out, event->name);
		if (!ret)
			ret = put(out, event->ids, event->nr_ids * sizeof(u64));
	}
	return ret;
}

static int put_pair32(struct lw_perfdata *out, u32 first, u32 second)
{
	int ret = put_u32(out, first);

	return ret ? ret : put_u32(out, second);
}

static u64 total_mem_kib(void)
{
	return (u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 1024;
}

static u64 clock_resolution(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC, &ts))
		return 1;
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static int put_feature(struct lw_perfdata *out, enum feature feature, int argc, char **argv)
{
	struct utsname uts = { 0 };
	int ret;

	uname(&uts);
	switch (feature) {
	case FEATURE_HOSTNAME:
		return put_string(out, uts.nodename);
	case FEATURE_OSRELEASE:
		return put_string(out, uts.release);
	case FEATURE_VERSION:
		return put_string(out, "latewind");
	case FEATURE_ARCH:
		return put_string(out, uts.machine);
	case FEATURE_NRCPUS:
		/* the order in the file is available, online */
		return put_pair32(out, sysconf(_SC_NPROCESSORS_CONF),
				  sysconf(_SC_NPROCESSORS_ONLN));
	case FEATURE_TOTAL_MEM:
		return put_u64(out, total_mem_kib());
	case FEATURE_CMDLINE:
		return put_cmdline(out, argc, argv);
	case FEATURE_EVENT_DESC:
		return put_event_desc(out);
	case FEATURE_SAMPLE_TIME:
		ret = put_u64(out, out->first_time);
		return ret ? ret : put_u64(out, out->last_time);
	case FEATURE_CLOCKID:
		return put_u64(out, clock_resolution());
	}
	return -EINVAL;
}

static const enum feature features[] = {
	FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH,
	FEATURE_NRCPUS, FEATURE_TOTAL_MEM, FEATURE_CMDLINE, FEATURE_EVENT_DESC,
	FEATURE_SAMPLE_TIME, FEATURE_CLOCKID,
};

static int put_features(struct lw_perfdata *out, int argc, char **argv)
{
	struct section table[ARRAY_SIZE(features)] = { 0 };
	u64 table_at = out->pos;
	int ret = put(out, table, sizeof(table));

	for (size_t i = 0; !ret && i < ARRAY_SIZE(features); i++) {
		table[i].offset = out->pos;
		ret = put_feature(out, features[i], argc, argv);
		table[i].size = out->pos - table[i].offset;
	}
	if (ret)
		return ret;
	if (fseeko(out->file, table_at, SEEK_SET))
		return -errno;
	out->pos -= sizeof(table);
	return put(out, table, sizeof(table));
}

static int put_header(struct lw_perfdata *out, u64 data_size)
{
	struct file_header header = {
		.magic = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' },
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.attrs = { out->attrs_offset, out->nr_events * sizeof(struct file_attr) },
		.data = { out->data_offset, data_size },
	};

	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		header.features[features[i] / 64] |= 1ULL << (features[i] % 64);
	if (fseeko(out->file, 0, SEEK_SET))
		return -errno;
	out->pos -= sizeof(header);
	return put(out, &header, sizeof(header));
}

/**
 * lw_perfdata_finish - write the features and the header; the file is complete
 * @out: begun
 * @argc: of the tool's command line
 * @argv: likewise
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perfdata_finish(struct lw_perfdata *out, int argc, char **argv)
{
	u64 data_size = out->pos - out->data_offset;
	int ret = put_features(out, argc, argv);

	if (!ret)
		ret = put_header(out, data_size);
	if (!ret && fflush(out->file))
		ret = lw_fail(-errno, "cannot write the output file: %s\n"
			      "  Is the disk full? Choose another place with -o.",
			      strerror(errno));
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
	if (out->file)
		fclose(out->file);
	out->file = NULL;
}
