/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code-aarch64.S - functions without call frame information, for tool_gen, which has the rows that
 * their instructions must get.
 */
#define CODE(name)	.p2align 2; .globl name; .type name, %function; name:
#define END(name)	.size name, . - name

	.text

/* as those of the vDSO: a loop, a system call, and nothing saved */
CODE(leaf)
	cbz	x0, 2f
1:	ldr	xzr, [x1]
	subs	x0, x0, #1
	b.ne	1b
	ret
2:	mov	x8, #113
	svc	#0
	ret
END(leaf)

CODE(framed)
	paciasp
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	bl	leaf
	ldp	x29, x30, [sp], #48
	autiasp
	ret
END(framed)

/* room first, the record above it */
CODE(late)
	sub	sp, sp, #64
	stp	x29, x30, [sp, #48]
	add	x29, sp, #48
	sub	sp, sp, x0
	bl	leaf
	sub	sp, x29, #48
	ldp	x29, x30, [sp, #48]
	add	sp, sp, #64
	ret
END(late)

/* Behind the call its return address is gone. */
CODE(saves_nothing)
	bl	leaf
	ret
END(saves_nothing)

CODE(moves_it)
	mov	x15, x30
	bl	leaf
	ret	x15
END(moves_it)

/* The depth depends on the way. */
CODE(depth_differs)
	cbz	x0, 1f
	sub	sp, sp, #16
1:	nop
	ret
END(depth_differs)

/* likewise where the return address is */
CODE(ra_differs)
	sub	sp, sp, #16
	cbz	x0, 1f
	str	x30, [sp, #8]
1:	nop
	ret
END(ra_differs)

/* Nobody keeps what is below the stack pointer. */
CODE(below)
	str	x30, [sp, #-16]
	bl	leaf
	ret
END(below)

CODE(raised_too_far)
	str	x30, [sp, #-16]!
	bl	leaf
	add	sp, sp, #16
	ret
END(raised_too_far)

CODE(scalable)
	.inst	0x043f57df	/* addvl sp, sp, #-2 */
	nop
	ret
END(scalable)

#ifdef SPARSE
	/* Where nothing is: as many functions of 1 MB. */
	.set	.Lat, 1
	.altmacro
	.macro	far number
	.globl	far_\number
	.type	far_\number, %function
	.set	far_\number, leaf + (\number << 20)
	.size	far_\number, 1 << 20
	.endm
	.rept	4000
	far	%.Lat
	.set	.Lat, .Lat + 1
	.endr
#endif

	.section .note.GNU-stack, ""
