// SPDX-License-Identifier: GPL-2.0
/*
 * process_maps.c - which files were mapped where, in which process, at what time.
 *
 * A sample is symbolised late, when its process may run another program, or be
 * gone.  So nothing is overwritten: a process is a list of images, the youngest
 * first; a fork starts an image that shows what its parent had then, an exec
 * one that shows nothing; mappings are kept with their times.  An image that
 * ended is dropped some time after it did.
 *
 * Records come from the side-band: in order per CPU, but those of another CPU
 * may be read before.  So what a record changes depends on its time only: an
 * image that is told of late takes over the mappings that are younger, and the
 * parent is looked up anew each time.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashtable.h"
#include "base/perf_records.h"
#include "jit/jit_dump.h"
#include "symbols/process_maps.h"

#define HASH_SIZE	4096
#define KEEP_ENDED	(30 * NSEC_PER_SEC)
/* Names of one thread, at different times. */
#define MAX_COMMS	256
#define SWEEP_EVERY	1024		/* exits */
#define MAX_PARENTS	64
/* From so many on those of an image that are of the past are looked for. */
#define LEAST_PRUNED	1024
/* Mappings that are looked at one by one, and that are kept; the kernel allows 65530. */
#define MOST_PRUNED	16384
#define MAX_MAPS	131072

struct image {
	struct image *older;		/* of the same pid */
	struct image *parent;		/* a reference, for when it is swept */
	u32 users;
	u32 pid;
	u32 ppid;			/* 0 after an exec */
	u64 start;
	u64 end;			/* 0: runs */
	struct lw_map *maps;		/* by time */
	size_t nr_maps, room;
	size_t prune_at;		/* 0: LEAST_PRUNED */
	struct lw_map *dump;		/* the newest jitdump, or NULL */
};

struct comm {
	struct comm *older;		/* of the same tid */
	u64 time;
	char name[16];
};

struct thread {
	struct lw_hash_node node;
	u32 tid;
	u64 end;
	struct comm *newest;
	u32 nr_comms;
};

struct process {
	struct lw_hash_node node;
	u32 pid;
	struct image *newest;
};

struct lw_process_maps {
	struct lw_hash_node *processes[HASH_SIZE], *threads[HASH_SIZE];
	u64 all_changes;
	struct lw_change changes[HASH_SIZE];	/* of processes, hashed by pid */
	u64 newest_time;
	u32 exits;
	bool keeps_all;
	bool only_names;
};

/**
 * lw_process_maps_new - an empty table
 *
 * Return: the table or NULL.
 */
struct lw_process_maps *lw_process_maps_new(void)
{
	return calloc(1, sizeof(struct lw_process_maps));
}

static void free_dump(struct image *image)
{
	if (image->dump)
		free(image->dump->path);
	free(image->dump);
	image->dump = NULL;
}

static void put_image(struct image *image)
{
	while (image && !--image->users) {
		struct image *parent = image->parent;

		for (size_t i = 0; i < image->nr_maps; i++)
			free(image->maps[i].path);
		free(image->maps);
		free_dump(image);
		free(image);
		image = parent;
	}
}

static struct process *find_process(const struct lw_process_maps *procs, u32 pid)
{
	struct process *process;

	lw_hash_for_each(process, lw_hash_slot(procs->processes, pid), node) {
		if (process->pid == pid)
			break;
	}
	return process;
}

static struct image *find_image(const struct lw_process_maps *procs, u32 pid, u64 time)
{
	struct process *process = find_process(procs, pid);
	struct image *image = process ? process->newest : NULL;

	while (image && image->start > time)
		image = image->older;
	return image;
}

static struct process *get_process(struct lw_process_maps *procs, u32 pid)
{
	struct process *process = find_process(procs, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	lw_hash_add(lw_hash_slot(procs->processes, pid), &process->node);
	return process;
}

/* From @time on an address of the process may be in another mapping than it was. */
static void note_change(struct lw_process_maps *procs, u32 pid, u64 time)
{
	struct lw_change *change = &procs->changes[pid % HASH_SIZE];

	procs->all_changes++;
	change->count++;
	if (time > change->time)
		change->time = time;
}

static int insert_map(struct image *image, const struct lw_map *map)
{
	size_t at;

	if (lw_grow((void **)&image->maps, &image->room, image->nr_maps + 1, sizeof(*map)))
		return -ENOMEM;
	at = image->nr_maps++;
	while (at && image->maps[at - 1].time > map->time) {
		image->maps[at] = image->maps[at - 1];
		at--;
	}
	image->maps[at] = *map;
	return 0;
}

/* Move the mappings since this image's start, which were given to the image before it. */
static void take_over_maps(struct image *image)
{
	struct image *older = image->older;

	if (older && older->dump && older->dump->time >= image->start) {
		image->dump = older->dump;
		older->dump = NULL;
	}
	while (older && older->nr_maps) {
		struct lw_map *map = &older->maps[older->nr_maps - 1];

		if (map->time < image->start || insert_map(image, map))
			return;
		older->nr_maps--;
	}
}

static struct image *add_image(struct lw_process_maps *procs, u32 pid, u64 time, u32 ppid)
{
	struct image *parent = ppid ? find_image(procs, ppid, time) : NULL;
	struct process *process = get_process(procs, pid);
	struct image *image, **link;

