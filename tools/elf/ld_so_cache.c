// SPDX-License-Identifier: GPL-2.0
/*
 * ld_so_cache.c - reads /etc/ld.so.cache, in its form since glibc 2.2.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/ld_so_cache.h"

#define CACHE_FILE	"/etc/ld.so.cache"
#define CACHE_MAGIC	"glibc-ld.so.cache1.1"
/* Of an entry's flags: which machine; and this one (sysdeps/generic/ldconfig.h of glibc). */
#define MACHINE_MASK	0xff00
#if defined(__aarch64__)
#define MACHINE_OURS	0x0a00
#else
#define MACHINE_OURS	0x0300
#endif

struct header {
	char magic[20];
	u32 nr;
	u32 strings_size;
	u32 unused[5];
};

/* Names and paths are at offsets from the start of the header. */
struct entry {
	u32 flags;
	u32 name;
	u32 path;
	u32 os_version;
	u64 capabilities;
};

/**
 * lw_ld_so_cache_open - read the cache
 * @cache: out
 *
 * Return: 0, or -errno where there is none that we can read: nothing is found then.
 */
int lw_ld_so_cache_open(struct lw_ld_so_cache *cache)
{
	memset(cache, 0, sizeof(*cache));
	cache->data = (u8 *)lw_read_text(CACHE_FILE, &cache->size);
	if (!cache->data)
		return -errno;
	if (cache->size >= sizeof(struct header) &&
	    !memcmp(cache->data, CACHE_MAGIC, sizeof(((struct header *)0)->magic)))
		return 0;
	lw_ld_so_cache_close(cache);
	return -EINVAL;
}

static const char *string_at(const struct lw_ld_so_cache *cache, u32 offset)
{
	if (offset >= cache->size || !memchr(cache->data + offset, 0, cache->size - offset))
		return NULL;
	return (const char *)cache->data + offset;
}

/**
 * lw_ld_so_cache_find - where a library is
 * @cache: opened, with success or not
 * @name: as in DT_NEEDED
 * @fn: called with each path; there are several for machines of other capabilities
 * @ctx: for @fn
 *
 * Return: how many were found.
 */
u32 lw_ld_so_cache_find(const struct lw_ld_so_cache *cache, const char *name,
			lw_library_fn fn, void *ctx)
{
	const struct header *header = (const void *)cache->data;
	size_t room = cache->size / sizeof(struct entry);
	u32 found = 0;

	for (u32 i = 0; header && i < header->nr && i < room; i++) {
		const char *this, *path;
		struct entry entry;
		size_t at = sizeof(*header) + i * sizeof(entry);

		if (at + sizeof(entry) > cache->size)
			break;
		memcpy(&entry, cache->data + at, sizeof(entry));
		this = string_at(cache, entry.name);
		path = string_at(cache, entry.path);
		if (!this || !path || (entry.flags & MACHINE_MASK) != MACHINE_OURS ||
		    strcmp(this, name))
			continue;
		fn(ctx, path);
		found++;
	}
	return found;
}

/**
 * lw_ld_so_cache_close - free it
 * @cache: opened, with success or not
 */
void lw_ld_so_cache_close(struct lw_ld_so_cache *cache)
{
	free((void *)cache->data);
	memset(cache, 0, sizeof(*cache));
}
