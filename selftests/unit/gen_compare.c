// SPDX-License-Identifier: GPL-2.0
/*
 * gen_compare.c - a table that was made of a file, against the file as elfutils
 * reads it, byte by byte.
 *
 * The instructions of a function are followed by elfutils, anew for each row, and
 * what it says is worked out with numbers: made up registers, and memory whose
 * words are hashes of their addresses.  What the table says of the same byte is
 * worked out likewise.  Two rules that give the same CFA, return address, frame and
 * stack pointer, twice, are the same.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/sframe/sframe_reader.h"
#include "gen_compare.h"

#define MAX_STACK	32
#define MAX_PRINTED	10
#define MAX_REGS	32
#define RBX		3

/*
 * What differs, by DWARF's numbers; @pc: of x86-64 only, on others @ra is a register.
 * @bias: of the CFA, from the caller's stack pointer on
 * @saved: that tables tell of
 */
struct arch {
	unsigned int nr, sp, fp, ra, pc;
	unsigned int abi;
	s64 bias;
	u8 saved[LW_RULE_SAVED];
};

static const struct arch x86_64 = {
	.nr = 16, .sp = 7, .fp = 6, .ra = 16, .pc = 16, .abi = LW_SFRAME_ABI_AMD64,
	.saved = { RBX, 12, 13, 14, 15 },
};

static const struct arch aarch64 = {
	.nr = 32, .sp = 31, .fp = 29, .ra = 30, .pc = MAX_REGS, .abi = LW_SFRAME_ABI_AARCH64_LE,
	.saved = { 19, 20, 21, 22, 23 },
};

static const struct arch s390x = {
	.nr = 32, .sp = 15, .fp = 11, .ra = 14, .pc = MAX_REGS, .abi = LW_SFRAME_ABI_S390X,
	.bias = 160,
	.saved = { 8, 9, 10, 12, 13 },
};

/* Of the tables that are compared. */
static const struct arch *arch;

struct machine {
	u64 regs[MAX_REGS];
	u64 pc, seed;
};

struct caller {
	u64 cfa, ra, fp, sp;
	bool outermost;
};

static u64 word_at(const struct machine *machine, u64 addr)
{
	return lw_hash64(lw_hash64(addr + machine->seed)) & ~7ULL;
}

static void make_machine(struct machine *machine, u64 pc, u64 seed)
{
	for (int i = 0; i < MAX_REGS; i++)
		machine->regs[i] = lw_hash64(seed * MAX_REGS + i + 1) & ~7ULL;
	machine->pc = pc;
	machine->seed = seed;
}

/* What a DWARF expression comes to, of those operations that were ever met. */
struct result {
	u64 value;
	bool known;
	bool is_value;		/* not the address of it */
};

struct stack {
	u64 words[MAX_STACK];
	unsigned int nr;
	bool bad;
};

static void push(struct stack *stack, u64 word)
{
	if (stack->nr == MAX_STACK)
		stack->bad = true;
	else
		stack->words[stack->nr++] = word;
}

static u64 pop(struct stack *stack)
{
	if (stack->nr)
		return stack->words[--stack->nr];
	stack->bad = true;
	return 0;
}

static void push_reg(struct stack *stack, const struct machine *machine, u64 reg, u64 off)
{
	if (reg == arch->pc)
		push(stack, machine->pc + off);
	else if (reg < arch->nr)
		push(stack, machine->regs[reg] + off);
	else
		stack->bad = true;
}

static void calculate(struct stack *stack, u8 atom)
{
	u64 right = pop(stack), left = pop(stack);

	switch (atom) {
	case DW_OP_plus:
		push(stack, left + right);
		break;
	case DW_OP_minus:
		push(stack, left - right);
		break;
	case DW_OP_and:
		push(stack, left & right);
		break;
	case DW_OP_ge:
		push(stack, (s64)left >= (s64)right);
		break;
	case DW_OP_shl:
		push(stack, left << (right & 63));
		break;
	case DW_OP_mul:
		push(stack, left * right);
		break;
	default:
		stack->bad = true;
	}
}

