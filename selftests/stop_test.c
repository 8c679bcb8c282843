// SPDX-License-Identifier: GPL-2.0
/*
 * stop_test.c - requests of tasks that others stop on their way through the
 * kernel: vfork(), debuggers, job control.  One answer each, of the right stack.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

FIXTURE(stop)
{
	struct child c;
};

FIXTURE_SETUP(stop)
{
	ASSERT_EQ(0, child_init(&self->c));
}

FIXTURE_TEARDOWN(stop)
{
	child_free(&self->c);
}

/* ------------------------------------------------------------ vfork, clone */

static char *const no_strings[] = { NULL };

/*
 * The parent is held up until the child, on its very stack, has made its
 * execve().  The child calls nothing: that is all that keeps the stack whole.
 */
static KEEP long vfork_leaf(struct chain *chain)
{
	struct child *c = chain->arg;
	struct call *call = &c->known->call;
	int unblock = c->unblock[0];
	uint64_t ip;
	char byte;
	long ret;

	chain_note(chain);
	call_expect(call, chain);
	ret = child_syscall(RAW_VFORK, RAW_VFORK_FLAGS, 0, 0, &call->expect[0]);
	if (!ret) {
		raw_syscall(SYS_read, unblock, (long)&byte, 1, &ip);
		raw_syscall(SYS_execve, (long)"./exec_target",
			    (long)no_strings, (long)no_strings, &ip);
		raw_syscall(SYS_exit_group, 1, 0, 0, &ip);
	}
	NO_TAIL_CALL(ret);
	return ret;
}

static int vfork_and_wait(struct child *c)
{
	int status;
	pid_t pid;

	pid = chain_run(&c->known->chain, "abc", vfork_leaf, c);
	return waitpid(pid, &status, 0) == pid && !status ? 0 : 2;
}

TEST_F(stop, is_answered_after_vfork_by_both)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;
	unsigned int nr;

	child_make(c, vfork_and_wait);
	ASSERT_EQ(0, child_add(c, lwt_attr_tracepoint("syscalls/sys_enter_execve")));
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_" RAW_VFORK_NAME));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_TRUE(child_blocks(c, "D"));
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_END(0, c);
	EXPECT_EQ(2, lwt_count_stacks(&c->log, NULL));
	EXPECT_EQ(1, child_count_ends(c, LW_END_EXEC));
	stack = child_find_ip(c, c->known->call.expect[0], &nr);
	EXPECT_EQ(1, nr);
	EXPECT_CHAIN(stack, &c->known->call);
}

