// SPDX-License-Identifier: GPL-2.0
/*
 * gen_plt.c - the procedure linkage table of aarch64 and s390x, which linkers write without call
 * frame information.
 *
 * Those of s390x leave the stack pointer and the return address alone, as do the 32 bytes in
 * front of them: one row says that.
 *
 * On aarch64 its entries are jumps through registers that no caller has anything in (x16 and x17,
 * aapcs64): what calls one is their caller.  The first entry, and that of descriptors for
 * thread-local variables, push two registers before they go on to the dynamic linker.  Each
 * instruction that GNU ld, LLVM's lld and mold write there is known; behind any other one nothing
 * is said.
 *
 * The function of the dynamic linker that the first entry goes on to has call frame information,
 * but does not count the two registers that were pushed: see gen_plt_mend().
 *
 * Contexts: any thread.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_parts.h"

#define MAX_PLT		(1U << 20)	/* bytes; some 43,000 imports */
#define INSN_BYTES	4
#define PUSHED		16		/* bytes */
#define S390X_ENTRY	32U		/* bytes */

enum kind {
	OTHER,
	PLAIN,
	PUSHES_LR,	/* x16 and x30 */
	PUSHES,		/* x2 and x3 */
	LEAVES,
};

/* By the bits that are no operand. */
static const struct {
	u32 mask, bits;
	u8 kind;
} instructions[] = {
	{ 0xffffffff, 0xa9bf7bf0, PUSHES_LR },	/* stp x16, x30, [sp, #-16]! */
	{ 0xffffffff, 0xa9bf0fe2, PUSHES },	/* stp x2, x3, [sp, #-16]! */
	{ 0x9f00001e, 0x90000010, PLAIN },	/* adrp x16 or x17 */
	{ 0x9f00001e, 0x90000002, PLAIN },	/* adrp x2 or x3 */
	{ 0xffc003ff, 0xf9400211, PLAIN },	/* ldr x17, [x16, #imm] */
	{ 0xffc003ff, 0xf9400042, PLAIN },	/* ldr x2, [x2, #imm] */
	{ 0xffc003ff, 0x91000210, PLAIN },	/* add x16, x16, #imm */
	{ 0xffc003ff, 0x91000063, PLAIN },	/* add x3, x3, #imm */
	{ 0xffffff3f, 0xd503241f, PLAIN },	/* bti, bti c, bti j, bti jc */
	{ 0xffffffbf, 0xd503219f, PLAIN },	/* autia1716, autib1716 */
	{ 0xffffffff, 0xd503201f, PLAIN },	/* nop */
	{ 0xffffffff, 0xd4207d00, PLAIN },	/* brk #1000: mold's padding, which never runs */
	{ 0xffffffff, 0xd61f0220, LEAVES },	/* br x17 */
	{ 0xffffffff, 0xd61f0040, LEAVES },	/* br x2 */
	{ 0xfffffbff, 0xd71f0a30, LEAVES },	/* braa x17, x16; brab */
};

static enum kind kind_of(u32 insn)
{
	for (size_t i = 0; i < ARRAY_SIZE(instructions); i++) {
		if ((insn & instructions[i].mask) == instructions[i].bits)
			return instructions[i].kind;
	}
	return OTHER;
}

static struct gen_state state_behind(const struct gen_machine *machine, enum kind kind)
{
	struct gen_state state = {
		.cfa = { .kind = GEN_VALUE, .base = machine->sp },
		.ra = gen_ra_in_register(machine),
	};

	if (kind == PUSHES || kind == PUSHES_LR)
		state.cfa.off = PUSHED;
	if (kind == PUSHES_LR)
		state.ra = (struct gen_value){
			.kind = GEN_VALUE, .base = GEN_CFA, .deref = 1, .off = -GEN_SLOT,
		};
	return state;
}

/**
 * gen_plt_add - have the procedure linkage tables as functions
 * @cfi: settled; one where it has a function is left out
 * @input: of aarch64 or s390x
 *
 * Return: 0 or -ENOMEM.
 */
int gen_plt_add(struct gen_cfi *cfi, const struct gen_input *input)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < input->nr_plts; i++) {
		const struct gen_fde fde = {
			.start = input->plts[i].addr, .size = input->plts[i].size,
			.analysed = true,
		};

		if (fde.size && fde.size <= MAX_PLT)
			ret = gen_cfi_insert(cfi, &fde);
	}
	return ret;
}

static int rows_aarch64(struct gen_rows *rows, const u8 *code, u32 size)
{
	struct gen_state state = state_behind(rows->machine, PLAIN);
	enum kind kind = PLAIN;
	int ret = 0;
	u32 insn;

	for (u32 at = 0; !ret && kind != OTHER && at < size; at += INSN_BYTES) {
		kind = OTHER;
		if (at + INSN_BYTES <= size) {
			memcpy(&insn, code + at, sizeof(insn));
			kind = kind_of(le32toh(insn));
		}
		ret = gen_rows_add(rows, at, &state,
				   kind == OTHER ? LW_GEN_HOLE_UNKNOWN : LW_GEN_NUM_HOLES);
		if (kind != PLAIN)
			state = state_behind(rows->machine, kind);
	}
	return ret;
}

/*
 * What GNU ld (bfd/elf64-s390.c) writes on s390x in front, and for each function; what is zero here
 * may be anything, as operands of four bytes are.
 */
