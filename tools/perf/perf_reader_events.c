// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_events.c - the events of a perf.data file: names and IDs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/perf_reader_parts.h"

/* Of an event: columns are as wide as the widest. */
#define MAX_NAME	1024U
#define MAX_EVENTS	16384U
#define MAX_IDS		(1U << 22)

/**
 * perf_add_event - take the attributes of the next event
 * @file: gets it
 * @attr: bytes of them, of whatever version, at any address
 * @size: how many
 *
 * Return: 0, -ENOMEM, -EBADMSG with lw_fail_text().
 */
int perf_add_event(struct lw_perf_reader *file, const void *attr, size_t size)
{
	struct lw_perf_event *event;

	if (file->nr_events == MAX_EVENTS)
		return lw_fail(-EBADMSG, "it has more than %u events", MAX_EVENTS);
	if (lw_grow((void **)&file->events, &file->event_room, file->nr_events + 1,
		    sizeof(*event)))
		return -ENOMEM;
	event = &file->events[file->nr_events++];
	memset(event, 0, sizeof(*event));
	memcpy(&event->attr, attr, size < sizeof(event->attr) ? size : sizeof(event->attr));
	return 0;
}

/* The seed keeps a file from having IDs that all fall on one slot. */
static size_t slot_of(u64 seed, u64 id, size_t room)
{
	return lw_hash64(lw_hash64(id ^ seed) + seed) & (room - 1);
}

static void put_id(struct perf_id *ids, size_t room, u64 seed, u64 id, u32 event)
{
	size_t at = slot_of(seed, id, room);

	while (ids[at].event && ids[at].id != id)
		at = (at + 1) & (room - 1);
	/* of two events with one ID the first has it */
	if (ids[at].event)
		return;
	ids[at].id = id;
	ids[at].event = event + 1;
}

static int grow_ids(struct lw_perf_reader *file)
{
	size_t room = file->id_room ? file->id_room * 2 : 64;
	struct perf_id *ids = calloc(room, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < file->id_room; i++) {
		if (file->ids[i].event)
			put_id(ids, room, file->seed, file->ids[i].id, file->ids[i].event - 1);
	}
	free(file->ids);
	file->ids = ids;
	file->id_room = room;
	return 0;
}

/**
 * perf_add_id - one of the IDs that the records of an event have
 * @file: gets it
 * @id: any number
 * @event: index
 *
 * Return: 0, -ENOMEM, -EBADMSG with lw_fail_text().
 */
int perf_add_id(struct lw_perf_reader *file, u64 id, u32 event)
{
	if (file->nr_ids == MAX_IDS)
		return lw_fail(-EBADMSG, "its events have more than %u IDs", MAX_IDS);
	if (file->nr_ids * 2 >= file->id_room && grow_ids(file))
		return -ENOMEM;
	put_id(file->ids, file->id_room, file->seed, id, event);
	file->nr_ids++;
	return 0;
}

/**
 * perf_find_event - whose ID it is
 * @file: with all IDs
 * @id: any number
 *
 * Return: index of the event, or -ENOENT.
 */
int perf_find_event(const struct lw_perf_reader *file, u64 id)
{
	size_t at;

	if (!file->id_room)
		return file->nr_events == 1 ? 0 : -ENOENT;
	at = slot_of(file->seed, id, file->id_room);
	while (file->ids[at].event && file->ids[at].id != id)
		at = (at + 1) & (file->id_room - 1);
	return file->ids[at].event ? (int)file->ids[at].event - 1 : -ENOENT;
}

/**
 * perf_name_event - set the name of an event
 * @file: the file
 * @event: index
 * @name: is copied
 * @len: bytes of it; an empty one changes nothing, a long one is cut
 *
 * Return: 0 or -ENOMEM.
 */
int perf_name_event(struct lw_perf_reader *file, u32 event, const char *name, size_t len)
{
	char *copy;

	if (!len)
		return 0;
	copy = strndup(name, len < MAX_NAME ? len : MAX_NAME);
	if (!copy)
		return -ENOMEM;
	free(file->events[event].name);
	file->events[event].name = copy;
	return 0;
}

static const char * const hardware_names[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches",
	"branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend",
	"ref-cycles",
};

static const char * const software_names[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

/**
 * perf_default_name - name an event that the file has no name for
 * @event: the event; one that has a name keeps it
 *
 * Return: 0 or -ENOMEM.
 */
int perf_default_name(struct lw_perf_event *event)
{
	u64 config = event->attr.config;
	char text[64];

	if (event->name)
		return 0;
	if (event->attr.type == PERF_TYPE_HARDWARE && config < ARRAY_SIZE(hardware_names))
		snprintf(text, sizeof(text), "%s", hardware_names[config]);
	else if (event->attr.type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(software_names))
		snprintf(text, sizeof(text), "%s", software_names[config]);
	else if (event->attr.type == PERF_TYPE_RAW)
		snprintf(text, sizeof(text), "r%llx", config);
	else
		snprintf(text, sizeof(text), "type-%u:0x%llx", event->attr.type, config);
	event->name = strdup(text);
	return event->name ? 0 : -ENOMEM;
}