static void operate(struct stack *stack, const struct machine *machine, const Dwarf_Op *op,
		    u64 cfa)
{
	u8 atom = op->atom;

	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_reg(stack, machine, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_reg(stack, machine, op->number, op->number2);
	else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push(stack, atom - DW_OP_lit0);
	else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		push(stack, op->number);
	else if (atom == DW_OP_call_frame_cfa)
		push(stack, cfa);
	else if (atom == DW_OP_plus_uconst)
		push(stack, pop(stack) + op->number);
	else if (atom == DW_OP_deref)
		push(stack, word_at(machine, pop(stack)));
	else if (atom != DW_OP_nop)
		calculate(stack, atom);
}

static struct result evaluate(const Dwarf_Op *ops, size_t nr, const struct machine *machine,
			      u64 cfa)
{
	struct stack stack = { .nr = 0 };
	struct result result = { .known = false };

	for (size_t i = 0; i < nr; i++) {
		u8 atom = ops[i].atom;

		if (atom == DW_OP_stack_value) {
			result.is_value = true;
		} else if ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx) {
			push_reg(&stack, machine,
				 atom == DW_OP_regx ? ops[i].number :
						      (u64)(atom - DW_OP_reg0), 0);
			result.is_value = true;
		} else {
			operate(&stack, machine, &ops[i], cfa);
		}
	}
	result.value = pop(&stack);
	result.known = !stack.bad;
	return result;
}

/* So that no sum of them is too large. */
#define MAX_STEP	(1U << 20)

/* What elfutils says of a row. */
struct row {
	Dwarf_Frame *frame;
	Dwarf_Addr start, end;
	int ra;			/* register that stands for the return address */
	bool signal;
	bool plt;
	unsigned int pushed;	/* bytes by who jumped there, that it does not count */
};

/* Return: 0 known, 1 undefined, -1 nobody knows */
static int reg_value(const struct row *row, int reg, const struct machine *machine, u64 cfa,
		     u64 same, u64 *value)
{
	struct result result;
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(row->frame, reg, mem, &ops, &nr))
		return -1;
	if (!nr && ops)
		return 1;
	*value = same;
	if (!nr)
		return 0;
	result = evaluate(ops, nr, machine, cfa);
	*value = result.is_value ? result.value : word_at(machine, result.value);
	return result.known ? 0 : -1;
}

/* Is it what memory holds at a constant distance from the CFA? */
static bool is_at_cfa(const Dwarf_Op *ops, size_t nr)
{
	bool is_value = false;
	size_t derefs = 0;

	if (ops->atom != DW_OP_call_frame_cfa)
		return false;
	for (size_t i = 1; i < nr; i++) {
		u8 atom = ops[i].atom;

		is_value |= atom == DW_OP_stack_value;
		if (derefs && atom != DW_OP_stack_value && atom != DW_OP_deref)
			return false;
		derefs += atom == DW_OP_deref;
		if (atom != DW_OP_plus_uconst && atom != DW_OP_deref && atom != DW_OP_stack_value)
			return false;
	}
	return derefs == is_value;
}

/*
 * Functions of s390x save the stack pointer that they were called with: it is that of the CFA.  So
 * it is where nothing says that they save it.  The converter has the same from the ABI; what gas
 * makes of the same instructions is an opinion of its own (tool_gen).
 */
static bool sp_is_saved(const struct row *row)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (arch != &s390x || dwarf_frame_register(row->frame, arch->sp, mem, &ops, &nr))
		return false;
	if (!nr)
		return !ops;
	if (nr == 1 && ops->atom == DW_OP_regx)
		return ops->number >= 16 && ops->number < arch->nr;
	return is_at_cfa(ops, nr);
}

/* elfutils says the same of one without a rule and of one that is said to be the same as here. */
static bool sp_may_be_told_same(const struct row *row)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	return arch == &s390x && !dwarf_frame_register(row->frame, arch->sp, mem, &ops, &nr) &&
	       !nr && !ops;
}

/* As reg_value(). */
static int sp_value(const struct row *row, const struct machine *machine, u64 cfa, u64 *value)
{
	if (sp_is_saved(row)) {
		*value = cfa - arch->bias;
		return 0;
	}
	return reg_value(row, arch->sp, machine, cfa, machine->regs[arch->sp], value);
}

