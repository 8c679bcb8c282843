/* SPDX-License-Identifier: GPL-2.0 */
/*
 * children.h - processes, and those that they start.
 */
#ifndef LW_CHILDREN_H
#define LW_CHILDREN_H

#include <linux/types.h>

struct lw_children;
struct pid;

void lw_children_init(void);
void lw_children_exit(void);
struct lw_children *lw_children_make(void);
void lw_children_free(struct lw_children *children);
int lw_children_add(struct lw_children *children, struct pid *pid);
bool lw_children_has(struct lw_children *children, const struct pid *pid);
u64 lw_children_missing(struct lw_children *children);

#endif /* LW_CHILDREN_H */
