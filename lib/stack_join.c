// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * stack_join.c - joins SAMPLE and USER_STACK records by their cookies.
 *
 * A cookie has any number of samples and one stack, which may be read before
 * them when they are in another CPU's ring.  A sample is held until its stack
 * comes.  A stack is held for KEEP_PASSES complete passes over all rings: nearly
 * all samples of a cookie are written before its stack, but one that hits while
 * the module still hands the stack to others comes after it.
 *
 * Joined samples wait in a ready list for latewind_stack_join_emit(), so that the caller
 * can bring its side-band up to date in between.  Memory is bounded: above the
 * limit the oldest cookies are given up.
 *
 * Contexts: one thread.
 */
#include <string.h>

#include "private.h"

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

struct latewind_stack_join {
	struct entry *hash[HASH_SIZE];
	struct entry *oldest, *newest;
	struct held_sample **ready;
	size_t nr_ready, ready_room;
	size_t bytes, max_bytes;
	u64 pass;
	u64 pending;
	struct latewind_stack_join_stats stats;
};

struct latewind_stack_join *latewind_stack_join_new(size_t max_bytes)
{
	struct latewind_stack_join *join = calloc(1, sizeof(*join));

	if (join)
		join->max_bytes = max_bytes;
	return join;
}

static u32 hash_of(const struct lw_cookie *cookie)
{
	u64 key = cookie->counter ^ ((u64)cookie->cpu << 48);

	/* the multiplier of splitmix64 and of many others: 2^64 by the golden ratio */
	key = (key ^ key >> 31) * 0x9e3779b97f4a7c15ULL;
	return (key ^ key >> 29) & (HASH_SIZE - 1);
}

static struct entry *find_entry(struct latewind_stack_join *join, const struct lw_cookie *cookie)
{
	struct entry *entry = join->hash[hash_of(cookie)];

	while (entry && (entry->cookie.counter != cookie->counter ||
			 entry->cookie.cpu != cookie->cpu))
		entry = entry->hash_next;
	return entry;
}

static struct entry *get_entry(struct latewind_stack_join *join, const struct lw_cookie *cookie)
{
	struct entry *entry = find_entry(join, cookie);
	u32 slot = hash_of(cookie);

	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->cookie = *cookie;
	entry->time = NO_TIME;
	entry->bytes = sizeof(*entry);
	entry->hash_next = join->hash[slot];
	join->hash[slot] = entry;
	entry->older = join->newest;
	if (join->newest)
		join->newest->newer = entry;
	else
		join->oldest = entry;
	join->newest = entry;
	join->bytes += entry->bytes;
	return entry;
}

static void put_stack(struct held_stack *stack)
{
	if (stack && !--stack->users)
		free(stack);
}

/* The samples were taken off before. */
static void free_entry(struct latewind_stack_join *join, struct entry *entry)
{
	struct entry **link = &join->hash[hash_of(&entry->cookie)];

	while (*link != entry)
		link = &(*link)->hash_next;
	*link = entry->hash_next;
	if (entry->older)
		entry->older->newer = entry->newer;
	else
		join->oldest = entry->newer;
	if (entry->newer)
		entry->newer->older = entry->older;
	else
		join->newest = entry->older;
	join->bytes -= entry->bytes;
	put_stack(entry->stack);
	free(entry);
}

static int make_ready(struct latewind_stack_join *join, struct held_sample *sample,
		      struct held_stack *stack)
{
	if (grow((void **)&join->ready, &join->ready_room, join->nr_ready + 1,
		 sizeof(*join->ready)))
		return -ENOMEM;
	sample->next = NULL;
	sample->stack = stack;
	if (stack)
		stack->users++;
	join->ready[join->nr_ready++] = sample;
	return 0;
}

static int release_samples(struct latewind_stack_join *join, struct entry *entry)
{
	while (entry->samples) {
		struct held_sample *sample = entry->samples, *next = sample->next;
		int ret = make_ready(join, sample, entry->stack);

		if (ret)
			return ret;
		entry->samples = next;
		join->pending--;
		entry->used = true;
	}
	entry->time = NO_TIME;
	return 0;
}

/* One kernel entry may go on for long and hit all the time. */
static int evict_samples_of(struct latewind_stack_join *join, struct entry *entry)
{
	u64 before = join->pending;
	int ret = release_samples(join, entry);

	if (ret)
		return ret;
	join->stats.evicted += before - join->pending;
	join->bytes -= entry->bytes - sizeof(*entry);
	entry->bytes = sizeof(*entry);
	return 0;
}

static int evict(struct latewind_stack_join *join, struct entry *keep)
{
	while (join->bytes > join->max_bytes && join->oldest && join->oldest != keep) {
		struct entry *entry = join->oldest;
		u64 before = join->pending;
		int ret = release_samples(join, entry);

		if (ret)
			return ret;
		join->stats.evicted += before - join->pending;
		free_entry(join, entry);
	}
	if (join->bytes > join->max_bytes && !keep->stack)
		return evict_samples_of(join, keep);
	return 0;
}

