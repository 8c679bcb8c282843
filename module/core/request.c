// SPDX-License-Identifier: GPL-2.0
/*
 * request.c - cookie and pending state of a task.
 *
 * What is pending for a task is in a slot of the pool, found by the task's
 * address.  No allocation, no lock.
 *
 * Who touches a slot:
 *   - Its task, in task context and in whatever interrupts it (softirq,
 *     hardirq, NMI).  These nest strictly: each runs to its end inside the one
 *     that it interrupted.  A slot is taken, filled, joined, closed and
 *     released by them only (but see cancel), so that ordering them needs
 *     atomic steps, but no locks and no barriers between CPUs; when the task
 *     migrates the scheduler orders.
 *   - lw_request_forget(), lw_request_pending(): look at any slot; the first
 *     clears one bit of @asked.
 *   - lw_request_exit(): cancels, when no tracer is left and so nobody requests
 *     any more.
 *
 * Life of a slot:
 *   free		its key is 0 and all else is zero;
 *   taken	its key is the task.  @counter is 0 until the first request has
 *		given the cookie; one that interrupts it there helps, as each
 *		step is done by whoever comes first and then left alone;
 *   queued	the callback is on the task's list; later requests of this kernel
 *		entry add their tracer's bit and get the same cookie;
 *   running	the callback walks and delivers; requests (of our own page
 *		faults too, and of who takes the stacks) still join and are
 *		answered by the same walk;
 *   closed	its key has LW_SLOT_CLOSED set: whoever asks now takes a new slot.
 *
 * A bit of @asked means the tracer that had it when the slot was filled.  Bits are
 * given again only with a new epoch (tracer.c); a tracer of a newer epoch than the
 * slot's closes it and takes a new one, wherever the slot is in its life.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "compat/sched.h"
#include "pool.h"
#include "request.h"
#include "taskwork.h"
#include "throttle.h"
#include "tracer.h"
#include "unwind/unwind.h"

static ulong cookie_start;
module_param(cookie_start, ulong, 0444);
MODULE_PARM_DESC(cookie_start,
		 "where each CPU's cookie counter starts, for tests (0)");

/* Free running; with the CPU number a cookie that no other CPU can give. */
static DEFINE_PER_CPU(u64, cookie_counter);

static void req_answer(struct callback_head *work);

/* The slot of current, open, or ERR_PTR(-EBUSY), ERR_PTR(-ENOMEM). */
static struct lw_slot *req_get_slot(bool may_refuse)
{
	struct lw_slot *slot = lw_pool_find(current);
	struct lw_slot *taken;

	if (slot)
		return slot;
	if (may_refuse && lw_throttle_refuses())
		return ERR_PTR(-EBUSY);
	taken = lw_pool_take(current);
	/*
	 * Who interrupted us since we looked may have taken and filled one.  If so that is
	 * it.  Ours may have been used, too, and closed again for a tracer that is newer: from
	 * here on nobody finds it, and who has found it is through.
	 */
	slot = lw_pool_find(current);
	if (taken && slot != taken) {
		lw_pool_close(taken);
		if (!READ_ONCE(taken->queued))
			lw_pool_release(taken);
	}
	return slot ?: ERR_PTR(-ENOMEM);
}

/*
 * Only the registers that the task came into the kernel with: a PMU may hand
 * out a copy of its own, with the ip of one instant and the sp of another.
 */
static void req_save_regs(struct lw_slot *slot, struct pt_regs *regs)
{
	struct lw_regs saved;

	if (READ_ONCE(slot->has_regs) || regs != task_pt_regs(current) || !user_mode(regs))
		return;
	saved = lw_regs_of(regs);
	slot->ip = saved.ip;
	slot->sp = saved.sp;
	slot->fp = saved.fp;
	slot->syscall = saved.syscall;
	slot->compat = saved.compat;
	WRITE_ONCE(slot->has_regs, 1);
}

