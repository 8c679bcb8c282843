/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code.h - the machine code that jit.c and jit_dump.c make: functions with frame pointers, as JIT
 * compilers mostly have them.
 */
#ifndef LW_LANGUAGES_CODE_H
#define LW_LANGUAGES_CODE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#define CODE_MACHINE	EM_X86_64

/* push %rbp; mov %rsp, %rbp; mov $1000000, %eax; 1: dec %eax; jnz 1b; pop %rbp; ret */
static const uint8_t inner[] = {
	0x55, 0x48, 0x89, 0xe5, 0xb8, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3,
};

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t outer[] __attribute__((unused)) = {
	0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3,
};
#elif defined(__aarch64__)
#define CODE_MACHINE	EM_AARCH64

/*
 * stp x29, x30, [sp, #-16]!; mov x29, sp; mov w0, #1000000; 1: subs w0, w0, #1; b.ne 1b;
 * ldp x29, x30, [sp], #16; ret
 */
static const uint32_t inner[] = {
	0xa9bf7bfd, 0x910003fd, 0x52884800, 0x72a001e0, 0x71000400, 0x54ffffe1, 0xa8c17bfd,
	0xd65f03c0,
};

/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const uint32_t outer[] __attribute__((unused)) = {
	0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0,
};
#endif

static inline void put_code(uint8_t *to, const void *code, size_t size)
{
	memcpy(to, code, size);
	__builtin___clear_cache((char *)to, (char *)to + size);
}

#endif /* LW_LANGUAGES_CODE_H */
