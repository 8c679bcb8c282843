// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup_source.c - --all-cgroups: the names of the cgroups that samples tell of.
 *
 * Existing cgroups are looked for at the start; the kernel has records of new ones, but only
 * where perf's controller is in the hierarchy of version 2 and is enabled there, as systemd
 * does with any controller.  So when a sample has a cgroup without a record, all are looked
 * for once more.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <string.h>

#include "base/perf_records.h"
#include "sideband/cgroup_source.h"
#include "sideband/synth_cgroups.h"

/* Looking at all of them takes a part of the time that is less than one of so many. */
#define WALK_SHARE	20
#define WALK_LEAST_NS	(NSEC_PER_SEC / 20)

/**
 * lw_cgroup_source_open - from now on those that are made are told of
 * @source: zeroed
 * @fn: called with a PERF_RECORD_CGROUP for each cgroup, once
 * @ctx: for @fn
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_cgroup_source_open(struct lw_cgroup_source *source, lw_perf_event_fn fn, void *ctx)
{
	source->fn = fn;
	source->ctx = ctx;
	source->known = lw_cgroup_names_new();
	if (!source->known)
		return lw_fail(-ENOMEM, "out of memory");
	/* numbers of a hierarchy of version 1 would be taken for others */
	if (!lw_cgroups_are_told("/proc/self/cgroup"))
		return 0;
	return lw_sideband_open_cgroups(&source->made);
}

static int see(void *ctx, const struct perf_event_header *record)
{
	struct lw_cgroup_source *source = ctx;
	const size_t fixed = sizeof(*record) + sizeof(u64);
	u64 id;

	if (record->type != PERF_RECORD_CGROUP || record->size < fixed)
		return source->fn(source->ctx, record);
	memcpy(&id, record + 1, sizeof(id));
	if (lw_cgroup_is_known(source->known, id))
		return 0;
	if (lw_cgroup_names_add(source->known, id, (const char *)record + fixed,
				record->size - fixed))
		return lw_fail(-ENOMEM, "out of memory");
	return source->fn(source->ctx, record);
}

/**
 * lw_cgroup_source_walk - tell of those that there are
 * @source: open or zeroed
 *
 * Return: 0, -ENOENT: the hierarchy of version 2 is not mounted; others with
 * lw_fail_text().
 */
int lw_cgroup_source_walk(struct lw_cgroup_source *source)
{
	u64 began = lw_now();
	int ret;

	if (!source->known)
		return 0;
	source->missing = false;
	ret = lw_cgroups_synthesise(see, source);
	source->walked = lw_now();
	source->took = source->walked - began;
	return ret;
}

/**
 * lw_cgroup_source_read - tell of those that were made
 * @source: open or zeroed
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_cgroup_source_read(struct lw_cgroup_source *source)
{
	return lw_sideband_read(&source->made, see, source);
}

static int add_as_gone(struct lw_cgroup_names *names, u64 id)
{
	const char *name = lw_cgroup_name(names, id);

	return lw_cgroup_names_add(names, id, name, strlen(name));
}

static bool may_walk(const struct lw_cgroup_source *source)
{
	u64 pause = source->took * WALK_SHARE;

	return lw_now() - source->walked > (pause > WALK_LEAST_NS ? pause : WALK_LEAST_NS);
}

/**
 * lw_cgroup_source_meet - a sample has a cgroup
 * @source: open or zeroed
 * @id: of the cgroup, or 0
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_cgroup_source_meet(struct lw_cgroup_source *source, u64 id)
{
	int ret;

	if (!source->known || !id || lw_cgroup_is_known(source->known, id))
		return 0;
	if (!may_walk(source)) {
		source->missing = true;
		return 0;
	}
	ret = lw_cgroup_source_walk(source);
	if (ret && ret != -ENOENT)
		return ret;
	/* it is gone if it was not found: there is no use in looking for it again */
	return add_as_gone(source->known, id) ? lw_fail(-ENOMEM, "out of memory") : 0;
}

/**
 * lw_cgroup_source_name - what to call a cgroup
 * @source: open or zeroed
 * @id: of a sample, which was met
 *
 * Return: as lw_cgroup_name(), or NULL: there is none.
 */
const char *lw_cgroup_source_name(struct lw_cgroup_source *source, u64 id)
{
	return source->known && id ? lw_cgroup_name(source->known, id) : NULL;
}

/**
 * lw_cgroup_source_finish - no sample follows
 * @source: open or zeroed
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_cgroup_source_finish(struct lw_cgroup_source *source)
{
	int ret = source->missing ? lw_cgroup_source_walk(source) : 0;

	return ret == -ENOENT ? 0 : ret;
}

/**
 * lw_cgroup_source_close - close and free
 * @source: open or zeroed
 */
void lw_cgroup_source_close(struct lw_cgroup_source *source)
{
	lw_sideband_close(&source->made);
	lw_cgroup_names_free(source->known);
	source->known = NULL;
}
