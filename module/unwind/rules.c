// SPDX-License-Identifier: GPL-2.0
/*
 * rules.c - rules that a CPU keeps from walk to walk.
 *
 * The first walk on a CPU allocates the memory, so a CPU without walks has none.
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
 * lw_rules_make - allocate the cache of this CPU
 *
 * Without memory the CPU keeps no rules.
 *
 * Context: as lw_unwind(); may sleep.
 */
void lw_rules_make(void)
{
	struct lw_rule_cache_entry *entries;

	if (likely(raw_cpu_read(caches.entries)))
		return;
	entries = kvcalloc(ENTRIES, sizeof(*entries), lw_walk_gfp());
	/* The allocation may have slept: this may be another CPU. */
	preempt_disable();
	if (!__this_cpu_read(caches.entries)) {
		__this_cpu_write(caches.entries, entries);
		entries = NULL;
	}
	preempt_enable();
	kvfree(entries);
}

/**
 * lw_rules_here - the cache of this CPU
 *
 * Context: task, preemption off.
 * Return: the cache, for as long as preemption is off; or NULL.
 */
struct lw_rule_cache *lw_rules_here(void)
{
	struct lw_rule_cache *cache = this_cpu_ptr(&caches);

	return cache->entries ? cache : NULL;
}

/**
 * lw_rules_exit - free all caches
 *
 * Context: process, after the last walk.
 */
void lw_rules_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu(caches, cpu).entries);
}
