/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample.h - what is behind the fixed part of struct lw_sample.
 */
#ifndef LW_SAMPLE_H
#define LW_SAMPLE_H

#include "base/util.h"
#include "latewind.h"

/**
 * lw_sample_size - bytes of a sample with all that follows
 * @sample: valid by lw_sample_valid()
 *
 * Return: the number, a multiple of 8.
 */
static inline size_t lw_sample_size(const struct lw_sample *sample)
{
	size_t words = sample->nr_kernel;

	if (sample->record.flags & LW_SAMPLE_CGROUP)
		words++;
	return sizeof(*sample) + words * sizeof(u64);
}

/**
 * lw_sample_cgroup - the cgroup that a sample's task was in
 * @sample: valid by lw_sample_valid()
 *
 * Return: its id, or 0 when the sample does not tell.
 */
static inline u64 lw_sample_cgroup(const struct lw_sample *sample)
{
	return sample->record.flags & LW_SAMPLE_CGROUP ? sample->kernel[sample->nr_kernel] : 0;
}

#endif /* LW_SAMPLE_H */
