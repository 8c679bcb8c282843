// SPDX-License-Identifier: GPL-2.0
/*
 * gen_rows.c - the instructions of one function, followed to runs of code
 * that have one rule each.
 *
 * Only what a table can hold is followed: CFA, return address, frame and stack
 * pointer, and, where gen_rows.follow says so, registers that a callee saves.
 * Each instruction takes one byte at least and makes one run at most.  What is
 * before an instruction that makes no sense is right, what is behind it is a
 * hole.
 */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "sframe/gen_parts.h"

/*
 * Registers by x86-64's psABI, by DWARF for the Arm 64-bit architecture (aadwarf64), and by the
 * s390x ELF ABI supplement (1.6, "DWARF Register Number Mapping"): general registers, then those
 * for floating point.
 */
const struct gen_machine gen_x86_64 = {
	.elf = EM_X86_64, .abi = LW_SFRAME_ABI_AMD64, .nr_gprs = GEN_NR_GPRS,
	.nr_regs = GEN_NR_GPRS,
	.sp = GEN_SP, .fp = GEN_FP, .ra = GEN_RA, .ra_off = GEN_RA_OFFSET,
	.saved = { 3, 12, 13, 14, 15 }, .cfa_unit = 1,
};

const struct gen_machine gen_aarch64 = {
	.elf = EM_AARCH64, .abi = LW_SFRAME_ABI_AARCH64_LE, .nr_gprs = 32, .nr_regs = 32,
	.sp = 31, .fp = 29, .ra = 30,
	.saved = { 19, 20, 21, 22, 23 }, .cfa_unit = 1,
};

/* The CFA is at the top of the register save area. */
const struct gen_machine gen_s390x = {
	.elf = EM_S390, .abi = LW_SFRAME_ABI_S390X, .nr_gprs = 16, .nr_regs = 32,
	.sp = 15, .fp = 11, .ra = 14, .saved = { 8, 9, 10, 12, 13 }, .big = true,
	.cfa_unit = 8, .sp_bias = 160, .saves_sp = true, .pads_ra = true,
};

/* Of LLVM and GCC 15; dwarf.h of elfutils has no name for it. */
#define CFA_NEGATE_RA_STATE_WITH_PC	0x2c

struct program {
	struct gen_reader reader;
	struct gen_rows *rows;
	const struct gen_cie *cie;
	const struct gen_section *section;
	struct gen_state state;
	u64 start, here, end;
	unsigned int nr_states;
	bool changed;		/* since the last run began */
	u8 failed;		/* LW_GEN_HOLE_*; LW_GEN_NUM_HOLES: not yet */
	bool no_memory;
};

static void fail(struct program *program, u8 hole)
{
	if (program->failed == LW_GEN_NUM_HOLES)
		program->failed = hole;
}

static bool is_plain_saved(const struct gen_value *value)
{
	return value->kind == GEN_VALUE && value->base == GEN_CFA && value->deref;
}

/* NULL: a register that no table tells of. */
static struct gen_value *register_of(const struct gen_machine *machine, struct gen_state *state,
				     u64 reg)
{
	if (reg == machine->fp)
		return &state->fp;
	if (reg == machine->sp)
		return &state->sp;
	return reg == machine->ra ? &state->ra : NULL;
}

/**
 * gen_saved_index - which of the registers that a callee saves
 * @machine: of the register
 * @reg: by DWARF number
 *
 * Return: the index in gen_state.saved, or -1.
 */
int gen_saved_index(const struct gen_machine *machine, u64 reg)
{
	for (int i = 0; i < LW_RULE_SAVED; i++)
		if (machine->saved[i] && machine->saved[i] == reg)
			return i;
	return -1;
}

/* A row has slots below the CFA alone. */
static s32 saved_offset(const struct gen_value *value)
{
	if (value->kind == GEN_NONE)
		return 0;
	if (!is_plain_saved(value) || value->path || value->off >= 0 || value->off % GEN_SLOT ||
	    value->off < -GEN_SLOT * GEN_MAX_SLOT)
		return LW_RULE_GONE;
	return value->off;
}

