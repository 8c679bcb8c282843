/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_jit_symbols.h - kernel code that came and went while it was recorded.
 */
#ifndef LW_KERNEL_JIT_SYMBOLS_H
#define LW_KERNEL_JIT_SYMBOLS_H

#include <linux/perf_event.h>

#include "symbols/code_names.h"

struct lw_ksymbol {
	struct lw_code_name code;
	u64 began;		/* CLOCK_MONOTONIC nanoseconds; 0: was there before */
	u64 ended;		/* ~0: still there */
	char *dso;		/* NULL: it is its own */
};

struct lw_ksymbols {
	struct lw_ksymbol *symbols;	/* by start, then by time */
	size_t nr, room;
};

int lw_ksymbols_record(struct lw_ksymbols *table, const struct perf_event_header *record,
		       size_t size, u64 time);
int lw_ksymbols_add(struct lw_ksymbols *table, const struct lw_ksymbol *symbol);
void lw_ksymbols_sort(struct lw_ksymbols *table);
struct lw_ksymbol *lw_ksymbols_find(struct lw_ksymbols *table, u64 time, u64 ip);
void lw_ksymbols_forget(struct lw_ksymbols *table, u64 time);
void lw_ksymbols_free(struct lw_ksymbols *table);

#endif /* LW_KERNEL_JIT_SYMBOLS_H */
