// SPDX-License-Identifier: GPL-2.0
/*
 * perf_writer.c - writes a perf.data file that stock perf reads.
 *
 * Layout: header, ids, attributes, data, then a table of the feature sections
 * and these.  Only the header is written more than once: it says how much of the data is
 * there, so that a recording that is not ended can be read up to then.  In a pipe, where
 * nothing can be written twice, attributes and features are records, some of them at the end.
 *
 * A sample whose stack came late stands after younger ones, so perf has to sort
 * by time.  It does so up to a FINISHED_ROUND record: there it hands out all that
 * is not younger than the youngest record before the previous mark.  So a mark is
 * written when all that can come after it is younger than that.
 *
 * The bytes are written by a thread, so that a slow disk, or a reader of a pipe that pauses,
 * does not hold up who empties rings.
 *
 * Contexts: one thread per file.
 */
#include <errno.h>
#include <fcntl.h>
#include <latewind.h>
#include <liblatewind.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "base/write_behind.h"
#include "perf/perf_writer.h"
#include "perf/perf_writer_features.h"

#define MAX_CHAIN		(LW_MAX_DEPTH + LW_MAX_KERNEL_DEPTH + 2)
#define MAX_RAW			8192U	/* PERF_MAX_TRACE_SIZE of the kernel */
#define MAX_BEHIND_CHAIN	(MAX_RAW / sizeof(u64) + 2)
#define BUFFER_SIZE		(256UL << 10)
/* That may wait for a slow disk, or a pipe's reader, before a recording does. */
#define MAX_WAITING		(64UL << 20)
#define RECORD_CALLCHAIN_DEFERRED 22
#define CONTEXT_USER_DEFERRED	(~0ULL - 639)
/* Bits of struct perf_event_attr, behind read_format. */
#define ATTR_FLAGS		(offsetof(struct perf_event_attr, read_format) + sizeof(u64))
#define ATTR_DEFER_CALLCHAIN	38
#define ATTR_DEFER_OUTPUT	39
#define RECORD_HEADER_ATTR	64
#define RECORD_TRACING_DATA	66
#define RECORD_FINISHED_ROUND	68
#define RECORD_HEADER_FEATURE	80
#define MAX_RECORD_IDS		8000	/* of 16 bits of bytes */
#define FIRST_BAD_IP		(~0ULL - 4094)	/* from here perf sees context marks */

struct section {
	u64 offset;
	u64 size;
};

struct file_header {
	u64 magic;
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

struct feature {
	u32 number;
	char *data;
	size_t size;
};

struct features {
	struct feature all[LW_FEATURES_MAX];
	u32 nr;
};

static int write_failed(const struct lw_perf_writer *out)
{
	if (out->pipe && errno == EPIPE)
		return lw_fail(-EPIPE, "the reader of the recording is gone");
	return lw_fail(errno ? -errno : -EIO, "cannot write the output file: %s\n"
		       "  Is the disk full? Choose another place with -o.", strerror(errno));
}

static int put(struct lw_perf_writer *out, const void *data, size_t len)
{
	if (len && fwrite_unlocked(data, len, 1, out->file) != 1)
		return write_failed(out);
	out->pos += len;
	return 0;
}

static int put_packed(struct lw_perf_writer *out)
{
	const void *data;
	size_t size;
	int ret;

	if (!out->zstd)
		return 0;
	ret = lw_zstd_writer_pack(out->zstd, &data, &size);
	return ret ? ret : put(out, data, size);
}

static int put_data(struct lw_perf_writer *out, const struct perf_event_header *record)
{
	int ret;

	if (!out->zstd)
		return put(out, record, record->size);
	if (lw_zstd_writer_add(out->zstd, record))
		return 0;
	ret = put_packed(out);
	if (ret || lw_zstd_writer_add(out->zstd, record))
		return ret;
	return put(out, record, record->size);
}

/* Records of time 0 are not sorted: they are of what was there before. */
static int put_record(struct lw_perf_writer *out, const struct perf_event_header *record, u64 time)
{
	if (time > out->newest)
		out->newest = time;
	out->late += time && time < out->handed_out;
	return put_data(out, record);
}

/* Not to wait for a reader where nothing ends the waiting. */
static int open_fifo(const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int open_fd(struct lw_perf_writer *out, const char *path)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-")) {
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return fd < 0 ? -errno : fd;
	}
	if (!stat(path, &st) && S_ISFIFO(st.st_mode))
		return open_fifo(path);
	/* perf does the same: the previous recording is kept once */
	return lw_output_open(&out->output, path, true);
}