static void set_saved(struct program *program, int index, s32 saved)
{
	program->state.saved[index] = saved;
	program->changed |= program->rows->told >> index & 1;
}

static void set_register(struct program *program, u64 reg, struct gen_value value)
{
	const struct gen_machine *machine = program->rows->machine;
	struct gen_value *to = register_of(machine, &program->state, reg);
	int index = gen_saved_index(machine, reg);

	if (index >= 0)
		set_saved(program, index, saved_offset(&value));
	if (!to)
		return;
	*to = value;
	program->changed = true;
}

static struct gen_value from_cfa(s64 off, bool deref)
{
	return (struct gen_value){
		.off = off, .kind = GEN_VALUE, .base = GEN_CFA, .deref = deref,
	};
}

static s64 scaled(struct program *program, s64 number)
{
	s64 off;

	if (__builtin_mul_overflow(number, program->cie->data_align, &off)) {
		fail(program, LW_GEN_HOLE_RANGE);
		return 0;
	}
	return off;
}

/* An unsigned one is in the same units. */
static s64 scaled_uleb(struct program *program)
{
	u64 number = gen_uleb(&program->reader);

	if (number > INT64_MAX) {
		fail(program, LW_GEN_HOLE_RANGE);
		return 0;
	}
	return scaled(program, number);
}

static s64 plain_uleb(struct program *program)
{
	u64 number = gen_uleb(&program->reader);

	if (number > INT64_MAX) {
		fail(program, LW_GEN_HOLE_RANGE);
		return 0;
	}
	return number;
}

static struct gen_reader take_block(struct program *program)
{
	struct gen_reader *reader = &program->reader, block = *reader;
	u64 size = gen_uleb(reader);

	block.pos = reader->pos;
	if (reader->bad || size > (u64)(reader->end - reader->pos)) {
		reader->bad = true;
		size = 0;
	}
	reader->pos += size;
	block.end = block.pos + size;
	return block;
}

/* One that is no general register may be followed by an offset, or by another. */
static void set_cfa(struct program *program, u64 reg, s64 off)
{
	program->state.cfa = (struct gen_value){
		.off = off, .kind = GEN_VALUE,
		.base = reg < program->rows->machine->nr_gprs ? (u8)reg : GEN_OTHER,
	};
	program->changed = true;
}

/* Half of a rule: the other half must be there, or nobody knows what is meant. */
static void change_cfa(struct program *program, const u64 *reg, s64 off)
{
	struct gen_value *cfa = &program->state.cfa;

	if (cfa->kind != GEN_VALUE || cfa->deref)
		*cfa = (struct gen_value){ .kind = GEN_ODD };
	else if (reg)
		set_cfa(program, *reg, cfa->off);
	else
		cfa->off = off;
	program->changed = true;
}

static bool cfa_instruction(struct program *program, u8 op)
{
	struct gen_reader *reader = &program->reader;
	u64 reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = gen_uleb(reader);
		set_cfa(program, reg, plain_uleb(program));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = gen_uleb(reader);
		set_cfa(program, reg, scaled(program, gen_sleb(reader)));
		return true;
	case DW_CFA_def_cfa_register:
		reg = gen_uleb(reader);
		change_cfa(program, &reg, 0);
		return true;
	case DW_CFA_def_cfa_offset:
		change_cfa(program, NULL, plain_uleb(program));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		change_cfa(program, NULL, scaled(program, gen_sleb(reader)));
		return true;
	case DW_CFA_def_cfa_expression:
		program->state.cfa = gen_expression(program->rows->machine, take_block(program),
						    false);
		program->changed = true;
		return true;
	}
	return false;
}

/* @saved: it is in memory at what the expression comes to, else it is that */
static void set_by_expression(struct program *program, u64 reg, bool saved)
{
	const struct gen_machine *machine = program->rows->machine;
	struct gen_reader block = take_block(program);
	struct gen_value value;

	if (!register_of(machine, &program->state, reg) && gen_saved_index(machine, reg) < 0)
		return;
	value = gen_expression(machine, block, true);
	if (saved && value.deref)
		value.kind = GEN_ODD;
	else if (saved)
		value.deref = 1;
	set_register(program, reg, value);
}

