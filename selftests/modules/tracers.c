// SPDX-License-Identifier: GPL-2.0
/*
 * tracers.c - tracers, their requests, and the log of what they were given.
 *
 * What a callback is handed as private outlives its registration, until the
 * module goes: so that one that comes too late is seen, not an oops.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/latewind.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "internal.h"

#define BUSY_BITS	8

static unsigned int log_size = 4096;
module_param(log_size, uint, 0444);
MODULE_PARM_DESC(log_size, "stacks that are kept");

/**
 * struct target - one registration
 * @tracer: of latewind.ko
 * @asked: how it was registered
 * @registration: how many there were before
 * @callbacks: stacks that it was given
 * @gone: unregistered
 * @list: all of them
 */
struct target {
	struct lw_tracer *tracer;
	struct lwm_register asked;
	u32 registration;
	atomic64_t callbacks;
	bool gone;
	struct list_head list;
};

struct log_entry {
	struct lwm_stack stack;
	bool ready;
};

static DEFINE_MUTEX(targets_lock);
/* written under targets_lock, read under RCU */
static struct target __rcu *targets[LWM_TRACERS];
/* protected by targets_lock */
static LIST_HEAD(all_targets);
static u32 registrations;

static struct log_entry *stacks;
static atomic64_t nr_stacks;
static atomic64_t zombies;
/* Tasks that are in a callback; one that collides is forgotten. */
static const struct task_struct *busy[1 << BUSY_BITS];

/**
 * lwm_in_callback - is a task in one of our callbacks
 * @task: any
 *
 * Context: any.
 * Return: true if it is; false most likely means that it is not.
 */
bool lwm_in_callback(const struct task_struct *task)
{
	return READ_ONCE(busy[hash_ptr(task, BUSY_BITS)]) == task;
}

/**
 * lwm_callbacks - how many there were since the last reset
 *
 * Context: any.
 * Return: callbacks.
 */
u64 lwm_callbacks(void)
{
	return atomic64_read(&nr_stacks);
}

static u32 context(void)
{
	/* An NMI counts as a hardirq too. */
	unsigned int hardirqs = hardirq_count() >> HARDIRQ_SHIFT;

	return LWM_AT(LWM_PROCESS) |
	       (in_serving_softirq() ? LWM_AT(LWM_SOFTIRQ) : 0) |
	       (hardirqs > !!in_nmi() ? LWM_AT(LWM_HARDIRQ) : 0) |
	       (in_nmi() ? LWM_AT(LWM_NMI) : 0);
}

static u32 what_is_wrong(void)
{
	u32 where = context();

	return (where == LWM_AT(LWM_PROCESS) ? 0 : where) |
	       (irqs_disabled() ? 0x100 : 0) |
	       (preempt_count() ? 0x200 : 0);
}

/* A callback that collects nothing has @kept NULL. */
static void ask_again(struct target *target, struct lwm_stack *kept)
{
	struct lwm_result result = {};
	u32 i;

	for (i = 0; i < target->asked.again_times; i++)
		lwm_request(target->asked.again - 1, NULL, 0, &result);
	if (kept) {
		kept->again_ret = result.ret;
		kept->again = result.cookie;
	}
}

static void fill(struct lwm_stack *kept, struct target *target,
		 const struct lw_stack *stack, const struct lw_cookie *cookie)
{
	u32 nr = min_t(u32, stack->nr, LWM_FRAMES);

	kept->cookie = *cookie;
	kept->time = stack->time;
	kept->tracer = target->asked.tracer;
	kept->registration = target->registration;
	kept->tid = task_pid_vnr(current);
	kept->nr = stack->nr;
	kept->end = stack->end;
	kept->context = what_is_wrong();
	memcpy(kept->frames, stack->frames, nr * sizeof(u64));
	memcpy(kept->how, stack->how, nr);
}

