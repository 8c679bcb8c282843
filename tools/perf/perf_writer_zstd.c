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

struct lw_packer {
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

static bool set_level(struct lw_packer *packer)
{
	size_t ret = ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, packer->level);

	return !ZSTD_isError(ret);
}

/**
 * lw_packer_new - begin
 * @level: of zstd
 * @aligned: COMPRESSED2 records, which perf reads since 6.16, not COMPRESSED ones
 *
 * Return: the state or NULL.
 */
struct lw_packer *lw_packer_new(int level, bool aligned)
{
	struct lw_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	packer->level = level;
	packer->aligned = aligned;
	packer->zstd = ZSTD_createCCtx();
	if (packer->zstd && set_level(packer))
		return packer;
	lw_packer_free(packer);
	return NULL;
}

/**
 * lw_packer_free - end
 * @packer: the state or NULL
 */
void lw_packer_free(struct lw_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->zstd);
	free(packer);
}

/**
 * lw_packer_add - collect a record
 * @packer: the state
 * @record: whole
 *
 * Return: false if there is no room for it before lw_packer_pack(); with nothing
 * collected: at all.
 */
bool lw_packer_add(struct lw_packer *packer, const struct perf_event_header *record)
{
	if (record->size > sizeof(packer->in) - packer->used)
		return false;
	memcpy(packer->in + packer->used, record, record->size);
	packer->used += record->size;
	return true;
}

/* The record around @size bytes of packed data, which stand where they have to. */
static size_t finish_record(struct lw_packer *packer, size_t size)
{
	size_t whole = sizeof(packer->header) + size;

	packer->header.type = RECORD_COMPRESSED;
	if (packer->aligned) {
		packer->header.type = RECORD_COMPRESSED2;
		packer->size = size;
		whole = ALIGN_UP(whole + sizeof(packer->size), sizeof(u64));
	}
	packer->header.misc = 0;
	packer->header.size = whole;
	return whole;
}

/**
 * lw_packer_pack - pack what was collected
 * @packer: the state
 * @data: out: a record; good until the next call
 * @size: out: its bytes; 0: nothing was collected
 *
 * Return: 0 or -EIO.
 */
int lw_packer_pack(struct lw_packer *packer, const void **data, size_t *size)
{
	size_t before = sizeof(packer->header) + (packer->aligned ? sizeof(u64) : 0);
	ZSTD_inBuffer in = { packer->in, packer->used, 0 };
	ZSTD_outBuffer out = { packer->out + before, sizeof(packer->out) - before - 8, 0 };

	*data = packer->out;
	*size = 0;
	if (!packer->used)
		return 0;
	memset(packer->out, 0, sizeof(packer->out));
	/* there is room for all of it: it hardly grows */
	if (ZSTD_compressStream2(packer->zstd, &out, &in, ZSTD_e_flush))
		return lw_fail(-EIO, "zstd cannot pack the recording");
	packer->bytes_in += packer->used;
	packer->bytes_out += out.pos;
	packer->used = 0;
	*size = finish_record(packer, out.pos);
	return 0;
}

/**
 * lw_packer_level - how hard it tries
 * @packer: the state
 *
 * Return: the level.
 */
u32 lw_packer_level(const struct lw_packer *packer)
{
	return packer->level;
}

/**
 * lw_packer_ratio - how much smaller it made all so far
 * @packer: the state
 *
 * Return: how many times, rounded.
 */
u32 lw_packer_ratio(const struct lw_packer *packer)
{
	if (!packer->bytes_out)
		return 1;
	return (packer->bytes_in + packer->bytes_out / 2) / packer->bytes_out;
}

/**
 * lw_packer_max_level - the most that may be asked for
 *
 * Return: a level of zstd.
 */
int lw_packer_max_level(void)
{
	return ZSTD_maxCLevel();
}
