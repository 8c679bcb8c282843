/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pin.h - for programs whose hits of a probe are counted.
 *
 * A uprobe on all CPUs is one event per CPU.  The kernel offers a hit to them one after the
 * other, and may be preempted in between.  If the thread moves meanwhile, two events count
 * the hit, or none does.
 */
#ifndef LW_TEST_PIN_H
#define LW_TEST_PIN_H

#include <sched.h>

/*
 * For the function that the probe is at: the kernel need not single-step a nop.  On TCG, hits of
 * others were told twice, rarely.  On s390x it does, and GCC has the nop before the function's
 * call frame information.
 */
#ifdef __s390x__
#define PROBED
#else
#define PROBED	__attribute__((patchable_function_entry(1)))
#endif

/* Return: 0, or -1 with errno. */
static inline int stay_on_this_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

#endif /* LW_TEST_PIN_H */
