/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_syscall.h - system calls, with the user data that they name.
 */
#ifndef LW_EVENT_SYSCALL_H
#define LW_EVENT_SYSCALL_H

#include <linux/types.h>

#include "latewind.h"

struct lw_session;
struct lw_session_part;

extern const struct lw_session_part lw_syscall_part;

void lw_syscall_init(void);
void lw_syscall_exit(void);
int lw_syscall_add(struct lw_session *session, struct lw_add_syscall *add);

#endif /* LW_EVENT_SYSCALL_H */
