// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_order_test.c - recordings of the other byte order are read as if they were of this
 * one, and broken ones do no harm.
 *
 * Everything is built twice, field by field, by the same functions: as this machine writes it, and
 * in the other order.  Records that are read have to be, byte for byte, those of the first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/perf_records.h"
#include "perf/perf_reader.h"
#include "perf/perf_reader_parts.h"
#include "perf/perf_writer.h"
#include "tests/tap.h"

#define MUTATIONS	6000U
#define NR_SAMPLES	20U
#define HERE_BIG	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct build {
	bool other;			/* it is in the other byte order */
	u64 next;			/* number that nothing had yet */
	size_t size;
	u8 bytes[1 << 20];
};

static struct build native, other = { .other = true };

static void put(struct build *build, const void *data, size_t size)
{
	memcpy(build->bytes + build->size, data, size);
	build->size += size;
}

static void put_number(struct build *build, u64 value, u32 size)
{
	for (u32 i = 0; i < size; i++) {
		bool big = build->other != HERE_BIG;
		u8 byte = value >> 8 * (big ? size - 1 - i : i);

		put(build, &byte, 1);
	}
}

static void put_u64(struct build *build, u64 value)
{
	put_number(build, value, sizeof(value));
}

static void put_u32(struct build *build, u32 value)
{
	put_number(build, value, sizeof(value));
}

/* Numbers that are all different, in each of their bytes, too. */
static void put_numbers(struct build *build, const char *sizes)
{
	for (; *sizes; sizes++) {
		build->next++;
		put_number(build, build->next * 0x0123456789abcdefULL, *sizes - '0');
	}
}

/* A word of bit fields, as a compiler of the order has them; @fields has each one's value. */
static void put_bits(struct build *build, const u64 *fields, const u8 *widths, u32 nr)
{
	bool from_high = build->other != HERE_BIG;
	u64 word = 0;

	for (u32 i = 0, at = 0; i < nr; at += widths[i++])
		word |= fields[i] << (from_high ? 64 - at - widths[i] : at);
	put_u64(build, word);
}

static size_t begin_record(struct build *build, u32 type, u16 misc)
{
	size_t begin = build->size;

	put_u32(build, type);
	put_number(build, misc, 2);
	put_number(build, 0, 2);
	return begin;
}

static void end_record(struct build *build, size_t begin)
{
	size_t end = build->size;

	build->size = begin + 6;
	put_number(build, end - begin, 2);
	build->size = end;
}

static void put_text(struct build *build, const char *text, size_t size)
{
	u8 room[64] = { 0 };

	memcpy(room, text, strlen(text));
	put(build, room, size);
}

/* --- what is recorded */

#define SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
			 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | \
			 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | (1ULL << 24) | \
			 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | \
			 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE | \
			 PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX)
#define LEADER		0x1100000000000077ULL
#define MEMBER		0x1100000000000088ULL
#define ATTR_SIZE	136U

/* Flags, of which precise_ip has two bits; then the flags of an attribute of ours. */
static void put_flags(struct build *build)
{
	u8 widths[63];
	u64 fields[63] = { 0 };

	memset(widths, 1, sizeof(widths));
	widths[15] = 2;
	fields[1] = 1;		/* inherit */
	fields[8] = 1;		/* mmap */
	fields[10] = 1;		/* freq */
	fields[15] = 2;		/* precise_ip */
	fields[17] = 1;		/* sample_id_all */
	fields[22] = 1;		/* mmap2 */
	fields[36] = 1;		/* inherit_thread */
	put_bits(build, fields, widths, ARRAY_SIZE(fields));
}

