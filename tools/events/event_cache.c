// SPDX-License-Identifier: GPL-2.0
/*
 * event_cache.c - the events of -e that are of caches: CACHE[-OPERATION][-RESULT], with the
 * names that perf has: L1-dcache-load-misses.
 */
#include <errno.h>
#include <string.h>

#include "events/event_cache.h"

#define NO_OP		(~0U)

struct word {
	const char *name;
	u32 value;
};

#define CACHE(name, id)		{ name, PERF_COUNT_HW_CACHE_##id }

static const struct word caches[] = {
	CACHE("L1-dcache", L1D), CACHE("l1-d", L1D), CACHE("l1d", L1D), CACHE("L1-data", L1D),
	CACHE("L1-icache", L1I), CACHE("l1-i", L1I), CACHE("l1i", L1I),
	CACHE("L1-instruction", L1I),
	CACHE("LLC", LL), CACHE("L2", LL),
	CACHE("dTLB", DTLB), CACHE("d-tlb", DTLB), CACHE("Data-TLB", DTLB),
	CACHE("iTLB", ITLB), CACHE("i-tlb", ITLB), CACHE("Instruction-TLB", ITLB),
	CACHE("branch", BPU), CACHE("branches", BPU), CACHE("bpu", BPU), CACHE("btb", BPU),
	CACHE("bpc", BPU),
	CACHE("node", NODE),
};

static const struct word operations[] = {
	CACHE("load", OP_READ), CACHE("loads", OP_READ), CACHE("read", OP_READ),
	CACHE("store", OP_WRITE), CACHE("stores", OP_WRITE), CACHE("write", OP_WRITE),
	CACHE("prefetch", OP_PREFETCH), CACHE("prefetches", OP_PREFETCH),
	CACHE("speculative-read", OP_PREFETCH), CACHE("speculative-load", OP_PREFETCH),
};

static const struct word results[] = {
	CACHE("refs", RESULT_ACCESS), CACHE("Reference", RESULT_ACCESS),
	CACHE("ops", RESULT_ACCESS), CACHE("access", RESULT_ACCESS),
	CACHE("misses", RESULT_MISS), CACHE("miss", RESULT_MISS),
};

/* Bits of the operations that a cache has. */
static const u8 has_operations[] = {
	[PERF_COUNT_HW_CACHE_L1D] = 7, [PERF_COUNT_HW_CACHE_L1I] = 5,
	[PERF_COUNT_HW_CACHE_LL] = 7, [PERF_COUNT_HW_CACHE_DTLB] = 7,
	[PERF_COUNT_HW_CACHE_ITLB] = 1, [PERF_COUNT_HW_CACHE_BPU] = 1,
	[PERF_COUNT_HW_CACHE_NODE] = 7,
};

/* The longest word that @text begins with, up to a dash or the end; moves behind it. */
static bool take_word(const char **text, const struct word *words, size_t nr, u32 *value)
{
	size_t longest = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(words[i].name);

		if (len <= longest || strncasecmp(*text, words[i].name, len) ||
		    ((*text)[len] && (*text)[len] != '-'))
			continue;
		longest = len;
		*value = words[i].value;
	}
	*text += longest;
	return longest;
}

/* Operation and result, in any order; either may be left out. */
static bool take_rest(const char *text, u32 *operation, u32 *result)
{
	u32 no_result = NO_OP;

	while (*text) {
		if (*text++ != '-')
			return false;
		if (*operation == NO_OP &&
		    take_word(&text, operations, ARRAY_SIZE(operations), operation))
			continue;
		if (no_result != NO_OP ||
		    !take_word(&text, results, ARRAY_SIZE(results), &no_result))
			return false;
	}
	*result = no_result == NO_OP ? PERF_COUNT_HW_CACHE_RESULT_ACCESS : no_result;
	if (*operation == NO_OP)
		*operation = PERF_COUNT_HW_CACHE_OP_READ;
	return true;
}

/**
 * lw_event_cache - read the name of an event of a cache
 * @event: its type and config are set
 * @name: without modifiers
 *
 * Return: 0, or -ENOENT if it is none, or one of an operation that the cache does not have.
 */
int lw_event_cache(struct lw_event *event, const char *name)
{
	u32 cache, operation = NO_OP, result;

	if (!take_word(&name, caches, ARRAY_SIZE(caches), &cache) ||
	    !take_rest(name, &operation, &result) || !(has_operations[cache] & 1U << operation))
		return -ENOENT;
	event->attr.type = PERF_TYPE_HW_CACHE;
	event->attr.config = cache | operation << 8 | result << 16;
	return 0;
}
