/* SPDX-License-Identifier: GPL-2.0 */
/* plt-aarch64.S - a library that has two entries in its PLT, and with TLS one for descriptors */
	.text
	.globl	calls
	.type	calls, %function
calls:
	.cfi_startproc
	bl	elsewhere
	bl	elsewhere2
#ifdef TLS
	adrp	x0, :tlsdesc:variable
	ldr	x1, [x0, :tlsdesc_lo12:variable]
	add	x0, x0, :tlsdesc_lo12:variable
	.tlsdesccall	variable
	blr	x1
#endif
	ret
	.cfi_endproc
	.size	calls, . - calls

	.section .note.GNU-stack, ""
