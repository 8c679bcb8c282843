/* SPDX-License-Identifier: GPL-2.0 */
/*
 * work_queue.h - a thread that takes what another one adds, in order, within bounded memory.
 */
#ifndef LW_WORK_QUEUE_H
#define LW_WORK_QUEUE_H

#include "base/util.h"

/* The first member of what is added, which is one piece of malloc(). */
struct lw_work {
	struct lw_work *next;
	size_t bytes;		/* of all of it; the adder's to set */
};

/*
 * Runs in the queue's thread for each piece of work, which the queue frees, and with NULL when
 * nothing more waits.  Returns 0, or -errno: it is not called any more then.
 */
typedef int (*lw_work_fn)(void *ctx, struct lw_work *work);

struct lw_work_queue;

struct lw_work_queue *lw_work_queue_new(size_t max_bytes, lw_work_fn fn, void *ctx);
bool lw_work_queue_add(struct lw_work_queue *queue, struct lw_work *work);
int lw_work_queue_error(struct lw_work_queue *queue);
bool lw_work_queue_wait(struct lw_work_queue *queue, u64 until);
void lw_work_queue_wait_for_room(struct lw_work_queue *queue, u64 until);
u64 lw_work_queue_stop(struct lw_work_queue *queue);
bool lw_work_queue_free(struct lw_work_queue *queue, u64 until);

#endif /* LW_WORK_QUEUE_H */