static int cannot_open(int err, const char *path)
{
	if (err == -ENXIO)
		return lw_fail(err, "cannot write to %s: nobody reads it\n"
			       "  Start the reader of the pipe first.", path);
	return lw_fail(err, "cannot create %s: %s\n  Choose another place with -o FILE.",
		       path, strerror(-err));
}

/* Opens what lw_perf_writer_open() has the path of. */
static int open_path(struct lw_perf_writer *out, const char *path)
{
	int fd;

	out->kernel = lw_kernel_addresses_new();
	if (!out->build_ids || !out->bpf || !out->kernel)
		return lw_fail(-ENOMEM, "out of memory");
	fd = open_fd(out, path);
	if (fd < 0)
		return cannot_open(fd, path);
	if (isatty(fd)) {
		close(fd);
		return lw_fail(-EINVAL, "a recording is nothing for a terminal\n"
			       "  Lead it into a pipe: ... -o - | perf script -i -");
	}
	out->pipe = !strcmp(path, "-") || lseek(fd, 0, SEEK_CUR) < 0;
	out->file = lw_write_behind_open(fd, MAX_WAITING, &out->behind);
	if (!out->file) {
		close(fd);
		return lw_fail(-ENOMEM, "out of memory");
	}
	/* it goes by the size if the buffer is ours only */
	out->buffer = malloc(BUFFER_SIZE);
	if (out->buffer)
		setvbuf(out->file, out->buffer, _IOFBF, BUFFER_SIZE);
	return 0;
}

/**
 * lw_perf_writer_open - create the file
 * @out: out
 * @path: an existing file becomes PATH.old in lw_perf_writer_publish(); "-" is the
 *	standard output, which is written to as a pipe, whatever it is; so is what cannot be
 *	sought in
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_open(struct lw_perf_writer *out, const char *path)
{
	memset(out, 0, sizeof(*out));
	out->build_ids = lw_build_ids_new();
	out->bpf = lw_bpf_programs_new();
	return open_path(out, path);
}

/**
 * lw_perf_writer_tell_cgroups - samples have the id of a cgroup, all of them
 * @out: opened, without events
 *
 * One that does not tell of it has 0.
 */
void lw_perf_writer_tell_cgroups(struct lw_perf_writer *out)
{
	out->cgroups = true;
}

/**
 * lw_perf_writer_set_formats - say what the fields of tracepoints are
 * @out: opened
 * @data: as lw_tracing_data_make() makes it; is used until the end
 * @size: bytes
 */
void lw_perf_writer_set_formats(struct lw_perf_writer *out, const void *data, size_t size)
{
	out->formats = data;
	out->formats_size = size;
}

/**
 * lw_perf_writer_add_event - name an event of the file, before lw_perf_writer_begin()
 * @out: opened
 * @name: shown by perf
 * @attr: is copied; sizes and sample layout are set here
 * @ids: what its records carry; is copied
 * @nr_ids: at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int lw_perf_writer_add_event(struct lw_perf_writer *out, const char *name,
			     const struct perf_event_attr *attr, const u64 *ids, u32 nr_ids)
{
	struct lw_perf_writer_event *event;

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
	/* as perf has it, also where there are no samples */
	if (out->cgroups)
		event->attr.sample_type |= PERF_SAMPLE_CGROUP;
	out->nr_events++;
	return 0;
}

/*
 * perf reads no file with a tracepoint whose format it does not have, so up to the end such an
 * event has its name only.
 */
