/* SPDX-License-Identifier: GPL-2.0 */
/*
 * off_cpu_source.h - --off-cpu: the switches of a recording's target.
 */
#ifndef LW_OFF_CPU_SOURCE_H
#define LW_OFF_CPU_SOURCE_H

#include "record/off_cpu_join.h"
#include "sideband/sideband.h"

/* Zeroed where --off-cpu is not wanted: every call does nothing then. */
struct lw_off_cpu_source {
	struct lw_off_cpu *join;
	struct lw_sideband switches;
	u64 began;			/* ns, this pass */
	u64 began_before;		/* the one before it */
	u64 advanced;			/* all that is older was looked at */
};

int lw_off_cpu_source_open(struct lw_off_cpu_source *source, const struct lw_target *target,
			   latewind_sample_fn fn, void *ctx);
void lw_off_cpu_source_begin_pass(struct lw_off_cpu_source *source);
int lw_off_cpu_source_end_pass(struct lw_off_cpu_source *source, bool complete);
u64 lw_off_cpu_source_since(const struct lw_off_cpu_source *source);
void lw_off_cpu_source_not_before(struct lw_off_cpu_source *source, u64 time);
int lw_off_cpu_source_finish(struct lw_off_cpu_source *source, u64 end);
void lw_off_cpu_source_stats(const struct lw_off_cpu_source *source,
			     struct lw_off_cpu_stats *stats);
void lw_off_cpu_source_close(struct lw_off_cpu_source *source);

#endif /* LW_OFF_CPU_SOURCE_H */
