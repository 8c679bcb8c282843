// SPDX-License-Identifier: GPL-2.0
/*
 * sampling_test.c - events: every hit is a sample or is counted, every sample
 * that has a cookie has its stack.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "programs/chain.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define RING		(1 << 20)
#define MSEC		1000000ULL
/* The least ring has as many times the room that it has where pages have 4 KiB. */
#define PAGE_SCALE	(lwt_page() / 4096)
/* Samples that are enough to look at. */
#define ENOUGH		100

FIXTURE(session)
{
	struct lwt_session s;
	struct lwt_log log;
	pid_t child;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, LW_MAX_KERNEL_DEPTH));
}

static void end_child(FIXTURE_DATA(session) *self)
{
	lwt_end(self->child);
	self->child = 0;
}

FIXTURE_TEARDOWN(session)
{
	end_child(self);
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

/* A child that does @work again and again, until it is killed. */
static pid_t start(FIXTURE_DATA(session) *self, void (*work)(void))
{
	pid_t pid = fork();

	if (pid) {
		self->child = pid;
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(&self->s);
	for (;;)
		work();
}

static KEEP long burn(struct chain *c)
{
	unsigned int i;

	chain_note(c);
	for (i = 0; i < 100000; i++)
		asm volatile("" : : : "memory");
	return 0;
}

static void work_in_user(void)
{
	static struct chain c;

	chain_run(&c, "abcde", burn, NULL);
}

static void work_in_kernel(void)
{
	static char buf[1 << 16];
	FILE *file = fopen("/dev/zero", "r");
	int i;

	for (i = 0; file && i < 50; i++)
		if (read(fileno(file), buf, sizeof(buf)) < 0)
			break;
	if (file)
		fclose(file);
}

static void work_in_both(void)
{
	volatile unsigned int i = 0;

	while (i++ < 100)
		;
	syscall(SYS_getppid);
}

static void *short_thread(void *arg)
{
	work_in_user();
	return arg;
}

static void work_in_threads(void)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, short_thread, NULL))
			exit(1);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void work_in_processes(void)
{
	pid_t pid = fork();

	if (!pid) {
		work_in_user();
		work_in_threads();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Reads until there are @nr samples.  Return: are there. */
static bool read_samples(FIXTURE_DATA(session) *self, uint64_t nr)
{
	return lwt_wait(lwt_read(&self->s, &self->log) < 0 ||
			lwt_log_check(&self->log).samples >= nr);
}

/* After LW_IOC_DISABLE: nothing is owed any more. */
static bool settle(FIXTURE_DATA(session) *self)
{
	return lwt_wait(lwt_read(&self->s, &self->log) >= 0 &&
			!lwt_stats(self->s.fd).pending) &&
	       lwt_read(&self->s, &self->log) >= 0;
}

/* What must hold of each run that is over. */
#define EXPECT_WHOLE(self)						\
do {									\
	struct lwt_counts lwt_c = lwt_log_check(&(self)->log);		\
	struct lw_stats lwt_s = lwt_stats((self)->s.fd);		\
									\
	EXPECT_EQ(0, lwt_c.malformed);					\
	EXPECT_EQ(0, lwt_c.twice);					\
	EXPECT_EQ(0, lwt_s.pending);					\
	EXPECT_EQ(lwt_s.samples, lwt_c.samples);			\
	EXPECT_EQ(lwt_s.user_stacks, lwt_c.stacks);			\
	EXPECT_EQ(lwt_s.requests - lwt_s.shared,			\
		  lwt_s.user_stacks + lwt_s.lost_stacks);		\
	EXPECT_EQ(lwt_lost_on_rings(&(self)->s),			\
		  lwt_s.lost_full + lwt_s.lost_big + lwt_s.lost_nested); \
	EXPECT_LE(lwt_c.lost, lwt_lost_on_rings(&(self)->s));		\
	EXPECT_EQ(lwt_s.user_stacks, lwt_s.outermost + lwt_s.truncated + \
		  lwt_s.lost_walks + lwt_s.no_walks);			\
	if (!lwt_lost_on_rings(&(self)->s)) {				\
		EXPECT_EQ(0, lwt_c.orphans);				\
		EXPECT_EQ(0, lwt_c.unasked);				\
		EXPECT_EQ(lwt_s.requests, lwt_c.pending);		\
	}								\
} while (0)

/* Samples of this log that are not of @tgid. */
static unsigned int not_of(const struct lwt_log *log, pid_t tgid)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++)
		nr += log->records[i].head->type == LW_RECORD_SAMPLE &&
		      (pid_t)log->records[i].sample->pid != tgid;
	return nr;
}

/* Samples that are older than one before them in the same ring. */
static unsigned int backwards(const struct lwt_log *log)
{
	uint64_t last[LWT_MAX_RINGS] = {};
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++) {
		const struct lwt_record *r = &log->records[i];

		if (r->head->type != LW_RECORD_SAMPLE)
			continue;
		nr += r->sample->time < last[r->ring];
		last[r->ring] = r->sample->time;
	}
	return nr;
}

