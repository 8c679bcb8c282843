// SPDX-License-Identifier: GPL-2.0
/*
 * session.c - one open file of /dev/latewind.
 *
 * Lifetime: made by open(), gone with the last close().  Event handlers and
 * the delivery of user stacks use a session inside an RCU read-side section
 * (handlers run with preemption off, NMI included); destroying one unpublishes
 * it, waits for RCU, and only then takes its bit out of all pending slots.  The
 * bit is given to another session when no slot holds it any more, so that a bit
 * never means two sessions to one slot.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "event_perf.h"
#include "request.h"
#include "session.h"

/* protected by sessions_lock for writing, RCU for reading */
static struct lw_session __rcu *sessions[LW_MAX_SESSIONS];
/* bits in use, which outlive the pointer above; protected by sessions_lock */
static u64 ids;
/* bits not in use that slots may still hold; protected by sessions_lock */
static u64 stale_ids;
static DEFINE_MUTEX(sessions_lock);

/* Return: a bit that no slot holds, or -EMFILE. */
static int take_id(void)
{
	int id;

	lockdep_assert_held(&sessions_lock);
	if (!~(ids | stale_ids))
		stale_ids &= lw_request_ids_in_use();
	if (!~(ids | stale_ids))
		return -EMFILE;
	id = __ffs64(~(ids | stale_ids));
	ids |= BIT_ULL(id);
	return id;
}

static int publish(struct lw_session *session)
{
	int id;

	mutex_lock(&sessions_lock);
	id = take_id();
	if (id >= 0) {
		session->id = id;
		rcu_assign_pointer(sessions[id], session);
	}
	mutex_unlock(&sessions_lock);
	return id < 0 ? id : 0;
}

static void unpublish(struct lw_session *session)
{
	mutex_lock(&sessions_lock);
	RCU_INIT_POINTER(sessions[session->id], NULL);
	mutex_unlock(&sessions_lock);
	synchronize_rcu();
	lw_request_forget(session->id);
	mutex_lock(&sessions_lock);
	ids &= ~BIT_ULL(session->id);
	stale_ids |= BIT_ULL(session->id);
	mutex_unlock(&sessions_lock);
}

/**
 * lw_session_by_id - the session that a slot's bit means
 * @id: below LW_MAX_SESSIONS
 *
 * Context: RCU read-side section.
 * Return: the session, or NULL if it was closed.
 */
struct lw_session *lw_session_by_id(unsigned int id)
{
	return rcu_dereference(sessions[id]);
}

/**
 * lw_session_create - make a session for the calling process
 *
 * Context: process, may sleep.
 * Return: the session, or ERR_PTR(-ENOMEM), ERR_PTR(-EMFILE) when there are
 * LW_MAX_SESSIONS already.
 */
struct lw_session *lw_session_create(void)
{
	struct lw_session *session;
	int ret;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return ERR_PTR(-ENOMEM);
	session->counters = alloc_percpu_gfp(struct lw_counters,
					     GFP_KERNEL_ACCOUNT);
	if (!session->counters) {
		ret = -ENOMEM;
		goto err_free_session;
	}
	mutex_init(&session->lock);
	INIT_LIST_HEAD(&session->events);
	init_waitqueue_head(&session->waiters.queue);
	session->pid_ns = get_pid_ns(task_active_pid_ns(current));
	ret = publish(session);
	if (ret)
		goto err_put_ns;
	return session;

err_put_ns:
	put_pid_ns(session->pid_ns);
	free_percpu(session->counters);
err_free_session:
	kfree(session);
	return ERR_PTR(ret);
}

static void free_rings(struct lw_ring *rings)
{
	int cpu;

	if (!rings)
		return;
	for_each_possible_cpu(cpu)
		lw_ring_destroy(&rings[cpu]);
	kvfree(rings);
}

/**
 * lw_session_destroy - the last close()
 * @session: nobody else calls into it
 *
 * Stacks still owed to it are not delivered; their tasks go on.
 *
 * Context: process, may sleep.
 */
