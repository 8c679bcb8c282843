// SPDX-License-Identifier: GPL-2.0
/*
 * perf_writer_zstd.c - records of perf.data, packed by zstd.
 *
 * All packed records of a file are one stream of zstd, flushed at the end of each,
 * so that what repeats, as stacks do, is found across them.
 *
 * Contexts: one thread per file.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perf/perf_writer_zstd.h"

#define RECORD_COMPRESSED	81
#define RECORD_COMPRESSED2	83

struct lw_zstd_writer {
	ZSTD_CCtx *zstd;
	int level;
	bool aligned;
	u64 bytes_in, bytes_out;
	size_t used;
	u8 in[LW_PACK_BYTES];
	union {
		struct perf_event_header header;
		struct {
			struct perf_event_header header2;
			u64 size;
		};
		u8 out[UINT16_MAX];
	};
};

static bool set_level(struct lw_zstd_writer *writer)
{
	size_t ret = ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, writer->level);

	return !ZSTD_isError(ret);
}

/**
 * lw_zstd_writer_new - begin
 * @level: of zstd
 * @aligned: COMPRESSED2 records, which perf reads since 6.16, not COMPRESSED ones
 *
 * Return: the state or NULL.
 */
struct lw_zstd_writer *lw_zstd_writer_new(int level, bool aligned)
{
	struct lw_zstd_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->level = level;
	writer->aligned = aligned;
	writer->zstd = ZSTD_createCCtx();
	if (writer->zstd && set_level(writer))
		return writer;
	lw_zstd_writer_free(writer);
	return NULL;
}

/**
 * lw_zstd_writer_free - end
 * @writer: the state or NULL
 */
void lw_zstd_writer_free(struct lw_zstd_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->zstd);
	free(writer);
}

/**
 * lw_zstd_writer_add - collect a record
 * @writer: the state
 * @record: whole
 *
 * Return: false if there is no room for it before lw_zstd_writer_pack(); with nothing
 * collected: at all.
 */
bool lw_zstd_writer_add(struct lw_zstd_writer *writer, const struct perf_event_header *record)
{
	if (record->size > sizeof(writer->in) - writer->used)
		return false;
	memcpy(writer->in + writer->used, record, record->size);
	writer->used += record->size;
	return true;
}

/* The record around @size bytes of packed data, which stand where they have to. */
static size_t finish_record(struct lw_zstd_writer *writer, size_t size)
{
	size_t whole = sizeof(writer->header) + size;

	writer->header.type = RECORD_COMPRESSED;
	if (writer->aligned) {
		writer->header.type = RECORD_COMPRESSED2;
		writer->size = size;
		whole = ALIGN_UP(whole + sizeof(writer->size), sizeof(u64));
	}
	writer->header.misc = 0;
	writer->header.size = whole;
	return whole;
}

/**
 * lw_zstd_writer_pack - pack what was collected
 * @writer: the state
 * @data: out: a record; good until the next call
 * @size: out: its bytes; 0: nothing was collected
 *
 * Return: 0 or -EIO.
 */
int lw_zstd_writer_pack(struct lw_zstd_writer *writer, const void **data, size_t *size)
{
	size_t before = sizeof(writer->header) + (writer->aligned ? sizeof(u64) : 0);
	ZSTD_inBuffer in = { writer->in, writer->used, 0 };
	ZSTD_outBuffer out = { writer->out + before, sizeof(writer->out) - before - 8, 0 };

	*data = writer->out;
	*size = 0;
	if (!writer->used)
		return 0;
	memset(writer->out, 0, sizeof(writer->out));
	/* there is room for all of it: it hardly grows */
	if (ZSTD_compressStream2(writer->zstd, &out, &in, ZSTD_e_flush))
		return lw_fail(-EIO, "zstd cannot pack the recording");
	writer->bytes_in += writer->used;
	writer->bytes_out += out.pos;
	writer->used = 0;
	*size = finish_record(writer, out.pos);
	return 0;
}

/**
 * lw_zstd_writer_level - how hard it tries
 * @writer: the state
 *
 * Return: the level.
 */
u32 lw_zstd_writer_level(const struct lw_zstd_writer *writer)
{
	return writer->level;
}

/**
 * lw_zstd_writer_ratio - how much smaller it made all so far
 * @writer: the state
 *
 * Return: how many times, rounded.
 */
u32 lw_zstd_writer_ratio(const struct lw_zstd_writer *writer)
{
	if (!writer->bytes_out)
		return 1;
	return (writer->bytes_in + writer->bytes_out / 2) / writer->bytes_out;
}

/**
 * lw_zstd_writer_max_level - the most that may be asked for
 *
 * Return: a level of zstd.
 */
int lw_zstd_writer_max_level(void)
{
	return ZSTD_maxCLevel();
}
