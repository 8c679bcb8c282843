// SPDX-License-Identifier: GPL-2.0
/*
 * symbolizer.c - from the addresses of a recording to names: now, later or elsewhere.
 *
 * A file is used only if its build ID is the recorded one, where that is known; it is
 * looked for where its process sees it, if that still runs, where it was, which may be below
 * another root, and by its build ID.  Files are kept by path and build ID.  Names are
 * demangled when they are first asked for, lines and inlined calls are looked up once for
 * an address.  What the recording itself tells of an address comes first; files are opened
 * where they may tell more.
 *
 * Contexts: one thread.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/hashtable.h"
#include "jit/jit_names.h"
#include "symbols/kernel_symbols.h"
#include "symbols/kernel_jit_symbols.h"
#include "symbols/saved_names.h"
#include "symbols/symbol_file.h"
#include "symbols/symbolizer.h"
#include "symbols/unnamed_code.h"

#define HASH_SIZE	1024
#define PATH_ROOM	(4096 + 64)
#define MAX_NOTES	65536
#define DELETED		" (deleted)"
/* The smallest pages that machines have, and the largest; each size is four times the last. */
#define LEAST_PAGE	4096ULL
#define LARGEST_PAGE	65536ULL

/* The functions inlined at an address. */
struct inlined {
	struct lw_hash_node node;
	u64 addr;
	u32 nr;
	struct lw_place places[];
};

/* A file's addresses that were looked up. */
struct inlined_calls {
	struct lw_hash_node *slots[HASH_SIZE];
};

struct dso {
	struct lw_hash_node node;
	char *path;
	char *found;			/* where it is, if that is elsewhere */
	u8 build_id[LW_BUILD_ID_MAX];
	u8 build_id_len;
	bool tried;			/* to open it */
	bool usable;
	bool debug_only;		/* the file has names, but no code */
	bool used;			/* since lw_symbolizer_trim() */
	u32 saved_file;			/* of the recording's own names */
	struct lw_symbol_file file;
	struct inlined_calls *inlined;	/* NULL: none yet */
	struct lw_unnamed_code *unnamed;	/* likewise */
};

struct lw_symbolizer {
	struct lw_symbolize_options options;
	int root;			/* what other machine's files are below, or -1 */
	struct lw_hash_node *dsos[HASH_SIZE];
	struct lw_jit_names *jit_names;
	struct lw_saved_names *saved;	/* the recording's own, or NULL */
	struct lw_kernel_symbols kernel;
	u64 kernel_shift;		/* of what runs here to what was recorded */
	struct lw_kernel_jit_symbols ksymbols;
	char **problems;
	size_t nr_problems, problem_room;
};

static void __printf(2, 3) add_problem(struct lw_symbolizer *symbolizer, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	if (lw_grow((void **)&symbolizer->problems, &symbolizer->problem_room,
		    symbolizer->nr_problems + 1, sizeof(text))) {
		free(text);
		return;
	}
	symbolizer->problems[symbolizer->nr_problems++] = text;
}

static void open_root(struct lw_symbolizer *symbolizer)
{
	const char *path = symbolizer->options.symfs;

	symbolizer->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (symbolizer->root < 0)
		add_problem(symbolizer, "%s: %s", path, strerror(errno));
	lw_symbol_files_debug_below(path);
}

/**
 * lw_symbolizer_new - begin without any names
 * @options: are copied
 *
 * Return: it, or NULL.
 */
struct lw_symbolizer *lw_symbolizer_new(const struct lw_symbolize_options *options)
{
	struct lw_symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->options = *options;
	symbolizer->root = -1;
	/* while rings wait there is no time for a long file */
	symbolizer->jit_names = lw_jit_names_new(options->live ? LW_JIT_LOOK : LW_JIT_LOOK_ALL);
	if (!symbolizer->jit_names) {
		free(symbolizer);
		return NULL;
	}
	if (options->symfs)
		open_root(symbolizer);
	return symbolizer;
}

/**
 * lw_symbolizer_problem - what files could not be used, and why
 * @symbolizer: it
 * @index: from 0 on
 *
 * Return: a line of text, or NULL when there are no more.
 */
