/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw.S - system calls and calls with odd stacks; see raw.h.
 */
#include "hostile.inc"

	.text

	.globl	raw_on_stack
	.type	raw_on_stack, @function
raw_on_stack:
	stmg	%r6, %r15, 48(%r15)
	lgr	%r13, %r15
	lgr	%r1, %r2
	lgr	%r2, %r3
	lghi	%r0, -16
	ngr	%r4, %r0
	aghi	%r4, -160
	lgr	%r15, %r4
	lghi	%r11, 0
	xc	0(8, %r15), 0(%r15)
	basr	%r14, %r1
	lgr	%r15, %r13
	lmg	%r6, %r15, 48(%r15)
	br	%r14
	.size	raw_on_stack, . - raw_on_stack

/* What is 8 above the stack pointer is the caller's stack, as no frame is below 168. */
	.globl	raw_hostile_sframe
	.type	raw_hostile_sframe, @function
raw_hostile_sframe:
	.cfi_startproc
	.cfi_def_cfa_offset 168
	.cfi_offset 14, -168
	HOSTILE	raw_hostile_sframe
	.cfi_endproc
	.size	raw_hostile_sframe, . - raw_hostile_sframe

	.globl	raw_hostile_fp
	.type	raw_hostile_fp, @function
raw_hostile_fp:
	HOSTILE	raw_hostile_fp
	.size	raw_hostile_fp, . - raw_hostile_fp

/* The instruction before the restorer belongs to a function with a row. */
	.type	before_restorer, @function
before_restorer:
	.cfi_startproc
	aghi	%r15, -32
	.cfi_adjust_cfa_offset 32
	nopr	%r7
	.cfi_endproc
	.size	before_restorer, . - before_restorer
	.globl	raw_restorer
	.type	raw_restorer, @function
raw_restorer:
	svc	119
	.size	raw_restorer, . - raw_restorer

/* A trap at the first instruction, right behind a function with a row. */
	.p2align 4
	.type	before_trap, @function
before_trap:
	.cfi_startproc
	aghi	%r15, -32
	.cfi_adjust_cfa_offset 32
	nopr	%r7
	.cfi_endproc
	.size	before_trap, . - before_trap
	.globl	raw_trap
	.type	raw_trap, @function
raw_trap:
	.cfi_startproc
	.short	0
	br	%r14
	.cfi_endproc
	.size	raw_trap, . - raw_trap

/* With the return address on the stack at the first instruction; never run. */
	.p2align 4
	.type	before_framed, @function
before_framed:
	.cfi_startproc
	aghi	%r15, -32
	.cfi_def_cfa_offset 192
	.cfi_offset 14, -168
	nopr	%r7
	.cfi_endproc
	.size	before_framed, . - before_framed
	.globl	raw_framed
	.type	raw_framed, @function
raw_framed:
	.cfi_startproc
	.cfi_def_cfa_offset 168
	.cfi_offset 14, -168
	br	%r14
	.cfi_endproc
	.size	raw_framed, . - raw_framed

/* One that nothing is right before. */
	.p2align 4
	.skip	16
	.globl	raw_lone_restorer
	.type	raw_lone_restorer, @function
raw_lone_restorer:
	svc	119
	.size	raw_lone_restorer, . - raw_lone_restorer

	.section .note.GNU-stack, "", @progbits
