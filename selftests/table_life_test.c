// SPDX-License-Identifier: GPL-2.0
/*
 * table_life_test.c - LW_IOC_ADD_TABLE: who has a table and for how long, what is refused,
 * and what hostile ones do.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/asker.h"
#include "lib/fake.h"
#include "lib/lw_test.h"
#include "lib/sframe_abi.h"
#include "kselftest_harness.h"

#define RING		lwt_page()
#define PARAMETERS	"/sys/module/latewind/parameters/"

static int open_session(void)
{
	int fd = lwt_open();

	if (fd >= 0 && lwt_setup(fd, RING, 0, 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

FIXTURE(table)
{
	struct asker a;			/* of whose session nothing is added to */
	struct fake f;
	struct fake_stack s;
	char *map;
	int fd;				/* of the session that has tables */
};

FIXTURE_SETUP(table)
{
	self->fd = -1;
	self->f.fd = -1;
	ASSERT_EQ(0, asker_open(&self->a));
	ASSERT_EQ(0, fake_make(&self->f, NULL, 1, 0));
	self->map = fake_map(&self->f, 0, 1);
	ASSERT_NE(MAP_FAILED, self->map);
	self->fd = open_session();
	ASSERT_LE(0, self->fd);
	/* Those of the tests before this one. */
	ASSERT_TRUE(lwt_wait(!lwt_stats(self->fd).all_tables));
}

FIXTURE_TEARDOWN(table)
{
	close(self->fd);
	/* None is forgotten, whatever was done. */
	EXPECT_TRUE(lwt_wait(!lwt_stats(self->a.s.fd).all_tables));
	EXPECT_EQ(0, lwt_stats(self->a.s.fd).all_table_bytes);
	munmap(self->map, FAKE_PAGE);
	fake_close(&self->f);
	asker_close(&self->a);
}

static bool is_used(FIXTURE_DATA(table) *self)
{
	return fake_is_by(&self->s, fake_ask_simply(&self->f, &self->a, &self->s, self->map),
			  LW_HOW_TABLE);
}

static bool is_unused(FIXTURE_DATA(table) *self)
{
	struct lwt_stack *stack = fake_ask_simply(&self->f, &self->a, &self->s, self->map);

	return stack && stack->nr == 2 && stack->end == LW_END_NO_RULE;
}

TEST_F(table, is_gone_with_its_session)
{
	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	EXPECT_TRUE(is_used(self));
	EXPECT_EQ(1, lwt_stats(self->a.s.fd).all_tables);
	EXPECT_EQ(0, lwt_stats(self->a.s.fd).tables);
	EXPECT_EQ(lwt_stats(self->fd).table_bytes, lwt_stats(self->a.s.fd).all_table_bytes);
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(is_unused(self));
}

TEST_F(table, is_shared_by_sessions)
{
	int other = open_session();
	struct lw_stats stats;

	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	ASSERT_EQ(0, fake_add(&self->f, other));
	stats = lwt_stats(other);
	EXPECT_EQ(1, stats.tables);
	EXPECT_EQ(1, lwt_stats(self->fd).tables);
	EXPECT_EQ(stats.table_bytes, stats.all_table_bytes);
	EXPECT_EQ(1, stats.all_tables);
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(is_used(self));
	EXPECT_EQ(1, lwt_stats(other).all_tables);
	close(other);
	EXPECT_TRUE(is_unused(self));
}

/* In the other order: it is not the first that has it. */
TEST_F(table, stays_with_whoever_came_first)
{
	int other = open_session();

	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	ASSERT_EQ(0, fake_add(&self->f, other));
	close(other);
	EXPECT_TRUE(is_used(self));
}

TEST_F(table, is_had_once_by_a_session)
{
	struct lw_stats stats;
	int i;

	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, fake_add(&self->f, self->fd));
	stats = lwt_stats(self->fd);
	EXPECT_EQ(1, stats.tables);
	EXPECT_EQ(1, stats.all_tables);
	EXPECT_EQ(0, stats.tables_refused);
}

static struct fake with_other_bytes(const struct fake *f)
{
	struct fake other = *f;

	other.table.bytes[other.table.size - 1] ^= 1;
	return other;
}