const char *lw_symbolizer_problem(const struct lw_symbolizer *symbolizer, u32 index)
{
	return index < symbolizer->nr_problems ? symbolizer->problems[index] : NULL;
}

/* --- finding the file of a mapping */

static int try_open(struct dso *dso, const char *path)
{
	return lw_symbol_file_open(&dso->file, path, dso->build_id, dso->build_id_len);
}

/* Links lead to where they led on the machine that was recorded. */
static int open_below(struct lw_symbolizer *symbolizer, struct dso *dso, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd = syscall(SYS_openat2, symbolizer->root, path, &how, sizeof(how)), ret;
	char link[64], found[PATH_ROOM];
	ssize_t len;

	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ret = try_open(dso, link);
	len = ret ? -1 : readlink(link, found, sizeof(found) - 1);
	if (len > 0)
		dso->found = strndup(found, len);
	close(fd);
	return ret;
}

/* Only a build ID can tell that one of here is the one of there. */
static int open_by_path(struct lw_symbolizer *symbolizer, struct dso *dso, const char *path)
{
	int ret;

	if (!symbolizer->options.symfs)
		return try_open(dso, path);
	ret = open_below(symbolizer, dso, path);
	return ret && dso->build_id_len && !try_open(dso, path) ? 0 : ret;
}

/*
 * As perf keeps the files that it has recorded: a link leads to their directory, with old
 * releases of perf to the file itself.
 */
static int open_cached(struct dso *dso, const char *name)
{
	char path[PATH_ROOM];
	int ret;

	if (!lw_perf_cache_path(path, sizeof(path), dso->build_id, dso->build_id_len, name))
		return -ENOENT;
	ret = try_open(dso, path);
	if (!ret || !lw_perf_cache_path(path, sizeof(path), dso->build_id, dso->build_id_len, ""))
		return ret;
	return try_open(dso, path);
}

/* The file may be gone while its debug file is still there, or was installed to read this. */
static int open_debug_file(struct lw_symbolizer *symbolizer, struct dso *dso)
{
	const char *const roots[] = { symbolizer->options.symfs ?: "", "" };
	char root[PATH_ROOM], path[PATH_ROOM];
	int ret = -ENOENT;

	for (size_t i = 0; ret && i < ARRAY_SIZE(roots); i++) {
		snprintf(root, sizeof(root), "%s/usr/lib/debug", roots[i]);
		if (lw_build_id_path(path, sizeof(path), root, dso->build_id, dso->build_id_len,
				     ".debug"))
			ret = try_open(dso, path);
	}
	dso->debug_only = !ret;
	return ret;
}

/* libdwfl's search: directories of the system, and debuginfod where it is set up. */
static int open_by_build_id(struct dso *dso)
{
	static const Dwfl_Callbacks callbacks = { .debuginfo_path = &lw_symbol_files_debug_path };
	Dwfl *dwfl = dso->build_id_len ? dwfl_begin(&callbacks) : NULL;
	Dwfl_Module *module;
	char *path = NULL;
	Elf *elf = NULL;
	int fd = -1, ret = -ENOENT;

	if (!dwfl)
		return -ENOENT;
	dwfl_report_begin(dwfl);
	module = dwfl_report_module(dwfl, "file", 0x1000, 0x2000);
	if (module && !dwfl_module_report_build_id(module, dso->build_id, dso->build_id_len, 0))
		fd = dwfl_build_id_find_elf(module, NULL, "file", 0, &path, &elf);
	if (fd >= 0 && path)
		ret = try_open(dso, path);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	free(path);
	dwfl_report_end(dwfl, NULL, NULL);
	dwfl_end(dwfl);
	return ret;
}

/*
 * Where its process sees it.  Once it is recorded another one may have the number, so that
 * only the build ID can tell.
 */
static int open_of_process(struct lw_symbolizer *symbolizer, struct dso *dso, u32 pid,
			   const struct lw_map *map)
{
	char path[PATH_ROOM];
	int ret;

	if (!dso->build_id_len && !symbolizer->options.live)
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, map->path);
	ret = try_open(dso, path);
	if (!ret)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, map->start, map->end);
	return try_open(dso, path) ? ret : 0;
}

