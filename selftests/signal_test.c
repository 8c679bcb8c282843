// SPDX-License-Identifier: GPL-2.0
/*
 * signal_test.c - requests of tasks that take signals, crash, or are stopped by
 * seccomp: one answer each, of the right stack.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define CORE_PATTERN	"/proc/sys/kernel/core_pattern"

FIXTURE(signal)
{
	struct child c;
};

FIXTURE_SETUP(signal)
{
	ASSERT_EQ(0, child_init(&self->c));
}

FIXTURE_TEARDOWN(signal)
{
	child_free(&self->c);
}

/* -------------------------------------------------------------- core dumps */

/* A program that reads the core when it is told to, and its pattern. */
struct dumper {
	char dir[32];
	char program[64];
	char fifo[64];
	char pattern[256];
};

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t len = strlen(text), done;

	if (fd < 0)
		return -errno;
	done = write(fd, text, len);
	close(fd);
	return done == len ? 0 : -EIO;
}

static int set_core_pattern(struct dumper *d)
{
	char text[80];
	FILE *file = fopen(CORE_PATTERN, "r");

	if (!file || !fgets(d->pattern, sizeof(d->pattern), file))
		return -errno;
	fclose(file);
	snprintf(text, sizeof(text), "|%s", d->program);
	return write_file(CORE_PATTERN, text);
}

static int dumper_init(struct dumper *d)
{
	char text[256];

	strcpy(d->dir, "/tmp/lw-core-XXXXXX");
	if (!mkdtemp(d->dir))
		return -errno;
	snprintf(d->program, sizeof(d->program), "%s/read", d->dir);
	snprintf(d->fifo, sizeof(d->fifo), "%s/go", d->dir);
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nread go <%s\nexec /bin/cat >/dev/null\n", d->fifo);
	if (mkfifo(d->fifo, 0600) || write_file(d->program, text))
		return -errno;
	return set_core_pattern(d);
}

/* Return: a descriptor for dumper_go(), once the program runs. */
static int dumper_wait(struct dumper *d)
{
	return open(d->fifo, O_WRONLY | O_CLOEXEC);
}

static int dumper_go(int fd)
{
	int ret = write(fd, "go\n", 3) == 3 ? 0 : -errno;

	close(fd);
	return ret;
}

static void dumper_free(struct dumper *d)
{
	write_file(CORE_PATTERN, d->pattern);
	unlink(d->program);
	unlink(d->fifo);
	rmdir(d->dir);
}

/* Writes where there is nothing. */
static KEEP long crash_leaf(struct chain *chain)
{
	struct call *call = chain->arg;
	long ret = 0;

	chain_note(chain);
	call_expect(call, chain);
	raw_crash(&call->expect[0]);
	NO_TAIL_CALL(ret);
	return ret;
}

static int crash(struct child *c)
{
	chain_run(&c->known->chain, "abcde", crash_leaf, &c->known->call);
	return 1;
}

static const struct perf_event_attr page_faults = {
	.size = sizeof(page_faults),
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS,
	.sample_period = 1,
};

/*
 * The fault's stack is taken before the dump; what asks behind that, when the
 * signal is delivered, exits.  No clock: its ticks could ask between the two.
 */
TEST_F_TIMEOUT(signal, waits_for_the_core_dump, 60)
{
	struct child *c = &self->c;
	struct dumper dumper;
	unsigned int nr;
	int status, go;

	ASSERT_EQ(0, dumper_init(&dumper));
	child_make(c, crash);
	EXPECT_EQ(0, child_add(c, page_faults));
	EXPECT_EQ(0, child_trace(c, "signal/signal_deliver"));
	EXPECT_EQ(0, child_begin(c));
	go = dumper_wait(&dumper);
	EXPECT_TRUE(child_pending(c, 1));
	EXPECT_EQ(0, dumper_go(go));
	status = child_reap(c);
	dumper_free(&dumper);
	EXPECT_TRUE(WIFSIGNALED(status) && WCOREDUMP(status));
	EXPECT_EQ(SIGSEGV, WTERMSIG(status));
	ASSERT_TRUE(child_settle(c));
	EXPECT_BALANCE(c);
	EXPECT_EQ(!lwt_walks_at_exit(c->s.fd), child_count_ends(c, LW_END_EXITED));
	EXPECT_CHAIN(child_find_ip(c, c->known->call.expect[0], &nr),
		     &c->known->call);
	EXPECT_EQ(1 + lwt_walks_at_exit(c->s.fd), nr);
}

static void *block_until_killed(void *arg)
{
	struct child *c = arg;
	char byte;

	for (;;)
		syscall(SYS_read, c->unblock[0], &byte, 1);
	return NULL;
}

