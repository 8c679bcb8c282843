// SPDX-License-Identifier: GPL-2.0
/*
 * gen_entry.c - the code where the kernel enters a program, or ld.so.
 *
 * Nobody called it, and a stack that has come there is whole.  Often it is
 * assembly without call frame information: ld.so's is, and that of musl.  Nothing
 * says where it ends; what is behind it has callers.  So it is followed by the few
 * instructions that there are in such code, to the first call, which does not
 * return, or to the end of ld.so's, which goes on to the program.
 *
 * Contexts: any thread.
 */
#include <errno.h>
#include <string.h>

#include "sframe/gen_parts.h"

#define CODE_BYTES	8

/*
 * A program's entry has its arguments on the stack and no frame: it takes the stack
 * pointer for data, or clears the frame pointer.  A library's header may name any
 * function as its entry.
 */
static bool begins_program(const u8 *code)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const u8 mov_rsp_rdi[] = { 0x48, 0x89, 0xe7 };
	static const u8 xor_ebp[] = { 0x31, 0xed };
	static const u8 xor_rbp[] = { 0x48, 0x31, 0xed };

	if (!memcmp(code, endbr64, sizeof(endbr64)))
		code += sizeof(endbr64);
	return !memcmp(code, mov_rsp_rdi, sizeof(mov_rsp_rdi)) ||
	       !memcmp(code, xor_ebp, sizeof(xor_ebp)) ||
	       !memcmp(code, xor_rbp, sizeof(xor_rbp));
}

enum kind {
	PLAIN,
	CALL,
	LOADED,		/* ld.so's, behind its call: the program's entry is in %r12 */
	LAST,
};

/* @size: of the instruction, of which the first @nr bytes are @bytes */
struct instruction {
	u8 bytes[5];
	u8 nr, size, kind;
};

static const struct instruction instructions[] = {
	{ { 0xf3, 0x0f, 0x1e, 0xfa },		4, 4, PLAIN },	/* endbr64 */
	{ { 0x31, 0xed },			2, 2, PLAIN },	/* xor %ebp, %ebp */
	{ { 0x48, 0x31, 0xed },			3, 3, PLAIN },	/* xor %rbp, %rbp */
	{ { 0x48, 0x89, 0xe7 },			3, 3, PLAIN },	/* mov %rsp, %rdi */
	{ { 0x48, 0x8d, 0x35 },			3, 7, PLAIN },	/* lea x(%rip), %rsi */
	{ { 0x48, 0x83, 0xe4, 0xf0 },		4, 4, PLAIN },	/* and $-16, %rsp */
	{ { 0xe8 },				1, 5, CALL },
	{ { 0xff, 0x15 },			2, 6, CALL },	/* call *x(%rip) */
	{ { 0xf4 },				1, 1, LAST },	/* hlt */
	/* of ld.so only */
	{ { 0x49, 0x89, 0xc4 },			3, 3, LOADED },	/* mov %rax, %r12 */
	{ { 0x49, 0x89, 0xe5 },			3, 3, PLAIN },	/* mov %rsp, %r13 */
	{ { 0x48, 0x8b, 0x14, 0x24 },		4, 4, PLAIN },	/* mov (%rsp), %rdx */
	{ { 0x48, 0x89, 0xd6 },			3, 3, PLAIN },	/* mov %rdx, %rsi */
	{ { 0x48, 0x8b, 0x3d },			3, 7, PLAIN },	/* mov x(%rip), %rdi */
	{ { 0x49, 0x8d, 0x4c, 0xd5, 0x10 },	5, 5, PLAIN },	/* lea 16(%r13, ..), %rcx */
	{ { 0x49, 0x8d, 0x55, 0x08 },		4, 4, PLAIN },	/* lea 8(%r13), %rdx */
	{ { 0x48, 0x8d, 0x15 },			3, 7, PLAIN },	/* lea x(%rip), %rdx */
	{ { 0x4c, 0x89, 0xec },			3, 3, PLAIN },	/* mov %r13, %rsp */
	{ { 0x41, 0xff, 0xe4 },			3, 3, LAST },	/* jmp *%r12 */
};

/* Return: NULL if it is none of these. */
static const struct instruction *find_instruction(const u8 *code, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(instructions); i++) {
		const struct instruction *known = &instructions[i];

		if (known->size <= size && !memcmp(code, known->bytes, known->nr))
			return known;
	}
	return NULL;
}

/* Return: bytes up to what does not belong to it, or is not known. */
static unsigned int entry_size(const u8 *code, unsigned int size)
{
	const struct instruction *at;
	bool called = false, loaded = false;
	unsigned int pos = 0;

	while ((at = find_instruction(code + pos, size - pos))) {
		/* what is behind the only call is another function */
		if (called && !loaded && at->kind != LOADED && at->kind != LAST)
			break;
		pos += at->size;
		called |= at->kind == CALL;
		loaded |= called && at->kind == LOADED;
		if (at->kind == LAST)
			break;
	}
	return pos;
}

/*
 * That of ld.so on s390x (sysdeps/s390/s390-64/dl-machine.h): up to the jump to the program.  The
 * length of an instruction is in its first two bits.
 */
static unsigned int entry_size_s390x(const u8 *code, unsigned int size)
{
	static const u8 begins[] = {
		0xb9, 0x04, 0x00, 0x2f,			/* lgr %r2, %r15 */
		0xa7, 0xfb, 0xff, 0x60,			/* aghi %r15, -160 */
		0xd7, 0x07, 0xf0, 0x00, 0xf0, 0x00,	/* xc 0(8, %r15), 0(%r15) */
		0xc0, 0xe5,				/* brasl %r14, ... */
	};
	static const u8 lengths[] = { 2, 4, 4, 6 };
	unsigned int pos = 0;
	bool jumps;

	if (size < sizeof(begins) || memcmp(code, begins, sizeof(begins)))
		return 0;
	while (pos + lengths[code[pos] >> 6] <= size) {
		jumps = code[pos] == 0x07;		/* br */
		pos += lengths[code[pos] >> 6];
		if (jumps)
			return pos;
		if (pos == size)
			break;
	}
	return 0;
}

static unsigned int size_of_entry(const struct gen_input *input)
{
	if (input->machine == &gen_s390x)
		return entry_size_s390x(input->entry, input->entry_size);
	if (input->machine != &gen_x86_64 || input->entry_size < CODE_BYTES ||
	    !begins_program(input->entry))
		return 0;
	return entry_size(input->entry, input->entry_size);
}

/**
 * gen_cfi_add_entry - have the entry as a function that has no caller
 * @cfi: settled; nothing happens if it has a function there
 * @input: of which it is; programs of other machines than x86-64 have call frame information
 *	there, and so has ld.so but for s390x's
 * @alone: also if the file has no call frame information
 *
 * Return: 0 or -ENOMEM.
 */
int gen_cfi_add_entry(struct gen_cfi *cfi, const struct gen_input *input, bool alone)
{
	struct gen_cie cie = { .hole = LW_GEN_NUM_HOLES, .initial.ra.kind = GEN_UNDEFINED };
	struct gen_fde fde = { .start = input->ehdr.e_entry, .cie = cfi->nr_cies, .entry = true };

	fde.size = size_of_entry(input);
	if (!fde.size || (!cfi->nr_sections && !alone))
		return 0;
	if (lw_grow((void **)&cfi->cies, &cfi->cie_room, cfi->nr_cies + 1, sizeof(cie)))
		return -ENOMEM;
	cfi->cies[cfi->nr_cies++] = cie;
	return gen_cfi_insert(cfi, &fde);
}