TEST_F_TIMEOUT(session, samples_one_task, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(2 * MSEC);
	pid_t pid = start(self, work_in_user);
	uint64_t id, before = lwt_now();
	size_t i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, pid, &id));
	EXPECT_EQ(0, lwt_read(&self->s, &self->log));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_TRUE(read_samples(self, ENOUGH));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	EXPECT_WHOLE(self);
	EXPECT_EQ(0, not_of(&self->log, pid));
	EXPECT_EQ(0, backwards(&self->log));
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE)
			continue;
		EXPECT_EQ(id, sample->id);
		EXPECT_EQ(pid, (pid_t)sample->tid);
		EXPECT_EQ(self->log.records[i].ring, sample->cpu);
		EXPECT_LE(2 * MSEC, sample->period);
		EXPECT_LT(before, sample->time);
		EXPECT_GT(lwt_now(), sample->time);
	}
}

/* Stacks of hits in burn(), and in @whole those of them with the five letters above it. */
static unsigned int in_burn(const struct lwt_log *log, unsigned int *whole)
{
	unsigned int nr = 0;
	size_t i;

	*whole = 0;
	for (i = 0; i < log->nr; i++) {
		const struct lwt_stack *stack = log->records[i].stack;
		unsigned int by_sframe = 0;

		if (stack->record.type != LW_RECORD_USER_STACK || !stack->nr ||
		    stack->frames[0] - (uintptr_t)burn > 64)
			continue;
		nr++;
		/* burn, 5 letters of 7 functions, work, start */
		while (by_sframe + 1 < stack->nr &&
		       lwt_how(stack)[by_sframe + 1] == LW_HOW_SFRAME)
			by_sframe++;
		*whole += by_sframe >= 9;
	}
	return nr;
}

/* Samples of hits in user mode, or of those in the kernel. */
static unsigned int samples_in(const struct lwt_log *log, bool user)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++)
		nr += log->records[i].head->type == LW_RECORD_SAMPLE &&
		      !(log->records[i].head->flags & LW_SAMPLE_USER_IP) == !user;
	return nr;
}

/*
 * Hits in burn() are under the five letters of the chain.  What else is hit is up to the
 * machine: interrupts, where taking one takes as long as the time to the next.
 */
static void find_chain(struct __test_metadata *_metadata, FIXTURE_DATA(session) *self)
{
	unsigned int whole;

	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_TRUE(lwt_wait(lwt_read(&self->s, &self->log) >= 0 &&
			     in_burn(&self->log, &whole) > ENOUGH / 2));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	EXPECT_EQ(in_burn(&self->log, &whole), whole);
}

TEST_F_TIMEOUT(session, finds_the_chain_in_samples, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(2 * MSEC * LW_TIME_SCALE);
	pid_t pid = start(self, work_in_user);

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, pid, NULL));
	find_chain(_metadata, self);
}

#define NO_CYCLES	"this machine counts no cycles"

static struct perf_event_attr attr_cycles(uint64_t period)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = period,
	};
}

/*
 * Interrupts of the PMU, which are NMIs on some machines, of all CPUs and in the kernel too.
 * Only the child is asked for: others may go to sleep, and owe a stack until they are woken.
 */
TEST_F_TIMEOUT(session, finds_the_chain_in_samples_of_the_pmu, 60)
{
	struct perf_event_attr attr = attr_cycles(MSEC * LW_TIME_SCALE);
	pid_t pid = start(self, work_in_user);
	int ret;

	ASSERT_EQ(0, lwt_only(self->s.fd, pid, 0));
	ret = lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		SKIP(return, NO_CYCLES);
	ASSERT_EQ(0, ret);
	find_chain(_metadata, self);
	EXPECT_WHOLE(self);
	EXPECT_EQ(0, not_of(&self->log, pid));
	EXPECT_EQ(0, backwards(&self->log));
}

/* The interrupt may come when the task is in the kernel already. */
TEST_F_TIMEOUT(session, tells_nothing_of_the_kernel_where_it_is_excluded, 60)
{
	struct perf_event_attr attr = attr_cycles(MSEC / 2 * LW_TIME_SCALE);
	const struct lwt_stack *stack;
	unsigned int nr = 0;
	size_t i;
	int ret;

	attr.exclude_kernel = 1;
	ret = lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, start(self, work_in_both), NULL);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		SKIP(return, NO_CYCLES);
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_TRUE(read_samples(self, 4 * ENOUGH));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	EXPECT_WHOLE(self);
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE)
			continue;
		EXPECT_EQ(LW_SAMPLE_USER_IP, sample->record.flags & LW_SAMPLE_USER_IP);
		EXPECT_EQ(0, sample->nr_kernel);
		stack = lwt_find_stack(&self->log, &sample->cookie);
		if (!stack || !stack->nr)
			continue;
		/* On its way into the kernel nobody knows. */
		EXPECT_TRUE(!sample->ip || stack->frames[0] == sample->ip);
		nr += !!sample->ip;
	}
	EXPECT_LT(ENOUGH, nr);
}

