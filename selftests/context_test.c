// SPDX-License-Identifier: GPL-2.0
/*
 * context_test.c - linux/latewind.h from every context, each inside the others:
 * one cookie an entry, one stack a tracer, and the right one.
 *
 * lw_test.ko does the asking; it is loaded here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lwm.h"
#include "kselftest_harness.h"

#define PROCESS	LWM_AT(LWM_PROCESS)
#define SOFTIRQ	LWM_AT(LWM_SOFTIRQ)
#define HARDIRQ	LWM_AT(LWM_HARDIRQ)
#define NMI	LWM_AT(LWM_NMI)
#define NR_PATHS	8
/* What another task came in between of is done again. */
#define TRIES	1000

FIXTURE(api)
{
	int fd;
	unsigned int there;	/* LWM_AT() of the contexts that this machine has */
	struct lwm_call call;
	struct chain chain;
	struct lwm_log log;
};

/* Not all machines and kernels have NMIs. */
static unsigned int contexts_there(int fd)
{
	struct lwm_ask ask = { .path = NMI };
	struct lwm_run run = { .asks = (uintptr_t)&ask, .nr = 1 };
	int ret = lwt_ioctl(fd, LWM_IOC_RUN, &run);

	return PROCESS | SOFTIRQ | HARDIRQ | (ret == -EOPNOTSUPP ? 0 : NMI);
}

FIXTURE_SETUP(api)
{
	self->fd = lwm_open("");
	if (self->fd == -ENOENT)
		SKIP(return, LWM_MISSING, "lw_test");
	ASSERT_LE(0, self->fd);
	self->there = contexts_there(self->fd);
	self->call.call.fd = self->fd;
	/* Who moves between a request and a look at its CPU has another one. */
	ASSERT_EQ(0, lwt_pin(lwt_seed() % sysconf(_SC_NPROCESSORS_ONLN)));
}

FIXTURE_TEARDOWN(api)
{
	lwm_log_free(&self->log);
	lwm_close(self->fd);
	EXPECT_EQ(0, lwt_tainted());
}

#define NEED_MODULE()	do { if (self->fd < 0) return; } while (0)

/* Contexts @path goes through, as bits; @path counts from 0 to NR_PATHS - 1. */
static unsigned int path_bits(unsigned int path)
{
	return path << 1;
}

/* Of its own description, as uname -v has it. */
static bool kernel_is(const char *what)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, what);
}

/*
 * PREEMPT_RT runs softirqs in a thread of their own, or when bottom halves are enabled with
 * preemption on, but never on top of a task that has preemption off.
 */
static bool path_is_there(FIXTURE_DATA(api) *self, unsigned int bits, unsigned int flags)
{
	return !(bits & ~self->there) &&
	       (!(bits & SOFTIRQ) || !(flags & LWM_NO_PREEMPT) || !kernel_is("PREEMPT_RT"));
}

static bool was_disturbed(const struct lwm_call *call)
{
	unsigned int i, level;

	for (i = 0; i < call->run.nr; i++)
		for (level = 0; level < LWM_LEVELS; level++)
			if (call->asks[i].results[0][level].ret == -EAGAIN)
				return true;
	return false;
}

/*
 * Does what the call is for, in one kernel entry, at the end of a chain, and
 * reads the stacks.  Return: 0, -errno.
 */
static long run(FIXTURE_DATA(api) *self)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		lwt_ioctl(self->fd, LWM_IOC_RESET, NULL);
		chain_run(&self->chain, "abcde", lwm_leaf, &self->call);
		if (!was_disturbed(&self->call))
			break;
	}
	return self->call.call.ret ?: lwm_read(self->fd, &self->log);
}

/*
 * An NMI that comes when interrupts are on is entered as an interrupt first, on arm64
 * (gic_handle_irq()): inside it nobody can tell whether there was one.
 */
static unsigned int as_seen(unsigned int where)
{
#if defined(__aarch64__)
	if (where & NMI)
		where |= HARDIRQ;
#endif
	return where;
}

/* What the contexts up to @level of a path look like from inside. */
static unsigned int where(unsigned int path, unsigned int level)
{
	return as_seen(PROCESS | (path & (LWM_AT(level + 1) - 1)));
}