static struct file_attr *make_attrs(const struct lw_perf_writer *out, bool complete)
{
	struct file_attr *attrs = calloc(out->nr_events, sizeof(*attrs));
	u64 ids_at = sizeof(struct file_header);

	for (u32 i = 0; attrs && i < out->nr_events; i++) {
		struct perf_event_attr attr = out->events[i].attr;

		if (attr.type == PERF_TYPE_TRACEPOINT && !complete) {
			attr.type = PERF_TYPE_SOFTWARE;
			attr.config = LW_CONFIG_NAME_ONLY;
		}
		memcpy(attrs[i].attr, &attr, LW_PERFDATA_ATTR_SIZE);
		attrs[i].ids.offset = ids_at;
		attrs[i].ids.size = out->events[i].nr_ids * sizeof(u64);
		ids_at += attrs[i].ids.size;
	}
	return attrs;
}

static int put_attrs(struct lw_perf_writer *out)
{
	struct file_attr *attrs = make_attrs(out, false);
	int ret = attrs ? 0 : lw_fail(-ENOMEM, "out of memory");

	for (u32 i = 0; !ret && i < out->nr_events; i++)
		ret = put(out, out->events[i].ids, out->events[i].nr_ids * sizeof(u64));
	out->attrs_offset = out->pos;
	if (!ret)
		ret = put(out, attrs, out->nr_events * sizeof(*attrs));
	out->data_offset = out->pos;
	free(attrs);
	return ret;
}

/* Behind the header, which says where the formats are. */
static int complete_attrs(struct lw_perf_writer *out)
{
	struct file_attr *attrs = out->formats ? make_attrs(out, true) : NULL;
	int ret = 0;

	if (!out->formats)
		return 0;
	if (!attrs)
		return lw_fail(-ENOMEM, "out of memory");
	if (lw_write_behind_at(out->behind, out->attrs_offset, attrs,
			       out->nr_events * sizeof(*attrs)))
		ret = write_failed(out);
	free(attrs);
	return ret;
}

/* Says how much there is, once it is written. */
static int put_header(struct lw_perf_writer *out, const struct features *features, u64 data_size)
{
	struct file_header header = {
		.magic = LW_PERF_FILE_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.attrs = { out->attrs_offset, out->nr_events * sizeof(struct file_attr) },
		.data = { out->data_offset, data_size },
	};

	for (u32 i = 0; i < features->nr; i++)
		header.features[features->all[i].number / 64] |=
			1ULL << (features->all[i].number % 64);
	if (fflush(out->file) || lw_write_behind_at(out->behind, 0, &header, sizeof(header)))
		return write_failed(out);
	out->told = out->pos;
	return 0;
}

/*
 * A record has room for some thousand ids: the rest is of further events of the
 * same kind.
 */
static int put_attr_record(struct lw_perf_writer *out, const struct lw_perf_writer_event *event,
			   u32 first)
{
	u32 nr = event->nr_ids - first < MAX_RECORD_IDS ? event->nr_ids - first : MAX_RECORD_IDS;
	struct perf_event_header header = {
		.type = RECORD_HEADER_ATTR,
		.size = sizeof(header) + LW_PERFDATA_ATTR_SIZE + nr * sizeof(u64),
	};
	int ret = put(out, &header, sizeof(header));

	if (!ret)
		ret = put(out, &event->attr, LW_PERFDATA_ATTR_SIZE);
	return ret ? ret : put(out, event->ids + first, nr * sizeof(u64));
}

/* A feature that is longer than a record can be is left out, as perf does. */
static int put_feature_record(struct lw_perf_writer *out, u32 number)
{
	struct {
		struct perf_event_header header;
		u64 number;
	} record = { .header = { .type = RECORD_HEADER_FEATURE }, .number = number };
	static const u64 zeros;
	size_t size, room;
	char *data;
	int ret;

	if (lw_perf_writer_feature(out, number, &data, &size))
		return lw_fail(-ENOMEM, "out of memory");
	room = sizeof(record) + ALIGN_UP(size, sizeof(u64));
	if (!size || room > UINT16_MAX) {
		free(data);
		return 0;
	}
	record.header.size = room;
	ret = put(out, &record, sizeof(record));
	if (!ret)
		ret = put(out, data, size);
	if (!ret)
		ret = put(out, &zeros, room - sizeof(record) - size);
	free(data);
	return ret;
}

