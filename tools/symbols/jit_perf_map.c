// SPDX-License-Identifier: GPL-2.0
/*
 * jit_perf_map.c - names of code that a process has made, as it tells them itself.
 *
 * What makes code at run time (JIT compilers, python3 -X perf) writes a line for each
 * piece of it to /tmp/perf-PID.map: start, size and name, with the number that the
 * process has in its own PID namespace.  The file is looked for where the process sees
 * it, and is believed if it is a plain file that belongs to root or to whom the process
 * runs as: anybody may put a file there.  It grows while the process runs, so it is
 * read on where a name is missing; a line that comes later counts.
 *
 * A process may write as much as it likes, or replace its file all the time: what is
 * read at a time, how often, and what is kept are bounded.  What another program had
 * written before, in the same process or in one that had its number, is not for it.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "symbols/jit_perf_map.h"

#define HASH_SIZE	256
#define MAX_NAME	1024
#define MAX_LINE	(MAX_NAME + 64)
/* Missing names don't make us look at the file all the time. */
#define LOOK_AGAIN	(NSEC_PER_SEC / 10)
/* A file that was replaced is read from its begin: after twice the time each time. */
#define LOOK_AT_LAST	(10 * NSEC_PER_SEC)
/* The clock that files go by is as coarse. */
#define FILE_CLOCK_NS	(NSEC_PER_SEC / 50)
/* malloc()'s own, of a name */
#define NAME_EXTRA	16

struct piece {
	u64 start, size;
	u32 line;		/* of several at one address the last counts */
	char *name;
};

struct process {
	struct lw_hash_node node;
	u32 pid;
	u64 began;		/* its program; 0: before the recording */
	uid_t uid;		/* that it runs as; our own when that is not known */
	char path[64];		/* from its root */
	dev_t dev;		/* the file that was read */
	ino_t inode;
	struct statx_timestamp birth;	/* an inode number may be used again */
	off_t read_to;
	u64 used;		/* @asked of all when a name was last asked for */
	u64 next_look, pause;
	bool full;		/* more is not kept of it */
	u64 bytes;		/* of all pieces */
	struct piece *pieces;	/* sorted when @sorted */
	size_t nr, room;
	bool sorted;
};

struct lw_jit_perf_maps {
	struct lw_hash_node *processes[HASH_SIZE];
	u64 bytes;		/* of all processes */
	u64 asked;		/* how often */
	u64 trimmed;		/* @asked when it was trimmed last */
};

/**
 * lw_jit_perf_maps_new - nothing is known yet
 *
 * Return: it, or NULL.
 */
struct lw_jit_perf_maps *lw_jit_perf_maps_new(void)
{
	return calloc(1, sizeof(struct lw_jit_perf_maps));
}

static void forget_pieces(struct lw_jit_perf_maps *maps, struct process *process)
{
	for (size_t i = 0; i < process->nr; i++)
		free(process->pieces[i].name);
	free(process->pieces);
	process->pieces = NULL;
	process->nr = 0;
	process->room = 0;
	process->read_to = 0;
	process->sorted = true;
	process->full = false;
	maps->bytes -= process->bytes;
	process->bytes = 0;
}

static void free_process(struct lw_jit_perf_maps *maps, struct process *process)
{
	forget_pieces(maps, process);
	lw_hash_del(&process->node);
	free(process);
}

/**
 * lw_jit_perf_maps_free - forget all
 * @maps: it, or NULL
 */
void lw_jit_perf_maps_free(struct lw_jit_perf_maps *maps)
{
	struct lw_hash_node **at, *after;
	struct process *process;

	if (!maps)
		return;
	lw_hash_for_all_safe(process, after, at, maps->processes, node)
		free_process(maps, process);
	free(maps);
}

/**
 * lw_jit_perf_maps_trim - forget the processes that nobody asked for since the last call
 * @maps: names that it gave are no longer good
 *
 * Of those that still run names are read anew when they are asked for.
 */
void lw_jit_perf_maps_trim(struct lw_jit_perf_maps *maps)
{
	struct lw_hash_node **at, *after;
	struct process *process;

	lw_hash_for_all_safe(process, after, at, maps->processes, node) {
		if (process->used <= maps->trimmed)
			free_process(maps, process);
	}
	maps->trimmed = maps->asked;
}

/**
 * lw_jit_perf_maps_bytes - the memory of all names
 * @maps: it
 *
 * Return: bytes, LW_PERF_MAP_ALL at most.
 */
u64 lw_jit_perf_maps_bytes(const struct lw_jit_perf_maps *maps)
{
	return maps->bytes;
}