/* Results of all asks, in the order in which they were made. */
static unsigned int collect(const struct lwm_call *call,
			    const struct lwm_result **results,
			    unsigned int *expected_where)
{
	unsigned int i, level, nr = 0;

	for (i = 0; i < call->run.nr; i++) {
		const struct lwm_ask *ask = &call->asks[i];

		for (level = 0; level < LWM_LEVELS; level++) {
			if (!(ask->in & LWM_AT(level)))
				continue;
			expected_where[nr] = where(ask->path, level);
			results[nr++] = &ask->results[0][level];
		}
		for (level = LWM_LEVELS; level--;) {
			if (!(ask->out & LWM_AT(level)))
				continue;
			expected_where[nr] = where(ask->path, level);
			results[nr++] = &ask->results[1][level];
		}
	}
	return nr;
}

/* One cookie for all, taken by the first; one stack of it for each of @nr. */
static void expect_one_stack(struct __test_metadata *_metadata,
			     FIXTURE_DATA(api) *self, unsigned int nr_tracers)
{
	const struct lwm_result *results[LWM_ASKS * 2 * LWM_LEVELS];
	unsigned int expected_where[LWM_ASKS * 2 * LWM_LEVELS];
	unsigned int i, nr = collect(&self->call, results, expected_where);
	const struct lwm_stack *stack;

	ASSERT_LT(0, nr);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(i ? 1 : 0, results[i]->ret)
			TH_LOG("request %u of %u, in %x", i, nr,
			       expected_where[i]);
		EXPECT_EQ(expected_where[i], as_seen(results[i]->where));
		EXPECT_TRUE(lwt_cookie_same(&results[0]->cookie,
					    &results[i]->cookie));
	}
	EXPECT_NE(0, results[0]->cookie.counter);
	EXPECT_EQ(0, results[0]->cookie.reserved);
	EXPECT_EQ(results[0]->cpu, results[0]->cookie.cpu);
	EXPECT_EQ(nr_tracers, self->log.total);
	for (i = 0; i < nr_tracers; i++) {
		ASSERT_EQ(1, lwm_count(&self->log, i, NULL))
			TH_LOG("tracer %u", i);
		stack = lwm_find(&self->log, i, &results[0]->cookie);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(0, stack->context);
		EXPECT_EQ(gettid(), stack->tid);
		ASSERT_EQ(self->call.call.nr,
			  lwm_matching(stack, &self->call.call));
	}
}

/* Every path, with and without softirq for each tracer, asking everywhere on it: in one entry. */
TEST_F(api, gives_one_cookie_in_all_contexts)
{
	unsigned int path, flags;

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, 2));
	for (flags = 0; flags <= LWM_NO_PREEMPT; flags++) {
		lwm_again(&self->call);
		for (path = 0; path < NR_PATHS; path++) {
			unsigned int bits = path_bits(path) | PROCESS;

			if (path_is_there(self, bits, flags))
				lwm_ask(&self->call, path / 2 % 2, bits, bits, bits)->flags = flags;
		}
		ASSERT_EQ(0, run(self));
		expect_one_stack(_metadata, self, 2);
	}
}

/* The one that takes the cookie is in the innermost context. */
TEST_F(api, is_asked_first_in_every_context)
{
	struct lw_cookie last = {}, now;
	unsigned int path, level, flags;

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	for (path = 0; path < NR_PATHS; path++) {
		unsigned int bits = path_bits(path) | PROCESS;

		for (level = LWM_LEVELS - 1; !(bits & LWM_AT(level)); level--)
			;
		for (flags = 0; flags <= LWM_NO_PREEMPT; flags++) {
			struct lwm_ask *ask;

			if (!path_is_there(self, bits, flags))
				continue;
			lwm_again(&self->call);
			ask = lwm_ask(&self->call, 0, bits, LWM_AT(level),
				      bits);
			ask->flags = flags;
			ASSERT_EQ(0, run(self));
			expect_one_stack(_metadata, self, 1);
			/* That entry had another one. */
			now = ask->results[0][level].cookie;
			EXPECT_FALSE(lwt_cookie_same(&last, &now));
			last = now;
		}
	}
}

