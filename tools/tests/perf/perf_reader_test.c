// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_test.c - recordings are read back as they were written, and broken ones
 * do no harm.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "base/perf_records.h"
#include "base/write_behind.h"
#include "perf/perf_reader.h"
#include "perf/perf_reader_parts.h"
#include "perf/perf_user_names.h"
#include "perf/perf_writer.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

#define TICK		0x1000000000000ULL
#define PROBE		(TICK + 1)
#define NR_SAMPLES	200U
#define BEGIN		1000000000ULL
#define MUTATIONS	4000U

static char dir[32] = "/tmp/lw-perf-file-XXXXXX";
static char path[64];

struct seen {
	u32 samples, others;
	u64 last;			/* time */
	u32 backwards;
	u64 sum;			/* of all that was looked at */
	u64 ips;			/* of all chains */
	struct lw_perf_record first;
	u64 first_chain[4];
};

static int see(void *ctx, const struct lw_perf_record *record)
{
	struct seen *seen = ctx;

	seen->backwards += record->time < seen->last;
	seen->last = record->time;
	/* every byte that is said to be there, for the address sanitizer */
	for (size_t i = 0; i < record->header->size; i++)
		seen->sum += ((const u8 *)record->header)[i];
	for (u64 i = 0; i < record->nr_chain; i++)
		seen->sum += record->chain[i];
	for (u32 i = 0; i < record->raw_size; i++)
		seen->sum += ((const u8 *)record->raw)[i];
	if (record->header->type != PERF_RECORD_SAMPLE) {
		seen->others++;
		return 0;
	}
	if (!seen->samples++)
		seen->first = *record;
	seen->ips += record->nr_chain;
	for (u32 i = 0; seen->samples == 1 && i < 4 && i < record->nr_chain; i++)
		seen->first_chain[i] = record->chain[i];
	return 0;
}

static int read_all(const char *name, struct seen *seen)
{
	struct lw_perf_reader *file;
	int ret = lw_perf_reader_open(&file, name);

	memset(seen, 0, sizeof(*seen));
	if (ret)
		return ret;
	ret = lw_perf_reader_read(file, see, seen);
	lw_perf_reader_close(file);
	return ret;
}

static struct perf_event_attr tick_attr(void)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = 997,
		.sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN,
	};
}

struct comm_record {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[16];
	struct lw_sample_id id;
};

static struct comm_record make_comm(u64 time)
{
	return (struct comm_record) {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(struct comm_record) },
		.pid = 41,
		.tid = 42,
		.comm = "somebody",
		.id = { .pid = 41, .tid = 42, .time = time, .cpu = 1, .id = TICK },
	};
}

static void write_samples(struct lw_perf_writer *out, u64 id)
{
	union made_stack made = {};
	u64 frames[4];
	struct lw_sample sample = {
		.record = { .flags = LW_SAMPLE_USER_IP },
		.ip = 0x401000,
		.period = 1003009,
		.pid = 41,
		.tid = 42,
		.cpu = 3,
		.time = BEGIN + NR_SAMPLES * 10,
	};

	for (u32 i = 0; i < 4; i++)
		frames[i] = 0x401000 + i * 16;
	set_frames(&made, frames, 4);
	for (u32 i = 0; i < NR_SAMPLES; i++) {
		lw_perf_writer_sample(out, id, &sample, &made.stack);
		/* backwards, as late stacks are written */
		sample.time -= 10;
	}
}

/* Two events, a record of another kind with a time between the samples'. */
static int write_file(const char *name)
{
	const u64 tick_ids[] = { TICK, TICK + 100 }, probe_ids[] = { PROBE };
	struct perf_event_attr tick = tick_attr(), probe = tick;
	struct comm_record comm = make_comm(BEGIN + 55);
	char *argv[3] = { NULL };
	struct lw_perf_writer out;
	int ret;

	argv[0] = "latewind";
	argv[1] = "record";
	probe.config = LW_CONFIG_NAME_ONLY;
	if (lw_perf_writer_open(&out, name))
		return -1;
	lw_perf_writer_add_event(&out, "cpu-clock", &tick, tick_ids, 2);
	lw_perf_writer_add_event(&out, "sched:sched_switch", &probe, probe_ids, 1);
	lw_perf_writer_begin(&out, 2, argv);
	lw_perf_writer_record(&out, &comm.header);
	write_samples(&out, TICK + 100);
	write_samples(&out, PROBE);
	ret = lw_perf_writer_finish(&out);
	lw_perf_writer_close(&out);
	return ret;
}

