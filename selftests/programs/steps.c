// SPDX-License-Identifier: GPL-2.0
/*
 * steps.c - for step_oracle: frames of many kinds, to be gone through one
 * instruction at a time.
 *
 *	steps		all of it
 *
 * Fails if what it computes is wrong: nothing that looks on may change that.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "steps.h"

/* ------------------------------------------------------------ frames */

/* Locals below the stack pointer. */
static STEP_FUNCTION long red_zone(long n)
{
	volatile long local[8];
	long i, sum = 0;

	for (i = 0; i < 8; i++)
		local[i] = n + i;
	for (i = 0; i < 8; i++)
		sum += local[i];
	return sum;
}

/* All registers that a callee saves. */
static STEP_FUNCTION long many_registers(long a, long b, long c)
{
	long d = a * b, e = b * c, f = a * c, g = d ^ e, h = e ^ f, i;

	for (i = 0; i < 3; i++) {
		long t = red_zone(a + i);

		a += t ^ d;
		b += a ^ e;
		c += b ^ f;
		d += c ^ g;
		e += d ^ h;
		f += e ^ t;
		g += f;
		h += g;
	}
	return a + b + c + d + e + f + g + h;
}

static STEP_FUNCTION long big_frame(long n)
{
	volatile char local[70000];

	local[n] = 1;
	local[sizeof(local) - 1] = 2;
	return local[n] + red_zone(n);
}

static STEP_FUNCTION long uses_alloca(long n)
{
	char *local = alloca(n);
	long sum;

	memset(local, 1, n);
	STEP_USE(local);
	sum = red_zone(local[n - 1]);
	return sum + local[0];
}

static STEP_FUNCTION long variable_array(long n)
{
	long local[n], i;

	for (i = 0; i < n; i++)
		local[i] = red_zone(i);
	return local[n / 2];
}

/* The stack is aligned, and arguments on it are reached by another register. */
static STEP_FUNCTION long aligned(long a, long b, long c, long d, long e, long f, long g,
				  long h)
{
	char local[64] __attribute__((aligned(64)));
	char *more = alloca(a + 16);

	memset(local, b, sizeof(local));
	memset(more, c, a);
	STEP_USE(more);
	return red_zone(local[d & 63]) + more[0] + e + f + g + h +
	       (long)((uintptr_t)local % 64);
}

/* Where there is little to do it saves nothing. */
static STEP_FUNCTION long shrink_wrapped(long n)
{
	if (n < 10)
		return n;
	return many_registers(n, n + 1, n + 2) + red_zone(n);
}

static __attribute__((cold)) STEP_FUNCTION void seldom(long *n)
{
	*n += 1;
}

/* Its unlikely half is elsewhere. */
static STEP_FUNCTION long split(long n)
{
	long local[4] = { n, n + 1, n + 2, n + 3 };

	if (__builtin_expect(n > 5, 0)) {
		seldom(&local[n & 3]);
		local[0] += red_zone(n);
		seldom(&local[1]);
	}
	STEP_USE(n);
	return local[0] + local[1] + many_registers(n, 1, 2);
}

static STEP_FUNCTION long last_of_all(long n)
{
	return n + 1;
}

static STEP_FUNCTION long tail_call(long n)
{
	long t = red_zone(n);

	STEP_USE(t);
	return last_of_all(t);
}

static STEP_FUNCTION long tail_call_by_pointer(long n, long (*fn)(long))
{
	n = red_zone(n);
	STEP_USE(fn);
	return fn(n);
}

/* Through the PLT, or the GOT. */
static STEP_FUNCTION long tail_call_of_libc(const char *text)
{
	STEP_USE(text);
	return labs(strtol(text, NULL, 0));
}

static STEP_FUNCTION long recurses(long n)
{
	long ret;

	if (!n)
		return 1;
	ret = recurses(n - 1) + 1;
	STEP_USE(ret);
	return ret;
}

static STEP_FUNCTION long steps_frames(void)
{
	long sum = red_zone(1) + many_registers(1, 2, 3) + big_frame(100);

	sum += uses_alloca(40) + uses_alloca(5000) + variable_array(7);
	sum += aligned(8, 1, 2, 3, 4, 5, 6, 7) + aligned(3000, 1, 2, 3, 4, 5, 6, 7);
	sum += shrink_wrapped(1) + shrink_wrapped(20) + split(1) + split(6);
	sum += tail_call(3) + tail_call_by_pointer(4, last_of_all);
	sum += tail_call_of_libc("-77") + recurses(40);
	return sum;
}

/* No function of another file: its table does not tell of registers. */
static STEP_FUNCTION long uses_registers(long n)
{
	return many_registers(n, 2, 3) + recurses(3) + shrink_wrapped(n);
}

static STEP_FUNCTION long by_r12(long n)
{
	long ret = steps_asm_by_r12(n, uses_registers);

	STEP_USE(ret);
	return ret;
}

static STEP_FUNCTION int steps_by_registers(void)
{
	return steps_asm_by_rbx(7, by_r12) == uses_registers(7) &&
	       steps_asm_by_rbx(2, uses_registers) == uses_registers(2);
}

static STEP_FUNCTION int steps_asm(void)
{
	return steps_asm_pushes(1) == 2 && steps_asm_moves_cfa(2) == 3 &&
	       steps_asm_remembers(3) == 4 && steps_asm_remembers(4) == 5 &&
	       steps_asm_swaps(5) == 6 && steps_asm_enter(6) == 7 &&
	       steps_asm_jumps(7, last_of_all) == 8;
}

/* ------------------------------------------------------------ ways out */

