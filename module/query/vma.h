/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vma.h - what is mapped in a process.
 */
#ifndef LW_VMA_H
#define LW_VMA_H

#include "latewind.h"

#define LW_VMA_PERMISSIONS	(LW_VMA_READABLE | LW_VMA_WRITABLE | LW_VMA_EXECUTABLE | \
				 LW_VMA_SHARED)
#define LW_VMA_LIST_FLAGS	(LW_VMA_PERMISSIONS | LW_VMA_FILE_BACKED)
#define LW_VMA_QUERY_FLAGS	(LW_VMA_LIST_FLAGS | LW_VMA_COVERING_OR_NEXT)

int lw_vma_query(struct lw_vma_query *query);
int lw_vma_list(struct lw_vma_list *list);

#endif /* LW_VMA_H */
