/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw.S - system calls and calls with odd stacks; see raw.h.
 */
#include "hostile.inc"

	.text

	.globl	raw_on_stack
	.type	raw_on_stack, @function
raw_on_stack:
	stp	x29, x30, [sp, #-32]!
	str	x19, [sp, #16]
	mov	x19, sp
	mov	x9, x0
	mov	x0, x1
	and	x2, x2, #-16
	mov	sp, x2
	mov	x29, #0
	blr	x9
	mov	sp, x19
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
	.size	raw_on_stack, . - raw_on_stack

	.globl	raw_hostile_sframe
	.type	raw_hostile_sframe, @function
raw_hostile_sframe:
	.cfi_startproc
	.cfi_def_cfa_offset 8
	.cfi_offset 30, -8
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
	sub	sp, sp, #32
	.cfi_adjust_cfa_offset 32
	nop
	.cfi_endproc
	.size	before_restorer, . - before_restorer
	.globl	raw_restorer
	.type	raw_restorer, @function
raw_restorer:
	mov	x8, #139
	svc	#0
	.size	raw_restorer, . - raw_restorer

/* A trap at the first instruction, right behind a function with a row. */
	.p2align 4
	.type	before_trap, @function
before_trap:
	.cfi_startproc
	sub	sp, sp, #32
	.cfi_adjust_cfa_offset 32
	nop
	.cfi_endproc
	.size	before_trap, . - before_trap
	.globl	raw_trap
	.type	raw_trap, @function
raw_trap:
	.cfi_startproc
	udf	#0
	ret
	.cfi_endproc
	.size	raw_trap, . - raw_trap

/* With the return address on the stack at the first instruction; never run. */
	.p2align 4
	.type	before_framed, @function
before_framed:
	.cfi_startproc
	sub	sp, sp, #32
	.cfi_def_cfa_offset 32
	.cfi_offset 30, -8
	nop
	.cfi_endproc
	.size	before_framed, . - before_framed
	.globl	raw_framed
	.type	raw_framed, @function
raw_framed:
	.cfi_startproc
	.cfi_def_cfa_offset 8
	.cfi_offset 30, -8
	ret
	.cfi_endproc
	.size	raw_framed, . - raw_framed

/* One that nothing is right before. */
	.p2align 4
	.skip	16
	.globl	raw_lone_restorer
	.type	raw_lone_restorer, @function
raw_lone_restorer:
	mov	x8, #139
	svc	#0
	.size	raw_lone_restorer, . - raw_lone_restorer

	.section .note.GNU-stack, "", @progbits