/* A file that nobody else may find any more. */
static bool open_kept(const struct lw_symbolizer *symbolizer, struct dso *dso)
{
	const struct lw_symbolize_options *options = &symbolizer->options;
	char path[64];

	return options->kept && options->kept(options->kept_ctx, dso->build_id, dso->build_id_len,
					      path, sizeof(path)) && !try_open(dso, path);
}

static bool is_deleted(const char *path)
{
	size_t len = strlen(path), end = strlen(DELETED);

	return len > end && !strcmp(path + len - end, DELETED);
}

static void tell_why(struct lw_symbolizer *symbolizer, const struct dso *dso, int found)
{
	const char *root = symbolizer->options.symfs ?: "";

	if (found == -ESTALE)
		add_problem(symbolizer,
			    "%s%s: not the file that was recorded, its build ID differs",
			    root, dso->path);
	else if (is_deleted(dso->path))
		add_problem(symbolizer, "%s: was deleted when it was recorded", dso->path);
	else
		add_problem(symbolizer, "%s%s: %s", root, dso->path, strerror(-found));
}

static bool open_file(struct lw_symbolizer *symbolizer, struct dso *dso, u32 pid,
		      const struct lw_map *map)
{
	int found;

	if (map->path[0] != '/' || map->path[1] == '/')
		return false;
	if (open_kept(symbolizer, dso))
		return true;
	/* what is there in its container may be something else here */
	if (symbolizer->options.live && !open_of_process(symbolizer, dso, pid, map))
		return true;
	found = open_by_path(symbolizer, dso, map->path);
	if (!found)
		return true;
	if (symbolizer->options.here && !symbolizer->options.live &&
	    !open_of_process(symbolizer, dso, pid, map))
		return true;
	if (!open_cached(dso, "/elf"))
		return true;
	if (!open_by_build_id(dso))
		return true;
	if (!open_debug_file(symbolizer, dso))
		return true;
	if (dso->saved_file == LW_SAVED_NO_FILE)
		tell_why(symbolizer, dso, found);
	return false;
}

/* Without a build ID it is ours only if nothing was booted meanwhile. */
static bool is_our_vdso(const struct lw_symbolizer *symbolizer, const struct dso *dso)
{
	u8 id[LW_BUILD_ID_MAX];

	if (!dso->build_id_len)
		return symbolizer->options.here;
	return lw_elf_build_id(&dso->file.file, id) == dso->build_id_len &&
	       !memcmp(id, dso->build_id, dso->build_id_len);
}

static bool open_vdso(struct lw_symbolizer *symbolizer, struct dso *dso)
{
	if (!open_cached(dso, "/vdso"))
		return true;
	if (lw_symbol_file_open_vdso(&dso->file))
		return false;
	if (is_our_vdso(symbolizer, dso))
		return true;
	lw_symbol_file_close(&dso->file);
	return false;
}

static u64 hash_of(const struct lw_map *map)
{
	u64 hash = lw_hash_bytes(0, map->path, strlen(map->path));

	return lw_hash_bytes(hash, map->build_id, map->build_id_len);
}

static struct dso *new_dso(const struct lw_map *map)
{
	struct dso *dso = calloc(1, sizeof(*dso));

	if (!dso)
		return NULL;
	dso->path = strdup(map->path);
	if (!dso->path) {
		free(dso);
		return NULL;
	}
	memcpy(dso->build_id, map->build_id, LW_BUILD_ID_MAX);
	dso->build_id_len = map->build_id_len;
	dso->file.file.fd = -1;
	return dso;
}

static struct dso *find_or_add(struct lw_symbolizer *symbolizer, const struct lw_map *map)
{
	struct lw_hash_node **slot = lw_hash_slot(symbolizer->dsos, hash_of(map));
	struct dso *dso;