/* Gives the slot its cookie, unless who interrupted us has. */
static void req_fill(struct lw_slot *slot, const struct lw_tracer *tracer)
{
	u64 counter;

	if (READ_ONCE(slot->counter))
		return;
	WRITE_ONCE(slot->cpu, smp_processor_id());
	WRITE_ONCE(slot->exec_id, READ_ONCE(current->self_exec_id));
	/* The first one stays: who joined depends on it. */
	cmpxchg(&slot->epoch, 0, max(lw_tracers_epoch(), tracer->epoch));
	do {
		counter = this_cpu_inc_return(cookie_counter);
	} while (!counter);
	cmpxchg(&slot->counter, 0, counter);
}

/*
 * The slot of current, with a cookie, for @tracer: one that is older than the tracer may
 * know another one by its bit, and is closed.
 */
static struct lw_slot *req_slot_for(const struct lw_tracer *tracer, bool may_refuse)
{
	struct lw_slot *slot;

	for (;;) {
		slot = req_get_slot(may_refuse);
		if (IS_ERR(slot))
			return slot;
		req_fill(slot, tracer);
		if (likely(READ_ONCE(slot->epoch) >= tracer->epoch))
			return slot;
		lw_pool_close(slot);
	}
}

static struct lw_cookie req_cookie_of(const struct lw_slot *slot)
{
	return (struct lw_cookie) {
		.counter = READ_ONCE(slot->counter),
		.cpu = READ_ONCE(slot->cpu),
	};
}

/* Return: -errno, or 0 if current has a user stack to come back to. */
static int req_check_current(void)
{
	/* The task may be at changing others of them, where we interrupt it. */
	unsigned int flags = data_race(current->flags);

	if (lw_compat_is_worker(flags))
		return -ENOENT;
	if (flags & PF_EXITING)
		return -ESRCH;
	if (!current->mm)
		return -ENOENT;
	/* A task that has not been to user space yet, before its first exec. */
	return user_mode(task_pt_regs(current)) ? 0 : -ENOENT;
}

static int req_join(struct lw_tracer *tracer, struct lw_slot *slot)
{
	u64 bit = BIT_ULL(tracer->id);
	u64 before = atomic64_fetch_or(bit, &slot->asked);

	if (!xchg(&slot->queued, 1)) {
		init_task_work(&slot->work, req_answer);
		lw_taskwork_queue(&slot->work);
	}
	if (before & bit)
		lw_tracer_count(tracer, LW_STAT_SHARED);
	return before != 0;
}

static void req_count_refusal(struct lw_tracer *tracer, int err)
{
	switch (err) {
	case -EBUSY:
		lw_tracer_count(tracer, LW_STAT_THROTTLED);
		break;
	case -ENOMEM:
		lw_tracer_count(tracer, LW_STAT_REFUSED_SLOTS);
		break;
	default:
		lw_tracer_count(tracer, LW_STAT_REFUSED_TASK);
	}
}

/**
 * lw_request - ask for the user stack of current
 * @tracer: gets one stack for the cookie
 * @regs: registers of the event, or NULL.  If they are user registers the
 *	stack is that of this instant, whatever the kernel does to the
 *	task's registers before it returns (a probed instruction emulated).
 * @may_refuse: if the task does nothing but walk its stack
 * @cookie: out: the stack's name
 *
 * Does not ask the tracer's filter.
 *
 * Context: any, NMI included.
 * Return: 0 if queued, 1 if a request of this kernel entry was pending, -ENOENT
 * (current has no user space), -ESRCH (it is exiting), -ENOMEM (no free slot in
 * its buckets), -EBUSY (throttled; only if @may_refuse).
 */
int lw_request(struct lw_tracer *tracer, struct pt_regs *regs, bool may_refuse,
	       struct lw_cookie *cookie)
{
	struct lw_slot *slot;
	int ret;

	ret = req_check_current();
	if (ret) {
		req_count_refusal(tracer, ret);
		return ret;
	}
	preempt_disable_notrace();
	slot = req_slot_for(tracer, may_refuse);
	ret = PTR_ERR_OR_ZERO(slot);
	if (!ret) {
		/* A uprobe may join what an NMI in its own entry has begun. */
		req_save_regs(slot, regs);
		*cookie = req_cookie_of(slot);
		ret = req_join(tracer, slot);
		lw_tracer_count(tracer, LW_STAT_REQUESTS);
	} else {
		req_count_refusal(tracer, ret);
	}
	preempt_enable_notrace();
	return ret;
}

