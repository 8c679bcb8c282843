// SPDX-License-Identifier: GPL-2.0
/*
 * gen_insn.c - what one instruction does to a frame.
 *
 * Zydis decodes it and says what it reads and writes.  A few kinds of instructions are
 * followed: moves, and arithmetic with constants, of registers that are known relative to
 * the CFA.  A register that any other instruction writes is not known from then on, and
 * neither is a slot of the stack that is written over.
 *
 * Contexts: any thread; no state.
 */
#include <string.h>

#include "sframe/gen_flow.h"

#define WORD		8
#define MAX_OFFSET	(1 << 30)	/* of what is followed, from the CFA */
#define MAX_RESULT	4		/* instructions that may take what a function returned */
#define RED_ZONE	128		/* bytes below the stack pointer that a leaf may use */

struct step {
	const ZydisDecodedInstruction *insn;
	const ZydisDecodedOperand *ops;
	struct gen_frame *frame;
};

/* Return: DWARF's number of a register of 64 bits, or -1. */
static int number_of(ZydisRegister reg)
{
	/* rax rcx rdx rbx rsp rbp rsi rdi, as instructions number them */
	static const u8 numbers[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };
	int idx = reg - ZYDIS_REGISTER_RAX;

	if (reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15)
		return -1;
	return idx < 8 ? numbers[idx] : idx;
}

static struct gen_track moved(struct gen_track value, s64 by)
{
	s64 off = value.off + by;

	if ((value.kind != GEN_OF_CFA && value.kind != GEN_OF_ALIGNED) ||
	    off < -MAX_OFFSET || off > MAX_OFFSET)
		return (struct gen_track){ 0 };
	value.off = off;
	return value;
}

static bool is_address(const struct gen_track *value)
{
	return value->kind == GEN_OF_CFA || value->kind == GEN_OF_ALIGNED;
}

static bool same(const struct gen_track *a, const struct gen_track *b)
{
	return a->kind == b->kind && a->off == b->off;
}

/* Return: the address of an operand in memory; untracked if not known. */
static struct gen_track address_of(const struct step *step, const ZydisDecodedOperand *op)
{
	int reg = number_of(op->mem.base);

	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || reg < 0 ||
	    op->mem.index != ZYDIS_REGISTER_NONE || op->mem.segment == ZYDIS_REGISTER_FS ||
	    op->mem.segment == ZYDIS_REGISTER_GS)
		return (struct gen_track){ 0 };
	return moved(step->frame->regs[reg], op->mem.disp.value);
}

static struct gen_track load(const struct gen_frame *frame, struct gen_track addr)
{
	if (is_address(&addr) && same(&addr, &frame->fp_slot))
		return (struct gen_track){ .kind = GEN_CALLER_FP };
	if (is_address(&addr) && same(&addr, &frame->cfa_slot))
		return (struct gen_track){ .kind = GEN_OF_CFA, .off = frame->cfa_off };
	return (struct gen_track){ 0 };
}

static bool overlaps(const struct gen_track *slot, const struct gen_track *addr, s64 size)
{
	return slot->kind == addr->kind && slot->off < addr->off + size &&
	       addr->off < slot->off + WORD;
}

/* A slot below the stack pointer still holds its value, until a signal handler runs. */
static bool is_live(const struct gen_frame *frame, const struct gen_track *slot)
{
	const struct gen_track *sp = &frame->regs[GEN_SP];

	return slot->kind && (slot->kind != sp->kind || slot->off >= sp->off);
}

/* @value: what is stored; untracked if it is anything else */
static void store(struct gen_frame *frame, struct gen_track addr, s64 size,
		  struct gen_track value)
{
	const struct gen_track ra = { .kind = GEN_OF_CFA, .off = GEN_RA_OFFSET };

	if (!is_address(&addr))
		return;
	if (overlaps(&frame->fp_slot, &addr, size))
		memset(&frame->fp_slot, 0, sizeof(addr));
	if (overlaps(&frame->cfa_slot, &addr, size))
		memset(&frame->cfa_slot, 0, sizeof(addr));
	/* the return address is gone */
	if (overlaps(&ra, &addr, size)) {
		memset(frame, 0, sizeof(*frame));
	} else if (size == WORD && value.kind == GEN_CALLER_FP &&
		   !is_live(frame, &frame->fp_slot)) {
		frame->fp_slot = addr;
	} else if (size == WORD && value.kind == GEN_OF_CFA && addr.kind == GEN_OF_ALIGNED) {
		frame->cfa_slot = addr;
		frame->cfa_off = value.off;
	}
}