/* Return: false if it has no caller that could be told. */
static bool caller_of(const struct row *row, const struct machine *machine, struct caller *caller)
{
	struct result cfa;
	Dwarf_Op *ops;
	size_t nr;
	int ret;

	*caller = (struct caller){ 0 };
	if (dwarf_frame_cfa(row->frame, &ops, &nr))
		return false;
	cfa = evaluate(ops, nr, machine, 0);
	caller->cfa = cfa.value;
	ret = reg_value(row, arch->ra, machine, cfa.value,
			arch->ra < arch->nr ? machine->regs[arch->ra] : 0, &caller->ra);
	caller->outermost = ret == 1;
	if (caller->outermost)
		return true;
	return !ret && nr && cfa.known && caller->ra &&
	       !reg_value(row, arch->fp, machine, cfa.value, machine->regs[arch->fp],
			  &caller->fp) &&
	       !sp_value(row, machine, cfa.value, &caller->sp);
}

static u64 rule_value(const struct lw_rule_value *rule, const struct machine *machine, u64 cfa,
		      u64 same)
{
	u64 base;

	switch (rule->base) {
	case LW_BASE_SP:
		base = machine->regs[arch->sp];
		break;
	case LW_BASE_FP:
		base = machine->regs[arch->fp];
		break;
	case LW_BASE_CFA:
		base = cfa;
		break;
	case LW_BASE_REG:
		base = machine->regs[rule->reg % MAX_REGS];
		break;
	default:
		return same;
	}
	base += (s64)rule->off;
	return rule->deref ? word_at(machine, base) : base;
}

/* It may be behind pointers, with an offset behind each. */
static u64 cfa_value(const struct lw_rule *rule, const struct machine *machine)
{
	struct lw_rule_value base = rule->cfa;
	u64 cfa;

	base.deref = 0;
	base.off = 0;
	cfa = rule_value(&base, machine, 0, 0) + (s64)rule->cfa.off;
	if (base.index)
		cfa += 8 * machine->regs[(base.index - 1) % MAX_REGS];
	for (unsigned int i = 0; i < rule->cfa.deref; i++)
		cfa = word_at(machine, cfa) + (s64)rule->then[i];
	return cfa;
}

static void apply(const struct lw_rule *rule, const struct machine *machine,
		  struct caller *caller)
{
	*caller = (struct caller){ .outermost = rule->flags & LW_RULE_OUTERMOST };
	if (caller->outermost)
		return;
	caller->cfa = cfa_value(rule, machine);
	caller->ra = rule_value(&rule->ra, machine, caller->cfa, 0);
	caller->fp = rule_value(&rule->fp, machine, caller->cfa, machine->regs[arch->fp]);
	caller->sp = caller->cfa + (s64)rule->sp_off;
}

static bool same_caller(const struct caller *a, const struct caller *b)
{
	if (a->outermost || b->outermost)
		return a->outermost && b->outermost;
	/* where the table counts from is its own affair, unless SP says so */
	return a->ra == b->ra && a->fp == b->fp && a->sp == b->sp;
}

/* Tables have words for a slot that counts from the CFA. */
static bool is_in_slot(const struct row *row, int reg)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	return !dwarf_frame_register(row->frame, reg, mem, &ops, &nr) && nr == 2 &&
	       ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst &&
	       (s64)ops[1].number < 0 && !(ops[1].number % 8);
}

/*
 * A register that the table says is gone may be anywhere but where it was, or in such a slot.
 * elfutils takes rbx for
 * undefined where no instruction names it, though the psABI has callees save it.
 */
static bool same_saved_register(const struct row *row, int reg, s32 saved,
				const struct machine *machine, u64 cfa)
{
	u64 ours = machine->regs[reg], theirs;
	int ret = reg_value(row, reg, machine, cfa, ours, &theirs);

	if (saved == LW_RULE_GONE)
		return ret || (theirs != ours && !is_in_slot(row, reg));
	if (ret == 1 && reg == RBX && arch == &x86_64)
		return !saved;
	if (saved)
		ours = word_at(machine, cfa + (s64)saved);
	return !ret && theirs == ours;
}

static bool same_saved(const struct row *row, const struct lw_rule *rule,
		       const struct machine *machine, u64 cfa)
{
	for (int i = 0; i < LW_RULE_SAVED; i++) {
		if (rule->told >> i & 1) {
			if (!same_saved_register(row, arch->saved[i], rule->saved[i], machine, cfa))
				return false;
		} else if (rule->saved[i]) {
			return false;
		}
	}
	return true;
}

