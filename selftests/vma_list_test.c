// SPDX-License-Identifier: GPL-2.0
/*
 * vma_list_test.c - LW_IOC_VMA_LIST: buffers of all sizes, what it refuses, and of whom it
 * tells.  What it tells of programs is compared in vma_query_test.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "lib/vmas.h"
#include "kselftest_harness.h"

#define PAGE		lwt_page()
#define ROOM		(256UL << 10)
/* Enough for one, whatever its name is. */
#define ROOM_FOR_ONE	(sizeof(struct lw_vma_entry) + PATH_MAX + 8)

/* As who has no session has it. */
FIXTURE(device)
{
	int fd;
	char *buf;
	struct lw_vma_list list;
};

FIXTURE_SETUP(device)
{
	self->fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->buf = malloc(ROOM);
	self->list = (struct lw_vma_list) {
		.size = sizeof(self->list),
		.buf = (uintptr_t)self->buf,
		.buf_size = ROOM,
	};
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
	free(self->buf);
}

static int list(FIXTURE_DATA(device) *self)
{
	return lwt_ioctl(self->fd, LW_IOC_VMA_LIST, &self->list);
}

TEST_F(device, is_told_as_a_feature)
{
	EXPECT_NE(0, lwt_features(self->fd) & LW_FEATURE_VMA_LIST);
}

TEST_F(device, checks_the_argument)
{
	const struct lw_vma_list good = self->list;

	self->list.pid = -1;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.buf = 0;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.buf_size = 0;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.flags = LW_VMA_COVERING_OR_NEXT;
	EXPECT_EQ(-EINVAL, list(self));
	self->list = good;
	self->list.buf = 4096;
	EXPECT_EQ(-EFAULT, list(self));
	self->list = good;
	self->list.addr = ~0ULL;
	EXPECT_EQ(-ENOENT, list(self));
	self->list = good;
	self->list.pid = 0x7ffffff0;
	EXPECT_EQ(-ESRCH, list(self));
	/* kthreadd has no memory. */
	self->list.pid = 2;
	EXPECT_EQ(-ESRCH, list(self));
	self->list = good;
	EXPECT_EQ(0, list(self));
}

/* A process that stands still, to ask often about.  Return: its number. */
static pid_t start(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

struct seen {
	struct vma *all;
	size_t nr, room;
	size_t differ;
};

static int keep(void *arg, const struct vma *vma)
{
	struct seen *seen = arg;

	if (seen->nr == seen->room) {
		seen->room = seen->room ? 2 * seen->room : 64;
		seen->all = realloc(seen->all, seen->room * sizeof(*seen->all));
	}
	seen->all[seen->nr++] = *vma;
	return 0;
}

static int compare(void *arg, const struct vma *vma)
{
	struct seen *seen = arg;

	seen->differ += seen->nr >= seen->room || !vmas_same(&seen->all[seen->nr], vma);
	seen->nr++;
	return 0;
}

/* Many mappings of two files in turn, and of memory with and without a name. */
static void map_row(int fd[2])
{
	unsigned int i;

	for (i = 0; i < 1200; i++) {
		unsigned int kind = i / 3 % 3;
		uint64_t at = vmas_map(kind < 2 ? fd[kind] : -1,
				       MAP_PRIVATE | (kind < 2 ? 0 : MAP_ANONYMOUS), 0);

		/* No two of them can be one. */
		if (i % 2)
			mprotect((void *)at, PAGE, PROT_READ | PROT_EXEC);
		if (kind == 2 && i % 5 == 0)
			prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, PAGE, "row");
	}
}

/* Also where just one, or none but the longest, has room. */
TEST_F_TIMEOUT(device, tells_the_same_with_a_buffer_of_any_size, 60)
{
	static const size_t rooms[] = {
		ROOM, 65536, 16384, 16385, 16391, 20000, 4300, 1000, 333, 200,
	};
	char names[2][32] = { "/dev/shm/vma_list_0", "/dev/shm/vma_list_1" };
	struct seen seen = { 0 };
	size_t i, nr;
	int fd[2];
	pid_t pid;

	for (i = 0; i < 2; i++)
		fd[i] = vmas_make_file(names[i], "x", 1);
	map_row(fd);
	pid = start();
	ASSERT_LT(0, pid);
	ASSERT_TRUE(lwt_wait(lwt_is(pid, "S")));
	ASSERT_EQ(0, vmas_each_line(pid, keep, &seen));
	nr = seen.nr;
	seen.room = nr;
	EXPECT_LT(1000, nr);
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		seen.nr = 0;
		EXPECT_EQ(0, vmas_each_entry(self->fd, pid, rooms[i], 0, compare, &seen))
			TH_LOG("%zu", rooms[i]);
		EXPECT_EQ(nr, seen.nr)
			TH_LOG("%zu", rooms[i]);
		EXPECT_EQ(0, seen.differ)
			TH_LOG("%zu", rooms[i]);
	}
	lwt_end(pid);
	for (i = 0; i < 2; i++)
		unlink(names[i]);
	free(seen.all);
}

