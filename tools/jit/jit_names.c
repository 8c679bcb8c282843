// SPDX-License-Identifier: GPL-2.0
/*
 * jit_names.c - names of code that processes have made, as they tell them themselves.
 *
 * What makes code at run time (JIT compilers, python3 -X perf) tells of it in one of two
 * files, or in both: a jitdump, which the process maps, has the time of each piece, so it comes
 * first; /tmp/perf-PID.map, with the number that the process has in its own PID namespace, has
 * names only.  Both grow while the process runs, so they are read on: the map where a name is
 * missing, the dump also for a sample that is younger than what was read, as its address may
 * have got other code since.
 *
 * A process may write as much as it likes, or replace its file all the time: what is read at a
 * time, how often, and what is kept are bounded.  What another program had written before, in
 * the same process or in one that had its number, is not for it.
 *
 * Contexts: one thread.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "jit/jit_code.h"
#include "jit/jit_dump.h"
#include "jit/jit_file.h"
#include "jit/jit_names.h"
#include "jit/jit_perf_map.h"

#define HASH_SIZE	256
/* Missing names don't make us look at the file all the time. */
#define LOOK_AGAIN	(NSEC_PER_SEC / 10)
/* A file that was replaced is read from its begin: after twice the time each time. */
#define LOOK_AT_LAST	(10 * NSEC_PER_SEC)

/* A file, and what is known by it. */
struct source {
	char *path;			/* from its process's root; NULL: there is no file */
	struct lw_jit_file file;
	struct lw_jit_code code;
	u64 looked, next_look, pause;
};

struct process {
	struct lw_hash_node node;
	u32 pid;
	u64 began;			/* its program; 0: before the recording */
	uid_t uid;			/* that it runs as; our own when that is not known */
	u64 used;			/* @asked of all when a name was last asked for */
	struct source map, dump;
	struct lw_jit_dump dump_read;
};

struct lw_jit_names {
	struct lw_hash_node *processes[HASH_SIZE];
	u64 look;			/* bytes */
	u64 asked;			/* how often */
	u64 trimmed;			/* @asked when it was trimmed last */
};

/**
 * lw_jit_names_new - nothing is known yet
 * @look: bytes that are read of a file before its names are looked up, LW_JIT_LOOK or
 *	LW_JIT_LOOK_ALL
 *
 * Return: it, or NULL.
 */
struct lw_jit_names *lw_jit_names_new(u64 look)
{
	struct lw_jit_names *names = calloc(1, sizeof(*names));

	if (names)
		names->look = look;
	return names;
}

static void source_forget(struct source *source)
{
	lw_jit_code_clear(&source->code);
	source->file.read_to = 0;
}

/* @path: is copied; NULL: none. */
static void source_begin(struct source *source, const char *path)
{
	source_forget(source);
	free(source->path);
	*source = (struct source) {
		.path = path ? strdup(path) : NULL,
		.pause = LOOK_AGAIN,
		.code.most = LW_JIT_FILE_MOST,
	};
}

static void process_forget(struct process *process)
{
	source_forget(&process->map);
	source_forget(&process->dump);
	memset(&process->dump_read, 0, sizeof(process->dump_read));
}

static void process_free(struct process *process)
{
	source_begin(&process->map, NULL);
	source_begin(&process->dump, NULL);
	lw_hash_del(&process->node);
	free(process);
}

/**
 * lw_jit_names_free - forget all
 * @names: it, or NULL
 */
void lw_jit_names_free(struct lw_jit_names *names)
{
	struct lw_hash_node **at, *after;
	struct process *process;

	if (!names)
		return;
	lw_hash_for_all_safe(process, after, at, names->processes, node)
		process_free(process);
	free(names);
}

/**
 * lw_jit_names_trim - forget the processes that nobody asked for since the last call
 * @names: those that it gave are no longer good
 *
 * Of those that still run names are read anew when they are asked for.
 */
void lw_jit_names_trim(struct lw_jit_names *names)
{
	struct lw_hash_node **at, *after;
	struct process *process;

	lw_hash_for_all_safe(process, after, at, names->processes, node) {
		if (process->used <= names->trimmed)
			process_free(process);
	}
	names->trimmed = names->asked;
}

static u64 process_bytes(const struct process *process)
{
	return process->map.code.bytes + process->dump.code.bytes;
}

/**
 * lw_jit_names_bytes - the memory of all names
 * @names: it
 *
 * Return: bytes, LW_JIT_ALL_MOST at most.
 */
u64 lw_jit_names_bytes(const struct lw_jit_names *names)
{
	struct lw_hash_node * const *at;
	const struct process *process;
	u64 bytes = 0;

	lw_hash_for_all(process, at, names->processes, node)
		bytes += process_bytes(process);
	return bytes;
}

static void process_begin(struct process *process, u64 began)
{
	char path[64];
	u32 own_pid;

	snprintf(path, sizeof(path), "/proc/%u", process->pid);
	own_pid = lw_jit_file_own_pid(path);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", own_pid ? own_pid : process->pid);
	process_forget(process);
	process->began = began;
	process->uid = lw_jit_file_owner(process->pid);
	source_begin(&process->map, path);
	source_begin(&process->dump, NULL);
}

static struct process *find_process(const struct lw_jit_names *names, u32 pid)
{
	struct process *process;

