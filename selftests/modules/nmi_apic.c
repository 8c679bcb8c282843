// SPDX-License-Identifier: GPL-2.0
/*
 * nmi_apic.c - NMIs of PCs: those that a CPU sends to itself, and those that the host injects.
 *
 * A per-CPU flag tells ours from others.  Others' are acknowledged on a port that the host listens
 * on.  Linux takes external NMIs on the first CPU only unless booted with apic_extnmi=all.
 */
#include <linux/io.h>
#include <linux/percpu.h>
#include <asm/apicdef.h>
#include <asm/msr-index.h>
#include <asm/nmi.h>

#include "internal.h"

#define X2APIC_MSR(reg)	(0x800 + ((reg) >> 4))

static void __iomem *apic;	/* NULL: by MSRs */
static DEFINE_PER_CPU(int, expected);

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

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (this_cpu_xchg(expected, 0)) {
		lwm_nmi_arrived(regs);
		return NMI_HANDLED;
	}
	if (!lwm_nmi_of_others(regs))
		return NMI_DONE;
	outb(raw_smp_processor_id(), LWM_NMI_PORT);
	return NMI_HANDLED;
}

/**
 * lwm_nmi_is_there - has the machine NMIs?
 *
 * Context: any.
 */
bool lwm_nmi_is_there(void)
{
	return true;
}

/**
 * lwm_nmi_start - have others send some; here the host does, when it is told to
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int lwm_nmi_start(void)
{
	return 0;
}

/**
 * lwm_nmi_stop - no more of those
 *
 * Context: process, may sleep.
 */
void lwm_nmi_stop(void)
{
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
	unregister_nmi_handler(NMI_LOCAL, "lw_test");
	if (apic)
		iounmap(apic);
}