	if (!process)
		return NULL;
	image = calloc(1, sizeof(*image));
	if (!image)
		return NULL;
	image->users = 1;
	image->pid = pid;
	image->start = time;
	image->ppid = ppid;
	image->parent = parent;
	if (parent)
		parent->users++;
	link = &process->newest;
	while (*link && (*link)->start > time)
		link = &(*link)->older;
	image->older = *link;
	*link = image;
	take_over_maps(image);
	note_change(procs, pid, time);
	return image;
}

static u64 keep_since(const struct lw_process_maps *procs)
{
	return procs->newest_time > KEEP_ENDED ? procs->newest_time - KEEP_ENDED : 0;
}

/* Is nothing left of a mapping, and has not been for a while? */
static bool is_hidden(const struct image *image, size_t at, u64 before)
{
	const struct lw_map *map = &image->maps[at];

	for (size_t i = at + 1; i < image->nr_maps && image->maps[i].time < before; i++) {
		if (image->maps[i].start <= map->start && image->maps[i].end >= map->end)
			return true;
	}
	return false;
}

static void drop_hidden(struct image *image, u64 before)
{
	size_t left = 0;

	for (size_t i = 0; i < image->nr_maps; i++) {
		if (is_hidden(image, i, before))
			free(image->maps[i].path);
		else
			image->maps[left++] = image->maps[i];
	}
	image->nr_maps = left;
}

/*
 * Mappings that were there from the start are the program and its libraries, which last the
 * longest of all.
 * Return: how many there are of these, but not so many that no others can go.
 */
static size_t lasting_maps(const struct image *image)
{
	size_t nr = 0;

	while (nr < image->nr_maps && image->maps[nr].time <= image->start + NSEC_PER_SEC)
		nr++;
	return nr <= image->nr_maps / 2 ? nr : 0;
}

static void drop_oldest(struct image *image, size_t nr)
{
	struct lw_map *from = image->maps + lasting_maps(image);

	for (size_t i = 0; i < nr; i++)
		free(from[i].path);
	image->nr_maps -= nr;
	memmove(from, from + nr, (image->maps + image->nr_maps - from) * sizeof(*from));
}

/*
 * Nobody tells when something is unmapped: of a program that loads and makes code all
 * the time, what younger mappings lie on is dropped; if that is not enough, the oldest of what
 * came later than the program.
 */
static void prune_maps(const struct lw_process_maps *procs, struct image *image)
{
	size_t limit = image->prune_at ? image->prune_at : LEAST_PRUNED;

	if (procs->keeps_all || image->nr_maps < limit)
		return;
	/* children have what was mapped when they were forked */
	if (image->nr_maps <= MOST_PRUNED && image->users == 1)
		drop_hidden(image, keep_since(procs));
	if (image->nr_maps >= MAX_MAPS)
		drop_oldest(image, MAX_MAPS / 4);
	image->prune_at = 2 * image->nr_maps;
	if (image->prune_at < LEAST_PRUNED)
		image->prune_at = LEAST_PRUNED;
	if (image->prune_at > MAX_MAPS)
		image->prune_at = MAX_MAPS;
}

/* Kept apart, as mappings are pruned, and this one is looked for often. */
static int set_dump(struct image *image, const struct lw_map *map)
{
	struct lw_map *dump;

	if (!lw_jit_dump_is_path(map->path) || (image->dump && image->dump->time > map->time))
		return 0;
	dump = malloc(sizeof(*dump));
	if (!dump)
		return -ENOMEM;
	*dump = *map;
	dump->path = strdup(map->path);
	if (!dump->path) {
		free(dump);
		return -ENOMEM;
	}
	free_dump(image);
	image->dump = dump;
	return 0;
}

static int add_map(struct lw_process_maps *procs, u32 pid, struct lw_map *map, bool code)
{
	struct image *image = find_image(procs, pid, map->time);

	if (!image)
		image = add_image(procs, pid, 0, 0);
	if (image && (!code || !set_dump(image, map)) && !insert_map(image, map)) {
		note_change(procs, pid, map->time);
		prune_maps(procs, image);
		return 0;
	}
	free(map->path);
	return -ENOMEM;
}

static int take_mmap2(struct lw_process_maps *procs, const struct lw_mmap2 *record, u64 time,
		      size_t end)
{
	size_t room = end > sizeof(*record) ? end - sizeof(*record) : 0;
	struct lw_map map = {
		.time = time,
		.start = record->addr,
		.end = record->addr + record->len,
		.pgoff = record->pgoff,
	};

	if (procs->only_names || !room || record->pid == (u32)-1 || map.end <= map.start)
		return 0;
	map.path = strndup(record->filename, room);
	if (!map.path)
		return -ENOMEM;
	if (record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    record->build_id_size <= LW_BUILD_ID_MAX) {
		map.build_id_len = record->build_id_size;
		memcpy(map.build_id, record->build_id, LW_BUILD_ID_MAX);
	}
	return add_map(procs, record->pid, &map,
		       !(record->header.misc & PERF_RECORD_MISC_MMAP_DATA));
}

static struct thread *find_thread(const struct lw_process_maps *procs, u32 tid)
{
	struct thread *thread;

