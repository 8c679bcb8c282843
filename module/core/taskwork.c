// SPDX-License-Identifier: GPL-2.0
/*
 * taskwork.c - queue on current, hop out of NMI, cancel.
 *
 * task_work_add() is not exported by mainline and task_work_cancel() by
 * nobody, so this follows the protocol of kernel/task_work.c on
 * task->task_works:
 *
 *   - adding is a compare and exchange at the head, without a lock;
 *   - task_work_run() takes the whole list by an exchange, then takes and drops
 *     task->pi_lock once before it walks, so that a canceller that holds the
 *     lock never sees an entry of its walk freed under it;
 *   - cancelling takes an entry out by a compare and exchange on whatever
 *     points to it, under task->pi_lock.
 *
 * The core marks the list of a task that has done its exit work with a private
 * entry.  We only ever add to current, before PF_EXITING is set, so we can't meet it
 * when adding; when cancelling it is one more entry that is not ours.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/thread_info.h>

#include "taskwork.h"

static DEFINE_PER_CPU(struct irq_work, resume_work);

/* The interrupt alone makes the CPU pass the exit to user mode once more. */
static void taskwork_resume_nop(struct irq_work *work)
{
}

/**
 * lw_taskwork_init - before the first lw_taskwork_queue()
 *
 * The irq_works are set up here as static initialisers of per-CPU variables in
 * a module were seen to lose the function.
 *
 * Where a CPU has no interrupt for irq_work, as without a local APIC, the works run at the next
 * tick: after an NMI user mode would go on till then, and the stack would be another one.
 *
 * Context: process.
 * Return: 0, or -ENODEV: the machine has no such interrupt.
 */
int lw_taskwork_init(void)
{
	int cpu;

	if (!arch_irq_work_has_interrupt())
		return -ENODEV;
	for_each_possible_cpu(cpu)
		per_cpu(resume_work, cpu) = IRQ_WORK_INIT_HARD(taskwork_resume_nop);
	return 0;
}

/**
 * lw_taskwork_exit - after the last lw_taskwork_queue()
 *
 * Context: process, may sleep.
 */
void lw_taskwork_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&resume_work, cpu));
}

/**
 * lw_taskwork_queue - run @work when current returns to user space
 * @work: not queued; its func is set
 *
 * Context: any, NMI included; preemption off; current is a user task without
 * PF_EXITING.
 */
void lw_taskwork_queue(struct callback_head *work)
{
	struct callback_head *head = READ_ONCE(current->task_works);

	/*
	 * Races with interrupts on this CPU that queue on current too, and
	 * with other tasks' task_work_add() and cancel on it.
	 */
	do {
		work->next = head;
	} while (!try_cmpxchg(&current->task_works, &head, work));
	set_thread_flag(TIF_NOTIFY_RESUME);
	/*
	 * An NMI returns to user mode without a look at the flag, and the exit
	 * to user mode may have had its last look, with interrupts off.
	 */
	if (in_nmi() || (irqs_disabled() && !in_hardirq()))
		irq_work_queue(this_cpu_ptr(&resume_work));
}

/**
 * lw_taskwork_cancel - take a work off a task's list
 * @task: any; must not go away (reference or RCU)
 * @work: the entry
 *
 * Context: any but NMI.
 * Return: true if it was on the list: it will not run and is the caller's
 * again.  false if it runs, ran, or was never queued.
 */
bool lw_taskwork_cancel(struct task_struct *task, struct callback_head *work)
{
	struct callback_head **pprev = &task->task_works;
	struct callback_head *entry;
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	/* Only additions at the head race with us; entries stay put. */
	entry = READ_ONCE(*pprev);
	while (entry) {
		if (entry != work) {
			pprev = &entry->next;
			entry = READ_ONCE(*pprev);
		} else if (try_cmpxchg(pprev, &entry, entry->next)) {
			found = true;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
	return found;
}
