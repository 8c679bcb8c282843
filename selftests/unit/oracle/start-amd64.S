/* SPDX-License-Identifier: GPL-2.0 */
/* start-amd64.S - a program without libc, whose first function has rows */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined %rip
	xor	%ebp, %ebp
	call	work
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	hlt
	.cfi_endproc
	.size	_start, . - _start

	.globl	work
	.type	work, @function
work:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	nop
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	work, . - work
	.section .note.GNU-stack, "", @progbits
