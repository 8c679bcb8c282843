/* SPDX-License-Identifier: GPL-2.0 */
/*
 * explain.h - why a stack can't be right, the module's or gdb's: by facts of the file
 * that the code is from, and a list of classes, each with its reason.
 */
#ifndef LW_SELFTESTS_EXPLAIN_H
#define LW_SELFTESTS_EXPLAIN_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#define EXPLAIN_CLASSES	32

/* Who has told the stack. */
enum explain_whose {
	EXPLAIN_MODULE,
	EXPLAIN_GDB,
	EXPLAIN_NR_WHOSE
};

/* What must be so, besides file and function. */
enum explain_condition {
	EXPLAIN_NO_CFI,		/* elfutils finds no call frame information there */
	EXPLAIN_NOT_ANALYSED,	/* likewise, on a machine whose instructions are not analysed */
	EXPLAIN_FP_BY_ITSELF,	/* topmost: FP is saved where FP points, but not the CFA */
	EXPLAIN_RA_IN_REGISTER,	/* it says that the return address is in a register */
	EXPLAIN_PEER_WRONG,	/* the other one was asked, and is wrong in the same way */
	EXPLAIN_NR_CONDITIONS
};

/**
 * struct explain_class - a line of the list
 * @name: of the class
 * @whose: stacks it is of
 * @file: pattern, of the name without directories
 * @function: pattern; "" stands for one without a name
 * @condition: see above
 * @reason: for people
 * @hits: stacks that it explains
 */
struct explain_class {
	char name[32];
	enum explain_whose whose;
	char file[64];
	char function[64];
	enum explain_condition condition;
	char reason[160];
	__u64 hits;
};

/**
 * struct explain_place - what is known of an address
 * @file: name without directories, "" if none
 * @function: likewise
 * @has_cfi: call frame information covers it
 * @fp_by_itself: it tells the frame pointer by itself, and the CFA by another register
 * @ra_in_register: it says that the return address is in a register
 */
struct explain_place {
	char file[64];
	char function[64];
	bool has_cfi;
	bool fp_by_itself;
	bool ra_in_register;
};

/**
 * struct explain_stack - a wrong stack
 * @whose: who has told it
 * @place: of its last frame that is right
 * @top: of the topmost frame
 * @peer_wrong: the other one was asked, and tells as many frames that are right
 */
struct explain_stack {
	enum explain_whose whose;
	struct explain_place place;
	struct explain_place top;
	bool peer_wrong;
};

struct explain {
	struct Dwfl *dwfl;
	pid_t pid;
	bool stale;
	struct explain_class classes[EXPLAIN_CLASSES];
	unsigned int nr;
};

int explain_open(struct explain *e, const char *path);
void explain_close(struct explain *e);
void explain_place(struct explain *e, pid_t pid, __u64 ip, bool is_caller,
		   struct explain_place *place);
struct explain_class *explain_find(struct explain *e, const struct explain_stack *stack);

#endif /* LW_SELFTESTS_EXPLAIN_H */
