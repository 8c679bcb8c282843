// SPDX-License-Identifier: GPL-2.0
/*
 * jit_dump.c - names of code in jit-PID.dump, as 'perf inject --jit' reads them.
 *
 * The format is that of tools/perf/Documentation/jitdump-specification.txt in the kernel's
 * source: a header, and records that are appended as code is made.  Each piece of code stands
 * there with its name, its bytes and the time, so that an address has the name that it had
 * when a sample was taken.  A process tells of its dump by mapping it executable, which the
 * side-band has.
 *
 * Used are records of code that is loaded and moved.  Unwind information, which is jit_unwind.c's,
 * and lines are passed over, so are the bytes of code, which are not even read.  A process may
 * write what it likes: sizes and offsets are checked against the file before they are used.
 *
 * Contexts: one thread.
 */
#include <assert.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "jit/jit_dump.h"

/* Names are cut there. */
#define MAX_NAME	1024
#define WINDOW		(64U << 10)
/* Seeking over code is cheaper than reading it, but each read has its price. */
#define LEAST_READ	4096

static_assert(sizeof(struct lw_jit_dump_header) == 40, "lw_jit_dump_header");
static_assert(sizeof(struct lw_jit_dump_load) == 56, "lw_jit_dump_load");
static_assert(sizeof(struct lw_jit_dump_move) == 64, "lw_jit_dump_move");

/* A part of a file; what is asked for grows in offset. */
struct window {
	int fd;
	u64 file_size;		/* when the reading began */
	u64 at;			/* in the file, of the first byte */
	u64 left;		/* bytes that may still be read */
	size_t len;
	u8 bytes[WINDOW];
};

/* @size: up to WINDOW. Return: bytes, until the next call; NULL: not there, or too much. */
static const u8 *window_get(struct window *window, u64 at, size_t size)
{
	ssize_t got;

	if (at >= window->at && at - window->at <= window->len &&
	    size <= window->len - (at - window->at))
		return window->bytes + (at - window->at);
	if (window->left < LEAST_READ)
		return NULL;
	got = pread(window->fd, window->bytes, WINDOW, at);
	window->at = at;
	window->len = got > 0 ? got : 0;
	window->left -= window->len < LEAST_READ ? LEAST_READ :
			window->len < window->left ? window->len : window->left;
	return size <= window->len ? window->bytes : NULL;
}

/**
 * lw_jit_dump_is_path - whether a mapped file is called as a dump is
 * @path: of the mapping
 *
 * Return: whether it is jit-NUMBER.dump in any directory.
 */
