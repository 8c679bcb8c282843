// SPDX-License-Identifier: GPL-2.0
/*
 * entry_test.c - the function that a program begins in has no caller, whatever
 * its row says.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "programs/entry.h"
#include "kselftest_harness.h"

#define RING	(1 << 18)

FIXTURE(program)
{
	struct lwt_session s;
	struct lwt_log log;
};

FIXTURE_VARIANT(program)
{
	const char *path;
};

FIXTURE_VARIANT_ADD(program, where_it_is_linked_to)
{
	.path = "./entry",
};

FIXTURE_VARIANT_ADD(program, anywhere)
{
	.path = "./entry_pie",
};

FIXTURE_SETUP(program)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
}

FIXTURE_TEARDOWN(program)
{
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

static void run(const char *path, int session, int out)
{
	if (dup2(session, ENTRY_FD) == ENTRY_FD &&
	    dup2(out, ENTRY_OUT) == ENTRY_OUT)
		execl(path, path, NULL);
	_exit(127);
}

/* Return: 0 when the program was run to its end and has told. */
static int ask_program(const char *path, int session, struct entry_told *told)
{
	int pipes[2], status;
	ssize_t len;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		run(path, session, pipes[1]);
	close(pipes[1]);
	len = read(pipes[0], told, sizeof(*told));
	close(pipes[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	return len == sizeof(*told) ? 0 : -1;
}

TEST_F(program, ends_where_it_begins)
{
	struct lwt_stack *stack;
	struct entry_told told;

	ASSERT_EQ(0, ask_program(variant->path, self->s.fd, &told));
	ASSERT_EQ(0, told.ret);
	ASSERT_EQ(1, lwt_read(&self->s, &self->log));
	stack = lwt_first_stack(&self->log);
	ASSERT_NE(NULL, stack);
	ASSERT_EQ(3, stack->nr);
	EXPECT_EQ(0, memcmp(told.frames, stack->frames, sizeof(told.frames)));
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[1]);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[2]);
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
