// SPDX-License-Identifier: GPL-2.0
/*
 * event_tracepoint.c - which tracepoints there are, by tracefs: ROOT/events/SYSTEM/NAME/id.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/event_tracepoint.h"

#define TRACEFS		"/sys/kernel/tracing"
#define TRACEFS_OLD	"/sys/kernel/debug/tracing"

/**
 * lw_tracefs - where tracefs is mounted
 *
 * Return: a directory, the usual one if it is not mounted or may not be read.
 */
const char *lw_tracefs(void)
{
	if (access(TRACEFS "/events", R_OK) && !access(TRACEFS_OLD "/events", R_OK))
		return TRACEFS_OLD;
	return TRACEFS;
}

/**
 * lw_tracefs_hint - what is to be done if tracefs can't be read
 * @root: of tracefs
 *
 * Return: a line of a message, with its newline, or "" if nothing is wrong with it.
 */
const char *lw_tracefs_hint(const char *root)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/events", root);
	if (!access(path, R_OK | X_OK))
		return "";
	return errno == ENOENT || errno == ENOTDIR ?
	       "  tracefs is not mounted: 'mount -t tracefs none " TRACEFS "'.\n" :
	       "  Run it as root.\n";
}

/**
 * lw_tracepoint_id - the number of a tracepoint
 * @root: of tracefs
 * @system: it is in
 * @name: its
 * @id: out
 *
 * Return: 0 or -errno.
 */
int lw_tracepoint_id(const char *root, const char *system, const char *name, u64 *id)
{
	char path[512], text[32];
	ssize_t got;

	if (snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, name) >=
	    (int)sizeof(path))
		return -ENOENT;
	got = lw_read_file(path, text, sizeof(text));
	if (got < 0)
		return got;
	text[strcspn(text, "\n")] = 0;
	return lw_parse_u64(text, id);
}

static int no_dots(const struct dirent *dirent)
{
	return dirent->d_name[0] != '.';
}

static void free_list(struct dirent **list, int nr)
{
	while (nr-- > 0)
		free(list[nr]);
	free(list);
}

static int scan(const char *root, const char *system, struct dirent ***list)
{
	char path[512];
	int nr;

	*list = NULL;
	if (snprintf(path, sizeof(path), "%s/events/%s", root, system) >= (int)sizeof(path))
		return -ENOENT;
	nr = scandir(path, list, no_dots, alphasort);
	return nr < 0 ? -errno : nr;
}

static int glob_system(const char *root, const char *system, const char *names,
		       lw_tracepoint_fn fn, void *ctx)
{
	struct dirent **list;
	int nr = scan(root, system, &list), ret = 0;
	char name[600];
	u64 id;

	for (int i = 0; ret >= 0 && i < nr; i++) {
		const char *event = list[i]->d_name;

		/* beside them are files that are for all of the system */
		if (fnmatch(names, event, 0) || lw_tracepoint_id(root, system, event, &id))
			continue;
		snprintf(name, sizeof(name), "%s:%s", system, event);
		if (fn(ctx, name))
			ret = -ECANCELED;
		else
			ret++;
	}
	free_list(list, nr);
	return ret;
}

/**
 * lw_tracepoints_glob - all tracepoints with names like these
 * @root: of tracefs
 * @systems: a pattern as of fnmatch()
 * @names: likewise
 * @fn: called with each, in the order of the alphabet; nonzero ends it
 * @ctx: for @fn
 *
 * Return: how many there were, -ECANCELED (by @fn), or -errno of reading tracefs.
 */
int lw_tracepoints_glob(const char *root, const char *systems, const char *names,
			lw_tracepoint_fn fn, void *ctx)
{
	struct dirent **list;
	int nr = scan(root, "", &list), found = 0, ret = 0;

	if (nr < 0)
		return nr;
	for (int i = 0; ret >= 0 && i < nr; i++) {
		const char *system = list[i]->d_name;

		/* those are for ftrace's own buffer, perf can't count them */
		if (!strcmp(system, "ftrace") || fnmatch(systems, system, 0))
			continue;
		ret = glob_system(root, system, names, fn, ctx);
		found += ret;
	}
	free_list(list, nr);
	return ret < 0 ? ret : found;
}

/**
 * lw_tracepoint_near - what may have been meant by a tracepoint that is not there
 * @root: of tracefs
 * @system: it should be in
 * @name: its
 * @near: room
 *
 * Return: as lw_did_you_mean_text().
 */
const char *lw_tracepoint_near(const char *root, const char *system, const char *name,
			       struct lw_did_you_mean *near)
{
	struct dirent **list;
	int nr = scan(root, system, &list);

	lw_did_you_mean_init(near, name);
	if (nr < 0) {
		nr = scan(root, "", &list);
		lw_did_you_mean_init(near, system);
	}
	for (int i = 0; i < nr; i++)
		lw_did_you_mean_offer(near, list[i]->d_name);
	free_list(list, nr);
	return lw_did_you_mean_text(near);
}