TEST_F(api, is_asked_with_preemption_on_and_off)
{
	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	lwm_again(&self->call);
	lwm_ask(&self->call, 0, PROCESS, PROCESS, 0);
	lwm_ask(&self->call, 0, PROCESS, PROCESS, 0)->flags = LWM_NO_PREEMPT;
	ASSERT_EQ(0, run(self));
	expect_one_stack(_metadata, self, 1);
	/* Without, it may count preemption all the same. */
	if (kernel_is("PREEMPT"))
		EXPECT_EQ(1, self->call.asks[0].results[0][0].preemptible);
	EXPECT_EQ(0, self->call.asks[1].results[0][0].preemptible);
}

/* libgcc's unwinder, by .eh_frame, is the oracle from here to main(). */
TEST_F(api, is_given_the_stack_down_to_main)
{
	const struct truth *truth = &self->call.call.truth;
	const struct lwm_stack *stack;
	unsigned int i, level;

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	self->call.call.want_truth = true;
	for (level = 0; level < LWM_LEVELS; level++) {
		if (!path_is_there(self, LWM_AT(level), 0))
			continue;
		lwm_again(&self->call);
		lwm_ask(&self->call, 0, LWM_AT(level), LWM_AT(level), 0);
		ASSERT_EQ(0, run(self));
		expect_one_stack(_metadata, self, 1);
		stack = &self->log.stacks[0];
		ASSERT_GT(truth->nr, truth->main);
		ASSERT_GT(stack->nr, truth->main);
		ASSERT_GT(LWM_FRAMES, truth->main);
		for (i = 1; i <= truth->main; i++) {
			ASSERT_EQ(truth->ip[i], stack->frames[i])
				TH_LOG("frame %u", i);
			EXPECT_EQ(LW_HOW_SFRAME, stack->how[i]);
		}
	}
}

/* With registers of each context; who is throttled has not asked. */
TEST_F(api, takes_the_registers_of_any_context)
{
	unsigned int bits = self->there;

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	lwm_again(&self->call);
	lwm_ask(&self->call, 0, bits, bits, bits)->flags = LWM_REGS;
	ASSERT_EQ(0, run(self));
	expect_one_stack(_metadata, self, 1);
}

TEST_F(api, walks_once_for_64_tracers)
{
	uint64_t walks = 0;
	unsigned int i;

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, LWM_TRACERS));
	EXPECT_EQ(-EBUSY, lwm_register(self->fd, 0));
	lwm_again(&self->call);
	/* The last is not for this. */
	for (i = 0; i < LWM_TRACERS - 1; i++)
		lwm_ask(&self->call, i, (path_bits(i % NR_PATHS) & self->there) | PROCESS,
			PROCESS, PROCESS);
	ASSERT_EQ(0, run(self));
	expect_one_stack(_metadata, self, LWM_TRACERS - 1);
	for (i = 0; i < LWM_TRACERS; i++) {
		struct lwm_stats stats = lwm_stats(self->fd, i);
		bool asked = i < LWM_TRACERS - 1;

		walks += stats.stats.walks;
		EXPECT_EQ(asked, stats.callbacks);
		EXPECT_EQ(asked, stats.stats.user_stacks);
		EXPECT_EQ(2 * asked, stats.stats.requests);
		EXPECT_EQ(asked, stats.stats.shared);
		EXPECT_EQ(0, stats.stats.pending);
	}
	EXPECT_EQ(1, walks);
}

TEST_F(api, gives_each_tracer_its_own_depth)
{
	struct lwm_register shallow = { .tracer = 0, .depth = 3 };
	const struct lwm_stack *stack;
	unsigned int i;

	NEED_MODULE();
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &shallow));
	ASSERT_EQ(0, lwm_register(self->fd, 1));
	lwm_again(&self->call);
	lwm_ask(&self->call, 0, PROCESS, PROCESS, 0);
	lwm_ask(&self->call, 1, PROCESS, PROCESS, 0);
	ASSERT_EQ(0, run(self));
	stack = lwm_find(&self->log, 0, NULL);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(3, stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(self->call.call.expect[i], stack->frames[i]);
	stack = lwm_find(&self->log, 1, NULL);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(self->call.call.nr, lwm_matching(stack, &self->call.call));
}

