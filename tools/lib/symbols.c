// SPDX-License-Identifier: GPL-2.0
/*
 * symbols.c - from addresses to names.
 *
 * libdwfl finds the symbol tables of a file (its own, its separate debug file,
 * its compressed mini tables); they are copied once into a sorted array, as
 * libdwfl's own look-up goes through the whole table each time.  Files are kept
 * by path and build ID.  The kernel's names come from /proc/kallsyms, those of code
 * that is in no file from what the process says (perf_map.c).
 *
 * Contexts: one thread.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_file.h"
#include "perf_map.h"
#include "symbols.h"

#define HASH_SIZE	1024
#define MODULE_NAME	64
/* Bytes of a section for each that the file has on disk, where that may be compressed. */
#define MAX_PACKED	16
#define MIN_NAMES	(1U << 16)

struct name {
	u64 start;
	u64 size;		/* 0: up to the next */
	char *text;
	u32 rank;		/* of several at one address the least is taken */
	u32 module;		/* kernel: index of its module */
};

struct table {
	struct name *names;
	size_t nr, room;
};

struct dso {
	struct dso *next;
	char *path;
	u8 build_id[LW_BUILD_ID_MAX];
	u8 build_id_len;
	struct lw_elf file;	/* open when names were found */
	bool usable;
	struct table table;
};

struct lw_symbols {
	struct dso *dsos[HASH_SIZE];
	struct table kernel;
	struct lw_perf_maps *perf_maps;
	char (*modules)[MODULE_NAME];
	size_t nr_modules, module_room;
	bool kernel_read;
};

/**
 * lw_symbols_new - an empty cache
 *
 * Return: the cache or NULL.
 */
struct lw_symbols *lw_symbols_new(void)
{
	struct lw_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->perf_maps = lw_perf_maps_new();
	if (!symbols->perf_maps) {
		free(symbols);
		return NULL;
	}
	return symbols;
}

static int add_name(struct table *table, u64 start, u64 size, const char *text, u32 rank,
		    u32 module)
{
	struct name *name;

	if (lw_grow((void **)&table->names, &table->room, table->nr + 1, sizeof(*name)))
		return -ENOMEM;
	name = &table->names[table->nr];
	name->start = start;
	name->size = size;
	name->rank = rank;
	name->module = module;
	name->text = strdup(text);
	if (!name->text)
		return -ENOMEM;
	table->nr++;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct name *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return strcmp(left->text, right->text);
}

static void sort_table(struct table *table)
{
	size_t kept = 0;

	if (!table->nr)
		return;
	qsort(table->names, table->nr, sizeof(*table->names), by_start);
	for (size_t i = 0; i < table->nr; i++) {
		if (kept && table->names[kept - 1].start == table->names[i].start)
			free(table->names[i].text);
		else
			table->names[kept++] = table->names[i];
	}
	table->nr = kept;
}

static const struct name *find_name(const struct table *table, u64 addr)
{
	size_t low = 0, high = table->nr;
	const struct name *name;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->names[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	name = &table->names[low - 1];
	return name->size && addr - name->start >= name->size ? NULL : name;
}

static void free_table(struct table *table)
{
	for (size_t i = 0; i < table->nr; i++)
		free(table->names[i].text);
	free(table->names);
}

/* Sized functions first, then global before local, then the shorter name. */
static u32 rank_of(const GElf_Sym *sym, const char *text)
{
	u32 rank = strlen(text);

	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE || !sym->st_size)
		rank += 1U << 18;
	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		rank += 1U << 17;
	if (text[0] == '_')
		rank += 1U << 16;
	return rank;
}