	lw_hash_for_each(dso, slot, node) {
		if (!strcmp(dso->path, map->path) && dso->build_id_len == map->build_id_len &&
		    !memcmp(dso->build_id, map->build_id, LW_BUILD_ID_MAX))
			return dso;
	}
	dso = new_dso(map);
	if (!dso)
		return NULL;
	dso->saved_file = symbolizer->saved ? lw_saved_names_file(symbolizer->saved, map) :
			  LW_SAVED_NO_FILE;
	lw_hash_add(slot, &dso->node);
	return dso;
}

static struct dso *get_dso(struct lw_symbolizer *symbolizer, const struct lw_map *map)
{
	struct dso *dso = find_or_add(symbolizer, map);

	if (dso)
		dso->used = true;
	return dso;
}

/* Return: whether there is a file to ask; it is opened when it is first needed. */
static bool is_usable(struct lw_symbolizer *symbolizer, struct dso *dso,
		      const struct lw_user_address *address)
{
	const struct lw_map *map = address->map;

	if (dso->tried)
		return dso->usable;
	dso->tried = true;
	dso->usable = !strcmp(map->path, "[vdso]") ? open_vdso(symbolizer, dso) :
		      open_file(symbolizer, dso, address->pid, map);
	if (dso->usable)
		lw_symbol_file_load(&dso->file, dso->found ? dso->found : dso->path);
	return dso->usable;
}

/* --- one address */

static const char *text_of(const struct lw_symbolizer *symbolizer, struct lw_code_name *name)
{
	return symbolizer->options.no_demangle ? name->text : lw_code_name_plain(name);
}

static char *copy_function(const struct lw_symbolizer *symbolizer, const char *text)
{
	char *plain = symbolizer->options.no_demangle ? NULL : lw_demangle(text);

	return plain ? plain : strdup(text);
}

static struct inlined *look_up_inlined(const struct lw_symbolizer *symbolizer, struct dso *dso,
				       u64 addr)
{
	struct lw_source_line lines[LW_MAX_PLACES];
	u32 nr = lw_symbol_file_lines(&dso->file, addr, lines, LW_MAX_PLACES);
	struct inlined *found = calloc(1, sizeof(*found) + nr * sizeof(found->places[0]));

	if (!found)
		return NULL;
	found->addr = addr;
	found->nr = nr;
	for (u32 i = 0; i < nr; i++) {
		found->places[i].file = lines[i].file;
		found->places[i].line = lines[i].line;
		found->places[i].inlined = lines[i].function;
		if (lines[i].function)
			found->places[i].function = copy_function(symbolizer, lines[i].function);
	}
	return found;
}

static const struct inlined *get_inlined(const struct lw_symbolizer *symbolizer, struct dso *dso,
					 u64 addr)
{
	struct lw_hash_node **slot;
	struct inlined *found;

	if (!dso->inlined)
		dso->inlined = calloc(1, sizeof(*dso->inlined));
	if (!dso->inlined)
		return NULL;
	slot = lw_hash_slot(dso->inlined->slots, lw_hash64(addr));
	lw_hash_for_each(found, slot, node) {
		if (found->addr == addr)
			return found;
	}
	found = look_up_inlined(symbolizer, dso, addr);
	if (found)
		lw_hash_add(slot, &found->node);
	return found;
}

/* Return: how many places there are; the last one is @self with its line. */
static u32 add_inlined(const struct lw_symbolizer *symbolizer, struct dso *dso,
		       const struct lw_place *self, struct lw_place *places, u32 room)
{
	const struct inlined *found = get_inlined(symbolizer, dso, self->address);
	u32 nr = found && found->nr <= room ? found->nr : 0;

	for (u32 i = 0; i < nr; i++) {
		places[i] = *self;
		places[i].file = found->places[i].file;
		places[i].line = found->places[i].line;
		if (!found->places[i].inlined)
			continue;
		places[i].inlined = true;
		places[i].unnamed = false;
		places[i].function = found->places[i].function;
		places[i].offset = 0;
	}
	return nr;
}

/* Return: whether the process itself tells the name; @place is good until the next call then. */
static bool name_made(struct lw_symbolizer *symbolizer, const struct lw_user_address *address,
		      struct lw_place *place)
{
	const struct lw_jit_address made = {
		.pid = address->pid, .began = address->began, .time = address->time,
		.ip = address->ip, .dump = address->dump ? address->dump->path : NULL,
	};

