/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder.h - one recording, from the events to the outputs.
 */
#ifndef LW_RECORDER_H
#define LW_RECORDER_H

#include <latewind.h>
#include <liblatewind.h>

#include "device/lw_session.h"
#include "record/file_names.h"
#include "record/off_cpu_source.h"
#include "record/settings.h"
#include "record/stack_ends.h"
#include "sideband/cgroup_source.h"
#include "sideband/module_queue.h"
#include "sideband/sideband.h"
#include "sideband/poll.h"
#include "symbols/kernel_modules.h"
#include "symbols/process_maps.h"
#include "tables/table_supply.h"

/* Counts of what was read and written. */
struct lw_counts {
	u64 samples;
	u64 in_kernel_only;		/* samples that no stack was promised for */
	u64 user_stacks;
	u64 outermost;
	u64 truncated;
	u64 lost_walks;
	u64 no_walks;
	u64 frames_sframe;
	u64 frames_registered;
	u64 frames_fp;
	u64 frames_sigframe;
	u64 frames_table;
	u64 frames_analysis;
	u64 user_stacks_missing;	/* samples whose stack never came */
	u64 user_stacks_refused;	/* samples that the module had no stack for */
	u64 missing_children;		/* processes that a probe's filter does not know */
	u64 unknown_events;
	u64 bad_records;
	u64 lost_text;			/* samples that are not in the text */
	u64 bytes_written;		/* to all files, so far */
	u64 file_bytes;			/* and to this one, of what is new */
	u64 late_records;		/* in it, that perf complains of */
};

struct lw_event_id {
	u64 id;
	u32 event;			/* index in the options */
};

struct lw_recorder {
	struct lw_options *options;
	int argc;
	char **argv;
	struct latewind_session *session;
	struct lw_target target;
	struct lw_sideband sideband;
	struct lw_cgroup_source cgroups;
	struct lw_table_supply supply;
	struct lw_kept_files *kept;	/* or NULL */
	struct lw_off_cpu_source off_cpu;
	struct latewind_stack_join *stack_join;
	struct lw_kernel_modules *modules;	/* with a file, and samples in the kernel */
	pthread_t modules_thread;		/* begins them */
	bool reads_modules;			/* it has not been waited for */
	struct lw_module_queue module_queue;
	struct lw_process_maps *procs;	/* only names if no sink wants maps */
	struct lw_stack_ends *stack_ends;
	struct lw_sinks sinks;
	struct lw_file_names file_names;
	struct lw_event_id *ids;
	size_t nr_ids, id_room;
	struct lw_counts counts;
	u64 pass_time;			/* when the pass began */
	u64 enable_at;			/* the delay is over; 0: events count */
	u64 end_at;			/* the duration is over; 0: no limit, or not known yet */
	u64 complete_time;		/* when one did that read all rings; 0: none */
	u64 switch_at;			/* --switch-output by time: when; 0: never */
	u32 usr2_seen;			/* of those that lw_poll counts */
	bool switch_due;		/* the file is to be completed at the end of the pass */
	u32 ring;			/* that is read, and the time that was read last */
	u64 ring_time;
	u8 *family;			/* bit per pid: the target and what it started */
	struct lw_poll wait;
	bool stopped;			/* by a signal, or enough samples */
	bool fulfilled;			/* the recording ended before its command, as it should */
	int exit_code;
};

u64 lw_recorder_complete_until(const struct lw_recorder *rec);
bool lw_recorder_meets_kernel(const struct lw_recorder *rec);
int lw_recorder_run(struct lw_options *options, int argc, char **argv);

#endif /* LW_RECORDER_H */
