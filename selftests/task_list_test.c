// SPDX-License-Identifier: GPL-2.0
/*
 * task_list_test.c - LW_IOC_TASK_LIST: the tasks that /proc has, with their names and
 * namespaces; buffers of all sizes, what it refuses, and to whom it tells.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define ROOM		4096
#define ENTRY		sizeof(struct lw_task_entry)
#define MOST_CHILDREN	300
#define NR_CHILDREN	(lwt_long() ? MOST_CHILDREN : 100U)
#define NR_THREADS	20

/* As who has no session has it. */
FIXTURE(device)
{
	int fd;
	struct lw_task_entry *all;
	unsigned int nr;
	struct lw_task_list list;
};

FIXTURE_SETUP(device)
{
	self->fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->all = calloc(ROOM, ENTRY);
	self->list = (struct lw_task_list) {
		.size = sizeof(self->list),
		.buf = (uintptr_t)self->all,
		.buf_size = ROOM * ENTRY,
	};
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
	free(self->all);
}

static int list(FIXTURE_DATA(device) *self)
{
	return lwt_ioctl(self->fd, LW_IOC_TASK_LIST, &self->list);
}

/* With @room bytes at a time.  Return: 0 if that ends as it should. */
static int list_all(FIXTURE_DATA(device) *self, size_t room)
{
	int ret;

	self->nr = 0;
	self->list.tid = 0;
	for (;;) {
		self->list.buf = (uintptr_t)&self->all[self->nr];
		self->list.buf_size = room;
		ret = list(self);
		if (ret)
			return ret == -ENOENT ? 0 : ret;
		if (!self->list.nr || self->list.used != self->list.nr * ENTRY ||
		    self->list.used > room || self->nr + self->list.nr + room / ENTRY > ROOM)
			return -EBADMSG;
		self->nr += self->list.nr;
	}
}

static const struct lw_task_entry *find(FIXTURE_DATA(device) *self, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < self->nr; i++)
		if (self->all[i].tid == tid)
			return &self->all[i];
	return NULL;
}

/* One that stands still.  Return: its number, behind what it does first. */
static pid_t start(int (*first)(void))
{
	int begun[2];
	char byte;
	pid_t pid;

	if (pipe(begun))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if ((first && first()) || write(begun[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(begun[1]);
	if (read(begun[0], &byte, 1) != 1)
		pid = -1;
	close(begun[0]);
	return pid;
}

TEST_F(device, is_told_as_a_feature)
{
	EXPECT_NE(0, lwt_features(self->fd) & LW_FEATURE_TASK_LIST);
}

TEST_F(device, checks_the_argument)
{
	const struct lw_task_list good = self->list;

	self->list.tid = -1;
	EXPECT_EQ(-EINVAL, list(self));
	self->list.tid = INT_MIN;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.buf = 0;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.buf_size = ENTRY - 1;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.flags = 1;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.buf = 4096;
	EXPECT_EQ(-EFAULT, list(self));
	self->list = good;
	self->list.tid = INT_MAX;
	EXPECT_EQ(-ENOENT, list(self));
	self->list = good;
	self->list.buf_size = UINT_MAX;
	EXPECT_EQ(0, list(self));
}

static bool read_comm(pid_t pid, pid_t tid, char comm[16])
{
	char path[64];
	FILE *file;
	bool is_there;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	is_there = fgets(comm, 16, file);
	comm[strcspn(comm, "\n")] = 0;
	fclose(file);
	return is_there;
}

/* A kernel's worker does not keep its name, and /proc has more of it. */
static bool is_as_in_proc(const struct lw_task_entry *entry)
{
	char comm[16] = "";

	if (!read_comm(entry->pid, entry->tid, comm))
		return false;
	return entry->flags & LW_TASK_KERNEL || !strcmp(entry->comm, comm);
}

/* Return: whether the kernel says of it that it has no memory, nor is a zombie. */
static bool is_kernel_thread(pid_t pid)
{
	char path[64], line[256];
	bool is_one = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		is_one |= !strcmp(line, "Kthread:\t1\n");
	if (file)
		fclose(file);
	return is_one;
}

/* Return: tasks that /proc has and the list has not, or otherwise. */
static unsigned int compare_threads(FIXTURE_DATA(device) *self, pid_t pid)
{
	unsigned int wrong = 0;
	struct dirent *dirent;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (dirent = readdir(dir))) {
		const struct lw_task_entry *entry;
		pid_t tid = atoi(dirent->d_name);

		if (!tid)
			continue;
		entry = find(self, tid);
		wrong += !entry || entry->pid != pid || !is_as_in_proc(entry);
	}
	if (dir)
		closedir(dir);
	return wrong;
}

static void *stand_still(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "thread %d", (int)(intptr_t)arg);
	prctl(PR_SET_NAME, name);
	for (;;)
		pause();
	return NULL;
}

static int make_threads(void)
{
	pthread_t thread;
	intptr_t i;

	prctl(PR_SET_NAME, "fifteen letters");
	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&thread, NULL, stand_still, (void *)i))
			return -1;
	return 0;
}