/**
 * lw_request_user - what a record says of the user stack
 * @ret: what lw_request() returned
 *
 * Context: any.
 * Return: LW_USER_*.
 */
u32 lw_request_user(int ret)
{
	switch (ret) {
	case 0:
	case 1:
		return LW_USER_PENDING;
	case -ESRCH:
		return LW_USER_EXITING;
	case -ENOMEM:
		return LW_USER_NO_SLOT;
	case -EBUSY:
		return LW_USER_THROTTLED;
	default:
		return LW_USER_KTHREAD;
	}
}

/*
 * The depth of the walk for the tracers of @ids: the most that one of them wants, or 0 when
 * all of them are gone.  Tracers that take no guesses share the walk: up to the first guess
 * it is the same for them.
 */
static u32 req_depth_for(const struct lw_slot *slot, u64 ids)
{
	int lock = lw_tracers_lock();
	struct lw_tracer *tracer;
	u32 depth = 0;

	for (; ids; ids &= ids - 1) {
		tracer = lw_tracer_by_id(__ffs64(ids), slot->epoch);
		if (tracer)
			depth = max(depth, tracer->depth);
	}
	lw_tracers_unlock(lock);
	return depth;
}

static void req_count_frames(struct lw_tracer *tracer, u8 how, u32 nr)
{
	switch (how) {
	case LW_HOW_SFRAME:
	case LW_HOW_REGISTERED:
		lw_tracer_add(tracer, LW_STAT_FRAMES_SFRAME, nr);
		break;
	case LW_HOW_FP:
		lw_tracer_add(tracer, LW_STAT_FRAMES_FP, nr);
		break;
	case LW_HOW_SIGFRAME:
		lw_tracer_add(tracer, LW_STAT_FRAMES_SIGFRAME, nr);
		break;
	case LW_HOW_TABLE:
		lw_tracer_add(tracer, LW_STAT_FRAMES_TABLE, nr);
		break;
	}
}

static void req_count_stack(struct lw_tracer *tracer, const struct lw_stack *stack)
{
	const struct lw_frame_run *run = stack->runs;
	u32 i, nr;

	/* The topmost frame was not found by anything. */
	for (i = 0; i < stack->nr; i += nr, run++) {
		nr = min_t(u32, run->nr, stack->nr - i);
		req_count_frames(tracer, run->how, i ? nr : nr - 1);
	}
	if (stack->end == LW_END_OUTERMOST)
		lw_tracer_count(tracer, LW_STAT_OUTERMOST);
	else if (stack->end == LW_END_TRUNCATED)
		lw_tracer_count(tracer, LW_STAT_TRUNCATED);
	else if (stack->nr)
		lw_tracer_count(tracer, LW_STAT_LOST_WALKS);
	else
		lw_tracer_count(tracer, LW_STAT_NO_WALKS);
}

/* What a tracer gets of a walk: frames up to its depth, and to its first guess. */
static struct lw_stack req_stack_for(const struct lw_tracer *tracer,
				     const struct lw_walk *walk)
{
	struct lw_stack stack = {
		.frames = walk->frames,
		.how = walk->how,
		.runs = walk->runs,
		.nr = walk->nr,
		.end = walk->end,
		.time = walk->time,
	};
	u32 i;

	if (tracer->mask == LW_MASK_SFRAME) {
		for (i = 0; i < stack.nr && stack.how[i] != LW_HOW_FP; i++)
			;
		if (i < stack.nr || walk->end_how == LW_HOW_FP)
			stack.end = LW_END_NO_RULE;
		stack.nr = i;
	}
	if (stack.nr > tracer->depth) {
		stack.nr = tracer->depth;
		stack.end = LW_END_TRUNCATED;
	}
	return stack;
}

static void req_deliver_one(struct lw_tracer *tracer, const struct lw_slot *slot,
			    struct lw_walk *walk)
{
	struct lw_stack stack = req_stack_for(tracer, walk);
	struct lw_cookie cookie = req_cookie_of(slot);

