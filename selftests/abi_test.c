// SPDX-License-Identifier: GPL-2.0
/*
 * abi_test.c - what uapi/latewind.h promises of each call: sizes, flags,
 * pointers, rights, order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define RING	65536
#define NR_IOCS	18

/* Each ioctl, and its struct's size at first and now. */
static const struct {
	const char *name;
	unsigned long cmd;
	uint32_t size;
	uint32_t known;
	uint32_t flags;			/* that are known, and need nothing else */
} iocs[NR_IOCS] = {
	{ "INFO", LW_IOC_INFO, 64, 64, 0 },
	{ "SETUP", LW_IOC_SETUP, 32, 32,
	  LW_SETUP_OVERWRITE | LW_SETUP_MODULES | LW_SETUP_CGROUP | LW_SETUP_FILES },
	{ "ADD_EVENT", LW_IOC_ADD_EVENT, 40, 40, 0 },
	{ "ENABLE", LW_IOC_ENABLE, 8, 8, 0 },
	{ "DISABLE", LW_IOC_DISABLE, 8, 8, 0 },
	{ "REQUEST", LW_IOC_REQUEST, 24, 24, LW_REQUEST_SAMPLE },
	{ "STATS", LW_IOC_STATS, 160, 304, 0 },
	{ "FILTER", LW_IOC_FILTER, 32, 32, 0 },
	{ "ADD_SYSCALL", LW_IOC_ADD_SYSCALL, 32, 32, LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT },
	{ "ADD_TABLE", LW_IOC_ADD_TABLE, 64, 64, LW_TABLE_VDSO },
	{ "ADD_SECTION", LW_IOC_ADD_SECTION, 48, 48, 0 },
	{ "REMOVE_SECTION", LW_IOC_REMOVE_SECTION, 48, 48, 0 },
	{ "VMA_QUERY", LW_IOC_VMA_QUERY, 104, 104, 0x3f },
	{ "VMA_LIST", LW_IOC_VMA_LIST, 40, 40, 0 },
	{ "TASK_LIST", LW_IOC_TASK_LIST, 32, 32, 0 },
	{ "NEXT_FILE", LW_IOC_NEXT_FILE, 72, 72, 0 },
	{ "FILE_DONE", LW_IOC_FILE_DONE, 16, 16, 0 },
	{ "ADD_CODE", LW_IOC_ADD_CODE, 56, 56, 0 },
};

/* What each does with a struct of zeros behind the size before SETUP. */
static const int bare_result[NR_IOCS] = {
	0, 0, -EBADFD, -EBADFD, -EBADFD, -EBADFD, 0, 0, -EINVAL, -EBADFD, -EINVAL, -EINVAL,
	-ENOENT, -EINVAL, -EINVAL, -EBADFD, -EBADFD, -EINVAL,
};

union any {
	struct {
		uint32_t size;
		uint32_t flags;
	};
	uint8_t bytes[2 * LWT_PAGE_MAX];
};

/* A session before SETUP. */
FIXTURE(bare)
{
	int fd;
};

FIXTURE_SETUP(bare)
{
	self->fd = lwt_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(bare)
{
	close(self->fd);
}

/* One with rings. */
FIXTURE(session)
{
	int fd;
};

FIXTURE_SETUP(session)
{
	self->fd = lwt_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, lwt_setup(self->fd, RING, 0, 0));
}

FIXTURE_TEARDOWN(session)
{
	close(self->fd);
}

TEST_F(bare, rejects_unknown_flags)
{
	int i, bit;

	for (i = 0; i < NR_IOCS; i++) {
		for (bit = 0; bit < 32; bit++) {
			union any any = { .size = iocs[i].size };

			if (iocs[i].flags & 1U << bit)
				continue;
			/* Known, but means nothing without a kind: EINVAL too. */
			any.flags = 1U << bit;
			EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, iocs[i].cmd, &any))
				TH_LOG("%s, bit %d", iocs[i].name, bit);
		}
	}
}

TEST_F(bare, rejects_short_structs)
{
	int i;

	for (i = 0; i < NR_IOCS; i++) {
		uint32_t sizes[] = { 0, 1, 4, iocs[i].size - 1 };
		unsigned int j;

		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			union any any = { .size = sizes[j] };

			EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, iocs[i].cmd, &any))
				TH_LOG("%s, size %u", iocs[i].name, sizes[j]);
		}
	}
}