TEST_F(table, is_not_shared_with_another)
{
	struct fake other = with_other_bytes(&self->f);
	struct fake longer = self->f;

	longer.table.bytes[longer.table.size++] = 0;
	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	ASSERT_EQ(0, fake_add(&other, self->fd));
	ASSERT_EQ(0, fake_add(&longer, self->fd));
	EXPECT_EQ(3, lwt_stats(self->fd).tables);
	/* The same for less of the text. */
	ASSERT_EQ(0, table_add(self->fd, &self->f.table, self->f.fd, 0, FAKE_TEXT / 2));
	ASSERT_EQ(0, table_add(self->fd, &self->f.table, self->f.fd, 64, FAKE_TEXT));
	EXPECT_EQ(5, lwt_stats(self->fd).all_tables);
}

/* Mappings that a walk has no room for are given up, and at its end all of them. */
TEST_F(table, is_let_go_by_walks)
{
	enum { NR = 40, TIMES = 50 };
	struct fake files[NR];
	char *maps[NR];
	int i, j;

	for (i = 0; i < NR; i++) {
		ASSERT_EQ(0, fake_make(&files[i], NULL, 1, 0));
		ASSERT_EQ(0, fake_add(&files[i], self->fd));
		maps[i] = fake_map(&files[i], 0, 1);
	}
	for (j = 0; j < TIMES; j++) {
		fake_stack_init(&self->s, &self->a);
		for (i = 0; i < 3 * NR; i++)
			fake_call(&self->s, &files[i * 7 % NR], maps[i * 7 % NR], 0, 1);
		fake_call(&self->s, &files[0], maps[0], 0, FAKE_LAST);
		ASSERT_TRUE(fake_is_by(&self->s, fake_ask(&self->s), LW_HOW_TABLE));
	}
	for (i = 0; i < NR; i++) {
		munmap(maps[i], FAKE_PAGE);
		fake_close(&files[i]);
	}
	EXPECT_EQ(NR, lwt_stats(self->fd).all_tables);
}

/* A page of the stack that comes only when the session has been closed. */
struct late {
	pthread_t thread;
	int uffd;
	int session;
	int watch;
	void *page;
	uint64_t words[LWT_PAGE_MAX / 8];
	uint64_t held;
	bool ends;			/* no other descriptor is of the session */
	bool closed;
};

static void *close_and_bring(void *arg)
{
	struct late *late = arg;
	struct uffdio_copy copy = {
		.dst = (uintptr_t)late->page,
		.src = (uintptr_t)late->words,
		.len = lwt_page(),
	};
	struct uffd_msg msg;

	if (read(late->uffd, &msg, sizeof(msg)) == sizeof(msg) && !close(late->session)) {
		late->closed = true;
		/* A worker frees it. */
		if (late->ends)
			lwt_wait(!lwt_stats(late->watch).all_tables);
		late->held = lwt_stats(late->watch).all_tables;
	}
	/* In any case: the walk waits for it. */
	ioctl(late->uffd, UFFDIO_COPY, &copy);
	return NULL;
}

static int expect_fault(struct late *late)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)late->page, lwt_page() },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	late->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (late->uffd < 0 || ioctl(late->uffd, UFFDIO_API, &api) ||
	    ioctl(late->uffd, UFFDIO_REGISTER, &reg))
		return -1;
	return pthread_create(&late->thread, NULL, close_and_bring, late);
}

/* A stack of six frames: the walk waits for a page of it behind the fourth. */
static struct lwt_stack *ask_late(FIXTURE_DATA(table) *self, struct late *late, int close_session)
{
	/* The second page of it. */
	uint64_t *page = self->a.stack + lwt_page() / 8;
	struct lwt_stack *answer;

	late->session = close_session;
	late->watch = self->a.s.fd;
	late->page = page;
	/* In function 0 twice, then in the last. */
	page[-3] = (uintptr_t)self->map + 32;
	page[-2] = (uintptr_t)self->map + 33;
	page[-1] = (uintptr_t)self->map + 34;
	late->words[0] = (uintptr_t)self->map + 35;
	late->words[1] = (uintptr_t)self->map + FAKE_LAST * FAKE_SIZE + 32;
	if (expect_fault(late))
		return NULL;
	answer = asker_ask(&self->a, raw_hostile_sframe, (uintptr_t)&page[-3], 1, 0);
	pthread_join(late->thread, NULL);
	close(late->uffd);
	return answer;
}

