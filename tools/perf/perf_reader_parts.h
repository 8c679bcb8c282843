/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_reader_parts.h - what the parts of the reader of perf.data share.
 */
#ifndef LW_PERF_READER_PARTS_H
#define LW_PERF_READER_PARTS_H

#include "base/hashtable.h"
#include "perf/perf_reader.h"
#include "perf/perf_reader_bytes.h"

/* In the file of format 2; the numbers of features are those of perf. */
enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID	= 2,
	PERF_FEATURE_HOSTNAME	= 3,
	PERF_FEATURE_OSRELEASE	= 4,
	PERF_FEATURE_VERSION	= 5,
	PERF_FEATURE_ARCH	= 6,
	PERF_FEATURE_NRCPUS	= 7,
	PERF_FEATURE_CPUDESC	= 8,
	PERF_FEATURE_CMDLINE	= 11,
	PERF_FEATURE_EVENT_DESC	= 12,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_LAST	= 256,
};

/* Records that only files have, from 64 on. */
enum perf_file_record {
	PERF_FILE_RECORD_FIRST	= 64,
	PERF_FILE_RECORD_ATTR	= 64,
	PERF_FILE_RECORD_TRACING = 66,
	PERF_FILE_RECORD_BUILD_ID = 67,
	PERF_FILE_RECORD_AUXTRACE = 71,
	PERF_FILE_RECORD_UPDATE	= 78,
	PERF_FILE_RECORD_FEATURE = 80,
	PERF_FILE_RECORD_PACKED	= 81,
	PERF_FILE_RECORD_PACKED2 = 83,
};

/* Of later kernels' headers. */
#define PERF_RECORD_CHAIN	22U	/* PERF_RECORD_CALLCHAIN_DEFERRED */
#define PERF_READ_LOST		(1U << 4)
#define PERF_BRANCH_HW_INDEX	(1U << 17)
#define PERF_BRANCH_COUNTERS	(1U << 19)

struct perf_section {
	u64 offset;
	u64 size;
};

struct perf_id {
	u64 id;
	u32 event;			/* plus 1; 0: the slot is free */
};

struct perf_build_id {
	struct lw_hash_node node;
	u8 id[LW_BUILD_ID_MAX];
	u8 len;
	char path[];
};

struct perf_place {
	u64 time;
	u64 offset;			/* the highest bit: of what was packed */
};

/* A record with the user part of a sample's chain, which came after it. */
struct perf_deferred {
	u64 cookie;			/* that the sample has, too */
	u64 offset;			/* as of a place */
	u32 tid;
};

/* What an event had counted when its last sample was taken, of a task if tasks inherit it. */
struct perf_count {
	struct lw_hash_node node;
	u64 id;
	u32 tid;			/* or 0 */
	u64 value;
};

#define PERF_MAX_FEATURE	(64ULL << 20)	/* bytes: a build ID of each of many files */
#define PERF_COUNT_HASH		4096
#define PERF_PLACE_UNPACKED	(1ULL << 63)
#define PERF_BUILD_ID_HASH	1024

struct perf_unpacker;

struct lw_perf_reader {
	struct lw_perf_bytes bytes;
	struct lw_perf_bytes unpacked;
	struct perf_unpacker *unpacker;
	bool is_pipe;
	u8 *turned;			/* room for a record; NULL: the file is in our byte order */
	struct lw_perf_event *events;
	size_t nr_events, event_room;
	struct perf_id *ids;		/* hashed; as many as a power of two */
	size_t nr_ids, id_room;
	u64 seed;
	struct perf_place *places;	/* by time once all are known */
	size_t nr_places, place_room;
	bool unsorted;
	struct perf_deferred *deferred;	/* by cookie once all are known */
	size_t nr_deferred, deferred_room;
	struct lw_hash_node *counts[PERF_COUNT_HASH];
	u64 unknown;			/* samples of no event of the file */
	u64 bad;			/* records that are not what they say */
	struct lw_hash_node *build_ids[PERF_BUILD_ID_HASH];
	struct lw_perf_info info;
	char warning[512];
};

/* Bytes of somebody else's that are taken from the front. */
struct perf_cursor {
	const u8 *at;
	size_t left;
	bool bad;			/* more was asked for than there is */
};

const void *perf_cursor_take(struct perf_cursor *cursor, size_t size);
u32 perf_cursor_u32(struct perf_cursor *cursor);
u64 perf_cursor_u64(struct perf_cursor *cursor);

int perf_add_event(struct lw_perf_reader *file, const void *attr, size_t size);
int perf_add_id(struct lw_perf_reader *file, u64 id, u32 event);
int perf_name_event(struct lw_perf_reader *file, u32 event, const char *name, size_t len);
int perf_default_name(struct lw_perf_event *event);
int perf_find_event(const struct lw_perf_reader *file, u64 id);
int perf_add_build_id(struct lw_perf_reader *file, const void *record, size_t size);
int perf_take_feature(struct lw_perf_reader *file, u32 feature, const void *data, size_t size);
int perf_read_features(struct lw_perf_reader *file, u64 table, const u64 *bits);
int perf_read_parts(struct lw_perf_reader *file);
size_t perf_id_offset(const struct lw_perf_reader *file, const struct perf_event_header *header);
int perf_event_of(const struct lw_perf_reader *file, const struct perf_event_header *header,
		  u64 id);
size_t perf_trailer_size(const struct perf_event_attr *attr);
bool perf_parse(const struct lw_perf_reader *file, const struct perf_event_header *header,
		struct lw_perf_record *record);
int perf_read_count(struct lw_perf_reader *file, struct lw_perf_record *record, u32 nth,
		    lw_perf_record_fn fn, void *ctx);
void perf_free_counts(struct lw_perf_reader *file);
int perf_unpack(struct lw_perf_reader *file, const void *packed, size_t size);
void perf_unpacker_free(struct perf_unpacker *unpacker);
void perf_turn_bytes(const struct lw_perf_reader *file, void *data, size_t size,
		     const char *layout);
void perf_turn_attr(const struct lw_perf_reader *file, void *attr, size_t size);
void perf_turn_feature(const struct lw_perf_reader *file, u32 feature, void *data, size_t size);
const struct perf_event_header *perf_turn_record(const struct lw_perf_reader *file,
						 const void *from, u16 size);
void __printf(2, 3) perf_warn(struct lw_perf_reader *file, const char *fmt, ...);

#endif /* LW_PERF_READER_PARTS_H */