/* Is this an address that only the kernel has?  On s390x both have the same ones. */
static bool is_kernel_address(uint64_t addr, bool is_kernel)
{
#if defined(__s390x__)
	(void)addr;
	return is_kernel;
#else
	(void)is_kernel;
	return addr >= 1ULL << 63;
#endif
}

TEST_F_TIMEOUT(session, shows_user_addresses_as_such, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(2 * MSEC * LW_TIME_SCALE);
	pid_t pid = start(self, work_in_user);
	unsigned int missing = 0;
	size_t i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, pid, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_TRUE(lwt_wait(lwt_read(&self->s, &self->log) >= 0 &&
			     samples_in(&self->log, true) > ENOUGH / 2));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;
		struct lwt_stack *stack;
		bool user = sample->record.flags & LW_SAMPLE_USER_IP;

		if (sample->record.type != LW_RECORD_SAMPLE)
			continue;
		EXPECT_EQ(!user, is_kernel_address(sample->ip, !user));
		EXPECT_EQ(user, sample->nr_kernel == 0);
		if (!user)
			continue;
		/* The hit is where the stack begins, if it is its first. */
		stack = lwt_find_stack(&self->log, &sample->cookie);
		missing += !stack;
		if (stack)
			EXPECT_EQ(sample->ip, stack->frames[0]);
	}
	EXPECT_LE(missing, lwt_lost_on_rings(&self->s));
	EXPECT_LT(missing, ENOUGH / 2);
}

static bool is_in(const struct lwt_range *range, uint64_t addr)
{
	return addr >= range->from && addr < range->to;
}

#if defined(__s390x__)
static uint64_t kernel_function_at(uint64_t ip)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long addr;
	uint64_t start = 0;
	char line[1024], type;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c", &addr, &type) == 2 && strchr("tTwW", type) &&
		    addr <= ip && addr > start)
			start = addr;
	if (file)
		fclose(file);
	return start;
}

/* Return: bytes of the kernel's memory that were read. */
static size_t read_kernel(uint64_t from, void *to, size_t len)
{
	int i, fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	if (fd < 0 || pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr))
		ehdr.e_phnum = 0;
	for (i = 0; i < ehdr.e_phnum && !got; i++) {
		if (pread(fd, &phdr, sizeof(phdr), ehdr.e_phoff + i * sizeof(phdr)) !=
		    sizeof(phdr))
			break;
		if (phdr.p_type == PT_LOAD && from - phdr.p_vaddr < phdr.p_memsz)
			got = pread(fd, to, len, phdr.p_offset + (from - phdr.p_vaddr));
	}
	close(fd);
	return got > 0 ? got : 0;
}

/*
 * The kernel's unwinder follows the back chain to where the return address is saved.  A function
 * stores the chain some instructions after it has made its frame, and one that calls nobody does
 * not save the return address at all: who is hit there may have no callers, whoever asks.
 *
 * Return: false if the code of the function in front of @ip has stored both.
 */
static bool may_have_no_caller(uint64_t ip)
{
	const uint64_t start = kernel_function_at(ip);
	bool chained = false, saved = false;
	uint8_t code[4096];
	size_t i, len = read_kernel(start, code, ip - start < sizeof(code) ? ip - start :
									     sizeof(code));

	for (i = 0; i + 6 <= len; i += code[i] >> 6 == 0 ? 2 : code[i] >> 6 == 3 ? 6 : 4) {
		const unsigned int reg = code[i + 1] >> 4, last = code[i + 1] & 15;
		const unsigned int at = (code[i + 2] & 15) << 8 | code[i + 3];

		if (code[i + 2] >> 4 != 15 || code[i + 4] || code[i + 5] != 0x24)
			continue;
		/* stg %r, 152(%r15); stmg %r, %last, at(%r15) or stg %r14, 136(%r15) */
		chained |= code[i] == 0xe3 && at == 152;
		saved |= (code[i] == 0xeb && reg <= 14 && last >= 14) ||
			 (code[i] == 0xe3 && reg == 14 && at == 136);
	}
	return len && !(chained && saved);
}
#else
/*
 * The kernel's tables have nothing about its thunks for indirect calls
 * (UNWIND_HINT_UNDEFINED), one of 32 bytes for each register: who is hit there has
 * no callers, whoever asks.
 */
static bool may_have_no_caller(uint64_t ip)
{
	struct lwt_range thunks = lwt_kernel_function("__x86_indirect_thunk_rax");

	thunks.to = thunks.from + (thunks.from ? 16 * 32 : 0);
	return is_in(&thunks, ip);
}
#endif

