// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_features.c - who recorded a perf.data file, where, which files were met.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/hash_index.h"
#include "perf/perf_reader_parts.h"
#include "perf/perf_writer.h"

#define MAX_WORDS	4096U		/* of a command line */

/* A string of the file: 4 bytes of length, then as many, zeros at the end. */
static const char *take_string(struct perf_cursor *cursor, size_t *len)
{
	u32 size = perf_cursor_u32(cursor);
	const char *text = perf_cursor_take(cursor, size);

	*len = text ? strnlen(text, size) : 0;
	return text;
}

static int set_string(char **to, struct perf_cursor *cursor)
{
	size_t len;
	const char *text = take_string(cursor, &len);

	if (!text)
		return 0;
	free(*to);
	*to = strndup(text, len);
	return *to ? 0 : -ENOMEM;
}

static int set_formats(struct lw_perf_info *info, const void *data, size_t size)
{
	char *copy = malloc(size + 1);

	if (!copy)
		return -ENOMEM;
	free(info->formats);
	info->formats = memcpy(copy, data, size);
	info->formats_size = size;
	return 0;
}

static int set_cmdline(struct lw_perf_reader *file, struct perf_cursor *cursor)
{
	u32 nr = perf_cursor_u32(cursor);
	char *line = calloc(1, cursor->left + 1);
	size_t at = 0, len;

	if (!line)
		return -ENOMEM;
	for (u32 i = 0; i < nr && i < MAX_WORDS && !cursor->bad; i++) {
		const char *text = take_string(cursor, &len);

		if (!text)
			break;
		/* there is room: each has 4 bytes of length in front */
		if (i)
			line[at++] = ' ';
		memcpy(line + at, text, len);
		at += len;
	}
	free(file->info.cmdline);
	file->info.cmdline = line;
	return 0;
}

/* In the order of the attributes. */
static int set_event_names(struct lw_perf_reader *file, struct perf_cursor *cursor)
{
	u32 nr = perf_cursor_u32(cursor), attr_size = perf_cursor_u32(cursor), nr_ids;
	const char *name;
	size_t len;
	int ret = 0;

	for (u32 i = 0; !ret && i < nr && i < file->nr_events && !cursor->bad; i++) {
		perf_cursor_take(cursor, attr_size);
		nr_ids = perf_cursor_u32(cursor);
		name = take_string(cursor, &len);
		perf_cursor_take(cursor, (size_t)nr_ids * sizeof(u64));
		if (name && !cursor->bad)
			ret = perf_name_event(file, i, name, len);
	}
	return ret;
}

static u32 hash_path(const struct lw_perf_reader *file, const char *path)
{
	return lw_hash_bytes(file->seed, path, strlen(path)) % PERF_BUILD_ID_HASH;
}

static struct perf_build_id *find_build_id(const struct lw_perf_reader *file, const char *path)
{
	struct perf_build_id *entry;

	lw_hash_for_each(entry, &file->build_ids[hash_path(file, path)], node) {
		if (!strcmp(entry->path, path))
			break;
	}
	return entry;
}

/* The file's: the length of the ID is only there when a bit says so. */
struct build_id_record {
	struct perf_event_header header;
	u32 pid;
	u8 id[LW_BUILD_ID_MAX];
	u8 len;
	u8 reserved[3];
	char path[];
};

#define MISC_BUILD_ID_SIZE	(1U << 15)

/* @path: has an end within @room, or there */
static struct perf_build_id *find_or_add_build_id(struct lw_perf_reader *file, const char *path,
						  size_t room)
{
	size_t len = strnlen(path, room);
	struct perf_build_id *added = calloc(1, sizeof(*added) + len + 1), *there;

	if (!added)
		return NULL;
	memcpy(added->path, path, len);
	there = find_build_id(file, added->path);
	if (there) {
		free(added);
		return there;
	}
	lw_hash_add(&file->build_ids[hash_path(file, added->path)], &added->node);
	return added;
}

/**
 * perf_add_build_id - take what tells the build ID of a file
 * @file: gets it
 * @record: bytes of it, at any address
 * @size: how many
 *
 * Return: 0 or -ENOMEM.
 */
