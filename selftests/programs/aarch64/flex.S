/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flex.S - see flex.h.  gas 2.47 writes no FLEX rows for aarch64.  So this file has no CFI, and the
 * macros here make its part of the section, which the linker takes as any other.
 */
#include "lib/sframe_abi.h"

/* struct flex_call */
#define CALL_RA	32

/* Words of a FLEX row: what, then the offset. */
#define REG(n)		((n) << 3 | 1)
#define AT_REG(n)	((n) << 3 | 3)
#define AT_CFA		2
#define FP		SFRAME_FP
#define SP		SFRAME_SP

/* Where the return address is in its register, and where it is right above what x29 was. */
#define LEAF		REG(SP), 0
#define FRAME(size)	REG(SP), size, AT_CFA, 8 - (size), AT_CFA, -(size)

/* In the info bytes of a function's attribute, and of a row. */
#define SIGNAL		0x80
#define SIGNED		0x80

/* The section's parts, in this order. */
#define HEADER		.pushsection .sframe, 0
#define INDEX		.pushsection .sframe, 1
#define ROWS		.pushsection .sframe, 2

	.section .sframe, "a", %0x6ffffff4
	.balign	8
	.2byte	0xdee2
	.byte	3, 4, SFRAME_ABI, 0, SFRAME_FIXED_RA, 0
	.long	all_functions, all_rows, rows_end - rows_begin, 0, rows_begin - index_begin
	.text
	INDEX
index_begin:
	.popsection
	ROWS
rows_begin:
	.popsection
	.set	nr_functions, 0
	.set	nr_rows, 0

/* A function, its entry of the index, and its attribute: rows follow. */
	.macro	FUNCTION name, info=0
	.globl	\name
	.type	\name, @function
\name:
	INDEX
	.quad	\name - .
	.long	.Lend_\name - \name, .Lrows_\name - rows_begin
	.popsection
	ROWS
.Lrows_\name:
	.2byte	.Lnr_\name
	.byte	\info, 1, 0
	.popsection
	.set	nr_functions, nr_functions + 1
	.set	function, \name
	.set	first_row, nr_rows
	.endm

	.macro	END name
.Lend_\name:
	.size	\name, . - \name
	.set	.Lnr_\name, nr_rows - first_row
	.endm

/* A row from here on, of these words; of none: there is no caller. */
	.macro	ROW_OF info, words:vararg
