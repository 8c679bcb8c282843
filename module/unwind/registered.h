/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registered.h - sections for code that processes make: registered by themselves, or by sessions.
 */
#ifndef LW_REGISTERED_H
#define LW_REGISTERED_H

#include <linux/types.h>

struct lw_code;
struct lw_rows;
struct lw_section;

long lw_registry_add(const struct lw_section *section);
long lw_registry_remove(const struct lw_section *section);
long lw_registry_add_code(const void *owner, struct lw_code *code);
bool lw_registry_release(const void *owner);
u64 lw_registry_changes(void);
struct lw_rows *lw_registry_find(u64 pc, u64 *start, u64 *end);
void lw_registry_exit(void);

#endif /* LW_REGISTERED_H */
