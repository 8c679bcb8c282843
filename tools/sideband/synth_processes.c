// SPDX-License-Identifier: GPL-2.0
/*
 * synth_processes.c - side-band records for what ran before the recording.
 *
 * They have time 0 and so come before all others.  Processes that begin, end
 * or map files meanwhile are no harm: the side-band tells of them as well.
 *
 * Contexts: one thread has one. Twins share what is known of files, under locks.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "device/task_list.h"
#include "device/vma_list.h"
#include "elf/elf_file.h"
#include "sideband/synth_processes.h"

#define IDS_SIZE	4096	/* build IDs of files, by device and inode */
#define NEAR_SIZE	256	/* of these, those that one thread met last */
#define NR_LOCKS	64
#define NAME_ROOM	4096
#define NS_SIZE		64	/* sets of namespaces, by the module's number */

struct comm {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[16];
	struct lw_sample_id id;
};

struct file_id {
	u64 dev, ino;
	u8 build_id[LW_BUILD_ID_MAX];
	s32 len;		/* or a negative errno; 0: free slot */
	bool handed_out;	/* and was known */
};

/* Of all threads: a lock is for each NR_LOCKSth slot, and held while a file is read. */
struct id_cache {
	pthread_mutex_t locks[NR_LOCKS];
	struct file_id ids[IDS_SIZE];
};

/* In the kernel's order. */
static const char * const namespaces[] = {
	"net", "uts", "ipc", "pid", "user", "mnt", "cgroup",
};

struct ns_link {
	u64 dev, ino;
};

struct ns_set {
	u64 number;		/* 0: free slot */
	struct ns_link links[ARRAY_SIZE(namespaces)];
};

struct lw_synth {
	lw_perf_event_fn fn;
	void *ctx;
	lw_synth_map_fn map_fn;		/* NULL: nobody wants them */
	void *map_ctx;
	bool data;			/* mappings that are not executable, too */
	bool namespaces;		/* records of them */
	u64 time;			/* of records of mappings; 0: was there before */
	struct lw_vma_lister *lister;	/* NULL: by the text of maps */
	struct id_cache *ids;
	struct file_id near_ids[NEAR_SIZE];
	bool is_twin;			/* they are another one's */
	struct ns_set ns_sets[NS_SIZE];
	u8 vdso_id[LW_BUILD_ID_MAX];
	int vdso_id_len;
	union {			/* a record with its trailer, as it is built */
		struct lw_mmap2 map;
		char map_room[sizeof(struct lw_mmap2) + NAME_ROOM +
			      sizeof(struct lw_sample_id)];
	};
};

static int vdso_build_id(u8 *id)
{
	void *image = (void *)getauxval(AT_SYSINFO_EHDR);
	struct lw_elf file;
	int len;

	/* one page holds its headers and notes */
	if (!image || lw_elf_open_memory(&file, image, sysconf(_SC_PAGESIZE)))
		return -ENOENT;
	len = lw_elf_build_id(&file, id);
	lw_elf_close(&file);
	return len;
}

static struct id_cache *new_cache(void)
{
	struct id_cache *cache = calloc(1, sizeof(*cache));

	for (u32 i = 0; cache && i < NR_LOCKS; i++)
		pthread_mutex_init(&cache->locks[i], NULL);
	return cache;
}

/**
 * lw_synth_new - begin
 * @fn: called with each record
 * @ctx: for @fn
 *
 * Return: the state or NULL.
 */
struct lw_synth *lw_synth_new(lw_perf_event_fn fn, void *ctx)
{
	struct lw_synth *synth = calloc(1, sizeof(*synth));

	if (!synth)
		return NULL;
	synth->ids = new_cache();
	if (!synth->ids) {
		free(synth);
		return NULL;
	}
	synth->lister = lw_vma_lister_new();
	synth->fn = fn;
	synth->ctx = ctx;
	synth->vdso_id_len = vdso_build_id(synth->vdso_id);
	return synth;
}

/**
 * lw_synth_free - end
 * @synth: the state or NULL
 */
void lw_synth_free(struct lw_synth *synth)
{
	if (!synth)
		return;
	lw_vma_lister_free(synth->lister);
	for (u32 i = 0; !synth->is_twin && i < NR_LOCKS; i++)
		pthread_mutex_destroy(&synth->ids->locks[i]);
	if (!synth->is_twin)
		free(synth->ids);
	free(synth);
}

