/* SPDX-License-Identifier: GPL-2.0 */
/*
 * steps.h - what the programs for step_oracle share.
 */
#ifndef LW_SELFTESTS_STEPS_H
#define LW_SELFTESTS_STEPS_H

/* A function of its own, whose callers know nothing of it. */
#define STEP_FUNCTION	__attribute__((noipa))
/* Does the program have SFrame sections of its own? */
#ifndef STEP_SECTIONS
#define STEP_SECTIONS	0
#endif
/* Not to be known, and to be there. */
#define STEP_USE(value)	({ asm volatile("" : "+r"(value) : : "memory"); })

#ifdef __cplusplus
extern "C" {
#endif

/* steps_asm.S: add 1 to their argument. */
long steps_asm_pushes(long value);
long steps_asm_moves_cfa(long value);
long steps_asm_remembers(long value);
long steps_asm_swaps(long value);
long steps_asm_enter(long value);
/* Calls fn(value) as the last thing that it does. */
long steps_asm_jumps(long value, long (*fn)(long value));
/* Have their CFA by a register that fn() saves, and return fn(value). */
long steps_asm_by_rbx(long value, long (*fn)(long value));
long steps_asm_by_r12(long value, long (*fn)(long value));
/* Calls fn(value), which does not return, at its very end. */
void steps_asm_ends(long value, void (*fn)(long value));

#ifdef __cplusplus
}
#endif

#endif /* LW_SELFTESTS_STEPS_H */
