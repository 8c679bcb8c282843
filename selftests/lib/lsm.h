/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lsm.h - a security module that forbids perf, as SELinux' class perf_event does, or all that
 * lockdown forbids.
 */
#ifndef LWT_LSM_H
#define LWT_LSM_H

int lsm_forbid_perf(void);
int lsm_lock_down(void);

#endif /* LWT_LSM_H */