static struct gen_value of_register(const struct gen_machine *machine, u64 reg)
{
	return (struct gen_value){
		.kind = reg < machine->nr_regs ? GEN_VALUE : GEN_ODD, .base = (u8)reg,
	};
}

static void restore(struct program *program, u64 reg)
{
	const struct gen_machine *machine = program->rows->machine;
	struct gen_state initial = program->cie->initial;
	struct gen_value *value = register_of(machine, &initial, reg);
	int index = gen_saved_index(machine, reg);

	if (index >= 0)
		set_saved(program, index, initial.saved[index]);
	if (value)
		set_register(program, reg, *value);
}

/* DWARF instructions that name a register and a full operand. */
static bool register_instruction(struct program *program, u8 op)
{
	struct gen_reader *reader = &program->reader;
	u64 reg;

	switch (op) {
	case DW_CFA_offset_extended:
	case DW_CFA_val_offset:
		reg = gen_uleb(reader);
		set_register(program, reg,
			     from_cfa(scaled_uleb(program), op == DW_CFA_offset_extended));
		return true;
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		reg = gen_uleb(reader);
		set_register(program, reg, from_cfa(scaled(program, gen_sleb(reader)),
						    op == DW_CFA_offset_extended_sf));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = gen_uleb(reader);
		set_register(program, reg, from_cfa(-scaled_uleb(program), true));
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = gen_uleb(reader);
		set_by_expression(program, reg, op == DW_CFA_expression);
		return true;
	}
	return false;
}

/* A stack pointer without a rule is that of the CFA; one that is the same as here is it seldom. */
static struct gen_value same_value(const struct gen_machine *machine, u64 reg)
{
	if (reg == machine->ra && !machine->ra_off)
		return gen_ra_in_register(machine);
	if (reg != machine->sp)
		return (struct gen_value){ .kind = GEN_NONE };
	return (struct gen_value){
		.kind = machine->saves_sp ? GEN_VALUE : GEN_ODD, .base = machine->sp,
	};
}

/*
 * Of aarch64: from here on the return address is signed, or no longer so.  The second one is for
 * code whose signature has the address of an instruction in it.
 */
static bool sign_instruction(struct program *program, u8 op)
{
	if (program->rows->machine != &gen_aarch64 ||
	    (op != DW_CFA_AARCH64_negate_ra_state && op != CFA_NEGATE_RA_STATE_WITH_PC))
		return false;
	program->state.is_signed = !program->state.is_signed;
	program->changed = true;
	return true;
}

static bool state_instruction(struct program *program, u8 op)
{
	const struct gen_machine *machine = program->rows->machine;
	struct gen_reader *reader = &program->reader;
	u64 reg;

	switch (op) {
	case DW_CFA_undefined:
		set_register(program, gen_uleb(reader), (struct gen_value){
			.kind = GEN_UNDEFINED,
		});
		return true;
	case DW_CFA_same_value:
		reg = gen_uleb(reader);
		set_register(program, reg, same_value(machine, reg));
		return true;
	case DW_CFA_register:
		reg = gen_uleb(reader);
		set_register(program, reg, of_register(machine, gen_uleb(reader)));
		return true;
	case DW_CFA_restore_extended:
		restore(program, gen_uleb(reader));
		return true;
	case DW_CFA_remember_state:
		if (program->nr_states == GEN_MAX_STATES)
			fail(program, LW_GEN_HOLE_RANGE);
		else
			program->rows->states[program->nr_states++] = program->state;
		return true;
	case DW_CFA_restore_state:
		if (program->nr_states)
			program->state = program->rows->states[--program->nr_states];
		else
			fail(program, LW_GEN_HOLE_BROKEN);
		program->changed = true;
		return true;
	case DW_CFA_GNU_args_size:
		gen_uleb(reader);
		return true;
	}
	return op == DW_CFA_nop;
}

/* Counts from a register what counts from a CFA that is that register and an offset. */
static bool count_from(const struct gen_value *cfa, struct gen_value *value)
{
	if (value->kind != GEN_VALUE || value->base != GEN_CFA)
		return true;
	value->base = cfa->base;
	return !__builtin_add_overflow(value->off, cfa->off, &value->off);
}