static bool is_stopped(pid_t pid)
{
	char path[64];
	struct stat st;

	/* the directory has a link for each of them, and two */
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return !stat(path, &st) && st.st_nlink == NR_THREADS + 3;
}

/* What began meanwhile is not there, and what ended is not in /proc: ask until none did. */
static bool is_whole(FIXTURE_DATA(device) *self, size_t room, unsigned int *processes,
		     unsigned int *kernel)
{
	unsigned int wrong = 0, i;
	struct dirent *dirent;
	DIR *dir;

	if (list_all(self, room))
		return false;
	*processes = 0;
	*kernel = 0;
	dir = opendir("/proc");
	while ((dirent = readdir(dir))) {
		if (!atoi(dirent->d_name))
			continue;
		++*processes;
		wrong += compare_threads(self, atoi(dirent->d_name));
	}
	closedir(dir);
	for (i = 0; i < self->nr; i++) {
		const struct lw_task_entry *entry = &self->all[i];

		*kernel += !!(entry->flags & LW_TASK_KERNEL);
		wrong += (i && entry[-1].tid >= entry->tid) || entry->size != ENTRY ||
			 !is_as_in_proc(entry);
	}
	return !wrong;
}

TEST_F_TIMEOUT(device, tells_of_the_tasks_that_proc_has, 120)
{
	static const size_t rooms[] = {
		1024 * ENTRY, ENTRY, 2 * ENTRY - 1, 102 * ENTRY, 103 * ENTRY, 204 * ENTRY + 7,
	};
	unsigned int processes, kernel, nr = 0;
	uint64_t seed = lwt_seed();
	pid_t many[MOST_CHILDREN], threads;
	const struct lw_task_entry *entry;
	size_t i;

	for (i = 0; i < NR_CHILDREN; i++) {
		many[i] = start(NULL);
		ASSERT_LT(0, many[i]);
	}
	threads = start(make_threads);
	ASSERT_LT(0, threads);
	ASSERT_TRUE(lwt_wait(is_stopped(threads)));
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		/* All is looked up in /proc each time. */
		if (!lwt_long() && i != seed % ARRAY_SIZE(rooms) &&
		    i != seed / 8 % ARRAY_SIZE(rooms))
			continue;
		EXPECT_TRUE(lwt_wait(is_whole(self, rooms[i], &processes, &kernel)))
			TH_LOG("room for %zu bytes", rooms[i]);
		EXPECT_LT(NR_CHILDREN + 2, processes);
		EXPECT_LT(3, kernel);
	}
	for (i = 0; i < self->nr; i++)
		nr += self->all[i].pid == threads;
	EXPECT_EQ(NR_THREADS + 1, nr);
	entry = find(self, threads);
	ASSERT_NE(NULL, entry);
	EXPECT_STREQ("fifteen letters", entry->comm);
	EXPECT_EQ(0, entry->flags);
	entry = find(self, 2);
	ASSERT_NE(NULL, entry);
	EXPECT_STREQ("kthreadd", entry->comm);
	EXPECT_EQ(LW_TASK_KERNEL, entry->flags);
	/* since 6.9 */
	if (is_kernel_thread(2))
		EXPECT_FALSE(is_kernel_thread(threads));
	for (i = 0; i < NR_CHILDREN; i++)
		lwt_end(many[i]);
	lwt_end(threads);
}

TEST_F(device, begins_where_it_is_told_to)
{
	pid_t first = start(NULL), second = start(NULL), other = second;

	ASSERT_LT(0, first);
	ASSERT_LT(0, second);
	/* numbers begin anew at some time */
	if (second < first) {
		second = first;
		first = other;
	}
	self->list.tid = second;
	EXPECT_EQ(0, list(self));
	EXPECT_EQ(second, self->all->tid);
	self->list.tid = first;
	self->list.buf_size = ENTRY;
	EXPECT_EQ(0, list(self));
	EXPECT_EQ(first, self->all->tid);
	EXPECT_EQ(first + 1, self->list.tid);
	lwt_end(first);
	lwt_end(second);
}

