/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rule.h - how to get from one frame to its caller, whatever source says so.
 * Plain data, shared with user space.
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
	LW_BASE_REG,	/* lw_rule_value.reg: known in the topmost frame, or followed from there */
};

/* Where a value comes from: base + off, or memory at that address. */
struct lw_rule_value {
	__s32	off;
	__u8	base;		/* enum lw_rule_base */
	__u8	reg;		/* LW_BASE_REG: the register's DWARF number in its psABI */
	__u8	deref;		/* not 0: from memory; a CFA: loads, see lw_rule.then */
	__u8	index;		/* CFA: 0, or 1 + a register whose value is added eight times */
};

/* lw_rule.flags */
#define LW_RULE_OUTERMOST	0x1U	/* no caller; all other fields are 0 */
#define LW_RULE_SIGNAL		0x2U	/* the next ip is exact, no return address */
#define LW_RULE_PAC		0x4U	/* RA is signed: strip it before use */
#define LW_RULE_SP_LOST		0x8U	/* the caller's SP is somewhere above CFA + sp_off */
#define LW_RULE_SWITCH		0x10U	/* the CFA may be on another stack */
#define LW_RULE_ANALYSED	0x20U	/* found by analysis of instructions */

/* Times that a CFA may be loaded from memory. */
#define LW_RULE_DEREFS		2

/* Registers, besides FP and SP, that a function gives back to its caller: LW_ARCH_SAVED_GPRS. */
#define LW_RULE_SAVED		5
#define LW_RULE_TOLD_ALL	0x1fU
/* lw_rule.saved, else a multiple of 8: the caller's value is not to be had. */
#define LW_RULE_GONE		1

/* One row: where CFA, RA and FP are. */
struct lw_rule {
	struct lw_rule_value cfa;	/* always has a base, never CFA */
	struct lw_rule_value ra;	/* always has a base */
	struct lw_rule_value fp;	/* without a base: the caller's FP is this one */
	__s32	then[LW_RULE_DEREFS];	/* added to the CFA behind each load */
	__s32	sp_off;			/* the caller's SP = CFA + this; s390x: -160, else 0 */
	__u32	flags;
	__u32	told;			/* bits of the indexes that @saved is right for */
	__s32	saved[LW_RULE_SAVED];	/* saved at CFA + this; 0: the function has it unchanged */
};

#endif /* LW_RULE_H */
