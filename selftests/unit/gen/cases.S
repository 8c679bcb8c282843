/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cases.S - call frame information of every kind, for tool_gen, which has what
 * must become of it.  The code is of no matter.
 */
#define CASE(name)	.p2align 4; .globl name; .type name, @function; name: .cfi_startproc
#define END(name)	.cfi_endproc; .size name, . - name

/* DWARF expressions, as compilers and assembly have them */
#define SAVED_AT_RBP	.cfi_escape 0x10, 6, 2, 0x76, 0
#define CFA_IN_SLOT	.cfi_escape 0x0f, 3, 0x76, 0x78, 6

	.text

/* gcc's dynamic realignment: CFA in a register, then in a slot */
CASE(drap)
	nop
	.cfi_def_cfa r10, 0
	nop
	SAVED_AT_RBP
	nop
	CFA_IN_SLOT
	nop
	.cfi_def_cfa r10, 0
	nop
	.cfi_def_cfa rsp, 8
	nop
END(drap)

CASE(remember)
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	nop
	.cfi_remember_state
	.cfi_def_cfa rbp, 16
	nop
	.cfi_remember_state
	.cfi_restore rbp
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
	nop
END(remember)

CASE(outermost)
	.cfi_undefined rip
	nop
	.cfi_def_cfa_offset 16
	nop
END(outermost)

CASE(signed)
	nop
	.cfi_def_cfa rsp, -16
	nop
	.cfi_offset rbp, 24
	nop
	/* negative, in a form of its own: 3 * data alignment, negated */
	.cfi_escape 0x2f, 6, 3
	nop
END(signed)

/* other registers, and other things of rbp */
CASE(elsewhere)
	.cfi_register rbp, rbx
	nop
	.cfi_same_value rbp
	nop
	.cfi_register rip, r11
	nop
	.cfi_offset rip, -24
	nop
	.cfi_offset rbp, -32
	nop
	.cfi_def_cfa rbx, 64
	nop
END(elsewhere)

/* widths of words and of starts */
CASE(wide)
	.cfi_def_cfa_offset 120
	nop
	.cfi_def_cfa_offset 128
	.skip 300
	.cfi_def_cfa_offset 40000
	.skip 66000
	.cfi_def_cfa_offset 16
	nop
END(wide)

/* nothing of all this matters */
CASE(ignored)
	.cfi_offset rbx, -16
	nop
	.cfi_escape 0x2e, 32
	nop
	.cfi_escape 0x16, 3, 2, 0x77, 8
	nop
	.cfi_escape 0x14, 7, 0
	nop
	.cfi_adjust_cfa_offset 0
END(ignored)

/* instructions behind the last byte of code */
CASE(late)
	nop
	.cfi_def_cfa_offset 16
END(late)

CASE(plt)
	.cfi_def_cfa_offset 16
	.skip 16
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22
	.skip 40
END(plt)

/* Each of these is a hole, for a part of it or for all. */
CASE(hole_cfa)
	nop
	.cfi_escape 0x0f, 6, 0x77, 16, 6, 6, 6, 0x96
	nop
	.cfi_def_cfa rsp, 8
	nop
END(hole_cfa)

/* behind pointers: with an addition, two of them, and back to what FLEX has */
CASE(path)
	nop
	.cfi_escape 0x0f, 5, 0x77, 8, 6, 0x23, 8
	nop
	.cfi_escape 0x0f, 8, 0x77, 56, 6, 0x23, 0, 6, 0x23, 8
	.cfi_offset rbp, -24
	nop
	.cfi_escape 0x0f, 3, 0x77, 16, 6
	nop
	.cfi_def_cfa rsp, 8
	nop
END(path)

/* As in bn_mul_mont() of OpenSSL: eight times r9. */
CASE(index)
	nop
	.cfi_escape 0x0f, 10, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 6, 0x23, 8
	nop
	.cfi_escape 0x0f, 7, 0x76, 16, 0x7f, 0, 0x38, 0x1e, 0x22
	nop
	/* by another number; of the stack pointer; twice; with an offset; alone; by 8 and a number */
	.cfi_escape 0x0f, 10, 0x77, 8, 0x79, 0, 0x39, 0x1e, 0x22, 6, 0x23, 8
	nop
	.cfi_escape 0x0f, 10, 0x76, 8, 0x77, 0, 0x38, 0x1e, 0x22, 6, 0x23, 8
	nop
	.cfi_escape 0x0f, 12, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x79, 0, 0x38, 0x1e, 0x22
	nop
	.cfi_escape 0x0f, 10, 0x77, 8, 0x79, 8, 0x38, 0x1e, 0x22, 6, 0x23, 8
	nop
	.cfi_escape 0x0f, 4, 0x79, 0, 0x38, 0x1e
	nop
	.cfi_escape 0x0f, 9, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x23, 8, 0x22
	nop
	.cfi_def_cfa rsp, 8
	nop
END(index)

CASE(hole_plt)
	nop
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	.skip 31
END(hole_plt)

CASE(hole_cfa_half)
	.cfi_escape 0x0f, 3, 0x77, 16, 6
	nop
	.cfi_escape 0x0e, 24
	nop
END(hole_cfa_half)

CASE(hole_ra)
	nop
	/* an address on the stack */
	.cfi_val_offset rip, -8
	nop
END(hole_ra)

CASE(hole_fp)
	.cfi_val_offset rbp, -16
	nop
	.cfi_undefined rbp
	nop
	.cfi_register rbp, xmm1
	nop
	.cfi_restore rbp
	nop
END(hole_fp)

/* the same as here is not the CFA */
CASE(hole_sp)
	.cfi_same_value rsp
	nop
	.cfi_register rsp, xmm1
	nop
END(hole_sp)

/* as longjmp() and setcontext() leave for another frame; a callee that pops its arguments */
CASE(leaves)
	nop
	.cfi_def_cfa rdi, 8
	.cfi_register rsp, r8
	.cfi_register rbp, r9
	.cfi_register rip, rdx
	nop
	.cfi_offset rsp, 48
	.cfi_offset rbp, 40
	.cfi_offset rip, 56
	nop
	.cfi_def_cfa rsp, 8
	.cfi_escape 0x16, 7, 2, 0x77, 16
	.cfi_restore rbp
	.cfi_restore rip
	nop
END(leaves)

CASE(hole_range)
	.cfi_def_cfa_offset 0x80000000
	nop
	.cfi_def_cfa_offset 0x7ffffff8
	nop
END(hole_range)

CASE(hole_unknown)
	nop
	.cfi_escape 0x3e
	nop
	.cfi_def_cfa_offset 16
	nop
END(hole_unknown)

CASE(hole_broken)
	.cfi_remember_state
	nop
	.cfi_restore_state
	nop
	.cfi_escape 0x0b
	nop
END(hole_broken)

/* an expression that is longer than the function's instructions */
CASE(hole_cut)
	nop
	.cfi_escape 0x0f, 100, 0x77, 8
	nop
END(hole_cut)

CASE(hole_signal)
	.cfi_signal_frame
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1
	nop
END(hole_signal)

/* said to be one, and a call in fact */
CASE(no_signal)
	.cfi_signal_frame
	nop
END(no_signal)

/* another column has the return address */
CASE(hole_column)
	.cfi_return_column 3
	nop
END(hole_column)

/* more rows than a piece has */
CASE(many)
	.rept 700
	nop
	.cfi_def_cfa_offset 16
	nop
	.cfi_def_cfa_offset 8
	.endr
END(many)

	.section .note.GNU-stack, "", @progbits