TEST_F(bare, accepts_longer_structs_with_zeros)
{
	int i;

	for (i = 0; i < NR_IOCS; i++) {
		union any any = { .size = iocs[i].known + 24 };
		int fd = lwt_open();

		EXPECT_EQ(bare_result[i], lwt_ioctl(fd, iocs[i].cmd, &any))
			TH_LOG("%s", iocs[i].name);
		close(fd);
	}
}

TEST_F(bare, accepts_a_struct_of_a_page)
{
	union any any = { .size = lwt_page() };

	EXPECT_EQ(0, lwt_ioctl(self->fd, LW_IOC_INFO, &any));
}

TEST_F(bare, refuses_longer_structs_with_unknown_content)
{
	int i;

	for (i = 0; i < NR_IOCS; i++) {
		union any any = { .size = iocs[i].known + 24 };

		any.bytes[iocs[i].known + 23] = 1;
		EXPECT_EQ(-E2BIG, lwt_ioctl(self->fd, iocs[i].cmd, &any))
			TH_LOG("%s", iocs[i].name);
		any.bytes[iocs[i].known + 23] = 0;
		any.bytes[iocs[i].known] = 1;
		EXPECT_EQ(-E2BIG, lwt_ioctl(self->fd, iocs[i].cmd, &any))
			TH_LOG("%s", iocs[i].name);
	}
}

TEST_F(bare, refuses_structs_longer_than_a_page)
{
	const uint32_t sizes[] = { lwt_page() + 1, 2 * lwt_page(), 1U << 31, ~0U };
	unsigned int i, j;

	for (i = 0; i < NR_IOCS; i++) {
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			union any any = { .size = sizes[j] };

			EXPECT_EQ(-E2BIG, lwt_ioctl(self->fd, iocs[i].cmd, &any))
				TH_LOG("%s, size %u", iocs[i].name, sizes[j]);
		}
	}
}

TEST_F(bare, writes_no_more_than_the_caller_knows)
{
	union any any = { .size = 64 };

	memset(any.bytes + 64, 0x5a, 64);
	ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_INFO, &any));
	EXPECT_EQ(0x5a, any.bytes[64]);
}

TEST_F(bare, ignores_the_size_in_the_ioctl_number)
{
	union any any = { .size = 64 };
	unsigned long cmd = _IOC(_IOC_READ | _IOC_WRITE, LW_IOC_MAGIC, 0, 200);

	EXPECT_EQ(0, lwt_ioctl(self->fd, cmd, &any));
	EXPECT_EQ(LW_ABI_VERSION, ((struct lw_info *)&any)->abi_version);
}

