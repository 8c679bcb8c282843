// SPDX-License-Identifier: GPL-2.0
/*
 * shadow.c - the stack that calls make, kept by watching them.
 *
 * No unwind table and no frame pointer has a part in it, only what each
 * instruction did:
 *
 *   - A call has put the address behind it where the stack pointer is now, or, on arm64, in x30,
 *     or, on s390x, in r14.
 *   - Whatever raises the stack pointer above that (a return, longjmp(), an
 *     exception, add) has undone the call.  A jump to another function leaves it.
 *   - On arm64 and s390x a return does not raise it: it goes to that address with the same
 *     one.  What has undone calls by the stack pointer (longjmp(), an exception) then jumps to
 *     a frame that made a call with the one that there is now.
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

#if defined(__x86_64__)

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

/* A return raises the stack pointer. */
static bool is_return(const uint8_t *code, size_t len)
{
	(void)code;
	(void)len;
	return false;
}

static bool is_jump(const uint8_t *code, size_t len)
{
	return is_return(code, len);
}

#elif defined(__aarch64__)

static uint32_t insn_at(const uint8_t *code, size_t len)
{
	uint32_t insn = 0;

	if (len >= sizeof(insn))
		memcpy(&insn, code, sizeof(insn));
	return insn;
}

/**
 * shadow_is_call - does this instruction leave the address behind it in x30
 * @code: its bytes
 * @len: of them, or more
 *
 * bl; blr, blraa, blrab, blraaz and blrabz
 */
bool shadow_is_call(const uint8_t *code, size_t len)
{
	uint32_t insn = insn_at(code, len);

	return insn >> 26 == 0x25 || (insn & 0xfffffc1f) == 0xd63f0000 ||
	       (insn & 0xfefff800) == 0xd63f0800;
}

/**
 * shadow_is_syscall - is this the system call instruction
 * @code: its bytes
 * @len: of them, or more
 */
bool shadow_is_syscall(const uint8_t *code, size_t len)
{
	return insn_at(code, len) == 0xd4000001;
}

/* ret, retaa and retab */
static bool is_return(const uint8_t *code, size_t len)
{
	uint32_t insn = insn_at(code, len);

	return (insn & 0xfffffc1f) == 0xd65f0000 || (insn & 0xfffffbff) == 0xd65f0bff;
}

/* These, and br, braa, brab, braaz and brabz. */
static bool is_jump(const uint8_t *code, size_t len)
{
	uint32_t insn = insn_at(code, len);

	return is_return(code, len) || (insn & 0xfffffc1f) == 0xd61f0000 ||
	       (insn & 0xfefff800) == 0xd61f0800;
}

#elif defined(__s390x__)

/**
 * shadow_is_call - does this instruction leave the address behind it in r14
 * @code: its bytes
 * @len: of them, or more
 *
 * basr; bras and brasl
 */
bool shadow_is_call(const uint8_t *code, size_t len)
{
	if (len < 2)
		return false;
	return (code[0] == 0x0d && code[1] >> 4 == 14 && (code[1] & 0xf)) ||
	       (code[0] == 0xa7 && code[1] == 0xe5) || (code[0] == 0xc0 && code[1] == 0xe5);
}

/**
 * shadow_is_syscall - is this the system call instruction
 * @code: its bytes
 * @len: of them, or more
 */
bool shadow_is_syscall(const uint8_t *code, size_t len)
{
	return len >= 2 && code[0] == 0x0a;
}

/* bcr: a function may load the address to any register, as _init() does, and go there if. */
static bool is_return(const uint8_t *code, size_t len)
{
	return len >= 2 && code[0] == 0x07 && (code[1] & 0xf0) && (code[1] & 0xf);
}

static bool is_jump(const uint8_t *code, size_t len)
{
	return is_return(code, len);
}

#endif

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

/* Return: were there any? */
static bool pop_below(struct shadow *s, __u64 sp)
{
	size_t before = s->nr_calls;

	while (s->nr_calls > first_call(s) && s->calls[s->nr_calls - 1].slot < sp)
		s->nr_calls--;
	return s->nr_calls < before;
}

static void end_signal(struct shadow *s)
{
	s->nr_calls = first_call(s);
	s->nr_signals--;
}

/* Its return has taken the restorer's address only. */
static bool has_left(const struct shadow_signal *signal, __u64 sp)
{
	return sp > signal->frame + STEP_PUSHED || sp < signal->alt_start;
}

/* By its arguments, where a handler that begins here has struct ucontext, or 0; @uc: that. */
static __u64 read_context(const struct tracee *t, ucontext_t *uc)
{
	__u64 sp = step_sp(&t->regs), at = sp + STEP_PUSHED + STEP_UC_AT;

	if (step_third(&t->regs) == at)
		return tracee_read(t, at, uc, sizeof(*uc)) ? 0 : at;
#if defined(__s390x__)
	at = sp + STEP_OLD_UC_AT;
	if (step_second(&t->regs) == sp + STEP_SIGCONTEXT_AT &&
	    !tracee_read(t, at, uc, sizeof(*uc))) {
		/* Of struct ucontext only the registers are there. */
		memset(&uc->uc_stack, 0, sizeof(uc->uc_stack));
		return at;
	}
#endif
	return 0;
}

/*
 * Is this a handler's first instruction?  Says so by what the kernel left: its
 * arguments, and the interrupted registers, which we have seen.
 *
 * Return: where struct ucontext is, or 0; @uc: that.
 */