static jmp_buf back;
static sigjmp_buf sigback;

static __attribute__((noreturn)) STEP_FUNCTION void never_returns(long n)
{
	red_zone(n);
	longjmp(back, 1);
}

/* The call is the function's last instruction. */
static STEP_FUNCTION void ends_with_a_call(long n)
{
	char local[100];

	memset(local, n, sizeof(local));
	STEP_USE(n);
	never_returns(local[1]);
}

static STEP_FUNCTION int steps_jumps(void)
{
	volatile int ways = 0;

	if (!setjmp(back))
		ends_with_a_call(1);
	ways++;
	if (!setjmp(back))
		steps_asm_ends(2, never_returns);
	ways++;
	if (!sigsetjmp(sigback, 1))
		siglongjmp(sigback, 2);
	return ++ways == 3;
}

/* ------------------------------------------------------------ libraries */

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* First through the PLT to the linker, then through the PLT. */
static STEP_FUNCTION int steps_libraries(void)
{
	int numbers[] = { 5, 3, 9, 1, 7 };
	struct timespec ts;
	char text[100];

	snprintf(text, sizeof(text), "%s %d %g %p", "text", 42, 1.5, (void *)text);
	qsort(numbers, 5, sizeof(*numbers), compare);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	time(NULL);
	return numbers[0] == 1 && numbers[4] == 9 && strlen(text) > 10 &&
	       strlen(text + 1) > 10 && !strncmp(text, "text", 4) && memchr(text, '4', 10);
}

static STEP_FUNCTION int steps_dlopen(void)
{
	void *lib = dlopen("libm.so.6", RTLD_LAZY);
	double (*function)(double) = lib ? (double (*)(double))dlsym(lib, "cbrt") : NULL;
	int ok = function && function(27.0) > 2.99;

	if (lib)
		dlclose(lib);
	return ok;
}

static STEP_FUNCTION int steps_fork(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(3);
	return waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3;
}

/* ------------------------------------------------------------ signals */

static volatile int handled, nest;

static void handler(int sig)
{
	handled++;
	red_zone(sig);
	if (nest && nest--)
		raise(sig == SIGUSR1 ? SIGUSR2 : SIGUSR1);
}

static void jumping_handler(int sig)
{
	handled++;
	red_zone(sig);
	siglongjmp(sigback, 1);
}

static void skipping_handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	handled++;
	red_zone(sig);
	uc->uc_mcontext.gregs[REG_RIP] += 2;	/* ud2 */
}

static STEP_FUNCTION int on(int sig, void (*fn)(int), int flags)
{
	struct sigaction action = { .sa_handler = fn, .sa_flags = flags };

	return sigaction(sig, &action, NULL);
}

/* A fault at an instruction: the first of a function, to be mean. */
static STEP_FUNCTION __attribute__((naked)) void trap(void)
{
	asm("ud2; ret");
}

static STEP_FUNCTION void faults(void)
{
	volatile char *nowhere = (volatile char *)8;

	STEP_USE(nowhere);
	if (!sigsetjmp(sigback, 1))
		*nowhere = 1;
}

static STEP_FUNCTION int steps_signals(void)
{
	struct sigaction skips = {
		.sa_sigaction = skipping_handler, .sa_flags = SA_SIGINFO,
	};

	handled = 0;
	on(SIGUSR1, handler, 0);
	on(SIGUSR2, handler, SA_NODEFER);
	raise(SIGUSR1);
	nest = 3;
	raise(SIGUSR2);
	on(SIGSEGV, jumping_handler, 0);
	faults();
	sigaction(SIGILL, &skips, NULL);
	trap();
	return handled >= 7 && handled <= 10;
}

/* The alternate stack is above the other one or below it. */
static STEP_FUNCTION int alternate(char *stack, size_t size)
{
	stack_t alt = { .ss_sp = stack, .ss_size = size };

	handled = 0;
	if (sigaltstack(&alt, NULL))
		return 0;
	on(SIGUSR1, handler, SA_ONSTACK);
	on(SIGUSR2, handler, 0);
	raise(SIGUSR1);
	nest = 2;
	raise(SIGUSR1);
	nest = 2;
	raise(SIGUSR2);
	on(SIGSEGV, jumping_handler, SA_ONSTACK);
	faults();
	alt.ss_flags = SS_DISABLE;
	sigaltstack(&alt, NULL);
	return handled >= 5;
}

static STEP_FUNCTION int steps_altstack(void)
{
	static char below[1 << 16] __attribute__((aligned(16)));
	/* As far up as a mapping can be. */
	char *above = mmap((void *)0x7fffffff0000, 1 << 15, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ok = alternate(below, sizeof(below));

	if (above != MAP_FAILED && (char *)__builtin_frame_address(0) < above)
		ok &= alternate(above, 1 << 15);
	if (above != MAP_FAILED)
		munmap(above, 1 << 15);
	return ok;
}

static int failed(const char *what)
{
	fprintf(stderr, "steps: %s\n", what);
	return 1;
}

int main(void)
{
	if (!steps_frames())
		return failed("frames");
	/* Sections of version 2 tell of no saved registers, so that no caller by these is sure. */
	if (!steps_asm() || (!STEP_SECTIONS && !steps_by_registers()))
		return failed("asm");
	if (!steps_jumps())
		return failed("jumps");
	if (!steps_libraries())
		return failed("libraries");
	if (!steps_signals())
		return failed("signals");
	if (!steps_altstack())
		return failed("altstack");
	if (!steps_fork())
		return failed("fork");
	if (!steps_dlopen())
		return failed("dlopen");
	return 0;
}