	if (!lw_map_is_made(address->map))
		return false;
	if (symbolizer->saved && lw_saved_names_find_made(symbolizer->saved, address, place))
		return true;
	if (!symbolizer->options.here)
		return false;
	*place = (struct lw_place){};
	place->function = lw_jit_names_find(symbolizer->jit_names, &made, &place->offset,
					    &place->dso);
	return place->function;
}

static void name_by_start(struct dso *dso, struct lw_place *place)
{
	u64 start;

	if (!dso->unnamed)
		dso->unnamed = lw_unnamed_code_new(&dso->file.file, dso->path);
	if (!dso->unnamed)
		return;
	place->function = lw_unnamed_code_find(dso->unnamed, place->address, &start);
	place->unnamed = place->function;
	if (place->function)
		place->offset = place->address - start;
}

/* Is all of that segment mapped there, with pages of some size? */
static bool is_mapped_whole(const GElf_Phdr *phdr, const struct lw_map *map, u64 *start)
{
	u64 page;

	for (page = LEAST_PAGE; page <= LARGEST_PAGE; page *= 4) {
		*start = phdr->p_vaddr & -page;
		if (!(map->start % page) && map->end - map->start ==
		    ALIGN_UP(phdr->p_vaddr + phdr->p_memsz, page) - *start)
			return true;
	}
	return false;
}

/*
 * A debug file does not tell where its segments were in the file, but how large they are: so
 * if all of an executable one is mapped, the address is known.
 */
static bool find_in_debug_file(const struct dso *dso, const struct lw_map *map, u64 ip, u64 *addr)
{
	GElf_Phdr phdr;
	u64 start;

	for (size_t i = 0; i < dso->file.file.nr_phdrs; i++) {
		if (!gelf_getphdr(dso->file.file.elf, i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X))
			continue;
		if (!is_mapped_whole(&phdr, map, &start))
			continue;
		*addr = ip - map->start + start;
		return true;
	}
	return false;
}

static bool find_address(const struct dso *dso, const struct lw_map *map, u64 ip, u64 *addr)
{
	if (dso->debug_only)
		return find_in_debug_file(dso, map, ip, addr);
	return !lw_elf_offset_to_addr(&dso->file.file, ip - map->start + map->pgoff, addr);
}

/* What the file itself tells. */
static u32 name_by_file(struct lw_symbolizer *symbolizer, struct dso *dso,
			const struct lw_user_address *address, struct lw_place *places, u32 room)
{
	struct lw_place self = { .dso = dso->path };
	struct lw_code_name *name;
	u32 nr = 0;

	if (is_usable(symbolizer, dso, address) &&
	    find_address(dso, address->map, address->ip, &self.address)) {
		name = lw_code_names_find(&dso->file.names, self.address);
		self.function = name ? text_of(symbolizer, name) : NULL;
		self.offset = name ? self.address - name->start : 0;
		if (!name && !dso->debug_only)
			name_by_start(dso, &self);
		if (symbolizer->options.inlined)
			nr = add_inlined(symbolizer, dso, &self, places, room);
	}
	if (!nr)
		places[nr++] = self;
	return nr;
}

/* A symbol is worth more than a line of source. */
static u32 worth_of(const struct lw_symbolizer *symbolizer, const struct lw_place *places, u32 nr)
{
	const struct lw_place *self = &places[nr - 1];

	return (lw_place_symbol(self) ? 4 : 0) + (self->function ? 2 : 0) +
	       (self->line || !symbolizer->options.inlined);
}

/* Inlined calls and lines are saved, whoever asks. */
static u32 name_by_saved(const struct lw_symbolizer *symbolizer, const struct dso *dso,
			 const struct lw_user_address *address, struct lw_place *places, u32 room)
{
	bool demangle = !symbolizer->options.no_demangle;
	struct lw_place all[LW_MAX_PLACES];
	u32 nr = lw_saved_names_find(symbolizer->saved, dso->saved_file, address->map,
				     address->ip, demangle, all, LW_MAX_PLACES);

	if (nr && symbolizer->options.inlined && nr <= room) {
		memcpy(places, all, nr * sizeof(*all));
		return nr;
	}
	if (!nr)
		return 0;
	places[0] = all[nr - 1];
	places[0].file = NULL;
	places[0].line = 0;
	return 1;
}

