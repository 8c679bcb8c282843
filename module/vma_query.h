/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vma_query.h - what is mapped at an address of a process.
 */
#ifndef LW_VMA_QUERY_H
#define LW_VMA_QUERY_H

#include "latewind.h"

#define LW_VMA_PERMISSIONS	(LW_VMA_READABLE | LW_VMA_WRITABLE | LW_VMA_EXECUTABLE | \
				 LW_VMA_SHARED)
#define LW_VMA_QUERY_FLAGS	(LW_VMA_PERMISSIONS | LW_VMA_COVERING_OR_NEXT | \
				 LW_VMA_FILE_BACKED)

int lw_vma_query(struct lw_vma_query *query);

#endif /* LW_VMA_QUERY_H */
