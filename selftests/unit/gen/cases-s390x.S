/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cases-s390x.S - call frame information of every kind that differs from that of x86-64, for
 * tool_gen, which has what must become of it.  The code is of no matter.
 */
#define CASE(name)	.p2align 3; .globl name; .type name, @function; name: .cfi_startproc
#define END(name)	.cfi_endproc; .size name, . - name

	.text

/* a function as gcc makes it */
CASE(framed)
	nop	0
	.cfi_offset %r11, -72
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
	nop	0
	.cfi_def_cfa_offset 320
	nop	0
	.cfi_def_cfa_register %r11
	nop	0
	.cfi_remember_state
	.cfi_restore %r11
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_def_cfa %r15, 160
	nop	0
	.cfi_restore_state
	nop	0
END(framed)

CASE(fp_alone)
	nop	0
	.cfi_offset %r11, -72
	.cfi_offset %r15, -40
	nop	0
END(fp_alone)

/* what a leaf needs, it keeps in registers for floating point: %f0, %f2, %f4 by their numbers */
CASE(in_fprs)
	.cfi_register %r14, 16
	nop	0
	.cfi_register %r11, 17
	nop	0
	.cfi_register %r15, 18
	nop	0
END(in_fprs)

CASE(sp_by_value)
	.cfi_val_offset %r15, -160
	nop	0
	.cfi_def_cfa_offset 384
	nop	0
	/* the same as here, which the CFA contradicts, and then does not */
	.cfi_same_value %r15
	nop	0
	.cfi_def_cfa_offset 160
	nop	0
END(sp_by_value)

CASE(sp_not_told)
	.cfi_def_cfa_offset 384
	nop	0
END(sp_not_told)

/* as ld.so's, which saves elsewhere */
CASE(packed)
	.cfi_offset %r14, -64
	.cfi_offset %r15, -56
	nop	0
END(packed)

CASE(by_registers)
	.cfi_def_cfa %r12, 160
	nop	0
	/* expressions: CFA is what is at %r15 + 16, RA is at %r9 + 8 */
	.cfi_escape 0x0f, 3, 0x7f, 16, 0x06
	nop	0
	.cfi_escape 0x10, 14, 2, 0x79, 8
	nop	0
END(by_registers)

CASE(outermost)
	.cfi_undefined %r14
	nop	0
END(outermost)

/* In a plain row the word would say that it is in its register. */
CASE(ra_at_cfa)
	.cfi_offset %r14, 0
	nop	0
	.cfi_offset %r11, -72
	nop	0
END(ra_at_cfa)

/* The offset of a CFA is in units of 8 bytes. */
CASE(hole_cfa)
	nop	0
	.cfi_def_cfa_offset 164
	nop	0
END(hole_cfa)

/* the stack pointer is no return address */
CASE(hole_ra)
	.cfi_register %r14, %r15
	nop	0
END(hole_ra)

/* as longjmp() would have it: it is no caller's */
CASE(hole_sp)
	.cfi_register %r15, %r5
	nop	0
END(hole_sp)

CASE(hole_signal)
	.cfi_signal_frame
	.cfi_def_cfa_offset 320
	.cfi_offset %r14, -48
	nop	0
END(hole_signal)

CASE(hole_column)
	.cfi_return_column 96
	nop	0
END(hole_column)

CASE(hole_unknown)
	nop	0
	.cfi_escape 0x3e
	nop	0
END(hole_unknown)

	.section .note.GNU-stack, ""
