// SPDX-License-Identifier: GPL-2.0
/*
 * stack_join.c - joins SAMPLE and USER_STACK records by their cookies.
 *
 * A cookie has any number of samples and one stack, which may be read before
 * them when they are in another CPU's ring.  A sample is held until its stack
 * comes.  A stack is held for LW_MERGE_KEEP_PASSES complete passes over all
 * rings: nearly all samples of a cookie are written before its stack, but one
 * that hits while the module still hands the stack to others comes after it.
 *
 * What is joined waits in a ready list for lw_merge_emit(), so that the caller
 * can bring its side-band up to date in between.  Memory is bounded: above the
 * limit the oldest cookies are given up.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/sample.h"
#include "device/user_stack.h"
#include "record/stack_join.h"

#define HASH_BITS	14
#define HASH_SIZE	(1U << HASH_BITS)
#define NO_TIME		(~0ULL)

struct held_stack {
	u32 users;
	struct lw_user_stack record;
};

struct held_sample {
	struct held_sample *next;
	struct held_stack *stack;	/* on the ready list: a reference */
	struct lw_sample record;
};

struct entry {
	struct entry *hash_next;
	struct entry *older, *newer;	/* by age, all entries */
	struct lw_cookie cookie;
	struct held_sample *samples;	/* while there is no stack */
	u64 time;			/* of the oldest of these that has an age, or NO_TIME */
	struct held_stack *stack;
	u64 pass;			/* complete ones before the stack */
	size_t bytes;
	bool used;			/* the stack had a sample */
};

struct lw_merge {
	struct entry *hash[HASH_SIZE];
	struct entry *oldest, *newest;
	struct held_sample **ready;
	size_t nr_ready, ready_room;
	size_t bytes, max_bytes;
	u64 pass;
	u64 pending;
	struct lw_merge_stats stats;
};

/**
 * lw_merge_new - an empty merger
 * @max_bytes: most memory for samples that wait for their stacks
 *
 * Return: the merger or NULL.
 */
struct lw_merge *lw_merge_new(size_t max_bytes)
{
	struct lw_merge *merge = calloc(1, sizeof(*merge));

	if (merge)
		merge->max_bytes = max_bytes;
	return merge;
}

static u32 hash_of(const struct lw_cookie *cookie)
{
	return lw_hash64(cookie->counter ^ ((u64)cookie->cpu << 48)) & (HASH_SIZE - 1);
}

static struct entry *find_entry(struct lw_merge *merge, const struct lw_cookie *cookie)
{
	struct entry *entry = merge->hash[hash_of(cookie)];

	while (entry && (entry->cookie.counter != cookie->counter ||
			 entry->cookie.cpu != cookie->cpu))
		entry = entry->hash_next;
	return entry;
}

static struct entry *get_entry(struct lw_merge *merge, const struct lw_cookie *cookie)
{
	struct entry *entry = find_entry(merge, cookie);
	u32 slot = hash_of(cookie);

	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->cookie = *cookie;
	entry->time = NO_TIME;
	entry->bytes = sizeof(*entry);
	entry->hash_next = merge->hash[slot];
	merge->hash[slot] = entry;
	entry->older = merge->newest;
	if (merge->newest)
		merge->newest->newer = entry;
	else
		merge->oldest = entry;
	merge->newest = entry;
	merge->bytes += entry->bytes;
	return entry;
}

static void put_stack(struct held_stack *stack)
{
	if (stack && !--stack->users)
		free(stack);
}

/* The samples were taken off before. */
static void free_entry(struct lw_merge *merge, struct entry *entry)
{
	struct entry **link = &merge->hash[hash_of(&entry->cookie)];

	while (*link != entry)
		link = &(*link)->hash_next;
	*link = entry->hash_next;
	if (entry->older)
		entry->older->newer = entry->newer;
	else
		merge->oldest = entry->newer;
	if (entry->newer)
		entry->newer->older = entry->older;
	else
		merge->newest = entry->older;
	merge->bytes -= entry->bytes;
	put_stack(entry->stack);
	free(entry);
}

