/* SPDX-License-Identifier: GPL-2.0 */
/*
 * empty-aarch64.S - for tool_gen: an adrp at the end of a page, with accesses that ld moves into a
 * page of their own for Cortex-A53's sake.
 */
	.text
	.p2align 12
	.globl first
	.type first, %function
first:
	.cfi_startproc
	.rept 4088 / 4
	nop
	.endr
	adrp	x0, word
	ldr	x1, [x2]
	ldr	x0, [x0, :lo12:word]
	ret
	.cfi_endproc
	.size first, . - first

	.data
	.p2align 3
	.hidden word
word:	.quad 0