static struct gen_track value_of(const struct step *step, const ZydisDecodedOperand *op)
{
	int reg;

	if (op->size != 8 * WORD)
		return (struct gen_track){ 0 };
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return load(step->frame, address_of(step, op));
	reg = op->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(op->reg.value) : -1;
	return reg < 0 ? (struct gen_track){ 0 } : step->frame->regs[reg];
}

/* What an instruction writes, be it register or slot, is not known any more. */
static void forget_written(const struct step *step)
{
	const ZydisDecodedOperand *op = step->ops;
	int reg;

	for (unsigned int i = 0; i < step->insn->operand_count; i++, op++) {
		if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			store(step->frame, address_of(step, op), op->size / 8,
			      (struct gen_track){ 0 });
			continue;
		}
		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		reg = number_of(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
								 op->reg.value));
		if (reg >= 0)
			memset(&step->frame->regs[reg], 0, sizeof(struct gen_track));
	}
}

/* The first operand, which was written, is @value. */
static void set_first(const struct step *step, struct gen_track value)
{
	const ZydisDecodedOperand *op = step->ops;
	int reg = op->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(op->reg.value) : -1;

	if (reg >= 0)
		step->frame->regs[reg] = value;
}

static void push(struct gen_frame *frame, struct gen_track value)
{
	frame->regs[GEN_SP] = moved(frame->regs[GEN_SP], -WORD);
	store(frame, frame->regs[GEN_SP], WORD, value);
}

static struct gen_track pop(struct gen_frame *frame)
{
	struct gen_track value = load(frame, frame->regs[GEN_SP]);

	frame->regs[GEN_SP] = moved(frame->regs[GEN_SP], WORD);
	return value;
}

static void do_push(const struct step *step)
{
	struct gen_track value = value_of(step, &step->ops[0]);

	if (step->insn->operand_width != 8 * WORD)
		memset(&step->frame->regs[GEN_SP], 0, sizeof(value));
	push(step->frame, value);
}

static void do_pop(const struct step *step)
{
	struct gen_track value = pop(step->frame), sp = step->frame->regs[GEN_SP];

	if (step->insn->operand_width != 8 * WORD)
		memset(&sp, 0, sizeof(sp));
	forget_written(step);
	step->frame->regs[GEN_SP] = sp;
	set_first(step, value);
}

static void do_mov(const struct step *step)
{
	const ZydisDecodedOperand *to = &step->ops[0];
	struct gen_track value = value_of(step, &step->ops[1]), addr = address_of(step, to);

	forget_written(step);
	if (to->size != 8 * WORD)
		return;
	if (to->type == ZYDIS_OPERAND_TYPE_MEMORY)
		store(step->frame, addr, WORD, value);
	else
		set_first(step, value);
}

static void do_lea(const struct step *step)
{
	struct gen_track value = address_of(step, &step->ops[1]);

	forget_written(step);
	if (step->ops[0].size == 8 * WORD)
		set_first(step, value);
}