/*
 * A rule's CFA is the caller's stack pointer.  Where longjmp() or setcontext() leaves for another
 * frame, CFI takes the buffer with that frame's registers as the CFA, and says where in it, or in
 * which register, the stack pointer is.  That frame may be on another stack.
 *
 * Return: false if no rule can say so; *@state is of no use.
 */
static bool leave_for_stack(const struct gen_machine *machine, struct gen_state *state)
{
	const struct gen_value buffer = state->cfa;

	if (machine->sp_bias || state->sp.kind != GEN_VALUE || buffer.kind != GEN_VALUE ||
	    buffer.deref || buffer.path || buffer.index || buffer.base == GEN_OTHER ||
	    !count_from(&buffer, &state->sp) || !count_from(&buffer, &state->ra) ||
	    !count_from(&buffer, &state->fp))
		return false;
	state->cfa = state->sp;
	state->cfa.path = GEN_PATH_SWITCH;
	state->sp = (struct gen_value){ .kind = GEN_NONE };
	/* A row has slots that count from the CFA alone. */
	for (unsigned int i = 0; i < LW_RULE_SAVED; i++) {
		if (state->saved[i])
			state->saved[i] = LW_RULE_GONE;
	}
	return true;
}

/* Is it in a register for floating point? */
static bool is_in_fpr(const struct gen_machine *machine, const struct gen_value *value)
{
	return value->kind == GEN_VALUE && !value->deref && !value->off &&
	       value->base >= machine->nr_gprs && value->base < machine->nr_regs;
}

/*
 * Is the caller's stack pointer where the CFA says?  Functions of s390x save it like any other
 * register that they restore, in memory or in a register for floating point: what they
 * save is where the CFA counts from.  Restored, it is the same as the caller's if the CFA counts
 * from it.
 */
static bool is_at_cfa(const struct gen_machine *machine, const struct gen_state *state)
{
	const struct gen_value *sp = &state->sp, *cfa = &state->cfa;

	if (sp->kind == GEN_NONE)
		return true;
	if (sp->kind != GEN_VALUE || sp->path)
		return false;
	if (machine->saves_sp && (is_plain_saved(sp) || is_in_fpr(machine, sp)))
		return true;
	if (machine->saves_sp && sp->base == machine->sp && !sp->deref && !sp->off)
		return cfa->kind == GEN_VALUE && cfa->base == machine->sp && !cfa->deref &&
		       !cfa->path && cfa->off == machine->sp_bias;
	return sp->base == GEN_CFA && sp->off == -machine->sp_bias && !sp->deref;
}

static bool fits(const struct gen_value *value)
{
	return value->kind != GEN_VALUE || value->off == (s32)value->off;
}

/* Return: why a state has no SFrame row, or LW_GEN_NUM_HOLES: it has one. */
static u8 find_fault(const struct gen_machine *machine, const struct gen_state *state)
{
	const struct gen_value *ra = &state->ra, *fp = &state->fp;

	if ((state->cfa.kind != GEN_VALUE && state->cfa.kind != GEN_PLT) ||
	    state->cfa.base == GEN_OTHER || state->cfa.index == machine->sp + 1 ||
	    state->cfa.index == machine->fp + 1)
		return LW_GEN_HOLE_CFA;
	/* an address on the stack is no return address */
	if (ra->kind != GEN_VALUE || ra->path ||
	    (!ra->deref && (ra->base == GEN_CFA || ra->base == machine->sp)))
		return LW_GEN_HOLE_RA;
	/* FLEX has no word for an address that counts from the CFA, as itself */
	if (fp->kind != GEN_NONE &&
	    (fp->kind != GEN_VALUE || fp->path || (fp->base == GEN_CFA && !fp->deref)))
		return LW_GEN_HOLE_FP;
	if (!fits(&state->cfa) || !fits(ra) || !fits(fp) ||
	    (state->cfa.off - machine->sp_bias) % machine->cfa_unit)
		return LW_GEN_HOLE_RANGE;
	return LW_GEN_NUM_HOLES;
}

/*
 * Field by field: most often only the offset of the CFA was just stored, and to load
 * more than that at once would have to wait for it.
 */
