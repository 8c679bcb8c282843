/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/latewind.h - user stacks for other modules.
 *
 * A tracer registers once, with a callback.  In any context, NMI included, it requests the user
 * stack of current, and gets a cookie to write beside its event.  The callback gets the stack of
 * that cookie when the task is about to return to user space.
 *
 *   my = lw_tracer_register(&options);		module init
 *   lw_tracer_request(my, regs, &cookie);	in the event
 *   ... options.stack(my, stack, cookie, private) ...
 *   lw_tracer_unregister(my);			module exit
 *
 * Build with -I<latewind>/module/include and -I<latewind>/uapi, and with
 * KBUILD_EXTRA_SYMBOLS naming latewind's Module.symvers.
 */
#ifndef _LINUX_LATEWIND_H
#define _LINUX_LATEWIND_H

#include <linux/types.h>

#include <latewind.h>

struct lw_tracer;
struct pt_regs;

/**
 * struct lw_stack - a user stack, for the time of the callback
 * @frames: addresses, topmost first; all but the first are return addresses, unless
 *	LW_HOW_SIGFRAME marks an interrupted address
 * @how: LW_HOW_* of each
 * @runs: @frames and @how as runs, see struct lw_frame_run; the last run that begins
 *	before @nr may go past @nr
 * @nr: frames
 * @end: LW_END_*: how the walk ended
 * @time: when it began, CLOCK_MONOTONIC, in nanoseconds
 */
struct lw_stack {
	const u64	*frames;
	const u8	*how;
	const struct lw_frame_run *runs;
	u32		nr;
	u32		end;
	u64		time;
};

/**
 * struct lw_tracer_options - what a tracer wants
 * @depth: most frames, 1 to LW_MAX_DEPTH; 0 for LW_DEFAULT_DEPTH
 * @mask: LW_MASK_*: which rules may find a caller
 * @filter: NULL, or: does the tracer want the stack of current?  Called by
 *	lw_tracer_request(), so in any context that it is called in
 * @stack: gets the stack of each cookie, once; called in the task whose stack it is,
 *	in task context, without locks; may sleep, may request.  The unregistration of
 *	any tracer waits for it.  If the task has exited already (LW_END_EXITED)
 *	current->mm is NULL.  If it is about to exit (PF_EXITING, with LW_FEATURE_EXIT)
 *	the callback runs in the probe of a tracepoint, and so must not wait for one to
 *	be unregistered
 * @private: for @filter and @stack
 */
struct lw_tracer_options {
	u32	depth;
	u32	mask;
	bool (*filter)(void *private);
	void (*stack)(struct lw_tracer *tracer, const struct lw_stack *stack,
		      const struct lw_cookie *cookie, void *private);
	void	*private;
};

struct lw_tracer *lw_tracer_register(const struct lw_tracer_options *options);
u64 lw_tracer_unregister(struct lw_tracer *tracer);
int lw_tracer_request(struct lw_tracer *tracer, struct pt_regs *regs,
		      struct lw_cookie *cookie);
void lw_tracer_stats(struct lw_tracer *tracer, struct lw_stats *stats);

#endif /* _LINUX_LATEWIND_H */
