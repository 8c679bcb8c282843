/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_range.h - where the kernel's own code is.
 */
#ifndef LW_KERNEL_RANGE_H
#define LW_KERNEL_RANGE_H

#include "base/util.h"

/* Addresses of the symbols of these names; 0: not met.  Code for booting is in it, too. */
struct lw_kernel_range {
	u64 text, stext, etext, einittext;
};

struct lw_kallsyms_line;

void lw_kernel_range_take(struct lw_kernel_range *range, const struct lw_kallsyms_line *line);
bool lw_kernel_range_is_known(const struct lw_kernel_range *range);
bool lw_kernel_range_has(const struct lw_kernel_range *range, u64 ip);

#endif /* LW_KERNEL_RANGE_H */
