/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rulecache.h - a cache of rules by address.
 *
 * A look-up in a table costs hundreds of instructions, and the same return addresses
 * come again and again.  The cache is a hash table of entries of 24 bytes, in the
 * caller's memory.  Nearly all rules fit an entry: CFA from SP or FP, RA on the stack,
 * offsets multiples of 8.  Other rules are not kept.
 *
 * Rules never leave the cache because they changed: what may change gets a new id
 * then, and ids are wide enough to be given once.
 *
 * Contexts: any; the caller keeps others from the same cache (one a CPU, preemption
 * off).
 */
#ifndef LW_RULECACHE_H
#define LW_RULECACHE_H

#include "rule.h"

/* An entry is at its home or one of the next, these many in all. */
#define LW_RULE_CACHE_WAYS	4

struct lw_rule_key {
	__u64	id;		/* lw_rule_id() of a table or mapping */
	__u32	at;		/* place in it */
};

/* A rule, packed. */
struct lw_rule_cache_entry {
	__u64	id;		/* of its key; 0: the entry is free */
	__u32	at;		/* of its key */
	__s32	cfa_off;
	__s16	fp_off;		/* FP is saved at CFA + this, if LW_PACKED_FP_SAVED */
	__s16	ra_off;		/* RA is saved at CFA + this */
	__u8	packed;		/* LW_PACKED_* and lw_rule.flags */
	__u8	tag;		/* the caller's */
};

#define LW_PACKED_BASE_FP	0x1U
#define LW_PACKED_FP_SAVED	0x2U
#define LW_PACKED_BIASED	0x4U	/* lw_rule.sp_off is -160 */
/* lw_rule.flags follow; a rule with LW_RULE_SWITCH or a higher one is not kept */
#define LW_PACKED_FLAGS		3
#define LW_PACKED_FLAG(flag)	((flag) << LW_PACKED_FLAGS)

struct lw_rule_cache {
	/* 1 << @bits homes and LW_RULE_CACHE_WAYS - 1 more, zeroed at first */
	struct lw_rule_cache_entry *entries;
	unsigned int bits;	/* 1 to 32; four homes for each key keep hits quick */
	unsigned int turn;	/* the way that is evicted next */
};

/**
 * lw_rule_id() - the id with a number
 * @number: not 0
 *
 * Ids are far apart, so that the sum of an id and a place is hardly ever another such
 * sum.  The factor is odd, so no two numbers have the same id, and the numbers of two ids
 * next to each other are 2^62 apart at least: who counts never has both.
 *
 * Context: any.
 * Return: the id, not 0.
 */
static inline __u64 lw_rule_id(__u64 number)
{
	/* a factor of MurmurHash3's fmix64() */
	return number * 0xff51afd7ed558ccdULL;
}

static inline struct lw_rule_cache_entry *
lw_rule_cache_home(const struct lw_rule_cache *cache, struct lw_rule_key key)
{
	/* Fibonacci hashing: the top bits of a multiple of 2^64 / phi */
	__u64 hash = (key.id + key.at) * 0x9e3779b97f4a7c15ULL;

	return &cache->entries[hash >> (64 - cache->bits)];
}

static inline int lw_rule_is_packable(const struct lw_rule_value *value)
{
	return value->base == LW_BASE_CFA && value->deref &&
	       !(value->off % 8) && value->off == (__s16)value->off;
}

/* Return: not 0 if the rule fits. */
static inline int lw_rule_pack(const struct lw_rule *rule,
			       struct lw_rule_cache_entry *entry)
{
	unsigned int packed = LW_PACKED_FLAG(rule->flags);

	if (rule->flags & LW_RULE_OUTERMOST)
		goto done;
	if (rule->cfa.deref || rule->cfa.index || rule->cfa.off % 8 ||
	    rule->flags >= LW_RULE_SWITCH || !lw_rule_is_packable(&rule->ra))
		return 0;
	if (rule->cfa.base == LW_BASE_FP)
		packed |= LW_PACKED_BASE_FP;
	else if (rule->cfa.base != LW_BASE_SP)
		return 0;
	if (rule->fp.base != LW_BASE_NONE) {
		if (!lw_rule_is_packable(&rule->fp))
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
	entry->ra_off = (__s16)rule->ra.off;
	entry->packed = (__u8)packed;
	return 1;
}

/**
 * lw_rule_cache_find() - the entry of a key
 * @cache: cache
 * @key: as it was put
 *
 * Context: any.
 * Return: the entry, or NULL.
 */
static inline const struct lw_rule_cache_entry *
lw_rule_cache_find(const struct lw_rule_cache *cache, struct lw_rule_key key)
{
	const struct lw_rule_cache_entry *entry = lw_rule_cache_home(cache, key);
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < LW_RULE_CACHE_WAYS; i++, entry++) {
		if (entry->id != key.id || entry->at != key.at)
			continue;
		/* Spares callers the test for NULL where an entry was found. */
		if (!entry)
			__builtin_unreachable();
		return entry;
	}
	return (void *)0;
}

/**
 * lw_rule_cache_put() - keep a rule
 * @cache: cache
 * @key: has no entry yet
 * @rule: to keep; ignored if it does not fit
 * @tag: kept with it
 *
 * If all ways are in use, evicts one, each in its turn: nothing tells which of them
 * nobody asks for any more.
 *
 * Context: any.
 */
static inline void lw_rule_cache_put(struct lw_rule_cache *cache, struct lw_rule_key key,
				     const struct lw_rule *rule, __u8 tag)
{
	struct lw_rule_cache_entry *home = lw_rule_cache_home(cache, key);
	struct lw_rule_cache_entry packed = { .id = key.id, .at = key.at, .tag = tag };
	unsigned int i;

	if (!lw_rule_pack(rule, &packed))
		return;
	for (i = 0; i < LW_RULE_CACHE_WAYS; i++)
		if (!home[i].id)
			break;
	if (i == LW_RULE_CACHE_WAYS)
		i = cache->turn++ % LW_RULE_CACHE_WAYS;
	home[i] = packed;
}

#endif /* LW_RULECACHE_H */
