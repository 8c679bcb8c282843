/* SPDX-License-Identifier: GPL-2.0 */
/*
 * missing.h - files that have no table, for sessions that can make one.
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
 * struct lw_missing_server - a session that makes tables of missing files (LW_SETUP_FILES)
 * @list: in servers of missing.c
 * @bit: the session's own, of lw_tracer.id; 0: the session has no LW_SETUP_FILES
 * @mm: of the session's process; its tasks do not wait for themselves
 * @pid_ns: for lw_missing_file.pid
 * @first: number of the last question that was asked before this session came
 * @read: number of the last question that the session has read
 *
 * @bit, @mm and @pid_ns are set before lw_missing_serve().  The others are protected by the
 * lock of missing.c.
 */
struct lw_missing_server {
	struct list_head list;
	u64	bit;
	const struct mm_struct *mm;
	struct pid_namespace *pid_ns;
	u64	first;
	u64	read;
};

void lw_missing_serve(struct lw_missing_server *server);
void lw_missing_release(struct lw_missing_server *server);
int lw_missing_next(struct lw_missing_server *server, struct lw_missing_file *file);
int lw_missing_done(struct lw_missing_server *server, const struct lw_file_done *done);
__poll_t lw_missing_poll(struct lw_missing_server *server, struct file *file, poll_table *wait);

bool lw_missing_ask(const struct lw_seen *seen, bool may_wait, u64 *waited);

#endif /* LW_MISSING_H */
