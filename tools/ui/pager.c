// SPDX-License-Identifier: GPL-2.0
/*
 * pager.c - what is long is read by pages, on a terminal.
 *
 * As git and perf do it: LATEWIND_PAGER, else PAGER, else less, which goes away at once if
 * all is on one screen (LESS=FRX, unless that is set), else none.
 *
 * Contexts: the main thread, before others begin.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/pager.h"

static bool allowed;
static pid_t pager;

/**
 * lw_pager_allow - from now on lw_pager_begin() may begin one
 */
void lw_pager_allow(void)
{
	allowed = true;
}

static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

/**
 * lw_terminal_has_colors - may what is printed have colours
 *
 * Asked before a pager begins.
 *
 * Return: true if so: it goes to a terminal, and NO_COLOR is not set (no-color.org).
 */
bool lw_terminal_has_colors(void)
{
	const char *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !is_dumb() && !(no && *no);
}

static bool is_there(const char *program)
{
	const char *path = getenv("PATH");
	char name[4096];

	for (size_t len; path && *path; path += len + !!path[len]) {
		len = strcspn(path, ":");
		snprintf(name, sizeof(name), "%.*s/%s", (int)len, path, program);
		if (!access(name, X_OK))
			return true;
	}
	return false;
}

/* Return: a command for the shell, or NULL: none. */
static const char *choose(void)
{
	const char *command = getenv("LATEWIND_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = is_there("less") ? "less" : "";
	return *command && strcmp(command, "cat") ? command : NULL;
}

static void become(const char *command, int input)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(input, STDIN_FILENO);
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

/* The pager ends when its user quits it. */
static void end(void)
{
	fflush(stdout);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	waitpid(pager, NULL, 0);
}

/**
 * lw_pager_begin - lead what is printed from here on to a pager
 *
 * Nothing happens if that is not allowed, was done, or there is no terminal.  Messages go
 * there, too, so that they don't stand across its pages.
 */
void lw_pager_begin(void)
{
	const char *command;
	int fds[2];

	if (!allowed || !isatty(STDOUT_FILENO) || is_dumb())
		return;
	allowed = false;
	command = choose();
	if (!command || pipe2(fds, O_CLOEXEC))
		return;
	fflush(stdout);
	pager = fork();
	if (!pager)
		become(command, fds[0]);
	close(fds[0]);
	if (pager > 0) {
		/* Ctrl-C is the pager's */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
		if (isatty(STDERR_FILENO))
			dup2(fds[1], STDERR_FILENO);
		dup2(fds[1], STDOUT_FILENO);
		atexit(end);
	}
	close(fds[1]);
}
