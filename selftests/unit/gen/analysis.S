/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions without call frame information, for tool_gen: what the analysis of their
 * instructions must say, and where it must say nothing.
 */
.macro function name:vararg
	.globl \name
	.type \name, @function
\name:
.endm

/* Its symbol says no more than where it is. */
.macro local name:vararg
\name:
.endm

.macro end name:vararg
	.size \name, . - \name
	.p2align 4, 0xcc
.endm

	.text
function plain
	push %rbp
	mov %rsp, %rbp
	sub $32, %rsp
	call outside@plt
	leave
	ret
end plain

function saves
	push %rbx
	push %rbp
	lea -24(%rsp), %rsp
	xor %ebp, %ebp
	add $24, %rsp
	pop %rbp
	pop %rbx
	ret
end saves

function takes_space
	push %rbp
	mov %rsp, %rbp
	sub %rdi, %rsp
	nop
	leave
	ret
end takes_space

/* as GCC touches each page of its frame */
function probes
	lea -8192(%rsp), %r11
1:	sub $4096, %rsp
	orq $0, (%rsp)
	cmp %r11, %rsp
	jne 1b
	nop
	add $8192, %rsp
	ret
end probes

/* as x86inc.asm rounds the stack pointer */
function rounds
	mov %rsp, %rax
	push %rbp
	sub $64, %rsp
	and $-32, %rsp
	mov %rax, 40(%rsp)
	xor %ebp, %ebp
	nop
	mov 40(%rsp), %rsp
	mov -8(%rsp), %rbp
	ret
end rounds

/* as GCC does where arguments are on the stack, too */
function rounds_by_pointer
	lea 8(%rsp), %r10
	and $-32, %rsp
	push -8(%r10)
	push %rbp
	mov %rsp, %rbp
	push %r10
	sub $40, %rsp
	xor %r10d, %r10d
	nop
	mov -8(%rbp), %r10
	leave
	lea -8(%r10), %rsp
	ret
end rounds_by_pointer

function red_zone
	mov %rbp, -8(%rsp)
	xor %ebp, %ebp
	mov -8(%rsp), %rbp
	ret
end red_zone

function red_zone_is_lost
	mov %rbp, -8(%rsp)
	xor %ebp, %ebp
	call outside@plt
	nop
	ret
end red_zone_is_lost

/* The call does not return, and what is behind it is reached otherwise, too. */
function may_stop
	test %edi, %edi
	je 1f
	push %rax
	push %rax
	call outside@plt
1:	nop
	ret
end may_stop

/* Likewise; only a table of addresses leads to what is behind it. */
function may_stop_before_case
	push %rbx
	cmp $3, %edi
	ja 1f
	jmp *%rsi
1:	sub $16, %rsp
	call outside@plt
	nop
	pop %rbx
	ret
end may_stop_before_case

/* as GCC does a switch, whose last case nothing else leads to */
function switches
	push %rbx
	cmp $1, %edi
	ja 3f
	lea cases(%rip), %rdx
	movslq (%rdx, %rdi, 4), %rax
	add %rdx, %rax
	jmp *%rax
1:	nop
3:	pop %rbx
	ret
2:	cltd
	pop %rbx
	ret
end switches

/* Likewise, but nothing says how many cases there are. */
function switches_without_end
	lea cases(%rip), %rdx
	movslq (%rdx, %rdi, 4), %rax
	add %rdx, %rax
	jmp *%rax
	nop
	ret
end switches_without_end

	.section .rodata, "a", @progbits
	.p2align 2
cases:
	.long 1b - cases, 2b - cases
	.text

function ways_disagree
	test %edi, %edi
	je 1f
	push %rax
1:	nop
	jmp *%rsi
end ways_disagree

function returns_to_what_it_pushed
	push %rdi
	ret
end returns_to_what_it_pushed

function takes_its_return_address
	pop %rax
	push %rbx
	jmp *%rax
end takes_its_return_address

function other_stack
	push %rbx
	mov %rdi, %rsp
	nop
	jmp *%rax
end other_stack

function loses_fp
	push %rbp
	xor %ebp, %ebp
	mov %rax, (%rsp)
	nop
	pop %rax
	ret
end loses_fp

function changes_return_address
	mov %rdi, (%rsp)
	nop
	ret
end changes_return_address

local called
	push %rax
	pop %rax
	ret
end called

function calls
	call called
	lea taken(%rip), %rdi
	ret
end calls

local by_data
	push %rax
	pop %rcx
	ret
end by_data

function hot
	push %rbx
	test %edi, %edi
	jne hot.cold
	pop %rbx
	ret
end hot

	.type hot.cold, @function
hot.cold:
	nop
	pop %rbx
	ret
end hot.cold

function described
	.cfi_startproc
	lea taken(%rip), %rax
	call only_described_calls
	ret
	.cfi_endproc
end described

local taken
	push %rax
	pop %rax
	ret
end taken

local only_described_calls
	push %rdx
	pop %rdx
	ret
end only_described_calls

/* Nothing leads to it; it is large enough for the rest of the file to be looked through. */
local unknown
	push %rsi
	.rept 40
	cltd
	.endr
	pop %rsi
	ret
end unknown

local begins
	push %rdi
	pop %rdi
	ret
end begins

/* As __memmove_chk() of glibc: it goes on behind its end, through padding; the second one does not. */
	.macro	CHECKS name, last:vararg
	.balign 16
function \name
	.cfi_startproc
	cmp %rdx, %rcx
	\last
	.cfi_endproc
	.size \name, . - \name
\name\()_padding:
	.balign 64, 0x90
	.size \name\()_padding, . - \name\()_padding
function \name\()_behind
	.cfi_startproc
	ret
	.cfi_endproc
end \name\()_behind
	.endm
	CHECKS	checks, .byte 0x0f, 0x82, 0, 1, 0, 0
	CHECKS	ends, jmp *%rax; nop; nop; nop; nop

	.section .init, "ax", @progbits
function _init
	sub $8, %rsp
	call outside@plt
	add $8, %rsp
	ret
end _init

	.section .init_array, "aw", @init_array
	.quad begins

	.section .data.rel.ro, "aw", @progbits
	.quad by_data

	.section .note.GNU-stack, "", @progbits
