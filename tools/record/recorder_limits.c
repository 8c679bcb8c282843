// SPDX-License-Identifier: GPL-2.0
/*
 * recorder_limits.c - when samples begin, and when a recording ends by itself: --delay,
 * --duration and --max-size; and when a file is complete: --switch-output.
 *
 * Contexts: the main thread.
 */
#include "device/lw_session.h"
#include "record/recorder.h"
#include "record/recorder_limits.h"

static void begin_file(struct lw_recorder *rec)
{
	if (rec->options->switch_time)
		rec->switch_at = lw_now() + rec->options->switch_time;
}

static int enable(struct lw_recorder *rec)
{
	rec->enable_at = 0;
	if (rec->options->duration)
		rec->end_at = lw_now() + rec->options->duration;
	return lw_session_enable(rec->session);
}

/**
 * lw_recorder_limits_begin - let the events count, now or after the delay
 * @rec: prepared
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_recorder_limits_begin(struct lw_recorder *rec)
{
	begin_file(rec);
	if (!rec->options->delay)
		return enable(rec);
	rec->enable_at = lw_now() + rec->options->delay;
	return 0;
}

/**
 * lw_recorder_limits_wait - how long the recorder may wait
 * @rec: recording
 * @ms: at most
 *
 * Return: milliseconds, up to the next time at which lw_recorder_limits_apply() has work.
 */
int lw_recorder_limits_wait(const struct lw_recorder *rec, int ms)
{
	u64 at = rec->enable_at ? rec->enable_at : rec->end_at, now = lw_now(), left;

	if (rec->switch_at && (!at || rec->switch_at < at))
		at = rec->switch_at;
	left = at > now ? (at - now) / 1000000 + 1 : 0;

	return at && left < (u64)ms ? (int)left : ms;
}

static bool is_large_enough(const struct lw_recorder *rec)
{
	return rec->options->max_size && rec->counts.bytes_written >= rec->options->max_size;
}

static bool has_to_switch(struct lw_recorder *rec, u64 now)
{
	bool told = rec->usr2_seen != rec->wait.usr2;

	rec->usr2_seen = rec->wait.usr2;
	return (told && rec->options->switch_on_signal) ||
	       (rec->switch_at && now >= rec->switch_at) ||
	       (rec->options->switch_size && rec->counts.file_bytes >= rec->options->switch_size);
}

/**
 * lw_recorder_limits_apply - begin if the delay is over, end at a limit, complete a file
 * @rec: recording
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_recorder_limits_apply(struct lw_recorder *rec)
{
	u64 now = lw_now();

	rec->switch_due = has_to_switch(rec, now);
	if (rec->switch_due)
		begin_file(rec);
	if (rec->enable_at)
		return now < rec->enable_at ? 0 : enable(rec);
	if ((rec->end_at && now >= rec->end_at) || is_large_enough(rec)) {
		rec->stopped = true;
		rec->fulfilled = true;
	}
	return 0;
}
