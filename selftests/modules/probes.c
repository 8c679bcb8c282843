// SPDX-License-Identifier: GPL-2.0
/*
 * probes.c - kprobes at any instruction, one of which asks.
 *
 * They are breakpoints, which are handled in NMI context: to what they are
 * planted in they are an NMI at just that instruction.  (At a function's call of
 * ftrace they are a call, in the context of the function.)  A handler that asks
 * runs into other probes; the core goes over those without calling us.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "internal.h"

/**
 * struct probe - one of them
 * @kprobe: the core's
 * @seen: how often the task that selects hit it
 */
struct probe {
	struct kprobe kprobe;
	u32 seen;
};

static DEFINE_MUTEX(probes_lock);
/* protected by probes_lock: LWM_PROBES_MAX of them, or NULL */
static struct probe *probes;
static u32 nr_probes;

/* Of the selected one: written by its task, and what interrupts that. */
static const struct probe *selected;
static const struct task_struct *owner;
static struct lwm_select wanted;
static struct lwm_hits hits;

static void ask(unsigned int tracer)
{
	struct lwm_hit *hit;

	if (hits.hits == LWM_HITS_MAX)
		return;
	hit = &hits.hit[hits.hits++];
	hit->tracer = tracer;
	hit->callbacks = lwm_callbacks();
	lwm_request(tracer, NULL, 0, &hit->result);
}

static int before(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct probe *probe = container_of(kprobe, struct probe, kprobe);
	u64 bits;

	if (current != READ_ONCE(owner))
		return 0;
	probe->seen++;
	if (probe != READ_ONCE(selected))
		return 0;
	if (hits.seen++ < wanted.limit)
		for (bits = wanted.tracers; bits; bits &= bits - 1)
			ask(__ffs64(bits));
	return 0;
}

/* With one of these a probe stays a breakpoint, it is not made a jump. */
static void after(struct kprobe *kprobe, struct pt_regs *regs,
		  unsigned long flags)
{
}

static int plant(u64 address)
{
	struct probe *probe = &probes[nr_probes];
	int ret;

	memset(probe, 0, sizeof(*probe));
	probe->kprobe.addr = (kprobe_opcode_t *)(unsigned long)address;
	probe->kprobe.pre_handler = before;
	probe->kprobe.post_handler = after;
	ret = register_kprobe(&probe->kprobe);
	if (!ret)
		nr_probes++;
	return ret;
}

static void remove_all(void)
{
	struct kprobe **list;
	u32 i;

	lockdep_assert_held(&probes_lock);
	WRITE_ONCE(selected, NULL);
	if (!nr_probes)
		return;
	list = kcalloc(nr_probes, sizeof(*list), GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < nr_probes; i++)
		list[i] = &probes[i].kprobe;
	unregister_kprobes(list, nr_probes);
	kfree(list);
	nr_probes = 0;
}

/**
 * lwm_probes_plant - LWM_IOC_PROBES
 * @arg: the caller's
 *
 * The planted ones are numbered without those that failed.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -ENOMEM, -EFAULT.
 */
int lwm_probes_plant(struct lwm_probes *arg)
{
	u64 __user *addresses = u64_to_user_ptr(arg->addresses);
	s32 __user *errors = u64_to_user_ptr(arg->errors);
	u64 address;
	int ret = 0;
	u32 i;

	if (arg->nr > LWM_PROBES_MAX)
		return -EINVAL;
	mutex_lock(&probes_lock);
	remove_all();
	if (!probes)
		probes = vzalloc(array_size(LWM_PROBES_MAX, sizeof(*probes)));
	if (!probes)
		ret = -ENOMEM;
	for (i = 0; i < arg->nr && !ret; i++) {
		if (get_user(address, addresses + i) ||
		    put_user(plant(address), errors + i))
			ret = -EFAULT;
	}
	arg->planted = nr_probes;
	mutex_unlock(&probes_lock);
	return ret;
}

/**
 * lwm_probes_select - LWM_IOC_SELECT
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL.
 */
int lwm_probes_select(const struct lwm_select *arg)
{
	int ret = -EINVAL;

	mutex_lock(&probes_lock);
	if (arg->probe < nr_probes && arg->limit <= LWM_HITS_MAX) {
		WRITE_ONCE(selected, NULL);
		memset(&hits, 0, sizeof(hits));
		wanted = *arg;
		WRITE_ONCE(owner, current);
		barrier();
		WRITE_ONCE(selected, &probes[arg->probe]);
		ret = 0;
	}
	mutex_unlock(&probes_lock);
	return ret;
}

/**
 * lwm_probes_seen - LWM_IOC_SEEN
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EFAULT.
 */
int lwm_probes_seen(const struct lwm_seen *arg)
{
	u32 __user *counts = u64_to_user_ptr(arg->counts);
	int ret = -EINVAL;
	u32 i;

	mutex_lock(&probes_lock);
	if (arg->nr <= nr_probes) {
		ret = 0;
		for (i = 0; i < arg->nr && !ret; i++)
			ret = put_user(probes[i].seen, counts + i);
	}
	mutex_unlock(&probes_lock);
	return ret;
}

/**
 * lwm_probes_hits - LWM_IOC_HITS
 * @user: where to
 *
 * Context: process, may sleep; the task that selected it.
 * Return: 0, -EFAULT.
 */
int lwm_probes_hits(struct lwm_hits __user *user)
{
	int ret;

	mutex_lock(&probes_lock);
	WRITE_ONCE(selected, NULL);
	barrier();
	ret = copy_to_user(user, &hits, sizeof(hits)) ? -EFAULT : 0;
	mutex_unlock(&probes_lock);
	return ret;
}

/**
 * lwm_probes_exit - remove all
 *
 * Context: process, may sleep.
 */
void lwm_probes_exit(void)
{
	mutex_lock(&probes_lock);
	remove_all();
	mutex_unlock(&probes_lock);
	vfree(probes);
}