TEST_F(stop, is_answered_when_killed_in_vfork)
{
	struct child *c = &self->c;

	ASSERT_EQ(0, child_run(c, vfork_and_wait, "syscalls/sys_enter_" RAW_VFORK_NAME));
	ASSERT_TRUE(child_blocks(c, "D"));
	ASSERT_EQ(0, kill(c->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, child_reap(c));
	ASSERT_EQ(0, child_unblock(c));
	ASSERT_TRUE(child_settle(c));
	EXPECT_BALANCE(c);
	if (!lwt_walks_at_exit(c->s.fd)) {
		EXPECT_EQ(1, child_count_ends(c, LW_END_STOPPED) +
			     child_count_ends(c, LW_END_EXITED));
	}
}

/* A thread that makes one call and exits, and a parent that sees it gone. */
static KEEP long clone_leaf(struct chain *chain)
{
	static char stack[4096] __attribute__((aligned(16)));
	static int tid = 1;
	struct child *c = chain->arg;
	struct call *call = &c->known->call;
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		     CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	long ret;

	chain_note(chain);
	call_expect(call, chain);
#if defined(__x86_64__)
	register int *cleared asm("r10") = &tid;

	asm volatile("lea 1f(%%rip), %%rcx\n\t"
		     "mov %%rcx, %[ip]\n\t"
		     "syscall\n"
		     "1:\n\t"
		     "test %%rax, %%rax\n\t"
		     "jnz 2f\n\t"
		     "mov %[getppid], %%eax\n\t"
		     "syscall\n\t"
		     "mov %[exit], %%eax\n\t"
		     "xor %%edi, %%edi\n\t"
		     "syscall\n"
		     "2:"
		     : "=a"(ret), [ip] "=m"(call->expect[0])
		     : "a"(SYS_clone), "D"(flags), "S"(stack + sizeof(stack)),
		       "d"(0), "r"(cleared), [getppid] "i"(SYS_getppid),
		       [exit] "i"(SYS_exit)
		     : "rcx", "r8", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 asm("x8") = SYS_clone, x0 asm("x0") = flags, x2 asm("x2") = 0;
	register char *x1 asm("x1") = stack + sizeof(stack);
	register int *x4 asm("x4") = &tid;

	asm volatile("adr x9, 1f\n\t"
		     "str x9, %[ip]\n\t"
		     "svc #0\n"
		     "1:\n\t"
		     "cbnz x0, 2f\n\t"
		     "mov x8, %[getppid]\n\t"
		     "svc #0\n\t"
		     "mov x8, %[exit]\n\t"
		     "mov x0, #0\n\t"
		     "svc #0\n"
		     "2:"
		     : "+r"(x0), "+r"(x8), [ip] "=m"(call->expect[0])
		     : "r"(x1), "r"(x2), "r"(x4), [getppid] "i"(SYS_getppid),
		       [exit] "i"(SYS_exit)
		     : "x9", "memory");
	ret = x0;
#elif defined(__s390x__)
	register long r1 asm("1") = SYS_clone;
	register char *r2 asm("2") = stack + sizeof(stack) - 160;
	register long r3 asm("3") = flags;
	register int *r5 asm("5") = &tid;

	/* The child's stack comes first there. */
	asm volatile("larl %%r0, 1f\n\t"
		     "stg %%r0, %[ip]\n\t"
		     "svc 0\n"
		     "1:\n\t"
		     "ltgr %%r2, %%r2\n\t"
		     "jnz 2f\n\t"
		     "svc %[getppid]\n\t"
		     "lghi %%r2, 0\n\t"
		     "svc %[exit]\n"
		     "2:"
		     : "+r"(r2), [ip] "=m"(call->expect[0])
		     : "r"(r1), "r"(r3), "r"(r5), [getppid] "i"(SYS_getppid),
		       [exit] "i"(SYS_exit)
		     : "r0", "r4", "cc", "memory");
	ret = (long)r2;
#endif
	while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		sched_yield();
	NO_TAIL_CALL(ret);
	return ret;
}

static int clone_thread(struct child *c)
{
	return chain_run(&c->known->chain, "abc", clone_leaf, c) > 0 ? 0 : 2;
}

TEST_F(stop, is_not_answered_by_the_thread_it_makes)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;
	unsigned int nr;
	pid_t pid;

	child_make(c, clone_thread);
	pid = c->pid;
	ASSERT_EQ(0, child_add(c, lwt_attr_tracepoint("syscalls/sys_enter_getppid")));
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_clone"));
	ASSERT_EQ(0, child_begin(c));
	EXPECT_END(0, c);
	EXPECT_EQ(2, lwt_count_stacks(&c->log, NULL));
	stack = child_find_ip(c, c->known->call.expect[0], &nr);
	EXPECT_EQ(1, nr);
	EXPECT_CHAIN(stack, &c->known->call);
	EXPECT_EQ(pid, (pid_t)stack->tid);
	stack = child_last_stack(c);
	EXPECT_EQ(pid, (pid_t)stack->pid);
}

/* Behind the system call in libc's clone(), or 0. */
static uint64_t behind_clone(void)
{
#if defined(__x86_64__)
	static const uint8_t code[] = { 0x0f, 0x05, 0x48, 0x85, 0xc0 }; /* syscall; test */
#elif defined(__aarch64__)
	static const uint32_t code[] = { 0xd4000001, 0xf100001f };	/* svc; cmp x0, #0 */
#elif defined(__s390x__)
	static const uint16_t code[] = { 0x0a00, 0xb902, 0x0022 };	/* svc; ltgr %r2, %r2 */
#endif
	const uint8_t *clone_code = dlsym(RTLD_DEFAULT, "clone"), *at;

	at = clone_code ? memmem(clone_code, 256, code, sizeof(code)) : NULL;
	return at ? (uintptr_t)at + RAW_SYSCALL_LEN : 0;
}

static int thread_ends(void *arg)
{
	uint64_t ip;

	(void)arg;
	return raw_syscall(SYS_exit, 0, 0, 0, &ip);
}

#define CLONES	3

/* On arm64 and s390x a new thread does not pass the end of a system call. */
#if defined(__x86_64__)
#define EXITS_OF_CLONE	2
#elif defined(__aarch64__) || defined(__s390x__)
#define EXITS_OF_CLONE	1
#endif

/* As pthread_create() does it. All on one CPU, which keeps rules from one to the next. */
static KEEP long libc_clone_leaf(struct chain *chain)
{
	static char stack[4096] __attribute__((aligned(16)));
	static int tid;
	struct child *c = chain->arg;
	struct call *call = &c->known->call;
	unsigned int i;
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	long ret = lwt_pin(0) ? -1 : 0;

	chain_note(chain);
	call_expect(call, chain);
	/* The frame of this function is between them. */
	memmove(&call->expect[2], &call->expect[1], (call->nr++ - 1) * sizeof(*call->expect));
	call->expect[0] = behind_clone();
	for (i = 0; ret >= 0 && i < CLONES; i++) {
		tid = 1;
		ret = clone(thread_ends, stack + sizeof(stack), flags, NULL, NULL, NULL, &tid);
		while (ret > 0 && __atomic_load_n(&tid, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	NO_TAIL_CALL(ret);
	return ret;
}

static int clone_by_libc(struct child *c)
{
	return chain_run(&c->known->chain, "abc", libc_clone_leaf, c) > 0 ? 0 : 2;
}

/* There is no CFI where either of them returns to, and the new thread has no caller. */
TEST_F(stop, is_answered_behind_clone_by_both)
{
	struct child *c = &self->c;
	struct call *call = &c->known->call;
	unsigned int callers = 0;
	pid_t pid;
	size_t i;

	child_make(c, clone_by_libc);
	pid = c->pid;
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_exit_clone"));
	ASSERT_EQ(0, child_begin(c));
	EXPECT_END(0, c);
	ASSERT_NE(0, call->expect[0]);
	EXPECT_EQ(EXITS_OF_CLONE * CLONES, lwt_count_stacks(&c->log, NULL));
	for (i = 0; i < c->log.nr; i++) {
		struct lwt_stack *stack = c->log.records[i].stack;

		if (stack->record.type != LW_RECORD_USER_STACK)
			continue;
		EXPECT_EQ(call->expect[0], stack->frames[0]);
		if ((pid_t)stack->tid != pid) {
			EXPECT_EQ(1, stack->nr);
			EXPECT_EQ(LW_END_OUTERMOST_FP, stack->end);
			continue;
		}
		ASSERT_LT(1, stack->nr);
		EXPECT_GT(512, stack->frames[1] - (uintptr_t)libc_clone_leaf);
		call->expect[1] = stack->frames[1];
		EXPECT_CHAIN(stack, call);
		callers++;
	}
	EXPECT_EQ(CLONES, callers);
}

/* ------------------------------------------------------------------ ptrace */

/* Return: status of the next stop, or -1. */
static int next_stop(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, __WALL) == pid ? status : -1;
}

static int go_on(pid_t pid, int request)
{
	return ptrace(request, pid, 0, 0) ? -errno : 0;
}

/* Stops a child that waits to begin, and lets it wait there again. */
static int seize(pid_t pid, unsigned long options)
{
	if (ptrace(PTRACE_SEIZE, pid, 0, options | PTRACE_O_TRACESYSGOOD) ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0))
		return -errno;
	return WIFSTOPPED(next_stop(pid)) ? 0 : -ECHILD;
}

/* To its stop at the entry of that system call.  Return: 0 or -1. */
static int run_to_entry(pid_t pid, long nr)
{
	struct __ptrace_syscall_info info;

	for (;;) {
		if (go_on(pid, PTRACE_SYSCALL) ||
		    next_stop(pid) >> 8 != (SIGTRAP | 0x80) ||
		    ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0)
			return -1;
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY &&
		    (long)info.entry.nr == nr)
			return 0;
	}
}

static int run_to_exit(pid_t pid)
{
	return go_on(pid, PTRACE_SYSCALL) ? -1 :
	       next_stop(pid) >> 8 == (SIGTRAP | 0x80) ? 0 : -1;
}

/*
 * Tracepoints lie between the two stops, and the kernel does what is due before
 * a task stops for its debugger.
 */
TEST_F(stop, is_answered_before_the_stop_at_a_calls_exit)
{
	struct child *c = &self->c;

	child_make(c, child_call);
	c->known->nr = SYS_getppid;
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_getppid"));
	ASSERT_EQ(0, seize(c->pid, 0));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_EQ(0, run_to_entry(c->pid, SYS_getppid));
	EXPECT_EQ(0, lwt_stats(c->s.fd).requests);
	ASSERT_EQ(0, run_to_exit(c->pid));
	EXPECT_TRUE(child_pending(c, 0));
	EXPECT_EQ(2, lwt_read(&c->s, &c->log));
	EXPECT_BALANCE(c);
	ASSERT_EQ(0, go_on(c->pid, PTRACE_DETACH));
	EXPECT_EQ(0, child_reap(c));
	EXPECT_EQ(0, lwt_read(&c->s, &c->log));
	EXPECT_CHAIN(child_last_stack(c), &c->known->call);
}

static KEEP void leave_from_here(void)
{
	syscall(SYS_exit_group, 9);
}

#if defined(__s390x__)
#define user_regs_struct _user_regs_struct
#endif

static int move(pid_t pid)
{
	struct user_regs_struct regs;
	struct iovec io = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &io))
		return -errno;
	/* As after a call. */