/* The recording's own names are taken where the file, if it is there, would tell no more. */
static u32 name_in_file(struct lw_symbolizer *symbolizer, struct dso *dso,
			const struct lw_user_address *address, struct lw_place *places, u32 room)
{
	u32 nr = dso->saved_file == LW_SAVED_NO_FILE ? 0 :
		 name_by_saved(symbolizer, dso, address, places, room);
	struct lw_place others[LW_MAX_PLACES];
	u32 nr_others;

	if (!nr)
		return name_by_file(symbolizer, dso, address, places, room);
	if (worth_of(symbolizer, places, nr) == 7)
		return nr;
	nr_others = name_by_file(symbolizer, dso, address, others, room < LW_MAX_PLACES ?
				 room : LW_MAX_PLACES);
	if (worth_of(symbolizer, others, nr_others) <= worth_of(symbolizer, places, nr))
		return nr;
	memcpy(places, others, nr_others * sizeof(*others));
	return nr_others;
}

static u32 name_user(struct lw_symbolizer *symbolizer, const struct lw_user_address *address,
		     struct lw_place *places, u32 room)
{
	struct dso *dso;

	if (name_made(symbolizer, address, &places[0]))
		return 1;
	places[0] = (struct lw_place){ .dso = "[unknown]" };
	dso = address->map ? get_dso(symbolizer, address->map) : NULL;
	return dso ? name_in_file(symbolizer, dso, address, places, room) : 1;
}

/* Without memory for more there are fewer names: those that there are stay right. */
static void save(const struct lw_symbolizer *symbolizer, const struct lw_user_address *address,
		 const struct lw_place *places, u32 nr)
{
	const struct lw_place *self = &places[nr - 1];

	if (lw_map_is_made(address->map))
		lw_saved_names_add_made(symbolizer->options.save, address,
					self->function ? self : NULL);
	else if (address->map && (nr > 1 || self->function || self->line))
		lw_saved_names_add(symbolizer->options.save, address->map, address->ip, places, nr);
}

/**
 * lw_symbolize_user - name a user address
 * @symbolizer: it
 * @address: see lw_process_maps_locate()
 * @places: out: calls that are inlined at it, if they were asked for, the innermost
 *	first, and the function last; good until the next call
 * @room: how many fit, at least 1, LW_MAX_PLACES are always enough
 *
 * Return: how many, at least 1.
 */
u32 lw_symbolize_user(struct lw_symbolizer *symbolizer, const struct lw_user_address *address,
		      struct lw_place *places, u32 room)
{
	u32 nr = name_user(symbolizer, address, places, room);

	if (symbolizer->options.save)
		save(symbolizer, address, places, nr);
	return nr;
}

/**
 * lw_symbolizer_take_saved - take the names that a recording brings along
 * @symbolizer: new
 * @text: see lw_saved_names_parse()
 * @size: bytes of it
 *
 * Return: 0 or -ENOMEM.
 */
int lw_symbolizer_take_saved(struct lw_symbolizer *symbolizer, const char *text, size_t size)
{
	symbolizer->saved = lw_saved_names_new();
	return symbolizer->saved ? lw_saved_names_parse(symbolizer->saved, text, size) : -ENOMEM;
}

/**
 * lw_symbolizer_file - the file behind a mapping, with its code
 * @symbolizer: it
 * @pid: process
 * @map: of the process
 *
 * Return: it, good until lw_symbolizer_trim() or lw_symbolizer_free(); NULL: there is none, or
 * only its debug file.
 */
struct lw_symbol_file *lw_symbolizer_file(struct lw_symbolizer *symbolizer, u32 pid,
					  const struct lw_map *map)
{
	const struct lw_user_address address = { .pid = pid, .map = map };
	struct dso *dso = get_dso(symbolizer, map);

	return dso && is_usable(symbolizer, dso, &address) && !dso->debug_only ? &dso->file : NULL;
}

