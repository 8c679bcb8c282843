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
	.cfi_escape 0x16, 3, 4, 0x40, 0x1c, 6, 6	/* rbx is **(cfa-16) */
	nop
	.cfi_escape 0x16, 3, 5, 0x40, 0x1c, 6, 0x34, 0x22	/* rbx is *(cfa-16)+4 */
	nop
	.cfi_same_value %rbx
	nop
	END loses

	FUNCTION leaf
	nop
	END leaf

	/* What rows before it had behind a load is not in this one. */
	FUNCTION switches
	nop
	.cfi_escape 0x0f, 5, 0x77, 8, 6, 0x23, 77	/* *(rsp+8)+77 */
	nop
	.cfi_escape 0x0f, 3, 0x73, 8, 6		/* *(rbx+8) */
	mov	8(%r14), %rsp
	call	*%rsi
	.cfi_def_cfa %rsp, 8
	nop
	END switches

#ifdef TWO
	FUNCTION calls_by_r15
	mov	%rsp, %r15
	.cfi_def_cfa_register %r15
	call	saves
	END calls_by_r15
#endif

	.section .note.GNU-stack, "", @progbits