/* In a pipe they are what stands behind a record, as they may be longer than one. */
static int put_formats_record(struct lw_perf_writer *out)
{
	struct {
		struct perf_event_header header;
		u32 size;
	} record = { .header = { .type = RECORD_TRACING_DATA, .size = sizeof(record) } };
	static const u64 zeros;
	int ret;

	if (!out->formats)
		return 0;
	record.size = ALIGN_UP(out->formats_size, sizeof(u64));
	ret = put(out, &record, sizeof(record));
	if (!ret)
		ret = put(out, out->formats, out->formats_size);
	return ret ? ret : put(out, &zeros, record.size - out->formats_size);
}

static int begin_pipe(struct lw_perf_writer *out)
{
	struct {
		u64 magic;
		u64 size;
	} header = { .magic = LW_PERF_FILE_MAGIC, .size = sizeof(header) };
	int ret = put(out, &header, sizeof(header));

	for (u32 i = 0; !ret && i < out->nr_events; i++) {
		for (u32 at = 0; !ret && at < out->events[i].nr_ids; at += MAX_RECORD_IDS)
			ret = put_attr_record(out, &out->events[i], at);
	}
	for (u32 i = 0; !ret && i < LW_FEATURES_MAX; i++) {
		if (i != LW_FEATURE_TRACING_DATA && !lw_perf_writer_feature_is_late(i))
			ret = put_feature_record(out, i);
	}
	return ret ? ret : put_formats_record(out);
}

/* One moment by both clocks, so that a reader can tell the time of day. */
static void read_clocks(struct lw_perf_writer *out)
{
	struct timespec wall;
	u64 before = lw_now();

	clock_gettime(CLOCK_REALTIME, &wall);
	out->mono_time = before + (lw_now() - before) / 2;
	out->wall_time = wall.tv_sec * NSEC_PER_SEC + wall.tv_nsec;
}

/**
 * lw_perf_writer_begin - write all that stands before the data
 * @out: with all its events
 * @argc: of the tool's command line
 * @argv: likewise; is used until the end
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_begin(struct lw_perf_writer *out, int argc, char **argv)
{
	const struct features none = { .nr = 0 };
	struct file_header empty = { 0 };
	int ret;

	out->argc = argc;
	out->argv = argv;
	read_clocks(out);
	if (out->pipe)
		return begin_pipe(out);
	ret = put(out, &empty, sizeof(empty));
	if (!ret)
		ret = put_attrs(out);
	return ret ? ret : put_header(out, &none, 0);
}

/**
 * lw_perf_writer_record_again - append a side-band record that an earlier file has, too
 * @out: begun, by lw_perf_writer_next()
 * @record: that lw_perf_writer_record() got
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_record_again(struct lw_perf_writer *out,
				const struct perf_event_header *record)
{
	const struct lw_sample_id *id;
	u64 time = 0;

	if (record->size >= sizeof(*record) + sizeof(*id)) {
		id = (const void *)((const u8 *)record + record->size - sizeof(*id));
		time = id->time;
	}
	return put_record(out, record, time);
}

/**
 * lw_perf_writer_record - append a side-band record
 * @out: begun
 * @record: complete, with a trailer of struct lw_sample_id
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_record(struct lw_perf_writer *out, const struct perf_event_header *record)
{
	if (lw_build_ids_note(out->build_ids, record) || lw_bpf_programs_note(out->bpf, record))
		return lw_fail(-ENOMEM, "out of memory");
	return lw_perf_writer_record_again(out, record);
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

static u32 add_user_chain(u64 *chain, const struct lw_user_stack *stack)
{
	struct latewind_frame frame = latewind_frames(stack);
	u32 len = 0;

	if (stack->nr)
		chain[len++] = PERF_CONTEXT_USER;
	while (latewind_frame_next(&frame) && frame.index < LW_MAX_DEPTH)
		if (frame.ip < FIRST_BAD_IP)
			chain[len++] = frame.ip;
	return len;
}

/* One number that no other stack of the file has: CPU numbers end far below 2^16. */
static u64 deferred_cookie(const struct lw_cookie *cookie)
{
	return cookie->counter << 16 | (cookie->cpu & 0xffff);
}

