/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task_list.h - all tasks, process by process.
 */
#ifndef LW_TASK_LIST_H
#define LW_TASK_LIST_H

#include <sys/types.h>

#include "base/util.h"
#include "latewind.h"

/* Threads of one process follow each other, the leader first. */
struct lw_tasks {
	struct lw_task_entry *all;
	size_t nr, room;
};

int lw_tasks_read(struct lw_tasks *tasks);
int lw_tasks_find(pid_t tid, struct lw_task_entry *task);
size_t lw_tasks_of_process(const struct lw_tasks *tasks, size_t at);
void lw_tasks_free(struct lw_tasks *tasks);

#endif /* LW_TASK_LIST_H */