TEST_F_TIMEOUT(session, has_kernel_stacks, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(2 * MSEC);
	pid_t pid = start(self, work_in_kernel);
	struct lwt_range own = lwt_kernel_function("__perf_event_overflow");
	uint32_t n;
	size_t i;

	ASSERT_LT(own.from, own.to);
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, pid, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_TRUE(lwt_wait(lwt_read(&self->s, &self->log) >= 0 &&
			     samples_in(&self->log, false) > ENOUGH / 4));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	EXPECT_WHOLE(self);
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE ||
		    sample->record.flags & LW_SAMPLE_USER_IP)
			continue;
		ASSERT_LT(0, sample->nr_kernel);
		EXPECT_TRUE(sample->nr_kernel > 1 || may_have_no_caller(sample->ip))
			TH_LOG("%llx", (unsigned long long)sample->ip);
		EXPECT_EQ(sample->ip, sample->kernel[0]);
		EXPECT_EQ(0, sample->record.flags & LW_SAMPLE_KERNEL_CUT);
		for (n = 0; n < sample->nr_kernel; n++) {
			EXPECT_TRUE(is_kernel_address(sample->kernel[n], true));
			EXPECT_FALSE(is_in(&own, sample->kernel[n]));
		}
	}
}

/* A tracepoint's stack begins where the tracepoint is, not in our handler. */
TEST_F(session, has_kernel_stacks_of_tracepoints)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	struct lwt_range own = lwt_kernel_function("__perf_event_overflow");
	unsigned int samples = 0;
	uint32_t n;
	size_t i;

	ASSERT_LT(own.from, own.to);
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_EQ(2, lwt_read(&self->s, &self->log));
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE)
			continue;
		samples++;
		if (sample->record.flags & LW_SAMPLE_USER_IP)
			continue;
		ASSERT_LT(0, sample->nr_kernel);
		EXPECT_EQ(sample->ip, sample->kernel[0]);
		for (n = 0; n < sample->nr_kernel; n++) {
			EXPECT_FALSE(is_in(&own, sample->kernel[n]));
		}
	}
	EXPECT_EQ(1, samples);
}

/* What all formats of tracefs begin with; then sched_switch's. */
struct switch_fields {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	char prev_comm[16];
	int32_t prev_pid;
};

/* Behind all else, with and without a cgroup; a software event has none. */
TEST(has_the_fields_of_tracepoints_for_who_asks)
{
	struct perf_event_attr attrs[] = {
		lwt_attr_tracepoint("sched/sched_switch"),
		lwt_attr_tracepoint("sched/sched_switch"),
		{
			.type = PERF_TYPE_SOFTWARE, .size = sizeof(attrs[0]),
			.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sample_period = 1,
		},
	};
	const uint64_t type = attrs[0].config;
	unsigned int with, without, round;
	struct lwt_session s;
	uint64_t ids[3];
	size_t i;

	/* what else is in sample_type is not looked at */
	attrs[0].sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_ADDR;
	attrs[1].sample_type = PERF_SAMPLE_ADDR;
	attrs[2].sample_type = PERF_SAMPLE_RAW;
	for (round = 0; round < 2; round++) {
		struct lw_setup setup = {
			.size = sizeof(setup), .ring_size = RING,
			.flags = round ? LW_SETUP_CGROUP : 0,
			.kernel_depth = LW_MAX_KERNEL_DEPTH,
		};
		struct lwt_log log = {};

		with = 0;
		without = 0;
		ASSERT_EQ(0, lwt_session_open_as(&s, &setup));
		EXPECT_NE(0, lwt_features(s.fd) & LW_FEATURE_RAW);
		for (i = 0; i < 3; i++)
			ASSERT_EQ(0, lwt_add_event(s.fd, &attrs[i], LW_TARGET_TASK, 0, &ids[i]));
		ASSERT_EQ(0, lwt_enable(s.fd));
		EXPECT_TRUE(lwt_wait(lwt_stats(s.fd).samples > 20));
		ASSERT_EQ(0, lwt_disable(s.fd));
		ASSERT_LE(0, lwt_read(&s, &log));
		for (i = 0; i < log.nr; i++) {
			const struct lw_sample *sample = log.records[i].sample;
			const __u64 *behind;
			struct switch_fields fields;

			if (sample->record.type != LW_RECORD_SAMPLE)
				continue;
			EXPECT_EQ(sample->id == ids[0],
				  !!(sample->record.flags & LW_SAMPLE_RAW));
			without += sample->id != ids[0];
			if (!(sample->record.flags & LW_SAMPLE_RAW))
				continue;
			with++;
			behind = &sample->kernel[sample->nr_kernel + round];
			EXPECT_LE(sizeof(fields), *(const uint32_t *)behind);
			memcpy(&fields, (const uint32_t *)behind + 1, sizeof(fields));
			EXPECT_EQ(type, fields.type);
			EXPECT_EQ(getpid(), fields.pid);
			EXPECT_EQ(getpid(), fields.prev_pid);
			EXPECT_STREQ("sampling_test", fields.prev_comm);
		}
		EXPECT_LE(5, with);
		EXPECT_LE(5, without);
		EXPECT_EQ(0, lwt_log_check(&log).malformed);
		lwt_log_free(&log);
		lwt_session_close(&s);
	}
}

