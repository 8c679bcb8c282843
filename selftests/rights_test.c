// SPDX-License-Identifier: GPL-2.0
/*
 * rights_test.c - who may do what: the table of Documentation/security.rst, cell by cell, and
 * perf's rules, as that page has them.
 *
 * Each cell is a process of its own that becomes the user of its column and does what its
 * row says, with descriptors that root has opened and handed on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fake.h"
#include "lib/jit.h"
#include "lib/lsm.h"
#include "lib/lw_test.h"
#include "kselftest_harness.h"

#define NOBODY		65534
/* Whom the mode of the device lets in, where that is tried. */
#define GROUP		54321
#define RING		lwt_page()

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define CAP(name)	(1ULL << CAP_##name)

/* A column.  Without CAP_DAC_OVERRIDE the mode of the device counts. */
struct user {
	const char *name;
	uint64_t caps;			/* of nobody; ~0ULL: it is root */
	bool inside;			/* all capabilities of a user namespace of its own */
};

enum { ROOT, ADMIN, TRACER, PERFMON, PTRACER, ANYBODY, INSIDE, NR_USERS };

static const struct user users[NR_USERS] = {
	[ROOT] = { "root", ~0ULL, false },
	[ADMIN] = { "CAP_SYS_ADMIN", CAP(SYS_ADMIN), false },
	[TRACER] = { "CAP_PERFMON and CAP_SYS_PTRACE", CAP(PERFMON) | CAP(SYS_PTRACE), false },
	[PERFMON] = { "CAP_PERFMON", CAP(PERFMON), false },
	[PTRACER] = { "CAP_SYS_PTRACE", CAP(SYS_PTRACE), false },
	[ANYBODY] = { "anybody", 0, false },
	[INSIDE] = { "root of a user namespace", 0, true },
};

/* What cells are given. */
struct given {
	int bare;			/* a session without rings */
	int session;			/* with rings, an event, and what is asked about */
	int capturing;			/* with rings and a system call whose data is taken */
	int device;			/* O_WRONLY */
	int proc;			/* LW_PROC_PATH */
	pid_t other;			/* a process of root's */
	struct fake f;
	uint8_t *text;
};

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

static int become(const struct user *user)
{
	if (user->caps == ~0ULL)
		return 0;
	prctl(PR_SET_KEEPCAPS, 1);
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || set_caps(user->caps))
		return -errno;
	return user->inside && unshare(CLONE_NEWUSER) ? -errno : 0;
}