#if defined(__x86_64__)
	regs.rip = (uintptr_t)leave_from_here;
	regs.rsp = (regs.rsp & ~15UL) - 8;
#elif defined(__aarch64__)
	regs.pc = (uintptr_t)leave_from_here;
#elif defined(__s390x__)
	regs.psw.addr = (uintptr_t)leave_from_here;
#endif
	return ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &io) ? -errno : 0;
}

FIXTURE(moved)
{
	struct child c;
};

FIXTURE_VARIANT(moved)
{
	const char *tracepoint;
};

/* perf hands out the kernel's registers, and */
FIXTURE_VARIANT_ADD(moved, without_registers)
{
	.tracepoint = "raw_syscalls/sys_enter",
};

/* the user's. */
FIXTURE_VARIANT_ADD(moved, with_registers)
{
	.tracepoint = "syscalls/sys_enter_getppid",
};

FIXTURE_SETUP(moved)
{
	struct child *c = &self->c;

	ASSERT_EQ(0, child_init(c));
	child_make(c, child_call);
	c->known->nr = SYS_getppid;
	ASSERT_EQ(0, child_trace(c, variant->tracepoint));
	ASSERT_EQ(0, seize(c->pid, 0));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_EQ(0, run_to_entry(c->pid, SYS_getppid));
}