static u32 make_chain(u64 *chain, const struct lw_sample *sample,
		      const struct lw_user_stack *stack, bool deferred)
{
	bool user_ip = sample->record.flags & LW_SAMPLE_USER_IP;
	u32 len;

	len = add_chain(chain, PERF_CONTEXT_KERNEL, sample->kernel, sample->nr_kernel,
			LW_MAX_KERNEL_DEPTH);
	if (deferred && stack) {
		chain[len++] = CONTEXT_USER_DEFERRED;
		chain[len++] = deferred_cookie(&stack->cookie);
		return len;
	}
	if (stack && stack->nr)
		return len + add_user_chain(chain + len, stack);
	if (user_ip)
		return len + add_chain(chain + len, PERF_CONTEXT_USER, &sample->ip, 1, 1);
	if (!len)
		len = add_chain(chain, PERF_CONTEXT_KERNEL, &sample->ip, 1, 1);
	return len;
}

static int note_kernel(struct lw_perf_writer *out, const struct lw_sample *sample)
{
	if (sample->nr_kernel)
		return lw_kernel_addresses_chain(out->kernel, sample->kernel, sample->nr_kernel);
	return sample->record.flags & LW_SAMPLE_USER_IP ? 0 :
	       lw_kernel_addresses_chain(out->kernel, &sample->ip, 1);
}

/*
 * What a tracepoint told, in an event of the file that has fields: a size, and as many bytes.
 *
 * Return: words.
 */
static u32 add_raw(u64 *to, const struct lw_sample *sample)
{
	u32 size = sizeof(u32);
	const void *raw = latewind_sample_raw(sample, &size);

	if (size > MAX_RAW)
		raw = NULL;
	if (!raw) {
		/* perf has no empty ones */
		*to = 0;
		size = sizeof(u32);
	}
	memcpy(to, &size, sizeof(size));
	if (raw)
		memcpy((u8 *)to + sizeof(size), raw, size);
	return (sizeof(size) + size) / sizeof(u64);
}

static bool has_raw(const struct lw_perf_writer *out, u64 id)
{
	u64 at = out->formats ? id - out->events[0].ids[0] : 0;

	if (!out->formats)
		return false;
	/* they are one behind the other, as a rule */
	if (at >= out->nr_events || out->events[at].ids[0] != id) {
		for (at = 0; at + 1 < out->nr_events && out->events[at].ids[0] != id;)
			at++;
	}
	return out->events[at].attr.sample_type & PERF_SAMPLE_RAW;
}

/* In user space the module does not always know it, and the stack tells. */
static u64 ip_of(const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct latewind_frame frame;

	if (sample->ip || !stack || !(sample->record.flags & LW_SAMPLE_USER_IP))
		return sample->ip;
	frame = latewind_frames(stack);
	return latewind_frame_next(&frame) && frame.ip < FIRST_BAD_IP ? frame.ip : 0;
}

static int put_sample(struct lw_perf_writer *out, u64 id, const struct lw_sample *sample,
		      const struct lw_user_stack *stack, bool deferred)
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
		u64 chain[MAX_CHAIN + MAX_BEHIND_CHAIN];
	} record;
	u32 words;

	if (note_kernel(out, sample))
		return lw_fail(-ENOMEM, "out of memory");
	record.header.type = PERF_RECORD_SAMPLE;
	record.header.misc = sample->record.flags & LW_SAMPLE_USER_IP ?
			     PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	record.id = id;
	record.ip = ip_of(sample, stack);
	record.pid = sample->pid;
	record.tid = sample->tid;
	record.time = sample->time;
	record.cpu = sample->cpu;
	record.reserved = 0;
	record.period = sample->period;
	record.nr = make_chain(record.chain, sample, stack, deferred);
	words = record.nr;
	if (has_raw(out, id))
		words += add_raw(&record.chain[words], sample);
	if (out->cgroups)
		record.chain[words++] = latewind_sample_cgroup(sample);
	record.header.size = offsetof(typeof(record), chain) + words * sizeof(u64);

	if (!out->first_time || sample->time < out->first_time)
		out->first_time = sample->time;
	if (sample->time > out->last_time)
		out->last_time = sample->time;
	return put_record(out, &record.header, sample->time);
}

