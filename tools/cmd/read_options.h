/* SPDX-License-Identifier: GPL-2.0 */
/*
 * read_options.h - what the verbs that read a recording have in common.
 */
#ifndef LW_READ_OPTIONS_H
#define LW_READ_OPTIONS_H

#include "base/cpu_set.h"
#include "cmd/verbs.h"
#include "profile/recording.h"

#define LW_DEFAULT_INPUT	"perf.data"

/* Which samples are looked at, and how. */
struct lw_reading {
	struct lw_recording_options recording;
	bool has_path;			/* by an option */
	const char *comm;		/* NULL: any; of several with commas between */
	const char *dso;		/* likewise: a sample with a frame in it */
	const char *symbol;		/* likewise: a sample that was taken in it */
	const char *cgroup;		/* likewise, and those below it */
	bool by_cgroup;			/* they are asked for otherwise */
	bool by_cpu;			/* of a profile: which CPU is asked for */
	const char *pid, *tid;		/* numbers with commas between, or NULL: any */
	struct lw_cpu_set cpus;
	u64 from, to;			/* CLOCK_MONOTONIC nanoseconds */
	double from_share, to_share;	/* of the time of all samples; both 0: all of it */
	bool verbose;
	bool quiet;
	bool no_pager;
	bool color;
	bool header;
	bool header_only;
};

/* Numbers of long options in lw_reading_option(); those of verbs are lower. */
enum {
	LW_READ_COMM = 512,
	LW_READ_PID,
	LW_READ_TID,
	LW_READ_DSO,
	LW_READ_CGROUP,
	LW_READ_TIME,
	LW_READ_MAX_STACK,
	LW_READ_NO_DEMANGLE,
	LW_READ_INLINE,
	LW_READ_NO_PAGER,
	LW_READ_COLOR,
	LW_READ_SYMFS,
	LW_READ_HEADER,
	LW_READ_HEADER_ONLY,
	LW_READ_NOTHING,
};

extern const struct lw_option lw_reading_options[];

int lw_reading_name(struct lw_reading *reading, int argc, char **argv);
void lw_reading_init(struct lw_reading *reading);
int lw_reading_option(struct lw_reading *reading, int option, const char *arg);
void lw_reading_show_progress(struct lw_reading *reading);
void lw_reading_use_terminal(const struct lw_reading *reading);
bool lw_reading_wants(const struct lw_reading *reading, struct lw_recording *recording,
		      const struct lw_perf_record *sample);
bool lw_reading_is_symbol(const struct lw_reading *reading, const struct lw_place *place);
bool lw_reading_is_dso(const struct lw_reading *reading, const char *dso);
void lw_reading_end(const struct lw_reading *reading, struct lw_recording *recording);

#endif /* LW_READ_OPTIONS_H */
