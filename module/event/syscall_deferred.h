/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_deferred.h - user data that is read when its system call has ended.
 */
#ifndef LW_SYSCALL_DEFERRED_H
#define LW_SYSCALL_DEFERRED_H

#include <linux/types.h>

#include "latewind.h"

struct lw_after;
struct lw_call;
struct lw_session;
struct lw_syscall_event;

int lw_deferred_make(struct lw_session *session);
void lw_deferred_free(struct lw_session *session);
bool lw_deferred_keep(struct lw_session *session,
		      const struct lw_syscall_event *event,
		      const struct lw_call *call, struct lw_cookie *cookie, u32 which);
unsigned int lw_deferred_waiting(const struct lw_session *session);
void lw_deferred_collect(struct lw_session *session, const struct lw_cookie *cookie,
			 struct lw_after **list);

#endif /* LW_SYSCALL_DEFERRED_H */
