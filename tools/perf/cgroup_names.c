// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup_names.c - the names of cgroups, by their ids.
 *
 * The kernel gives an id to one cgroup only, so the time of a sample does not matter.
 * Ids and names come from files that anyone can write: the hash has a random seed.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "perf/cgroup_names.h"

struct name {
	u64 id;
	const char *path;
};

struct lw_cgroup_names {
	u64 seed;
	struct lw_arena arena;
	struct lw_pool pool;
	struct lw_index index;
	char number[32];
};

/**
 * lw_cgroup_names_new - no names
 *
 * Return: them, for lw_cgroup_names_free(), or NULL.
 */
struct lw_cgroup_names *lw_cgroup_names_new(void)
{
	struct lw_cgroup_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	if (getrandom(&names->seed, sizeof(names->seed), GRND_NONBLOCK) < 0)
		names->seed = lw_now();
	names->pool.size = sizeof(struct name);
	return names;
}

/**
 * lw_cgroup_names_free - free all
 * @names: them, or NULL
 */
void lw_cgroup_names_free(struct lw_cgroup_names *names)
{
	if (!names)
		return;
	lw_index_free(&names->index);
	lw_pool_free(&names->pool);
	lw_arena_free(&names->arena);
	free(names);
}

static bool same(const void *owner, u32 number, const void *key)
{
	const struct lw_cgroup_names *names = owner;
	const struct name *name = lw_pool_at(&names->pool, number);

	return name->id == *(const u64 *)key;
}

static u64 hash_of(const struct lw_cgroup_names *names, u64 id)
{
	return lw_hash_bytes(names->seed, &id, sizeof(id));
}

static u32 find(const struct lw_cgroup_names *names, u64 hash, u64 id)
{
	return lw_index_find(&names->index, hash, same, names, &id);
}

/**
 * lw_cgroup_is_known - is there a path for a cgroup?
 * @names: those that are known
 * @id: of the cgroup
 *
 * Return: whether there is.
 */
bool lw_cgroup_is_known(const struct lw_cgroup_names *names, u64 id)
{
	return find(names, hash_of(names, id), id) != LW_INDEX_NONE;
}

/**
 * lw_cgroup_names_add - a cgroup's path is known
 * @names: gets it; one that is there stays
 * @id: any number
 * @path: is copied
 * @len: bytes of it at most; a NUL ends it, too
 *
 * Return: 0 or -ENOMEM.
 */
int lw_cgroup_names_add(struct lw_cgroup_names *names, u64 id, const char *path, size_t len)
{
	u64 hash = hash_of(names, id);
	struct name *name;
	char *copy;

	if (find(names, hash, id) != LW_INDEX_NONE)
		return 0;
	len = strnlen(path, len);
	copy = lw_arena_alloc(&names->arena, len + 1);
	if (!copy || names->pool.nr >= LW_INDEX_NONE || lw_index_reserve(&names->index))
		return -ENOMEM;
	name = lw_pool_add(&names->pool);
	if (!name)
		return -ENOMEM;
	memcpy(copy, path, len);
	copy[len] = 0;
	name->id = id;
	name->path = copy;
	lw_index_add(&names->index, hash, names->pool.nr - 1);
	return 0;
}

/**
 * lw_cgroup_name - what to call a cgroup
 * @names: those that are known
 * @id: of the cgroup, not 0
 *
 * Return: its path from the hierarchy's root on, or "[cgroup ID]"; the latter is good
 * until the next call.
 */
const char *lw_cgroup_name(struct lw_cgroup_names *names, u64 id)
{
	u32 number = find(names, hash_of(names, id), id);
	const struct name *name;

	if (number == LW_INDEX_NONE) {
		snprintf(names->number, sizeof(names->number), "[cgroup %llu]", id);
		return names->number;
	}
	name = lw_pool_at(&names->pool, number);
	return name->path;
}
