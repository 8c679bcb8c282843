// SPDX-License-Identifier: GPL-2.0
/*
 * profile.c - stacks with names, added up.
 *
 * Each kind of thing is a pool, which has it by its number, and an index, which
 * has the number by what it is. Names come from files that anyone can write: the
 * hashes have a random seed, so that nobody can make them all fall together.
 *
 * Contexts: one thread per profile; reading sorts the samples when it must.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "profile/profile.h"

struct string {
	const char *text;
	size_t len;
};

struct stack {
	const u32 *frames;
	u32 nr;
};

/* Samples stay where they are; once one came late, @order has them by time. */
struct samples {
	struct lw_pool pool;
	u64 newest;
	u32 *order;			/* NULL: as in @pool */
	size_t room;
	bool sorted;
};

struct lw_profile {
	u64 seed;
	struct lw_arena arena;		/* texts, frames of stacks */
	struct lw_pool strings, frames, stacks, entries;
	struct lw_index string_index, frame_index, stack_index, entry_index;
	struct samples *samples;	/* NULL: they are not kept */
};

/**
 * lw_profile_new - an empty profile
 *
 * Return: it, for lw_profile_free(), or NULL.
 */
struct lw_profile *lw_profile_new(void)
{
	struct lw_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	if (getrandom(&profile->seed, sizeof(profile->seed), GRND_NONBLOCK) < 0)
		profile->seed = lw_now();
	profile->strings.size = sizeof(struct string);
	profile->frames.size = sizeof(struct lw_profile_frame);
	profile->stacks.size = sizeof(struct stack);
	profile->entries.size = sizeof(struct lw_profile_entry);
	return profile;
}

/**
 * lw_profile_free - free a profile and all that look-ups returned
 * @profile: it, or NULL
 */
void lw_profile_free(struct lw_profile *profile)
{
	if (!profile)
		return;
	if (profile->samples) {
		lw_pool_free(&profile->samples->pool);
		free(profile->samples->order);
		free(profile->samples);
	}
	lw_index_free(&profile->string_index);
	lw_index_free(&profile->frame_index);
	lw_index_free(&profile->stack_index);
	lw_index_free(&profile->entry_index);
	lw_pool_free(&profile->strings);
	lw_pool_free(&profile->frames);
	lw_pool_free(&profile->stacks);
	lw_pool_free(&profile->entries);
	lw_arena_free(&profile->arena);
	free(profile);
}

/**
 * lw_profile_keep_times - keep each sample by itself, too
 * @profile: without samples yet
 *
 * If there is no memory for that, lw_profile_nr_samples() stays 0.
 */
void lw_profile_keep_times(struct lw_profile *profile)
{
	if (profile->samples)
		return;
	profile->samples = calloc(1, sizeof(*profile->samples));
	if (profile->samples) {
		profile->samples->pool.size = sizeof(struct lw_profile_sample);
		profile->samples->sorted = true;
	}
}

/* Return: a new element, whose number @index will have; NULL: no memory, or number. */
static void *add(struct lw_pool *pool, struct lw_index *index, u64 hash)
{
	void *element;

	if (pool->nr >= LW_PROFILE_NONE || lw_index_reserve(index))
		return NULL;
	element = lw_pool_add(pool);
	if (element)
		lw_index_add(index, hash, pool->nr - 1);
	return element;
}

static bool same_string(const void *owner, u32 number, const void *key)
{
	const struct lw_profile *profile = owner;
	const struct string *there = lw_pool_at(&profile->strings, number), *wanted = key;

	return there->len == wanted->len && !memcmp(there->text, wanted->text, wanted->len);
}

/**
 * lw_profile_add_string - the number of a string
 * @profile: where; has a copy of it afterwards
 * @text: any bytes but 0
 *
 * Return: it, or LW_PROFILE_NONE when out of memory.
 */
