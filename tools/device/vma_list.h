/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vma_list.h - all mappings of a process, many at a call.
 */
#ifndef LW_VMA_LIST_H
#define LW_VMA_LIST_H

#include <sys/types.h>

#include "base/util.h"
#include "latewind.h"

struct lw_vma_lister;

/* @name is never NULL, and empty if there is none.  Anything but 0 ends it. */
typedef int (*lw_vma_entry_fn)(void *ctx, const struct lw_vma_entry *entry, const char *name);

struct lw_vma_lister *lw_vma_lister_new(void);
void lw_vma_lister_free(struct lw_vma_lister *lister);
int lw_vma_lister_each(struct lw_vma_lister *lister, pid_t pid, u32 flags, lw_vma_entry_fn fn,
		       void *ctx);

#endif /* LW_VMA_LIST_H */
