// SPDX-License-Identifier: GPL-2.0
/*
 * synth_all.c - side-band records for all processes, by several threads.
 *
 * What takes time is the kernel's, and goes on CPUs beside each other: a thread takes the
 * next process, and collects its records; these are handed on when there are many.
 *
 * Contexts: the thread that calls, and up to seven that it begins and waits for.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/task_list.h"
#include "sideband/synth_processes.h"

#define MAX_THREADS	8
/* A thread takes as long to begin as some processes take. */
#define LEAST_EACH	32
#define ENOUGH		(128U << 10)

struct pass {
	struct lw_synth *synth;
	pthread_mutex_t lock;		/* of what follows, and to hand on records */
	struct lw_tasks tasks;		/* what the module tells, or none */
	pid_t *pids;			/* else of whom it is to be asked */
	size_t nr, room, next;
	int ret;			/* nonzero ends it */
	char why[1024];			/* each thread has a text of its own */
};

struct collector {
	struct pass *pass;
	struct lw_synth *twin;
	pthread_t thread;
	u8 *bytes;
	size_t used, room;
};

/* With the lock. */
static void note_end(struct pass *pass, int ret)
{
	if (!ret || pass->ret)
		return;
	pass->ret = ret;
	snprintf(pass->why, sizeof(pass->why), "%s", lw_fail_text());
}

static void end_pass(struct pass *pass, int ret)
{
	pthread_mutex_lock(&pass->lock);
	note_end(pass, ret);
	pthread_mutex_unlock(&pass->lock);
}

/* A process. */
struct job {
	const struct lw_task_entry *tasks;
	size_t nr;		/* of them; 0: ask about @pid */
	pid_t pid;
};

/* Return: false: that was all. */
static bool next_job(struct pass *pass, struct job *job)
{
	bool is_there;

	memset(job, 0, sizeof(*job));
	pthread_mutex_lock(&pass->lock);
	is_there = !pass->ret && pass->next < pass->nr;
	if (is_there && pass->tasks.nr) {
		job->tasks = &pass->tasks.all[pass->next];
		job->nr = lw_tasks_of_process(&pass->tasks, pass->next);
		pass->next += job->nr;
	} else if (is_there) {
		job->pid = pass->pids[pass->next++];
	}
	pthread_mutex_unlock(&pass->lock);
	return is_there;
}

static void hand_on(struct collector *collector)
{
	struct pass *pass = collector->pass;
	const struct perf_event_header *record;

	pthread_mutex_lock(&pass->lock);
	for (size_t at = 0; !pass->ret && at < collector->used; at += record->size) {
		record = (const void *)(collector->bytes + at);
		note_end(pass, lw_synth_put(pass->synth, record));
	}
	pthread_mutex_unlock(&pass->lock);
	collector->used = 0;
}

static int take_record(void *ctx, const struct perf_event_header *record)
{
	struct collector *collector = ctx;

	if (lw_grow((void **)&collector->bytes, &collector->room,
		    collector->used + record->size, 1))
		return -ENOMEM;
	memcpy(collector->bytes + collector->used, record, record->size);
	collector->used += record->size;
	return 0;
}

static void *collect(void *ctx)
{
	struct collector *collector = ctx;
	struct job job;
	int ret = 0;

	while (!ret && next_job(collector->pass, &job)) {
		ret = job.nr ? lw_synth_tasks(collector->twin, job.tasks, job.nr) :
			       lw_synth_process(collector->twin, job.pid);
		if (!ret && collector->used >= ENOUGH)
			hand_on(collector);
	}
	if (ret)
		end_pass(collector->pass, ret == -ENOMEM ? lw_fail(ret, "out of memory") : ret);
	else
		hand_on(collector);
	return NULL;
}

static int read_proc(struct pass *pass)
{
	DIR *dir = opendir("/proc");
	struct dirent *dirent;
	int ret = 0;
	u64 pid;

	if (!dir)
		return lw_fail(-errno, "cannot read /proc: %s\n  Mount it.", strerror(errno));
	while (!ret && (dirent = readdir(dir))) {
		if (lw_parse_u64(dirent->d_name, &pid))
			continue;
		if (lw_grow((void **)&pass->pids, &pass->room, pass->nr + 1, sizeof(pid_t)))
			ret = lw_fail(-ENOMEM, "out of memory");
		else
			pass->pids[pass->nr++] = pid;
	}
	closedir(dir);
	return ret;
}

static int find_processes(struct pass *pass)
{
	int ret = lw_tasks_read(&pass->tasks);

	pass->nr = pass->tasks.nr;
	if (!ret)
		return 0;
	if (ret == -ENOMEM)
		return lw_fail(ret, "out of memory");
	lw_tasks_free(&pass->tasks);
	pass->nr = 0;
	return read_proc(pass);
}

static u32 nr_threads(const struct pass *pass)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t nr = pass->nr / LEAST_EACH + 1;

	if (cpus > 0 && nr > (size_t)cpus)
		nr = cpus;
	return nr < MAX_THREADS ? nr : MAX_THREADS;
}

/* This thread is the first one; where there can be no more it does all. */
static int collect_all(struct pass *pass)
{
	struct collector collectors[MAX_THREADS] = { 0 };
	u32 nr = nr_threads(pass), begun;

	for (begun = 0; begun < nr; begun++) {
		struct collector *new = &collectors[begun];

		new->pass = pass;
		new->twin = lw_synth_twin(pass->synth, take_record, new);
		if (!new->twin || (begun && pthread_create(&new->thread, NULL, collect, new)))
			break;
	}
	if (collectors[0].twin)
		collect(&collectors[0]);
	else
		end_pass(pass, lw_fail(-ENOMEM, "out of memory"));
	for (u32 i = 0; i < MAX_THREADS; i++) {
		if (i && i < begun)
			pthread_join(collectors[i].thread, NULL);
		lw_synth_free(collectors[i].twin);
		free(collectors[i].bytes);
	}
	return pass->ret;
}

/**
 * lw_synth_all - as lw_synth_process(), for every process
 * @synth: the state; its function is called from one thread at a time
 *
 * Records of one process follow each other in their order; of several, in any.
 *
 * Return: 0, -errno with lw_fail_text(), or the first nonzero return of the function.
 */
int lw_synth_all(struct lw_synth *synth)
{
	struct pass pass = { .synth = synth, .lock = PTHREAD_MUTEX_INITIALIZER };
	int ret = find_processes(&pass);

	if (!ret)
		ret = collect_all(&pass);
	lw_tasks_free(&pass.tasks);
	free(pass.pids);
	return pass.ret < 0 ? lw_fail(ret, "%s", pass.why) : ret;
}
