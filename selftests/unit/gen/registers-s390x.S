/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers-s390x.S - a function whose CFA is by a register that its callees save, and such
 * callees, for tool_gen.  CALL is what it calls by, of 6 bytes; with TWO another function goes by
 * r13.
 */
	.text
	.macro	FUNCTION name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm
	.macro	END name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	FUNCTION calls
	stmg	%r12, %r15, 96(%r15)
	.cfi_offset %r12, -64
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
	lgr	%r12, %r15
	.cfi_def_cfa_register %r12
	CALL
	.cfi_def_cfa_register %r15
	lmg	%r12, %r15, 96(%r12)
	.cfi_restore %r12
	.cfi_restore %r14
	.cfi_restore %r15
	br	%r14
	END calls

	FUNCTION saves
	stmg	%r12, %r13, 96(%r15)
	.cfi_offset %r12, -64
	.cfi_offset %r13, -56
	stg	%r11, 88(%r15)
	.cfi_offset %r11, -72
	nop	0
	.cfi_restore %r12
	nop	0
	END saves

	FUNCTION loses
	nop	0
	.cfi_undefined %r12
	nop	0
	.cfi_val_offset %r13, -16
	nop	0
	END loses

/* The caller's value is in a register that no row of a caller can follow. */
	FUNCTION keeps_in_fpr
	ldgr	%f0, %r12
	.cfi_register %r12, %f0
	nop	0
	END keeps_in_fpr

#ifdef TWO
	FUNCTION calls_too
	lgr	%r13, %r15
	.cfi_def_cfa_register %r13
	basr	%r14, %r1
	.cfi_def_cfa_register %r15
	br	%r14
	END calls_too
#endif

	.section .note.GNU-stack, ""
