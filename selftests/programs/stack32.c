// SPDX-License-Identifier: GPL-2.0
/*
 * stack32.c - a 32-bit program that knows its stacks, with frame pointers, on s390x with a back
 * chain, and without any libc: from system calls, made here or by the vDSO, and from signal
 * handlers with each restorer that there is.
 *
 * Exits with the number of the check that failed, 0 if none did.
 */
#include "stack32.h"

#define RING		65536
#define MAX_FRAMES	32
#define AT_SYSINFO	32
#define SIGUSR1		10
#define SIGUSR2		12
#define SA_SIGINFO	4
#define SA_ONSTACK	0x08000000
#define SA_RESTORER	0x04000000
#define RA		((__u32)__builtin_return_address(0))

/* Of the request: made here, or by what AT_SYSINFO names. */
typedef long (*call_fn)(long nr, long a, long b, long c);

static struct {
	long fd;
	struct lw_ring_consumer *consumer;
	struct lw_ring_producer *ring;
	struct lw_request request;
	call_fn call;
	__u32 ip;			/* the call returns to, 0: not known */
	__u32 vsyscall;
	unsigned int nr;		/* return addresses, outermost first */
	__u32 ra[MAX_FRAMES];
	unsigned int signals;		/* still to raise */
} this;

static char other_stack[16384];

static void note(__u32 ra)
{
	this.ra[this.nr++] = ra & ~STATE_BITS;
}

KEEP void note_caller(__u32 ra)
{
	note(ra);
}

static KEEP long by_itself(long nr, long a, long b, long c)
{
	note(RA);
	return call_here(nr, a, b, c, &this.ip);
}

#if defined(__arm__)
__u32 left_by_leaf[2];

static void note_leaf(void)
{
	this.ip = left_by_leaf[0];
	note(left_by_leaf[1]);
}
#endif

#if defined(__i386__)
/* One more frame, in the vDSO, which has pushed three registers. */
static KEEP long by_vsyscall(long nr, long a, long b, long c)
{
	long ret;

	note(RA);
	asm volatile("movl $1f, %[ra]\n\t"
		     "call *%[to]\n"
		     "1:"
		     : "=a"(ret), [ra] "=m"(this.ra[this.nr])
		     : "0"(nr), "b"(a), "c"(b), "d"(c), [to] "m"(this.vsyscall)
		     : "memory");
	this.nr++;
	this.ip = 0;
	return ret;
}
#endif

static KEEP long ask(void)
{
	long ret;

	note(RA);
	ret = this.call(__NR_ioctl, this.fd, LW_IOC_REQUEST, (long)&this.request);
	asm volatile("" : : : "memory");
	return ret;
}

static KEEP long third(void)
{
	char room[100];
	long ret;

	note(RA);
	asm volatile("" : : "r"(room) : "memory");
	ret = through_other_frames();
	asm volatile("" : : "r"(room) : "memory");
	return ret;
}

static KEEP long second(void)
{
	long ret;

	note(RA);
	ret = third();
	asm volatile("" : : : "memory");
	return ret;
}

static KEEP void handler(int sig)
{
	(void)sig;
	note(RA);
	second();
	asm volatile("" : : : "memory");
}

/* What the handler interrupts is behind the instruction that makes the call. */
static KEEP long raise_here(long pid, long sig)
{
	note(RA);
	return call_here(__NR_kill, pid, sig, 0, &this.ra[this.nr++]);
}

KEEP long raise_or_ask(void)
{
	long ret;

	note(RA);
	if (!this.signals)
		ret = ask();
	else
		ret = raise_here(call(__NR_getpid, 0, 0, 0),
				 this.signals-- % 2 ? SIGUSR1 : SIGUSR2);
	asm volatile("" : : : "memory");
	return ret;
}

static KEEP long first(void)
{
	long ret;

	this.nr = 0;
	note(RA);
	ret = second();
	asm volatile("" : : : "memory");
	return ret;
}

/* The record that the request has left, which is the only one. */
static struct lw_user_stack *read_stack(void)
{
	struct lw_user_stack *stack;

	stack = (void *)((char *)this.ring + this.ring->data_offset +
			 this.consumer->pos % RING);
	if (this.ring->pos - this.consumer->pos < sizeof(*stack) ||
	    stack->record.type != LW_RECORD_USER_STACK ||
	    stack->cookie.counter != this.request.cookie.counter)
		return (void *)0;
	this.consumer->pos = this.ring->pos;
	return stack;
}

/* Its addresses are all below 4 GiB. */
static _Bool has_runs(const struct lw_user_stack *stack)
{
	unsigned int i, nr = 0;

	for (i = 0; i < stack->nr_runs; i++) {
		if (!stack->runs[i].nr || stack->runs[i].high)
			return 0;
		nr += stack->runs[i].nr;
	}
	return nr == stack->nr;
}

static __u8 how_of(const struct lw_user_stack *stack, unsigned int frame)
{
	const struct lw_frame_run *run = stack->runs;

	for (; frame >= run->nr; run++)
		frame -= run->nr;
	return run->how;
}

