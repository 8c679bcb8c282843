// SPDX-License-Identifier: GPL-2.0
/*
 * shadow.c - the stack that calls make, kept by watching them.
 *
 * No unwind table and no frame pointer has a part in it, only what each
 * instruction did:
 *
 *   - A call has put the address behind it where the stack pointer is now.
 *   - Whatever raises the stack pointer above that (a return, longjmp(), an
 *     exception, add) has undone the call.  A jump to another function leaves it.
 *   - A handler starts with the registers that the kernel gives it: its stack
 *     pointer is at the restorer's address, below what is struct ucontext.  It
 *     is over by rt_sigreturn(), or when the stack pointer leaves what is its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "shadow.h"

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	default:
		return (byte & 0xf0) == 0x40;	/* REX */
	}
}

/**
 * shadow_is_call - does this instruction push the address behind it
 * @code: its bytes
 * @len: of them, or more
 */
bool shadow_is_call(const uint8_t *code, size_t len)
{
	size_t i = 0;

	while (i < len && is_prefix(code[i]))
		i++;
	if (i == len)
		return false;
	if (code[i] == 0xe8)
		return true;
	/* Group 5: /2 and /3 are calls by register or memory. */
	return code[i] == 0xff && i + 1 < len && (code[i + 1] >> 3 & 6) == 2;
}

/**
 * shadow_is_syscall - is this the system call instruction
 * @code: its bytes
 * @len: of them, or more
 */
bool shadow_is_syscall(const uint8_t *code, size_t len)
{
	return len >= 2 && code[0] == 0x0f && code[1] == 0x05;
}

/* What is not part of the handler, or the program, that runs now. */
static size_t first_call(const struct shadow *s)
{
	return s->nr_signals ? s->signals[s->nr_signals - 1].calls : 0;
}

static int push(struct shadow *s, __u64 slot, __u64 ra)
{
	if (s->nr_calls == s->room) {
		size_t room = s->room * 2 + 256;
		struct shadow_call *calls = realloc(s->calls, room * sizeof(*calls));

		if (!calls)
			return -ENOMEM;
		s->calls = calls;
		s->room = room;
	}
	s->calls[s->nr_calls++] = (struct shadow_call) { slot, ra };
	return 0;
}

static void pop_below(struct shadow *s, __u64 sp)
{
	while (s->nr_calls > first_call(s) && s->calls[s->nr_calls - 1].slot < sp)
		s->nr_calls--;
}

static void end_signal(struct shadow *s)
{
	s->nr_calls = first_call(s);
	s->nr_signals--;
}

/* Its return has taken the restorer's address only. */
static bool has_left(const struct shadow_signal *signal, __u64 sp)
{
	return sp > signal->frame + 8 || sp < signal->alt_start;
}

/*
 * Is this a handler's first instruction?  Says so by what the kernel left: its
 * arguments, and the interrupted registers, which we have seen.
 */
static bool is_handler(const struct tracee *t, const struct user_regs_struct *before,
		       ucontext_t *uc)
{
	__u64 ip;

	if (!t->given || t->regs.rdi != (unsigned int)t->given ||
	    t->regs.rdx != t->regs.rsp + 8 ||
	    tracee_read(t, t->regs.rdx, uc, sizeof(*uc)))
		return false;
	ip = uc->uc_mcontext.gregs[REG_RIP];
	/* A system call that will be made again. */
	return (ip == before->rip || ip == before->rip - 2) &&
	       (__u64)uc->uc_mcontext.gregs[REG_RSP] == before->rsp;
}

static bool is_within(__u64 sp, const stack_t *stack)
{
	__u64 start = (__u64)stack->ss_sp;

	return sp > start && sp <= start + stack->ss_size;
}

static int begin_signal(struct shadow *s, const struct tracee *t, const ucontext_t *uc)
{
	struct shadow_signal *signal = &s->signals[s->nr_signals];
	const stack_t *alt = &uc->uc_stack;
	__u64 restorer;

	if (s->nr_signals == SHADOW_SIGNALS)
		return -ENOSPC;
	if (tracee_read(t, t->regs.rsp, &restorer, sizeof(restorer)))
		return -EFAULT;
	*signal = (struct shadow_signal) {
		.frame = t->regs.rsp,
		.calls = s->nr_calls,
	};
	if (is_within(t->regs.rsp, alt) &&
	    !is_within(uc->uc_mcontext.gregs[REG_RSP], alt))
		signal->alt_start = (__u64)alt->ss_sp;
	s->nr_signals++;
	return push(s, t->regs.rsp, restorer);
}

