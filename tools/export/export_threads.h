/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export_threads.h - the samples of a profile, each thread's by themselves.
 */
#ifndef LW_EXPORT_THREADS_H
#define LW_EXPORT_THREADS_H

#include "base/hash_index.h"
#include "export/export.h"

struct lw_export_sample {
	u64 time;			/* ns; 0 where times were not kept */
	u64 weight;
	u32 stack;
};

struct lw_export_thread {
	struct lw_profile_key key;	/* of its last sample: a thread may get another comm */
	struct lw_export_sample *samples;	/* in the order of time, or added up */
	size_t nr, room;
};

/* In the order of their first samples. */
struct lw_export_threads {
	struct lw_export_thread *threads;
	size_t nr, room;
	struct lw_index index;
};

int lw_export_threads_make(struct lw_export_threads *threads, const struct lw_profile *profile,
			   const struct lw_export_options *options);
void lw_export_threads_free(struct lw_export_threads *threads);

#endif /* LW_EXPORT_THREADS_H */
