// SPDX-License-Identifier: GPL-2.0
/*
 * tracing_data.c - the formats of tracepoints, as perf.data files have them.
 *
 * The layout is that of the feature HEADER_TRACING_DATA, version 0.6, which
 * tools/perf/util/trace-event-info.c writes and trace-event-read.c reads: the machine; the
 * files header_page and header_event of tracefs; formats of ftrace itself, none here; for each
 * system its formats; kallsyms, empty; printk_formats; saved_cmdlines, empty here.  Strings end
 * with a zero, files have their sizes in front.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/tracing_data.h"

#define MAGIC		"\027\010\104tracing"
#define VERSION		"0.6"
#define MAX_FILE	(16U << 20)	/* bytes; printk_formats has the most */
#define BIG_ENDIAN_HERE	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* --- making it */

/* A file that is not there is empty. */
static int read_whole(const char *root, const char *name, char **text, size_t *size)
{
	char path[512];
	FILE *from;

	*text = NULL;
	*size = 0;
	if (snprintf(path, sizeof(path), "%s/%s", root, name) >= (int)sizeof(path))
		return -ENOENT;
	from = fopen(path, "re");
	if (!from)
		return errno == ENOENT ? 0 : -errno;
	*text = malloc(MAX_FILE);
	if (*text)
		*size = fread(*text, 1, MAX_FILE, from);
	fclose(from);
	return !*text ? -ENOMEM : *size == MAX_FILE ? -EFBIG : 0;
}

static void put(FILE *to, const void *bytes, size_t size)
{
	if (size)
		fwrite(bytes, size, 1, to);
}

static void put_u32(FILE *to, u32 value)
{
	put(to, &value, sizeof(value));
}

/* @wide: its size is of 8 bytes */
static int put_file(FILE *to, const char *root, const char *name, bool wide)
{
	size_t size;
	char *text;
	int ret = read_whole(root, name, &text, &size);
	u64 bytes = size;

	if (!ret && wide)
		put(to, &bytes, sizeof(bytes));
	else if (!ret)
		put_u32(to, size);
	if (!ret)
		put(to, text, size);
	free(text);
	return ret;
}

static int put_head(FILE *to, const char *root)
{
	const u8 machine[] = { BIG_ENDIAN_HERE, sizeof(long) };
	int ret;

	put(to, MAGIC, strlen(MAGIC));
	put(to, VERSION, sizeof(VERSION));
	put(to, machine, sizeof(machine));
	put_u32(to, sysconf(_SC_PAGESIZE));
	put(to, "header_page", sizeof("header_page"));
	ret = put_file(to, root, "events/header_page", true);
	put(to, "header_event", sizeof("header_event"));
	return ret ? ret : put_file(to, root, "events/header_event", true);
}

static bool is_first(const struct lw_event *events, u32 at, size_t len)
{
	for (u32 i = 0; i < at; i++) {
		if (lw_event_has_fields(&events[i]) &&
		    !strncmp(events[i].tracepoint, events[at].tracepoint, len))
			return false;
	}
	return lw_event_has_fields(&events[at]);
}

static size_t system_len(const char *tracepoint)
{
	return strcspn(tracepoint, "/") + 1;
}

static int put_format(FILE *to, const char *root, const char *tracepoint)
{
	char name[512];

	if (snprintf(name, sizeof(name), "events/%s/format", tracepoint) >= (int)sizeof(name))
		return -ENOENT;
	return put_file(to, root, name, true);
}

/* All formats of the system that events[first] is of; each once. */
static int put_system(FILE *to, const char *root, const struct lw_event *events, u32 first, u32 nr)
{
	size_t len = system_len(events[first].tracepoint);
	u32 formats = 0;
	int ret = 0;

	put(to, events[first].tracepoint, len - 1);
	put(to, "", 1);
	for (int pass = 0; pass < 2; pass++) {
		for (u32 i = first; !ret && i < nr; i++) {
			const char *name = events[i].tracepoint;

			if (!lw_event_has_fields(&events[i]) ||
			    strncmp(name, events[first].tracepoint, len) ||
			    !is_first(events, i, strlen(name) + 1))
				continue;
			if (pass)
				ret = put_format(to, root, name);
			else
				formats++;
		}
		if (!pass)
			put_u32(to, formats);
	}
	return ret;
}

static int put_systems(FILE *to, const char *root, const struct lw_event *events, u32 nr)
{
	u32 systems = 0;
	int ret = 0;

	for (u32 i = 0; i < nr; i++)
		systems += lw_event_has_fields(&events[i]) &&
			   is_first(events, i, system_len(events[i].tracepoint));
	put_u32(to, systems);
	for (u32 i = 0; !ret && i < nr; i++) {
		if (lw_event_has_fields(&events[i]) &&
		    is_first(events, i, system_len(events[i].tracepoint)))
			ret = put_system(to, root, events, i, nr);
	}
	return ret;
}

static int put_all(FILE *to, const char *root, const struct lw_event *events, u32 nr)
{
	const u64 no_commands = 0;
	int ret = put_head(to, root);

	put_u32(to, 0);		/* formats of ftrace */
	if (!ret)
		ret = put_systems(to, root, events, nr);
	put_u32(to, 0);		/* kallsyms */
	if (!ret)
		ret = put_file(to, root, "printk_formats", false);
	put(to, &no_commands, sizeof(no_commands));
	return ret;
}

