/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sink.h - where a recording goes to, besides files: to whom it is shown meanwhile.
 */
#ifndef LW_SINK_H
#define LW_SINK_H

#include <linux/perf_event.h>

#include "base/util.h"

struct lw_recorder;
struct lw_sample;
struct lw_user_stack;

/**
 * struct lw_sink - what a recorder calls; its state is lw_recorder.sink_state
 * @open: prepares for samples; the target and lw_recorder.procs are there
 * @begin: time begins, and the command runs; not called if it can't be started
 * @record: takes a side-band record, any
 * @sample: takes a sample of an event (index in the settings) with its user stack or NULL
 * @pass: all rings were read once more, and it was not the last time; may set
 *	lw_recorder.stopped
 * @leave: no pass follows; also after a failure, and without @begin
 * @end: all samples were taken, and nothing has failed
 * @close: frees all, once, if @open was called and whatever it returned
 *
 * Context: the main thread.
 * Those that return a number return 0 or -errno, with lw_fail_text() but for -ENOMEM.
 */
struct lw_sink {
	int (*open)(struct lw_recorder *rec);
	void (*begin)(struct lw_recorder *rec);
	int (*record)(struct lw_recorder *rec, const struct perf_event_header *record);
	int (*sample)(struct lw_recorder *rec, u32 event, const struct lw_sample *sample,
		      const struct lw_user_stack *stack);
	int (*pass)(struct lw_recorder *rec);
	void (*leave)(struct lw_recorder *rec);
	int (*end)(struct lw_recorder *rec);
	void (*close)(struct lw_recorder *rec);
};

#endif /* LW_SINK_H */