static int crash_beside_a_thread(struct child *c)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, block_until_killed, c))
		return 1;
	while (__atomic_load_n(&c->known->ret, __ATOMIC_ACQUIRE))
		sched_yield();
	return crash(c);
}

/* Another thread's dump kills it, and holds it up. */
TEST_F_TIMEOUT(signal, is_answered_when_another_thread_crashes, 60)
{
	struct child *c = &self->c;
	struct dumper dumper;
	int status, go;

	ASSERT_EQ(0, dumper_init(&dumper));
	/* Until it is 0. */
	c->known->ret = 1;
	child_make(c, crash_beside_a_thread);
	EXPECT_EQ(0, child_trace(c, "syscalls/sys_enter_read"));
	EXPECT_EQ(0, child_begin(c));
	EXPECT_TRUE(lwt_wait(child_pending(c, 1)));
	__atomic_store_n(&c->known->ret, 0, __ATOMIC_RELEASE);
	go = dumper_wait(&dumper);
	EXPECT_EQ(0, dumper_go(go));
	status = child_reap(c);
	dumper_free(&dumper);
	EXPECT_TRUE(WIFSIGNALED(status) && WCOREDUMP(status));
	ASSERT_TRUE(child_settle(c));
	EXPECT_BALANCE(c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
	if (!lwt_walks_at_exit(c->s.fd)) {
		EXPECT_EQ(1, child_count_ends(c, LW_END_STOPPED) +
			     child_count_ends(c, LW_END_EXITED));
	}
}

/* ----------------------------------------------------------------- signals */

static void nothing(int sig)
{
	(void)sig;
}

/* A signal to itself, taken on the way out of that call. */
static int signal_myself(struct child *c)
{
	struct sigaction action = { .sa_handler = nothing };

	if (sigaction(SIGUSR1, &action, NULL))
		return 1;
	c->known->nr = SYS_tgkill;
	c->known->a = getpid();
	c->known->b = gettid();
	c->known->c = SIGUSR1;
	return child_call(c);
}

/*
 * Once on the way out of the call that raised the signal, where the handler's
 * frame is not there yet, and once on the way out of rt_sigreturn(), where it is
 * gone.
 */
TEST_F(signal, has_the_interrupted_stack_before_and_behind_a_handler)
{
	struct child *c = &self->c;
	struct lwt_stack *stack;
	unsigned int nr;

	ASSERT_EQ(0, child_run(c, signal_myself, "raw_syscalls/sys_enter"));
	EXPECT_END(0, c);
	stack = child_find_ip(c, c->known->call.expect[0], &nr);
	EXPECT_EQ(2, nr);
	EXPECT_CHAIN(stack, &c->known->call);
}

/* What handlers in handlers need; innermost first. */
#define NESTED	3

static struct {
	int session;
	unsigned int level;
	struct chain chains[NESTED];
	struct call calls[NESTED];
	char stack[1 << 16];
} nested;

static KEEP long nest(struct chain *chain);

static KEEP void nested_handler(int sig)
{
	unsigned int level = --nested.level;
	struct chain *chain = &nested.chains[level];

	(void)sig;
	chain->nr = 0;
	chain_note(chain);
	chain->path = "bd";
	chain->leaf = level ? nest : call_ask;
	chain->arg = &nested.calls[level];
	nested.calls[level].fd = nested.session;
	chain_next(chain);
	asm volatile("" : : : "memory");
}

/* Raises the next signal. */
static KEEP long nest(struct chain *chain)
{
	struct call *call = chain->arg;
	long ret;

	chain_note(chain);
	ret = raw_syscall(SYS_tgkill, getpid(), gettid(),
			  SIGRTMIN + nested.level, &call->ip);
	call_expect(call, chain);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The chain, a handler on its own stack, and one in that. */
TEST_F(signal, goes_through_nested_handlers)
{
	struct sigaction action = { .sa_handler = nested_handler };
	stack_t alt = {
		.ss_sp = nested.stack,
		.ss_size = sizeof(nested.stack),
	};
	struct lwt_stack *stack;
	struct call all = {};
	unsigned int i, j;

	nested.session = self->c.s.fd;
	nested.level = NESTED - 1;
	nested.calls[0].request.flags = LW_REQUEST_SAMPLE;
	ASSERT_EQ(0, sigaltstack(&alt, NULL));
	ASSERT_EQ(0, sigaction(SIGRTMIN + 1, &action, NULL));
	action.sa_flags = SA_ONSTACK;
	ASSERT_EQ(0, sigaction(SIGRTMIN + 2, &action, NULL));
	chain_run(&nested.chains[NESTED - 1], "abcde", nest,
		  &nested.calls[NESTED - 1]);
	for (i = 0; i < NESTED; i++) {
		for (j = 0; j < nested.calls[i].nr; j++)
			all.expect[all.nr++] = nested.calls[i].expect[j];
	}
	ASSERT_LT(0, lwt_read(&self->c.s, &self->c.log));
	stack = lwt_find_stack(&self->c.log, &nested.calls[0].request.cookie);
	EXPECT_CHAIN(stack, &all);
	EXPECT_EQ(2, lwt_stats(self->c.s.fd).frames_sigframe);
	EXPECT_BALANCE(&self->c);
}

/* ----------------------------------------------------------------- seccomp */

/* Every getppid() of ours gets @action. */
static int filter_getppid(uint32_t action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_SIZE(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

/*
 * seccomp acts before sys_enter: a probe of where it acts is the request.  From
 * 7.3 on the outer function is part of its caller.
 */
static struct perf_event_attr attr_seccomp(void)
{
	const char *where = lwt_kernel_function("__secure_computing").from ?
		"__secure_computing" : "__seccomp_filter";
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 1,
		.kprobe_func = (uintptr_t)where,
	};
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "r");

	if (!file || fscanf(file, "%u", &attr.type) != 1)
		attr.type = ~0U;
	if (file)
		fclose(file);
	return attr;
}

static void *wait_for_the_leader(void *arg)
{
	struct child *c = arg;
	char byte;

	syscall(SYS_exit, read(c->unblock[0], &byte, 1) == 1 ? 0 : 1);
	return NULL;
}

static uint32_t seccomp_action;

static int ask_seccomp(struct child *c)
{
	struct sigaction action = { .sa_handler = nothing };
	pthread_t thread;

	/* No core. */
	if (child_read_table() || prctl(PR_SET_DUMPABLE, 0) ||
	    (seccomp_action == SECCOMP_RET_TRAP &&
	     sigaction(SIGSYS, &action, NULL)) ||
	    (seccomp_action == SECCOMP_RET_KILL_THREAD &&
	     pthread_create(&thread, NULL, wait_for_the_leader, c)) ||
	    filter_getppid(seccomp_action))
		return 1;
	c->known->nr = SYS_getppid;
	return child_call(c);
}

FIXTURE(seccomp)
{
	struct child c;
};

FIXTURE_VARIANT(seccomp)
{
	uint32_t action;
	int status;
	unsigned int walks;		/* that begin at the call */
	unsigned int exits;		/* LW_END_EXITED */
};

FIXTURE_VARIANT_ADD(seccomp, errno)
{
	.action = SECCOMP_RET_ERRNO | EPERM,
	.walks = 1,
	.exits = 1,
};

/* And one on the way out of rt_sigreturn(). */
FIXTURE_VARIANT_ADD(seccomp, trap)
{
	.action = SECCOMP_RET_TRAP,
	.walks = 2,
	.exits = 1,
};

/* A signal that is taken as any other. */
FIXTURE_VARIANT_ADD(seccomp, kill_process)
{
	.action = SECCOMP_RET_KILL_PROCESS,
	.status = SIGSYS,
	.walks = 1,
};

/* The thread ends where it is; the status is that of the last one. */
FIXTURE_VARIANT_ADD(seccomp, kill_thread)
{
	.action = SECCOMP_RET_KILL_THREAD,
	.exits = 1,
};

FIXTURE_SETUP(seccomp)
{
	ASSERT_EQ(0, child_init(&self->c));
	seccomp_action = variant->action;
	child_make(&self->c, ask_seccomp);
}

FIXTURE_TEARDOWN(seccomp)
{
	child_free(&self->c);
}

TEST_F(seccomp, is_answered)
{
	struct child *c = &self->c;
	struct perf_event_attr attr = attr_seccomp();
	bool at_exit = lwt_walks_at_exit(c->s.fd);
	unsigned int nr, walks = variant->walks;
	struct lwt_stack *stack;

	/* That thread has nothing but its exit to be answered in. */
	if (at_exit && variant->action == SECCOMP_RET_KILL_THREAD)
		walks++;
	ASSERT_EQ(0, child_add(c, attr));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(0, child_begin(c));
	if (variant->action == SECCOMP_RET_KILL_THREAD) {
		ASSERT_TRUE(lwt_wait(child_is(c, "Z")));
		ASSERT_EQ(0, child_unblock(c));
	}
	EXPECT_END(variant->status, c);
	stack = child_find_ip(c, c->known->call.expect[0], &nr);
	EXPECT_EQ(walks, nr);
	if (walks)
		EXPECT_CHAIN(stack, &c->known->call);
	EXPECT_EQ(at_exit ? 0 : variant->exits,
		  child_count_ends(c, LW_END_EXITED));
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
