// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader.c - reads a perf.data file, of ours or of perf's.
 *
 * A pass over the data notes where each record is and its time, 16 bytes a record;
 * then they are handed out in the order of time, whether there are round markers or
 * not.  Those of one time, and those without one, stay in the order of the file.
 *
 * The file may be anybody's: sizes and offsets are checked against what is there.
 * One that was cut, or is broken somewhere, gives what is whole, and a warning.
 *
 * Of a machine of the other byte order it is turned where it is read: perf_reader_order.c.
 *
 * Contexts: one thread per file.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/perf_records.h"
#include "perf/perf_reader_parts.h"

#define MAX_EVENTS		16384U
#define LEAST_ATTR		64U	/* PERF_ATTR_SIZE_VER0 */
#define MOST_ATTR		4096U
#define PIPE_HEADER		16U

#define UPDATE_NAME		2U

struct deferred_record {
	struct perf_event_header header;
	u64 cookie;
	u64 nr;
	u64 chain[];
};

struct file_header {
	u64 magic;
	u64 size;
	u64 attr_size;
	struct perf_section attrs;
	struct perf_section data;
	struct perf_section event_types;
	u64 features[4];
};

/* A part of the data that is looked through. */
struct part {
	struct lw_perf_bytes *bytes;
	u64 pos, end;
	u64 mark;		/* 0 or PERF_PLACE_UNPACKED */
};

/**
 * perf_warn - remember what is wrong with a file that is read all the same
 * @file: the file
 * @fmt: what; the first one is kept
 */
void perf_warn(struct lw_perf_reader *file, const char *fmt, ...)
{
	va_list ap;

	if (file->warning[0])
		return;
	va_start(ap, fmt);
	vsnprintf(file->warning, sizeof(file->warning), fmt, ap);
	va_end(ap);
}

static int out_of_memory(void)
{
	return lw_fail(-ENOMEM, "out of memory");
}

static int take_attr_record(struct lw_perf_reader *file, const struct perf_event_header *header)
{
	const u8 *bytes = (const u8 *)(header + 1);
	size_t size = header->size - sizeof(*header);
	struct perf_event_attr attr;
	u32 event = file->nr_events;
	int ret;

	if (!file->is_pipe || size < LEAST_ATTR)
		return 0;
	/* its own size says where the IDs begin */
	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, bytes, LEAST_ATTR);
	if (attr.size < LEAST_ATTR || attr.size > size)
		return 0;
	ret = perf_add_event(file, bytes, attr.size);
	for (size_t at = attr.size; !ret && at + sizeof(u64) <= size; at += sizeof(u64)) {
		u64 id;

		memcpy(&id, bytes + at, sizeof(id));
		ret = perf_add_id(file, id, event);
	}
	return ret;
}

/* EVENT_UPDATE: a name for the event of an ID. */
static int take_update(struct lw_perf_reader *file, const struct perf_event_header *header)
{
	struct perf_cursor cursor = {
		.at = (const u8 *)(header + 1),
		.left = header->size - sizeof(*header),
	};
	u64 type = perf_cursor_u64(&cursor), id = perf_cursor_u64(&cursor);
	int event = cursor.bad ? -1 : perf_find_event(file, id);

	if (type != UPDATE_NAME || event < 0)
		return 0;
	return perf_name_event(file, event, (const char *)cursor.at,
			       strnlen((const char *)cursor.at, cursor.left));
}

static int take_feature_record(struct lw_perf_reader *file, const struct perf_event_header *header)
{
	struct perf_cursor cursor = {
		.at = (const u8 *)(header + 1),
		.left = header->size - sizeof(*header),
	};
	u64 feature = perf_cursor_u64(&cursor);

	if (cursor.bad || feature >= PERF_FEATURE_LAST)
		return 0;
	return perf_take_feature(file, feature, cursor.at, cursor.left);
}

static int index_part(struct lw_perf_reader *file, struct part *part);