/* The last number of a line of /proc/PID/status: in the innermost namespace. */
static u32 own_pid(u32 pid)
{
	char path[64], text[8192], *line, *end;
	ssize_t len;
	u64 number;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	len = lw_read_file(path, text, sizeof(text) - 1);
	if (len <= 0)
		return pid;
	text[len] = 0;
	line = strstr(text, "\nNSpid:");
	end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return pid;
	*end = 0;
	line = strrchr(line, '\t');
	return line && !lw_parse_u64(line + 1, &number) && number <= UINT32_MAX ? number : pid;
}

static uid_t owner_of(u32 pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? geteuid() : st.st_uid;
}

static void begin_process(struct process *process, u64 began)
{
	process->began = began;
	process->uid = owner_of(process->pid);
	process->dev = 0;
	process->inode = 0;
	process->next_look = 0;
	process->pause = LOOK_AGAIN;
	process->sorted = true;
	snprintf(process->path, sizeof(process->path), "/tmp/perf-%u.map",
		 own_pid(process->pid));
}

static struct process *find_process(const struct lw_jit_perf_maps *maps, u32 pid)
{
	struct process *process;

	lw_hash_for_each(process, lw_hash_slot(maps->processes, pid), node) {
		if (process->pid == pid)
			break;
	}
	return process;
}

/* Return: what is known of a program; NULL, too, if another has followed it. */
static struct process *get_process(struct lw_jit_perf_maps *maps, u32 pid, u64 began)
{
	struct process *process = find_process(maps, pid);

	if (process && began < process->began)
		return NULL;
	if (process && began > process->began) {
		forget_pieces(maps, process);
		begin_process(process, began);
	}
	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	begin_process(process, began);
	lw_hash_add(lw_hash_slot(maps->processes, pid), &process->node);
	return process;
}

/* No link leads out of the root, or to the file. */
static int open_in_root(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (dir < 0)
		return -errno;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

/* A map written since the program began is not that of an earlier process of this number. */
static bool is_its_own(const struct process *process, const struct stat *st)
{
	u64 now = lw_now(), age = now > process->began ? now - process->began : 0;
	struct timespec time;

	if (!process->began)
		return true;
	clock_gettime(CLOCK_REALTIME, &time);
	return st->st_mtim.tv_sec * (s64)NSEC_PER_SEC + st->st_mtim.tv_nsec >=
	       time.tv_sec * (s64)NSEC_PER_SEC + time.tv_nsec - (s64)(age + FILE_CLOCK_NS);
}

static bool is_trusted(const struct process *process, int fd, struct stat *st)
{
	return !fstat(fd, st) && S_ISREG(st->st_mode) &&
	       (!st->st_uid || st->st_uid == process->uid) && is_its_own(process, st);
}

/* Return: a descriptor, or -errno. */
static int open_map(const struct process *process, struct stat *st)
{
	char root[64];
	int fd;

	snprintf(root, sizeof(root), "/proc/%u/root", process->pid);
	fd = open_in_root(root, process->path);
	/* it has ended */
	if (fd == -ENOENT && access(root, F_OK))
		fd = open_in_root("/", process->path);
	if (fd < 0 || is_trusted(process, fd, st))
		return fd;
	close(fd);
	return -EPERM;
}

/* Return: of all with names but @but, the one that was not asked for the longest. */
static struct process *find_oldest(struct lw_jit_perf_maps *maps, const struct process *but)
{
	struct process *oldest = NULL, *process;
	struct lw_hash_node **at;

	lw_hash_for_all(process, at, maps->processes, node) {
		if (process != but && process->bytes &&
		    (!oldest || process->used < oldest->used))
			oldest = process;
	}
	return oldest;
}

/* Names that are forgotten are read again when they are asked for. */
static bool has_room(struct lw_jit_perf_maps *maps, const struct process *process, u64 bytes)
{
	if (bytes > LW_PERF_MAP_PROCESS - process->bytes)
		return false;
	while (bytes > LW_PERF_MAP_ALL - maps->bytes)
		forget_pieces(maps, find_oldest(maps, process));
	return true;
}

/* The array doubles. */
static bool make_room(struct lw_jit_perf_maps *maps, struct process *process, u64 more)
{
	const u64 bytes = more * sizeof(struct piece);
	size_t room = process->room;

	if (process->nr < process->room)
		return true;
	if (!has_room(maps, process, bytes) ||
	    lw_grow((void **)&process->pieces, &process->room, room + more,
		    sizeof(struct piece)))
		return false;
	process->bytes += (process->room - room) * sizeof(struct piece);
	maps->bytes += (process->room - room) * sizeof(struct piece);
	return true;
}

static void add_piece(struct lw_jit_perf_maps *maps, struct process *process,
		      const struct piece *piece, const char *name)
{
	struct piece *new;
	u64 bytes = strlen(name) + 1 + NAME_EXTRA;

	process->full = !make_room(maps, process, process->nr ? process->nr : 64) ||
			!has_room(maps, process, bytes);
	if (process->full)
		return;
	new = &process->pieces[process->nr];
	*new = *piece;
	new->name = strdup(name);
	if (!new->name)
		return;
	process->nr++;
	process->sorted = false;
	process->bytes += bytes;
	maps->bytes += bytes;
}

static void take_line(struct lw_jit_perf_maps *maps, struct process *process, char *line)
{
	struct piece piece = { .line = process->nr };
	char *at;

	piece.start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return;
	line = at + 1;
	piece.size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1] || !piece.size ||
	    piece.start + piece.size < piece.start)
		return;
	add_piece(maps, process, &piece, at + 1);
}

