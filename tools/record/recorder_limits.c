// SPDX-License-Identifier: GPL-2.0
/*
 * recorder_limits.c - when samples begin, and when a recording ends by itself: --delay,
 * --duration and --max-size.
 *
 * Contexts: the main thread.
 */
#include "device/lw_session.h"
#include "record/recorder.h"
#include "record/recorder_limits.h"

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
	u64 at = rec->enable_at ? rec->enable_at : rec->end_at, now = lw_now();
	u64 left = at > now ? (at - now) / 1000000 + 1 : 0;

	return at && left < (u64)ms ? (int)left : ms;
}

static bool is_large_enough(const struct lw_recorder *rec)
{
	return rec->options->max_size && rec->counts.bytes_written >= rec->options->max_size;
}

/**
 * lw_recorder_limits_apply - begin if the delay is over, end at a limit
 * @rec: recording
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_recorder_limits_apply(struct lw_recorder *rec)
{
	u64 now = lw_now();

	if (rec->enable_at)
		return now < rec->enable_at ? 0 : enable(rec);
	if ((rec->end_at && now >= rec->end_at) || is_large_enough(rec)) {
		rec->stopped = true;
		rec->fulfilled = true;
	}
	return 0;
}
