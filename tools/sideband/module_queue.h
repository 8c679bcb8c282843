/* SPDX-License-Identifier: GPL-2.0 */
/*
 * module_queue.h - MODULE records until they can be taken in the order of time.
 */
#ifndef LW_MODULE_QUEUE_H
#define LW_MODULE_QUEUE_H

#include "base/util.h"
#include "latewind.h"

/* Zeroed is empty. */
struct lw_module_queue {
	struct lw_queued_module *all;
	size_t nr, room;
};

/* Anything but 0 ends it and is handed on. */
typedef int (*lw_module_fn)(void *ctx, const struct lw_module *record);

int lw_module_queue_add(struct lw_module_queue *queue, const struct lw_module *record);
int lw_module_queue_take(struct lw_module_queue *queue, u64 until, lw_module_fn fn, void *ctx);
void lw_module_queue_free(struct lw_module_queue *queue);

#endif /* LW_MODULE_QUEUE_H */