u32 lw_profile_add_string(struct lw_profile *profile, const char *text)
{
	struct string key = { .text = text, .len = strlen(text) }, *string;
	u64 hash = lw_hash_bytes(profile->seed, text, key.len);
	u32 number = lw_index_find(&profile->string_index, hash, same_string, profile, &key);
	char *copy;

	if (number != LW_INDEX_NONE)
		return number;
	copy = lw_arena_alloc(&profile->arena, key.len + 1);
	string = copy ? add(&profile->strings, &profile->string_index, hash) : NULL;
	if (!string)
		return LW_PROFILE_NONE;
	memcpy(copy, text, key.len + 1);
	string->text = copy;
	string->len = key.len;
	return profile->strings.nr - 1;
}

static bool same_frame(const void *owner, u32 number, const void *key)
{
	const struct lw_profile *profile = owner;

	return !memcmp(lw_pool_at(&profile->frames, number), key,
		       sizeof(struct lw_profile_frame));
}

/* Padding is compared, too: it is zero here, whatever the caller has there. */
static void copy_frame(struct lw_profile_frame *to, const struct lw_profile_frame *from)
{
	memset(to, 0, sizeof(*to));
	to->address = from->address;
	to->function = from->function;
	to->dso = from->dso;
	to->file = from->file;
	to->line = from->line;
	to->kind = from->kind;
	to->inlined = from->inlined;
}

static bool has_string(const struct lw_profile *profile, u32 string)
{
	return string < profile->strings.nr;
}

/**
 * lw_profile_add_frame - the number of a frame
 * @profile: where
 * @frame: its strings are those of @profile
 *
 * Return: it, or LW_PROFILE_NONE when out of memory, or when a string is, as after
 * a failure: @frame->file may be, others not.
 */
u32 lw_profile_add_frame(struct lw_profile *profile, const struct lw_profile_frame *frame)
{
	struct lw_profile_frame key, *added;
	u32 number;
	u64 hash;

	if (!has_string(profile, frame->function) || !has_string(profile, frame->dso) ||
	    (frame->file != LW_PROFILE_NONE && !has_string(profile, frame->file)))
		return LW_PROFILE_NONE;
	copy_frame(&key, frame);
	hash = lw_hash_bytes(profile->seed, &key, sizeof(key));
	number = lw_index_find(&profile->frame_index, hash, same_frame, profile, &key);
	if (number != LW_INDEX_NONE)
		return number;
	added = add(&profile->frames, &profile->frame_index, hash);
	if (!added)
		return LW_PROFILE_NONE;
	copy_frame(added, frame);
	return profile->frames.nr - 1;
}

static bool same_stack(const void *owner, u32 number, const void *key)
{
	const struct lw_profile *profile = owner;
	const struct stack *there = lw_pool_at(&profile->stacks, number), *wanted = key;

	return there->nr == wanted->nr &&
	       (!wanted->nr ||
		!memcmp(there->frames, wanted->frames, wanted->nr * sizeof(u32)));
}

static bool has_frames(const struct lw_profile *profile, const u32 *frames, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		if (frames[i] >= profile->frames.nr)
			return false;
	}
	return true;
}

static u32 *copy_frames(struct lw_profile *profile, const u32 *frames, u32 nr)
{
	u32 *copy = lw_arena_alloc(&profile->arena, nr * sizeof(*frames));

	if (copy && nr)
		memcpy(copy, frames, nr * sizeof(*frames));
	return copy;
}

/**
 * lw_profile_add_stack - the number of a stack
 * @profile: where
 * @frames: numbers of its frames, from the leaf to the root
 * @nr: how many; may be 0
 *
 * Return: it, or LW_PROFILE_NONE when out of memory, or when a frame is none.
 */
