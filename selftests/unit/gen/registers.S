/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.S - functions whose CFA is by a register that their callees save, and such callees, for
 * tool_gen.  With TWO it is by one of two registers.
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
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	call	*%rsi
	.cfi_def_cfa_register %rsp
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	END calls

	FUNCTION saves
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	push	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset %rbp, -32
	nop
	.cfi_remember_state
	.cfi_restore %rbx
	nop
	.cfi_restore_state
	nop
	END saves

	FUNCTION loses
	nop
	.cfi_register %rbx, %rax
	nop
	.cfi_undefined %rbx
	nop
	.cfi_offset %rbx, 16
	nop
	.cfi_val_offset %rbx, -16
	nop
	.cfi_escape 0x10, 3, 2, 0x76, 0x10	/* rbx at *(rbp+16) */
	nop
	.cfi_same_value %rbx
	nop
	END loses

	FUNCTION leaf
	nop
	END leaf

#ifdef TWO
	FUNCTION calls_by_r15
	mov	%rsp, %r15
	.cfi_def_cfa_register %r15
	call	saves
	END calls_by_r15
#endif

	.section .note.GNU-stack, "", @progbits