static void put_attr(struct build *build, u64 config, u64 sample_type, u64 read_format)
{
	put_u32(build, PERF_TYPE_HARDWARE);
	put_u32(build, ATTR_SIZE);
	put_u64(build, config);
	put_u64(build, 4000);
	put_u64(build, sample_type);
	put_u64(build, read_format);
	put_flags(build);
	put_u32(build, 3);		/* wakeup_events */
	put_u32(build, 4);		/* bp_type */
	put_u64(build, 0x51);		/* config1 */
	put_u64(build, 0x52);
	put_u64(build, PERF_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS);
	put_u64(build, 0x15);		/* sample_regs_user */
	put_u32(build, 16);		/* sample_stack_user */
	put_u32(build, 1);		/* clockid */
	put_u64(build, 0x3);		/* sample_regs_intr */
	put_u32(build, 5);
	put_number(build, 127, 2);	/* sample_max_stack */
	put_number(build, 7, 2);
	put_u32(build, 6);		/* aux_sample_size */
	put_u32(build, 8);
	put_u64(build, 0x53);		/* sig_data */
	put_u64(build, 0x54);		/* config3 */
}

#define GROUP	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_READ_LOST | \
		 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static void put_attr_record(struct build *build, u64 config, u64 id)
{
	size_t begin = begin_record(build, PERF_FILE_RECORD_ATTR, 0);

	put_attr(build, config, SAMPLE_TYPE, GROUP);
	put_u64(build, id + 1);
	put_u64(build, id);
	end_record(build, begin);
}

static void put_branches(struct build *build)
{
	/* mispred, predicted, in_tx, abort, cycles, type, spec, new_type, priv, reserved */
	static const u8 widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	static const u64 fields[] = { 1, 0, 1, 0, 0x1234, 0xb, 1, 0xd, 3, 0x5a5a5a5 };

	put_u64(build, 2);
	put_numbers(build, "8");	/* index */
	for (u32 i = 0; i < 2; i++) {
		put_numbers(build, "88");
		put_bits(build, fields, widths, ARRAY_SIZE(fields));
	}
	put_numbers(build, "88");	/* counters */
}

