// SPDX-License-Identifier: GPL-2.0
/*
 * request_test.c - LW_IOC_REQUEST from a known place: the stack must be the one
 * that the program itself has written down, frame by frame.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/call.h"
#include "lib/lw_test.h"
#include "lib/tags.h"
#include "programs/chain.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define RING	(1 << 20)

FIXTURE(session)
{
	struct lwt_session s;
	struct lwt_log log;
	struct call call;
	struct chain chain;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, 0, 0));
	self->call.fd = self->s.fd;
}

FIXTURE_TEARDOWN(session)
{
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

/* Runs a chain, or returns NULL; never inlined into main()'s frame. */
static struct lwt_stack *stack_of(FIXTURE_DATA(session) *self,
				  const char *path)
{
	chain_run(&self->chain, path, call_ask, &self->call);
	if (self->call.ret < 0 || lwt_read(&self->s, &self->log) < 0)
		return NULL;
	return lwt_find_stack(&self->log, &self->call.request.cookie);
}

TEST_F(session, knows_the_chain_of_its_caller)
{
	struct lwt_stack *stack = stack_of(self, "aaaaa");

	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(LW_HOW_REGS, lwt_how(stack)[0]);
	EXPECT_EQ(self->call.nr,
		  call_found_by(stack, 1, self->call.nr, LW_HOW_SFRAME));
}

TEST_F(session, knows_every_shape_of_frame)
{
	struct lwt_stack *stack = stack_of(self, "abcdeedcbaadcbeaccddbb");

	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(self->call.nr,
		  call_found_by(stack, 1, self->call.nr, LW_HOW_SFRAME));
}

/* libgcc's unwinder, by .eh_frame, is the oracle from the test to main(). */
TEST_F(session, reaches_main_by_sframe)
{
	const struct truth *truth = &self->call.truth;
	struct lwt_stack *stack;
	unsigned int i;

	self->call.want_truth = true;
	stack = stack_of(self, "abcde");
	EXPECT_CHAIN(stack, &self->call);
	ASSERT_GT(truth->nr, truth->main);
	ASSERT_GT(stack->nr, truth->main);
	/* Frame 0 is in the same function, at another place. */
	for (i = 1; i <= truth->main; i++) {
		EXPECT_EQ(truth->ip[i], stack->frames[i])
			TH_LOG("frame %u", i);
	}
	EXPECT_EQ(truth->main + 1,
		  call_found_by(stack, 1, truth->main + 1, LW_HOW_SFRAME));
}

TEST_F(session, knows_where_it_is_in_the_first_frame)
{
	struct lwt_stack *stack = stack_of(self, "");

	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(2, self->call.nr);
}

/* The chain does not come back, but jumps. */
TEST_F(session, knows_a_call_that_ends_its_function)
{
	struct lwt_stack *stack;

	if (!setjmp(self->chain.home))
		chain_run(&self->chain, "agbgga", call_ask, &self->call);
	ASSERT_LT(0, lwt_read(&self->s, &self->log));
	stack = lwt_find_stack(&self->log, &self->call.request.cookie);
	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(self->call.nr,
		  call_found_by(stack, 1, self->call.nr, LW_HOW_SFRAME));
}

TEST_F(session, writes_who_asked)
{
	uint64_t before = lwt_now();
	struct lwt_stack *stack = stack_of(self, "a");

	ASSERT_NE(NULL, stack);
	EXPECT_EQ(getpid(), (pid_t)stack->pid);
	EXPECT_EQ(gettid(), (pid_t)stack->tid);
	EXPECT_LE(before, stack->time);
	EXPECT_GE(lwt_now(), stack->time);
	EXPECT_EQ(0, stack->record.flags);
	EXPECT_EQ(0, lwt_log_check(&self->log).malformed);
}

