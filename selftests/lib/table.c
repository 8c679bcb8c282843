// SPDX-License-Identifier: GPL-2.0
/*
 * table.c - see table.h.  Knows nothing of the module's reader.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/lw_test.h"
#include "lib/sframe_abi.h"
#include "lib/table.h"

#define MAGIC		0xdee2
#define VERSION_2	2
#define VERSION_3	3
#define SORTED		1
#define PCREL		4
#define RA_AT		(-8)

#define ANALYSED	0x40
#define STARTS_OF_4	2
#define WORDS_OF_4	(2 << 5)
#define COUNT(n)	((n) << 1)

struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint8_t abi;
	int8_t fixed_fp;
	int8_t fixed_ra;
	uint8_t aux_len;
	uint32_t nr_funcs;
	uint32_t nr_rows;
	uint32_t rows_len;
	uint32_t funcs_at;
	uint32_t rows_at;
} __attribute__((packed));

/* A function of version 3. */
struct func_v3 {
	int64_t start;
	uint32_t size;
	uint32_t attribute;	/* where it is, from the rows on */
} __attribute__((packed));

/* In the attribute. */
#define INFO_OF_V3	2

void table_init(struct table *t)
{
	t->nr = 0;
	t->nr_rows = 0;
	t->rows_len = 0;
	t->size = 0;
}

/* Its rows come next. */
void table_func(struct table *t, int32_t start, uint32_t size)
{
	t->funcs[t->nr++] = (struct table_func) {
		.start = start,
		.size = size,
		.rows = t->rows_len,
		.info = STARTS_OF_4,
	};
}

static void put(struct table *t, const void *bytes, size_t len)
{
	memcpy(t->rows + t->rows_len, bytes, len);
	t->rows_len += len;
}

static void begin_row(struct table *t, uint32_t start, uint8_t info)
{
	put(t, &start, sizeof(start));
	put(t, &info, sizeof(info));
	t->funcs[t->nr - 1].nr_rows++;
	t->nr_rows++;
}

/* What the CFA is above the caller's stack pointer, and the unit of its offset in a row. */
#if defined(__s390x__)
#define BIAS		160
#define UNIT		8
#else
#define BIAS		0
#define UNIT		1
#endif

static void put_row(struct table *t, uint32_t start, uint8_t base, int32_t cfa, int32_t ra,
		    int32_t fp)
{
	const int32_t words[3] = {
		cfa / UNIT, SFRAME_FIXED_RA ? fp : ra - BIAS, fp - BIAS,
	};
	unsigned int nr = 1 + !SFRAME_FIXED_RA + !!fp;

	begin_row(t, start, base | COUNT(nr) | WORDS_OF_4);
	put(t, words, nr * sizeof(words[0]));
}

/*
 * The caller's stack pointer is @base + @cfa; RA is 8 below that, and FP is there + @fp, if that is
 * not 0.
 */
void table_row(struct table *t, uint32_t start, uint8_t base, int32_t cfa, int32_t fp)
{
	put_row(t, start, base, cfa, RA_AT, fp);
}

/* Likewise, with RA there + @ra, where rows tell it. */
void table_row_ra(struct table *t, uint32_t start, uint8_t base, int32_t cfa, int32_t ra)
{
	put_row(t, start, base, cfa, ra, 0);
}

/* The function has no caller. */
void table_outermost(struct table *t)
{
	begin_row(t, 0, TABLE_SP);
}

void table_finish(struct table *t)
{
	struct header header = {
		.magic = MAGIC,
		.version = VERSION_2,
		.flags = SORTED,
		.abi = SFRAME_ABI,
		.fixed_ra = (int8_t)SFRAME_FIXED_RA,
		.nr_funcs = t->nr,
		.nr_rows = t->nr_rows,
		.rows_len = t->rows_len,
		.rows_at = t->nr * sizeof(t->funcs[0]),
	};

	memcpy(t->bytes, &header, sizeof(header));
	t->size = sizeof(header);
	memcpy(t->bytes + t->size, t->funcs, header.rows_at);
	t->size += header.rows_at;
	memcpy(t->bytes + t->size, t->rows, t->rows_len);
	t->size += t->rows_len;
}

static const struct header *header_of(const struct table *t)
{
	return (const void *)t->bytes;
}

static size_t size_of_func(const struct table *t)
{
	return header_of(t)->version == VERSION_3 ? sizeof(struct func_v3) :
						    sizeof(struct table_func);
}

/* Where the nth function is, by its number. */
static size_t at_func(const struct table *t, uint32_t i)
{
	const struct header *header = header_of(t);

	return sizeof(*header) + header->aux_len + header->funcs_at + i * size_of_func(t);
}

static void move_func(struct table *t, size_t at, int64_t distance)
{
	struct table_func func;
	struct func_v3 v3;

	if (header_of(t)->version == VERSION_3) {
		memcpy(&v3, t->bytes + at, sizeof(v3));
		v3.start += distance;
		memcpy(t->bytes + at, &v3, sizeof(v3));
	} else {
		memcpy(&func, t->bytes + at, sizeof(func));
		func.start += distance;
		memcpy(t->bytes + at, &func, sizeof(func));
	}
}

/*
 * The section that the linker made for a library, at @distance from the first byte of
 * its executable segment.
 */
int table_from_section(struct table *t, const void *section, size_t size, int64_t distance)
{
	struct header *header = (void *)t->bytes;
	uint32_t i;
	size_t at;

	if (size > sizeof(t->bytes) || size < sizeof(*header))
		return -E2BIG;
	memcpy(t->bytes, section, size);
	if (header->magic != MAGIC ||
	    (header->version != VERSION_2 && header->version != VERSION_3))
		return -EBADMSG;
	for (i = 0; i < header->nr_funcs; i++) {
		at = at_func(t, i);
		if (at + size_of_func(t) > size)
			return -EBADMSG;
		move_func(t, at, distance + (header->flags & PCREL ? at : 0));
	}
	header->flags &= ~PCREL;
	t->size = size;
	return 0;
}

/* Where the byte of the nth function is that says of what its rows are. */
static size_t at_info(const struct table *t, uint32_t i)
{
	const struct header *header = header_of(t);
	size_t at = at_func(t, i);
	struct func_v3 v3;

	if (header->version != VERSION_3)
		return at + offsetof(struct table_func, info);
	memcpy(&v3, t->bytes + at, sizeof(v3));
	return sizeof(*header) + header->aux_len + header->rows_at + v3.attribute + INFO_OF_V3;
}

/* Says of all functions that their rows are from instructions. */
void table_mark_analysed(struct table *t)
{
	uint32_t i;

	for (i = 0; i < header_of(t)->nr_funcs; i++)
		t->bytes[at_info(t, i)] |= ANALYSED;
}

int table_arg(struct lw_table *arg, const struct table *t, int fd, uint64_t text_offset,
	      uint64_t text_size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*arg = (struct lw_table) {
		.size = sizeof(*arg),
		.file_fd = fd,
		.mtime_nsec = st.st_mtim.tv_nsec,
		.mtime_sec = st.st_mtim.tv_sec,
		.file_size = st.st_size,
		.text_offset = text_offset,
		.text_size = text_size,
		.data = (uintptr_t)t->bytes,
		.data_size = t->size,
	};
	return 0;
}

int table_add(int session, const struct table *t, int fd, uint64_t text_offset,
	      uint64_t text_size)
{
	struct lw_table arg;
	int ret = table_arg(&arg, t, fd, text_offset, text_size);

	return ret ?: lwt_ioctl(session, LW_IOC_ADD_TABLE, &arg);
}
