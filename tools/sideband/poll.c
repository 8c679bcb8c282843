// SPDX-License-Identifier: GPL-2.0
/*
 * poll.c - what a verb that records waits for: signals, rings, the target's end.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sideband/poll.h"

/**
 * lw_poll_init - take over the signals that end a recording
 * @wait: out, but for signal_fd and takes_usr2 zeroed
 * @target: remembers what its command is to start with
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_poll_init(struct lw_poll *wait, struct lw_target *target)
{
	struct sigaction hangup;
	sigset_t set;

	lw_target_save_signals(target);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* nohup has it ignored; shells ignore SIGINT for what runs behind '&' */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	if (wait->takes_usr2)
		sigaddset(&set, SIGUSR2);
	wait->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	/* other threads must not take it from the one that has the terminal (ui/terminal.c) */
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return wait->signal_fd < 0 ? lw_fail(-errno, "signalfd: %s", strerror(errno)) : 0;
}

/**
 * lw_poll_open - name what is waited for
 * @wait: initialised
 * @session_fd: of the rings
 * @pid_fd: of the target, or -1
 * @sideband: open or zeroed
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_poll_open(struct lw_poll *wait, int session_fd, int pid_fd,
		 const struct lw_sideband *sideband)
{
	struct pollfd *fds = calloc(3 + sideband->nr_rings, sizeof(*fds));
	u32 at = 0;

	if (!fds)
		return lw_fail(-ENOMEM, "out of memory");
	fds[at++].fd = wait->signal_fd;
	fds[at++].fd = session_fd;
	fds[at++].fd = pid_fd;
	for (u32 i = 0; i < sideband->nr_rings; i++)
		fds[at++].fd = sideband->rings[i].fd;
	for (u32 i = 0; i < at; i++)
		fds[i].events = POLLIN;
	wait->fds = fds;
	wait->nr = at;
	return 0;
}

/* Return: does it say that it is enough? */
static bool take_signal(struct lw_poll *wait)
{
	struct signalfd_siginfo info;

	if (read(wait->signal_fd, &info, sizeof(info)) <= 0)
		return false;
	wait->usr2 += info.ssi_signo == SIGUSR2;
	return info.ssi_signo != SIGUSR2;
}

/**
 * lw_poll - wait for any of it
 * @wait: open
 * @ms: at most as long
 *
 * Return: true when a signal says that it is enough.
 */
bool lw_poll(struct lw_poll *wait, int ms)
{
	if (poll(wait->fds, wait->nr, ms) < 0)
		return false;
	/* a side-band event of a task that ended would never be quiet again */
	for (u32 i = 3; i < wait->nr; i++) {
		if (wait->fds[i].revents & (POLLHUP | POLLERR))
			wait->fds[i].fd = -1;
	}
	return wait->fds[0].revents && take_signal(wait);
}

/**
 * lw_poll_close - close and free
 * @wait: initialised, open or not
 */
void lw_poll_close(struct lw_poll *wait)
{
	if (wait->signal_fd >= 0)
		close(wait->signal_fd);
	wait->signal_fd = -1;
	free(wait->fds);
	wait->fds = NULL;
}