static int make_ready(struct lw_merge *merge, struct held_sample *sample, struct held_stack *stack)
{
	if (lw_grow((void **)&merge->ready, &merge->ready_room, merge->nr_ready + 1,
		    sizeof(*merge->ready)))
		return -ENOMEM;
	sample->next = NULL;
	sample->stack = stack;
	if (stack)
		stack->users++;
	merge->ready[merge->nr_ready++] = sample;
	return 0;
}

static int release_samples(struct lw_merge *merge, struct entry *entry)
{
	while (entry->samples) {
		struct held_sample *sample = entry->samples, *next = sample->next;
		int ret = make_ready(merge, sample, entry->stack);

		if (ret)
			return ret;
		entry->samples = next;
		merge->pending--;
		entry->used = true;
	}
	entry->time = NO_TIME;
	return 0;
}

/* One kernel entry may go on for long and hit all the time. */
static int evict_samples_of(struct lw_merge *merge, struct entry *entry)
{
	u64 before = merge->pending;
	int ret = release_samples(merge, entry);

	if (ret)
		return ret;
	merge->stats.evicted += before - merge->pending;
	merge->bytes -= entry->bytes - sizeof(*entry);
	entry->bytes = sizeof(*entry);
	return 0;
}

static int evict(struct lw_merge *merge, struct entry *keep)
{
	while (merge->bytes > merge->max_bytes && merge->oldest && merge->oldest != keep) {
		struct entry *entry = merge->oldest;
		u64 before = merge->pending;
		int ret = release_samples(merge, entry);

		if (ret)
			return ret;
		merge->stats.evicted += before - merge->pending;
		free_entry(merge, entry);
	}
	if (merge->bytes > merge->max_bytes && !keep->stack)
		return evict_samples_of(merge, keep);
	return 0;
}

static void charge(struct lw_merge *merge, struct entry *entry, size_t bytes)
{
	entry->bytes += bytes;
	merge->bytes += bytes;
}

static int take_sample(struct lw_merge *merge, const struct lw_sample *sample, u64 time)
{
	size_t bytes = lw_sample_size(sample);
	struct held_sample *held;
	struct entry *entry;
	int ret;

	held = malloc(offsetof(struct held_sample, record) + bytes);
	if (!held)
		return -ENOMEM;
	memcpy(&held->record, sample, bytes);
	held->stack = NULL;
	if (sample->user != LW_USER_PENDING || !sample->cookie.counter) {
		ret = make_ready(merge, held, NULL);
		goto out;
	}
	entry = get_entry(merge, &sample->cookie);
	if (!entry) {
		ret = -ENOMEM;
		goto out;
	}
	if (entry->stack) {
		entry->used = true;
		ret = make_ready(merge, held, entry->stack);
		goto out;
	}
	if (time < entry->time)
		entry->time = time;
	held->next = entry->samples;
	entry->samples = held;
	merge->pending++;
	charge(merge, entry, sizeof(*held) + bytes);
	return evict(merge, entry);
out:
	if (ret)
		free(held);
	return ret;
}

/**
 * lw_merge_sample - take a SAMPLE record
 * @merge: the merger
 * @sample: valid by lw_sample_valid(); is copied
 *
 * Return: 0 or -ENOMEM.
 */
int lw_merge_sample(struct lw_merge *merge, const struct lw_sample *sample)
{
	return take_sample(merge, sample, sample->time);
}

/**
 * lw_merge_sample_ageless - take a SAMPLE record that lw_merge_oldest() is not to count
 * @merge: the merger
 * @sample: valid by lw_sample_valid(); is copied
 *
 * Return: 0 or -ENOMEM.
 */
int lw_merge_sample_ageless(struct lw_merge *merge, const struct lw_sample *sample)
{
	return take_sample(merge, sample, NO_TIME);
}

/**
 * lw_merge_stack - take a USER_STACK record
 * @merge: the merger
 * @stack: valid by lw_user_stack_valid(); is copied
 *
 * Return: 0 or -ENOMEM.
 */
