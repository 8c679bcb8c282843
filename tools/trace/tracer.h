/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracer.h - one trace of system calls, from the module to the output.
 */
#ifndef LW_TRACER_H
#define LW_TRACER_H

#include <latewind.h>
#include <liblatewind.h>

#include "base/output.h"
#include "base/strbuf.h"
#include "device/lw_session.h"
#include "sideband/sideband.h"
#include "sideband/poll.h"
#include "symbols/symbolizer.h"
#include "symbols/process_maps.h"
#include "tables/table_supply.h"
#include "trace/fd_paths.h"
#include "trace/path_filter.h"
#include "trace/signal_source.h"
#include "trace/syscall_join.h"
#include "trace/syscall_table.h"

/* lw_trace_options.stamps: what stands before a call. */
enum lw_stamps {
	LW_STAMPS_NONE,
	LW_STAMPS_SECONDS,		/* -t */
	LW_STAMPS_MICROSECONDS,		/* -tt */
	LW_STAMPS_EPOCH,		/* -ttt */
};

/* Processes that -p names. */
#define LW_MAX_TRACED	64

struct lw_trace_options {
	struct lw_syscall_set calls;
	u32 statuses;			/* LW_STATUS_*; 0: all */
	s32 pids[LW_MAX_TRACED];
	u32 nr_pids;
	bool all_cpus;
	char **command;			/* NULL: none */
	bool stack;
	u32 mask;			/* LW_MASK_* */
	u64 depth;
	bool json;
	bool summary;			/* sums of calls */
	bool summary_only;		/* and not the calls */
	const char *output;		/* NULL: the standard error */
	u64 limit;			/* bytes of a string */
	u32 follows;			/* how often -f was given */
	u64 ring_size;
	u32 stamps;			/* LW_STAMPS_* */
	bool relative;
	bool durations;
	bool paths;			/* of descriptors */
	bool details;			/* and sockets' addresses, and numbers of devices */
	struct lw_path_filter path_filter;	/* only calls that touch these; none: all */
	u64 signals;			/* that are shown, a bit each */
	bool no_tables;
	bool verbose;
	bool quiet;
};

/* Sums of one call. */
struct lw_trace_sum {
	u64 calls, errors;
	u64 time;
};

/* How a process ends whose threads the kernel ends by SIGKILL. */
struct lw_ending {
	u32 pid;			/* 0: none */
	u32 status;			/* as wait() has it */
};

#define LW_ENDINGS	1024

struct lw_tracer {
	struct lw_trace_options *options;
	struct latewind_session *session;
	struct lw_target target;
	struct lw_sideband sideband;
	struct lw_table_supply supply;	/* only with stacks */
	struct lw_poll wait;
	struct lw_join *join;
	struct lw_signal_source signals;
	struct lw_ending endings[LW_ENDINGS];	/* by process, the last of each slot */
	struct lw_fd_paths *fds;	/* only with paths */
	u64 fds_lost;			/* records that were, as of what @fds knows */
	struct lw_process_maps *procs;	/* only with stacks or JSON */
	struct lw_symbolizer *symbolizer;	/* likewise */
	struct lw_strbuf out, scratch;
	int out_fd;
	struct lw_output output;
	struct lw_trace_sum *sums;	/* LW_SYSCALL_NUMBERS of them */
	u64 calls;			/* that were printed or summed up */
	u64 told_lost;
	u64 next_tell;			/* not before is more told of what was lost */
	s64 to_realtime;		/* from CLOCK_MONOTONIC */
	u64 previous;			/* begin of the call before, for -r */
	u64 next_sweep;
	u64 executed_by;		/* the command certainly runs its own program */
	bool executed;			/* it was seen to */
	bool stopped;
	bool held;			/* losses while a record was being written */
	int exit_code;
};

int lw_tracer_run(struct lw_trace_options *options);

#endif /* LW_TRACER_H */