TEST_F(session, names_every_entry_anew)
{
	struct lw_cookie cookie[3] = {};
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, lwt_request(self->s.fd, 0, &cookie[i]));
		EXPECT_NE(0, cookie[i].counter);
		EXPECT_EQ(0, cookie[i].reserved);
	}
	EXPECT_FALSE(lwt_cookie_same(&cookie[0], &cookie[1]));
	EXPECT_FALSE(lwt_cookie_same(&cookie[1], &cookie[2]));
	EXPECT_FALSE(lwt_cookie_same(&cookie[0], &cookie[2]));
	EXPECT_EQ(3, lwt_read(&self->s, &self->log));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(1, lwt_count_stacks(&self->log, &cookie[i]));
	}
}

TEST_F(session, writes_a_sample_on_request)
{
	struct lwt_stack *stack;
	struct lw_sample *sample;
	uint64_t before = lwt_now();

	self->call.request.flags = LW_REQUEST_SAMPLE;
	stack = stack_of(self, "aa");
	EXPECT_CHAIN(stack, &self->call);
	ASSERT_EQ(2, self->log.nr);
	sample = self->log.records[0].sample;
	ASSERT_EQ(LW_RECORD_SAMPLE, sample->record.type);
	EXPECT_EQ(LW_SAMPLE_USER_IP, sample->record.flags);
	EXPECT_TRUE(lwt_cookie_same(&sample->cookie, &stack->cookie));
	EXPECT_EQ(LW_EVENT_ID_REQUEST, sample->id);
	EXPECT_EQ(LW_USER_PENDING, sample->user);
	EXPECT_EQ(self->call.ip, sample->ip);
	EXPECT_EQ(1, sample->period);
	EXPECT_EQ(getpid(), (pid_t)sample->pid);
	EXPECT_EQ(gettid(), (pid_t)sample->tid);
	EXPECT_LT(sample->cpu, self->s.nr_rings);
	EXPECT_EQ(0, sample->nr_kernel);
	EXPECT_LE(before, sample->time);
	EXPECT_GE(stack->time, sample->time);
}

TEST_F(session, writes_no_sample_unasked)
{
	ASSERT_NE(NULL, stack_of(self, ""));
	EXPECT_EQ(1, self->log.nr);
}

TEST_F(session, counts_what_it_wrote)
{
	struct lw_stats stats;
	struct lwt_stack *stack = stack_of(self, "aaa");

	ASSERT_NE(NULL, stack);
	stats = lwt_stats(self->s.fd);
	EXPECT_EQ(sizeof(stats), stats.size);
	EXPECT_EQ(0, stats.samples);
	EXPECT_EQ(1, stats.requests);
	EXPECT_EQ(0, stats.shared);
	EXPECT_EQ(1, stats.user_stacks);
	EXPECT_EQ(0, stats.pending);
	EXPECT_LE(self->call.nr - 1, stats.frames_sframe);
	EXPECT_EQ(stack->nr - 1, stats.frames_sframe + stats.frames_fp +
				 stats.frames_sigframe);
	EXPECT_EQ(1, stats.outermost + stats.truncated + stats.lost_walks +
		     stats.no_walks);
	EXPECT_EQ(0, stats.lost_full + stats.lost_big + stats.lost_nested);
}

/* Depth limits: another session with each, all asked by one chain. */
TEST_F(session, cuts_at_its_depth)
{
	static const uint32_t depths[] = { 1, 2, 3, 16, 17, 126, 128, 1024 };
	char path[151];
	unsigned int i;

	memset(path, 'a', 150);
	path[150] = 0;
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		struct lwt_stack *stack;

		lwt_log_free(&self->log);
		lwt_session_close(&self->s);
		ASSERT_EQ(0, lwt_session_open(&self->s, RING, depths[i], 0));
		self->call.fd = self->s.fd;
		stack = stack_of(self, path);
		ASSERT_NE(NULL, stack);
		if (depths[i] == 1024) {
			EXPECT_CHAIN(stack, &self->call);
			EXPECT_NE(LW_END_TRUNCATED, stack->end);
			continue;
		}
		EXPECT_EQ(depths[i], stack->nr);
		EXPECT_EQ(depths[i], call_matching(stack, &self->call));
		EXPECT_EQ(LW_END_TRUNCATED, stack->end);
		EXPECT_EQ(1, lwt_stats(self->s.fd).truncated);
	}
}