/* Return: bytes of a file, for the caller to free. */
static u8 *load(const char *name, size_t *size)
{
	FILE *file = fopen(name, "r");
	struct stat st;
	u8 *bytes = NULL;

	if (file && !fstat(fileno(file), &st)) {
		bytes = malloc(st.st_size);
		*size = bytes ? fread(bytes, 1, st.st_size, file) : 0;
	}
	if (file)
		fclose(file);
	return bytes;
}

static bool store(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "w");
	bool ok = file && (!size || fwrite(bytes, size, 1, file) == 1);

	if (file)
		fclose(file);
	return ok;
}

/* A file that is in memory only, for many of them. */
static const char *keep(const void *bytes, size_t size)
{
	static char name[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("mutant", MFD_CLOEXEC);
	if (ftruncate(fd, size) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		return "/nowhere";
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return name;
}

static bool samples_come_in_order_of_time(void)
{
	struct seen seen;

	CHECK(!read_all(path, &seen));
	CHECK(seen.samples == 2 * NR_SAMPLES);
	CHECK(seen.others == 1);
	CHECK(!seen.backwards);
	CHECK(seen.last == BEGIN + NR_SAMPLES * 10);
	CHECK(seen.ips == 2 * NR_SAMPLES * 5);
	return true;
}

static bool fields_are_those_that_were_written(void)
{
	struct seen seen;

	CHECK(!read_all(path, &seen));
	CHECK(seen.first.time == BEGIN + 10 && seen.first.ip == 0x401000);
	CHECK(seen.first.pid == 41 && seen.first.tid == 42 && seen.first.cpu == 3);
	CHECK(seen.first.period == 1003009 && seen.first.id == TICK + 100);
	CHECK(seen.first.index == 0 && seen.first.nr_chain == 5);
	CHECK(seen.first_chain[0] == (u64)PERF_CONTEXT_USER);
	CHECK(seen.first_chain[1] == 0x401000 && seen.first_chain[3] == 0x401020);
	return true;
}

static int check_comm(void *ctx, const struct lw_perf_record *record)
{
	bool *ok = ctx;

	if (record->header->type != PERF_RECORD_COMM)
		return 0;
	*ok = record->time == BEGIN + 55 && record->pid == 41 && record->tid == 42 &&
	      record->cpu == 1 && record->end == offsetof(struct comm_record, id);
	return 7;
}

static bool trailer_of_others_is_read_and_reading_can_be_ended(void)
{
	struct lw_perf_reader *file;
	bool ok = false;

	CHECK(!lw_perf_reader_open(&file, path));
	CHECK(lw_perf_reader_read(file, check_comm, &ok) == 7);
	CHECK(ok);
	lw_perf_reader_close(file);
	return true;
}

static bool events_and_features_are_told(void)
{
	const struct lw_perf_info *info;
	struct lw_perf_reader *file;
	char host[256] = "";

	CHECK(!lw_perf_reader_open(&file, path));
	CHECK(!lw_perf_reader_warning(file));
	CHECK(lw_perf_reader_nr_events(file) == 2);
	CHECK(!strcmp(lw_perf_reader_event(file, 0)->name, "cpu-clock"));
	CHECK(lw_perf_reader_event(file, 0)->attr.sample_freq == 997);
	CHECK(!strcmp(lw_perf_reader_event(file, 1)->name, "sched:sched_switch"));
	info = lw_perf_reader_info(file);
	gethostname(host, sizeof(host) - 1);
	CHECK(info->hostname && !strcmp(info->hostname, host));
	CHECK(info->cmdline && !strcmp(info->cmdline, "latewind record"));
	CHECK(info->osrelease && info->arch && info->nr_cpus);
	CHECK(info->first_time == BEGIN + 10 && info->last_time == BEGIN + NR_SAMPLES * 10);
	lw_perf_reader_close(file);
	return true;
}

/* Behind all else: taken if they are whole, and told of if they can't be. */
static bool names_of_the_kernel_are_read(void)
{
	static const char names[] = "ffffffff81000000 t some\n";
	static const u64 sizes[] = { sizeof(names) - 1, 0, 1ULL << 20, ~0ULL, ~0ULL - 15 };
	struct lw_part_end end = { .magic = LW_KERNEL_NAMES_MAGIC };
	struct lw_perf_reader *file;
	size_t size, at;
	u8 *bytes = load(path, &size), *room;

	CHECK(bytes);
	room = realloc(bytes, size + sizeof(names) + sizeof(end));
	CHECK(room);
	memcpy(room + size, names, sizeof(names) - 1);
	at = size + sizeof(names) - 1;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		end.size = sizes[i];
		memcpy(room + at, &end, sizeof(end));
		CHECK(!lw_perf_reader_open(&file, keep(room, at + sizeof(end))));
		CHECK(!lw_perf_reader_warning(file) == !i);
		CHECK(lw_perf_reader_info(file)->kernel_names_size == (i ? 0 : sizes[i]));
		CHECK(i || !memcmp(lw_perf_reader_info(file)->kernel_names, names, sizes[i]));
		CHECK(lw_perf_reader_nr_records(file) == 2 * NR_SAMPLES + 1);
		lw_perf_reader_close(file);
	}
	free(room);
	return true;
}

/* They are behind those of the kernel, or alone. */
static bool names_of_user_code_are_added_and_read(void)
{
	static const char kernel[] = "ffffffff81000000 t some\n", text[] = "f\t-\t/prog\n";
	struct lw_part_end end = { sizeof(kernel), LW_KERNEL_NAMES_MAGIC };
	const struct lw_perf_info *info;
	struct stat recorded, after;
	struct lw_perf_reader *file;
	size_t size, added;
	u8 *bytes = load(path, &size), *room;
	const char *kept;

	CHECK(bytes);
	room = realloc(bytes, size + 4096);
	CHECK(room);
	memcpy(room + size, kernel, sizeof(kernel));
	memcpy(room + size + sizeof(kernel), &end, sizeof(end));
	size += sizeof(kernel) + sizeof(end);
	kept = keep(room, size);
	CHECK(!stat(kept, &recorded));
	/* what has the name by now is another one, or goes on */
	recorded.st_ino++;
	CHECK(lw_perf_add_user_names(kept, &recorded, text, sizeof(text)) == -ESTALE);
	recorded.st_ino--;
	recorded.st_size--;
	CHECK(lw_perf_add_user_names(kept, &recorded, text, sizeof(text)) == -ESTALE);
	recorded.st_size++;
	CHECK(!stat(kept, &after) && after.st_size == recorded.st_size);
	added = lw_perf_add_user_names(kept, &recorded, text, sizeof(text));
	free(room);
	room = load(kept, &size);
	CHECK((s64)added > 0 && room);
	CHECK(!lw_perf_reader_open(&file, kept) && !lw_perf_reader_warning(file));
	info = lw_perf_reader_info(file);
	CHECK(info->user_names_size == sizeof(text));
	CHECK(!memcmp(info->user_names, text, sizeof(text)));
	CHECK(info->kernel_names_size == sizeof(kernel));
	lw_perf_reader_close(file);
	/* what cannot be unpacked is told of, and the rest is read */
	memset(room + size - sizeof(end) - 4, 0xff, 4);
	memset(room + size - added, 0x55, 8);
	CHECK(!lw_perf_reader_open(&file, keep(room, size)) && lw_perf_reader_warning(file));
	info = lw_perf_reader_info(file);
	CHECK(!info->user_names && info->kernel_names_size == sizeof(kernel));
	CHECK(lw_perf_reader_nr_records(file) == 2 * NR_SAMPLES + 1);
	lw_perf_reader_close(file);
	free(room);
	CHECK(lw_perf_add_user_names("/no/such/file", &recorded, text, sizeof(text)) == -ENOENT);
	return true;
}

/* --- files that no writer of ours makes */

struct build {
	u8 bytes[5 << 20];
	size_t size;
};

static void put(struct build *build, const void *data, size_t size)
{
	memcpy(build->bytes + build->size, data, size);
	build->size += size;
}

static void put_u64(struct build *build, u64 value)
{
	put(build, &value, sizeof(value));
}

static void put_u32(struct build *build, u32 value)
{
	put(build, &value, sizeof(value));
}

static void put_header(struct build *build, u32 type, u16 size)
{
	struct perf_event_header header = { .type = type, .size = size };

	put(build, &header, sizeof(header));
}

static void begin_pipe(struct build *build)
{
	build->size = 0;
	put(build, "PERFILE2", 8);
	put_u64(build, 16);
}

static void put_attr(struct build *build, struct perf_event_attr attr, const u64 *ids, u32 nr)
{
	attr.size = sizeof(attr);
	put_header(build, 64, sizeof(struct perf_event_header) + sizeof(attr) + nr * sizeof(u64));
	put(build, &attr, sizeof(attr));
	put(build, ids, nr * sizeof(u64));
}

#define EVERYTHING	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
			 PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | \
			 PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | \
			 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | \
			 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | \
			 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE)
