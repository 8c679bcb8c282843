/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fd_paths.h - which files the descriptors of processes are, as their calls tell.
 */
#ifndef LW_FD_PATHS_H
#define LW_FD_PATHS_H

#include "trace/syscall_join.h"

struct lw_fds;

struct lw_fds *lw_fds_new(void);
void lw_fds_free(struct lw_fds *fds);
void lw_fds_clear(struct lw_fds *fds);
int lw_fds_scan(struct lw_fds *fds, u32 pid);
int lw_fds_call(struct lw_fds *fds, const struct lw_call *call);
void lw_fds_sweep(struct lw_fds *fds, u64 before, bool (*lives)(u32 pid));
bool lw_fds_wants(u32 nr);
const char *lw_fds_path(const struct lw_fds *fds, u32 pid, s32 fd);

#endif /* LW_FD_PATHS_H */
