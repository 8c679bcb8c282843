/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile.h - stacks with names, added up: what every reading verb starts from.
 *
 * A profile owns its strings, frames and stacks; each is kept once and known by
 * a number, from 0 on.  Numbers stay valid as the profile grows; pointers that
 * a look-up returned stay valid until the profile is freed.
 */
#ifndef LW_PROFILE_H
#define LW_PROFILE_H

#include "base/util.h"

#define LW_PROFILE_NONE		(~0U)	/* no such string, frame or stack */

enum lw_frame_kind {
	LW_FRAME_USER,
	LW_FRAME_KERNEL,
};

/* One line of a stack.  Inlined calls are frames of their own. */
struct lw_profile_frame {
	u64 address;		/* in the file, as its symbols are; 0: does not matter */
	u32 function;		/* string; "[unknown]": nothing is known of it */
	u32 dso;		/* string; path, "[kernel.kallsyms]", "[vdso]", ... */
	u32 file;		/* string or LW_PROFILE_NONE: source file */
	u32 line;		/* 0: not known */
	u8 kind;		/* enum lw_frame_kind */
	bool inlined;		/* into the frame that follows it towards the root */
};

/* The task that was sampled, and the event. */
struct lw_profile_key {
	u32 event;		/* string */
	u32 comm;		/* string */
	u32 pid, tid;
	u32 cgroup;		/* string or LW_PROFILE_NONE */
	u32 cpu;		/* or LW_PROFILE_NONE, as where nobody asks for it */
};

/* All samples of one stack of one key. */
struct lw_profile_entry {
	struct lw_profile_key key;
	u32 stack;
	u64 samples;
	u64 weight;		/* sum of periods: events, or ns */
};

/* One sample, in the order of time; only where lw_profile_keep_times() asked. */
struct lw_profile_sample {
	u64 time;		/* CLOCK_MONOTONIC, ns */
	u64 weight;
	u32 entry;
	u32 cpu;
};

struct lw_profile;

struct lw_profile *lw_profile_new(void);
void lw_profile_free(struct lw_profile *profile);
void lw_profile_keep_times(struct lw_profile *profile);

/* Building: numbers, or LW_PROFILE_NONE when out of memory. */
u32 lw_profile_add_string(struct lw_profile *profile, const char *text);
u32 lw_profile_add_frame(struct lw_profile *profile, const struct lw_profile_frame *frame);
u32 lw_profile_add_stack(struct lw_profile *profile, const u32 *frames, u32 nr);
int lw_profile_add_sample(struct lw_profile *profile, const struct lw_profile_key *key,
			  u32 stack, u64 weight, u64 time, u32 cpu);

/* Reading. A stack's frames go from the leaf to the root. */
const char *lw_profile_string(const struct lw_profile *profile, u32 string);
const struct lw_profile_frame *lw_profile_frame(const struct lw_profile *profile, u32 frame);
const u32 *lw_profile_stack(const struct lw_profile *profile, u32 stack, u32 *nr);
u32 lw_profile_nr_strings(const struct lw_profile *profile);
u32 lw_profile_nr_frames(const struct lw_profile *profile);
u32 lw_profile_nr_stacks(const struct lw_profile *profile);
u32 lw_profile_nr_entries(const struct lw_profile *profile);
const struct lw_profile_entry *lw_profile_entry(const struct lw_profile *profile, u32 entry);
size_t lw_profile_nr_samples(const struct lw_profile *profile);
const struct lw_profile_sample *lw_profile_sample(const struct lw_profile *profile, size_t sample);

#endif /* LW_PROFILE_H */
