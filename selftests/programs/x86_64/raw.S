/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw.S - system calls and calls with odd stacks; see raw.h.
 */
#include "hostile.inc"

	.text

	.globl	raw_on_stack
	.type	raw_on_stack, @function
raw_on_stack:
	push	%rbx
	push	%rbp
	mov	%rsp, %rbx
	mov	%rdi, %rax
	mov	%rsi, %rdi
	and	$-16, %rdx
	mov	%rdx, %rsp
	xor	%ebp, %ebp
	call	*%rax
	mov	%rbx, %rsp
	pop	%rbp
	pop	%rbx
	ret
	.size	raw_on_stack, . - raw_on_stack

	.globl	raw_hostile_sframe
	.type	raw_hostile_sframe, @function
raw_hostile_sframe:
	.cfi_startproc
	HOSTILE	raw_hostile_sframe
	.cfi_endproc
	.size	raw_hostile_sframe, . - raw_hostile_sframe

	.globl	raw_hostile_fp
	.type	raw_hostile_fp, @function
raw_hostile_fp:
	HOSTILE	raw_hostile_fp
	.size	raw_hostile_fp, . - raw_hostile_fp

/* The byte before the restorer belongs to a function with a row. */
	.type	before_restorer, @function
before_restorer:
	.cfi_startproc
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	nop
	.cfi_endproc
	.size	before_restorer, . - before_restorer
	.globl	raw_restorer
	.type	raw_restorer, @function
raw_restorer:
	mov	$15, %rax
	syscall
	.size	raw_restorer, . - raw_restorer

/* A trap at the first instruction, right behind a function with a row. */
	.p2align 4
	.type	before_trap, @function
before_trap:
	.cfi_startproc
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	nop
	.cfi_endproc
	.size	before_trap, . - before_trap
	.globl	raw_trap
	.type	raw_trap, @function
raw_trap:
	.globl	raw_framed
raw_framed:
	.cfi_startproc
	ud2
	ret
	.cfi_endproc
	.size	raw_trap, . - raw_trap

/* One that nothing is right before. */
	.p2align 4
	.skip	16, 0x90
	.globl	raw_lone_restorer
	.type	raw_lone_restorer, @function
raw_lone_restorer:
	mov	$15, %rax
	syscall
	.size	raw_lone_restorer, . - raw_lone_restorer

	.p2align 4
	.globl	raw_x32_restorer
	.type	raw_x32_restorer, @function
raw_x32_restorer:
	mov	$0x40000201, %eax
	syscall
	.size	raw_x32_restorer, . - raw_x32_restorer

	.p2align 4
	.globl	raw_ia32_restorer
	.type	raw_ia32_restorer, @function
raw_ia32_restorer:
	mov	$173, %eax
	int	$0x80
	.size	raw_ia32_restorer, . - raw_ia32_restorer

	.section .note.GNU-stack, "", @progbits
