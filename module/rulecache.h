/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rulecache.h - rules that were looked up, by address.
 *
 * A look-up in a table costs tens of nanoseconds, and the same return addresses
 * come again and again.  A hash table in the caller's memory with entries of 16
 * bytes: what nearly all rules are fits (CFA from SP or FP, RA on the stack),
 * all others are not kept.
 *
 * The key stands for an address in a table whose content can't change, such as
 * table number and address: for tables in the memory of a task it does not,
 * as they may be unmapped or written to at any time.
 *
 * Contexts: any; the caller sees to it that nobody else uses the same cache
 * meanwhile (one a CPU, preemption off).
 */
#ifndef LW_RULECACHE_H
#define LW_RULECACHE_H

#include "rule.h"

/* Neighbours of its home that an entry may be in. */
#define LW_RULE_CACHE_WAYS	4

/**
 * struct lw_rule_cache_entry - a rule, packed
 * @key: of it
 * @cfa_off: lw_rule.cfa.off
 * @fp_off: FP is saved at CFA + this, if LW_PACKED_FP_SAVED
 * @ra_words: RA is saved at CFA + 8 * this
 * @packed: LW_PACKED_*, then lw_rule.flags from bit 4 on; 0: entry not in use
 */
struct lw_rule_cache_entry {
	__u64	key;
	__s32	cfa_off;
	__s16	fp_off;
	__s8	ra_words;
	__u8	packed;
};

#define LW_PACKED_USED		0x1U
#define LW_PACKED_BASE_FP	0x2U
#define LW_PACKED_FP_SAVED	0x4U
#define LW_PACKED_BIASED	0x8U	/* lw_rule.sp_off is -160 */
#define LW_PACKED_FLAGS		4

/**
 * struct lw_rule_cache - a cache
 * @entries: 1 << @bits and LW_RULE_CACHE_WAYS - 1 more of them, zeroed at first
 * @bits: log2 of the homes, 1 to 32; four homes for each key in use keep hits quick
 */
struct lw_rule_cache {
	struct lw_rule_cache_entry *entries;
	unsigned int bits;
};

static inline struct lw_rule_cache_entry *
lw_rule_cache_home(const struct lw_rule_cache *cache, __u64 key)
{
	/* Fibonacci hashing: the top bits of a multiple of 2^64 / phi */
	return &cache->entries[key * 0x9e3779b97f4a7c15ULL >>
			       (64 - cache->bits)];
}

static inline void lw_rule_unpack(const struct lw_rule_cache_entry *entry,
				  struct lw_rule *rule)
{
	unsigned int packed = entry->packed;

	*rule = (struct lw_rule){ .flags = packed >> LW_PACKED_FLAGS };
	if (rule->flags & LW_RULE_OUTERMOST)
		return;
	rule->cfa.off = entry->cfa_off;
	rule->cfa.base = packed & LW_PACKED_BASE_FP ? LW_BASE_FP : LW_BASE_SP;
	rule->ra.off = 8 * entry->ra_words;
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

static inline int lw_rule_is_saved(const struct lw_rule_value *value)
{
	return value->base == LW_BASE_CFA && value->deref;
}

/* Return: not 0 if it fits. */
static inline int lw_rule_pack(const struct lw_rule *rule,
			       struct lw_rule_cache_entry *entry)
{
	unsigned int packed = LW_PACKED_USED | rule->flags << LW_PACKED_FLAGS;

	if (rule->flags & LW_RULE_OUTERMOST)
		goto done;
	if (rule->cfa.deref || (rule->flags & LW_RULE_SWITCH) || !lw_rule_is_saved(&rule->ra) ||
	    rule->ra.off % 8 || rule->ra.off / 8 != (__s8)(rule->ra.off / 8))
		return 0;
	if (rule->cfa.base == LW_BASE_FP)
		packed |= LW_PACKED_BASE_FP;
	else if (rule->cfa.base != LW_BASE_SP)
		return 0;
	if (rule->fp.base != LW_BASE_NONE) {
		if (!lw_rule_is_saved(&rule->fp) ||
		    rule->fp.off != (__s16)rule->fp.off)
			return 0;
		packed |= LW_PACKED_FP_SAVED;
	}
	if (rule->sp_off == -160)
		packed |= LW_PACKED_BIASED;
	else if (rule->sp_off)
		return 0;
done:
	entry->cfa_off = rule->cfa.off;
	entry->fp_off = (__s16)rule->fp.off;
	entry->ra_words = (__s8)(rule->ra.off / 8);
	entry->packed = (__u8)packed;
	return 1;
}

/**
 * lw_rule_cache_get() - the rule of a key
 * @cache: cache
 * @key: address or what stands for it
 * @rule: filled if there is one
 *
 * Context: any.
 * Return: not 0 if @rule is filled.
 */
static inline int lw_rule_cache_get(const struct lw_rule_cache *cache,
				    __u64 key, struct lw_rule *rule)
{
	const struct lw_rule_cache_entry *entry = lw_rule_cache_home(cache, key);
	unsigned int i;

	for (i = 0; i < LW_RULE_CACHE_WAYS; i++, entry++) {
		if (entry->key == key && entry->packed) {
			lw_rule_unpack(entry, rule);
			return 1;
		}
	}
	return 0;
}

/**
 * lw_rule_cache_put() - keep a rule
 * @cache: cache
 * @key: as lw_rule_cache_get(); not known yet
 * @rule: to keep; one that does not fit is ignored
 *
 * Takes the place of another one if there is no free place.
 *
 * Context: any.
 */
static inline void lw_rule_cache_put(struct lw_rule_cache *cache, __u64 key,
				     const struct lw_rule *rule)
{
	struct lw_rule_cache_entry *home = lw_rule_cache_home(cache, key);
	struct lw_rule_cache_entry packed = { .key = key };
	unsigned int i;

	if (!lw_rule_pack(rule, &packed))
		return;
	for (i = 0; i < LW_RULE_CACHE_WAYS; i++)
		if (!home[i].packed)
			break;
	home[i % LW_RULE_CACHE_WAYS] = packed;
}

#endif /* LW_RULECACHE_H */
