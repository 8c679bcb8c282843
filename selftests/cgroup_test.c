// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup_test.c - LW_SETUP_CGROUP: each sample tells in which cgroup its task was.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define RING	(1 << 20)
#define MSEC	1000000ULL
#define ENOUGH	20

FIXTURE(cgroups)
{
	struct lwt_session s;
	struct lwt_log log;
	char root[32];
	char dirs[2][64];
	uint64_t ids[2];
	pid_t children[2];
};

/* What the kernel calls the directory: it is the cgroup's id. */
static uint64_t id_of(const char *dir)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + 8];
	} any = { .handle = { .handle_bytes = 8 } };
	uint64_t id = 0;
	int mount_id;

	if (!name_to_handle_at(AT_FDCWD, dir, &any.handle, &mount_id, 0))
		memcpy(&id, any.handle.f_handle, sizeof(id));
	return id;
}

static pid_t start(FIXTURE_DATA(cgroups) *self, const char *dir)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(&self->s);
	if (lwt_put_in_cgroup(dir, getpid()))
		_exit(1);
	for (;;)
		asm volatile("" : : : "memory");
}

static bool make_dirs(FIXTURE_DATA(cgroups) *self)
{
	int i;

	for (i = 0; i < 2; i++) {
		/* all mounts have the same ones */
		snprintf(self->dirs[i], sizeof(self->dirs[i]), "%s/lw-test-%d-%d", self->root,
			 getpid(), i);
		if (mkdir(self->dirs[i], 0755))
			return false;
		self->ids[i] = id_of(self->dirs[i]);
	}
	return self->ids[0] && self->ids[1] && self->ids[0] != self->ids[1];
}

FIXTURE_SETUP(cgroups)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = LW_SETUP_CGROUP,
		.ring_size = RING,
		.kernel_depth = LW_MAX_KERNEL_DEPTH,
	};

	strcpy(self->root, "/tmp/lw-cgroup-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->root));
	if (mount("none", self->root, "cgroup2", 0, NULL)) {
		rmdir(self->root);
		self->root[0] = 0;
		SKIP(return, "no cgroup2 file system: %m");
	}
	ASSERT_TRUE(make_dirs(self));
	ASSERT_EQ(0, lwt_session_open_as(&self->s, &setup));
}

FIXTURE_TEARDOWN(cgroups)
{
	int i;

	for (i = 0; i < 2; i++)
		lwt_end(self->children[i]);
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
	/* who failed may be in one of them */
	lwt_put_in_cgroup(self->root, getpid());
	for (i = 0; i < 2; i++)
		lwt_wait(!rmdir(self->dirs[i]) || errno != EBUSY);
	umount(self->root);
	rmdir(self->root);
}

static uint64_t cgroup_of(const struct lw_sample *sample)
{
	return sample->kernel[sample->nr_kernel];
}

/* Of the samples since @time: how many of @pid are of @id, or of another one. */
static unsigned int count(const struct lwt_log *log, pid_t pid, uint64_t id, bool others,
			  uint64_t time)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++) {
		const struct lw_sample *sample = log->records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE || sample->pid != (uint32_t)pid ||
		    sample->time < time)
			continue;
		nr += (cgroup_of(sample) == id) != others;
	}
	return nr;
}

/* Return: there are samples enough of @pid that say @id. */
static bool are_of(FIXTURE_DATA(cgroups) *self, pid_t pid, uint64_t id, uint64_t time)
{
	return lwt_wait(lwt_read(&self->s, &self->log) < 0 ||
			count(&self->log, pid, id, false, time) >= ENOUGH);
}

TEST_F(cgroups, is_a_feature)
{
	EXPECT_NE(0, lwt_features(self->s.fd) & LW_FEATURE_CGROUP);
}

TEST_F_TIMEOUT(cgroups, are_those_of_the_tasks, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(2 * MSEC);
	uint64_t moved;
	int i;

	for (i = 0; i < 2; i++) {
		self->children[i] = start(self, self->dirs[i]);
		ASSERT_LT(0, self->children[i]);
	}
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(are_of(self, self->children[i], self->ids[i], 0));
	/* where they began they were ours, but never each other's */
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, count(&self->log, self->children[i], self->ids[!i], false, 0));

	ASSERT_EQ(0, lwt_put_in_cgroup(self->dirs[1], self->children[0]));
	moved = lwt_now();
	EXPECT_TRUE(are_of(self, self->children[0], self->ids[1], moved));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	EXPECT_LE(0, lwt_read(&self->s, &self->log));
	EXPECT_EQ(0, count(&self->log, self->children[0], self->ids[1], true, moved));
	EXPECT_EQ(0, count(&self->log, self->children[1], self->ids[0], false, 0));
	EXPECT_EQ(0, lwt_log_check(&self->log).malformed);
}