TEST_F(bare, survives_bad_pointers)
{
	void *none = mmap(NULL, lwt_page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	void *bad[] = { NULL, (void *)1, none, (void *)0xffff800000000000UL,
			(void *)-8L, (void *)0x00007ffffffff000UL };
	unsigned int i, j;

	for (i = 0; i < NR_IOCS; i++) {
		for (j = 0; j < ARRAY_SIZE(bad); j++) {
			EXPECT_EQ(-EFAULT, lwt_ioctl(self->fd, iocs[i].cmd, bad[j]))
				TH_LOG("%s, %p", iocs[i].name, bad[j]);
		}
	}
}

/* The struct's first half is on the last page that is mapped. */
TEST_F(session, survives_a_struct_that_ends_in_nothing)
{
	uint8_t *two = mmap(NULL, 2 * lwt_page(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	ASSERT_NE(MAP_FAILED, two);
	ASSERT_EQ(0, munmap(two + lwt_page(), lwt_page()));
	for (i = 0; i < NR_IOCS; i++) {
		uint32_t *size = (uint32_t *)(two + lwt_page() - 4);

		*size = iocs[i].size;
		EXPECT_EQ(-EFAULT, lwt_ioctl(self->fd, iocs[i].cmd, size))
			TH_LOG("%s", iocs[i].name);
	}
}

TEST_F(session, survives_results_to_read_only_memory)
{
	static const unsigned int out[] = { 0, 5, 6 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(out); i++) {
		union any *any = mmap(NULL, sizeof(*any), PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ASSERT_NE(MAP_FAILED, any);
		any->size = iocs[out[i]].size;
		ASSERT_EQ(0, mprotect(any, sizeof(*any), PROT_READ));
		EXPECT_EQ(-EFAULT, lwt_ioctl(self->fd, iocs[out[i]].cmd, any))
			TH_LOG("%s", iocs[out[i]].name);
	}
}

TEST_F(session, does_not_know_other_numbers)
{
	union any any = { .size = 64 };

	EXPECT_EQ(-ENOTTY, lwt_ioctl(self->fd, _IO(LW_IOC_MAGIC, NR_IOCS), &any));
	EXPECT_EQ(-ENOTTY, lwt_ioctl(self->fd, _IO(LW_IOC_MAGIC, 255), &any));
	EXPECT_EQ(-ENOTTY, lwt_ioctl(self->fd, _IOWR('x', 0, union any), &any));
	EXPECT_EQ(-ENOTTY, lwt_ioctl(self->fd, TIOCGWINSZ, &any));
	/* The direction is part of the number. */
	EXPECT_EQ(-ENOTTY, lwt_ioctl(self->fd, _IO(LW_IOC_MAGIC, 0), &any));
}

TEST_F(bare, tells_what_it_is)
{
	struct lw_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(LW_ABI_VERSION, info.abi_version);
	EXPECT_GE(info.nr_rings, sysconf(_SC_NPROCESSORS_ONLN));
	EXPECT_EQ(LW_MAX_DEPTH, info.max_depth);
	EXPECT_EQ(LW_DEFAULT_DEPTH, info.default_depth);
	EXPECT_EQ(64, info.max_sessions);
	EXPECT_GT(info.max_events, 0);
	EXPECT_EQ(lwt_page(), info.ring_min);
	EXPECT_GE(info.ring_max, info.ring_default);
	EXPECT_NE(0, info.features & LW_FEATURE_REQUEST);
}

TEST_F(bare, wants_setup_first)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(1000000);

	EXPECT_EQ(-EBADFD, lwt_add_event(self->fd, &attr, LW_TARGET_TASK, 0, NULL));
	EXPECT_EQ(-EBADFD, lwt_enable(self->fd));
	EXPECT_EQ(-EBADFD, lwt_disable(self->fd));
	EXPECT_EQ(-EBADFD, lwt_request(self->fd, 0, NULL));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, lwt_page(), PROT_READ, MAP_SHARED, self->fd,
				   LW_MMAP_CONSUMER(0)));
	EXPECT_EQ(EBADFD, errno);
}

TEST_F(bare, polls_as_an_error_before_setup)
{
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };

	EXPECT_EQ(1, poll(&poll_fd, 1, 0));
	EXPECT_EQ(POLLERR, poll_fd.revents);
}

TEST_F(bare, can_be_set_up_after_a_refusal)
{
	EXPECT_EQ(-EINVAL, lwt_setup(self->fd, lwt_page() + 1, 0, 0));
	EXPECT_EQ(0, lwt_setup(self->fd, RING, 0, 0));
}

TEST_F(bare, checks_the_setup)
{
	const struct lw_setup bad[] = {
		{ .mask = 0x2 },
		{ .mask = LW_MASK_SFRAME | 0x2 },
		{ .mask = 1U << 31 },
		{ .ring_size = 1 },
		{ .ring_size = lwt_page() / 2 },
		{ .ring_size = 3 * lwt_page() },
		{ .ring_size = 1ULL << 32 },
		{ .ring_size = 1ULL << 63 },
		{ .ring_size = -1ULL },
		{ .depth = LW_MAX_DEPTH + 1 },
		{ .depth = -1U },
		{ .kernel_depth = LW_MAX_KERNEL_DEPTH + 1 },
		{ .kernel_depth = -1U },
		{ .ring_size = 2 * lwt_page(), .watermark = lwt_page() + 1 },
		{ .watermark = -1U },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct lw_setup setup = bad[i];

		setup.size = sizeof(setup);
		EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, LW_IOC_SETUP, &setup))
			TH_LOG("case %u", i);
	}
}

