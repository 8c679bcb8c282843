// SPDX-License-Identifier: GPL-2.0
/*
 * event_names.c - the names of events that there are for -e.
 *
 * Contexts: any thread.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/event_cache.h"
#include "events/event_names.h"
#include "events/event_parse.h"
#include "events/event_tracepoint.h"

struct names {
	lw_event_name_fn fn;
	void *ctx;
	int ret;
};

static int give(struct names *names, enum lw_event_kind kind, const char *name, const char *alias)
{
	names->ret = names->fn(names->ctx, kind, name, alias);
	return names->ret;
}

static void give_known(struct names *names, u32 type, enum lw_event_kind kind)
{
	const char *name, *alias, *before = NULL;
	u32 of;

	for (u32 i = 0; !names->ret && (name = lw_event_known(i, &of, &alias)); i++) {
		/* it stood beside the one before */
		if (of == type && name != before)
			give(names, kind, name, alias);
		before = alias;
	}
}

/* perf's names, of those that event_cache.c takes. */
static void give_caches(struct names *names)
{
	static const char *const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
	};
	static const char *const rest[] = {
		"loads", "load-misses", "stores", "store-misses", "prefetches", "prefetch-misses",
	};
	struct lw_event event;
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(caches) * ARRAY_SIZE(rest) && !names->ret; i++) {
		snprintf(name, sizeof(name), "%s-%s", caches[i / ARRAY_SIZE(rest)],
			 rest[i % ARRAY_SIZE(rest)]);
		if (!lw_event_cache(&event, name))
			give(names, LW_EVENT_CACHE, name, NULL);
	}
}

/* Beside the events are files that tell how to show what was counted: NAME.unit. */
static int is_event(const struct dirent *dirent)
{
	return !strchr(dirent->d_name, '.');
}

static int is_visible(const struct dirent *dirent)
{
	return dirent->d_name[0] != '.';
}

static void give_pmu(struct names *names, const char *pmus, const char *pmu)
{
	char path[1024], name[600];
	struct dirent **list;
	int nr;

	snprintf(path, sizeof(path), "%s/%s/events", pmus, pmu);
	nr = scandir(path, &list, is_event, alphasort);
	for (int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s/%s/", pmu, list[i]->d_name);
		if (!names->ret)
			give(names, LW_EVENT_PMU, name, NULL);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
}

static void give_pmus(struct names *names, const char *pmus)
{
	struct dirent **list;
	int nr = scandir(pmus, &list, is_visible, alphasort);

	for (int i = 0; i < nr; i++) {
		if (!names->ret)
			give_pmu(names, pmus, list[i]->d_name);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
}

static int give_tracepoint(void *ctx, const char *name)
{
	return give(ctx, LW_EVENT_TRACEPOINT, name, NULL);
}

/**
 * lw_event_names - go through all events that have names
 * @tracefs: root of it
 * @pmus: LW_PMU_DIR
 * @fn: called with each, kind by kind
 * @ctx: for it
 *
 * Whether the machine can count it is another question; it is not for tracepoints.
 *
 * Return: 0, what @fn returned, or -errno of reading tracefs, all others were given then.
 */
int lw_event_names(const char *tracefs, const char *pmus, lw_event_name_fn fn, void *ctx)
{
	struct names names = { .fn = fn, .ctx = ctx };
	int ret;

	give_known(&names, PERF_TYPE_HARDWARE, LW_EVENT_HARDWARE);
	give_known(&names, PERF_TYPE_SOFTWARE, LW_EVENT_SOFTWARE);
	if (!names.ret)
		give_caches(&names);
	if (!names.ret)
		give_pmus(&names, pmus);
	if (names.ret)
		return names.ret;
	ret = lw_tracepoints_glob(tracefs, "*", "*", give_tracepoint, &names);
	return names.ret || ret >= 0 ? names.ret : ret;
}
