// SPDX-License-Identifier: GPL-2.0
/*
 * registered_memory_test.c - kernel memory of registered sections: within limits, freed by
 * who drops them, and filled with what is there, without waiting.
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

/* Threads that add a section at once, and how many of these there is room for. */
#define NR		8
#define FIT		2
#define SIZE		(256 * 1024)
#define ROOM		(SIZE * (2 * FIT + 1) / 2)

/* A user whom only a test here is. */
#define USER		54323

#define ROUNDS		12

FIXTURE(memory)
{
	int fd;
	uint8_t *text;			/* a page */
	uint8_t *source;		/* of a section, which nobody has written yet */
	int uffd;
};

struct adder {
	FIXTURE_DATA(memory) *self;
	unsigned int nr;
	pthread_t thread;
	int result;
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
	self->source = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->source);
}

FIXTURE_TEARDOWN(memory)
{
	munmap(self->text, JIT_PAGE);
	munmap(self->source, SIZE);
	close(self->fd);
}

/* Who waits for a page there waits for ever. */
static int hold_source(FIXTURE_DATA(memory) *self)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)self->source, SIZE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (self->uffd < 0 || ioctl(self->uffd, UFFDIO_API, &api) ||
	    ioctl(self->uffd, UFFDIO_REGISTER, &reg))
		return -1;
	return 0;
}

/* As who unloads the module would wait for the call. */
TEST_F(memory, is_not_waited_for)
{
	struct lw_section section = jit_section(self->text, JIT_STRIDE, self->source, SIZE);
	struct lw_section *held = (void *)(self->source + JIT_PAGE);
	int proc = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);
	long before = lwt_own_kib("VmPin");

	ASSERT_LE(0, proc);
	ASSERT_EQ(0, hold_source(self));
	EXPECT_EQ(-EFAULT, lwt_ioctl(self->fd, LW_IOC_ADD_SECTION, &section));
	EXPECT_EQ(-EFAULT, lwt_ioctl(proc, LW_IOC_ADD_SECTION, &section));
	EXPECT_EQ(before, lwt_own_kib("VmPin"));
	/* Nor for what the call itself is told by. */
	EXPECT_EQ(-EFAULT, lwt_ioctl(proc, LW_IOC_ADD_SECTION, held));
	EXPECT_EQ(-EFAULT, lwt_ioctl(proc, LW_IOC_REMOVE_SECTION, held));
	EXPECT_EQ(-EFAULT, lwt_ioctl(proc, LW_IOC_INFO, held));
	close(self->uffd);
	close(proc);
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

/*
 * Looks at the source first: on s390x a child of fork() has none of its memory until it has, as all
 * of its pages are marked as not accessed there, which the kernel learns by faults.
 */
static int add_nth(FIXTURE_DATA(memory) *self, unsigned int nr)
{
	volatile uint8_t *page = self->source;
	struct lw_section section;

	for (; page < self->source + SIZE; page += JIT_PAGE)
		(void)*page;
	section = jit_section(self->text + nr * JIT_STRIDE, JIT_STRIDE, self->source, SIZE);
	return lwt_ioctl(self->fd, LW_IOC_ADD_SECTION, &section);
}

static void *add_one(void *arg)
{
	struct adder *a = arg;

	a->result = add_nth(a->self, a->nr);
	return NULL;
}

/* All at once.  Return: how many were told @result. */
static unsigned int add_all(FIXTURE_DATA(memory) *self, int result)
{
	struct adder adders[NR];
	unsigned int i, nr = 0;

	for (i = 0; i < NR; i++) {
		adders[i] = (struct adder) { .self = self, .nr = i };
		if (pthread_create(&adders[i].thread, NULL, add_one, &adders[i]))
			return 0;
	}
	for (i = 0; i < NR; i++) {
		pthread_join(adders[i].thread, NULL);
		nr += adders[i].result == result;
	}
	return nr;
}

TEST_F(memory, is_counted_against_the_parameter)
{
	long pinned = lwt_own_kib("VmPin");
	unsigned long before;
	unsigned int added, refused;

	/* So that all of it is there. */
	memset(self->source, 0, SIZE);
	jit_table(self->source, 2, 0, 0, 1);
	before = set_parameter(ROOM);
	ASSERT_LT(0, before);
	added = add_all(self, 0);
	refused = add_all(self, -ENOSPC);
	/* The limit goes back in any case: it is that of all tests. */
	EXPECT_EQ(ROOM, set_parameter(before));
	EXPECT_EQ(FIT, added);
	/* Those that are there already are no less refused. */
	EXPECT_EQ(NR, refused);
	EXPECT_LE(FIT * SIZE / 1024, lwt_own_kib("VmPin") - pinned);
	EXPECT_GE(ROOM / 1024, lwt_own_kib("VmPin") - pinned);
}

/* As another process, with no section yet. */
static int add_as_another(FIXTURE_DATA(memory) *self)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(-add_nth(self, 0));
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       -WEXITSTATUS(status) : -ECHILD;
}

/* As a user whom nobody else is, with room for one section. */
static int become_user(void)
{
	struct rlimit limit = { SIZE * 3 / 2, SIZE * 3 / 2 };

	return setrlimit(RLIMIT_MEMLOCK, &limit) || setresgid(USER, USER, USER) ||
	       setresuid(USER, USER, USER) ? -errno : 0;
}

