/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.S - what registers_test.c has a function call whose CFA is by a register: each uses that
 * register, and makes the system call of registers_request.
 */
	.macro	ASKS name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	.endm

	.macro	END_ASKS name
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	mov	registers_request(%rip), %rax
	mov	8+registers_request(%rip), %rdi
	mov	16+registers_request(%rip), %rsi
	mov	24+registers_request(%rip), %rdx
	syscall
	.globl	\name\()_ip
\name\()_ip:
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	ASKS	registers_saves
	END_ASKS registers_saves

	/* They are saved, but nobody can tell where. */
	ASKS	registers_loses
	.cfi_undefined %rbx
	.cfi_undefined %r12
	END_ASKS registers_loses

	.bss
	.balign	8
	.globl	registers_request
	.size	registers_request, 32
registers_request:
	.skip	32

	.section .note.GNU-stack, "", @progbits
