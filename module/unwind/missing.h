/* SPDX-License-Identifier: GPL-2.0 */
/*
 * missing.h - files whose code walks met, and that have no table.
 */
#ifndef LW_MISSING_H
#define LW_MISSING_H

#include <linux/list.h>
#include <linux/poll.h>
#include <linux/types.h>

#include "latewind.h"

struct file;
struct lw_seen;
struct mm_struct;
struct pid_namespace;

/**
 * struct lw_missing_server - a session that hands over tables of files that it is told of
 * @list: of those
 * @bit: its own, of lw_tracer.id; 0: it is told of none
 * @mm: of its process, that does not wait for itself
 * @pid_ns: that tasks are numbered in
 * @first: last question before it was told of any
 * @told: last one that it was told of
 *
 * The first three are set before lw_missing_serve(); all others, and @list, are protected by
 * the lock of missing.c.
 */
struct lw_missing_server {
	struct list_head list;
	u64	bit;
	const struct mm_struct *mm;
	struct pid_namespace *pid_ns;
	u64	first;
	u64	told;
};

int lw_missing_serve(struct lw_missing_server *server);
void lw_missing_release(struct lw_missing_server *server);
int lw_missing_next(struct lw_missing_server *server, struct lw_missing_file *file);
int lw_missing_done(struct lw_missing_server *server, const struct lw_file_done *done);
__poll_t lw_missing_poll(struct lw_missing_server *server, struct file *file, poll_table *wait);

bool lw_missing_ask(const struct lw_seen *seen, bool may_wait, u64 *waited);

void lw_missing_exit(void);

#endif /* LW_MISSING_H */
