// SPDX-License-Identifier: GPL-2.0
/*
 * request.c - cookie and pending state of a task.
 *
 * A module has no field in task_struct.  What is pending for a task is in a
 * slot of one global table, found by the task's address: a hash and a short
 * run of slots after it.  No allocation, no lock.
 *
 * Who touches a slot:
 *   - Its task, in task context and in whatever interrupts it (softirq,
 *     hardirq, NMI).  These nest strictly: each runs to its end inside the one
 *     that it interrupted.  A slot is taken, filled, joined, closed and
 *     released by them only (but see cancel), so that ordering them needs
 *     atomic steps, but no locks and no barriers between CPUs; when the task
 *     migrates the scheduler orders.
 *   - lw_request_forget(), lw_request_pending(), lw_request_ids_in_use(): look
 *     at any slot; the first clears one bit of @asked.
 *   - lw_request_exit(): cancels, when no session is left and so nobody
 *     requests any more.
 *
 * Life of a slot:
 *   free		task is NULL and all else is zero;
 *   taken	task is set.  @counter is 0 until the first request has given the
 *		cookie; one that interrupts it there helps, as each step is
 *		done by whoever comes first and then left alone;
 *   queued	the callback is on the task's list; later requests of this kernel
 *		entry add their session's bit and get the same cookie;
 *   running	the callback walks and delivers; requests (of our own page
 *		faults too) still join and are answered by the same walk;
 *   closed	task has CLOSED set: whoever asks now takes a new slot.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "compat/sched.h"
#include "request.h"
#include "session.h"
#include "taskwork.h"
#include "throttle.h"
#include "unwind.h"

#define SLOT_BITS	15
#define NR_SLOTS	BIT(SLOT_BITS)
/* Slots looked at from the hash on; a miss looks at all of them. */
#define WINDOW		32
/* Bit 0 of lw_slot.task; a task_struct is aligned to more. */
#define CLOSED		1UL

/**
 * struct lw_slot - what is pending for a task in this kernel entry
 * @task: struct task_struct and CLOSED
 * @work: on the task's list while queued
 * @asked: bit per session that gets this stack
 * @answered: those of @asked that the callback has seen to; a bit of a session
 *	that was closed stays until the slot is free, so that it is not given
 *	to another session meanwhile
 * @counter: the cookie's; 0 while the slot is being filled
 * @cpu: the cookie's
 * @exec_id: task->self_exec_id at the request
 * @queued: @work was handed to the task's list
 * @has_regs: @regs are the user registers at the request; else they are taken
 *	when the callback runs
 * @regs: see @has_regs
 */
struct lw_slot {
	unsigned long	task;
	struct callback_head work;
	atomic64_t	asked;
	u64		answered;
	u64		counter;
	u32		cpu;
	u32		exec_id;
	u8		queued;
	u8		has_regs;
	struct lw_regs	regs;
};

static_assert(LW_MAX_SESSIONS == 64);
/* What a pending request costs; documented in Documentation/design.rst. */
static_assert(sizeof(struct lw_slot) <= 128);

static struct lw_slot *slots;
/* Free running; with the CPU number a cookie that no other CPU can give. */
static DEFINE_PER_CPU(u64, cookie_counter);

static struct lw_slot *slot_at(const struct task_struct *task, unsigned int i)
{
	return &slots[(hash_ptr(task, SLOT_BITS) + i) & (NR_SLOTS - 1)];
}

/* The filled one if there is any, so that all find the same. */
static struct lw_slot *find_open(const struct task_struct *task)
{
	struct lw_slot *empty = NULL;
	unsigned int i;

	for (i = 0; i < WINDOW; i++) {
		struct lw_slot *slot = slot_at(task, i);

		if (READ_ONCE(slot->task) != (unsigned long)task)
			continue;
		if (READ_ONCE(slot->counter))
			return slot;
		empty = slot;
	}
	return empty;
}

static struct lw_slot *take_free(struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < WINDOW; i++) {
		struct lw_slot *slot = slot_at(task, i);

		/* Pairs with smp_store_release() in release(). */
		if (!READ_ONCE(slot->task) &&
		    !cmpxchg(&slot->task, 0, (unsigned long)task))
			return slot;
	}
	return NULL;
}

static void release(struct lw_slot *slot)
{
	atomic64_set(&slot->asked, 0);
	slot->answered = 0;
	slot->counter = 0;
	slot->queued = 0;
	slot->has_regs = 0;
	/* Pairs with cmpxchg() in take_free(): a free slot is clean. */
	smp_store_release(&slot->task, 0);
}