static int set_up(uint64_t ring_size, uint32_t depth)
{
	int fd = lwt_open(), ret;

	ret = fd < 0 ? fd : lwt_setup(fd, ring_size, depth, LW_MAX_KERNEL_DEPTH);
	close(fd);
	return ret;
}

/* The longest stack has to fit half of a ring. */
TEST_F(bare, wants_room_for_stacks)
{
	uint64_t size;

	/* As latewind.h has it. */
	EXPECT_EQ(166, lwt_most_depth(4096));
	EXPECT_GT(LW_MAX_DEPTH, lwt_most_depth(16384));
	EXPECT_EQ(LW_MAX_DEPTH, lwt_most_depth(32768));
	for (size = lwt_page(); size <= LWT_PAGE_MAX; size *= 2) {
		uint32_t most = lwt_most_depth(size);

		EXPECT_EQ(0, set_up(size, 0)) TH_LOG("%lu", size);
		EXPECT_EQ(0, set_up(size, most)) TH_LOG("%lu", size);
		if (most == LW_MAX_DEPTH)
			continue;
		EXPECT_EQ(-ENOSPC, set_up(size, most + 1)) TH_LOG("%lu", size);
		EXPECT_EQ(-ENOSPC, set_up(size, LW_MAX_DEPTH)) TH_LOG("%lu", size);
	}
	EXPECT_EQ(0, set_up(0, LW_MAX_DEPTH));
}

TEST_F(bare, takes_the_extremes_of_the_setup)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.ring_size = lwt_page(),
		.depth = lwt_most_depth(lwt_page()),
		.kernel_depth = LW_MAX_KERNEL_DEPTH,
		.watermark = lwt_page() / 2,
	};

	EXPECT_EQ(0, lwt_ioctl(self->fd, LW_IOC_SETUP, &setup));
}

TEST_F(session, is_set_up_once)
{
	EXPECT_EQ(-EBUSY, lwt_setup(self->fd, RING, 0, 0));
}

TEST_F(session, has_nothing_to_enable_without_events)
{
	EXPECT_EQ(-ENOENT, lwt_enable(self->fd));
	EXPECT_EQ(-ENOENT, lwt_disable(self->fd));
}

TEST_F(session, is_enabled_and_disabled_in_turn)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	uint64_t id = 0;

	ASSERT_EQ(0, lwt_add_event(self->fd, &attr, LW_TARGET_TASK, 0, &id));
	EXPECT_NE(0, id);
	EXPECT_EQ(-EALREADY, lwt_disable(self->fd));
	EXPECT_EQ(0, lwt_enable(self->fd));
	EXPECT_EQ(-EALREADY, lwt_enable(self->fd));
	EXPECT_EQ(-EBUSY, lwt_add_event(self->fd, &attr, LW_TARGET_TASK, 0, NULL));
	EXPECT_EQ(0, lwt_disable(self->fd));
	EXPECT_EQ(-EALREADY, lwt_disable(self->fd));
	EXPECT_EQ(0, lwt_enable(self->fd));
}

TEST_F(session, gives_each_event_its_own_id)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	uint64_t ids[3];
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, lwt_add_event(self->fd, &attr, LW_TARGET_TASK, 0,
					   &ids[i]));
	}
	EXPECT_NE(LW_EVENT_ID_REQUEST, ids[0]);
	EXPECT_NE(ids[0], ids[1]);
	EXPECT_NE(ids[1], ids[2]);
	EXPECT_NE(ids[0], ids[2]);
}

/* Root without the right to have more than its limits say. */
static int drop_resource(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= ~(1U << CAP_SYS_RESOURCE);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* Return: how many events were added until -EMFILE, or another -errno; 100 are enough. */
static int add_until_full(int fd, uint32_t target)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	int nr = 0, ret = 0;

	while (nr < 100 && !(ret = lwt_add_event(fd, &attr, target, 0, NULL)))
		nr++;
	return ret && ret != -EMFILE ? ret : nr;
}