/* --- the kernel */

static bool runs_here(const struct lw_recorded_kernel *kernel)
{
	u8 notes[MAX_NOTES], id[LW_BUILD_ID_MAX];
	FILE *file = fopen("/sys/kernel/notes", "re");
	size_t size = file ? fread(notes, 1, sizeof(notes), file) : 0;
	int len = lw_notes_build_id(notes, size, id);
	struct utsname uts;

	if (file)
		fclose(file);
	if (kernel->build_id_len && len > 0)
		return len == (int)kernel->build_id_len && !memcmp(id, kernel->build_id, len);
	return kernel->release && !uname(&uts) && !strcmp(uts.release, kernel->release);
}

/* perf keeps a copy of what it has recorded. */
static bool find_saved(const struct lw_recorded_kernel *kernel, char *path, size_t size)
{
	return lw_perf_cache_path(path, size, kernel->build_id, kernel->build_id_len,
				  "/kallsyms") && !access(path, R_OK);
}

/**
 * lw_symbolizer_set_kernel - say which kernel was recorded, for its names
 * @symbolizer: it
 * @kernel: what is known of it
 *
 * The names saved with the recording are taken; else those of the running kernel, if the
 * recording is of it, or a copy that perf keeps.
 * A kernel that was loaded elsewhere meanwhile is told by one symbol's address.
 */
void lw_symbolizer_set_kernel(struct lw_symbolizer *symbolizer,
			      const struct lw_recorded_kernel *kernel)
{
	char saved[PATH_ROOM];
	u64 at;

	lw_kernel_symbols_free(&symbolizer->kernel);
	symbolizer->kernel_shift = 0;
	lw_kernel_symbols_take(&symbolizer->kernel, &symbolizer->ksymbols, kernel->names,
			       kernel->names_size);
	if (symbolizer->kernel.names.nr)
		return;
	if (runs_here(kernel)) {
		at = lw_kernel_symbols_load(&symbolizer->kernel, "/proc/kallsyms", kernel->symbol);
	} else if (find_saved(kernel, saved, sizeof(saved))) {
		at = lw_kernel_symbols_load(&symbolizer->kernel, saved, kernel->symbol);
	} else {
		add_problem(symbolizer, "the kernel that was recorded, %s, does not run here",
			    kernel->release ? kernel->release : "of an unknown version");
		return;
	}
	if (!symbolizer->kernel.names.nr)
		add_problem(symbolizer, "/proc/kallsyms shows no addresses: read it as root");
	if (at && kernel->address)
		symbolizer->kernel_shift = kernel->address - at;
}

/**
 * lw_symbolizer_set_running_kernel - say that what is recorded is the kernel that runs
 * @symbolizer: it
 *
 * Reading /proc/kallsyms takes long enough for a ring to fill.
 */
void lw_symbolizer_set_running_kernel(struct lw_symbolizer *symbolizer)
{
	struct utsname uts;
	struct lw_recorded_kernel kernel = {
		.release = uname(&uts) ? NULL : uts.release,
	};

	lw_symbolizer_set_kernel(symbolizer, &kernel);
}

/**
 * lw_symbolizer_ksymbol - take a KSYMBOL record
 * @symbolizer: it
 * @record: the record
 * @size: bytes of it without a trailer
 * @time: of it; records come in its order
 *
 * Return: 0 or -ENOMEM.
 */
int lw_symbolizer_ksymbol(struct lw_symbolizer *symbolizer,
			  const struct perf_event_header *record, size_t size, u64 time)
{
	return lw_kernel_jit_symbols_record(&symbolizer->ksymbols, record, size, time);
}

/**
 * lw_symbolize_kernel - name a kernel address
 * @symbolizer: it
 * @time: of its sample
 * @ip: address; of a return address the caller takes one off
 * @place: out: good until the next call
 */