/**
 * lw_perf_writer_sample - append a sample
 * @out: begun
 * @id: of its event in this file
 * @sample: valid
 * @stack: its user stack or NULL
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_sample(struct lw_perf_writer *out, u64 id, const struct lw_sample *sample,
			  const struct lw_user_stack *stack)
{
	return put_sample(out, id, sample, stack, false);
}

/**
 * lw_perf_writer_set_deferred - say in an attribute that stacks are records of their own
 * @attr: of an event in the file
 * @samples: its samples have cookies; else its records are the stacks
 *
 * The bits are those of Linux 6.19, which headers in use do not know.
 */
void lw_perf_writer_set_deferred(struct perf_event_attr *attr, bool samples)
{
	u32 bit = samples ? ATTR_DEFER_CALLCHAIN : ATTR_DEFER_OUTPUT;
	u64 flags;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bit = 63 - bit;
#endif
	memcpy(&flags, (u8 *)attr + ATTR_FLAGS, sizeof(flags));
	flags |= 1ULL << bit;
	memcpy((u8 *)attr + ATTR_FLAGS, &flags, sizeof(flags));
}

/* PERF_RECORD_CALLCHAIN_DEFERRED, and its trailer behind the chain. */
static int put_deferred(struct lw_perf_writer *out, u64 id, const struct lw_sample *sample,
			const struct lw_user_stack *stack, u64 time)
{
	struct {
		struct perf_event_header header;
		u64 cookie;
		u64 nr;
		u64 chain[MAX_CHAIN + sizeof(struct lw_sample_id) / sizeof(u64)];
	} record;
	struct lw_sample_id sample_id = {
		.pid = stack->pid, .tid = stack->tid, .time = time, .cpu = sample->cpu, .id = id,
	};

	record.header.type = RECORD_CALLCHAIN_DEFERRED;
	record.header.misc = PERF_RECORD_MISC_USER;
	record.cookie = deferred_cookie(&stack->cookie);
	record.nr = add_user_chain(record.chain, stack);
	memcpy(&record.chain[record.nr], &sample_id, sizeof(sample_id));
	record.header.size = offsetof(typeof(record), chain) + record.nr * sizeof(u64) +
			     sizeof(sample_id);
	return put_record(out, &record.header, time);
}

/**
 * lw_perf_writer_deferred - append a sample, and its stack as a record of its own
 * @out: begun
 * @id: of its event in this file
 * @stack_id: of the event that tells of stacks
 * @sample: valid
 * @stack: its user stack or NULL
 *
 * A stack stands behind the samples that are older; for one that is younger, which
 * hit while the stack was handed out, it stands there once more.
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_deferred(struct lw_perf_writer *out, u64 id, u64 stack_id,
			    const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	u64 cookie = stack ? deferred_cookie(&stack->cookie) : 0;
	u64 *written = &out->written[lw_hash64(cookie) % LW_PERFDATA_WRITTEN];
	bool younger = stack && sample->time > stack->time;
	int ret = put_sample(out, id, sample, stack, true);

	if (ret || !stack || (*written == cookie && !younger))
		return ret;
	*written = cookie;
	return put_deferred(out, stack_id, sample, stack, younger ? sample->time : stack->time);
}

/**
 * lw_perf_writer_round - mark that a round has ended, if that is so
 * @out: begun
 * @since: nothing older than that will be written any more
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_round(struct lw_perf_writer *out, u64 since)
{
	struct perf_event_header mark = { .type = RECORD_FINISHED_ROUND, .size = sizeof(mark) };

	if (since < out->round_end || out->newest == out->round_end)
		return 0;
	out->handed_out = out->round_end;
	out->round_end = out->newest;
	return put_data(out, &mark);
}

/* What is not packed yet is in no file: not for long, and not so often that it packs badly. */
static int pack_in_time(struct lw_perf_writer *out)
{
	u64 now = lw_now();

	if (!out->pipe && now - out->packed < NSEC_PER_SEC)
		return 0;
	out->packed = now;
	return put_packed(out);
}

