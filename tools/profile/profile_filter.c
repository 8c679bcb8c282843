// SPDX-License-Identifier: GPL-2.0
/*
 * profile_filter.c - which samples of a profile are looked at, and what is one function.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "profile/profile_filter.h"

/**
 * lw_short_name - the last part of a path
 * @path: of a file; other names have none and stay whole
 *
 * Return: within @path.
 */
const char *lw_short_name(const char *path)
{
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

static bool dso_passes(const char *wanted, const struct lw_profile *profile, u32 stack)
{
	const char *dso;
	const u32 *frames;
	u32 nr;

	frames = lw_profile_stack(profile, stack, &nr);
	if (!nr)
		return false;
	dso = lw_profile_string(profile, lw_profile_frame(profile, frames[0])->dso);
	return !strcmp(wanted, dso) || !strcmp(wanted, lw_short_name(dso));
}

/**
 * lw_filter_passes - is an entry to be looked at?
 * @filter: what must hold; the dso is that of the leaf, where time is spent
 * @profile: whose entry it is
 * @entry: the entry
 *
 * Return: whether it is.
 */
bool lw_filter_passes(const struct lw_profile_filter *filter, const struct lw_profile *profile,
		      const struct lw_profile_entry *entry)
{
	const struct lw_profile_key *key = &entry->key;

	if ((filter->pid != LW_ANY_ID && filter->pid != key->pid) ||
	    (filter->tid != LW_ANY_ID && filter->tid != key->tid))
		return false;
	if (filter->event && strcmp(filter->event, lw_profile_string(profile, key->event)))
		return false;
	if (filter->comm && strcmp(filter->comm, lw_profile_string(profile, key->comm)))
		return false;
	return !filter->dso || dso_passes(filter->dso, profile, entry->stack);
}

static struct lw_event_sum *find_sum(struct lw_event_sum *sums, size_t nr, u32 event)
{
	for (size_t i = 0; i < nr; i++) {
		if (sums[i].event == event)
			return &sums[i];
	}
	return NULL;
}

static void add_to_sum(struct lw_event_sum *sum, const struct lw_profile_entry *entry)
{
	sum->samples += entry->samples;
	if (__builtin_add_overflow(sum->weight, entry->weight, &sum->weight))
		sum->weight = ~0ULL;
}

static int compare_events(const void *a, const void *b)
{
	const struct lw_event_sum *one = a, *other = b;

	return one->event < other->event ? -1 : one->event > other->event;
}

/**
 * lw_sum_events - the events of a profile
 * @profile: the profile
 * @filter: what is counted
 * @sums: out: for each event of which something passed, in the order in which their
 *        names were added, which is that of the recording; for the caller to free
 *
 * Return: how many, or -ENOMEM.
 */
int lw_sum_events(const struct lw_profile *profile, const struct lw_profile_filter *filter,
		  struct lw_event_sum **sums)
{
	size_t nr = 0, room = 0;

	*sums = NULL;
	for (u32 i = 0; i < lw_profile_nr_entries(profile); i++) {
		const struct lw_profile_entry *entry = lw_profile_entry(profile, i);
		struct lw_event_sum *sum;

		if (!lw_filter_passes(filter, profile, entry))
			continue;
		sum = find_sum(*sums, nr, entry->key.event);
		if (!sum && lw_grow((void **)sums, &room, nr + 1, sizeof(**sums))) {
			free(*sums);
			*sums = NULL;
			return -ENOMEM;
		}
		if (!sum) {
			sum = &(*sums)[nr++];
			*sum = (struct lw_event_sum) { .event = entry->key.event };
		}
		add_to_sum(sum, entry);
	}
	if (nr)
		qsort(*sums, nr, sizeof(**sums), compare_events);
	return nr;
}

/**
 * lw_frame_is_unknown - is nothing known of a frame's function?
 * @profile: whose it is
 * @frame: the frame
 *
 * Return: whether it has no name.
 */
bool lw_frame_is_unknown(const struct lw_profile *profile, const struct lw_profile_frame *frame)
{
	return !strcmp(lw_profile_string(profile, frame->function), "[unknown]");
}

struct classes {
	const struct lw_profile *profile;
	u32 flags;
};

static bool dso_counts(const struct classes *classes, const struct lw_profile_frame *frame)
{
	return classes->flags & LW_CLASS_DSO ||
	       (classes->flags & LW_CLASS_UNKNOWN_DSO &&
		lw_frame_is_unknown(classes->profile, frame));
}

/* A frame with only that in it which counts. */
static void reduce(const struct classes *classes, struct lw_profile_frame *to, u32 frame)
{
	const struct lw_profile_frame *from = lw_profile_frame(classes->profile, frame);
	bool line = classes->flags & LW_CLASS_LINE;

	memset(to, 0, sizeof(*to));
	to->function = from->function;
	to->kind = from->kind;
	to->dso = dso_counts(classes, from) ? from->dso : LW_PROFILE_NONE;
	to->inlined = classes->flags & LW_CLASS_INLINED ? from->inlined : false;
	to->file = line ? from->file : 0;
	to->line = line ? from->line : 0;
}

static bool same_class(const void *owner, u32 number, const void *key)
{
	const struct classes *classes = owner;
	struct lw_profile_frame there;

	reduce(classes, &there, number);
	return !memcmp(&there, key, sizeof(there));
}

static int classify(const struct classes *classes, struct lw_index *index, u32 *class, u32 frame)
{
	struct lw_profile_frame key;
	u64 hash;

	reduce(classes, &key, frame);
	hash = lw_hash_bytes(0, &key, sizeof(key));
	class[frame] = lw_index_find(index, hash, same_class, classes, &key);
	if (class[frame] != LW_INDEX_NONE)
		return 0;
	if (lw_index_reserve(index))
		return -ENOMEM;
	lw_index_add(index, hash, frame);
	class[frame] = frame;
	return 0;
}

/**
 * lw_frame_classes - which frames are the same, but for addresses and the like?
 * @profile: their profile
 * @flags: LW_CLASS_*: what must be the same besides function and kind
 *
 * Return: for each frame the first of its class, for the caller to free; NULL when
 * out of memory.
 */
u32 *lw_frame_classes(const struct lw_profile *profile, u32 flags)
{
	struct classes classes = { .profile = profile, .flags = flags };
	u32 nr = lw_profile_nr_frames(profile);
	u32 *class = reallocarray(NULL, nr ? nr : 1, sizeof(*class));
	struct lw_index index = { 0 };
	int ret = class ? 0 : -ENOMEM;

	for (u32 i = 0; !ret && i < nr; i++)
		ret = classify(&classes, &index, class, i);
	lw_index_free(&index);
	if (ret) {
		free(class);
		return NULL;
	}
	return class;
}
