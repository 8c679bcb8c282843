// SPDX-License-Identifier: GPL-2.0
/*
 * gen_expr.c - DWARF expressions, as far as a table has words for them: a
 * register or the CFA, with an offset and eight times another register, or what
 * memory holds there, with an offset.
 *
 * Expressions are followed with symbols for what only the stack knows.  Each
 * operation takes one byte at least, so that there is no end to wait for.
 */
#include <dwarf.h>
#include <string.h>

#include "sframe/gen_parts.h"

#define MAX_TERMS	8

/* base + off or what is there; a plain number has the base NUMBER. */
#define NUMBER		0xfe
/* Eight times a register, whose number plus 1 is @index; nothing else. */
#define SCALED		0xfd
#define SCALE		8

struct terms {
	const struct gen_machine *machine;
	struct gen_value stack[MAX_TERMS];
	unsigned int nr;
	bool odd;		/* there are no words for it */
};

static void push(struct terms *terms, u8 base, s64 off)
{
	if (terms->nr == MAX_TERMS) {
		terms->odd = true;
		return;
	}
	terms->stack[terms->nr++] = (struct gen_value){
		.off = off, .kind = GEN_VALUE, .base = base,
	};
}

static struct gen_value pop(struct terms *terms)
{
	if (!terms->nr) {
		terms->odd = true;
		return (struct gen_value){ .kind = GEN_VALUE, .base = NUMBER };
	}
	return terms->stack[--terms->nr];
}

static void add(struct terms *terms, s64 number)
{
	struct gen_value sum = pop(terms);
	bool overflow;

	if (sum.deref)
		overflow = __builtin_add_overflow(sum.then[sum.deref - 1], number,
						  &sum.then[sum.deref - 1]);
	else
		overflow = __builtin_add_overflow(sum.off, number, &sum.off);
	terms->odd |= overflow || sum.base == SCALED;
	if (terms->nr < MAX_TERMS)
		terms->stack[terms->nr++] = sum;
}

static void add_or_subtract(struct terms *terms, bool subtract)
{
	struct gen_value right = pop(terms), left;

	if (!subtract && right.base != NUMBER) {
		/* number + register: the other way round */
		left = pop(terms);
		if (terms->nr < MAX_TERMS)
			terms->stack[terms->nr++] = right;
		right = left;
	}
	if (right.base != NUMBER || right.deref || right.off == INT64_MIN)
		terms->odd = true;
	else
		add(terms, subtract ? -right.off : right.off);
}

/* A register by eight, which OpenSSL has before the latter. */
static void multiply(struct terms *terms)
{
	struct gen_value right = pop(terms), left = pop(terms);

	if (right.base != NUMBER || right.off != SCALE || left.base >= terms->machine->nr_gprs ||
	    left.off || left.deref || left.index || terms->nr == MAX_TERMS) {
		terms->odd = true;
		return;
	}
	terms->stack[terms->nr++] = (struct gen_value){
		.kind = GEN_VALUE, .base = SCALED, .index = left.base + 1,
	};
}

/* Adds the index on top of the stack to what is below it. */
static void add_index(struct terms *terms)
{
	u8 index = pop(terms).index;
	struct gen_value *to = terms->nr ? &terms->stack[terms->nr - 1] : NULL;

	if (!to || to->base >= terms->machine->nr_gprs || to->deref || to->index)
		terms->odd = true;
	else
		to->index = index;
}

static bool index_is_on_top(const struct terms *terms)
{
	return terms->nr && terms->stack[terms->nr - 1].base == SCALED;
}

static void dereference(struct terms *terms)
{
	struct gen_value address = pop(terms);

	if (address.deref == GEN_DEREFS || address.base == NUMBER || address.base == SCALED)
		terms->odd = true;
	else
		address.deref++;
	if (terms->nr < MAX_TERMS)
		terms->stack[terms->nr++] = address;
}