/*
 * Callbacks ask again: for the same tracer, and for one that nobody has asked
 * for until then.
 */
TEST_F(api, answers_who_asks_in_a_callback)
{
	struct lwm_register first = {
		.tracer = 0, .again = 1 + 1, .again_times = 3,
	};
	struct lwm_register second = {
		.tracer = 1, .again = 1 + 1, .again_times = 2,
	};
	unsigned int i;

	NEED_MODULE();
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &first));
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &second));
	lwm_again(&self->call);
	lwm_ask(&self->call, 0, PROCESS, PROCESS, 0);
	ASSERT_EQ(0, run(self));
	expect_one_stack(_metadata, self, 2);
	for (i = 0; i < 2; i++) {
		const struct lwm_stack *stack = &self->log.stacks[i];

		EXPECT_EQ(1, stack->again_ret);
		EXPECT_TRUE(lwt_cookie_same(&stack->cookie, &stack->again));
	}
	EXPECT_EQ(5, lwm_stats(self->fd, 1).stats.requests);
	EXPECT_EQ(1, lwm_stats(self->fd, 0).stats.walks +
		     lwm_stats(self->fd, 1).stats.walks);
}

/* The cookie stays, with the CPU of the first request in it. */
TEST_F(api, keeps_the_cookie_when_the_task_moves)
{
	unsigned int innermost = self->there & NMI ? LWM_NMI : LWM_HARDIRQ;
	cpu_set_t all;
	unsigned int i;

	NEED_MODULE();
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is one CPU only");
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	ASSERT_EQ(0, lwm_register_all(self->fd, 2));
	for (i = 0; i < 10; i++) {
		/* LWM_MOVE ignores the affinity.  Pinned, the task is moved by nobody else. */
		ASSERT_EQ(0, lwt_pin(i % 2));
		lwm_again(&self->call);
		lwm_ask(&self->call, 0, PROCESS, PROCESS, 0);
		lwm_ask(&self->call, 0, LWM_AT(innermost), LWM_AT(innermost),
			LWM_AT(innermost))->flags = LWM_MOVE;
		lwm_ask(&self->call, 1, PROCESS, PROCESS, 0)->flags = LWM_MOVE;
		lwm_ask(&self->call, 1, HARDIRQ, HARDIRQ, 0)->flags = LWM_MOVE;
		ASSERT_EQ(0, run(self));
		EXPECT_NE(self->call.asks[0].results[0][LWM_PROCESS].cpu,
			  self->call.asks[1].results[0][innermost].cpu);
		EXPECT_NE(self->call.asks[1].results[0][innermost].cpu,
			  self->call.asks[2].results[0][LWM_PROCESS].cpu);
		expect_one_stack(_metadata, self, 2);
	}
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
}

static long wait_in_kernel(int fd, uint64_t tracers, struct lwm_wait *wait)
{
	*wait = (struct lwm_wait){ .tracers = tracers };
	return lwt_ioctl(fd, LWM_IOC_WAIT, wait);
}

struct waiter {
	int fd;
	long ret;
	struct lwm_wait wait;
};

static void *waiter_main(void *arg)
{
	struct waiter *waiter = arg;

	waiter->ret = wait_in_kernel(waiter->fd, 1, &waiter->wait);
	return NULL;
}

/* Moved by others while it is blocked; answered on another CPU. */
TEST_F(api, answers_who_was_moved_while_blocked)
{
	struct waiter waiter = { .fd = self->fd };
	const struct lwm_stack *stack;
	pthread_t thread;
	cpu_set_t set;
	unsigned int cpu;

	NEED_MODULE();
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is one CPU only");
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, waiter_main, &waiter));
	ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 0).waiting == 1));
	EXPECT_EQ(1, lwm_stats(self->fd, 0).stats.pending);
	EXPECT_EQ(0, lwm_stats(self->fd, 0).callbacks);
	cpu = waiter.wait.result.cpu;
	CPU_ZERO(&set);
	CPU_SET(!cpu, &set);
	ASSERT_EQ(0, pthread_setaffinity_np(thread, sizeof(set), &set));
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, waiter.ret);
	ASSERT_EQ(0, lwm_read(self->fd, &self->log));
	ASSERT_EQ(1, self->log.total);
	stack = lwm_find(&self->log, 0, &waiter.wait.result.cookie);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(cpu, stack->cookie.cpu);
}