u32 lw_profile_add_stack(struct lw_profile *profile, const u32 *frames, u32 nr)
{
	struct stack key = { .frames = frames, .nr = nr }, *stack;
	u64 hash = lw_hash_bytes(profile->seed, frames, nr * sizeof(*frames));
	u32 number = lw_index_find(&profile->stack_index, hash, same_stack, profile, &key);
	u32 *copy;

	if (number != LW_INDEX_NONE)
		return number;
	if (!has_frames(profile, frames, nr))
		return LW_PROFILE_NONE;
	copy = copy_frames(profile, frames, nr);
	stack = copy ? add(&profile->stacks, &profile->stack_index, hash) : NULL;
	if (!stack)
		return LW_PROFILE_NONE;
	stack->frames = copy;
	stack->nr = nr;
	return profile->stacks.nr - 1;
}

struct entry_key {
	struct lw_profile_key key;
	u32 stack;
};

static bool same_entry(const void *owner, u32 number, const void *key)
{
	const struct lw_profile *profile = owner;
	const struct lw_profile_entry *there = lw_pool_at(&profile->entries, number);
	const struct entry_key *wanted = key;

	return there->stack == wanted->stack &&
	       !memcmp(&there->key, &wanted->key, sizeof(wanted->key));
}

static u32 find_or_add_entry(struct lw_profile *profile, const struct entry_key *key)
{
	u64 hash = lw_hash_bytes(profile->seed, key, sizeof(*key));
	u32 number = lw_index_find(&profile->entry_index, hash, same_entry, profile, key);
	struct lw_profile_entry *entry;

	if (number != LW_INDEX_NONE)
		return number;
	entry = add(&profile->entries, &profile->entry_index, hash);
	if (!entry)
		return LW_PROFILE_NONE;
	entry->key = key->key;
	entry->stack = key->stack;
	return profile->entries.nr - 1;
}

static bool key_is_sound(const struct lw_profile *profile, const struct lw_profile_key *key)
{
	return has_string(profile, key->event) && has_string(profile, key->comm) &&
	       (key->cgroup == LW_PROFILE_NONE || has_string(profile, key->cgroup));
}

/* From the first sample on that came late, there is an order of its own. */
static int keep_order(struct samples *samples, u64 time)
{
	bool began = samples->order;

	if (!began && time >= samples->newest)
		return 0;
	if (samples->pool.nr > LW_PROFILE_NONE ||
	    lw_grow((void **)&samples->order, &samples->room, samples->pool.nr + 1, sizeof(u32)))
		return -ENOMEM;
	for (size_t i = began ? samples->pool.nr : 0; i <= samples->pool.nr; i++)
		samples->order[i] = i;
	return 0;
}

static int add_time(struct samples *samples, const struct lw_profile_sample *from)
{
	struct lw_profile_sample *sample;

	if (keep_order(samples, from->time))
		return -ENOMEM;
	sample = lw_pool_add(&samples->pool);
	if (!sample)
		return -ENOMEM;
	*sample = *from;
	if (from->time < samples->newest)
		samples->sorted = false;
	else
		samples->newest = from->time;
	return 0;
}

static void add_up(struct lw_profile_entry *entry, u64 weight)
{
	entry->samples++;
	/* a file may claim any periods */
	if (__builtin_add_overflow(entry->weight, weight, &entry->weight))
		entry->weight = ~0ULL;
}

/**
 * lw_profile_add_sample - count a sample
 * @profile: where
 * @key: whose it is; its strings are those of @profile
 * @stack: of @profile
 * @weight: its period: events, or ns
 * @time: CLOCK_MONOTONIC, ns; any order, but the more in order the faster
 * @cpu: where it was
 *
 * Return: 0, or -ENOMEM when out of memory, or when a number is none, as after a
 * failure; nothing is counted then.
 */
int lw_profile_add_sample(struct lw_profile *profile, const struct lw_profile_key *key,
			  u32 stack, u64 weight, u64 time, u32 cpu)
{
	struct lw_profile_sample sample = { .time = time, .weight = weight, .cpu = cpu };
	struct entry_key entry = { .key = *key, .stack = stack };

	if (stack >= profile->stacks.nr || !key_is_sound(profile, key))
		return -ENOMEM;
	sample.entry = find_or_add_entry(profile, &entry);
	if (sample.entry == LW_PROFILE_NONE ||
	    (profile->samples && add_time(profile->samples, &sample)))
		return -ENOMEM;
	add_up(lw_pool_at(&profile->entries, sample.entry), weight);
	return 0;
}

