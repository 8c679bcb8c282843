// SPDX-License-Identifier: GPL-2.0
/*
 * output.c - files that a command makes, which take their names when there is something in them.
 *
 * A recording may fail before it begins, when the command does not exist, say.  What has the
 * output's name until then, and an older one that is PATH.old, are as they were.
 *
 * What was recorded is nobody else's business: new files are for their owner only.
 *
 * Contexts: any thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

#define OWNER_ONLY	0600

/* Never removed: it was there before, or something else leads to it. */
static int open_in_place(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, OWNER_ONLY);

	return fd < 0 ? -errno : fd;
}

/*
 * Can another file take the name?  A device or a pipe is what it is.  Where a link leads is for
 * the kernel to judge (fs.protected_symlinks), and /dev/stdout is one, too.  What is mounted over
 * a file stays there.
 */
static bool can_be_replaced(const char *path)
{
	struct statx st;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st))
		return errno == ENOENT;
	return S_ISREG(st.stx_mode) && !(st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* Is it only that no file can be made beside it? */
static bool may_be_written_in_place(int err)
{
	return err == EACCES || err == EPERM || err == EROFS || err == ENAMETOOLONG;
}

static void output_free(struct lw_output *out)
{
	free(out->path);
	free(out->temp);
	memset(out, 0, sizeof(*out));
}

/**
 * lw_output_open - make a file
 * @out: out; until lw_output_close() or lw_output_remove()
 * @path: the name that it is to have
 * @keep_old: what has that name then becomes PATH.old, if it is not empty
 *
 * What no other file can take the place of is written to at once, and is never removed.
 *
 * Return: a descriptor, or -errno: there is nothing to close.
 */
int lw_output_open(struct lw_output *out, const char *path, bool keep_old)
{
	int fd;

	memset(out, 0, sizeof(*out));
	if (!can_be_replaced(path))
		return open_in_place(path);
	out->keep_old = keep_old;
	out->path = strdup(path);
	if (!out->path || asprintf(&out->temp, "%s.XXXXXX", path) < 0) {
		free(out->path);
		memset(out, 0, sizeof(*out));
		return -ENOMEM;
	}
	fd = mkostemp(out->temp, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	fd = -errno;
	output_free(out);
	return may_be_written_in_place(-fd) ? open_in_place(path) : fd;
}

static int rename_to_old(const char *path, bool back)
{
	char *old;
	int ret;

	if (asprintf(&old, "%s.old", path) < 0)
		return -ENOMEM;
	ret = back ? rename(old, path) : rename(path, old);
	ret = ret ? -errno : 0;
	free(old);
	return ret;
}

/**
 * lw_output_publish - give the file its name, unless it has it
 * @out: open
 *
 * Return: 0 or -errno: it has none yet.
 */
int lw_output_publish(struct lw_output *out)
{
	struct stat st;
	int ret = 0;

	if (!out->temp)
		return 0;
	if (out->keep_old && !stat(out->path, &st) && st.st_size) {
		ret = rename_to_old(out->path, false);
		out->kept_old = !ret;
	}
	if (!ret && rename(out->temp, out->path))
		ret = -errno;
	if (ret)
		return ret;
	free(out->temp);
	out->temp = NULL;
	return 0;
}

/**
 * lw_remove_regular - remove an output that is not whole
 * @path: no link is followed; only a regular file is removed, not /dev/stdout
 */
void lw_remove_regular(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

/**
 * lw_output_remove - remove a file that has nothing in it
 * @out: open; the one that it took the place of is back
 */
void lw_output_remove(struct lw_output *out)
{
	if (out->path)
		lw_remove_regular(out->temp ? out->temp : out->path);
	if (out->kept_old)
		rename_to_old(out->path, true);
	output_free(out);
}

/**
 * lw_output_close - the file stays; one without its name is removed
 * @out: opened, or zeroes; descriptors are the caller's
 */
void lw_output_close(struct lw_output *out)
{
	if (out->temp)
		lw_output_remove(out);
	else
		output_free(out);
}
