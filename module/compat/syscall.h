/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/syscall.h - may probes of sys_enter and sys_exit wait for pages?
 *
 * Since the tracepoints of system calls are of their own kind, which is protected
 * by RCU tasks trace and leaves preemption on (6.13).
 */
#ifndef LW_COMPAT_SYSCALL_H
#define LW_COMPAT_SYSCALL_H

#include <linux/tracepoint.h>

#ifdef LW_HAVE_FAULTABLE_SYSCALLS
#define LW_COMPAT_SYSCALLS_FAULT	1
#else
#define LW_COMPAT_SYSCALLS_FAULT	0
#endif

#endif /* LW_COMPAT_SYSCALL_H */