static int open_as(int flags)
{
	int fd = open(LW_DEVICE_PATH, flags | O_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

static int do_open(struct given *g)
{
	(void)g;
	return open_as(O_RDWR);
}

static int do_open_for_writing(struct given *g)
{
	(void)g;
	return open_as(O_WRONLY);
}

static int set_up(struct given *g, uint32_t flags)
{
	struct lw_setup setup = { .size = sizeof(setup), .flags = flags, .ring_size = RING };

	return lwt_ioctl(g->bare, LW_IOC_SETUP, &setup);
}

static int do_set_up(struct given *g)
{
	return set_up(g, 0);
}

static int do_set_up_modules(struct given *g)
{
	return set_up(g, LW_SETUP_MODULES);
}

static int do_set_up_files(struct given *g)
{
	return set_up(g, LW_SETUP_FILES);
}

static int do_add_event(struct given *g)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	uint64_t id;

	return lwt_add_event(g->session, &attr, LW_TARGET_CPUS, 0, &id);
}

static int do_enable(struct given *g)
{
	return lwt_enable(g->session);
}

/* That there is nothing to do is said to who may do it. */
static int do_disable(struct given *g)
{
	int ret = lwt_disable(g->session);

	return ret == -EALREADY ? 0 : ret;
}

static int do_filter(struct given *g)
{
	struct lw_filter all = { .size = sizeof(all), .kind = LW_FILTER_NONE };

	return lwt_ioctl(g->session, LW_IOC_FILTER, &all);
}

static int add_syscall(int session, unsigned int nr_args)
{
	struct lw_syscall_arg arg = {
		.arg = 1, .kind = LW_DATA_BUFFER, .when = LW_SYSCALL_ENTRY, .count = 2, .max = 64,
	};
	struct lw_add_syscall add = {
		.size = sizeof(add), .flags = LW_SYSCALL_ENTRY, .nr = SYS_write,
		.nr_args = nr_args, .args = nr_args ? (uintptr_t)&arg : 0,
	};
	int ret = lwt_ioctl(session, LW_IOC_ADD_SYSCALL, &add);

	/* By kernels without tracepoints of system calls, to who may. */
	return ret == -EOPNOTSUPP ? 0 : ret;
}

static int do_add_syscall(struct given *g)
{
	return add_syscall(g->session, 0);
}

static int do_add_syscall_data(struct given *g)
{
	return add_syscall(g->session, 1);
}

/* On a session that has such data of one process, as root has made it. */
static int do_widen_data(struct given *g)
{
	struct lw_filter all = { .size = sizeof(all), .kind = LW_FILTER_NONE };

	return lwt_ioctl(g->capturing, LW_IOC_FILTER, &all);
}

static int do_enable_data(struct given *g)
{
	return lwt_enable(g->capturing);
}

/* That there is nothing to tell is said to who may ask. */
static int do_next_file(struct given *g)
{
	struct lw_missing_file file = { .size = sizeof(file) };
	int ret = lwt_ioctl(g->session, LW_IOC_NEXT_FILE, &file);

	return ret == -EBADFD ? 0 : ret;
}

static int do_add_table(struct given *g)
{
	return fake_add(&g->f, g->session);
}

static int do_request(struct given *g)
{
	return lwt_request(g->session, 0, NULL);
}

static int do_stats(struct given *g)
{
	struct lw_stats stats = { .size = sizeof(stats) };

	return lwt_ioctl(g->session, LW_IOC_STATS, &stats);
}

static int do_map_ring(struct given *g)
{
	void *ring = mmap(NULL, lwt_page(), PROT_READ, MAP_SHARED, g->session, LW_MMAP_CONSUMER(0));

	return ring == MAP_FAILED ? -errno : 0;
}

static int query(struct given *g, pid_t pid)
{
	struct lw_vma_query query = {
		.size = sizeof(query), .pid = pid, .flags = LW_VMA_COVERING_OR_NEXT,
	};

	return lwt_ioctl(g->device, LW_IOC_VMA_QUERY, &query);
}

static int do_query_own(struct given *g)
{
	return query(g, 0) ?: query(g, getpid());
}

static int do_query_other(struct given *g)
{
	return query(g, g->other);
}

static int list(struct given *g, pid_t pid)
{
	char buf[4096];
	struct lw_vma_list list = {
		.size = sizeof(list), .pid = pid, .buf = (uintptr_t)buf, .buf_size = sizeof(buf),
	};

	return lwt_ioctl(g->device, LW_IOC_VMA_LIST, &list);
}

static int do_list_own(struct given *g)
{
	return list(g, 0) ?: list(g, getpid());
}

static int do_list_other(struct given *g)
{
	return list(g, g->other);
}

static int do_list_tasks(struct given *g)
{
	struct lw_task_entry entry;
	struct lw_task_list list = {
		.size = sizeof(list), .buf = (uintptr_t)&entry, .buf_size = sizeof(entry),
	};

	return lwt_ioctl(g->device, LW_IOC_TASK_LIST, &list);
}

static int do_open_proc(struct given *g)
{
	int fd = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);
	struct lw_info info = { .size = sizeof(info) };

	(void)g;
	return fd < 0 ? -errno : lwt_ioctl(fd, LW_IOC_INFO, &info);
}

static int do_section(struct given *g)
{
	if (!(lwt_features(g->device) & LW_FEATURE_SECTIONS))
		return 0;
	return jit_add(g->proc, g->text, 1) ?: jit_remove(g->proc, g->text, 1) ?:
	       jit_add(g->device, g->text, 1) ?: jit_remove(g->device, g->text, 1);
}

/* Drops what is not there. */
static int do_add_code(struct given *g)
{
	struct lw_code code = {
		.size = sizeof(code), .pid = g->other, .text_start = 4096, .text_size = 4096,
	};
	int ret = lwt_ioctl(g->session, LW_IOC_ADD_CODE, &code);

	return ret == -EOPNOTSUPP ? 0 : ret;
}