#define CGROUP	0xc9009ULL

/* A count or the like, and what it is of. */
static void put_zeros(struct build *build, u64 first, u32 behind)
{
	put_u64(build, first);
	while (behind--)
		put_u64(build, 0);
}

/* A sample with a bit of everything, its ID in the middle. */
static void put_full_sample(struct build *build, u64 id, u64 time)
{
	size_t begin = build->size;
	struct perf_event_header *header = (void *)(build->bytes + begin);

	put_header(build, PERF_RECORD_SAMPLE, 0);
	put_u64(build, 0x1234);			/* ip */
	put_u32(build, 7);
	put_u32(build, 8);
	put_u64(build, time);
	put_u64(build, 0xadd);			/* addr */
	put_u64(build, id);
	put_u64(build, id + 5);			/* stream */
	put_u32(build, 2);
	put_u32(build, 0);
	put_u64(build, 555);			/* period */
	put_u64(build, 2);			/* read: a group of two */
	put_u64(build, 100);			/* time enabled */
	put_u64(build, time);			/* a count that goes on, and of what */
	put_u64(build, id);
	put_u64(build, 1);			/* one of an event that is not known */
	put_u64(build, 99);
	put_u64(build, 2);			/* chain */
	put_u64(build, PERF_CONTEXT_KERNEL);
	put_u64(build, 0xffffffff81000000ULL);
	put_u32(build, 4);			/* raw */
	put(build, "rawr", 4);
	put_zeros(build, 2, 1 + 2 * 3);		/* branches: how many, an index, they */
	put_zeros(build, 1, 3);			/* registers of the user, by their ABI */
	put_zeros(build, 16, 2 + 1);		/* stack, and how much of it is good */
	put_zeros(build, 0, 3 - 1);		/* weight, source, transaction */
	put_u64(build, 0);			/* no registers of an interrupt */
	put_u64(build, 0x9999);			/* physical address */
	put_u64(build, CGROUP);
	put_u64(build, 4096);			/* size of a page */
	header->size = build->size - begin;
}