.Lrow\@:
	.set	nr_words, 0
	.irp	word, \words
	.ifnb	\word
	.set	nr_words, nr_words + 1
	.endif
	.endr
	ROWS
	.byte	.Lrow\@ - function, \info | nr_words << 1
	.if	nr_words
	.byte	\words
	.endif
	.popsection
	.set	nr_rows, nr_rows + 1
	.endm

	.macro	ROW words:vararg
	ROW_OF	0, \words
	.endm

	.macro	SIGNED_ROW words:vararg
	ROW_OF	SIGNED, \words
	.endm

	.macro	NOTE_RA
	str	x30, [x0, #CALL_RA]
	.endm

	.macro	ASK name
	ldp	x8, x9, [x0]
	ldp	x1, x2, [x0, #16]
	mov	x0, x9
	svc	#0
	.globl	\name\()_ip
\name\()_ip:
	.endm

/* Calls what flex_x(fn, arg) is to call. */
	.macro	CALL
	mov	x9, x0
	mov	x0, x1
	blr	x9
	.endm

	.text

/* As a function that aligns its stack, with the old one in a register. */
	FUNCTION flex_drap_prologue
	ROW	LEAF
	NOTE_RA
	mov	x10, sp
	ROW	REG(10), 0
	and	sp, x10, #-64
	sub	sp, sp, #64
	ASK	flex_drap_prologue
	mov	sp, x10
	ROW	LEAF
	ret
	END	flex_drap_prologue

/* The old stack pointer is below what x29 points to, and the return address is signed. */
	FUNCTION flex_drap_body
	ROW	LEAF
	NOTE_RA
	paciasp
	SIGNED_ROW LEAF
	mov	x10, sp
	SIGNED_ROW REG(10), 0
	and	sp, x10, #-64
	sub	sp, sp, #64
	stp	x10, x29, [sp, #8]
	str	x30, [sp, #24]
	add	x29, sp, #16
	SIGNED_ROW AT_REG(FP), -8, AT_REG(FP), 8, AT_REG(FP), 0
	mov	x10, #0
	mov	x30, #0
	ASK	flex_drap_body
	ldp	x10, x29, [sp, #8]
	ldr	x30, [sp, #24]
	SIGNED_ROW REG(10), 0
	mov	sp, x10
	SIGNED_ROW LEAF
	autiasp
	ROW	LEAF
	ret
	END	flex_drap_body

	FUNCTION flex_ra
	ROW	LEAF
	NOTE_RA
	mov	x10, x30
	ROW	REG(SP), 0, REG(10), 0
	mov	x30, #0
	ASK	flex_ra
	mov	x30, x10
	ROW	LEAF
	ret
	END	flex_ra

	FUNCTION flex_signed_ra
	ROW	LEAF
	NOTE_RA
	paciasp
	SIGNED_ROW LEAF
	mov	x10, x30
	SIGNED_ROW REG(SP), 0, REG(10), 0
	mov	x30, #0
	ASK	flex_signed_ra
	mov	x30, x10
	SIGNED_ROW LEAF
	autiasp
	ROW	LEAF
	ret
	END	flex_signed_ra

/*
 * In this and what follows there is a return address where the row does not have it: whoever
 * guesses gets further than the row allows.
 */
	FUNCTION flex_no_caller
	ROW
	ASK	flex_no_caller
	ret
	END	flex_no_caller

	FUNCTION flex_calls_outermost
	ROW
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	CALL
	ldp	x29, x30, [sp], #16
	ret
	END	flex_calls_outermost

	FUNCTION flex_ra_lost
	ROW	LEAF
	stp	x29, x30, [sp, #-32]!
	ROW	FRAME(32)
	mov	x29, sp
	str	x23, [sp, #16]
	mov	x23, x30
	ROW	REG(SP), 32, REG(23), 0, AT_CFA, -32
	CALL
	ldr	x23, [sp, #16]
	ROW	FRAME(32)
	ldp	x29, x30, [sp], #32
	ROW	LEAF
	ret
	END	flex_ra_lost

/* A register that compilers take late, so that no callee has changed it. */
	FUNCTION flex_cfa_lost
	ROW	LEAF
	stp	x29, x30, [sp, #-32]!
	ROW	FRAME(32)
	mov	x29, sp
	str	x23, [sp, #16]
	add	x23, sp, #32
	ROW	REG(23), 0, AT_CFA, -24, AT_CFA, -32
	CALL
	ROW	FRAME(32)
	ldr	x23, [sp, #16]
	ldp	x29, x30, [sp], #32
	ROW	LEAF
	ret
	END	flex_cfa_lost

/* A branch is done for the program, which goes on behind it. */
	FUNCTION flex_probed
	ROW	LEAF
	mov	x12, sp
	ROW	REG(12), 0
	.globl	flex_probed_ip
flex_probed_ip:
	b	1f
1:
	ROW	LEAF
	ret
	END	flex_probed

/* No frame pointer: without the row the walk would take that for the end. */
	FUNCTION flex_sigreturn
	mov	x12, sp
	ROW	REG(12), 0
	sub	sp, x0, #128
	mov	x29, #0
	mov	x8, #139
	svc	#0
	.globl	flex_sigreturn_ip
flex_sigreturn_ip:
	udf	#0
	END	flex_sigreturn

/* ip - 1 of what comes next is here, and has another row. */
	FUNCTION flex_before_interrupted
	ROW	REG(SP), 32, AT_CFA, -8
	nop
	END	flex_before_interrupted

	FUNCTION flex_interrupted
	ROW	FRAME(16)
	ldp	x29, x30, [sp], #16
	ROW	LEAF
	ret
	END	flex_interrupted

	.p2align 4
	FUNCTION flex_handler, SIGNAL
	ROW	FRAME(16)
	CALL
	ldp	x29, x30, [sp], #16
	ret
	END	flex_handler

	FUNCTION flex_signal
	ROW	LEAF
	stp	x29, x30, [sp, #-16]!
	ROW	FRAME(16)
	adr	x9, flex_interrupted
	stp	x29, x9, [sp, #-16]!
	ROW	FRAME(32)
	b	flex_handler
	END	flex_signal

	.macro	IN_REGISTER nr, page=9
	FUNCTION flex_in_\nr
	ROW	LEAF
	NOTE_RA
	stp	x29, x30, [sp, #-48]!
	ROW	FRAME(48)
	str	x\nr, [sp, #16]
	adrp	x\page, flex_page
	add	x\page, x\page, :lo12:flex_page
	add	x\nr, sp, #48
	ROW	REG(\nr), 0, AT_CFA, -40, AT_CFA, -48
	sub	sp, sp, #32
touch_\nr:
	strb	wzr, [x\page]
trap_\nr:
	udf	#0
	sub	sp, x\nr, #48
	ROW	FRAME(48)
	ldr	x\nr, [sp, #16]
	ldp	x29, x30, [sp], #48
	ROW	LEAF
	ret
	END	flex_in_\nr

	.pushsection .data.rel.ro, "aw"
	.quad	flex_in_\nr, touch_\nr, trap_\nr
	.popsection
	.endm

	.pushsection .data.rel.ro, "aw"
	.p2align 3
	.globl	flex_registers
flex_registers:
	.popsection

	.irp	nr, 0, 1, 2, 3, 4, 5, 6, 7, 8
	IN_REGISTER \nr
	.endr
	IN_REGISTER 9, 10
	.irp	nr, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30
	IN_REGISTER \nr
	.endr

	ROWS
rows_end:
	.popsection
	.set	all_functions, nr_functions
	.set	all_rows, nr_rows

	.bss
	/* of any size that it may have */
	.p2align 16
	.globl	flex_page
flex_page:
	.skip	65536

	.section .note.GNU-stack, "", @progbits
