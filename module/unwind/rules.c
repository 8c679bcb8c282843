// SPDX-License-Identifier: GPL-2.0
/*
 * rules.c - the rules that each CPU keeps, for walks to come.
 *
 * Memory is made at the first walk on a CPU: CPUs that no walk comes to have none.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "rules.h"
#include "unwind.h"

#define ENTRIES	((1U << LW_RULES_BITS) + LW_RULE_CACHE_WAYS - 1)

static DEFINE_PER_CPU(struct lw_rule_cache, caches) = { .bits = LW_RULES_BITS };

/**
 * lw_rules_make - see to it that this CPU can keep rules
 *
 * Without memory it keeps none.
 *
 * Context: as lw_unwind(); may sleep.
 */
void lw_rules_make(void)
{
	struct lw_rule_cache_entry *entries;

	if (likely(raw_cpu_read(caches.entries)))
		return;
	entries = kvcalloc(ENTRIES, sizeof(*entries), lw_walk_gfp());
	/* Of whatever CPU we are on now. */
	preempt_disable();
	if (!__this_cpu_read(caches.entries)) {
		__this_cpu_write(caches.entries, entries);
		entries = NULL;
	}
	preempt_enable();
	kvfree(entries);
}

/**
 * lw_rules_here - the rules of this CPU
 *
 * Context: preemption off, no interrupt.
 * Return: the cache, until preemption is on again; NULL if there is none.
 */
struct lw_rule_cache *lw_rules_here(void)
{
	struct lw_rule_cache *cache = this_cpu_ptr(&caches);

	return cache->entries ? cache : NULL;
}

/**
 * lw_rules_exit - free them
 *
 * Context: process, after the last walk.
 */
void lw_rules_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu(caches, cpu).entries);
}