TEST_F(session, has_a_default_depth_of_127)
{
	char path[301];
	struct lwt_stack *stack;

	memset(path, 'a', 300);
	path[300] = 0;
	stack = stack_of(self, path);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_DEFAULT_DEPTH, stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);
	EXPECT_EQ(stack->nr, call_matching(stack, &self->call));
}

TEST_F(session, goes_1024_deep)
{
	static char path[2001];
	struct lwt_stack *stack;

	lwt_session_close(&self->s);
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, LW_MAX_DEPTH, 0));
	self->call.fd = self->s.fd;
	memset(path, 'a', 2000);
	stack = stack_of(self, path);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_MAX_DEPTH, stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);
	EXPECT_EQ(stack->nr, call_matching(stack, &self->call));
}

/* A chain on a stack of its own has an end that we know. */
struct on_stack {
	struct chain *chain;
	struct call *call;
	const char *path;
};

static KEEP long start_on_stack(void *arg)
{
	struct on_stack *on = arg;
	long ret;

	on->chain->nr = 0;
	chain_note(on->chain);
	on->chain->path = on->path;
	on->chain->leaf = call_ask;
	on->chain->arg = on->call;
	ret = chain_next(on->chain);
	NO_TAIL_CALL(ret);
	return ret;
}

#define OWN_STACK	(1 << 20)

/* @stack: of OWN_STACK bytes, unmapped here. */
static struct lwt_stack *whole_stack_on(FIXTURE_DATA(session) *self, char *stack, const char *path)
{
	struct on_stack on = { &self->chain, &self->call, path };

	raw_on_stack(start_on_stack, &on, stack + OWN_STACK);
	munmap(stack, OWN_STACK);
	if (lwt_read(&self->s, &self->log) < 0)
		return NULL;
	return lwt_find_stack(&self->log, &self->call.request.cookie);
}

