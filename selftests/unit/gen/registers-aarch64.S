/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers-aarch64.S - a function whose CFA is by a register that its callees save, and such
 * callees, for tool_gen.  CALL is what it calls by; with TWO another function goes by x23.
 */
	.arch	armv8.3-a
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
	str	x19, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x19, -16
	mov	x19, sp
	.cfi_def_cfa_register x19
	CALL
	.cfi_def_cfa_register sp
	ldr	x19, [sp], #16
	.cfi_restore x19
	.cfi_def_cfa_offset 0
	ret
	END calls

	FUNCTION saves
	stp	x19, x23, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x19, -32
	.cfi_offset x23, -24
	str	x24, [sp, #16]
	.cfi_offset x24, -16
	nop
	.cfi_restore x19
	nop
	END saves

	FUNCTION loses
	nop
	.cfi_undefined x19
	nop
	.cfi_val_offset x23, -16
	nop
	END loses

#ifdef TWO
	FUNCTION calls_too
	mov	x23, sp
	.cfi_def_cfa_register x23
	blr	x1
	.cfi_def_cfa_register sp
	ret
	END calls_too
#endif

	.section .note.GNU-stack, ""
