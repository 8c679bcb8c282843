/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk.h - a walk over this thread's stack by the rules of any look-up. A step
 * is that of module/unwind/unwind.c, with loads in the place of copy_from_user().
 */
#ifndef BENCH_WALK_H
#define BENCH_WALK_H

#include <stdbool.h>

#include "bench.h"

#define noinline __attribute__((noinline))

struct frame {
	uintptr_t ip;
	uintptr_t sp;
	uintptr_t fp;
	bool	fp_known;
	bool	exact;
};

/* The start of a walk: registers, as of here, in a function that keeps FP. */
struct start {
	uintptr_t ip;
	uintptr_t sp;
	uintptr_t fp;
};

static __always_inline struct start start_here(void)
{
	struct start here;

	here.fp = (uintptr_t)__builtin_frame_address(0);
	asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1"
		     : "=r" (here.ip), "=r" (here.sp));
	return here;
}

static __always_inline bool read_word(uintptr_t addr, uintptr_t *word)
{
	if (addr % sizeof(*word) || addr >= program.stack_end)
		return false;
	*word = *(const uintptr_t *)addr;
	return true;
}

static __always_inline bool get_base(const struct frame *frame,
				     const struct lw_rule_value *value,
				     uintptr_t cfa, uintptr_t *base)
{
	switch (value->base) {
	case LW_BASE_SP:
		*base = frame->sp;
		return true;
	case LW_BASE_FP:
		*base = frame->fp;
		return frame->fp_known;
	case LW_BASE_CFA:
		*base = cfa;
		return true;
	default:
		return false;
	}
}

static __always_inline bool get_value(const struct frame *frame,
				      const struct lw_rule_value *value,
				      uintptr_t cfa, uintptr_t *to)
{
	if (!get_base(frame, value, cfa, to))
		return false;
	*to += (intptr_t)value->off;
	return !value->deref || read_word(*to, to);
}

static __always_inline bool apply(struct frame *frame, const struct lw_rule *rule)
{
	uintptr_t cfa, ip, fp = frame->fp;
	bool fp_known = frame->fp_known;

	if (!get_value(frame, &rule->cfa, 0, &cfa))
		return false;
	if (cfa % sizeof(cfa) || cfa <= frame->sp)
		return false;
	if (!get_value(frame, &rule->ra, cfa, &ip))
		return false;
	if (rule->fp.base != LW_BASE_NONE)
		fp_known = get_value(frame, &rule->fp, cfa, &fp);
	frame->fp = fp;
	frame->fp_known = fp_known;
	frame->ip = ip;
	frame->sp = cfa + (intptr_t)rule->sp_off;
	frame->exact = rule->flags & LW_RULE_SIGNAL;
	return ip;
}

static __always_inline unsigned int walk(struct start here, uintptr_t *ips,
					 unsigned int max,
					 int (*find)(uintptr_t, struct lw_rule *))
{
	struct frame frame = {
		.ip = here.ip, .sp = here.sp, .fp = here.fp,
		.fp_known = true, .exact = true,
	};
	struct lw_rule rule;
	unsigned int nr = 0;

	ips[nr++] = frame.ip;
	while (nr < max) {
		if (find(frame.exact ? frame.ip : frame.ip - 1, &rule))
			break;
		if (rule.flags & LW_RULE_OUTERMOST)
			break;
		if (!apply(&frame, &rule))
			break;
		ips[nr++] = frame.ip;
	}
	return nr;
}

#endif /* BENCH_WALK_H */
