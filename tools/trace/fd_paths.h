/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fd_paths.h - which files the descriptors of processes are, as their calls tell.
 */
#ifndef LW_FD_PATHS_H
#define LW_FD_PATHS_H

#include "trace/syscall_join.h"

struct lw_fd_paths;

struct lw_fd_paths *lw_fd_paths_new(bool details);
bool lw_fd_paths_details(const struct lw_fd_paths *fds);
void lw_fd_paths_free(struct lw_fd_paths *fds);
void lw_fd_paths_clear(struct lw_fd_paths *fds);
int lw_fd_paths_scan(struct lw_fd_paths *fds, u32 pid);
int lw_fd_paths_call(struct lw_fd_paths *fds, const struct lw_call *call);
void lw_fd_paths_sweep(struct lw_fd_paths *fds, u64 before, bool (*lives)(u32 pid));
bool lw_fd_paths_wants(u32 nr);
const char *lw_fd_paths_find(const struct lw_fd_paths *fds, u32 pid, s32 fd);

#endif /* LW_FD_PATHS_H */
