// SPDX-License-Identifier: GPL-2.0
/*
 * nmi_test.c - NMIs from outside that request, while all CPUs are busy with
 * requests, stacks, system calls, page faults and signals.
 *
 * On a PC the host injects them (vm/nmi.py), the next when every CPU has acknowledged
 * the one before, so that none is merged with another: each must be accounted
 * for.  Only under the VM harness; elsewhere skipped.  On arm64 they are the PMU's, by the clock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/code.h"
#include "lib/lwm.h"
#include "kselftest_harness.h"

LWT_DESTRUCTIVE_FILE;

#define UNUSED	__attribute__((unused))

#define PORT		"/dev/virtio-ports/lw.nmi"
/* There are more rounds until enough have hit each kind of code. */
#define MOST_ROUNDS	100U
#define REQUEST		"inject %u\n"
/* Of the read() loops, and of the NMIs. */
#define LOOP_TRACER	0
#define NMI_TRACER	1
#define RING		(1 << 20)

/* Behind LWM_KIND_USER and LWM_KIND_KERNEL. */
enum kind {
	KIND_REQUEST = LWM_KIND_KERNEL + 1,
	KIND_DELIVERY,
	KIND_WALK,
	KIND_OTHER,
	KIND_TEST,
	NR_KINDS,
};

static const char * const kind_names[NR_KINDS] = {
	"user mode", "kernel", "request", "delivery", "walk",
	"latewind, other", "lw_test",
};

/* Where a function is, by file; of request.c's some belong to the delivery. */
static const struct {
	const char *object;
	enum kind kind;
} objects[] = {
	{ "request", KIND_REQUEST }, { "pool", KIND_REQUEST },
	{ "taskwork", KIND_REQUEST }, { "tracer", KIND_REQUEST },
	{ "throttle", KIND_REQUEST }, { "session", KIND_DELIVERY },
	{ "ring", KIND_DELIVERY }, { "unwind", KIND_WALK },
	{ "unwind_fp", KIND_WALK }, { "unwind_sigframe", KIND_WALK },
	{ "sframe", KIND_WALK }, { "sections", KIND_WALK },
};

static const char * const delivering[] = {
	"req_answer", "req_answer_slot", "req_claim", "req_tracer", "req_walk",
	"req_must_walk", "req_deliver", "req_stack_for", "req_count_stack",
	"req_run_after", "lw_pool_close", "lw_pool_release",
	"lw_throttle_note", "lw_tracers_lock", "lw_tracers_unlock",
	"lw_tracer_by_id", "tracer_call_back",
};

FIXTURE(nmi)
{
	int fd;
	int port;
	struct code code;
	struct lwm_range ranges[LWM_RANGES_MAX];
	struct lwm_nmis arg;
	struct lwm_nmi_counts counts;
	pid_t load[6];
	struct lwt_session s;
};

static bool is_delivering(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(delivering); i++) {
		size_t len = strlen(delivering[i]);

		/* Or a part of it, that the compiler gave a suffix. */
		if (!strncmp(name, delivering[i], len) &&
		    (!name[len] || name[len] == '.' || name[len] == '_'))
			return true;
	}
	return false;
}

static enum kind kind_of(const struct code_function *function)
{
	unsigned int i;

	if (!strcmp(function->module, "[lw_test]"))
		return KIND_TEST;
	for (i = 0; i < ARRAY_SIZE(objects); i++) {
		if (strcmp(function->object, objects[i].object))
			continue;
		if (objects[i].kind == KIND_REQUEST &&
		    is_delivering(function->name))
			return KIND_DELIVERY;
		return objects[i].kind;
	}
	return KIND_OTHER;
}

/* Neighbours of a kind are one range.  Return: ranges. */
static unsigned int make_ranges(FIXTURE_DATA(nmi) *self)
{
	struct lwm_range *last = NULL;
	unsigned int i, nr = 0;

	for (i = 0; i < self->code.nr; i++) {
		const struct code_function *function = &self->code.functions[i];
		enum kind kind = kind_of(function);

		if (function->start == function->end)
			continue;
		if (last && last->kind == kind && last->end == function->start) {
			last->end = function->end;
			continue;
		}
		if (nr == LWM_RANGES_MAX)
			break;
		last = &self->ranges[nr++];
		*last = (struct lwm_range) {
			.start = function->start,
			.end = function->end,
			.kind = kind,
		};
	}
	return nr;
}

static void stop_load(FIXTURE_DATA(nmi) *self)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(self->load); i++) {
		lwt_end(self->load[i]);
		self->load[i] = 0;
	}
}

#if defined(__x86_64__)

/* Into each CPU, in a round. */
#define NMIS		(lwt_long() ? 10000U : 1000U)
#define NOBODY	"nobody injects NMIs here"
#define NO_NMIS	"this machine has no NMIs"

