/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_jit_symbols.h - kernel code that came and went while it was recorded.
 */
#ifndef LW_KERNEL_JIT_SYMBOLS_H
#define LW_KERNEL_JIT_SYMBOLS_H

#include <linux/perf_event.h>

#include "symbols/code_names.h"

struct lw_kernel_jit_symbol {
	struct lw_code_name code;
	u64 began;		/* CLOCK_MONOTONIC nanoseconds; 0: was there before */
	u64 ended;		/* ~0: still there */
	char *dso;		/* NULL: it is its own */
};

struct lw_kernel_jit_symbols {
	struct lw_kernel_jit_symbol *symbols;	/* by start, then by time */
	size_t nr, room;
};

int lw_kernel_jit_symbols_record(struct lw_kernel_jit_symbols *table,
				 const struct perf_event_header *record,
				 size_t size, u64 time);
int lw_kernel_jit_symbols_add(struct lw_kernel_jit_symbols *table,
			      const struct lw_kernel_jit_symbol *symbol);
void lw_kernel_jit_symbols_sort(struct lw_kernel_jit_symbols *table);
struct lw_kernel_jit_symbol *lw_kernel_jit_symbols_find(struct lw_kernel_jit_symbols *table,
							u64 time, u64 ip);
void lw_kernel_jit_symbols_forget(struct lw_kernel_jit_symbols *table, u64 time);
void lw_kernel_jit_symbols_free(struct lw_kernel_jit_symbols *table);

#endif /* LW_KERNEL_JIT_SYMBOLS_H */
