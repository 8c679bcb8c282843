/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_symbols.h - names of the kernel's code.
 */
#ifndef LW_KERNEL_SYMBOLS_H
#define LW_KERNEL_SYMBOLS_H

#include "code_names.h"

#define LW_MODULE_NAME	64

struct lw_kernel_symbols {
	struct lw_code_names names;
	char (*modules)[LW_MODULE_NAME];	/* what a name's module is */
	size_t nr_modules, module_room;
};

u64 lw_kernel_symbols_load(struct lw_kernel_symbols *kernel, const char *path,
			   const char *symbol);
struct lw_code_name *lw_kernel_symbols_find(const struct lw_kernel_symbols *kernel, u64 ip,
					    const char **module);
void lw_kernel_symbols_free(struct lw_kernel_symbols *kernel);

#endif /* LW_KERNEL_SYMBOLS_H */