static void *own_stack(void)
{
	void *map = mmap(NULL, OWN_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

static struct lwt_stack *whole_stack(FIXTURE_DATA(session) *self,
				     const char *path)
{
	char *stack = own_stack();

	return stack ? whole_stack_on(self, stack, path) : NULL;
}

/* Without a row a frame pointer of 0 may be the end, and is told as a guess. */
TEST_F(session, guesses_the_outermost_frame)
{
	struct lwt_stack *stack = whole_stack(self, "abcdeabcde");

	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(self->call.nr, stack->nr);
	EXPECT_EQ(RAW_END_OF_FP, stack->end);
	EXPECT_EQ(0, lwt_stats(self->s.fd).outermost);
	EXPECT_EQ(1, lwt_stats(self->s.fd).lost_walks);
}

#if defined(__aarch64__)
/* As coroutines of a program have it whose malloc() gives out pointers with tags; MTE or not. */
TEST_F(session, goes_along_a_stack_with_tags)
{
	static const char path[] = "abcdeffafbfcfdffe";
	struct lwt_stack *stack;
	unsigned int i;
	char *area;

	ASSERT_EQ(0, tags_take(tags_are_compared() ? PR_MTE_TCF_SYNC : 0));
	for (i = 0; i < 4; i++) {
		bool is_compared = i & 1;

		if (is_compared && !tags_are_compared())
			continue;
		area = is_compared ? tags_map(OWN_STACK, 0x5a) :
				     (char *)tags_put(own_stack(), 0x5a);
		stack = whole_stack_on(self, area, path);
		EXPECT_CHAIN(stack, &self->call);
		EXPECT_EQ(self->call.nr, stack->nr);
		EXPECT_EQ(LW_END_OUTERMOST_FP, stack->end);
	}
}
#endif

/* As deep as the limit is not cut; one more is. */
TEST_F(session, cuts_exactly_at_its_depth)
{
	struct lwt_stack *stack = whole_stack(self, "aaaa");
	uint32_t nr;

	ASSERT_NE(NULL, stack);
	nr = stack->nr;
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
	ASSERT_EQ(0, lwt_session_open(&self->s, RING, nr, 0));
	self->call.fd = self->s.fd;
	stack = whole_stack(self, "aaaa");
	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(RAW_END_OF_FP, stack->end);
	stack = whole_stack(self, "aaaaa");
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(nr, stack->nr);
	EXPECT_EQ(nr, call_matching(stack, &self->call));
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);
}

TEST_F(session, follows_frame_pointers)
{
	struct lwt_stack *stack = stack_of(self, "ffffffff");

	EXPECT_CHAIN(stack, &self->call);
	/* call_ask() has a row; its callers up to the test have not. */
	EXPECT_EQ(2, call_found_by(stack, 1, 2, LW_HOW_SFRAME));
	EXPECT_EQ(10, call_found_by(stack, 2, 10, LW_HOW_FP));
	EXPECT_LE(8, lwt_stats(self->s.fd).frames_fp);
}

TEST_F(session, mixes_sframe_and_frame_pointers)
{
	struct lwt_stack *stack = stack_of(self, "afbfcfeffaafcfbf");
	unsigned int i;

	EXPECT_CHAIN(stack, &self->call);
	for (i = 1; i < self->call.nr; i++) {
		EXPECT_TRUE(lwt_how(stack)[i] == LW_HOW_SFRAME ||
			    lwt_how(stack)[i] == LW_HOW_FP);
	}
}

/* A cookie, once per session that asked; the other ones get nothing. */
TEST_F(session, is_told_apart_from_others)
{
	struct lwt_session other;
	struct lwt_log log = {};
	struct lwt_stack *stack;

	ASSERT_EQ(0, lwt_session_open(&other, RING, 0, 0));
	stack = stack_of(self, "aaa");
	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(0, lwt_read(&other, &log));
	EXPECT_EQ(0, lwt_stats(other.fd).user_stacks);
	ASSERT_EQ(0, lwt_request(other.fd, 0, NULL));
	EXPECT_EQ(1, lwt_read(&other, &log));
	EXPECT_EQ(0, lwt_read(&self->s, &self->log));
	lwt_log_free(&log);
	lwt_session_close(&other);
}

/* An event of one session and the request of another in one entry. */
TEST_F(session, shares_an_entry_with_another)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_ioctl");
	struct lwt_stack *mine, *others;
	struct lwt_session other;
	struct lwt_log log = {};
	unsigned int i;

	ASSERT_EQ(0, lwt_session_open(&other, RING, 5, 0));
	ASSERT_EQ(0, lwt_add_event(other.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(other.fd));
	mine = stack_of(self, "abcdef");
	ASSERT_EQ(0, lwt_disable(other.fd));
	EXPECT_EQ(1, self->call.ret);
	EXPECT_CHAIN(mine, &self->call);
	ASSERT_LT(0, lwt_read(&other, &log));
	others = lwt_find_stack(&log, &self->call.request.cookie);
	ASSERT_NE(NULL, others);
	EXPECT_EQ(5, others->nr);
	EXPECT_EQ(LW_END_TRUNCATED, others->end);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(mine->frames[i], others->frames[i]);
	}
	EXPECT_EQ(1, lwt_count_stacks(&self->log, NULL));
	EXPECT_EQ(1, lwt_count_stacks(&log, &self->call.request.cookie));
	lwt_log_free(&log);
	lwt_session_close(&other);
}

/* What a signal handler needs. */
static struct {
	struct chain chain;
	struct call call;
	const char *path;
} in_handler;

