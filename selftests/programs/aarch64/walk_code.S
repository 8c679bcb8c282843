/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_code.S - see walk_code.h.  It is built as a library: with .sframe, without, and
 * with frame pointers (WALK_FP); with WALK_FUNCTIONS functions of different frames.
 *
 * Without frame pointers x29 holds something else, and every other function does not
 * save it.  Return addresses are signed, as most of a distribution's are.
 */
#include "../walk_code.h"

	.text

/* begin SAVES_FP: a function's first instructions; its argument is in x19, too. */
	.macro begin saves_fp
	.cfi_startproc
	paciasp
	.cfi_negate_ra_state
	.if \saves_fp
	stp	x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
#ifdef WALK_FP
	mov	x29, sp
#else
	mov	x29, #0x1001
#endif
	.else
	str	x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_rel_offset x30, 0
	.endif
	str	x19, [sp, #16]
	.cfi_rel_offset x19, 16
	mov	x19, x0
	.endm

/* end SAVES_FP */
	.macro end saves_fp
	ldr	x19, [sp, #16]
	.cfi_restore x19
	.if \saves_fp
	ldp	x29, x30, [sp], #32
	.cfi_restore x29
	.else
	ldr	x30, [sp], #32
	.endif
	.cfi_restore x30
	.cfi_adjust_cfa_offset -32
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc
	.endm

	.macro move_sp bytes
	.if \bytes < 0
	add	sp, sp, #-(\bytes)
	.else
	sub	sp, sp, #(\bytes)
	.endif
	.cfi_adjust_cfa_offset (\bytes)
	.endm

	.macro call_next by=blr
	ldr	x1, [x0, #WALK_PATH]
	ldr	x2, [x1], #8
	str	x1, [x0, #WALK_PATH]
	\by	x2
	.endm

/* walk_run(struct walk *) */
	.globl	walk_run
	.type	walk_run, @function
walk_run:
	stp	x29, x30, [sp, #-48]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	mov	x1, sp
	str	x1, [x0, #WALK_SP]
	ldr	x1, [x0, #WALK_STACK]
	mov	sp, x1
	mov	x29, #0
	/* It has no caller. */
	mov	x30, #0
	call_next br
	.size	walk_run, . - walk_run

	.globl	walk_base
	.type	walk_base, @function
walk_base:
	begin	1
	call_next
	/* Where it was called back to is in none of its rows. */
	ldr	x1, [x19, #WALK_SP]
	mov	sp, x1
	.cfi_endproc
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x29, x30, [sp], #48
	ret
	.size	walk_base, . - walk_base

	.globl	walk_functions
	.type	walk_functions, @function
	.balign	WALK_STRIDE
walk_functions:
	.set	n, 0
	.rept	WALK_FUNCTIONS
#ifdef WALK_FP
	.set	saves_fp, 1
#else
	.set	saves_fp, n & 1
#endif
	begin	saves_fp
	move_sp	(16 + n % 13 * 16)
	call_next
	move_sp	(-16 - n % 13 * 16)
	end	saves_fp
	.balign	WALK_STRIDE
	.set	n, n + 1
	.endr
	.size	walk_functions, . - walk_functions

	.globl	walk_leaf
	.type	walk_leaf, @function
walk_leaf:
	begin	1
	/* All are walk_run()'s. */
	ldr	x20, [x19, #WALK_TURNS]
.Lturn:
	ldr	x21, [x19, #WALK_OPS]
	ldr	x22, [x19, #WALK_NR_OPS]
.Lop:
	ldp	x8, x0, [x21]
	tbnz	x8, #63, .Lspin
	ldp	x1, x2, [x21, #16]
	ldp	x3, x4, [x21, #32]
	ldr	x5, [x21, #48]
	svc	#0
	tbz	x0, #63, .Lnext
	str	x0, [x19, #WALK_ERROR]
	b	.Lnext
.Lspin:
	subs	x0, x0, #1
	b.ne	.Lspin
.Lnext:
	add	x21, x21, #WALK_OP_SIZE
	subs	x22, x22, #1
	b.ne	.Lop
	subs	x20, x20, #1
	b.ne	.Lturn
	end	1
	.size	walk_leaf, . - walk_leaf

	.section .note.GNU-stack, "", @progbits