static bool is_code(const GElf_Sym *sym, GElf_Word shndx, const char *text)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (!text || !text[0] || shndx == SHN_UNDEF || shndx == SHN_ABS)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static void read_names(struct table *table, Dwfl_Module *module)
{
	int nr = dwfl_module_getsymtab(module);

	for (int i = 1; i < nr; i++) {
		GElf_Word shndx = SHN_UNDEF;
		GElf_Addr addr = 0;
		const char *text;
		GElf_Sym sym;

		text = dwfl_module_getsym_info(module, i, &sym, &addr, &shndx, NULL, NULL);
		if (!text || !is_code(&sym, shndx, text))
			continue;
		if (add_name(table, addr, sym.st_size, text, rank_of(&sym, text), 0))
			break;
	}
	sort_table(table);
}

/* Left to itself libdwfl maps files, and what is cut while it is read is a SIGBUS. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **path, Elf **elf)
{
	struct dso *dso = *userdata;

	(void)module, (void)name, (void)base;
	*path = strdup(dso->path);
	*elf = *path ? elf_begin(dso->file.fd, ELF_C_READ, NULL) : NULL;
	return -1;		/* the file stays ours */
}

/* Nobody else may write to it, or say what is in it. */
static bool is_trusted(const struct lw_elf *file)
{
	struct stat st;

	return !fstat(file->fd, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       !(st.st_mode & 0022);
}

/*
 * libdwfl opens, reads and maps what is at the names that it makes of the file's own and
 * the link in it: these are the user's to choose.  A build ID leads to system directories.
 */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
			  Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
			  char **debug_path)
{
	const struct dso *dso = *userdata;

	if (is_trusted(&dso->file))
		return dwfl_standard_find_debuginfo(module, userdata, name, base, path, link,
						    crc, debug_path);
	return dwfl_build_id_find_debuginfo(module, userdata, name, base, path, link, crc,
					    debug_path);
}

/* Unpacking has no limit: that of strangers is left alone. */
static bool is_packed(const struct lw_elf *file, const GElf_Shdr *shdr)
{
	const char *name;
	size_t names;

	if (shdr->sh_flags & SHF_COMPRESSED)
		return true;
	name = elf_getshdrstrndx(file->elf, &names) ? NULL :
	       elf_strptr(file->elf, names, shdr->sh_name);
	return name && !strcmp(name, ".gnu_debugdata");
}

/* A file may be sparse, and tell of more names than there is memory. */
static bool has_plausible_tables(const struct lw_elf *file)
{
	bool trusted = is_trusted(file);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	struct stat st;
	u64 most;

	if (fstat(file->fd, &st))
		return false;
	/* some file systems do not tell what a file takes */
	most = !st.st_blocks && trusted ? (u64)st.st_size : (u64)st.st_blocks * 512;
	most = (most + MIN_NAMES) * MAX_PACKED;
	while ((scn = elf_nextscn(file->elf, scn))) {
		/* whatever its type: a table of symbols may link to any for its names */
		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_NOBITS && shdr.sh_size > most))
			return false;
	}
	while (!trusted && (scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && is_packed(file, &shdr))
			return false;
	}
	return true;
}

/* Return: false: nothing of it is in memory. */
static bool find_range(const struct lw_elf *file, u64 *start, u64 *end)
{
	GElf_Phdr phdr;
	bool found = false;

	for (size_t i = 0; i < file->nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		/* as libdwfl does, which takes the first for where the file begins */
		if (!found)
			*start = phdr.p_vaddr & -phdr.p_align;
		*end = phdr.p_vaddr + phdr.p_memsz;
		found = true;
	}
	return found && *start < *end;
}

static void report(Dwfl *dwfl, struct dso *dso)
{
	Dwfl_Module *module;
	u64 start = 0, end = 0;
	void **userdata;

	if (!find_range(&dso->file, &start, &end))
		return;
	dwfl_report_begin(dwfl);
	module = dwfl_report_module(dwfl, dso->path, start, end);
	if (!module || !dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		return;
	*userdata = dso;
	dwfl_report_end(dwfl, NULL, NULL);
	read_names(&dso->table, module);
}

static void load_names(struct dso *dso)
{
	static char *debug_path;

	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &debug_path,
	};
	Dwfl *dwfl = has_plausible_tables(&dso->file) ? dwfl_begin(&callbacks) : NULL;

	if (!dwfl)
		return;
	report(dwfl, dso);
	dwfl_end(dwfl);
}

