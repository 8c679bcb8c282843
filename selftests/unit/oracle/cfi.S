/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cfi.S - what compilers seldom write: empty functions that share a start with
 * the next one, equal rows in a row, a row behind the last instruction, words
 * of each size, a CFA below the base.
 */
	.text
	.globl	shared_start
	.type	shared_start, @function
	.cfi_startproc
	.cfi_endproc
	.cfi_startproc
	.cfi_endproc
shared_start:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	nop
	.cfi_def_cfa_offset 16
	nop
	leave
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	shared_start, . - shared_start

	.globl	sizes
	.type	sizes, @function
sizes:
	.cfi_startproc
	sub	$120, %rsp
	.cfi_def_cfa_offset 128
	nop
	.cfi_def_cfa_offset 127
	nop
	.cfi_def_cfa_offset 32767
	nop
	.cfi_def_cfa_offset 32768
	nop
	.cfi_def_cfa_offset 0x7ffffff8
	.cfi_offset %rbp, -40000
	nop
	.cfi_def_cfa %rbp, -8
	nop
	.cfi_def_cfa %rbp, -4096
	nop
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 128
	add	$120, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	sizes, . - sizes

	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	xor	%eax, %eax
	ret
	.cfi_endproc
	.size	main, . - main
	.section .note.GNU-stack, "", @progbits