bool lw_jit_dump_is_path(const char *path)
{
	const char *name = path[0] == '/' ? strrchr(path, '/') + 1 : "";
	size_t digits;

	if (strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && !strcmp(name + 4 + digits, ".dump");
}

/**
 * lw_jit_dump_is_sound - whether a header is one whose file can be read
 * @header: in the byte order of this machine
 *
 * Return: true if so.
 */
bool lw_jit_dump_is_sound(const struct lw_jit_dump_header *header)
{
	return header->magic == LW_JIT_DUMP_MAGIC && header->version == LW_JIT_DUMP_VERSION &&
	       header->size >= sizeof(*header) && !(header->flags & ~LW_JIT_DUMP_ARCH_TIME);
}

/**
 * lw_jit_dump_is_new - whether a file was begun anew since it was read
 * @dump: what was read
 * @fd: the file
 *
 * A program that is executed again in the same process, for one, writes over the old dump.
 *
 * Return: true if its header is another one.
 */
bool lw_jit_dump_is_new(const struct lw_jit_dump *dump, int fd)
{
	struct lw_jit_dump_header header;

	return dump->read_to && (!lw_read_at(fd, 0, &header, sizeof(header)) ||
				 memcmp(&header, &dump->header, sizeof(header)));
}

/* Return: whether records follow. */
static bool take_header(struct lw_jit_dump *dump, struct window *window)
{
	const u8 *bytes = window_get(window, 0, sizeof(dump->header));

	if (!bytes)
		return false;
	memcpy(&dump->header, bytes, sizeof(dump->header));
	/* it may be being written, after room for it */
	if (!dump->header.magic)
		return false;
	dump->bad = !lw_jit_dump_is_sound(&dump->header);
	dump->read_to = dump->bad ? 0 : dump->header.size;
	return !dump->bad;
}

/* The processor's clock is not that of samples: there the order alone says what is younger. */
static u64 time_of(struct lw_jit_dump *dump, const struct lw_jit_dump_record *record)
{
	dump->order++;
	return dump->header.flags & LW_JIT_DUMP_ARCH_TIME ? dump->order : record->time;
}

/* Return: false if the name can't be read now. */
static bool take_load(struct lw_jit_dump *dump, struct lw_jit_code *code, struct window *window,
		      const struct lw_jit_dump_load *load)
{
	const struct lw_jit_piece piece = {
		.start = load->start, .size = load->size, .index = load->index,
		.time = time_of(dump, &load->record),
	};
	u64 room = load->record.size - sizeof(*load);
	const u8 *name;

	/* a child that was forked may write on in it of code of its own */
	if (load->pid != dump->header.pid || load->size >= room)
		return true;
	room -= load->size;
	if (room > MAX_NAME)
		room = MAX_NAME;
	name = window_get(window, dump->read_to + sizeof(*load), room);
	if (!name)
		return false;
	lw_jit_code_add(code, &piece, (const char *)name, strnlen((const char *)name, room));
	return true;
}

static void take_move(struct lw_jit_dump *dump, struct lw_jit_code *code,
		      const struct lw_jit_dump_move *move)
{
	const struct lw_jit_piece piece = {
		.start = move->to, .size = move->size, .index = move->index,
		.time = time_of(dump, &move->record),
	};

	if (move->pid == dump->header.pid)
		lw_jit_code_move(code, &piece, move->from);
}

/* @size: of the fixed part. Return: false if it can't be read now. */
static bool take_any(struct lw_jit_dump *dump, struct lw_jit_code *code, struct window *window,
		     const struct lw_jit_dump_record *record)
{
	struct lw_jit_dump_load load;
	struct lw_jit_dump_move move;
	const u8 *bytes;

	if (record->type == LW_JIT_DUMP_LOAD && record->size > sizeof(load)) {
		bytes = window_get(window, dump->read_to, sizeof(load));
		if (!bytes)
			return false;
		memcpy(&load, bytes, sizeof(load));
		return take_load(dump, code, window, &load);
	}
	if (record->type == LW_JIT_DUMP_MOVE && record->size >= sizeof(move)) {
		bytes = window_get(window, dump->read_to, sizeof(move));
		if (!bytes)
			return false;
		memcpy(&move, bytes, sizeof(move));
		take_move(dump, code, &move);
	}
	return true;
}

/* Return: false if there is no further record that is whole. */
static bool take_record(struct lw_jit_dump *dump, struct lw_jit_code *code, struct window *window)
{
	const u8 *bytes = window_get(window, dump->read_to, sizeof(struct lw_jit_dump_record));
	struct lw_jit_dump_record record;

	if (!bytes)
		return false;
	memcpy(&record, bytes, sizeof(record));
	dump->bad = record.size && record.size < sizeof(record);
	/* zeros: it may be being written, after room for it */
	if (dump->bad || !record.size || record.size > window->file_size - dump->read_to)
		return false;
	if (!take_any(dump, code, window, &record) || code->full)
		return false;
	dump->read_to += record.size;
	return true;
}

/**
 * lw_jit_dump_read - read on in a file that grows
 * @dump: what was read of it before
 * @code: gets what whole records tell of, up to the one that finds it full; is not settled
 * @fd: the file
 * @most: bytes that are read at most
 *
 * What is not read for @most, or as it is being written, is left to the next call.
 */
void lw_jit_dump_read(struct lw_jit_dump *dump, struct lw_jit_code *code, int fd, u64 most)
{
	struct window window = { .fd = fd, .left = most };
	struct stat st;

	if (dump->bad || fstat(fd, &st))
		return;
	window.file_size = st.st_size;
	if (!dump->read_to && !take_header(dump, &window))
		return;
	while (!code->full && take_record(dump, code, &window))
		;
}
