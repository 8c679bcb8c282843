/* SPDX-License-Identifier: GPL-2.0 */
/*
 * victim_raw.S - raw_hostile_sframe() of the library whose file is changed.
 */
#include "hostile.inc"

	.text
/* The first address behind a call, with no call that ends at victim_raw(). */
	brasl	%r14, victim_behind_call
	.globl	victim_behind_call
victim_behind_call:
	nopr	%r7
	nopr	%r7
	nopr	%r7
	nopr	%r7
	.globl	victim_raw
	.type	victim_raw, @function
victim_raw:
	.cfi_startproc
	.cfi_def_cfa_offset 176
	.cfi_offset 14, -168
	HOSTILE	victim_raw
	.cfi_endproc
	.globl	victim_raw_end
victim_raw_end:
	.size	victim_raw, . - victim_raw

	.section .note.GNU-stack, "", @progbits
