/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/tracepoint.h - when a task that exits can still be asked.
 *
 * The tracepoint sched_process_exit stands before exit_mm() since it has
 * its second argument, and its probes may sleep since SRCU protects them.  With
 * both a stack can be walked and handed out there; without, it is too late or
 * nothing may sleep.
 */
#ifndef LW_COMPAT_TRACEPOINT_H
#define LW_COMPAT_TRACEPOINT_H

#include <linux/sched.h>
#include <linux/tracepoint.h>

#if defined(LW_HAVE_EXIT_GROUP_DEAD) && defined(LW_HAVE_TRACEPOINT_SRCU) && \
	defined(CONFIG_TRACEPOINTS)
#define LW_COMPAT_WALK_AT_EXIT	1
#else
#define LW_COMPAT_WALK_AT_EXIT	0
#endif

#endif /* LW_COMPAT_TRACEPOINT_H */