/**
 * lw_synth_also_maps - hand out the executable mappings of files as they are, too
 * @synth: the state
 * @fn: called with each until it says that the file is known, good during the call; by
 *	lw_synth_all() from several threads
 * @ctx: for @fn
 */
void lw_synth_also_maps(struct lw_synth *synth, lw_synth_map_fn fn, void *ctx)
{
	synth->map_fn = fn;
	synth->map_ctx = ctx;
}

/**
 * lw_synth_also_data - tell of all that can be read, as the kernel does with mmap_data
 * @synth: the state
 */
void lw_synth_also_data(struct lw_synth *synth)
{
	synth->data = true;
}

/**
 * lw_synth_also_namespaces - those of processes, too
 * @synth: just begun
 */
void lw_synth_also_namespaces(struct lw_synth *synth)
{
	synth->namespaces = true;
}

static void set_build_id(struct lw_mmap2 *map, const u8 *id, int len)
{
	map->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	memset(map->reserved, 0, sizeof(map->reserved));
	map->build_id_size = len;
	memset(map->build_id, 0, sizeof(map->build_id));
	memcpy(map->build_id, id, len);
}

/* Everything but size and trailer is set. */
static int emit_map(struct lw_synth *synth, const char *name)
{
	struct lw_mmap2 *map = &synth->map;
	size_t len = strnlen(name, NAME_ROOM - 1), room = ALIGN_UP(len + 1, sizeof(u64));
	struct lw_sample_id *id = (void *)(map->filename + room);

	memset(map->filename + len, 0, room - len + sizeof(struct lw_sample_id));
	memcpy(map->filename, name, len);
	id->time = synth->time;
	map->header.type = PERF_RECORD_MMAP2;
	map->header.size = offsetof(struct lw_mmap2, filename) + room + sizeof(struct lw_sample_id);
	return synth->fn(synth->ctx, &map->header);
}

/* @name: 16 bytes with a NUL */
static int emit_name(struct lw_synth *synth, pid_t pid, pid_t tid, const char *name)
{
	struct comm comm = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(comm) },
		.pid = pid,
		.tid = tid,
	};

	memccpy(comm.comm, name, 0, sizeof(comm.comm) - 1);
	return synth->fn(synth->ctx, &comm.header);
}

static int emit_comm(struct lw_synth *synth, pid_t pid, pid_t tid)
{
	char path[64], name[16];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	if (lw_read_file(path, name, sizeof(name)) <= 0)
		return 0;
	name[strcspn(name, "\n")] = 0;
	return emit_name(synth, pid, tid, name);
}

static void read_links(pid_t pid, struct ns_link *links)
{
	char path[64];
	struct stat st;

	for (u32 i = 0; i < ARRAY_SIZE(namespaces); i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, namespaces[i]);
		if (stat(path, &st))
			continue;
		links[i].dev = st.st_dev;
		links[i].ino = st.st_ino;
	}
}

struct namespaces_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 nr;
	struct ns_link links[ARRAY_SIZE(namespaces)];
	struct lw_sample_id id;
};

static int emit_namespaces(struct lw_synth *synth, pid_t pid, const struct ns_set *set)
{
	struct namespaces_record record = {
		.header = { .type = PERF_RECORD_NAMESPACES, .size = sizeof(record) },
		.pid = pid,
		.tid = pid,
		.nr = ARRAY_SIZE(namespaces),
	};

	memcpy(record.links, set->links, sizeof(record.links));
	/* without the right to look, or when it has ended */
	return record.links[0].ino ? synth->fn(synth->ctx, &record.header) : 0;
}

static int emit_own_namespaces(struct lw_synth *synth, pid_t pid)
{
	struct ns_set set = { 0 };

	if (!synth->namespaces)
		return 0;
	read_links(pid, set.links);
	return emit_namespaces(synth, pid, &set);
}

/* The task may have left its namespaces, or ended, since the list was read. */
static bool has_them_still(const struct lw_task_entry *task, const struct ns_set *set)
{
	struct lw_task_entry now;

	for (u32 i = 0; i < ARRAY_SIZE(namespaces); i++) {
		if (!set->links[i].ino)
			return false;
	}
	return !lw_tasks_find(task->tid, &now) && now.namespaces == task->namespaces;
}

