/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel_modules.h - kernel modules while a recording runs, and the names of their code.
 */
#ifndef LW_KERNEL_MODULES_H
#define LW_KERNEL_MODULES_H

#include <stdio.h>

#include "base/util.h"
#include "symbols/kernel_range.h"
#include "latewind.h"

struct lw_kernel_modules;

struct lw_kernel_modules *lw_kernel_modules_new(const char *kallsyms, const char *modules);
void lw_kernel_modules_free(struct lw_kernel_modules *modules);
void lw_kernel_modules_begin(struct lw_kernel_modules *modules);
const struct lw_kernel_range *lw_kernel_modules_range(const struct lw_kernel_modules *modules);
const char *lw_kernel_modules_own(const struct lw_kernel_modules *modules, size_t *size);
const char *lw_kernel_modules_text(const struct lw_kernel_modules *modules, size_t *size);
int lw_kernel_modules_record(struct lw_kernel_modules *modules, const struct lw_module *record);
void lw_kernel_modules_read_names(struct lw_kernel_modules *modules);
bool lw_kernel_modules_have(const struct lw_kernel_modules *modules, u64 ip);
void lw_kernel_modules_write(const struct lw_kernel_modules *modules, const u64 *ips, size_t nr,
			     FILE *to);

#endif /* LW_KERNEL_MODULES_H */