/* libdwfl wants a file, the vdso is only in our memory. */
static int open_vdso(struct lw_elf *file)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	size_t page = sysconf(_SC_PAGESIZE), done = 0;
	char path[32];
	int fd, ret;

	if (!image)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* write() stops at the end of the mapping, wherever it is */
	while (done < 16 * page && write(fd, image + done, page) == (ssize_t)page)
		done += page;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = lw_elf_open(file, path);
	close(fd);
	return ret;
}

static bool same_build_id(const struct lw_elf *file, const struct lw_map *map)
{
	u8 id[LW_BUILD_ID_MAX];
	int len;

	if (!map->build_id_len)
		return true;
	len = lw_elf_build_id(file, id);
	return len == map->build_id_len && !memcmp(id, map->build_id, len);
}

static int try_open(struct lw_elf *file, const char *path, const struct lw_map *map)
{
	int ret = lw_elf_open(file, path);

	if (ret)
		return ret;
	if (same_build_id(file, map))
		return 0;
	lw_elf_close(file);
	return -ESTALE;
}

/* As the process sees it, then as we do, then by its mapping if it was deleted. */
static int open_mapped(struct lw_elf *file, u32 pid, const struct lw_map *map)
{
	char path[4096 + 64];
	int ret;

	if (!strcmp(map->path, "[vdso]"))
		return open_vdso(file);
	if (map->path[0] != '/' || map->path[1] == '/')
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, map->path);
	ret = try_open(file, path, map);
	if (ret)
		ret = try_open(file, map->path, map);
	if (ret) {
		snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid,
			 map->start, map->end);
		ret = try_open(file, path, map);
	}
	return ret;
}

static u32 hash_of(const struct lw_map *map)
{
	u64 hash = map->build_id_len;

	for (const char *c = map->path; *c; c++)
		hash = hash * 31 + (u8)*c;
	for (u32 i = 0; i < map->build_id_len; i++)
		hash = hash * 31 + map->build_id[i];
	return lw_hash64(hash) % HASH_SIZE;
}

static struct dso *get_dso(struct lw_symbols *symbols, u32 pid, const struct lw_map *map)
{
	struct dso **slot = &symbols->dsos[hash_of(map)], *dso;

	for (dso = *slot; dso; dso = dso->next) {
		if (!strcmp(dso->path, map->path) && dso->build_id_len == map->build_id_len &&
		    !memcmp(dso->build_id, map->build_id, LW_BUILD_ID_MAX))
			return dso;
	}
	dso = calloc(1, sizeof(*dso));
	if (!dso)
		return NULL;
	dso->path = strdup(map->path);
	if (!dso->path) {
		free(dso);
		return NULL;
	}
	memcpy(dso->build_id, map->build_id, LW_BUILD_ID_MAX);
	dso->build_id_len = map->build_id_len;
	dso->file.fd = -1;
	dso->usable = !open_mapped(&dso->file, pid, map);
	if (dso->usable)
		load_names(dso);
	dso->next = *slot;
	*slot = dso;
	return dso;
}

/* Memory without a file, or with one that only this process has. */
static bool is_made(const struct lw_map *map)
{
	static const char * const names[] = {
		"//anon", "/dev/zero", "/memfd:", "[heap]", "[stack", "/anon_hugepage", "[anon",
		"anon_inode:",
	};

	for (size_t i = 0; map && i < ARRAY_SIZE(names); i++) {
		if (!strncmp(map->path, names[i], strlen(names[i])))
			return true;
	}
	return !map;
}

/**
 * lw_symbols_user - name a user address
 * @symbols: the cache
 * @pid: its process, which may have ended
 * @began: when it began to run its program, see lw_procs_began()
 * @map: its mapping or NULL
 * @ip: address; of a return address the caller takes one off
 * @out: out: good until the next call
 */
