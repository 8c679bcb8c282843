// SPDX-License-Identifier: GPL-2.0
/*
 * session.c - one open file of /dev/latewind: a tracer with events and rings.
 *
 * Lifetime: made by open(), gone with the last close().  Event handlers use a
 * session inside an RCU read-side section (they run with preemption off, NMI
 * included), the delivery of user stacks inside lw_tracers_lock().  Destroying a session
 * ends its events first, then its tracer.
 */
#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "compat/perf.h"
#include "session.h"
#include "unwind/registered.h"
#include "unwind/unwind.h"

static struct lw_session *session_of(struct lw_tracer *tracer)
{
	return container_of(tracer, struct lw_session, tracer);
}

static bool session_ask_filter(struct lw_tracer *tracer)
{
	struct lw_filter_set *filter;
	bool wanted;

	preempt_disable_notrace();
	filter = rcu_dereference_sched(session_of(tracer)->filter);
	wanted = !filter || lw_filter_wants(filter);
	preempt_enable_notrace();
	return wanted;
}

static u32 session_count_runs(const struct lw_stack *stack)
{
	u32 i, nr = 0;

	for (i = 0; i < stack->nr; i += stack->runs[nr++].nr)
		;
	return nr;
}

/* Four at a time, as this is done for each frame of each stack. */
static void session_copy_low(u32 *low, const u64 *frames, u32 nr)
{
	u32 i;

	for (i = 0; i + 4 <= nr; i += 4) {
		low[i] = lower_32_bits(frames[i]);
		low[i + 1] = lower_32_bits(frames[i + 1]);
		low[i + 2] = lower_32_bits(frames[i + 2]);
		low[i + 3] = lower_32_bits(frames[i + 3]);
	}
	for (; i < nr; i++)
		low[i] = lower_32_bits(frames[i]);
	/* A record is a multiple of 8 bytes. */
	if (nr % 2)
		low[nr] = 0;
}

static void session_fill_record(struct lw_user_stack *record, const struct lw_stack *stack,
				u32 nr_runs)
{
	u32 i, nr, left = stack->nr;

	record->time = stack->time;
	record->nr = stack->nr;
	record->nr_runs = nr_runs;
	record->end = stack->end;
	record->reserved = 0;
	for (i = 0; i < nr_runs; i++) {
		nr = min_t(u32, left, stack->runs[i].nr);
		record->runs[i] = stack->runs[i];
		record->runs[i].nr = nr;
		left -= nr;
	}
	session_copy_low((u32 *)&record->runs[nr_runs], stack->frames, stack->nr);
}

/* The tracer's callback.  Return: false if the ring had no room. */
static bool session_write_stack(struct lw_tracer *tracer, const struct lw_stack *stack,
				const struct lw_cookie *cookie)
{
	struct lw_session *session = session_of(tracer);
	struct lw_user_stack *record;
	struct lw_ring *ring;
	u32 nr_runs = session_count_runs(stack);
	u32 len = struct_size(record, runs, nr_runs) +
		  round_up(stack->nr * sizeof(u32), 8);

	preempt_disable();
	record = lw_session_reserve(session, &ring, len, LW_RECORD_USER_STACK,
				    0);
	if (record) {
		session_fill_record(record, stack, nr_runs);
		record->cookie = *cookie;
		record->pid = lw_session_tgid(session);
		record->tid = lw_session_pid(session);
		lw_ring_commit(ring, record);
	}
	preempt_enable();
	return record;
}

static void session_collect(struct lw_tracer *tracer, const struct lw_cookie *cookie,
			    struct lw_after **list)
{
	lw_session_ops.collect(session_of(tracer), cookie, list);
}

/**
 * lw_session_create - make a session for the calling process
 *
 * Context: process, may sleep.
 * Return: the session, or ERR_PTR(-ENOMEM), ERR_PTR(-EMFILE) when there are
 * LW_MAX_TRACERS already.
 */
