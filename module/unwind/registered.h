/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registered.h - sections that processes registered for code of their own.
 */
#ifndef LW_REGISTERED_H
#define LW_REGISTERED_H

#include <linux/types.h>

struct lw_rows;
struct lw_section;

long lw_registry_add(const struct lw_section *section);
long lw_registry_remove(const struct lw_section *section);
u64 lw_registry_changes(void);
struct lw_rows *lw_registry_find(u64 pc, u64 *start, u64 *end);
void lw_registry_exit(void);

#endif /* LW_REGISTERED_H */
