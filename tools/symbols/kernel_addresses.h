/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_addresses.h - the kernel's code that was met, and its names.
 */
#ifndef LW_KERNEL_ADDRESSES_H
#define LW_KERNEL_ADDRESSES_H

#include <stdio.h>

#include "symbols/kernel_modules.h"

struct lw_kernel_seen;

struct lw_kernel_seen *lw_kernel_seen_new(void);
void lw_kernel_seen_free(struct lw_kernel_seen *seen);
int lw_kernel_seen_chain(struct lw_kernel_seen *seen, const u64 *ips, u32 nr);
void lw_kernel_seen_write(const struct lw_kernel_seen *seen, const char *path,
			  const struct lw_kernel_modules *modules, FILE *to);

#endif /* LW_KERNEL_ADDRESSES_H */
