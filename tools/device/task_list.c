// SPDX-License-Identifier: GPL-2.0
/*
 * task_list.c - all tasks, process by process: struct lw_task_list.
 *
 * Contexts: one thread per list.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device/task_list.h"

#define MANY		1024

static bool is_first(const struct lw_task_entry *task)
{
	return task->tid == task->pid;
}

static int by_process(const void *a, const void *b)
{
	const struct lw_task_entry *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	/* numbers begin anew at some time: a first thread may have the greatest of them */
	if (is_first(left) != is_first(right))
		return is_first(left) ? -1 : 1;
	return left->tid < right->tid ? -1 : left->tid > right->tid;
}

/* Return: 0; or -errno of LW_IOC_TASK_LIST, -ENOENT at the end. */
static int read_more(struct lw_tasks *tasks, int fd, struct lw_task_list *list)
{
	if (lw_grow((void **)&tasks->all, &tasks->room, tasks->nr + MANY, sizeof(*tasks->all)))
		return -ENOMEM;
	list->buf = (uintptr_t)(tasks->all + tasks->nr);
	list->buf_size = MANY * sizeof(*tasks->all);
	if (ioctl(fd, LW_IOC_TASK_LIST, list))
		return -errno;
	/* that of another module may be longer */
	if (list->used != list->nr * sizeof(*tasks->all))
		return -EOPNOTSUPP;
	tasks->nr += list->nr;
	return 0;
}

/**
 * lw_tasks_read - ask the module for all tasks
 * @tasks: empty; for lw_tasks_free(), whatever comes of it
 *
 * Return: 0, -ENOMEM, or -errno: the module is not there, can't, or won't tell.
 */
int lw_tasks_read(struct lw_tasks *tasks)
{
	struct lw_task_list list = { .size = sizeof(list) };
	int fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	do {
		ret = read_more(tasks, fd, &list);
	} while (!ret);
	close(fd);
	if (ret != -ENOENT)
		return ret;
	if (tasks->nr)
		qsort(tasks->all, tasks->nr, sizeof(*tasks->all), by_process);
	return 0;
}

/**
 * lw_tasks_find - ask the module for one task
 * @tid: its number
 * @task: gets what it is now
 *
 * Return: 0, -ESRCH, or -errno as lw_tasks_read().
 */
int lw_tasks_find(pid_t tid, struct lw_task_entry *task)
{
	struct lw_task_list list = {
		.size = sizeof(list),
		.tid = tid,
		.buf = (uintptr_t)task,
		.buf_size = sizeof(*task),
	};
	int fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = ioctl(fd, LW_IOC_TASK_LIST, &list) ? -errno : 0;
	close(fd);
	if (!ret && task->tid != tid)
		ret = -ESRCH;
	return ret == -ENOENT ? -ESRCH : ret;
}

/**
 * lw_tasks_of_process - how many there are of one process
 * @tasks: read
 * @at: the first one
 *
 * Return: at least 1.
 */
size_t lw_tasks_of_process(const struct lw_tasks *tasks, size_t at)
{
	size_t nr = 1;

	while (at + nr < tasks->nr && tasks->all[at + nr].pid == tasks->all[at].pid)
		nr++;
	return nr;
}

/**
 * lw_tasks_free - forget them
 * @tasks: is empty then
 */
void lw_tasks_free(struct lw_tasks *tasks)
{
	free(tasks->all);
	memset(tasks, 0, sizeof(*tasks));
}