/**
 * lw_perf_writer_flush - let a reader have what was written
 * @out: begun
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_flush(struct lw_perf_writer *out)
{
	const struct features none = { .nr = 0 };
	int ret = pack_in_time(out);

	if (ret)
		return ret;
	if (!out->pipe)
		return out->pos == out->told ? 0 :
		       put_header(out, &none, out->pos - out->data_offset);
	if (fflush(out->file) || lw_write_behind_error(out->behind))
		return write_failed(out);
	return 0;
}

/* Unlike lw_perf_writer_flush(): until it is written. */
static int write_out(struct lw_perf_writer *out)
{
	return fflush(out->file) || lw_write_behind_sync(out->behind) ? write_failed(out) : 0;
}

/**
 * lw_perf_writer_publish - give the file its name; what has it becomes PATH.old
 * @out: begun; what was written so far can be read then
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_publish(struct lw_perf_writer *out)
{
	int ret;

	if (!out->output.temp)
		return 0;
	ret = lw_perf_writer_flush(out);
	if (!ret)
		ret = write_out(out);
	if (ret)
		return ret;
	ret = lw_output_publish(&out->output);
	return ret ? lw_fail(ret, "cannot give %s its name: %s", out->output.path,
			     strerror(-ret)) : 0;
}

/**
 * lw_perf_writer_pack - pack the data by zstd, before lw_perf_writer_begin()
 * @out: opened
 * @level: of zstd, 1 to lw_zstd_writer_max_level()
 * @aligned: in records that perf reads since 6.16; else since 5.2
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_perf_writer_pack(struct lw_perf_writer *out, int level, bool aligned)
{
	out->zstd_level = level;
	out->zstd_aligned = aligned;
	out->zstd = lw_zstd_writer_new(level, aligned);
	return out->zstd ? 0 : lw_fail(-ENOMEM, "out of memory");
}

/**
 * lw_perf_writer_lost - append that records were lost, as perf's rings tell it
 * @out: begun
 * @id: of an event in this file
 * @cpu: where
 * @time: when, as near as is known; never before what perf has handed out by then
 * @nr: how many
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_lost(struct lw_perf_writer *out, u64 id, u32 cpu, u64 time, u64 nr)
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
 * lw_perf_writer_lost_samples - append how many samples were lost in all
 * @out: begun
 * @id: of an event in this file
 * @nr: how many
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_lost_samples(struct lw_perf_writer *out, u64 id, u64 nr)
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

static void free_features(struct features *features)
{
	for (u32 i = 0; i < features->nr; i++)
		free(features->all[i].data);
	free(features);
}

/* In the order of their numbers, as their sections have to stand. */
static struct features *make_features(struct lw_perf_writer *out)
{
	struct features *features = calloc(1, sizeof(*features));

	for (u32 i = 0; features && i < LW_FEATURES_MAX; i++) {
		struct feature *feature = &features->all[features->nr];

		if (lw_perf_writer_feature(out, i, &feature->data, &feature->size)) {
			free_features(features);
			return NULL;
		}
		feature->number = i;
		features->nr += !!feature->data;
	}
	return features;
}

/* A table of their sections, right behind the data, and these. */
static int put_features(struct lw_perf_writer *out, const struct features *features)
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

static int put_part(struct lw_perf_writer *out, const char *magic, const void *data, size_t size)
{
	struct lw_part_end end = { .size = size };
	int ret = put(out, data, size);

	memcpy(end.magic, magic, sizeof(end.magic));
	return ret ? ret : put(out, &end, sizeof(end));
}

