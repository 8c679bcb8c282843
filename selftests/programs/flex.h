/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flex.h - functions whose rows only SFrame version 3 has: what is needed is in
 * another register than the stack or frame pointer, or behind a pointer.
 *
 * All are called with the stack as the compiler leaves it, and come back.
 */
#ifndef FLEX_H
#define FLEX_H

#include <stdint.h>

/**
 * struct flex_call - the system call that a function makes
 * @nr: number
 * @a: arguments
 * @b: likewise
 * @c: likewise
 * @ra: where the function returns to, as it says
 */
struct flex_call {
	long nr;
	long a;
	long b;
	long c;
	uint64_t ra;
};

typedef long (*flex_fn)(struct flex_call *call);

/* The system call of flex_x() comes back to flex_x_ip. */
extern const char flex_drap_prologue_ip[], flex_drap_body_ip[], flex_ra_ip[],
		  flex_signed_ra_ip[], flex_ra_in_fpr_ip[], flex_no_caller_ip[],
		  flex_sigreturn_ip[], flex_probed_ip[];

/*
 * Registers are those of x86.  On arm64 it is x10 for r9 and r10, x12 for r12, and x23 where a
 * callee would save the register; on s390x r5, and r7 there.
 */

/* CFA r10+0, on a stack that was aligned. */
long flex_drap_prologue(struct flex_call *call);
/* CFA *(rbp-8), FP *(rbp+0).  Not on s390x, where gas writes no such row. */
long flex_drap_body(struct flex_call *call);
/* RA in r9, and no more on the stack. */
long flex_ra(struct flex_call *call);
/* On arm64: RA in x10, and signed. */
long flex_signed_ra(struct flex_call *call);
/* On s390x: RA in f0. */
long flex_ra_in_fpr(struct flex_call *call);
/* RA is undefined. */
long flex_no_caller(struct flex_call *call);

/* CFA r12+0, at an instruction that does nothing. */
void flex_probed(void);

/*
 * rt_sigreturn with @context, and CFA r12+0: when the walk is made the
 * registers are those of what the signal interrupted.
 */
void flex_sigreturn(void *context) __attribute__((noreturn));

typedef long (*flex_callee)(void *arg);

/* Call fn(arg) with RA in rbx, with CFA r12+0, and with RA undefined. */
long flex_ra_lost(flex_callee fn, void *arg);
long flex_cfa_lost(flex_callee fn, void *arg);
long flex_calls_outermost(flex_callee fn, void *arg);

/*
 * Enters a function that is marked as a signal frame, and which calls fn(arg),
 * as if a signal had come at flex_interrupted: its first instruction, whose row
 * is another than that of the instruction before.
 */
long flex_signal(flex_callee fn, void *arg);
extern const char flex_interrupted[];

/**
 * struct flex_place - a function whose CFA is in a general register
 * @fn: touches flex_page, then takes a trap of RAW_TRAP_LEN bytes
 * @touch: instruction that touches
 * @trap: instruction that traps
 */
struct flex_place {
	flex_fn fn;
	const char *touch;
	const char *trap;
};

/* One for each register but those of stack and frame. */
#if defined(__aarch64__)
#define FLEX_REGISTERS	30
#define FLEX_PAGE	65536
#else
#define FLEX_REGISTERS	14
#define FLEX_PAGE	4096
#endif

extern const struct flex_place flex_registers[FLEX_REGISTERS];
extern char flex_page[FLEX_PAGE];

/* On x86: a trap after each instruction from here on, to there. */
void flex_trace_on(void);
void flex_trace_off(void);

#endif /* FLEX_H */
