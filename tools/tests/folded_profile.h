/* SPDX-License-Identifier: GPL-2.0 */
/*
 * folded_profile.h - profiles for tests, written as lines.
 *
 * "comm/tid;dso!root;..;dso!leaf weight": /tid is 1 and dso! is "a.out!" if it is not
 * there; "_[k]" behind a name is a kernel frame, "_[i]" an inlined one.
 */
#ifndef LW_FOLDED_PROFILE_H
#define LW_FOLDED_PROFILE_H

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

struct folded {
	struct lw_profile *profile;
	const char *event;
	u64 time;			/* of the next sample; each is 1 ms after the other */
	u64 samples;			/* of each line */
};

static inline bool cut_end(char *name, const char *end)
{
	size_t len = strlen(name), cut = strlen(end);

	if (len < cut || strcmp(name + len - cut, end))
		return false;
	name[len - cut] = 0;
	return true;
}

/* An address is one for each name, and a line. */
static inline u32 folded_frame(struct lw_profile *profile, char *name)
{
	char *function = strchr(name, '!');
	struct lw_profile_frame frame = { .file = LW_PROFILE_NONE };

	if (function)
		*function++ = 0;
	else
		function = name;
	frame.kind = cut_end(function, "_[k]") ? LW_FRAME_KERNEL : LW_FRAME_USER;
	frame.inlined = cut_end(function, "_[i]");
	frame.dso = lw_profile_add_string(profile, function == name ? "a.out" : name);
	frame.function = lw_profile_add_string(profile, function);
	frame.address = 0x1000 + 16 * frame.function;
	return lw_profile_add_frame(profile, &frame);
}

static inline bool folded_add(struct folded *folded, const char *line)
{
	struct lw_profile_key key = { .pid = 1, .tid = 1, .cgroup = LW_PROFILE_NONE };
	u32 frames[2000], nr = 0, stack;
	char *copy = strdup(line), *at = copy, *part, *tid;
	u64 weight = strtoull(strrchr(copy, ' ') + 1, NULL, 10);

	*strrchr(copy, ' ') = 0;
	part = strsep(&at, ";");
	tid = strchr(part, '/');
	if (tid) {
		*tid = 0;
		key.tid = atoi(tid + 1);
	}
	key.event = lw_profile_add_string(folded->profile, folded->event);
	key.comm = lw_profile_add_string(folded->profile, part);
	/* the leaf is last in the line, and first in the stack */
	while ((part = strsep(&at, ";")))
		frames[sizeof(frames) / sizeof(*frames) - ++nr] =
			folded_frame(folded->profile, part);
	stack = lw_profile_add_stack(folded->profile,
				     frames + sizeof(frames) / sizeof(*frames) - nr, nr);
	free(copy);
	for (u64 i = 0; i < folded->samples; i++) {
		folded->time += 1000000;
		if (lw_profile_add_sample(folded->profile, &key, stack, weight,
					  folded->time, 0))
			return false;
	}
	return true;
}

static inline struct folded folded_new(void)
{
	struct folded folded = {
		.profile = lw_profile_new(), .event = "cpu-clock", .samples = 1,
		.time = 5000000000ULL,
	};

	lw_profile_keep_times(folded.profile);
	return folded;
}

#endif /* LW_FOLDED_PROFILE_H */
