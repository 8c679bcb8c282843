/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sink.h - where a recording goes to: a file, text, numbers, a display.
 */
#ifndef LW_SINK_H
#define LW_SINK_H

#include <linux/perf_event.h>

#include "base/util.h"

#define LW_MAX_SINKS	4

struct lw_recorder;
struct lw_sample;
struct lw_user_stack;

/**
 * struct lw_sink_ops - what a recorder calls; all but @open and @close may be NULL
 * @wants_maps: lw_recorder.procs is to know mappings, too, not only names
 * @wants_fields: samples are to have what tracepoints tell
 * @open: prepares for samples and sets the state that the others get; the target and the
 *	side-band are open.  If it fails @close is called where a state was set
 * @begin: time begins, and the command runs; not called if it can't be started
 * @record: takes a side-band record, any
 * @lost: @nr records of the ring that is being read were lost
 * @sample: takes a sample of an event (index in the settings) with its user stack or NULL
 * @pass: all rings were read once more; @goes_on: the recording has not ended.  May set
 *	lw_recorder.stopped
 * @leave: the recording has ended, and what is in rings is still to come; also after a
 *	failure, and without @begin
 * @finish: all samples were taken, and nothing has failed
 * @fail: something has failed, and was told of: keeps what was recorded, if anything was
 * @close: frees all
 *
 * Context: the main thread.
 * Operations that return int return 0 or -errno, with lw_fail_text() but for -ENOMEM.
 */
struct lw_sink_ops {
	bool wants_maps, wants_fields;
	int (*open)(struct lw_recorder *rec, void **state);
	int (*begin)(void *state);
	int (*record)(void *state, const struct perf_event_header *record);
	int (*lost)(void *state, u64 nr);
	int (*sample)(void *state, u32 event, const struct lw_sample *sample,
		      const struct lw_user_stack *stack);
	int (*pass)(void *state, bool goes_on);
	void (*leave)(void *state);
	int (*finish)(void *state);
	void (*fail)(void *state);
	void (*close)(void *state);
};

/* Asked in the order in which they were added, opened in the other one.  Zeroed is empty. */
struct lw_sinks {
	struct {
		const struct lw_sink_ops *ops;
		void *state;
	} all[LW_MAX_SINKS];
	u32 nr;
};

void lw_sinks_add(struct lw_sinks *sinks, const struct lw_sink_ops *ops);
bool lw_sinks_want_maps(const struct lw_sinks *sinks);
bool lw_sinks_want_fields(const struct lw_sinks *sinks);
int lw_sinks_open(struct lw_sinks *sinks, struct lw_recorder *rec);
int lw_sinks_begin(const struct lw_sinks *sinks);
int lw_sinks_record(const struct lw_sinks *sinks, const struct perf_event_header *record);
int lw_sinks_lost(const struct lw_sinks *sinks, u64 nr);
int lw_sinks_sample(const struct lw_sinks *sinks, u32 event, const struct lw_sample *sample,
		    const struct lw_user_stack *stack);
int lw_sinks_pass(const struct lw_sinks *sinks, bool goes_on);
void lw_sinks_leave(const struct lw_sinks *sinks);
int lw_sinks_finish(const struct lw_sinks *sinks);
void lw_sinks_fail(const struct lw_sinks *sinks);
void lw_sinks_close(struct lw_sinks *sinks);

/* The sinks of this floor. */
extern const struct lw_sink_ops lw_file_sink;
extern const struct lw_sink_ops lw_text_sink;
extern const struct lw_sink_ops lw_stats_sink;

#endif /* LW_SINK_H */
