/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/tracepoint.h - find tracepoints; what their probes may do.
 */
#ifndef LW_COMPAT_TRACEPOINT_H
#define LW_COMPAT_TRACEPOINT_H

#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

/*
 * sched_process_exit comes before exit_mm() since it has its second argument, and its probes may
 * sleep since SRCU protects them.  With both a stack can be walked and delivered there; without,
 * it is too late or the probe may not sleep.
 */
#if defined(LW_HAVE_EXIT_GROUP_DEAD) && defined(LW_HAVE_TRACEPOINT_SRCU) && \
	defined(CONFIG_TRACEPOINTS)
#define LW_COMPAT_WALK_AT_EXIT	1
#else
#define LW_COMPAT_WALK_AT_EXIT	0
#endif

/* Since 6.13 RCU tasks trace protects sys_enter and sys_exit: their probes may wait for pages. */
#ifdef LW_HAVE_FAULTABLE_SYSCALLS
#define LW_COMPAT_SYSCALLS_FAULT	1
#else
#define LW_COMPAT_SYSCALLS_FAULT	0
#endif

struct lw_wanted_tracepoint {
	const char	*name;
	struct tracepoint *found;
};

static inline void lw_look_at_tracepoint(struct tracepoint *tracepoint, void *data)
{
	struct lw_wanted_tracepoint *wanted = data;

	if (!strcmp(tracepoint->name, wanted->name))
		wanted->found = tracepoint;
}

/**
 * lw_tracepoint - find a tracepoint of the kernel, exported or not
 * @name: its name
 *
 * Context: process, may sleep.
 * Return: the tracepoint, or NULL if this kernel has none.
 */
static inline struct tracepoint *lw_tracepoint(const char *name)
{
	struct lw_wanted_tracepoint wanted = { .name = name };

	for_each_kernel_tracepoint(lw_look_at_tracepoint, &wanted);
	return wanted.found;
}

#endif /* LW_COMPAT_TRACEPOINT_H */
