/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.S - for registers_test.c: functions whose CFA is by a register, and what they call,
 * which uses that register and makes the system call of registers_request.
 */
/* Each register has its place in the caller's frame. */
	.macro	SAVE first
	stmg	%r\first, %r15, \first * 8(%r15)
	.cfi_offset 14, 14 * 8 - 160
	.cfi_offset 15, 15 * 8 - 160
	.endm

	.macro	SAVED register
	.cfi_offset \register, \register * 8 - 160
	.endm

	.macro	ASKS name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	SAVE	6
	.irp	reg, 6, 7, 8, 9, 10, 11, 12, 13
	SAVED	\reg
	.endr
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	.endm

	.macro	END_ASKS name
	.irp	reg, 6, 7, 8, 9, 10, 12, 13
	lghi	%r\reg, 0
	.endr
	larl	%r5, registers_request
	lg	%r1, 0(%r5)
	lg	%r2, 8(%r5)
	lg	%r3, 16(%r5)
	lg	%r4, 24(%r5)
	svc	0
	.globl	\name\()_ip
\name\()_ip:
	lmg	%r6, %r15, 208(%r15)
	.irp	reg, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.cfi_restore \reg
	.endr
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	ASKS	registers_saves
	END_ASKS registers_saves

	/* They are saved, but nobody can tell where. */
	ASKS	registers_loses
	.irp	reg, 6, 7, 8, 9, 10, 12, 13
	.cfi_undefined \reg
	.endr
	END_ASKS registers_loses

/* The stack pointer goes down by what is known at run time only. */
	.macro	BY_REGISTER register
	.globl	registers_by_r\register
	.type	registers_by_r\register, @function
registers_by_r\register:
	.cfi_startproc
	SAVE	\register
	SAVED	\register
	lgr	%r\register, %r15
	.cfi_def_cfa_register \register
	sllg	%r1, %r2, 4
	aghi	%r15, -160
	sgr	%r15, %r1
	nill	%r15, 0xffc0
	basr	%r14, %r3
	lgr	%r15, %r\register
	.cfi_def_cfa_register 15
	lmg	%r\register, %r15, \register * 8(%r15)
	.cfi_restore \register
	.cfi_restore 14
	.cfi_restore 15
	br	%r14
	.cfi_endproc
	.size	registers_by_r\register, . - registers_by_r\register
	.endm

	.irp	reg, 7, 8, 9, 10, 12, 13
	BY_REGISTER \reg
	.endr

	.bss
	.balign	8
	.globl	registers_request
	.size	registers_request, 32
registers_request:
	.skip	32

	.section .note.GNU-stack, "", @progbits