static void copy(struct gen_value *to, const struct gen_value *from)
{
	to->off = from->off;
	to->what = from->what;
	if (from->path)
		memcpy(to->then, from->then, sizeof(to->then));
}

static void set_hole(struct gen_run *run, u8 reason)
{
	const struct gen_value none = { .kind = GEN_NONE };

	run->form = GEN_FORM_HOLE;
	run->hole = reason;
	run->is_signed = false;
	run->cfa = none;
	run->ra = none;
	run->fp = none;
	memset(run->saved, 0, sizeof(run->saved));
}

/**
 * gen_is_usual_ra - is a return address where a row need not say that it is?
 * @machine: of the row
 * @ra: return address
 *
 * Return: true if it is where a call leaves it.
 */
bool gen_is_usual_ra(const struct gen_machine *machine, const struct gen_value *ra)
{
	if (machine->ra_off)
		return is_plain_saved(ra) && ra->off == machine->ra_off;
	return ra->kind == GEN_VALUE && ra->base == machine->ra && !ra->deref && !ra->off;
}

/* Has a row of no FLEX words for it? */
static bool is_word(const struct gen_machine *machine, const struct gen_value *value)
{
	return is_plain_saved(value) &&
	       (!machine->pads_ra || (value->off && !(value->off % GEN_SLOT)));
}

/*
 * Has a row of no FLEX words for both?  Where the return address has one, that of the frame pointer
 * is behind it; on s390x a word can say that it has none.
 */
static bool are_plain(const struct gen_machine *machine, const struct gen_value *ra,
		      const struct gen_value *fp)
{
	if (fp->kind != GEN_NONE && !is_word(machine, fp))
		return false;
	if (!machine->ra_off && is_word(machine, ra))
		return true;
	return gen_is_usual_ra(machine, ra) &&
	       (machine->ra_off || machine->pads_ra || fp->kind == GEN_NONE);
}

static u8 form_of(const struct gen_machine *machine, const struct gen_state *state)
{
	const struct gen_value *cfa = &state->cfa, *fp = &state->fp;

	if (cfa->kind == GEN_PLT)
		return gen_is_usual_ra(machine, &state->ra) && fp->kind == GEN_NONE ?
			       GEN_FORM_PLT : GEN_FORM_HOLE;
	if (cfa->path)
		return GEN_FORM_PATH;
	if (cfa->deref || (cfa->base != machine->sp && cfa->base != machine->fp) ||
	    !are_plain(machine, &state->ra, fp))
		return GEN_FORM_FLEX;
	return GEN_FORM_DEFAULT;
}

static void fill_saved(struct gen_rows *rows, struct gen_run *run, const struct gen_state *state)
{
	int index = gen_saved_index(rows->machine, state->cfa.base);

	if (index >= 0)
		rows->needed |= 1U << index;
	memset(run->saved, 0, sizeof(run->saved));
	for (unsigned int left = rows->told; left && run->form != GEN_FORM_PLT; left &= left - 1) {
		index = __builtin_ctz(left);
		run->saved[index] = state->saved[index];
		if (state->saved[index])
			run->form = GEN_FORM_PATH;
	}
}

/* All but its start.  A run is all of what it is, so that two can be compared. */
static void fill_run(struct gen_rows *rows, struct gen_run *run, const struct gen_state *state)
{
	u8 fault = LW_GEN_NUM_HOLES;
	struct gen_state left;

	if (state->ra.kind == GEN_UNDEFINED) {
		set_hole(run, LW_GEN_NUM_HOLES);
		run->form = GEN_FORM_OUTERMOST;
		return;
	}
	if (!is_at_cfa(rows->machine, state)) {
		left = *state;
		if (!leave_for_stack(rows->machine, &left)) {
			set_hole(run, LW_GEN_HOLE_SP);
			return;
		}
		state = &left;
	}
	fault = find_fault(rows->machine, state);
	if (fault == LW_GEN_NUM_HOLES) {
		run->form = form_of(rows->machine, state);
		if (run->form == GEN_FORM_HOLE)
			fault = LW_GEN_HOLE_CFA;
	}
	if (fault != LW_GEN_NUM_HOLES) {
		set_hole(run, fault);
		return;
	}
	run->hole = LW_GEN_NUM_HOLES;
	run->is_signed = state->is_signed;
	copy(&run->cfa, &state->cfa);
	copy(&run->ra, &state->ra);
	copy(&run->fp, &state->fp);
	fill_saved(rows, run, state);
}

