// SPDX-License-Identifier: GPL-2.0
/*
 * profile_load.c - from a perf.data file to a profile.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_load.h"

#define MAX_FRAMES	65536U		/* of a stack: chains are not longer */

struct loader {
	struct lw_profile *profile;
	struct lw_recording *recording;
	const struct lw_profile_wants *wants;
	u32 *events;			/* strings, by the event's index */
	u32 *frames;
	u32 nr;
	lw_frame_fn take;
	bool unwanted;			/* it was not taken where it is wanted */
	u32 dso;			/* string, of the last frame; LW_PROFILE_NONE: none yet */
};

static u32 add_text(struct loader *loader, const char *text, const char *otherwise)
{
	return lw_profile_add_string(loader->profile, text ? text : otherwise);
}

/* Most frames are of the file of the frame before: comparing is less than hashing. */
static u32 add_dso(struct loader *loader, const char *text)
{
	if (loader->dso == LW_PROFILE_NONE ||
	    strcmp(lw_profile_string(loader->profile, loader->dso), text))
		loader->dso = lw_profile_add_string(loader->profile, text);
	return loader->dso;
}

static u32 add_place(struct loader *loader, const struct lw_place *place, enum lw_frame_kind kind)
{
	struct lw_profile_frame frame = {
		.address = place->address,
		.function = add_text(loader, place->function, "[unknown]"),
		.dso = add_dso(loader, place->dso),
		.file = place->file ? add_text(loader, place->file, "") : LW_PROFILE_NONE,
		.line = place->line,
		.kind = kind,
		.inlined = place->inlined,
	};

	if (frame.function == LW_PROFILE_NONE || frame.dso == LW_PROFILE_NONE)
		return LW_PROFILE_NONE;
	return lw_profile_add_frame(loader->profile, &frame);
}

static int take_frame(void *ctx, const struct lw_frame *frame)
{
	struct loader *loader = ctx;

	for (u32 i = 0; i < frame->nr && loader->nr < MAX_FRAMES; i++) {
		u32 added = add_place(loader, &frame->places[i], frame->kind);

		if (added == LW_PROFILE_NONE)
			return -ENOMEM;
		loader->frames[loader->nr++] = added;
	}
	return 0;
}

/* Of samples that are taken by their first frame. */
static int take_wanted_frame(void *ctx, const struct lw_frame *frame)
{
	struct loader *loader = ctx;
	const struct lw_profile_wants *wants = loader->wants;

	if (!loader->nr && !wants->place(wants->ctx, &frame->places[frame->nr - 1]))
		loader->unwanted = true;
	return loader->unwanted ? 0 : take_frame(loader, frame);
}

static bool has_wanted_dso(const struct loader *loader)
{
	const struct lw_profile_wants *wants = loader->wants;

	if (!wants->dso)
		return true;
	for (u32 i = 0; i < loader->nr; i++) {
		u32 dso = lw_profile_frame(loader->profile, loader->frames[i])->dso;

		if (wants->dso(wants->ctx, lw_profile_string(loader->profile, dso)))
			return true;
	}
	return false;
}

/* Return: false when out of memory. */
static bool set_names(struct loader *loader, const struct lw_perf_record *record,
		      struct lw_profile_key *key)
{
	const char *cgroup = lw_recording_cgroup(loader->recording, record);

	key->comm = add_text(loader, lw_recording_comm(loader->recording, record), "");
	if (cgroup)
		key->cgroup = lw_profile_add_string(loader->profile, cgroup);
	return key->comm != LW_PROFILE_NONE && (!cgroup || key->cgroup != LW_PROFILE_NONE);
}

static u32 cpu_of(const struct loader *loader, const struct lw_perf_record *record)
{
	if (!loader->wants->by_cpu || !(record->event->attr.sample_type & PERF_SAMPLE_CPU))
		return LW_PROFILE_NONE;
	return record->cpu;
}

static int take_sample(void *ctx, const struct lw_perf_record *record)
{
	struct loader *loader = ctx;
	struct lw_profile_key key = {
		.event = loader->events[record->index],
		.pid = record->pid,
		.tid = record->tid,
		.cgroup = LW_PROFILE_NONE,
		.cpu = cpu_of(loader, record),
	};
	u32 stack;
	int ret;

	if (loader->wants->sample &&
	    !loader->wants->sample(loader->wants->ctx, loader->recording, record))
		return 0;
	loader->nr = 0;
	loader->unwanted = false;
	ret = lw_recording_frames(loader->recording, record, loader->take, loader);
	if (ret)
		return ret;
	if (loader->unwanted || !has_wanted_dso(loader))
		return 0;
	stack = lw_profile_add_stack(loader->profile, loader->frames, loader->nr);
	if (stack == LW_PROFILE_NONE || !set_names(loader, record, &key))
		return -ENOMEM;
	return lw_profile_add_sample(loader->profile, &key, stack, record->period, record->time,
				     record->cpu);
}

static int add_events(struct loader *loader)
{
	const struct lw_perf_reader *file = lw_recording_file(loader->recording);
	u32 nr = lw_perf_reader_nr_events(file);

	loader->events = calloc(nr, sizeof(*loader->events));
	for (u32 i = 0; loader->events && i < nr; i++) {
		loader->events[i] = add_text(loader, lw_perf_reader_event(file, i)->name, "");
		if (loader->events[i] == LW_PROFILE_NONE)
			return -ENOMEM;
	}
	return loader->events ? 0 : -ENOMEM;
}

/**
 * lw_profile_load - add some samples of a recording to a profile
 * @profile: they may come on top of others
 * @recording: opened, and not read yet
 * @wants: which ones
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_profile_load(struct lw_profile *profile, struct lw_recording *recording,
		    const struct lw_profile_wants *wants)
{
	struct loader loader = {
		.profile = profile, .recording = recording, .wants = wants,
		.dso = LW_PROFILE_NONE,
		.take = wants->place ? take_wanted_frame : take_frame,
	};
	int ret = add_events(&loader);

	loader.frames = malloc(MAX_FRAMES * sizeof(*loader.frames));
	if (!loader.frames)
		ret = -ENOMEM;
	if (!ret)
		ret = lw_recording_read(recording, take_sample, &loader);
	free(loader.events);
	free(loader.frames);
	return ret == -ENOMEM ? lw_fail(-ENOMEM, "out of memory") : ret;
}