/* add and sub of a constant */
static void do_add(const struct step *step, int sign)
{
	const ZydisDecodedOperand *by = &step->ops[1];
	struct gen_track value = { 0 };

	if (by->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    step->ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		value = moved(value_of(step, &step->ops[0]), sign * by->imm.value.s);
	forget_written(step);
	set_first(step, value);
}

static void forget_aligned(struct gen_track *value)
{
	if (value->kind == GEN_OF_ALIGNED)
		memset(value, 0, sizeof(*value));
}

/* The stack pointer is rounded down: offsets are counted from there. */
static void do_and(const struct step *step)
{
	struct gen_frame *frame = step->frame;
	const ZydisDecodedOperand *to = &step->ops[0], *mask = &step->ops[1];
	bool rounds = to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		      number_of(to->reg.value) == GEN_SP && is_address(&frame->regs[GEN_SP]) &&
		      mask->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && mask->imm.value.s < 0 &&
		      !(mask->imm.value.s & (WORD - 1));

	forget_written(step);
	if (!rounds)
		return;
	for (unsigned int i = 0; i < GEN_NR_GPRS; i++)
		forget_aligned(&frame->regs[i]);
	forget_aligned(&frame->fp_slot);
	forget_aligned(&frame->cfa_slot);
	frame->regs[GEN_SP] = (struct gen_track){ .kind = GEN_OF_ALIGNED };
}

static void do_xchg(const struct step *step)
{
	struct gen_track first = value_of(step, &step->ops[0]);
	struct gen_track second = value_of(step, &step->ops[1]);
	int reg = number_of(step->ops[1].reg.value);

	forget_written(step);
	if (step->ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    step->ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER || reg < 0)
		return;
	set_first(step, second);
	step->frame->regs[reg] = first;
}

/* The callee may change some registers, and all memory below the stack pointer. */
static void do_call(const struct step *step)
{
	/* the caller-saved ones: rax rdx rcx rsi rdi r8 to r11 */
	static const u8 lost[] = { 0, 1, 2, 4, 5, 8, 9, 10, 11 };
	struct gen_frame *frame = step->frame;
	const struct gen_track *sp = &frame->regs[GEN_SP];

	for (unsigned int i = 0; i < ARRAY_SIZE(lost); i++)
		memset(&frame->regs[lost[i]], 0, sizeof(*sp));
	if (frame->fp_slot.kind == sp->kind && frame->fp_slot.off < sp->off)
		memset(&frame->fp_slot, 0, sizeof(*sp));
	if (frame->cfa_slot.kind == sp->kind && frame->cfa_slot.off < sp->off)
		memset(&frame->cfa_slot, 0, sizeof(*sp));
}

/* Remembers what the stack pointer is compared with, for a branch behind it. */
static void do_cmp(const struct step *step)
{
	const ZydisDecodedOperand *a = &step->ops[0], *b = &step->ops[1];
	int reg = number_of(b->reg.value);

	if (a->type == ZYDIS_OPERAND_TYPE_REGISTER && number_of(a->reg.value) == GEN_SP &&
	    b->type == ZYDIS_OPERAND_TYPE_REGISTER && reg >= 0)
		step->frame->compared = reg;
}

static void do_leave(const struct step *step)
{
	struct gen_frame *frame = step->frame;

	frame->regs[GEN_SP] = frame->regs[GEN_FP];
	frame->regs[GEN_FP] = pop(frame);
}

static void apply(const struct step *step)
{
	struct gen_frame *frame = step->frame;

	switch (step->insn->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		do_push(step);
		return;
	case ZYDIS_MNEMONIC_PUSHFQ:
		push(frame, (struct gen_track){ 0 });
		return;
	case ZYDIS_MNEMONIC_POP:
		do_pop(step);
		return;
	case ZYDIS_MNEMONIC_POPFQ:
		pop(frame);
		return;
	case ZYDIS_MNEMONIC_MOV:
		do_mov(step);
		return;
	case ZYDIS_MNEMONIC_LEA:
		do_lea(step);
		return;
	case ZYDIS_MNEMONIC_ADD:
		do_add(step, 1);
		return;
	case ZYDIS_MNEMONIC_SUB:
		do_add(step, -1);
		return;
	case ZYDIS_MNEMONIC_AND:
		do_and(step);
		return;
	case ZYDIS_MNEMONIC_XCHG:
		do_xchg(step);
		return;
	case ZYDIS_MNEMONIC_LEAVE:
		do_leave(step);
		return;
	case ZYDIS_MNEMONIC_CMP:
		do_cmp(step);
		return;
	case ZYDIS_MNEMONIC_CALL:
		do_call(step);
		return;
	default:
		forget_written(step);
	}
}

static bool is_padding(const ZydisDecodedInstruction *insn)
{
	return insn->meta.category == ZYDIS_CATEGORY_NOP ||
	       insn->meta.category == ZYDIS_CATEGORY_WIDENOP;
}

static u8 flow_of(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3:
		return GEN_INSN_STOP;
	default:
		break;
	}
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return GEN_INSN_CALL;
	case ZYDIS_CATEGORY_RET:
		return GEN_INSN_RETURN;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return GEN_INSN_JUMP;
	case ZYDIS_CATEGORY_COND_BR:
		return GEN_INSN_BRANCH;
	case ZYDIS_CATEGORY_SYSRET:
		return GEN_INSN_STOP;
	default:
		return GEN_INSN_NEXT;
	}
}

