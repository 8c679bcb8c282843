// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_v3_test.c - what version 3 of SFrame can say and version 2 could not:
 * rules with any register and through pointers, signal frames, no caller.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/call.h"
#include "lib/lw_test.h"
#include "programs/chain.h"
#include "programs/flex.h"
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

static struct lwt_stack *answer(FIXTURE_DATA(session) *self,
				const struct lw_request *request)
{
	if (lwt_read(&self->s, &self->log) < 0 ||
	    lwt_log_check(&self->log).malformed)
		return NULL;
	return lwt_find_stack(&self->log, &request->cookie);
}

/* A leaf that calls a function of flex.S, and what it does so with. */
static flex_fn flex;
static struct flex_call flex_call;

static KEEP long call_flex(struct chain *c)
{
	long ret;

	chain_note(c);
	ret = flex(&flex_call);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The stack that the system call of @fn asks for. */
static struct lwt_stack *stack_of(FIXTURE_DATA(session) *self, flex_fn fn,
				  const char *ip, const char *path)
{
	struct call *call = &self->call;

	call->request = (struct lw_request) { .size = sizeof(call->request) };
	flex = fn;
	flex_call = (struct flex_call) {
		.nr = SYS_ioctl,
		.a = call->fd,
		.b = LW_IOC_REQUEST,
		.c = (long)&call->request,
	};
	call->ret = chain_run(&self->chain, path, call_flex, call);
	self->chain.ra[self->chain.nr++] = flex_call.ra;
	call->ip = (uintptr_t)ip;
	call_expect(call, &self->chain);
	return answer(self, &call->request);
}

/* A function whose stack is realigned, where compilers make such; else one that saves registers. */
#if defined(__x86_64__)
#define REALIGNED	"h"
#else
#define REALIGNED	"d"
#endif

/* All of the chain, by rows only. */
#define EXPECT_BY_SFRAME(stack, call)					\
do {									\
	EXPECT_CHAIN(stack, call);					\
	EXPECT_EQ((call)->nr,						\
		  call_found_by(stack, 1, (call)->nr, LW_HOW_SFRAME));	\
} while (0)

#if defined(__x86_64__)
TEST_F(session, knows_a_realigned_stack)
{
	static const char *const paths[] = {
		"h", "hh", "aha", "hch", "chdhbheha", "abhcdhehhaf",
	};
	struct lwt_stack *stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		chain_run(&self->chain, paths[i], call_ask, &self->call);
		stack = answer(self, &self->call.request);
		EXPECT_CHAIN(stack, &self->call);
		if (!strchr(paths[i], 'f')) {
			EXPECT_BY_SFRAME(stack, &self->call);
		}
	}
}
#endif

TEST_F(session, knows_a_cfa_in_a_register)
{
	struct lwt_stack *stack = stack_of(self, flex_drap_prologue,
					       flex_drap_prologue_ip, "abc" REALIGNED);

	EXPECT_BY_SFRAME(stack, &self->call);
}

#if !defined(__s390x__)
TEST_F(session, knows_a_cfa_behind_a_pointer)
{
	struct lwt_stack *stack = stack_of(self, flex_drap_body,
					       flex_drap_body_ip, "ac" REALIGNED "c");

	EXPECT_BY_SFRAME(stack, &self->call);
}
#endif

TEST_F(session, knows_a_return_address_in_a_register)
{
	struct lwt_stack *stack = stack_of(self, flex_ra, flex_ra_ip,
					       "abc" REALIGNED);

	EXPECT_BY_SFRAME(stack, &self->call);
}

#if defined(__s390x__)
TEST_F(session, knows_a_return_address_in_a_floating_point_register)
{
	struct lwt_stack *stack = stack_of(self, flex_ra_in_fpr, flex_ra_in_fpr_ip,
					       "abc" REALIGNED);

	EXPECT_BY_SFRAME(stack, &self->call);
}
#elif defined(__aarch64__)
TEST_F(session, knows_a_signed_return_address_in_a_register)
{
	struct lwt_stack *stack = stack_of(self, flex_signed_ra, flex_signed_ra_ip,
					       "abc" REALIGNED);

	EXPECT_BY_SFRAME(stack, &self->call);
}
#endif