int lw_merge_stack(struct lw_merge *merge, const struct lw_user_stack *stack)
{
	size_t bytes = lw_user_stack_size(stack);
	struct entry *entry = get_entry(merge, &stack->cookie);
	int ret;

	if (!entry)
		return -ENOMEM;
	if (entry->stack) {
		merge->stats.duplicates++;
		return 0;
	}
	entry->stack = malloc(offsetof(struct held_stack, record) + bytes);
	if (!entry->stack)
		return -ENOMEM;
	memcpy(&entry->stack->record, stack, bytes);
	entry->stack->users = 1;
	entry->pass = merge->pass;
	charge(merge, entry, sizeof(*entry->stack) + bytes);
	ret = release_samples(merge, entry);
	return ret ? ret : evict(merge, entry);
}

/**
 * lw_merge_pass - every ring was read once since the last call
 * @merge: the merger
 * @complete: every ring was read up to the end that it had then
 *
 * Drops the stacks that further samples can hardly belong to.
 */
void lw_merge_pass(struct lw_merge *merge, bool complete)
{
	struct entry *entry, *newer;

	if (!complete)
		return;
	merge->pass++;
	for (entry = merge->oldest; entry; entry = newer) {
		newer = entry->newer;
		/* the pass that saw it may have been over other rings before */
		if (!entry->stack || merge->pass - entry->pass <= LW_MERGE_KEEP_PASSES)
			continue;
		if (!entry->used)
			merge->stats.orphans++;
		free_entry(merge, entry);
	}
}

/**
 * lw_merge_give_up - the waiting samples become ready without a stack
 * @merge: the merger
 *
 * Return: 0 or -ENOMEM.
 */
int lw_merge_give_up(struct lw_merge *merge)
{
	for (struct entry *entry = merge->oldest; entry; entry = entry->newer) {
		int ret = release_samples(merge, entry);

		if (ret)
			return ret;
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct held_sample *left = *(struct held_sample * const *)a;
	const struct held_sample *right = *(struct held_sample * const *)b;

	if (left->record.time != right->record.time)
		return left->record.time < right->record.time ? -1 : 1;
	return 0;
}

/**
 * lw_merge_emit - hand out what is ready, in the order of time
 * @merge: the merger
 * @fn: called with each sample; the pointers are good during the call only
 * @ctx: for @fn
 *
 * Return: 0 or the first nonzero return of @fn; the rest is dropped then.
 */
int lw_merge_emit(struct lw_merge *merge, lw_merged_fn fn, void *ctx)
{
	int ret = 0;

	if (merge->nr_ready)
		qsort(merge->ready, merge->nr_ready, sizeof(*merge->ready), by_time);
	for (size_t i = 0; i < merge->nr_ready; i++) {
		struct held_sample *sample = merge->ready[i];

		if (!ret)
			ret = fn(ctx, &sample->record,
				 sample->stack ? &sample->stack->record : NULL);
		put_stack(sample->stack);
		free(sample);
	}
	merge->nr_ready = 0;
	return ret;
}

static int drop(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	(void)ctx;
	(void)sample;
	(void)stack;
	return 0;
}

/**
 * lw_merge_free - free a merger and all that it holds
 * @merge: the merger or NULL
 */
void lw_merge_free(struct lw_merge *merge)
{
	if (!merge)
		return;
	lw_merge_emit(merge, drop, NULL);
	while (merge->oldest) {
		struct entry *entry = merge->oldest;

		while (entry->samples) {
			struct held_sample *next = entry->samples->next;

			free(entry->samples);
			entry->samples = next;
		}
		free_entry(merge, entry);
	}
	free(merge->ready);
	free(merge);
}

/**
 * lw_merge_oldest - since when the samples that wait for their stacks are
 * @merge: the merger
 *
 * Return: the time of the oldest, or the greatest number there is when none waits.
 */
u64 lw_merge_oldest(const struct lw_merge *merge)
{
	u64 time = NO_TIME;

	for (const struct entry *entry = merge->oldest; entry; entry = entry->newer) {
		if (entry->time < time)
			time = entry->time;
	}
	return time;
}

/**
 * lw_merge_pending - samples that wait for their stacks
 * @merge: the merger
 *
 * Return: how many.
 */
u64 lw_merge_pending(const struct lw_merge *merge)
{
	return merge->pending;
}

/**
 * lw_merge_stats - what did not go the usual way
 * @merge: the merger
 *
 * Return: its counters.
 */
const struct lw_merge_stats *lw_merge_stats(const struct lw_merge *merge)
{
	return &merge->stats;
}