	if (walk->is_new)
		lw_tracer_count(tracer, LW_STAT_WALKS);
	walk->is_new = false;
	if (tracer->deliver(tracer, &stack, &cookie)) {
		lw_tracer_count(tracer, LW_STAT_USER_STACKS);
		req_count_stack(tracer, &stack);
	} else {
		lw_tracer_count(tracer, LW_STAT_LOST_STACKS);
	}
}

static void req_deliver(const struct lw_slot *slot, struct lw_walk *walk, u64 ids,
			struct lw_after **after)
{
	struct lw_cookie cookie = req_cookie_of(slot);
	int lock = lw_tracers_lock();
	struct lw_tracer *tracer;

	for (; ids; ids &= ids - 1) {
		/* The one that asked or, if that is gone, none. */
		tracer = lw_tracer_by_id(__ffs64(ids), slot->epoch);
		if (!tracer)
			continue;
		req_deliver_one(tracer, slot, walk);
		if (tracer->collect)
			tracer->collect(tracer, &cookie, after);
	}
	lw_tracers_unlock(lock);
}

static struct lw_regs req_regs_of(const struct lw_slot *slot)
{
	if (!slot->has_regs)
		return lw_regs_of(task_pt_regs(current));
	return (struct lw_regs) {
		.ip = slot->ip,
		.sp = slot->sp,
		.fp = slot->fp,
		.syscall = slot->syscall,
		.compat = slot->compat,
	};
}

static void req_walk(struct lw_walk *walk, struct lw_slot *slot, u32 depth)
{
	struct lw_regs regs = req_regs_of(slot);

	walk->time = ktime_get_mono_fast_ns();
	if (!current->mm) {
		walk->end = LW_END_EXITED;
		return;
	}
	if (READ_ONCE(current->self_exec_id) != slot->exec_id) {
		walk->end = LW_END_EXEC;
		return;
	}
	lw_walk_prepare(walk, depth);
	/*
	 * In its exit a signal does not end a wait for a page, and all that
	 * have tracepoints would wait with us: take what is there.
	 */
	if (current->flags & PF_EXITING) {
		pagefault_disable();
		lw_unwind(walk, &regs);
		pagefault_enable();
	} else {
		lw_unwind(walk, &regs);
	}
	walk->is_new = true;
}

/* Return: who asked and is not in @answered, where they are from here on. */
static u64 req_claim(struct lw_slot *slot, u64 *answered)
{
	u64 ids = atomic64_read(&slot->asked) & ~*answered;

	*answered |= ids;
	return ids;
}

/* Is the walk too short for those who want it now? */
static bool req_must_walk(const struct lw_walk *walk, u32 depth)
{
	if (walk->end == LW_END_TRUNCATED)
		return walk->depth < depth;
	/* Given up as nobody wanted it, and then somebody came. */
	if (walk->end == LW_END_STOPPED)
		return !fatal_signal_pending(current);
	return !walk->end;
}

/* Walks for the tracers of @ids, unless an earlier walk is enough, and hands out the stack. */
static void req_serve(struct lw_slot *slot, struct lw_walk *walk, u64 ids,
		      struct lw_after **after)
{
	u32 depth = req_depth_for(slot, ids);

	if (!depth)
		return;
	if (req_must_walk(walk, depth))
		req_walk(walk, slot, depth);
	req_deliver(slot, walk, ids, after);
}

/* Nothing is locked, and no tracer's close() waits for what this waits for. */
static void req_run_after(const struct lw_slot *slot, struct lw_after *after)
{
	bool alive = current->mm && READ_ONCE(current->self_exec_id) == slot->exec_id;
	struct lw_after *next;

	for (; after; after = next) {
		next = after->next;
		after->run(after, alive);
	}
}

/*
 * May fault, except in the task's exit, and sleep, for tables too if it @may_wait.  What
 * requests meanwhile, our own page faults included, joins the slot.
 */
