// SPDX-License-Identifier: GPL-2.0
/*
 * tracer.c - who asks for stacks: a session, or another module.
 *
 * Lifetime: a tracer is published under a bit, which slots hold for it.  Stacks are delivered
 * inside an SRCU read-side section, so that a callback may sleep.  Unpublishing takes the tracer
 * out of the table, waits for deliveries, and then clears its bit in all slots; nobody may
 * request for it meanwhile.  From there on the bit can be given again (see req_tracer()).
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "pool.h"
#include "request.h"
#include "tracer.h"

static_assert(LW_MAX_TRACERS == 64);

DEFINE_STATIC_SRCU(tracers_srcu);

/* protected by tracers_mutex for writing, tracers_srcu for reading */
static struct lw_tracer __rcu *tracers[LW_MAX_TRACERS];
/* bits in use; protected by tracers_mutex */
static u64 tracer_ids;
/* protected by tracers_mutex */
static u64 last_serial;
static DEFINE_MUTEX(tracers_mutex);

/**
 * lw_tracers_lock - from here on a tracer that is found stays
 *
 * Context: task.
 * Return: for lw_tracers_unlock().
 */
int lw_tracers_lock(void)
	__acquires(&tracers_srcu)
{
	return srcu_read_lock(&tracers_srcu);
}

/**
 * lw_tracers_unlock - end of lw_tracers_lock()
 * @lock: as it returned
 *
 * Context: task.
 */
void lw_tracers_unlock(int lock)
	__releases(&tracers_srcu)
{
	srcu_read_unlock(&tracers_srcu, lock);
}

/**
 * lw_tracer_by_id - the tracer that is published under a bit
 * @id: below LW_MAX_TRACERS
 *
 * Context: between lw_tracers_lock() and lw_tracers_unlock().
 * Return: the tracer, or NULL.
 */
struct lw_tracer *lw_tracer_by_id(unsigned int id)
{
	return srcu_dereference(tracers[id], &tracers_srcu);
}

/**
 * lw_tracer_publish - let a tracer ask
 * @tracer: its id, serial and counters are set here, the rest by the caller
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, -EMFILE when there are LW_MAX_TRACERS already, or what
 * tracepoint_probe_register() returns.
 */
int lw_tracer_publish(struct lw_tracer *tracer)
{
	int ret = 0;

	tracer->counters = alloc_percpu_gfp(struct lw_counters, GFP_KERNEL_ACCOUNT);
	if (!tracer->counters)
		return -ENOMEM;
	mutex_lock(&tracers_mutex);
	if (!~tracer_ids)
		ret = -EMFILE;
	else if (!tracer_ids)
		ret = lw_exit_watch();
	if (!ret) {
		tracer->id = __ffs64(~tracer_ids);
		tracer->serial = ++last_serial;
		tracer_ids |= BIT_ULL(tracer->id);
		/* Pairs with smp_rmb() in req_tracer(). */
		rcu_assign_pointer(tracers[tracer->id], tracer);
	}
	mutex_unlock(&tracers_mutex);
	if (ret)
		free_percpu(tracer->counters);
	return ret;
}

/**
 * lw_tracer_unpublish - no stack is delivered any more when this returns
 * @tracer: nobody requests for it
 *
 * Its counters stay; the caller frees them.
 *
 * Context: process, may sleep.
 */
void lw_tracer_unpublish(struct lw_tracer *tracer)
{
	mutex_lock(&tracers_mutex);
	RCU_INIT_POINTER(tracers[tracer->id], NULL);
	mutex_unlock(&tracers_mutex);
	synchronize_srcu(&tracers_srcu);
	lw_request_forget(tracer->id);
	mutex_lock(&tracers_mutex);
	tracer_ids &= ~BIT_ULL(tracer->id);
	if (!tracer_ids)
		lw_exit_unwatch();
	mutex_unlock(&tracers_mutex);
}

/**
 * lw_tracer_wants - is the tracer for current
 * @tracer: any
 *
 * Counts a refusal.
 *
 * Context: any, NMI included.
 * Return: what its filter says; true if it has none.
 */
bool lw_tracer_wants(struct lw_tracer *tracer)
{
	if (!tracer->filter || tracer->filter(tracer))
		return true;
	lw_tracer_count(tracer, LW_STAT_FILTERED);
	return false;
}

/* Return: a counter's sum over all CPUs. */
static u64 tracer_sum(struct lw_tracer *tracer, enum lw_stat stat)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(per_cpu_ptr(tracer->counters, cpu)->n[stat]);
	return total;
}

