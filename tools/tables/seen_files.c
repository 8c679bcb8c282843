// SPDX-License-Identifier: GPL-2.0
/*
 * seen_files.c - files that were seen before, by what mappings tell of them.
 *
 * Contexts: any; the caller has one at a time here.
 */
#include <stdlib.h>
#include <string.h>

#include "tables/seen_files.h"

static struct lw_hash_node **slot_of(struct lw_seen_files *files, u64 dev, u64 ino)
{
	return lw_hash_slot(files->buckets, lw_hash64(dev << 40 ^ ino));
}

static void take_out(struct lw_seen_files *files, struct lw_seen_file *file)
{
	*(file->newer ? &file->newer->older : &files->newest) = file->older;
	*(file->older ? &file->older->newer : &files->oldest) = file->newer;
}

static void put_first(struct lw_seen_files *files, struct lw_seen_file *file)
{
	file->newer = NULL;
	file->older = files->newest;
	*(file->older ? &file->older->newer : &files->oldest) = file;
	files->newest = file;
}

/**
 * lw_seen_file - find a file
 * @files: where
 * @dev: as a mapping tells it
 * @ino: likewise
 *
 * Return: it or NULL; good until another is added.
 */
struct lw_seen_file *lw_seen_file(struct lw_seen_files *files, u64 dev, u64 ino)
{
	struct lw_seen_file *file;

	lw_hash_for_each(file, slot_of(files, dev, ino), node) {
		if (file->dev != dev || file->ino != ino)
			continue;
		take_out(files, file);
		put_first(files, file);
		break;
	}
	return file;
}

static void forget_oldest(struct lw_seen_files *files)
{
	struct lw_seen_file *file = files->oldest;

	lw_hash_del(&file->node);
	take_out(files, file);
	free(file);
	files->nr--;
}

/**
 * lw_seen_files_add - find a file, or make it
 * @files: where; of too many that is forgotten which was not looked for the longest
 * @dev: as a mapping tells it
 * @ino: likewise
 *
 * Return: it, zeroed when it is new, or NULL.
 */
struct lw_seen_file *lw_seen_files_add(struct lw_seen_files *files, u64 dev, u64 ino)
{
	struct lw_seen_file *file = lw_seen_file(files, dev, ino);

	if (file)
		return file;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	if (files->nr == LW_MAX_KNOWN)
		forget_oldest(files);
	file->dev = dev;
	file->ino = ino;
	lw_hash_add(slot_of(files, dev, ino), &file->node);
	put_first(files, file);
	files->nr++;
	return file;
}

/**
 * lw_seen_files_clear - forget all
 * @files: zeroed or filled
 */
void lw_seen_files_clear(struct lw_seen_files *files)
{
	while (files->oldest)
		forget_oldest(files);
}

static bool same_content(const struct lw_seen_file *file, const struct stat *st)
{
	return file->size == (u64)st->st_size && file->mtime.tv_sec == st->st_mtim.tv_sec &&
	       file->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

/**
 * lw_seen_file_is - is what is mapped still what was seen?
 * @file: found by the mapping's device and inode
 * @map: the mapping
 * @st: of what is at its path now, or NULL
 *
 * A number of an inode that was removed may be given to a new one, of another
 * generation; an inode may be written to anew.
 *
 * Return: false when it is certainly another, or is to be tried again.
 */
bool lw_seen_file_is(struct lw_seen_file *file, const struct lw_mapping *map,
		     const struct stat *st)
{
	if (file->missed)
		return lw_now() < file->again;
	if (map->generation && file->generation && map->generation != file->generation)
		return false;
	/* what is at the path may be another file: that tells nothing of this one */
	if (st && file->st_dev == st->st_dev && file->st_ino == st->st_ino &&
	    !same_content(file, st))
		return false;
	if (map->generation)
		file->generation = map->generation;
	return true;
}

/**
 * lw_seen_file_set - remember what is seen
 * @file: found or new
 * @generation: 0: not known
 * @st: of the file when it was opened, or NULL: it could not be
 */
void lw_seen_file_set(struct lw_seen_file *file, u64 generation, const struct stat *st)
{
	file->generation = generation;
	file->missed = false;
	if (!st)
		return;
	file->st_dev = st->st_dev;
	file->st_ino = st->st_ino;
	file->size = st->st_size;
	file->mtime = st->st_mtim;
}

/**
 * lw_seen_file_miss - remember that it has no table, but may have one later
 * @file: found or new
 * @why: what the caller wants to know again
 * @again: not before that time is it worth another try, CLOCK_MONOTONIC nanoseconds
 */
void lw_seen_file_miss(struct lw_seen_file *file, u32 why, u64 again)
{
	file->missed = true;
	file->why = why;
	file->again = again;
}
