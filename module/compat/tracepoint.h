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
#include <linux/string.h>
#include <linux/tracepoint.h>

#if defined(LW_HAVE_EXIT_GROUP_DEAD) && defined(LW_HAVE_TRACEPOINT_SRCU) && \
	defined(CONFIG_TRACEPOINTS)
#define LW_COMPAT_WALK_AT_EXIT	1
#else
#define LW_COMPAT_WALK_AT_EXIT	0
#endif

/* What lw_tracepoint() looks for, and what it has found. */
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
 * lw_tracepoint - find a tracepoint of the kernel, which is exported or not
 * @name: of it
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
