/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_symbols.h - names of the kernel's code.
 */
#ifndef LW_KERNEL_SYMBOLS_H
#define LW_KERNEL_SYMBOLS_H

#include "symbols/kallsyms.h"
#include "symbols/kernel_jit_symbols.h"

/* The DSO of the kernel's own functions. */
#define LW_KERNEL_DSO	"[kernel.kallsyms]"

/* Addresses that are to have names: no others are kept. */
struct lw_wanted_ips {
	const u64 *ips;			/* by address */
	u64 *nearest;			/* start of the name that is nearest yet, of each */
	size_t nr;
};

struct lw_kernel_symbols {
	struct lw_code_names names;
	char (*modules)[LW_MODULE_NAME];	/* what a name's module is */
	size_t nr_modules, module_room;
	struct lw_wanted_ips *wanted;		/* NULL: all are */
	struct lw_kernel_jit_symbols *made;	/* where those that have a time go, or NULL */
};

u64 lw_kernel_symbols_load(struct lw_kernel_symbols *kernel, const char *path,
			   const char *symbol);
void lw_kernel_symbols_take_for(struct lw_kernel_symbols *kernel, const char *text, size_t size,
				const u64 *ips, size_t nr);
void lw_kernel_symbols_take(struct lw_kernel_symbols *kernel, struct lw_kernel_jit_symbols *made,
			    const char *text, size_t size);
struct lw_code_name *lw_kernel_symbols_find(const struct lw_kernel_symbols *kernel, u64 ip,
					    const char **module);
void lw_kernel_symbols_free(struct lw_kernel_symbols *kernel);

#endif /* LW_KERNEL_SYMBOLS_H */
