/* SPDX-License-Identifier: GPL-2.0 */
/*
 * target.h - whom to record: a process, every CPU, or a command.
 */
#ifndef LW_TARGET_H
#define LW_TARGET_H

#include <signal.h>
#include <sys/types.h>

#include "base/util.h"

#define LW_EXIT_NOT_EXECUTABLE	126
#define LW_EXIT_NOT_FOUND	127

struct lw_process {
	pid_t pid;
	int pid_fd;		/* readable when it has ended, or -1 */
};

struct lw_target {
	bool all_cpus;
	bool by_thread;		/* threads were named, not processes */
	pid_t pid;		/* the first that was attached, or 0 */
	struct lw_process *processes;	/* all of them */
	u32 nr_processes;
	pid_t *tids;		/* their threads, or those that were named */
	u32 nr_tids;
	bool prints_to_stderr;	/* the command: our standard output is taken */
	bool reads_nothing;	/* the command: the keys of the terminal are ours */
	size_t tid_room;
	pid_t child;		/* the command's process, or 0; with @tids it is no target */
	int go_fd;		/* a byte here lets the command start */
	int exec_fd;		/* errno of a failed exec comes here */
	int pid_fd;		/* readable when command or one process has ended, or -1 */
	bool reaped;
	int wait_status;
	sigset_t old_mask;		/* as the tool was started with */
	struct sigaction old_sigpipe;	/* likewise */
	char *debuginfod_urls;		/* likewise, or NULL */
};

void lw_target_init(struct lw_target *target);
void lw_target_save_signals(struct lw_target *target);
int lw_target_attach(struct lw_target *target, pid_t pid);
int lw_target_attach_user(struct lw_target *target, uid_t user);
int lw_target_attach_thread(struct lw_target *target, pid_t tid);
int lw_target_prepare(struct lw_target *target, char **argv);
int lw_target_start(struct lw_target *target, const char *name);
bool lw_target_ended(struct lw_target *target);
int lw_target_stop(struct lw_target *target);
int lw_target_exit_code(const struct lw_target *target);
void lw_target_free(struct lw_target *target);

#endif /* LW_TARGET_H */
