/* SPDX-License-Identifier: GPL-2.0 */
/* packed.S - a .debug_frame that is worth being compressed. */
	.cfi_sections .debug_frame
	.text
	.rept 300
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 48
	nop
	.cfi_endproc
	.endr

	.section .note.GNU-stack, "", @progbits
