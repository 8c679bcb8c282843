// SPDX-License-Identifier: GPL-2.0
/*
 * path_filter.c - which calls touch some paths, by name or by descriptor: -P.
 *
 * As strace does, paths are compared as text: with what was given, and with what that leads to
 * when the trace begins.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "trace/path_filter.h"

static int add(struct lw_path_filter *filter, char *path)
{
	if (!path)
		return lw_fail(-ENOMEM, "out of memory");
	if (filter->nr == ARRAY_SIZE(filter->paths)) {
		free(path);
		return lw_fail(-EINVAL, "option -P: more than %u paths", LW_MAX_PATHS);
	}
	filter->paths[filter->nr++] = path;
	return 0;
}

/**
 * lw_path_filter_add - take the value of -P
 * @filter: zeroed at first
 * @path: need not be there
 *
 * Return: 0, -EINVAL or -ENOMEM with lw_fail_text().
 */
int lw_path_filter_add(struct lw_path_filter *filter, const char *path)
{
	char *real = realpath(path, NULL);
	int ret;

	if (!*path) {
		free(real);
		return lw_fail(-EINVAL, "option -P: the path is empty");
	}
	ret = add(filter, strdup(path));
	if (ret || !real || !strcmp(real, path)) {
		free(real);
		return ret;
	}
	return add(filter, real);
}

/**
 * lw_path_filter_free - free its paths
 * @filter: any
 */
void lw_path_filter_free(struct lw_path_filter *filter)
{
	while (filter->nr)
		free(filter->paths[--filter->nr]);
}

static bool is_file(u32 kind)
{
	return kind == LW_ARG_PATH || kind == LW_ARG_FD || kind == LW_ARG_DIRFD;
}

static bool takes_file(u32 nr)
{
	const struct lw_syscall_row *row = lw_syscall_row(nr);

	for (u32 i = 0; i < ARRAY_SIZE(row->args); i++) {
		if (is_file(row->args[i].kind))
			return true;
	}
	return false;
}

/**
 * lw_path_filter_narrow - leave only calls that take a path or a descriptor
 * @set: in, out
 */
void lw_path_filter_narrow(struct lw_syscall_set *set)
{
	for (u32 nr = 0; nr < LW_SYSCALL_NUMBERS; nr++) {
		if (!takes_file(nr))
			set->bits[nr / 64] &= ~(1ULL << nr % 64);
	}
	set->any = false;
}

static bool is_named(const struct lw_path_filter *filter, const char *path)
{
	for (u32 i = 0; path && i < filter->nr; i++) {
		if (!strcmp(filter->paths[i], path))
			return true;
	}
	return false;
}

/* @dirfd: what a path that does not begin with a slash is below of */
static bool names_it(const struct lw_path_filter *filter, const struct lw_fd_paths *fds,
		     const struct lw_call *call, u32 arg, s32 dirfd)
{
	const struct lw_call_data *data = lw_call_find(call, arg, LW_DATA_STRING,
						       LW_SYSCALL_ENTRY);
	const char *dir = lw_fd_paths_find(fds, call->pid, dirfd);
	char name[PATH_MAX], path[2 * PATH_MAX];

	if (!data || lw_call_data_flaws(data) || data->len >= sizeof(name))
		return false;
	memcpy(name, call->bytes + data->at, data->len);
	name[data->len] = 0;
	if (is_named(filter, name))
		return true;
	if (*name == '/' || !dir)
		return false;
	snprintf(path, sizeof(path), "%s/%s", strcmp(dir, "/") ? dir : "",
		 strncmp(name, "./", 2) ? name : name + 2);
	return is_named(filter, path);
}

/**
 * lw_path_filter_has - does a call touch one of the paths?
 * @filter: one with paths
 * @fds: what is known of descriptors before the call
 * @call: whole
 *
 * Return: true if it does.
 */
bool lw_path_filter_has(const struct lw_path_filter *filter, const struct lw_fd_paths *fds,
			const struct lw_call *call)
{
	const struct lw_arg *args = lw_syscall_row(call->nr)->args;
	s32 dirfd = AT_FDCWD;

	for (u32 i = 0; i < 6 && args[i].kind; i++) {
		s32 fd = call->args[args[i].arg];

		if (args[i].kind == LW_ARG_PATH && names_it(filter, fds, call, args[i].arg, dirfd))
			return true;
		if (args[i].kind == LW_ARG_DIRFD)
			dirfd = fd;
		if ((args[i].kind == LW_ARG_FD || args[i].kind == LW_ARG_DIRFD) && fd != AT_FDCWD &&
		    is_named(filter, lw_fd_paths_find(fds, call->pid, fd)))
			return true;
	}
	return false;
}
