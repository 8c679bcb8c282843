/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_code.S - see walk_code.h.  It is built as a library: with .sframe, without, and
 * with frame pointers (WALK_FP); with WALK_FUNCTIONS functions of different frames.
 *
 * Without frame pointers rbp holds something else, and every other function does not
 * save it.
 */
#include "../walk_code.h"

	.text

/* begin SAVES_FP: a function's first instructions; its argument is in rbx, too. */
	.macro begin saves_fp
	.cfi_startproc
#ifdef WALK_FP
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
#else
	.if \saves_fp
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov	$0x1001, %ebp
	.endif
#endif
	push	%rbx
#ifndef WALK_FP
	.cfi_adjust_cfa_offset 8
#endif
	.cfi_rel_offset %rbx, 0
	mov	%rdi, %rbx
	.endm

/* end SAVES_FP */
	.macro end saves_fp
	pop	%rbx
#ifdef WALK_FP
	pop	%rbp
	.cfi_def_cfa %rsp, 8
#else
	.cfi_adjust_cfa_offset -8
	.if \saves_fp
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.endif
#endif
	ret
	.cfi_endproc
	.endm

	.macro move_sp bytes
	sub	$(\bytes), %rsp
#ifndef WALK_FP
	.cfi_adjust_cfa_offset (\bytes)
#endif
	.endm

	.macro call_next
	mov	WALK_PATH(%rdi), %rax
	addq	$8, WALK_PATH(%rdi)
	call	*(%rax)
	.endm

/* walk_run(struct walk *) */
	.globl	walk_run
	.type	walk_run, @function
walk_run:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, WALK_SP(%rdi)
	mov	WALK_STACK(%rdi), %rsp
	xor	%ebp, %ebp
	mov	WALK_PATH(%rdi), %rax
	addq	$8, WALK_PATH(%rdi)
	/* It has no caller. */
	push	$0
	jmp	*(%rax)
	.size	walk_run, . - walk_run

	.globl	walk_base
	.type	walk_base, @function
walk_base:
	begin	1
	call_next
	/* Where it was called back to is in none of its rows. */
	mov	WALK_SP(%rbx), %rsp
	.cfi_endproc
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	walk_base, . - walk_base

	.globl	walk_functions
	.type	walk_functions, @function
	.balign	WALK_STRIDE
walk_functions:
	.set	n, 0
	.rept	WALK_FUNCTIONS
	begin	(n & 1)
	move_sp	(8 + n % 13 * 8)
	call_next
	move_sp	(-8 - n % 13 * 8)
	end	(n & 1)
	.balign	WALK_STRIDE
	.set	n, n + 1
	.endr
	.size	walk_functions, . - walk_functions

	.globl	walk_leaf
	.type	walk_leaf, @function
walk_leaf:
	begin	1
	/* All are walk_run()'s. */
	mov	WALK_TURNS(%rbx), %r12
.Lturn:
	mov	WALK_OPS(%rbx), %r13
	mov	WALK_NR_OPS(%rbx), %r14
.Lop:
	mov	(%r13), %rax
	mov	8(%r13), %rdi
	test	%rax, %rax
	js	.Lspin
	mov	16(%r13), %rsi
	mov	24(%r13), %rdx
	mov	32(%r13), %r10
	mov	40(%r13), %r8
	mov	48(%r13), %r9
	syscall
	test	%rax, %rax
	jns	.Lnext
	mov	%rax, WALK_ERROR(%rbx)
	jmp	.Lnext
.Lspin:
	dec	%rdi
	jnz	.Lspin
.Lnext:
	add	$WALK_OP_SIZE, %r13
	dec	%r14
	jnz	.Lop
	dec	%r12
	jnz	.Lturn
	end	1
	.size	walk_leaf, . - walk_leaf

	.section .note.GNU-stack, "", @progbits