TEST_F(device, tells_of_zombies)
{
	pid_t pid = fork();
	const struct lw_task_entry *entry;
	siginfo_t info;

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	ASSERT_EQ(0, list_all(self, ROOM / 2 * ENTRY));
	entry = find(self, pid);
	ASSERT_NE(NULL, entry);
	EXPECT_EQ(pid, entry->pid);
	EXPECT_EQ(0, entry->namespaces);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, list_all(self, ROOM / 2 * ENTRY));
	EXPECT_EQ(NULL, find(self, pid));
}

static int leave_uts(void)
{
	return unshare(CLONE_NEWUTS);
}

static int leave_user(void)
{
	return unshare(CLONE_NEWUSER);
}

static int leave_mounts(void)
{
	return unshare(CLONE_NEWNS);
}

static uint64_t namespaces_of(FIXTURE_DATA(device) *self, pid_t pid)
{
	const struct lw_task_entry *entry = find(self, pid);

	return entry ? entry->namespaces : 0;
}

TEST_F(device, tells_who_shares_namespaces)
{
	int (* const left[])(void) = { NULL, NULL, leave_uts, leave_user, leave_mounts };
	pid_t pids[ARRAY_SIZE(left)];
	uint64_t own, other;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(left); i++) {
		pids[i] = start(left[i]);
		ASSERT_LT(0, pids[i])
			TH_LOG("%u", i);
	}
	ASSERT_EQ(0, list_all(self, 64 * ENTRY));
	own = namespaces_of(self, getpid());
	EXPECT_NE(0, own);
	EXPECT_EQ(own, namespaces_of(self, pids[0]));
	EXPECT_EQ(own, namespaces_of(self, pids[1]));
	for (i = 2; i < ARRAY_SIZE(left); i++) {
		other = namespaces_of(self, pids[i]);
		EXPECT_NE(0, other);
		EXPECT_NE(own, other)
			TH_LOG("%u", i);
		for (j = 2; j < i; j++)
			EXPECT_NE(other, namespaces_of(self, pids[j]));
	}
	/* Addresses would all be seen as such. */
	EXPECT_FALSE(own >> 48 == 0xffff && namespaces_of(self, pids[2]) >> 48 == 0xffff &&
		     namespaces_of(self, pids[4]) >> 48 == 0xffff);
	for (i = 0; i < ARRAY_SIZE(left); i++)
		lwt_end(pids[i]);
}

/*
 * In a namespace of their own: the same sets but for the numbers' one, numbers from 1 on,
 * and nothing of who is outside.
 */
static int ask_inside(FIXTURE_DATA(device) *self)
{
	pid_t child = start(NULL);

	if (getpid() != 1 || child != 2)
		return 1;
	if (list_all(self, 8 * ENTRY))
		return 2;
	if (self->nr != 2 || self->all[0].tid != 1 || self->all[1].tid != 2)
		return 3;
	if (self->all[0].pid != 1 || self->all[1].pid != 2)
		return 4;
	return self->all[0].namespaces == self->all[1].namespaces ? 0 : 5;
}

TEST_F(device, has_the_numbers_of_its_own_namespace)
{
	pid_t outer, inner;
	int status;

	ASSERT_EQ(0, list_all(self, 64 * ENTRY));
	outer = fork();
	if (!outer) {
		uint64_t own = namespaces_of(self, getppid());

		if (unshare(CLONE_NEWPID))
			_exit(100);
		inner = fork();
		if (!inner)
			_exit(ask_inside(self) ?: namespaces_of(self, 1) == own ? 10 : 0);
		if (waitpid(inner, &status, 0) != inner || !WIFEXITED(status))
			_exit(101);
		_exit(WEXITSTATUS(status));
	}
	ASSERT_EQ(outer, waitpid(outer, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

static void *come_and_go(void *arg)
{
	const bool *stop = arg;

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		pid_t pid = fork();

		if (!pid) {
			pthread_t thread;

			pthread_create(&thread, NULL, stand_still, NULL);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return NULL;
}

/* Whoever is there all the time is told of once, in each list. */
TEST_F_TIMEOUT(device, is_right_while_tasks_come_and_go, 60)
{
	pthread_t threads[3];
	unsigned int i, j, seen, sorted, lists = lwt_sample(200, 40);
	uint64_t seed = lwt_seed();
	bool stop = false;
	pid_t still = start(NULL);

	ASSERT_LT(0, still);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, come_and_go, &stop));
	for (i = 0; i < lists; i++) {
		int ret = list_all(self, (lwt_random(&seed) % 110 + 1) * ENTRY);

		seen = 0;
		sorted = 1;
		for (j = 0; j < self->nr; j++) {
			seen += self->all[j].tid == still;
			sorted += j && self->all[j - 1].tid < self->all[j].tid;
		}
		if (ret || seen != 1 || sorted != self->nr)
			break;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	EXPECT_EQ(lists, i);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	lwt_end(still);
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
