/* SPDX-License-Identifier: GPL-2.0 */
/* bounds.S - more than the converter remembers, though it makes sense. */
#define CASE(name)	.p2align 4; .globl name; .type name, @function; name: .cfi_startproc
#define END(name)	.cfi_endproc; .size name, . - name

	.text
CASE(hole_states)
	nop
	.rept 65
	.cfi_remember_state
	.endr
	nop
	.rept 65
	.cfi_restore_state
	.endr
END(hole_states)

	.section .note.GNU-stack, "", @progbits
