// SPDX-License-Identifier: GPL-2.0
/*
 * registered_memory_test.c - kernel memory of registered sections: within limits at any
 * moment, also while they are copied, and freed by who drops them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/jit.h"
#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define PARAMETER	"/sys/module/latewind/parameters/section_bytes"
#define NOBODY		65534

/* Threads that add a section at once, and how many of these there is room for. */
#define NR		8
#define FIT		2
#define SIZE		(256 * 1024)
#define ROOM		(SIZE * (2 * FIT + 1) / 2)
#define PENDING		1

/* What vmalloc() is asked for, and kmalloc() never has. */
#define BIG		(5 << 20)
#define ROUNDS		12
/*
 * Of these, what others may have at the time: the worker, in the few moments that the
 * kernel gives to those who starve, can have taken one.
 */
#define SLACK		(3 * BIG)

FIXTURE(memory)
{
	int fd;
	uint8_t *text;			/* a page */
	uint8_t *source;		/* of NR sections, which nobody has written yet */
	int uffd;
	int results[NR];
};

struct adder {
	FIXTURE_DATA(memory) *self;
	unsigned int nr;
	pthread_t thread;
};

FIXTURE_SETUP(memory)
{
	self->uffd = -1;
	self->fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	if (!(lwt_features(self->fd) & LW_FEATURE_SECTIONS))
		SKIP(return, "no LW_FEATURE_SECTIONS on this kernel");
	self->text = jit_map(NULL, JIT_PAGE);
	ASSERT_NE(NULL, self->text);
	self->source = mmap(NULL, NR * SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->source);
}

FIXTURE_TEARDOWN(memory)
{
	munmap(self->text, JIT_PAGE);
	munmap(self->source, NR * SIZE);
	close(self->fd);
}

/* Who reads there waits.  Of this process: not of its children. */
static int hold_source(FIXTURE_DATA(memory) *self)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)self->source, NR * SIZE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (self->uffd < 0 || ioctl(self->uffd, UFFDIO_API, &api) ||
	    ioctl(self->uffd, UFFDIO_REGISTER, &reg))
		return -1;
	return 0;
}

/* It has come, and is full of zeros. */
static int release_source(FIXTURE_DATA(memory) *self)
{
	struct uffdio_zeropage zero = { .range = { (uintptr_t)self->source, NR * SIZE } };
	int ret = ioctl(self->uffd, UFFDIO_ZEROPAGE, &zero);

	close(self->uffd);
	return ret;
}

static void *add_one(void *arg)
{
	struct adder *a = arg;
	struct lw_section section;

	section = jit_section(a->self->text + a->nr * JIT_STRIDE, JIT_STRIDE,
			      a->self->source + a->nr * SIZE, SIZE);
	__atomic_store_n(&a->self->results[a->nr],
			 lwt_ioctl(a->self->fd, LW_IOC_ADD_SECTION, &section),
			 __ATOMIC_RELEASE);
	return NULL;
}

static unsigned int how_many(FIXTURE_DATA(memory) *self, int result)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR; i++)
		nr += __atomic_load_n(&self->results[i], __ATOMIC_ACQUIRE) == result;
	return nr;
}

/*
 * With hold_source(): all add, and wait in the middle of it; but those that there is no
 * room for hear of that by @error before a byte was read.  Return: the line that was not
 * as expected, or 0.
 */
static int crowd_is_refused(FIXTURE_DATA(memory) *self, int error)
{
	struct adder adders[NR];
	unsigned int i, refused, pending;
	long before = lwt_own_kib("VmPin"), pinned;

	for (i = 0; i < NR; i++) {
		adders[i].self = self;
		adders[i].nr = i;
		self->results[i] = PENDING;
		if (pthread_create(&adders[i].thread, NULL, add_one, &adders[i]))
			return __LINE__;
	}
	lwt_wait(how_many(self, PENDING) <= FIT);
	refused = how_many(self, error);
	pending = how_many(self, PENDING);
	pinned = lwt_own_kib("VmPin") - before;
	if (release_source(self))
		return __LINE__;
	for (i = 0; i < NR; i++)
		pthread_join(adders[i].thread, NULL);
	if (pending != FIT || refused != NR - FIT)
		return __LINE__;
	if (pinned < FIT * SIZE / 1024 || pinned > ROOM / 1024)
		return __LINE__;
	/* Zeros are no section, and what was refused has no room. */
	if (how_many(self, -EINVAL) != FIT || lwt_own_kib("VmPin") != before)
		return __LINE__;
	return 0;
}

