// SPDX-License-Identifier: GPL-2.0
/*
 * perf_writer_build_ids.c - the build IDs of all files that a recording has mapped.
 *
 * perf.data has them once more as a table, for who reads no records:
 * perf buildid-list, perf archive.  A file that was replaced stands in it twice.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash_index.h"
#include "base/hashtable.h"
#include "base/perf_records.h"
#include "perf/perf_writer_build_ids.h"

#define HASH_SIZE	16384
#define MAX_FILES	65536	/* a target that maps new files all the time */
#define NAME_ALIGN	64
#define RECORD_BUILD_ID	67
#define MISC_ID_SIZE	(1U << 15)
#define KERNEL_NAME	"[kernel.kallsyms]"

struct file {
	struct lw_hash_node node;
	u8 id[LW_BUILD_ID_MAX];
	u8 len;
	bool kernel;
	char name[];
};

struct lw_build_ids {
	struct lw_hash_node *files[HASH_SIZE];
	size_t nr;
	u64 seed;			/* others choose names and IDs */
};

/* As it stands in the file; the name follows. */
struct build_id_record {
	struct perf_event_header header;
	s32 pid;
	u8 id[LW_BUILD_ID_MAX];
	u8 len;
	u8 reserved[3];
};

/**
 * lw_build_ids_new - an empty table
 *
 * Return: the table or NULL.
 */
struct lw_build_ids *lw_build_ids_new(void)
{
	struct lw_build_ids *ids = calloc(1, sizeof(*ids));

	if (ids && getrandom(&ids->seed, sizeof(ids->seed), GRND_NONBLOCK) < 0)
		ids->seed = lw_now();
	return ids;
}

/**
 * lw_build_ids_free - free a table
 * @ids: the table or NULL
 */
void lw_build_ids_free(struct lw_build_ids *ids)
{
	struct lw_hash_node **at, *after;
	struct file *file;

	if (!ids)
		return;
	lw_hash_for_all_safe(file, after, at, ids->files, node)
		free(file);
	free(ids);
}

static bool same(const struct file *file, const struct lw_mmap2 *map, const char *name, size_t len)
{
	return file->len == map->build_id_size && !memcmp(file->id, map->build_id, file->len) &&
	       !strncmp(file->name, name, len) && !file->name[len];
}

static int add(struct lw_build_ids *ids, const struct lw_mmap2 *map, const char *name, size_t len)
{
	u64 hash = lw_hash_bytes(ids->seed, map->build_id, map->build_id_size);
	struct lw_hash_node **slot = lw_hash_slot(ids->files, lw_hash_bytes(hash, name, len));
	struct file *file;

	lw_hash_for_each(file, slot, node) {
		if (same(file, map, name, len))
			return 0;
	}
	if (ids->nr == MAX_FILES)
		return 0;
	file = calloc(1, sizeof(*file) + len + 1);
	if (!file)
		return -ENOMEM;
	file->len = map->build_id_size;
	memcpy(file->id, map->build_id, file->len);
	file->kernel = (map->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		       PERF_RECORD_MISC_KERNEL;
	memcpy(file->name, name, len);
	lw_hash_add(slot, &file->node);
	ids->nr++;
	return 0;
}

/**
 * lw_build_ids_note - take the build ID that a record may have
 * @ids: the table
 * @record: any
 *
 * Return: 0 or -ENOMEM.
 */
int lw_build_ids_note(struct lw_build_ids *ids, const struct perf_event_header *record)
{
	const struct lw_mmap2 *map = (const struct lw_mmap2 *)record;
	size_t len;

	if (record->type != PERF_RECORD_MMAP2 || record->size <= sizeof(*map) ||
	    !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    !map->build_id_size || map->build_id_size > LW_BUILD_ID_MAX)
		return 0;
	len = strnlen(map->filename, record->size - sizeof(*map));
	/* the name of its mapping has a symbol behind it */
	if (!strncmp(map->filename, KERNEL_NAME, strlen(KERNEL_NAME)))
		len = strlen(KERNEL_NAME);
	return len ? add(ids, map, map->filename, len) : 0;
}

#define NAME_PAD	(-sizeof(struct build_id_record) % 8)

static void write_file(const struct file *file, FILE *to)
{
	static const char zeros[NAME_ALIGN + 8];
	/* a name's room is a multiple of 64, and the record one of 8: readers check */
	size_t len = strlen(file->name), room = ALIGN_UP(len + 1, NAME_ALIGN) + NAME_PAD;
	struct build_id_record record = {
		.header = {
			.type = RECORD_BUILD_ID,
			.misc = MISC_ID_SIZE | (file->kernel ? PERF_RECORD_MISC_KERNEL :
							       PERF_RECORD_MISC_USER),
			.size = sizeof(record) + room,
		},
		.pid = -1,	/* of the host */
		.len = file->len,
	};

	memcpy(record.id, file->id, file->len);
	fwrite_unlocked(&record, sizeof(record), 1, to);
	fwrite_unlocked(file->name, len, 1, to);
	fwrite_unlocked(zeros, room - len, 1, to);
}

/**
 * lw_build_ids_write - write the table as perf.data has it
 * @ids: the table
 * @file: who asks it for errors is the caller
 */
void lw_build_ids_write(const struct lw_build_ids *ids, FILE *file)
{
	struct lw_hash_node *const *at;
	const struct file *f;

	lw_hash_for_all(f, at, ids->files, node)
		write_file(f, file);
}
