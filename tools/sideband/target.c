// SPDX-License-Identifier: GPL-2.0
/*
 * target.c - whom to record: processes, every CPU, or a command.
 *
 * A command beside processes, or every CPU, is not recorded for its own sake: its end ends
 * the recording.
 *
 * A command's process is made first and waits on a pipe until the events are
 * ready; a second pipe, closed by exec, tells whether it could be executed.
 *
 * Contexts: the main thread.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sideband/target.h"

#define STOP_WAIT_MS	1000

/* The servers of debuginfod; libdw has no other way to ask none. */
#define DEBUGINFOD_URLS	"DEBUGINFOD_URLS"

/**
 * lw_target_init - nobody yet
 * @target: out
 *
 * From now on libdw asks no server for debug information: rings may wait.  A command gets the
 * variable that names them.
 */
void lw_target_init(struct lw_target *target)
{
	memset(target, 0, sizeof(*target));
	target->go_fd = -1;
	target->exec_fd = -1;
	target->pid_fd = -1;
	if (getenv(DEBUGINFOD_URLS))
		target->debuginfod_urls = strdup(getenv(DEBUGINFOD_URLS));
	unsetenv(DEBUGINFOD_URLS);
}

static int open_pid_fd(pid_t pid)
{
	return syscall(SYS_pidfd_open, pid, 0);
}

static int add_thread(struct lw_target *target, pid_t tid)
{
	int ret = lw_grow((void **)&target->tids, &target->tid_room, target->nr_tids + 1,
			  sizeof(pid_t));

	if (!ret)
		target->tids[target->nr_tids++] = tid;
	return ret;
}

static int list_threads(struct lw_target *target, pid_t pid)
{
	struct dirent *dirent;
	char path[64];
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (dirent = readdir(dir))) {
		u64 tid;

		if (lw_parse_u64(dirent->d_name, &tid))
			continue;
		ret = add_thread(target, tid);
	}
	closedir(dir);
	return ret;
}

/* The process that a thread is in; @tid itself if it can't be told. */
static pid_t process_of(pid_t tid)
{
	char path[64], text[4096], *line;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (lw_read_file(path, text, sizeof(text)) <= 0)
		return tid;
	line = strstr(text, "\nTgid:");
	return line ? atoi(line + strlen("\nTgid:")) : tid;
}

/**
 * lw_target_save_signals - remember what the command is to start with
 * @target: initialised; no signal was touched yet
 */
void lw_target_save_signals(struct lw_target *target)
{
	sigaction(SIGPIPE, NULL, &target->old_sigpipe);
	sigprocmask(SIG_SETMASK, NULL, &target->old_mask);
}

static bool is_attached(const struct lw_target *target, pid_t pid)
{
	for (u32 i = 0; i < target->nr_processes; i++) {
		if (target->processes[i].pid == pid)
			return true;
	}
	return false;
}

static int add_process(struct lw_target *target, pid_t pid)
{
	struct lw_process *process;

	if (is_attached(target, pid))
		return 0;
	process = reallocarray(target->processes, target->nr_processes + 1, sizeof(*process));
	if (!process)
		return -ENOMEM;
	target->processes = process;
	process += target->nr_processes++;
	process->pid = pid;
	process->pid_fd = open_pid_fd(pid);
	/* one that has ended would wake who waits for all again and again */
	target->pid_fd = target->nr_processes == 1 && !target->by_thread ? process->pid_fd : -1;
	if (target->nr_processes == 1)
		target->pid = pid;
	return 0;
}

/**
 * lw_target_attach - a process that runs already, with all its threads
 * @target: initialised; may have others
 * @pid: the process, or one of its threads for the process it is in
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_target_attach(struct lw_target *target, pid_t pid)
{
	pid_t process = process_of(pid);
	u32 before = target->nr_tids;
	int ret;

	if (is_attached(target, process))
		return 0;
	ret = list_threads(target, process);
	if (!ret && target->nr_tids == before)
		ret = -ESRCH;
	if (!ret)
		ret = add_process(target, process);
	if (ret)
		return lw_fail(ret, "no process %d: %s\n  'ps -e' lists the processes.",
			       pid, strerror(ret == -ENOENT ? ESRCH : -ret));
	return 0;
}

/* Return: 0 also if the process ended meanwhile; or -errno. */
static int attach_if_of_user(struct lw_target *target, pid_t pid, uid_t user)
{
	struct stat stat_buf;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (pid == getpid() || stat(path, &stat_buf) || stat_buf.st_uid != user)
		return 0;
	ret = lw_target_attach(target, pid);
	return ret == -ENOENT || ret == -ESRCH ? 0 : ret;
}