/* All that /proc/latewind has no business with. */
static int do_more_by_proc(struct given *g)
{
	static const unsigned long calls[] = {
		LW_IOC_SETUP, LW_IOC_ADD_EVENT, LW_IOC_ENABLE, LW_IOC_DISABLE, LW_IOC_REQUEST,
		LW_IOC_STATS, LW_IOC_FILTER, LW_IOC_ADD_SYSCALL, LW_IOC_ADD_TABLE,
		LW_IOC_VMA_QUERY, LW_IOC_VMA_LIST, LW_IOC_TASK_LIST, LW_IOC_NEXT_FILE,
		LW_IOC_FILE_DONE, LW_IOC_ADD_CODE,
	};
	char arg[256] = { 0 };
	unsigned int i;
	int ret = -ENOTTY;

	for (i = 0; i < sizeof(calls) / sizeof(*calls) && ret == -ENOTTY; i++)
		ret = lwt_ioctl(g->proc, calls[i], arg);
	return ret;
}

#define MAY(user)	(1U << (user))
#define ALL		(~0U)
#define WHO_ASKS	(MAY(ROOT) | MAY(ADMIN) | MAY(TRACER) | MAY(PERFMON))
#define WHO_MAY_LOOK	(WHO_ASKS | MAY(PTRACER))

/* The others are told -err. */
static const struct row {
	const char *what;
	int (*run)(struct given *g);
	unsigned int may;
	int err;
	bool admitted;			/* the mode of the device lets all in */
} rows[] = {
	{ "open() by the mode that it comes with", do_open, MAY(ROOT), EACCES, false },
	{ "open() for writing, likewise", do_open_for_writing, MAY(ROOT), EACCES, false },
	{ "open() where the mode allows it", do_open, WHO_ASKS, EPERM, true },
	{ "open() for writing, likewise", do_open_for_writing, WHO_MAY_LOOK, EPERM, true },
	{ "SETUP", do_set_up, ALL, 0, false },
	{ "SETUP with MODULES", do_set_up_modules, WHO_ASKS, EPERM, false },
	{ "SETUP with FILES", do_set_up_files, WHO_ASKS, EPERM, false },
	{ "ADD_EVENT", do_add_event, WHO_ASKS, EPERM, false },
	{ "ENABLE", do_enable, WHO_ASKS, EPERM, false },
	{ "DISABLE", do_disable, ALL, 0, false },
	{ "FILTER", do_filter, WHO_ASKS, EPERM, false },
	{ "ADD_SYSCALL", do_add_syscall, WHO_ASKS, EPERM, false },
	{ "ADD_SYSCALL with data", do_add_syscall_data, MAY(ROOT) | MAY(TRACER), EPERM, false },
	{ "FILTER with data", do_widen_data, MAY(ROOT) | MAY(TRACER), EPERM, false },
	{ "ENABLE with data", do_enable_data, MAY(ROOT) | MAY(TRACER), EPERM, false },
	{ "ADD_TABLE", do_add_table, WHO_ASKS, EPERM, false },
	{ "ADD_CODE for another", do_add_code, MAY(ROOT) | MAY(TRACER), EPERM, false },
	{ "REQUEST", do_request, ALL, 0, false },
	{ "STATS", do_stats, ALL, 0, false },
	{ "NEXT_FILE", do_next_file, ALL, 0, false },
	{ "mmap() of a ring", do_map_ring, ALL, 0, false },
	{ "VMA_QUERY of its own", do_query_own, ALL, 0, false },
	{ "VMA_QUERY of another", do_query_other, WHO_MAY_LOOK, EACCES, false },
	{ "VMA_LIST of its own", do_list_own, ALL, 0, false },
	{ "VMA_LIST of another", do_list_other, WHO_MAY_LOOK, EACCES, false },
	{ "TASK_LIST", do_list_tasks, WHO_ASKS, EACCES, false },
	{ "open() of /proc/latewind", do_open_proc, ALL, 0, false },
	{ "ADD_SECTION", do_section, ALL, 0, false },
	{ "all else by /proc/latewind", do_more_by_proc, 0, ENOTTY, false },
};

FIXTURE(cells)
{
	struct given g;
	struct stat device;		/* as it is made */
};

