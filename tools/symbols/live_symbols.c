// SPDX-License-Identifier: GPL-2.0
/*
 * live_symbols.c - from addresses to names.
 *
 * While they are recorded: processes are asked where their files are.  Files are kept
 * by path and build ID.  The kernel's names come from /proc/kallsyms, those of code
 * that is in no file from what the process says (jit_perf_map.c).
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/jit_perf_map.h"
#include "symbols/kernel_symbols.h"
#include "symbols/live_symbols.h"
#include "symbols/symbol_file.h"

#define HASH_SIZE	1024

struct dso {
	struct dso *next;
	char *path;
	u8 build_id[LW_BUILD_ID_MAX];
	u8 build_id_len;
	struct lw_symbol_file file;
	bool usable;			/* the file was found */
};

struct lw_live_symbols {
	struct dso *dsos[HASH_SIZE];
	struct lw_kernel_symbols kernel;
	struct lw_jit_perf_maps *perf_maps;
	bool kernel_read;
};

/**
 * lw_live_symbols_new - an empty cache
 *
 * Return: the cache or NULL.
 */
struct lw_live_symbols *lw_live_symbols_new(void)
{
	struct lw_live_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->perf_maps = lw_jit_perf_maps_new();
	if (!symbols->perf_maps) {
		free(symbols);
		return NULL;
	}
	return symbols;
}

static int try_open(struct lw_symbol_file *file, const char *path, const struct lw_map *map)
{
	return lw_symbol_file_open(file, path, map->build_id, map->build_id_len);
}

/* As the process sees it, then as we do, then by its mapping if it was deleted. */
static int open_mapped(struct lw_symbol_file *file, u32 pid, const struct lw_map *map)
{
	char path[4096 + 64];
	int ret;

	if (!strcmp(map->path, "[vdso]"))
		return lw_symbol_file_open_vdso(file);
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

static struct dso *get_dso(struct lw_live_symbols *symbols, u32 pid, const struct lw_map *map)
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
	dso->file.file.fd = -1;
	dso->usable = !open_mapped(&dso->file, pid, map);
	if (dso->usable)
		lw_symbol_file_load(&dso->file, dso->path);
	dso->next = *slot;
	*slot = dso;
	return dso;
}

/**
 * lw_live_symbols_user - name a user address
 * @symbols: the cache
 * @pid: its process, which may have ended
 * @began: when it began to run its program, see lw_process_maps_began()
 * @map: its mapping or NULL
 * @ip: address; of a return address the caller takes one off
 * @out: out: good until the next call
 */
void lw_live_symbols_user(struct lw_live_symbols *symbols, u32 pid, u64 began,
			  const struct lw_map *map,
			  u64 ip, struct lw_symbol *out)
{
	const struct lw_code_name *name;
	struct dso *dso;
	u64 addr;

	if (lw_map_is_made(map)) {
		out->name = lw_jit_perf_map_name(symbols->perf_maps, pid, began, ip, &out->offset,
						 &out->dso);
		if (out->name)
			return;
	}
	dso = map ? get_dso(symbols, pid, map) : NULL;
	out->name = NULL;
	out->offset = 0;
	out->dso = dso ? dso->path : "[unknown]";
	if (!dso || !dso->usable ||
	    lw_elf_offset_to_addr(&dso->file.file, ip - map->start + map->pgoff, &addr))
		return;
	name = lw_code_names_find(&dso->file.names, addr);
	if (!name)
		return;
	out->name = name->text;
	out->offset = addr - name->start;
}

/**
 * lw_live_symbols_load_kernel - read the kernel's names now, not with the first one
 * @symbols: the cache
 *
 * It takes long enough for a ring to fill.
 */
void lw_live_symbols_load_kernel(struct lw_live_symbols *symbols)
{
	symbols->kernel_read = true;
	lw_kernel_symbols_load(&symbols->kernel, "/proc/kallsyms", NULL);
}

/**
 * lw_live_symbols_kernel - name a kernel address
 * @symbols: the cache
 * @ip: address; of a return address the caller takes one off
 * @out: out: good until lw_live_symbols_free()
 */
void lw_live_symbols_kernel(struct lw_live_symbols *symbols, u64 ip, struct lw_symbol *out)
{
	const struct lw_code_name *name;

	if (!symbols->kernel_read)
		lw_live_symbols_load_kernel(symbols);
	out->name = NULL;
	out->offset = 0;
	out->dso = LW_KERNEL_DSO;
	name = lw_kernel_symbols_find(&symbols->kernel, ip, &out->dso);
	if (!name)
		return;
	out->name = name->text;
	out->offset = ip - name->start;
}

/**
 * lw_live_symbols_free - free the cache
 * @symbols: the cache or NULL
 */
void lw_live_symbols_free(struct lw_live_symbols *symbols)
{
	if (!symbols)
		return;
	for (u32 i = 0; i < HASH_SIZE; i++) {
		while (symbols->dsos[i]) {
			struct dso *dso = symbols->dsos[i];

			symbols->dsos[i] = dso->next;
			lw_symbol_file_close(&dso->file);
			free(dso->path);
			free(dso);
		}
	}
	lw_kernel_symbols_free(&symbols->kernel);
	lw_jit_perf_maps_free(symbols->perf_maps);
	free(symbols);
}