	lw_hash_for_each(thread, lw_hash_slot(procs->threads, tid), node) {
		if (thread->tid == tid)
			break;
	}
	return thread;
}

static struct thread *get_thread(struct lw_process_maps *procs, u32 tid)
{
	struct thread *thread = find_thread(procs, tid);

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	lw_hash_add(lw_hash_slot(procs->threads, tid), &thread->node);
	return thread;
}

/* Of a thread that changes its name all the time the newest are kept. */
static void prune_comms(struct thread *thread)
{
	struct comm *last = thread->newest;

	for (u32 i = 1; i < MAX_COMMS / 2; i++)
		last = last->older;
	while (last->older) {
		struct comm *comm = last->older;

		last->older = comm->older;
		free(comm);
	}
	thread->nr_comms = MAX_COMMS / 2;
}

static int set_comm(struct lw_process_maps *procs, u32 tid, u64 time, const char *name, size_t len)
{
	struct thread *thread = get_thread(procs, tid);
	struct comm *comm, **link;

	comm = thread ? calloc(1, sizeof(*comm)) : NULL;
	if (!comm)
		return -ENOMEM;
	thread->end = 0;
	comm->time = time;
	memcpy(comm->name, name, strnlen(name, len < 15 ? len : 15));
	link = &thread->newest;
	while (*link && (*link)->time > time)
		link = &(*link)->older;
	comm->older = *link;
	*link = comm;
	if (++thread->nr_comms == MAX_COMMS && !procs->keeps_all)
		prune_comms(thread);
	return 0;
}

struct comm_record {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[];
};

static int take_comm(struct lw_process_maps *procs, const struct comm_record *record, u64 time,
		     size_t end)
{
	if (end <= sizeof(*record))
		return 0;
	if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC &&
	    !add_image(procs, record->pid, time, 0))
		return -ENOMEM;
	return set_comm(procs, record->tid, time, record->comm, end - sizeof(*record));
}

/* PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct task_record {
	struct perf_event_header header;
	u32 pid, ppid;
	u32 tid, ptid;
	u64 time;
};

static int take_fork(struct lw_process_maps *procs, const struct task_record *record, u64 time)
{
	const char *name = lw_process_maps_comm(procs, record->ptid, time);

	if (name && set_comm(procs, record->tid, time, name, 16))
		return -ENOMEM;
	if (record->pid == record->ppid)
		return 0;
	return add_image(procs, record->pid, time, record->ppid) ? 0 : -ENOMEM;
}

static void free_comms(struct thread *thread)
{
	while (thread->newest) {
		struct comm *older = thread->newest->older;

		free(thread->newest);
		thread->newest = older;
	}
}

static void sweep_images(struct lw_process_maps *procs, struct process *process, u64 before)
{
	struct image **link = &process->newest;
	bool superseded = false;

	while (*link) {
		struct image *image = *link;
		bool old = (image->end && image->end < before) || superseded;

		/* what is older than an image that began long ago is not needed */
		superseded = superseded || image->start < before;
		if (!old) {
			link = &image->older;
			continue;
		}
		*link = image->older;
		note_change(procs, process->pid, 0);
		put_image(image);
	}
}