static void put_full_event(struct build *build, u64 config, u64 id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = config,
		.sample_type = EVERYTHING,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
		.sample_id_all = 1,
		.branch_sample_type = 1U << 17,
		.sample_regs_user = 7,
		.sample_regs_intr = 0xff,
	};

	put_attr(build, attr, &id, 1);
}

static struct build build;

static bool pipe_with_every_field_is_read(void)
{
	char name[80];
	struct seen seen;

	begin_pipe(&build);
	put_full_event(&build, PERF_COUNT_HW_CPU_CYCLES, 11);
	put_full_event(&build, PERF_COUNT_HW_INSTRUCTIONS, 12);
	put_full_sample(&build, 12, 900);
	put_full_sample(&build, 11, 1900);
	snprintf(name, sizeof(name), "%s/pipe", dir);
	CHECK(store(name, build.bytes, build.size));
	CHECK(!read_all(name, &seen));
	CHECK(seen.samples == 2 && seen.first.time == 900 && seen.first.index == 1);
	CHECK(seen.first.ip == 0x1234 && seen.first.pid == 7 && seen.first.tid == 8);
	CHECK(seen.first.addr == 0xadd && seen.first.cpu == 2 && seen.first.period == 900);
	CHECK(seen.first.nr_chain == 2 && seen.first_chain[1] == 0xffffffff81000000ULL);
	CHECK(seen.first.raw_size == 4 && seen.first.cgroup == CGROUP);
	return true;
}

/* Records that take more memory than the reader keeps of a file: 64 times 64 KiB. */
#define NR_FAR	600

#define GROUP	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_READ)

static void put_group_event(u64 id, u64 read_format, bool inherit)
{
	struct perf_event_attr attr = {
		.sample_type = GROUP, .read_format = read_format, .inherit = inherit,
	};

	put_attr(&build, attr, &id, 1);
}

/* Of the leader, by a thread: what it and the other one have counted. */
static void put_group_sample(u32 tid, u64 time, u64 leads, u64 other)
{
	put_header(&build, PERF_RECORD_SAMPLE, sizeof(struct perf_event_header) + 8 * 8);
	put_u32(&build, 7);
	put_u32(&build, tid);
	put_u64(&build, time);
	put_u64(&build, 11);
	put_u64(&build, 2);
	put_u64(&build, leads);
	put_u64(&build, 11);
	put_u64(&build, other);
	put_u64(&build, 12);
}

struct periods {
	u32 nr[2];
	u64 sum[2], last[2];
};

static int add_period(void *ctx, const struct lw_perf_record *record)
{
	struct periods *periods = ctx;

	periods->nr[record->index]++;
	periods->sum[record->index] += record->period;
	periods->last[record->index] = record->period;
	return record->id == 11 + record->index ? 0 : -EINVAL;
}