/**
 * lw_target_attach_user - all processes of a user that run already, but for this one
 * @target: initialised; may have other processes
 * @user: their owner, as /proc has it
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_target_attach_user(struct lw_target *target, uid_t user)
{
	DIR *dir = opendir("/proc");
	struct dirent *dirent;
	int ret = 0;

	if (!dir)
		return lw_fail(-errno, "cannot read /proc: %s", strerror(errno));
	while (!ret && (dirent = readdir(dir))) {
		u64 pid;

		if (!lw_parse_u64(dirent->d_name, &pid))
			ret = attach_if_of_user(target, pid, user);
	}
	closedir(dir);
	if (!ret && !target->nr_processes)
		return lw_fail(-ESRCH, "no process of user %u\n"
			       "  'ps -eo user,pid' lists whose there are.", user);
	return ret;
}

static bool thread_is_there(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", tid, tid);
	return !access(path, F_OK);
}

/**
 * lw_target_attach_thread - one thread of a process that runs already
 * @target: initialised; may have other threads
 * @tid: the thread
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_target_attach_thread(struct lw_target *target, pid_t tid)
{
	int ret = thread_is_there(tid) ? 0 : -ESRCH;

	for (u32 i = 0; i < target->nr_tids; i++) {
		if (target->tids[i] == tid)
			return 0;
	}
	target->by_thread = true;
	if (!ret)
		ret = add_process(target, process_of(tid));
	if (!ret)
		ret = add_thread(target, tid);
	return ret ? lw_fail(ret, "no thread %d: %s\n  'ps -eL' lists the threads.", tid,
			     strerror(-ret)) : 0;
}

static void leave_terminal(void)
{
	int fd = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY) : -1;

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	close(fd);
}

static void run_child(const struct lw_target *target, char **argv, int go, int report)
{
	char byte;
	int err;

	/* as the tool's own caller had it: ours are not the command's */
	sigaction(SIGPIPE, &target->old_sigpipe, NULL);
	sigprocmask(SIG_SETMASK, &target->old_mask, NULL);
	if (target->debuginfod_urls)
		setenv(DEBUGINFOD_URLS, target->debuginfod_urls, 1);
	while (read(go, &byte, 1) != 1) {
		if (errno != EINTR)
			_exit(1);
		errno = 0;
	}
	if (target->prints_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (target->reads_nothing)
		leave_terminal();
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(LW_EXIT_NOT_EXECUTABLE);
	_exit(err == ENOENT ? LW_EXIT_NOT_FOUND : LW_EXIT_NOT_EXECUTABLE);
}

/**
 * lw_target_prepare - make the process of a command, not yet running it
 * @target: initialised; has all processes that are attached
 * @argv: the command, NULL at its end
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_target_prepare(struct lw_target *target, char **argv)
{
	int go[2], report[2], ret;

	if (pipe2(go, O_CLOEXEC))
		return lw_fail(-errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(report, O_CLOEXEC)) {
		ret = lw_fail(-errno, "cannot make a pipe: %s", strerror(errno));
		goto err_close_go;
	}
	target->child = fork();
	if (target->child < 0) {
		target->child = 0;
		ret = lw_fail(-errno, "cannot fork for '%s': %s", argv[0], strerror(errno));
		goto err_close_report;
	}
	if (!target->child) {
		close(go[1]);
		close(report[0]);
		run_child(target, argv, go[0], report[1]);
	}
	close(go[0]);
	close(report[1]);
	target->go_fd = go[1];
	target->exec_fd = report[0];
	target->pid_fd = open_pid_fd(target->child);
	return 0;

err_close_report:
	close(report[0]);
	close(report[1]);
err_close_go:
	close(go[0]);
	close(go[1]);
	return ret;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static const char *start_hint(const char *name, int err)
{
	if (err != ENOENT)
		return "Is it a program, with the right to execute it?";
	if (!strchr(name, '/'))
		return "No directory of PATH has it. Is it spelled right?";
	if (!access(name, F_OK))
		return "It is there, but the interpreter is not that it names (#!, or ELF).";
	return "Is it spelled right?";
}

/**
 * lw_target_start - let the command run
 * @target: prepared; nothing happens for other targets
 * @name: of the command, for the message
 *
 * Return: 0, or -errno with lw_fail_text() when it could not be executed.
 */
