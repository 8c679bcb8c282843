/* SPDX-License-Identifier: GPL-2.0 */
/*
 * entry_start.S - as crt1.o's, but for the arguments.  It says that it has no
 * caller; gas 2.44 has no row for that and writes one as for any function.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined %rip
	call	entry_main
	hlt
	.cfi_endproc
	.size	_start, . - _start

	.section .note.GNU-stack, "", @progbits
