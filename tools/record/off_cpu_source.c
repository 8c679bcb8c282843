// SPDX-License-Identifier: GPL-2.0
/*
 * off_cpu_source.c - --off-cpu: the switches of a recording's target.
 *
 * Switches have rings of their own, as very many of them must not displace mappings.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <string.h>

#include "record/off_cpu_source.h"
#include "symbols/kallsyms.h"

#define MAX_BYTES	(64UL << 20)
/* A record gets its time some moments before it can be read. */
#define SETTLE_NS	(NSEC_PER_SEC / 10)
/* The records of such a time are sorted at once. */
#define STEP_NS		(NSEC_PER_SEC / 50)

/**
 * lw_off_cpu_source_open - from now on it is known who leaves a CPU and who comes
 * @source: zeroed
 * @target: of the recording
 * @fn: called with each sample of a task that was blocked
 * @ctx: for @fn
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_off_cpu_source_open(struct lw_off_cpu_source *source, const struct lw_target *target,
			   latewind_sample_fn fn, void *ctx)
{
	u64 start, end;

	source->join = lw_off_cpu_new(MAX_BYTES, fn, ctx);
	if (!source->join)
		return lw_fail(-ENOMEM, "out of memory");
	if (lw_kallsyms_function("/proc/kallsyms", "__traceiter_sched_switch", &start, &end))
		lw_off_cpu_leave_out(source->join, start, end);
	source->began = lw_now();
	return lw_sideband_open_switches(&source->switches, target);
}

/**
 * lw_off_cpu_source_begin_pass - before any ring is read
 * @source: open or zeroed
 */
void lw_off_cpu_source_begin_pass(struct lw_off_cpu_source *source)
{
	source->began_before = source->began;
	source->began = lw_now();
}

static int take_record(void *ctx, const struct perf_event_header *record)
{
	return lw_off_cpu_record(ctx, record);
}

static int read_switches(struct lw_off_cpu_source *source)
{
	u64 lost = source->switches.lost;
	int ret = lw_sideband_read(&source->switches, take_record, source->join);

	if (ret || (!source->switches.was_full && source->switches.lost == lost))
		return ret;
	/*
	 * When it was read before there was room in the ring, or it was taken for full
	 * then, too.
	 */
	return lw_off_cpu_gap(source->join, source->began_before, lw_now());
}

/**
 * lw_off_cpu_source_end_pass - after the session's rings were read
 * @source: open or zeroed
 * @complete: all of them were read up to where they ended
 *
 * Return: 0, -errno, or what the callback returned.
 */
int lw_off_cpu_source_end_pass(struct lw_off_cpu_source *source, bool complete)
{
	int ret;

	if (!source->join)
		return 0;
	ret = read_switches(source);
	if (ret || !complete || source->began < source->advanced + SETTLE_NS + STEP_NS)
		return ret;
	source->advanced = source->began - SETTLE_NS;
	return lw_off_cpu_advance(source->join, source->advanced);
}

/**
 * lw_off_cpu_source_since - see lw_off_cpu_since()
 * @source: open or zeroed
 *
 * Return: ns, or the greatest number there is.
 */
u64 lw_off_cpu_source_since(const struct lw_off_cpu_source *source)
{
	return source->join ? lw_off_cpu_since(source->join) : ~0ULL;
}

/**
 * lw_off_cpu_source_not_before - see lw_off_cpu_not_before()
 * @source: open or zeroed
 * @time: in ns
 */
void lw_off_cpu_source_not_before(struct lw_off_cpu_source *source, u64 time)
{
	if (source->join)
		lw_off_cpu_not_before(source->join, time);
}

/**
 * lw_off_cpu_source_finish - all samples were given to the join
 * @source: open or zeroed
 * @end: of the recording
 *
 * Return: 0, -errno, or what the callback returned.
 */
int lw_off_cpu_source_finish(struct lw_off_cpu_source *source, u64 end)
{
	int ret;

	if (!source->join)
		return 0;
	lw_sideband_stop(&source->switches);
	lw_off_cpu_source_begin_pass(source);
	ret = read_switches(source);
	if (!ret)
		ret = lw_off_cpu_finish(source->join, end);
	return ret == -ENOMEM ? lw_fail(ret, "out of memory") : ret;
}

/**
 * lw_off_cpu_source_stats - what became of the samples
 * @source: open or zeroed
 * @stats: out
 */
void lw_off_cpu_source_stats(const struct lw_off_cpu_source *source,
			     struct lw_off_cpu_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (source->join)
		*stats = *lw_off_cpu_stats(source->join);
}

/**
 * lw_off_cpu_source_close - close and free
 * @source: open or zeroed
 */
void lw_off_cpu_source_close(struct lw_off_cpu_source *source)
{
	lw_sideband_close(&source->switches);
	lw_off_cpu_free(source->join);
	source->join = NULL;
}