static void run_and_exit(FIXTURE_DATA(cgroups) *self, const char *dir)
{
	uint64_t end;

	lwt_session_forget(&self->s);
	if (lwt_put_in_cgroup(dir, getpid()))
		_exit(1);
	for (end = lwt_now() + MSEC; lwt_now() < end;)
		;
	_exit(0);
}

/* Return: samples of @pid that say @id; -1 if one of another id than that and @before. */
static int of_either(const struct lwt_log *log, pid_t pid, uint64_t id, uint64_t before)
{
	unsigned int all = count(log, pid, 0, true, 0), its = count(log, pid, id, false, 0);

	return its + count(log, pid, before, false, 0) == all ? (int)its : -1;
}

/* Its last task is on its way out, sampled, and the directory is gone at once. */
TEST_F_TIMEOUT(cgroups, may_go_while_their_tasks_are_sampled, 60)
{
	struct perf_event_attr clock = lwt_attr_cpu_clock(MSEC / 5 * LW_TIME_SCALE);
	struct perf_event_attr exits = lwt_attr_tracepoint("sched/sched_process_exit");
	unsigned int rounds, seen = 0, wanted = lwt_sample(100, 20);
	uint64_t id, lost;
	char dir[64];
	int status, nr;
	pid_t pid;

	snprintf(dir, sizeof(dir), "%s/lw-test-%d-gone", self->root, getpid());
	ASSERT_EQ(0, lwt_put_in_cgroup(self->dirs[0], getpid()));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &clock, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &exits, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (rounds = 0; rounds < wanted; rounds++) {
		ASSERT_EQ(0, mkdir(dir, 0755));
		id = id_of(dir);
		lost = lwt_lost_on_rings(&self->s);
		pid = fork();
		if (!pid)
			run_and_exit(self, dir);
		EXPECT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		ASSERT_TRUE(lwt_wait(!rmdir(dir) || errno != EBUSY));
		ASSERT_LE(0, lwt_read(&self->s, &self->log));
		nr = of_either(&self->log, pid, id, self->ids[0]);
		EXPECT_LE(0, nr);
		seen += nr > 0 || lwt_lost_on_rings(&self->s) > lost;
		EXPECT_EQ(0, lwt_log_check(&self->log).malformed);
		lwt_log_free(&self->log);
	}
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	/* each was seen when it exited, at least, if there was room to tell of it */
	EXPECT_EQ(rounds, seen);
	EXPECT_EQ(0, lwt_tainted());
	ASSERT_EQ(0, lwt_put_in_cgroup(self->root, getpid()));
}

/* Behind a kernel stack, and where there is none. */
TEST_F(cgroups, are_behind_the_kernel_stack)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("sched/sched_switch");
	struct lw_cookie cookie;
	unsigned int with = 0, without = 0;
	size_t i;

	ASSERT_EQ(0, lwt_put_in_cgroup(self->dirs[0], getpid()));
	ASSERT_EQ(0, lwt_request(self->s.fd, LW_REQUEST_SAMPLE, &cookie));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	/* A sleep that is over before the task gets to it is no switch. */
	EXPECT_TRUE(lwt_wait(lwt_stats(self->s.fd).samples > 5));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_EQ(0, lwt_put_in_cgroup(self->root, getpid()));
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE)
			continue;
		with += !!sample->nr_kernel;
		without += !sample->nr_kernel;
		EXPECT_NE(0, sample->record.flags & LW_SAMPLE_CGROUP);
		EXPECT_EQ(self->ids[0], cgroup_of(sample));
	}
	EXPECT_LE(5, with);
	EXPECT_EQ(1, without);
	EXPECT_EQ(0, lwt_log_check(&self->log).malformed);
}

/* Who does not ask for it gets records as they ever were. */
TEST(cgroup_is_left_out_where_nobody_asks)
{
	struct lw_cookie cookie;
	struct lwt_session s;
	struct lwt_log log = {};
	size_t i;

	ASSERT_EQ(0, lwt_session_open(&s, RING, 0, 0));
	ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, &cookie));
	ASSERT_NE(NULL, lwt_wait_stack(&s, &log, &cookie));
	for (i = 0; i < log.nr; i++) {
		const struct lw_sample *sample = log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE)
			continue;
		EXPECT_EQ(0, sample->record.flags & LW_SAMPLE_CGROUP);
		EXPECT_EQ(sizeof(*sample), sample->record.len);
	}
	lwt_log_free(&log);
	lwt_session_close(&s);
}

TEST_HARNESS_MAIN
