// SPDX-License-Identifier: GPL-2.0
/*
 * kept_files.c - files that nobody finds by their path when a recording is read.
 *
 * Files of containers, and those that were deleted, stay open while we record.  One whose names
 * are asked for, as a sample has met it, is copied to where perf keeps files of what it has
 * recorded, as perf record does: it is found there by its build ID.  Below ~/.debug there are
 *
 *	latewind/ID/elf			the copy; a path is anybody's to choose, and makes no
 *					directories here
 *	.build-id/ID[0:2]/ID[2:]	a link to its directory, as all of perf's are
 *
 * Contexts: any, but for lw_kept_files_find().
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "symbols/symbol_file.h"
#include "tables/kept_files.h"

/* Each is open until the end. */
#define MOST_FILES	1024U
/* What is larger is no program that anybody has. */
#define MOST_BYTES	(2LL << 30)
#define PATH_ROOM	4096

struct kept_file {
	int fd;
	/* of who finds files, see lw_kept_files_find() */
	bool looked;			/* for its build ID */
	bool copied;			/* or it can't be */
	u8 id[LW_BUILD_ID_MAX];
	int id_len;			/* 0 or less: it has none */
};

struct lw_kept_files {
	bool copies;			/* of what is found are made */
	u32 users;			/* atomic */
	/* Protects @nr.  Nobody reads or writes a file with it, which may take for ever. */
	pthread_mutex_t lock;
	u32 nr;
	struct kept_file files[MOST_FILES];
};

/**
 * lw_kept_files_new - begin without any
 * @copies: copy what is found to where perf keeps files
 *
 * Return: them, for lw_kept_files_put(), or NULL.
 */
struct lw_kept_files *lw_kept_files_new(bool copies)
{
	struct lw_kept_files *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return NULL;
	pthread_mutex_init(&kept->lock, NULL);
	kept->users = 1;
	kept->copies = copies;
	return kept;
}

/**
 * lw_kept_files_get - have one more user
 * @kept: has one, or NULL
 *
 * Return: @kept.
 */
struct lw_kept_files *lw_kept_files_get(struct lw_kept_files *kept)
{
	if (kept)
		__atomic_add_fetch(&kept->users, 1, __ATOMIC_RELAXED);
	return kept;
}

/**
 * lw_kept_files_put - have one user less; the last closes and frees all
 * @kept: them, or NULL
 */
void lw_kept_files_put(struct lw_kept_files *kept)
{
	if (!kept || __atomic_sub_fetch(&kept->users, 1, __ATOMIC_ACQ_REL))
		return;
	for (u32 i = 0; i < kept->nr; i++)
		close(kept->files[i].fd);
	pthread_mutex_destroy(&kept->lock);
	free(kept);
}

static bool leads_to(const char *path, const struct stat *st)
{
	struct stat there;

	return !stat(path, &there) && there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

/**
 * lw_kept_files_see - keep a file if its path does not lead to it
 * @kept: get it
 * @fd: of the file, stays the caller's
 * @path: as a process sees it
 * @st: of the file
 */
void lw_kept_files_see(struct lw_kept_files *kept, int fd, const char *path,
		       const struct stat *st)
{
	int own;

	if (leads_to(path, st) || st->st_size > MOST_BYTES)
		return;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return;
	pthread_mutex_lock(&kept->lock);
	if (kept->nr < MOST_FILES)
		kept->files[kept->nr++].fd = own;
	else
		close(own);
	pthread_mutex_unlock(&kept->lock);
}

static void look(struct kept_file *file)
{
	struct lw_elf elf;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	file->looked = true;
	if (lw_elf_open(&elf, path))
		return;
	file->id_len = lw_elf_build_id(&elf, file->id);
	lw_elf_close(&elf);
}

/* What strangers can write is read with more care (symbols/symbol_file.c): so is its copy. */
static bool same_owner(int from, int to)
{
	struct stat st;

	if (fstat(from, &st))
		return false;
	if (!(st.st_mode & 0022) && (!st.st_uid || st.st_uid == geteuid()))
		return true;
	return st.st_uid && !fchown(to, st.st_uid, -1);
}

static bool copy_bytes(int from, int to)
{
	off_t at = 0;
	ssize_t done;

	while ((done = sendfile(to, from, &at, MOST_BYTES)) > 0 && at < MOST_BYTES)
		;
	return !done;
}

/*
 * What is there is whole, as its name comes last.  It is for its owner only: the file may have
 * been, too.
 */
static bool copy_to(int from, const char *path)
{
	char temp[PATH_ROOM];
	bool copied;
	int to;

	if (snprintf(temp, sizeof(temp), "%s.%d", path, getpid()) >= (int)sizeof(temp))
		return false;
	to = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return false;
	copied = same_owner(from, to) && copy_bytes(from, to);
	close(to);
	if (copied && !rename(temp, path))
		return true;
	unlink(temp);
	return false;
}

/* The directories that a path is in. */
static void make_directories(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		mkdir(path, 0755);
		*at = '/';
	}
}

