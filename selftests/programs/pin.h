/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pin.h - for programs whose hits of a probe are counted.
 *
 * A probe that is set for all CPUs is one for each, which the kernel looks at one after
 * the other, and may be preempted in between: of a thread that moves meanwhile two have a
 * hit, or none.
 */
#ifndef LW_TEST_PIN_H
#define LW_TEST_PIN_H

#include <sched.h>

/* Return: 0, or -1 with errno. */
static inline int stay_on_this_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

#endif /* LW_TEST_PIN_H */