static void free_process(struct process *process)
{
	while (process->newest) {
		struct image *older = process->newest->older;

		put_image(process->newest);
		process->newest = older;
	}
	lw_hash_del(&process->node);
	free(process);
}

static void free_thread(struct thread *thread)
{
	free_comms(thread);
	lw_hash_del(&thread->node);
	free(thread);
}

static void sweep(struct lw_process_maps *procs)
{
	u64 before = keep_since(procs);
	struct lw_hash_node **at, *after;
	struct process *process;
	struct thread *thread;

	if (procs->keeps_all)
		return;
	lw_hash_for_all_safe(process, after, at, procs->processes, node) {
		sweep_images(procs, process, before);
		if (!process->newest)
			free_process(process);
	}
	lw_hash_for_all_safe(thread, after, at, procs->threads, node) {
		if (thread->end && thread->end < before)
			free_thread(thread);
	}
}

static int take_exit(struct lw_process_maps *procs, const struct task_record *record, u64 time)
{
	struct image *image = find_image(procs, record->pid, time);
	struct thread *thread = get_thread(procs, record->tid);

	if (!thread)
		return -ENOMEM;
	thread->end = time;
	if (image && record->pid == record->tid)
		image->end = time;
	if (++procs->exits % SWEEP_EVERY == 0)
		sweep(procs);
	return 0;
}

/**
 * lw_process_maps_record - take a side-band record
 * @procs: the table
 * @record: any, with a trailer of struct lw_sample_id; unknown types are skipped
 *
 * Return: 0 or -ENOMEM.
 */
int lw_process_maps_record(struct lw_process_maps *procs, const struct perf_event_header *record)
{
	const struct lw_sample_id *id;
	size_t end;
	u64 time;

	if (record->size < sizeof(*record) + sizeof(*id) || record->size % sizeof(u64))
		return 0;
	end = record->size - sizeof(*id);
	id = (const void *)((const u8 *)record + end);
	time = id->time;
	if (time > procs->newest_time)
		procs->newest_time = time;

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		if (end < sizeof(struct lw_mmap2))
			return 0;
		return take_mmap2(procs, (const void *)record, time, end);
	case PERF_RECORD_COMM:
		if (end < sizeof(struct comm_record))
			return 0;
		return take_comm(procs, (const void *)record, time, end);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (end < sizeof(struct task_record))
			return 0;
		if (record->type == PERF_RECORD_FORK)
			return take_fork(procs, (const void *)record, time);
		return take_exit(procs, (const void *)record, time);
	}
	return 0;
}

static const struct image *parent_of(const struct lw_process_maps *procs, const struct image *image)
{
	const struct image *parent = NULL;

	if (image->ppid && image->ppid != image->pid)
		parent = find_image(procs, image->ppid, image->start);
	return parent ? parent : image->parent;
}

/**
 * lw_process_maps_find - the mapping that an address was in
 * @procs: the table
 * @pid: process
 * @time: CLOCK_MONOTONIC nanoseconds
 * @ip: address
 *
 * Return: the youngest one that was made up to @time, or NULL; good as long as
 * lw_process_maps_all_changes() stays the same.
 */
const struct lw_map *lw_process_maps_find(const struct lw_process_maps *procs, u32 pid, u64 time,
					  u64 ip)
{
	const struct image *image = find_image(procs, pid, time);

	for (int depth = 0; image && depth < MAX_PARENTS; depth++) {
		for (size_t i = image->nr_maps; i--;) {
			const struct lw_map *map = &image->maps[i];

			if (map->time <= time && ip >= map->start && ip < map->end)
				return map;
		}
		time = image->start < time ? image->start : time;
		image = parent_of(procs, image);
	}
	return NULL;
}

/**
 * lw_process_maps_dump - the mapping of the file by which a process tells of code that it makes
 * @procs: the table
 * @pid: process
 * @time: CLOCK_MONOTONIC nanoseconds
 *
 * Return: of the files called jit-NUMBER.dump that the program has mapped executable the last
 * one, which may be younger than @time: it may also tell of code that was there before it; of
 * those that its parents had mapped when they forked the last one; or NULL.  Good as long as
 * lw_process_maps_all_changes() stays the same.
 */
const struct lw_map *lw_process_maps_dump(const struct lw_process_maps *procs, u32 pid, u64 time)
{
	const struct image *image = find_image(procs, pid, time);

	if (image && image->dump)
		return image->dump;
	for (int depth = 1; image && depth < MAX_PARENTS; depth++) {
		time = image->start < time ? image->start : time;
		image = parent_of(procs, image);
		if (image && image->dump && image->dump->time <= time)
			return image->dump;
	}
	return NULL;
}