/* @link: where perf looks; "/elf" is behind it in the name that it opens. */
static void add_to_cache(const struct kept_file *file, char *link)
{
	char directory[PATH_ROOM], to[PATH_ROOM], *id = strstr(link, "/.build-id/");
	int root = id - link;

	id += strlen("/.build-id/");
	snprintf(to, sizeof(to), "../../latewind/%.2s%s", id, id + 3);
	if (snprintf(directory, sizeof(directory), "%.*s/latewind/%.2s%s/elf", root, link, id,
		     id + 3) >= (int)sizeof(directory))
		return;
	make_directories(directory);
	make_directories(link);
	if (copy_to(file->fd, directory) && symlink(to, link))
		unlink(directory);
}

/* Links in another user's home are that user's to make. */
static bool has_own_home(void)
{
	const char *home = getenv("HOME");
	struct stat st;

	return home && !stat(home, &st) && st.st_uid == geteuid();
}

static void copy(const struct kept_file *file)
{
	char link[PATH_ROOM], there[PATH_ROOM];

	if (!has_own_home() ||
	    !lw_perf_cache_path(link, sizeof(link), file->id, file->id_len, "") ||
	    !lw_perf_cache_path(there, sizeof(there), file->id, file->id_len, "/elf"))
		return;
	/* perf's own, or what a recording before has left */
	if (!access(there, F_OK))
		return;
	add_to_cache(file, link);
}

static u32 nr_files(struct lw_kept_files *kept)
{
	u32 nr;

	pthread_mutex_lock(&kept->lock);
	nr = kept->nr;
	pthread_mutex_unlock(&kept->lock);
	return nr;
}

/* Return: it, or NULL. */
static struct kept_file *find(struct lw_kept_files *kept, const u8 *id, u32 id_len)
{
	u32 nr = id_len ? nr_files(kept) : 0;

	for (u32 i = 0; i < nr; i++) {
		struct kept_file *file = &kept->files[i];

		if (!file->looked)
			look(file);
		if (file->id_len == (int)id_len && !memcmp(file->id, id, id_len))
			return file;
	}
	return NULL;
}

/**
 * lw_kept_files_find - find a file that is kept
 * @ctx: struct lw_kept_files
 * @id: its build ID
 * @id_len: bytes of that; 0: not known, and there is nothing that it could be found by
 * @path: out: leads to it as long as it is kept
 * @size: bytes there
 *
 * What cannot be copied is left out.
 *
 * Context: one thread at a time.
 * Return: whether there is one.
 */
bool lw_kept_files_find(void *ctx, const u8 *id, u32 id_len, char *path, size_t size)
{
	struct lw_kept_files *kept = ctx;
	struct kept_file *file = find(kept, id, id_len);

	if (!file)
		return false;
	if (kept->copies && !file->copied)
		copy(file);
	file->copied = true;
	snprintf(path, size, "/proc/self/fd/%d", file->fd);
	return true;
}