static const u8 s390x_entries[][S390X_ENTRY] = {
	{
		0xe3, 0x10, 0xf0, 0x38, 0x00, 0x24,	/* stg %r1, 56(%r15) */
		0xc0, 0x10, 0, 0, 0, 0,			/* larl %r1, ... */
		0xd2, 0x07, 0xf0, 0x30, 0x10, 0x08,	/* mvc 48(8, %r15), 8(%r1) */
		0xe3, 0x10, 0x10, 0x10, 0x00, 0x04,	/* lg %r1, 16(%r1) */
		0x07, 0xf1,				/* br %r1 */
		0x07, 0x00, 0x07, 0x00, 0x07, 0x00,	/* nopr */
	}, {
		0xc0, 0x10, 0, 0, 0, 0,			/* larl %r1, ... */
		0xe3, 0x10, 0x10, 0x00, 0x00, 0x04,	/* lg %r1, 0(%r1) */
		0x07, 0xf1,				/* br %r1 */
		0x0d, 0x10,				/* basr %r1, %r0 */
		0xe3, 0x10, 0x10, 0x0c, 0x00, 0x14,	/* lgf %r1, 12(%r1) */
		0xc0, 0xf4, 0, 0, 0, 0,			/* jg ... */
		0, 0, 0, 0,				/* no code */
	},
};

static bool is_s390x_entry(const u8 *code)
{
	for (size_t kind = 0; kind < ARRAY_SIZE(s390x_entries); kind++) {
		const u8 *entry = s390x_entries[kind];
		u32 at = 0;

		while (at < S390X_ENTRY && (!entry[at] || code[at] == entry[at]))
			at++;
		if (at == S390X_ENTRY)
			return true;
	}
	return false;
}

static int rows_s390x(struct gen_rows *rows, const u8 *code, u32 size)
{
	const struct gen_machine *machine = rows->machine;
	const struct gen_state state = {
		.cfa = { .kind = GEN_VALUE, .base = machine->sp, .off = machine->sp_bias },
		.ra = gen_ra_in_register(machine),
	};
	u32 known = 0;
	int ret = 0;

	while (size - known >= S390X_ENTRY && is_s390x_entry(code + known))
		known += S390X_ENTRY;
	if (known)
		ret = gen_rows_add(rows, 0, &state, LW_GEN_NUM_HOLES);
	if (!ret && known < size)
		ret = gen_rows_add(rows, known, NULL, LW_GEN_HOLE_UNKNOWN);
	return ret;
}

/**
 * gen_plt_rows - rows of the procedure linkage table
 * @input: of aarch64 or s390x
 * @fde: of gen_plt_add(), or its first part
 * @rows: out
 *
 * Return: 0 or -ENOMEM.
 */
int gen_plt_rows(const struct gen_input *input, const struct gen_fde *fde, struct gen_rows *rows)
{
	u8 *code = malloc(fde->size);
	int ret = 0;

	gen_rows_begin(rows);
	rows->analysed = true;
	if (!code)
		return -ENOMEM;
	if (gen_input_code(input, fde->start, code, fde->size))
		ret = input->machine == &gen_s390x ? rows_s390x(rows, code, fde->size) :
						     rows_aarch64(rows, code, fde->size);
	free(code);
	return ret;
}

static bool is_bare(const struct gen_machine *machine, const struct gen_run *run)
{
	return run->form == GEN_FORM_DEFAULT && run->cfa.base == machine->sp && !run->cfa.off &&
	       gen_is_usual_ra(machine, &run->ra);
}

/* The return address is above what would be the caller's stack pointer, and nothing else saved. */
static bool lacks_push(const struct gen_machine *machine, const struct gen_run *run)
{
	return run->form == GEN_FORM_DEFAULT && run->cfa.base == machine->sp &&
	       run->ra.deref && run->ra.base == GEN_CFA && run->ra.off == PUSHED - GEN_SLOT &&
	       run->fp.kind == GEN_NONE && run->cfa.off <= INT32_MAX - PUSHED;
}

/**
 * gen_plt_mend - count what the first entry of the procedure linkage table has pushed
 * @machine: of aarch64
 * @rows: of a function
 *
 * glibc's _dl_runtime_resolve() (sysdeps/aarch64/dl-trampoline.S) says that it finds the
 * return address 8 bytes above the stack pointer that it was called with, but takes that for the
 * caller's.  Nothing that a call leaves could be so, and no other function has all of these rows.
 */
void gen_plt_mend(const struct gen_machine *machine, struct gen_rows *rows)
{
	struct gen_run *first = rows->runs;

	if (rows->nr < 3 || !is_bare(machine, first) || rows->runs[rows->nr - 1].cfa.off != -PUSHED)
		return;
	for (size_t i = 1; i < rows->nr; i++) {
		if (!lacks_push(machine, &rows->runs[i]))
			return;
	}
	first->cfa.off += PUSHED;
	for (size_t i = 1; i < rows->nr; i++) {
		struct gen_run *run = &rows->runs[i];

		run->cfa.off += PUSHED;
		run->ra.off -= PUSHED;
		/* behind the last pop it is in its register again */
		if (!run->cfa.off)
			run->ra = gen_ra_in_register(machine);
	}
}
