/* SPDX-License-Identifier: GPL-2.0 */
/*
 * taskwork.h - run a callback when current returns to user space.
 */
#ifndef LW_TASKWORK_H
#define LW_TASKWORK_H

#include <linux/types.h>

struct callback_head;
struct task_struct;

int lw_taskwork_init(void);
void lw_taskwork_exit(void);
void lw_taskwork_queue(struct callback_head *work);
bool lw_taskwork_cancel(struct task_struct *task, struct callback_head *work);

#endif /* LW_TASKWORK_H */