FIXTURE_SETUP(cells)
{
	struct given *g = &self->g;

	ASSERT_EQ(0, stat(LW_DEVICE_PATH, &self->device));
	ASSERT_EQ(0, fake_make(&g->f, NULL, 1, 0));
	g->text = jit_map(NULL, JIT_PAGE);
	ASSERT_NE(NULL, g->text);
	g->device = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, g->device);
	g->proc = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, g->proc);
	g->other = fork();
	ASSERT_LE(0, g->other);
	if (!g->other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

FIXTURE_TEARDOWN(cells)
{
	chown(LW_DEVICE_PATH, self->device.st_uid, self->device.st_gid);
	chmod(LW_DEVICE_PATH, self->device.st_mode & 07777);
	lwt_end(self->g.other);
	munmap(self->g.text, JIT_PAGE);
	fake_close(&self->g.f);
	close(self->g.device);
	close(self->g.proc);
	EXPECT_EQ(0, lwt_tainted());
}

static bool captures(const struct row *row)
{
	return row->run == do_widen_data || row->run == do_enable_data;
}

/* Sessions that nobody has used. */
static int renew(struct given *g, const struct row *row)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	uint64_t id;

	g->bare = lwt_open();
	g->session = lwt_open();
	g->capturing = captures(row) ? lwt_open() : -1;
	return lwt_setup(g->session, RING, 0, 0) ?:
	       lwt_add_event(g->session, &attr, LW_TARGET_CPUS, 0, &id) ?:
	       !captures(row) ? 0 :
	       lwt_setup(g->capturing, RING, 0, 0) ?:
	       lwt_only(g->capturing, getpid(), 0) ?: add_syscall(g->capturing, 1);
}

#define UNMADE		200

/* Return: what the module said, or UNMADE if there can be no such user. */
static int run(struct given *g, const struct row *row, const struct user *user)
{
	int status, ret = UNMADE;
	pid_t pid;

	if (renew(g, row))
		return -EIO;
	pid = fork();
	if (!pid) {
		if (become(user))
			_exit(UNMADE);
		_exit(-row->run(g));
	}
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		ret = WEXITSTATUS(status);
	close(g->bare);
	close(g->session);
	close(g->capturing);
	return ret == UNMADE ? ret : -ret;
}

TEST_F_TIMEOUT(cells, are_as_the_table_says, 120)
{
	unsigned int i, j, made = 0;
	int ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ASSERT_EQ(0, chmod(LW_DEVICE_PATH, rows[i].admitted ? 0666 :
					self->device.st_mode & 07777));
		for (j = 0; j < NR_USERS; j++) {
			ret = run(&self->g, &rows[i], &users[j]);
			if (ret == UNMADE && users[j].inside)
				continue;
			made++;
			EXPECT_EQ(rows[i].may & MAY(j) ? 0 : -rows[i].err, ret)
				TH_LOG("%s, by %s", rows[i].what, users[j].name);
		}
	}
	/* Namespaces alone may not be had. */
	EXPECT_LE(ARRAY_SIZE(rows) * (NR_USERS - 1), made);
}

/* As the rule of udev that comes with it has it, for who wants that. */
TEST_F(cells, a_group_may_be_let_in)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0600, self->device.st_mode & 07777);
	ASSERT_EQ(0, chown(LW_DEVICE_PATH, 0, GROUP));
	ASSERT_EQ(0, chmod(LW_DEVICE_PATH, 0660));
	pid = fork();
	if (!pid) {
		gid_t group = GROUP;

		prctl(PR_SET_KEEPCAPS, 1);
		if (setgroups(1, &group) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY) || set_caps(CAP(PERFMON)))
			_exit(UNMADE);
		_exit(-open_as(O_RDWR));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* As perf has it for its own, by what these say at the time. */
#define SYSCTL(name)	"/proc/sys/kernel/" name
#define MAX_RATE	SYSCTL("perf_event_max_sample_rate")
#define MAX_PERCENT	SYSCTL("perf_cpu_time_max_percent")
#define PARANOID	SYSCTL("perf_event_paranoid")
#define KPTR_RESTRICT	SYSCTL("kptr_restrict")

FIXTURE(perf)
{
	struct lwt_session s;
	struct lwt_log log;
	long max_rate;
	long paranoid;
	long kptr_restrict;
};

static long read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	long value = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

static int write_number(const char *path, long value)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return -errno;
	fprintf(file, "%ld\n", value);
	return fclose(file) ? -errno : 0;
}

/* Where the time of perf's interrupts has no limit, as on emulated machines, no rate is taken. */
static int write_max_rate(long rate)
{
	long percent = read_number(MAX_PERCENT);

	return write_number(MAX_PERCENT, 25) ?: write_number(MAX_RATE, rate) ?:
	       write_number(MAX_PERCENT, percent);
}