static void on_stack(struct lw_tracer *tracer, const struct lw_stack *stack,
		     const struct lw_cookie *cookie, void *private)
{
	struct target *target = private;
	u64 at = atomic64_inc_return(&nr_stacks) - 1;
	struct log_entry *entry = at < log_size ? &stacks[at] : NULL;
	bool late = READ_ONCE(target->gone);

	WRITE_ONCE(busy[hash_ptr(current, BUSY_BITS)], current);
	atomic64_inc(&target->callbacks);
	if (entry)
		fill(&entry->stack, target, stack, cookie);
	if (target->asked.again)
		ask_again(target, entry ? &entry->stack : NULL);
	if (target->asked.sleep_ms)
		msleep(target->asked.sleep_ms);
	/* Unregistering waits for those that are at it. */
	if (late || READ_ONCE(target->gone))
		atomic64_inc(&zombies);
	if (entry)
		/* Pairs with smp_load_acquire() in lwm_read(). */
		smp_store_release(&entry->ready, true);
	WRITE_ONCE(busy[hash_ptr(current, BUSY_BITS)], NULL);
}

static bool is_for_current(void *private)
{
	struct target *target = private;

	return current->tgid == target->asked.tgid;
}

/**
 * lwm_register - LWM_IOC_REGISTER
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EBUSY (the number is taken), or what
 * lw_tracer_register() says.
 */
int lwm_register(const struct lwm_register *arg)
{
	struct lw_tracer_options options = {
		.depth = arg->depth,
		.mask = arg->mask,
		.filter = arg->tgid ? is_for_current : NULL,
		.stack = on_stack,
	};
	struct target *target;
	int ret;

	if (arg->tracer >= LWM_TRACERS || arg->again > LWM_TRACERS ||
	    arg->reserved)
		return -EINVAL;
	target = kzalloc(sizeof(*target), GFP_KERNEL);
	if (!target)
		return -ENOMEM;
	target->asked = *arg;
	options.private = target;
	mutex_lock(&targets_lock);
	ret = -EBUSY;
	if (rcu_access_pointer(targets[arg->tracer]))
		goto err_unlock;
	target->registration = registrations;
	target->tracer = lw_tracer_register(&options);
	ret = PTR_ERR_OR_ZERO(target->tracer);
	if (ret)
		goto err_unlock;
	registrations++;
	list_add(&target->list, &all_targets);
	rcu_assign_pointer(targets[arg->tracer], target);
	mutex_unlock(&targets_lock);
	return 0;

err_unlock:
	mutex_unlock(&targets_lock);
	kfree(target);
	return ret;
}

/**
 * lwm_unregister - LWM_IOC_UNREGISTER
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -ENOENT (there is none).
 */
int lwm_unregister(struct lwm_unregister *arg)
{
	struct target *target;

	if (arg->tracer >= LWM_TRACERS || arg->reserved)
		return -EINVAL;
	mutex_lock(&targets_lock);
	target = rcu_replace_pointer(targets[arg->tracer], NULL,
				     lockdep_is_held(&targets_lock));
	mutex_unlock(&targets_lock);
	if (!target)
		return -ENOENT;
	/* Who asks for it has done so. */
	synchronize_rcu();
	arg->owed = lw_tracer_unregister(target->tracer);
	WRITE_ONCE(target->gone, true);
	return 0;
}

static u64 cycles_of_nothing(void)
{
	u64 begun = get_cycles();

	return get_cycles() - begun;
}

static int measure(struct target *target, struct pt_regs *regs,
		   struct lwm_result *result)
{
	unsigned long flags;
	u64 begun;
	int ret;

	local_irq_save(flags);
	cycles_of_nothing();
	result->empty = cycles_of_nothing();
	begun = get_cycles();
	ret = lw_tracer_request(target->tracer, regs, &result->cookie);
	result->cycles = get_cycles() - begun;
	local_irq_restore(flags);
	return ret;
}

