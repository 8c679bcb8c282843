/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flex.S - see flex.h.  Needs a gas that writes SFrame version 3.
 */

/* struct flex_call */
#define CALL_RA	32

	.macro	FUNCTION name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

	.macro	END name
	.cfi_endproc
	.size	\name, . - \name
	.endm

/* Where functions save registers: in their callers' frames, which are 160 bytes or more. */
	.macro	SAVE
	stmg	%r6, %r15, 48(%r15)
	.cfi_offset %r14, -48
	.cfi_offset %r11, -72
	.endm

/* From @above bytes above the stack pointer, and back to the caller. */
	.macro	RETURN above=0
	lmg	%r6, %r15, 48+\above(%r15)
	.cfi_restore %r14
	.cfi_restore %r11
	.cfi_def_cfa %r15, 160
	br	%r14
	.endm

	.macro	FRAME
	aghi	%r15, -160
	.cfi_adjust_cfa_offset 160
	.endm

	.macro	NOTE_RA
	stg	%r14, CALL_RA(%r2)
	.endm

	.macro	ASK name
	lg	%r1, 0(%r2)
	lg	%r3, 16(%r2)
	lg	%r4, 24(%r2)
	lg	%r2, 8(%r2)
	svc	0
	.globl	\name\()_ip
\name\()_ip:
	.endm

/* Calls what flex_x(fn, arg) is to call. */
	.macro	CALL
	lgr	%r1, %r2
	lgr	%r2, %r3
	basr	%r14, %r1
	.endm

	.text

/* As a function that aligns its stack, with the old one in a register. */
	FUNCTION flex_drap_prologue
	NOTE_RA
	lgr	%r5, %r15
	.cfi_def_cfa %r5, 160
	nill	%r15, 0xffc0
	aghi	%r15, -256
	ASK	flex_drap_prologue
	lgr	%r15, %r5
	.cfi_def_cfa %r15, 160
	br	%r14
	END	flex_drap_prologue

	FUNCTION flex_ra
	NOTE_RA
	lgr	%r5, %r14
	.cfi_register %r14, %r5
	lghi	%r14, 0
	ASK	flex_ra
	lgr	%r14, %r5
	.cfi_restore %r14
	br	%r14
	END	flex_ra

/* As compilers do in functions that call nobody. */
	FUNCTION flex_ra_in_fpr
	NOTE_RA
	ldgr	%f0, %r14
	.cfi_register %r14, %f0
	lghi	%r14, 0
	ASK	flex_ra_in_fpr
	lgdr	%r14, %f0
	.cfi_restore %r14
	br	%r14
	END	flex_ra_in_fpr

/*
 * In this and what follows the return address is where it ever is: whoever guesses gets further
 * than the row allows.
 */
	FUNCTION flex_no_caller
	.cfi_undefined %r14
	ASK	flex_no_caller
	br	%r14
	END	flex_no_caller

	FUNCTION flex_calls_outermost
	.cfi_undefined %r14
	stmg	%r6, %r15, 48(%r15)
	lgr	%r0, %r15
	FRAME
	stg	%r0, 0(%r15)
	CALL
	lmg	%r6, %r15, 208(%r15)
	.cfi_def_cfa %r15, 160
	br	%r14
	END	flex_calls_outermost

	FUNCTION flex_ra_lost
	SAVE
	lgr	%r7, %r14
	.cfi_register %r14, %r7
	lgr	%r0, %r15
	FRAME
	stg	%r0, 0(%r15)
	CALL
	RETURN	160
	END	flex_ra_lost

/* A register that compilers take late, so that no callee has changed it. */
	FUNCTION flex_cfa_lost
	SAVE
	lgr	%r7, %r15
	aghi	%r7, 160
	.cfi_def_cfa %r7, 0
	lgr	%r0, %r15
	aghi	%r15, -160
	stg	%r0, 0(%r15)
	CALL
	RETURN	160
	END	flex_cfa_lost

/* An instruction with a relative address is done for the program. */
	FUNCTION flex_probed
	lgr	%r5, %r15
	.cfi_def_cfa %r5, 160
	.globl	flex_probed_ip
flex_probed_ip:
	larl	%r4, flex_probed
	.cfi_def_cfa %r15, 160
	br	%r14
	END	flex_probed

/* struct rt_sigframe of the kernel: 160 bytes to save registers in, siginfo and 8 bytes before it. */
	FUNCTION flex_sigreturn
	lgr	%r5, %r15
	.cfi_def_cfa %r5, 160
	lgr	%r15, %r2
	aghi	%r15, -296
	lghi	%r11, 0
	lghi	%r1, 173
	svc	0
	.globl	flex_sigreturn_ip
flex_sigreturn_ip:
	.short	0
	END	flex_sigreturn

/* ip - 1 of what comes next is here, and has another row. */
	FUNCTION flex_before_interrupted
	.cfi_def_cfa_offset 480
	.cfi_offset %r14, -48
	nopr	%r7
	END	flex_before_interrupted

/* With the frame of flex_signal(). */
	FUNCTION flex_interrupted
	.cfi_def_cfa_offset 320
	.cfi_offset %r14, -48
	.cfi_offset %r11, -72
	RETURN	160
	END	flex_interrupted

/* Likewise, with another frame below. */
	.p2align 4
	.type	flex_handler, @function
flex_handler:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa_offset 320
	.cfi_offset %r14, -48
	.cfi_offset %r11, -72
	CALL
	lg	%r14, 272(%r15)
	aghi	%r15, 160
	br	%r14
	END	flex_handler

	FUNCTION flex_signal
	SAVE
	FRAME
	larl	%r4, flex_interrupted
	stg	%r4, 112(%r15)
	stg	%r11, 88(%r15)
	FRAME
	j	flex_handler
	END	flex_signal

	.macro	IN_REGISTER nr, page=5
	FUNCTION flex_in_\nr
	NOTE_RA
	SAVE
	larl	%r\page, flex_page
	lgr	%r\nr, %r15
	aghi	%r\nr, 160
	.cfi_def_cfa %r\nr, 0
	aghi	%r15, -200
touch_\nr:
	mvi	0(%r\page), 0
trap_\nr:
	.short	0
	aghi	%r\nr, -160
	lgr	%r15, %r\nr
	.cfi_def_cfa %r15, 160
	RETURN
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

	.irp	nr, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14
	IN_REGISTER \nr
	.endr
	IN_REGISTER 5, 4

	.bss
	.p2align 12
	.globl	flex_page
flex_page:
	.skip	4096

	.section .note.GNU-stack, "", @progbits