static __u64 handler_context(const struct tracee *t, const struct user_regs_struct *before,
			     ucontext_t *uc)
{
	__u64 ip, at;

	if (!t->given || step_argument(&t->regs) != (unsigned int)t->given)
		return 0;
	at = read_context(t, uc);
	if (!at || step_uc_sp(uc) != step_sp(before))
		return 0;
	ip = step_uc_ip(uc);
	/* A system call that will be made again. */
	return ip == step_ip(before) || ip == step_ip(before) - STEP_SYSCALL_LEN ? at : 0;
}

static bool is_within(__u64 sp, const stack_t *stack)
{
	__u64 start = (__u64)stack->ss_sp;

	return sp > start && sp <= start + stack->ss_size;
}

/* Where a call that was just made will return to. */
static int left_address(const struct tracee *t, __u64 *ra)
{
#if defined(__x86_64__)
	return tracee_read(t, step_sp(&t->regs), ra, sizeof(*ra));
#elif defined(__aarch64__)
	*ra = t->regs.regs[STEP_REG_RA];
	return 0;
#elif defined(__s390x__)
	*ra = t->regs.gprs[STEP_REG_RA];
	return 0;
#endif
}

/* @at: where @uc is. */
static int begin_signal(struct shadow *s, const struct tracee *t, const ucontext_t *uc, __u64 at)
{
	struct shadow_signal *signal = &s->signals[s->nr_signals];
	const stack_t *alt = &uc->uc_stack;
	__u64 restorer, sp = step_sp(&t->regs);

	if (s->nr_signals == SHADOW_SIGNALS)
		return -ENOSPC;
	if (left_address(t, &restorer))
		return -EFAULT;
	*signal = (struct shadow_signal) {
		.frame = sp,
		.context = at,
		.calls = s->nr_calls,
	};
	if (is_within(sp, alt) && !is_within(step_uc_sp(uc), alt))
		signal->alt_start = (__u64)alt->ss_sp;
	s->nr_signals++;
	return push(s, sp, restorer);
}

/* Is what was left the address behind the call? */
static int note_call(struct shadow *s, const struct tracee *t,
		     const struct user_regs_struct *before)
{
	__u64 ra;

	if (step_sp(&t->regs) != step_sp(before) - STEP_PUSHED)
		return 0;
	if (left_address(t, &ra))
		return -EFAULT;
	if (ra <= step_ip(before) || ra > step_ip(before) + TRACEE_MAX_INSN)
		return 0;
	return push(s, step_sp(&t->regs), ra);
}

/* Of a jump that was made with the stack pointer of the last call; not on x86. */
static void note_jump(struct shadow *s, const struct tracee *t, const uint8_t *code, size_t len)
{
	const struct shadow_call *last = s->nr_calls > first_call(s) ?
					 &s->calls[s->nr_calls - 1] : NULL;
	__u64 sp = step_sp(&t->regs);

	if (!is_jump(code, len))
		return;
	if (s->leaves)
		pop_below(s, sp + 1);
	else if (last && is_return(code, len) && last->slot == sp &&
		 last->ra == step_ip(&t->regs))
		s->nr_calls--;
	s->leaves = false;
}

static bool is_sigreturn(__u64 nr)
{
#if defined(__s390x__)
	if (nr == SYS_sigreturn)
		return true;
#endif
	return nr == SYS_rt_sigreturn;
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
	__u64 context;
	const uint8_t *code;
	size_t len;
	ucontext_t uc;

	context = handler_context(t, before, &uc);
	if (context)
		return begin_signal(s, t, &uc, context);
	len = tracee_code(t, step_ip(before), &code);
	if (shadow_is_syscall(code, len) && is_sigreturn(step_syscall(before, code)) &&
	    s->nr_signals)
		end_signal(s);
	shadow_left(s, step_sp(&t->regs));
	note_jump(s, t, code, len);
	return shadow_is_call(code, len) ? note_call(s, t, before) : 0;
}

/**
 * shadow_left - forget calls and handlers that are over
 * @s: shadow stack
 * @sp: where the stack pointer is now
 */
void shadow_left(struct shadow *s, __u64 sp)
{
	while (s->nr_signals && has_left(&s->signals[s->nr_signals - 1], sp)) {
		end_signal(s);
		s->leaves = true;
	}
	if (pop_below(s, sp))
		s->leaves = true;
}

/**
 * shadow_landed - forget what is over where a call has returned, or was left, unseen
 * @s: shadow stack
 * @sp: where the stack pointer is now
 */
void shadow_landed(struct shadow *s, __u64 sp)
{
	shadow_left(s, sp);
	if (!STEP_PUSHED)
		pop_below(s, sp + 1);
	s->leaves = false;
}

/**
 * shadow_reset - nothing was called: another program
 * @s: shadow stack
 */
void shadow_reset(struct shadow *s)
{
	s->nr_calls = 0;
	s->nr_signals = 0;
	s->leaves = false;
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
 * Return: calls, from the outermost on, whose return address is where it was; all where calls
 * leave it in a register.
 */
size_t shadow_sound(const struct shadow *s, const struct tracee *t)
{
	size_t i;
	__u64 ra;

	if (!STEP_PUSHED)
		return s->nr_calls;
	for (i = 0; i < s->nr_calls; i++)
		if (tracee_read(t, s->calls[i].slot, &ra, sizeof(ra)) ||
		    ra != s->calls[i].ra)
			break;
	return i;
}

/* Where it will go on: a handler may have changed that. */
static __u64 interrupted_ip(const struct shadow_signal *signal, const struct tracee *t)
{
	ucontext_t uc = { 0 };

	tracee_read(t, signal->context, &uc, sizeof(uc));
	return step_uc_ip(&uc);
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
	chain[nr++] = step_ip(&t->regs);
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
