// SPDX-License-Identifier: GPL-2.0
/*
 * mapped_file.c - opens the file behind a mapping of another process.
 *
 * Its path may lead elsewhere: the process may have another root or mount
 * namespace, the file may be deleted, or another one be in its place.
 * /proc/PID/map_files has the very file, but is for CAP_SYS_ADMIN and
 * CAP_CHECKPOINT_RESTORE only, and for as long as the process has the mapping: it may
 * have another there by now, or its number be that of another process.  So wherever a
 * file is found its numbers decide whether it is the one.
 *
 * Contexts: any thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "elf/mapped_file.h"

#define PATH_ROOM	4096

/* Of linux/magic.h of a later release, or of a header of its own. */
#ifndef BTRFS_SUPER_MAGIC
#define BTRFS_SUPER_MAGIC	0x9123683E
#endif
#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC	0x794c7630
#endif

/* Above them overlayfs may put the number of a layer: xino of its mount options. */
#define INO_BITS	((1ULL << 48) - 1)

enum place { MAP_FILES, PROCESS_ROOT, OUR_ROOT, NR_PLACES };

/*
 * Regular files that the kernel makes up have no size, nor has an empty one anything to
 * tell. To read some of them takes away what others wait for: /proc/kmsg, trace_pipe.
 */
static bool is_worth_opening(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size;
}

/**
 * lw_open_file - open a regular file for reading
 * @path: others than regular ones are refused unopened, and so are empty ones
 * @st: out: what fstat() says of it
 *
 * Return: a descriptor, -errno, or -ENOEXEC when it is no such file.
 */
int lw_open_file(const char *path, struct stat *st)
{
	int fd;

	/* to open a device can have effects */
	if (stat(path, st))
		return -errno;
	if (!is_worth_opening(st))
		return -ENOEXEC;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, st) && is_worth_opening(st))
		return fd;
	close(fd);
	return -ENOEXEC;
}

static bool place_path(char *to, enum place place, const struct lw_mapping *map)
{
	switch (place) {
	case MAP_FILES:
		if (map->end <= map->start)
			return false;
		snprintf(to, PATH_ROOM, "/proc/%d/map_files/%llx-%llx", map->pid, map->start,
			 map->end);
		return true;
	case PROCESS_ROOT:
		return snprintf(to, PATH_ROOM, "/proc/%d/root%s", map->pid, map->path) < PATH_ROOM;
	default:
		return snprintf(to, PATH_ROOM, "%s", map->path) < PATH_ROOM;
	}
}

/* There a file may have other numbers for stat() than for who maps it. */
static bool numbers_differ_here(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == (typeof(fs.f_type))OVERLAYFS_SUPER_MAGIC ||
				     fs.f_type == (typeof(fs.f_type))BTRFS_SUPER_MAGIC);
}

static bool is_same_for_us(pid_t pid, const char *what)
{
	struct stat its, ours;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, what);
	if (stat(path, &its))
		return false;
	snprintf(path, sizeof(path), "/proc/self/%s", what);
	return !stat(path, &ours) && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

/* Not so for one that has ended: what it saw can't be known any more. */
static bool sees_what_we_see(const struct lw_mapping *map)
{
	return map->pid > 0 && is_same_for_us(map->pid, "ns/mnt") &&
	       is_same_for_us(map->pid, "root/.");
}

/* The mapping is still there, of a file of that name. */
static bool has_that_name(const struct lw_mapping *map)
{
	char path[PATH_ROOM], name[PATH_ROOM];
	ssize_t len;

	if (!place_path(path, MAP_FILES, map))
		return false;
	len = readlink(path, name, sizeof(name) - 1);
	if (len < 0)
		return false;
	name[len] = 0;
	return !strcmp(name, map->path);
}

/*
 * On these file systems @map's device is not that of stat().  The inode number is the
 * same, but for the upper bits and for files that overlayfs has copied up.
 */
static bool is_likely_mapped_one(const struct lw_mapping *map, const struct stat *st,
				 enum place place)
{
	bool same = (st->st_ino & INO_BITS) == (map->ino & INO_BITS);

	switch (place) {
	case MAP_FILES:
		return same || has_that_name(map);
	case PROCESS_ROOT:
		return same;
	default:
		return same && sees_what_we_see(map);
	}
}

static bool is_mapped_one(const struct lw_mapping *map, const struct stat *st, int fd,
			  enum place place)
{
	if (st->st_dev == map->dev && st->st_ino == map->ino)
		return true;
	return numbers_differ_here(fd) && is_likely_mapped_one(map, st, place);
}

/**
 * lw_open_mapped - open the file that a process has mapped
 * @map: the mapping; its process may have ended
 * @st: out: what fstat() says of the file
 *
 * Return: a descriptor; -ENOEXEC when the mapped one is no regular file, -ESTALE when only
 * another file is found, else the -errno of the last place looked at, mostly
 * -ENOENT.
 */
int lw_open_mapped(const struct lw_mapping *map, struct stat *st)
{
	char path[PATH_ROOM];
	int ret = -ENOENT;

	for (enum place place = map->pid > 0 ? MAP_FILES : OUR_ROOT; place < NR_PLACES; place++) {
		int fd;

		if (!place_path(path, place, map))
			continue;
		fd = lw_open_file(path, st);
		/* what is no regular file, either, may be in the place of the mapped one */
		if (fd == -ENOEXEC && (st->st_dev != map->dev || st->st_ino != map->ino))
			fd = -ESTALE;
		if (fd == -ENOEXEC)
			return fd;
		if (fd >= 0 && is_mapped_one(map, st, fd, place))
			return fd;
		if (fd >= 0)
			close(fd);
		if (ret != -ESTALE)
			ret = fd < 0 ? fd : -ESTALE;
	}
	return ret;
}

/**
 * lw_stat_likely - what is at a mapping's path, if it may be the file that is mapped
 * @map: the mapping; its process may have ended
 * @st: out
 *
 * Where files have other numbers for stat(), nobody knows it of a process that has ended.
 *
 * Return: whether there is such a file, and nothing speaks against it.
 */
bool lw_stat_likely(const struct lw_mapping *map, struct stat *st)
{
	int fd = lw_open_file(map->path, st);
	bool likely;

	if (fd < 0)
		return false;
	likely = numbers_differ_here(fd) && (st->st_ino & INO_BITS) == (map->ino & INO_BITS);
	close(fd);
	return likely;
}

/**
 * lw_stat_mapped - what is at a mapping's path now
 * @map: the mapping; its process may have ended
 * @st: out
 *
 * Return: whether a file is there: the mapped one or another.
 */
bool lw_stat_mapped(const struct lw_mapping *map, struct stat *st)
{
	char path[PATH_ROOM];

	if (map->pid > 0 && place_path(path, PROCESS_ROOT, map) && !stat(path, st))
		return true;
	return !stat(map->path, st);
}
