// SPDX-License-Identifier: GPL-2.0
/*
 * request.c - cookie and pending request of a task.
 *
 * A pending request is a slot of the pool, found by the task's address.  No allocation, no
 * lock.
 *
 * Who touches a slot:
 *   - Its task, in task context and in the softirqs, hardirqs and NMIs that interrupt it.
 *     These nest strictly: each runs to its end inside the context that it interrupted.  Only
 *     they take, fill, join, close and release a slot (but see lw_request_exit()).  So these
 *     steps have to be atomic, but need no lock and no barrier between CPUs; when the task
 *     migrates the scheduler orders them.
 *   - lw_request_pending() reads any slot, lw_request_forget() clears a bit in it.
 *   - lw_request_exit() cancels, when no tracer is left and nobody requests any more.
 *
 * Life of a slot:
 *   free		its key is 0 and all else is zero;
 *   taken	its key is the task.  @counter is 0 until a request has filled the slot.  A
 *		request that interrupts another one there fills the slot itself, and the
 *		interrupted one finds each step done and leaves it;
 *   queued	the callback is on the task's list; later requests of this kernel entry set
 *		their tracer's bit in @asked and get the same cookie;
 *   running	the callback claims bits, walks and delivers; requests (of our own page faults
 *		and of tracers' callbacks, too) still join and are answered by the same walk;
 *   closed	its key has LW_SLOT_CLOSED set: a later request takes a new slot.
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

/* Return: the open slot of current, or ERR_PTR(-EBUSY), ERR_PTR(-ENOMEM). */
static struct lw_slot *req_get_slot(bool may_refuse)
{
	struct lw_slot *slot = lw_pool_find(current);
	struct lw_slot *taken;

	if (slot)
		return slot;
	if (may_refuse && lw_throttle_refuses())
		return ERR_PTR(-EBUSY);
	taken = lw_pool_take(current);
	/* A request that interrupted us since the look-up may have filled another slot. */
	slot = lw_pool_find(current);
	if (taken && slot != taken)
		lw_pool_release(taken);
	return slot ?: ERR_PTR(-ENOMEM);
}

/*
 * Only the registers that the task came into the kernel with: a PMU may hand
 * out a copy of its own, with the ip of one instant and the sp of another.
 */
static void req_save_regs(struct lw_slot *slot, struct pt_regs *regs)
{
	if (READ_ONCE(slot->has_regs) || regs != task_pt_regs(current) || !user_mode(regs))
		return;
	slot->regs = lw_regs_of(regs);
	/* A request that interrupts us before this writes the same registers. */
	barrier();
	WRITE_ONCE(slot->has_regs, 1);
}

