/* SPDX-License-Identifier: GPL-2.0 */
/*
 * poll.h - what a verb that records waits for.
 */
#ifndef LW_POLL_H
#define LW_POLL_H

#include "sideband/sideband.h"
#include "sideband/target.h"

struct pollfd;

struct lw_poll {
	int signal_fd;			/* -1: none */
	bool takes_usr2;		/* SIGUSR2 ends nothing, but is counted */
	u32 usr2;			/* of them so far */
	struct pollfd *fds;
	u32 nr;
};

int lw_poll_init(struct lw_poll *wait, struct lw_target *target);
int lw_poll_open(struct lw_poll *wait, int session_fd, int pid_fd,
		 const struct lw_sideband *sideband);
bool lw_poll(struct lw_poll *wait, int ms);
void lw_poll_close(struct lw_poll *wait);

#endif /* LW_POLL_H */
