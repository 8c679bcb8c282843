/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rulecache.h - rules that were looked up, by address.
 *
 * A look-up in a table costs hundreds of instructions, and the same return addresses
 * come again and again.  A hash table in the caller's memory with entries of 24
 * bytes: what nearly all rules are fits (CFA from SP or FP, RA on the stack, all
 * offsets multiples of 8), all others are not kept.
 *
 * The key stands for an address in something whose rules can't change.  What may
 * change gets another id when it has, and those of before are never asked for again;
 * so ids are wide enough to be given once.
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
 * struct lw_rule_key - what a rule is for
 * @id: of what has the rule, such as a table: of lw_rule_id()
 * @at: where in it
 */
struct lw_rule_key {
	__u64	id;
	__u32	at;
};

/**
 * struct lw_rule_cache_entry - a rule, packed
 * @id: of its key; 0: entry not in use
 * @at: of its key
 * @cfa_off: lw_rule.cfa.off
 * @fp_off: FP is saved at CFA + this, if LW_PACKED_FP_SAVED
 * @ra_off: RA is saved at CFA + this
 * @packed: LW_PACKED_* and lw_rule.flags
 * @tag: the caller's
 */
struct lw_rule_cache_entry {
	__u64	id;
	__u32	at;
	__s32	cfa_off;
	__s16	fp_off;
	__s16	ra_off;
	__u8	packed;
	__u8	tag;
};

#define LW_PACKED_BASE_FP	0x1U
#define LW_PACKED_FP_SAVED	0x2U
#define LW_PACKED_BIASED	0x4U	/* lw_rule.sp_off is -160 */
/* lw_rule.flags, but for the last one, which says that a rule is not kept */
#define LW_PACKED_FLAGS		3
#define LW_PACKED_FLAG(flag)	((flag) << LW_PACKED_FLAGS)

/**
 * struct lw_rule_cache - a cache
 * @entries: 1 << @bits and LW_RULE_CACHE_WAYS - 1 more of them, zeroed at first
 * @bits: log2 of the homes, 1 to 32; four homes for each key in use keep hits quick
 * @turn: which neighbour makes room next, where all are in use
 */
struct lw_rule_cache {
	struct lw_rule_cache_entry *entries;
	unsigned int bits;
	unsigned int turn;
};

/**
 * lw_rule_id() - the id with a number
 * @number: not 0
 *
 * Ids are far apart, so that a sum of id and place tells more than either; a product
 * with an odd number is that of no other number.
 *
 * Context: any.
 * Return: the id, not 0.
 */
static inline __u64 lw_rule_id(__u64 number)
{
	/* The factor of MurmurHash3's fmix64(): bits everywhere. */
	return number * 0xff51afd7ed558ccdULL;
}

static inline struct lw_rule_cache_entry *
lw_rule_cache_home(const struct lw_rule_cache *cache, struct lw_rule_key key)
{
	/* Fibonacci hashing: the top bits of a multiple of 2^64 / phi */
	__u64 hash = (key.id + key.at) * 0x9e3779b97f4a7c15ULL;

	return &cache->entries[hash >> (64 - cache->bits)];
}

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

static inline int lw_rule_is_saved(const struct lw_rule_value *value)
{
	return value->base == LW_BASE_CFA && value->deref;
}

/* Return: not 0 if it fits. */
static inline int lw_rule_pack(const struct lw_rule *rule,
			       struct lw_rule_cache_entry *entry)
{
	unsigned int packed = LW_PACKED_FLAG(rule->flags);

	if (rule->flags & LW_RULE_OUTERMOST)
		goto done;
	if (rule->cfa.deref || rule->flags >= LW_RULE_SWITCH || !lw_rule_is_saved(&rule->ra) ||
	    rule->cfa.off % 8 || rule->ra.off % 8 || rule->ra.off != (__s16)rule->ra.off)
		return 0;
	if (rule->cfa.base == LW_BASE_FP)
		packed |= LW_PACKED_BASE_FP;
	else if (rule->cfa.base != LW_BASE_SP)
		return 0;
	if (rule->fp.base != LW_BASE_NONE) {
		if (!lw_rule_is_saved(&rule->fp) ||
		    rule->fp.off % 8 || rule->fp.off != (__s16)rule->fp.off)
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
		/* The compiler does not know: callers would test what was found for NULL. */
		if (!entry)
			__builtin_unreachable();
		return entry;
	}
	return (void *)0;
}

/**
 * lw_rule_cache_get() - the rule of a key
 * @cache: cache
 * @key: as it was put
 * @rule: filled if there is one
 *
 * Context: any.
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

/**
 * lw_rule_cache_put() - keep a rule
 * @cache: cache
 * @key: what it is for; not known yet
 * @rule: to keep; one that does not fit is ignored
 * @tag: kept with it
 *
 * Takes the place of another one if there is no free place: of each neighbour in
 * turn, as any of them may be one that nobody asks for any more.
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
