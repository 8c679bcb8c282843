// SPDX-License-Identifier: GPL-2.0
/*
 * tsc_khz.c - print the frequency of this machine's TSC, in kHz: the one that QEMU's TCG gives
 * its guests. Both clocks are read a twentieth of a second apart; of many readings that one is
 * taken which was interrupted least.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define READINGS	100

struct reading {
	uint64_t ticks;
	uint64_t ns;
};

static struct reading read_both(void)
{
	uint64_t least = UINT64_MAX;
	struct reading best = {};

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		best.ticks = before + least / 2;
		best.ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	struct reading from = read_both(), to;

	nanosleep(&pause, NULL);
	to = read_both();
	printf("%llu\n", (unsigned long long)(to.ticks - from.ticks) * 1000000 /
	       (to.ns - from.ns));
	return 0;
}
