/* SPDX-License-Identifier: GPL-2.0 */
/*
 * forms-amd64.S - what hand-written assembler and signal trampolines say, and
 * what compilers never do.  Nothing of it is ever run.
 */
	.macro	func name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	xor	%eax, %eax
	ret
	.cfi_endproc
	.size	main, . - main

	/* a signal frame, whose RA is no return address */
	.globl	trampoline
	.type	trampoline, @function
trampoline:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa_offset 16
	mov	$15, %rax
	syscall
	.cfi_endproc
	.size	trampoline, . - trampoline

	/* nothing above it */
	func	thread_start
	.cfi_undefined %rip
	xor	%ebp, %ebp
	call	main
	hlt
	end	thread_start

	/* from some instruction on only, and back */
	func	gives_up
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	.cfi_remember_state
	pop	%rcx
	.cfi_def_cfa_offset 8
	.cfi_undefined %rip
	nop
	.cfi_restore_state
	ret
	end	gives_up

	/* SP is kept in a register that is none of SP and FP */
	func	by_r10
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-64, %rsp
	push	-8(%r10)
	push	%rbp
	.cfi_escape 0x10, 6, 2, 0x76, 0		/* rbp: at rbp + 0 */
	mov	%rsp, %rbp
	push	%r10
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06	/* CFA: at rbp - 8 */
	nop
	pop	%r10
	.cfi_def_cfa %r10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end	by_r10

	func	by_rbx
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	and	$-64, %rsp
	nop
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	ret
	end	by_rbx

	/* RA is taken off the stack */
	func	ra_in_rcx
	pop	%rcx
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rcx
	nop
	push	%rcx
	.cfi_def_cfa_offset 8
	.cfi_restore %rip
	ret
	end	ra_in_rcx

	/* FP is put into another register */
	func	fp_in_r11
	mov	%rbp, %r11
	.cfi_register %rbp, %r11
	xor	%ebp, %ebp
	mov	%r11, %rbp
	.cfi_restore %rbp
	ret
	end	fp_in_r11

	/* as OpenSSL's assembler: the stack before is in a slot */
	func	slot_of_rsp
	mov	%rsp, %rax
	.cfi_def_cfa_register %rax
	sub	$256, %rsp
	and	$-64, %rsp
	mov	%rax, 64(%rsp)
	.cfi_escape 0x0f, 6, 0x77, 0xc0, 0, 0x06, 0x23, 8 /* *(rsp + 64) + 8 */
	nop
	mov	64(%rsp), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end	slot_of_rsp

	/* an expression for a register that no unwinder here asks for */
	func	rbx_by_expression
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_escape 0x10, 3, 2, 0x77, 0		/* rbx: at rsp + 0 */
	nop
	pop	%rbx
	.cfi_def_cfa_offset 8
	.cfi_restore %rbx
	ret
	end	rbx_by_expression

	/* the size of what a callee pops */
	func	args_size
	push	%rax
	.cfi_def_cfa_offset 16
	.cfi_escape 0x2e, 16			/* DW_CFA_GNU_args_size */
	nop
	pop	%rax
	.cfi_def_cfa_offset 8
	ret
	end	args_size

	func	same_values
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	pop	%rbp
	.cfi_same_value %rbp
	.cfi_def_cfa_offset 8
	ret
	end	same_values

	/* what SP was is CFA, said in so many words */
	func	val_offset
	.cfi_val_offset %rsp, 0
	nop
	ret
	end	val_offset

	func	fp_is_gone
	.cfi_undefined %rbp
	nop
	ret
	end	fp_is_gone

	/* functions of no code, at one address with others, first and last */
	.globl	none_before
none_before:
	.cfi_startproc
	.cfi_endproc
	func	between
	nop
	ret
	end	between
	.cfi_startproc
	.cfi_endproc
	.cfi_startproc
	.cfi_endproc
	.section .note.GNU-stack, "", @progbits