static bool make_group(bool inherit, struct periods *periods)
{
	struct lw_perf_reader *file;

	begin_pipe(&build);
	put_group_event(11, PERF_FORMAT_GROUP | PERF_FORMAT_ID, inherit);
	put_group_event(12, PERF_FORMAT_GROUP | PERF_FORMAT_ID, inherit);
	put_group_sample(8, 900, 10, 5);
	put_group_sample(9, 1000, 30, 5);
	put_group_sample(8, 1100, 31, 9);
	memset(periods, 0, sizeof(*periods));
	CHECK(!lw_perf_reader_open(&file, keep(build.bytes, build.size)));
	CHECK(!lw_perf_reader_read(file, add_period, periods));
	lw_perf_reader_close(file);
	return true;
}

/* As perf has it: of each what it counted since; where tasks inherit it, of each task. */
static bool a_leaders_sample_is_one_of_each_that_has_counted(void)
{
	struct periods seen;

	CHECK(make_group(false, &seen));
	CHECK(seen.nr[0] == 3 && seen.sum[0] == 31 && seen.last[0] == 1);
	CHECK(seen.nr[1] == 2 && seen.sum[1] == 9 && seen.last[1] == 4);
	CHECK(make_group(true, &seen));
	CHECK(seen.nr[0] == 3 && seen.sum[0] == 61 && seen.last[0] == 21);
	CHECK(seen.nr[1] == 3 && seen.sum[1] == 14 && seen.last[1] == 4);
	return true;
}

struct reading {
	struct lw_perf_reader *file;
	struct periods periods;
};

static int read_elsewhere(void *ctx, const struct lw_perf_record *record)
{
	struct reading *reading = ctx;
	const u64 *chain;
	int ret = 0;

	if (record->header->type == PERF_RECORD_SAMPLE)
		ret = add_period(&reading->periods, record);
	/* those of the place in memory where the sample was */
	for (u64 cookie = 0; cookie < NR_FAR; cookie++) {
		if (lw_perf_reader_deferred(reading->file, cookie, 0, &chain) != 1000)
			ret = -EINVAL;
	}
	return ret;
}

/* The stack of a group's sample is a record that may be far behind it. */
static bool what_is_read_meanwhile_is_not_taken_for_counts(void)
{
	struct reading reading = { 0 };

	begin_pipe(&build);
	put_group_event(11, PERF_FORMAT_GROUP | PERF_FORMAT_ID, false);
	put_group_event(12, PERF_FORMAT_GROUP | PERF_FORMAT_ID, false);
	put_group_sample(8, 900, 10, 5);
	for (u64 cookie = 0; cookie < NR_FAR; cookie++) {
		put_header(&build, 22, sizeof(struct perf_event_header) + 1002 * sizeof(u64));
		put_u64(&build, cookie);
		put_u64(&build, 1000);
		for (u32 i = 0; i < 1000; i++)
			put_u64(&build, 12);
	}
	CHECK(!lw_perf_reader_open(&reading.file, keep(build.bytes, build.size)));
	CHECK(!lw_perf_reader_read(reading.file, read_elsewhere, &reading));
	lw_perf_reader_close(reading.file);
	CHECK(reading.periods.sum[0] == 10 && reading.periods.sum[1] == 5);
	return true;
}

/* One that says of its chain, its raw data or its group what it does not have. */
static bool put_liar(u64 sample_type, u64 read_format, u64 count, u32 behind)
{
	struct perf_event_attr attr = { .sample_type = sample_type, .read_format = read_format };
	const u64 id = 11;

	begin_pipe(&build);
	put_attr(&build, attr, &id, 1);
	put_header(&build, PERF_RECORD_SAMPLE, sizeof(struct perf_event_header) + 8 + behind * 8);
	put_u64(&build, count);
	for (u32 i = 0; i < behind; i++)
		put_u64(&build, 0);
	return true;
}

static bool counts_beyond_the_record_are_refused(void)
{
	/* the last ones are as many bytes as there are, in 64 bits */
	static const u64 counts[] = { 3, ~0ULL, 1ULL << 61, (1ULL << 61) + 1, (1ULL << 60) + 1 };
	struct seen seen;

	CHECK(put_liar(PERF_SAMPLE_CALLCHAIN, 0, 2, 2));
	CHECK(!read_all(keep(build.bytes, build.size), &seen) && seen.samples == 1);
	for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
		CHECK(put_liar(PERF_SAMPLE_CALLCHAIN, 0, counts[i], 2));
		CHECK(!read_all(keep(build.bytes, build.size), &seen) && !seen.samples);
		CHECK(put_liar(PERF_SAMPLE_READ, PERF_FORMAT_GROUP | PERF_FORMAT_ID, counts[i], 4));
		CHECK(!read_all(keep(build.bytes, build.size), &seen) && !seen.samples);
	}
	CHECK(put_liar(PERF_SAMPLE_RAW, 0, 13, 1));
	CHECK(!read_all(keep(build.bytes, build.size), &seen) && !seen.samples);
	/* what a cgroup stands behind, and then itself */
	for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
		CHECK(put_liar(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP, 0, counts[i], 4));
		CHECK(!read_all(keep(build.bytes, build.size), &seen) && !seen.samples);
		CHECK(put_liar(PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP, 0, counts[i] | 16, 3));
		CHECK(!read_all(keep(build.bytes, build.size), &seen) && !seen.samples);
	}
	CHECK(put_liar(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP, 0, 1, 4));
	CHECK(!read_all(keep(build.bytes, build.size), &seen) && seen.samples == 1);
	CHECK(put_liar(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP, 0, 1, 3));
	CHECK(!read_all(keep(build.bytes, build.size), &seen) && !seen.samples);
	CHECK(put_liar(PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP, 0, 8, 3));
	CHECK(!read_all(keep(build.bytes, build.size), &seen) && seen.samples == 1);
	return true;
}

