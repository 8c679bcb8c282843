// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_zstd.c - what perf record -z has packed.
 *
 * The COMPRESSED records of a file are one zstd stream together.  What comes out is
 * appended to a file without a name, where records are found as in the file itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "perf/perf_reader_parts.h"

/* A few bytes can become any number; deep chains that are all alike some thousand. */
#define MAX_RATIO	4096ULL
#define MIN_ROOM	(64ULL << 20)	/* bytes */
#define MAX_WINDOW	27		/* log2 of bytes that zstd may keep, as its own limit */

struct perf_unpacker {
	ZSTD_DStream *stream;
	u64 packed;			/* bytes so far */
	size_t room_size;
	u8 room[];
};

static int start(struct lw_perf_reader *file)
{
	size_t size = ZSTD_DStreamOutSize();
	struct perf_unpacker *unpacker = malloc(sizeof(*unpacker) + size);
	int ret;

	if (!unpacker)
		return lw_fail(-ENOMEM, "out of memory");
	unpacker->packed = 0;
	unpacker->room_size = size;
	unpacker->stream = ZSTD_createDStream();
	ret = unpacker->stream ? lw_perf_bytes_spool(&file->unpacked) :
	      lw_fail(-ENOMEM, "out of memory");
	if (ret) {
		perf_unpacker_free(unpacker);
		return ret;
	}
	ZSTD_DCtx_setParameter(unpacker->stream, ZSTD_d_windowLogMax, MAX_WINDOW);
	file->unpacker = unpacker;
	return 0;
}

static int append(struct lw_perf_reader *file, size_t size)
{
	const struct perf_unpacker *unpacker = file->unpacker;

	if (file->unpacked.size + size > unpacker->packed * MAX_RATIO + MIN_ROOM)
		return lw_fail(-E2BIG, "its packed records become more than %llu times as large\n"
			       "  No perf writes such a file.", MAX_RATIO);
	return lw_perf_bytes_append(&file->unpacked, unpacker->room, size);
}

/**
 * perf_unpack - unpack the next part of the stream
 * @file: to @file->unpacked of which it is appended
 * @packed: bytes
 * @size: how many
 *
 * Return: 0; -EBADMSG when it is none, and others with lw_fail_text().
 */
int perf_unpack(struct lw_perf_reader *file, const void *packed, size_t size)
{
	ZSTD_inBuffer in = { .src = packed, .size = size };
	int ret = file->unpacker ? 0 : start(file);

	if (ret)
		return ret;
	file->unpacker->packed += size;
	for (;;) {
		ZSTD_outBuffer out = {
			.dst = file->unpacker->room,
			.size = file->unpacker->room_size,
		};
		size_t status = ZSTD_decompressStream(file->unpacker->stream, &out, &in);

		if (ZSTD_isError(status))
			return lw_fail(-EBADMSG, "compressed records cannot be unpacked: %s",
				       ZSTD_getErrorName(status));
		ret = append(file, out.pos);
		/* more is kept in the stream as long as the room was full */
		if (ret || (in.pos == in.size && out.pos < out.size))
			return ret;
	}
}

/**
 * perf_unpacker_free - forget the stream
 * @unpacker: it, or NULL
 */
void perf_unpacker_free(struct perf_unpacker *unpacker)
{
	if (!unpacker)
		return;
	ZSTD_freeDStream(unpacker->stream);
	free(unpacker);
}