struct lw_session *lw_session_create(void)
{
	struct lw_session *session;
	int ret;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return ERR_PTR(-ENOMEM);
	kref_init(&session->ref);
	mutex_init(&session->lock);
	INIT_LIST_HEAD(&session->events);
	INIT_LIST_HEAD(&session->hears);
	init_waitqueue_head(&session->waiters.queue);
	session->pid_ns = get_pid_ns(task_active_pid_ns(current));
	session->tracer.filter = session_ask_filter;
	session->tracer.deliver = session_write_stack;
	session->tracer.collect = session_collect;
	ret = lw_tracer_publish(&session->tracer);
	if (!ret) {
		lw_session_ops.make(session);
		return session;
	}
	put_pid_ns(session->pid_ns);
	mutex_destroy(&session->lock);
	kfree(session);
	return ERR_PTR(ret);
}

static void session_free_rings(struct lw_ring *rings)
{
	int cpu;

	if (!rings)
		return;
	for_each_possible_cpu(cpu)
		lw_ring_destroy(&rings[cpu]);
	kvfree(rings);
}

/*
 * The rings' pages count as locked memory of the caller.  Return: 0, or -EPERM when the limit
 * does not allow them.
 */
static int session_charge_rings(struct lw_session *session, unsigned long size)
{
	unsigned long pages = lw_ring_pages(size) * num_possible_cpus();

	if (account_locked_vm(current->mm, pages, true))
		return -EPERM;
	session->charged = pages;
	session->mm = current->mm;
	mmgrab(session->mm);
	return 0;
}

static void session_uncharge_rings(struct lw_session *session)
{
	if (!session->mm)
		return;
	account_locked_vm(session->mm, session->charged, false);
	mmdrop(session->mm);
	session->mm = NULL;
}

static void session_free(struct kref *ref)
{
	struct lw_session *session = container_of(ref, struct lw_session, ref);

	lw_session_ops.free(session);
	lw_filter_free(rcu_dereference_protected(session->filter, true));
	session_free_rings(session->rings);
	put_pid_ns(session->pid_ns);
	free_percpu(session->tracer.counters);
	mutex_destroy(&session->lock);
	kfree(session);
}

/**
 * lw_session_put - give back what lw_session_get() took
 * @session: not to be used after that
 *
 * Context: task, may sleep.
 */
void lw_session_put(struct lw_session *session)
{
	kref_put(&session->ref, session_free);
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
	bool had_rows;

	WRITE_ONCE(session->enabled, false);
	lw_missing_release(&session->missing);
	lw_session_ops.release(session);
	/* What each CPU knows of mappings holds tables and sections. */
	had_rows = session->tables.nr;
	had_rows |= lw_registry_release(session);
	/* Before the tracer's bit, by which tables know their owners, is given to another. */
	lw_tables_release(&session->tables);
	lw_tracer_unpublish(&session->tracer);
	if (had_rows)
		lw_unwind_forget();
	/* Not in session_free(), which a probe may call: this takes the maker's mmap_lock. */
	session_uncharge_rings(session);
	lw_session_put(session);
}

/* Return: bytes of the longest USER_STACK: each frame is a run.  No SAMPLE is longer. */
static unsigned long session_stack_most(u32 depth)
{
	struct lw_user_stack *record;

	static_assert(sizeof(struct lw_sample) + (LW_MAX_KERNEL_DEPTH + 1) * 8 <= 4096 / 2);
	return struct_size(record, runs, depth) + round_up(depth * sizeof(u32), 8);
}

static int session_check_setup(const struct lw_setup *setup, unsigned long *size,
			       unsigned long *watermark)
{
	if (setup->flags & ~LW_SETUP_FLAGS || setup->depth > LW_MAX_DEPTH ||
	    setup->kernel_depth > LW_MAX_KERNEL_DEPTH ||
	    setup->mask & ~LW_MASK_SFRAME)
		return -EINVAL;
	*size = LW_RING_DEFAULT;
	if (setup->ring_size) {
		if (setup->ring_size < LW_RING_MIN ||
		    setup->ring_size > LW_RING_MAX ||
		    !is_power_of_2(setup->ring_size))
			return -EINVAL;
		*size = setup->ring_size;
	}
	if (setup->flags & LW_SETUP_OVERWRITE && setup->watermark)
		return -EINVAL;
	*watermark = setup->watermark ?: *size / 8;
	if (*watermark > *size / 2)
		return -EINVAL;
	/* The ring takes no longer record. */
	return session_stack_most(setup->depth ?: LW_DEFAULT_DEPTH) > *size / 2 ? -ENOSPC : 0;
}