/* The slot of current, open, or ERR_PTR(-EBUSY), ERR_PTR(-ENOMEM). */
static struct lw_slot *get_slot(bool in_kernel)
{
	struct lw_slot *slot = find_open(current);
	struct lw_slot *taken;

	if (slot)
		return slot;
	if (in_kernel && lw_throttle_refuses())
		return ERR_PTR(-EBUSY);
	taken = take_free(current);
	/*
	 * Who interrupted us since we looked may have taken and filled one. If
	 * so that is it; nobody joined ours, as the filled one is preferred.
	 */
	slot = find_open(current);
	if (taken && slot != taken)
		release(taken);
	return slot ?: ERR_PTR(-ENOMEM);
}

/*
 * Only the registers that the task came into the kernel with: a PMU may hand
 * out a copy of its own, with the ip of one instant and the sp of another.
 */
static void save_regs(struct lw_slot *slot, struct pt_regs *regs)
{
	if (slot->has_regs || regs != task_pt_regs(current) || !user_mode(regs))
		return;
	slot->regs = lw_regs_of(regs);
	slot->has_regs = 1;
}

/* Gives the slot its cookie, unless who interrupted us has. */
static void fill(struct lw_slot *slot)
{
	u64 counter;

	if (READ_ONCE(slot->counter))
		return;
	slot->cpu = smp_processor_id();
	slot->exec_id = READ_ONCE(current->self_exec_id);
	do {
		counter = this_cpu_inc_return(cookie_counter);
	} while (!counter);
	cmpxchg(&slot->counter, 0, counter);
}

/* Return: -errno, or 0 if current has a user stack to come back to. */
static int check_current(void)
{
	if (current->flags & LW_COMPAT_PF_WORKERS)
		return -ENOENT;
	if (current->flags & PF_EXITING)
		return -ESRCH;
	if (!current->mm)
		return -ENOENT;
	/* A task that has not been to user space yet, before its first exec. */
	return user_mode(task_pt_regs(current)) ? 0 : -ENOENT;
}

static int join(struct lw_session *session, struct lw_slot *slot)
{
	u64 bit = BIT_ULL(session->id);
	u64 before = atomic64_fetch_or(bit, &slot->asked);

	if (!xchg(&slot->queued, 1))
		lw_taskwork_queue(&slot->work);
	if (before & bit)
		lw_session_count(session, LW_STAT_SHARED);
	return before != 0;
}

/**
 * lw_request - ask for the user stack of current
 * @session: gets one USER_STACK for the cookie
 * @regs: registers of the event, or NULL.  If they are user registers the
 *	stack is that of this instant, whatever the kernel does to the
 *	task's registers before it returns (a probed instruction emulated).
 * @cookie: out: the stack's name
 *
 * Context: any, NMI included.
 * Return: 0 if queued, 1 if a request of this kernel entry was pending, -ENOENT
 * (current has no user space), -ESRCH (it is exiting), -ENOMEM (no free slot
 * near its hash), -EBUSY (throttled; never without @regs).
 */
int lw_request(struct lw_session *session, struct pt_regs *regs,
	       struct lw_cookie *cookie)
{
	struct lw_slot *slot;
	int ret;

	ret = check_current();
	if (ret) {
		lw_session_count(session, LW_STAT_REFUSED_TASK);
		return ret;
	}
	preempt_disable_notrace();
	slot = get_slot(regs && !user_mode(regs));
	ret = PTR_ERR_OR_ZERO(slot);
	if (!ret) {
		fill(slot);
		/* A uprobe may join what an NMI in its own entry has begun. */
		save_regs(slot, regs);
		*cookie = (struct lw_cookie) {
			.counter = slot->counter,
			.cpu = slot->cpu,
		};
		ret = join(session, slot);
		lw_session_count(session, LW_STAT_REQUESTS);
	} else {
		lw_session_count(session, ret == -EBUSY ? LW_STAT_THROTTLED :
				 LW_STAT_REFUSED_SLOTS);
	}
	preempt_enable_notrace();
	return ret;
}

static void close(struct lw_slot *slot)
{
	WRITE_ONCE(slot->task, slot->task | CLOSED);
	barrier();
}

static u32 depth_of(u64 ids)
{
	struct lw_session *session;
	u32 depth = 0;

	rcu_read_lock();
	for (; ids; ids &= ids - 1) {
		session = lw_session_by_id(__ffs64(ids));
		if (session)
			depth = max(depth, session->depth);
	}
	rcu_read_unlock();
	return depth;
}