/* As perf, which has a file for each. */
TEST_F(session, has_no_more_counters_than_files)
{
	struct rlimit limit = { 17, 17 };
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), other = lwt_open();

	ASSERT_EQ(0, lwt_setup(other, RING, 0, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_EQ(0, drop_resource());
	EXPECT_EQ(17, add_until_full(self->fd, LW_TARGET_TASK));
	EXPECT_EQ(17 / cpus, add_until_full(other, LW_TARGET_CPUS));
	/* What is left of that is for a thread. */
	EXPECT_EQ(17 % cpus, add_until_full(other, LW_TARGET_TASK));
	close(other);
}

TEST_F(session, has_more_counters_by_right)
{
	struct rlimit limit = { 17, 17 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(100, add_until_full(self->fd, LW_TARGET_TASK));
}

static int add(int fd, struct lw_add_event event)
{
	event.size = sizeof(event);
	return lwt_ioctl(fd, LW_IOC_ADD_EVENT, &event);
}

TEST_F(session, checks_the_target)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	uint64_t at = (uintptr_t)&attr;

	EXPECT_EQ(-EINVAL, add(self->fd, (struct lw_add_event){
			.attr = at, .target = 0 }));
	EXPECT_EQ(-EINVAL, add(self->fd, (struct lw_add_event){
			.attr = at, .target = 3 }));
	EXPECT_EQ(-EINVAL, add(self->fd, (struct lw_add_event){
			.attr = at, .target = LW_TARGET_CPUS, .pid = 1 }));
	EXPECT_EQ(-EINVAL, add(self->fd, (struct lw_add_event){
			.attr = at, .target = LW_TARGET_TASK, .pid = -1 }));
	EXPECT_EQ(-EINVAL, add(self->fd, (struct lw_add_event){
			.attr = at, .target = LW_TARGET_TASK, .reserved = 1 }));
	EXPECT_EQ(-ESRCH, add(self->fd, (struct lw_add_event){
			.attr = at, .target = LW_TARGET_TASK, .pid = 0x7ffffff0 }));
	EXPECT_EQ(0, add(self->fd, (struct lw_add_event){
			.attr = at, .target = LW_TARGET_TASK }));
	EXPECT_EQ(0, add(self->fd, (struct lw_add_event){
			.attr = at, .target = LW_TARGET_CPUS }));
}

TEST_F(session, has_no_task_that_was_reaped)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(-ESRCH, lwt_add_event(self->fd, &attr, LW_TARGET_TASK, pid, NULL));
}

TEST_F(session, checks_the_address_of_the_attr)
{
	uint8_t *two = mmap(NULL, 2 * lwt_page(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_event_attr *attr = (void *)(two + lwt_page() - 8);

	ASSERT_NE(MAP_FAILED, two);
	EXPECT_EQ(-EFAULT, lwt_add_event(self->fd, NULL, LW_TARGET_TASK, 0, NULL));
	EXPECT_EQ(-EFAULT, lwt_add_event(self->fd, (void *)-4096L,
					 LW_TARGET_TASK, 0, NULL));
	attr->type = PERF_TYPE_SOFTWARE;
	attr->size = sizeof(*attr);
	ASSERT_EQ(0, munmap(two + lwt_page(), lwt_page()));
	EXPECT_EQ(-EFAULT, lwt_add_event(self->fd, attr, LW_TARGET_TASK, 0, NULL));
}

static int add_attr(int fd, struct perf_event_attr *attr)
{
	return lwt_add_event(fd, attr, LW_TARGET_TASK, 0, NULL);
}

/*
 * An access that hits goes on.  The kernel of arm64 steps over breakpoints for tracers of its own
 * only, so that there is none; that of s390x has none at all.
 */
TEST_F(session, has_breakpoints_that_end)
{
	static volatile uint64_t watched;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .sample_period = 1,
		.bp_type = HW_BREAKPOINT_W, .bp_addr = (uintptr_t)&watched,
		.bp_len = HW_BREAKPOINT_LEN_8, .exclude_kernel = 1,
	};
	int expected = 0;

#if defined(__aarch64__)
	expected = -EOPNOTSUPP;
#elif !defined(__x86_64__)
	expected = -ENOENT;
#endif
	EXPECT_EQ(expected, add_attr(self->fd, &attr));
	ASSERT_EQ(expected ? -ENOENT : 0, lwt_enable(self->fd));
	watched = 1;
	EXPECT_EQ(1, watched);
}

TEST_F(session, checks_the_size_of_the_attr)
{
	union {
		struct perf_event_attr attr;
		uint8_t bytes[2 * LWT_PAGE_MAX];
	} any = { .attr = lwt_attr_cpu_clock(100000000) };

	any.attr.size = 1;
	EXPECT_EQ(-EINVAL, add_attr(self->fd, &any.attr));
	any.attr.size = PERF_ATTR_SIZE_VER0 - 1;
	EXPECT_EQ(-EINVAL, add_attr(self->fd, &any.attr));
	any.attr.size = lwt_page() + 1;
	EXPECT_EQ(-E2BIG, add_attr(self->fd, &any.attr));
	any.attr.size = ~0U;
	EXPECT_EQ(-E2BIG, add_attr(self->fd, &any.attr));
	any.attr.size = lwt_page();
	EXPECT_EQ(0, add_attr(self->fd, &any.attr));
	any.bytes[lwt_page() - 1] = 1;
	EXPECT_EQ(-E2BIG, add_attr(self->fd, &any.attr));
	any.attr.size = PERF_ATTR_SIZE_VER0;
	EXPECT_EQ(0, add_attr(self->fd, &any.attr));
	any.attr.size = 0;
	EXPECT_EQ(0, add_attr(self->fd, &any.attr));
}

TEST_F(session, wants_a_period)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(0);

	EXPECT_EQ(-EINVAL, add_attr(self->fd, &attr));
	attr.freq = 1;
	EXPECT_EQ(-EINVAL, add_attr(self->fd, &attr));
	attr.sample_freq = 1ULL << 62;
	EXPECT_EQ(-EINVAL, add_attr(self->fd, &attr));
	attr.freq = 0;
	attr.sample_period = 1ULL << 63;
	EXPECT_EQ(-EINVAL, add_attr(self->fd, &attr));
}

