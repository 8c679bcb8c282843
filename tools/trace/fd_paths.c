// SPDX-License-Identifier: GPL-2.0
/*
 * fd_paths.c - which files the descriptors of processes are, as their calls tell.
 *
 * Nothing is looked up while calls are traced: a path is what open() was given, with
 * the directory before it where that is known.
 *
 * What fork() returns is a number of the caller's PID namespace.  So a child gets what
 * its parent had open only if its own first record has that number and the arguments
 * of the call.  It may come before the end of the parent's call; a child that tells
 * more before that begins with nothing.
 *
 * Contexts: one thread.
 */
#include <asm/unistd.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "trace/fd_paths.h"
#include "trace/socket_name.h"
#include "trace/syscall_table.h"

#define HASH_SIZE	1024
/* Descriptors above it have no path here. */
#define MAX_FD		65536

struct file {
	char *path;			/* NULL: not known */
	bool close_on_exec;
};

struct process {
	struct lw_hash_node node;
	u32 pid;
	u64 told;			/* when it was last told of */
	u32 fork_nr;			/* the call that made it */
	u64 fork_args[6];
	bool newborn;			/* nothing was told but of its birth */
	char *cwd;			/* NULL: not known */
	struct file *files;
	size_t nr, room;
};

struct lw_fd_paths {
	struct lw_hash_node *processes[HASH_SIZE];
	/* what forks returned, with what was open then, until the child says so */
	struct lw_hash_node *unborn[HASH_SIZE];
	bool details;			/* names of sockets, too */
};

/**
 * lw_fd_paths_new - nothing known
 * @details: sockets have names, with their addresses
 *
 * Return: the table or NULL.
 */
struct lw_fd_paths *lw_fd_paths_new(bool details)
{
	struct lw_fd_paths *fds = calloc(1, sizeof(*fds));

	if (fds)
		fds->details = details;
	return fds;
}

/**
 * lw_fd_paths_details - is more to be shown than paths?
 * @fds: the table
 *
 * Return: as lw_fd_paths_new() was told.
 */
bool lw_fd_paths_details(const struct lw_fd_paths *fds)
{
	return fds->details;
}

/* @table: one of both, which have HASH_SIZE slots */
static struct process *find_process(struct lw_hash_node *const *table, u32 pid)
{
	struct process *process;

	lw_hash_for_each(process, &table[pid % HASH_SIZE], node) {
		if (process->pid == pid)
			break;
	}
	return process;
}

