// SPDX-License-Identifier: GPL-2.0
/*
 * nmi.c - what NMIs do that this module has not sent itself.
 *
 * They are only taken between LWM_IOC_NMIS and LWM_IOC_NMI_COUNTS; each asks, and is counted.
 * Where NMIs come from is the machine's: nmi_apic.c, nmi_pmu.c.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "internal.h"

/**
 * struct counts - of one CPU
 * @nmis: others'
 * @queued: see struct lwm_nmi_counts
 * @pending: as above
 * @errors: as above
 * @kinds: as above
 * @in_callback: as above
 * @asked_in: as above
 */
struct counts {
	u64 nmis;
	u64 queued;
	u64 pending;
	u64 errors[64];
	u64 kinds[LWM_KINDS];
	u64 in_callback;
	u64 asked_in[LWM_KINDS];
};

/**
 * struct listener - what to do with NMIs that are not ours
 * @tracer: number of the tracer that asks
 * @nr: ranges
 * @ranges: ascending
 */
struct listener {
	u32 tracer;
	u32 nr;
	struct lwm_range ranges[LWM_RANGES_MAX];
};

static DEFINE_PER_CPU(struct counts, counts);
static DEFINE_MUTEX(listener_lock);
/* written under listener_lock, read under RCU */
static struct listener __rcu *listener;

static u32 kind_of(const struct listener *l, struct pt_regs *regs)
{
	unsigned long ip = instruction_pointer(regs);
	u32 low = 0, high = l->nr;

	if (user_mode(regs))
		return LWM_KIND_USER;
	while (low < high) {
		u32 middle = (low + high) / 2;
		const struct lwm_range *range = &l->ranges[middle];

		if (ip < range->start)
			high = middle;
		else if (ip >= range->end)
			low = middle + 1;
		else
			return range->kind;
	}
	return LWM_KIND_KERNEL;
}

static void count(const struct listener *l, struct pt_regs *regs)
{
	struct counts *c = this_cpu_ptr(&counts);
	u32 kind = kind_of(l, regs);
	struct lwm_result result;

	lwm_request(l->tracer, regs, 0, &result);
	c->nmis++;
	c->kinds[kind]++;
	c->in_callback += lwm_in_callback(current);
	if (result.ret < 0) {
		c->errors[min(-result.ret, 63)]++;
		return;
	}
	c->asked_in[kind]++;
	if (result.ret)
		c->pending++;
	else
		c->queued++;
}

/**
 * lwm_nmi_of_others - one that we have not sent
 * @regs: interrupted
 *
 * Context: NMI.
 * Return: whether somebody wants it.
 */
bool lwm_nmi_of_others(struct pt_regs *regs)
{
	const struct listener *l;

	rcu_read_lock();
	l = rcu_dereference(listener);
	if (l)
		count(l, regs);
	rcu_read_unlock();
	return l;
}

static bool are_in_order(const struct lwm_range *ranges, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (ranges[i].kind >= LWM_KINDS ||
		    ranges[i].start >= ranges[i].end ||
		    (i && ranges[i].start < ranges[i - 1].end))
			return false;
	return true;
}

static void stop_listening(void)
{
	struct listener *l;

	mutex_lock(&listener_lock);
	lwm_nmi_stop();
	l = rcu_replace_pointer(listener, NULL, lockdep_is_held(&listener_lock));
	mutex_unlock(&listener_lock);
	synchronize_rcu();
	kvfree(l);
}

/**
 * lwm_nmis_begin - LWM_IOC_NMIS
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EFAULT, -ENOMEM, -EBUSY (begun already), -EOPNOTSUPP (there are no NMIs
 * here), -errno of the PMU.
 */
int lwm_nmis_begin(const struct lwm_nmis *arg)
{
	bool listening = false;
	struct listener *l;
	int cpu, ret = 0;

	if (!lwm_nmi_is_there())
		return -EOPNOTSUPP;
	if (arg->tracer >= LWM_TRACERS || arg->nr > LWM_RANGES_MAX)
		return -EINVAL;
	l = kvzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	l->tracer = arg->tracer;
	l->nr = arg->nr;
	if (copy_from_user(l->ranges, u64_to_user_ptr(arg->ranges),
			   arg->nr * sizeof(*l->ranges)))
		ret = -EFAULT;
	else if (!are_in_order(l->ranges, l->nr))
		ret = -EINVAL;
	mutex_lock(&listener_lock);
	if (!ret && rcu_access_pointer(listener))
		ret = -EBUSY;
	if (!ret) {
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(&counts, cpu), 0,
			       sizeof(struct counts));
		rcu_assign_pointer(listener, l);
		ret = lwm_nmi_start();
		listening = true;
	}
	mutex_unlock(&listener_lock);
	if (ret && listening)
		stop_listening();
	else if (ret)
		kvfree(l);
	return ret;
}

static void add(struct lwm_nmi_counts *sum, unsigned int cpu)
{
	const struct counts *c = per_cpu_ptr(&counts, cpu);
	unsigned int i;

	if (cpu < ARRAY_SIZE(sum->nmis))
		sum->nmis[cpu] = c->nmis;
	sum->queued += c->queued;
	sum->pending += c->pending;
	sum->in_callback += c->in_callback;
	for (i = 0; i < ARRAY_SIZE(sum->errors); i++)
		sum->errors[i] += c->errors[i];
	for (i = 0; i < LWM_KINDS; i++) {
		sum->kinds[i] += c->kinds[i];
		sum->asked_in[i] += c->asked_in[i];
	}
}

/**
 * lwm_nmis_end - LWM_IOC_NMI_COUNTS
 * @user: where to
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, -EFAULT.
 */
int lwm_nmis_end(struct lwm_nmi_counts __user *user)
{
	struct lwm_nmi_counts *sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	int cpu, ret = 0;

	if (!sum)
		return -ENOMEM;
	stop_listening();
	for_each_possible_cpu(cpu)
		add(sum, cpu);
	if (copy_to_user(user, sum, sizeof(*sum)))
		ret = -EFAULT;
	kfree(sum);
	return ret;
}

/**
 * lwm_nmis_exit - leave NMIs to others
 *
 * Context: process, may sleep.
 */
void lwm_nmis_exit(void)
{
	stop_listening();
}
