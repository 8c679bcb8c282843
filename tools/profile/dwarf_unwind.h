/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dwarf_unwind.h - from copies of user stacks to their frames.
 */
#ifndef LW_DWARF_UNWIND_H
#define LW_DWARF_UNWIND_H

#include "symbols/symbolizer.h"

/* What was copied of a task: as PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER have it. */
struct lw_stack_copy {
	u32 pid, tid;
	u64 time;
	u64 abi;			/* PERF_SAMPLE_REGS_ABI_* */
	u64 mask;			/* which registers there are */
	const void *regs;		/* words, at any address */
	const void *stack;		/* from the stack pointer on, at any address */
	u64 size;			/* of @stack */
	bool other_order;		/* of bytes, in words of @stack; not of @regs */
};

/* Why there is no further frame. */
enum lw_unwind_end {
	LW_UNWIND_WHOLE,		/* it was the outermost one, or no more were wanted */
	LW_UNWIND_NO_REGS,		/* there are no registers of a machine that is known */
	LW_UNWIND_CUT,			/* the caller is behind the end of the copy */
	LW_UNWIND_NO_FILE,		/* the code's file is not there, or somebody else's */
	LW_UNWIND_NO_RULE,		/* the file does not tell how to go on */
	LW_NR_UNWIND_ENDS
};

struct lw_dwarf_unwinder;

struct lw_dwarf_unwinder *lw_dwarf_unwinder_new(struct lw_symbolizer *symbolizer,
						const struct lw_process_maps *maps,
						const char *machine);
void lw_dwarf_unwinder_free(struct lw_dwarf_unwinder *unwinder);
u32 lw_dwarf_unwind(struct lw_dwarf_unwinder *unwinder, const struct lw_stack_copy *copy,
		    u64 *ips, u32 room, enum lw_unwind_end *end);
u64 lw_dwarf_unwind_leaf(struct lw_dwarf_unwinder *unwinder, const struct lw_stack_copy *copy,
			 u64 ip);

#endif /* LW_DWARF_UNWIND_H */