/* For as long as a read takes the standard input is a pipe with the bytes. */
static int read_from_pipe(const void *bytes, size_t size, struct seen *seen)
{
	int ends[2], saved = dup(0), ret;
	pid_t pid;

	if (pipe(ends) || saved < 0)
		return -1;
	pid = fork();
	if (!pid)
		_exit(write(ends[1], bytes, size) != (ssize_t)size);
	close(ends[1]);
	dup2(ends[0], 0);
	close(ends[0]);
	ret = read_all("-", seen);
	dup2(saved, 0);
	close(saved);
	waitpid(pid, NULL, 0);
	return ret;
}

static bool standard_input_may_be_a_pipe(void)
{
	struct seen seen;
	size_t size;
	u8 *bytes = load(path, &size);

	CHECK(!read_from_pipe(build.bytes, build.size, &seen));
	CHECK(seen.samples == 2);
	CHECK(bytes && !read_from_pipe(bytes, size, &seen));
	CHECK(seen.samples == 2 * NR_SAMPLES && !seen.backwards);
	free(bytes);
	return true;
}

/* Samples in one stream, cut anywhere into records of two kinds. */
static bool put_packed(struct build *to, const struct build *from)
{
	u8 packed[ZSTD_COMPRESSBOUND(sizeof(from->bytes))];
	size_t size = ZSTD_compress(packed, sizeof(packed), from->bytes, from->size, 3);
	size_t half = size / 2;

	if (ZSTD_isError(size))
		return false;
	put_header(to, 81, sizeof(struct perf_event_header) + half);
	put(to, packed, half);
	put_header(to, 83, sizeof(struct perf_event_header) + 8 + size - half + 3);
	put_u64(to, size - half);
	put(to, packed + half, size - half);
	put(to, "pad", 3);
	return true;
}

static bool packed_records_are_unpacked(void)
{
	static struct build samples;
	struct seen seen;
	char name[80];

	samples.size = 0;
	for (int i = 0; i < 100; i++)
		put_full_sample(&samples, 11, 5000 - i);
	begin_pipe(&build);
	put_full_event(&build, PERF_COUNT_HW_CPU_CYCLES, 11);
	put_full_sample(&build, 11, 4890);
	CHECK(put_packed(&build, &samples));
	snprintf(name, sizeof(name), "%s/packed", dir);
	CHECK(store(name, build.bytes, build.size));
	CHECK(!read_all(name, &seen));
	CHECK(seen.samples == 101 && !seen.backwards && seen.last == 5000);
	return true;
}