/* The stack has something that looks right, in each of these. */
TEST_F(session, takes_undefined_for_the_end)
{
	struct lwt_stack *stack = stack_of(self, flex_no_caller,
					       flex_no_caller_ip, "a");

	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ((uintptr_t)flex_no_caller_ip, stack->frames[0]);
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
}

struct through {
	long (*via)(flex_callee fn, void *arg);
	struct chain *chain;
	uint64_t ra;			/* in the function of flex.S */
	uint64_t above;			/* of call_through() */
};

static KEEP long ask_through(void *arg)
{
	struct through *t = arg;
	long ret;

	t->ra = (uintptr_t)__builtin_return_address(0);
	ret = call_ask(t->chain);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long call_through(struct through *t)
{
	long ret;

	t->above = (uintptr_t)__builtin_return_address(0);
	ret = t->via(ask_through, t);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The stack when a function of flex.S has called ask_through(). */
static struct lwt_stack *stack_through(FIXTURE_DATA(session) *self,
				       struct through *t)
{
	t->chain = &self->chain;
	self->chain.nr = 0;
	self->chain.arg = &self->call;
	call_through(t);
	return answer(self, &self->call.request);
}

TEST_F(session, takes_an_undefined_caller_for_the_end)
{
	struct through t = { .via = flex_calls_outermost };
	struct lwt_stack *stack = stack_through(self, &t);

	ASSERT_NE(NULL, stack);
	ASSERT_EQ(3, stack->nr);
	EXPECT_EQ(t.ra, stack->frames[2]);
	EXPECT_EQ(3, call_found_by(stack, 1, 3, LW_HOW_SFRAME));
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
}

/* What a register holds now may not be what it held then. */
TEST_F(session, does_not_guess_that_a_caller_had_its_return_address_in_a_register)
{
	struct through lost = { .via = flex_ra_lost };
	struct lwt_stack *stack = stack_through(self, &lost);

	ASSERT_NE(NULL, stack);
	ASSERT_EQ(3, stack->nr);
	EXPECT_EQ(lost.ra, stack->frames[2]);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

/* Sections say nothing of that register, which is as it was here. */
TEST_F(session, takes_a_register_of_a_caller_as_unchanged_and_says_so)
{
	struct through t = { .via = flex_cfa_lost };
	struct lwt_stack *stack = stack_through(self, &t);

	ASSERT_NE(NULL, stack);
	ASSERT_LE(5, stack->nr);
	EXPECT_EQ(t.ra, stack->frames[2]);
	EXPECT_EQ(LW_HOW_ANALYSIS, lwt_how(stack)[3]);
	EXPECT_EQ(t.above, stack->frames[4]);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[4]);
}

/* To be looked up as it is: one less has another row. */
TEST_F(session, takes_what_is_above_a_signal_frame_as_it_is)
{
	struct through t = { .via = flex_signal };
	struct lwt_stack *stack = stack_through(self, &t);

	ASSERT_NE(NULL, stack);
	ASSERT_LT(5, stack->nr);
	EXPECT_EQ(t.ra, stack->frames[2]);
	EXPECT_EQ((uintptr_t)flex_interrupted, stack->frames[3]);
	EXPECT_EQ(LW_HOW_SIGFRAME, lwt_how(stack)[3]);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[4]);
	EXPECT_EQ(t.above, stack->frames[5]);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[5]);
}

/* What a handler writes down, one entry for each signal. */
#define MAX_SIGNALS	1024

static struct {
	int fd;
	unsigned int nr;
	struct {
		struct lw_request request;
		uint64_t ip;			/* interrupted */
	} at[MAX_SIGNALS];
} signals;

static uint64_t interrupted_ip(void *context)
{
	return RAW_CONTEXT_IP((ucontext_t *)context);
}