/* Is somebody on the other side? */
static int open_port(void)
{
	struct pollfd poll_fd;
	int fd = open(PORT, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	poll_fd = (struct pollfd){ .fd = fd, .events = POLLOUT };
	if (poll(&poll_fd, 1, 0) == 1 && !(poll_fd.revents & POLLHUP))
		return fd;
	close(fd);
	return -ENOTCONN;
}

/* Asks for NMIs, and empties the rings until they were injected.  Return: 0, -EIO. */
static int take_some(FIXTURE_DATA(nmi) *self)
{
	struct pollfd poll_fd = { .fd = self->port, .events = POLLIN };
	struct lwt_log log = {};
	char line[64], answer[128], expected[64];
	ssize_t len = snprintf(line, sizeof(line), REQUEST, NMIS);

	if (write(self->port, line, len) != len)
		return -EIO;
	while (!poll(&poll_fd, 1, 50)) {
		lwt_read(&self->s, &log);
		lwt_log_free(&log);
	}
	len = read(self->port, answer, sizeof(answer) - 1);
	answer[len > 0 ? len : 0] = 0;
	snprintf(expected, sizeof(expected), "done %u\n", NMIS);
	if (!strcmp(answer, expected))
		return 0;
	printf("# asked for %u: %s\n", NMIS, answer);
	return -EIO;
}

/* Each CPU has each, and no more. */
static bool are_as_many(const struct lwm_nmi_counts *counts, unsigned int cpu, unsigned int rounds)
{
	return counts->nmis[cpu] == (uint64_t)rounds * NMIS;
}

static bool are_too_few(const struct lwm_nmi_counts *counts UNUSED, unsigned int cpus UNUSED)
{
	return false;
}

#else

#define NOBODY	"/dev/null cannot be opened"
#define NO_NMIS	"this kernel takes no interrupt of the PMU as an NMI, or the machine has no PMU"

static int open_port(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* Empties the rings for some time.  Return: 0. */
static int take_some(FIXTURE_DATA(nmi) *self)
{
	struct lwt_log log = {};
	unsigned int i;

	for (i = 0; i < 20; i++) {
		poll(NULL, 0, 50);
		lwt_read(&self->s, &log);
		lwt_log_free(&log);
	}
	return 0;
}

/* Nobody knows how many there were but who counts them: each CPU has its share. */
static bool are_as_many(const struct lwm_nmi_counts *counts, unsigned int cpu,
			unsigned int rounds UNUSED)
{
	return counts->nmis[cpu] >= (lwt_long() ? 1000 : 100);
}

static bool are_too_few(const struct lwm_nmi_counts *counts, unsigned int cpus)
{
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (!are_as_many(counts, cpu, 0))
			return true;
	return false;
}

#endif

FIXTURE_SETUP(nmi)
{
	int ret;

	self->s.fd = -1;
	self->fd = -1;
	self->port = open_port();
	if (self->port < 0)
		SKIP(return, NOBODY);
	self->fd = code_open(&self->code);
	if (self->fd == -ENOENT)
		SKIP(return, LWM_MISSING, "lw_test");
	if (self->fd == -ENODATA)
		SKIP(return, CODE_MISSING);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, lwm_register_all(self->fd, 2));
	self->arg.tracer = NMI_TRACER;
	self->arg.ranges = (uintptr_t)self->ranges;
	self->arg.nr = make_ranges(self);
	ret = lwt_ioctl(self->fd, LWM_IOC_NMIS, &self->arg);
	if (ret == -EOPNOTSUPP) {
		lwm_close(self->fd);
		self->fd = -1;
		SKIP(return, NO_NMIS);
	}
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_NMI_COUNTS, &self->counts));
}

FIXTURE_TEARDOWN(nmi)
{
	stop_load(self);
	lwt_session_close(&self->s);
	lwm_close(self->fd);
	close(self->port);
	EXPECT_EQ(0, lwt_tainted());
}

static pid_t run_for_ever(void (*work)(int fd), int fd)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		work(fd);
}

static void compute(int fd)
{
	volatile int i = fd;

	while (i < 100000)
		i++;
	syscall(SYS_getppid);
}

static void fault(int fd)
{
	char *page = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		*page = fd;
	munmap(page, lwt_page());
}

static void nothing(int sig UNUSED)
{
}

static void take_signal(int fd UNUSED)
{
	signal(SIGUSR1, nothing);
	raise(SIGUSR1);
}

static void ask_by_read(int fd)
{
	struct lwm_result result;

	if (read(fd, &result, sizeof(result)) != sizeof(result))
		_exit(1);
}

/* The ring is full soon; nobody reads it. */
static void ask_by_session(int fd)
{
	struct lw_cookie cookie;

	lwt_request(fd, 0, &cookie);
}