int perf_add_build_id(struct lw_perf_reader *file, const void *record, size_t size)
{
	struct build_id_record fixed;
	struct perf_build_id *entry;

	if (size <= sizeof(fixed))
		return 0;
	memcpy(&fixed, record, sizeof(fixed));
	entry = find_or_add_build_id(file, (const char *)record + sizeof(fixed),
				     size - sizeof(fixed));
	if (!entry)
		return -ENOMEM;
	memset(entry->id, 0, sizeof(entry->id));
	entry->len = fixed.header.misc & MISC_BUILD_ID_SIZE && fixed.len < LW_BUILD_ID_MAX ?
		     fixed.len : LW_BUILD_ID_MAX;
	memcpy(entry->id, fixed.id, entry->len);
	return 0;
}

static int add_build_ids(struct lw_perf_reader *file, struct perf_cursor *cursor)
{
	struct perf_event_header header;
	const void *record;
	int ret = 0;

	while (!ret && cursor->left >= sizeof(header)) {
		memcpy(&header, cursor->at, sizeof(header));
		record = header.size < sizeof(header) ? NULL :
			 perf_cursor_take(cursor, header.size);
		if (!record)
			break;
		ret = perf_add_build_id(file, record, header.size);
	}
	return ret;
}

/**
 * perf_take_feature - take one of the sections behind the data
 * @file: gets what it tells
 * @feature: which one; unknown ones are passed over
 * @data: its bytes
 * @size: how many
 *
 * Fields that @data is too short for stay unknown.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_take_feature(struct lw_perf_reader *file, u32 feature, const void *data, size_t size)
{
	struct perf_cursor cursor = { .at = data, .left = size };
	struct lw_perf_info *info = &file->info;

	switch (feature) {
	case PERF_FEATURE_TRACING_DATA:
		return set_formats(info, data, size);
	case PERF_FEATURE_BUILD_ID:
		return add_build_ids(file, &cursor);
	case PERF_FEATURE_HOSTNAME:
		return set_string(&info->hostname, &cursor);
	case PERF_FEATURE_OSRELEASE:
		return set_string(&info->osrelease, &cursor);
	case PERF_FEATURE_VERSION:
		return set_string(&info->version, &cursor);
	case PERF_FEATURE_ARCH:
		return set_string(&info->arch, &cursor);
	case PERF_FEATURE_CPUDESC:
		return set_string(&info->cpudesc, &cursor);
	case PERF_FEATURE_NRCPUS:
		perf_cursor_u32(&cursor);
		info->nr_cpus = perf_cursor_u32(&cursor);
		return 0;
	case PERF_FEATURE_CMDLINE:
		return set_cmdline(file, &cursor);
	case PERF_FEATURE_EVENT_DESC:
		return set_event_names(file, &cursor);
	case PERF_FEATURE_SAMPLE_TIME:
		info->first_time = perf_cursor_u64(&cursor);
		info->last_time = perf_cursor_u64(&cursor);
		return 0;
	}
	return 0;
}

static bool is_wanted(u32 feature)
{
	return (feature >= PERF_FEATURE_TRACING_DATA && feature <= PERF_FEATURE_CPUDESC) ||
	       feature == PERF_FEATURE_CMDLINE || feature == PERF_FEATURE_EVENT_DESC ||
	       feature == PERF_FEATURE_SAMPLE_TIME;
}

static int read_feature(struct lw_perf_reader *file, u32 feature,
			const struct perf_section *section)
{
	const struct lw_perf_bytes *bytes = &file->bytes;
	void *data;
	int ret;

	if (section->size > PERF_MAX_FEATURE || section->offset > bytes->size ||
	    section->size > bytes->size - section->offset) {
		perf_warn(file, "feature %u is not all there: what it tells is left out", feature);
		return 0;
	}
	if (!is_wanted(feature))
		return 0;
	data = malloc(section->size + 1);
	if (!data)
		return -ENOMEM;
	ret = lw_perf_bytes_read(bytes, section->offset, data, section->size);
	if (!ret)
		perf_turn_feature(file, feature, data, section->size);
	ret = ret ? 0 : perf_take_feature(file, feature, data, section->size);
	free(data);
	return ret;
}

/**
 * perf_read_features - read the sections behind the data
 * @file: with its events
 * @table: offset of where they are said to be
 * @bits: of those that there are, 4 words
 *
 * Return: 0 or -ENOMEM.
 */