TEST(cuts_kernel_stacks_at_their_depth)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("sched/sched_switch");
	struct lwt_session s;
	struct lwt_log log = {};
	size_t i;

	ASSERT_EQ(0, lwt_session_open(&s, RING, 0, 2));
	ASSERT_EQ(0, lwt_add_event(s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(s.fd));
	/* A sleep that is over before the task gets to it is no switch. */
	EXPECT_TRUE(lwt_wait(lwt_stats(s.fd).samples >= 10));
	ASSERT_EQ(0, lwt_disable(s.fd));
	ASSERT_LT(0, lwt_read(&s, &log));
	EXPECT_LE(10, lwt_log_check(&log).samples);
	for (i = 0; i < log.nr; i++) {
		const struct lw_sample *sample = log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE)
			continue;
		EXPECT_EQ(2, sample->nr_kernel);
		EXPECT_NE(0, sample->record.flags & LW_SAMPLE_KERNEL_CUT);
	}
	lwt_log_free(&log);
	lwt_session_close(&s);
}

TEST(leaves_out_what_is_excluded)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("sched/sched_switch");
	struct lwt_session s;
	struct lwt_log log = {};
	struct lwt_counts counts;
	size_t i;

	attr.exclude_callchain_kernel = 1;
	attr.exclude_callchain_user = 1;
	ASSERT_EQ(0, lwt_session_open(&s, RING, 0, 16));
	ASSERT_EQ(0, lwt_add_event(s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(s.fd));
	EXPECT_TRUE(lwt_wait(lwt_stats(s.fd).samples >= 10));
	ASSERT_EQ(0, lwt_disable(s.fd));
	ASSERT_LT(0, lwt_read(&s, &log));
	counts = lwt_log_check(&log);
	EXPECT_LE(10, counts.samples);
	EXPECT_EQ(0, counts.stacks);
	EXPECT_EQ(0, counts.malformed);
	EXPECT_EQ(0, lwt_stats(s.fd).requests);
	for (i = 0; i < log.nr; i++) {
		EXPECT_EQ(LW_USER_EXCLUDED, log.records[i].sample->user);
		EXPECT_EQ(0, log.records[i].sample->cookie.counter);
		EXPECT_EQ(0, log.records[i].sample->nr_kernel);
	}
	lwt_log_free(&log);
	lwt_session_close(&s);
}

/* N calls are N samples and N stacks, and nothing else. */
TEST_F(session, counts_each_hit)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	struct lwt_counts counts;
	int i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < 500; i++)
		syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	syscall(SYS_getppid);
	ASSERT_EQ(1000, lwt_read(&self->s, &self->log));
	counts = lwt_log_check(&self->log);
	EXPECT_EQ(500, counts.samples);
	EXPECT_EQ(500, counts.stacks);
	EXPECT_WHOLE(self);
}

/* Entry and exit of a system call, two events: one stack. */
TEST_F(session, shares_a_stack_in_one_entry)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	struct lwt_counts counts;
	int i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	attr = lwt_attr_tracepoint("syscalls/sys_exit_getppid");
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < 100; i++)
		syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_EQ(300, lwt_read(&self->s, &self->log));
	counts = lwt_log_check(&self->log);
	EXPECT_EQ(200, counts.samples);
	EXPECT_EQ(100, counts.stacks);
	EXPECT_EQ(100, lwt_stats(self->s.fd).shared);
	EXPECT_WHOLE(self);
}

/* A system call now and then, and else in user mode. */
static void getppid_and_spin(void)
{
	struct timespec begin, now;

	syscall(SYS_getppid);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec -
		 begin.tv_nsec < 100000);
}

/*
 * The task's FPU registers are loaded behind the kernel's last look at what is
 * to be done before user mode.  Who asks there must still be answered before the
 * next system call begins, and not with that one's stack.
 */
static unsigned int pending_of(const struct lwt_log *log, uint64_t id)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++)
		nr += log->records[i].head->type == LW_RECORD_SAMPLE &&
		      log->records[i].sample->id == id &&
		      log->records[i].sample->user == LW_USER_PENDING;
	return nr;
}