/* The page may never come, so its session's end frees it. The walk goes on without it. */
TEST_F(table, is_not_held_by_a_walk_that_waits)
{
	static struct late late;
	struct lwt_stack *answer;

	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	late.ends = true;
	answer = ask_late(self, &late, self->fd);
	self->fd = -1;
	ASSERT_TRUE(late.closed);
	EXPECT_EQ(0, late.held);
	ASSERT_NE(NULL, answer);
	EXPECT_EQ(5, answer->nr);
	EXPECT_EQ(LW_END_NO_RULE, answer->end);
	EXPECT_EQ(LW_HOW_TABLE, lwt_how(answer)[4]);
	EXPECT_TRUE(is_unused(self));
}

TEST_F(table, is_found_again_behind_a_wait)
{
	static struct late late;
	struct lwt_stack *answer;

	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	answer = ask_late(self, &late, dup(self->fd));
	ASSERT_TRUE(late.closed);
	EXPECT_EQ(1, late.held);
	ASSERT_NE(NULL, answer);
	EXPECT_EQ(6, answer->nr);
	EXPECT_EQ(LW_END_OUTERMOST, answer->end);
	EXPECT_EQ(LW_HOW_TABLE, lwt_how(answer)[5]);
}

/* Where a task runs whose file's headers are not in its memory: the first look waits for them. */
TEST_F(table, is_found_again_behind_a_look)
{
	struct table *of_all = &self->f.table;
	struct lwt_stack *answer;
	struct fake two;
	char *map;

	ASSERT_EQ(0, fake_make(&two, NULL, 2, 0));
	ASSERT_EQ(256, pwrite(two.fd, (void *)raw_hostile_fp, 256, FAKE_PAGE));
	table_init(of_all);
	table_func(of_all, 0, 2 * FAKE_PAGE);
	table_row(of_all, 0, TABLE_SP, 8, 0);
	table_finish(of_all);
	ASSERT_EQ(0, table_add(self->fd, of_all, two.fd, 0, 2 * FAKE_PAGE));
	map = fake_map(&two, 0, 2);
	ASSERT_NE(MAP_FAILED, map);
	/* Else the page would be mapped without a wait. */
	ASSERT_EQ(0, madvise(map, FAKE_PAGE, MADV_RANDOM));
	self->a.stack[0] = (uintptr_t)raw_hostile_sframe_ip;
	self->a.stack[1] = 0;
	answer = asker_ask(&self->a, (asker_fn)(map + FAKE_PAGE), (uintptr_t)self->a.stack, 1, 0);
	ASSERT_NE(NULL, answer);
	EXPECT_EQ(2, answer->nr);
	EXPECT_EQ(LW_HOW_TABLE, lwt_how(answer)[1]);
	EXPECT_EQ(LW_END_OUTERMOST, answer->end);
	munmap(map, 2 * FAKE_PAGE);
	fake_close(&two);
}

static int set_file(const char *path, const char *value, char *before, size_t len)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (before) {
		ret = read(fd, before, len - 1);
		before[ret > 0 ? ret : 0] = 0;
	}
	/* Some files of debugfs know no pwrite(). */
	if (lseek(fd, 0, SEEK_SET) || write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		ret = -EIO;
	close(fd);
	return ret < 0 ? ret : 0;
}

static int set_parameter(const char *name, const char *value, char *before, size_t len)
{
	char path[128];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return set_file(path, value, before, len);
}