/*
 * Most processes have those of their parents, so few are read.
 * Return: what they are, good until the next call.
 */
static const struct ns_set *find_namespaces(struct lw_synth *synth,
					    const struct lw_task_entry *task)
{
	struct ns_set *set = &synth->ns_sets[lw_hash64(task->namespaces) % NS_SIZE];

	if (task->namespaces && set->number == task->namespaces)
		return set;
	memset(set, 0, sizeof(*set));
	read_links(task->pid, set->links);
	if (task->namespaces && has_them_still(task, set))
		set->number = task->namespaces;
	return set;
}

/* One line of /proc/PID/maps. */
struct maps_line {
	u64 start, end, pgoff, ino;
	u32 maj, min;
	char perms[5];
	const char *name;
};

static bool parse_maps_line(char *text, struct maps_line *line)
{
	int name_at = 0;

	text[strcspn(text, "\n")] = 0;
	if (sscanf(text, "%llx-%llx %4s %llx %x:%x %llu %n", &line->start, &line->end,
		   line->perms, &line->pgoff, &line->maj, &line->min, &line->ino,
		   &name_at) < 7 || !name_at)
		return false;
	line->name = text + name_at;
	return true;
}

/* Return: bytes, -errno, or 0: nothing is known, ask for that of another process. */
static int read_build_id(pid_t pid, const struct maps_line *line, u8 *id)
{
	char path[NAME_ROOM + 64];
	struct lw_elf file;
	int len;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid, line->start, line->end);
	len = lw_elf_open(&file, path);
	if (len) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", pid, line->name);
		len = lw_elf_open(&file, path);
	}
	/* with the process its mappings go, and not the file that others have, too */
	if (len)
		return len == -ENOENT || len == -ESRCH ? 0 : len;
	len = lw_elf_build_id(&file, id);
	lw_elf_close(&file);
	return len;
}

static bool is_of_file(const struct file_id *id, u64 dev, u64 ino)
{
	return id->len && id->dev == dev && id->ino == ino;
}

static struct file_id *file_build_id(struct lw_synth *synth, pid_t pid,
				     const struct maps_line *line)
{
	u64 dev = makedev(line->maj, line->min), hash = lw_hash64(dev << 40 ^ line->ino);
	struct file_id *near_id = &synth->near_ids[hash % NEAR_SIZE];
	struct file_id *id = &synth->ids->ids[hash % IDS_SIZE];
	pthread_mutex_t *lock = &synth->ids->locks[hash % NR_LOCKS];

	if (is_of_file(near_id, dev, line->ino))
		return near_id;
	pthread_mutex_lock(lock);
	if (!is_of_file(id, dev, line->ino)) {
		id->dev = dev;
		id->ino = line->ino;
		id->len = read_build_id(pid, line, id->build_id);
	}
	*near_id = *id;
	pthread_mutex_unlock(lock);
	return near_id;
}

static bool hand_out_map(struct lw_synth *synth, pid_t pid, const struct maps_line *line)
{
	struct lw_mapping map = {
		.pid = pid,
		.start = line->start,
		.end = line->end,
		.dev = makedev(line->maj, line->min),
		.ino = line->ino,
		.path = line->name,
	};

	return !synth->map_fn || synth->map_fn(synth->map_ctx, &map);
}

