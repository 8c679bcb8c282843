/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task_list.h - many tasks in one call.
 */
#ifndef LW_TASK_LIST_H
#define LW_TASK_LIST_H

#include "latewind.h"

void lw_task_list_init(void);
int lw_task_list(struct lw_task_list *list);

#endif /* LW_TASK_LIST_H */