/* Return: the first step that was not as it should be, or 0. */
static int share_limit(FIXTURE_DATA(memory) *self)
{
	if (become_user())
		return 1;
	/* Each alone has room, and what an exit gives back is there at once. */
	if (add_as_another(self) || add_as_another(self))
		return 2;
	if (add_nth(self, 0))
		return 3;
	if (add_as_another(self) != -EPERM || add_nth(self, 1) != -EPERM)
		return 4;
	if (jit_remove(self->fd, self->text, 1) || add_as_another(self))
		return 5;
	return 0;
}

/* Or a user had as many times RLIMIT_MEMLOCK as it has processes. */
TEST_F(memory, is_counted_against_the_user)
{
	int status;
	pid_t pid;

	memset(self->source, 0, SIZE);
	jit_table(self->source, 2, 0, 0, 1);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(share_limit(self));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* Another one is not asked, nor who may lock what it likes. */
	EXPECT_EQ(0, add_nth(self, 0));
}

/* What was refused, for whatever reason, is not charged. */
TEST_F(memory, is_given_back)
{
	long before = lwt_own_kib("VmPin");
	unsigned int i;

	/* Zeros are no section. */
	memset(self->source, 0, SIZE);
	for (i = 0; i < NR; i++)
		EXPECT_EQ(-EINVAL, add_nth(self, i));
	EXPECT_EQ(before, lwt_own_kib("VmPin"));
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

/* What vmalloc() is asked for, and kmalloc() never has: a block of the greatest order, and more. */
static long big_size(void)
{
	FILE *file = fopen("/proc/buddyinfo", "re");
	char line[512] = "", *nr = line;
	int order = -1;

	/* The first zone: how many blocks there are of each order. */
	if (file) {
		if (fgets(line, sizeof(line), file))
			nr = strstr(line, ", zone ") ?: line;
		fclose(file);
	}
	strtok(nr + strlen(", zone "), " ");
	while (strtok(NULL, "\n "))
		order++;
	return (lwt_page() << order) + (1 << 20);
}

/* Return: a section with much behind its end. */
static struct lw_section big_section(FIXTURE_DATA(memory) *self, size_t size)
{
	uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (bytes != MAP_FAILED)
		jit_table(bytes, 2, 0, 0, 1);
	return jit_section(self->text, JIT_STRIDE, bytes, size);
}

/* Return: bytes more than @before. */
static long vmalloc_used(long before)
{
	return lwt_proc_kib("/proc/meminfo", "VmallocUsed") * 1024 - before;
}

/* One is measured: it may be rounded up, as the kernel maps such by huge pages. */
TEST_F(memory, is_freed_by_who_removes)
{
	const long big = big_size(), slack = big / 2;	/* others may take that meanwhile */
	long before, one = 0, most = 0, used;
	struct lw_section section, arg;
	unsigned long limit;
	int i;

	if (big > lwt_proc_kib("/proc/meminfo", "MemAvailable") * 1024 / 4)
		SKIP(return, "no memory for what kmalloc() never has, %ld MiB", big >> 20);
	limit = set_parameter(4 * big);
	ASSERT_NE(0, limit);
	section = big_section(self, big);
	ASSERT_EQ(0, take_cpu());
	before = vmalloc_used(0);
	for (i = 0; i < ROUNDS; i++) {
		arg = section;
		ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_ADD_SECTION, &arg));
		if (!i)
			one = vmalloc_used(before);
		arg = section;
		ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_REMOVE_SECTION, &arg));
		used = vmalloc_used(before);
		most = used > most ? used : most;
	}
	EXPECT_LT(big - slack, one);
	/* None is left, but for one that the worker may be freeing on another CPU. */
	EXPECT_GT(one + slack, most);
	TH_LOG("%ld KiB, one is %ld KiB", most / 1024, one / 1024);
	EXPECT_NE(0, set_parameter(limit));
}

/* munmap() may not free them: who adds next does. */
TEST_F(memory, is_freed_by_who_adds)
{
	const long big = big_size(), slack = big / 2;	/* others may take that meanwhile */
	long before, one = 0, most = 0, used;
	struct lw_section section, arg;
	unsigned long limit;
	int i;

	if (big > lwt_proc_kib("/proc/meminfo", "MemAvailable") * 1024 / 4)
		SKIP(return, "no memory for what kmalloc() never has, %ld MiB", big >> 20);
	limit = set_parameter(4 * big);
	ASSERT_NE(0, limit);
	section = big_section(self, big);
	ASSERT_EQ(0, take_cpu());
	before = vmalloc_used(0);
	for (i = 0; i < ROUNDS; i++) {
		arg = section;
		ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_ADD_SECTION, &arg));
		used = vmalloc_used(before);
		if (!i)
			one = used;
		most = used > most ? used : most;
		ASSERT_EQ(0, munmap(self->text, JIT_PAGE));
		ASSERT_EQ(self->text, jit_map(self->text, JIT_PAGE));
	}
	EXPECT_LT(big - slack, one);
	/* Only the new one is there, and one that the worker may be freeing on another CPU. */
	EXPECT_GT(2 * one + slack, most);
	TH_LOG("%ld KiB, one is %ld KiB", most / 1024, one / 1024);
	EXPECT_NE(0, set_parameter(limit));
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