	lw_hash_for_each(process, lw_hash_slot(names->processes, pid), node) {
		if (process->pid == pid)
			break;
	}
	return process;
}

/* Return: what is known of a program; NULL, too, if another has followed it. */
static struct process *get_process(struct lw_jit_names *names, u32 pid, u64 began)
{
	struct process *process = find_process(names, pid);

	if (process && began < process->began)
		return NULL;
	if (process && began > process->began)
		process_begin(process, began);
	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process_begin(process, began);
	lw_hash_add(lw_hash_slot(names->processes, pid), &process->node);
	return process;
}

/* Return: of all with names but @but, the one that was not asked for the longest. */
static struct process *find_oldest(struct lw_jit_names *names, const struct process *but)
{
	struct process *oldest = NULL, *process;
	struct lw_hash_node **at;

	lw_hash_for_all(process, at, names->processes, node) {
		if (process != but && process_bytes(process) &&
		    (!oldest || process->used < oldest->used))
			oldest = process;
	}
	return oldest;
}

/* Names that are forgotten are read again when they are asked for. */
static void make_room(struct lw_jit_names *names, const struct process *process)
{
	struct process *oldest;

	while (lw_jit_names_bytes(names) > LW_JIT_ALL_MOST) {
		oldest = find_oldest(names, process);
		if (!oldest)
			return;
		process_forget(oldest);
	}
}

/* A file that comes in place of another one is looked at less and less. */
static void source_replaced(struct source *source, bool had_one)
{
	lw_jit_code_clear(&source->code);
	if (!had_one)
		return;
	source->pause *= 2;
	if (source->pause > LOOK_AT_LAST)
		source->pause = LOOK_AT_LAST;
}

static void read_map(struct lw_jit_names *names, struct process *process)
{
	struct source *map = &process->map;
	bool had_one = map->file.inode;
	int fd = lw_jit_file_open(process->pid, map->path, process->uid, process->began);

	if (fd < 0)
		return;
	if (!lw_jit_file_is_same(&map->file, fd))
		source_replaced(map, had_one);
	lw_jit_perf_map_read(&map->code, fd, &map->file.read_to, names->look);
	lw_jit_code_settle(&map->code);
}

/* That its process has mapped it says that the file is its own. */
static void read_dump(struct lw_jit_names *names, struct process *process)
{
	struct source *dump = &process->dump;
	bool had_one = dump->file.inode;
	int fd = lw_jit_file_open(process->pid, dump->path, process->uid, 0);

	if (fd < 0)
		return;
	if (!lw_jit_file_is_same(&dump->file, fd) ||
	    lw_jit_dump_is_new(&process->dump_read, fd)) {
		source_replaced(dump, had_one);
		memset(&process->dump_read, 0, sizeof(process->dump_read));
	}
	lw_jit_dump_read(&process->dump_read, &dump->code, fd, names->look);
	dump->file.read_to = process->dump_read.read_to;
	lw_jit_code_settle(&dump->code);
	close(fd);
}

/* @time: up to when all has to be known, if that is possible; 0: does not matter. */
static bool source_is_due(const struct source *source, u64 time, bool found)
{
	if (!source->path || source->code.full)
		return false;
	/* one look is enough for all samples that were taken up to it */
	if (time > source->looked && source->pause == LOOK_AGAIN)
		return true;
	return !found && lw_now() >= source->next_look;
}

typedef void (*read_fn)(struct lw_jit_names *names, struct process *process);

static const struct lw_jit_piece *
source_find(struct lw_jit_names *names, struct process *process, struct source *source,
	    read_fn read, const struct lw_jit_address *address)
{
	const u64 known_up_to = source == &process->dump ? address->time : 0;
	const struct lw_jit_piece *piece;

	piece = lw_jit_code_find(&source->code, address->time, address->ip);
	if (!source_is_due(source, known_up_to, piece))
		return piece;
	source->looked = lw_now();
	read(names, process);
	make_room(names, process);
	source->next_look = lw_now() + source->pause;
	return lw_jit_code_find(&source->code, address->time, address->ip);
}

/* The side-band tells of it once it is mapped, which may be after the first question. */
static void set_dump(struct process *process, const char *path)
{
	struct source *dump = &process->dump;

	if (!path || (dump->path && !strcmp(dump->path, path)))
		return;
	source_begin(dump, path);
	memset(&process->dump_read, 0, sizeof(process->dump_read));
}

/**
 * lw_jit_names_find - name an address that is in no file
 * @names: what is known
 * @address: what is asked for
 * @offset: out: of the address in what is named
 * @file: out: where the name is from; good until the next call
 *
 * Return: the name, good until the next call, or NULL.
 */
const char *lw_jit_names_find(struct lw_jit_names *names, const struct lw_jit_address *address,
			      u64 *offset, const char **file)
{
	struct process *process = get_process(names, address->pid, address->began);
	const struct lw_jit_piece *piece;

	if (!process)
		return NULL;
	process->used = ++names->asked;
	set_dump(process, address->dump);
	piece = source_find(names, process, &process->dump, read_dump, address);
	*file = process->dump.path;
	if (!piece) {
		piece = source_find(names, process, &process->map, read_map, address);
		*file = process->map.path;
	}
	if (!piece)
		return NULL;
	*offset = address->ip - piece->start;
	return piece->name;
}