static void put_sample(struct build *build, u64 id, u64 time)
{
	size_t begin = begin_record(build, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put_u64(build, id);
	put_numbers(build, "844");	/* ip, pid, tid */
	put_u64(build, time);
	put_numbers(build, "8");	/* addr */
	put_u64(build, id);
	put_numbers(build, "8448");	/* stream, cpu, period */
	put_u64(build, 2);		/* a group of two, and times */
	put_numbers(build, "88");
	put_u64(build, 1000 + time);
	put_u64(build, LEADER);
	put_numbers(build, "8");	/* lost */
	put_u64(build, 500 + time);
	put_u64(build, MEMBER);
	put_numbers(build, "8");
	put_u64(build, 3);		/* chain */
	put_numbers(build, "888");
	put_u32(build, 12);		/* raw */
	put_text(build, "raw bytes", 12);
	put_branches(build);
	put_u64(build, PERF_SAMPLE_REGS_ABI_64);
	put_numbers(build, "888");
	put_u64(build, 16);		/* stack */
	put_text(build, "bytes of a stack", 16);
	put_u64(build, 8);
	put_numbers(build, "8888");	/* two weights, source, transaction */
	put_u64(build, PERF_SAMPLE_REGS_ABI_64);
	put_numbers(build, "88");
	put_numbers(build, "8888");	/* physical address, cgroup, sizes of pages */
	put_u64(build, 8);		/* aux */
	put_text(build, "aux", 8);
	end_record(build, begin);
}

static void put_trailer(struct build *build, u64 time)
{
	put_numbers(build, "44");
	put_u64(build, time);
	put_u64(build, MEMBER);
	put_numbers(build, "844");	/* stream, cpu */
	put_u64(build, MEMBER);
}

/* What the kernel writes, as linux/perf_event.h has it: numbers, then text. */
static const struct {
	u32 type;
	u16 misc;
	const char *sizes, *text;
	u32 size;			/* of the text */
	const char *behind;
} kinds[] = {
	{ PERF_RECORD_MMAP, 0, "44888", "/lib/x.so", 16 },
	{ PERF_RECORD_LOST, 0, "88" },
	{ PERF_RECORD_COMM, 0, "44", "name", 8 },
	{ PERF_RECORD_EXIT, 0, "44448" },
	{ PERF_RECORD_THROTTLE, 0, "888" },
	{ PERF_RECORD_UNTHROTTLE, 0, "888" },
	{ PERF_RECORD_FORK, 0, "44448" },
	{ PERF_RECORD_READ, 0, "448888" },
	{ PERF_RECORD_MMAP2, 0, "44888448844", "/lib/y.so", 16 },
	{ PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, "44888", "\x14...build-id.bytes..", 24,
	  "44" },
	{ PERF_RECORD_AUX, 0, "888" },
	{ PERF_RECORD_ITRACE_START, 0, "44" },
	{ PERF_RECORD_LOST_SAMPLES, 0, "8" },
	{ PERF_RECORD_SWITCH, 0, "" },
	{ PERF_RECORD_SWITCH_CPU_WIDE, 0, "44" },
	{ PERF_RECORD_NAMESPACES, 0, "4488888" },
	{ PERF_RECORD_KSYMBOL, 0, "8422", "bpf_prog", 16 },
	{ PERF_RECORD_BPF_EVENT, 0, "224", "tagbytes", 8 },
	{ PERF_RECORD_CGROUP, 0, "8", "/user.slice", 16 },
	{ PERF_RECORD_TEXT_POKE, 0, "822", "code", 12 },
};

static void put_kind(struct build *build, u32 kind, u64 time)
{
	size_t begin = begin_record(build, kinds[kind].type, kinds[kind].misc);

	put_numbers(build, kinds[kind].sizes);
	if (kinds[kind].text)
		put_text(build, kinds[kind].text, kinds[kind].size);
	put_numbers(build, kinds[kind].behind ?: "");
	put_trailer(build, time);
	end_record(build, begin);
}

#define COOKIE		0x1234567800000042ULL
#define TASK		0x4321U

/* The user part of a chain, which is not handed out, but asked for. */
static void put_deferred(struct build *build)
{
	size_t begin = begin_record(build, PERF_RECORD_CHAIN, 0);

	put_u64(build, COOKIE);
	put_u64(build, 3);
	put_u64(build, PERF_CONTEXT_USER);
	put_u64(build, 0x401000);
	put_u64(build, 0x402000);
	put_u32(build, 0x4300);
	put_u32(build, TASK);
	put_u64(build, 2000);
	put_u64(build, MEMBER);
	put_numbers(build, "844");
	put_u64(build, MEMBER);
	end_record(build, begin);
}

static void put_records(struct build *build)
{
	build->next = 0;
	for (u32 i = 0; i < NR_SAMPLES; i++)
		put_sample(build, i % 2 ? MEMBER : LEADER, 100 + i);
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		put_kind(build, i, 1000 + i);
	put_deferred(build);
}

static void begin_pipe(struct build *build)
{
	build->size = 0;
	put_u64(build, LW_PERF_FILE_MAGIC);
	put_u64(build, 16);
}

/* --- features */

static void put_string(struct build *build, const char *text)
{
	put_u32(build, 16);
	put_text(build, text, 16);
}

static void put_event_desc(struct build *build)
{
	put_u32(build, 2);
	put_u32(build, ATTR_SIZE);
	for (u32 i = 0; i < 2; i++) {
		put_attr(build, i, SAMPLE_TYPE, GROUP);
		put_u32(build, 2);
		put_string(build, i ? "member" : "leader");
		put_numbers(build, "88");
	}
}

static void put_build_ids(struct build *build)
{
	static const char * const paths[] = { "/lib/a.so", "/lib/b.so" };

	for (u32 i = 0; i < 2; i++) {
		size_t begin = begin_record(build, 0, 1U << 15);

		put_numbers(build, "4");
		put_text(build, i ? "of b" : "of a", 20);
		put(build, "\x14\0\0", 4);
		put_text(build, paths[i], 16);
		end_record(build, begin);
	}
}

static void put_feature(struct build *build, u32 feature)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		put_build_ids(build);
		break;
	case PERF_FEATURE_HOSTNAME:
		put_string(build, "host");
		break;
	case PERF_FEATURE_NRCPUS:
		put_u32(build, 8);
		put_u32(build, 6);
		break;
	case PERF_FEATURE_CMDLINE:
		put_u32(build, 2);
		put_string(build, "perf");
		put_string(build, "record");
		put_string(build, "behind");
		break;
	case PERF_FEATURE_EVENT_DESC:
		put_event_desc(build);
		break;
	case PERF_FEATURE_SAMPLE_TIME:
		put_u64(build, 100);
		put_u64(build, 119);
		break;
	}
}

