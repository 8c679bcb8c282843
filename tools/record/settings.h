/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings.h - what to record, and how.
 */
#ifndef LW_SETTINGS_H
#define LW_SETTINGS_H

#include <sys/types.h>

#include "base/cpu_set.h"
#include "events/event_parse.h"
#include "record/sink.h"

#define LW_DEFAULT_FREQ		997
#define LW_DEFAULT_EVENT	"cpu-clock"
/* Such an event is parsed when the target is known. */
#define LW_SDT_PREFIX		"sdt:"
#define LW_MAX_IDS		256
#define LW_MAX_EVENTS		256

struct lw_options {
	const char *verb;
	struct lw_event events[LW_MAX_EVENTS];
	u32 nr_events;
	struct lw_event_rate rate;
	pid_t ids[LW_MAX_IDS];		/* processes, or threads */
	u32 nr_ids;
	bool by_thread;			/* which of these */
	bool no_inherit;		/* what they start later is not theirs */
	bool all_cpus;
	bool of_user;			/* the processes of @user there are at the start */
	uid_t user;
	struct lw_cpu_set cpus;		/* only samples of these */
	char **command;			/* NULL: none */
	u32 mask;			/* LW_MASK_* */
	const char *cgroup;		/* directory, or NULL: any */
	u64 depth;
	u64 kernel_depth;
	u64 ring_size;
	bool all_user, all_kernel;	/* all events in that mode only */
	bool off_cpu;
	bool overwrite;			/* record: a flight recorder */
	bool data;			/* record: mappings of data, too */
	bool all_cgroups;		/* record: whose cgroup each sample is */
	bool deferred;			/* record: stacks as records of their own */
	u64 zstd_level;			/* record; 0: not packed */
	bool compressed2;		/* in records that perf knows since 6.16 */
	u64 max_samples;		/* live; 0: no limit */
	u64 delay, duration;		/* nanoseconds; 0: at once, no limit */
	u64 max_size;			/* record: bytes of all files; 0: no limit */
	bool timestamp_filename;	/* record: as the name of a complete file */
	bool switch_output;		/* record: there are several, one behind the other */
	bool switch_on_signal;		/* at SIGUSR2 */
	u64 switch_size;		/* when one has so many bytes; 0: no limit */
	u64 switch_time;		/* nanoseconds of each; 0: no limit */
	u64 switch_max_files;		/* that are kept; 0: all */
	const char *output;		/* NULL: no perf.data */
	const char *text;		/* file, "-" for stdout, or NULL */
	const char *stats;
	bool no_tables;
	bool no_names;			/* record: of user code */
	bool no_buildid_cache;		/* record: no copies of files either */
	bool namespaces;
	bool verbose;
	bool quiet;
	const struct lw_sink_ops *sink;	/* besides those that are named above; NULL: none */
	struct lw_top_settings *top;	/* top */
	bool has_terminal;		/* the sink draws on it, and reads keys */
};

#endif /* LW_SETTINGS_H */
