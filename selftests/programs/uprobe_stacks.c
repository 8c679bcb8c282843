// SPDX-License-Identifier: GPL-2.0
/*
 * uprobe_stacks.c - print the user stack of each hit of a uprobe in a program.
 *
 * uprobe_stacks FILE OFFSET COMMAND...: run COMMAND with a probe at OFFSET of
 * FILE.  A line per hit: addresses, topmost first, callers as return address
 * minus one, which is how perf script prints them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"

#define RING	(1 << 20)

static int uprobe_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int type = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &type) != 1)
		type = -1;
	fclose(file);
	return type;
}

/* Runs @argv once @go can be read from. */
static pid_t start(char **argv, int go)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	/* What the command prints is not ours to print. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (read(go, &byte, 1) == 1)
		execv(argv[0], argv);
	_exit(127);
}

static int run(struct lwt_session *s, struct lwt_log *log, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = uprobe_type(),
		.config1 = (uintptr_t)argv[1],
		.config2 = strtoull(argv[2], NULL, 0),
		.sample_period = 1,
		.enable_on_exec = 1,
	};
	int go[2], ret, status;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	pid = start(argv + 3, go[0]);
	ret = lwt_add_event(s->fd, &attr, LW_TARGET_TASK, pid, NULL) ?:
	      lwt_enable(s->fd);
	if (ret)
		return ret;
	if (write(go[1], "x", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return -errno;
	ret = lwt_disable(s->fd);
	if (!ret && !lwt_wait(lwt_stats(s->fd).pending == 0))
		ret = -ETIMEDOUT;
	return ret ?: lwt_read(s, log);
}

static void print_stack(const struct lwt_stack *stack)
{
	uint32_t i;

	for (i = 0; stack && i < stack->nr; i++)
		printf("%llx ", (unsigned long long)stack->frames[i] - (i > 0));
	printf("\n");
}

int main(int argc, char **argv)
{
	struct lwt_session s;
	struct lwt_log log = {};
	size_t i;
	int ret;

	if (argc < 4) {
		fprintf(stderr, "usage: %s FILE OFFSET COMMAND...\n", argv[0]);
		return 2;
	}
	ret = lwt_session_open(&s, RING, LW_MAX_DEPTH, 0);
	if (ret >= 0)
		ret = run(&s, &log, argv);
	if (ret < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(-ret));
		return 1;
	}
	for (i = 0; i < log.nr; i++)
		if (log.records[i].head->type == LW_RECORD_SAMPLE)
			print_stack(lwt_find_stack(&log,
						   &log.records[i].sample->cookie));
	lwt_log_free(&log);
	lwt_session_close(&s);
	return 0;
}
