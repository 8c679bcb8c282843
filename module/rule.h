/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rule.h - how to get from one frame to its caller, whatever source says so.
 *
 * Plain data, shared with user space builds: nothing but fixed width types.
 */
#ifndef LW_RULE_H
#define LW_RULE_H

#include <linux/types.h>

/* lw_rule.cfa_base */
enum lw_rule_base {
	LW_BASE_SP,
	LW_BASE_FP,
};

/* lw_rule.flags */
#define LW_RULE_OUTERMOST	0x1U	/* nothing above this frame */
#define LW_RULE_FP_SAVED	0x2U	/* caller's FP is at CFA + fp_off */
#define LW_RULE_SIGNAL		0x4U	/* next ip is exact, no return address */

/**
 * struct lw_rule - one row: where CFA, RA and FP are
 * @cfa_off: CFA = base + this
 * @ra_off: the return address is at CFA + this
 * @fp_off: with LW_RULE_FP_SAVED the caller's FP is at CFA + this, else the
 *	caller's FP is the current one
 * @sp_off: the caller's SP = CFA + this (0 on x86-64)
 * @cfa_base: enum lw_rule_base
 * @flags: LW_RULE_*; with LW_RULE_OUTERMOST nothing else counts
 */
struct lw_rule {
	__s32	cfa_off;
	__s32	ra_off;
	__s32	fp_off;
	__s32	sp_off;
	__u8	cfa_base;
	__u8	flags;
};

#endif /* LW_RULE_H */
