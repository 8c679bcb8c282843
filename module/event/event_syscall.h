/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_syscall.h - system calls, with the user data that they name.
 */
#ifndef LW_EVENT_SYSCALL_H
#define LW_EVENT_SYSCALL_H

#include <linux/types.h>

#include "latewind.h"

struct lw_session;

int lw_syscall_add(struct lw_session *session, struct lw_add_syscall *add);
void lw_syscall_release_all(struct lw_session *session);
void lw_syscall_free(struct lw_session *session);

#endif /* LW_EVENT_SYSCALL_H */
