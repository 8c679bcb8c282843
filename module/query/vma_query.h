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

#define LW_VMA_LIST_FLAGS	(LW_VMA_PERMISSIONS | LW_VMA_FILE_BACKED)

struct mm_struct;
struct vm_area_struct;

int lw_vma_query(struct lw_vma_query *query);
int lw_vma_list(struct lw_vma_list *list);

/* What both have in common. */
struct mm_struct *lw_vma_mm_of(pid_t nr);
u32 lw_vma_flags_of(const struct vm_area_struct *vma);
bool lw_vma_is_wanted(const struct vm_area_struct *vma, u32 flags);
size_t lw_vma_copy_name(struct vm_area_struct *vma, char *to, size_t room);

#endif /* LW_VMA_QUERY_H */
