// SPDX-License-Identifier: GPL-2.0
/*
 * exit.c - tasks that exit with a request pending.
 *
 * The kernel runs a task's list after exit_mm(), when there is no stack any more.  Where the
 * tracepoint sched_process_exit stands before that and its probes may sleep, a probe answers
 * the task there; elsewhere the task gets an empty stack, with LW_END_EXITED.
 *
 * The probe is there while there is a tracer.  It runs inside SRCU that all tracepoints share,
 * and PF_EXITING is set, so that a signal would not end a wait: the walk waits neither for a
 * page nor for mmap_lock.
 */
#include "compat/tracepoint.h"
#include "request.h"

/* protected by tracers_mutex */
static struct tracepoint *exit_tracepoint;

static void exit_answer(void *data, struct task_struct *task, bool group_dead)
{
	lw_request_answer_now();
}

/**
 * lw_exit_watch - before the first request
 *
 * Context: process, may sleep.
 * Return: 0 or -errno of tracepoint_probe_register().
 */
int lw_exit_watch(void)
{
	if (LW_COMPAT_WALK_AT_EXIT && !exit_tracepoint)
		exit_tracepoint = lw_tracepoint("sched_process_exit");
	return exit_tracepoint ?
	       tracepoint_probe_register(exit_tracepoint, exit_answer, NULL) : 0;
}

/**
 * lw_exit_unwatch - nobody is owed a stack any more
 *
 * The probe may still run when this returns; lw_request_exit() waits for it.
 *
 * Context: process, may sleep.
 */
void lw_exit_unwatch(void)
{
	if (exit_tracepoint)
		tracepoint_probe_unregister(exit_tracepoint, exit_answer, NULL);
}