static void find_target(const struct step *step, u64 next, struct gen_insn *insn)
{
	const ZydisDecodedOperand *op = &step->ops[0];

	if (insn->flow != GEN_INSN_NEXT && step->insn->operand_count_visible &&
	    op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op->imm.is_relative) {
		insn->target = next + (u64)op->imm.value.s;
		insn->has_target = true;
	} else if (step->insn->mnemonic == ZYDIS_MNEMONIC_LEA &&
		   step->ops[1].mem.base == ZYDIS_REGISTER_RIP) {
		insn->target = next + (u64)step->ops[1].mem.disp.value;
		insn->takes_address = true;
	} else if (step->insn->mnemonic == ZYDIS_MNEMONIC_MOV &&
		   op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->size >= 32 &&
		   step->ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		/* in programs with fixed addresses */
		insn->target = (u32)step->ops[1].imm.value.u;
		insn->takes_number = true;
	}
}

/**
 * gen_insn_decode - follow one instruction
 * @decoder: for long mode
 * @addr: of the instruction
 * @code: its bytes
 * @room: bytes of @code that there are
 * @frame: in: before the instruction; out: behind the instruction; NULL: not wanted
 * @insn: out
 */
void gen_insn_decode(const ZydisDecoder *decoder, u64 addr, const u8 *code, size_t room,
		     struct gen_frame *frame, struct gen_insn *insn)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;
	struct step step = { &decoded, ops, frame };

	*insn = (struct gen_insn){ .flow = GEN_INSN_BAD };
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, room, &decoded, ops)))
		return;
	insn->size = decoded.length;
	insn->flow = flow_of(&decoded);
	insn->is_padding = is_padding(&decoded);
	find_target(&step, addr + insn->size, insn);
	if (!frame)
		return;
	if (insn->flow == GEN_INSN_CALL && insn->has_target && insn->target == addr + insn->size) {
		/* the code wants to know where it is */
		insn->flow = GEN_INSN_NEXT;
		insn->has_target = false;
		push(frame, (struct gen_track){ 0 });
		return;
	}
	if (decoded.mnemonic != ZYDIS_MNEMONIC_JNZ)
		frame->compared = 0;
	apply(&step);
}

static bool is_rax(ZydisRegister reg)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg) ==
	       ZYDIS_REGISTER_RAX;
}

static bool reads_rax(const ZydisDecodedOperand *op)
{
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return is_rax(op->mem.base) || is_rax(op->mem.index);
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && is_rax(op->reg.value) &&
	       (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ);
}

static bool writes_rax(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && is_rax(op->reg.value) &&
	       (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
}

/* xor %eax, %eax */
static bool is_zeroing(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops)
{
	return (insn->mnemonic == ZYDIS_MNEMONIC_XOR || insn->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].reg.value == ops[1].reg.value;
}

/**
 * gen_insn_begins_function - does code look like the first of a function?
 * @decoder: for long mode
 * @code: at an address that may be that of a label
 * @room: bytes of @code that there are
 *
 * Return: true if it saves a register, makes room on the stack, or may be called by a register.
 */
bool gen_insn_begins_function(const ZydisDecoder *decoder, const u8 *code, size_t room)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, room, &insn, ops)))
		return false;
	switch (insn.mnemonic) {
	case ZYDIS_MNEMONIC_ENDBR64:
		return true;
	case ZYDIS_MNEMONIC_PUSH:
		return ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
	case ZYDIS_MNEMONIC_SUB:
		return ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       ops[0].reg.value == ZYDIS_REGISTER_RSP;
	default:
		return false;
	}
}

/**
 * gen_insn_uses_result - does code take what a function has returned?
 * @decoder: for long mode
 * @code: behind a call
 * @room: bytes of @code that there are
 *
 * Return: true if one of the next few instructions reads rax before any writes it.
 */
bool gen_insn_uses_result(const ZydisDecoder *decoder, const u8 *code, size_t room)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	bool writes = false;

	for (unsigned int i = 0; i < MAX_RESULT && !writes; i++) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, room, &insn, ops)) ||
		    flow_of(&insn) != GEN_INSN_NEXT || is_padding(&insn) || is_zeroing(&insn, ops))
			return false;
		for (unsigned int op = 0; op < insn.operand_count; op++) {
			if (reads_rax(&ops[op]))
				return true;
			writes |= writes_rax(&ops[op]);
		}
		code += insn.length;
		room -= insn.length;
	}
	return false;
}