static void push_register(struct terms *terms, u64 reg, s64 off)
{
	if (reg >= terms->machine->nr_gprs)
		terms->odd = true;
	else
		push(terms, reg, off);
}

static bool push_constant(struct terms *terms, struct gen_reader *reader, u8 op)
{
	switch (op) {
	case DW_OP_const1u:
		push(terms, NUMBER, gen_fixed(reader, 1));
		return true;
	case DW_OP_const1s:
		push(terms, NUMBER, (__s8)gen_fixed(reader, 1));
		return true;
	case DW_OP_const2u:
		push(terms, NUMBER, gen_fixed(reader, 2));
		return true;
	case DW_OP_const2s:
		push(terms, NUMBER, (__s16)gen_fixed(reader, 2));
		return true;
	case DW_OP_const4u:
		push(terms, NUMBER, gen_fixed(reader, 4));
		return true;
	case DW_OP_const4s:
		push(terms, NUMBER, (s32)gen_fixed(reader, 4));
		return true;
	case DW_OP_constu:
		push(terms, NUMBER, gen_uleb(reader));
		return true;
	case DW_OP_consts:
		push(terms, NUMBER, gen_sleb(reader));
		return true;
	}
	return false;
}

static void operate(struct terms *terms, struct gen_reader *reader)
{
	u8 op = gen_u8(reader);
	u64 reg;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(terms, NUMBER, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_register(terms, op - DW_OP_breg0, gen_sleb(reader));
	} else if (op == DW_OP_bregx) {
		reg = gen_uleb(reader);
		push_register(terms, reg, gen_sleb(reader));
	} else if (op == DW_OP_plus_uconst) {
		add(terms, gen_uleb(reader));
	} else if (op == DW_OP_mul) {
		multiply(terms);
	} else if (op == DW_OP_plus && index_is_on_top(terms)) {
		add_index(terms);
	} else if (op == DW_OP_plus || op == DW_OP_minus) {
		add_or_subtract(terms, op == DW_OP_minus);
	} else if (op == DW_OP_deref) {
		dereference(terms);
	} else if (op != DW_OP_nop && !push_constant(terms, reader, op)) {
		terms->odd = true;
	}
}

/*
 * "rsp + 8 + ((rip & 15) >= N) * 8": ld has one such for a PLT of all its many
 * equal entries, which push a word up to N.
 */
static bool is_plt(const struct gen_reader *program, u8 *pushed)
{
	static const u8 form[] = {
		DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit0, DW_OP_ge,
		DW_OP_lit3, DW_OP_shl, DW_OP_plus,
	};
	const u8 *bytes = program->pos;

	if (program->end - bytes != sizeof(form) || memcmp(bytes, form, 6) ||
	    memcmp(bytes + 7, form + 7, sizeof(form) - 7))
		return false;
	if (bytes[6] < DW_OP_lit0 || bytes[6] > DW_OP_lit15)
		return false;
	*pushed = bytes[6] - DW_OP_lit0;
	return true;
}

/**
 * gen_expression - what an expression comes to
 * @machine: whose registers it has
 * @program: its bytes
 * @of_register: it begins with the CFA on its stack
 *
 * Return: GEN_VALUE, GEN_PLT (not @of_register) or GEN_ODD.
 */
struct gen_value gen_expression(const struct gen_machine *machine, struct gen_reader program,
				bool of_register)
{
	struct terms terms = { .machine = machine };
	struct gen_value value;
	u8 pushed;

	if (!of_register && machine == &gen_x86_64 && is_plt(&program, &pushed))
		return (struct gen_value){ .kind = GEN_PLT, .off = pushed };
	if (of_register)
		push(&terms, GEN_CFA, 0);
	while (program.pos < program.end && !terms.odd && !program.bad)
		operate(&terms, &program);
	value = pop(&terms);
	value.path = value.deref > 1 || value.then[0] || value.index;
	if (terms.odd || program.bad || value.base == NUMBER || value.base == SCALED)
		return (struct gen_value){ .kind = GEN_ODD };
	return value;
}