/* On aarch64: the return address is 8 bytes above the CFA, by SP, and nothing else is saved. */
static bool is_above_cfa(const struct row *row)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (arch != &aarch64 || dwarf_frame_cfa(row->frame, &ops, &nr) || nr != 1 ||
	    (ops->atom != DW_OP_breg31 && (ops->atom != DW_OP_bregx || ops->number != arch->sp)) ||
	    dwarf_frame_register(row->frame, arch->fp, mem, &ops, &nr) || nr || ops)
		return false;
	return !dwarf_frame_register(row->frame, arch->ra, mem, &ops, &nr) && nr == 2 &&
	       ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst &&
	       ops[1].number == 8;
}

/* Two machines, so that no chance makes different rules the same. */
static bool is_rule(const struct row *row, const struct lw_rule *rule, u64 pc, u32 pushed)
{
	struct caller theirs, ours;
	struct machine machine;

	for (u64 seed = 1; seed < 3; seed++) {
		make_machine(&machine, pc, pc + seed * 0x9e3779b9);
		if (!caller_of(row, &machine, &theirs))
			return false;
		theirs.sp += pushed;
		if (pushed && theirs.sp == machine.regs[arch->sp])
			theirs.ra = machine.regs[arch->ra];
		apply(rule, &machine, &ours);
		if (!same_caller(&theirs, &ours) ||
		    (!ours.outermost && !same_saved(row, rule, &machine, theirs.cfa)))
			return false;
	}
	return true;
}

/* The table may have mended a row that does not count what was pushed: gen_plt_mend(). */
static bool same_rule(const struct row *row, const struct lw_rule *rule, u64 pc)
{
	return is_rule(row, rule, pc, 0) || (row->pushed && is_rule(row, rule, pc, row->pushed));
}

/*
 * Something that tables have words for: a place that counts from a register, and
 * then on from what memory holds, with two looks into it at most.
 */
static bool is_short(const Dwarf_Op *ops, size_t nr)
{
	unsigned int derefs = 0;

	for (size_t i = 0; i < nr; i++) {
		u8 atom = ops[i].atom;

		derefs += atom == DW_OP_deref;
		/* eight times a register has words, and anything else by a factor has not */
		if (atom == DW_OP_mul)
			return false;
		if (derefs && atom != DW_OP_deref &&
		    (atom != DW_OP_plus_uconst || ops[i].number > MAX_STEP))
			return false;
		if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31 &&
		    (atom - DW_OP_breg0 >= (int)arch->nr ||
		     ops[i].number != (u64)(s32)ops[i].number))
			return false;
		if (atom == DW_OP_bregx &&
		    (ops[i].number >= arch->nr || ops[i].number2 != (u64)(s32)ops[i].number2))
			return false;
	}
	return nr && derefs <= LW_RULE_DEREFS;
}

/* Without a rule a frame pointer is what it was, and so is the return address in a register. */
static bool needs_no_rule(unsigned int reg)
{
	return reg == arch->fp || (reg == arch->ra && arch->ra < arch->nr);
}

static bool is_sayable_reg(const struct row *row, unsigned int reg)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(row->frame, reg, mem, &ops, &nr))
		return false;
	if (!nr)
		return needs_no_rule(reg) && !ops;
	for (size_t i = 0; i < nr; i++) {
		u8 atom = ops[i].atom;

		if (atom == DW_OP_deref || atom == DW_OP_stack_value)
			return false;
		if (atom == DW_OP_plus_uconst && ops[i].number != (u64)(s32)ops[i].number)
			return false;
		/* an address on the stack is no return address */
		if (reg == arch->ra && (atom == DW_OP_reg0 + arch->sp ||
					(atom == DW_OP_regx && ops[i].number == arch->sp)))
			return false;
	}
	return true;
}

/* By what it is made of: it may be the CFA by chance. */
static bool sp_is_cfa(const struct row *row, const struct caller *caller)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (sp_is_saved(row))
		return true;
	if (caller->sp != caller->cfa - arch->bias ||
	    dwarf_frame_register(row->frame, arch->sp, mem, &ops, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (ops[i].atom >= DW_OP_breg0 && ops[i].atom <= DW_OP_bregx)
			return false;
	}
	return nr;
}