static struct process *get_process(struct lw_hash_node **table, u32 pid)
{
	struct process *process = find_process(table, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	lw_hash_add(&table[pid % HASH_SIZE], &process->node);
	return process;
}

static void free_process(struct process *process)
{
	lw_hash_del(&process->node);
	for (size_t i = 0; i < process->nr; i++)
		free(process->files[i].path);
	free(process->files);
	free(process->cwd);
	free(process);
}

/**
 * lw_fd_paths_clear - forget all, as calls were missed
 * @fds: the table
 */
void lw_fd_paths_clear(struct lw_fd_paths *fds)
{
	struct lw_hash_node **at, *after;
	struct process *process;

	lw_hash_for_all_safe(process, after, at, fds->processes, node)
		free_process(process);
	lw_hash_for_all_safe(process, after, at, fds->unborn, node)
		free_process(process);
}

/**
 * lw_fd_paths_free - free a table
 * @fds: the table or NULL
 */
void lw_fd_paths_free(struct lw_fd_paths *fds)
{
	if (!fds)
		return;
	lw_fd_paths_clear(fds);
	free(fds);
}

static struct file *find_file(const struct process *process, s64 fd)
{
	return process && fd >= 0 && (u64)fd < process->nr ? &process->files[fd] : NULL;
}

/* Takes over @path, which may be NULL. */
static int set_file(struct process *process, s64 fd, char *path, bool close_on_exec)
{
	struct file *file = find_file(process, fd);

	if (!file && (!path || fd < 0 || fd >= MAX_FD)) {
		free(path);
		return 0;
	}
	if (!file) {
		if (lw_grow((void **)&process->files, &process->room, fd + 1,
			    sizeof(*process->files))) {
			free(path);
			return -ENOMEM;
		}
		memset(&process->files[process->nr], 0,
		       (fd + 1 - process->nr) * sizeof(*process->files));
		process->nr = fd + 1;
		file = &process->files[fd];
	}
	free(file->path);
	file->path = path;
	file->close_on_exec = close_on_exec;
	return 0;
}

static char *read_link(const char *format, u32 pid, s32 fd)
{
	char link[64], path[4096];
	ssize_t len;

	snprintf(link, sizeof(link), format, pid, fd);
	len = readlink(link, path, sizeof(path));
	return len > 0 ? strndup(path, len) : NULL;
}

/* What a descriptor of a running process is; a socket's link has its inode only. */
static char *name_of(const struct lw_fd_paths *fds, u32 pid, s32 fd)
{
	char *link = read_link("/proc/%u/fd/%d", pid, fd), *name, net[32];
	u64 inode;

	if (!fds->details || !link || sscanf(link, "socket:[%llu]", &inode) != 1)
		return link;
	snprintf(net, sizeof(net), "/proc/%u/net", pid);
	name = lw_socket_name_find(net, inode);
	if (!name)
		return link;
	free(link);
	return name;
}

static bool closes_on_exec(u32 pid, u64 fd)
{
	char path[64], text[512], *flags;

	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%llu", pid, fd);
	if (lw_read_file(path, text, sizeof(text)) <= 0)
		return false;
	flags = strstr(text, "flags:");
	return flags && strtoul(flags + strlen("flags:"), NULL, 8) & O_CLOEXEC;
}

/**
 * lw_fd_paths_scan - learn what a process has open now
 * @fds: the table
 * @pid: the process
 *
 * Return: 0 or -ENOMEM; one that is gone has nothing.
 */
int lw_fd_paths_scan(struct lw_fd_paths *fds, u32 pid)
{
	struct process *process = get_process(fds->processes, pid);
	struct dirent *dirent;
	int ret = 0;
	char dir_path[32];
	DIR *dir;

	if (!process)
		return -ENOMEM;
	free(process->cwd);
	process->cwd = read_link("/proc/%u/cwd", pid, 0);
	snprintf(dir_path, sizeof(dir_path), "/proc/%u/fd", pid);
	dir = opendir(dir_path);
	while (!ret && dir && (dirent = readdir(dir))) {
		u64 fd;

		if (!lw_parse_u64(dirent->d_name, &fd) && fd < MAX_FD)
			ret = set_file(process, fd, name_of(fds, pid, fd),
				       closes_on_exec(pid, fd));
	}
	if (dir)
		closedir(dir);
	return ret;
}

/* The string that an argument points to, NULL if it is not known whole. */
static char *string_of(const struct lw_call *call, u32 arg)
{
	const struct lw_call_data *data = lw_call_find(call, arg, LW_DATA_STRING,
						       LW_SYSCALL_ENTRY);

	if (!data || lw_call_data_flaws(data))
		return NULL;
	return strndup((const char *)call->bytes + data->at, data->len);
}

/* @dirfd: what a path that does not begin with a slash is below of */
static char *full_path(const struct process *process, s32 dirfd, char *path)
{
	const struct file *dir = find_file(process, dirfd);
	const char *before = dirfd == AT_FDCWD ? process->cwd : dir ? dir->path : NULL;
	char *full = NULL;

	if (!path || *path == '/')
		return path;
	if (before && strlen(before) + 1 + strlen(path) < PATH_MAX &&
	    asprintf(&full, "%s/%s", strcmp(before, "/") ? before : "", path) < 0)
		full = NULL;
	free(path);
	return full;
}

/*
 * The directory that a path leads to: without "." and empty names, else it would grow
 * with each chdir().  What ".." is behind a link is not known: NULL then.
 */
static char *directory(char *path)
{
	char *to = path, *from = path;

	while (path && *from) {
		size_t slashes = strspn(from, "/"), len = strcspn(from + slashes, "/");
		const char *name = from + slashes;

		from += slashes + len;
		if (len == 2 && !strncmp(name, "..", 2)) {
			free(path);
			return NULL;
		}
		if (!len || (len == 1 && *name == '.'))
			continue;
		*to++ = '/';
		memmove(to, name, len);
		to += len;
	}
	if (!path)
		return NULL;
	if (to == path)
		*to++ = '/';
	*to = 0;
	return path;
}

static int take_open(struct process *process, const struct lw_call *call, s32 dirfd, u32 arg,
		     u64 flags)
{
	char *path = full_path(process, dirfd, string_of(call, arg));

	return set_file(process, call->ret, path, flags & O_CLOEXEC);
}

/* Where they were not read the descriptor is taken to stay open, as most do. */
static u64 flags_of_openat2(const struct lw_call *call)
{
	const struct lw_call_data *data = lw_call_find(call, 2, LW_DATA_BUFFER, LW_SYSCALL_ENTRY);
	struct open_how how = {};

	if (data && data->len >= sizeof(how.flags))
		memcpy(&how.flags, call->bytes + data->at, sizeof(how.flags));
	return how.flags;
}

static int take_dup(struct process *process, s32 from, s64 to, bool close_on_exec)
{
	const struct file *file = find_file(process, from);

	if (from == to)
		return 0;
	return set_file(process, to, file && file->path ? strdup(file->path) : NULL,
			close_on_exec);
}

static int take_fcntl(struct process *process, const struct lw_call *call)
{
	struct file *file = find_file(process, (s32)call->args[0]);

	switch ((u32)call->args[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return take_dup(process, call->args[0], call->ret,
				(u32)call->args[1] == F_DUPFD_CLOEXEC);
	case F_SETFD:
		if (file)
			file->close_on_exec = call->args[2] & FD_CLOEXEC;
	}
	return 0;
}

static void take_exec(struct process *process)
{
	for (size_t fd = 0; fd < process->nr; fd++) {
		if (process->files[fd].close_on_exec)
			set_file(process, fd, NULL, false);
	}
}

/* close_range(): with a flag they are only closed by the next execve(). */
static void close_range_of(struct process *process, u64 first, u64 last, u32 flags)
{
	for (u64 fd = first; fd <= last && fd < process->nr; fd++) {
		if (flags & CLOSE_RANGE_CLOEXEC)
			process->files[fd].close_on_exec = true;
		else
			set_file(process, fd, NULL, false);
	}
}

/* A thread, or a process that has the same table as its parent. */
static bool shares_files(const struct lw_call *call)
{
	const struct lw_call_data *data;
	u64 flags = 0;

	if (call->nr == __NR_clone)
		return call->args[LW_CLONE_FLAGS] & (CLONE_THREAD | CLONE_FILES);
	data = lw_call_find(call, 0, LW_DATA_BUFFER, LW_SYSCALL_ENTRY);
	if (call->nr == __NR_clone3 && data && data->len >= sizeof(flags))
		memcpy(&flags, call->bytes + data->at, sizeof(flags));
	return flags & (CLONE_THREAD | CLONE_FILES);
}

static int copy_files(struct process *child, const struct process *parent)
{
	int ret = 0;

	child->cwd = parent->cwd ? strdup(parent->cwd) : NULL;
	for (size_t fd = 0; !ret && fd < parent->nr; fd++) {
		if (parent->files[fd].path)
			ret = set_file(child, fd, strdup(parent->files[fd].path),
				       parent->files[fd].close_on_exec);
	}
	return ret;
}

static void set_fork(struct process *child, const struct lw_call *call)
{
	child->told = call->end;
	child->fork_nr = call->nr;
	memcpy(child->fork_args, call->args, sizeof(child->fork_args));
}

static bool same_fork(const struct process *child, const struct lw_call *call)
{
	return child->fork_nr == call->nr &&
	       !memcmp(child->fork_args, call->args, sizeof(child->fork_args));
}

static int take_fork(struct lw_fd_paths *fds, const struct process *parent,
		     const struct lw_call *call)
{
	struct process *child = find_process(fds->processes, call->ret);
	struct process *unborn = find_process(fds->unborn, call->ret);

	if (shares_files(call))
		return 0;
	if (child && same_fork(child, call) && child->told >= call->begin) {
		if (!child->newborn)
			return 0;
		child->newborn = false;
		return copy_files(child, parent);
	}
	if (unborn)
		free_process(unborn);
	child = get_process(fds->unborn, call->ret);
	if (!child)
		return -ENOMEM;
	set_fork(child, call);
	return copy_files(child, parent);
}

/* A process that had the number before has ended. */
static int take_birth(struct lw_fd_paths *fds, const struct lw_call *call)
{
	struct process *before = find_process(fds->processes, call->pid);
	struct process *child = find_process(fds->unborn, call->pid);

	if (call->pid != call->tid)
		return 0;
	if (before)
		free_process(before);
	if (child && same_fork(child, call)) {
		lw_hash_del(&child->node);
		lw_hash_add(lw_hash_slot(fds->processes, call->pid), &child->node);
		child->told = call->end;
		return 0;
	}
	child = get_process(fds->processes, call->pid);
	if (!child)
		return -ENOMEM;
	set_fork(child, call);
	child->newborn = true;
	return 0;
}

static void set_cwd(struct process *process, char *path)
{
	free(process->cwd);
	process->cwd = path;
}

static char *address_of(const struct lw_call *call, u32 when)
{
	const struct lw_call_data *data = lw_call_find(call, 1, LW_DATA_BUFFER, when);

	return data && data->len ? lw_socket_address(call->bytes + data->at, data->len) : NULL;
}

static int take_accept(struct process *process, const struct lw_call *call)
{
	const struct file *from = find_file(process, (s32)call->args[0]);
	char *peer, *name = NULL;

	if (from && from->path) {
		peer = address_of(call, LW_SYSCALL_EXIT);
		name = lw_socket_name_with(from->path, NULL, peer);
		free(peer);
	}
	return set_file(process, call->ret, name,
			call->nr == __NR_accept4 && call->args[3] & SOCK_CLOEXEC);
}

/* bind(), connect() and those that ask tell one of both addresses. */
static int take_address(struct process *process, const struct lw_call *call, bool peer, u32 when)
{
	struct file *file = find_file(process, (s32)call->args[0]);
	char *address = address_of(call, when), *name = NULL;

	if (file && file->path && address)
		name = lw_socket_name_with(file->path, peer ? NULL : address,
					   peer ? address : NULL);
	free(address);
	return name ? set_file(process, (s32)call->args[0], name, file->close_on_exec) : 0;
}

static int take_socket(struct process *process, const struct lw_call *call)
{
	switch (call->nr) {
	case __NR_socket:
		return set_file(process, call->ret,
				lw_socket_name(call->args[0], call->args[1], call->args[2]),
				call->args[1] & SOCK_CLOEXEC);
	case __NR_accept:
	case __NR_accept4:
		return take_accept(process, call);
	case __NR_bind:
		return take_address(process, call, false, LW_SYSCALL_ENTRY);
	case __NR_connect:
		return take_address(process, call, true, LW_SYSCALL_ENTRY);
	case __NR_getsockname:
		return take_address(process, call, false, LW_SYSCALL_EXIT);
	}
	return take_address(process, call, true, LW_SYSCALL_EXIT);
}

static bool is_of_socket(u32 nr)
{
	return nr == __NR_socket || nr == __NR_accept || nr == __NR_accept4 || nr == __NR_bind ||
	       nr == __NR_connect || nr == __NR_getsockname || nr == __NR_getpeername;
}

static int take_any(struct lw_fd_paths *fds, struct process *process, const struct lw_call *call)
{
	const struct file *file = find_file(process, (s32)call->args[0]);

	if (fds->details && is_of_socket(call->nr))
		return take_socket(process, call);
	switch (call->nr) {
	case __NR_open:
		return take_open(process, call, AT_FDCWD, 0, call->args[1]);
	case __NR_creat:
		return take_open(process, call, AT_FDCWD, 0, 0);
	case __NR_openat:
		return take_open(process, call, call->args[0], 1, call->args[2]);
	case __NR_openat2:
		return take_open(process, call, call->args[0], 1, flags_of_openat2(call));
	case __NR_dup:
	case __NR_dup2:
		return take_dup(process, call->args[0], call->ret, false);
	case __NR_dup3:
		return take_dup(process, call->args[0], call->ret, call->args[2] & O_CLOEXEC);
	case __NR_fcntl:
		return take_fcntl(process, call);
	case __NR_close:
		return set_file(process, (s32)call->args[0], NULL, false);
	case __NR_close_range:
		close_range_of(process, (u32)call->args[0], (u32)call->args[1], call->args[2]);
		return 0;
	case __NR_chdir:
		set_cwd(process, directory(full_path(process, AT_FDCWD, string_of(call, 0))));
		return 0;
	case __NR_fchdir:
		set_cwd(process, file && file->path ? directory(strdup(file->path)) : NULL);
		return 0;
	case __NR_execve:
	case __NR_execveat:
		take_exec(process);
		return 0;
	case __NR_clone:
	case __NR_clone3:
	case __NR_fork:
	case __NR_vfork:
		return take_fork(fds, process, call);
	}
	/* another kind of descriptor takes the number */
	return lw_syscall_row(call->nr)->result == LW_RESULT_FD ?
		set_file(process, call->ret, NULL, false) : 0;
}

/**
 * lw_fd_paths_call - learn from a call
 * @fds: the table
 * @call: whole; those of one process in the order of their ends
 *
 * Return: 0 or -ENOMEM.
 */
int lw_fd_paths_call(struct lw_fd_paths *fds, const struct lw_call *call)
{
	struct process *process;

	if (call->state & LW_CALL_BORN)
		return take_birth(fds, call);
	if (call->nr == __NR_exit_group) {
		process = find_process(fds->processes, call->pid);
		if (process)
			free_process(process);
		return 0;
	}
	if (!(call->state & LW_CALL_ENDED) || !lw_fd_paths_wants(call->nr))
		return 0;
	/* close() makes the number free whatever it returns; a connection may be made later */
	if (call->ret < 0 && call->nr != __NR_close &&
	    (call->nr != __NR_connect || call->ret != -EINPROGRESS))
		return 0;
	process = get_process(fds->processes, call->pid);
	if (!process)
		return -ENOMEM;
	process->told = call->end;
	process->newborn = false;
	return take_any(fds, process, call);
}

/**
 * lw_fd_paths_sweep - forget processes that were killed, and children that are not ours
 * @fds: the table
 * @before: only those of which nothing was told since
 * @lives: is there such a process
 */
void lw_fd_paths_sweep(struct lw_fd_paths *fds, u64 before, bool (*lives)(u32 pid))
{
	struct lw_hash_node **at, *after;
	struct process *process;

	lw_hash_for_all_safe(process, after, at, fds->processes, node) {
		if (process->told < before && !lives(process->pid))
			free_process(process);
	}
	lw_hash_for_all_safe(process, after, at, fds->unborn, node) {
		if (process->told < before)
			free_process(process);
	}
}

/**
 * lw_fd_paths_wants - does a call tell of descriptors
 * @nr: its number
 *
 * Return: true if lw_fd_paths_call() has to see it.
 */
bool lw_fd_paths_wants(u32 nr)
{
	switch (nr) {
	case __NR_fcntl:
	case __NR_close:
	case __NR_close_range:
	case __NR_chdir:
	case __NR_fchdir:
	case __NR_execve:
	case __NR_execveat:
	case __NR_clone:
	case __NR_clone3:
	case __NR_fork:
	case __NR_vfork:
		return true;
	}
	return lw_syscall_row(nr)->result == LW_RESULT_FD || is_of_socket(nr);
}

/**
 * lw_fd_paths_find - the file that a descriptor is
 * @fds: the table
 * @pid: of the process
 * @fd: the descriptor; AT_FDCWD for the working directory
 *
 * Return: its path, good until the next call is learned from, or NULL.
 */
const char *lw_fd_paths_find(const struct lw_fd_paths *fds, u32 pid, s32 fd)
{
	const struct process *process = find_process(fds->processes, pid);
	const struct file *file = find_file(process, fd);

	if (process && fd == AT_FDCWD)
		return process->cwd;
	return file ? file->path : NULL;
}