static const u32 features[] = {
	PERF_FEATURE_BUILD_ID, PERF_FEATURE_HOSTNAME, PERF_FEATURE_NRCPUS, PERF_FEATURE_CMDLINE,
	PERF_FEATURE_EVENT_DESC, PERF_FEATURE_SAMPLE_TIME,
};

/* --- files */

static void put_feature_records(struct build *build)
{
	for (u32 i = 0; i < ARRAY_SIZE(features); i++) {
		size_t begin = begin_record(build, PERF_FILE_RECORD_FEATURE, 0);

		put_u64(build, features[i]);
		put_feature(build, features[i]);
		end_record(build, begin);
	}
}

/* Behind two of them are bytes that only the record tells the number of. */
static void put_file_records(struct build *build)
{
	size_t begin = begin_record(build, PERF_FILE_RECORD_TRACING, 0);

	put_u32(build, 12);
	end_record(build, begin);
	put_text(build, "the formats", 16);
	begin = begin_record(build, PERF_FILE_RECORD_UPDATE, 0);
	put_u64(build, 2);		/* a name */
	put_u64(build, LEADER);
	put_text(build, "updated", 8);
	end_record(build, begin);
}

static void put_auxtrace(struct build *build)
{
	size_t begin = begin_record(build, PERF_FILE_RECORD_AUXTRACE, 0);

	put_u64(build, 24);
	put_numbers(build, "884444");
	end_record(build, begin);
	put_text(build, "bytes of a trace", 24);
}

static void make_pipe(struct build *build)
{
	begin_pipe(build);
	put_attr_record(build, 0, LEADER);
	put_attr_record(build, 1, MEMBER);
	put_feature_records(build);
	put_file_records(build);
	put_records(build);
}

static void make_trace(struct build *build)
{
	begin_pipe(build);
	put_attr_record(build, 0, LEADER);
	put_attr_record(build, 1, MEMBER);
	put_auxtrace(build);
	put_records(build);
}

#define HEADER_SIZE	104U
#define ATTRS_AT	(HEADER_SIZE + 4 * sizeof(u64))
#define DATA_AT		(ATTRS_AT + 2 * (ATTR_SIZE + 16))

static void put_section(struct build *build, u64 offset, u64 size)
{
	put_u64(build, offset);
	put_u64(build, size);
}

static void put_file_header(struct build *build, u64 data_size)
{
	u64 bits = 0;

	put_u64(build, LW_PERF_FILE_MAGIC);
	put_u64(build, HEADER_SIZE);
	put_u64(build, ATTR_SIZE + 16);
	put_section(build, ATTRS_AT, 2 * (ATTR_SIZE + 16));
	put_section(build, DATA_AT, data_size);
	put_section(build, 0, 0);
	for (u32 i = 0; i < ARRAY_SIZE(features); i++)
		bits |= 1ULL << features[i];
	put_u64(build, bits);
	for (u32 i = 0; i < 3; i++)
		put_u64(build, 0);
	/* IDs of both */
	put_u64(build, LEADER + 1);
	put_u64(build, LEADER);
	put_u64(build, MEMBER + 1);
	put_u64(build, MEMBER);
	for (u32 i = 0; i < 2; i++) {
		put_attr(build, i, SAMPLE_TYPE, GROUP);
		put_section(build, HEADER_SIZE + i * 16, 16);
	}
}