static int take_packed(struct lw_perf_reader *file, const struct perf_event_header *header,
		       struct part *unpacked)
{
	struct perf_cursor cursor = {
		.at = (const u8 *)(header + 1),
		.left = header->size - sizeof(*header),
	};
	u64 size = cursor.left;
	int ret;

	if (header->type == PERF_FILE_RECORD_PACKED2)
		size = perf_cursor_u64(&cursor);
	if (cursor.bad || size > cursor.left)
		return 0;
	ret = perf_unpack(file, cursor.at, size);
	if (ret)
		return ret;
	unpacked->bytes = &file->unpacked;
	unpacked->end = file->unpacked.size;
	return index_part(file, unpacked);
}

static int add_place(struct lw_perf_reader *file, u64 time, u64 offset)
{
	struct perf_place *place;

	if (lw_grow((void **)&file->places, &file->place_room, file->nr_places + 1,
		    sizeof(*place)))
		return -ENOMEM;
	place = &file->places[file->nr_places];
	place->time = time;
	place->offset = offset;
	if (file->nr_places && place[-1].time > time)
		file->unsorted = true;
	file->nr_places++;
	return 0;
}

static int add_deferred(struct lw_perf_reader *file, const struct lw_perf_record *record,
			u64 offset)
{
	const struct deferred_record *from = (const void *)record->header;
	struct perf_deferred *deferred;

	if (record->end < sizeof(*from))
		return 0;
	if (lw_grow((void **)&file->deferred, &file->deferred_room, file->nr_deferred + 1,
		    sizeof(*deferred)))
		return -ENOMEM;
	deferred = &file->deferred[file->nr_deferred++];
	deferred->cookie = from->cookie;
	deferred->tid = record->tid;
	deferred->offset = offset;
	return 0;
}

static int note_record(struct lw_perf_reader *file, const struct perf_event_header *header,
		       u64 offset)
{
	struct lw_perf_record record;

	if (!perf_parse(file, header, &record)) {
		file->bad++;
		return 0;
	}
	if (!record.event && header->type == PERF_RECORD_SAMPLE) {
		file->unknown++;
		return 0;
	}
	if (header->type == PERF_RECORD_CHAIN)
		return add_deferred(file, &record, offset);
	/* perf hands those without a time out at once */
	return add_place(file, record.time == ~0ULL ? 0 : record.time, offset);
}

/* Bytes behind a record that its own size does not count. */
static u64 extra_bytes(const struct perf_event_header *header)
{
	struct perf_cursor cursor = {
		.at = (const u8 *)(header + 1),
		.left = header->size - sizeof(*header),
	};

	if (header->type == PERF_FILE_RECORD_AUXTRACE)
		return perf_cursor_u64(&cursor);
	if (header->type == PERF_FILE_RECORD_TRACING)
		return ALIGN_UP((u64)perf_cursor_u32(&cursor), sizeof(u64));
	return 0;
}

/* They stand behind the record. */
static int take_formats(struct lw_perf_reader *file, const struct part *part,
			const struct perf_event_header *header)
{
	u64 at = part->pos + header->size, size = extra_bytes(header);
	void *data = size <= PERF_MAX_FEATURE ? malloc(size + 1) : NULL;
	int ret = 0;

	/* all of it is there, and the header may not be any more */
	if (data && !lw_perf_bytes_read(part->bytes, at, data, size))
		ret = perf_take_feature(file, PERF_FEATURE_TRACING_DATA, data, size);
	free(data);
	return ret;
}

static int take_record(struct lw_perf_reader *file, struct part *part,
		       const struct perf_event_header *header)
{
	if (header->type < PERF_FILE_RECORD_FIRST)
		return note_record(file, header, part->pos | part->mark);
	switch (header->type) {
	case PERF_FILE_RECORD_ATTR:
		return take_attr_record(file, header);
	case PERF_FILE_RECORD_BUILD_ID:
		return perf_add_build_id(file, header, header->size);
	case PERF_FILE_RECORD_UPDATE:
		return take_update(file, header);
	case PERF_FILE_RECORD_FEATURE:
		return take_feature_record(file, header);
	case PERF_FILE_RECORD_TRACING:
		return take_formats(file, part, header);
	case PERF_FILE_RECORD_AUXTRACE:
		perf_warn(file, "it has a processor's trace (intel_pt), which only perf decodes");
		return 0;
	}
	return 0;
}

