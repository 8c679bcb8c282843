/* SPDX-License-Identifier: GPL-2.0 */
/* debug.S - a function that only .debug_frame tells of, as Go has them. */
	.cfi_sections .debug_frame
	.text
	.globl in_debug_frame
	.type in_debug_frame, @function
in_debug_frame:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 48
	nop
	.cfi_endproc
	.size in_debug_frame, . - in_debug_frame

	.section .note.GNU-stack, "", @progbits