static KEEP void ask_in_handler(void *context)
{
	struct lw_request *request = &signals.at[signals.nr].request;
	uint64_t ip;

	if (signals.nr == MAX_SIGNALS)
		return;
	signals.at[signals.nr].ip = interrupted_ip(context);
	*request = (struct lw_request) { .size = sizeof(*request) };
	raw_syscall(SYS_ioctl, signals.fd, LW_IOC_REQUEST, (long)request, &ip);
	signals.nr++;
}

static int handle(FIXTURE_DATA(session) *self, int sig,
		  void (*handler)(int sig, siginfo_t *info, void *context))
{
	struct sigaction action = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO,
	};

	signals.fd = self->s.fd;
	signals.nr = 0;
	return sigaction(sig, &action, NULL);
}

/* The frame that a signal interrupted, or 0. */
static unsigned int interrupted(const struct lwt_stack *stack)
{
	unsigned int i;

	for (i = 0; i < stack->nr; i++)
		if (lwt_how(stack)[i] == LW_HOW_SIGFRAME)
			return i;
	return 0;
}

/*
 * Is @stack, from the frame at @from on, what @call expects, and all above that
 * frame by rows?
 */
static bool goes_on(const struct lwt_stack *stack, unsigned int from,
		    const struct call *call)
{
	unsigned int i;

	if (stack->nr < from + call->nr)
		return false;
	for (i = 0; i < call->nr; i++)
		if (stack->frames[from + i] != call->expect[i] ||
		    (i && lwt_how(stack)[from + i] != LW_HOW_SFRAME))
			return false;
	return true;
}

/* Behind the trap. */
static KEEP void trap_handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	ask_in_handler(context);
	RAW_CONTEXT_IP(uc) += RAW_TRAP_LEN;
}

TEST_F(session, knows_all_registers_that_a_signal_interrupted)
{
	struct lwt_stack *stack;
	unsigned int i;

	for (i = 0; i < FLEX_REGISTERS; i++) {
		ASSERT_EQ(0, handle(self, SIGILL, trap_handler));
		stack_of(self, flex_registers[i].fn,
			 flex_registers[i].trap + RAW_TRAP_BEHIND, "ab" REALIGNED "c");
		ASSERT_EQ(1, signals.nr);
		ASSERT_EQ(self->call.ip, signals.at[0].ip);
		stack = answer(self, &signals.at[0].request);
		ASSERT_NE(NULL, stack);
		ASSERT_LT(0, interrupted(stack));
		EXPECT_TRUE(goes_on(stack, interrupted(stack), &self->call))
			TH_LOG("register %u of flex.S", i);
	}
}

/* The stack of a sample that hit at @ip. */
static struct lwt_stack *stack_at(FIXTURE_DATA(session) *self,
				  const char *ip)
{
	size_t i;

	for (i = 0; i < self->log.nr; i++) {
		const struct lw_sample *sample = self->log.records[i].sample;

		if (sample->record.type == LW_RECORD_SAMPLE &&
		    sample->ip == (uintptr_t)ip)
			return lwt_find_stack(&self->log, &sample->cookie);
	}
	return NULL;
}

/* Page faults hit user code where it is, with all that it has in registers. */
TEST_F(session, knows_all_registers_where_an_event_hit)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
	};
	struct lwt_stack *stack;
	unsigned int i;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	for (i = 0; i < FLEX_REGISTERS; i++) {
		ASSERT_EQ(0, handle(self, SIGILL, trap_handler));
		ASSERT_EQ(0, madvise(flex_page, sizeof(flex_page),
				     MADV_DONTNEED));
		stack_of(self, flex_registers[i].fn, flex_registers[i].touch,
			 "ab" REALIGNED "c");
		stack = stack_at(self, flex_registers[i].touch);
		ASSERT_NE(NULL, stack);
		EXPECT_BY_SFRAME(stack, &self->call);
	}
	ASSERT_EQ(0, lwt_disable(self->s.fd));
}

/* Elsewhere a program can't have itself stepped. */
#if defined(__x86_64__)
/* One instruction after the other. */
static KEEP void step_handler(int sig, siginfo_t *info, void *context)
{
	uint64_t ip = interrupted_ip(context);

	(void)sig;
	(void)info;
	if (ip >= (uintptr_t)__start_drap_text &&
	    ip < (uintptr_t)__stop_drap_text)
		ask_in_handler(context);
}