void lw_session_destroy(struct lw_session *session)
{
	WRITE_ONCE(session->enabled, false);
	lw_event_release_all(session);
	unpublish(session);
	free_rings(session->rings);
	put_pid_ns(session->pid_ns);
	free_percpu(session->counters);
	mutex_destroy(&session->lock);
	kfree(session);
}

static int check_setup(const struct lw_setup *setup, unsigned long *size,
		       unsigned long *watermark)
{
	if (setup->flags || setup->reserved || setup->depth > LW_MAX_DEPTH ||
	    setup->kernel_depth > LW_MAX_KERNEL_DEPTH)
		return -EINVAL;
	*size = LW_RING_DEFAULT;
	if (setup->ring_size) {
		if (setup->ring_size < LW_RING_MIN ||
		    setup->ring_size > LW_RING_MAX ||
		    !is_power_of_2(setup->ring_size))
			return -EINVAL;
		*size = setup->ring_size;
	}
	*watermark = setup->watermark ?: *size / 8;
	return *watermark > *size / 2 ? -EINVAL : 0;
}

static struct lw_ring *make_rings(struct lw_session *session,
				  unsigned long size, unsigned long watermark)
{
	struct lw_ring *rings;
	int cpu, ret;

	rings = kvcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL_ACCOUNT);
	if (!rings)
		return ERR_PTR(-ENOMEM);
	for_each_possible_cpu(cpu) {
		ret = lw_ring_init(&rings[cpu], cpu, size, watermark,
				   &session->waiters);
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		if (ret) {
			free_rings(rings);
			return ERR_PTR(ret);
		}
	}
	return rings;
}

/**
 * lw_session_setup - LW_IOC_SETUP
 * @session: of the caller
 * @setup: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EBUSY (done before), -ENOMEM, -EINTR (killed).
 */
int lw_session_setup(struct lw_session *session, const struct lw_setup *setup)
{
	unsigned long size, watermark;
	struct lw_ring *rings;
	int ret;

	ret = check_setup(setup, &size, &watermark);
	if (ret)
		return ret;
	mutex_lock(&session->lock);
	ret = -EBUSY;
	if (session->rings)
		goto out;
	rings = make_rings(session, size, watermark);
	ret = PTR_ERR_OR_ZERO(rings);
	if (ret)
		goto out;
	session->depth = setup->depth ?: LW_DEFAULT_DEPTH;
	session->kernel_depth = setup->kernel_depth;
	/* Pairs with smp_load_acquire() in lw_session_is_set_up(). */
	smp_store_release(&session->rings, rings);
out:
	mutex_unlock(&session->lock);
	return ret;
}

/**
 * lw_session_is_set_up - are there rings
 * @session: any
 *
 * Context: any.
 * Return: true after a LW_IOC_SETUP that worked.
 */
bool lw_session_is_set_up(const struct lw_session *session)
{
	/* Pairs with smp_store_release() in lw_session_setup(). */
	return smp_load_acquire(&session->rings);
}

/**
 * lw_session_enable - LW_IOC_ENABLE, LW_IOC_DISABLE
 * @session: of the caller
 * @enable: which
 *
 * Context: process, may sleep.
 * Return: 0, -EBADFD (no rings), -ENOENT (no event), -EALREADY.
 */
int lw_session_enable(struct lw_session *session, bool enable)
{
	int ret = 0;

	if (!lw_session_is_set_up(session))
		return -EBADFD;
	mutex_lock(&session->lock);
	if (list_empty(&session->events))
		ret = -ENOENT;
	else if (session->enabled == enable)
		ret = -EALREADY;
	if (ret)
		goto out;
	WRITE_ONCE(session->enabled, enable);
	lw_event_enable_all(session, enable);
	/* When disabled: a handler that saw enabled has written its sample. */
	if (!enable)
		synchronize_rcu();
out:
	mutex_unlock(&session->lock);
	return ret;
}

static u64 sum(struct lw_session *session, enum lw_stat stat)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += per_cpu_ptr(session->counters, cpu)->n[stat];
	return total;
}

