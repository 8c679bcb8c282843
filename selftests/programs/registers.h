/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.h - functions of registers.S, which save registers, use them, and make a system call:
 * rbx and r12, on arm64 x19 to x24, on s390x r6 to r13.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

/* The call, its number first. */
extern struct registers_request {
	long nr, fd, cmd, arg;
} registers_request;

/* Return what the call does.  The second says in its CFI that the registers are gone. */
long registers_saves(long value);
long registers_loses(long value);

/* Where the calls return to. */
extern const char registers_saves_ip[], registers_loses_ip[];

typedef long (*registers_by)(long value, long (*fn)(long value));

/*
 * Functions that have their CFA by a register that fn() saves, and return fn(value).  Tables tell
 * of all these registers, and not of that of REGISTERS_BY_OTHER.
 */
#if defined(__x86_64__)
#include "steps.h"

#define REGISTERS_BY	{ steps_asm_by_rbx, steps_asm_by_r12 }
#elif defined(__aarch64__)
long registers_by_x19(long value, long (*fn)(long value));
long registers_by_x20(long value, long (*fn)(long value));
long registers_by_x21(long value, long (*fn)(long value));
long registers_by_x22(long value, long (*fn)(long value));
long registers_by_x23(long value, long (*fn)(long value));
long registers_by_x24(long value, long (*fn)(long value));

#define REGISTERS_BY	{							\
	registers_by_x19, registers_by_x20, registers_by_x21,			\
	registers_by_x22, registers_by_x23					\
}

#define REGISTERS_BY_OTHER	registers_by_x24
#elif defined(__s390x__)
long registers_by_r7(long value, long (*fn)(long value));
long registers_by_r8(long value, long (*fn)(long value));
long registers_by_r9(long value, long (*fn)(long value));
long registers_by_r10(long value, long (*fn)(long value));
long registers_by_r12(long value, long (*fn)(long value));
long registers_by_r13(long value, long (*fn)(long value));

#define REGISTERS_BY	{							\
	registers_by_r8, registers_by_r9, registers_by_r10,			\
	registers_by_r12, registers_by_r13					\
}

#define REGISTERS_BY_OTHER	registers_by_r7
#endif

#endif /* REGISTERS_H */
