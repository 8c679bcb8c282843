/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/x86/kstack.h - the kernel stack of an event, by the kernel's own unwinder.
 */
#ifndef LW_ARCH_KSTACK_H
#define LW_ARCH_KSTACK_H

#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>
#include <linux/sched.h>

/* A return address is at most this far behind the call. */
#define LW_ARCH_CALL_MAX	16

/*
 * The kernel stack of current, from @regs on, without the functions that handle the event.
 *
 * Registers of an interrupt are a frame, and have the flag that is always set.
 * perf_fetch_caller_regs(), for a tracepoint or a software event, leaves out the flags: the
 * stack pointer says which frame is the first, mostly the one that @regs name.  The same holds
 * for a precise event, whose instruction pointer is of another moment than the rest.
 *
 * Context: any, NMI too.
 * Return: how many addresses, at least 1 and at most @room; the first is that of @regs.
 */
static inline unsigned int lw_arch_kstack(unsigned long *ips, unsigned int room,
					  struct pt_regs *regs, bool is_precise)
{
	bool is_frame = regs->flags & X86_EFLAGS_FIXED && !is_precise;
	struct unwind_state state;
	bool is_first = !is_frame;
	unsigned int nr = 0;
	unsigned long ip;

	ips[nr++] = regs->ip;
	unwind_start(&state, current, is_frame ? regs : NULL,
		     is_frame ? NULL : (unsigned long *)regs->sp);
	for (; nr < room && !unwind_done(&state); unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		/* Not the frame that @regs name once more. */
		if (!is_first || ip - regs->ip >= LW_ARCH_CALL_MAX)
			ips[nr++] = ip;
		is_first = false;
	}
	return nr;
}

#endif /* LW_ARCH_KSTACK_H */
