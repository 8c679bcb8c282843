/* SPDX-License-Identifier: GPL-2.0 */
/*
 * live_symbols.h - from addresses to names.
 */
#ifndef LW_LIVE_SYMBOLS_H
#define LW_LIVE_SYMBOLS_H

#include "symbols/process_maps.h"

struct lw_symbol {
	const char *name;	/* NULL: not known */
	u64 offset;		/* of the address in it */
	const char *dso;	/* never NULL */
};

struct lw_live_symbols;

struct lw_live_symbols *lw_live_symbols_new(void);
void lw_live_symbols_free(struct lw_live_symbols *symbols);
void lw_live_symbols_load_kernel(struct lw_live_symbols *symbols);
void lw_live_symbols_user(struct lw_live_symbols *symbols, u32 pid, u64 began,
			  const struct lw_map *map,
			  u64 ip, struct lw_symbol *out);
void lw_live_symbols_kernel(struct lw_live_symbols *symbols, u64 ip, struct lw_symbol *out);

#endif /* LW_LIVE_SYMBOLS_H */