static struct lw_ring *session_make_rings(struct lw_session *session,
					  unsigned long size, unsigned long watermark,
					  bool overwrite)
{
	struct lw_ring *rings;
	int cpu, ret;

	rings = kvcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL_ACCOUNT);
	if (!rings)
		return ERR_PTR(-ENOMEM);
	for_each_possible_cpu(cpu) {
		ret = lw_ring_init(&rings[cpu], cpu, size, watermark, overwrite,
				   &session->waiters);
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		if (ret) {
			session_free_rings(rings);
			return ERR_PTR(ret);
		}
	}
	return rings;
}

static int session_make_setup(struct lw_session *session, const struct lw_setup *setup,
			      unsigned long size, unsigned long watermark)
{
	struct lw_ring *rings;
	int ret;

	lockdep_assert_held(&session->lock);
	if (session->rings)
		return -EBUSY;
	ret = session_charge_rings(session, size);
	if (ret)
		return ret;
	rings = session_make_rings(session, size, watermark, setup->flags & LW_SETUP_OVERWRITE);
	ret = PTR_ERR_OR_ZERO(rings);
	if (ret) {
		session_uncharge_rings(session);
		return ret;
	}
	if (setup->flags & LW_SETUP_FILES) {
		session->missing.bit = BIT_ULL(session->tracer.id);
		session->missing.mm = session->mm;
		session->missing.pid_ns = session->pid_ns;
		lw_missing_serve(&session->missing);
	}
	session->tables.bit = BIT_ULL(session->tracer.id);
	session->tables.mm = session->mm;
	session->tracer.depth = setup->depth ?: LW_DEFAULT_DEPTH;
	session->tracer.mask = setup->mask;
	session->kernel_depth = setup->kernel_depth;
	session->with_cgroup = setup->flags & LW_SETUP_CGROUP;
	/* Pairs with smp_load_acquire() in lw_session_is_set_up(). */
	smp_store_release(&session->rings, rings);
	return 0;
}

/**
 * lw_session_setup - LW_IOC_SETUP
 * @session: of the caller
 * @setup: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -ENOSPC (a stack of the depth can be longer than half of a ring),
 * -EBUSY (done before), -EPERM (RLIMIT_MEMLOCK; addresses of modules, or files of others,
 * are not for the caller), -ENOMEM, -EINTR (killed).
 */