TEST_F(table, needs_room_in_all)
{
	struct fake other = with_other_bytes(&self->f);
	char before[64], value[64];

	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	snprintf(value, sizeof(value), "%llu",
		 (unsigned long long)(2 * lwt_stats(self->fd).table_bytes - 1));
	ASSERT_EQ(0, set_parameter("table_bytes", value, before, sizeof(before)));
	EXPECT_EQ(-ENOSPC, fake_add(&other, self->fd));
	EXPECT_EQ(1, lwt_stats(self->fd).tables_refused);
	EXPECT_EQ(1, lwt_stats(self->fd).all_tables);
	EXPECT_EQ(0, set_parameter("table_bytes", "0", NULL, 0));
	EXPECT_EQ(-ENOSPC, fake_add(&other, self->fd));
	EXPECT_TRUE(is_used(self));
	EXPECT_EQ(0, set_parameter("table_bytes", before, NULL, 0));
	EXPECT_EQ(0, fake_add(&other, self->fd));
	EXPECT_EQ(2, lwt_stats(self->fd).tables_refused);
}

TEST_F(table, is_one_of_so_many)
{
	struct fake other = with_other_bytes(&self->f);
	char before[64];

	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	ASSERT_EQ(0, set_parameter("table_count", "1", before, sizeof(before)));
	EXPECT_EQ(-ENOSPC, fake_add(&other, self->fd));
	EXPECT_EQ(0, set_parameter("table_count", before, NULL, 0));
	EXPECT_EQ(0, fake_add(&other, self->fd));
	EXPECT_EQ(1, lwt_stats(self->fd).tables_refused);
}

/* What is closed makes room at once. */
TEST_F(table, takes_the_place_of_one_that_is_gone)
{
	char before[64];
	int i;

	ASSERT_EQ(0, set_parameter("table_count", "1", before, sizeof(before)));
	for (i = 0; i < 20; i++) {
		close(self->fd);
		self->fd = open_session();
		EXPECT_EQ(0, fake_add(&self->f, self->fd));
	}
	EXPECT_EQ(0, set_parameter("table_count", before, NULL, 0));
}

#define BUSY_CPU	1
/* Without them a real-time task leaves others some time. */
#define RT_RUNTIME	"/proc/sys/kernel/sched_rt_runtime_us"
#define FAIR_RUNTIME	"/sys/kernel/debug/sched/fair_server/cpu1/runtime"
/* Until who keeps the CPU busy gives up, below what the kernel calls a stall. */
#define BUSY_NS		10000000000ULL

/* On BUSY_CPU, of two real-time priorities: one adds a table, one leaves nobody else that CPU. */
struct busy {
	struct fake *fake;
	int fd;
	int ret;
	atomic_bool spins;
	atomic_bool added;
	atomic_bool gave_up;
};

static void *spin(void *arg)
{
	struct busy *busy = arg;
	uint64_t until = lwt_now() + BUSY_NS;

	busy->spins = true;
	while (!busy->added && !busy->gave_up)
		if (lwt_now() > until)
			busy->gave_up = true;
	return arg;
}

static void *add_table(void *arg)
{
	struct busy *busy = arg;

	busy->ret = fake_add(busy->fake, busy->fd);
	busy->added = true;
	return arg;
}

static int start_real_time(pthread_t *thread, int priority, void *(*run)(void *), void *arg)
{
	struct sched_param param = { .sched_priority = priority };
	pthread_attr_t attr;
	cpu_set_t set;
	int ret;

	CPU_ZERO(&set);
	CPU_SET(BUSY_CPU, &set);
	pthread_attr_init(&attr);
	ret = pthread_attr_setaffinity_np(&attr, sizeof(set), &set) ?:
	      pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) ?:
	      pthread_attr_setschedpolicy(&attr, SCHED_FIFO) ?:
	      pthread_attr_setschedparam(&attr, &param) ?:
	      pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return ret;
}

