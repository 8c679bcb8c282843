// SPDX-License-Identifier: GPL-2.0
/*
 * read_profile.c - the profile that a verb wants of a recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "cmd/read_profile.h"
#include "profile/profile_load.h"
#include "report/report_header.h"
#include "ui/pager.h"

static bool wants_sample(const void *ctx, struct lw_recording *recording,
			 const struct lw_perf_record *sample)
{
	return lw_reading_wants(ctx, recording, sample);
}

static bool wants_dso(const void *ctx, const char *dso)
{
	return lw_reading_is_dso(ctx, dso);
}

static bool wants_place(const void *ctx, const struct lw_place *place)
{
	return lw_reading_is_symbol(ctx, place);
}

/**
 * lw_reading_header - write the header of a recording to the standard output
 * @reading: tells whether that is wanted
 * @recording: opened
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_reading_header(const struct lw_reading *reading, const struct lw_recording *recording)
{
	struct lw_strbuf out = { 0 };
	int ret;

	if (!reading->header)
		return 0;
	lw_report_header(lw_recording_file(recording), &out);
	ret = lw_flush_output(&out);
	lw_strbuf_free(&out);
	return ret;
}

/**
 * lw_reading_header_only - write the header of a recording, and nothing else
 * @reading: which one
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_reading_header_only(const struct lw_reading *reading)
{
	struct lw_recording *recording;
	int ret = lw_recording_open(&recording, &reading->recording);

	if (ret)
		return ret;
	ret = lw_reading_header(reading, recording);
	lw_recording_close(recording);
	return ret;
}

static int load(const struct lw_reading *reading, struct lw_profile *profile)
{
	struct lw_profile_wants wants = {
		.sample = wants_sample,
		.dso = reading->dso ? wants_dso : NULL,
		.place = reading->symbol ? wants_place : NULL,
		.ctx = reading,
		.by_cpu = reading->by_cpu,
	};
	struct lw_recording *recording;
	int ret = lw_recording_open(&recording, &reading->recording);

	if (ret)
		return ret;
	ret = lw_reading_header(reading, recording);
	if (!ret)
		ret = lw_profile_load(profile, recording, &wants);
	lw_reading_end(reading, recording);
	lw_recording_close(recording);
	return ret;
}

/**
 * lw_reading_profile - read a recording
 * @reading: which one, and what of it
 * @keep_times: see lw_profile_keep_times()
 * @profile: out: for lw_profile_free(); has a sample at least
 *
 * Return: 0 or -errno with lw_fail_text(); -ENODATA: there is no such sample.
 */
int lw_reading_profile(const struct lw_reading *reading, bool keep_times,
		       struct lw_profile **profile)
{
	int ret;

	*profile = lw_profile_new();
	if (!*profile)
		return lw_fail(-ENOMEM, "out of memory");
	if (keep_times)
		lw_profile_keep_times(*profile);
	ret = load(reading, *profile);
	if (!ret && !lw_profile_nr_entries(*profile))
		ret = lw_fail(-ENODATA, "%s: there are no samples, or none that is wanted",
			      reading->recording.path);
	if (!ret)
		return 0;
	lw_profile_free(*profile);
	return ret;
}

static int no_such_event(const struct lw_profile *profile, const char *wanted)
{
	struct lw_profile_filter all = LW_FILTER_ALL;
	struct lw_event_sum *sums;
	char names[512] = "";
	int nr = lw_sum_events(profile, &all, &sums);

	for (int i = 0; i < nr; i++) {
		size_t len = strlen(names);

		snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
			 lw_profile_string(profile, sums[i].event));
	}
	free(sums);
	return lw_fail(-ENOENT, "there are no samples of event '%.100s'\n  There are: %s",
		       wanted, names);
}

/**
 * lw_reading_events - the events of a profile that a verb is to look at
 * @profile: has a sample at least
 * @wanted: name of one; NULL: all of them
 * @events: out: for the caller to free
 *
 * Return: how many, at least one, or -errno with lw_fail_text().
 */
int lw_reading_events(const struct lw_profile *profile, const char *wanted,
		      struct lw_event_sum **events)
{
	struct lw_profile_filter filter = LW_FILTER_ALL;
	int nr;

	filter.event = wanted;
	nr = lw_sum_events(profile, &filter, events);
	if (nr < 0)
		return lw_fail(nr, "out of memory");
	return nr ? nr : no_such_event(profile, wanted);
}

/**
 * lw_flush_output - write to the standard output
 * @out: is empty afterwards
 *
 * Ends the program if nobody reads on: who does may have seen enough.
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_flush_output(struct lw_strbuf *out)
{
	int ret;

	lw_pager_begin();
	ret = lw_strbuf_flush(out, STDOUT_FILENO);
	if (ret == -EPIPE)
		exit(LW_EXIT_OK);
	return ret ? lw_fail(ret, "cannot write to the standard output: %s", strerror(-ret)) : 0;
}