static bool equal(const struct gen_value *a, const struct gen_value *b)
{
	return a->off == b->off && a->what == b->what &&
	       (!a->path || !memcmp(a->then, b->then, sizeof(a->then)));
}

/**
 * gen_rows_same - say two runs the same?
 * @a: a run
 * @b: another
 *
 * Return: true if they do, wherever they start.
 */
bool gen_rows_same(const struct gen_run *a, const struct gen_run *b)
{
	return a->form == b->form && a->hole == b->hole && a->is_signed == b->is_signed &&
	       equal(&a->cfa, &b->cfa) && equal(&a->ra, &b->ra) && equal(&a->fp, &b->fp) &&
	       !memcmp(a->saved, b->saved, sizeof(a->saved));
}

/**
 * gen_rows_begin - have no runs yet, and no marks
 * @rows: those of another function, or new
 */
void gen_rows_begin(struct gen_rows *rows)
{
	rows->nr = 0;
	rows->signal = false;
	rows->analysed = false;
	rows->key_b = false;
	rows->told = 0;
	rows->needed = 0;
}

/**
 * gen_rows_add - add a run, unless it is as the last one
 * @rows: runs before it
 * @start: of the run, from the function's
 * @state: what holds from there on
 * @hole: LW_GEN_HOLE_*, if nothing is known instead; or LW_GEN_NUM_HOLES
 *
 * Return: 0 or -ENOMEM.
 */
int gen_rows_add(struct gen_rows *rows, u32 start, const struct gen_state *state, u8 hole)
{
	struct gen_run *run;

	if (lw_grow((void **)&rows->runs, &rows->room, rows->nr + 1, sizeof(*run)))
		return -ENOMEM;
	run = &rows->runs[rows->nr];
	run->start = start;
	if (hole == LW_GEN_NUM_HOLES)
		fill_run(rows, run, state);
	else
		set_hole(run, hole);
	if (!rows->nr || !gen_rows_same(run - 1, run))
		rows->nr++;
	return 0;
}

/*
 * The present state holds from here on, at least for a byte.
 * @hole: LW_GEN_NUM_HOLES, or nothing is known
 */
static void begin_run(struct program *program, u8 hole)
{
	struct gen_rows *rows = program->rows;

	program->changed = false;
	if (rows->nr >= GEN_MAX_RUNS && hole == LW_GEN_NUM_HOLES)
		fail(program, LW_GEN_HOLE_RANGE);
	else if (gen_rows_add(rows, program->here - program->start, &program->state, hole))
		program->no_memory = true;
}

static void go_to(struct program *program, u64 next)
{
	if (next < program->here) {
		fail(program, LW_GEN_HOLE_BROKEN);
		return;
	}
	if (next == program->here)
		return;
	if (program->changed)
		begin_run(program, LW_GEN_NUM_HOLES);
	/* assemblers have instructions behind the last byte of code */
	program->here = next < program->end ? next : program->end;
}

static void advance(struct program *program, u64 delta)
{
	u64 bytes, next;

	if (__builtin_mul_overflow(delta, program->cie->code_align, &bytes) ||
	    __builtin_add_overflow(program->here, bytes, &next))
		next = program->end;
	if (!program->reader.bad)
		go_to(program, next);
}

static bool place_instruction(struct program *program, u8 op)
{
	u64 next;

	switch (op) {
	case DW_CFA_advance_loc1:
		advance(program, gen_fixed(&program->reader, 1));
		return true;
	case DW_CFA_advance_loc2:
		advance(program, gen_fixed(&program->reader, 2));
		return true;
	case DW_CFA_advance_loc4:
		advance(program, gen_fixed(&program->reader, 4));
		return true;
	case DW_CFA_MIPS_advance_loc8:
		advance(program, gen_fixed(&program->reader, 8));
		return true;
	case DW_CFA_set_loc:
		if (!gen_pointer(&program->reader, program->section, program->cie->pointer, &next))
			fail(program, LW_GEN_HOLE_UNKNOWN);
		else if (!program->reader.bad)
			go_to(program, next);
		return true;
	}
	return false;
}

