// SPDX-License-Identifier: GPL-2.0
/*
 * table_cache_dir.c - a directory that nobody else can put anything into.
 *
 * It is looked at each directory on the way, one from the other: whoever may write
 * to one could put another one in the place of what is below it, also while it is
 * used.  Without that, a user whose $HOME is in root's environment decides where
 * root writes and removes files.
 *
 * Contexts: any thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables/table_cache_entry.h"

#define MAX_LINKS	8U

/*
 * @at: the directory that was reached
 * @rest: what is still to be walked
 */
struct walk {
	int at;
	unsigned int links;
	char rest[PATH_MAX];
};

static bool is_ours(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

/* In a sticky one others can add, but not replace. */
static bool is_kept(const struct stat *st)
{
	return is_ours(st) && (!(st->st_mode & 022) || (st->st_mode & S_ISVTX));
}

/* Takes the next name, "" if there is none. */
static void next_name(struct walk *walk, char *name)
{
	const char *from = walk->rest;
	size_t len;

	do {
		from += strspn(from, "/");
		len = strcspn(from, "/");
		memcpy(name, from, len);
		name[len] = 0;
		from += len;
	} while (!strcmp(name, "."));
	memmove(walk->rest, from, strlen(from) + 1);
}

static bool is_last(const struct walk *walk)
{
	return !walk->rest[strspn(walk->rest, "/.")] && !strstr(walk->rest, "..");
}

static void go_to(struct walk *walk, int fd)
{
	close(walk->at);
	walk->at = fd;
}

static int go_to_root(struct walk *walk)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	go_to(walk, fd);
	return 0;
}

/* Has what a link says before the rest. */
static int follow(struct walk *walk, int link)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);

	if (len <= 0)
		return len ? -errno : -ENOENT;
	target[len] = 0;
	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	memcpy(rest, walk->rest, sizeof(rest));
	if (snprintf(walk->rest, sizeof(walk->rest), "%s/%s", target, rest) >=
	    (int)sizeof(walk->rest))
		return -ENAMETOOLONG;
	return target[0] == '/' ? go_to_root(walk) : 0;
}

static int open_or_make(int at, const char *name)
{
	int fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && (!mkdirat(at, name, 0700) || errno == EEXIST))
		fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int step(struct walk *walk, const char *name)
{
	int fd = open_or_make(walk->at, name), ret = 0;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		ret = -errno;
	} else if (S_ISLNK(st.st_mode)) {
		ret = is_ours(&st) && !is_last(walk) ? follow(walk, fd) : -EPERM;
	} else if (!S_ISDIR(st.st_mode)) {
		ret = -ENOTDIR;
	} else if (!is_kept(&st)) {
		ret = -EPERM;
	} else {
		go_to(walk, fd);
		return 0;
	}
	close(fd);
	return ret;
}

static int begin(struct walk *walk, const char *path)
{
	char here[PATH_MAX] = "";
	struct stat st;

	if (path[0] != '/' && !getcwd(here, sizeof(here)))
		return -errno;
	if (snprintf(walk->rest, sizeof(walk->rest), "%s/%s", here, path) >=
	    (int)sizeof(walk->rest))
		return -ENAMETOOLONG;
	if (fstat(walk->at, &st))
		return -errno;
	return is_kept(&st) ? 0 : -EPERM;
}

/* What may be walked through need not be one to keep things in. */
static int open_last(const struct walk *walk)
{
	int fd = openat(walk->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 022)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/**
 * lw_cache_dir_open - open a directory, and make it if there is none
 * @path: of it
 *
 * It must be ours, and no link; what is on the way to it must be root's or ours.
 * None of these may be writable by others, unless it is sticky and not the last.
 *
 * Return: descriptor, -EPERM if it is not so, or another -errno.
 */
int lw_cache_dir_open(const char *path)
{
	struct walk walk = { .at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	char name[PATH_MAX];
	int ret;

	if (walk.at < 0)
		return -errno;
	ret = begin(&walk, path);
	while (!ret) {
		next_name(&walk, name);
		if (!name[0])
			break;
		ret = step(&walk, name);
	}
	if (!ret)
		ret = open_last(&walk);
	close(walk.at);
	return ret;
}