int perf_read_features(struct lw_perf_reader *file, u64 table, const u64 *bits)
{
	struct perf_section section;
	int ret = 0;

	for (u32 i = 0; !ret && i < PERF_FEATURE_LAST; i++) {
		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		if (lw_perf_bytes_read(&file->bytes, table, &section, sizeof(section))) {
			perf_warn(file, "it ends before its features: they are left out");
			break;
		}
		perf_turn_bytes(file, &section, sizeof(section), "88");
		table += sizeof(section);
		ret = read_feature(file, i, &section);
	}
	return ret;
}

static void take_kernel_names(struct lw_perf_reader *file, void *data, size_t size)
{
	free(file->info.kernel_names);
	file->info.kernel_names = data;
	file->info.kernel_names_size = size;
}

static void take_user_names(struct lw_perf_reader *file, void *data, size_t size)
{
	u64 room = ZSTD_getFrameContentSize(data, size);
	char *names = room <= LW_MAX_USER_NAMES ? malloc(room + 1) : NULL;

	if (names && ZSTD_decompress(names, room, data, size) == room) {
		free(file->info.user_names);
		file->info.user_names = names;
		file->info.user_names_size = room;
	} else {
		perf_warn(file, "the names of functions cannot be unpacked");
		free(names);
	}
	free(data);
}

static const struct part {
	const char *magic, *what;
	void (*take)(struct lw_perf_reader *file, void *data, size_t size);
} parts[] = {
	{ LW_KERNEL_NAMES_MAGIC, "names of kernel functions", take_kernel_names },
	{ LW_USER_NAMES_MAGIC, "names of functions", take_user_names },
};

static const struct part *find_part(const struct lw_part_end *end)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!memcmp(end->magic, parts[i].magic, sizeof(end->magic)))
			return &parts[i];
	}
	return NULL;
}

/* Return: 0 or -ENOMEM. */
static int read_part(struct lw_perf_reader *file, const struct part *part, u64 begin, u64 size)
{
	void *data = malloc(size);

	if (!data)
		return -ENOMEM;
	if (lw_perf_bytes_read(&file->bytes, begin, data, size))
		free(data);
	else
		part->take(file, data, size);
	return 0;
}

/**
 * perf_read_parts - read what a file of ours has behind all else
 * @file: opened
 *
 * Return: 0 or -ENOMEM.
 */
int perf_read_parts(struct lw_perf_reader *file)
{
	u64 at = file->bytes.size;
	const struct part *part;
	struct lw_part_end end;
	int ret = 0;

	for (u32 i = 0; !ret && i < ARRAY_SIZE(parts) && at >= sizeof(end); i++) {
		at -= sizeof(end);
		if (lw_perf_bytes_read(&file->bytes, at, &end, sizeof(end)))
			break;
		perf_turn_bytes(file, &end, sizeof(end), "8");
		part = find_part(&end);
		if (!part)
			break;
		if (!end.size || end.size > at || end.size > LW_MAX_PART) {
			perf_warn(file, "the %s are not all there", part->what);
			break;
		}
		at -= end.size;
		ret = read_part(file, part, at, end.size);
	}
	return ret;
}

/**
 * lw_perf_reader_build_id - what the file says of another one's build ID
 * @file: opened
 * @path: of the other one, or "[kernel.kallsyms]", "[vdso]"
 * @id: out: LW_BUILD_ID_MAX bytes, zero padded
 *
 * Mappings may tell theirs themselves; this is for those that do not.
 *
 * Return: bytes of the ID, 0 when it is not told.
 */
u32 lw_perf_reader_build_id(const struct lw_perf_reader *file, const char *path, u8 *id)
{
	const struct perf_build_id *entry = find_build_id(file, path);

	if (!entry)
		return 0;
	memcpy(id, entry->id, LW_BUILD_ID_MAX);
	return entry->len;
}