static void req_answer_slot(struct lw_slot *slot, bool may_wait)
{
	struct lw_walk walk = { .wanted = &slot->asked, .may_wait = may_wait };
	struct lw_after *after = NULL;
	bool closed = false;
	u64 answered = 0;
	u64 ids;

	for (;;) {
		ids = req_claim(slot, &answered);
		if (ids) {
			req_serve(slot, &walk, ids, &after);
		} else if (after) {
			req_run_after(slot, after);
			after = NULL;
		} else if (!closed) {
			lw_pool_close(slot);
			closed = true;
		} else {
			break;
		}
	}
	/* From lw_pool_close() on nothing that could be an event. */
	lw_walk_put(&walk);
	if (walk.time)
		lw_throttle_note(walk.time, walk.waited);
	/* Last: lw_request_exit() waits for this and then for our return. */
	lw_pool_release(slot);
}

/* On the task's way back to user space, or in its exit. */
static void req_answer(struct callback_head *work)
{
	req_answer_slot(container_of(work, struct lw_slot, work), true);
}

/**
 * lw_request_answer_now - answer current where it is
 *
 * Takes what is pending off current's list.  There it would be found when the task that
 * exits has no user space any more.  Tables are not waited for: the caller is a probe, and others
 * wait for that.
 *
 * Context: task, without locks, may sleep; not in an answer.
 */
void lw_request_answer_now(void)
{
	struct lw_slot *slot;

	preempt_disable_notrace();
	slot = lw_pool_find(current);
	preempt_enable_notrace();
	/* It is ours, and its segment stays, until its key is given back. */
	if (slot && lw_taskwork_cancel(current, &slot->work))
		req_answer_slot(slot, false);
}

static void req_forget(struct lw_slot *slot, void *arg)
{
	u64 bit = *(u64 *)arg;

	if (atomic64_read(&slot->asked) & bit)
		atomic64_andnot(bit, &slot->asked);
}

/**
 * lw_request_forget - a tracer is gone: it gets no stacks any more
 * @id: its bit; nobody requests for it any more
 *
 * Context: process, may sleep.
 */
void lw_request_forget(unsigned int id)
{
	u64 bit = BIT_ULL(id);

	lw_pool_each(req_forget, &bit);
}

/**
 * struct req_count - slots that hold a bit
 * @bit: which
 * @nr: how many
 */
struct req_count {
	u64	bit;
	u64	nr;
};

static void req_count_slot(struct lw_slot *slot, void *arg)
{
	struct req_count *count = arg;

	count->nr += !!(atomic64_read(&slot->asked) & count->bit);
}

/**
 * lw_request_pending - how many tasks owe a stack
 * @id: to the tracer of this bit
 *
 * A task counts until its stack was delivered, or dropped.
 *
 * Context: process, may sleep.
 * Return: tasks.
 */
u64 lw_request_pending(unsigned int id)
{
	struct req_count count = { .bit = BIT_ULL(id) };

	lw_pool_each(req_count_slot, &count);
	return count.nr;
}

/**
 * lw_request_init - before the first request
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int lw_request_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(cookie_counter, cpu) = cookie_start;
	return lw_pool_init();
}

/*
 * A task that a slot names has work of ours on its list or runs it, so it has
 * not finished exit_task_work() when we read its address; it is freed a grace
 * period after that at the earliest.
 */
static void req_cancel(struct lw_slot *slot, void *arg)
{
	struct task_struct *task;
	bool *idle = arg;

	rcu_read_lock();
	task = (struct task_struct *)(READ_ONCE(*slot->key) & ~LW_SLOT_CLOSED);
	if (!task)
		;
	else if (lw_taskwork_cancel(task, &slot->work))
		lw_pool_release(slot);
	else
		*idle = false;
	rcu_read_unlock();
}

static bool req_cancel_all(void)
{
	bool idle = true;

	lw_pool_each(req_cancel, &idle);
	return idle;
}

/**
 * lw_request_exit - cancel what is pending and free the pool
 *
 * No tracer is left.  Tasks that are blocked in the kernel with a request
 * pending lose it; those in the middle of a walk are waited for: a walk that
 * nobody wants any more stops at its next frame.
 *
 * Context: process, may sleep.
 */
void lw_request_exit(void)
{
	while (!req_cancel_all())
		msleep(20);
	/*
	 * A callback may have released its slot and still be at its last
	 * instructions, which are ours: wait until every task has been
	 * somewhere else.
	 */
	synchronize_rcu_tasks();
	lw_pool_exit();
}