static void fill_record(struct lw_user_stack *record, struct lw_slot *slot,
			const struct lw_walk *walk, u32 nr, u32 end)
{
	u8 *how = (u8 *)(record->frames + nr);

	record->cookie = (struct lw_cookie) {
		.counter = slot->counter,
		.cpu = slot->cpu,
	};
	record->time = walk->time;
	record->nr = nr;
	record->end = end;
	memcpy(record->frames, walk->frames, nr * sizeof(u64));
	memcpy(how, walk->how, nr);
	memset(how + nr, 0, round_up(nr, 8) - nr);
}

static void count_walk(struct lw_session *session, const struct lw_walk *walk,
		       u32 nr, u32 end)
{
	u32 by_how[LW_HOW_SIGFRAME + 1] = {};
	u32 i;

	for (i = 0; i < nr; i++)
		by_how[walk->how[i]]++;
	lw_session_add(session, LW_STAT_FRAMES_SFRAME, by_how[LW_HOW_SFRAME]);
	lw_session_add(session, LW_STAT_FRAMES_FP, by_how[LW_HOW_FP]);
	lw_session_add(session, LW_STAT_FRAMES_SIGFRAME,
		       by_how[LW_HOW_SIGFRAME]);
	if (end == LW_END_OUTERMOST)
		lw_session_count(session, LW_STAT_OUTERMOST);
	else if (end == LW_END_TRUNCATED)
		lw_session_count(session, LW_STAT_TRUNCATED);
	else if (nr)
		lw_session_count(session, LW_STAT_LOST_WALKS);
	else
		lw_session_count(session, LW_STAT_NO_WALKS);
}

static void deliver_one(struct lw_session *session, struct lw_slot *slot,
			const struct lw_walk *walk)
{
	u32 nr = min(walk->nr, session->depth);
	u32 end = nr < walk->nr ? LW_END_TRUNCATED : walk->end;
	struct lw_user_stack *record;
	struct lw_ring *ring;
	u32 len = struct_size(record, frames, nr) + round_up(nr, 8);

	preempt_disable();
	record = lw_session_reserve(session, &ring, len,
				    LW_RECORD_USER_STACK, 0);
	if (record) {
		fill_record(record, slot, walk, nr, end);
		record->pid = task_tgid_nr_ns(current, session->pid_ns);
		record->tid = task_pid_nr_ns(current, session->pid_ns);
		lw_session_commit(session, ring, record);
		count_walk(session, walk, nr, end);
	}
	preempt_enable();
}

static void deliver(struct lw_slot *slot, const struct lw_walk *walk, u64 ids)
{
	struct lw_session *session;

	rcu_read_lock();
	for (; ids; ids &= ids - 1) {
		/* The one that asked or, if that is closed, none. */
		session = lw_session_by_id(__ffs64(ids));
		if (session)
			deliver_one(session, slot, walk);
	}
	rcu_read_unlock();
}

static void walk_slot(struct lw_walk *walk, struct lw_slot *slot, u32 depth)
{
	struct lw_regs regs;

	walk->time = ktime_get_mono_fast_ns();
	if ((current->flags & PF_EXITING) || !current->mm) {
		walk->end = LW_END_EXITED;
		return;
	}
	if (READ_ONCE(current->self_exec_id) != slot->exec_id) {
		walk->end = LW_END_EXEC;
		return;
	}
	if (slot->has_regs)
		regs = slot->regs;
	else
		regs = lw_regs_of(task_pt_regs(current));
	lw_walk_prepare(walk, depth);
	lw_unwind(walk, &regs);
}

/*
 * Who asked and was not seen to yet. From here on their bits are not given to
 * other sessions.
 */
static u64 claim_ids(struct lw_slot *slot)
{
	u64 ids = atomic64_read(&slot->asked) & ~slot->answered;
	u64 gone;

	WRITE_ONCE(slot->answered, slot->answered | ids);
	/* Pairs with smp_mb() in lw_request_forget(). */
	smp_mb();
	gone = ids & ~atomic64_read(&slot->asked);
	WRITE_ONCE(slot->answered, slot->answered & ~gone);
	return ids & ~gone;
}