/* Whole lines; the last one may still be written. */
static void read_on(struct lw_jit_perf_maps *maps, struct process *process, int fd)
{
	FILE *file = fdopen(fd, "r");
	char line[MAX_LINE];
	u64 most = LW_PERF_MAP_LOOK;
	size_t len;

	if (!file) {
		close(fd);
		return;
	}
	if (fseeko(file, process->read_to, SEEK_SET))
		process->read_to = 0;
	while (!process->full && most >= sizeof(line) && fgets(line, sizeof(line), file)) {
		len = strlen(line);
		if (!len || (line[len - 1] != '\n' && len < sizeof(line) - 1))
			break;
		process->read_to += len;
		most -= len;
		/* the rest of one that is too long is no line that makes sense */
		line[strcspn(line, "\r\n")] = 0;
		take_line(maps, process, line);
	}
	fclose(file);
}

static int by_start(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->line > right->line) - (left->line < right->line);
}

/* The first one, or one in its place. */
static void begin_file(struct lw_jit_perf_maps *maps, struct process *process,
		       const struct stat *st)
{
	if (process->inode) {
		process->pause *= 2;
		if (process->pause > LOOK_AT_LAST)
			process->pause = LOOK_AT_LAST;
	}
	forget_pieces(maps, process);
	process->dev = st->st_dev;
	process->inode = st->st_ino;
}

/* All zeros where the file system does not keep it. */
static struct statx_timestamp birth_of(int fd)
{
	struct statx stx = {};

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &stx) || !(stx.stx_mask & STATX_BTIME))
		return (struct statx_timestamp){};
	return stx.stx_btime;
}

static bool is_same_file(const struct process *process, const struct stat *st,
			 const struct statx_timestamp *birth)
{
	return st->st_dev == process->dev && st->st_ino == process->inode &&
	       st->st_size >= process->read_to && birth->tv_sec == process->birth.tv_sec &&
	       birth->tv_nsec == process->birth.tv_nsec;
}

static void look(struct lw_jit_perf_maps *maps, struct process *process)
{
	struct stat st;
	int fd = open_map(process, &st);

	if (fd >= 0) {
		struct statx_timestamp birth = birth_of(fd);

		if (!is_same_file(process, &st, &birth))
			begin_file(maps, process, &st);
		process->birth = birth;
		read_on(maps, process, fd);
		if (!process->sorted)
			qsort(process->pieces, process->nr, sizeof(*process->pieces), by_start);
		process->sorted = true;
	}
	process->next_look = lw_now() + process->pause;
}

/* The last one that starts at or before it; code that was freed may lie below. */
static const struct piece *find(const struct process *process, u64 ip)
{
	size_t low = 0, high = process->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->pieces[middle].start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || ip - process->pieces[low - 1].start >= process->pieces[low - 1].size)
		return NULL;
	return &process->pieces[low - 1];
}

/**
 * lw_jit_perf_map_name - name an address that is in no file
 * @maps: what is known
 * @pid: its process, which may have ended
 * @began: CLOCK_MONOTONIC nanoseconds of its fork or exec, see lw_process_maps_began()
 * @ip: address
 * @offset: out: of the address in what is named
 * @file: out: where the name is from; good until the next call
 *
 * Return: the name, good until the next call, or NULL.
 */
const char *lw_jit_perf_map_name(struct lw_jit_perf_maps *maps, u32 pid, u64 began, u64 ip,
				 u64 *offset, const char **file)
{
	struct process *process = get_process(maps, pid, began);
	const struct piece *piece;

	if (!process)
		return NULL;
	process->used = ++maps->asked;
	piece = find(process, ip);
	if (!piece && !process->full && lw_now() >= process->next_look) {
		look(maps, process);
		piece = find(process, ip);
	}
	if (!piece)
		return NULL;
	*offset = ip - piece->start;
	*file = process->path;
	return piece->name;
}
