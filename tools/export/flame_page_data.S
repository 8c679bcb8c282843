/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flame_page_data.S - the page of latewind flame, as tools/flame/assets.sh has made it.
 */
	.section .rodata
	.globl	lw_flame_page_data, lw_flame_page_size
lw_flame_page_data:
	.incbin	FLAME_PAGE
0:
	.balign 8
lw_flame_page_size:
	.quad 0b - lw_flame_page_data
	.section .note.GNU-stack, "", @progbits