static KEEP void handler(int sig)
{
	struct chain *c = &in_handler.chain;

	(void)sig;
	c->nr = 0;
	chain_note(c);
	c->path = in_handler.path;
	c->leaf = call_ask;
	c->arg = &in_handler.call;
	chain_next(c);
	asm volatile("" : : : "memory");
}

/* A leaf that is interrupted where it knows. */
static KEEP long interrupt_me(struct chain *c)
{
	struct call *call = c->arg;
	long ret;

	chain_note(c);
	ret = raw_syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1, &call->ip);
	call_expect(call, c);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The handler's chain, then the interrupted one. */
static struct lwt_stack *stack_in_handler(FIXTURE_DATA(session) *self,
					  const char *path)
{
	struct call *top = &in_handler.call;
	unsigned int i;

	in_handler.path = "abcde";
	in_handler.call.fd = self->s.fd;
	chain_run(&self->chain, path, interrupt_me, &self->call);
	for (i = 0; i < self->call.nr; i++)
		top->expect[top->nr + i] = self->call.expect[i];
	top->nr += self->call.nr;
	if (lwt_read(&self->s, &self->log) < 0)
		return NULL;
	return lwt_find_stack(&self->log, &top->request.cookie);
}

#define EXPECT_SIGNAL_CHAIN(stack)					\
do {									\
	unsigned int at = in_handler.call.nr - self->call.nr;		\
									\
	EXPECT_CHAIN(stack, &in_handler.call);				\
	EXPECT_EQ(LW_HOW_SIGFRAME, lwt_how(stack)[at]);			\
	EXPECT_EQ(at, call_found_by(stack, 1, at, LW_HOW_SFRAME));		\
	EXPECT_EQ(1, lwt_stats(self->s.fd).frames_sigframe);		\
} while (0)

TEST_F(session, goes_through_a_signal_handler)
{
	struct sigaction action = { .sa_handler = handler };
	struct lwt_stack *stack;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	stack = stack_in_handler(self, "abcdeabcde");
	EXPECT_SIGNAL_CHAIN(stack);
}

TEST_F(session, goes_through_a_signal_handler_to_frame_pointers)
{
	struct sigaction action = { .sa_handler = handler };
	struct lwt_stack *stack;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	stack = stack_in_handler(self, "afffa");
	EXPECT_SIGNAL_CHAIN(stack);
}

/* Skips the trap. */
static KEEP void trap_handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	handler(sig);
	RAW_CONTEXT_IP(uc) += RAW_TRAP_LEN;
}

static KEEP long run_into_trap(struct chain *c)
{
	struct call *call = c->arg;
	long ret = 0;

	chain_note(c);
	raw_trap();
	NO_TAIL_CALL(ret);
	call->ip = (uintptr_t)raw_trap + RAW_TRAP_BEHIND;
	call_expect(call, c);
	return ret;
}

/* What is right before that instruction must not matter. */
TEST_F(session, knows_a_signal_at_the_first_instruction)
{
	struct sigaction action = {
		.sa_sigaction = trap_handler,
		.sa_flags = SA_SIGINFO,
	};
	struct lwt_stack *stack;
	unsigned int i, at = 0;

	in_handler.path = "ab";
	in_handler.call.fd = self->s.fd;
	ASSERT_EQ(0, sigaction(SIGILL, &action, NULL));
	chain_run(&self->chain, "abc", run_into_trap, &self->call);
	ASSERT_LT(0, lwt_read(&self->s, &self->log));
	stack = lwt_find_stack(&self->log, &in_handler.call.request.cookie);
	ASSERT_NE(NULL, stack);
	while (at < stack->nr && lwt_how(stack)[at] != LW_HOW_SIGFRAME)
		at++;
	ASSERT_LT(at + 1 + self->call.nr, stack->nr);
	EXPECT_EQ((uintptr_t)raw_trap + RAW_TRAP_BEHIND, stack->frames[at]);
	/* at + 1 is in run_into_trap(), which can't tell where. */
	for (i = 1; i < self->call.nr; i++) {
		EXPECT_EQ(self->call.expect[i], stack->frames[at + 1 + i]);
	}
}

