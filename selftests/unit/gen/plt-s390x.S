/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plt-s390x.S - a library that has two entries in its PLT; with ODD_SLOT also what rows of version 2
 * have no word for: an odd one is a register
 */
	.text
	.globl	calls
	.type	calls, @function
calls:
	.cfi_startproc
	brasl	%r14, elsewhere@PLT
	brasl	%r14, elsewhere2@PLT
	br	%r14
	.cfi_endproc
	.size	calls, . - calls

#ifdef ODD_SLOT
	.globl	odd_slot
	.type	odd_slot, @function
odd_slot:
	.cfi_startproc
	/* %r11 is at the CFA - 67 */
	.cfi_escape 0x10, 11, 4, 0x11, 0xbd, 0x7f, 0x22
	nop	0
	.cfi_endproc
	.size	odd_slot, . - odd_slot
#endif

	.section .note.GNU-stack, ""