TEST_F_TIMEOUT(session, answers_who_asks_last_in_an_entry, 60)
{
	struct perf_event_attr last =
		lwt_attr_tracepoint("x86_fpu/x86_fpu_regs_activated");
	struct perf_event_attr first =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	unsigned int joined = 0;
	uint64_t last_id, first_id;
	size_t i, j;
	pid_t pid;

	if (lwt_tracepoint("x86_fpu/x86_fpu_regs_activated") < 0)
		SKIP(return, "this kernel has no tracepoint x86_fpu_regs_activated");
	ASSERT_EQ(0, lwt_pin(0));
	pid = start(self, getppid_and_spin);
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &last, LW_TARGET_TASK, pid,
				   &last_id));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &first, LW_TARGET_TASK, pid,
				   &first_id));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	/* We take the CPU away each time, and with it the registers. */
	EXPECT_TRUE(lwt_wait(lwt_read(&self->s, &self->log) >= 0 &&
			     pending_of(&self->log, last_id) >= lwt_sample(100, 40)));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *a = self->log.records[i].sample;

		if (a->record.type != LW_RECORD_SAMPLE || a->id != last_id ||
		    a->user != LW_USER_PENDING)
			continue;
		for (j = 0; j < self->log.nr; j++) {
			const struct lw_sample *b = self->log.records[j].sample;

			joined += b->record.type == LW_RECORD_SAMPLE &&
				  b->id == first_id && b->time > a->time &&
				  lwt_cookie_same(&a->cookie, &b->cookie);
		}
	}
	EXPECT_EQ(0, joined);
	EXPECT_WHOLE(self);
}

TEST_F_TIMEOUT(session, samples_every_cpu, 90)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(4 * MSEC);

	/* Others may go to sleep, and owe a stack until they are woken. */
	ASSERT_EQ(0, lwt_only(self->s.fd, getpid(), LW_FILTER_CHILDREN));
	start(self, work_in_processes);
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_TRUE(read_samples(self, 4 * ENOUGH));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	end_child(self);
	ASSERT_TRUE(settle(self));
	EXPECT_WHOLE(self);
	EXPECT_EQ(0, backwards(&self->log));
	EXPECT_LT(0, not_of(&self->log, getpid()));
}

/* Return: are there samples of a kernel thread. */
static bool has_kthreads(const struct lwt_log *log)
{
	size_t i;

	for (i = 0; i < log->nr; i++)
		if (log->records[i].head->type == LW_RECORD_SAMPLE &&
		    log->records[i].sample->user == LW_USER_KTHREAD)
			return true;
	return false;
}

/* Idle tasks and kernel threads have samples and no stack. */
TEST_F_TIMEOUT(session, knows_tasks_without_user_space, 60)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("sched/sched_switch");
	size_t i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_TRUE(lwt_wait(lwt_read(&self->s, &self->log) >= 0 &&
			     has_kthreads(&self->log)));
	/* Who has gone to sleep meanwhile may owe a stack for long. */
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_LE(0, lwt_read(&self->s, &self->log));
	EXPECT_EQ(0, lwt_log_check(&self->log).malformed);
	EXPECT_EQ(0, lwt_log_check(&self->log).twice);
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE ||
		    sample->user == LW_USER_PENDING)
			continue;
		EXPECT_TRUE(sample->user == LW_USER_KTHREAD ||
			    sample->user == LW_USER_EXITING);
		EXPECT_EQ(0, sample->cookie.counter);
		EXPECT_LT(0, sample->nr_kernel);
	}
}

TEST_F_TIMEOUT(session, follows_forks_and_threads, 90)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(1 * MSEC);
	pid_t pid = start(self, work_in_processes);
	size_t i, threads = 0, others;

	attr.inherit = 1;
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, pid, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_TRUE(read_samples(self, 4 * ENOUGH));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	end_child(self);
	ASSERT_TRUE(settle(self));
	EXPECT_WHOLE(self);
	others = not_of(&self->log, pid);
	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		threads += sample->record.type == LW_RECORD_SAMPLE &&
			   sample->pid != sample->tid;
	}
	EXPECT_LT(0, others);
	EXPECT_LT(0, threads);
}

TEST_F_TIMEOUT(session, does_not_follow_without_inherit, 60)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(1 * MSEC);
	pid_t pid = start(self, work_in_processes);

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, pid, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_TRUE(read_samples(self, ENOUGH / 2));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	EXPECT_EQ(0, not_of(&self->log, pid));
	EXPECT_WHOLE(self);
}

/* Makes 10 hits for each byte that it reads, and says so. */
static pid_t start_hitting(int go, int done)
{
	pid_t pid = fork();
	char byte;
	int i;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(go, &byte, 1) == 1) {
		for (i = 0; i < 10; i++)
			syscall(SYS_getppid);
		if (write(done, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* Return: hits that were sampled while all children made their 10. */
static uint64_t let_hit(FIXTURE_DATA(session) *self, int (*go)[2], int done)
{
	char bytes[4];
	int i;

	lwt_log_free(&self->log);
	for (i = 0; i < 4; i++)
		if (write(go[i][1], "x", 1) != 1)
			return -1;
	for (i = 0; i < 4; i++)
		if (read(done, bytes, 1) != 1)
			return -1;
	return settle(self) ? lwt_log_check(&self->log).samples : -1ULL;
}

/*
 * Children that are there at LW_IOC_ENABLE, and at LW_IOC_DISABLE.  Several, as
 * perf swaps the events of tasks that have the same ones.
 */
TEST_F_TIMEOUT(session, enables_and_disables_inherited_events, 60)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	int go[4][2], done[2], i;

	attr.inherit = 1;
	ASSERT_EQ(0, pipe(done));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pipe(go[i]));
		ASSERT_LT(0, start_hitting(go[i][0], done[1]));
	}
	EXPECT_EQ(0, let_hit(self, go, done[0]));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_EQ(40, let_hit(self, go, done[0]));
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	EXPECT_EQ(0, let_hit(self, go, done[0]));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	EXPECT_EQ(40, let_hit(self, go, done[0]));
}