static int emit_maps_line(struct lw_synth *synth, pid_t pid, const struct maps_line *line)
{
	struct lw_mmap2 *map = &synth->map;
	bool is_code = line->perms[2] == 'x';
	struct file_id *id;

	memset(map, 0, offsetof(struct lw_mmap2, filename));
	map->header.misc = PERF_RECORD_MISC_USER | (is_code ? 0 : PERF_RECORD_MISC_MMAP_DATA);
	map->pid = pid;
	map->tid = pid;
	map->addr = line->start;
	map->len = line->end - line->start;
	map->pgoff = line->pgoff;
	map->prot = (line->perms[0] == 'r' ? PROT_READ : 0) |
		    (line->perms[1] == 'w' ? PROT_WRITE : 0) | (is_code ? PROT_EXEC : 0);
	map->flags = line->perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	if (line->name[0] == '/') {
		id = file_build_id(synth, pid, line);
		if (is_code && !id->handed_out)
			id->handed_out = hand_out_map(synth, pid, line);
		if (id->len > 0)
			set_build_id(map, id->build_id, id->len);
	} else if (!strcmp(line->name, "[vdso]") && synth->vdso_id_len > 0) {
		set_build_id(map, synth->vdso_id, synth->vdso_id_len);
	}
	if (!(map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		map->maj = line->maj;
		map->min = line->min;
		map->ino = line->ino;
	}
	return emit_map(synth, line->name[0] ? line->name : "//anon");
}

static bool is_wanted(const struct lw_synth *synth, const struct maps_line *line)
{
	return line->perms[2] == 'x' || (synth->data && line->perms[0] == 'r');
}

struct listing {
	struct lw_synth *synth;
	pid_t pid;
};

static int emit_entry(void *ctx, const struct lw_vma_entry *entry, const char *name)
{
	const struct listing *listing = ctx;
	struct maps_line line = {
		.start = entry->start,
		.end = entry->end,
		.pgoff = entry->offset,
		.ino = entry->inode,
		.maj = entry->dev_major,
		.min = entry->dev_minor,
		.name = name,
	};

	line.perms[0] = entry->vma_flags & LW_VMA_READABLE ? 'r' : '-';
	line.perms[1] = entry->vma_flags & LW_VMA_WRITABLE ? 'w' : '-';
	line.perms[2] = entry->vma_flags & LW_VMA_EXECUTABLE ? 'x' : '-';
	line.perms[3] = entry->vma_flags & LW_VMA_SHARED ? 's' : 'p';
	return is_wanted(listing->synth, &line) ?
	       emit_maps_line(listing->synth, listing->pid, &line) : 0;
}

/* Return: whether that was all; false: the module does not tell of this one. */
static bool emit_list(struct lw_synth *synth, pid_t pid, int *ret)
{
	struct listing listing = { .synth = synth, .pid = pid };

	if (!synth->lister)
		return false;
	*ret = lw_vma_lister_each(synth->lister, pid, synth->data ? 0 : LW_VMA_EXECUTABLE,
				  emit_entry, &listing);
	/* it has ended */
	if (*ret == -ESRCH)
		*ret = 0;
	return *ret != -EACCES && *ret != -ENOMEM;
}

static int emit_maps(struct lw_synth *synth, pid_t pid)
{
	struct maps_line line;
	char path[64], *text = NULL;
	size_t room = 0;
	FILE *maps;
	int ret = 0;

	if (emit_list(synth, pid, &ret))
		return ret;
	ret = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return 0;
	while (!ret && getline(&text, &room, maps) > 0) {
		if (parse_maps_line(text, &line) && is_wanted(synth, &line))
			ret = emit_maps_line(synth, pid, &line);
	}
	free(text);
	fclose(maps);
	return ret;
}

/**
 * lw_synth_process - the names of a process's threads, its namespaces and its mappings
 * @synth: the state
 * @pid: process; nothing happens when it has ended
 *
 * Return: 0 or the first nonzero return of the record function.
 */
int lw_synth_process(struct lw_synth *synth, pid_t pid)
{
	struct dirent *dirent;
	char path[64];
	DIR *dir;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	ret = emit_comm(synth, pid, pid);
	while (!ret && (dirent = readdir(dir))) {
		u64 tid;

		if (!lw_parse_u64(dirent->d_name, &tid) && tid != (u64)pid)
			ret = emit_comm(synth, pid, tid);
	}
	closedir(dir);
	if (!ret)
		ret = emit_own_namespaces(synth, pid);
	return ret ? ret : emit_maps(synth, pid);
}

/**
 * lw_synth_tasks - as lw_synth_process(), with what the module tells of its threads
 * @synth: the state
 * @tasks: all threads of a process, the first one in front
 * @nr: of them
 *
 * Return: 0 or the first nonzero return of the record function.
 */
int lw_synth_tasks(struct lw_synth *synth, const struct lw_task_entry *tasks, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++) {
		/* /proc has more of the name of a kernel's thread */
		ret = tasks[i].flags & LW_TASK_KERNEL ?
			emit_comm(synth, tasks[i].pid, tasks[i].tid) :
			emit_name(synth, tasks[i].pid, tasks[i].tid, tasks[i].comm);
	}
	if (!ret && synth->namespaces)
		ret = emit_namespaces(synth, tasks->pid, find_namespaces(synth, tasks));
	if (ret || tasks->flags & LW_TASK_KERNEL)
		return ret;
	return emit_maps(synth, tasks->pid);
}

