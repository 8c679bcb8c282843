// SPDX-License-Identifier: GPL-2.0
/*
 * contexts.c - where requests are made: in task, softirq, hardirq and NMI
 * context on top of the calling task, each inside the others, and in threads of
 * the kernel.
 *
 * From one context to the next one goes by a tasklet that is run when bottom
 * halves are enabled again, by a hard irq_work on this CPU, and by an NMI that
 * this CPU sends to itself.  What interrupted another task, as may happen with
 * preemption on, does nothing and says so.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/irq_regs.h>

#include "internal.h"

#define TOO_LONG_NS	500000000ULL

/**
 * struct job - one ask on its way through the contexts
 * @ask: what to do, and what came of it
 * @task: whose stack it is
 * @done: the context was left
 * @tasklet: into softirq context
 * @work: into hardirq context
 */
struct job {
	struct lwm_ask ask;
	struct task_struct *task;
	bool done[LWM_LEVELS];
	struct tasklet_struct tasklet;
	struct irq_work work;
};

static void at_level(struct job *job, unsigned int level, struct pt_regs *regs);

/* One job goes through contexts at a time. */
static DEFINE_MUTEX(job_lock);
static struct job *current_job;

static DECLARE_WAIT_QUEUE_HEAD(blocked);
static atomic_t wakes;
static atomic64_t nr_waiting;

static void in_softirq_context(struct tasklet_struct *tasklet)
{
	struct job *job = container_of(tasklet, struct job, tasklet);

	at_level(job, LWM_SOFTIRQ, task_pt_regs(current));
}

static void in_hardirq_context(struct irq_work *work)
{
	struct job *job = container_of(work, struct job, work);

	at_level(job, LWM_HARDIRQ, get_irq_regs());
}

/**
 * lwm_nmi_arrived - the NMI that we sent
 * @regs: interrupted
 *
 * Context: NMI.
 */
void lwm_nmi_arrived(struct pt_regs *regs)
{
	struct job *job = READ_ONCE(current_job);

	if (job)
		at_level(job, LWM_NMI, regs);
}