FIXTURE_TEARDOWN(moved)
{
	child_free(&self->c);
}

/* By a debugger, in front of the event. */
TEST_F(moved, is_where_it_was_moved_to)
{
	struct child *c = &self->c;
	unsigned int nr;

	ASSERT_EQ(0, move(c->pid));
	ASSERT_EQ(0, run_to_exit(c->pid));
	ASSERT_EQ(0, go_on(c->pid, PTRACE_DETACH));
	EXPECT_END(9 << 8, c);
	child_find_ip(c, (uintptr_t)leave_from_here, &nr);
	EXPECT_EQ(1, nr);
	child_find_ip(c, c->known->call.expect[0], &nr);
	EXPECT_EQ(0, nr);
}

/* Behind it: the stack is older. */
TEST_F(moved, is_where_it_was_before)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;
	unsigned int nr;

	ASSERT_EQ(0, run_to_exit(c->pid));
	ASSERT_EQ(0, move(c->pid));
	ASSERT_EQ(0, go_on(c->pid, PTRACE_DETACH));
	EXPECT_END(9 << 8, c);
	child_find_ip(c, (uintptr_t)leave_from_here, &nr);
	EXPECT_EQ(0, nr);
	stack = child_find_ip(c, c->known->call.expect[0], &nr);
	EXPECT_EQ(1, nr);
	EXPECT_CHAIN(stack, &c->known->call);
}

