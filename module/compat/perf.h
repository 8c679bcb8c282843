/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/perf.h - who may use perf, as far as the kernels we build for tell a module.
 */
#ifndef LW_COMPAT_PERF_H
#define LW_COMPAT_PERF_H

#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/perf_event.h>

/**
 * lw_compat_may_trace - may current look at all tasks, and at the kernel?
 *
 * Where perf_allow_kernel() is a function, it is exported, and asks security modules (the hook
 * perf_event_open). Before, it is an inline that uses what is not exported.
 *
 * Context: process, may sleep.
 * Return: 0, -EPERM (no CAP_PERFMON), or what a security module returns, mostly -EACCES.
 */
static inline int lw_compat_may_trace(void)
{
	if (!perfmon_capable())
		return -EPERM;
#ifdef LW_HAVE_PERF_ALLOW_KERNEL
	return perf_allow_kernel();
#else
	return 0;
#endif
}

#endif /* LW_COMPAT_PERF_H */