/* Whoever needs room waits for a worker, which may run on any CPU. */
TEST_F_TIMEOUT(table, is_added_beside_a_busy_task, 60)
{
	struct fake other = with_other_bytes(&self->f);
	struct busy busy = { .fake = &other, .fd = self->fd };
	char count[64], rt[64], fair[64] = "";
	pthread_t spinner, adder;

	if (sysconf(_SC_NPROCESSORS_ONLN) <= BUSY_CPU)
		SKIP(return, "this machine has one CPU");
	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	ASSERT_EQ(0, set_parameter("table_count", "1", count, sizeof(count)));
	ASSERT_EQ(0, set_file(RT_RUNTIME, "-1", rt, sizeof(rt)));
	/*
	 * From 6.12 on.  By a task of that CPU: of a CPU that has no such task the kernel may leave
	 * the server running while this changes, and then warns (6.12.95,
	 * sched_fair_server_write()).
	 */
	ASSERT_EQ(0, lwt_pin(BUSY_CPU));
	if (!access(FAIR_RUNTIME, F_OK))
		ASSERT_EQ(0, set_file(FAIR_RUNTIME, "0", fair, sizeof(fair)));
	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, start_real_time(&spinner, 1, spin, &busy));
	EXPECT_TRUE(lwt_wait(busy.spins));
	EXPECT_EQ(0, start_real_time(&adder, 2, add_table, &busy));
	pthread_join(spinner, NULL);
	pthread_join(adder, NULL);
	EXPECT_FALSE(busy.gave_up);
	EXPECT_EQ(-ENOSPC, busy.ret);
	if (*fair)
		EXPECT_EQ(0, set_file(FAIR_RUNTIME, fair, NULL, 0));
	EXPECT_EQ(0, set_file(RT_RUNTIME, rt, NULL, 0));
	EXPECT_EQ(0, set_parameter("table_count", count, NULL, 0));
}

TEST_F(table, is_one_of_a_few_for_a_file)
{
	struct fake other = self->f;
	int i;

	for (i = 0; i < LW_MAX_FILE_TABLES; i++) {
		other.table.bytes[other.table.size++] = 0;
		ASSERT_EQ(0, fake_add(&other, self->fd));
	}
	EXPECT_EQ(-ENOSPC, fake_add(&self->f, self->fd));
	EXPECT_EQ(0, fake_add(&other, self->fd));
	EXPECT_EQ(1, lwt_stats(self->fd).tables_refused);
	ASSERT_EQ(0, fake_touch(&self->f, 1));
	EXPECT_EQ(0, fake_add(&self->f, self->fd));
}

TEST_F(table, is_locked_memory)
{
	long before = lwt_own_kib("VmLck"), of_rings, kib, page = lwt_page() / 1024;
	int other = open_session();
	struct fake big = self->f;

	of_rings = lwt_own_kib("VmLck") - before;
	ASSERT_LT(0, of_rings);
	big.table.size = 64000;
	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	kib = lwt_own_kib("VmLck");
	EXPECT_EQ(before + of_rings + page, kib);
	/* For each that has it, and once. */
	ASSERT_EQ(0, fake_add(&self->f, other));
	ASSERT_EQ(0, fake_add(&self->f, other));
	EXPECT_EQ(kib + page, lwt_own_kib("VmLck"));
	ASSERT_EQ(0, fake_add(&big, other));
	EXPECT_LE(kib + page + 64, lwt_own_kib("VmLck"));
	close(other);
	EXPECT_EQ(before + page, lwt_own_kib("VmLck"));
}

