/* SPDX-License-Identifier: GPL-2.0 */
/* forms-aarch64.S - signed return addresses, and what compilers never do */
	.macro	func name
	.globl	\name
	.type	\name, %function
\name:
	.cfi_startproc
	.endm

	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	func	main
	mov	w0, 0
	ret
	end	main

	func	trampoline
	.cfi_signal_frame
	.cfi_def_cfa_offset 256
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x8, 139
	svc	0
	end	trampoline

	func	thread_start
	.cfi_undefined x30
	mov	x29, 0
	bl	main
	brk	1
	end	thread_start

	/* signed, and saved nowhere */
	func	signed_leaf
	hint	25			/* paciasp */
	.cfi_negate_ra_state
	nop
	hint	29			/* autiasp */
	.cfi_negate_ra_state
	ret
	end	signed_leaf

	func	signed_b
	.cfi_b_key_frame
	hint	27			/* pacibsp */
	.cfi_negate_ra_state
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x29, sp
	.cfi_def_cfa_register x29
	nop
	ldp	x29, x30, [sp], 32
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa sp, 0
	hint	31			/* autibsp */
	.cfi_negate_ra_state
	ret
	end	signed_b

	/* RA alone, then FP alone */
	func	ra_only
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	nop
	ldr	x30, [sp], 16
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	end	ra_only

	func	fp_only
	str	x29, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	nop
	ldr	x29, [sp], 16
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	end	fp_only

	func	by_x9
	mov	x9, sp
	.cfi_def_cfa_register x9
	nop
	mov	sp, x9
	.cfi_def_cfa_register sp
	ret
	end	by_x9

	func	ra_in_x10
	mov	x10, x30
	.cfi_register x30, x10
	nop
	mov	x30, x10
	.cfi_restore x30
	ret
	end	ra_in_x10

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
	.section .note.GNU-stack, "", %progbits