/* Each asks for records in a buffer that there is not. */
TEST_F(session, refuses_attr_bits_that_it_cannot_serve)
{
#define WITH(bit) { .size = sizeof(struct perf_event_attr), \
		    .type = PERF_TYPE_SOFTWARE, .sample_period = 100000000, \
		    .bit = 1 }
	struct perf_event_attr attrs[] = {
		WITH(mmap), WITH(comm), WITH(task), WITH(mmap_data),
		WITH(mmap2), WITH(comm_exec), WITH(context_switch),
		WITH(namespaces), WITH(ksymbol), WITH(bpf_event),
		WITH(aux_output), WITH(cgroup), WITH(text_poke),
		WITH(build_id), WITH(inherit_stat),
		WITH(write_backward), WITH(remove_on_exec), WITH(sigtrap),
		WITH(__reserved_1),
	};
#undef WITH
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		EXPECT_EQ(-EINVAL, add_attr(self->fd, &attrs[i]))
			TH_LOG("case %u", i);
	}
}

TEST_F(session, refuses_reserved_fields_of_the_attr)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);

	attr.__reserved_2 = 1;
	EXPECT_EQ(-EINVAL, add_attr(self->fd, &attr));
	attr.__reserved_2 = 0;
	/* The word behind it, __reserved_3 or aux_action by kernel version. */
	((uint32_t *)&attr.aux_sample_size)[1] = 1;
	EXPECT_NE(0, add_attr(self->fd, &attr));
}

/* Its copy for a child would look for the name in another program's memory. */
TEST_F(session, refuses_probes_that_are_inherited)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 1,
		.kprobe_func = (uintptr_t)"do_exit",
	};
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "r");
	int ret;

	ASSERT_NE(NULL, file);
	ret = fscanf(file, "%u", &attr.type);
	fclose(file);
	ASSERT_EQ(1, ret);
	EXPECT_EQ(0, add_attr(self->fd, &attr));
	attr.inherit = 1;
	EXPECT_EQ(-EINVAL, add_attr(self->fd, &attr));
}

TEST_F(session, says_what_perf_says_of_the_event)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);

	attr.config = 9999;
	EXPECT_EQ(-ENOENT, add_attr(self->fd, &attr));
	attr.type = 9999;
	EXPECT_EQ(-ENOENT, add_attr(self->fd, &attr));
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = 999999;
	EXPECT_GT(0, add_attr(self->fd, &attr));
}

