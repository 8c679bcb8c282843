/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_flags.h - names of the values that arguments of system calls have.
 */
#ifndef LW_SYSCALL_FLAGS_H
#define LW_SYSCALL_FLAGS_H

#include "trace/syscall_table.h"

extern const struct lw_names lw_names_open, lw_names_access, lw_names_at, lw_names_statx_at;
extern const struct lw_names lw_names_statx_mask, lw_names_whence, lw_names_prot;
extern const struct lw_names lw_names_mmap, lw_names_mmap_type, lw_names_mremap, lw_names_madvise;
extern const struct lw_names lw_names_msync, lw_names_poll, lw_names_family, lw_names_sock_type;
extern const struct lw_names lw_names_sock_flags, lw_names_protocol, lw_names_netlink;
extern const struct lw_names lw_names_msg, lw_names_shutdown, lw_names_sol, lw_names_so;
extern const struct lw_names lw_names_tcp, lw_names_fd_flags, lw_names_fcntl, lw_names_file_type;
extern const struct lw_names lw_names_clone, lw_names_wait, lw_names_id_type, lw_names_sighow;
extern const struct lw_names lw_names_sa, lw_names_handler, lw_names_clock, lw_names_rlimit;
extern const struct lw_names lw_names_rusage, lw_names_futex, lw_names_arch_prctl, lw_names_prctl;
extern const struct lw_names lw_names_epoll_op, lw_names_epoll, lw_names_random;
extern const struct lw_names lw_names_rename, lw_names_ioctl, lw_names_memfd, lw_names_eventfd;
extern const struct lw_names lw_names_timerfd, lw_names_inotify, lw_names_epoll_create;
extern const struct lw_names lw_names_fadvise, lw_names_flock, lw_names_signal, lw_names_lock_type;
extern const struct lw_names lw_names_timer, lw_names_close_range, lw_names_resolve;
extern const struct lw_names lw_names_fallocate, lw_names_dup3, lw_names_errno;
extern const struct lw_names lw_names_access_at, lw_names_priority, lw_names_socketcall;

const char *lw_name_of(const struct lw_names *names, u64 value);

#endif /* LW_SYSCALL_FLAGS_H */