TEST_F_TIMEOUT(session, starts_at_exec, 60)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	int go[2], status, i;
	char byte;

	attr.enable_on_exec = 1;
	attr.inherit = 1;
	ASSERT_EQ(0, pipe(go));
	self->child = fork();
	if (!self->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		for (i = 0; i < 5; i++)
			syscall(SYS_getppid);
		execl("./exec_target", "exec_target", "7", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK,
				   self->child, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	EXPECT_EQ(7, lwt_log_check(&self->log).samples);
	EXPECT_WHOLE(self);
}

/* Nobody reads: each of the 2 * N records is there or counted. */
TEST(counts_what_does_not_fit)
{
	uint64_t sum, calls = 300 * PAGE_SCALE, i;
	struct lwt_counts counts;
	struct lwt_session s;
	struct lwt_log log = {};
	struct lw_stats stats;

	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, lwt_session_open(&s, lwt_page(), 8, 0));
	for (i = 0; i < calls; i++) {
		ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, NULL));
	}
	stats = lwt_stats(s.fd);
	ASSERT_LT(0, lwt_read(&s, &log));
	counts = lwt_log_check(&log);
	sum = counts.samples + counts.stacks + lwt_lost_on_rings(&s);
	EXPECT_EQ(2 * calls, sum);
	EXPECT_LT(0, lwt_lost_on_rings(&s));
	EXPECT_EQ(stats.lost_full, lwt_lost_on_rings(&s));
	EXPECT_EQ(stats.samples, counts.samples);
	EXPECT_EQ(stats.user_stacks, counts.stacks);
	EXPECT_EQ(calls, stats.requests);
	EXPECT_EQ(calls, stats.user_stacks + stats.lost_stacks);
	EXPECT_EQ(calls, stats.samples + stats.lost_full - stats.lost_stacks);
	EXPECT_EQ(0, counts.malformed);

	/* It goes on, and the next record tells of the drops before it. */
	lwt_log_free(&log);
	ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, NULL));
	ASSERT_EQ(3, lwt_read(&s, &log));
	EXPECT_EQ(LW_RECORD_LOST, log.records[0].head->type);
	EXPECT_EQ(LW_RECORD_SAMPLE, log.records[1].head->type);
	EXPECT_EQ(LW_RECORD_USER_STACK, log.records[2].head->type);
	EXPECT_LE(lwt_log_check(&log).lost, stats.lost_full);
	lwt_log_free(&log);
	lwt_session_close(&s);
}

/* With a reader that is sometimes late, LOST records add up in the end. */
TEST(tells_of_drops_in_order)
{
	uint64_t i, calls = 0, told;
	struct lwt_session s;
	struct lwt_log log = {};
	struct lwt_counts counts;

	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, lwt_session_open(&s, lwt_page(), 8, 0));
	for (i = 0; i < 20; i++) {
		int n = (3 + i * 7 % 40) * PAGE_SCALE;

		calls += n;
		while (n--) {
			ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, NULL));
		}
		ASSERT_LE(0, lwt_read(&s, &log));
	}
	/* The last record brings out what is not yet told. */
	calls++;
	ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, NULL));
	ASSERT_LE(0, lwt_read(&s, &log));
	counts = lwt_log_check(&log);
	told = counts.lost;
	EXPECT_LT(0, told);
	EXPECT_EQ(told, lwt_lost_on_rings(&s));
	EXPECT_EQ(2 * calls, counts.samples + counts.stacks + told);
	EXPECT_EQ(0, counts.malformed);
	EXPECT_EQ(0, counts.twice);
	lwt_log_free(&log);
	lwt_session_close(&s);
}

static KEEP long request_leaf(struct chain *c)
{
	struct lw_request request = { .size = sizeof(request) };
	uint64_t ip;
	long ret;

	chain_note(c);
	ret = raw_syscall(SYS_ioctl, *(int *)c->arg, LW_IOC_REQUEST,
			  (long)&request, &ip);
	NO_TAIL_CALL(ret);
	return ret;
}

/* A stack of the most depth that SETUP lets the least ring have. */
TEST(fits_the_least_ring)
{
	static struct chain c;
	struct lwt_session s;
	struct lwt_log log = {};
	static char path[2 * LW_MAX_DEPTH + 1];
	uint32_t most = lwt_most_depth(lwt_page());

	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, lwt_session_open(&s, lwt_page(), most, 0));
	memset(path, 'a', sizeof(path) - 1);
	ASSERT_EQ(0, chain_run(&c, path, request_leaf, &s.fd));
	EXPECT_EQ(0, lwt_stats(s.fd).lost_big);
	ASSERT_EQ(1, lwt_read(&s, &log));
	EXPECT_EQ(most, log.records[0].stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, log.records[0].stack->end);
	lwt_log_free(&log);
	lwt_session_close(&s);
}