FIXTURE_SETUP(perf)
{
	self->max_rate = read_number(MAX_RATE);
	self->paranoid = read_number(PARANOID);
	self->kptr_restrict = read_number(KPTR_RESTRICT);
	ASSERT_EQ(0, lwt_session_open(&self->s, 1 << 20, 0, 16));
}

FIXTURE_TEARDOWN(perf)
{
	write_max_rate(self->max_rate);
	write_number(PARANOID, self->paranoid);
	write_number(KPTR_RESTRICT, self->kptr_restrict);
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
	EXPECT_EQ(0, lwt_tainted());
}

static int add_rate(int fd, uint64_t rate)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(rate);

	attr.freq = 1;
	return lwt_add_event(fd, &attr, LW_TARGET_TASK, 0, NULL);
}

TEST_F(perf, limits_the_rate_as_it_is_now)
{
	ASSERT_EQ(0, write_max_rate(1000));
	EXPECT_EQ(0, add_rate(self->s.fd, 1000));
	EXPECT_EQ(-EINVAL, add_rate(self->s.fd, 1001));
	ASSERT_EQ(0, write_max_rate(200000));
	EXPECT_EQ(0, add_rate(self->s.fd, 200000));
	EXPECT_EQ(-EINVAL, add_rate(self->s.fd, 200001));
}

static uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void spin_ms(unsigned int ms)
{
	uint64_t until = cpu_time() + ms * 1000000ULL;

	while (cpu_time() < until)
		;
}

/* A period may be as short as one likes: perf itself stops such an event until the next tick. */
TEST_F_TIMEOUT(perf, cuts_off_what_is_faster, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000);
	struct lw_stats stats;

	ASSERT_EQ(0, write_max_rate(1000));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	spin_ms(1000);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	stats = lwt_stats(self->s.fd);
	TH_LOG("%llu samples", (unsigned long long)stats.samples);
	EXPECT_LT(50, stats.samples);
	/* Of 10,000; ticks may be late. */
	EXPECT_GT(3000, stats.samples + stats.lost_full);
}

