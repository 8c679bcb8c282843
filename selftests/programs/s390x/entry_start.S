/* SPDX-License-Identifier: GPL-2.0 */
/*
 * entry_start.S - as crt1.o's, but for the arguments.  It says that it has no caller.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined 14
	aghi	%r15, -160
	.cfi_adjust_cfa_offset 160
	xc	0(8, %r15), 0(%r15)
	brasl	%r14, entry_main
	.short	0
	.cfi_endproc
	.size	_start, . - _start

	.section .note.GNU-stack, "", @progbits