/* The ring wraps many times, and each record is whole. */
TEST_F_TIMEOUT(session, wraps_around, 60)
{
	struct lwt_session s;
	struct lw_cookie cookie;
	unsigned int i, rounds = lwt_sample(3000, 500) * PAGE_SCALE;
	int nr;

	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, lwt_session_open(&s, lwt_page(), 0, 0));
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, &cookie));
		nr = lwt_read(&s, &self->log);
		ASSERT_EQ(2, nr);
		ASSERT_EQ(1, lwt_count_stacks(&self->log, &cookie));
		ASSERT_EQ(0, lwt_log_check(&self->log).malformed);
		lwt_log_free(&self->log);
	}
	EXPECT_LT(rounds * 128, s.rings[0].producer->pos);
	lwt_session_close(&s);
}

/* What a reader may write into the page that is its own. */
static volatile int stop_liar;

static void *liar(void *arg)
{
	struct lw_ring_consumer *consumer = arg;
	uint64_t state = 0x1a7e;

	while (!stop_liar) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		consumer->pos = state & 1 ? state : state >> 44;
	}
	return NULL;
}

static bool reads_on(struct lwt_session *s)
{
	struct lwt_log log = {};
	struct lw_cookie cookie;
	bool ok;

	/* Where the producer is, there is nothing to be read. */
	s->rings[0].consumer->pos = s->rings[0].producer->pos;
	ok = lwt_request(s->fd, LW_REQUEST_SAMPLE, &cookie) == 0 &&
	     lwt_read(s, &log) >= 2 && lwt_count_stacks(&log, &cookie) == 1 &&
	     !lwt_log_check(&log).malformed;
	lwt_log_free(&log);
	return ok;
}

TEST_F_TIMEOUT(session, survives_any_consumer_position, 60)
{
	const uint64_t positions[] = {
		0, 1, 7, lwt_page() - 1, 1ULL << 20, 1ULL << 32, 1ULL << 63, -1ULL,
		-8ULL, -(uint64_t)lwt_page(), 1ULL << 62,
	};
	struct lw_ring_consumer *consumer;
	struct lwt_session s;
	pthread_t thread;
	unsigned int i;
	int n;

	ASSERT_EQ(0, lwt_session_open(&s, lwt_page(), 0, 0));
	consumer = s.rings[0].consumer;
	ASSERT_EQ(0, pthread_create(&thread, NULL, liar, consumer));
	ASSERT_EQ(0, lwt_pin(0));
	for (n = 0; n < 2000; n++) {
		ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, NULL));
	}
	stop_liar = 1;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_TRUE(reads_on(&s));
	for (i = 0; i < ARRAY_SIZE(positions); i++) {
		consumer->pos = positions[i];
		for (n = 0; n < 50; n++) {
			ASSERT_EQ(0, lwt_request(s.fd, LW_REQUEST_SAMPLE, NULL));
		}
		EXPECT_TRUE(reads_on(&s));
	}
	EXPECT_EQ(0, lwt_tainted());
	lwt_session_close(&s);
}

/* Two sessions on the same event: both have all of it. */
TEST_F(session, samples_for_two_sessions)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	struct lwt_session other;
	struct lwt_log log = {};
	size_t i, same = 0;

	ASSERT_EQ(0, lwt_session_open(&other, RING, 0, 0));
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_add_event(other.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	ASSERT_EQ(0, lwt_enable(other.fd));
	for (i = 0; i < 50; i++)
		syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_EQ(0, lwt_disable(other.fd));
	ASSERT_EQ(100, lwt_read(&self->s, &self->log));
	ASSERT_EQ(100, lwt_read(&other, &log));
	EXPECT_WHOLE(self);
	for (i = 0; i < log.nr; i++)
		if (log.records[i].head->type == LW_RECORD_USER_STACK)
			same += lwt_count_stacks(&self->log,
						 &log.records[i].stack->cookie);
	EXPECT_EQ(50, same);
	lwt_log_free(&log);
	lwt_session_close(&other);
}

/* Page faults in the walk itself must not ask without end. */
TEST_F_TIMEOUT(session, samples_page_faults, 60)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
	};
	char *area = mmap(NULL, 300 * lwt_page(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	ASSERT_NE(MAP_FAILED, area);
	/* A kernel without huge pages (PREEMPT_RT has none) does not know the advice. */
	ASSERT_TRUE(!madvise(area, 300 * lwt_page(), MADV_NOHUGEPAGE) || errno == EINVAL);
	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < 300; i++)
		area[i * lwt_page()] = 1;
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_TRUE(settle(self));
	EXPECT_LE(300, lwt_log_check(&self->log).samples);
	EXPECT_WHOLE(self);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
