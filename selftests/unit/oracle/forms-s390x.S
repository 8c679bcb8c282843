/* SPDX-License-Identifier: GPL-2.0 */
/* forms-s390x.S - RA and FP in registers, and what compilers never do */
	.macro	func name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	func	main
	lghi	%r2, 0
	br	%r14
	end	main

	func	trampoline
	.cfi_signal_frame
	.cfi_def_cfa_offset 320
	.cfi_offset %r14, -48
	.cfi_offset %r11, -72
	svc	173
	end	trampoline

	func	thread_start
	.cfi_undefined %r14
	brasl	%r14, main
	j	.+2
	end	thread_start

	func	ra_in_f0
	ldgr	%f0, %r14
	.cfi_register %r14, %f0
	lghi	%r14, 0
	lgdr	%r14, %f0
	.cfi_restore %r14
	br	%r14
	end	ra_in_f0

	/* FP too, and CFA by it */
	func	both_in_fprs
	ldgr	%f2, %r11
	.cfi_register %r11, %f2
	ldgr	%f0, %r15
	.cfi_register %r15, %f0
	aghi	%r15, -168
	.cfi_adjust_cfa_offset 168
	lgr	%r11, %r15
	.cfi_def_cfa_register %r11
	nopr
	lgdr	%r15, %f0
	.cfi_restore %r15
	.cfi_def_cfa %r15, 160
	lgdr	%r11, %f2
	.cfi_restore %r11
	br	%r14
	end	both_in_fprs

	/* FP in a slot, RA not saved: the pad */
	func	fp_only
	stg	%r11, 88(%r15)
	.cfi_offset %r11, -72
	nopr
	lg	%r11, 88(%r15)
	.cfi_restore %r11
	br	%r14
	end	fp_only

	func	ra_only
	stg	%r14, 112(%r15)
	.cfi_offset %r14, -48
	nopr
	lg	%r14, 112(%r15)
	.cfi_restore %r14
	br	%r14
	end	ra_only

	func	by_r9
	lgr	%r9, %r15
	.cfi_def_cfa_register %r9
	nopr
	lgr	%r15, %r9
	.cfi_def_cfa_register %r15
	br	%r14
	end	by_r9

	/* offsets that do and do not fit the scale of 8 */
	func	offsets
	aghi	%r15, -32760
	.cfi_adjust_cfa_offset 32760
	nopr
	.cfi_def_cfa_offset 160
	nopr
	.cfi_def_cfa_offset 0
	nopr
	.cfi_def_cfa_offset 165
	br	%r14
	end	offsets

	.globl	none_before
none_before:
	.cfi_startproc
	.cfi_endproc
	func	between
	br	%r14
	end	between
	.cfi_startproc
	.cfi_endproc
	.section .note.GNU-stack, "", @progbits