/* Return: the record at part->pos; NULL when there is no whole one. */
static const struct perf_event_header *next_record(const struct lw_perf_reader *file,
						   const struct part *part)
{
	const struct perf_event_header *header;
	u16 size;

	if (part->end - part->pos < sizeof(*header))
		return NULL;
	header = lw_perf_bytes_at(part->bytes, part->pos, sizeof(*header));
	if (!header)
		return NULL;
	/* before anything else of it is looked at */
	size = file->turned ? __builtin_bswap16(header->size) : header->size;
	if (size < sizeof(*header) || size > part->end - part->pos)
		return NULL;
	header = lw_perf_bytes_at(part->bytes, part->pos, size);
	return header && file->turned ? perf_turn_record(file, header, size) : header;
}

/* Until there is no whole record any more; part->pos is where. */
static int index_part(struct lw_perf_reader *file, struct part *part)
{
	struct part unpacked = { .mark = PERF_PLACE_UNPACKED };
	const struct perf_event_header *header;
	int ret = 0;

	while (!ret && (header = next_record(file, part))) {
		u64 size = header->size, extra = extra_bytes(header);
		bool packed = header->type == PERF_FILE_RECORD_PACKED ||
			      header->type == PERF_FILE_RECORD_PACKED2;

		if (extra > part->end - part->pos - size)
			break;
		/* none in what was packed itself: it would have no end */
		if (packed && !part->mark)
			ret = take_packed(file, header, &unpacked);
		else
			ret = take_record(file, part, header);
		part->pos += size + extra;
	}
	if (ret == -ENOMEM)
		return out_of_memory();
	return ret;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_place *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static int by_cookie(const void *a, const void *b)
{
	const struct perf_deferred *left = a, *right = b;

	if (left->cookie != right->cookie)
		return left->cookie < right->cookie ? -1 : 1;
	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static int index_data(struct lw_perf_reader *file, u64 begin, u64 end)
{
	struct part part = { .bytes = &file->bytes, .pos = begin, .end = end };
	int ret = index_part(file, &part);

	if (ret == -EBADMSG) {
		perf_warn(file, "%s", lw_fail_text());
		ret = 0;
	} else if (!ret && part.pos != end) {
		perf_warn(file, "it ends within a record, at byte %llu of %llu: was it cut?",
			  part.pos, end);
	}
	if (file->bad)
		perf_warn(file, "%llu records are shorter than they should be: left out",
			  file->bad);
	if (file->unknown)
		perf_warn(file, "%llu samples are of events that it does not tell of: left out",
			  file->unknown);
	if (file->unsorted)
		qsort(file->places, file->nr_places, sizeof(*file->places), by_time);
	if (file->nr_deferred)
		qsort(file->deferred, file->nr_deferred, sizeof(*file->deferred), by_cookie);
	return ret;
}

static int read_ids(struct lw_perf_reader *file, const struct perf_section *section, u32 event,
		    u64 *left)
{
	int ret = 0;
	u64 id;

	/* sections may lie over each other: all IDs are not more than the file has */
	if (section->size > *left)
		return lw_fail(-EBADMSG, "the IDs of event %u are more than the file has", event);
	*left -= section->size;
	for (u64 at = 0; !ret && at + sizeof(id) <= section->size; at += sizeof(id)) {
		const u64 *word = lw_perf_bytes_at(&file->bytes, section->offset + at, sizeof(id));

		if (!word)
			return lw_fail(-EBADMSG, "the IDs of event %u are not in the file", event);
		id = *word;
		perf_turn_bytes(file, &id, sizeof(id), "8");
		ret = perf_add_id(file, id, event);
	}
	return ret;
}

static int read_attrs(struct lw_perf_reader *file, const struct file_header *header)
{
	u64 nr, left = file->bytes.size, size = header->attr_size - sizeof(struct perf_section);
	u8 attr[MOST_ATTR + sizeof(struct perf_section)];
	struct perf_section ids;
	int ret = 0;

	if (header->attr_size < LEAST_ATTR + sizeof(ids) || header->attr_size > sizeof(attr))
		return lw_fail(-EBADMSG, "its attributes have %llu bytes each",
			       header->attr_size);
	nr = header->attrs.size / header->attr_size;
	if (nr > MAX_EVENTS)
		return lw_fail(-EBADMSG, "it has %llu events", nr);
	for (u32 i = 0; !ret && i < nr; i++) {
		if (lw_perf_bytes_read(&file->bytes, header->attrs.offset + i * header->attr_size,
				       attr, header->attr_size))
			return lw_fail(-EBADMSG, "the attributes of event %u are not in the file",
				       i);
		memcpy(&ids, attr + size, sizeof(ids));
		perf_turn_attr(file, attr, size);
		perf_turn_bytes(file, &ids, sizeof(ids), "88");
		ret = perf_add_event(file, attr, size);
		if (!ret)
			ret = read_ids(file, &ids, i, &left);
	}
	return ret;
}

/* Of a recording that was not ended perf has not written the sizes. */
static u64 find_end(struct lw_perf_reader *file, const struct file_header *header)
{
	u64 begin = header->data.offset, room = file->bytes.size - begin;

	if (!header->data.size) {
		perf_warn(file, "its end is not told: was the recording ended properly?");
		return file->bytes.size;
	}
	if (header->data.size > room) {
		perf_warn(file, "it is cut: %llu of %llu bytes of records are there", room,
			  header->data.size);
		return file->bytes.size;
	}
	if (!header->features[0])
		perf_warn(file, "it ends early: the recording was killed, or had no room");
	return begin + header->data.size;
}

static int read_regular(struct lw_perf_reader *file)
{
	struct file_header header;
	u64 end;
	int ret;

	if (lw_perf_bytes_read(&file->bytes, 0, &header, sizeof(header)))
		return lw_fail(-EBADMSG, "it ends within its header");
	perf_turn_bytes(file, &header, sizeof(header), "8*");
	if (header.data.offset < sizeof(header) || header.data.offset > file->bytes.size)
		return lw_fail(-EBADMSG, "its data are at byte %llu of %llu", header.data.offset,
			       file->bytes.size);
	ret = read_attrs(file, &header);
	if (ret)
		return ret;
	end = find_end(file, &header);
	if (header.data.size && end == header.data.offset + header.data.size)
		ret = perf_read_features(file, end, header.features) ?:
		      perf_read_parts(file);
	return ret ? ret : index_data(file, header.data.offset, end);
}

/* Return: 0 or -errno; @file->turned is there if the file is of the other byte order. */
static int check_magic(struct lw_perf_reader *file, u64 *header_size)
{
	u64 first[2];
	int ret;

	if (!file->bytes.size)
		return lw_fail(-ENODATA, "it is empty\n"
			       "  Does what leads into it write a recording, as with -o -?");
	ret = lw_perf_bytes_read(&file->bytes, 0, first, sizeof(first));
	if (!ret && !first[0] && !first[1])
		return lw_fail(-EBADMSG, "the recording was not ended: it has no header");
	if (!ret && __builtin_bswap64(first[0]) == LW_PERF_FILE_MAGIC) {
		file->turned = malloc(LW_PERF_BLOCK);
		if (!file->turned)
			return -ENOMEM;
		perf_turn_bytes(file, first, sizeof(first), "88");
	}
	if (ret || first[0] != LW_PERF_FILE_MAGIC)
		return lw_fail(-EBADMSG, "it is no perf.data file");
	*header_size = first[1];
	return 0;
}

static int read_any(struct lw_perf_reader *file)
{
	u64 header_size = 0;
	int ret = check_magic(file, &header_size);

	if (ret)
		return ret == -ENOMEM ? out_of_memory() : ret;
	file->is_pipe = header_size == PIPE_HEADER;
	if (!file->is_pipe && header_size != sizeof(struct file_header))
		return lw_fail(-EBADMSG, "its header has %llu bytes instead of %zu", header_size,
			       sizeof(struct file_header));
	ret = file->is_pipe ? index_data(file, PIPE_HEADER, file->bytes.size) : read_regular(file);
	if (!ret && !file->nr_events)
		ret = lw_fail(-EBADMSG, "it tells of no event");
	for (size_t i = 0; !ret && i < file->nr_events; i++)
		ret = perf_default_name(&file->events[i]);
	return ret == -ENOMEM ? out_of_memory() : ret;
}

/**
 * lw_perf_reader_open - open a recording and look through it
 * @file: out: to be closed
 * @path: a perf.data file, or "-" for the standard input, which may be a pipe
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_reader_open(struct lw_perf_reader **file, const char *path)
{
	struct lw_perf_reader *new = calloc(1, sizeof(*new));
	char text[512];
	int ret;

	if (!new)
		return out_of_memory();
	new->unpacked.fd = -1;
	/* without it the seed is 0 */
	if (getrandom(&new->seed, sizeof(new->seed), GRND_NONBLOCK) < 0)
		new->seed = 0;
	ret = lw_perf_bytes_open(&new->bytes, path);
	if (ret) {
		free(new);
		return ret;
	}
	new->info.trusted = new->bytes.trusted;
	ret = read_any(new);
	new->info.other_order = new->turned;
	if (ret) {
		snprintf(text, sizeof(text), "%s", lw_fail_text());
		lw_perf_reader_close(new);
		return lw_fail(ret, "cannot read %s: %s", path, text);
	}
	*file = new;
	return 0;
}

static const struct perf_event_header *record_at(struct lw_perf_reader *file, u64 place)
{
	struct part part = { .bytes = &file->bytes, .pos = place & ~PERF_PLACE_UNPACKED };

	if (place & PERF_PLACE_UNPACKED)
		part.bytes = &file->unpacked;
	part.end = part.bytes->size;
	return next_record(file, &part);
}

/*
 * Hands out the record at a place; of a group's sample one of each event, of which there are no
 * more than in the file.  Each is looked at anew: what is called may read other places.
 */
static int read_place(struct lw_perf_reader *file, u64 place, lw_perf_record_fn fn, void *ctx)
{
	u32 nth = 0, nr;
	int ret;

	do {
		const struct perf_event_header *header = record_at(file, place);
		struct lw_perf_record record;

		if (!header || !perf_parse(file, header, &record))
			return lw_fail(-ESTALE, "the recording has changed while it was read");
		/* in a pipe IDs may be told of behind what was noted without any */
		if (!record.event && header->type == PERF_RECORD_SAMPLE)
			return 0;
		if (!record.counts)
			return fn(ctx, &record);
		nr = record.nr_counts < file->nr_events ? record.nr_counts : file->nr_events;
		ret = nth < nr ? perf_read_count(file, &record, nth, fn, ctx) : 0;
	} while (!ret && ++nth < nr);
	return ret;
}

/**
 * lw_perf_reader_read - hand out the kernel's records, and those of their kind
 * @file: opened
 * @fn: called for each in the order of time
 * @ctx: for it
 *
 * Return: 0, what @fn returned, or -errno with lw_fail_text() when the file is no
 * longer what it was.
 */
int lw_perf_reader_read(struct lw_perf_reader *file, lw_perf_record_fn fn, void *ctx)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < file->nr_places; i++)
		ret = read_place(file, file->places[i].offset, fn, ctx);
	return ret;
}

