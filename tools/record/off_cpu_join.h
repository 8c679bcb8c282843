/* SPDX-License-Identifier: GPL-2.0 */
/*
 * off_cpu_join.h - how long tasks were blocked: from a switch out to the next switch in.
 */
#ifndef LW_OFF_CPU_JOIN_H
#define LW_OFF_CPU_JOIN_H

#include <latewind.h>
#include <liblatewind.h>
#include <linux/perf_event.h>

#include "base/util.h"

struct lw_off_cpu;

struct lw_off_cpu_stats {
	u64 blocked;		/* handed out with their time */
	u64 preempted;		/* did not block: they were ready to run */
	u64 left_out;		/* kernel threads and tasks that were ending */
	u64 lost;		/* the time could not be told, or there was no room */
};

struct lw_off_cpu *lw_off_cpu_new(size_t max_bytes, latewind_sample_fn fn, void *ctx);
void lw_off_cpu_free(struct lw_off_cpu *oc);
void lw_off_cpu_leave_out(struct lw_off_cpu *oc, u64 start, u64 end);
int lw_off_cpu_out(struct lw_off_cpu *oc, const struct lw_sample *sample);
int lw_off_cpu_record(struct lw_off_cpu *oc, const struct perf_event_header *record);
int lw_off_cpu_gap(struct lw_off_cpu *oc, u64 from, u64 to);
int lw_off_cpu_sample(struct lw_off_cpu *oc, const struct lw_sample *sample,
		      const struct lw_user_stack *stack);
int lw_off_cpu_advance(struct lw_off_cpu *oc, u64 until);
u64 lw_off_cpu_since(const struct lw_off_cpu *oc);
void lw_off_cpu_not_before(struct lw_off_cpu *oc, u64 time);
int lw_off_cpu_finish(struct lw_off_cpu *oc, u64 end);
const struct lw_off_cpu_stats *lw_off_cpu_stats(const struct lw_off_cpu *oc);

#endif /* LW_OFF_CPU_JOIN_H */
