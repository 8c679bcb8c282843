/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flex.S - see flex.h.  Needs a gas that writes SFrame version 3.
 */

/* What .cfi_* have no word for; opcodes are those of DWARF 5, 7.24 and 7.7.1. */
#define CFA_AT_FP(off)	.cfi_escape 0x0f, 3, 0x76, (off) & 0x7f, 0x06
#define FP_AT_FP	.cfi_escape 0x10, 6, 2, 0x76, 0

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

	.macro	SAVE reg
	push	%\reg
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	RESTORE reg
	pop	%\reg
	.cfi_adjust_cfa_offset -8
	.endm

	.macro	NOTE_RA
	mov	(%rsp), %rax
	mov	%rax, CALL_RA(%rdi)
	.endm

	.macro	ASK name
	mov	0(%rdi), %rax
	mov	16(%rdi), %rsi
	mov	24(%rdi), %rdx
	mov	8(%rdi), %rdi
	syscall
	.globl	\name\()_ip
\name\()_ip:
	.endm

	.text

/* As gcc aligns the stack of a function whose arguments it must find again. */
	FUNCTION flex_drap_prologue
	NOTE_RA
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-64, %rsp
	sub	$64, %rsp
	ASK	flex_drap_prologue
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	END	flex_drap_prologue

/* gcc copies RA to above the saved %rbp; here a guess finds no code there. */
	FUNCTION flex_drap_body
	NOTE_RA
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-64, %rsp
	push	$0
	push	%rbp
	mov	%rsp, %rbp
	FP_AT_FP
	push	%r10
	CFA_AT_FP(-8)
	sub	$40, %rsp
	ASK	flex_drap_body
	add	$40, %rsp
	pop	%r10
	.cfi_def_cfa %r10, 0
	pop	%rbp
	.cfi_same_value %rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	END	flex_drap_body

	FUNCTION flex_ra
	NOTE_RA
	mov	(%rsp), %r9
	.cfi_register %rip, %r9
	movq	$0, (%rsp)
	ASK	flex_ra
	mov	%r9, (%rsp)
	.cfi_offset %rip, -8
	ret
	END	flex_ra

/*
 * In this and what follows RA and a frame pointer are on the stack as ever:
 * whoever guesses gets further than the row allows.
 */
	FUNCTION flex_no_caller
	.cfi_undefined %rip
	ASK	flex_no_caller
	ret
	END	flex_no_caller

	FUNCTION flex_calls_outermost
	.cfi_undefined %rip
	SAVE	rbp
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
	RESTORE	rbp
	.cfi_same_value %rbp
	ret
	END	flex_calls_outermost

	FUNCTION flex_ra_lost
	SAVE	rbp
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	SAVE	rbx
	mov	8(%rbp), %rbx
	.cfi_register %rip, %rbx
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	.cfi_offset %rip, -8
	RESTORE	rbx
	RESTORE	rbp
	.cfi_same_value %rbp
	ret
	END	flex_ra_lost

	FUNCTION flex_cfa_lost
	SAVE	rbp
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	push	%r12
	lea	16(%rbp), %r12
	.cfi_def_cfa %r12, 0
	sub	$8, %rsp
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
	add	$8, %rsp
	.cfi_def_cfa %rbp, 16
	pop	%r12
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_same_value %rbp
	ret
	END	flex_cfa_lost

/* The instruction does nothing, and can be done for it. */
	FUNCTION flex_probed
	push	%r12
	.cfi_adjust_cfa_offset 8
	lea	16(%rsp), %r12
	.cfi_def_cfa %r12, 0
	.globl	flex_probed_ip
flex_probed_ip:
	nop
	.cfi_def_cfa %rsp, 16
	pop	%r12
	.cfi_def_cfa %rsp, 8
	ret
	END	flex_probed

/* No frame pointer: without the row the walk would take that for the end. */
	FUNCTION flex_sigreturn
	lea	8(%rsp), %r12
	.cfi_def_cfa %r12, 0
	mov	%rdi, %rsp
	xor	%ebp, %ebp
	mov	$15, %eax
	syscall
	.globl	flex_sigreturn_ip
flex_sigreturn_ip:
	ud2
	END	flex_sigreturn

/* ip - 1 of what comes next is here, and has another row. */
	FUNCTION flex_before_interrupted
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	nop
	END	flex_before_interrupted

	FUNCTION flex_interrupted
	ret
	END	flex_interrupted

	.p2align 4
	.type	flex_handler, @function
flex_handler:
	.cfi_startproc
	.cfi_signal_frame
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
	ret
	END	flex_handler

	FUNCTION flex_signal
	lea	flex_interrupted(%rip), %rax
	SAVE	rax
	jmp	flex_handler
	END	flex_signal

	.macro	IN_REGISTER reg
	FUNCTION flex_in_\reg
	NOTE_RA
	SAVE	\reg
	lea	16(%rsp), %\reg
	.cfi_def_cfa %\reg, 0
	sub	$40, %rsp
touch_\reg:
	movb	$0, flex_page(%rip)
trap_\reg:
	ud2
	lea	-16(%\reg), %rsp
	.cfi_def_cfa %rsp, 16
	RESTORE	\reg
	ret
	END	flex_in_\reg

	.pushsection .data.rel.ro, "aw"
	.quad	flex_in_\reg, touch_\reg, trap_\reg
	.popsection
	.endm

	.pushsection .data.rel.ro, "aw"
	.p2align 3
	.globl	flex_registers
flex_registers:
	.popsection

	.irp	reg, rax, rdx, rcx, rbx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	IN_REGISTER \reg
	.endr

	FUNCTION flex_trace_on
	pushf
	orq	$0x100, (%rsp)
	popf
	ret
	END	flex_trace_on

	FUNCTION flex_trace_off
	pushf
	andq	$~0x100, (%rsp)
	popf
	ret
	END	flex_trace_off

	.bss
	.p2align 12
	.globl	flex_page
flex_page:
	.skip	4096

	.section .note.GNU-stack, "", @progbits