/* Is the caller's one in a register, or kept in memory at a constant from the CFA? */
static bool sp_is_elsewhere(const struct row *row)
{
	Dwarf_Op mem[3], *ops, *cfa;
	size_t nr, cfa_nr;

	if (dwarf_frame_register(row->frame, arch->sp, mem, &ops, &nr) ||
	    dwarf_frame_cfa(row->frame, &cfa, &cfa_nr))
		return false;
	if (cfa_nr != 1 || cfa->atom < DW_OP_breg0 || cfa->atom >= DW_OP_breg0 + arch->nr || !nr)
		return false;
	if (nr == 1)
		return ops->atom >= DW_OP_reg0 && ops->atom < DW_OP_reg0 + arch->nr;
	return nr == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	       ops[1].atom == DW_OP_plus_uconst && ops[1].number <= MAX_STEP;
}

/* Must there be a rule?  What the table has nothing for is looked at twice. */
static bool is_sayable(const struct row *row)
{
	struct machine machine;
	struct caller caller;
	Dwarf_Op *ops;
	size_t nr;

	make_machine(&machine, row->start, 1);
	if (row->signal || row->ra != (int)arch->ra || !caller_of(row, &machine, &caller))
		return false;
	if (caller.outermost)
		return true;
	if (sp_may_be_told_same(row))
		return false;
	if (!sp_is_cfa(row, &caller) && (arch == &s390x || !sp_is_elsewhere(row)))
		return false;
	if (dwarf_frame_cfa(row->frame, &ops, &nr) || (arch == &s390x && nr && ops->number % 8))
		return false;
	return is_short(ops, nr) && is_sayable_reg(row, arch->ra) &&
	       is_sayable_reg(row, arch->fp);
}

struct compare {
	const struct lw_gen_table *table;
	struct lw_sframe_source src;
	struct lw_sframe sf;
	struct Dwarf_CFI_s *cfis[2];	/* .eh_frame, .debug_frame */
	struct gen_compared *compared;
};

static void difference(struct compare *compare, u64 pc, const char *what)
{
	if (compare->compared->differences++ < MAX_PRINTED)
		printf("# 0x%llx: %s\n", pc, what);
}

static bool find_row(struct compare *compare, u64 pc, struct row *row)
{
	Dwarf_Op *ops;
	size_t nr;

	row->pushed = 0;
	for (int i = 0; i < 2; i++) {
		if (!compare->cfis[i] || dwarf_cfi_addrframe(compare->cfis[i], pc, &row->frame))
			continue;
		row->ra = dwarf_frame_info(row->frame, &row->start, &row->end, &row->signal);
		row->plt = !dwarf_frame_cfa(row->frame, &ops, &nr) && nr > 4;
		return true;
	}
	return false;
}

/* In front of the first row that shows it there is one where nothing is saved yet. */
static void find_pushed(struct compare *compare, struct row *row)
{
	struct row next;

	if (is_above_cfa(row)) {
		row->pushed = 16;
	} else if (arch == &aarch64 && find_row(compare, row->end, &next)) {
		row->pushed = is_above_cfa(&next) ? 16 : 0;
		free(next.frame);
	}
}

static int find_rule(const struct compare *compare, u64 pc, struct lw_rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	return lw_sframe_find(&compare->sf, pc - compare->table->text_addr, rule);
}

static bool is_same(const struct row *row, int ret, const struct lw_rule *rule, u64 pc)
{
	if (ret == LW_SFRAME_NO_RULE)
		return !is_sayable(row);
	return !ret && same_rule(row, rule, pc);
}

static void count_byte(struct compare *compare, const struct row *row, int ret)
{
	struct gen_compared *compared = compare->compared;

	if (ret) {
		compared->holes++;
		return;
	}
	compared->repeated += row->plt;
	compared->bytes++;
}

/*
 * From @pc on, as long as it is the same.  Rows of elfutils may go beyond the end
 * of their function: what is not the same is looked at again, as a first byte.
 * Return: where to go on.
 */