/* Zeros become next to nothing: 1 GB of them fits into a few records. */
static bool packed_records_that_swell_are_refused(void)
{
	const size_t plain = 256 << 20;
	void *zeros = mmap(NULL, plain, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t room = ZSTD_compressBound(plain), size;
	u8 *packed = malloc(room);
	struct seen seen;
	char name[80];

	CHECK(zeros != MAP_FAILED && packed);
	size = ZSTD_compress(packed, room, zeros, plain, 1);
	CHECK(!ZSTD_isError(size) && size < 60000);
	begin_pipe(&build);
	put_full_event(&build, PERF_COUNT_HW_CPU_CYCLES, 11);
	put_header(&build, 81, sizeof(struct perf_event_header) + size);
	put(&build, packed, size);
	snprintf(name, sizeof(name), "%s/swells", dir);
	CHECK(store(name, build.bytes, build.size));
	CHECK(read_all(name, &seen) == -E2BIG);
	munmap(zeros, plain);
	free(packed);
	return true;
}

static bool cut_file_gives_what_is_whole_and_says_so(void)
{
	struct lw_perf_reader *file;
	size_t size, tried = 0;
	u8 *bytes = load(path, &size);
	u64 last = 0;

	CHECK(bytes);
	for (size_t cut = 0; cut < size; cut += cut < 1000 ? 13 : 101) {
		if (lw_perf_reader_open(&file, keep(bytes, cut)))
			continue;
		CHECK(lw_perf_reader_warning(file));
		CHECK(lw_perf_reader_nr_records(file) >= last);
		last = lw_perf_reader_nr_records(file);
		lw_perf_reader_close(file);
		tried++;
	}
	CHECK(tried > 100 && last == 2 * NR_SAMPLES + 1);
	free(bytes);
	return true;
}

static bool recording_that_was_not_ended_is_read_to_its_end(void)
{
	struct lw_perf_reader *file;
	size_t size;
	u8 *bytes = load(path, &size);
	char name[80];

	/* the size of the data; perf writes it at last, and the features after them */
	CHECK(bytes);
	memset(bytes + 8 + 8 + 8 + 16 + 8, 0, 8);
	snprintf(name, sizeof(name), "%s/open", dir);
	CHECK(store(name, bytes, size));
	CHECK(!lw_perf_reader_open(&file, name));
	CHECK(strstr(lw_perf_reader_warning(file), "ended"));
	CHECK(lw_perf_reader_nr_records(file) >= 2 * NR_SAMPLES + 1);
	lw_perf_reader_close(file);
	free(bytes);
	return true;
}

/* Return: records that a reader sees now, which is told that the file ends early. */
static u64 records_so_far(struct lw_perf_writer *out, const char *name)
{
	struct lw_perf_reader *file;
	u64 nr;

	if (lw_perf_writer_flush(out) || lw_write_behind_sync(out->behind) ||
	    lw_perf_reader_open(&file, name))
		return ~0ULL;
	nr = lw_perf_reader_nr_records(file);
	if (!strstr(lw_perf_reader_warning(file) ?: "", "ends early"))
		nr = ~0ULL;
	lw_perf_reader_close(file);
	return nr;
}

static bool recording_under_way_is_read_up_to_now(void)
{
	struct comm_record comm = make_comm(BEGIN);
	struct perf_event_attr tick = tick_attr();
	struct lw_perf_reader *file;
	struct lw_perf_writer out;
	const u64 id = TICK;
	char name[80];

	snprintf(name, sizeof(name), "%s/growing", dir);
	CHECK(!lw_perf_writer_open(&out, name));
	CHECK(!lw_perf_writer_add_event(&out, "cpu-clock", &tick, &id, 1));
	CHECK(!lw_perf_writer_begin(&out, 0, NULL));
	CHECK(!lw_perf_writer_record(&out, &comm.header));
	CHECK(access(name, F_OK) && !lw_perf_writer_publish(&out) && !access(name, F_OK));
	/* what has its name is there, without a word that it be written */
	CHECK(!lw_perf_reader_open(&file, name) && lw_perf_reader_nr_records(file) == 1);
	lw_perf_reader_close(file);
	write_samples(&out, TICK);
	CHECK(records_so_far(&out, name) == NR_SAMPLES + 1);
	write_samples(&out, TICK);
	CHECK(records_so_far(&out, name) == 2 * NR_SAMPLES + 1);
	CHECK(!lw_perf_writer_finish(&out));
	lw_perf_writer_close(&out);
	CHECK(!lw_perf_reader_open(&file, name) && !lw_perf_reader_warning(file));
	CHECK(lw_perf_reader_nr_records(file) == 2 * NR_SAMPLES + 1);
	lw_perf_reader_close(file);
	return true;
}

static u64 next_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static u32 mutate(const u8 *bytes, size_t size, u64 *state)
{
	struct seen seen;
	u8 *copy = malloc(size);
	u32 nr = 1 + next_random(state) % 8, read;

	memcpy(copy, bytes, size);
	for (u32 i = 0; i < nr; i++) {
		/* rather in the headers than in the middle of many samples */
		size_t most = next_random(state) % 2 && size > 600 ? 600 : size;
		size_t at = next_random(state) % most;

		copy[at] = next_random(state) % 3 ? next_random(state) : 0xff;
	}
	read = !read_all(keep(copy, size), &seen);
	free(copy);
	return read;
}

static bool mutated_files_do_no_harm(void)
{
	const char * const names[] = { "data", "pipe", "packed" };
	u64 state = 20261122;
	u32 read = 0;

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		char from[80];
		size_t size;
		u8 *bytes;

		snprintf(from, sizeof(from), "%s/%s", dir, names[i]);
		bytes = load(from, &size);
		CHECK(bytes);
		for (u32 j = 0; j < MUTATIONS / 3; j++)
			read += mutate(bytes, size, &state);
		free(bytes);
	}
	/* most can be read in part, many not at all */
	CHECK(read > MUTATIONS / 10 && read < MUTATIONS);
	return true;
}