/**
 * lwm_request - have a tracer ask for the stack of current
 * @number: of the tracer
 * @regs: to hand in, or NULL
 * @flags: LWM_MEASURE or 0
 * @result: out
 *
 * Context: any, NMI included.
 */
void lwm_request(unsigned int number, struct pt_regs *regs, u32 flags,
		 struct lwm_result *result)
{
	struct target *target;

	memset(result, 0, sizeof(*result));
	result->where = context();
	result->preemptible = preemptible();
	result->cpu = raw_smp_processor_id();
	rcu_read_lock();
	target = rcu_dereference(targets[number % LWM_TRACERS]);
	if (!target)
		result->ret = -ENODEV;
	else if (flags & LWM_MEASURE)
		result->ret = measure(target, regs, result);
	else
		result->ret = lw_tracer_request(target->tracer, regs,
						&result->cookie);
	rcu_read_unlock();
}

/**
 * lwm_read - LWM_IOC_READ
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EFAULT.
 */
int lwm_read(struct lwm_read *arg)
{
	struct lwm_stack __user *user = u64_to_user_ptr(arg->stacks);
	u64 end = min_t(u64, lwm_callbacks(), log_size);
	u64 i;

	arg->total = lwm_callbacks();
	arg->nr = 0;
	for (i = arg->from; i < end && arg->nr < arg->room; i++) {
		/* Pairs with smp_store_release() in on_stack(). */
		if (!smp_load_acquire(&stacks[i].ready))
			break;
		if (copy_to_user(user + arg->nr, &stacks[i].stack,
				 sizeof(*user)))
			return -EFAULT;
		arg->nr++;
	}
	return 0;
}

/**
 * lwm_reset - LWM_IOC_RESET: empty the log
 *
 * Context: process; no callback runs.
 */
void lwm_reset(void)
{
	u64 i, end = min_t(u64, lwm_callbacks(), log_size);

	for (i = 0; i < end; i++)
		memset(&stacks[i], 0, sizeof(stacks[i]));
	atomic64_set(&nr_stacks, 0);
}

/**
 * lwm_stats - LWM_IOC_STATS
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -ENOENT (there is no such tracer).
 */
int lwm_stats(struct lwm_stats *arg)
{
	struct target *target;
	int ret = -ENOENT;

	if (arg->tracer >= LWM_TRACERS || arg->size != sizeof(arg->stats))
		return -EINVAL;
	arg->zombies = atomic64_read(&zombies);
	arg->dropped = max_t(s64, lwm_callbacks() - log_size, 0);
	arg->waiting = lwm_waiting();
	arg->callbacks = 0;
	memset(&arg->stats, 0, sizeof(arg->stats));
	mutex_lock(&targets_lock);
	target = rcu_dereference_protected(targets[arg->tracer],
					   lockdep_is_held(&targets_lock));
	if (target) {
		arg->callbacks = atomic64_read(&target->callbacks);
		lw_tracer_stats(target->tracer, &arg->stats);
		ret = 0;
	}
	mutex_unlock(&targets_lock);
	return ret;
}

/**
 * lwm_tracers_init - make the log
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int lwm_tracers_init(void)
{
	stacks = vzalloc(array_size(log_size, sizeof(*stacks)));
	return stacks ? 0 : -ENOMEM;
}

/**
 * lwm_tracers_exit - unregister all; legal with stacks pending
 *
 * Context: process, may sleep; nobody asks any more.
 */
void lwm_tracers_exit(void)
{
	struct lwm_unregister arg = {};
	struct target *target, *next;

	for (arg.tracer = 0; arg.tracer < LWM_TRACERS; arg.tracer++)
		lwm_unregister(&arg);
	list_for_each_entry_safe(target, next, &all_targets, list)
		kfree(target);
	if (atomic64_read(&zombies))
		pr_err("BUG: %lld callbacks came after unregistering\n",
		       atomic64_read(&zombies));
	vfree(stacks);
}
