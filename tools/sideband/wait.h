/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wait.h - what a verb that records waits for.
 */
#ifndef LW_WAIT_H
#define LW_WAIT_H

#include "sideband/sideband.h"
#include "sideband/target.h"

struct pollfd;

struct lw_wait {
	int signal_fd;			/* -1: none */
	struct pollfd *fds;
	u32 nr;
};

int lw_wait_init(struct lw_wait *wait, struct lw_target *target);
int lw_wait_open(struct lw_wait *wait, int session_fd, int pid_fd,
		 const struct lw_sideband *sideband);
bool lw_wait(struct lw_wait *wait, int ms);
void lw_wait_close(struct lw_wait *wait);

#endif /* LW_WAIT_H */
