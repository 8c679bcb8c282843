// SPDX-License-Identifier: GPL-2.0
/*
 * sigframe_test.c - from a signal handler to what it interrupted: whatever
 * restorer it returns to, at each instruction of that, on whatever stack, and
 * whatever was interrupted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/asker.h"
#include "lib/call.h"
#include "lib/lw_test.h"
#include "programs/chain.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define RING		(1 << 22)
#define PAGE		lwt_page()
#define MAX_LEVELS	3
/* of the kernel's struct sigaction; libc keeps it to itself */
#define SA_RESTORER	0x04000000

/**
 * struct scene - handlers in handlers, and what they interrupt
 * @s: session
 * @log: what was read
 * @levels: chains that run, one in the other
 * @level: the innermost one that runs
 * @signals: what the chain of each level raises, 0: nothing
 * @raise: at the end of each but the innermost one: raises it
 * @look: what handlers with SA_SIGINFO do with their context, or NULL
 * @leaf: at the end of the innermost one
 * @chains: of each level
 * @calls: likewise; of the innermost one it is the request
 * @all: the whole stack
 */
struct scene {
	struct lwt_session s;
	struct lwt_log log;
	unsigned int levels;
	unsigned int level;
	int signals[MAX_LEVELS];
	chain_fn raise;
	void (*look)(ucontext_t *uc);
	chain_fn leaf;
	struct chain chains[MAX_LEVELS];
	struct call calls[MAX_LEVELS];
	struct call all;
};

/* Handlers get no argument that could name it. */
static struct scene *scene;

static char other_stack[1 << 16];

/* Raises the signal of its level by a system call of its own. */
static KEEP long raise_here(struct chain *chain)
{
	struct call *call = chain->arg;
	long ret;

	chain_note(chain);
	ret = raw_syscall(SYS_tgkill, getpid(), gettid(),
			  scene->signals[call - scene->calls], &call->ip);
	call_expect(call, chain);
	NO_TAIL_CALL(ret);
	return ret;
}

static inline __attribute__((always_inline)) void run_level(const char *path)
{
	unsigned int level = scene->level;
	struct chain *chain = &scene->chains[level];

	chain->path = path;
	chain->leaf = level + 1 < scene->levels ? scene->raise : scene->leaf;
	chain->arg = &scene->calls[level];
	scene->calls[level].fd = scene->s.fd;
	chain_next(chain);
}

/* The kernel hands out the last two with SA_SIGINFO. */
static KEEP void handler(int sig, siginfo_t *info, void *context)
{
	struct chain *chain = &scene->chains[++scene->level];

	(void)sig;
	(void)info;
	if (scene->look)
		scene->look(context);
	chain->nr = 0;
	if (chain_handler_of)
		chain->ra[chain->nr++] = chain_handler_ra;
	chain_note(chain);
	run_level("bd");
	asm volatile("" : : : "memory");
}

static int scene_open(struct scene *sc)
{
	memset(sc, 0, sizeof(*sc));
	scene = sc;
	chain_handler_of = NULL;
	sc->levels = 2;
	sc->signals[0] = SIGUSR1;
	sc->signals[1] = SIGUSR2;
	sc->raise = raise_here;
	sc->leaf = call_ask;
	return lwt_session_open(&sc->s, RING, 0, 0);
}

static void scene_close(struct scene *sc)
{
	lwt_log_free(&sc->log);
	lwt_session_close(&sc->s);
}

static void scene_run(struct scene *sc)
{
	sc->level = 0;
	sc->chains[0].nr = 0;
	run_level("abcde");
}

/* From the innermost level out. */
static const struct call *scene_expect(struct scene *sc)
{
	struct call *all = &sc->all;
	unsigned int i, level;

	all->nr = 0;
	for (level = sc->levels; level--;)
		for (i = 0; i < sc->calls[level].nr; i++)
			all->expect[all->nr++] = sc->calls[level].expect[i];
	return all;
}

