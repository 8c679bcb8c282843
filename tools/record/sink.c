// SPDX-License-Identifier: GPL-2.0
/*
 * sink.c - all sinks of a recording, one after the other.
 *
 * Contexts: the main thread.
 */
#include <errno.h>

#include "record/sink.h"

static int told(int ret)
{
	return ret == -ENOMEM ? lw_fail(ret, "out of memory") : ret;
}

/**
 * lw_sinks_add - have one more
 * @sinks: none is open
 * @ops: of it
 */
void lw_sinks_add(struct lw_sinks *sinks, const struct lw_sink_ops *ops)
{
	sinks->all[sinks->nr++].ops = ops;
}

/**
 * lw_sinks_want_maps - has one to know what is mapped where
 * @sinks: all were added
 *
 * Return: whether one has.
 */
bool lw_sinks_want_maps(const struct lw_sinks *sinks)
{
	for (u32 i = 0; i < sinks->nr; i++) {
		if (sinks->all[i].ops->wants_maps)
			return true;
	}
	return false;
}

/**
 * lw_sinks_want_fields - has one to know what tracepoints tell
 * @sinks: all were added
 *
 * Return: whether one has.
 */
bool lw_sinks_want_fields(const struct lw_sinks *sinks)
{
	for (u32 i = 0; i < sinks->nr; i++) {
		if (sinks->all[i].ops->wants_fields)
			return true;
	}
	return false;
}

/**
 * lw_sinks_open - see struct lw_sink_ops, which has the others, too
 * @sinks: all were added
 * @rec: they are its own
 *
 * The first one is opened when all others are: it may be a file that replaces another.
 *
 * Return: 0 or -errno with lw_fail_text(); lw_sinks_close() must follow.
 */
int lw_sinks_open(struct lw_sinks *sinks, struct lw_recorder *rec)
{
	int ret = 0;

	for (u32 i = sinks->nr; !ret && i--;)
		ret = sinks->all[i].ops->open(rec, &sinks->all[i].state);
	return told(ret);
}

int lw_sinks_begin(const struct lw_sinks *sinks)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < sinks->nr; i++) {
		if (sinks->all[i].state && sinks->all[i].ops->begin)
			ret = sinks->all[i].ops->begin(sinks->all[i].state);
	}
	return told(ret);
}

int lw_sinks_record(const struct lw_sinks *sinks, const struct perf_event_header *record)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < sinks->nr; i++) {
		if (sinks->all[i].ops->record)
			ret = sinks->all[i].ops->record(sinks->all[i].state, record);
	}
	return told(ret);
}

int lw_sinks_lost(const struct lw_sinks *sinks, u64 nr)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < sinks->nr; i++) {
		if (sinks->all[i].ops->lost)
			ret = sinks->all[i].ops->lost(sinks->all[i].state, nr);
	}
	return told(ret);
}

int lw_sinks_sample(const struct lw_sinks *sinks, u32 event, const struct lw_sample *sample,
		    const struct lw_user_stack *stack)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < sinks->nr; i++) {
		if (sinks->all[i].ops->sample)
			ret = sinks->all[i].ops->sample(sinks->all[i].state, event, sample,
							stack);
	}
	return told(ret);
}

int lw_sinks_pass(const struct lw_sinks *sinks, bool goes_on)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < sinks->nr; i++) {
		if (sinks->all[i].ops->pass)
			ret = sinks->all[i].ops->pass(sinks->all[i].state, goes_on);
	}
	return told(ret);
}

void lw_sinks_leave(const struct lw_sinks *sinks)
{
	for (u32 i = 0; i < sinks->nr; i++) {
		if (sinks->all[i].state && sinks->all[i].ops->leave)
			sinks->all[i].ops->leave(sinks->all[i].state);
	}
}

/**
 * lw_sinks_finish - finish all, whatever became of others
 * @sinks: open
 *
 * Return: 0 or the first -errno; what failed was said on stderr.
 */
int lw_sinks_finish(const struct lw_sinks *sinks)
{
	int first = 0, ret;

	for (u32 i = 0; i < sinks->nr; i++) {
		if (!sinks->all[i].ops->finish)
			continue;
		ret = told(sinks->all[i].ops->finish(sinks->all[i].state));
		if (ret)
			fprintf(stderr, "latewind: %s\n", lw_fail_text());
		first = first ? first : ret;
	}
	return first;
}

void lw_sinks_fail(const struct lw_sinks *sinks)
{
	for (u32 i = 0; i < sinks->nr; i++) {
		if (sinks->all[i].state && sinks->all[i].ops->fail)
			sinks->all[i].ops->fail(sinks->all[i].state);
	}
}

void lw_sinks_close(struct lw_sinks *sinks)
{
	for (u32 i = 0; i < sinks->nr; i++) {
		if (sinks->all[i].state && sinks->all[i].ops->close)
			sinks->all[i].ops->close(sinks->all[i].state);
	}
	sinks->nr = 0;
}
