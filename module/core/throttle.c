// SPDX-License-Identifier: GPL-2.0
/*
 * throttle.c - a task that only walks its own stack is let go.
 *
 * Something that the kernel does behind our callback, on the same way out to
 * user space, may be an event itself (rseq:rseq_update on 6.12, a kprobe).  It
 * asks for the stack again, the callback is run again, and the task never gets
 * to user space, not even to be killed.  A module can't see whether a task has
 * been to user space since its last walk; but one that has not comes back
 * with the very same user registers, at once.
 *
 * So walks of one task with the same registers, each begun within MAX_GAP after
 * the one before, are a series.  After MAX_ROUNDS walks of it, or when it took MAX_TOOK, the
 * task gets no new walks for PAUSE_GAPS times the mean time between two: the way out ends
 * within one, and who is held up by an interrupt has the next pause.  A tight loop around one
 * system call that is traced every time looks the same.  Its calls without a walk take half
 * of such a gap or more, so it loses twice PAUSE_GAPS stacks per MIN_ROUNDS at worst, however
 * slow the machine is.  Events that hit in user mode are never refused.
 *
 * State is per CPU: a task that migrates begins a new series, and so does one that another
 * traced task ran before.  Of several on one CPU that only walk themselves one gets out if
 * MIN_ROUNDS of its walks fit a slice of time.  Written by
 * lw_throttle_note() in task context, read in any context on the same CPU; a
 * reader that interrupts the writer may decide wrongly once.
 */
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "throttle.h"

/* Walks in a row that are a series: fewer if walks are long, but more than come by chance. */
#define MAX_ROUNDS	1024
#define MIN_ROUNDS	32
#define MAX_TOOK	(10 * NSEC_PER_MSEC)
#define PAUSE_GAPS	2
#define MIN_PAUSE	NSEC_PER_USEC
/* The kernel's way out and the event lie between two walks; emulators are slow. */
#define MAX_GAP		NSEC_PER_MSEC

/**
 * struct series - walks in a row of one task
 * @task: only compared
 * @regs: user registers at its last walk
 * @ended: last walk, CLOCK_MONOTONIC, ns
 * @took: all walks and the time between, but not what they waited, ns
 * @between: the time between walks alone, ns
 * @until: no new walks before
 * @rounds: walks
 */
struct series {
	struct task_struct *task;
	struct pt_regs	regs;
	u64		ended;
	u64		took;
	u64		between;
	u64		until;
	u32		rounds;
};

static DEFINE_PER_CPU(struct series, all_series);

static bool throttle_goes_on(struct series *series, u64 began)
{
	struct pt_regs *regs = task_pt_regs(current);

	/* Mostly the first comparison of registers decides. */
	return series->task == current && began - series->ended < MAX_GAP &&
	       instruction_pointer(&series->regs) == instruction_pointer(regs) &&
	       !memcmp(&series->regs, regs, sizeof(*regs));
}

/**
 * lw_throttle_note - a walk of current has ended
 * @began: when it began, CLOCK_MONOTONIC, in nanoseconds
 * @waited: nanoseconds of the walk that went into waiting for tables
 *
 * Context: task.
 */
void lw_throttle_note(u64 began, u64 waited)
{
	u64 now = ktime_get_mono_fast_ns();
	struct series *series;
	u32 rounds;

	preempt_disable_notrace();
	series = this_cpu_ptr(&all_series);
	if (!throttle_goes_on(series, began)) {
		WRITE_ONCE(series->until, 0);
		WRITE_ONCE(series->task, current);
		series->regs = *task_pt_regs(current);
		series->took = 0;
		series->between = 0;
		series->rounds = 0;
	} else {
		series->took += began - series->ended;
		series->between += began - series->ended;
	}
	series->ended = now;
	series->took += now - began - waited;
	rounds = ++series->rounds;
	if (rounds == MAX_ROUNDS || (rounds >= MIN_ROUNDS && series->took >= MAX_TOOK)) {
		u64 pause = series->between * PAUSE_GAPS / rounds;

		WRITE_ONCE(series->until, now + max_t(u64, pause, MIN_PAUSE));
		series->took = 0;
		series->between = 0;
		series->rounds = 0;
	}
	preempt_enable_notrace();
}

/**
 * lw_throttle_refuses - should current get no new walk now
 *
 * Context: any, NMI included; preemption off.
 * Return: true during the pause after a series.
 */
bool lw_throttle_refuses(void)
{
	const struct series *series = this_cpu_ptr(&all_series);
	u64 until = READ_ONCE(series->until);

	return until && READ_ONCE(series->task) == current &&
	       ktime_get_mono_fast_ns() < until;
}