static struct lwt_stack *scene_answer(struct scene *sc)
{
	if (lwt_read(&sc->s, &sc->log) < 0)
		return NULL;
	return lwt_find_stack(&sc->log, &sc->calls[sc->levels - 1].request.cookie);
}

/* Of the frames that are expected, how many are what a signal interrupted. */
static unsigned int count_interrupted(const struct lwt_stack *stack, unsigned int nr)
{
	unsigned int i, found = 0;

	for (i = 0; i < nr && i < stack->nr; i++)
		found += lwt_how(stack)[i] == LW_HOW_SIGFRAME;
	return found;
}

#define EXPECT_SCENE(stack, sc)						\
do {									\
	const struct call *lwt_all = scene_expect(sc);			\
									\
	EXPECT_CHAIN(stack, lwt_all);					\
	EXPECT_EQ((sc)->levels - 1,					\
		  count_interrupted(stack, lwt_all->nr));		\
} while (0)

/* As the kernel has it. */
struct kernel_sigaction {
	void (*handler)(int sig, siginfo_t *info, void *context);
	unsigned long flags;
	const void *restorer;
	unsigned long mask;
};

static int set_handler(int sig, const void *restorer, unsigned long flags)
{
	struct kernel_sigaction action = {
		.handler = chain_handler_of ? chain_handler_fp : handler,
		.flags = SA_RESTORER | flags,
		.restorer = restorer,
	};

	return syscall(SYS_rt_sigaction, sig, &action, NULL, sizeof(action.mask));
}

/* ---------------------------------------------------------------- restorers */

#define MAX_RESTORER	16

FIXTURE(restorer)
{
	struct scene sc;
	uint8_t *page;		/* nothing is mapped on either side */
};

FIXTURE_VARIANT(restorer)
{
	uint8_t code[MAX_RESTORER];
	unsigned int len;
};

#if defined(__x86_64__)
/* mov $15, %rax; syscall: glibc, musl, Go */
FIXTURE_VARIANT_ADD(restorer, mov_rax)
{
	.code = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
	.len = 9,
};

/* mov $15, %eax; syscall */
FIXTURE_VARIANT_ADD(restorer, mov_eax)
{
	.code = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 },
	.len = 7,
};

/* push $15; pop %rax; syscall */
FIXTURE_VARIANT_ADD(restorer, push_pop)
{
	.code = { 0x6a, 15, 0x58, 0x0f, 0x05 },
	.len = 5,
};

/* endbr64; mov $15, %rax; syscall */
FIXTURE_VARIANT_ADD(restorer, endbr64)
{
	.code = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
	.len = 13,
};
#elif defined(__aarch64__)
/* mov x8, #139; svc #0 */
FIXTURE_VARIANT_ADD(restorer, mov_x8)
{
	.code = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
	.len = 8,
};
#elif defined(__s390x__)
/* svc 119 */
FIXTURE_VARIANT_ADD(restorer, svc)
{
	.code = { 0x0a, 119 },
	.len = 2,
};
#endif