void lw_symbolize_kernel(struct lw_symbolizer *symbolizer, u64 time, u64 ip,
			 struct lw_place *place)
{
	struct lw_kernel_jit_symbol *made = lw_kernel_jit_symbols_find(&symbolizer->ksymbols, time,
								       ip);
	struct lw_code_name *name;

	memset(place, 0, sizeof(*place));
	place->dso = LW_KERNEL_DSO;
	place->address = ip;
	if (made) {
		place->dso = made->dso ? made->dso : made->code.text;
		/* of a module it may be all that is known */
		if (!made->code.text[0])
			return;
		place->function = text_of(symbolizer, &made->code);
		place->offset = ip - made->code.start;
		return;
	}
	name = lw_kernel_symbols_find(&symbolizer->kernel, ip - symbolizer->kernel_shift,
				      &place->dso);
	if (!name)
		return;
	place->function = text_of(symbolizer, name);
	place->offset = ip - symbolizer->kernel_shift - name->start;
}

/**
 * lw_symbolize_caller - name a kernel address that another one is above of
 * @symbolizer: it
 * @time: of its sample
 * @ip: where a call returns to, or what was interrupted: nothing says which
 * @place: out: good until the next call
 *
 * Return: whether it is taken for a return address: @place is that of what is before it.
 */
bool lw_symbolize_caller(struct lw_symbolizer *symbolizer, u64 time, u64 ip,
			 struct lw_place *place)
{
	lw_symbolize_kernel(symbolizer, time, ip - 1, place);
	if (!lw_is_padding(place->function))
		return true;
	lw_symbolize_kernel(symbolizer, time, ip, place);
	return false;
}

static void free_inlined(struct dso *dso)
{
	struct lw_hash_node **at, *after;
	struct inlined *found;

	if (!dso->inlined)
		return;
	lw_hash_for_all_safe(found, after, at, dso->inlined->slots, node) {
		for (u32 i = 0; i < found->nr; i++)
			free((char *)found->places[i].function);
		free(found);
	}
	free(dso->inlined);
}

static void free_dso(struct dso *dso)
{
	lw_hash_del(&dso->node);
	free_inlined(dso);
	lw_unnamed_code_free(dso->unnamed);
	lw_symbol_file_close(&dso->file);
	free(dso->found);
	free(dso->path);
	free(dso);
}

static void free_problems(struct lw_symbolizer *symbolizer)
{
	for (size_t i = 0; i < symbolizer->nr_problems; i++)
		free(symbolizer->problems[i]);
	symbolizer->nr_problems = 0;
}

/**
 * lw_symbolizer_trim - forget what was not used since the last call
 * @symbolizer: places that it named are no longer good
 * @time: CLOCK_MONOTONIC nanoseconds; nobody asks of kernel code before it any more
 *
 * For who goes on for days: files are closed, and opened anew when they are needed;
 * what was wrong with them is forgotten, too.
 */
void lw_symbolizer_trim(struct lw_symbolizer *symbolizer, u64 time)
{
	struct lw_hash_node **at, *after;
	struct dso *dso;

	lw_hash_for_all_safe(dso, after, at, symbolizer->dsos, node) {
		if (!dso->used)
			free_dso(dso);
		else
			dso->used = false;
	}
	free_problems(symbolizer);
	lw_jit_names_trim(symbolizer->jit_names);
	lw_kernel_jit_symbols_forget(&symbolizer->ksymbols, time);
}

/**
 * lw_symbolizer_free - forget all
 * @symbolizer: it, or NULL
 */
void lw_symbolizer_free(struct lw_symbolizer *symbolizer)
{
	struct lw_hash_node **at, *after;
	struct dso *dso;

	if (!symbolizer)
		return;
	lw_hash_for_all_safe(dso, after, at, symbolizer->dsos, node)
		free_dso(dso);
	free_problems(symbolizer);
	free(symbolizer->problems);
	lw_kernel_symbols_free(&symbolizer->kernel);
	lw_kernel_jit_symbols_free(&symbolizer->ksymbols);
	lw_jit_names_free(symbolizer->jit_names);
	lw_saved_names_free(symbolizer->saved);
	if (symbolizer->root >= 0)
		close(symbolizer->root);
	free(symbolizer);
}