/* What a child of an ordinary user exits with, as its status has 8 bits. */
#define STATUS(line)	((line) % 250)

static void be_nobody(FIXTURE_DATA(memory) *self)
{
	struct rlimit limit = { .rlim_cur = ROOM, .rlim_max = ROOM };

	/* Holding takes a capability, having held does not. */
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || hold_source(self) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		_exit(255);
	_exit(STATUS(crowd_is_refused(self, -EPERM)));
}

TEST_F(memory, is_charged_before_it_is_copied)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		be_nobody(self);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status)
		TH_LOG("line %% 250 is %d", WEXITSTATUS(status));
}

/* Return: what it was before, or 0. */
static unsigned long set_parameter(unsigned long value)
{
	FILE *file = fopen(PARAMETER, "r+e");
	unsigned long before = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &before) != 1)
		before = 0;
	rewind(file);
	if (fprintf(file, "%lu\n", value) < 0)
		before = 0;
	return fclose(file) ? 0 : before;
}

TEST_F(memory, is_counted_before_it_is_copied)
{
	unsigned long before = set_parameter(ROOM);
	int ret;

	ASSERT_LT(0, before);
	ret = hold_source(self);
	/* The limit goes back in any case: it is that of all tests. */
	if (!ret)
		EXPECT_EQ(0, crowd_is_refused(self, -ENOSPC));
	EXPECT_EQ(ROOM, set_parameter(before));
	EXPECT_EQ(0, ret);
}

/* With the CPU for ourselves: the worker hardly gets to run. */
static int take_cpu(void)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	return sched_setscheduler(0, SCHED_FIFO, &param) ? -errno : 0;
}

/* Return: a section with much behind its end. */
static struct lw_section big_section(FIXTURE_DATA(memory) *self)
{
	uint8_t *bytes = mmap(NULL, BIG, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (bytes != MAP_FAILED)
		jit_table(bytes, 2, 0, 0, 1);
	return jit_section(self->text, JIT_STRIDE, bytes, BIG);
}

TEST_F(memory, is_freed_by_who_removes)
{
	struct lw_section section = big_section(self), arg;
	long before, most = 0, used;
	int i;

	ASSERT_EQ(0, take_cpu());
	before = lwt_proc_kib("/proc/meminfo", "VmallocUsed") * 1024;
	for (i = 0; i < ROUNDS; i++) {
		arg = section;
		ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_ADD_SECTION, &arg));
		arg = section;
		ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &arg));
		used = lwt_proc_kib("/proc/meminfo", "VmallocUsed") * 1024 - before;
		most = used > most ? used : most;
	}
	/* None is left. */
	EXPECT_GT(SLACK, most);
	TH_LOG("%ld KiB", most / 1024);
}

/* munmap() may not free them: who adds next does. */
TEST_F(memory, is_freed_by_who_adds)
{
	struct lw_section section = big_section(self), arg;
	long before, most = 0, used;
	int i;

	ASSERT_EQ(0, take_cpu());
	before = lwt_proc_kib("/proc/meminfo", "VmallocUsed") * 1024;
	for (i = 0; i < ROUNDS; i++) {
		arg = section;
		ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_ADD_SECTION, &arg));
		used = lwt_proc_kib("/proc/meminfo", "VmallocUsed") * 1024 - before;
		most = used > most ? used : most;
		ASSERT_EQ(0, munmap(self->text, JIT_PAGE));
		ASSERT_EQ(self->text, jit_map(self->text, JIT_PAGE));
	}
	/* Only the new one is there. */
	EXPECT_GT(BIG + SLACK, most);
	EXPECT_LT(BIG / 2, most);
	TH_LOG("%ld KiB", most / 1024);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