static int perf_open(struct perf_event_attr *attr, int cpu)
{
	return syscall(SYS_perf_event_open, attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Return: 0, or what perf says of samples of all tasks, with addresses of the kernel. */
static int sample_by_perf(const struct user *user)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(100000000);
	int status;
	pid_t pid;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	pid = fork();
	if (!pid) {
		if (become(user))
			_exit(UNMADE);
		_exit(perf_open(&attr, 0) < 0 ? errno : 0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* With the strictest rules that perf has everywhere; what distributions add is theirs. */
TEST_F(perf, gives_as_much_to_the_same_users)
{
	unsigned int i;

	ASSERT_EQ(0, write_number(PARANOID, 2));
	ASSERT_EQ(0, write_number(KPTR_RESTRICT, 2));
	for (i = 0; i < NR_USERS; i++)
		if (!users[i].inside)
			EXPECT_EQ(WHO_ASKS & MAY(i) ? 0 : -EACCES, sample_by_perf(&users[i]))
				TH_LOG("user %u", i);
}

/* What perf tells CAP_PERFMON of a function of the module, where /proc/kallsyms has zeros. */
static uint64_t address_by_perf(int fd, const char *function, int type)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP, .kprobe_func = (uintptr_t)function,
	};
	struct lw_stats stats = { .size = sizeof(stats) };
	struct perf_event_mmap_page *page;
	struct perf_event_header *head;
	int event = perf_open(&attr, -1);

	if (event < 0)
		return 0;
	page = mmap(NULL, 2 * lwt_page(), PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	if (page == MAP_FAILED || lwt_ioctl(fd, LW_IOC_STATS, &stats))
		return 0;
	head = (void *)((char *)page + lwt_page());
	return page->data_head && head->type == PERF_RECORD_SAMPLE ? *(uint64_t *)(head + 1) : 0;
}

/* So a MODULE record, which has where a module is, gives nothing away. */
TEST_F(perf, tells_where_modules_are)
{
	static const char function[] = "lw_session_stats";
	long type = read_number("/sys/bus/event_source/devices/kprobe/type");
	uint64_t *seen = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct lwt_range range;
	int status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, seen);
	if (type < 0)
		SKIP(return, "no kprobes for perf");
	ASSERT_EQ(0, write_number(KPTR_RESTRICT, 1));
	range = lwt_kernel_function(function);
	ASSERT_LT(0, range.from);
	ASSERT_EQ(0, write_number(PARANOID, 2));
	ASSERT_EQ(0, write_number(KPTR_RESTRICT, 2));
	pid = fork();
	if (!pid) {
		if (become(&users[PERFMON]))
			_exit(UNMADE);
		seen[0] = address_by_perf(self->s.fd, function, type);
		seen[1] = lwt_kernel_function(function).from;
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_LE(range.from, seen[0]);
	EXPECT_GT(range.to, seen[0]);
	EXPECT_EQ(0, seen[1]);
	munmap(seen, lwt_page());
}

/* Return: how many samples there were, and of them of tasks outside, and of our own. */
static int sample_inside(unsigned int *outside, unsigned int *own)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(1000000);
	struct lwt_session s;
	struct lwt_log log = {};
	size_t i;
	int ret;

	ret = lwt_session_open(&s, 1 << 20, 0, 0) ?:
	      lwt_add_event(s.fd, &attr, LW_TARGET_CPUS, 0, NULL) ?: lwt_enable(s.fd);
	if (ret)
		return ret;
	spin_ms(500);
	ret = lwt_disable(s.fd) ?: lwt_read(&s, &log) < 0;
	for (i = 0; !ret && i < log.nr; i++) {
		struct lw_sample *sample = log.records[i].sample;

		if (log.records[i].head->type != LW_RECORD_SAMPLE)
			continue;
		if (!sample->pid && !sample->tid)
			++*outside;
		else if (sample->pid == 1 && sample->tid == 1)
			++*own;
		else
			ret = -EPROTO;
	}
	lwt_log_free(&log);
	lwt_session_close(&s);
	return ret;
}

/* As perf's records have it: who is not in the namespace of the opener has no number there. */
TEST_F_TIMEOUT(perf, names_no_task_outside, 60)
{
	unsigned int outside = 0, own = 0;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		pid = fork();
		if (!pid)
			_exit(sample_inside(&outside, &own) ? 2 : !outside ? 3 : !own ? 4 : 0);
		/* One that is outside. */
		while (!waitpid(pid, &status, WNOHANG))
			;
		_exit(WEXITSTATUS(status));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Is it this program that a process runs? */
static bool runs(pid_t pid, const char *program)
{
	char path[32], target[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, target, sizeof(target) - 1) > 0 && !strcmp(target, program);
}

/* Samples of a process of nobody's once it runs a shell that spins.  Return: or -errno. */
static long samples_of(int fd, const char *shell)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(1000000);
	int pipes[2];
	uint64_t before;
	char byte;
	pid_t pid;

	if (pipe(pipes))
		return -errno;
	pid = fork();
	if (!pid) {
		if (become(&users[ANYBODY]) || read(pipes[0], &byte, 1) != 1)
			_exit(1);
		spin_ms(50);
		execl(shell, shell, "-c", "while :; do :; done", NULL);
		_exit(1);
	}
	if (lwt_add_event(fd, &attr, LW_TARGET_TASK, pid, NULL) || lwt_enable(fd) ||
	    write(pipes[1], "", 1) != 1 || !lwt_wait(runs(pid, shell)))
		return -EIO;
	/* What comes at the very moment of the exec() may be either's. */
	usleep(100000);
	before = lwt_stats(fd).samples;
	usleep(500000);
	lwt_disable(fd);
	lwt_end(pid);
	close(pipes[0]);
	close(pipes[1]);
	return before ? (long)(lwt_stats(fd).samples - before) : -ENODATA;
}

/*
 * As perf's own, an event on a task ends where that begins a program with rights of others:
 * whoever has asked for it.  Those with CAP_PERFMON may ask for all tasks, and see it.
 */
TEST_F_TIMEOUT(perf, ends_with_a_setuid_program, 60)
{
	static const char shell[] = "/tmp/lw_rights_shell";
	int other = lwt_open();

	ASSERT_EQ(0, system("cp /bin/dash /tmp/lw_rights_shell && chmod 755 /tmp/lw_rights_shell"));
	ASSERT_EQ(0, lwt_setup(other, 1 << 20, 0, 0));
	EXPECT_LT(0, samples_of(other, shell));
	ASSERT_EQ(0, chmod(shell, 04755));
	EXPECT_EQ(0, samples_of(self->s.fd, shell));
	unlink(shell);
	close(other);
}

/* What a security module forbids by perf it forbids here, on kernels that export the question. */
TEST_F(perf, asks_security_modules)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(1000000);
	int link = lsm_forbid_perf();
	int event;

	if (link < 0)
		SKIP(return, "no security module by BPF: %s", strerror(-link));
	event = perf_open(&attr, -1);
	EXPECT_EQ(-1, event);
	EXPECT_EQ(EACCES, errno);
	if (!lwt_kernel_function("perf_allow_kernel").from) {
		close(link);
		SKIP(return, "this kernel exports no perf_allow_kernel()");
	}
	EXPECT_EQ(-EACCES, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	EXPECT_EQ(-EACCES, lwt_enable(self->s.fd));
	EXPECT_EQ(-EACCES, do_open(NULL));
	EXPECT_EQ(-EACCES, do_list_tasks(&(struct given) { .device = self->s.fd }));
	/* The caller's own stack is nothing that perf would be asked for. */
	EXPECT_EQ(0, lwt_request(self->s.fd, 0, NULL));
	close(link);
	EXPECT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	EXPECT_EQ(0, lwt_enable(self->s.fd));
}

/* By who has no more than CAP_PERFMON.  Return: 0, UNMADE, or what was not as it should be. */
static int run_forbidden(struct given *g)
{
	int link = lsm_forbid_perf();

	if (link < 0 || become(&users[PERFMON]))
		return UNMADE;
	if (do_open_for_writing(g) != -EACCES || do_open(g) != -EACCES)
		return 1;
	if (do_query_other(g) != -EACCES || do_list_other(g) != -EACCES)
		return 2;
	if (do_query_own(g) || do_list_own(g))
		return 3;
	close(link);
	return do_open_for_writing(g) || do_query_other(g) || do_list_other(g) ? 4 : 0;
}

TEST_F(cells, are_forbidden_by_security_modules)
{
	int status;
	pid_t pid;

	if (!lwt_kernel_function("perf_allow_kernel").from)
		SKIP(return, "this kernel exports no perf_allow_kernel()");
	ASSERT_EQ(0, chmod(LW_DEVICE_PATH, 0666));
	pid = fork();
	if (!pid)
		_exit(run_forbidden(&self->g));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (WIFEXITED(status) && WEXITSTATUS(status) == UNMADE)
		SKIP(return, "no security module by BPF");
	EXPECT_EQ(0, status);
}

/* Lockdown takes kprobes and registers of the kernel from perf, and leaves it the rest. */
TEST_F(perf, is_locked_down_as_perf_is)
{
	struct perf_event_attr samples = lwt_attr_cpu_clock(1000000), registers = samples;
	struct perf_event_attr kprobe = {
		.size = sizeof(kprobe), .sample_period = 1, .sample_type = PERF_SAMPLE_IP,
		.type = read_number("/sys/bus/event_source/devices/kprobe/type"),
		.kprobe_func = (uintptr_t)"vfs_statx",
	};
	int link;

	if ((int)kprobe.type < 0)
		SKIP(return, "no kprobes for perf");
	registers.sample_type |= PERF_SAMPLE_REGS_INTR;
	registers.sample_regs_intr = 1;
	link = lsm_lock_down();
	if (link < 0)
		SKIP(return, "no security module by BPF: %s", strerror(-link));
	EXPECT_EQ(-1, perf_open(&kprobe, -1));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(-EPERM, lwt_add_event(self->s.fd, &kprobe, LW_TARGET_TASK, 0, NULL));
	EXPECT_EQ(-1, perf_open(&registers, -1));
	EXPECT_EQ(EPERM, errno);
	/* No record has them, whatever sample_type says. */
	EXPECT_EQ(0, lwt_add_event(self->s.fd, &registers, LW_TARGET_TASK, 0, NULL));
	EXPECT_LE(0, perf_open(&samples, -1));
	EXPECT_EQ(0, lwt_add_event(self->s.fd, &samples, LW_TARGET_TASK, 0, NULL));
	close(link);
	EXPECT_EQ(0, lwt_add_event(self->s.fd, &kprobe, LW_TARGET_TASK, 0, NULL));
}

TEST_HARNESS_MAIN
