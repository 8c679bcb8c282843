// SPDX-License-Identifier: GPL-2.0
/*
 * write_behind.c - a stream whose bytes a thread writes, so that a slow file holds up nobody.
 *
 * What waits to be written is bounded: beyond that the stream waits for the file. What fails is
 * told by a later write to the stream, or by lw_write_behind_sync().
 *
 * Contexts: one thread per stream, but for write_chunk().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/work_queue.h"
#include "base/write_behind.h"

#define FOR_EVER	(~0ULL / 2)

struct lw_write_behind {
	int fd;
	struct lw_work_queue *writer;
};

#define AT_THE_END	(-1)

/* @at: where in the file it belongs, or AT_THE_END: behind what was written last */
struct chunk {
	struct lw_work work;
	off64_t at;
	size_t len;
	char bytes[];
};

static int write_at(int fd, const struct chunk *chunk)
{
	ssize_t written;

	for (size_t done = 0; done < chunk->len; done += written) {
		written = pwrite64(fd, chunk->bytes + done, chunk->len - done, chunk->at + done);
		if (written < 0 && errno == EINTR)
			written = 0;
		else if (written <= 0)
			return written ? -errno : -EIO;
	}
	return 0;
}

/* In the writer's thread. */
static int write_chunk(void *ctx, struct lw_work *work)
{
	const struct lw_write_behind *behind = ctx;
	struct chunk *chunk = (struct chunk *)work;
	struct lw_strbuf out;

	if (!chunk)
		return 0;
	if (chunk->at != AT_THE_END)
		return write_at(behind->fd, chunk);
	out = (struct lw_strbuf) { .text = chunk->bytes, .len = chunk->len };
	return lw_strbuf_flush(&out, behind->fd);
}

static int queue_chunk(struct lw_write_behind *behind, off64_t at, const void *bytes, size_t len)
{
	int error = lw_work_queue_error(behind->writer);
	struct chunk *chunk = error ? NULL : malloc(sizeof(*chunk) + len);

	if (!chunk)
		return error ? error : -ENOMEM;
	chunk->work.bytes = sizeof(*chunk) + len;
	chunk->at = at;
	chunk->len = len;
	memcpy(chunk->bytes, bytes, len);
	while (!lw_work_queue_add(behind->writer, &chunk->work))
		lw_work_queue_wait_for_room(behind->writer, FOR_EVER);
	return 0;
}

/* fopencookie(3) has 0 for an error. */
static ssize_t add_chunk(void *cookie, const char *bytes, size_t len)
{
	int ret = queue_chunk(cookie, AT_THE_END, bytes, len);

	errno = -ret;
	return ret ? 0 : len;
}

static int close_behind(void *cookie)
{
	struct lw_write_behind *behind = cookie;
	int ret = lw_write_behind_sync(behind);

	lw_work_queue_free(behind->writer, ~0ULL);
	if (close(behind->fd))
		ret = -1;
	free(behind);
	return ret ? -1 : 0;
}

/**
 * lw_write_behind_open - make a stream of a file
 * @fd: open for writing; closed with the stream
 * @max_bytes: that may wait to be written
 * @behind: out: good until the stream is closed
 *
 * Return: the stream, or NULL: @fd is still the caller's.
 */
FILE *lw_write_behind_open(int fd, size_t max_bytes, struct lw_write_behind **behind)
{
	static const cookie_io_functions_t functions = {
		.write = add_chunk, .close = close_behind,
	};
	struct lw_write_behind *made = calloc(1, sizeof(*made));
	FILE *file = NULL;

	if (!made)
		return NULL;
	made->fd = fd;
	made->writer = lw_work_queue_new(max_bytes, write_chunk, made);
	if (made->writer)
		file = fopencookie(made, "w", functions);
	if (!file) {
		lw_work_queue_free(made->writer, ~0ULL);
		free(made);
		return NULL;
	}
	*behind = made;
	return file;
}

/**
 * lw_write_behind_error - what has failed so far
 * @behind: of a stream
 *
 * Return: 0, or -errno, which is in errno, too.
 */
int lw_write_behind_error(struct lw_write_behind *behind)
{
	int error = lw_work_queue_error(behind->writer);

	if (error)
		errno = -error;
	return error;
}

/**
 * lw_write_behind_at - write over what was written before
 * @behind: of a stream that was flushed, of a file that can be sought in
 * @at: offset in the file
 * @bytes: are copied
 * @len: of them
 *
 * They are written when all is that was flushed before, so that the file can say how much of it
 * is whole.
 *
 * Return: 0, or -errno, which is in errno, too.
 */
int lw_write_behind_at(struct lw_write_behind *behind, u64 at, const void *bytes, size_t len)
{
	int ret = queue_chunk(behind, at, bytes, len);

	errno = -ret;
	return ret;
}

/**
 * lw_write_behind_sync - wait until all is written that was flushed
 * @behind: of a stream
 *
 * Return: 0, or -errno, which is in errno, too.
 */
int lw_write_behind_sync(struct lw_write_behind *behind)
{
	lw_work_queue_wait(behind->writer, FOR_EVER);
	return lw_write_behind_error(behind);
}
