// SPDX-License-Identifier: GPL-2.0
/*
 * perf_user_names.c - appends the names of user code to a perf.data file.
 *
 * Contexts: any; nobody else writes to the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include "perf/perf_user_names.h"
#include "perf/perf_writer.h"

/* Return: bytes, or -errno. */
static s64 append(int fd, void *data, size_t size)
{
	struct lw_part_end end = { .size = size, .magic = LW_USER_NAMES_MAGIC };
	struct iovec parts[] = { { data, size }, { &end, sizeof(end) } };
	ssize_t put = writev(fd, parts, ARRAY_SIZE(parts));

	if (put < 0)
		return -errno;
	return put == (ssize_t)(size + sizeof(end)) ? put : -ENOSPC;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size;
}

/* As it was, or with all of the part. */
static s64 append_whole(const char *path, const struct stat *recorded, void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	struct stat st;
	s64 ret;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		ret = -errno;
	} else if (!is_same_file(&st, recorded)) {
		ret = -ESTALE;
	} else {
		ret = append(fd, data, size);
		if (ret < 0 && ftruncate(fd, st.st_size))
			ret = -errno;
	}
	close(fd);
	return ret;
}

/**
 * lw_perf_add_user_names - append the names of user code
 * @path: a complete file; is as it was after a failure
 * @recorded: of it when it was completed
 * @text: see lw_saved_names_write()
 * @size: bytes of it
 *
 * Return: bytes that were appended, or -errno with lw_fail_text(); -ESTALE: another file has the
 * name by now.
 */
s64 lw_perf_add_user_names(const char *path, const struct stat *recorded, const char *text,
			   size_t size)
{
	size_t room = ZSTD_compressBound(size), packed;
	void *data = malloc(room);
	s64 ret;

	if (!data)
		return lw_fail(-ENOMEM, "out of memory");
	packed = ZSTD_compress(data, room, text, size, ZSTD_CLEVEL_DEFAULT);
	ret = ZSTD_isError(packed) ? -ENOMEM :
	      size > LW_MAX_USER_NAMES || packed > LW_MAX_PART ? -EFBIG :
	      append_whole(path, recorded, data, packed);
	free(data);
	return ret < 0 ? lw_fail(ret, "%s", strerror(-ret)) : ret;
}
