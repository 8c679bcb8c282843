/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_set.h - CPUs that somebody chose.
 */
#ifndef LW_CPU_SET_H
#define LW_CPU_SET_H

#include "base/util.h"

#define LW_MAX_CPUS	65536U

/* Zeroed: every CPU. */
struct lw_cpu_set {
	bool is_limited;		/* to those whose bits are set */
	u8 bits[LW_MAX_CPUS / 8];
};

int lw_cpu_set_parse(struct lw_cpu_set *set, const char *text);
int lw_cpu_set_online(struct lw_cpu_set *set);
bool lw_cpu_set_has(const struct lw_cpu_set *set, u32 cpu);
int lw_take_cpus(struct lw_cpu_set *set, const char *text);

#endif /* LW_CPU_SET_H */
