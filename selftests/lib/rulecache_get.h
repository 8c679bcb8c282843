/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rulecache_get.h - whole rules out of module/sframe/rulecache.h, for tests and benchmarks:
 * the module uses entries as they are packed.
 */
#ifndef LW_RULECACHE_GET_H
#define LW_RULECACHE_GET_H

#include "../../module/sframe/rulecache.h"

static inline void lw_rule_unpack(const struct lw_rule_cache_entry *entry,
				  struct lw_rule *rule)
{
	unsigned int packed = entry->packed;

	*rule = (struct lw_rule){
		.flags = packed >> LW_PACKED_FLAGS,
	};
	if (rule->flags & LW_RULE_OUTERMOST)
		return;
	rule->cfa.off = entry->cfa_off;
	rule->cfa.base = packed & LW_PACKED_BASE_FP ? LW_BASE_FP : LW_BASE_SP;
	rule->ra.off = entry->ra_off;
	rule->ra.base = LW_BASE_CFA;
	rule->ra.deref = 1;
	if (packed & LW_PACKED_FP_SAVED) {
		rule->fp.off = entry->fp_off;
		rule->fp.base = LW_BASE_CFA;
		rule->fp.deref = 1;
	}
	if (packed & LW_PACKED_BIASED)
		rule->sp_off = -160;
}

/**
 * lw_rule_cache_get() - the rule of a key
 * @cache: cache
 * @key: as it was put
 * @rule: filled if there is one
 *
 * Return: not 0 if @rule is filled.
 */
static inline int lw_rule_cache_get(const struct lw_rule_cache *cache,
				    struct lw_rule_key key, struct lw_rule *rule)
{
	const struct lw_rule_cache_entry *entry = lw_rule_cache_find(cache, key);

	if (entry)
		lw_rule_unpack(entry, rule);
	return !!entry;
}

#endif /* LW_RULECACHE_GET_H */
