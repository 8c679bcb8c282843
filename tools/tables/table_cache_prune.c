// SPDX-License-Identifier: GPL-2.0
/*
 * table_cache_prune.c - all entries of the cache of tables, to list or to remove.
 *
 * What else is in the directory is neither counted nor touched: somebody may have
 * named a directory that is used for other things.
 *
 * Contexts: any thread.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tables/table_cache.h"
#include "tables/table_cache_entry.h"

#define TMP_AGE		3600		/* seconds after which a writer is dead */
#define DIGITS		"0123456789"
#define HEX		DIGITS "abcdef"

/* Return: what is behind @least to @most characters of a set, or NULL. */
static const char *pass(const char *at, const char *set, size_t least, size_t most)
{
	size_t nr = at ? strspn(at, set) : 0;

	return at && nr >= least && nr <= most ? at + nr : NULL;
}

static const char *pass_text(const char *at, const char *text)
{
	size_t len = strlen(text);

	return at && !strncmp(at, text, len) ? at + len : NULL;
}

/* As key_by_build_id() and key_by_file() name them, of any version. */
static bool is_entry_name(const char *name)
{
	const char *at = pass_text(name, LW_CACHE_FILE_PREFIX);

	if (at)
		at = pass(at, HEX, 32, 32);
	else
		at = pass(pass_text(pass(name, HEX, 2, 2 * LW_BUILD_ID_MAX), "-"), HEX, 16, 16);
	at = pass(pass_text(at, "-v"), DIGITS, 1, 10);
	return at && !*at;
}

/* As write_entry() does. */
static bool is_tmp_name(const char *name)
{
	const char *at = pass(pass_text(name, LW_CACHE_TMP_PREFIX), DIGITS, 1, 10);

	at = pass(pass_text(pass(pass_text(at, "-"), DIGITS, 1, 20), "-"), HEX, 1, 16);
	return at && !*at;
}

/* One that is empty is what a crash leaves. */
static bool begins_as_entry(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char begin[sizeof(LW_CACHE_MAGIC)];
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, begin, sizeof(begin));
	close(fd);
	return !got || (got == sizeof(begin) && !memcmp(begin, LW_CACHE_MAGIC, sizeof(begin)));
}

/* What a directory has, for those that look at all of it. */
struct kept {
	char *file;
	u64 size;
	s64 used;
};

struct kept_list {
	struct kept *kept;
	size_t nr, room;
};

static void free_list(struct kept_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->kept[i].file);
	free(list->kept);
}

static int add_kept(struct kept_list *list, int dir, const char *name)
{
	struct stat st;
	char *copy;

	if ((!is_entry_name(name) && !is_tmp_name(name)) ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    (!is_tmp_name(name) && !begins_as_entry(dir, name)))
		return 0;
	copy = strdup(name);
	if (!copy || lw_grow((void **)&list->kept, &list->room, list->nr + 1,
			     sizeof(*list->kept))) {
		free(copy);
		return -ENOMEM;
	}
	list->kept[list->nr++] = (struct kept){
		.file = copy, .size = st.st_blocks * 512ULL, .used = st.st_mtim.tv_sec,
	};
	return 0;
}

static int kept_order(const void *a, const void *b)
{
	const struct kept *left = a, *right = b;

	return (left->used > right->used) - (left->used < right->used);
}

/* All entries, that which was used first before others. */
static int read_list(const struct lw_table_cache *cache, struct kept_list *list)
{
	int fd = openat(cache->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	struct dirent *entry;
	DIR *dir;

	memset(list, 0, sizeof(*list));
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && (entry = readdir(dir)))
		ret = add_kept(list, cache->dir, entry->d_name);
	closedir(dir);
	if (ret)
		free_list(list);
	else if (list->nr)
		qsort(list->kept, list->nr, sizeof(*list->kept), kept_order);
	return ret;
}

static bool is_tmp(const struct kept *kept)
{
	return pass_text(kept->file, LW_CACHE_TMP_PREFIX);
}

static void show_entry(struct lw_table_cache *cache, const struct kept *kept,
		       lw_table_cache_fn *fn, void *arg)
{
	struct lw_table_cache_entry entry = {
		.file = kept->file, .size = kept->size, .used = kept->used, .name = "",
	};
	struct lw_cache_head head;
	int fd = openat(cache->dir, kept->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!lw_cache_entry_head(fd, &head)) {
		entry.sound = true;
		entry.name = head.name;
		entry.version = head.version;
		entry.functions = head.counts.pieces;
	}
	close(fd);
	fn(&entry, arg);
}

/**
 * lw_table_cache_list - what is kept
 * @cache: opened
 * @fn: called for each entry, that which was not used for longest first
 * @arg: for it
 *
 * Reads what each says of itself, not all of it.
 *
 * Return: number of entries, or -errno.
 */
int lw_table_cache_list(struct lw_table_cache *cache, lw_table_cache_fn *fn, void *arg)
{
	struct kept_list list;
	int nr = 0, ret;

	if (cache->dir < 0)
		return 0;
	ret = read_list(cache, &list);
	if (ret)
		return ret;
	for (size_t i = 0; i < list.nr; i++) {
		if (is_tmp(&list.kept[i]))
			continue;
		show_entry(cache, &list.kept[i], fn, arg);
		nr++;
	}
	free_list(&list);
	return nr;
}

/**
 * lw_table_cache_prune - remove entries
 * @cache: opened
 * @max_bytes: on disk that may be left; those go first that were not used for longest
 * @max_age: seconds; older ones go anyway
 *
 * Files that nobody finished go after an hour; what is no entry stays.
 *
 * Return: number of entries removed, or -errno.
 */
s64 lw_table_cache_prune(struct lw_table_cache *cache, u64 max_bytes, u64 max_age)
{
	s64 now = time(NULL), removed = 0;
	struct kept_list list;
	u64 bytes = 0;
	int ret;

	if (cache->dir < 0)
		return 0;
	ret = read_list(cache, &list);
	if (ret)
		return ret;
	for (size_t i = 0; i < list.nr; i++)
		bytes += list.kept[i].size;
	for (size_t i = 0; i < list.nr; i++) {
		const struct kept *kept = &list.kept[i];
		u64 limit = is_tmp(kept) && max_bytes ? TMP_AGE : max_age;

		if (bytes <= max_bytes && (now < kept->used || (u64)(now - kept->used) <= limit))
			continue;
		if (!unlinkat(cache->dir, kept->file, 0))
			removed += !is_tmp(kept);
		bytes -= kept->size;
	}
	free_list(&list);
	return removed;
}