/* Gives the slot its cookie, unless a request that interrupted us has. */
static void req_fill(struct lw_slot *slot)
{
	u64 counter;

	if (READ_ONCE(slot->counter))
		return;
	WRITE_ONCE(slot->cpu, smp_processor_id());
	WRITE_ONCE(slot->exec_id, READ_ONCE(current->self_exec_id));
	do {
		counter = this_cpu_inc_return(cookie_counter);
	} while (!counter);
	cmpxchg(&slot->counter, 0, counter);
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
	/* We may interrupt the task while it changes other flags. */
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

static enum lw_stat req_stat_of(int ret)
{
	switch (ret) {
	case 0:
	case 1:
		return LW_STAT_REQUESTS;
	case -EBUSY:
		return LW_STAT_THROTTLED;
	case -ENOMEM:
		return LW_STAT_REFUSED_SLOTS;
	default:
		return LW_STAT_REFUSED_TASK;
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
	int ret = req_check_current();
	struct lw_slot *slot;

	preempt_disable_notrace();
	if (!ret) {
		slot = req_get_slot(may_refuse);
		ret = PTR_ERR_OR_ZERO(slot);
	}
	if (!ret) {
		req_fill(slot);
		/* A uprobe may join what an NMI in its own entry has begun. */
		req_save_regs(slot, regs);
		*cookie = req_cookie_of(slot);
		ret = req_join(tracer, slot);
	}
	lw_tracer_count(tracer, req_stat_of(ret));
	preempt_enable_notrace();
	return ret;
}

/**
 * lw_request_regs - where current was in user space when it entered the kernel
 * @regs: interrupted, of the kernel
 *
 * Context: any, NMI included.
 * Return: its registers, or NULL if it has no user space, is exiting, or may not have saved them
 * yet: x86 does so on the task's stack, from the top on, and an NMI may come in between.
 */
struct pt_regs *lw_request_regs(struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);
	unsigned long sp = kernel_stack_pointer(regs);

	if (req_check_current() || sp < (unsigned long)task_stack_page(current) ||
	    sp > (unsigned long)user)
		return NULL;
	return user;
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
 * The tracer that has set bit @id of @mask, which is @asked or @claimed of a slot, or NULL
 * if it is gone.
 *
 * A walk may sleep for long, and the bit may be another tracer's now. Then
 * lw_request_forget() has cleared the bit in all slots before the new tracer was published, so
 * a bit that is read after the tracer is that tracer's own.
 *
 * Context: between lw_tracers_lock() and lw_tracers_unlock().
 */
static struct lw_tracer *req_tracer(const atomic64_t *mask, unsigned int id)
{
	struct lw_tracer *tracer = lw_tracer_by_id(id);

	/* Pairs with rcu_assign_pointer() in lw_tracer_publish(). */
	smp_rmb();
	return tracer && atomic64_read(mask) & BIT_ULL(id) ? tracer : NULL;
}

/*
 * Claims the bits of tracers that have asked and were not claimed before.
 *
 * Return: their bits; out: the most frames that one of them wants.
 */
static u64 req_claim(struct lw_slot *slot, u32 *depth)
{
	u64 left = atomic64_read(&slot->asked) & ~atomic64_read(&slot->claimed);
	struct lw_tracer *tracer;
	u64 ids = 0;
	int lock;

	if (!left)
		return 0;
	*depth = 0;
	lock = lw_tracers_lock();
	for (; left; left &= left - 1) {
		tracer = req_tracer(&slot->asked, __ffs64(left));
		if (!tracer)
			continue;
		ids |= BIT_ULL(tracer->id);
		*depth = max(*depth, tracer->depth);
	}
	/* Before lw_tracers_unlock(), for which lw_request_forget() waits. */
	atomic64_or(ids, &slot->claimed);
	lw_tracers_unlock(lock);
	return ids;
}

/* No caller is found by LW_HOW_REGS. */
static const enum lw_stat req_stat_of_how[] = {
	[LW_HOW_SFRAME] = LW_STAT_FRAMES_SFRAME,
	[LW_HOW_REGISTERED] = LW_STAT_FRAMES_SFRAME,
	[LW_HOW_FP] = LW_STAT_FRAMES_FP,
	[LW_HOW_SIGFRAME] = LW_STAT_FRAMES_SIGFRAME,
	[LW_HOW_TABLE] = LW_STAT_FRAMES_TABLE,
	[LW_HOW_ANALYSIS] = LW_STAT_FRAMES_ANALYSIS,
};

static void req_count_stack(struct lw_tracer *tracer, const struct lw_stack *stack)
{
	const struct lw_frame_run *run = stack->runs;
	u32 i, nr;

	for (i = 0; i < stack->nr; i += nr, run++) {
		nr = min_t(u32, run->nr, stack->nr - i);
		/* Nothing found the topmost frame. */
		if (i || nr > 1)
			lw_tracer_add(tracer, req_stat_of_how[run->how], i ? nr : nr - 1);
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

static bool req_is_guess(u8 how)
{
	return how == LW_HOW_FP || how == LW_HOW_ANALYSIS;
}

/* The part of a walk that a tracer gets: up to its depth, and to its first guess. */
static struct lw_stack req_stack_for(const struct lw_tracer *tracer, const struct lw_walk *walk)
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
		for (i = 0; i < stack.nr && !req_is_guess(stack.how[i]); i++)
			;
		if (i < stack.nr || req_is_guess(walk->end_how))
			stack.end = LW_END_NO_RULE;
		stack.nr = i;
	}
	if (stack.nr > tracer->depth) {
		stack.nr = tracer->depth;
		stack.end = LW_END_TRUNCATED;
	}
	return stack;
}

static void req_deliver(struct lw_slot *slot, struct lw_walk *walk, u64 ids,
			struct lw_after **after)
{
	struct lw_cookie cookie = req_cookie_of(slot);
	int lock = lw_tracers_lock();
	struct lw_tracer *tracer;
	struct lw_stack stack;

	for (; ids; ids &= ids - 1) {
		tracer = req_tracer(&slot->claimed, __ffs64(ids));
		if (!tracer)
			continue;
		if (walk->is_new)
			lw_tracer_count(tracer, LW_STAT_WALKS);
		walk->is_new = false;
		stack = req_stack_for(tracer, walk);
		if (tracer->deliver(tracer, &stack, &cookie)) {
			lw_tracer_count(tracer, LW_STAT_USER_STACKS);
			req_count_stack(tracer, &stack);
		} else {
			lw_tracer_count(tracer, LW_STAT_LOST_STACKS);
		}
		if (tracer->collect)
			tracer->collect(tracer, &cookie, after);
	}
	lw_tracers_unlock(lock);
}

/* Has current the memory that it had at the request? */
static bool req_is_same_program(const struct lw_slot *slot)
{
	return current->mm && READ_ONCE(current->self_exec_id) == slot->exec_id;
}

static void req_walk(struct lw_walk *walk, struct lw_slot *slot, u32 depth)
{
	struct lw_regs regs = slot->has_regs ? slot->regs : lw_regs_of(task_pt_regs(current));

	walk->time = ktime_get_mono_fast_ns();
	if (!req_is_same_program(slot)) {
		walk->end = current->mm ? LW_END_EXEC : LW_END_EXITED;
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

/* Is there no walk yet, or is it too short for this depth? */
static bool req_must_walk(const struct lw_walk *walk, u32 depth)
{
	if (walk->end == LW_END_TRUNCATED)
		return walk->depth < depth;
	/* The walk stopped as all tracers were gone, and then another one asked. */
	if (walk->end == LW_END_STOPPED)
		return !fatal_signal_pending(current);
	return !walk->end;
}

/* No lock is held, and no tracer's close() waits for what this waits for. */
static void req_run_after(const struct lw_slot *slot, struct lw_after *after)
{
	bool alive = req_is_same_program(slot);
	struct lw_after *next;

	for (; after; after = next) {
		next = after->next;
		after->run(after, alive);
	}
}

/*
 * May sleep, and fault except in the task's exit; waits for tables if it @may_wait.  Requests
 * that hit meanwhile, in our own page faults too, join the slot.
 */
static void req_answer_slot(struct lw_slot *slot, bool may_wait)
{
	struct lw_walk walk = { .wanted = &slot->asked, .may_wait = may_wait };
	struct lw_after *after = NULL;
	bool closed = false;
	u32 depth;
	u64 ids;

	for (;;) {
		ids = req_claim(slot, &depth);
		if (ids) {
			if (req_must_walk(&walk, depth))
				req_walk(&walk, slot, depth);
			req_deliver(slot, &walk, ids, &after);
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
	/* After lw_pool_close() nothing here may be an event: it would ask for the next walk. */
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
 * Takes the pending request off current's list: when the exit runs the list, the task has no
 * user space any more.  Does not wait for tables: the caller is a probe, and others wait for it.
 *
 * Context: task, without locks, may sleep; not in an answer.
 */
void lw_request_answer_now(void)
{
	struct lw_slot *slot = lw_pool_find(current);

	if (slot && lw_taskwork_cancel(current, &slot->work))
		req_answer_slot(slot, false);
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
	unsigned int at = 0;
	struct lw_slot *slot;

	while ((slot = lw_pool_next(&at))) {
		if (!(atomic64_read(&slot->asked) & bit))
			continue;
		atomic64_andnot(bit, &slot->asked);
		atomic64_andnot(bit, &slot->claimed);
	}
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
	unsigned int at = 0;
	struct lw_slot *slot;
	u64 nr = 0;

	while ((slot = lw_pool_next(&at)))
		nr += !!(atomic64_read(&slot->asked) & BIT_ULL(id));
	return nr;
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

/* Return: false if a callback is still running. */
static bool req_cancel_all(void)
{
	struct task_struct *task;
	struct lw_slot *slot;
	unsigned int at = 0;
	bool idle = true;

	while ((slot = lw_pool_next(&at))) {
		/*
		 * A task that a slot names has work of ours on its list or runs it, so it
		 * has not finished exit_task_work() when we read its address; it is freed
		 * a grace period after that at the earliest.
		 */
		rcu_read_lock();
		task = (struct task_struct *)(READ_ONCE(*slot->key) & ~LW_SLOT_CLOSED);
		if (task && lw_taskwork_cancel(task, &slot->work))
			lw_pool_release(slot);
		else if (task)
			idle = false;
		rcu_read_unlock();
	}
	return idle;
}

/**
 * lw_request_exit - cancel pending requests and free the pool
 *
 * No tracer is left, and no probe runs.  Tasks that are blocked in the kernel with a request
 * pending lose it; tasks in the middle of a walk are waited for: a walk that
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
