// SPDX-License-Identifier: GPL-2.0
/*
 * nmi_pmu.c - NMIs of arm64: the interrupts of the PMU, where the kernel takes them as NMIs
 * (CONFIG_ARM64_PSEUDO_NMI, irqchip.gicv3_pseudo_nmi=1).
 *
 * On each CPU an event counts the writes to PMSWINC_EL0, and overflows with the first: by one a CPU
 * sends an NMI to itself.  Those of others are of events that count cycles.
 */
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "internal.h"

/* Event number 0 of Arm's manual (SW_INCR); a write counts for each counter whose bit is set. */
#define SOFTWARE_INCREMENT	0
#define ALL_COUNTERS		0x7fffffff
/*
 * 2 ms of QEMU's: with the checkers of a debug kernel one may take a tenth of that.  No multiple of
 * what a loop may take.
 */
#define CYCLES			2000003

/* Written when the module is loaded and unloaded. */
static DEFINE_PER_CPU(struct perf_event *, to_self);
/* Written under listener_lock of nmi.c. */
static DEFINE_PER_CPU(struct perf_event *, of_others);

static void on_increment(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	lwm_nmi_arrived(regs);
}

static void on_cycles(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	lwm_nmi_of_others(regs);
}

static void remove_events(struct perf_event * __percpu *events)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct perf_event **event = per_cpu_ptr(events, cpu);

		if (*event)
			perf_event_release_kernel(*event);
		*event = NULL;
	}
}

static int add_events(struct perf_event * __percpu *events, struct perf_event_attr *attr,
		      perf_overflow_handler_t handler)
{
	struct perf_event *event;
	int cpu;

	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(attr, cpu, NULL, handler, NULL);
		if (IS_ERR(event)) {
			remove_events(events);
			return PTR_ERR(event);
		}
		*per_cpu_ptr(events, cpu) = event;
	}
	return 0;
}

/**
 * lwm_nmi_is_there - does the kernel take interrupts of the PMU as NMIs, and has the machine one?
 *
 * Context: any.
 */
bool lwm_nmi_is_there(void)
{
	return this_cpu_read(to_self);
}

/**
 * lwm_nmi_self - send an NMI to this CPU
 *
 * Context: any but NMI.
 */
void lwm_nmi_self(void)
{
	write_sysreg(ALL_COUNTERS, pmswinc_el0);
	isb();
}

/**
 * lwm_nmi_start - have the PMU send some
 *
 * Context: process, may sleep.
 * Return: 0, -errno.
 */
int lwm_nmi_start(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = CYCLES,
		.pinned = 1,
	};

	return add_events(&of_others, &attr, on_cycles);
}

/**
 * lwm_nmi_stop - no more of those
 *
 * Context: process, may sleep.
 */
void lwm_nmi_stop(void)
{
	remove_events(&of_others);
}

/**
 * lwm_nmi_init - have NMIs that a CPU sends to itself, if there are any
 *
 * Context: process, may sleep.
 * Return: 0, -errno.
 */
int lwm_nmi_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = SOFTWARE_INCREMENT,
		.sample_period = 1,
		.pinned = 1,
	};
	int ret;

	if (!system_uses_irq_prio_masking())
		return 0;
	ret = add_events(&to_self, &attr, on_increment);
	return ret == -ENOENT ? 0 : ret;
}

/**
 * lwm_nmi_exit - leave NMIs to others
 *
 * Context: process, may sleep.
 */
void lwm_nmi_exit(void)
{
	remove_events(&to_self);
}
