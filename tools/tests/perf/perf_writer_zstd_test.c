// SPDX-License-Identifier: GPL-2.0
/*
 * perf_writer_zstd_test.c - what is unpacked is what was packed, in one stream.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perf/perf_writer_zstd.h"
#include "tests/tap.h"

#define TOTAL		(1U << 20)

static u64 seed;

static u64 random_below(u64 limit)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % limit;
}

struct stream {
	ZSTD_DStream *zstd;
	u8 *want, *got;
	size_t nr_want, nr_got;
	size_t most;		/* that one record unpacked to */
	u32 type;
	bool aligned;
};

/* As perf does it: record by record, with the state of the one before. */
static bool unpack(struct stream *stream, const void *data, size_t size)
{
	const struct perf_event_header *header = data;
	ZSTD_inBuffer in = { (const u8 *)data + 8, size - 8, 0 };
	ZSTD_outBuffer out = { stream->got + stream->nr_got, LW_PACK_BYTES, 0 };
	u64 told;

	CHECK(header->size == size && header->type == stream->type);
	if (stream->aligned) {
		memcpy(&told, header + 1, sizeof(told));
		CHECK(size % 8 == 0 && told <= size - 16 && told + 8 > size - 16);
		in.src = (const u8 *)data + 16;
		in.size = told;
	}
	while (in.pos < in.size)
		CHECK(!ZSTD_isError(ZSTD_decompressStream(stream->zstd, &out, &in)));
	stream->nr_got += out.pos;
	if (out.pos > stream->most)
		stream->most = out.pos;
	return true;
}

static bool pack_and_unpack(struct lw_zstd_writer *writer, struct stream *stream)
{
	const void *data;
	size_t size;

	CHECK(!lw_zstd_writer_pack(writer, &data, &size) && size);
	return unpack(stream, data, size);
}

static bool goes_round(bool aligned, u32 values)
{
	struct lw_zstd_writer *writer = lw_zstd_writer_new(1, aligned);
	struct stream stream = {
		.zstd = ZSTD_createDStream(),
		.want = malloc(2 * TOTAL),
		.got = malloc(2 * TOTAL),
		.type = aligned ? 83 : 81,
		.aligned = aligned,
	};
	static u64 words[8192];
	struct perf_event_header *record = (void *)words;
	const void *data;
	size_t size;

	while (stream.nr_want < TOTAL) {
		for (u32 i = 0; i < ARRAY_SIZE(words); i++)
			words[i] = random_below(values);
		record->type = 9;
		record->size = 8 + 8 * random_below(random_below(100) ? 200 : 6000);
		if (!lw_zstd_writer_add(writer, record)) {
			CHECK(pack_and_unpack(writer, &stream));
			CHECK(lw_zstd_writer_add(writer, record));
		}
		memcpy(stream.want + stream.nr_want, record, record->size);
		stream.nr_want += record->size;
	}
	CHECK(pack_and_unpack(writer, &stream));
	CHECK(!lw_zstd_writer_pack(writer, &data, &size) && !size);
	CHECK(stream.nr_got == stream.nr_want);
	CHECK(!memcmp(stream.want, stream.got, stream.nr_got));
	CHECK(stream.most <= LW_PACK_BYTES);
	CHECK(values > 100 || lw_zstd_writer_ratio(writer) >= 4);
	lw_zstd_writer_free(writer);
	ZSTD_freeDStream(stream.zstd);
	free(stream.want);
	free(stream.got);
	return true;
}

static bool compressed_records_are_a_stream(void)
{
	return goes_round(false, 4);
}

static bool compressed2_records_are_aligned(void)
{
	return goes_round(true, 4);
}

static bool what_cannot_be_packed_has_room(void)
{
	return goes_round(false, 1U << 31) && goes_round(true, 1U << 31);
}

static bool giant_record_is_refused(void)
{
	struct lw_zstd_writer *writer = lw_zstd_writer_new(1, false);
	struct perf_event_header record = { .size = LW_PACK_BYTES + 8 };

	CHECK(!lw_zstd_writer_add(writer, &record));
	lw_zstd_writer_free(writer);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(compressed_records_are_a_stream),
		TEST(compressed2_records_are_aligned),
		TEST(what_cannot_be_packed_has_room),
		TEST(giant_record_is_refused),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
