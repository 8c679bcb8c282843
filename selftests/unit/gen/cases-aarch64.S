/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cases-aarch64.S - call frame information of every kind that differs from that of x86-64, for
 * tool_gen, which has what must become of it.  The code is of no matter.
 */
#define CASE(name)	.p2align 2; .globl name; .type name, %function; name: .cfi_startproc
#define END(name)	.cfi_endproc; .size name, . - name

	.text

/* a function as gcc makes it, with signed return addresses */
CASE(framed)
	nop
	.cfi_negate_ra_state
	nop
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	nop
	.cfi_def_cfa_register x29
	nop
	.cfi_remember_state
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa sp, 0
	nop
	.cfi_negate_ra_state
	nop
	/* the signature is of the state, too */
	.cfi_restore_state
	bl	elsewhere
END(framed)

CASE(leaf)
	.cfi_def_cfa_offset 64
	nop
END(leaf)

CASE(ra_alone)
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	nop
	.cfi_same_value x30
	nop
END(ra_alone)

/* A row of the plain form has no word for the frame pointer alone. */
CASE(fp_alone)
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	nop
	.cfi_offset x30, -8
	nop
END(fp_alone)

CASE(fp_in_register)
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -8
	.cfi_register x29, x9
	nop
END(fp_in_register)

CASE(by_registers)
	.cfi_register x30, x10
	nop
	.cfi_negate_ra_state
	nop
	.cfi_def_cfa x19, 48
	nop
	/* expressions: CFA is what is at sp + 16, RA is at x9 + 8 */
	.cfi_escape 0x0f, 3, 0x8f, 16, 0x06
	nop
	.cfi_escape 0x10, 30, 2, 0x79, 8
	nop
END(by_registers)

CASE(outermost)
	.cfi_undefined x30
	nop
END(outermost)

CASE(key_b)
	.cfi_b_key_frame
	.cfi_negate_ra_state
	nop
END(key_b)

/* as glibc's _dl_runtime_resolve(), which the PLT has pushed two registers for */
CASE(resolver)
	nop
	.cfi_offset x30, 8
	nop
	.cfi_def_cfa_offset 208
	nop
	.cfi_def_cfa_offset 0
	nop
	.cfi_def_cfa_offset -16
	nop
END(resolver)

#ifdef WITH_PC
/* signed with an address of the code besides; elfutils does not know that yet */
CASE(with_pc)
	.cfi_escape 0x2c
	nop
END(with_pc)
#endif

/* as of scalable vectors: 16 + 8 * VG above the stack pointer */
CASE(hole_cfa)
	nop
	.cfi_escape 0x0f, 10, 0x8f, 0x00, 0x11, 0x10, 0x22, 0x92, 0x2e, 0x00, 0x38, 0x1e
	nop
END(hole_cfa)

/* the stack pointer is no return address */
CASE(hole_ra)
	.cfi_register x30, sp
	nop
END(hole_ra)

CASE(hole_signal)
	.cfi_signal_frame
	.cfi_def_cfa_offset 256
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	nop
END(hole_signal)

CASE(hole_signal_leaf)
	.cfi_signal_frame
	nop
END(hole_signal_leaf)

CASE(hole_column)
	.cfi_return_column 96
	nop
END(hole_column)

/* what is a return address to others */
CASE(hole_unknown)
	nop
	.cfi_escape 0x2f
	.cfi_escape 0x3e
	nop
END(hole_unknown)

	.section .note.GNU-stack, ""