static const struct perf_deferred *find_deferred(const struct lw_perf_reader *file, u64 cookie,
						 u32 tid)
{
	const struct perf_deferred key = { .cookie = cookie, .tid = tid };
	size_t low = 0, high = file->nr_deferred;

	/* the first that is not before it: offsets are never 0 */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_cookie(&file->deferred[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == file->nr_deferred || file->deferred[low].cookie != cookie ||
	    file->deferred[low].tid != tid)
		return NULL;
	return &file->deferred[low];
}

/**
 * lw_perf_reader_deferred - the user part of a chain that has only a cookie for it
 * @file: opened
 * @cookie: behind PERF_CONTEXT_USER_DEFERRED in the chain of a sample
 * @tid: of the sample
 * @chain: out: what takes the place of both; good until the next call
 *
 * What the record of a sample points to may be overwritten by this call.
 *
 * Return: how many words, 0 when the file has none for it.
 */
u64 lw_perf_reader_deferred(struct lw_perf_reader *file, u64 cookie, u32 tid, const u64 **chain)
{
	const struct perf_deferred *deferred = find_deferred(file, cookie, tid);
	const struct perf_event_header *header;
	const struct deferred_record *from;
	struct lw_perf_record record;

	header = deferred ? record_at(file, deferred->offset) : NULL;
	if (!header || !perf_parse(file, header, &record) || record.end < sizeof(*from))
		return 0;
	from = (const void *)header;
	if (from->nr > (record.end - sizeof(*from)) / sizeof(u64))
		return 0;
	*chain = from->chain;
	return from->nr;
}

/**
 * lw_perf_reader_nr_events - how many events were recorded
 * @file: opened
 *
 * Return: at least 1.
 */
u32 lw_perf_reader_nr_events(const struct lw_perf_reader *file)
{
	return file->nr_events;
}

/**
 * lw_perf_reader_event - one of the events
 * @file: opened
 * @index: less than lw_perf_reader_nr_events()
 *
 * Return: it, good until the file is closed.
 */
const struct lw_perf_event *lw_perf_reader_event(const struct lw_perf_reader *file, u32 index)
{
	return &file->events[index];
}

/**
 * lw_perf_reader_info - who recorded what, and where
 * @file: opened
 *
 * Return: it, good until the file is closed.
 */
const struct lw_perf_info *lw_perf_reader_info(const struct lw_perf_reader *file)
{
	return &file->info;
}

/**
 * lw_perf_reader_nr_records - how many lw_perf_reader_read() hands out
 * @file: opened
 *
 * Return: the number.
 */
u64 lw_perf_reader_nr_records(const struct lw_perf_reader *file)
{
	return file->nr_places;
}

/**
 * lw_perf_reader_warning - what is wrong with the file
 * @file: opened
 *
 * Return: a line of text, or NULL.
 */
const char *lw_perf_reader_warning(const struct lw_perf_reader *file)
{
	return file->warning[0] ? file->warning : NULL;
}

static void free_info(struct lw_perf_info *info)
{
	free(info->hostname);
	free(info->osrelease);
	free(info->version);
	free(info->arch);
	free(info->cpudesc);
	free(info->cmdline);
	free(info->formats);
	free(info->kernel_names);
	free(info->user_names);
}

/**
 * lw_perf_reader_close - close the file and free all
 * @file: opened, or NULL
 */
void lw_perf_reader_close(struct lw_perf_reader *file)
{
	struct lw_hash_node **at, *after;
	struct perf_build_id *entry;

	if (!file)
		return;
	for (size_t i = 0; i < file->nr_events; i++)
		free(file->events[i].name);
	lw_hash_for_all_safe(entry, after, at, file->build_ids, node)
		free(entry);
	perf_free_counts(file);
	free(file->events);
	free(file->ids);
	free(file->places);
	free(file->deferred);
	free(file->turned);
	free_info(&file->info);
	perf_unpacker_free(file->unpacker);
	lw_perf_bytes_close(&file->bytes);
	lw_perf_bytes_close(&file->unpacked);
	free(file);
}