int lw_target_start(struct lw_target *target, const char *name)
{
	int err = 0;
	ssize_t got;

	if (!target->child)
		return 0;
	if (write(target->go_fd, "", 1) != 1)
		return lw_fail(-errno, "cannot start '%s': %s", name, strerror(errno));
	close_fd(&target->go_fd);
	do {
		got = read(target->exec_fd, &err, sizeof(err));
	} while (got < 0 && errno == EINTR);
	close_fd(&target->exec_fd);
	if (got != sizeof(err) || !err)
		return 0;
	return lw_fail(-err, "cannot execute '%s': %s\n  %s", name, strerror(err),
		       start_hint(name, err));
}

static bool command_ended(struct lw_target *target)
{
	if (target->child && !target->reaped &&
	    waitpid(target->child, &target->wait_status, WNOHANG) == target->child)
		target->reaped = true;
	return target->reaped;
}

static bool processes_ended(const struct lw_target *target)
{
	for (u32 i = 0; i < target->nr_processes; i++) {
		const struct lw_process *process = &target->processes[i];
		struct pollfd poll_fd = { .fd = process->pid_fd, .events = POLLIN };

		/* a process that nobody has waited for can still be signalled */
		if (process->pid_fd >= 0 ? poll(&poll_fd, 1, 0) <= 0 :
					   !kill(process->pid, 0) || errno != ESRCH)
			return false;
	}
	return true;
}

static bool threads_ended(const struct lw_target *target)
{
	for (u32 i = 0; i < target->nr_tids; i++) {
		if (thread_is_there(target->tids[i]))
			return false;
	}
	return true;
}

/**
 * lw_target_ended - have the processes, threads or the command ended?
 * @target: attached or started
 *
 * Return: true when the command has ended, or all processes or threads have; every CPU
 * never ends.
 */
bool lw_target_ended(struct lw_target *target)
{
	if (command_ended(target))
		return true;
	if (!target->pid)
		return false;
	return processes_ended(target) || (target->by_thread && threads_ended(target));
}

/**
 * lw_target_stop - end a command that still runs, after the user said so
 * @target: any
 *
 * Return: 0, or -EBUSY with lw_fail_text() when it did not end in a second.
 */
int lw_target_stop(struct lw_target *target)
{
	struct pollfd poll_fd = { .fd = target->pid_fd, .events = POLLIN };

	if (!target->child || command_ended(target))
		return 0;
	kill(target->child, SIGTERM);
	poll(&poll_fd, 1, STOP_WAIT_MS);
	if (command_ended(target))
		return 0;
	return lw_fail(-EBUSY, "the command (process %d) did not end on SIGTERM and still runs",
		       target->child);
}

/**
 * lw_target_exit_code - the command's status as a shell tells it
 * @target: any
 *
 * Return: its exit status, 128 plus the number of the signal that ended it, 0
 * when there is no command or it still runs.
 */
int lw_target_exit_code(const struct lw_target *target)
{
	if (!target->child || !target->reaped)
		return 0;
	if (WIFSIGNALED(target->wait_status))
		return 128 + WTERMSIG(target->wait_status);
	return WEXITSTATUS(target->wait_status);
}

/**
 * lw_target_free - free and close all; a command that was not started is ended
 * @target: initialised
 */
void lw_target_free(struct lw_target *target)
{
	bool waits = target->go_fd >= 0;

	close_fd(&target->go_fd);
	close_fd(&target->exec_fd);
	if (waits && target->child && !target->reaped)
		waitpid(target->child, &target->wait_status, 0);
	/* else it is one of those of the processes */
	if (target->child)
		close_fd(&target->pid_fd);
	while (target->nr_processes)
		close_fd(&target->processes[--target->nr_processes].pid_fd);
	free(target->processes);
	free(target->tids);
	free(target->debuginfod_urls);
	target->debuginfod_urls = NULL;
	target->processes = NULL;
	target->tids = NULL;
}