/* read() in a worker of io_uring.  Return: its result, or -errno of io_uring. */
static int read_in_io_worker(int fd, struct lwm_result *result)
{
	struct io_uring_params params = {};
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned int *array, *tail;
	char *sq, *cq;
	int ring, ret;

	ring = syscall(SYS_io_uring_setup, 1, &params);
	if (ring < 0)
		return -errno;
	sq = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		  IORING_OFF_SQ_RING);
	cq = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		  IORING_OFF_CQ_RING);
	sqe = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		   IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqe == MAP_FAILED)
		return -ENOMEM;
	sqe->opcode = IORING_OP_READ;
	sqe->flags = IOSQE_ASYNC;
	sqe->fd = fd;
	sqe->addr = (uintptr_t)result;
	sqe->len = sizeof(*result);
	array = (unsigned int *)(sq + params.sq_off.array);
	tail = (unsigned int *)(sq + params.sq_off.tail);
	array[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	ret = syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		      NULL, 0);
	if (ret < 0)
		return -errno;
	cqe = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
	ret = cqe->res;
	close(ring);
	return ret;
}

TEST_F(api, refuses_tasks_without_user_space)
{
	struct lwm_kernel kernel = {};
	struct lwm_result result = {};

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	kernel.where = LWM_KTHREAD;
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_KERNEL, &kernel));
	EXPECT_EQ(-ENOENT, kernel.result.ret);
	kernel.where = LWM_WORKQUEUE;
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_KERNEL, &kernel));
	EXPECT_EQ(-ENOENT, kernel.result.ret);
	EXPECT_EQ(0, kernel.result.cookie.counter);
	/* The same file in the same way, but here. */
	ASSERT_EQ(sizeof(result), read(self->fd, &result, sizeof(result)));
	EXPECT_EQ(0, result.ret);
	ASSERT_EQ(sizeof(result), read_in_io_worker(self->fd, &result));
	EXPECT_EQ(-ENOENT, result.ret);
	EXPECT_EQ(3, lwm_stats(self->fd, 0).stats.refused_task);
	EXPECT_EQ(1, lwm_stats(self->fd, 0).callbacks);
}

TEST_F(api, asks_the_filter)
{
	struct lwm_register mine = { .tracer = 0, .tgid = getpid() };
	struct lwm_register others = { .tracer = 1, .tgid = getppid() };
	unsigned int bits = self->there;
	unsigned int i, nr = 0;

	NEED_MODULE();
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &mine));
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &others));
	lwm_again(&self->call);
	lwm_ask(&self->call, 1, bits, bits, 0);
	lwm_ask(&self->call, 0, bits, bits, 0);
	ASSERT_EQ(0, run(self));
	for (i = 0; i < LWM_LEVELS; i++) {
		if (!(bits & LWM_AT(i)))
			continue;
		EXPECT_EQ(-EPERM, self->call.asks[0].results[0][i].ret);
		EXPECT_EQ(nr++ > 0, self->call.asks[1].results[0][i].ret);
	}
	EXPECT_LT(2, nr);
	EXPECT_EQ(1, self->log.total);
	EXPECT_EQ(nr, lwm_stats(self->fd, 1).stats.filtered);
	EXPECT_EQ(0, lwm_stats(self->fd, 1).stats.requests);
}

TEST_F(api, knows_its_arguments)
{
	struct lwm_register arg = { .depth = LW_MAX_DEPTH + 1 };

	NEED_MODULE();
	EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &arg));
	arg = (struct lwm_register){ .mask = 4 };
	EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &arg));
	arg = (struct lwm_register){ .depth = LW_MAX_DEPTH };
	EXPECT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &arg));
	EXPECT_EQ(0, lwm_unregister(self->fd, 0, NULL));
	EXPECT_EQ(-ENOENT, lwm_unregister(self->fd, 0, NULL));
}

