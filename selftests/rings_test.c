// SPDX-License-Identifier: GPL-2.0
/*
 * rings_test.c - the rings of a session: a flight recorder, and what they cost of
 * the locked memory of who made them.  What producers do to each other is tested
 * in selftests/ring/.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define PAGE	lwt_page()
#define RING	(4 * PAGE)
/* Two pages beside the data. */
#define RING_PAGES(size)	((size) / PAGE + 2)

FIXTURE(flight)
{
	int fd;
	struct lw_ring_producer *ring;		/* of the CPU that we are on */
	uint8_t *data;
};

FIXTURE_SETUP(flight)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = LW_SETUP_OVERWRITE,
		.ring_size = RING,
		.depth = 8,
	};

	ASSERT_EQ(0, lwt_pin(0));
	self->fd = lwt_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_SETUP, &setup));
	self->ring = mmap(NULL, PAGE + 2 * RING, PROT_READ, MAP_SHARED, self->fd,
			  LW_MMAP_PRODUCER(0));
	ASSERT_NE(MAP_FAILED, self->ring);
	self->data = (uint8_t *)self->ring + PAGE;
}

FIXTURE_TEARDOWN(flight)
{
	munmap(self->ring, PAGE + 2 * RING);
	close(self->fd);
}

struct snapshot {
	unsigned int stacks;
	unsigned int bad;		/* not in order, or no such record */
	uint64_t newest;
	uint64_t at;			/* where it ended */
};

/* As the uapi header says, in a buffer of ours. */
static struct snapshot take_snapshot(FIXTURE_DATA(flight) *self)
{
	static uint64_t copy[4 * LWT_PAGE_MAX / 8];
	struct snapshot snap = {};
	uint64_t pos = __atomic_load_n(&self->ring->tail, __ATOMIC_ACQUIRE);
	uint64_t tail, i;
	uint32_t len;

	snap.at = __atomic_load_n(&self->ring->pos, __ATOMIC_ACQUIRE);
	while (pos < snap.at) {
		struct lw_record *record =
			(struct lw_record *)(self->data + pos % RING);
		struct lw_user_stack *stack = (struct lw_user_stack *)copy;
		bool sound;

		len = __atomic_load_n(&record->len, __ATOMIC_ACQUIRE);
		sound = snap.at - pos <= RING && !(len & 7) && len >= 8 &&
			len <= snap.at - pos;
		for (i = 0; sound && i < len / 8; i++)
			copy[i] = __atomic_load_n((uint64_t *)record + i,
						  __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		tail = __atomic_load_n(&self->ring->tail, __ATOMIC_RELAXED);
		if (tail > pos) {
			pos = tail;
			snap.stacks = 0;
			continue;
		}
		if (!sound && !(len & LW_RING_BUSY)) {
			snap.bad++;
			return snap;
		}
		if (sound && stack->record.type == LW_RECORD_USER_STACK) {
			snap.bad += stack->cookie.counter <= snap.newest ||
				    stack->nr > 8 || !stack->nr;
			snap.newest = stack->cookie.counter;
			snap.stacks++;
		}
		pos += len & ~LW_RING_BUSY;
	}
	return snap;
}

TEST_F(flight, keeps_the_newest)
{
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };
	struct lw_cookie cookie = {};
	struct snapshot snap;
	struct lw_stats stats;
	unsigned int i;

	for (i = 1; i <= 2000; i++) {
		ASSERT_EQ(0, lwt_request(self->fd, 0, &cookie));
		snap = take_snapshot(self);
		ASSERT_EQ(0, snap.bad);
		ASSERT_EQ(cookie.counter, snap.newest);
		ASSERT_EQ(i, snap.stacks + self->ring->overwritten);
	}
	EXPECT_GT(snap.stacks, RING / 2 / 256);
	EXPECT_EQ(0, self->ring->lost);
	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	stats = lwt_stats(self->fd);
	EXPECT_EQ(self->ring->overwritten, stats.overwritten);
	EXPECT_EQ(0, stats.lost_full);
	EXPECT_EQ(2000, stats.user_stacks);
}

static atomic_bool done;

static void *write_stacks(void *arg)
{
	int fd = *(int *)arg;

	if (lwt_pin(0))
		return NULL;
	while (!done)
		lwt_request(fd, 0, NULL);
	return arg;
}

