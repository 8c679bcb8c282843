/* SPDX-License-Identifier: GPL-2.0 */
/*
 * synth_cgroups.h - PERF_RECORD_CGROUP for the cgroups that there are.
 */
#ifndef LW_SYNTH_CGROUPS_H
#define LW_SYNTH_CGROUPS_H

#include <linux/perf_event.h>

#include "base/perf_records.h"
#include "base/util.h"
#include "sideband/sideband.h"

/* A mount of the hierarchy of version 2. */
struct lw_cgroup_mount {
	char dir[4096];
	char root[4096];		/* the cgroup that @dir is; "/" mostly */
};

/* The id of the cgroup whose directory @path is; 0: it is gone, or none. */
typedef u64 (*lw_cgroup_id_fn)(const char *path);

int lw_cgroups_find_mount(struct lw_cgroup_mount *mount, const char *mountinfo);
int lw_cgroups_walk(const struct lw_cgroup_mount *mount, lw_cgroup_id_fn id_of,
		    lw_perf_event_fn fn, void *ctx);
int lw_cgroups_synthesise(lw_perf_event_fn fn, void *ctx);
bool lw_cgroups_are_told(const char *own_cgroups);

#endif /* LW_SYNTH_CGROUPS_H */