/* @sigframes: how many of its frames were interrupted by a signal. */
static int check_answer(unsigned int sigframes)
{
	struct lw_user_stack *stack = read_stack();
	unsigned int i, from = 0;
	__u32 *frames;

	CHECK(1, stack);
	frames = (__u32 *)&stack->runs[stack->nr_runs];
	/* The first address of all is in the vDSO, or we know it. */
	CHECK(2, stack->nr > this.nr && has_runs(stack));
	CHECK(3, !this.ip || frames[0] == this.ip);
	for (i = 1; i <= this.nr; i++) {
		__u8 how = how_of(stack, i);

		CHECK(4, frames[i] == this.ra[this.nr - i]);
		CHECK(5, how == LW_HOW_FP || how == LW_HOW_SIGFRAME);
		from += how == LW_HOW_SIGFRAME;
	}
	CHECK(6, from == sigframes);
	/* Up to _start(), whose caller has a frame pointer or a back chain of 0. */
	CHECK(7, frames[stack->nr - 1] - (__u32)_start < 32);
	CHECK(8, stack->end == END);
	return 0;
}

static int ask_by(call_fn how, unsigned int signals)
{
	this.call = how;
	this.signals = signals;
	this.request.size = sizeof(this.request);
	return first() ? 9 : check_answer(signals);
}

struct kernel_sigaction32 {
	__u32 handler;
	__u32 flags;
	__u32 restorer;
	__u32 mask[2];
};

static long set_handler(int sig, __u32 flags, void (*with)(void))
{
	struct kernel_sigaction32 action = {
		.handler = (__u32)handler,
		.flags = flags | (with ? SA_RESTORER : 0),
		.restorer = (__u32)with,
	};

	return call5(__NR_rt_sigaction, sig, (long)&action, 0, sizeof(action.mask), 0);
}

static long use_other_stack(void)
{
	struct {
		__u32 sp;
		__u32 flags;
		__u32 size;
	} stack = { (__u32)other_stack, 0, sizeof(other_stack) };

	return call(__NR_sigaltstack, (long)&stack, 0, 0);
}

static int open_session(void)
{
	struct lw_setup setup = { .size = sizeof(setup), .ring_size = RING };
	__u32 cpu0 = 1;

	CHECK(10, !call(__NR_sched_setaffinity, 0, sizeof(cpu0), (long)&cpu0));
	this.fd = call(__NR_open, (long)LW_DEVICE_PATH, O_RDWR, 0);
	CHECK(11, this.fd >= 0);
	CHECK(12, !call(__NR_ioctl, this.fd, LW_IOC_SETUP, (long)&setup));
	this.consumer = map(this.fd, 4096, PROT_READ | PROT_WRITE, LW_MMAP_CONSUMER(0));
	this.ring = map(this.fd, 4096 + 2 * RING, PROT_READ, LW_MMAP_PRODUCER(0));
	CHECK(13, this.consumer && this.ring);
	return 0;
}

/* Both kinds of frames, one in the other, with these restorers (NULL: the kernel's). */
static int through_handlers(int base, __u32 flags, void (*plain)(void), void (*rt)(void))
{
	int ret;

	CHECK(base, !set_handler(SIGUSR1, flags, plain));
	CHECK(base, !set_handler(SIGUSR2, flags | SA_SIGINFO, rt));
	ret = ask_by(by_itself, 2);
	return ret ? base + ret : 0;
}

static int run_all(void)
{
	int ret = open_session();

	if (ret)
		return ret;
	ret = ask_by(by_itself, 0);
	CHECK(20 + ret, !ret);
#if defined(__i386__)
	if (this.vsyscall) {
		ret = ask_by(by_vsyscall, 0);
		CHECK(30 + ret, !ret);
	}
#elif defined(__arm__)
	this.call = by_leaf;
	CHECK(30, !first());
	note_leaf();
	ret = check_answer(0);
	CHECK(30 + ret, !ret);
#endif
	if (this.vsyscall || HAS_RESTORERS) {
		ret = through_handlers(40, 0, (void *)0, (void *)0);
		CHECK(ret, !ret);
	}
	ret = through_handlers(60, 0, restorer, rt_restorer);
	CHECK(ret, !ret);
	CHECK(80, !use_other_stack());
	ret = through_handlers(81, SA_ONSTACK, restorer, rt_restorer);
	CHECK(ret, !ret);
	return 0;
}

/* What the kernel has left at the stack pointer: argc, argv, NULL, env, NULL, auxv. */
KEEP __attribute__((noreturn, used)) void start(const __u32 *stack)
{
	const __u32 *at = stack + stack[0] + 2;

	while (*at++)
		;
	for (; at[0]; at += 2)
		if (at[0] == AT_SYSINFO)
			this.vsyscall = at[1];
	call(__NR_exit, run_all(), 0, 0);
	for (;;)
		;
}