static void charge(struct latewind_stack_join *join, struct entry *entry, size_t bytes)
{
	entry->bytes += bytes;
	join->bytes += bytes;
}

static int take_sample(struct latewind_stack_join *join, const struct lw_sample *sample, u64 time)
{
	size_t bytes = latewind_sample_size(sample);
	struct held_sample *held;
	struct entry *entry;
	int ret;

	held = malloc(offsetof(struct held_sample, record) + bytes);
	if (!held)
		return -ENOMEM;
	memcpy(&held->record, sample, bytes);
	/* what a later module has behind that is not there */
	held->record.record.len = bytes;
	held->stack = NULL;
	if (sample->user != LW_USER_PENDING || !sample->cookie.counter) {
		ret = make_ready(join, held, NULL);
		goto out;
	}
	entry = get_entry(join, &sample->cookie);
	if (!entry) {
		ret = -ENOMEM;
		goto out;
	}
	if (entry->stack) {
		entry->used = true;
		ret = make_ready(join, held, entry->stack);
		goto out;
	}
	if (time < entry->time)
		entry->time = time;
	held->next = entry->samples;
	entry->samples = held;
	join->pending++;
	charge(join, entry, sizeof(*held) + bytes);
	return evict(join, entry);
out:
	if (ret)
		free(held);
	return ret;
}

int latewind_stack_join_sample(struct latewind_stack_join *join, const struct lw_sample *sample)
{
	return take_sample(join, sample, sample->time);
}

int latewind_stack_join_sample_ageless(struct latewind_stack_join *join,
				       const struct lw_sample *sample)
{
	return take_sample(join, sample, NO_TIME);
}

int latewind_stack_join_stack(struct latewind_stack_join *join, const struct lw_user_stack *stack)
{
	size_t bytes = latewind_stack_size(stack);
	struct entry *entry = get_entry(join, &stack->cookie);
	int ret;

	if (!entry)
		return -ENOMEM;
	if (entry->stack) {
		join->stats.duplicates++;
		return 0;
	}
	entry->stack = malloc(offsetof(struct held_stack, record) + bytes);
	if (!entry->stack)
		return -ENOMEM;
	memcpy(&entry->stack->record, stack, bytes);
	entry->stack->record.record.len = bytes;
	entry->stack->users = 1;
	entry->pass = join->pass;
	charge(join, entry, sizeof(*entry->stack) + bytes);
	ret = release_samples(join, entry);
	return ret ? ret : evict(join, entry);
}

void latewind_stack_join_pass(struct latewind_stack_join *join, bool complete)
{
	struct entry *entry, *newer;

	if (!complete)
		return;
	join->pass++;
	for (entry = join->oldest; entry; entry = newer) {
		newer = entry->newer;
		/* the pass that saw it may have been over other rings before */
		if (!entry->stack || join->pass - entry->pass <= KEEP_PASSES)
			continue;
		if (!entry->used)
			join->stats.orphans++;
		free_entry(join, entry);
	}
}

int latewind_stack_join_give_up(struct latewind_stack_join *join)
{
	for (struct entry *entry = join->oldest; entry; entry = entry->newer) {
		int ret = release_samples(join, entry);

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

int latewind_stack_join_emit(struct latewind_stack_join *join, latewind_sample_fn fn, void *ctx)
{
	size_t done = 0;
	int ret = 0;

	if (join->nr_ready)
		qsort(join->ready, join->nr_ready, sizeof(*join->ready), by_time);
	while (!ret && done < join->nr_ready) {
		struct held_sample *sample = join->ready[done++];

		ret = fn(ctx, &sample->record, sample->stack ? &sample->stack->record : NULL);
		put_stack(sample->stack);
		free(sample);
	}
	join->nr_ready -= done;
	if (join->nr_ready)
		memmove(join->ready, join->ready + done,
			join->nr_ready * sizeof(*join->ready));
	return ret;
}

static int drop(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	(void)ctx;
	(void)sample;
	(void)stack;
	return 0;
}

void latewind_stack_join_free(struct latewind_stack_join *join)
{
	if (!join)
		return;
	latewind_stack_join_emit(join, drop, NULL);
	while (join->oldest) {
		struct entry *entry = join->oldest;

		while (entry->samples) {
			struct held_sample *next = entry->samples->next;

			free(entry->samples);
			entry->samples = next;
		}
		free_entry(join, entry);
	}
	free(join->ready);
	free(join);
}

u64 latewind_stack_join_oldest(const struct latewind_stack_join *join)
{
	u64 time = NO_TIME;

	for (const struct entry *entry = join->oldest; entry; entry = entry->newer) {
		if (entry->time < time)
			time = entry->time;
	}
	return time;
}

u64 latewind_stack_join_pending(const struct latewind_stack_join *join)
{
	return join->pending;
}

const struct latewind_stack_join_stats *
latewind_stack_join_stats(const struct latewind_stack_join *join)
{
	return &join->stats;
}
