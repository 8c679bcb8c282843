/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_records.h - records of perf events as the kernel writes them for us: side-band
 * events have sample_id_all and LW_SAMPLE_TYPE_COMMON.
 */
#ifndef LW_PERF_RECORDS_H
#define LW_PERF_RECORDS_H

#include <linux/perf_event.h>

#include "base/util.h"
#include "latewind.h"

/*
 * What a perf.data file begins with, "PERFILE2" on a little-endian machine: perf knows
 * by it the byte order of all that follows.
 */
#define LW_PERF_FILE_MAGIC	0x32454c4946524550ULL

/* The sample type of each event that we write, so that perf can tell records apart. */
#define LW_SAMPLE_TYPE_COMMON	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
				 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* The trailer of other records that follows from it (sample_id_all). */
struct lw_sample_id {
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 id;
};

/*
 * PERF_RECORD_MMAP2, as linux/perf_event.h describes it.  The name is padded
 * with zeros to a multiple of 8; the trailer follows.
 */
struct lw_mmap2 {
	struct perf_event_header header;
	u32 pid, tid;
	u64 addr, len, pgoff;
	union {
		struct {
			u32 maj, min;
			u64 ino, ino_generation;
		};
		struct {		/* PERF_RECORD_MISC_MMAP_BUILD_ID */
			u8 build_id_size;
			u8 reserved[3];
			u8 build_id[LW_BUILD_ID_MAX];
		};
	};
	u32 prot, flags;
	char filename[];
};

/* Takes a record.  Return: 0, or what ends the reading. */
typedef int (*lw_perf_event_fn)(void *ctx, const struct perf_event_header *record);

#endif /* LW_PERF_RECORDS_H */
