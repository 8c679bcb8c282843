// SPDX-License-Identifier: GPL-2.0
/*
 * table_cache.c - SFrame tables of files, kept from run to run.
 *
 * One file an entry, in a directory that nobody else can write to; written under
 * another name and renamed, so that any number of processes and threads may read
 * and write at once, and each sees a whole entry or none.  All of an entry is
 * checked when it is read; one that is not sound is as good as none, and is
 * replaced.
 *
 * An entry is found by what its file says it is, the build ID and the headers; for a
 * file that has none, or that others can write to, by which file it is: device, inode,
 * size, times.  It is used if it was made of the same bytes, by a hash with a secret
 * that only the entry has: otherwise anybody could give the C library a table, by a
 * file that has its build ID.  Nothing is kept of files that belong neither to root
 * nor to us: whoever has them may make as many as there is room for.
 *
 * Contexts: any thread, but for opening and closing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "tables/table_cache.h"
#include "tables/table_cache_entry.h"

#define SUBDIR		"latewind/tables"
#define DAY		(24 * 3600)
#define PRUNE_BYTES	(64ULL << 20)	/* stored from one time to the next */

static void count(u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static bool try_dir(struct lw_table_cache *cache, const char *base, const char *below)
{
	if (!base || base[0] != '/' || asprintf(&cache->path, "%s%s/%s", base, below, SUBDIR) < 0) {
		cache->path = NULL;
		return false;
	}
	cache->dir = lw_cache_dir_open(cache->path);
	if (cache->dir >= 0)
		return true;
	free(cache->path);
	cache->path = NULL;
	return false;
}

static int use_dir(struct lw_table_cache *cache, const char *dir)
{
	cache->path = strdup(dir);
	if (!cache->path)
		return lw_fail(-ENOMEM, "out of memory");
	cache->dir = lw_cache_dir_open(cache->path);
	if (cache->dir == -EPERM)
		return lw_fail(-EPERM, "%s: not ours alone, or a link, or below such a one\n"
			       "  Name a directory that only you can write to.", dir);
	if (cache->dir < 0)
		return lw_fail(cache->dir, "%s: %s", dir, strerror(-cache->dir));
	return 0;
}

/**
 * lw_table_cache_open - open the cache
 * @cache: out
 * @dir: directory, made if it is missing; NULL: latewind/tables below
 *	$XDG_CACHE_HOME, or $HOME/.cache, or for root /var/cache: the first that is
 *	ours (see table_cache_dir.c).  If none is, nothing is kept, which is no error.
 *
 * Return: 0; with lw_fail_text(): -ENOMEM, -EPERM (others can write to @dir), or
 * another -errno of @dir.
 */
int lw_table_cache_open(struct lw_table_cache **cache, const char *dir)
{
	struct lw_table_cache *new = calloc(1, sizeof(*new));
	int ret = 0;

	if (!new)
		return lw_fail(-ENOMEM, "out of memory");
	new->dir = -1;
	if (dir)
		ret = use_dir(new, dir);
	else if (!try_dir(new, getenv("XDG_CACHE_HOME"), "") &&
		 !try_dir(new, getenv("HOME"), "/.cache") && !geteuid())
		try_dir(new, "/var/cache", "");
	if (ret) {
		free(new->path);
		free(new);
		return ret;
	}
	*cache = new;
	return 0;
}

/**
 * lw_table_cache_close - close it, and keep it within bounds
 * @cache: opened, or NULL
 */
void lw_table_cache_close(struct lw_table_cache *cache)
{
	if (!cache)
		return;
	if (cache->stats.stored)
		lw_table_cache_prune(cache, LW_TABLE_CACHE_BYTES, LW_TABLE_CACHE_AGE);
	if (cache->dir >= 0)
		close(cache->dir);
	free(cache->path);
	free(cache);
}

/**
 * lw_table_cache_dir - where entries are
 * @cache: opened
 *
 * Return: path, good until it is closed; NULL if nothing is kept.
 */
const char *lw_table_cache_dir(const struct lw_table_cache *cache)
{
	return cache->path;
}

/**
 * lw_table_cache_stats - what it did up to now
 * @cache: opened
 * @stats: out
 */
void lw_table_cache_stats(const struct lw_table_cache *cache, struct lw_table_cache_stats *stats)
{
	const u64 *from = (const u64 *)&cache->stats;
	u64 *to = (u64 *)stats;

	for (size_t i = 0; i < sizeof(*stats) / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/* Return: bytes of the ID, 0 if there is none. */
static int build_id_of(const struct lw_gen_input *input, u8 *id)
{
	int len = 0;
	size_t size;
	u8 *note;

	for (unsigned int i = 0; len <= 0 && (note = lw_gen_input_note(input, i, &size)); i++) {
		len = lw_notes_build_id(note, size, id);
		free(note);
	}
	return len > 0 ? len : 0;
}

/*
 * What moves segments or strips a file leaves the build ID.
 * Return: false if there is none.
 */
static bool key_by_build_id(char *key, const struct lw_gen_input *input)
{
	u8 id[LW_BUILD_ID_MAX];
	int len = build_id_of(input, id);

	for (int i = 0; i < len; i++)
		key += sprintf(key, "%02x", id[i]);
	if (len)
		sprintf(key, "-%016llx", lw_gen_input_headers(input));
	return len;
}

static void key_by_file(char *key, const struct stat *st)
{
	snprintf(key, LW_CACHE_KEY_MAX, "dev %llx ino %llx size %llx mtime %llx.%lx ctime %llx.%lx",
		 (u64)st->st_dev, (u64)st->st_ino, (u64)st->st_size, (u64)st->st_mtim.tv_sec,
		 st->st_mtim.tv_nsec, (u64)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static u64 hash_key(const char *key, u64 hash)
{
	for (; *key; key++)
		hash = lw_hash64(hash ^ (u8)*key);
	return hash;
}

/* What an entry is of, in full, and the name of its file. */
struct key {
	char text[LW_CACHE_KEY_MAX];
	char file[LW_CACHE_KEY_MAX + 16];
};

static bool is_kept(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

static void make_key(struct key *key, const struct lw_gen_input *input, const struct stat *st)
{
	memset(key, 0, sizeof(*key));
	if (!(st->st_mode & 022) && key_by_build_id(key->text, input)) {
		snprintf(key->file, sizeof(key->file), "%s-v%u", key->text, LW_GEN_VERSION);
		return;
	}
	key_by_file(key->text, st);
	snprintf(key->file, sizeof(key->file), LW_CACHE_FILE_PREFIX "%016llx%016llx-v%u",
		 hash_key(key->text, 0), hash_key(key->text, 1), LW_GEN_VERSION);
}

/* Return: false if there is none, or none that is sound. */
static bool read_entry(struct lw_table_cache *cache, const struct key *key,
		       const struct lw_gen_input *input, struct lw_gen *gen)
{
	struct timespec now;
	struct stat st;
	int fd, ret;

	if (cache->dir < 0)
		return false;
	fd = openat(cache->dir, key->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	ret = lw_cache_entry_read(fd, key->text, input, gen, &st);
	/* one of other bytes is sound */
	if (ret && ret != -ESTALE)
		count(&cache->stats.corrupt);
	/* its age is since it was last used, which need not be known to the second */
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	if (!ret && now.tv_sec - st.st_mtim.tv_sec > DAY)
		futimens(fd, NULL);
	close(fd);
	return !ret;
}

/* A recording may last for days, and others decide how many files there are. */
static void keep_within_bounds(struct lw_table_cache *cache, u64 bytes)
{
	u64 before = __atomic_fetch_add(&cache->stored_bytes, bytes, __ATOMIC_RELAXED);

	if (before / PRUNE_BYTES != (before + bytes) / PRUNE_BYTES)
		lw_table_cache_prune(cache, LW_TABLE_CACHE_BYTES, LW_TABLE_CACHE_AGE);
}

/* Whatever fails: the next one makes it again. */
static void write_entry(struct lw_table_cache *cache, const struct key *key, const char *name,
			const struct lw_gen_input *input, const struct lw_gen *gen)
{
	u64 number = __atomic_fetch_add(&cache->tmp_files, 1, __ATOMIC_RELAXED);
	char tmp[64];
	struct stat st;
	int fd, ret;

	if (cache->dir < 0)
		return;
	snprintf(tmp, sizeof(tmp), LW_CACHE_TMP_PREFIX "%d-%llu-%llx", getpid(), number,
		 lw_hash64((uintptr_t)cache ^ lw_now()));
	fd = openat(cache->dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	ret = lw_cache_entry_write(fd, key->text, name, input, gen);
	if (!ret && fstat(fd, &st))
		ret = -errno;
	if (close(fd) || ret || renameat(cache->dir, tmp, cache->dir, key->file)) {
		unlinkat(cache->dir, tmp, 0);
		return;
	}
	count(&cache->stats.stored);
	keep_within_bounds(cache, st.st_blocks * 512ULL);
}

static int get_kept(struct lw_table_cache *cache, const struct stat *st, const char *name,
		    const struct lw_gen_input *input, struct lw_gen *gen)
{
	struct key key;
	int ret;

	make_key(&key, input, st);
	if (read_entry(cache, &key, input, gen))
		return 0;
	ret = lw_gen_input_convert(input, 0, gen);
	if (!ret)
		write_entry(cache, &key, name, input, gen);
	return ret;
}

/**
 * lw_table_cache_get - the tables of a file
 * @cache: opened
 * @fd: the file, open for reading
 * @name: of it, for messages
 * @gen: out: as lw_sframe_gen_fd(); gen->from_cache says whether they were read
 *
 * What is made is kept, if it can be: that it can't is no failure.
 *
 * Context: any thread.
 * Return: 0 or what lw_sframe_gen_fd() returned; with lw_fail_text().
 */
int lw_table_cache_get(struct lw_table_cache *cache, int fd, const char *name,
		       struct lw_gen *gen)
{
	struct lw_gen_input *input;
	struct stat st;
	int ret;

	memset(gen, 0, sizeof(*gen));
	if (fstat(fd, &st))
		return lw_fail(-errno, "%s: %s", name, strerror(errno));
	ret = lw_gen_input_open(&input, fd, name);
	if (!ret) {
		ret = is_kept(&st) ? get_kept(cache, &st, name, input, gen) :
				     lw_gen_input_convert(input, 0, gen);
		lw_gen_input_close(input);
	}
	if (ret)
		count(&cache->stats.refused);
	else
		count(gen->from_cache ? &cache->stats.hits : &cache->stats.made);
	return ret;
}
