/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_addresses.h - the kernel's code that was met, and its names.
 */
#ifndef LW_KERNEL_ADDRESSES_H
#define LW_KERNEL_ADDRESSES_H

#include <stdio.h>

#include "symbols/kernel_modules.h"

struct lw_kernel_addresses;

struct lw_kernel_addresses *lw_kernel_addresses_new(void);
void lw_kernel_addresses_free(struct lw_kernel_addresses *seen);
int lw_kernel_addresses_chain(struct lw_kernel_addresses *seen, const u64 *ips, u32 nr);
void lw_kernel_addresses_write(const struct lw_kernel_addresses *seen, const char *path,
			       const struct lw_kernel_modules *modules, FILE *to);

#endif /* LW_KERNEL_ADDRESSES_H */
