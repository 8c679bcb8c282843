/* SPDX-License-Identifier: GPL-2.0 */
/*
 * steps_asm.S - frames that compilers seldom make, each told in CFI.
 */
	.text

	.globl	steps_asm_pushes
	.type	steps_asm_pushes, @function
steps_asm_pushes:
	.cfi_startproc
	endbr64
	push	%rbx
	.cfi_adjust_cfa_offset 8
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq	$1
	.cfi_adjust_cfa_offset 8
	pushf
	.cfi_adjust_cfa_offset 8
	xor	%ebp, %ebp
	popf
	.cfi_adjust_cfa_offset -8
	pop	%rax
	.cfi_adjust_cfa_offset -8
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	add	%rdi, %rax
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	steps_asm_pushes, . - steps_asm_pushes

/* The CFA is by the frame pointer while the stack pointer goes anywhere. */
	.globl	steps_asm_moves_cfa
	.type	steps_asm_moves_cfa, @function
steps_asm_moves_cfa:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub	$0x1234, %rsp
	and	$-256, %rsp
	push	%rdi
	lea	1(%rdi), %rax
	sub	$8, %rsp
	mov	%rbp, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	steps_asm_moves_cfa, . - steps_asm_moves_cfa

/* Two ends; behind the first the frame is as it was before that. */
	.globl	steps_asm_remembers
	.type	steps_asm_remembers, @function
steps_asm_remembers:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	sub	$24, %rsp
	.cfi_def_cfa_offset 40
	test	$1, %dil
	jz	1f
	lea	1(%rdi), %rax
	.cfi_remember_state
	add	$24, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
1:	.cfi_restore_state
	lea	1(%rdi), %rax
	add	$32, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	steps_asm_remembers, . - steps_asm_remembers

/* On a stack of its own, with what was the stack pointer in another register. */
	.globl	steps_asm_swaps
	.type	steps_asm_swaps, @function
steps_asm_swaps:
	.cfi_startproc
	mov	%rsp, %r10
	.cfi_def_cfa_register %r10
	and	$-4096, %rsp
	lea	1(%rdi), %rax
	sub	$64, %rsp
	mov	%r10, %rsp
	.cfi_def_cfa_register %rsp
	ret
	.cfi_endproc
	.size	steps_asm_swaps, . - steps_asm_swaps

	.globl	steps_asm_enter
	.type	steps_asm_enter, @function
steps_asm_enter:
	.cfi_startproc
	enter	$32, $0
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
	mov	%rdi, -8(%rbp)
	mov	-8(%rbp), %rax
	inc	%rax
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret	$0
	.cfi_endproc
	.size	steps_asm_enter, . - steps_asm_enter

	.globl	steps_asm_jumps
	.type	steps_asm_jumps, @function
steps_asm_jumps:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	mov	%rsi, %rax
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	jmp	*%rax
	.cfi_endproc
	.size	steps_asm_jumps, . - steps_asm_jumps

/* What is behind the call belongs to another function, with another frame. */
	.globl	steps_asm_ends
	.type	steps_asm_ends, @function
steps_asm_ends:
	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	call	*%rsi
	.cfi_endproc
	.size	steps_asm_ends, . - steps_asm_ends

	.type	steps_asm_behind, @function
steps_asm_behind:
	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	pop	%rax
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	steps_asm_behind, . - steps_asm_behind

/*
 * The CFA is by a register that the callee saves while the stack pointer goes down by what is known
 * at run time only, as in _dl_runtime_resolve_xsavec() of ld.so.
 */
	.macro	BY_REGISTER name, register
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	push	%\register
	.cfi_def_cfa_offset 16
	.cfi_offset %\register, -16
	mov	%rsp, %\register
	.cfi_def_cfa_register %\register
	mov	%edi, %eax
	shl	$6, %rax
	sub	%rax, %rsp
	and	$-64, %rsp
	call	*%rsi
	mov	%\register, %rsp
	.cfi_def_cfa_register %rsp
	pop	%\register
	.cfi_restore %\register
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm

	BY_REGISTER steps_asm_by_rbx, rbx
	BY_REGISTER steps_asm_by_r12, r12

	.section .note.GNU-stack, "", @progbits