TEST_F(session, ignores_what_a_sample_should_hold)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);

	attr.sample_type = ~0ULL;
	attr.read_format = ~0ULL;
	attr.wakeup_events = 7;
	EXPECT_EQ(0, add_attr(self->fd, &attr));
}

static int try_map(int fd, size_t len, int prot, int flags, uint64_t offset)
{
	void *map = mmap(NULL, len, prot, flags, fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, len);
	return 0;
}

#define RW	(PROT_READ | PROT_WRITE)
#define RX	(PROT_READ | PROT_EXEC)

TEST_F(session, maps_its_rings)
{
	struct lw_info info = { .size = sizeof(info) };
	uint32_t cpu;

	ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_INFO, &info));
	for (cpu = 0; cpu < (uint32_t)sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		uint64_t producer = LW_MMAP_PRODUCER(cpu);

		EXPECT_EQ(0, try_map(self->fd, lwt_page(), RW, MAP_SHARED,
				     LW_MMAP_CONSUMER(cpu)));
		EXPECT_EQ(0, try_map(self->fd, lwt_page() + RING, PROT_READ,
				     MAP_SHARED, producer));
		EXPECT_EQ(0, try_map(self->fd, lwt_page() + 2 * RING, PROT_READ,
				     MAP_SHARED, producer));
	}
	EXPECT_EQ(-EINVAL, try_map(self->fd, lwt_page(), RW, MAP_SHARED,
				   LW_MMAP_CONSUMER(info.nr_rings)));
	EXPECT_EQ(-EINVAL, try_map(self->fd, lwt_page(), RW, MAP_SHARED,
				   LW_MMAP_CONSUMER(1U << 20)));
}

TEST_F(session, refuses_odd_mappings)
{
	uint64_t producer = LW_MMAP_PRODUCER(0);

	EXPECT_EQ(-EINVAL, try_map(self->fd, lwt_page(), PROT_READ, MAP_SHARED, producer));
	EXPECT_EQ(-EINVAL, try_map(self->fd, RING, PROT_READ, MAP_SHARED, producer));
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * lwt_page() + 2 * RING, PROT_READ,
				   MAP_SHARED, producer));
	EXPECT_EQ(-EINVAL, try_map(self->fd, lwt_page() + RING, PROT_READ, MAP_SHARED,
				   producer + lwt_page()));
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * lwt_page(), RW, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, lwt_page(), RW, MAP_SHARED, lwt_page()));
}

TEST_F(session, maps_the_producer_read_only)
{
	uint64_t producer = LW_MMAP_PRODUCER(0);
	size_t len = lwt_page() + 2 * RING;
	void *map;

	EXPECT_EQ(-EPERM, try_map(self->fd, len, RW, MAP_SHARED, producer));
	EXPECT_EQ(-EPERM, try_map(self->fd, len, RX, MAP_SHARED, producer));
	EXPECT_EQ(-EPERM, try_map(self->fd, len, PROT_READ, MAP_PRIVATE, producer));
	EXPECT_EQ(-EPERM, try_map(self->fd, lwt_page(), RX, MAP_SHARED, 0));
	EXPECT_EQ(-EPERM, try_map(self->fd, lwt_page(), RW, MAP_PRIVATE, 0));

	map = mmap(NULL, len, PROT_READ, MAP_SHARED, self->fd, producer);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-1, mprotect(map, len, RW));
	EXPECT_EQ(-1, mprotect(map, lwt_page(), RW));
	EXPECT_EQ(-1, mprotect(map, lwt_page(), RX));
	EXPECT_EQ(MAP_FAILED, mremap(map, len, len + lwt_page(), MREMAP_MAYMOVE));
}

TEST_F(session, shows_its_ring)
{
	struct lw_ring_producer *map;

	map = mmap(NULL, lwt_page() + 2 * RING, PROT_READ, MAP_SHARED, self->fd,
		   LW_MMAP_PRODUCER(0));
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, map->pos);
	EXPECT_EQ(RING, map->data_size);
	EXPECT_EQ(lwt_page(), map->data_offset);
	EXPECT_EQ(0, map->lost);
}

TEST_F(session, does_not_poll_readable_while_empty)
{
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };

	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
}