/* With its stack still there, for once. */
TEST_F(stop, is_answered_before_the_stop_at_exit)
{
	struct child *c = &self->c;

	child_make(c, child_call);
	c->known->nr = SYS_exit_group;
	c->known->a = 3;
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_exit_group"));
	ASSERT_EQ(0, seize(c->pid, PTRACE_O_TRACEEXIT));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_EQ(0, go_on(c->pid, PTRACE_CONT));
	ASSERT_EQ(SIGTRAP | PTRACE_EVENT_EXIT << 8, next_stop(c->pid) >> 8);
	EXPECT_TRUE(child_pending(c, 0));
	EXPECT_EQ(2, lwt_read(&c->s, &c->log));
	ASSERT_EQ(0, go_on(c->pid, PTRACE_CONT));
	EXPECT_END(3 << 8, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
	EXPECT_CHAIN(child_last_stack(c), &c->known->call);
}

static int attach(pid_t pid)
{
	return ptrace(PTRACE_ATTACH, pid, 0, 0) ? -errno : 0;
}

static int seize_and_interrupt(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, 0, 0) ||
	       ptrace(PTRACE_INTERRUPT, pid, 0, 0) ? -errno : 0;
}

static int stop_by_signal(pid_t pid)
{
	return kill(pid, SIGSTOP) ? -errno : 0;
}

static int detach(pid_t pid)
{
	return go_on(pid, PTRACE_DETACH);
}

static int continue_by_signal(pid_t pid)
{
	return kill(pid, SIGCONT) ? -errno : 0;
}

FIXTURE(blocked)
{
	struct child c;
};

FIXTURE_VARIANT(blocked)
{
	int (*stop)(pid_t pid);
	int (*resume)(pid_t pid);
};

FIXTURE_VARIANT_ADD(blocked, by_attach)
{
	.stop = attach,
	.resume = detach,
};

FIXTURE_VARIANT_ADD(blocked, by_interrupt)
{
	.stop = seize_and_interrupt,
	.resume = detach,
};

FIXTURE_VARIANT_ADD(blocked, by_sigstop)
{
	.stop = stop_by_signal,
	.resume = continue_by_signal,
};

FIXTURE_SETUP(blocked)
{
	ASSERT_EQ(0, child_init(&self->c));
	child_make(&self->c, child_block);
}

FIXTURE_TEARDOWN(blocked)
{
	child_free(&self->c);
}

static int wait_stopped(pid_t pid)
{
	int status = 0;

	return waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) ?
	       0 : -1;
}

/*
 * The call is broken off: its stack is there before the task stops.  Then it is
 * made once more, as the kernel has it, which is another entry.
 */
TEST_F(blocked, is_answered_before_it_stops)
{
	struct child *c = &self->c;
	unsigned int nr;

	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_TRUE(child_blocks(c, CHILD_ANY_SLEEP));
	ASSERT_EQ(0, variant->stop(c->pid));
	ASSERT_EQ(0, wait_stopped(c->pid));
	EXPECT_TRUE(child_pending(c, 0));
	EXPECT_EQ(2, lwt_read(&c->s, &c->log));
	EXPECT_CHAIN(child_last_stack(c), &c->known->call);
	ASSERT_EQ(0, variant->resume(c->pid));
	ASSERT_TRUE(child_blocks(c, CHILD_ANY_SLEEP));
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_END(0, c);
	EXPECT_EQ(2, lwt_count_stacks(&c->log, NULL));
	EXPECT_CHAIN(child_last_stack(c), &c->known->call);
	child_find_ip(c, c->known->call.expect[0], &nr);
	EXPECT_EQ(2, nr);
}

