/* SPDX-License-Identifier: GPL-2.0 */
/*
 * request.h - ask for the user stack of current, from any context.
 */
#ifndef LW_REQUEST_H
#define LW_REQUEST_H

#include <linux/types.h>

#include "latewind.h"

struct lw_tracer;
struct pt_regs;

int lw_request_init(void);
void lw_request_exit(void);
int lw_request(struct lw_tracer *tracer, struct pt_regs *regs, bool may_refuse,
	       struct lw_cookie *cookie);
struct pt_regs *lw_request_regs(struct pt_regs *regs);
u32 lw_request_user(int ret);
void lw_request_answer_now(void);
void lw_request_forget(unsigned int id);
u64 lw_request_pending(unsigned int id);

/* exit.c */
int lw_exit_watch(void);
void lw_exit_unwatch(void);

#endif /* LW_REQUEST_H */
