/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_writer.h - writes a perf.data file that stock perf reads.
 */
#ifndef LW_PERF_WRITER_H
#define LW_PERF_WRITER_H

#include <linux/perf_event.h>
#include <stdio.h>

#include "base/output.h"
#include "base/util.h"
#include "perf/bpf_programs.h"
#include "perf/perf_writer_build_ids.h"
#include "perf/perf_writer_zstd.h"
#include "symbols/kernel_addresses.h"
#include "latewind.h"

/* PERF_ATTR_SIZE_VER7: perf 6.1 knows it. */
#define LW_PERFDATA_ATTR_SIZE	128

/*
 * Software event number of what perf cannot describe without data that we do
 * not have (tracepoints, probes): none of perf's own.  The event's name tells.
 * A dummy event would not do, perf script shows no frames of these.
 */
#define LW_CONFIG_NAME_ONLY	0x4c57

struct lw_perf_writer_event {
	char *name;
	struct perf_event_attr attr;
	u64 *ids;
	u32 nr_ids;
};

/*
 * Behind all that perf reads a file has parts of ours, each in front of what says what it is
 * and how long, the last of them at the end of the file.  Features of the header would not
 * do: perf inject trips over those that it does not know.
 *
 * Kernel names are of the code that samples met, in lines as /proc/kallsyms has them.  User
 * names are what lw_saved_names_write() writes, packed as one frame of zstd.
 */
#define LW_KERNEL_NAMES_MAGIC	"LWKNAMES"
#define LW_USER_NAMES_MAGIC	"LWUNAMES"

#define LW_MAX_PART		(16ULL << 20)	/* bytes: so many names no kernel has */
#define LW_MAX_USER_NAMES	(256ULL << 20)	/* unpacked */

struct lw_part_end {
	u64 size;		/* bytes in front of this */
	char magic[8];
};

/* Of so many stacks it is known whether they stand in the file already. */
#define LW_PERFDATA_WRITTEN	1024

/*
 * Rounds.  perf sorts what it reads; a mark (FINISHED_ROUND) lets it hand out all up to the
 * newest record that stood in front of the mark before.  So of three marks
 *
 *	file:	..... mark ......... mark ............. (next mark)
 *		          newest here     newest here
 *		             |               |
 *	time:	-------- handed_out ---- round_end ------- newest ----->
 *
 * the third one makes perf hand out all up to @round_end.  It may stand in the file once
 * nothing older than @round_end will be written any more, which the caller knows.  What
 * is written behind it and is older than that counts as @late: perf complains of it.
 */
struct lw_perf_writer {
	struct lw_output output;
	FILE *file;
	struct lw_write_behind *behind;	/* who writes it */
	char *buffer;		/* of it */
	int argc;		/* the tool's command line */
	char **argv;
	bool pipe;		/* nothing can be written twice */
	bool cgroups;		/* samples tell of theirs */
	const char *formats;	/* of tracepoints; NULL: there are none; the caller's */
	size_t formats_size;
	int zstd_level;		/* 0: nothing is packed */
	bool zstd_aligned;
	struct lw_perf_writer_event *events;
	u32 nr_events;
	u64 attrs_offset;
	u64 data_offset;
	u64 pos;		/* bytes written */
	u64 told;		/* of these, as the header says */
	u64 packed;		/* when data was packed last */
	u64 first_time;		/* of samples */
	u64 last_time;
	u64 newest;		/* time of the newest record */
	u64 round_end;		/* the same when the last mark was written */
	u64 handed_out;		/* and when the one before was */
	u64 late;		/* records that were older than @handed_out */
	u64 wall_time;		/* CLOCK_REALTIME when CLOCK_MONOTONIC was @mono_time */
	u64 mono_time;
	struct lw_build_ids *build_ids;	/* of what was mapped */
	u64 written[LW_PERFDATA_WRITTEN];	/* cookies */
	struct lw_zstd_writer *zstd;	/* NULL: the data stands there as it is */
	struct lw_bpf_programs *bpf;	/* of what was loaded */
	struct lw_kernel_addresses *kernel;	/* of what samples met */
	const struct lw_kernel_modules *modules;	/* NULL: not known; the caller's */
};

int lw_perf_writer_open(struct lw_perf_writer *out, const char *path);
int lw_perf_writer_next(struct lw_perf_writer *out, const char *path);
void lw_perf_writer_tell_cgroups(struct lw_perf_writer *out);
void lw_perf_writer_set_formats(struct lw_perf_writer *out, const void *data, size_t size);
int lw_perf_writer_add_event(struct lw_perf_writer *out, const char *name,
			     const struct perf_event_attr *attr, const u64 *ids, u32 nr_ids);
int lw_perf_writer_begin(struct lw_perf_writer *out, int argc, char **argv);
int lw_perf_writer_publish(struct lw_perf_writer *out);
int lw_perf_writer_record(struct lw_perf_writer *out, const struct perf_event_header *record);
int lw_perf_writer_record_again(struct lw_perf_writer *out,
				const struct perf_event_header *record);
int lw_perf_writer_sample(struct lw_perf_writer *out, u64 id, const struct lw_sample *sample,
			  const struct lw_user_stack *stack);
int lw_perf_writer_deferred(struct lw_perf_writer *out, u64 id, u64 stack_id,
			    const struct lw_sample *sample, const struct lw_user_stack *stack);
void lw_perf_writer_set_deferred(struct perf_event_attr *attr, bool samples);
int lw_perf_writer_round(struct lw_perf_writer *out, u64 since);
int lw_perf_writer_pack(struct lw_perf_writer *out, int level, bool aligned);
int lw_perf_writer_flush(struct lw_perf_writer *out);
int lw_perf_writer_lost(struct lw_perf_writer *out, u64 id, u32 cpu, u64 time, u64 nr);
int lw_perf_writer_lost_samples(struct lw_perf_writer *out, u64 id, u64 nr);
int lw_perf_writer_finish(struct lw_perf_writer *out);
void lw_perf_writer_discard(struct lw_perf_writer *out);
void lw_perf_writer_close(struct lw_perf_writer *out);

#endif /* LW_PERF_WRITER_H */