/*
 * poll() looks once more when its time is up, and that is not being woken: without a
 * limit of time it never returns to whom nobody wakes.
 */
static bool is_woken(struct pollfd *poll_fd)
{
	return poll(poll_fd, 1, -1) == 1 && poll_fd->revents == POLLIN;
}

TEST_F(bare, polls_readable_at_the_watermark)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.ring_size = RING,
		.watermark = 2048,
	};
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };
	struct lw_ring_producer *map;
	pid_t pid;
	int i;

	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_SETUP, &setup));
	map = mmap(NULL, lwt_page() + RING, PROT_READ, MAP_SHARED, self->fd,
		   LW_MMAP_PRODUCER(0));
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, lwt_request(self->fd, 0, NULL));
	ASSERT_LT(map->pos, 2048);
	EXPECT_EQ(0, poll(&poll_fd, 1, 0));

	/* And one that sleeps is woken. */
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(is_woken(&poll_fd) ? 0 : 1);
	ASSERT_TRUE(lwt_wait(lwt_is(pid, "S")));
	for (i = 0; map->pos < 2048 && i < 1000; i++) {
		ASSERT_LE(0, lwt_request(self->fd, 0, NULL));
	}
	EXPECT_EQ(1, poll(&poll_fd, 1, 0));
	ASSERT_EQ(pid, waitpid(pid, &i, 0));
	EXPECT_EQ(0, i);
}

/* With 64 open, this makes the 65th. */
TEST(there_are_64_sessions)
{
	int fds[64];
	int i, fd;

	for (i = 0; i < 64; i++) {
		fds[i] = lwt_open();
		ASSERT_GE(fds[i], 0)
			TH_LOG("session %d", i);
	}
	EXPECT_EQ(-EMFILE, lwt_open());
	close(fds[17]);
	fd = lwt_open();
	EXPECT_GE(fd, 0);
	EXPECT_EQ(-EMFILE, lwt_open());
	close(fd);
	for (i = 0; i < 64; i++)
		if (i != 17)
			close(fds[i]);
	/* And once more: all were released. */
	for (i = 0; i < 64; i++) {
		fds[i] = lwt_open();
		ASSERT_GE(fds[i], 0)
			TH_LOG("session %d", i);
	}
	for (i = 0; i < 64; i++)
		close(fds[i]);
}

/* All of them answer the same entry. */
TEST(sixty_four_sessions_share_one_stack)
{
	struct perf_event_attr attr;
	static struct lwt_session s[64];
	struct lw_cookie first;
	int i;

	attr = lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	for (i = 0; i < 64; i++) {
		ASSERT_EQ(0, lwt_session_open(&s[i], 4 * lwt_page(), i + 1, 0));
		ASSERT_EQ(0, add_attr(s[i].fd, &attr));
		ASSERT_EQ(0, lwt_enable(s[i].fd));
	}
	syscall(SYS_getppid);
	for (i = 0; i < 64; i++) {
		struct lwt_stack *stack;
		struct lwt_log log = {};

		ASSERT_EQ(0, lwt_disable(s[i].fd));
		ASSERT_EQ(2, lwt_read(&s[i], &log));
		stack = lwt_first_stack(&log);
		ASSERT_NE(NULL, stack);
		if (!i)
			first = stack->cookie;
		EXPECT_TRUE(lwt_cookie_same(&first, &stack->cookie));
		EXPECT_GE(i + 1, (int)stack->nr);
		lwt_log_free(&log);
	}
	for (i = 0; i < 64; i++)
		lwt_session_close(&s[i]);
}

TEST_F(session, is_not_read_or_written_as_a_file)
{
	char byte = 0;

	EXPECT_EQ(-1, read(self->fd, &byte, 1));
	EXPECT_EQ(-1, write(self->fd, &byte, 1));
	EXPECT_EQ(-1, lseek(self->fd, 1, SEEK_SET));
}

/* See programs/caller32.c; its exit status is the line that failed. */
TEST(serves_32_bit_callers)
{
	const char *why = NULL;
	int status = lwt_run_32("./caller32", &why);

	if (why)
		SKIP(return, "%s", why);
	EXPECT_EQ(0, status)
		TH_LOG("programs/caller32.c failed at check %d", status);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
