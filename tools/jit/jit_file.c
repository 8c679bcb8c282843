// SPDX-License-Identifier: GPL-2.0
/*
 * jit_file.c - a file in which a process tells of the code that it makes.
 *
 * The file is looked for where the process sees it, and is believed if it is a plain file,
 * reached without a symbolic link, that belongs to root or to whom the process runs as:
 * anybody may put a file into /tmp.
 *
 * Contexts: any thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "jit/jit_file.h"

/* The clock that files go by is as coarse. */
#define FILE_CLOCK_NS	(NSEC_PER_SEC / 50)

/**
 * lw_jit_file_own_pid - the number that a process has for itself
 * @proc: its directory in /proc
 *
 * Return: its number in the innermost PID namespace; 0: not known.
 */
u32 lw_jit_file_own_pid(const char *proc)
{
	char path[512], text[8192], *line, *end;
	ssize_t len;
	u64 number;

	snprintf(path, sizeof(path), "%s/status", proc);
	len = lw_read_file(path, text, sizeof(text) - 1);
	if (len <= 0)
		return 0;
	text[len] = 0;
	line = strstr(text, "\nNSpid:");
	end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return 0;
	*end = 0;
	line = strrchr(line, '\t');
	return line && !lw_parse_u64(line + 1, &number) && number <= UINT32_MAX ? number : 0;
}

/**
 * lw_jit_file_owner - whom a process runs as
 * @pid: its number here
 *
 * Return: a user; who runs this tool if the process has ended.
 */
uid_t lw_jit_file_owner(u32 pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? geteuid() : st.st_uid;
}

/* No link leads out of the root, or to the file. */
static int open_in_root(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (dir < 0)
		return -errno;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

/* A file written since the program began is not that of an earlier process of this number. */
static bool is_written_since(const struct stat *st, u64 since)
{
	u64 now = lw_now(), age = now > since ? now - since : 0;
	struct timespec time;

	if (!since)
		return true;
	clock_gettime(CLOCK_REALTIME, &time);
	return st->st_mtim.tv_sec * (s64)NSEC_PER_SEC + st->st_mtim.tv_nsec >=
	       time.tv_sec * (s64)NSEC_PER_SEC + time.tv_nsec - (s64)(age + FILE_CLOCK_NS);
}

static bool is_trusted(int fd, uid_t owner, u64 since)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && (!st.st_uid || st.st_uid == owner) &&
	       is_written_since(&st, since);
}

/**
 * lw_jit_file_open - open a process's file, if it is to be believed
 * @pid: the process
 * @path: from its root; from ours if it has ended
 * @owner: whom the file may belong to, besides root
 * @since: CLOCK_MONOTONIC nanoseconds: what was not written since then is another process's;
 *	0: no matter when
 *
 * Return: a descriptor to read from, or -errno; -EPERM: it is not to be believed.
 */
int lw_jit_file_open(u32 pid, const char *path, uid_t owner, u64 since)
{
	char root[64];
	int fd;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	fd = open_in_root(root, path);
	/* it has ended */
	if (fd == -ENOENT && access(root, F_OK))
		fd = open_in_root("/", path);
	if (fd < 0 || is_trusted(fd, owner, since))
		return fd;
	close(fd);
	return -EPERM;
}

/* All zeros where the file system does not keep it. */
static struct statx_timestamp birth_of(int fd)
{
	struct statx stx = {};

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &stx) || !(stx.stx_mask & STATX_BTIME))
		return (struct statx_timestamp){};
	return stx.stx_btime;
}

/**
 * lw_jit_file_is_same - whether a file is the one that was read, which may have grown
 * @file: what was read; of another file nothing, from now on
 * @fd: of lw_jit_file_open()
 *
 * Return: false if nothing that was read is in this file.
 */
bool lw_jit_file_is_same(struct lw_jit_file *file, int fd)
{
	struct statx_timestamp birth = birth_of(fd);
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (st.st_dev == file->dev && st.st_ino == file->inode &&
	    (u64)st.st_size >= file->read_to && birth.tv_sec == file->birth.tv_sec &&
	    birth.tv_nsec == file->birth.tv_nsec)
		return true;
	file->read_to = 0;
	file->dev = st.st_dev;
	file->inode = st.st_ino;
	file->birth = birth;
	return false;
}