/**
 * lw_tracer_stats - counters of a tracer, and of the pool that all share
 * @tracer: any
 * @stats: out: all but size and flags
 *
 * Context: process, may sleep.
 */
void lw_tracer_stats(struct lw_tracer *tracer, struct lw_stats *stats)
{
	u64 *all = (u64 *)stats;
	unsigned int i;

	for (i = LW_STAT_SAMPLES; i < LW_NR_STATS; i++)
		all[i] = tracer_sum(tracer, i);
	stats->pending = lw_request_pending(tracer->id);
	lw_pool_stats(stats);
}
EXPORT_SYMBOL_GPL(lw_tracer_stats);

static bool tracer_ask_filter(struct lw_tracer *tracer)
{
	return tracer->options.filter(tracer->options.private);
}

static bool tracer_call_back(struct lw_tracer *tracer, const struct lw_stack *stack,
			     const struct lw_cookie *cookie)
{
	tracer->options.stack(tracer, stack, cookie, tracer->options.private);
	return true;
}

/**
 * lw_tracer_register - make a tracer for a module
 * @options: what it wants; not needed any more when this returns
 *
 * Context: process, may sleep.
 * Return: the tracer, or ERR_PTR(-EINVAL) (depth, mask, no callback),
 * ERR_PTR(-ENOMEM), ERR_PTR(-EMFILE) when there are 64 tracers, sessions of
 * /dev/latewind included.
 */
struct lw_tracer *lw_tracer_register(const struct lw_tracer_options *options)
{
	struct lw_tracer *tracer;
	int ret;

	if (!options->stack || options->depth > LW_MAX_DEPTH ||
	    options->mask & ~LW_MASK_SFRAME)
		return ERR_PTR(-EINVAL);
	tracer = kzalloc(sizeof(*tracer), GFP_KERNEL);
	if (!tracer)
		return ERR_PTR(-ENOMEM);
	tracer->options = *options;
	tracer->depth = options->depth ?: LW_DEFAULT_DEPTH;
	tracer->mask = options->mask;
	tracer->filter = options->filter ? tracer_ask_filter : NULL;
	tracer->deliver = tracer_call_back;
	ret = lw_tracer_publish(tracer);
	if (!ret)
		return tracer;
	kfree(tracer);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(lw_tracer_register);

/* Return: stacks that are due and were neither delivered nor dropped. */
static u64 tracer_owed(struct lw_tracer *tracer)
{
	return tracer_sum(tracer, LW_STAT_REQUESTS) -
	       tracer_sum(tracer, LW_STAT_SHARED) -
	       tracer_sum(tracer, LW_STAT_USER_STACKS) -
	       tracer_sum(tracer, LW_STAT_LOST_STACKS);
}

/**
 * lw_tracer_unregister - take a tracer away
 * @tracer: nobody requests for it any more; freed here
 *
 * When this returns the callback does not run and will not: what is pending is
 * dropped.  Not to be called by a callback, for which this waits.
 *
 * Context: process, may sleep.
 * Return: how many stacks it was still owed.
 */
u64 lw_tracer_unregister(struct lw_tracer *tracer)
{
	u64 dropped;

	lw_tracer_unpublish(tracer);
	dropped = tracer_owed(tracer);
	free_percpu(tracer->counters);
	kfree(tracer);
	return dropped;
}
EXPORT_SYMBOL_GPL(lw_tracer_unregister);

/**
 * lw_tracer_request - ask for the user stack of current
 * @tracer: registered
 * @regs: registers of the event, or NULL.  If they are the user registers that
 *	the task came into the kernel with, the stack is that of this instant,
 *	whatever the kernel does to them before it returns
 * @cookie: out: the stack's name, if this returns 0 or 1
 *
 * The tracer's callback gets one stack for each cookie, before the task is back
 * in user space.  All requests of one kernel entry of a task are given the same
 * cookie, whichever tracer asks; a request after the stack was delivered may be given a second
 * one.
 *
 * Context: any, NMI included.  Takes no lock, allocates nothing.
 * Return: 0 if queued, 1 if a request of this kernel entry was pending, -ENOENT
 * (current has no user space), -ESRCH (it is exiting), -EPERM (@tracer's filter
 * said no), -ENOMEM (too many tasks pending), -EBUSY (the task does nothing but
 * walk its stack; not when @regs are user registers).
 */
int lw_tracer_request(struct lw_tracer *tracer, struct pt_regs *regs,
		      struct lw_cookie *cookie)
{
	if (!lw_tracer_wants(tracer))
		return -EPERM;
	return lw_request(tracer, regs, !regs || !user_mode(regs), cookie);
}
EXPORT_SYMBOL_GPL(lw_tracer_request);
