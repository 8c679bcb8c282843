// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_bytes.c - the bytes of a recording, from whatever it comes.
 *
 * Bytes are read, never mapped: a file that another process truncates ends earlier and
 * raises no SIGBUS.  A pipe cannot be read twice, so it is copied to an unnamed file
 * first, as records are looked at in the order of time.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/mapped_file.h"
#include "perf/perf_reader_bytes.h"

static const char *spool_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] ? dir : "/tmp";
}

/**
 * lw_perf_bytes_spool - begin with none, for some to be appended
 * @bytes: out: to be closed
 *
 * The copy is in an unnamed file below TMPDIR.
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_bytes_spool(struct lw_perf_bytes *bytes)
{
	char path[4096];

	memset(bytes, 0, sizeof(*bytes));
	bytes->fd = open(spool_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (bytes->fd >= 0)
		return 0;
	/* not every file system can do that */
	snprintf(path, sizeof(path), "%s/latewind-XXXXXX", spool_dir());
	bytes->fd = mkostemp(path, O_CLOEXEC);
	if (bytes->fd < 0)
		return lw_fail(-errno, "cannot make a temporary file in %s: %s\n"
			       "  Name another directory in TMPDIR.", spool_dir(),
			       strerror(errno));
	unlink(path);
	return 0;
}

/**
 * lw_perf_bytes_append - add some at the end
 * @bytes: of lw_perf_bytes_spool()
 * @data: them
 * @size: how many
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_bytes_append(struct lw_perf_bytes *bytes, const void *data, size_t size)
{
	u64 block = bytes->size / LW_PERF_BLOCK;

	/* it may be kept as one that ends where they begin */
	if (bytes->numbers[block % LW_PERF_BLOCKS] == block + 1)
		bytes->numbers[block % LW_PERF_BLOCKS] = 0;
	while (size) {
		ssize_t done = pwrite(bytes->fd, data, size, bytes->size);

		if (done <= 0)
			return lw_fail(done ? -errno : -EIO,
				       "cannot write to a temporary file in %s: %s\n"
				       "  Name another directory in TMPDIR.",
				       spool_dir(), strerror(done ? errno : EIO));
		data = (const u8 *)data + done;
		bytes->size += done;
		size -= done;
	}
	return 0;
}

static int copy_input(struct lw_perf_bytes *bytes)
{
	u8 *room = malloc(LW_PERF_BLOCK);
	ssize_t got = 0;
	int ret = 0;

	if (!room)
		return lw_fail(-ENOMEM, "out of memory");
	while (!ret && (got = read(STDIN_FILENO, room, LW_PERF_BLOCK)) > 0)
		ret = lw_perf_bytes_append(bytes, room, got);
	if (!ret && got < 0)
		ret = lw_fail(-errno, "cannot read the standard input: %s", strerror(errno));
	free(room);
	return ret;
}

static int open_input(struct lw_perf_bytes *bytes)
{
	int ret = lw_perf_bytes_spool(bytes);

	if (ret)
		return ret;
	bytes->trusted = true;
	ret = copy_input(bytes);
	if (ret)
		lw_perf_bytes_close(bytes);
	return ret;
}

static bool is_of_threads(const char *path)
{
	char name[PATH_MAX];

	return snprintf(name, sizeof(name), "%s/data.0", path) < (int)sizeof(name) &&
	       !access(name, F_OK);
}

static int refuse_file(const char *path, const struct stat *st)
{
	if (S_ISDIR(st->st_mode) && is_of_threads(path))
		return lw_fail(-EISDIR, "%s is a directory of 'perf record --threads'\n"
			       "  'perf inject -i %s -o OTHER' makes one file of it: OTHER/data.",
			       path, path);
	if (S_ISDIR(st->st_mode))
		return lw_fail(-EISDIR, "%s is a directory\n"
			       "  Name a recording in it, such as %s/perf.data.", path, path);
	if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode))
		return lw_fail(-EINVAL, "%s is a pipe\n  Lead it into the standard input: -i - <%s",
			       path, path);
	if (!S_ISREG(st->st_mode))
		return lw_fail(-EINVAL, "%s is a device, and no recording\n"
			       "  Name a file; -i - reads a pipe.", path);
	return lw_fail(-EINVAL, "%s is empty: nothing was recorded into it\n"
		       "  If 'latewind record' was killed, record once more.", path);
}

