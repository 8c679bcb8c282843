/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup_source.h - --all-cgroups: the names of the cgroups that samples tell of.
 */
#ifndef LW_CGROUP_SOURCE_H
#define LW_CGROUP_SOURCE_H

#include "base/perf_records.h"
#include "perf/cgroup_names.h"
#include "sideband/sideband.h"

/* Zeroed where --all-cgroups is not wanted: every call does nothing then. */
struct lw_cgroup_source {
	struct lw_cgroup_names *known;	/* NULL: not wanted; those that were told of */
	struct lw_sideband made;	/* while it is recorded */
	lw_perf_event_fn fn;
	void *ctx;
	u64 walked;			/* ns, when all were looked at last */
	u64 took;			/* that */
	bool missing;			/* a sample had one that is not known yet */
};

int lw_cgroup_source_open(struct lw_cgroup_source *source, lw_perf_event_fn fn, void *ctx);
int lw_cgroup_source_walk(struct lw_cgroup_source *source);
int lw_cgroup_source_read(struct lw_cgroup_source *source);
int lw_cgroup_source_meet(struct lw_cgroup_source *source, u64 id);
const char *lw_cgroup_source_name(struct lw_cgroup_source *source, u64 id);
int lw_cgroup_source_finish(struct lw_cgroup_source *source);
void lw_cgroup_source_close(struct lw_cgroup_source *source);

#endif /* LW_CGROUP_SOURCE_H */