static void follow_one(struct program *program)
{
	u8 op = gen_u8(&program->reader), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		advance(program, low);
		return;
	case DW_CFA_offset:
		set_register(program, low, from_cfa(scaled_uleb(program), true));
		return;
	case DW_CFA_restore:
		restore(program, low);
		return;
	}
	if (!state_instruction(program, op) && !place_instruction(program, op) &&
	    !cfa_instruction(program, op) && !register_instruction(program, op) &&
	    !sign_instruction(program, op))
		fail(program, LW_GEN_HOLE_UNKNOWN);
}

static void follow(struct program *program)
{
	while (program->reader.pos < program->reader.end && program->here < program->end) {
		follow_one(program);
		if (program->reader.bad)
			fail(program, LW_GEN_HOLE_BROKEN);
		if (program->failed != LW_GEN_NUM_HOLES || program->no_memory)
			return;
	}
}

/*
 * The kernel's frames hold all registers, and the module knows them by the code that
 * they return to.  Runtimes of x86-64 have others that are said to be such (OCaml's,
 * where it goes to C and back), to have the return address looked up as it is; but
 * calls they are.
 */
static void check_signal(struct program *program)
{
	struct gen_rows *rows = program->rows;

	for (size_t i = 0; i < rows->nr; i++) {
		if (rows->runs[i].form == GEN_FORM_OUTERMOST ||
		    (rows->machine->ra_off && gen_is_usual_ra(rows->machine, &rows->runs[i].ra)))
			continue;
		rows->nr = 0;
		program->here = program->start;
		begin_run(program, LW_GEN_HOLE_SIGNAL);
		return;
	}
}

/**
 * gen_initial_state - what a CIE says of all its functions
 * @rows: to work with
 * @cie: its initial state is set, or it becomes a hole
 * @program: its instructions
 * @section: it is in
 */
void gen_initial_state(struct gen_rows *rows, struct gen_cie *cie, struct gen_reader program,
		       const struct gen_section *section)
{
	struct program initial = {
		.reader = program, .rows = rows, .cie = cie, .section = section,
		.failed = LW_GEN_NUM_HOLES, .end = 1,
	};

	if (!rows->machine->ra_off)
		initial.state.ra = gen_ra_in_register(rows->machine);
	follow(&initial);
	if (initial.failed != LW_GEN_NUM_HOLES || initial.here || initial.nr_states) {
		if (cie->hole == LW_GEN_NUM_HOLES)
			cie->hole = initial.failed == LW_GEN_NUM_HOLES ? LW_GEN_HOLE_BROKEN :
									 initial.failed;
		return;
	}
	cie->initial = initial.state;
}

/**
 * gen_function_rows - follow the instructions of a function
 * @rows: out: its runs, the first at its first byte
 * @cie: of it
 * @fde: it; its size has 32 bits
 * @section: it is in
 *
 * Return: 0 or -ENOMEM.
 */
int gen_function_rows(struct gen_rows *rows, const struct gen_cie *cie, const struct gen_fde *fde,
		      const struct gen_section *section)
{
	struct program program = {
		.reader = fde->program, .rows = rows, .cie = cie, .section = section,
		.state = cie->initial, .failed = cie->hole, .changed = true,
		.start = fde->start, .here = fde->start, .end = fde->start + fde->size,
	};

	gen_rows_begin(rows);
	rows->key_b = cie->key_b;
	rows->told = rows->follow;
	if (program.failed == LW_GEN_NUM_HOLES)
		follow(&program);
	if (program.failed != LW_GEN_NUM_HOLES)
		begin_run(&program, program.failed);
	else if (program.changed && program.here < program.end)
		begin_run(&program, LW_GEN_NUM_HOLES);
	if (cie->signal)
		check_signal(&program);
	return program.no_memory ? -ENOMEM : 0;
}