/* What is refused leaves nothing behind. */
TEST_F(table, is_refused_when_bad)
{
	char *none = mmap(NULL, FAKE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lw_table good, bad;
	struct fake other = self->f;
	int fd, fds[2], bare;
	uint8_t *bytes = other.table.bytes;

	ASSERT_EQ(0, table_arg(&good, &other.table, self->f.fd, 0, FAKE_TEXT));
#define EXPECT_BAD(ret)	EXPECT_EQ(ret, lwt_ioctl(self->fd, LW_IOC_ADD_TABLE, &bad))
#define EXPECT_REFUSED(ret, member, value)				\
do {									\
	bad = good;							\
	bad.member = value;						\
	EXPECT_BAD(ret);						\
} while (0)
	/* The file. */
	EXPECT_REFUSED(-EBADF, file_fd, -1);
	EXPECT_REFUSED(-EBADF, file_fd, 12345);
	fd = open("/proc/self/exe", O_PATH);
	EXPECT_REFUSED(-EBADF, file_fd, fd);
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	EXPECT_REFUSED(-EINVAL, file_fd, fd);
	close(fd);
	ASSERT_EQ(0, pipe(fds));
	EXPECT_REFUSED(-EINVAL, file_fd, fds[0]);
	EXPECT_REFUSED(-EACCES, file_fd, fds[1]);
	fd = open("/tmp", O_RDONLY | O_DIRECTORY);
	EXPECT_REFUSED(-EINVAL, file_fd, fd);
	close(fd);
	EXPECT_REFUSED(-EINVAL, file_fd, self->fd);
	EXPECT_REFUSED(-ESTALE, mtime_nsec, good.mtime_nsec + 1);
	EXPECT_REFUSED(-ESTALE, mtime_sec, good.mtime_sec + 1);
	EXPECT_REFUSED(-ESTALE, file_size, good.file_size + 1);
	/* The segment. */
	EXPECT_REFUSED(-EINVAL, text_size, 0);
	EXPECT_REFUSED(-EINVAL, text_size, good.file_size + 1);
	EXPECT_REFUSED(-EINVAL, text_size, ~0ULL);
	EXPECT_REFUSED(-EINVAL, text_offset, good.file_size);
	EXPECT_REFUSED(-EINVAL, text_offset, -FAKE_TEXT);
	EXPECT_REFUSED(-EINVAL, flags, 2);
	/* The bytes. */
	EXPECT_REFUSED(-EFAULT, data, (uintptr_t)none);
	EXPECT_REFUSED(-EFAULT, data, 0xffff800000000000ULL);
	EXPECT_REFUSED(-EFAULT, data, 0);
	EXPECT_REFUSED(-EBADMSG, data_size, 0);
	EXPECT_REFUSED(-EBADMSG, data_size, 27);
	EXPECT_REFUSED(-EBADMSG, data_size, good.data_size - 1);
	EXPECT_REFUSED(-ENOSPC, data_size, 1ULL << 40);
	EXPECT_REFUSED(-ENOSPC, data_size, ~0ULL);
/* The byte that adds 65,536 to the word at 28: the first function's start. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ADD_64K_AT_28	29
#else
#define ADD_64K_AT_28	30
#endif
#define EXPECT_BYTE(ret, at, value)					\
do {									\
	uint8_t was_ = bytes[at];					\
									\
	bytes[at] = value;						\
	bad = good;							\
	EXPECT_BAD(ret);						\
	bytes[at] = was_;						\
} while (0)
	EXPECT_BYTE(-EBADMSG, 0, 0);
	EXPECT_BYTE(-EOPNOTSUPP, 2, 1);
	EXPECT_BYTE(-EOPNOTSUPP, 2, 4);
	EXPECT_BYTE(-EOPNOTSUPP, 3, 0);
	EXPECT_BYTE(-EOPNOTSUPP, 3, 5);
	EXPECT_BYTE(-EOPNOTSUPP, 3, 0x81);
	EXPECT_BYTE(-EOPNOTSUPP, 4, SFRAME_OTHER_ABI);
	EXPECT_BYTE(-EBADMSG, 6, SFRAME_OTHER_RA);
	/* Functions in no order. */
	EXPECT_BYTE(-EBADMSG, ADD_64K_AT_28, 1);
	/* And the session. */
	bad = good;
	bare = lwt_open();
	EXPECT_EQ(-EBADFD, lwt_ioctl(bare, LW_IOC_ADD_TABLE, &bad));
	close(bare);
	EXPECT_EQ(0, lwt_stats(self->fd).all_tables);
	EXPECT_EQ(0, lwt_stats(self->fd).all_table_bytes);
	EXPECT_EQ(0, lwt_stats(self->fd).tables);
	EXPECT_EQ(2, lwt_stats(self->fd).tables_refused);
	EXPECT_EQ(0, lwt_ioctl(self->fd, LW_IOC_ADD_TABLE, &good));
	EXPECT_TRUE(is_used(self));
}

#define USER	12345
#define CAP_PERFMON_BIT	(1U << (38 - 32))

/* Of an ordinary user, or one who may trace, but not lock memory without a limit. */
static int become(bool may_trace)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = {};

	if (may_trace)
		caps[1] = (struct __user_cap_data_struct) {
			.effective = CAP_PERFMON_BIT, .permitted = CAP_PERFMON_BIT,
		};
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(USER, USER, USER) ||
	    setresuid(USER, USER, USER) || syscall(SYS_capset, &header, caps))
		return -errno;
	return 0;
}