/**
 * lw_synth_twin - one that does the same for somebody else, maybe in another thread
 * @synth: the state, to be there as long as its twin; of files they know what the other does
 * @fn: called with each record
 * @ctx: for @fn
 *
 * Return: for lw_synth_free(), or NULL.
 */
struct lw_synth *lw_synth_twin(const struct lw_synth *synth, lw_perf_event_fn fn, void *ctx)
{
	struct lw_synth *twin = malloc(sizeof(*twin));

	if (!twin)
		return NULL;
	*twin = *synth;
	twin->is_twin = true;
	twin->lister = lw_vma_lister_new();
	twin->fn = fn;
	twin->ctx = ctx;
	return twin;
}

/**
 * lw_synth_put - hand on a record that a twin has made
 * @synth: the state
 * @record: complete
 *
 * Return: what its function says.
 */
int lw_synth_put(struct lw_synth *synth, const struct perf_event_header *record)
{
	return synth->fn(synth->ctx, record);
}

static int read_notes(const char *path, u8 *id)
{
	char text[4096];
	ssize_t got = lw_read_file(path, text, sizeof(text));

	return got > 0 ? lw_notes_build_id((const u8 *)text, got, id) : -ENOENT;
}

static int emit_kernel_map(struct lw_synth *synth, const char *name, u64 start, u64 end,
			   u64 pgoff, const u8 *id, int id_len)
{
	struct lw_mmap2 *map = &synth->map;

	memset(map, 0, offsetof(struct lw_mmap2, filename));
	map->header.misc = PERF_RECORD_MISC_KERNEL;
	map->pid = -1;
	map->addr = start;
	map->len = end - start;
	map->pgoff = pgoff;
	map->prot = PROT_READ | PROT_EXEC;
	map->flags = MAP_PRIVATE;
	if (id_len > 0)
		set_build_id(map, id, id_len);
	return emit_map(synth, name);
}

static void plain_module_name(char *to, size_t size, const char *path)
{
	const char *base = strrchr(path, '/');
	size_t i;

	base = base ? base + 1 : path;
	for (i = 0; i < size - 1 && base[i] && base[i] != '.'; i++)
		to[i] = base[i] == '-' ? '_' : base[i];
	to[i] = 0;
}

struct module {
	char name[64];
	char *path;
};

struct modules {
	struct module *all;
	size_t nr, room;
};

static int by_name(const void *a, const void *b)
{
	const struct module *left = a, *right = b;

	return strcmp(left->name, right->name);
}

/* modules.dep tells the file of each module: "kernel/x/y.ko.xz: needs..." */
static void read_modules_dep(struct modules *modules)
{
	struct utsname uts = { 0 };
	char name[256], *line = NULL;
	size_t room = 0;
	FILE *file;

	uname(&uts);
	snprintf(name, sizeof(name), "/lib/modules/%s/modules.dep", uts.release);
	file = fopen(name, "re");
	if (!file)
		return;
	while (getline(&line, &room, file) > 0) {
		struct module *module;

		if (lw_grow((void **)&modules->all, &modules->room, modules->nr + 1,
			    sizeof(*module)))
			break;
		module = &modules->all[modules->nr];
		line[strcspn(line, ":\n")] = 0;
		plain_module_name(module->name, sizeof(module->name), line);
		if (asprintf(&module->path, "/lib/modules/%s/%s", uts.release, line) < 0)
			break;
		modules->nr++;
	}
	free(line);
	fclose(file);
	if (modules->nr)
		qsort(modules->all, modules->nr, sizeof(*modules->all), by_name);
}

static void free_modules(struct modules *modules)
{
	for (size_t i = 0; i < modules->nr; i++)
		free(modules->all[i].path);
	free(modules->all);
}

static const char *module_path(const struct modules *modules, const char *name)
{
	const struct module *module;
	struct module key;

	if (!modules->nr || strlen(name) >= sizeof(key.name))
		return NULL;
	strcpy(key.name, name);
	module = bsearch(&key, modules->all, modules->nr, sizeof(key), by_name);
	return module ? module->path : NULL;
}