static void use_alternate_stack(int where)
{
	/* One above the normal stack is no use: mmap() is below it. */
	static char data_stack[1 << 16];
	stack_t stack = { .ss_sp = data_stack, .ss_size = sizeof(data_stack) };

	if (where)
		stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
}

TEST_F(session, goes_through_a_handler_on_another_stack)
{
	struct sigaction action = {
		.sa_handler = handler,
		.sa_flags = SA_ONSTACK,
	};
	struct lwt_stack *stack;
	int where;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	for (where = 0; where < 2; where++) {
		use_alternate_stack(where);
		stack = stack_in_handler(self, "abcde");
		EXPECT_CHAIN(stack, &in_handler.call);
	}
}

/* The interrupted stack is below the handler's. */
static char *low_stack_top;
static struct lwt_stack *low_stack;

static KEEP long on_low_stack(void *arg)
{
	low_stack = stack_in_handler(arg, "abcde");
	return 0;
}

TEST_F(session, goes_down_from_a_handler_above)
{
	struct sigaction action = {
		.sa_handler = handler,
		.sa_flags = SA_ONSTACK,
	};
	size_t len = 1 << 20;
	char *area = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t alt = { .ss_sp = area + len / 2, .ss_size = len / 2 };

	ASSERT_NE(MAP_FAILED, area);
	ASSERT_EQ(0, sigaltstack(&alt, NULL));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	low_stack_top = area + len / 2;
	raw_on_stack(on_low_stack, self, low_stack_top);
	EXPECT_SIGNAL_CHAIN(low_stack);
}

/* Kernel ABI of rt_sigaction(), which lets the restorer be chosen. */
struct kernel_sigaction {
	void (*handler)(int sig);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#define SA_RESTORER	0x04000000

TEST_F(session, knows_a_restorer_behind_another_function)
{
	struct kernel_sigaction action = {
		.handler = handler,
		.flags = SA_RESTORER,
		.restorer = raw_restorer,
	};
	struct lwt_stack *stack;

	ASSERT_EQ(0, syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8));
	stack = stack_in_handler(self, "abcde");
	EXPECT_SIGNAL_CHAIN(stack);
}

static void *other_thread(void *arg)
{
	struct on_stack *on = arg;

	on->chain->nr = 0;
	on->chain->path = on->path;
	on->chain->leaf = call_ask;
	on->chain->arg = on->call;
	return (void *)chain_next(on->chain);
}

TEST_F(session, works_in_any_thread)
{
	struct on_stack on = { &self->chain, &self->call, "abcdeabcde" };
	struct lwt_stack *stack;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, other_thread, &on));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_LT(0, lwt_read(&self->s, &self->log));
	stack = lwt_find_stack(&self->log, &self->call.request.cookie);
	EXPECT_CHAIN(stack, &self->call);
	EXPECT_EQ(getpid(), (pid_t)stack->pid);
	EXPECT_NE(gettid(), (pid_t)stack->tid);
}

/* The descriptor goes to children, and so do their stacks. */
TEST_F(session, serves_children)
{
	struct lwt_stack *stack;
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(lwt_request(self->s.fd, 0, NULL) != 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(1, lwt_read(&self->s, &self->log));
	stack = lwt_first_stack(&self->log);
	EXPECT_EQ(pid, (pid_t)stack->pid);
	EXPECT_EQ(pid, (pid_t)stack->tid);
}

/* Each record is there when the call has returned. */
TEST_F(session, has_the_record_before_it_returns)
{
	struct lw_cookie cookie;
	int i;

	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, lwt_request(self->s.fd, 0, &cookie));
		ASSERT_EQ(1, lwt_read(&self->s, &self->log));
		ASSERT_EQ(1, lwt_count_stacks(&self->log, &cookie));
	}
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
