/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/s390/kstack.h - the kernel stack of an event, by the kernel's own unwinder.
 */
#ifndef LW_ARCH_KSTACK_H
#define LW_ARCH_KSTACK_H

#include <asm/ptrace.h>
#include <asm/unwind.h>
#include <linux/sched.h>

/*
 * The kernel stack of current, from @regs on, as perf_callchain_kernel() has it.
 *
 * Registers of an interrupt and those of perf_fetch_caller_regs() both have the instruction pointer
 * and the stack pointer of the first frame, which is all that the unwinder takes.  Those of the
 * CPU's own sampling (cpum_sf) have no stack pointer: the unwinder does not start then, and must
 * not be asked on, as it would take what is at address 0 for a frame.  The stack is one frame.
 *
 * The unwinder follows the back chain.  In a prologue that has not stored the chain yet, and in a
 * function that calls nobody and does not save its return address, there may be no callers.
 *
 * Context: any.  s390 has no NMI but the machine check, in which no event is sampled: measurement
 * alerts of the CPUs are external interrupts.
 * Return: how many addresses, at least 1 and at most @room; the first is that of @regs.
 */
static inline unsigned int lw_arch_kstack(unsigned long *ips, unsigned int room,
					  struct pt_regs *regs, bool is_precise)
{
	struct unwind_state state;
	unsigned int nr = 0;
	unsigned long ip;

	ips[nr++] = instruction_pointer(regs);
	unwind_start(&state, current, regs, 0);
	/* The first frame is the one that @regs name. */
	while (nr < room && !unwind_done(&state) && unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		ips[nr++] = ip;
	}
	return nr;
}

#endif /* LW_ARCH_KSTACK_H */