/* From another CPU, while the writer comes round and round. */
TEST_F(flight, is_read_beside_its_writer)
{
	unsigned int i, some = 0, least = lwt_sample(1000, 300);
	uint64_t first = 0, end = lwt_now() + LWT_TIMEOUT_MS * 1000000ULL;
	struct snapshot snap = {};
	pthread_t writer;
	void *ret;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU");
	done = false;
	ASSERT_EQ(0, pthread_create(&writer, NULL, write_stacks, &self->fd));
	ASSERT_EQ(0, lwt_pin(1));
	ASSERT_TRUE(lwt_wait(__atomic_load_n(&self->ring->pos,
					     __ATOMIC_ACQUIRE)));
	/* Either CPU may not be running for long. */
	for (i = 0; lwt_now() < end && (some < least || self->ring->pos < 20 * RING ||
					snap.newest <= first); i++) {
		snap = take_snapshot(self);
		if (snap.bad)
			break;
		first = first ?: snap.newest;
		some += snap.stacks > 0;
	}
	done = true;
	pthread_join(writer, &ret);
	ASSERT_NE(NULL, ret);
	printf("# %u of %u looks saw stacks\n", some, i);
	EXPECT_EQ(0, snap.bad);
	EXPECT_LE(least, some);
	EXPECT_GT(snap.newest, first);
	EXPECT_GT(self->ring->overwritten, 0);
}

TEST(overwrite_takes_no_watermark)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = LW_SETUP_OVERWRITE,
		.watermark = 1024,
	};
	int fd = lwt_open();

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_SETUP, &setup));
	setup.watermark = 0;
	setup.flags = LW_SETUP_FILES << 1;
	EXPECT_EQ(-EINVAL, lwt_ioctl(fd, LW_IOC_SETUP, &setup));
	close(fd);
}

/* Root without the right to lock what it likes. */
static int drop_ipc_lock(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= ~(1U << CAP_IPC_LOCK);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

TEST(rings_are_locked_memory)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF), before = lwt_own_kib("VmLck");
	int fd = lwt_open();

	ASSERT_GE(fd, 0);
	ASSERT_GE(before, 0);
	ASSERT_EQ(0, lwt_setup(fd, RING, 0, 0));
	EXPECT_EQ(before + cpus * RING_PAGES(RING) * (PAGE / 1024), lwt_own_kib("VmLck"));
	close(fd);
	EXPECT_EQ(before, lwt_own_kib("VmLck"));
}

TEST(no_more_than_the_limit)
{
	unsigned long need = sysconf(_SC_NPROCESSORS_CONF) * RING_PAGES(RING) * PAGE;
	struct rlimit limit = { need - 1, need - 1 };
	long before = lwt_own_kib("VmLck");
	int fd, other;

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	fd = lwt_open();
	ASSERT_GE(fd, 0);
	/* Who may lock what it likes is not asked. */
	other = lwt_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, lwt_setup(other, RING, 0, 0));
	close(other);

	ASSERT_EQ(0, drop_ipc_lock());
	EXPECT_EQ(-EPERM, lwt_setup(fd, RING, 0, 0));
	EXPECT_EQ(before, lwt_own_kib("VmLck"));
	/* A refusal costs nothing: less is fine. */
	EXPECT_EQ(0, lwt_setup(fd, RING / 2, 0, 0));
	close(fd);
	EXPECT_EQ(before, lwt_own_kib("VmLck"));
}

/* They are charged to who made them, whoever closes them. */
TEST(are_given_back_by_whoever_closes)
{
	long before = lwt_own_kib("VmLck");
	int fd = lwt_open(), pipes[2], status;
	char byte;
	pid_t pid;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, lwt_setup(fd, RING, 0, 0));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1));
	}
	close(fd);
	EXPECT_LT(before, lwt_own_kib("VmLck"));
	close(pipes[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(before, lwt_own_kib("VmLck"));
}

TEST(are_given_back_when_the_maker_is_gone)
{
	long before = lwt_own_kib("VmLck");
	int fd = lwt_open(), status;
	pid_t pid;

	ASSERT_GE(fd, 0);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(lwt_setup(fd, RING, 0, 0) ? 1 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(before, lwt_own_kib("VmLck"));
	EXPECT_EQ(-EBUSY, lwt_setup(fd, RING, 0, 0));
	close(fd);
	EXPECT_EQ(before, lwt_own_kib("VmLck"));
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