/* A bit is given again when nobody holds it. */
TEST_F(api, is_registered_again_and_again)
{
	int i;

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register(self->fd, 1));
	/* More than there are numbers. */
	for (i = 0; i < (lwt_long() ? 100 : 70); i++) {
		ASSERT_EQ(0, lwm_register(self->fd, 0)) TH_LOG("round %d", i);
		lwm_again(&self->call);
		lwm_ask(&self->call, 0, PROCESS, PROCESS, 0);
		ASSERT_EQ(0, run(self));
		ASSERT_EQ(1, self->log.total);
		ASSERT_EQ(0, lwm_unregister(self->fd, 0, NULL));
	}
	EXPECT_EQ(0, lwm_stats(self->fd, 1).zombies);
}

/* Unregistering waits for a callback that sleeps. */
TEST_F(api, is_not_called_after_unregistering)
{
	struct lwm_register slow = { .tracer = 0, .sleep_ms = 300 };
	struct waiter waiter = { .fd = self->fd };
	pthread_t thread;

	NEED_MODULE();
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_REGISTER, &slow));
	ASSERT_EQ(0, lwm_register(self->fd, 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, waiter_main, &waiter));
	ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 0).waiting == 1));
	ASSERT_EQ(0, lwt_ioctl(self->fd, LWM_IOC_WAKE, NULL));
	ASSERT_TRUE(lwt_wait(lwm_stats(self->fd, 0).callbacks == 1));
	ASSERT_EQ(0, lwm_unregister(self->fd, 0, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, lwm_stats(self->fd, 1).zombies);
}

/* Counters that begin shortly before they get longer, or start again. */
FIXTURE(counter)
{
	int fd;
	bool loaded;
};

FIXTURE_VARIANT(counter)
{
	uint64_t limit;
};

FIXTURE_VARIANT_ADD(counter, of_32_bits)
{
	.limit = 1ULL << 32,
};

FIXTURE_VARIANT_ADD(counter, of_48_bits)
{
	.limit = 1ULL << 48,
};

FIXTURE_VARIANT_ADD(counter, of_64_bits)
{
	.limit = 0,
};

#define BEFORE_LIMIT	20
#define ENTRIES		50

FIXTURE_SETUP(counter)
{
	char parameters[64];

	self->fd = -1;
	if (!lwt_destructive())
		SKIP(return, LWT_MAY_HURT);
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	snprintf(parameters, sizeof(parameters), "cookie_start=%llu",
		 (unsigned long long)variant->limit - BEFORE_LIMIT);
	self->loaded = true;
	ASSERT_EQ(0, lwm_reload(parameters));
	self->fd = lwm_open("");
	if (self->fd == -ENOENT)
		SKIP(return, LWM_MISSING, "lw_test");
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(counter)
{
	lwm_close(self->fd);
	if (self->loaded)
		EXPECT_EQ(0, lwm_reload(""));
}

/* Not one is left out but 0, none comes twice, each names its CPU. */
TEST_F(counter, passes_its_limit)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct lwm_result result = {};
	struct lwm_log log = {};
	unsigned int i, n = 0;
	uint64_t expected;
	long cpu;

	NEED_MODULE();
	ASSERT_EQ(0, lwm_register_all(self->fd, 1));
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, lwt_pin(cpu));
		expected = variant->limit - BEFORE_LIMIT;
		for (i = 0; i < ENTRIES; i++, n++) {
			expected += expected + 1 ? 1 : 2;
			ASSERT_EQ(sizeof(result), read(self->fd, &result,
						       sizeof(result)));
			ASSERT_EQ(0, result.ret);
			EXPECT_EQ(cpu, result.cookie.cpu);
			EXPECT_EQ(expected, result.cookie.counter);
		}
	}
	ASSERT_EQ(0, lwm_read(self->fd, &log));
	ASSERT_EQ(n, log.nr);
	for (i = 0; i < log.nr; i++) {
		EXPECT_NE(0, log.stacks[i].cookie.counter);
		EXPECT_EQ(1, lwm_count(&log, 0, &log.stacks[i].cookie));
	}
	lwm_log_free(&log);
}

TEST_HARNESS_MAIN
