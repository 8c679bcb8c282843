/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_late.h - data of system calls that is read when they have ended.
 */
#ifndef LW_SYSCALL_LATE_H
#define LW_SYSCALL_LATE_H

#include <linux/types.h>

#include "latewind.h"

struct lw_call;
struct lw_session;
struct lw_syscall_event;

int lw_late_make(struct lw_session *session);
void lw_late_free(struct lw_session *session);
bool lw_late_keep(struct lw_session *session,
		  const struct lw_syscall_event *event,
		  const struct lw_call *call, struct lw_cookie *cookie, u32 which);
bool lw_late_is_owed(struct lw_session *session, const struct lw_cookie *cookie);
void lw_late_tell(struct lw_session *session, const struct lw_cookie *cookie,
		  bool alive);

#endif /* LW_SYSCALL_LATE_H */