static void wait_until_done(struct job *job, unsigned int level)
{
	u64 end = ktime_get_mono_fast_ns() + TOO_LONG_NS;

	while (!READ_ONCE(job->done[level]) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

static void hop(struct job *job, unsigned int level)
{
	switch (level) {
	case LWM_SOFTIRQ:
		local_bh_disable();
		tasklet_schedule(&job->tasklet);
		local_bh_enable();
		break;
	case LWM_HARDIRQ:
		irq_work_queue(&job->work);
		break;
	case LWM_NMI:
		lwm_nmi_self();
		break;
	}
	wait_until_done(job, level);
}

static void ask_here(struct job *job, bool out, unsigned int level,
		     struct pt_regs *regs)
{
	if ((out ? job->ask.out : job->ask.in) & LWM_AT(level))
		lwm_request(job->ask.tracer,
			    job->ask.flags & LWM_REGS ? regs : NULL,
			    job->ask.flags, &job->ask.results[out][level]);
}

static void another_task(struct job *job, unsigned int level)
{
	for (; level < LWM_LEVELS; level++) {
		job->ask.results[0][level].ret = -EAGAIN;
		job->ask.results[1][level].ret = -EAGAIN;
	}
}

static void at_level(struct job *job, unsigned int level, struct pt_regs *regs)
{
	unsigned int next = level + 1;

	if (current != job->task) {
		another_task(job, level);
		goto out;
	}
	ask_here(job, false, level, regs);
	while (next < LWM_LEVELS && !(job->ask.path & LWM_AT(next)))
		next++;
	if (next < LWM_LEVELS)
		hop(job, next);
	ask_here(job, true, level, regs);
out:
	WRITE_ONCE(job->done[level], true);
}

static int move(void)
{
	unsigned int cpu = cpumask_next(raw_smp_processor_id(), cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		cpu = cpumask_first(cpu_online_mask);
	return set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static int do_job(struct job *job)
{
	unsigned int level;
	int ret = 0;

	job->task = current;
	memset(job->done, 0, sizeof(job->done));
	for (level = 0; level < LWM_LEVELS; level++) {
		job->ask.results[0][level].ret = -ETIME;
		job->ask.results[1][level].ret = -ETIME;
	}
	if (job->ask.flags & LWM_MOVE)
		ret = move();
	if (ret)
		return ret;
	WRITE_ONCE(current_job, job);
	if (job->ask.flags & LWM_NO_PREEMPT)
		preempt_disable();
	at_level(job, LWM_PROCESS, task_pt_regs(current));
	if (job->ask.flags & LWM_NO_PREEMPT)
		preempt_enable();
	WRITE_ONCE(current_job, NULL);
	/* One that timed out may still come. */
	tasklet_kill(&job->tasklet);
	irq_work_sync(&job->work);
	return 0;
}

/**
 * lwm_run - LWM_IOC_RUN
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EFAULT, -EOPNOTSUPP (a path leads through NMIs, and there are none).
 */
int lwm_run(const struct lwm_run *arg)
{
	struct lwm_ask __user *user = u64_to_user_ptr(arg->asks);
	static struct job job;	/* protected by job_lock */
	int ret = 0;
	u32 i;

	if (arg->nr > LWM_ASKS || arg->reserved)
		return -EINVAL;
	mutex_lock(&job_lock);
	tasklet_setup(&job.tasklet, in_softirq_context);
	job.work = IRQ_WORK_INIT_HARD(in_hardirq_context);
	for (i = 0; i < arg->nr && !ret; i++) {
		if (copy_from_user(&job.ask, user + i, sizeof(*user)))
			ret = -EFAULT;
		else if (job.ask.tracer >= LWM_TRACERS || job.ask.reserved)
			ret = -EINVAL;
		else if (job.ask.path & LWM_AT(LWM_NMI) && !lwm_nmi_is_there())
			ret = -EOPNOTSUPP;
		else
			ret = do_job(&job);
		if (!ret && copy_to_user(user + i, &job.ask, sizeof(*user)))
			ret = -EFAULT;
	}
	mutex_unlock(&job_lock);
	return ret;
}

/**
 * lwm_wait - LWM_IOC_WAIT
 * @arg: the caller's
 * @user: where it has it
 *
 * Context: process, sleeps.
 * Return: 0, -EFAULT, -EINTR.
 */
int lwm_wait(struct lwm_wait *arg, struct lwm_wait __user *user)
{
	int before = atomic_read(&wakes);
	u64 bits;
	int ret;

	for (bits = arg->tracers; bits; bits &= bits - 1)
		lwm_request(__ffs64(bits), NULL, 0, &arg->result);
	if (copy_to_user(user, arg, sizeof(*arg)))
		return -EFAULT;
	atomic64_inc(&nr_waiting);
	ret = wait_event_interruptible_exclusive(blocked, atomic_read(&wakes) !=
							  before);
	atomic64_dec(&nr_waiting);
	return ret ? -EINTR : 0;
}

/**
 * lwm_hold_mm - LWM_IOC_HOLD_MM
 *
 * Context: process, sleeps.
 * Return: 0, -EINTR (killed).
 */
int lwm_hold_mm(void)
{
	int before = atomic_read(&wakes);
	int ret = mmap_write_lock_killable(current->mm);

	if (ret)
		return ret;
	atomic64_inc(&nr_waiting);
	ret = wait_event_killable_exclusive(blocked, atomic_read(&wakes) != before);
	atomic64_dec(&nr_waiting);
	mmap_write_unlock(current->mm);
	return ret ? -EINTR : 0;
}

/**
 * lwm_wake - LWM_IOC_WAKE: everyone in LWM_IOC_WAIT or LWM_IOC_HOLD_MM, some at a time
 *
 * Context: process, may sleep.
 */
void lwm_wake(void)
{
	atomic_inc(&wakes);
	/* Who comes later sees the new number, and does not wait. */
	while (waitqueue_active(&blocked)) {
		wake_up_nr(&blocked, 64);
		cond_resched();
	}
}

/**
 * lwm_waiting - how many are in LWM_IOC_WAIT
 *
 * Context: any.
 * Return: tasks.
 */
u64 lwm_waiting(void)
{
	return atomic64_read(&nr_waiting);
}

struct kernel_job {
	struct work_struct work;
	struct completion done;
	struct lwm_kernel *arg;
};

static void ask_in_work(struct work_struct *work)
{
	struct kernel_job *job = container_of(work, struct kernel_job, work);

	lwm_request(job->arg->tracer, NULL, 0, &job->arg->result);
	complete(&job->done);
}

static int ask_in_thread(void *data)
{
	struct kernel_job *job = data;

	ask_in_work(&job->work);
	return 0;
}

/**
 * lwm_kernel - LWM_IOC_KERNEL
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -errno of making the thread.
 */
int lwm_kernel(struct lwm_kernel *arg)
{
	struct kernel_job job = { .arg = arg };
	struct task_struct *thread;

	if (arg->tracer >= LWM_TRACERS || arg->where > LWM_WORKQUEUE)
		return -EINVAL;
	init_completion(&job.done);
	INIT_WORK_ONSTACK(&job.work, ask_in_work);
	if (arg->where == LWM_KTHREAD) {
		thread = kthread_run(ask_in_thread, &job, "lw_test");
		if (IS_ERR(thread))
			return PTR_ERR(thread);
	} else {
		schedule_work(&job.work);
	}
	wait_for_completion(&job.done);
	flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return 0;
}
