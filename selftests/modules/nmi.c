// SPDX-License-Identifier: GPL-2.0
/*
 * nmi.c - NMIs: those that a CPU sends to itself, and those that the host
 * injects.
 *
 * A per-CPU flag tells ours from others.  Others' are only taken between
 * LWM_IOC_NMIS and LWM_IOC_NMI_COUNTS; each asks, is counted, and is
 * acknowledged on a port that the host listens on.  Linux takes external NMIs on
 * the first CPU only unless booted with apic_extnmi=all.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/apicdef.h>
#include <asm/msr-index.h>
#include <asm/nmi.h>

#include "internal.h"

#define X2APIC_MSR(reg)	(0x800 + ((reg) >> 4))

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

static void __iomem *apic;	/* NULL: by MSRs */
static DEFINE_PER_CPU(int, expected);
static DEFINE_PER_CPU(struct counts, counts);
static DEFINE_MUTEX(listener_lock);
/* written under listener_lock, read under RCU */
static struct listener __rcu *listener;

/* By hand: the kernel's own change names and parameters. */
static u64 read_msr(u32 msr)
{
	u32 low, high;

	asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return low | (u64)high << 32;
}

static void write_msr(u32 msr, u32 low, u32 high)
{
	asm volatile("wrmsr" : : "c"(msr), "a"(low), "d"(high) : "memory");
}

/**
 * lwm_nmi_self - send an NMI to this CPU
 *
 * Context: any but NMI.
 */
void lwm_nmi_self(void)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(expected, 1);
	if (apic) {
		writel(readl(apic + APIC_ID), apic + APIC_ICR2);
		writel(APIC_DM_NMI | APIC_DEST_PHYSICAL, apic + APIC_ICR);
	} else {
		write_msr(X2APIC_MSR(APIC_ICR), APIC_DM_NMI,
			  read_msr(X2APIC_MSR(APIC_ID)));
	}
	local_irq_restore(flags);
}

static u32 kind_of(const struct listener *l, struct pt_regs *regs)
{
	u32 low = 0, high = l->nr;

	if (user_mode(regs))
		return LWM_KIND_USER;
	while (low < high) {
		u32 middle = (low + high) / 2;
		const struct lwm_range *range = &l->ranges[middle];

		if (regs->ip < range->start)
			high = middle;
		else if (regs->ip >= range->end)
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

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	const struct listener *l;
	int ret = NMI_DONE;

	if (this_cpu_xchg(expected, 0)) {
		lwm_nmi_arrived(regs);
		return NMI_HANDLED;
	}
	rcu_read_lock();
	l = rcu_dereference(listener);
	if (l) {
		count(l, regs);
		outb(raw_smp_processor_id(), LWM_NMI_PORT);
		ret = NMI_HANDLED;
	}
	rcu_read_unlock();
	return ret;
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

/**
 * lwm_nmis_begin - LWM_IOC_NMIS
 * @arg: the caller's
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL, -EFAULT, -ENOMEM, -EBUSY (begun already).
 */
int lwm_nmis_begin(const struct lwm_nmis *arg)
{
	struct listener *l;
	int cpu, ret = 0;

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
	}
	mutex_unlock(&listener_lock);
	if (ret)
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

static void stop_listening(void)
{
	struct listener *l;

	mutex_lock(&listener_lock);
	l = rcu_replace_pointer(listener, NULL, lockdep_is_held(&listener_lock));
	mutex_unlock(&listener_lock);
	synchronize_rcu();
	kvfree(l);
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
 * lwm_nmi_init - find the APIC, take NMIs
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, -errno.
 */
int lwm_nmi_init(void)
{
	u64 base = read_msr(MSR_IA32_APICBASE);
	int ret;

	if (!(base & X2APIC_ENABLE)) {
		apic = ioremap(base & MSR_IA32_APICBASE_BASE, PAGE_SIZE);
		if (!apic)
			return -ENOMEM;
	}
	ret = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lw_test");
	if (ret && apic)
		iounmap(apic);
	return ret;
}

/**
 * lwm_nmi_exit - leave NMIs to others
 *
 * Context: process, may sleep.
 */
void lwm_nmi_exit(void)
{
	stop_listening();
	unregister_nmi_handler(NMI_LOCAL, "lw_test");
	if (apic)
		iounmap(apic);
}