/**
 * lw_tracing_data_make - tell what the fields of events are
 * @root: of tracefs
 * @events: those that have no fields are passed over
 * @nr: how many
 * @data: out: to be freed; NULL: there is nothing to tell, or it failed
 * @size: out: bytes
 *
 * Return: 0 or -errno.
 */
int lw_tracing_data_make(const char *root, const struct lw_event *events, u32 nr, char **data,
			 size_t *size)
{
	u32 with = 0;
	FILE *to;
	int ret;

	*data = NULL;
	*size = 0;
	for (u32 i = 0; i < nr; i++)
		with += lw_event_has_fields(&events[i]);
	if (!with)
		return 0;
	to = open_memstream(data, size);
	if (!to)
		return -ENOMEM;
	ret = put_all(to, root, events, nr);
	if (fclose(to))
		ret = -ENOMEM;
	if (ret) {
		free(*data);
		*data = NULL;
		*size = 0;
	}
	return ret;
}

/* --- reading it, which may be anybody's */

struct bytes {
	const char *at;
	size_t left;
	bool bad;			/* more was asked for than there is */
	bool other_order;		/* numbers are of a machine of the other byte order */
};

static const char *take(struct bytes *bytes, u64 size)
{
	const char *at = bytes->at;

	if (bytes->bad || size > bytes->left) {
		bytes->bad = true;
		return NULL;
	}
	bytes->at += size;
	bytes->left -= size;
	return at;
}

/* Return: a number of 1, 4 or 8 bytes; 0 where there is none. */
static u64 take_number(struct bytes *bytes, size_t size)
{
	const char *at = take(bytes, size);
	u32 word = 0;
	u64 value = 0;

	if (!at)
		return 0;
	if (size == sizeof(u64)) {
		memcpy(&value, at, sizeof(value));
		return bytes->other_order ? __builtin_bswap64(value) : value;
	}
	if (size == sizeof(u8))
		return (u8)*at;
	memcpy(&word, at, sizeof(word));
	return bytes->other_order ? __builtin_bswap32(word) : word;
}

static const char *take_string(struct bytes *bytes)
{
	return take(bytes, strnlen(bytes->at, bytes->left) + 1);
}

static const char *take_file(struct bytes *bytes, size_t *size)
{
	*size = take_number(bytes, sizeof(u64));
	return take(bytes, *size);
}

static int read_head(struct bytes *bytes, const struct lw_tracing_data_ops *ops, void *ctx)
{
	const char *magic = take(bytes, strlen(MAGIC)), *text;
	bool big_endian;
	u32 long_size;
	size_t size;
	int ret;

	if (!magic || memcmp(magic, MAGIC, strlen(MAGIC)) || !take_string(bytes))
		return -EBADMSG;
	big_endian = take_number(bytes, 1);
	long_size = take_number(bytes, 1);
	bytes->other_order = big_endian != BIG_ENDIAN_HERE;
	take_number(bytes, sizeof(u32));	/* size of a page */
	if (bytes->bad)
		return -EBADMSG;
	ret = ops->machine(ctx, big_endian, long_size);
	take_string(bytes);
	text = take_file(bytes, &size);
	if (!ret && text)
		ret = ops->header_page(ctx, text, size);
	take_string(bytes);
	take_file(bytes, &size);
	return ret;
}

static int read_formats(struct bytes *bytes, const char *system, u32 nr,
			const struct lw_tracing_data_ops *ops, void *ctx)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < nr && !bytes->bad; i++) {
		size_t size;
		const char *text = take_file(bytes, &size);

		if (text)
			ret = ops->format(ctx, system, text, size);
	}
	return ret;
}

static int read_systems(struct bytes *bytes, const struct lw_tracing_data_ops *ops, void *ctx)
{
	u32 nr = take_number(bytes, sizeof(u32));
	int ret = 0;

	for (u32 i = 0; !ret && i < nr && !bytes->bad; i++) {
		const char *system = take_string(bytes);

		if (system)
			ret = read_formats(bytes, system, take_number(bytes, sizeof(u32)), ops,
					   ctx);
	}
	return ret;
}

static int read_strings(struct bytes *bytes, const struct lw_tracing_data_ops *ops, void *ctx)
{
	u32 size = take_number(bytes, sizeof(u32));
	const char *from = take(bytes, size);
	char *text = from ? strndup(from, size) : NULL;
	int ret = text && *text ? ops->strings(ctx, text) : 0;

	free(text);
	return ret;
}

/**
 * lw_tracing_data_read - what there is in it
 * @data: as lw_tracing_data_make() or perf made it
 * @size: bytes
 * @ops: are told of it
 * @ctx: for @ops
 *
 * Return: 0, what @ops returned, or -EBADMSG: it ends early or is something else; @ops have
 * been told of what stands before that.
 */
int lw_tracing_data_read(const void *data, size_t size, const struct lw_tracing_data_ops *ops,
			 void *ctx)
{
	struct bytes bytes = { .at = data, .left = size };
	int ret = read_head(&bytes, ops, ctx);

	if (!ret)
		ret = read_formats(&bytes, "ftrace", take_number(&bytes, sizeof(u32)), ops, ctx);
	if (!ret)
		ret = read_systems(&bytes, ops, ctx);
	if (!ret)
		take(&bytes, take_number(&bytes, sizeof(u32)));		/* kallsyms */
	if (!ret)
		ret = read_strings(&bytes, ops, ctx);
	return ret ? ret : bytes.bad ? -EBADMSG : 0;
}
