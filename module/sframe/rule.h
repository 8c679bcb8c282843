/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rule.h - how to get from one frame to its caller, whatever source says so.
 *
 * Plain data, shared with user space builds: nothing but fixed width types.
 */
#ifndef LW_RULE_H
#define LW_RULE_H

#include <linux/types.h>

/* lw_rule_value.base */
enum lw_rule_base {
	LW_BASE_NONE,	/* there is no rule: the value is what it was */
	LW_BASE_SP,
	LW_BASE_FP,
	LW_BASE_CFA,
	LW_BASE_REG,	/* lw_rule_value.reg: known in the topmost frame only */
};

/**
 * struct lw_rule_value - where a value comes from: base + off, or what is there
 * @off: added to the base
 * @base: enum lw_rule_base
 * @reg: with LW_BASE_REG, the register's DWARF number in its psABI
 * @deref: not 0: base + off is the address of the value; of a CFA, how many times
 *	that is so, see lw_rule.then
 */
struct lw_rule_value {
	__s32	off;
	__u8	base;
	__u8	reg;
	__u8	deref;
	__u8	unused;
};

/* lw_rule.flags */
#define LW_RULE_OUTERMOST	0x1U	/* nothing above this frame */
#define LW_RULE_SIGNAL		0x2U	/* next ip is exact, no return address */
#define LW_RULE_PAC		0x4U	/* RA is signed: strip it before use */
#define LW_RULE_SWITCH		0x8U	/* the CFA may be on another stack */

/* Times that a CFA may be what is in memory. */
#define LW_RULE_DEREFS		2

/**
 * struct lw_rule - one row: where CFA, RA and FP are
 * @cfa: always has a base, never CFA
 * @ra: always has a base
 * @fp: without a base, the caller's FP is the current one
 * @then: added to the CFA each time that it was taken from memory
 * @sp_off: the caller's SP = CFA + this (s390x: -160, all others 0)
 * @flags: LW_RULE_*; with LW_RULE_OUTERMOST nothing else counts, and is 0
 */
struct lw_rule {
	struct lw_rule_value cfa;
	struct lw_rule_value ra;
	struct lw_rule_value fp;
	__s32	then[LW_RULE_DEREFS];
	__s32	sp_off;
	__u32	flags;
};

#endif /* LW_RULE_H */
