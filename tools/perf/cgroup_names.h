/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup_names.h - the names of cgroups, by their ids.
 */
#ifndef LW_CGROUP_NAMES_H
#define LW_CGROUP_NAMES_H

#include "base/util.h"

struct lw_cgroup_names;

struct lw_cgroup_names *lw_cgroup_names_new(void);
void lw_cgroup_names_free(struct lw_cgroup_names *names);
int lw_cgroup_names_add(struct lw_cgroup_names *names, u64 id, const char *path, size_t len);
bool lw_cgroup_is_known(const struct lw_cgroup_names *names, u64 id);
const char *lw_cgroup_name(struct lw_cgroup_names *names, u64 id);

#endif /* LW_CGROUP_NAMES_H */