/* Is the walk too short for those who want it now? */
static bool must_walk(const struct lw_walk *walk, u32 depth)
{
	if (walk->end == LW_END_TRUNCATED)
		return walk->depth < depth;
	/* Given up as nobody wanted it, and then somebody came. */
	if (walk->end == LW_END_STOPPED)
		return !fatal_signal_pending(current);
	return !walk->end;
}

/*
 * On the task's way back to user space, or in its exit.  May fault and sleep.
 * What requests meanwhile, our own page faults included, joins the slot.
 */
static void answer(struct callback_head *work)
{
	struct lw_slot *slot = container_of(work, struct lw_slot, work);
	struct lw_walk walk = { .wanted = &slot->asked };
	bool closed = false;
	u64 ids;

	for (;;) {
		ids = claim_ids(slot);
		if (ids) {
			u32 depth = depth_of(ids);

			if (depth && must_walk(&walk, depth))
				walk_slot(&walk, slot, depth);
			deliver(slot, &walk, ids);
		} else if (!closed) {
			close(slot);
			closed = true;
		} else {
			break;
		}
	}
	/* From close() on nothing that could be an event. */
	lw_walk_put(&walk);
	if (walk.time)
		lw_throttle_note(walk.time);
	/* Last: lw_request_exit() waits for this and then for our return. */
	release(slot);
}

/**
 * lw_request_forget - a session is gone: it gets no stacks any more
 * @id: its bit; nobody requests for it any more
 *
 * Context: process, may sleep.
 */
void lw_request_forget(unsigned int id)
{
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++) {
		if (atomic64_read(&slots[i].asked) & BIT_ULL(id))
			atomic64_andnot(BIT_ULL(id), &slots[i].asked);
		if (!(i % 1024))
			cond_resched();
	}
	/* Pairs with smp_mb() in claim_ids(): cleared, then in use or not. */
	smp_mb();
}

/**
 * lw_request_ids_in_use - bits that a slot still holds
 *
 * Of a session for which lw_request_forget() has returned, a callback that is
 * in its walk may hold the bit.
 *
 * Context: process, may sleep.
 * Return: the bits.
 */
u64 lw_request_ids_in_use(void)
{
	unsigned int i;
	u64 ids = 0;

	for (i = 0; i < NR_SLOTS; i++) {
		ids |= atomic64_read(&slots[i].asked) |
		       READ_ONCE(slots[i].answered);
		if (!(i % 1024))
			cond_resched();
	}
	return ids;
}

/**
 * lw_request_pending - how many tasks owe a stack
 * @id: to the session of this bit
 *
 * A task counts until its stack is in the ring, or was dropped from it.
 *
 * Context: process, may sleep.
 * Return: tasks.
 */
u64 lw_request_pending(unsigned int id)
{
	unsigned int i;
	u64 nr = 0;

	for (i = 0; i < NR_SLOTS; i++) {
		nr += !!(atomic64_read(&slots[i].asked) & BIT_ULL(id));
		if (!(i % 1024))
			cond_resched();
	}
	return nr;
}

/**
 * lw_request_init - make the table
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int lw_request_init(void)
{
	unsigned int i;

	slots = vzalloc(array_size(NR_SLOTS, sizeof(*slots)));
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < NR_SLOTS; i++)
		init_task_work(&slots[i].work, answer);
	return 0;
}

/*
 * A task that a slot names has work of ours on its list or runs it, so it has
 * not finished exit_task_work() when we read its address; it is freed a grace
 * period after that at the earliest.
 */
static bool cancel(struct lw_slot *slot)
{
	struct task_struct *task;
	bool idle = true;

	rcu_read_lock();
	task = (struct task_struct *)(READ_ONCE(slot->task) & ~CLOSED);
	if (task) {
		idle = lw_taskwork_cancel(task, &slot->work);
		if (idle)
			release(slot);
	}
	rcu_read_unlock();
	return idle;
}

static bool cancel_all(void)
{
	bool idle = true;
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++)
		idle &= cancel(&slots[i]);
	return idle;
}

/**
 * lw_request_exit - cancel what is pending and free the table
 *
 * No session is left.  Tasks that are blocked in the kernel with a request
 * pending lose it; those in the middle of a walk are waited for: a walk that
 * nobody wants any more stops at its next frame.
 *
 * Context: process, may sleep.
 */
void lw_request_exit(void)
{
	while (!cancel_all())
		msleep(20);
	/*
	 * A callback may have released its slot and still be at its last
	 * instructions, which are ours: wait until every task has been
	 * somewhere else.
	 */
	synchronize_rcu_tasks();
	vfree(slots);
}