TEST_F(device, says_when_there_is_no_more)
{
	/* for a mapping or two */
	self->list.buf_size = 200;
	ASSERT_EQ(0, list(self));
	EXPECT_NE(~0ULL, self->list.addr);
	self->list.buf_size = ROOM;
	ASSERT_EQ(0, list(self));
	EXPECT_EQ(~0ULL, self->list.addr);
	EXPECT_LT(0, self->list.nr);
	EXPECT_EQ(-ENOENT, list(self));
}

TEST_F(device, says_when_there_is_no_room)
{
	char *path = malloc(PATH_MAX);
	uint64_t at;
	int fd, i;

	/* Room for an entry without a name is too little for this one. */
	snprintf(path, PATH_MAX, "/dev/shm/vma_list_%0200d", 0);
	fd = vmas_make_file(path, "x", 1);
	at = vmas_map(fd, MAP_PRIVATE, 0);
	self->list.addr = at;
	for (i = 1; i < 56; i++) {
		self->list.buf_size = i;
		EXPECT_EQ(-ENOSPC, list(self));
	}
	self->list.buf_size = 200;
	EXPECT_EQ(-ENOSPC, list(self));
	EXPECT_EQ(at, self->list.addr);
	self->list.buf_size = ROOM_FOR_ONE;
	EXPECT_EQ(0, list(self));
	EXPECT_STREQ(path, ((struct lw_vma_entry *)self->buf)->name);
	unlink(path);
	munmap((void *)at, PAGE);
	close(fd);
	free(path);
}

/* maps can show it; what it is called is not worth a buffer without a limit. */
TEST_F(device, leaves_out_a_path_that_is_too_long)
{
	struct lw_vma_entry *entry = (void *)self->buf;
	char part[201];
	uint64_t at;
	int i, fd;

	ASSERT_EQ(0, chdir("/dev/shm"));
	memset(part, 'd', sizeof(part) - 1);
	part[sizeof(part) - 1] = 0;
	for (i = 0; i < 22; i++) {
		ASSERT_EQ(0, mkdir(part, 0700));
		ASSERT_EQ(0, chdir(part));
	}
	fd = open("file", O_RDWR | O_CREAT, 0600);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	at = vmas_map(fd, MAP_PRIVATE, 0);
	self->list.addr = at;
	EXPECT_EQ(0, list(self));
	EXPECT_EQ(at, entry->start);
	EXPECT_NE(0, entry->inode);
	EXPECT_STREQ("", entry->name);
	EXPECT_EQ(0, entry->vma_flags & LW_VMA_SAME_NAME);
	munmap((void *)at, PAGE);
	close(fd);
	unlink("file");
	for (i = 0; i < 22; i++)
		if (chdir("..") || rmdir(part))
			break;
	EXPECT_EQ(22, i);
}

static int count_wrong(void *arg, const struct vma *vma)
{
	struct seen *seen = arg;

	seen->nr++;
	seen->differ += !(vma->flags & LW_VMA_EXECUTABLE) || !vma->inode;
	return 0;
}

TEST_F(device, filters)
{
	struct seen all = { 0 }, some = { 0 };

	ASSERT_EQ(0, vmas_each_entry(self->fd, 0, ROOM, 0, count_wrong, &all));
	ASSERT_EQ(0, vmas_each_entry(self->fd, 0, ROOM, LW_VMA_EXECUTABLE | LW_VMA_FILE_BACKED,
				     count_wrong, &some));
	EXPECT_LT(0, all.differ);
	EXPECT_EQ(0, some.differ);
	EXPECT_EQ(all.nr - all.differ, some.nr);
}

/* Asked about all the time: its memory is not held longer than each part takes. */
TEST_F(device, lets_a_process_end)
{
	int i, ret;

	for (i = 0; i < 20; i++) {
		pid_t pid = start();

		ASSERT_LT(0, pid);
		self->list.pid = pid;
		self->list.addr = 0;
		ASSERT_EQ(0, list(self));
		kill(pid, SIGKILL);
		do {
			self->list.addr = 0;
			ret = list(self);
			ASSERT_TRUE(!ret || ret == -ESRCH || ret == -ENOENT)
				TH_LOG("%d", ret);
		} while (ret != -ESRCH);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
}

TEST_HARNESS_MAIN
