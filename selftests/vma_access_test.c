// SPDX-License-Identifier: GPL-2.0
/*
 * vma_access_test.c - whom LW_IOC_VMA_QUERY tells about whom.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "lib/vmas_device.h"

#define NOBODY		65534
#define ANY		LW_VMA_COVERING_OR_NEXT

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

static int set_caps(uint64_t mask)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = mask, .permitted = mask },
		{ .effective = mask >> 32, .permitted = mask >> 32 },
	};

	return syscall(SYS_capset, &header, data);
}

/* A task: who it is, and whether others may look into it. */
struct who {
	uint32_t uid, gid;
	uint64_t caps;		/* besides those of root */
	bool dumpable;
	bool own_ns;		/* a user namespace of its own */
};

static int become(const struct who *who)
{
	if (who->uid) {
		prctl(PR_SET_KEEPCAPS, 1);
		if (setresgid(who->gid, who->gid, who->gid) ||
		    setresuid(who->uid, who->uid, who->uid) || set_caps(who->caps))
			return -1;
	}
	if (prctl(PR_SET_DUMPABLE, who->dumpable))
		return -1;
	return who->own_ns ? unshare(CLONE_NEWUSER) : 0;
}

/* A process of @who that waits to be killed.  Return: 0 if it can't be made. */
static pid_t start_as(const struct who *who)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe2(ready, O_CLOEXEC))
		return 0;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (become(who) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

static int read_maps(pid_t pid)
{
	int fd = vmas_open(pid), ret = fd < 0 ? fd : 0;
	char byte;

	if (!ret && read(fd, &byte, 1) != 1)
		ret = -EIO;
	if (fd >= 0)
		close(fd);
	return ret;
}

#define UNMADE		100
#define DISAGREE	101

/* Newer kernels let these read maps; for us the first is enough on all, and the second on none. */
#define BY_KERNEL	(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN)

/* What @looker is told of @whom.  /proc has to say the same. */
static int ask_as(int fd, const struct who *looker, const struct who *whom)
{
	pid_t seen = start_as(whom), pid = seen ? fork() : 0;
	struct vma *vma;
	int status, ret;

	if (!seen)
		return UNMADE;
	if (!pid) {
		if (become(looker))
			_exit(UNMADE);
		vma = malloc(sizeof(*vma));
		ret = vmas_ask(fd, seen, 0, ANY, vma);
		if (ret != read_maps(seen) && (!looker->uid || !(looker->caps & BY_KERNEL)))
			_exit(DISAGREE);
		_exit(-ret);
	}
	ret = waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : UNMADE;
	kill(seen, SIGKILL);
	waitpid(seen, NULL, 0);
	return ret >= UNMADE ? ret : -ret;
}

static const struct who root = { .caps = ~0ULL, .dumpable = true };
static const struct who nobody = { .uid = NOBODY, .gid = NOBODY, .dumpable = true };
static const struct who hidden = { .uid = NOBODY, .gid = NOBODY };

TEST_F(device, tells_of_processes_of_the_same_user)
{
	const struct who quiet = hidden;

	EXPECT_EQ(0, ask_as(self->fd, &nobody, &nobody));
	/* It is not the one who looks that matters. */
	EXPECT_EQ(0, ask_as(self->fd, &quiet, &nobody));
	EXPECT_EQ(0, ask_as(self->fd, &root, &root));
	EXPECT_EQ(0, ask_as(self->fd, &root, &nobody));
}

TEST_F(device, does_not_tell_of_others)
{
	const struct who other = { .uid = NOBODY - 1, .gid = NOBODY, .dumpable = true };
	const struct who group = { .uid = NOBODY, .gid = NOBODY - 1, .dumpable = true };
	const struct who able = { NOBODY, NOBODY, 1ULL << CAP_NET_RAW, true, false };

	EXPECT_EQ(-EACCES, ask_as(self->fd, &nobody, &root));
	EXPECT_EQ(-EACCES, ask_as(self->fd, &nobody, &other));
	EXPECT_EQ(-EACCES, ask_as(self->fd, &nobody, &group));
	EXPECT_EQ(-EACCES, ask_as(self->fd, &nobody, &able));
	EXPECT_EQ(0, ask_as(self->fd, &able, &nobody));
	EXPECT_EQ(0, ask_as(self->fd, &able, &able));
	EXPECT_EQ(-EACCES, ask_as(self->fd, &able, &other));
}

TEST_F(device, does_not_tell_of_those_that_hide)
{
	EXPECT_EQ(-EACCES, ask_as(self->fd, &nobody, &hidden));
	EXPECT_EQ(0, ask_as(self->fd, &root, &hidden));
}

TEST_F(device, tells_those_with_a_capability)
{
	const struct who perfmon = { NOBODY, NOBODY, 1ULL << CAP_PERFMON, true, false };
	const struct who ptracer = { NOBODY, NOBODY, 1ULL << CAP_SYS_PTRACE, true, false };
	const struct who admin = { NOBODY, NOBODY, 1ULL << CAP_SYS_ADMIN, true, false };

	EXPECT_EQ(0, ask_as(self->fd, &perfmon, &root));
	EXPECT_EQ(0, ask_as(self->fd, &perfmon, &hidden));
	EXPECT_EQ(0, ask_as(self->fd, &ptracer, &root));
	EXPECT_EQ(0, ask_as(self->fd, &ptracer, &hidden));
	EXPECT_EQ(-EACCES, ask_as(self->fd, &admin, &root));
	EXPECT_EQ(-EACCES, ask_as(self->fd, &admin, &hidden));
}

/* All capabilities in a namespace of one's own are none outside of it. */
TEST_F(device, tells_nobody_of_what_is_outside_of_its_user_namespace)
{
	const struct who inside = { .uid = NOBODY, .gid = NOBODY, .dumpable = true,
				    .own_ns = true };
	int ret = ask_as(self->fd, &inside, &root);

	if (ret == UNMADE)
		SKIP(return, "no user namespaces here");
	EXPECT_EQ(-EACCES, ret);
	EXPECT_EQ(-EACCES, ask_as(self->fd, &inside, &hidden));
	EXPECT_EQ(0, ask_as(self->fd, &root, &inside));
}

static int ask_about_oneself(int fd)
{
	struct vma *vma = malloc(sizeof(*vma));

	if (become(&hidden))
		return UNMADE;
	return vmas_ask(fd, 0, 0, ANY, vma) ?: vmas_ask(fd, getpid(), 0, ANY, vma);
}

TEST_F(device, tells_everybody_of_themselves)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(-ask_about_oneself(self->fd));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
