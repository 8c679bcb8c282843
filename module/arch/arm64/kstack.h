/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch/arm64/kstack.h - the kernel stack of an event, by the kernel's own unwinder.
 */
#ifndef LW_ARCH_KSTACK_H
#define LW_ARCH_KSTACK_H

#include <asm/ptrace.h>
#include <linux/kernel.h>
#include <linux/stacktrace.h>

/* Frames between this function and the one that an event is in, at most. */
#define LW_ARM64_HANDLERS	64
#define LW_ARM64_AT_ONCE	16

/* Return: how many frames are in front of that at @pc, or LW_ARM64_HANDLERS. */
static noinline unsigned int lw_arm64_find_frame(unsigned long pc)
{
	unsigned long ips[LW_ARM64_AT_ONCE];
	unsigned int skip, nr, i;

	for (skip = 0; skip < LW_ARM64_HANDLERS; skip += LW_ARM64_AT_ONCE) {
		nr = stack_trace_save(ips, LW_ARM64_AT_ONCE, skip);
		for (i = 0; i < nr; i++)
			if (ips[i] == pc)
				return skip + i;
		if (nr < LW_ARM64_AT_ONCE)
			break;
	}
	return LW_ARM64_HANDLERS;
}

/*
 * The kernel stack of current, from @regs on, without the functions that handle the event.
 *
 * A module can't start the kernel's unwinder at registers.  So it starts here, and the frame of
 * @regs is looked for: that of an interrupt has its address, and so have the registers of a
 * tracepoint or a software event.
 *
 * Context: any, NMI too.
 * Return: how many addresses, at least 1 and at most @room; the first is that of @regs.
 */
static noinline unsigned int lw_arch_kstack(unsigned long *ips, unsigned int room,
					    struct pt_regs *regs, bool is_precise)
{
	unsigned long pc = instruction_pointer(regs);
	unsigned int skip = lw_arm64_find_frame(pc), nr = 0;

	/* Both functions are called from the same one, from two places. */
	if (skip < LW_ARM64_HANDLERS)
		nr = stack_trace_save(ips, room, skip - 1);
	if (nr)
		return nr;
	ips[0] = pc;
	return 1;
}

#endif /* LW_ARCH_KSTACK_H */
