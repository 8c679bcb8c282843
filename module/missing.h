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
struct lw_session;

/**
 * struct lw_session_missing - what a session with LW_SETUP_FILES has
 * @list: in the list of all of these
 * @first: number of the last question before it
 * @told: number of the last file that it was told of; written under the lock of missing.c
 * @serves: in @list; set before the session has rings
 */
struct lw_session_missing {
	struct list_head list;
	u64	first;
	u64	told;
	bool	serves;
};

int lw_missing_serve(struct lw_session *session);
void lw_missing_release(struct lw_session *session);
int lw_missing_next(struct lw_session *session, struct lw_missing_file *file);
int lw_missing_done(struct lw_session *session, const struct lw_file_done *done);
__poll_t lw_missing_poll(struct lw_session *session, struct file *file, poll_table *wait);

bool lw_missing_ask(const struct lw_seen *seen, bool may_wait, u64 *waited);

void lw_missing_exit(void);

#endif /* LW_MISSING_H */