int lw_session_setup(struct lw_session *session, const struct lw_setup *setup)
{
	unsigned long size, watermark;
	int ret;

	ret = session_check_setup(setup, &size, &watermark);
	if (ret)
		return ret;
	/* The caller may have fewer rights than the opener. */
	ret = setup->flags & (LW_SETUP_MODULES | LW_SETUP_FILES) ? lw_compat_may_trace() : 0;
	if (ret)
		return ret;
	mutex_lock(&session->lock);
	ret = session_make_setup(session, setup, size, watermark);
	mutex_unlock(&session->lock);
	/* Without the lock, as a notifier must not wait for it; the setup is made once only. */
	if (!ret)
		lw_session_ops.set_up(session, setup->flags);
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

/* A session that records user data takes one more right than others. */
static bool session_may_widen(const struct lw_session *session)
{
	lockdep_assert_held(&session->lock);
	return !session->reads_memory || capable(CAP_SYS_PTRACE);
}

/**
 * lw_session_enable - LW_IOC_ENABLE, LW_IOC_DISABLE
 * @session: of the caller
 * @enable: which
 *
 * Context: process, may sleep.
 * Return: 0, -EBADFD (no rings), -ENOENT (no event), -EALREADY, -EPERM (user data is recorded,
 * and the caller has no CAP_SYS_PTRACE).
 */
int lw_session_enable(struct lw_session *session, bool enable)
{
	int ret = 0;

	if (!lw_session_is_set_up(session))
		return -EBADFD;
	mutex_lock(&session->lock);
	if (list_empty(&session->events) && !session->syscalls)
		ret = -ENOENT;
	else if (session->enabled == enable)
		ret = -EALREADY;
	else if (enable && !session_may_widen(session))
		ret = -EPERM;
	if (ret)
		goto out;
	WRITE_ONCE(session->enabled, enable);
	lw_session_ops.enable(session, enable);
	/* A handler that saw the session enabled has written its sample when this returns. */
	if (!enable)
		synchronize_rcu();
out:
	mutex_unlock(&session->lock);
	return ret;
}

/**
 * lw_session_filter - LW_IOC_FILTER
 * @session: of the caller
 * @filter: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0 or -errno of lw_filter_make(), -EPERM as lw_session_enable().
 */
int lw_session_filter(struct lw_session *session,
		      const struct lw_filter *filter)
{
	struct lw_filter_set *set = lw_filter_make(filter, &session->missing_children);

	if (IS_ERR(set))
		return PTR_ERR(set);
	mutex_lock(&session->lock);
	if (!session_may_widen(session)) {
		mutex_unlock(&session->lock);
		lw_filter_free(set);
		return -EPERM;
	}
	set = rcu_replace_pointer(session->filter, set,
				  lockdep_is_held(&session->lock));
	mutex_unlock(&session->lock);
	/* No handler asks the old filter any more. */
	synchronize_rcu();
	lw_filter_free(set);
	return 0;
}

/**
 * lw_session_poll - poll() on the session
 * @session: of the caller
 * @file: its file
 * @wait: poll table
 *
 * Context: process.
 * Return: EPOLLIN when a ring is filled to its watermark, EPOLLPRI as
 * lw_missing_poll(), EPOLLERR before LW_IOC_SETUP.
 */
__poll_t lw_session_poll(struct lw_session *session, struct file *file,
			 poll_table *wait)
{
	__poll_t files;
	int cpu;

	if (!lw_session_is_set_up(session))
		return EPOLLERR;
	files = lw_missing_poll(&session->missing, file, wait);
	/* Rings do not wake a caller that waits for files alone. */
	if (!(poll_requested_events(wait) & (EPOLLIN | EPOLLRDNORM)))
		return files;
	poll_wait(file, &session->waiters.queue, wait);
	WRITE_ONCE(session->waiters.armed, 1);
	/* Pairs with smp_mb() in wake() of ring.c: readable, then armed. */
	smp_mb();
	for_each_possible_cpu(cpu)
		if (lw_ring_readable(&session->rings[cpu]))
			return files | EPOLLIN | EPOLLRDNORM;
	return files;
}

static u64 session_overwritten(const struct lw_session *session)
{
	u64 sum = 0;
	int cpu;

	if (lw_session_is_set_up(session))
		for_each_possible_cpu(cpu)
			sum += local_read(&session->rings[cpu].overwritten);
	return sum;
}

/**
 * lw_session_stats - counters of a session
 * @session: of the caller
 * @stats: out: all but size and flags
 *
 * Context: process, may sleep.
 */
void lw_session_stats(struct lw_session *session, struct lw_stats *stats)
{
	lw_tracer_stats(&session->tracer, stats);
	stats->missing_cpus = READ_ONCE(session->missing_cpus);
	stats->overwritten = session_overwritten(session);
	/* All references but that of the file are held in the middle of a record. */
	stats->waiting = kref_read(&session->ref) - 1 + lw_session_ops.waiting(session);
	stats->missing_children = atomic64_read(&session->missing_children);
	lw_tables_stats(&session->tables, stats);
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
 * Return: the record, for lw_ring_commit(), or NULL.
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
	return NULL;
}