static bool what_is_no_recording_is_refused_with_words(void)
{
	struct lw_perf_reader *file;
	char name[80];

	CHECK(lw_perf_reader_open(&file, "/nowhere/perf.data") == -ENOENT);
	CHECK(strstr(lw_fail_text(), "/nowhere/perf.data"));
	CHECK(lw_perf_reader_open(&file, "/dev/null") == -EINVAL);
	CHECK(lw_perf_reader_open(&file, "/proc/self/exe") == -EBADMSG);
	CHECK(strstr(lw_fail_text(), "no perf.data file"));
	snprintf(name, sizeof(name), "%s/big-endian", dir);
	CHECK(store(name, "2ELIFREP\0\0\0\0\0\0\0h", 16));
	CHECK(lw_perf_reader_open(&file, name) == -EBADMSG);
	CHECK(strstr(lw_fail_text(), "ends within its header"));
	snprintf(name, sizeof(name), "%s/begun", dir);
	CHECK(store(name, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
	CHECK(lw_perf_reader_open(&file, name) == -EBADMSG);
	CHECK(strstr(lw_fail_text(), "not ended"));
	return true;
}

static bool add_id(struct lw_perf_reader *file, const char *of, u8 id, u8 len)
{
	u8 record[64] = { 0 };
	struct perf_event_header *header = (struct perf_event_header *)record;

	header->misc = 1 << 15;
	memset(record + 12, id, 20);
	record[12 + 20] = len;
	strcpy((char *)record + 36, of);
	return !perf_add_build_id(file, record, 36 + strlen(of) + 1);
}

/* However often it is told, it takes no more room, nor time to find. */
static bool the_build_id_that_was_told_last_counts(void)
{
	struct lw_perf_reader *file = calloc(1, sizeof(*file));
	struct lw_hash_node **at, *after;
	struct perf_build_id *entry;
	u8 id[LW_BUILD_ID_MAX];
	u32 nr = 0;

	CHECK(file && add_id(file, "/a", 1, 20) && add_id(file, "/b", 2, 20));
	for (u32 i = 0; i < 100; i++)
		CHECK(add_id(file, "/a", i, i % 2 ? 16 : 20));
	CHECK(lw_perf_reader_build_id(file, "/a", id) == 16 && id[0] == 99 && id[15] == 99);
	CHECK(!id[16] && !id[19]);
	CHECK(lw_perf_reader_build_id(file, "/b", id) == 20 && id[19] == 2);
	CHECK(!lw_perf_reader_build_id(file, "/c", id));
	lw_hash_for_all_safe(entry, after, at, file->build_ids, node) {
		free(entry);
		nr++;
	}
	free(file);
	CHECK(nr == 2);
	return true;
}

/* Every line of who prints them is as long as the longest. */
static bool long_names_of_events_are_cut(void)
{
	struct lw_perf_event event = { 0 };
	struct lw_perf_reader *file = calloc(1, sizeof(*file));
	char *name = malloc(5000);

	CHECK(file && name);
	memset(name, 'x', 5000);
	file->events = &event;
	CHECK(!perf_name_event(file, 0, name, 5000) && strlen(event.name) == 1024);
	CHECK(!perf_name_event(file, 0, "short", 5) && !strcmp(event.name, "short"));
	free(event.name);
	free(file);
	free(name);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(samples_come_in_order_of_time),
		TEST(fields_are_those_that_were_written),
		TEST(trailer_of_others_is_read_and_reading_can_be_ended),
		TEST(events_and_features_are_told),
		TEST(pipe_with_every_field_is_read),
		TEST(standard_input_may_be_a_pipe),
		TEST(counts_beyond_the_record_are_refused),
		TEST(packed_records_are_unpacked),
		TEST(packed_records_that_swell_are_refused),
		TEST(a_leaders_sample_is_one_of_each_that_has_counted),
		TEST(what_is_read_meanwhile_is_not_taken_for_counts),
		TEST(names_of_the_kernel_are_read),
		TEST(names_of_user_code_are_added_and_read),
		TEST(the_build_id_that_was_told_last_counts),
		TEST(long_names_of_events_are_cut),
		TEST(cut_file_gives_what_is_whole_and_says_so),
		TEST(recording_that_was_not_ended_is_read_to_its_end),
		TEST(recording_under_way_is_read_up_to_now),
		TEST(mutated_files_do_no_harm),
		TEST(what_is_no_recording_is_refused_with_words),
	};
	char command[64];
	int ret;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/data", dir);
	if (write_file(path)) {
		printf("Bail out! %s\n", lw_fail_text());
		return 1;
	}
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) || ret;
}