void lw_symbols_user(struct lw_symbols *symbols, u32 pid, u64 began, const struct lw_map *map,
		     u64 ip, struct lw_symbol *out)
{
	const struct name *name;
	struct dso *dso;
	u64 addr;

	if (is_made(map)) {
		out->name = lw_perf_map_name(symbols->perf_maps, pid, began, ip, &out->offset,
					     &out->dso);
		if (out->name)
			return;
	}
	dso = map ? get_dso(symbols, pid, map) : NULL;
	out->name = NULL;
	out->offset = 0;
	out->dso = dso ? dso->path : "[unknown]";
	if (!dso || !dso->usable ||
	    lw_elf_offset_to_addr(&dso->file, ip - map->start + map->pgoff, &addr))
		return;
	name = find_name(&dso->table, addr);
	if (!name)
		return;
	out->name = name->text;
	out->offset = addr - name->start;
}

static u32 find_module(struct lw_symbols *symbols, const char *text)
{
	if (symbols->nr_modules && !strcmp(symbols->modules[symbols->nr_modules - 1], text))
		return symbols->nr_modules - 1;
	if (lw_grow((void **)&symbols->modules, &symbols->module_room, symbols->nr_modules + 1,
		    sizeof(*symbols->modules)))
		return 0;
	snprintf(symbols->modules[symbols->nr_modules], MODULE_NAME, "%s", text);
	return symbols->nr_modules++;
}

/* "addr type name" or "addr type name\t[module]"; there are some 200,000. */
static void take_kallsyms_line(struct lw_symbols *symbols, char *line)
{
	char *text, *module, type;
	u64 addr = strtoull(line, &text, 16);

	if (!addr || text[0] != ' ' || !text[1] || text[2] != ' ')
		return;
	type = text[1];
	text += 3;
	if (!strchr("tTwW", type))
		return;
	module = text + strcspn(text, "\t\n");
	if (*module == '\t')
		module[strcspn(module, "\n")] = 0;
	if (*module)
		*module++ = 0;
	add_name(&symbols->kernel, addr, 0, text, (type == 't' || type == 'w') * 2 +
		 (text[0] == '_'), find_module(symbols, *module ? module : "[kernel.kallsyms]"));
}

/**
 * lw_symbols_load_kernel - read the kernel's names now, not with the first one
 * @symbols: the cache
 *
 * It takes long enough for a ring to fill.
 */
void lw_symbols_load_kernel(struct lw_symbols *symbols)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t room = 0;

	symbols->kernel_read = true;
	if (!file)
		return;
	while (getline(&line, &room, file) > 0)
		take_kallsyms_line(symbols, line);
	free(line);
	fclose(file);
	sort_table(&symbols->kernel);
}

/**
 * lw_symbols_kernel - name a kernel address
 * @symbols: the cache
 * @ip: address; of a return address the caller takes one off
 * @out: out: good until lw_symbols_free()
 */
void lw_symbols_kernel(struct lw_symbols *symbols, u64 ip, struct lw_symbol *out)
{
	const struct name *name;

	if (!symbols->kernel_read)
		lw_symbols_load_kernel(symbols);
	out->name = NULL;
	out->offset = 0;
	out->dso = "[kernel.kallsyms]";
	name = find_name(&symbols->kernel, ip);
	if (!name)
		return;
	out->name = name->text;
	out->offset = ip - name->start;
	out->dso = symbols->modules[name->module];
}

/**
 * lw_symbols_free - free the cache
 * @symbols: the cache or NULL
 */
void lw_symbols_free(struct lw_symbols *symbols)
{
	if (!symbols)
		return;
	for (u32 i = 0; i < HASH_SIZE; i++) {
		while (symbols->dsos[i]) {
			struct dso *dso = symbols->dsos[i];

			symbols->dsos[i] = dso->next;
			lw_elf_close(&dso->file);
			free_table(&dso->table);
			free(dso->path);
			free(dso);
		}
	}
	free_table(&symbols->kernel);
	lw_perf_maps_free(symbols->perf_maps);
	free(symbols->modules);
	free(symbols);
}