TEST_F(blocked, is_answered_when_killed_while_stopped)
{
	struct child *c = &self->c;

	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_read"));
	ASSERT_EQ(0, child_begin(c));
	ASSERT_TRUE(child_blocks(c, CHILD_ANY_SLEEP));
	ASSERT_EQ(0, variant->stop(c->pid));
	ASSERT_EQ(0, wait_stopped(c->pid));
	ASSERT_EQ(0, kill(c->pid, SIGKILL));
	EXPECT_END(SIGKILL, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
	EXPECT_CHAIN(child_last_stack(c), &c->known->call);
}

/* One that is traced for as long as its tracer lives. */
static pid_t start_debugger(struct child *c, unsigned long options, int *ready)
{
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	*ready = pipes[0];
	pid = fork();
	if (pid) {
		close(pipes[1]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(&c->s);
	if (seize(c->pid, options) || child_begin(c) ||
	    run_to_entry(c->pid, SYS_getppid) || run_to_exit(c->pid) ||
	    write(pipes[1], "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static int kill_debugger(pid_t debugger, int ready)
{
	char byte;
	int ret = read(ready, &byte, 1) == 1 ? 0 : -1;

	close(ready);
	kill(debugger, SIGKILL);
	return waitpid(debugger, NULL, 0) == debugger ? ret : -1;
}

FIXTURE(debugged)
{
	struct child c;
};

FIXTURE_VARIANT(debugged)
{
	unsigned long options;
	int status;
};

FIXTURE_VARIANT_ADD(debugged, and_goes_on)
{
};

FIXTURE_VARIANT_ADD(debugged, and_dies_too)
{
	.options = PTRACE_O_EXITKILL,
	.status = SIGKILL,
};

FIXTURE_SETUP(debugged)
{
	ASSERT_EQ(0, child_init(&self->c));
	child_make(&self->c, child_call);
	self->c.known->nr = SYS_getppid;
}

FIXTURE_TEARDOWN(debugged)
{
	child_free(&self->c);
}

TEST_F(debugged, is_answered_though_its_debugger_is_killed)
{
	struct child *c = &self->c;
	pid_t debugger;
	int ready = -1;

	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_getppid"));
	debugger = start_debugger(c, variant->options, &ready);
	ASSERT_EQ(0, kill_debugger(debugger, ready));
	EXPECT_END(variant->status, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
	EXPECT_CHAIN(child_last_stack(c), &c->known->call);
}

/* ------------------------------------------------------------- group stops */

/* A request made where the signal is taken, behind the last task_work. */
static int stop_with_a_request(struct child *c)
{
	child_make(c, child_block);
	if (child_trace(c, "signal/signal_deliver") || child_begin(c) ||
	    !lwt_wait(child_is(c, CHILD_ASLEEP) && c->known->call.expect[0]))
		return -1;
	return stop_by_signal(c->pid) ?: wait_stopped(c->pid);
}

/* The call is made again: the task leaves to before it. */
TEST_F(stop, waits_in_a_group_stop)
{
	struct child *c = &self->c;
	struct call *call = &c->known->call;

	ASSERT_EQ(0, stop_with_a_request(c));
	EXPECT_TRUE(child_pending(c, 1));
	ASSERT_EQ(0, continue_by_signal(c->pid));
	EXPECT_TRUE(lwt_wait(child_pending(c, 0)));
	ASSERT_EQ(0, child_unblock(c));
	EXPECT_END(0, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
	call->expect[0] -= RAW_SYSCALL_LEN;
	EXPECT_CHAIN(child_last_stack(c), call);
}

TEST_F(stop, is_answered_when_killed_in_a_group_stop)
{
	struct child *c = &self->c;

	ASSERT_EQ(0, stop_with_a_request(c));
	EXPECT_TRUE(child_pending(c, 1));
	ASSERT_EQ(0, kill(c->pid, SIGKILL));
	EXPECT_END(SIGKILL, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
	EXPECT_EQ(!lwt_walks_at_exit(c->s.fd), child_count_ends(c, LW_END_EXITED));
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