/**
 * lw_session_stats - LW_IOC_STATS
 * @session: of the caller
 * @stats: out: all but size and flags
 *
 * Context: process, may sleep.
 */
void lw_session_stats(struct lw_session *session, struct lw_stats *stats)
{
	stats->samples = sum(session, LW_STAT_SAMPLES);
	stats->requests = sum(session, LW_STAT_REQUESTS);
	stats->shared = sum(session, LW_STAT_SHARED);
	stats->refused_task = sum(session, LW_STAT_REFUSED_TASK);
	stats->refused_slots = sum(session, LW_STAT_REFUSED_SLOTS);
	stats->user_stacks = sum(session, LW_STAT_USER_STACKS);
	stats->pending = lw_request_pending(session->id);
	stats->outermost = sum(session, LW_STAT_OUTERMOST);
	stats->truncated = sum(session, LW_STAT_TRUNCATED);
	stats->lost_walks = sum(session, LW_STAT_LOST_WALKS);
	stats->no_walks = sum(session, LW_STAT_NO_WALKS);
	stats->frames_sframe = sum(session, LW_STAT_FRAMES_SFRAME);
	stats->frames_fp = sum(session, LW_STAT_FRAMES_FP);
	stats->frames_sigframe = sum(session, LW_STAT_FRAMES_SIGFRAME);
	stats->lost_full = sum(session, LW_STAT_LOST_FULL);
	stats->lost_big = sum(session, LW_STAT_LOST_BIG);
	stats->lost_nested = sum(session, LW_STAT_LOST_NESTED);
	stats->lost_stacks = sum(session, LW_STAT_LOST_STACKS);
	stats->throttled = sum(session, LW_STAT_THROTTLED);
}

/**
 * lw_session_poll - poll() on the session
 * @session: of the caller
 * @file: its file
 * @wait: poll table
 *
 * Context: process.
 * Return: EPOLLIN when a ring is filled to its watermark, EPOLLERR before
 * LW_IOC_SETUP.
 */
__poll_t lw_session_poll(struct lw_session *session, struct file *file,
			 poll_table *wait)
{
	int cpu;

	if (!lw_session_is_set_up(session))
		return EPOLLERR;
	poll_wait(file, &session->waiters.queue, wait);
	WRITE_ONCE(session->waiters.armed, 1);
	/* Pairs with smp_mb() in lw_ring_commit(): readable, then armed. */
	smp_mb();
	for_each_possible_cpu(cpu)
		if (lw_ring_readable(&session->rings[cpu]))
			return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/**
 * lw_session_reserve - room for a record in this CPU's ring
 * @session: has rings
 * @ring: out: where it is
 * @len: bytes, a multiple of 8
 * @type: LW_RECORD_*
 * @flags: the record's
 *
 * Drops are counted.
 *
 * Context: any, NMI included; preemption off.
 * Return: the record, for lw_session_commit(), or NULL.
 */
void *lw_session_reserve(struct lw_session *session, struct lw_ring **ring,
			 u32 len, u16 type, u16 flags)
{
	enum lw_ring_drop why;
	void *record;

	*ring = &session->rings[smp_processor_id()];
	record = lw_ring_reserve(*ring, len, type, flags, &why);
	if (record)
		return record;
	lw_session_count(session, why == LW_DROP_BIG ? LW_STAT_LOST_BIG :
			 LW_STAT_LOST_FULL);
	if (type == LW_RECORD_USER_STACK)
		lw_session_count(session, LW_STAT_LOST_STACKS);
	return NULL;
}

/**
 * lw_session_commit - hand a record to the reader
 * @session: as for lw_session_reserve()
 * @ring: as it gave
 * @record: as it returned
 *
 * Context: any.
 */
void lw_session_commit(struct lw_session *session, struct lw_ring *ring,
		       void *record)
{
	const struct lw_record *header = record;

	lw_session_count(session, header->type == LW_RECORD_SAMPLE ?
			 LW_STAT_SAMPLES : LW_STAT_USER_STACKS);
	lw_ring_commit(ring, record);
}