static void make_file(struct build *build)
{
	size_t table, at;

	build->size = 0;
	put_file_header(build, 0);
	put_records(build);
	table = build->size;
	build->size = 0;
	put_file_header(build, table - DATA_AT);
	build->size = table + ARRAY_SIZE(features) * 16;
	for (u32 i = 0; i < ARRAY_SIZE(features); i++) {
		size_t end;

		at = build->size;
		put_feature(build, features[i]);
		end = build->size;
		build->size = table + i * 16;
		put_section(build, at, end - at);
		build->size = end;
	}
	/* a part of ours */
	at = build->size;
	put(build, "ffff t name\n", 12);
	put_u64(build, build->size - at);
	put(build, LW_KERNEL_NAMES_MAGIC, 8);
}

static const char *keep(const void *bytes, size_t size)
{
	static char name[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("recording", MFD_CLOEXEC);
	if (ftruncate(fd, size) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		return "/nowhere";
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return name;
}

/* Two records with parts of one stream. */
static void make_packed(struct build *build)
{
	static struct build plain;
	static u8 packed[ZSTD_COMPRESSBOUND(sizeof(plain.bytes))];
	size_t size, begin;

	plain.other = build->other;
	plain.size = 0;
	put_records(&plain);
	size = ZSTD_compress(packed, sizeof(packed), plain.bytes, plain.size, 3);
	begin_pipe(build);
	put_attr_record(build, 0, LEADER);
	put_attr_record(build, 1, MEMBER);
	begin = begin_record(build, PERF_FILE_RECORD_PACKED, 0);
	put(build, packed, size / 2);
	end_record(build, begin);
	begin = begin_record(build, PERF_FILE_RECORD_PACKED2, 0);
	put_u64(build, size - size / 2);
	put(build, packed + size / 2, size - size / 2);
	put(build, "pad", 3);
	end_record(build, begin);
}

static void make_both(void (*make)(struct build *build))
{
	make(&native);
	make(&other);
}

static bool open_build(struct lw_perf_reader **file, const struct build *build)
{
	return !lw_perf_reader_open(file, keep(build->bytes, build->size));
}

/* --- what is read */

#define MOST_SEEN	128U

struct seen {
	u32 nr;
	u64 sum;			/* of every byte that is said to be there */
	struct {
		struct lw_perf_record fields;	/* without pointers */
		u8 bytes[1024];
	} records[MOST_SEEN];
};

static void add_bytes(struct seen *seen, const void *bytes, size_t size)
{
	for (size_t i = 0; bytes && i < size; i++)
		seen->sum += ((const u8 *)bytes)[i];
}

static void forget_pointers(struct lw_perf_record *record)
{
	record->header = NULL;
	record->event = NULL;
	record->chain = NULL;
	record->raw = NULL;
	record->counts = NULL;
	record->regs = NULL;
	record->stack = NULL;
	record->branches = NULL;
}

static int see(void *ctx, const struct lw_perf_record *record)
{
	size_t size = record->header->size;
	struct seen *seen = ctx;

	add_bytes(seen, record->header, size);
	add_bytes(seen, record->chain, record->nr_chain * sizeof(u64));
	add_bytes(seen, record->raw, record->raw_size);
	add_bytes(seen, record->stack, record->stack_size);
	add_bytes(seen, record->branches, record->nr_branches * 3 * sizeof(u64));
	if (seen->nr == MOST_SEEN)
		return 0;
	memcpy(&seen->records[seen->nr].fields, record, sizeof(*record));
	forget_pointers(&seen->records[seen->nr].fields);
	memset(seen->records[seen->nr].bytes, 0, sizeof(seen->records[0].bytes));
	memcpy(seen->records[seen->nr++].bytes, record->header, size < 1024 ? size : 1024);
	return 0;
}

static struct seen seen_native, seen_other;

static bool read_build(const struct build *build, struct seen *seen)
{
	struct lw_perf_reader *file;
	bool ok;

	seen->nr = 0;
	if (!open_build(&file, build))
		return false;
	ok = !lw_perf_reader_read(file, see, seen);
	lw_perf_reader_close(file);
	return ok;
}

static bool both_are_seen_alike(void)
{
	CHECK(read_build(&native, &seen_native));
	CHECK(read_build(&other, &seen_other));
	/* a sample of a group is one of each of its events */
	CHECK(seen_native.nr == 2 * NR_SAMPLES + ARRAY_SIZE(kinds));
	CHECK(seen_other.nr == seen_native.nr);
	for (u32 i = 0; i < seen_native.nr; i++) {
		if (!memcmp(&seen_native.records[i], &seen_other.records[i],
			    sizeof(seen_native.records[i])))
			continue;
		printf("# record %u, of type %u, is another one\n", i,
		       ((const struct perf_event_header *)seen_native.records[i].bytes)->type);
		return false;
	}
	return true;
}

static bool records_of_a_pipe_are_as_this_machine_writes_them(void)
{
	make_both(make_pipe);
	CHECK(memcmp(native.bytes, other.bytes, native.size) && native.size == other.size);
	return both_are_seen_alike();
}

static bool records_of_a_file_are_as_this_machine_writes_them(void)
{
	make_both(make_file);
	return both_are_seen_alike();
}

static bool packed_records_are_as_this_machine_writes_them(void)
{
	make_both(make_packed);
	return both_are_seen_alike();
}

static bool what_is_behind_a_processors_trace_is_found(void)
{
	make_both(make_trace);
	return both_are_seen_alike();
}

/* Not only alike, but what was put: a reader that turns neither would do the former. */
static bool numbers_are_those_that_were_put(void)
{
	const struct lw_perf_record *first = &seen_other.records[0].fields;

	make_both(make_pipe);
	CHECK(read_build(&other, &seen_other));
	CHECK(first->time == 100 && first->id == LEADER && first->ip == 0x0123456789abcdefULL);
	CHECK(first->pid == 0x13579bde && first->tid == 0x9d0369cd && first->nr_chain == 3);
	CHECK(first->raw_size == 12 && first->stack_size == 8 && first->nr_branches == 2);
	CHECK(first->regs_abi == PERF_SAMPLE_REGS_ABI_64 && first->period == 1100);
	return true;
}

static bool check_info(struct lw_perf_reader *file, const char *leader)
{
	const struct lw_perf_info *info = lw_perf_reader_info(file);
	u8 id[LW_BUILD_ID_MAX];

	CHECK(!lw_perf_reader_warning(file));
	CHECK(info->hostname && !strcmp(info->hostname, "host"));
	CHECK(info->cmdline && !strcmp(info->cmdline, "perf record") && info->nr_cpus == 6);
	CHECK(info->first_time == 100 && info->last_time == 119);
	CHECK(lw_perf_reader_build_id(file, "/lib/a.so", id) == 20 && !memcmp(id, "of a", 5));
	CHECK(lw_perf_reader_build_id(file, "/lib/b.so", id) == 20 && !memcmp(id, "of b", 5));
	CHECK(lw_perf_reader_nr_events(file) == 2);
	CHECK(!strcmp(lw_perf_reader_event(file, 0)->name, leader));
	CHECK(!strcmp(lw_perf_reader_event(file, 1)->name, "member"));
	return true;
}

static bool check_attr(struct lw_perf_reader *file)
{
	const struct perf_event_attr *attr = &lw_perf_reader_event(file, 1)->attr;

	CHECK(attr->type == PERF_TYPE_HARDWARE && attr->size == ATTR_SIZE && attr->config == 1);
	CHECK(attr->sample_freq == 4000 && attr->sample_type == SAMPLE_TYPE);
	CHECK(attr->inherit && attr->mmap && attr->freq && attr->sample_id_all && attr->mmap2);
	CHECK(attr->precise_ip == 2 && !attr->disabled && !attr->task && !attr->watermark);
	CHECK(!attr->mmap_data && !attr->exclude_host && attr->wakeup_events == 3);
	CHECK(attr->bp_type == 4 && attr->config1 == 0x51 && attr->config2 == 0x52);
	CHECK(attr->sample_regs_user == 0x15 && attr->sample_stack_user == 16);
	CHECK(attr->clockid == 1 && attr->sample_regs_intr == 3 && attr->aux_watermark == 5);
	CHECK(attr->sample_max_stack == 127 && attr->aux_sample_size == 6);
	CHECK(attr->sig_data == 0x53);
	return true;
}

static bool events_and_features_are_told(void)
{
	static void (*const makes[])(struct build *build) = { make_pipe, make_file };

	for (u32 i = 0; i < ARRAY_SIZE(makes); i++) {
		struct lw_perf_reader *file, *of_native;
		bool ok = true;

		make_both(makes[i]);
		CHECK(open_build(&of_native, &native) && open_build(&file, &other));
		CHECK(check_info(of_native, i ? "leader" : "updated"));
		CHECK(check_info(file, i ? "leader" : "updated"));
		CHECK(check_attr(of_native) && check_attr(file));
		CHECK(!lw_perf_reader_info(of_native)->other_order);
		CHECK(lw_perf_reader_info(file)->other_order);
		for (u32 event = 0; event < 2; event++)
			ok &= !memcmp(&lw_perf_reader_event(of_native, event)->attr,
				      &lw_perf_reader_event(file, event)->attr,
				      sizeof(struct perf_event_attr));
		CHECK(ok);
		/* in the pipe only, and behind the file only */
		CHECK(lw_perf_reader_info(file)->formats_size == (i ? 0 : 16));
		CHECK(lw_perf_reader_info(file)->kernel_names_size == (i ? 12 : 0));
		lw_perf_reader_close(of_native);
		lw_perf_reader_close(file);
	}
	return true;
}

static bool a_deferred_chain_is_found(void)
{
	struct lw_perf_reader *file;
	const u64 *chain;

	make_both(make_pipe);
	CHECK(open_build(&file, &other));
	CHECK(lw_perf_reader_deferred(file, COOKIE, TASK, &chain) == 3);
	CHECK(chain[0] == (u64)PERF_CONTEXT_USER && chain[2] == 0x402000);
	CHECK(!lw_perf_reader_deferred(file, COOKIE, TASK + 1, &chain));
	lw_perf_reader_close(file);
	return true;
}

/* --- what is not as it should be */

/* A sample that says of one field that it has @count of something, and has @behind words. */
static bool takes_liar(u64 sample_type, u64 read_format, u64 count, u32 behind)
{
	struct lw_perf_reader *file;
	size_t begin;
	bool taken;

	begin_pipe(&other);
	begin = begin_record(&other, PERF_FILE_RECORD_ATTR, 0);
	put_attr(&other, 0, sample_type, read_format);
	put_u64(&other, LEADER);
	end_record(&other, begin);
	begin = begin_record(&other, PERF_RECORD_SAMPLE, 0);
	put_u64(&other, count);
	for (u32 i = 0; i < behind; i++)
		put_u64(&other, 0);
	end_record(&other, begin);
	if (!open_build(&file, &other))
		return false;
	taken = lw_perf_reader_nr_records(file);
	lw_perf_reader_close(file);
	return taken && read_build(&other, &seen_other);
}

static bool counts_beyond_the_record_are_refused(void)
{
	/* the last ones are as many bytes as there are, in 64 bits */
	static const u64 counts[] = { 3, ~0ULL, 1ULL << 61, (1ULL << 61) + 1, (1ULL << 60) + 1 };
	const u64 group = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	const u64 branches = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP;
	const u64 stack = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP;

	CHECK(takes_liar(PERF_SAMPLE_CALLCHAIN, 0, 2, 2));
	CHECK(takes_liar(PERF_SAMPLE_READ, group, 2, 4));
	CHECK(takes_liar(branches, 0, 1, 6));
	CHECK(takes_liar(stack, 0, 8, 3));
	for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
		CHECK(!takes_liar(PERF_SAMPLE_CALLCHAIN, 0, counts[i], 2));
		CHECK(!takes_liar(PERF_SAMPLE_READ, group, counts[i], 4));
		CHECK(!takes_liar(branches, 0, counts[i], 6));
		CHECK(!takes_liar(stack, 0, counts[i] | 16, 3));
	}
	CHECK(!takes_liar(PERF_SAMPLE_RAW, 0, 13ULL << (HERE_BIG ? 0 : 32), 1));
	return true;
}

/* Return: how many records there are, ~0: it is refused. */
static u64 records_of(const struct build *build, size_t size, bool *warned)
{
	struct lw_perf_reader *file;
	u64 nr;

	if (lw_perf_reader_open(&file, keep(build->bytes, size)))
		return ~0ULL;
	nr = lw_perf_reader_nr_records(file);
	*warned = lw_perf_reader_warning(file);
	lw_perf_reader_close(file);
	return nr;
}

static bool cut_files_give_what_is_whole_in_either_order(void)
{
	static void (*const makes[])(struct build *build) = { make_pipe, make_file, make_packed };
	u32 opened = 0;

	for (u32 i = 0; i < ARRAY_SIZE(makes); i++) {
		make_both(makes[i]);
		for (size_t size = 0; size < native.size; size += size < 600 ? 3 : 23) {
			bool warned[2] = { 0 };
			u64 nr = records_of(&native, size, &warned[0]);

			/* what was packed has another size in the other order */
			if (i < 2) {
				CHECK(records_of(&other, size, &warned[1]) == nr);
				CHECK(warned[0] == warned[1]);
			} else {
				records_of(&other, size, &warned[1]);
			}
			opened += nr != ~0ULL;
		}
	}
	CHECK(opened > 100);
	return true;
}

static u64 next_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static bool mutated_files_do_no_harm(void)
{
	static void (*const makes[])(struct build *build) = { make_pipe, make_file, make_packed };
	static struct build mutant;
	u64 state = 20261129;
	u32 read = 0;

	for (u32 i = 0; i < MUTATIONS; i++) {
		if (i % (MUTATIONS / ARRAY_SIZE(makes)) == 0)
			make_both(makes[i / (MUTATIONS / ARRAY_SIZE(makes))]);
		mutant = other;
		for (u32 nr = 1 + next_random(&state) % 8; nr; nr--) {
			size_t most = next_random(&state) % 2 ? 900 : mutant.size;
			size_t at = next_random(&state) % (most < mutant.size ? most : mutant.size);

			mutant.bytes[at] = next_random(&state) % 3 ? next_random(&state) : 0xff;
		}
		read += read_build(&mutant, &seen_other);
	}
	/* most can be read in part, many not at all */
	CHECK(read > MUTATIONS / 10 && read < MUTATIONS);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(records_of_a_pipe_are_as_this_machine_writes_them),
		TEST(records_of_a_file_are_as_this_machine_writes_them),
		TEST(packed_records_are_as_this_machine_writes_them),
		TEST(what_is_behind_a_processors_trace_is_found),
		TEST(numbers_are_those_that_were_put),
		TEST(events_and_features_are_told),
		TEST(a_deferred_chain_is_found),
		TEST(counts_beyond_the_record_are_refused),
		TEST(cut_files_give_what_is_whole_in_either_order),
		TEST(mutated_files_do_no_harm),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
