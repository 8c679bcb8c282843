/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ocaml.S - functions that call the runtime behind their end, as OCaml's do, for tool_gen.  With OCAML the file also has a function that goes to another stack to call C.
 */
	.text
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

	/* Two handlers are pushed where the first call comes from, one at the second, none at the third. */
	FUNCTION allocates
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	push	%r14
	.cfi_adjust_cfa_offset 8
	jb	1f
2:	push	%r14
	.cfi_adjust_cfa_offset 8
	jb	3f
4:	pop	%r14
	.cfi_adjust_cfa_offset -8
	pop	%r14
	.cfi_adjust_cfa_offset -8
	jb	5f
6:	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 8
3:	call	collects
	jmp	4b
1:	call	collects
	.byte	0xe9			/* jmp 2b, by 32 bits */
	.long	2b - . - 4
5:	call	collects
	jmp	6b
	/* It goes on, and has another function behind it. */
	call	collects
	jmp	7f
7:	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	END allocates

	/* More stack, before there is a frame, and where it is by another register. */
	FUNCTION grows
	jb	1f
2:	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	nop
1:	push	$5
	.cfi_adjust_cfa_offset 8
	call	collects
	pop	%r10
	.cfi_adjust_cfa_offset -8
	jmp	2b
	nop
	push	$500
	.cfi_adjust_cfa_offset 8
	call	collects
	pop	%r10
	.cfi_adjust_cfa_offset -8
	jmp	2b
	add	$0x68, %rsp
	ret
	nop
	/* The end of the addition and this push look like one of 32 bits. */
	push	$6
	.cfi_adjust_cfa_offset 8
	call	collects
	pop	%r10
	.cfi_adjust_cfa_offset -8
	jmp	2b
	END grows

	FUNCTION collects
	ret
	END collects

#ifdef OCAML
	FUNCTION calls_c
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	mov	8(%r14), %rsp
	call	*%rsi
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	ret
	END calls_c
#endif

	.section .note.GNU-stack, "", @progbits