/**
 * lw_profile_string - the text of a string
 * @profile: whose it is
 * @string: its number
 *
 * Return: it.
 */
const char *lw_profile_string(const struct lw_profile *profile, u32 string)
{
	return ((const struct string *)lw_pool_at(&profile->strings, string))->text;
}

/**
 * lw_profile_frame - a frame by its number
 * @profile: whose it is
 * @frame: its number
 *
 * Return: it.
 */
const struct lw_profile_frame *lw_profile_frame(const struct lw_profile *profile, u32 frame)
{
	return lw_pool_at(&profile->frames, frame);
}

/**
 * lw_profile_stack - the frames of a stack
 * @profile: whose it is
 * @stack: its number
 * @nr: out: how many frames
 *
 * Return: their numbers, from the leaf to the root.
 */
const u32 *lw_profile_stack(const struct lw_profile *profile, u32 stack, u32 *nr)
{
	const struct stack *found = lw_pool_at(&profile->stacks, stack);

	*nr = found->nr;
	return found->frames;
}

/**
 * lw_profile_nr_strings - how many strings there are
 * @profile: the profile
 *
 * Return: their number; each is known by one that is less.
 */
u32 lw_profile_nr_strings(const struct lw_profile *profile)
{
	return profile->strings.nr;
}

/**
 * lw_profile_nr_frames - how many frames there are
 * @profile: the profile
 *
 * Return: their number; each is known by one that is less.
 */
u32 lw_profile_nr_frames(const struct lw_profile *profile)
{
	return profile->frames.nr;
}

/**
 * lw_profile_nr_stacks - how many stacks there are
 * @profile: the profile
 *
 * Return: their number; each is known by one that is less.
 */
u32 lw_profile_nr_stacks(const struct lw_profile *profile)
{
	return profile->stacks.nr;
}

/**
 * lw_profile_nr_entries - how many entries there are
 * @profile: the profile
 *
 * Return: their number; each is known by one that is less.
 */
u32 lw_profile_nr_entries(const struct lw_profile *profile)
{
	return profile->entries.nr;
}

/**
 * lw_profile_entry - an entry by its number
 * @profile: whose it is
 * @entry: its number; they are in the order in which their first samples were added
 *
 * Return: it; more samples of it are added there.
 */
const struct lw_profile_entry *lw_profile_entry(const struct lw_profile *profile, u32 entry)
{
	return lw_pool_at(&profile->entries, entry);
}

/**
 * lw_profile_nr_samples - how many samples are kept by themselves
 * @profile: the profile
 *
 * Return: their number; 0 without lw_profile_keep_times().
 */
size_t lw_profile_nr_samples(const struct lw_profile *profile)
{
	return profile->samples ? profile->samples->pool.nr : 0;
}

/* By time, and of the same time as they came. */
static int compare_samples(const void *a, const void *b, void *pool)
{
	u32 number[2] = { *(const u32 *)a, *(const u32 *)b };
	const struct lw_profile_sample *one = lw_pool_at(pool, number[0]);
	const struct lw_profile_sample *other = lw_pool_at(pool, number[1]);

	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	return number[0] < number[1] ? -1 : number[0] > number[1];
}

/**
 * lw_profile_sample - a sample by its place in time
 * @profile: whose it is
 * @sample: 0 is the first of all that were added so far
 *
 * Return: it.
 */
const struct lw_profile_sample *lw_profile_sample(const struct lw_profile *profile, size_t sample)
{
	struct samples *samples = profile->samples;

	if (!samples->sorted) {
		qsort_r(samples->order, samples->pool.nr, sizeof(*samples->order),
			compare_samples, &samples->pool);
		samples->sorted = true;
	}
	return lw_pool_at(&samples->pool, samples->order ? samples->order[sample] : sample);
}
