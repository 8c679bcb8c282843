// SPDX-License-Identifier: GPL-2.0
/*
 * export_threads.c - the samples of a profile, each thread's by themselves.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_threads.h"

struct thread_key {
	u32 event, pid, tid;
};

static bool same_thread(const void *owner, u32 number, const void *key)
{
	const struct lw_export_threads *threads = owner;
	const struct lw_profile_key *there = &threads->threads[number].key;
	const struct thread_key *wanted = key;

	return there->event == wanted->event && there->pid == wanted->pid &&
	       there->tid == wanted->tid;
}

static struct lw_export_thread *find_thread(struct lw_export_threads *threads,
					    const struct lw_profile_key *of)
{
	struct thread_key key = { .event = of->event, .pid = of->pid, .tid = of->tid };
	u64 hash = lw_hash_bytes(0, &key, sizeof(key));
	u32 number = lw_index_find(&threads->index, hash, same_thread, threads, &key);

	if (number != LW_INDEX_NONE)
		return &threads->threads[number];
	if (lw_index_reserve(&threads->index) ||
	    lw_grow((void **)&threads->threads, &threads->room, threads->nr + 1,
		    sizeof(*threads->threads)))
		return NULL;
	lw_index_add(&threads->index, hash, threads->nr);
	memset(&threads->threads[threads->nr], 0, sizeof(*threads->threads));
	return &threads->threads[threads->nr++];
}

static int add_sample(struct lw_export_threads *threads, const struct lw_profile_entry *entry,
		      const struct lw_export_sample *sample)
{
	struct lw_export_thread *thread = find_thread(threads, &entry->key);

	if (!thread ||
	    lw_grow((void **)&thread->samples, &thread->room, thread->nr + 1,
		    sizeof(*thread->samples)))
		return -ENOMEM;
	thread->key = entry->key;
	thread->samples[thread->nr++] = *sample;
	return 0;
}

static int add_entries(struct lw_export_threads *threads, const struct lw_profile *profile,
		       const struct lw_export_options *options)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < lw_profile_nr_entries(profile); i++) {
		const struct lw_profile_entry *entry = lw_profile_entry(profile, i);
		struct lw_export_sample sample = {
			.weight = lw_export_weight(options, entry->samples, entry->weight),
			.stack = entry->stack,
		};

		if (lw_filter_passes(&options->filter, profile, entry))
			ret = add_sample(threads, entry, &sample);
	}
	return ret;
}

static int add_samples(struct lw_export_threads *threads, const struct lw_profile *profile,
		       const struct lw_export_options *options)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < lw_profile_nr_samples(profile); i++) {
		const struct lw_profile_sample *from = lw_profile_sample(profile, i);
		const struct lw_profile_entry *entry = lw_profile_entry(profile, from->entry);
		struct lw_export_sample sample = {
			.time = from->time,
			.weight = lw_export_weight(options, 1, from->weight),
			.stack = entry->stack,
		};

		if (lw_filter_passes(&options->filter, profile, entry))
			ret = add_sample(threads, entry, &sample);
	}
	return ret;
}

/**
 * lw_export_threads_make - tell the samples of threads apart
 * @threads: out; one for each event of a thread
 * @profile: one sample of each of its samples if times were kept, else of each entry
 * @options: what of it
 *
 * Return: 0, or -ENOMEM with lw_fail_text(), when there is nothing to free.
 */
int lw_export_threads_make(struct lw_export_threads *threads, const struct lw_profile *profile,
			   const struct lw_export_options *options)
{
	int ret;

	memset(threads, 0, sizeof(*threads));
	if (lw_profile_nr_samples(profile))
		ret = add_samples(threads, profile, options);
	else
		ret = add_entries(threads, profile, options);
	if (!ret)
		return 0;
	lw_export_threads_free(threads);
	return lw_fail(ret, "out of memory for the samples of an export\n"
		       "  A filter, as --comm or --pid, makes them fewer.");
}

/**
 * lw_export_threads_free - free all samples
 * @threads: made
 */
void lw_export_threads_free(struct lw_export_threads *threads)
{
	for (size_t i = 0; i < threads->nr; i++)
		free(threads->threads[i].samples);
	free(threads->threads);
	lw_index_free(&threads->index);
	memset(threads, 0, sizeof(*threads));
}