static int put_kernel_names(struct lw_perf_writer *out)
{
	char *names = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&names, &size);
	int ret = 0;

	if (!to)
		return lw_fail(-ENOMEM, "out of memory");
	lw_kernel_addresses_write(out->kernel, "/proc/kallsyms", out->modules, to);
	if (fclose(to))
		ret = lw_fail(-ENOMEM, "out of memory");
	if (!ret && size)
		ret = put_part(out, LW_KERNEL_NAMES_MAGIC, names, size);
	free(names);
	return ret;
}

static int put_build_ids(struct lw_perf_writer *out)
{
	size_t size;
	char *data;
	int ret;

	if (lw_perf_writer_feature(out, LW_FEATURE_BUILD_ID, &data, &size))
		return lw_fail(-ENOMEM, "out of memory");
	ret = put(out, data, size);
	free(data);
	return ret;
}

static int finish_pipe(struct lw_perf_writer *out)
{
	int ret = put_build_ids(out);

	for (u32 i = 0; !ret && i < LW_FEATURES_MAX; i++) {
		if (lw_perf_writer_feature_is_late(i))
			ret = put_feature_record(out, i);
	}
	return ret ? ret : write_out(out);
}

/**
 * lw_perf_writer_finish - write the features and the header; the file is complete
 * @out: begun
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_writer_finish(struct lw_perf_writer *out)
{
	struct features *features;
	u64 data_size;
	int ret = put_packed(out);

	if (!ret)
		ret = lw_perf_writer_publish(out);
	if (ret)
		return ret;
	if (out->pipe)
		return finish_pipe(out);
	data_size = out->pos - out->data_offset;
	features = make_features(out);
	if (!features)
		return lw_fail(-ENOMEM, "out of memory");
	ret = put_features(out, features);
	if (!ret)
		ret = put_kernel_names(out);
	if (!ret)
		ret = put_header(out, features, data_size);
	if (!ret)
		ret = complete_attrs(out);
	if (!ret)
		ret = write_out(out);
	free_features(features);
	return ret;
}

/**
 * lw_perf_writer_discard - close the file, which has nothing in it, and remove it
 * @out: opened; the file that it took the place of is back
 */
void lw_perf_writer_discard(struct lw_perf_writer *out)
{
	lw_output_remove(&out->output);
	lw_perf_writer_close(out);
}

/* All that is of one file only. */
static void close_file(struct lw_perf_writer *out)
{
	lw_kernel_addresses_free(out->kernel);
	out->kernel = NULL;
	lw_zstd_writer_free(out->zstd);
	out->zstd = NULL;
	if (out->file)
		fclose(out->file);
	out->file = NULL;
	lw_output_close(&out->output);
	free(out->buffer);
	out->buffer = NULL;
}

/**
 * lw_perf_writer_next - go on in another file: the same events, nothing else in it yet
 * @out: finished
 * @path: as of lw_perf_writer_open()
 *
 * Of build IDs and BPF programs it has those of the file before, too.
 *
 * Return: 0 or -errno with lw_fail_text(): there is no file.
 */
int lw_perf_writer_next(struct lw_perf_writer *out, const char *path)
{
	struct lw_perf_writer next = {
		.cgroups = out->cgroups,
		.formats = out->formats,
		.formats_size = out->formats_size,
		.zstd_level = out->zstd_level,
		.zstd_aligned = out->zstd_aligned,
		.events = out->events,
		.nr_events = out->nr_events,
		.late = out->late,
		.build_ids = out->build_ids,
		.bpf = out->bpf,
	};
	char **argv = out->argv;
	int argc = out->argc, ret;

	close_file(out);
	*out = next;
	ret = open_path(out, path);
	if (!ret && out->zstd_level)
		ret = lw_perf_writer_pack(out, out->zstd_level, out->zstd_aligned);
	return ret ? ret : lw_perf_writer_begin(out, argc, argv);
}

/**
 * lw_perf_writer_close - close the file and free all
 * @out: opened
 */
void lw_perf_writer_close(struct lw_perf_writer *out)
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
	lw_bpf_programs_free(out->bpf);
	out->bpf = NULL;
	close_file(out);
}
