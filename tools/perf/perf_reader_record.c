// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_record.c - the fields of one record of a perf.data file.
 *
 * Which ones it has is said by the attributes of its event, and which event that
 * is by an ID in it: at its begin or end, or where all events have it.
 */
#include <string.h>

#include "perf/perf_reader_parts.h"

/* Of later kernels' headers. */
#define WEIGHT_STRUCT	(1U << 24)
/* Between the user's stack and the registers of an interrupt. */
#define ONE_WORD	(PERF_SAMPLE_WEIGHT | WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | \
			 PERF_SAMPLE_TRANSACTION)
#define READ_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/**
 * perf_cursor_take - step over bytes
 * @cursor: where
 * @size: how many
 *
 * Return: them, or NULL and @cursor->bad when there are fewer.
 */
const void *perf_cursor_take(struct perf_cursor *cursor, size_t size)
{
	const u8 *at = cursor->at;

	if (cursor->bad || size > cursor->left) {
		cursor->bad = true;
		return NULL;
	}
	cursor->at += size;
	cursor->left -= size;
	return at;
}

/**
 * perf_cursor_u32 - take a number
 * @cursor: where
 *
 * Return: it, or 0 and @cursor->bad.
 */
u32 perf_cursor_u32(struct perf_cursor *cursor)
{
	const void *at = perf_cursor_take(cursor, sizeof(u32));
	u32 value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/**
 * perf_cursor_u64 - take a number
 * @cursor: where
 *
 * Return: it, or 0 and @cursor->bad.
 */
u64 perf_cursor_u64(struct perf_cursor *cursor)
{
	const void *at = perf_cursor_take(cursor, sizeof(u64));
	u64 value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static u32 nr_bits(u64 bits)
{
	return __builtin_popcountll(bits);
}

static u64 word_at(const struct perf_event_header *header, size_t offset)
{
	u64 value = 0;

	if (offset + sizeof(value) <= header->size)
		memcpy(&value, (const u8 *)header + offset, sizeof(value));
	return value;
}

/* Words of a sample that come before its ID, which is not at its begin. */
#define BEFORE_ID	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
/* And of a trailer, behind it. */
#define BEHIND_ID	(PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)
#define TRAILER		(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/**
 * perf_id_offset - where a record has the ID of its event
 * @file: with its events, at least one
 * @header: of the record, which may be in another byte order but for this header
 *
 * Return: bytes from @header on, of a whole word; 0: it has none.
 */
size_t perf_id_offset(const struct lw_perf_reader *file, const struct perf_event_header *header)
{
	const struct perf_event_attr *attr = &file->events[0].attr;
	bool sample = header->type == PERF_RECORD_SAMPLE;
	size_t words, size;

	if (!sample && !attr->sample_id_all)
		return 0;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		words = 0;
	else if (attr->sample_type & PERF_SAMPLE_ID)
		words = nr_bits(attr->sample_type & (sample ? BEFORE_ID : BEHIND_ID));
	else
		return 0;
	size = sizeof(*header) + (words + 1) * sizeof(u64);
	if (header->size < size)
		return 0;
	return sample ? size - sizeof(u64) : header->size - (words + 1) * sizeof(u64);
}

/**
 * perf_event_of - the event that a record is of
 * @file: with its events, at least one, and their IDs
 * @header: of the record
 * @id: that the record has, or 0
 *
 * Return: index of the event, or -1.
 */
int perf_event_of(const struct lw_perf_reader *file, const struct perf_event_header *header,
		  u64 id)
{
	int event = 0;

	/* what perf makes up itself has no ID, but the layout of the first */
	if (id)
		event = perf_find_event(file, id);
	if (event < 0 && header->type != PERF_RECORD_SAMPLE)
		event = 0;
	return event < 0 ? -1 : event;
}

/* Counts without an ID are of no use: nothing says whose they are. */
static void take_read(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	u64 format = record->event->attr.read_format, nr = 1;
	u32 each = 1 + nr_bits(format & (PERF_FORMAT_ID | PERF_READ_LOST));
	u32 times = nr_bits(format & READ_TIMES);
	const u64 *counts;

	if (format & PERF_FORMAT_GROUP) {
		nr = perf_cursor_u64(cursor);
		perf_cursor_take(cursor, times * sizeof(u64));
		times = 0;
	}
	if (nr > cursor->left / (each * sizeof(u64))) {
		cursor->bad = true;
		return;
	}
	counts = perf_cursor_take(cursor, (nr * each + times) * sizeof(u64));
	/* of one event the times stand between its count and its ID */
	if (!(format & PERF_FORMAT_ID) || times)
		return;
	record->counts = counts;
	record->nr_counts = nr;
	record->count_words = each;
}

static void take_chain(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	u64 nr = perf_cursor_u64(cursor);

	if (nr > cursor->left / sizeof(u64)) {
		cursor->bad = true;
		return;
	}
	record->chain = perf_cursor_take(cursor, nr * sizeof(u64));
	record->nr_chain = nr;
}

static void take_raw(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	record->raw_size = perf_cursor_u32(cursor);
	record->raw = perf_cursor_take(cursor, record->raw_size);
}

/* Where branches went: pieces of 3 words, of later kernels a counter for each behind all. */
static void take_branches(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	u64 kinds = record->event->attr.branch_sample_type;
	u64 nr = perf_cursor_u64(cursor), each = 3 + !!(kinds & PERF_BRANCH_COUNTERS);

	if (kinds & PERF_BRANCH_HW_INDEX)
		perf_cursor_u64(cursor);
	if (nr > cursor->left / (each * sizeof(u64))) {
		cursor->bad = true;
		return;
	}
	record->branches = perf_cursor_take(cursor, nr * each * sizeof(u64));
	record->nr_branches = nr;
}

/* Without an ABI there are none. */
static void take_regs(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	u32 nr = nr_bits(record->event->attr.sample_regs_user);

	u64 abi = perf_cursor_u64(cursor);

	record->regs_mask = record->event->attr.sample_regs_user;
	record->regs_abi = abi;
	if (abi)
		record->regs = perf_cursor_take(cursor, nr * sizeof(u64));
}

static void skip_regs(struct perf_cursor *cursor, u64 regs)
{
	if (perf_cursor_u64(cursor))
		perf_cursor_take(cursor, nr_bits(regs) * sizeof(u64));
}

/* With how many bytes of it are good behind it. */
static void take_stack(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	u64 size = perf_cursor_u64(cursor), good;

	if (!size)
		return;
	record->stack = perf_cursor_take(cursor, size);
	good = perf_cursor_u64(cursor);
	record->stack_size = good < size ? good : size;
}

#define BEHIND_RAW	(PERF_SAMPLE_CGROUP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | \
			 PERF_SAMPLE_STACK_USER)

/* The fields between the raw data and the cgroup; some of them are not used. */
static void take_behind_raw(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	const struct perf_event_attr *attr = &record->event->attr;
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(cursor, record);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(cursor, record);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(cursor, record);
	if (!(type & PERF_SAMPLE_CGROUP))
		return;
	perf_cursor_take(cursor, nr_bits(type & ONE_WORD) * sizeof(u64));
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_regs(cursor, attr->sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		perf_cursor_u64(cursor);
	record->cgroup = perf_cursor_u64(cursor);
}

static void take_tid(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	record->pid = perf_cursor_u32(cursor);
	record->tid = perf_cursor_u32(cursor);
}

static void take_cpu(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	record->cpu = perf_cursor_u32(cursor);
	perf_cursor_u32(cursor);
}

static bool take_sample(struct perf_cursor *cursor, struct lw_perf_record *record)
{
	const struct perf_event_attr *attr = &record->event->attr;
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id = perf_cursor_u64(cursor);
	if (type & PERF_SAMPLE_IP)
		record->ip = perf_cursor_u64(cursor);
	if (type & PERF_SAMPLE_TID)
		take_tid(cursor, record);
	if (type & PERF_SAMPLE_TIME)
		record->time = perf_cursor_u64(cursor);
	if (type & PERF_SAMPLE_ADDR)
		record->addr = perf_cursor_u64(cursor);
	if (type & PERF_SAMPLE_ID)
		record->id = perf_cursor_u64(cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		perf_cursor_u64(cursor);
	if (type & PERF_SAMPLE_CPU)
		take_cpu(cursor, record);
	record->period = type & PERF_SAMPLE_PERIOD ? perf_cursor_u64(cursor) :
			 attr->freq ? 1 : attr->sample_period;
	if (type & PERF_SAMPLE_READ)
		take_read(cursor, record);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(cursor, record);
	if (type & PERF_SAMPLE_RAW)
		take_raw(cursor, record);
	if (type & BEHIND_RAW)
		take_behind_raw(cursor, record);
	return !cursor->bad;
}

/**
 * perf_trailer_size - what records that are no samples have behind their own fields
 * @attr: of the event that they are of
 *
 * Return: bytes.
 */
size_t perf_trailer_size(const struct perf_event_attr *attr)
{
	return attr->sample_id_all ? nr_bits(attr->sample_type & TRAILER) * sizeof(u64) : 0;
}

/* The trailer of what is no sample. */
static bool take_trailer(struct lw_perf_record *record)
{
	const struct perf_event_attr *attr = &record->event->attr;
	u64 type = attr->sample_type;
	size_t size = perf_trailer_size(attr);
	struct perf_cursor cursor = { .left = size };

	if (!attr->sample_id_all)
		return true;
	if (size > record->end - sizeof(*record->header))
		return false;
	record->end -= size;
	cursor.at = (const u8 *)record->header + record->end;
	if (type & PERF_SAMPLE_TID)
		take_tid(&cursor, record);
	if (type & PERF_SAMPLE_TIME)
		record->time = perf_cursor_u64(&cursor);
	if (type & PERF_SAMPLE_ID)
		record->id = perf_cursor_u64(&cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		perf_cursor_u64(&cursor);
	if (type & PERF_SAMPLE_CPU)
		take_cpu(&cursor, record);
	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id = perf_cursor_u64(&cursor);
	return !cursor.bad;
}

/**
 * perf_parse - the fields of a record
 * @file: with its events
 * @header: the record, at a multiple of 8; all of it is there
 * @record: out: @record->event is NULL when it is of none that the file knows
 *
 * Return: false when it is shorter than it must be.
 */
bool perf_parse(const struct lw_perf_reader *file, const struct perf_event_header *header,
		struct lw_perf_record *record)
{
	struct perf_cursor cursor = {
		.at = (const u8 *)(header + 1),
		.left = header->size - sizeof(*header),
	};
	size_t id_at;
	int event;

	memset(record, 0, sizeof(*record));
	record->header = header;
	record->end = header->size;
	if (!file->nr_events)
		return true;
	id_at = perf_id_offset(file, header);
	event = perf_event_of(file, header, id_at ? word_at(header, id_at) : 0);
	if (event < 0)
		return true;
	record->event = &file->events[event];
	record->index = event;
	return header->type == PERF_RECORD_SAMPLE ? take_sample(&cursor, record) :
	       take_trailer(record);
}
