// SPDX-License-Identifier: GPL-2.0
/*
 * event_sdt.c - sdt:PROVIDER:NAME, in whatever file of the target it is: what a process
 * has mapped, or what a command will map when it starts.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "elf/program_dependencies.h"
#include "events/event_probe.h"
#include "record/event_sdt.h"
#include "record/settings.h"

struct search {
	struct lw_event *event;
	const char *both;
	int ret;
};

static void look_into(void *ctx, const char *path)
{
	struct search *search = ctx;

	if (!search->ret)
		search->ret = lw_probe_look_for_usdt(search->event, search->both, path);
}

/* By the process's own root: it may have another than we. */
static void look_into_process(struct search *search, pid_t pid)
{
	char line[PATH_MAX + 256], path[PATH_MAX + 64];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		char *name = strchr(line, '/'), *space = strchr(line, ' ');

		/* rights, offset, device and inode are before the name */
		if (!name || !space || space[3] != 'x')
			continue;
		name[strcspn(name, "\n")] = 0;
		snprintf(path, sizeof(path), "/proc/%d/root%s", pid, name);
		look_into(search, path);
	}
	if (maps)
		fclose(maps);
}

static int find(struct lw_event *event, const struct lw_options *options)
{
	const char *text = event->name;
	struct search search = { .event = event, .both = text + strlen(LW_SDT_PREFIX) };
	const char *colon = strchr(search.both, ':');

	if (!colon || colon == search.both || !colon[1])
		return lw_fail(-EINVAL, "event '%s': it is sdt:PROVIDER:NAME", text);
	if (!options->nr_ids && (options->of_user || !options->command))
		return lw_fail(-EINVAL, "event '%s': name the file, as PATH:PROVIDER:NAME\n"
			       "  All that run have too many of them.", text);
	search.ret = lw_probe_begin_usdt(event);
	for (u32 i = 0; i < options->nr_ids; i++)
		look_into_process(&search, options->ids[i]);
	if (!options->nr_ids && !options->of_user)
		lw_program_dependencies(options->command[0], look_into, &search);
	if (search.ret || event->nr_places)
		return search.ret;
	return lw_fail(-ENOENT, "event '%s': no file of the target has that probe\n"
		       "  'readelf -n FILE' lists those of a file (stapsdt).", text);
}

/**
 * lw_sdt_events - find the events that could not be parsed before the target was known
 * @options: with the target, and with events that have only a name
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_sdt_events(struct lw_options *options)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < options->nr_events; i++) {
		if (!options->events[i].attr.size)
			ret = find(&options->events[i], options);
	}
	return ret;
}
