/* SPDX-License-Identifier: GPL-2.0 */
/* second.S - code in an executable segment of its own; see tool_gen. */
	.section .far, "ax", @progbits
	.globl far_away
	.type far_away, @function
far_away:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 32
	nop
	.cfi_endproc
	.size far_away, . - far_away

	.section .note.GNU-stack, "", @progbits
