/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ld_so_cache.h - where ld.so finds a library.
 */
#ifndef LW_LD_SO_CACHE_H
#define LW_LD_SO_CACHE_H

#include "base/util.h"

struct lw_ld_so_cache {
	const u8 *data;			/* NULL: none */
	size_t size;
};

typedef void (*lw_library_fn)(void *ctx, const char *path);

int lw_ld_so_cache_open(struct lw_ld_so_cache *cache);
u32 lw_ld_so_cache_find(const struct lw_ld_so_cache *cache, const char *name,
			lw_library_fn fn, void *ctx);
void lw_ld_so_cache_close(struct lw_ld_so_cache *cache);

#endif /* LW_LD_SO_CACHE_H */
