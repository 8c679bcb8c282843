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

/* A device or a pipe, and what a link leads nowhere to, has its name already. */
static int open_in_place(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, OWNER_ONLY);

	return fd < 0 ? -errno : fd;
}

static bool is_special(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return !lstat(path, &st);
	return !S_ISREG(st.st_mode);
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
 * In a folder where nothing can be made, and if it is no regular file, what has the name is
 * written to at once.
 *
 * Return: a descriptor, or -errno: there is nothing to close.
 */
int lw_output_open(struct lw_output *out, const char *path, bool keep_old)
{
	char *real = realpath(path, NULL);
	int fd = -1;

	memset(out, 0, sizeof(*out));
	out->keep_old = keep_old;
	out->path = real ? real : strdup(path);
	if (out->path && !is_special(path) && asprintf(&out->temp, "%s.XXXXXX", out->path) < 0)
		out->temp = NULL;
	if (out->temp)
		fd = mkostemp(out->temp, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	free(out->temp);
	out->temp = NULL;
	fd = out->path ? open_in_place(path) : -ENOMEM;
	if (fd < 0)
		output_free(out);
	return fd;
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
