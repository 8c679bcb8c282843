// SPDX-License-Identifier: GPL-2.0
/*
 * gen_switch.c - tables of a compiler's switch: where a jump by a register may go.
 *
 *	cmp	$last, %value
 *	ja	default
 *	lea	table(%rip), %base
 *	movslq	(%base, %index, 4), %to
 *	add	%base, %to
 *	jmp	*%to
 *
 * Other instructions may stand between.  Each word of the table is the distance from the table.
 *
 * Contexts: any thread; no state.
 */
#include "sframe/gen_flow.h"

struct search {
	struct gen_switch *found;
	ZydisRegister to, base;
	bool added, loaded, addressed, compared;
};

static bool is_reg(const ZydisDecodedOperand *op, ZydisRegister reg)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == reg;
}

/* add %base, %to */
static void see_add(struct search *search, const ZydisDecodedOperand *ops)
{
	if (search->added || !is_reg(&ops[0], search->to) ||
	    ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return;
	search->base = ops[1].reg.value;
	search->added = true;
}

/* movslq (%base, %index, 4), %to; both registers may have been added in either order */
static void see_load(struct search *search, const ZydisDecodedOperand *ops)
{
	const ZydisDecodedOperand *from = &ops[1];

	if (!search->added || search->loaded || from->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    from->mem.scale != 4 || from->mem.disp.value ||
	    (!is_reg(&ops[0], search->to) && !is_reg(&ops[0], search->base)))
		return;
	if (is_reg(&ops[0], search->base))
		search->base = search->to;
	search->loaded = from->mem.base == search->base;
}

static void see_lea(struct search *search, const ZydisDecodedOperand *ops, u64 next)
{
	if (!search->added || search->addressed || !is_reg(&ops[0], search->base) ||
	    ops[1].mem.base != ZYDIS_REGISTER_RIP)
		return;
	search->found->table = next + (u64)ops[1].mem.disp.value;
	search->addressed = true;
}

/* The one right before the branch. */
static void see_cmp(struct search *search, const ZydisDecodedOperand *ops)
{
	u64 last = ops[1].imm.value.u;

	search->compared = true;
	if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && last < GEN_MAX_CASES)
		search->found->nr = last + 1;
}

/**
 * gen_switch_find - find the table of a jump
 * @decoder: for long mode
 * @addrs: of the instructions before the jump and of itself, the last first, each right
 *	behind the next
 * @codes: of these
 * @nr: of them
 * @found: out
 *
 * Return: false if the jump is of another kind.
 */
bool gen_switch_find(const ZydisDecoder *decoder, const u64 *addrs, const u8 *const *codes,
		     unsigned int nr, struct gen_switch *found)
{
	struct search search = { .found = found };
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	bool branches = false;

	found->nr = 0;
	for (unsigned int i = 0; i < nr && !search.compared; i++) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, codes[i],
							 ZYDIS_MAX_INSTRUCTION_LENGTH, &insn,
							 ops)))
			return false;
		if (!i) {
			if (insn.mnemonic != ZYDIS_MNEMONIC_JMP ||
			    ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
				return false;
			search.to = ops[0].reg.value;
		} else if (branches) {
			if (insn.mnemonic != ZYDIS_MNEMONIC_CMP)
				return false;
			see_cmp(&search, ops);
		} else if (insn.mnemonic == ZYDIS_MNEMONIC_ADD) {
			see_add(&search, ops);
		} else if (insn.mnemonic == ZYDIS_MNEMONIC_MOVSXD) {
			see_load(&search, ops);
		} else if (insn.mnemonic == ZYDIS_MNEMONIC_LEA) {
			see_lea(&search, ops, addrs[i] + insn.length);
		} else if (insn.meta.category == ZYDIS_CATEGORY_COND_BR) {
			branches = insn.mnemonic == ZYDIS_MNEMONIC_JNBE;
			if (!branches)
				return false;
		}
	}
	return search.loaded && search.addressed && found->nr;
}