static u64 compare_row(struct compare *compare, const struct row *row, u64 pc, u64 limit)
{
	u64 end = row->end < limit ? row->end : limit, first = pc;
	struct lw_rule rule, before = { 0 };
	int ret = 0, ret_before = 0;

	compare->compared->rows++;
	for (; pc < end; pc++, before = rule, ret_before = ret) {
		ret = find_rule(compare, pc, &rule);
		/* one rule for a row, but in a PLT */
		if ((pc == first || row->plt || ret != ret_before ||
		     memcmp(&rule, &before, sizeof(rule))) && !is_same(row, ret, &rule, pc))
			break;
		compare->compared->outermost += pc == first && (rule.flags & LW_RULE_OUTERMOST);
		count_byte(compare, row, ret);
	}
	if (pc != first)
		return pc;
	difference(compare, pc, ret == LW_SFRAME_NO_RULE ? "the table has no rule" :
		   ret ? "the table is broken" : "another rule");
	return pc + 1;
}

static void compare_table(struct compare *compare)
{
	u64 pc = compare->table->text_addr, end = pc + compare->table->text_size;
	struct lw_rule rule;
	struct row row;
	int ret;

	while (pc < end) {
		if (find_row(compare, pc, &row)) {
			find_pushed(compare, &row);
			pc = compare_row(compare, &row, pc, end);
			free(row.frame);
			continue;
		}
		ret = find_rule(compare, pc, &rule);
		if (ret == LW_SFRAME_NO_RULE)
			compare->compared->outside++;
		else if (!ret && rule.flags & LW_RULE_OUTERMOST)
			compare->compared->entry++;
		else
			difference(compare, pc, "only the table has a rule");
		pc++;
	}
}

static int open_table(struct compare *compare, const struct lw_gen_table *table)
{
	struct lw_sframe_place place = { .text_end = table->text_size, .paths = 1 };
	int ret;

	compare->table = table;
	compare->src = (struct lw_sframe_source){ .bytes = table->data, .size = table->size };
	ret = lw_sframe_open(&compare->sf, &compare->src, &place, LW_SFRAME_ABI_ANY);
	if (!ret)
		arch = compare->sf.abi == aarch64.abi ? &aarch64 :
		       compare->sf.abi == s390x.abi ? &s390x : &x86_64;
	return ret ?: compare->sf.abi == arch->abi ? ret : LW_SFRAME_OTHER_ABI;
}

/**
 * gen_compare - compare tables with what they were made of
 * @gen: tables
 * @eh_frame: or NULL
 * @debug_frame: or NULL; asked where the other has nothing
 * @compared: added to
 *
 * Return: LW_SFRAME_OK, or why a table can't be opened.
 */
int gen_compare(const struct lw_gen *gen, Dwarf_CFI *eh_frame, Dwarf_CFI *debug_frame,
		struct gen_compared *compared)
{
	struct compare compare = {
		.cfis = { eh_frame, debug_frame }, .compared = compared,
	};
	int ret;

	for (size_t i = 0; i < gen->nr_tables; i++) {
		ret = open_table(&compare, &gen->tables[i]);
		if (ret)
			return ret;
		compare_table(&compare);
	}
	return LW_SFRAME_OK;
}

static int walk_rows(const struct lw_sframe *sf, const struct lw_sframe_fde *fde)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_row row;
	int ret;

	lw_sframe_first_row(&cursor, sf, fde);
	while (!(ret = lw_sframe_next_row(&cursor, &row)))
		;
	return ret == LW_SFRAME_NO_RULE && fde->num_rows ? LW_SFRAME_OK : ret;
}

/**
 * gen_walk - is each byte of the tables sound?
 * @gen: tables
 *
 * Return: LW_SFRAME_OK, LW_SFRAME_BAD_ORDER if functions overlap or are empty, or
 * what the reader finds.
 */
int gen_walk(const struct lw_gen *gen)
{
	struct compare compare = { .table = NULL };
	struct lw_sframe_fde fde;
	u64 end;
	int ret;

	for (size_t i = 0; i < gen->nr_tables; i++) {
		ret = open_table(&compare, &gen->tables[i]);
		end = 0;
		for (u32 j = 0; !ret && j < compare.sf.num_fdes; j++) {
			ret = lw_sframe_get_fde(&compare.sf, j, &fde);
			if (!ret && (fde.start < end || !fde.size))
				ret = LW_SFRAME_BAD_ORDER;
			if (!ret)
				ret = walk_rows(&compare.sf, &fde);
			end = fde.start + fde.size;
		}
		if (ret)
			return ret;
	}
	return LW_SFRAME_OK;
}