/**
 * lw_process_maps_locate - all that is known of an address
 * @procs: the table
 * @address: its @pid, @time and @ip; the rest is out: good as long as
 *	lw_process_maps_all_changes() stays the same
 */
void lw_process_maps_locate(const struct lw_process_maps *procs, struct lw_user_address *address)
{
	address->began = lw_process_maps_began(procs, address->pid, address->time);
	address->map = lw_process_maps_find(procs, address->pid, address->time, address->ip);
	address->dump = lw_map_is_made(address->map) ?
			lw_process_maps_dump(procs, address->pid, address->time) : NULL;
}

/**
 * lw_process_maps_all_changes - how often what is known of any process has changed
 * @procs: the table
 *
 * Return: a number that grows.
 */
u64 lw_process_maps_all_changes(const struct lw_process_maps *procs)
{
	return procs->all_changes;
}

/**
 * lw_process_maps_change - whether what is mapped in a process may have changed
 * @procs: the table
 * @pid: process
 *
 * As long as it is the same, an address is in the same file, at the same place of it,
 * at any time from the newest change on.
 *
 * Return: how often, and when last.
 */
const struct lw_change *lw_process_maps_change(const struct lw_process_maps *procs, u32 pid)
{
	return &procs->changes[pid % HASH_SIZE];
}

/**
 * lw_process_maps_nr - how many mappings are kept of a process
 * @procs: the table
 * @pid: process
 * @time: of which one is asked, CLOCK_MONOTONIC nanoseconds
 *
 * Return: their number, without those of its parent.
 */
size_t lw_process_maps_nr(const struct lw_process_maps *procs, u32 pid, u64 time)
{
	const struct image *image = find_image(procs, pid, time);

	return image ? image->nr_maps : 0;
}

/**
 * lw_process_maps_began - when a process began to run the program that it runs
 * @procs: the table
 * @pid: process
 * @time: of which one is asked, CLOCK_MONOTONIC nanoseconds
 *
 * Return: the time of its fork or exec; 0: before anything was told of it.
 */
u64 lw_process_maps_began(const struct lw_process_maps *procs, u32 pid, u64 time)
{
	const struct image *image = find_image(procs, pid, time);

	return image ? image->start : 0;
}

/**
 * lw_process_maps_comm - a thread's name
 * @procs: the table
 * @tid: thread
 * @time: CLOCK_MONOTONIC nanoseconds
 *
 * Return: the name, or NULL when there is none.
 */
const char *lw_process_maps_comm(const struct lw_process_maps *procs, u32 tid, u64 time)
{
	const struct thread *thread = find_thread(procs, tid);
	const struct comm *comm = thread ? thread->newest : NULL;

	while (comm && comm->time > time && comm->older)
		comm = comm->older;
	return comm ? comm->name : NULL;
}

/**
 * lw_process_maps_keep_all - never forget those that have ended
 * @procs: the table
 *
 * For who asks of any time, when all is over.
 */
void lw_process_maps_keep_all(struct lw_process_maps *procs)
{
	procs->keeps_all = true;
}

/**
 * lw_process_maps_only_names - keep the names of threads, and no mapping
 * @procs: the table, empty
 */
void lw_process_maps_only_names(struct lw_process_maps *procs)
{
	procs->only_names = true;
}

/**
 * lw_process_maps_free - free a table
 * @procs: the table or NULL
 */
void lw_process_maps_free(struct lw_process_maps *procs)
{
	struct lw_hash_node **at, *after;
	struct process *process;
	struct thread *thread;

	if (!procs)
		return;
	lw_hash_for_all_safe(process, after, at, procs->processes, node)
		free_process(process);
	lw_hash_for_all_safe(thread, after, at, procs->threads, node)
		free_thread(thread);
	free(procs);
}

/**
 * lw_map_is_made - whether what is mapped is memory without a file, or with one that only
 * this process has
 * @map: or NULL: nothing is known, so there is no file
 *
 * Return: true if so; no other process's symbols are in it.
 */
bool lw_map_is_made(const struct lw_map *map)
{
	static const char * const names[] = {
		"//anon", "/dev/zero", "/memfd:", "[heap]", "[stack", "/anon_hugepage", "[anon",
		"anon_inode:",
	};

	for (size_t i = 0; map && i < ARRAY_SIZE(names); i++) {
		/* hardly any file's path begins like one of these */
		if (map->path[0] == names[i][0] && map->path[1] == names[i][1] &&
		    !strncmp(map->path, names[i], strlen(names[i])))
			return true;
	}
	return !map;
}
