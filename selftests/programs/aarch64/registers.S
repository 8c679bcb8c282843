/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.S - for registers_test.c: functions whose CFA is by a register, and what they call,
 * which uses that register and makes the system call of registers_request.  Return addresses are
 * signed.
 */
	.macro	PUSH_RECORD room
	paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-\room]!
	.cfi_def_cfa_offset \room
	.cfi_offset 29, -\room
	.cfi_offset 30, 8 - \room
	.endm

	.macro	POP_RECORD room
	ldp	x29, x30, [sp], #\room
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	autiasp
	.cfi_negate_ra_state
	ret
	.endm

	.macro	ASKS name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	PUSH_RECORD 64
	stp	x19, x20, [sp, #16]
	.cfi_offset 19, -48
	.cfi_offset 20, -40
	stp	x21, x22, [sp, #32]
	.cfi_offset 21, -32
	.cfi_offset 22, -24
	stp	x23, x24, [sp, #48]
	.cfi_offset 23, -16
	.cfi_offset 24, -8
	.endm

	.macro	END_ASKS name
	.irp	reg, x19, x20, x21, x22, x23, x24
	mov	\reg, #0
	.endr
	adrp	x9, registers_request
	add	x9, x9, :lo12:registers_request
	ldp	x8, x0, [x9]
	ldp	x1, x2, [x9, #16]
	svc	#0
	.globl	\name\()_ip
\name\()_ip:
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	.irp	reg, x19, x20, x21, x22, x23, x24
	.cfi_restore \reg
	.endr
	POP_RECORD 64
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	ASKS	registers_saves
	END_ASKS registers_saves

	/* They are saved, but nobody can tell where. */
	ASKS	registers_loses
	.irp	reg, x19, x20, x21, x22, x23, x24
	.cfi_undefined \reg
	.endr
	END_ASKS registers_loses

/* The stack pointer goes down by what is known at run time only. */
	.macro	BY_REGISTER register
	.globl	registers_by_\register
	.type	registers_by_\register, @function
registers_by_\register:
	.cfi_startproc
	PUSH_RECORD 32
	str	\register, [sp, #16]
	.cfi_offset \register, -16
	mov	\register, sp
	.cfi_def_cfa_register \register
	sub	x9, sp, x0, lsl #4
	and	sp, x9, #-64
	blr	x1
	mov	sp, \register
	.cfi_def_cfa_register sp
	ldr	\register, [sp, #16]
	.cfi_restore \register
	POP_RECORD 32
	.cfi_endproc
	.size	registers_by_\register, . - registers_by_\register
	.endm

	.irp	reg, x19, x20, x21, x22, x23, x24
	BY_REGISTER \reg
	.endr

	.bss
	.balign	8
	.globl	registers_request
	.size	registers_request, 32
registers_request:
	.skip	32

	.section .note.GNU-stack, "", @progbits