static void multiply(int fd UNUSED)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static int start_load(FIXTURE_DATA(nmi) *self)
{
	struct perf_event_attr clock = lwt_attr_cpu_clock(1000000);
	struct perf_event_attr calls =
		lwt_attr_tracepoint("raw_syscalls/sys_enter");
	int ret = lwt_session_open(&self->s, RING, 0, 16);

	if (ret)
		return ret;
	self->load[0] = run_for_ever(compute, self->fd);
	self->load[1] = run_for_ever(fault, self->fd);
	self->load[2] = run_for_ever(take_signal, self->fd);
	self->load[3] = run_for_ever(ask_by_read, self->fd);
	self->load[4] = run_for_ever(ask_by_session, self->s.fd);
	self->load[5] = run_for_ever(multiply, self->fd);
	return lwt_add_event(self->s.fd, &clock, LW_TARGET_CPUS, 0, NULL) ?:
	       lwt_add_event(self->s.fd, &calls, LW_TARGET_CPUS, 0, NULL) ?:
	       lwt_enable(self->s.fd);
}

/* Else it would be no test of what is interrupted. */
static bool are_enough(const struct lwm_nmi_counts *counts)
{
	return counts->kinds[LWM_KIND_USER] > 100 / (unsigned int)LW_TIME_SCALE &&
	       counts->kinds[KIND_REQUEST] > 10 && counts->kinds[KIND_DELIVERY] > 10 &&
	       counts->kinds[KIND_WALK] > 10;
}

/* Reading the counts ends the listening: those of several rounds are added up. */
static void add_counts(struct lwm_nmi_counts *sum, const struct lwm_nmi_counts *more)
{
	const __u64 *from = (const __u64 *)more;
	__u64 *to = (__u64 *)sum;
	unsigned int i;

	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

static void print_counts(const struct lwm_nmi_counts *counts)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		printf("# %-15s %8llu NMIs, %8llu asked\n", kind_names[i],
		       counts->kinds[i], counts->asked_in[i]);
	printf("# in a callback of lw_test %llu\n", counts->in_callback);
	printf("# queued %llu, pending %llu", counts->queued, counts->pending);
	for (i = 0; i < ARRAY_SIZE(counts->errors); i++)
		if (counts->errors[i])
			printf(", %s %llu", strerrorname_np(i),
			       counts->errors[i]);
	printf("\n");
}

TEST_F_TIMEOUT(nmi, from_outside_are_all_accounted_for, 200)
{
	struct lwm_nmi_counts *counts = &self->counts;
	long cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t total = 0, refused = 0;
	struct lwm_nmi_counts round;
	unsigned int i, rounds = 0;
	struct lwm_stats stats;

	if (self->fd < 0)
		return;
	ASSERT_EQ(0, start_load(self));
	do {
		ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_NMIS, &self->arg));
		ASSERT_EQ(0, take_some(self));
		ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_NMI_COUNTS, &round));
		add_counts(counts, &round);
		rounds++;
	} while ((!are_enough(counts) || are_too_few(counts, cpus)) && rounds < MOST_ROUNDS);
	print_counts(counts);
	EXPECT_TRUE(are_enough(counts));

	for (cpu = 0; cpu < cpus; cpu++) {
		EXPECT_TRUE(are_as_many(counts, cpu, rounds))
			TH_LOG("CPU %ld: %llu", cpu, (unsigned long long)counts->nmis[cpu]);
		total += counts->nmis[cpu];
	}
	for (i = 0; i < ARRAY_SIZE(counts->errors); i++)
		refused += counts->errors[i];
	EXPECT_EQ(total, counts->queued + counts->pending + refused);
	stop_load(self);
	ASSERT_TRUE(lwt_wait(!lwm_stats(self->fd, NMI_TRACER).stats.pending));

	stats = lwm_stats(self->fd, NMI_TRACER);
	EXPECT_EQ(counts->queued + counts->pending, stats.stats.requests);
	EXPECT_EQ(stats.stats.requests - stats.stats.shared, stats.callbacks);
	EXPECT_EQ(stats.callbacks, stats.stats.user_stacks);
	EXPECT_EQ(counts->errors[ENOENT] + counts->errors[ESRCH],
		  stats.stats.refused_task);
	EXPECT_EQ(counts->errors[EBUSY], stats.stats.throttled);
	EXPECT_EQ(0, stats.stats.refused_slots);
	EXPECT_EQ(refused, stats.stats.refused_task + stats.stats.throttled);
	EXPECT_EQ(0, stats.stats.lost_stacks);
	EXPECT_EQ(0, stats.zombies);
	stats = lwm_stats(self->fd, LOOP_TRACER);
	EXPECT_EQ(stats.stats.requests - stats.stats.shared, stats.callbacks);
}

TEST_HARNESS_MAIN