FIXTURE_SETUP(restorer)
{
	uint8_t *area = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_EQ(0, scene_open(&self->sc));
	ASSERT_NE(MAP_FAILED, area);
	self->page = area + PAGE;
	ASSERT_EQ(0, munmap(area, PAGE));
	ASSERT_EQ(0, munmap(area + 2 * PAGE, PAGE));
	ASSERT_EQ(0, mprotect(self->page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
}

FIXTURE_TEARDOWN(restorer)
{
	scene_close(&self->sc);
}

/* Where ip - 1 is no code at all. */
TEST_F(restorer, is_known_as_the_first_thing_in_its_mapping)
{
	memcpy(self->page, variant->code, variant->len);
	__builtin___clear_cache(self->page, self->page + PAGE);
	ASSERT_EQ(0, set_handler(SIGUSR1, self->page, 0));
	scene_run(&self->sc);
	EXPECT_SCENE(scene_answer(&self->sc), &self->sc);
}

/* Where the next byte can't be read. */
TEST_F(restorer, is_known_as_the_last_thing_in_its_mapping)
{
	uint8_t *at = self->page + PAGE - variant->len;

	memcpy(at, variant->code, variant->len);
	__builtin___clear_cache(at, self->page + PAGE);
	ASSERT_EQ(0, set_handler(SIGUSR1, at, 0));
	scene_run(&self->sc);
	EXPECT_SCENE(scene_answer(&self->sc), &self->sc);
}

/* --------------------------------------------------------------------- signals */

FIXTURE(signal)
{
	struct scene sc;
};

FIXTURE_SETUP(signal)
{
	ASSERT_EQ(0, scene_open(&self->sc));
}

FIXTURE_TEARDOWN(signal)
{
	scene_close(&self->sc);
}

/* On some machines the stack pointer is lost then, by which signal frames are found. */
TEST_F(signal, is_gone_through_from_a_handler_with_a_frame_pointer_only)
{
	chain_handler_of = handler;
	ASSERT_EQ(0, set_handler(SIGUSR1, raw_restorer, 0));
	scene_run(&self->sc);
	EXPECT_SCENE(scene_answer(&self->sc), &self->sc);
}

/* ------------------------------------------------------- frames with vectors */

#if defined(__aarch64__)
#define HWCAP_OF_SVE	(1UL << 22)

FIXTURE(vectors)
{
	struct scene sc;
	bool is_here;		/* these vectors are */
};

/* @is_further: the frame is longer than one that struct sigcontext has room for */
FIXTURE_VARIANT(vectors)
{
	int len;
	bool by_fp;
	bool is_further;
};

FIXTURE_VARIANT_ADD(vectors, of_64_bytes) { .len = 64 };
FIXTURE_VARIANT_ADD(vectors, of_64_bytes_by_fp) { .len = 64, .by_fp = true };
FIXTURE_VARIANT_ADD(vectors, of_96_bytes) { .len = 96 };
FIXTURE_VARIANT_ADD(vectors, of_96_bytes_by_fp) { .len = 96, .by_fp = true };
FIXTURE_VARIANT_ADD(vectors, of_112_bytes) { .len = 112, .is_further = true };
FIXTURE_VARIANT_ADD(vectors, of_112_bytes_by_fp) { .len = 112, .by_fp = true, .is_further = true };
FIXTURE_VARIANT_ADD(vectors, of_256_bytes) { .len = 256, .is_further = true };
FIXTURE_VARIANT_ADD(vectors, of_256_bytes_by_fp) { .len = 256, .by_fp = true, .is_further = true };

/* What the last signal frame had. */
static struct {
	bool has_vectors;
	bool is_further;
} records;

/* And goes on behind the trap. */
static void note_records(ucontext_t *uc)
{
	const struct _aarch64_ctx *at = (const void *)uc->uc_mcontext.__reserved;

	RAW_CONTEXT_IP(uc) += RAW_TRAP_LEN;
	memset(&records, 0, sizeof(records));
	while (at->magic) {
		const void *next = (const uint8_t *)at + at->size;

		if (at->magic == SVE_MAGIC && at->size > sizeof(struct sve_context))
			records.has_vectors = true;
		if (at->magic == EXTRA_MAGIC) {
			records.is_further = true;
			next = (const void *)((const struct extra_context *)at)->datap;
		}
		at = next;
	}
}

/* A system call would forget the vectors, and no frame would have them. */
static KEEP long trap_with_vectors(struct chain *chain)
{
	struct call *call = chain->arg;
	uint64_t at;

	chain_note(chain);
	asm volatile(".arch_extension sve\n\t"
		     "mov z0.d, #1\n\t"
		     "adr %[at], 1f\n\t"
		     "udf #0\n"
		     "1:"
		     : [at] "=&r"(at) : : "v0", "memory");
	call->ip = at;
	call_expect(call, chain);
	return call->nr;
}

FIXTURE_SETUP(vectors)
{
	ASSERT_EQ(0, scene_open(&self->sc));
	self->is_here = getauxval(AT_HWCAP) & HWCAP_OF_SVE &&
			(prctl(PR_SVE_SET_VL, variant->len) & PR_SVE_VL_LEN_MASK) == variant->len;
	if (!self->is_here)
		SKIP(return, "no vectors of %d bytes on this machine", variant->len);
}

FIXTURE_TEARDOWN(vectors)
{
	scene_close(&self->sc);
}

/* Without the stack pointer, a frame is found only where the kernel puts most of them. */
TEST_F(vectors, are_in_a_signal_frame)
{
	struct scene *sc = &self->sc;
	struct lwt_stack *stack;

	if (!self->is_here)
		return;
	sc->raise = trap_with_vectors;
	sc->look = note_records;
	chain_handler_of = variant->by_fp ? handler : NULL;
	ASSERT_EQ(0, set_handler(SIGILL, raw_restorer, SA_SIGINFO));
	scene_run(sc);
	EXPECT_TRUE(records.has_vectors);
	EXPECT_EQ(variant->is_further, records.is_further);
	stack = scene_answer(sc);
	if (!variant->by_fp || !variant->is_further) {
		EXPECT_SCENE(stack, sc);
		return;
	}
	EXPECT_CHAIN(stack, &sc->calls[1]);
	EXPECT_EQ(sc->calls[1].nr, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}
#endif

/* Code of x86 can have a trap at each of its own instructions. */
#if defined(__x86_64__)
#define MAX_STEPS	8

/* What the trap at each instruction of the restorer asked. */
static struct {
	unsigned int nr;
	uint64_t ip[MAX_STEPS];
	struct chain chain[MAX_STEPS];
	struct call call[MAX_STEPS];
} steps;

static KEEP void step_handler(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uint64_t ip = RAW_CONTEXT_IP(uc);
	struct chain *chain = &steps.chain[steps.nr % MAX_STEPS];
	struct call *call = &steps.call[steps.nr % MAX_STEPS];

	(void)sig;
	(void)info;
	if (ip - (uintptr_t)raw_restorer >= RAW_RESTORER_LEN)
		return;
	steps.ip[steps.nr++ % MAX_STEPS] = ip;
	chain->nr = 0;
	chain_note(chain);
	call->fd = scene->s.fd;
	chain->path = "ab";
	chain->leaf = call_ask;
	chain->arg = call;
	chain_next(chain);
	asm volatile("" : : : "memory");
}

/* From here on a trap at each instruction, until the signal's flags are back. */
static KEEP long trace_on(struct chain *chain)
{
	chain_note(chain);
	asm volatile("sub $128, %%rsp\n\t"
		     "pushf\n\t"
		     "orq $0x100, (%%rsp)\n\t"
		     "popf\n\t"
		     "add $128, %%rsp" : : : "memory", "cc");
	return 0;
}

/* The trap's handler, what it returns to, the restorer, and what that goes to. */
static void expect_step(struct scene *sc, unsigned int step)
{
	struct call *all = &sc->all;
	unsigned int i;

	*all = steps.call[step];
	all->expect[all->nr++] = steps.ip[step];
	for (i = 0; i < sc->calls[0].nr; i++)
		all->expect[all->nr++] = sc->calls[0].expect[i];
}

TEST_F(signal, is_gone_through_at_each_instruction_of_the_restorer)
{
	struct sigaction action = {
		.sa_sigaction = step_handler,
		.sa_flags = SA_SIGINFO,
	};
	struct scene *sc = &self->sc;
	struct lwt_stack *stack;
	unsigned int i;

	steps.nr = 0;
	sc->leaf = trace_on;
	ASSERT_EQ(0, sigaction(SIGTRAP, &action, NULL));
	ASSERT_EQ(0, set_handler(SIGUSR1, raw_restorer, 0));
	scene_run(sc);
	ASSERT_LT(0, lwt_read(&sc->s, &sc->log));
	ASSERT_EQ(2, steps.nr);
	EXPECT_EQ((uintptr_t)raw_restorer, steps.ip[0]);
	EXPECT_EQ((uintptr_t)raw_restorer + 7, steps.ip[1]);
	for (i = 0; i < 2; i++) {
		stack = lwt_find_stack(&sc->log, &steps.call[i].request.cookie);
		expect_step(sc, i);
		EXPECT_CHAIN(stack, &sc->all);
		EXPECT_EQ(2, count_interrupted(stack, sc->all.nr));
	}
}

#endif

static KEEP long do_nothing(struct chain *chain)
{
	return chain->nr;
}

/* The event hands out the registers that the call began with. */
TEST_F(signal, is_gone_through_in_the_call_that_ends_its_handler)
{
	struct perf_event_attr attr = lwt_attr_tracepoint("syscalls/sys_enter_" RAW_SIGRETURN_NAME);
	struct scene *sc = &self->sc;
	struct lwt_stack *stack;
	struct call *all = &sc->all;
	unsigned int i;

	ASSERT_EQ(0, lwt_add_event(sc->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, set_handler(SIGUSR1, raw_restorer, 0));
	ASSERT_EQ(0, lwt_enable(sc->s.fd));
	sc->leaf = do_nothing;
	scene_run(sc);
	ASSERT_EQ(0, lwt_disable(sc->s.fd));
	ASSERT_LT(0, lwt_read(&sc->s, &sc->log));
	all->nr = 0;
	all->expect[all->nr++] = (uintptr_t)raw_restorer + RAW_RESTORER_LEN;
	for (i = 0; i < sc->calls[0].nr; i++)
		all->expect[all->nr++] = sc->calls[0].expect[i];
	stack = lwt_first_stack(&sc->log);
	EXPECT_CHAIN(stack, all);
	EXPECT_EQ(LW_HOW_SIGFRAME, lwt_how(stack)[1]);
}

/* ------------------------------------------------------------------- sampling */

static const char *spin_from, *spin_to;

/* Half a second or so. */
static KEEP long spin(struct chain *chain)
{
	struct call *call = chain->arg;

	chain_note(chain);
	call_expect(call, chain);
	return raw_spin(200000000, &spin_from, &spin_to);
}

/* Of the stacks that begin there, how many are wrong; all in *@nr. */
static unsigned int count_wrong(struct scene *sc, unsigned int *nr)
{
	const struct call *all = scene_expect(sc);
	unsigned int wrong = 0;
	size_t i;

	*nr = 0;
	for (i = 0; i < sc->log.nr; i++) {
		struct lwt_stack *stack = sc->log.records[i].stack;

		if (stack->record.type != LW_RECORD_USER_STACK || !stack->nr ||
		    stack->frames[0] < (uintptr_t)spin_from ||
		    stack->frames[0] >= (uintptr_t)spin_to)
			continue;
		/* Where in the loop it was differs. */
		stack->frames[0] = all->expect[0];
		++*nr;
		if (call_matching(stack, all) != all->nr ||
		    count_interrupted(stack, all->nr) != sc->levels - 1)
			wrong++;
	}
	return wrong;
}

/* A handler on a stack of its own, and one in that. */
TEST_F(signal, is_gone_through_by_samples)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(2000000);
	stack_t alt = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct scene *sc = &self->sc;
	unsigned int nr;

	sc->levels = 3;
	sc->leaf = spin;
	ASSERT_EQ(0, sigaltstack(&alt, NULL));
	ASSERT_EQ(0, set_handler(SIGUSR1, raw_lone_restorer, SA_ONSTACK));
	ASSERT_EQ(0, set_handler(SIGUSR2, raw_restorer, SA_ONSTACK));
	ASSERT_EQ(0, lwt_add_event(sc->s.fd, &attr, LW_TARGET_TASK, 0, NULL));
	ASSERT_EQ(0, lwt_enable(sc->s.fd));
	scene_run(sc);
	ASSERT_EQ(0, lwt_disable(sc->s.fd));
	ASSERT_LT(0, lwt_read(&sc->s, &sc->log));
	EXPECT_EQ(0, count_wrong(sc, &nr));
	EXPECT_LT(10, nr);
}

/* --------------------------------------------------------- what is interrupted */

static int pipe_fds[2];

/* read() from a pipe that the handler writes to. */
static KEEP long read_here(struct chain *chain)
{
	struct call *call = chain->arg;
	char byte;
	long ret;

	chain_note(chain);
	ret = raw_syscall(SYS_read, pipe_fds[0], (long)&byte, 1, &call->ip);
	call->ret = ret;
	call_expect(call, chain);
	NO_TAIL_CALL(ret);
	return ret;
}

static KEEP long write_and_ask(struct chain *chain)
{
	long ret;

	chain_note(chain);
	if (write(pipe_fds[1], "x", 1) != 1)
		return -1;
	ret = call_ask(chain);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The parent sleeps nowhere but in read(). */
static pid_t fork_interrupter(struct scene *sc)
{
	pid_t parent = getpid(), pid = fork();
	bool asleep;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(&sc->s);
	asleep = lwt_wait(lwt_is(parent, "S"));
	_exit(kill(parent, SIGUSR1) || !asleep);
}

/* Return: exit status of who interrupts it, or -1. */
static int interrupt_read(struct scene *sc, unsigned long flags)
{
	int status = -1;
	pid_t pid;

	sc->leaf = write_and_ask;
	sc->chains[0].nr = 0;
	sc->calls[0].fd = sc->s.fd;
	if (pipe(pipe_fds) || set_handler(SIGUSR1, raw_restorer, flags))
		return -1;
	pid = fork_interrupter(sc);
	if (pid < 0)
		return -1;
	chain_run(&sc->chains[0], "abc", read_here, &sc->calls[0]);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* It has failed when the handler runs. */
TEST_F(signal, interrupts_a_system_call)
{
	struct scene *sc = &self->sc;

	ASSERT_EQ(0, interrupt_read(sc, 0));
	EXPECT_EQ(-EINTR, sc->calls[0].ret);
	EXPECT_SCENE(scene_answer(sc), sc);
}

/* It has yet to be made when the handler runs: the ip is that of its instruction. */
TEST_F(signal, interrupts_a_system_call_that_is_restarted)
{
	struct scene *sc = &self->sc;

	ASSERT_EQ(0, interrupt_read(sc, SA_RESTART));
	EXPECT_EQ(1, sc->calls[0].ret);
	sc->calls[0].expect[0] -= RAW_SYSCALL_LEN;
	EXPECT_SCENE(scene_answer(sc), sc);
}

/* ------------------------------------------------------------- made up frames */

FIXTURE(made)
{
	struct asker a;
	uint64_t *context;
	uint32_t *low;		/* memory that 32-bit code can reach */
};

#if defined(__x86_64__)
/* Of struct sigcontext_64: the code segment is the last of four halves. */
#define MADE_CS	18
#define CS_32	0x23
#define CS_64	0x33
#endif

FIXTURE_SETUP(made)
{
	ASSERT_EQ(0, asker_open(&self->a));
#if defined(__x86_64__)
	self->low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, self->low);
#endif
}

FIXTURE_TEARDOWN(made)
{
	asker_close(&self->a);
}

/* On top of the stack, for this restorer, @off bytes above the stack pointer then. */
static void make_frame(FIXTURE_DATA(made) *self, const void *restorer, unsigned int off)
{
	uint64_t *stack = self->a.stack;

	stack[0] = (uintptr_t)restorer;
	self->context = &stack[1 + off / 8];
	self->context[RAW_SIGCONTEXT_SP] = (uintptr_t)&stack[1000];
	self->context[RAW_SIGCONTEXT_IP] = (uintptr_t)raw_hostile_sframe_ip;
#if defined(__x86_64__)
	self->context[MADE_CS] = CS_64;
#elif defined(__s390x__)
	self->context[RAW_SIGCONTEXT_MASK] = RAW_MASK_64;
#endif
}

static struct lwt_stack *ask_made(FIXTURE_DATA(made) *self)
{
	return asker_ask(&self->a, raw_hostile_sframe, (uintptr_t)self->a.stack, 0, 0);
}

#if defined(__x86_64__)
TEST_F(made, frame_of_x32)
{
	struct lwt_stack *stack;

	make_frame(self, raw_x32_restorer, 24);
	stack = ask_made(self);
	ASSERT_NE(NULL, stack);
	ASSERT_EQ(3, stack->nr);
	EXPECT_EQ((uintptr_t)raw_x32_restorer, stack->frames[1]);
	EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, stack->frames[2]);
	EXPECT_EQ(LW_HOW_SIGFRAME, lwt_how(stack)[2]);
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
}

/* A 64-bit handler that has interrupted 32-bit code, as Wine's do. */
TEST_F(made, frame_in_32_bit_code)
{
	uint32_t low = (uintptr_t)self->low;
	struct lwt_stack *stack;

	make_frame(self, raw_lone_restorer, 40);
	self->context[RAW_SIGCONTEXT_IP] = low + 2048;
	self->context[RAW_SIGCONTEXT_SP] = low;
	self->context[RAW_SIGCONTEXT_FP] = low + 16;
	self->context[MADE_CS] = CS_32;
	/* Nothing that looks like a prologue. */
	memset((char *)self->low + 2048, 0x90, 1024);
	self->low[4] = low + 32;
	self->low[5] = low + 2100;
	self->low[8] = 0;
	self->low[9] = low + 2200;
	stack = ask_made(self);
	ASSERT_NE(NULL, stack);
	ASSERT_EQ(5, stack->nr);
	EXPECT_EQ(low + 2048, stack->frames[2]);
	EXPECT_EQ(low + 2100, stack->frames[3]);
	EXPECT_EQ(low + 2200, stack->frames[4]);
	EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[3]);
	EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[4]);
	EXPECT_EQ(LW_END_OUTERMOST_FP, stack->end);
}

/* 64-bit code does not return from a 32-bit handler. */
TEST_F(made, frame_of_32_bit_code_under_64_bit_code)
{
	struct lwt_stack *stack;

	make_frame(self, raw_ia32_restorer, 0);
	stack = ask_made(self);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(0, count_interrupted(stack, stack->nr));
}

#endif

/* Each sends to the other, on another stack: never the same twice in a row. */
TEST_F(made, frames_in_a_circle)
{
	uint64_t *stack = self->a.stack, *other = stack + 1000;
	struct lwt_stack *answer;

	make_frame(self, raw_lone_restorer, RAW_SIGCONTEXT);
	self->context[RAW_SIGCONTEXT_IP] = (uintptr_t)raw_restorer;
	self->context[RAW_SIGCONTEXT_SP] = (uintptr_t)other;
	self->context = &other[RAW_SIGCONTEXT / 8];
#if defined(__s390x__)
	self->context[RAW_SIGCONTEXT_MASK] = RAW_MASK_64;
#endif
	self->context[RAW_SIGCONTEXT_IP] = (uintptr_t)raw_lone_restorer;
	self->context[RAW_SIGCONTEXT_SP] = (uintptr_t)&stack[1];
	answer = ask_made(self);
	ASSERT_NE(NULL, answer);
	EXPECT_EQ(LW_MAX_DEPTH, answer->nr);
	EXPECT_EQ(LW_END_TRUNCATED, answer->end);
	EXPECT_EQ(LW_MAX_DEPTH - 2, count_interrupted(answer, answer->nr));
}

/* See programs/stack32.c; its exit status is the check that failed. */
TEST(knows_stacks_of_32_bit_code)
{
	const char *why = NULL;
	int status = lwt_run_32("./stack32", &why);

	if (why)
		SKIP(return, "%s", why);
	EXPECT_EQ(0, status)
		TH_LOG("programs/stack32.c failed at check %d", status);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