/* The child has no rings: who reads them finds its answer. */
static void ask_as_user(FIXTURE_DATA(table) *self, struct lw_request *request)
{
	struct raw_regs regs = {
		.nr = SYS_ioctl,
		.a = self->a.s.fd,
		.b = LW_IOC_REQUEST,
		.c = (long)request,
		.sp = (uintptr_t)self->a.stack,
		.fp = 1,
	};

	if (become(false))
		_exit(1);
	request->size = sizeof(*request);
	raw_hostile_sframe(&regs);
	_exit(0);
}

TEST_F(table, is_for_all_users)
{
	struct lw_request *request;
	int status;
	pid_t pid;

	request = mmap(NULL, FAKE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, request);
	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	fake_stack_init(&self->s, &self->a);
	fake_call(&self->s, &self->f, self->map, 0, 2);
	fake_call(&self->s, &self->f, self->map, 0, 0);
	fake_call(&self->s, &self->f, self->map, 0, FAKE_LAST);
	pid = fork();
	if (!pid)
		ask_as_user(self, request);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_TRUE(fake_is_by(&self->s, asker_answer(&self->a, request), LW_HOW_TABLE));
	munmap(request, FAKE_PAGE);
}

/* Return: what LW_IOC_ADD_TABLE said to who may trace, with so much locked memory. */
static int add_with_limit(FIXTURE_DATA(table) *self, long bytes)
{
	struct rlimit limit = { bytes, bytes };
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || become(true))
			_exit(200);
		_exit(-fake_add(&self->f, self->fd));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -EIO;
	return -WEXITSTATUS(status);
}