/* Is what was pushed the address behind the call? */
static int note_call(struct shadow *s, const struct tracee *t,
		     const struct user_regs_struct *before)
{
	__u64 ra;

	if (t->regs.rsp != before->rsp - 8)
		return 0;
	if (tracee_read(t, t->regs.rsp, &ra, sizeof(ra)))
		return -EFAULT;
	if (ra <= before->rip || ra > before->rip + TRACEE_MAX_INSN)
		return 0;
	return push(s, t->regs.rsp, ra);
}

/**
 * shadow_step - follow what was done since the last stop
 * @s: shadow stack
 * @t: at a TRACEE_STEP
 * @before: registers at the last stop
 *
 * Return: 0; or -errno, which is no fault of the tracee's.
 */
int shadow_step(struct shadow *s, struct tracee *t, const struct user_regs_struct *before)
{
	const uint8_t *code;
	size_t len;
	ucontext_t uc;

	if (is_handler(t, before, &uc))
		return begin_signal(s, t, &uc);
	len = tracee_code(t, before->rip, &code);
	if (shadow_is_syscall(code, len) && before->rax == SYS_rt_sigreturn &&
	    s->nr_signals)
		end_signal(s);
	shadow_left(s, t->regs.rsp);
	return shadow_is_call(code, len) ? note_call(s, t, before) : 0;
}

/**
 * shadow_left - forget calls and handlers that are over
 * @s: shadow stack
 * @sp: where the stack pointer is now
 */
void shadow_left(struct shadow *s, __u64 sp)
{
	while (s->nr_signals && has_left(&s->signals[s->nr_signals - 1], sp))
		end_signal(s);
	pop_below(s, sp);
}

/**
 * shadow_reset - nothing was called: another program
 * @s: shadow stack
 */
void shadow_reset(struct shadow *s)
{
	s->nr_calls = 0;
	s->nr_signals = 0;
}

/**
 * shadow_free - give back its memory
 * @s: shadow stack
 */
void shadow_free(struct shadow *s)
{
	free(s->calls);
	memset(s, 0, sizeof(*s));
}

/**
 * shadow_sound - how much of it is still so, after steps that were not seen
 * @s: shadow stack
 * @t: stopped
 *
 * Return: calls, from the outermost on, whose return address is where it was.
 */
size_t shadow_sound(const struct shadow *s, const struct tracee *t)
{
	size_t i;
	__u64 ra;

	for (i = 0; i < s->nr_calls; i++)
		if (tracee_read(t, s->calls[i].slot, &ra, sizeof(ra)) ||
		    ra != s->calls[i].ra)
			break;
	return i;
}

/* Where it will go on: a handler may have changed that. */
static __u64 interrupted_ip(const struct shadow_signal *signal, const struct tracee *t)
{
	const ucontext_t *uc = (const ucontext_t *)(signal->frame + 8);
	greg_t ip = 0;

	tracee_read(t, (__u64)&uc->uc_mcontext.gregs[REG_RIP], &ip, sizeof(ip));
	return ip;
}

/**
 * shadow_chain - the stack, topmost first
 * @s: shadow stack
 * @t: stopped where that is
 * @chain: out
 * @exact: out, of each: it is no return address
 * @room: in both, at least 1
 *
 * Return: addresses at @chain.
 */
size_t shadow_chain(const struct shadow *s, const struct tracee *t, __u64 *chain, bool *exact,
		    size_t room)
{
	size_t nr = 0, at = s->nr_calls, signal = s->nr_signals;

	memset(exact, 0, room * sizeof(*exact));
	exact[0] = true;
	chain[nr++] = t->regs.rip;
	for (;;) {
		size_t first = signal ? s->signals[signal - 1].calls : 0;

		while (at > first && nr < room)
			chain[nr++] = s->calls[--at].ra;
		if (!signal || nr == room)
			return nr;
		exact[nr] = true;
		chain[nr++] = interrupted_ip(&s->signals[--signal], t);
	}
}