static int module_build_id(const char *name, u8 *id)
{
	char notes[256];

	snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", name);
	return read_notes(notes, id);
}

static int emit_module(struct lw_synth *synth, const char *name, const char *path,
		       u64 start, u64 size)
{
	u8 id[LW_BUILD_ID_MAX];
	char plain[160];

	snprintf(plain, sizeof(plain), "[%s]", name);
	return emit_kernel_map(synth, path ? path : plain, start, start + size, 0, id,
			       module_build_id(name, id));
}

static int emit_modules(struct lw_synth *synth)
{
	FILE *file = fopen("/proc/modules", "re");
	struct modules modules = { 0 };
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!file)
		return 0;
	read_modules_dep(&modules);
	while (!ret && getline(&line, &room, file) > 0) {
		char name[128];
		u64 size, start;

		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &start) == 3 && start)
			ret = emit_module(synth, name, module_path(&modules, name), start, size);
	}
	free_modules(&modules);
	free(line);
	fclose(file);
	return ret;
}

/**
 * lw_synth_kernel - the mappings of the kernel and its modules
 * @synth: the state
 * @range: where the kernel is; nothing happens if that is not known
 *
 * Return: 0 or the first nonzero return of the record function.
 */
int lw_synth_kernel(struct lw_synth *synth, const struct lw_kernel_range *range)
{
	u8 id[LW_BUILD_ID_MAX];
	u64 start, end;
	int ret;

	if (!lw_kernel_range_is_known(range))
		return 0;
	start = range->text ? range->text : range->stext;
	/* what is for booting is on the stack of CPU 0's idle task */
	end = range->einittext > range->etext ? range->einittext : range->etext;
	ret = emit_kernel_map(synth, range->text ? "[kernel.kallsyms]_text" :
			      "[kernel.kallsyms]_stext", start, end, start, id,
			      read_notes("/sys/kernel/notes", id));
	return ret ? ret : emit_modules(synth);
}

/* Code of a module that has come.  perf has this name for that of init functions. */
static int emit_new_module(struct lw_synth *synth, const struct lw_module *module,
			   const char *path)
{
	bool init = module->record.flags & LW_MODULE_INIT;
	u8 id[LW_BUILD_ID_MAX];
	char plain[96];
	int len;

	snprintf(plain, sizeof(plain), "[%s]%s", module->name, init ? ".init.text" : "");
	len = module->build_id_size ? (int)module->build_id_size :
	      module_build_id(module->name, id);
	return emit_kernel_map(synth, path && !init ? path : plain, module->addr,
			       module->addr + module->text_size, 0,
			       module->build_id_size ? module->build_id : id, init ? 0 : len);
}

/*
 * There is no record of mappings that go.  Of KSYMBOL there is: perf forgets the mapping at
 * that address, whatever has told of it.
 */
static int emit_gone(struct lw_synth *synth, const struct lw_module *module)
{
	struct {
		struct perf_event_header header;
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[72];
		struct lw_sample_id id;
	} record = {
		.header = { .type = PERF_RECORD_KSYMBOL, .size = sizeof(record) },
		.addr = module->addr,
		.len = module->text_size < UINT32_MAX ? module->text_size : UINT32_MAX,
		.type = PERF_RECORD_KSYMBOL_TYPE_OOL,
		.flags = PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		.id = { .time = module->time },
	};

	snprintf(record.name, sizeof(record.name), "[%s]", module->name);
	return synth->fn(synth->ctx, &record.header);
}

/**
 * lw_synth_module - a kernel module that comes or goes while it is recorded
 * @synth: the state
 * @module: valid; the records have its time
 *
 * Return: 0 or the first nonzero return of the record function.
 */
int lw_synth_module(struct lw_synth *synth, const struct lw_module *module)
{
	struct modules modules = { 0 };
	int ret;

	if (module->record.flags & LW_MODULE_GONE)
		return emit_gone(synth, module);
	read_modules_dep(&modules);
	synth->time = module->time;
	ret = emit_new_module(synth, module, module_path(&modules, module->name));
	synth->time = 0;
	free_modules(&modules);
	return ret;
}