/**
 * gen_frame_enter - what is known where a function begins
 * @frame: out
 */
void gen_frame_enter(struct gen_frame *frame)
{
	memset(frame, 0, sizeof(*frame));
	frame->regs[GEN_SP] = (struct gen_track){ .kind = GEN_OF_CFA, .off = GEN_RA_OFFSET };
	frame->regs[GEN_FP] = (struct gen_track){ .kind = GEN_CALLER_FP };
}

/* Return: false if @reg can't say where the CFA is. */
static bool cfa_by(const struct gen_frame *frame, u8 reg, struct gen_value *cfa)
{
	const struct gen_track *value = &frame->regs[reg];

	if (value->kind != GEN_OF_CFA)
		return false;
	*cfa = (struct gen_value){ .kind = GEN_VALUE, .base = reg, .off = -(s64)value->off };
	return true;
}

/* Likewise; by the slot that holds the CFA, which @reg leads to. */
static bool cfa_by_slot(const struct gen_frame *frame, u8 reg, struct gen_value *cfa)
{
	const struct gen_track *value = &frame->regs[reg];

	if (value->kind != GEN_OF_ALIGNED || frame->cfa_slot.kind != GEN_OF_ALIGNED ||
	    !is_live(frame, &frame->cfa_slot))
		return false;
	*cfa = (struct gen_value){
		.kind = GEN_VALUE, .base = reg, .deref = 1,
		.off = (s64)frame->cfa_slot.off - value->off,
	};
	if (frame->cfa_off) {
		cfa->path = GEN_PATH_SAME;
		cfa->then[0] = -frame->cfa_off;
	}
	return true;
}

static bool find_cfa(const struct gen_frame *frame, struct gen_value *cfa)
{
	if (cfa_by(frame, GEN_SP, cfa) || cfa_by(frame, GEN_FP, cfa) ||
	    cfa_by_slot(frame, GEN_SP, cfa) || cfa_by_slot(frame, GEN_FP, cfa))
		return true;
	for (u8 reg = 0; reg < GEN_NR_GPRS; reg++) {
		if (cfa_by(frame, reg, cfa))
			return true;
	}
	return false;
}

/* Return: false if @reg can't say where the slot of the frame pointer is. */
static bool fp_by(const struct gen_frame *frame, u8 reg, struct gen_value *fp)
{
	const struct gen_track *value = &frame->regs[reg], *slot = &frame->fp_slot;

	if (value->kind != GEN_OF_ALIGNED || slot->kind != GEN_OF_ALIGNED)
		return false;
	*fp = (struct gen_value){
		.kind = GEN_VALUE, .base = reg, .deref = 1, .off = (s64)slot->off - value->off,
	};
	return true;
}

static bool find_fp(const struct gen_frame *frame, struct gen_value *fp)
{
	const struct gen_track *slot = &frame->fp_slot, *sp = &frame->regs[GEN_SP];
	bool same = frame->regs[GEN_FP].kind == GEN_CALLER_FP;

	memset(fp, 0, sizeof(*fp));
	/* a slot that is popped says less than the register */
	if (same && !is_live(frame, slot))
		return true;
	if (slot->kind == sp->kind && slot->off < sp->off - RED_ZONE)
		return false;
	if (slot->kind == GEN_OF_CFA) {
		*fp = (struct gen_value){
			.kind = GEN_VALUE, .base = GEN_CFA, .deref = 1, .off = slot->off,
		};
		return true;
	}
	return fp_by(frame, GEN_SP, fp) || fp_by(frame, GEN_FP, fp) || same;
}

/**
 * gen_frame_state - the rule for a frame
 * @frame: before an instruction
 * @state: out
 *
 * Return: false if too little is known for a rule.
 */
bool gen_frame_state(const struct gen_frame *frame, struct gen_state *state)
{
	memset(state, 0, sizeof(*state));
	state->ra = (struct gen_value){
		.kind = GEN_VALUE, .base = GEN_CFA, .deref = 1, .off = GEN_RA_OFFSET,
	};
	return find_cfa(frame, &state->cfa) && find_fp(frame, &state->fp);
}