TEST_F(table, needs_a_limit)
{
	EXPECT_EQ(-EPERM, add_with_limit(self, lwt_page()));
	EXPECT_EQ(1, lwt_stats(self->fd).tables_refused);
	EXPECT_EQ(0, lwt_stats(self->fd).all_tables);
	EXPECT_EQ(0, add_with_limit(self, 64 << 20));
	EXPECT_TRUE(is_used(self));
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Frames that were written down, as far as it goes. */
static bool is_prefix(const struct fake_stack *s, const struct lwt_stack *stack)
{
	uint32_t i;

	if (!stack || stack->nr > s->nr + 1)
		return false;
	for (i = 1; i < stack->nr; i++)
		if (stack->frames[i] != s->expect[i - 1])
			return false;
	return true;
}

/*
 * The file is another one each time, so
 * that only the newest table is used.
 */
TEST_F_TIMEOUT(table, may_be_of_any_bytes, 240)
{
	unsigned int refused = 0, wrong = 0, i, rounds = lwt_sample(4000, 500);
	uint32_t state = lwt_seed() | 1U << 31;
	struct fake hostile;

	for (i = 0; i < rounds; i++) {
		int n = next_random(&state) % 8 + 1, ret;

		hostile = self->f;
		while (n--) {
			/* The header half of the time, or nothing else would be seen. */
			uint32_t from = i % 2 ? 28 : 0;
			uint32_t at = from + next_random(&state) % (hostile.table.size - from);

			hostile.table.bytes[at] = next_random(&state);
		}
		ASSERT_EQ(0, fake_touch(&hostile, i));
		ret = fake_add(&hostile, self->fd);
		ASSERT_TRUE(!ret || ret == -EBADMSG || ret == -EOPNOTSUPP)
			TH_LOG("round %u: %d", i, ret);
		refused += !!ret;
		ASSERT_NE(NULL, fake_ask_simply(&self->f, &self->a, &self->s, self->map))
			TH_LOG("round %u", i);
		if (!ret && !is_used(self))
			wrong++;
		if (i % 100 == 99) {
			close(self->fd);
			self->fd = open_session();
			ASSERT_LE(0, self->fd);
		}
	}
	printf("# of %u were %u refused, %u wrong\n", rounds, refused, wrong);
	/* Else we have scrambled something else. */
	EXPECT_LT(rounds / (lwt_long() ? 4 : 8), refused);
	EXPECT_LT(rounds / (lwt_long() ? 4 : 8), wrong);
	ASSERT_EQ(0, fake_touch(&self->f, i));
	ASSERT_EQ(0, fake_add(&self->f, self->fd));
	EXPECT_TRUE(is_used(self));
}

/* Everything at once: tables come and go, files change, walks go on. */
#define FILES	6

struct rush {
	struct fake files[FILES];
	char *maps[FILES];
	int stop;
	unsigned int adds;
	unsigned int walks;
	unsigned int whole;
	unsigned int bad;
};

static bool goes_on(struct rush *r)
{
	return !__atomic_load_n(&r->stop, __ATOMIC_RELAXED);
}

static void count(unsigned int *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

static void *rush_add(void *arg)
{
	struct rush *r = arg;
	uint32_t state = gettid();
	int i, n, fd, ret;

	while (goes_on(r)) {
		fd = open_session();
		if (fd < 0) {
			count(&r->bad);
			break;
		}
		for (i = 0, n = next_random(&state) % 24; i < n; i++) {
			ret = fake_add(&r->files[next_random(&state) % FILES], fd);
			count(&r->adds);
			if (ret && ret != -ESTALE)
				count(&r->bad);
		}
		close(fd);
	}
	return NULL;
}

static void *rush_walk(void *arg)
{
	struct fake_stack *s = malloc(sizeof(*s));
	struct lwt_stack *stack;
	struct rush *r = arg;
	uint32_t state = gettid();
	struct asker a = {};
	int i, at;

	if (!s || asker_open(&a)) {
		count(&r->bad);
		return NULL;
	}
	while (goes_on(r)) {
		fake_stack_init(s, &a);
		for (i = 0; i < 20; i++) {
			at = next_random(&state) % FILES;
			fake_call(s, &r->files[at], r->maps[at], 0, next_random(&state) % 4);
		}
		fake_call(s, &r->files[0], r->maps[0], 0, FAKE_LAST);
		stack = fake_ask(s);
		count(&r->walks);
		if (!is_prefix(s, stack))
			count(&r->bad);
		else if (fake_is_by(s, stack, LW_HOW_TABLE))
			count(&r->whole);
	}
	asker_close(&a);
	free(s);
	return NULL;
}

/* Back and forth between two times. */
static void *rush_touch(void *arg)
{
	struct rush *r = arg;
	uint32_t state = gettid();

	while (goes_on(r)) {
		if (fake_touch(&r->files[next_random(&state) % FILES], next_random(&state) % 2))
			count(&r->bad);
		usleep(500);
	}
	return NULL;
}

static bool all_has_happened(struct rush *r)
{
	return __atomic_load_n(&r->adds, __ATOMIC_RELAXED) > 100 &&
	       __atomic_load_n(&r->walks, __ATOMIC_RELAXED) > 100 &&
	       __atomic_load_n(&r->whole, __ATOMIC_RELAXED);
}

TEST_F_TIMEOUT(table, may_come_and_go, 120)
{
	static void *(*const workers[])(void *) = {
		rush_add, rush_add, rush_add, rush_walk, rush_walk, rush_walk, rush_touch,
	};
	pthread_t threads[ARRAY_SIZE(workers)];
	static struct rush r;
	unsigned int i;
	uint64_t end;

	for (i = 0; i < FILES; i++) {
		ASSERT_EQ(0, fake_make(&r.files[i], NULL, 1, 0));
		r.maps[i] = fake_map(&r.files[i], 0, 1);
		ASSERT_NE(MAP_FAILED, r.maps[i]);
	}
	for (i = 0; i < ARRAY_SIZE(workers); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, workers[i], &r));
	end = lwt_now() + lwt_sample(8000, 1500) * 1000000ULL;
	EXPECT_TRUE(lwt_wait(lwt_now() >= end && all_has_happened(&r)));
	__atomic_store_n(&r.stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(workers); i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < FILES; i++) {
		munmap(r.maps[i], FAKE_PAGE);
		fake_close(&r.files[i]);
	}
	TH_LOG("%u tables added, %u walks, %u of them whole", r.adds, r.walks, r.whole);
	EXPECT_EQ(0, r.bad);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