/**
 * lw_perf_bytes_open - take those of a file
 * @bytes: out: to be closed
 * @path: a regular file, or "-" for the standard input
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_perf_bytes_open(struct lw_perf_bytes *bytes, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return open_input(bytes);
	memset(bytes, 0, sizeof(*bytes));
	bytes->fd = lw_open_file(path, &st);
	if (bytes->fd == -ENOEXEC)
		return refuse_file(path, &st);
	if (bytes->fd < 0)
		return lw_fail(bytes->fd, "cannot open %s: %s\n"
			       "  Name a recording with -i FILE.", path, strerror(-bytes->fd));
	bytes->size = st.st_size;
	bytes->trusted = !st.st_uid || st.st_uid == geteuid();
	return 0;
}

/**
 * lw_perf_bytes_read - copy some, past what is kept
 * @bytes: opened
 * @offset: of the first
 * @to: out
 * @size: how many
 *
 * Return: 0, or -ENODATA when they are not all there.
 */
int lw_perf_bytes_read(const struct lw_perf_bytes *bytes, u64 offset, void *to, u64 size)
{
	if (offset > bytes->size || size > bytes->size - offset)
		return -ENODATA;
	return lw_read_at(bytes->fd, offset, to, size) ? 0 : -ENODATA;
}

static bool load_block(struct lw_perf_bytes *bytes, u64 number)
{
	u32 slot = number % LW_PERF_BLOCKS;
	u64 offset = number * LW_PERF_BLOCK, size = bytes->size - offset;

	if (bytes->numbers[slot] == number + 1)
		return true;
	if (!bytes->blocks[slot])
		bytes->blocks[slot] = malloc(LW_PERF_BLOCK);
	if (size > LW_PERF_BLOCK)
		size = LW_PERF_BLOCK;
	bytes->numbers[slot] = 0;
	if (!bytes->blocks[slot] || lw_perf_bytes_read(bytes, offset, bytes->blocks[slot], size))
		return false;
	bytes->numbers[slot] = number + 1;
	bytes->lengths[slot] = size;
	return true;
}

/* Return: bytes copied out of the block that has @offset. */
static u32 copy_part(struct lw_perf_bytes *bytes, u64 offset, u8 *to, u32 size)
{
	u64 number = offset / LW_PERF_BLOCK;
	u32 in = offset % LW_PERF_BLOCK, slot = number % LW_PERF_BLOCKS;

	if (!load_block(bytes, number) || in >= bytes->lengths[slot])
		return 0;
	if (size > bytes->lengths[slot] - in)
		size = bytes->lengths[slot] - in;
	memcpy(to, bytes->blocks[slot] + in, size);
	return size;
}

/**
 * lw_perf_bytes_at - look at some
 * @bytes: opened
 * @offset: of the first
 * @size: how many, up to LW_PERF_BLOCK
 *
 * Return: them, at an address that is a multiple of 8, good until the next call; or
 * NULL when they are not all there, or for want of memory.
 */
const void *lw_perf_bytes_at(struct lw_perf_bytes *bytes, u64 offset, u32 size)
{
	u64 number = offset / LW_PERF_BLOCK;
	u32 in = offset % LW_PERF_BLOCK, slot = number % LW_PERF_BLOCKS, got;

	if (size > LW_PERF_BLOCK || offset > bytes->size || size > bytes->size - offset)
		return NULL;
	if (!(in % 8) && in + size <= LW_PERF_BLOCK)
		return load_block(bytes, number) && in + size <= bytes->lengths[slot] ?
		       bytes->blocks[slot] + in : NULL;
	if (!bytes->bounce)
		bytes->bounce = malloc(LW_PERF_BLOCK);
	if (!bytes->bounce)
		return NULL;
	got = copy_part(bytes, offset, bytes->bounce, size);
	if (got && got < size)
		got += copy_part(bytes, offset + got, bytes->bounce + got, size - got);
	return got == size ? bytes->bounce : NULL;
}

/**
 * lw_perf_bytes_close - give all back
 * @bytes: opened
 */
void lw_perf_bytes_close(struct lw_perf_bytes *bytes)
{
	for (u32 i = 0; i < LW_PERF_BLOCKS; i++)
		free(bytes->blocks[i]);
	free(bytes->bounce);
	if (bytes->fd >= 0)
		close(bytes->fd);
	memset(bytes, 0, sizeof(*bytes));
	bytes->fd = -1;
}
