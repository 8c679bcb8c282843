/* SPDX-License-Identifier: GPL-2.0 */
/*
 * form.h - how long a test may be, how slow its machine is, and what its random
 * choices start from: read from the environment, so that one build serves all
 * lanes. lib/checks.sh has the same for scripts.
 *
 * LW_LONG=1		the long form: everything that the test can try. Without it
 *			a test takes at most 45 seconds on an idle emulated machine,
 *			and tries a sample if all would take longer.
 * LW_SEED=N		chooses that sample, and whatever else a test makes up.
 * LW_TIME_SCALE=N	how many times slower than a stock kernel this one may be.
 * LW_DESTRUCTIVE=1	the machine is there to be tested: what may hurt it is tried too.
 */
#ifndef LW_FORM_H
#define LW_FORM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t lwt_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* How many times longer than on a stock kernel something may take. */
static inline int lwt_time_scale(void)
{
	int scale = lwt_number("LW_TIME_SCALE", 1);

	return scale > 0 ? scale : 1;
}

#define LW_TIME_SCALE	lwt_time_scale()

static inline bool lwt_long(void)
{
	return lwt_number("LW_LONG", 0);
}

static inline bool lwt_destructive(void)
{
	return lwt_number("LW_DESTRUCTIVE", 0);
}

#define LWT_MAY_HURT	"may hurt this machine: LW_DESTRUCTIVE=1 allows it"

/* All of a file's tests are skipped where that is not allowed: before its main(). */
#define LWT_DESTRUCTIVE_FILE						\
static void __attribute__((constructor)) lwt_skip_file(void)		\
{									\
	if (lwt_destructive())						\
		return;							\
	printf("TAP version 13\n1..0 # SKIP %s\n", LWT_MAY_HURT);	\
	exit(4);							\
}									\
static void lwt_skip_file(void)

/**
 * lwt_limit - the limit of time of a test
 * @seconds: as the test has it
 *
 * What hangs is ended by it, and nothing else is: who waits for a CPU is not.
 *
 * Return: seconds.
 */
static inline int lwt_limit(int seconds)
{
	return (seconds < 300 ? 300 : seconds) * lwt_time_scale();
}

/**
 * lwt_count - how often something is tried
 * @all: in the long form
 * @sample: in the short one
 *
 * Return: that, divided by the time scale; 1 at least.
 */
static inline unsigned int lwt_count(unsigned int all, unsigned int sample)
{
	unsigned int count = (lwt_long() ? all : sample) / lwt_time_scale();

	return count ? count : 1;
}

/* As lwt_count(), but the long form has all of them on a slow kernel too. */
static inline unsigned int lwt_sample(unsigned int all, unsigned int sample)
{
	return lwt_long() ? all : lwt_count(0, sample);
}

/**
 * lwt_seed - what random choices start from
 *
 * Prints it, so that a failure can be had again.
 *
 * Return: LW_SEED, or a new number if there is none.
 */
static inline uint64_t lwt_seed(void)
{
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = lwt_number("LW_SEED", (now.tv_sec * 1000000007ULL + now.tv_nsec) % 1000000000);
	printf("# LW_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* The next number of a sequence that starts from a seed (splitmix64). */
static inline uint64_t lwt_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

#endif