static KEEP long do_nothing(struct chain *c)
{
	return c->nr;
}

static KEEP long step_through(struct chain *c)
{
	long ret;

	chain_note(c);
	c->leaf = do_nothing;
	c->path = "h";
	flex_trace_on();
	ret = chain_next(c);
	flex_trace_off();
	NO_TAIL_CALL(ret);
	return ret;
}

/*
 * Prologue, body and epilogue of what gcc makes: its callers are right all the
 * way.  They keep no frame pointer, as gcc says the wrong thing of %rbp between
 * its restoring and the return, in .eh_frame as well.
 */
TEST_F(session, knows_a_realigned_stack_at_each_instruction)
{
	struct lwt_stack *stack;
	struct call *call = &self->call;
	unsigned int i;

	ASSERT_EQ(0, handle(self, SIGTRAP, step_handler));
	chain_run(&self->chain, "aba", step_through, call);
	/* Less is no such function; the first is behind the call of it. */
	ASSERT_LT(15, signals.nr);
	ASSERT_GT(MAX_SIGNALS, signals.nr);
	EXPECT_EQ((uintptr_t)chain_h, signals.at[0].ip);
	for (i = 0; i < signals.nr; i++) {
		stack = answer(self, &signals.at[i].request);
		ASSERT_NE(NULL, stack);
		call->ip = signals.at[i].ip;
		call_expect(call, &self->chain);
		EXPECT_TRUE(goes_on(stack, interrupted(stack), call))
			TH_LOG("chain_h+%llx",
			       (unsigned long long)
			       (call->ip - (uintptr_t)chain_h));
	}
}

#endif

static KEEP void sigreturn_handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	flex_sigreturn(context);
}

/* Where it is in the file. */
static uint64_t file_offset(const char *code)
{
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)getauxval(AT_PHDR);
	unsigned long nr = getauxval(AT_PHNUM);
	uint64_t addr = (uintptr_t)code;

	for (; nr; nr--, phdr++)
		if (phdr->p_type == PT_LOAD && addr - phdr->p_vaddr < phdr->p_filesz)
			return addr - phdr->p_vaddr + phdr->p_offset;
	return 0;
}

static struct perf_event_attr attr_uprobe(const char *code)
{
	static const char path[] = "/proc/self/exe";
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 1,
		.uprobe_path = (uintptr_t)path,
		.probe_offset = file_offset(code),
	};
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");

	if (!file || fscanf(file, "%u", &attr.type) != 1)
		attr.type = ~0U;
	if (file)
		fclose(file);
	return attr;
}

/*
 * A request of an entry that goes back to another place than it came from, as the
 * kernel does what the probed instruction would: the registers at hand are not
 * those of the stack that was asked for.
 */
TEST_F(session, does_not_take_registers_of_another_place)
{
	struct perf_event_attr attr = attr_uprobe(flex_probed_ip);
	struct lwt_stack *stack;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	flex_probed();
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_LT(0, lwt_read(&self->s, &self->log));
	stack = lwt_first_stack(&self->log);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ((uintptr_t)flex_probed_ip, stack->frames[0]);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

/* Its row would need a register that is gone; the call says where it goes. */
TEST_F(session, goes_through_a_call_that_ends_a_handler)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_rt_sigreturn");
	struct lwt_stack *stack;

	ASSERT_EQ(0, lwt_add_event(self->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, handle(self, SIGUSR1, sigreturn_handler));
	ASSERT_EQ(0, lwt_enable(self->s.fd));
	raise(SIGUSR1);
	ASSERT_EQ(0, lwt_disable(self->s.fd));
	ASSERT_LT(0, lwt_read(&self->s, &self->log));
	stack = lwt_first_stack(&self->log);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ((uintptr_t)flex_sigreturn_ip, stack->frames[0]);
	ASSERT_LT(1, stack->nr);
	EXPECT_EQ(LW_HOW_SIGFRAME, lwt_how(stack)[1]);
	EXPECT_EQ(1, interrupted(stack));
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
